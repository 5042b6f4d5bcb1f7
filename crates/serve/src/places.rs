//! The places in which pages are loaded and cleaned, and the bounded queue of those that wait for one.
//!
//! Fair between callers: a free place goes to the caller with the fewest pages in work, among these to the one that was
//! served least recently. A caller that fills the queue loses its newest waiting page to a caller with fewer pages. Pages
//! of a batch are not lost: their number is limited by the batch, which counts as one.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How often a thread that waits for a place checks whether its page is still wanted.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Who sends requests: the position of its token among those of the service, and its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Caller {
    /// Position of the token; `None` if the service needs none.
    pub(super) token: Option<usize>,
    /// Address of the client; `None` on standard input.
    pub(super) address: Option<IpAddr>,
}

/// Why a page gets no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// Too many pages wait.
    Full,
    /// The page is not wanted any more.
    Cancelled,
}

/// The places and the queue. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Places(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    free: usize,
    /// Number of pages that may be admitted: those in work, and those that wait.
    most: usize,
    admitted: usize,
    /// Counts the places that were given.
    served: u64,
    pace: Pace,
    callers: BTreeMap<Caller, Queue>,
}

/// The pages of one caller.
#[derive(Debug, Default)]
struct Queue {
    admitted: usize,
    running: usize,
    last_served: u64,
    waiting: VecDeque<Waiting>,
}

/// A page that waits.
#[derive(Debug)]
struct Waiting {
    sender: oneshot::Sender<HeldPlace>,
    /// Whether it keeps its position in the queue whoever else comes.
    is_kept: bool,
}

/// A page that was admitted; dropping it makes room for another.
#[derive(Debug)]
pub(super) struct Admitted {
    places: Places,
    caller: Caller,
    is_batch: bool,
}

/// A place; dropping it gives it to the next page.
#[derive(Debug)]
pub(super) struct HeldPlace {
    /// `None` once it was taken back.
    of: Option<(Places, Caller)>,
}

impl Places {
    /// `places` pages in work at the same time (at least one), and `queue` more that wait.
    pub(super) fn new(places: usize, queue: usize) -> Self {
        let free = places.max(1);
        let most = free + queue;
        Self(Arc::new(Mutex::new(State {
            free,
            most,
            admitted: 0,
            served: 0,
            pace: Pace::default(),
            callers: BTreeMap::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of pages that were admitted and are not done.
    #[cfg(test)]
    pub(super) fn admitted(&self) -> usize {
        self.state().admitted
    }

    /// Number of pages in work.
    pub(super) fn running(&self) -> usize {
        self.state().callers.values().map(|queue| queue.running).sum()
    }

    /// Admits a page, or a batch of pages that wait for places one after the other.
    ///
    /// # Errors
    /// [`NoPlace::Full`] if too many wait, and no other caller has more of them than this one would have.
    pub(super) fn admit(&self, caller: Caller, is_batch: bool) -> Result<Admitted, NoPlace> {
        let mut state = self.state();
        if state.admitted >= state.most && !state.push_out(caller) {
            return Err(NoPlace::Full);
        }
        state.admitted += 1;
        state.callers.entry(caller).or_default().admitted += 1;
        Ok(Admitted { places: self.clone(), caller, is_batch })
    }

    /// When a page that was refused may come back and find room, in seconds from now: each such page is told a later time than
    /// the one before it, as pages end.
    pub(super) fn promise_s(&self) -> u64 {
        self.state().pace.promise_s()
    }

    /// Gives free places to waiting pages.
    fn give(&self) {
        loop {
            let mut state = self.state();
            let Some((caller, sender)) = state.next() else { return };
            let place = HeldPlace { of: Some((self.clone(), caller)) };
            drop(state);
            // If nobody waits for it any more, the place comes back.
            if let Err(place) = sender.send(place) {
                place.take_back();
            }
        }
    }
}

/// How fast pages end, and to how many refused ones room was promised.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Pace {
    /// When a page ended last, while others were there.
    last_end: Option<Instant>,
    /// Mean time between two ends lately; `None` before there were two.
    interval: Option<Duration>,
    promised: u32,
}

/// Time between two ends that is assumed before any is known: the usual pause between two pages of one host.
const USUAL_INTERVAL: Duration = Duration::from_secs(1);
/// Longest time that a refused page is told to wait.
const LONGEST_PROMISE: Duration = Duration::from_mins(10);
/// Shortest time, so that callers do not come back before anything has changed.
const SHORTEST_PROMISE: Duration = Duration::from_secs(2);

impl Pace {
    /// Counts a page that ended: its room is for one that was refused. After the last one there is room for all, and the time
    /// until the next says nothing of the pace.
    fn count_end(&mut self, now: Instant, is_last: bool) {
        if let Some(last) = self.last_end {
            let time = now - last;
            self.interval = Some(self.interval.map_or(time, |mean| mean.mul_f64(0.8) + time.mul_f64(0.2)));
        }
        self.last_end = Some(now).filter(|_| !is_last);
        self.promised = if is_last { 0 } else { self.promised.saturating_sub(1) };
    }

    fn promise_s(&mut self) -> u64 {
        self.promised = self.promised.saturating_add(1);
        let wait = self.interval.unwrap_or(USUAL_INTERVAL).saturating_mul(self.promised);
        wait.clamp(SHORTEST_PROMISE, LONGEST_PROMISE).as_secs_f64().ceil() as u64
    }
}

impl State {
    /// Removes the newest waiting page of the caller with the most pages, if that is more than `caller` would have.
    fn push_out(&mut self, caller: Caller) -> bool {
        let own = self.callers.get(&caller).map_or(0, |queue| queue.admitted);
        let newest = |queue: &Queue| queue.waiting.iter().rposition(|waiting| !waiting.is_kept);
        let others = self.callers.values_mut().filter_map(|queue| Some((newest(queue)?, queue)));
        match others.max_by_key(|(_, queue)| queue.admitted) {
            Some((newest, queue)) if queue.admitted > own + 1 => queue.waiting.remove(newest).is_some(),
            _ => false,
        }
    }

    /// The page that gets the next free place; it is counted as running.
    fn next(&mut self) -> Option<(Caller, oneshot::Sender<HeldPlace>)> {
        if self.free == 0 {
            return None;
        }
        for queue in self.callers.values_mut() {
            queue.waiting.retain(|waiting| !waiting.sender.is_closed());
        }
        let waiting = self.callers.iter_mut().filter(|(_, queue)| !queue.waiting.is_empty());
        let (&caller, queue) = waiting.min_by_key(|(_, queue)| (queue.running, queue.last_served))?;
        let sender = queue.waiting.pop_front()?.sender;
        self.served += 1;
        queue.last_served = self.served;
        queue.running += 1;
        self.free -= 1;
        Some((caller, sender))
    }

    /// Forgets a caller of which nothing is left.
    fn tidy(&mut self, caller: Caller) {
        if self.callers.get(&caller).is_some_and(|queue| queue.admitted == 0 && queue.running == 0) {
            self.callers.remove(&caller);
        }
    }
}

impl Admitted {
    fn wait(&self) -> oneshot::Receiver<HeldPlace> {
        let (sender, receiver) = oneshot::channel();
        let waiting = Waiting { sender, is_kept: self.is_batch };
        self.places.state().callers.entry(self.caller).or_default().waiting.push_back(waiting);
        self.places.give();
        receiver
    }

    /// Waits for a place.
    ///
    /// # Errors
    /// [`NoPlace::Full`] if a page of another caller took its position in the queue.
    pub(super) async fn place(&self) -> Result<HeldPlace, NoPlace> {
        self.wait().await.map_err(|_| NoPlace::Full)
    }

    /// Waits for a place on a thread that may block, as long as the page is wanted.
    ///
    /// # Errors
    /// Those of [`Self::place`], and [`NoPlace::Cancelled`].
    pub(super) fn place_blocking(&self, is_cancelled: impl Fn() -> bool) -> Result<HeldPlace, NoPlace> {
        let mut receiver = self.wait();
        loop {
            match receiver.try_recv() {
                Ok(place) => return Ok(place),
                Err(oneshot::error::TryRecvError::Closed) => return Err(NoPlace::Full),
                Err(oneshot::error::TryRecvError::Empty) if is_cancelled() => return Err(NoPlace::Cancelled),
                Err(oneshot::error::TryRecvError::Empty) => thread::sleep(POLL_INTERVAL),
            }
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut state = self.places.state();
        state.admitted -= 1;
        let is_last = state.admitted == 0;
        state.pace.count_end(Instant::now(), is_last);
        if let Some(queue) = state.callers.get_mut(&self.caller) {
            queue.admitted -= 1;
        }
        state.tidy(self.caller);
    }
}

impl HeldPlace {
    /// Counts the place as free without giving it to the next page.
    fn take_back(mut self) {
        if let Some((places, caller)) = self.of.take() {
            places.state().free(caller);
        }
    }
}

impl State {
    fn free(&mut self, caller: Caller) {
        self.free += 1;
        if let Some(queue) = self.callers.get_mut(&caller) {
            queue.running -= 1;
        }
        self.tidy(caller);
    }
}

impl Drop for HeldPlace {
    fn drop(&mut self) {
        if let Some((places, caller)) = self.of.take() {
            places.state().free(caller);
            places.give();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn caller(token: usize) -> Caller {
        Caller { token: Some(token), address: None }
    }

    /// The result of waiting, if there is one already.
    fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_full_queue_refuses_and_a_page_that_ends_makes_room() {
        let places = Places::new(1, 1);
        let first = places.admit(caller(0), false).unwrap();
        let place = now(first.place()).unwrap().unwrap();
        let second = places.admit(caller(0), false).unwrap();
        assert_eq!(places.admit(caller(0), false).unwrap_err(), NoPlace::Full);
        assert!(now(second.place()).is_none(), "there is one place only");
        assert_eq!((places.admitted(), places.running()), (2, 1));
        drop((place, first));
        assert!(now(second.place()).unwrap().is_ok());
        assert_eq!((places.admitted(), places.running()), (1, 0));
        drop(second);
        assert!(places.state().callers.is_empty());
    }

    #[test]
    fn refused_pages_are_told_when_there_will_be_room() {
        let start = Instant::now();
        let at = |s: u64| start + Duration::from_secs(s);
        let mut pace = Pace::default();
        let burst: Vec<u64> = (0..34).map(|_| pace.promise_s()).collect();
        assert_eq!((burst[0], burst[9], burst[33]), (2, 10, 34), "one after the other, and not all at once");
        // Half of them find room, since pages end, one in four seconds.
        (0..18).for_each(|page| pace.count_end(at(4 * page), false));
        let next = pace.promise_s();
        assert!((60..=72).contains(&next), "17 pages at 4 s each: {next}");
        (0..200).for_each(|_| assert!(pace.promise_s() <= LONGEST_PROMISE.as_secs()));
        // Nothing is left: the next refusals begin anew, and the idle time is not counted.
        pace.count_end(at(72), true);
        pace.count_end(at(5000), false);
        assert_eq!(pace.promise_s(), 4);
    }

    #[test]
    fn places_go_to_the_caller_with_the_fewest_pages_in_work() {
        let places = Places::new(2, 9);
        let admitted: Vec<Admitted> =
            [0, 0, 0, 0, 1].into_iter().map(|token| places.admit(caller(token), false).unwrap()).collect();
        let mut receivers: Vec<_> = admitted.iter().map(Admitted::wait).collect();
        // The first caller was alone when the places were given.
        let mut held: Vec<HeldPlace> = receivers[..2].iter_mut().map(|receiver| receiver.try_recv().unwrap()).collect();
        held.pop();
        assert!(receivers[2].try_recv().is_err(), "the other caller comes first, although it came later");
        let other = receivers[4].try_recv().unwrap();
        drop(other);
        assert!(receivers[2].try_recv().is_ok());
    }

    #[test]
    fn a_caller_that_fills_the_queue_gives_way_to_another() {
        let places = Places::new(1, 3);
        let greedy: Vec<Admitted> = (0..4).map(|_| places.admit(caller(0), false).unwrap()).collect();
        let mut receivers: Vec<_> = greedy.iter().map(Admitted::wait).collect();
        let other = places.admit(caller(1), false).unwrap();
        assert!(receivers[3].try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Closed));
        assert!(receivers[2].try_recv().is_err_and(|error| error == oneshot::error::TryRecvError::Empty));
        let mut place = other.wait();
        drop(receivers[0].try_recv().unwrap());
        assert!(place.try_recv().is_ok());
        // The pages of a batch stay.
        let places = Places::new(1, 1);
        let batch = places.admit(caller(0), true).unwrap();
        let _waiting: Vec<_> = (0..5).map(|_| batch.wait()).collect();
        let _page = places.admit(caller(0), false).unwrap();
        assert_eq!(places.admit(caller(1), false).unwrap_err(), NoPlace::Full);
    }

    #[test]
    fn pages_that_nobody_wants_any_more_get_no_place() {
        let places = Places::new(1, 5);
        let admitted: Vec<Admitted> = (0..3).map(|_| places.admit(caller(0), false).unwrap()).collect();
        let place = now(admitted[0].place()).unwrap().unwrap();
        assert!(now(admitted[1].place()).is_none(), "its future is dropped here");
        assert_eq!(admitted[2].place_blocking(|| true).unwrap_err(), NoPlace::Cancelled);
        drop(place);
        assert_eq!(places.running(), 0);
        assert!(admitted[2].place_blocking(|| true).is_ok());
        assert_eq!(places.running(), 0);
    }
}
