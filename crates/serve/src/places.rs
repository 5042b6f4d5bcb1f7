//! The places in which pages are loaded and cleaned, and the bounded queue of pages that wait for a
//! place.
//!
//! Places are divided fairly between clients, and between the callers of one client: a free place
//! goes to the caller with the fewest running pages, and among these to the one that was served
//! least recently. A caller that fills the queue loses its newest waiting page to one with fewer
//! pages. Pages of a batch are not lost: a batch counts as one page and limits its own pages, and
//! batches take at most half of the queue. If there are several clients, each has a share of places
//! and queue, so that none takes everything.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How often a thread that waits for a place checks whether its page is still wanted.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The sender of requests: the position of its token among those of the service, and its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Caller {
    /// Position of the token; `None` if the service needs none.
    pub(super) token: Option<usize>,
    /// Address of the client; `None` on standard input.
    pub(super) address: Option<IpAddr>,
}

impl Caller {
    /// The client to which the caller belongs: all callers with one token, or with one address if
    /// there are no tokens.
    pub(super) fn client(self) -> Self {
        Self {
            address: self.address.filter(|_| self.token.is_none()),
            ..self
        }
    }
}

/// Why a page gets no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// Too many pages wait.
    Full,
    /// The page is no longer wanted.
    Cancelled,
}

/// The places and the queue. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Places(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    places: usize,
    free: usize,
    /// Number of pages that may be admitted: running and waiting ones.
    most: usize,
    /// Number of batches that may be admitted, so that slow batches leave room for pages.
    most_batches: usize,
    has_several_clients: bool,
    admitted: usize,
    batches: usize,
    /// Number of places that were given so far.
    served: u64,
    pace: Pace,
    callers: BTreeMap<Caller, Queue>,
}

/// The pages of one caller.
#[derive(Debug, Default)]
struct Queue {
    admitted: usize,
    /// Number of batches among the admitted pages.
    batches: usize,
    running: usize,
    last_served: u64,
    waiting: VecDeque<Waiting>,
}

/// A page that waits.
#[derive(Debug)]
struct Waiting {
    sender: oneshot::Sender<HeldPlace>,
    /// True if it keeps its position in the queue whoever else comes.
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
    /// `None` after the place was taken back.
    holder: Option<(Places, Caller)>,
}

impl Places {
    /// Allows `places` running pages (at least one) and `queue` waiting ones. If there are several
    /// clients, one gets at most three quarters of them, or one less than all.
    pub(super) fn new(places: usize, queue: usize, has_several_clients: bool) -> Self {
        let places = places.max(1);
        let most = places + queue;
        Self(Arc::new(Mutex::new(State {
            places,
            free: places,
            most,
            most_batches: (most / 2).max(1),
            has_several_clients,
            admitted: 0,
            batches: 0,
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

    /// Number of running pages.
    pub(super) fn running(&self) -> usize {
        self.state()
            .callers
            .values()
            .map(|queue| queue.running)
            .sum()
    }

    /// Admits a page, or a batch of pages that wait for places one after the other.
    ///
    /// # Errors
    /// [`NoPlace::Full`] if the client has its share, or if too many pages wait and no other client
    /// has more of them than this one would have.
    pub(super) fn admit(&self, caller: Caller, is_batch: bool) -> Result<Admitted, NoPlace> {
        let mut state = self.state();
        let has_share =
            state.count_for_client(caller, |queue| queue.admitted) >= state.share(state.most);
        let batches = state.count_for_client(caller, |queue| queue.batches);
        if is_batch
            && (state.batches >= state.most_batches || batches >= state.share(state.most_batches))
        {
            return Err(NoPlace::Full);
        }
        if (has_share || state.admitted >= state.most) && !state.push_out(caller, has_share) {
            return Err(NoPlace::Full);
        }
        state.admitted += 1;
        state.batches += usize::from(is_batch);
        let queue = state.callers.entry(caller).or_default();
        queue.admitted += 1;
        queue.batches += usize::from(is_batch);
        Ok(Admitted {
            places: self.clone(),
            caller,
            is_batch,
        })
    }

    /// The time in seconds after which a refused page may try again and find room. Successive
    /// refused pages get later times, at the pace at which pages end.
    pub(super) fn promise_s(&self) -> u64 {
        self.state().pace.promise_s()
    }

    /// Gives free places to waiting pages.
    fn give(&self) {
        loop {
            let mut state = self.state();
            let Some((caller, sender)) = state.next() else {
                return;
            };
            let place = HeldPlace {
                holder: Some((self.clone(), caller)),
            };
            drop(state);
            // If nobody waits for the place any more, it becomes free again.
            if let Err(place) = sender.send(place) {
                place.take_back();
            }
        }
    }
}

/// How fast pages end, and to how many refused pages room was promised.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Pace {
    /// When the last page ended; `None` if no others were left then.
    last_end: Option<Instant>,
    /// Recent mean time between the ends of two pages; `None` before there were two.
    interval: Option<Duration>,
    promised: u32,
}

/// Time between the ends of two pages that is assumed before it is known: the usual pause between
/// two pages of one host.
const USUAL_INTERVAL: Duration = Duration::from_secs(1);
/// Longest time for which a refused page is asked to wait.
const LONGEST_PROMISE: Duration = Duration::from_mins(10);
/// Shortest time, so that callers do not come back before anything has changed.
const SHORTEST_PROMISE: Duration = Duration::from_secs(2);

impl Pace {
    /// Counts a page that ended. Its room is for a page that was refused. After the last page there
    /// is room for all, and the idle time until the next one does not count.
    fn count_end(&mut self, now: Instant, is_last: bool) {
        if let Some(last) = self.last_end {
            let time = now - last;
            self.interval = Some(
                self.interval
                    .map_or(time, |mean| mean.mul_f64(0.8) + time.mul_f64(0.2)),
            );
        }
        self.last_end = Some(now).filter(|_| !is_last);
        self.promised = if is_last {
            0
        } else {
            self.promised.saturating_sub(1)
        };
    }

    fn promise_s(&mut self) -> u64 {
        self.promised = self.promised.saturating_add(1);
        let wait = self
            .interval
            .unwrap_or(USUAL_INTERVAL)
            .saturating_mul(self.promised);
        wait.clamp(SHORTEST_PROMISE, LONGEST_PROMISE)
            .as_secs_f64()
            .ceil() as u64
    }
}

impl State {
    /// The share of one client in `all` places.
    fn share(&self, all: usize) -> usize {
        if self.has_several_clients && all > 1 {
            all - (all / 4).max(1)
        } else {
            all
        }
    }

    /// The number of pages of all callers of the client to which `caller` belongs.
    fn count_for_client(&self, caller: Caller, count: impl Fn(&Queue) -> usize) -> usize {
        let queues = self
            .callers
            .iter()
            .filter(|(other, _)| other.client() == caller.client());
        queues.map(|(_, queue)| count(queue)).sum()
    }

    /// Removes the newest waiting page of the client with the most pages, and of its caller with
    /// the most, if these are more pages than `caller` would have. With `is_own`, only pages of the
    /// caller's own client are considered. Returns true if a page was removed.
    fn push_out(&mut self, caller: Caller, is_own: bool) -> bool {
        let admitted = |other: Caller| {
            let own = self.callers.get(&other).map_or(0, |queue| queue.admitted);
            (self.count_for_client(other, |queue| queue.admitted), own)
        };
        let newest = |queue: &Queue| queue.waiting.iter().rposition(|waiting| !waiting.is_kept);
        let others = self
            .callers
            .iter()
            .filter(|(other, _)| !is_own || other.client() == caller.client());
        let others =
            others.filter_map(|(&other, queue)| Some((admitted(other), other, newest(queue)?)));
        let Some(((client_pages, caller_pages), most, newest)) =
            others.max_by_key(|(admitted, ..)| *admitted)
        else {
            return false;
        };
        let (own_client, own) = admitted(caller);
        let has_more = if most.client() == caller.client() {
            caller_pages > own + 1
        } else {
            client_pages > own_client + 1
        };
        has_more
            && self
                .callers
                .get_mut(&most)
                .is_some_and(|queue| queue.waiting.remove(newest).is_some())
    }

    /// Takes the page that gets the next free place, and counts it as running.
    fn next(&mut self) -> Option<(Caller, oneshot::Sender<HeldPlace>)> {
        if self.free == 0 {
            return None;
        }
        for queue in self.callers.values_mut() {
            queue.waiting.retain(|waiting| !waiting.sender.is_closed());
        }
        let share = self.share(self.places);
        let waiting = self
            .callers
            .iter()
            .filter(|(_, queue)| !queue.waiting.is_empty());
        let waiting = waiting.map(|(&caller, queue)| {
            (
                self.count_for_client(caller, |queue| queue.running),
                caller,
                queue,
            )
        });
        let waiting = waiting.filter(|(client_pages, ..)| *client_pages < share);
        let (_, caller, _) = waiting.min_by_key(|(client_pages, _, queue)| {
            (*client_pages, queue.running, queue.last_served)
        })?;
        let queue = self.callers.get_mut(&caller)?;
        let sender = queue.waiting.pop_front()?.sender;
        self.served += 1;
        queue.last_served = self.served;
        queue.running += 1;
        self.free -= 1;
        Some((caller, sender))
    }

    /// Removes a caller without pages.
    fn tidy(&mut self, caller: Caller) {
        if self
            .callers
            .get(&caller)
            .is_some_and(|queue| queue.admitted == 0 && queue.running == 0)
        {
            self.callers.remove(&caller);
        }
    }
}

impl Admitted {
    fn wait(&self) -> oneshot::Receiver<HeldPlace> {
        let (sender, receiver) = oneshot::channel();
        let waiting = Waiting {
            sender,
            is_kept: self.is_batch,
        };
        self.places
            .state()
            .callers
            .entry(self.caller)
            .or_default()
            .waiting
            .push_back(waiting);
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

    /// Waits for a place as long as the page is wanted. Blocks the thread.
    ///
    /// # Errors
    /// Those of [`Self::place`], and [`NoPlace::Cancelled`].
    pub(super) fn place_blocking(
        &self,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<HeldPlace, NoPlace> {
        let mut receiver = self.wait();
        loop {
            match receiver.try_recv() {
                Ok(place) => return Ok(place),
                Err(oneshot::error::TryRecvError::Closed) => return Err(NoPlace::Full),
                Err(oneshot::error::TryRecvError::Empty) if is_cancelled() => {
                    return Err(NoPlace::Cancelled);
                }
                Err(oneshot::error::TryRecvError::Empty) => thread::sleep(POLL_INTERVAL),
            }
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut state = self.places.state();
        state.admitted -= 1;
        state.batches -= usize::from(self.is_batch);
        let is_last = state.admitted == 0;
        state.pace.count_end(Instant::now(), is_last);
        if let Some(queue) = state.callers.get_mut(&self.caller) {
            queue.admitted -= 1;
            queue.batches -= usize::from(self.is_batch);
        }
        state.tidy(self.caller);
    }
}

impl HeldPlace {
    /// Counts the place as free without giving it to the next page.
    fn take_back(mut self) {
        if let Some((places, caller)) = self.holder.take() {
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
        if let Some((places, caller)) = self.holder.take() {
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
        Caller {
            token: Some(token),
            address: None,
        }
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
        let places = Places::new(1, 1, false);
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
        assert_eq!(
            (burst[0], burst[9], burst[33]),
            (2, 10, 34),
            "one after the other, and not all at once"
        );
        // Half of them find room, because a page ends every four seconds.
        (0..18).for_each(|page| pace.count_end(at(4 * page), false));
        let next = pace.promise_s();
        assert!((60..=72).contains(&next), "17 pages at 4 s each: {next}");
        (0..200).for_each(|_| assert!(pace.promise_s() <= LONGEST_PROMISE.as_secs()));
        // No page is left: the next refusals begin anew, and the idle time is not counted.
        pace.count_end(at(72), true);
        pace.count_end(at(5000), false);
        assert_eq!(pace.promise_s(), 4);
    }

    #[test]
    fn places_go_to_the_caller_with_the_fewest_pages_in_work() {
        let places = Places::new(2, 9, false);
        let admitted: Vec<Admitted> = [0, 0, 0, 0, 1]
            .into_iter()
            .map(|token| places.admit(caller(token), false).unwrap())
            .collect();
        let mut receivers: Vec<_> = admitted.iter().map(Admitted::wait).collect();
        // The first caller was alone when the places were given.
        let mut held: Vec<HeldPlace> = receivers[..2]
            .iter_mut()
            .map(|receiver| receiver.try_recv().unwrap())
            .collect();
        held.pop();
        assert!(
            receivers[2].try_recv().is_err(),
            "the other caller comes first, although it came later"
        );
        let other = receivers[4].try_recv().unwrap();
        drop(other);
        assert!(receivers[2].try_recv().is_ok());
    }

    #[test]
    fn one_of_several_clients_has_a_share_from_wherever_it_calls() {
        let from = |token, last: u8| Caller {
            token: Some(token),
            address: Some([192, 0, 2, last].into()),
        };
        let places = Places::new(4, 4, true);
        let greedy: Vec<Admitted> = (0..6)
            .map(|last| places.admit(from(0, last), last == 5).unwrap())
            .collect();
        assert_eq!(places.admit(from(0, 9), false).unwrap_err(), NoPlace::Full);
        let mut held: Vec<_> = greedy
            .iter()
            .map(|admitted| now(admitted.place()))
            .collect();
        assert!(
            held[2].is_some() && held[3].is_none(),
            "three of four places"
        );
        let other: Vec<Admitted> = (0..2)
            .map(|last| places.admit(from(1, last), false).unwrap())
            .collect();
        let place = now(other[0].place()).unwrap().unwrap();
        // Of the two that wait now, the one whose client has fewer running pages comes first, then
        // the other address.
        let (mut next_of_greedy, mut next_of_other) = (greedy[3].wait(), other[1].wait());
        held[0] = None;
        assert!(next_of_greedy.try_recv().is_err());
        let second = next_of_other.try_recv().unwrap();
        drop((place, second));
        assert!(next_of_greedy.try_recv().is_ok());
        // A single client gets all places.
        let places = Places::new(2, 0, false);
        let alone: Vec<Admitted> = (0..2)
            .map(|last| places.admit(from(0, last), false).unwrap())
            .collect();
        assert!(alone.iter().all(|admitted| now(admitted.place()).is_some()));
    }

    #[test]
    fn batches_leave_room_for_pages() {
        let places = Places::new(1, 3, false);
        let batches: Vec<Admitted> = (0..2)
            .map(|_| places.admit(caller(0), true).unwrap())
            .collect();
        assert_eq!(places.admit(caller(0), true).unwrap_err(), NoPlace::Full);
        let pages: Vec<Admitted> = (0..2)
            .map(|_| places.admit(caller(0), false).unwrap())
            .collect();
        drop((batches, pages));
        assert!(places.admit(caller(1), true).is_ok());
        let places = Places::new(1, 7, true);
        let _batches: Vec<Admitted> = (0..3)
            .map(|_| places.admit(caller(0), true).unwrap())
            .collect();
        assert_eq!(places.admit(caller(0), true).unwrap_err(), NoPlace::Full);
        assert!(
            places.admit(caller(1), true).is_ok(),
            "one of several clients has three quarters"
        );
    }

    #[test]
    fn a_client_with_many_addresses_gives_way_to_one_with_a_single_one() {
        let from = |token, last: u8| Caller {
            token: Some(token),
            address: Some([192, 0, 2, last].into()),
        };
        let places = Places::new(1, 2, false);
        let greedy: Vec<Admitted> = (0..3)
            .map(|last| places.admit(from(0, last), false).unwrap())
            .collect();
        let _waiting: Vec<_> = greedy.iter().map(Admitted::wait).collect();
        assert!(
            places.admit(from(0, 9), false).is_err(),
            "the addresses of one client have one page each"
        );
        assert!(places.admit(from(1, 0), false).is_ok());
    }

    #[test]
    fn a_caller_that_fills_the_queue_gives_way_to_another() {
        let places = Places::new(1, 3, false);
        let greedy: Vec<Admitted> = (0..4)
            .map(|_| places.admit(caller(0), false).unwrap())
            .collect();
        let mut receivers: Vec<_> = greedy.iter().map(Admitted::wait).collect();
        let other = places.admit(caller(1), false).unwrap();
        assert!(
            receivers[3]
                .try_recv()
                .is_err_and(|error| error == oneshot::error::TryRecvError::Closed)
        );
        assert!(
            receivers[2]
                .try_recv()
                .is_err_and(|error| error == oneshot::error::TryRecvError::Empty)
        );
        let mut place = other.wait();
        drop(receivers[0].try_recv().unwrap());
        assert!(place.try_recv().is_ok());
        // The pages of a batch stay.
        let places = Places::new(1, 1, false);
        let batch = places.admit(caller(0), true).unwrap();
        let _waiting: Vec<_> = (0..5).map(|_| batch.wait()).collect();
        let _page = places.admit(caller(0), false).unwrap();
        assert_eq!(places.admit(caller(1), false).unwrap_err(), NoPlace::Full);
    }

    #[test]
    fn pages_that_nobody_wants_any_more_get_no_place() {
        let places = Places::new(1, 5, false);
        let admitted: Vec<Admitted> = (0..3)
            .map(|_| places.admit(caller(0), false).unwrap())
            .collect();
        let place = now(admitted[0].place()).unwrap().unwrap();
        assert!(
            now(admitted[1].place()).is_none(),
            "its future is dropped here"
        );
        assert_eq!(
            admitted[2].place_blocking(|| true).unwrap_err(),
            NoPlace::Cancelled
        );
        drop(place);
        assert_eq!(places.running(), 0);
        assert!(admitted[2].place_blocking(|| true).is_ok());
        assert_eq!(places.running(), 0);
    }
}
