//! Yields pages whose host is ready before pages whose host is in a pause, and restores the order
//! of the results.
//!
//! Used between the list of inputs and the pool of workers: [`queue`] wraps the list, so that many
//! successive pages of one host occupy one worker and not all of them. Pages without a host (files,
//! archives) are always ready. The number of pages read ahead is bounded, and so is the number of
//! pages that can overtake a page.

use super::options::MAX_WAIT;
use super::requests::{Politeness, host_of};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use url::Url;

/// Number of pages read ahead, and of results that may wait for an earlier one. Heuristic: with
/// some hundred hosts and one request per second to each, this keeps a machine busy, and the texts
/// of that many pages fit into memory.
pub(crate) const WINDOW: usize = 4096;

/// Longest wait before the hosts are checked again, for changes that send no notification.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Number of pages per host that a worker has taken and not finished.
#[derive(Debug, Default)]
struct PermitCounts {
    taken: Mutex<BTreeMap<String, usize>>,
    freed: Condvar,
}

/// The permission to work on a page of a host; the next page of the host may follow when this is
/// dropped.
#[derive(Debug)]
pub struct HostPermit {
    permits: Arc<PermitCounts>,
    host: Option<String>,
}

impl HostPermit {
    /// Permission for a page whose host is limited elsewhere.
    pub(crate) fn unlimited() -> Self {
        Self {
            permits: Arc::default(),
            host: None,
        }
    }
}

impl Drop for HostPermit {
    fn drop(&mut self) {
        let Some(host) = &self.host else { return };
        let mut taken = self.permits.lock();
        if let Some(count) = taken.get_mut(host) {
            *count -= 1;
            if *count == 0 {
                taken.remove(host);
            }
        }
        drop(taken);
        self.permits.freed.notify_all();
    }
}

impl PermitCounts {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Numbers of the pages in the order in which the queue yielded them.
type AssignedPages = Arc<Mutex<VecDeque<u64>>>;

/// The pages, those of ready hosts first; see [`queue`].
pub struct Queue<I: Iterator, A> {
    politeness: Arc<Politeness>,
    items: I,
    address: A,
    /// Pages that were read and not yielded yet, by number.
    waiting: BTreeMap<u64, I::Item>,
    hosts: BTreeMap<String, VecDeque<u64>>,
    read_count: u64,
    is_exhausted: bool,
    permits: Arc<PermitCounts>,
    assigned: AssignedPages,
}

/// Restores the order of the list for the results; see [`queue`].
#[derive(Debug)]
pub struct Sorter<R> {
    assigned: AssignedPages,
    next: u64,
    early: BTreeMap<u64, R>,
}

/// Wraps `items`: those whose host (that of their `address`) may be used now come first, each with
/// its [`HostPermit`], which the worker keeps until it has finished. The receiver gets the results
/// in the order in which the queue yielded the pages, and passes them to [`Sorter::put`].
pub fn queue<I, A, R>(politeness: Arc<Politeness>, items: I, address: A) -> (Queue<I, A>, Sorter<R>)
where
    I: Iterator,
    A: Fn(&I::Item) -> Option<String>,
{
    let assigned = AssignedPages::default();
    let order = Sorter {
        assigned: Arc::clone(&assigned),
        next: 0,
        early: BTreeMap::new(),
    };
    let queue = Queue {
        politeness,
        items,
        address,
        waiting: BTreeMap::new(),
        hosts: BTreeMap::new(),
        read_count: 0,
        is_exhausted: false,
        permits: Arc::default(),
        assigned,
    };
    (queue, order)
}

impl<I, A> Queue<I, A>
where
    I: Iterator,
    A: Fn(&I::Item) -> Option<String>,
{
    /// The first waiting page whose host is ready; otherwise how long to wait until one may be.
    fn take_ready(&mut self) -> Result<(HostPermit, I::Item), Duration> {
        let mut taken = self.permits.lock();
        let per_host = self.politeness.hosts.per_host();
        let free = || {
            self.hosts
                .iter()
                .filter(|(host, _)| taken.get(*host).is_none_or(|&count| count < per_host))
        };
        let waits = self
            .politeness
            .hosts
            .waits(free().map(|(host, _)| host.as_str()), Instant::now());
        let mut first: Option<(u64, &String)> = None;
        let mut shortest = POLL_INTERVAL;
        for ((host, numbers), wait) in free().zip(waits) {
            let Some(&number) = numbers.front() else {
                continue;
            };
            // If the wait is longer than allowed, the page is yielded now, because its request is
            // refused without waiting.
            if !wait.is_zero() && wait <= MAX_WAIT {
                shortest = shortest.min(wait);
            } else if first.is_none_or(|(other, _)| number < other) {
                first = Some((number, host));
            }
        }
        let Some((number, host)) = first.map(|(number, host)| (number, host.clone())) else {
            return Err(shortest);
        };
        *taken.entry(host.clone()).or_default() += 1;
        drop(taken);
        if let Some(numbers) = self.hosts.get_mut(&host) {
            numbers.pop_front();
            if numbers.is_empty() {
                self.hosts.remove(&host);
            }
        }
        let item = self
            .waiting
            .remove(&number)
            .expect("each number of a host belongs to a waiting page");
        let permit = HostPermit {
            permits: Arc::clone(&self.permits),
            host: Some(host),
        };
        self.record_assigned(number);
        Ok((permit, item))
    }

    fn record_assigned(&self, number: u64) {
        self.assigned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(number);
    }

    /// Reads the next page of the list. A page without a host is returned at once; other pages wait
    /// in the queue.
    fn read_next(&mut self) -> Option<(HostPermit, I::Item)> {
        let Some(item) = self.items.next() else {
            self.is_exhausted = true;
            return None;
        };
        let number = self.read_count;
        self.read_count += 1;
        let host = (self.address)(&item)
            .and_then(|address| Url::parse(&address).ok())
            .map(|url| host_of(&url));
        let Some(host) = host else {
            self.record_assigned(number);
            return Some((
                HostPermit {
                    permits: Arc::clone(&self.permits),
                    host: None,
                },
                item,
            ));
        };
        self.hosts.entry(host).or_default().push_back(number);
        self.waiting.insert(number, item);
        None
    }

    fn is_full(&self) -> bool {
        self.waiting
            .first_key_value()
            .is_some_and(|(oldest, _)| self.read_count - oldest >= WINDOW as u64)
    }
}

impl<I, A> Iterator for Queue<I, A>
where
    I: Iterator,
    A: Fn(&I::Item) -> Option<String>,
{
    type Item = (HostPermit, I::Item);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let wait = match self.take_ready() {
                Ok(page) => return Some(page),
                Err(wait) => wait,
            };
            if !self.is_exhausted && !self.is_full() {
                if let Some(page) = self.read_next() {
                    return Some(page);
                }
            } else if self.waiting.is_empty() {
                return None;
            } else {
                let taken = self.permits.lock();
                drop(
                    self.permits
                        .freed
                        .wait_timeout(taken, wait)
                        .unwrap_or_else(PoisonError::into_inner),
                );
            }
        }
    }
}

impl<R> Sorter<R> {
    /// Takes the result of the next page that the queue yielded, and returns the results that can
    /// follow now in the order of the list.
    pub fn put(&mut self, result: R) -> Vec<R> {
        let number = self
            .assigned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        // A result without a number belongs to no page of the queue; it goes last.
        self.early.insert(number.unwrap_or(u64::MAX), result);
        let mut due = Vec::new();
        while let Some(result) = self.early.remove(&self.next) {
            due.push(result);
            self.next += 1;
        }
        due
    }

    /// The results that still wait for pages which were not finished because the run ended, in the
    /// order of the list.
    pub fn rest(&mut self) -> Vec<R> {
        std::mem::take(&mut self.early).into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::politeness::{Failure, PolitenessOptions, RobotsError, RobotsResponse};
    use std::sync::mpsc;
    use std::thread;

    fn politeness(delay_ms: u64) -> Arc<Politeness> {
        let delay = Duration::from_millis(delay_ms);
        Arc::new(Politeness::new(PolitenessOptions {
            delay,
            ignore_robots: true,
            ..PolitenessOptions::default()
        }))
    }

    fn request(politeness: &Politeness, address: &str) {
        let no_robots =
            |_: &Url| -> Result<RobotsResponse, Failure<RobotsError>> { unreachable!("not asked") };
        let done: Result<(), super::super::Refused<std::io::Error>> =
            politeness.request(&Url::parse(address).unwrap(), no_robots, || Ok(()));
        done.unwrap();
    }

    /// Works on the pages with `jobs` threads, like `batch`: the results come in the order in which
    /// the queue yields the pages.
    fn work(
        politeness: &Arc<Politeness>,
        pages: Vec<String>,
        jobs: usize,
    ) -> (Vec<String>, Vec<String>) {
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
                        let Some((number, (permit, page))) = next else {
                            break;
                        };
                        if page.starts_with("http") {
                            request(politeness, &page);
                        }
                        drop(permit);
                        sender.send((number, page)).unwrap();
                    }
                });
            }
            drop(sender);
        });
        let mut assigned: Vec<(usize, String)> = receiver.into_iter().collect();
        assigned.sort();
        let assigned: Vec<String> = assigned.into_iter().map(|(_, page)| page).collect();
        let mut due = Vec::new();
        for page in &assigned {
            due.extend(order.put(page.clone()));
        }
        assert!(order.rest().is_empty());
        (assigned, due)
    }

    #[test]
    fn pages_of_ready_hosts_overtake_those_of_a_host_in_a_pause() {
        let slow: Vec<String> = (0..4)
            .map(|number| format!("http://slow.example/{number}"))
            .collect();
        let others: Vec<String> = (0..40)
            .map(|number| format!("http://{number}.example/"))
            .collect();
        let pages: Vec<String> = slow
            .iter()
            .chain(&others)
            .cloned()
            .chain(["file.html".to_owned()])
            .collect();
        for jobs in [1, 3] {
            let start = Instant::now();
            let (assigned, due) = work(&politeness(100), pages.clone(), jobs);
            assert_eq!(due, pages, "results come in the order of the list");
            assert_eq!(assigned[0], slow[0]);
            let second = assigned.iter().position(|page| *page == slow[1]).unwrap();
            assert!(second > 20, "{second}: {assigned:?}");
            assert!(start.elapsed() >= Duration::from_millis(300));
        }
    }

    #[test]
    fn no_page_is_overtaken_by_more_than_the_window() {
        let politeness = politeness(30_000);
        request(&politeness, "http://slow.example/");
        let slow = std::iter::once("http://slow.example/late".to_owned());
        let read_count = std::cell::Cell::new(0);
        let pages = slow
            .chain((0..3 * WINDOW).map(|number| number.to_string()))
            .inspect(|_| read_count.set(read_count.get() + 1));
        let address = |page: &String| page.starts_with("http").then(|| page.clone());
        let (mut queue, mut order) = queue::<_, _, String>(politeness, pages, address);
        for number in 0..WINDOW - 1 {
            let (_, page) = queue.next().unwrap();
            assert_eq!(page, number.to_string());
            assert!(order.put(page).is_empty());
        }
        assert!(queue.is_full());
        assert_eq!(read_count.get(), WINDOW);
        assert_eq!(order.rest().len(), WINDOW - 1);
    }

    #[test]
    fn pages_of_a_host_with_a_very_long_pause_are_assigned_to_be_refused() {
        let politeness = politeness(0);
        politeness
            .hosts
            .take("a.example", &|| false)
            .unwrap()
            .block_for(Duration::from_hours(1));
        let page = "http://a.example/".to_owned();
        let (mut queue, _) =
            queue::<_, _, ()>(politeness, std::iter::once(page), |page: &String| {
                Some(page.clone())
            });
        let start = Instant::now();
        assert!(queue.next().is_some() && start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn pages_that_send_no_request_do_not_wait() {
        // With --resume, pages may be done already: without a request there is no pause.
        let politeness = politeness(30_000);
        let pages = (0..100).map(|number| format!("http://a.example/{number}"));
        let (queue, _) = queue::<_, _, ()>(politeness, pages, |page: &String| Some(page.clone()));
        let start = Instant::now();
        assert_eq!(queue.map(|(permit, _)| drop(permit)).count(), 100);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
