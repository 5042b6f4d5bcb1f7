//! The iterator over many pages that are cleaned in threads.

use crate::error::Error;
use crate::page::Page;
use crate::pipeline::{CleanedPage, PageCleaner};
use std::collections::VecDeque;
use std::iter::Fuse;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Pages in work or waiting for their turn, for each thread. Heuristic: one of each.
const AHEAD: usize = 2;

type Cleaned = Result<CleanedPage, Error>;
type Job = (Page, SyncSender<Cleaned>);

/// Cleaned pages, in the order of the pages that they are made of.
pub(super) struct CleanAll<I: Iterator<Item = Page>> {
    pages: Fuse<I>,
    cleaner: PageCleaner,
    jobs: Option<SyncSender<Job>>,
    pending: VecDeque<Receiver<Cleaned>>,
    limit: usize,
}

impl<I: Iterator<Item = Page>> CleanAll<I> {
    /// Starts the threads. If the system has none left, there are fewer, and with none of them the
    /// caller's own thread cleans.
    pub(super) fn start(cleaner: &PageCleaner, pages: I, threads: usize) -> Self {
        let limit = threads * AHEAD;
        let (jobs, waiting) = sync_channel::<Job>(limit);
        let waiting = Arc::new(Mutex::new(waiting));
        let start = |_: &usize| {
            let (waiting, cleaner) = (Arc::clone(&waiting), cleaner.clone());
            let work = move || work(&waiting, &cleaner);
            thread::Builder::new().spawn(work).is_ok()
        };
        let started = (0..threads).filter(start).count();
        Self {
            pages: pages.fuse(),
            cleaner: cleaner.clone(),
            jobs: (started > 0).then_some(jobs),
            pending: VecDeque::new(),
            limit,
        }
    }
}

/// Cleans pages until there are no more.
fn work(waiting: &Mutex<Receiver<Job>>, cleaner: &PageCleaner) {
    let next = || {
        let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.recv()
    };
    while let Ok((page, answer)) = next() {
        // If this fails, the iterator was dropped.
        let _ = answer.send(cleaner.clean(&page));
    }
}

impl<I: Iterator<Item = Page>> Iterator for CleanAll<I> {
    type Item = Cleaned;

    fn next(&mut self) -> Option<Cleaned> {
        let Some(jobs) = &self.jobs else {
            return self.pages.next().map(|page| self.cleaner.clean(&page));
        };
        while self.pending.len() < self.limit
            && let Some(page) = self.pages.next()
        {
            let (answer, answers) = sync_channel(1);
            jobs.send((page, answer))
                .expect("the threads wait for pages");
            self.pending.push_back(answers);
        }
        let answers = self.pending.pop_front()?;
        Some(answers.recv().expect("the thread of a page answers"))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Cleaner, Page};

    #[test]
    fn answers_come_in_the_order_of_the_pages_whatever_the_threads() {
        let pages = || {
            (0..40).map(|number| {
                let gulls = "Herring gulls drop mussels on rocks. ".repeat(1 + number % 7 * 40);
                Page::from_html("x", format!("<h1>Page {number}</h1><p>{gulls}"))
            })
        };
        let texts = |threads| -> Vec<String> {
            let cleaner = Cleaner::new();
            let cleaned = cleaner.clean_all(pages(), threads);
            cleaned.map(|page| page.unwrap().text()).collect()
        };
        assert_eq!(texts(0), texts(3));
        assert_eq!(texts(3).len(), 40);
        // An iterator that is not read to its end stops its threads.
        drop(Cleaner::new().clean_all(pages(), 2).next());
    }
}
