//! Hands out pages whose host is ready before those whose host must be waited for, and puts their results back in order.
//!
//! Stands between the list of inputs and the pool of workers: [`queue`] wraps the list, so that many pages of one host in
//! a row keep one worker busy and not all of them. Pages without a host (files, archives) are always ready. It looks a
//! bounded number of pages ahead, and no page is overtaken by more than that.

use super::options::MAX_WAIT;
use super::visit::{Politeness, host_of};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use url::Url;

/// Pages looked ahead, and results that may wait for an earlier one. Taste: enough for the pages of some hundred hosts,
/// each visited once a second, to keep a machine busy; the texts of so many pages fit into memory.
pub const WINDOW: usize = 4096;

/// Longest wait before the hosts are looked at again, for what changes without a word.
const LOOK: Duration = Duration::from_millis(500);

/// What is handed out and not done, by host.
#[derive(Debug, Default)]
struct HostTurns {
    taken: Mutex<BTreeMap<String, usize>>,
    freed: Condvar,
}

/// A page's place among those of its host; the next page of the host may follow when it is dropped.
#[derive(Debug)]
pub struct HostTurn {
    turns: Arc<HostTurns>,
    host: Option<String>,
}

impl Drop for HostTurn {
    fn drop(&mut self) {
        let Some(host) = &self.host else { return };
        let mut taken = self.turns.lock();
        if let Some(count) = taken.get_mut(host) {
            *count -= 1;
            if *count == 0 {
                taken.remove(host);
            }
        }
        drop(taken);
        self.turns.freed.notify_all();
    }
}

impl HostTurns {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Numbers of the pages in the order in which they were handed out.
type Handed = Arc<Mutex<VecDeque<u64>>>;

/// The pages, those of ready hosts first; see [`queue`].
pub struct Queue<I: Iterator, A> {
    politeness: Arc<Politeness>,
    items: I,
    address: A,
    /// Pages held back, by number, and the numbers by host.
    held: BTreeMap<u64, I::Item>,
    hosts: BTreeMap<String, VecDeque<u64>>,
    drawn: u64,
    is_drained: bool,
    turns: Arc<HostTurns>,
    handed: Handed,
}

/// Puts what came of the pages back into the order of the list; see [`queue`].
#[derive(Debug)]
pub struct Sorter<R> {
    handed: Handed,
    next: u64,
    early: BTreeMap<u64, R>,
}

/// Wraps `items`: those whose host (that of their `address`) may be visited now come first, each with its [`HostTurn`],
/// which its worker keeps until it is done. Whoever receives the results, in the order in which the pages were handed
/// out, gives them to [`Sorter::put`].
pub fn queue<I, A, R>(politeness: Arc<Politeness>, items: I, address: A) -> (Queue<I, A>, Sorter<R>)
where
    I: Iterator,
    A: Fn(&I::Item) -> Option<String>,
{
    let handed = Handed::default();
    let order = Sorter { handed: Arc::clone(&handed), next: 0, early: BTreeMap::new() };
    let queue = Queue {
        politeness,
        items,
        address,
        held: BTreeMap::new(),
        hosts: BTreeMap::new(),
        drawn: 0,
        is_drained: false,
        turns: Arc::default(),
        handed,
    };
    (queue, order)
}

impl<I, A> Queue<I, A>
where
    I: Iterator,
    A: Fn(&I::Item) -> Option<String>,
{
    /// The first page held back whose host is ready; else how long until one may be.
    fn ready(&mut self) -> Result<(HostTurn, I::Item), Duration> {
        let mut taken = self.turns.lock();
        let per_host = self.politeness.hosts.per_host();
        let free = || self.hosts.iter().filter(|(host, _)| taken.get(*host).is_none_or(|&count| count < per_host));
        let waits = self.politeness.hosts.waits(free().map(|(host, _)| host.as_str()), Instant::now());
        let mut first: Option<(u64, &String)> = None;
        let mut shortest = LOOK;
        for ((host, numbers), wait) in free().zip(waits) {
            let Some(&number) = numbers.front() else { continue };
            // Longer than anybody waits: the visit is refused at once, and nobody need wait for that.
            if !wait.is_zero() && wait <= MAX_WAIT {
                shortest = shortest.min(wait);
            } else if first.is_none_or(|(other, _)| number < other) {
                first = Some((number, host));
            }
        }
        let Some((number, host)) = first.map(|(number, host)| (number, host.clone())) else { return Err(shortest) };
        *taken.entry(host.clone()).or_default() += 1;
        drop(taken);
        if let Some(numbers) = self.hosts.get_mut(&host) {
            numbers.pop_front();
            if numbers.is_empty() {
                self.hosts.remove(&host);
            }
        }
        let item = self.held.remove(&number).expect("a number of a host is one of a page held back");
        let turn = HostTurn { turns: Arc::clone(&self.turns), host: Some(host) };
        self.hand(number);
        Ok((turn, item))
    }

    fn hand(&self, number: u64) {
        self.handed.lock().unwrap_or_else(PoisonError::into_inner).push_back(number);
    }

    /// Draws the next page of the list: one without a host is handed out, others are held back.
    fn draw(&mut self) -> Option<(HostTurn, I::Item)> {
        let Some(item) = self.items.next() else {
            self.is_drained = true;
            return None;
        };
        let number = self.drawn;
        self.drawn += 1;
        let host = (self.address)(&item).and_then(|address| Url::parse(&address).ok()).map(|url| host_of(&url));
        let Some(host) = host else {
            self.hand(number);
            return Some((HostTurn { turns: Arc::clone(&self.turns), host: None }, item));
        };
        self.hosts.entry(host).or_default().push_back(number);
        self.held.insert(number, item);
        None
    }

    fn is_full(&self) -> bool {
        self.held.first_key_value().is_some_and(|(oldest, _)| self.drawn - oldest >= WINDOW as u64)
    }
}

impl<I, A> Iterator for Queue<I, A>
where
    I: Iterator,
    A: Fn(&I::Item) -> Option<String>,
{
    type Item = (HostTurn, I::Item);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let wait = match self.ready() {
                Ok(page) => return Some(page),
                Err(wait) => wait,
            };
            if !self.is_drained && !self.is_full() {
                if let Some(page) = self.draw() {
                    return Some(page);
                }
            } else if self.held.is_empty() {
                return None;
            } else {
                let taken = self.turns.lock();
                drop(self.turns.freed.wait_timeout(taken, wait).unwrap_or_else(PoisonError::into_inner));
            }
        }
    }
}

impl<R> Sorter<R> {
    /// Takes what came of the next page in the order in which they were handed out, and gives what is due by now, in the
    /// order of the list.
    pub fn put(&mut self, result: R) -> Vec<R> {
        let number = self.handed.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        // Without a number it was never handed out; it goes to the end of what waits.
        self.early.insert(number.unwrap_or(u64::MAX), result);
        let mut due = Vec::new();
        while let Some(result) = self.early.remove(&self.next) {
            due.push(result);
            self.next += 1;
        }
        due
    }

    /// What waits for pages that were never done, because the run ended before; in the order of the list.
    pub fn rest(&mut self) -> Vec<R> {
        std::mem::take(&mut self.early).into_values().collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::run::politeness::{Answer, Failure, PolitenessOptions};
    use std::sync::mpsc;
    use std::thread;

    fn politeness(delay_ms: u64) -> Arc<Politeness> {
        let delay = Duration::from_millis(delay_ms);
        Arc::new(Politeness::new(PolitenessOptions { delay, robots: false, ..PolitenessOptions::default() }))
    }

    fn visit(politeness: &Politeness, address: &str) {
        let no_robots = |_: &Url| -> Result<Answer, Failure<String>> { unreachable!("not asked") };
        let done: Result<(), super::super::Refused<std::io::Error>> =
            politeness.visit(&Url::parse(address).unwrap(), no_robots, || Ok(()));
        done.unwrap();
    }

    /// Works on the pages with `jobs` threads as `batch` does: results in the order of handing out.
    fn work(politeness: &Arc<Politeness>, pages: Vec<String>, jobs: usize) -> (Vec<String>, Vec<String>) {
        let address = |page: &String| page.starts_with("http").then(|| page.clone());
        let (queue, mut order) = queue(Arc::clone(politeness), pages.into_iter(), address);
        let queue = Mutex::new(queue.enumerate());
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..jobs {
                let (queue, sender, politeness) = (&queue, sender.clone(), politeness);
                scope.spawn(move || {
                    loop {
                        let next = queue.lock().unwrap().next();
                        let Some((turn, (place, page))) = next else { break };
                        if page.starts_with("http") {
                            visit(politeness, &page);
                        }
                        drop(place);
                        sender.send((turn, page)).unwrap();
                    }
                });
            }
            drop(sender);
        });
        let mut handed: Vec<(usize, String)> = receiver.into_iter().collect();
        handed.sort();
        let handed: Vec<String> = handed.into_iter().map(|(_, page)| page).collect();
        let mut due = Vec::new();
        for page in &handed {
            due.extend(order.put(page.clone()));
        }
        assert!(order.rest().is_empty());
        (handed, due)
    }

    #[test]
    fn pages_of_other_hosts_overtake_those_of_a_host_that_must_be_waited_for() {
        let slow: Vec<String> = (0..4).map(|number| format!("http://slow.example/{number}")).collect();
        let others: Vec<String> = (0..40).map(|number| format!("http://{number}.example/")).collect();
        let pages: Vec<String> = slow.iter().chain(&others).cloned().chain(["file.html".to_owned()]).collect();
        for jobs in [1, 3] {
            let start = Instant::now();
            let (handed, due) = work(&politeness(100), pages.clone(), jobs);
            assert_eq!(due, pages, "results come in the order of the list");
            assert_eq!(handed[0], slow[0]);
            let second = handed.iter().position(|page| *page == slow[1]).unwrap();
            assert!(second > 20, "{second}: {handed:?}");
            assert!(start.elapsed() >= Duration::from_millis(300));
        }
    }

    #[test]
    fn nothing_is_overtaken_by_more_than_the_window() {
        let politeness = politeness(30_000);
        visit(&politeness, "http://slow.example/");
        let slow = std::iter::once("http://slow.example/late".to_owned());
        let drawn = std::cell::Cell::new(0);
        let pages =
            slow.chain((0..3 * WINDOW).map(|number| number.to_string())).inspect(|_| drawn.set(drawn.get() + 1));
        let address = |page: &String| page.starts_with("http").then(|| page.clone());
        let (mut queue, mut order) = queue::<_, _, String>(politeness, pages, address);
        for number in 0..WINDOW - 1 {
            let (_, page) = queue.next().unwrap();
            assert_eq!(page, number.to_string());
            assert!(order.put(page).is_empty());
        }
        assert!(queue.is_full());
        assert_eq!(drawn.get(), WINDOW);
        assert_eq!(order.rest().len(), WINDOW - 1);
    }

    #[test]
    fn pages_of_a_host_that_wants_none_for_long_are_handed_out_to_be_refused() {
        let politeness = politeness(0);
        politeness.hosts.take("a.example", &|| false).unwrap().hold(Duration::from_hours(1));
        let page = "http://a.example/".to_owned();
        let (mut queue, _) = queue::<_, _, ()>(politeness, std::iter::once(page), |page: &String| Some(page.clone()));
        let start = Instant::now();
        assert!(queue.next().is_some() && start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn pages_that_visit_nobody_wait_for_nobody() {
        // As with --resume, where pages are done already: no visit, no pause.
        let politeness = politeness(30_000);
        let pages = (0..100).map(|number| format!("http://a.example/{number}"));
        let (queue, _) = queue::<_, _, ()>(politeness, pages, |page: &String| Some(page.clone()));
        let start = Instant::now();
        assert_eq!(queue.map(|(place, _)| drop(place)).count(), 100);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
