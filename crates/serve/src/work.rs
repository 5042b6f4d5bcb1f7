//! The work on one page: it waits for a place, is loaded and cleaned on a thread of the pool, and
//! is abandoned when its time is over or nobody waits for it any more.

use super::cleaned::Cleaned;
use super::places::{Admitted, HeldPlace, NoPlace};
use super::problem::Problem;
use super::request::Job;
use super::service::Service;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use vclean_core::error::{Error, RenderError};
use vclean_core::page::{Body, Page, parse};
use vclean_render::{Cancel, EngineChoice, PageOptions};

/// Time that a thread may take beyond the limit of its page before it loses its place: the browser
/// tab must be closed first. Heuristic: a browser that works needs a second.
const ENDING_LIMIT: Duration = Duration::from_secs(15);
/// Share of a page's time limit after which loading ends and the page is used as it is. The rest is
/// for reading and cleaning it. Heuristic.
const LOADING_SHARE: f64 = 0.75;

/// Ends the work on a page when this is dropped, for instance because the client hangs up.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// The place of a page. Both the thread of the page and the task that waits for it may free it.
#[derive(Clone, Default)]
struct Slot(Arc<Mutex<SlotState>>);

#[derive(Default)]
enum SlotState {
    #[default]
    Empty,
    Taken(#[allow(dead_code)] HeldPlace),
    Closed,
}

impl Slot {
    /// Holds the place until the slot is closed. Returns false if it is closed already.
    fn put(&self, place: HeldPlace) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, SlotState::Closed) {
            return false;
        }
        *state = SlotState::Taken(place);
        true
    }

    /// Frees the place, and refuses any later one.
    fn close(&self) {
        self.set(SlotState::Closed);
    }

    /// Frees the place, and may hold another later.
    fn clear(&self) {
        self.set(SlotState::Empty);
    }

    fn set(&self, new: SlotState) {
        let old = std::mem::replace(
            &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner),
            new,
        );
        // A freed place is given to another page, which must not happen while the lock is held.
        drop(old);
    }
}

/// The place of a page whose host may be used. A failed attempt frees it until the next one.
struct Held<'a> {
    slot: &'a Slot,
    is_kept: bool,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            self.slot.clear();
        }
    }
}

/// Loads and cleans a page, and calls `shape` with the result on the thread of the page. Dropping
/// the future ends the work.
///
/// # Errors
/// The problem that kept the page from having a result.
pub(super) async fn run<R: Send + 'static>(
    service: &Arc<Service>,
    admitted: Arc<Admitted>,
    job: Job,
    shape: impl FnOnce(Cleaned, Job) -> Result<R, Problem> + Send + 'static,
) -> Result<R, Problem> {
    let _begun = service.metrics.begin_page();
    let deadline = Instant::now() + job.timeout;
    let limit_ms = job.timeout.as_millis() as u64;
    let too_slow = || Problem::too_slow(limit_ms);
    let (cancel, slot) = (Cancel::default(), Slot::default());
    let _guard = CancelOnDrop(cancel.clone());
    // A page with an address waits for its host first, and then for a place.
    if job.address.is_none() {
        let place = timeout_at(deadline, admitted.place())
            .await
            .map_err(|_| too_slow())?;
        slot.put(place.map_err(|_| Problem::full(service.places.promise_s()))?);
    }
    let limit = deadline.saturating_duration_since(Instant::now()) + ENDING_LIMIT;
    let task = {
        let (service, slot) = (Arc::clone(service), slot.clone());
        let page = PageWork {
            service: Arc::clone(&service),
            admitted,
            cancel,
            slot: slot.clone(),
            deadline,
        };
        tokio::spawn(async move {
            let work = move || {
                let result = page.clean(&job).and_then(|cleaned| shape(cleaned, job));
                // The place is freed before the answer is sent, so that a client that sends the
                // next page finds it free.
                page.slot.close();
                Ok(result)
            };
            let result = service.workers.run(Some(limit), work).await;
            slot.close();
            result
        })
    };
    match timeout_at(deadline, task).await {
        Err(_) => Err(too_slow()),
        Ok(Ok(Ok(result))) => result.inspect_err(|problem| {
            problem
                .log_cause
                .iter()
                .for_each(|cause| service.log.fault(cause));
        }),
        // The work panicked, or its thread could not finish the page.
        Ok(Ok(Err(cause))) => {
            service.log.fault(&cause);
            Err(Problem::fault())
        }
        Ok(Err(_)) => Err(Problem::fault()),
    }
}

/// The data that the thread of a page needs.
struct PageWork {
    service: Arc<Service>,
    admitted: Arc<Admitted>,
    cancel: Cancel,
    slot: Slot,
    deadline: Instant,
}

impl PageWork {
    fn clean(&self, job: &Job) -> Result<Cleaned, Problem> {
        if self.cancel.is_set() {
            return Err(RenderError::Cancelled.into());
        }
        let page = job.page()?;
        let (capture, fetched) = match job.engine {
            EngineChoice::None if job.address.is_none() => {
                (parse(&page).map_err(Error::from)?, None)
            }
            _ => self.load(job, &page)?,
        };
        if self.cancel.is_set() {
            return Err(RenderError::Cancelled.into());
        }
        let page = fetched.unwrap_or(page);
        let cleaned = job.cleaner.clean_capture_of(&page, &capture)?;
        let source = match page.body {
            Body::Html { html, .. } if capture.layout.is_none() => Some(html),
            _ => None,
        };
        Ok(Cleaned {
            capture,
            page: cleaned,
            source,
        })
    }

    /// Loads the page, once its host may be used and there is a place.
    fn load(
        &self,
        job: &Job,
        page: &Page,
    ) -> Result<(vclean_core::capture::Capture, Option<Page>), Problem> {
        let engine = Some(job.engine).filter(|engine| *engine != EngineChoice::None);
        let left = self.deadline.saturating_duration_since(Instant::now());
        let options = PageOptions {
            engine,
            timeout_ms: Some((left.as_millis() as f64 * LOADING_SHARE) as u64),
            paint: job.screenshot || job.overlay,
            only_visible: job.only_visible,
            cancel: self.cancel.clone(),
            load: Some(job.load.clone()),
        };
        let is_full = std::cell::Cell::new(false);
        let admit = || {
            let held = Held {
                slot: &self.slot,
                is_kept: false,
            };
            if job.address.is_some() {
                let place = self
                    .admitted
                    .place_blocking(|| self.cancel.is_set())
                    .map_err(|cause| {
                        is_full.set(cause == NoPlace::Full);
                        RenderError::Cancelled
                    })?;
                if !self.slot.put(place) {
                    return Err(RenderError::Cancelled);
                }
            }
            Ok(held)
        };
        let loaded = self
            .service
            .renderer
            .load(page, &options, engine.is_some(), admit);
        self.service.note_faults();
        if is_full.get() {
            return Err(Problem::full(self.service.places.promise_s()));
        }
        let mut loaded = loaded?;
        loaded.place.is_kept = true;
        Ok((loaded.capture, loaded.fetched))
    }
}

#[cfg(test)]
mod tests {
    use super::super::places::{Caller, Places};
    use super::*;

    #[test]
    fn a_closed_slot_keeps_no_place() {
        let places = Places::new(1, 4, false);
        let admitted = places
            .admit(
                Caller {
                    token: None,
                    address: None,
                },
                false,
            )
            .unwrap();
        let slot = Slot::default();
        assert!(slot.put(admitted.place_blocking(|| true).unwrap()));
        assert_eq!(places.running(), 1);
        drop(Held {
            slot: &slot,
            is_kept: true,
        });
        assert_eq!(places.running(), 1);
        drop(Held {
            slot: &slot,
            is_kept: false,
        });
        assert_eq!(places.running(), 0, "a failed attempt frees its place");
        assert!(slot.put(admitted.place_blocking(|| true).unwrap()));
        slot.close();
        assert_eq!(places.running(), 0);
        assert!(!slot.put(admitted.place_blocking(|| true).unwrap()));
        assert_eq!(places.running(), 0);
    }

    #[tokio::test]
    async fn a_panic_on_the_thread_of_a_page_is_a_fault_and_the_next_page_is_cleaned() {
        let service = Service::for_tests();
        let caller = Caller {
            token: None,
            address: None,
        };
        let job = || {
            let request = crate::request::CleanRequest {
                html: Some("<p>a".into()),
                ..Default::default()
            };
            request
                .check(&service.cleaners, service.defaults())
                .unwrap()
        };
        let admitted = || service.admit(caller, false).unwrap();
        let fault = run(&service, admitted(), job(), |_, _| -> Result<(), Problem> {
            panic!("of the test")
        })
        .await;
        assert_eq!(fault, Err(Problem::fault()));
        assert_eq!(run(&service, admitted(), job(), |_, _| Ok(7)).await, Ok(7));
        assert_eq!(
            (service.places.running(), service.places.admitted()),
            (0, 0)
        );
    }
}
