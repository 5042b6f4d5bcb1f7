//! Jobs: work on many pages that continues after its request was answered. A request starts a job;
//! further requests ask for its status and its results, or cancel it.
//!
//! Everything is in memory and bounded: the number of jobs, the bytes of their results, the time
//! that they take and the time for which their results are kept. A job belongs to the token of the
//! request that started it; for other callers it does not exist.

use super::places::Caller;
use super::problem::Problem;
use axum::http::StatusCode;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use vclean_run::Stop;

/// Largest number of running jobs. Heuristic: their pages share the places of the service.
const MAX_RUNNING: usize = 8;
/// Largest number of jobs, including ended ones whose results are kept.
const MAX_JOBS: usize = 64;
/// Largest size of the results of a job, and of those of all jobs, in bytes.
const MAX_JOB_BYTES: usize = 64 << 20;
const MAX_BYTES: usize = 256 << 20;
/// Longest time of a job. Heuristic: at one page per second, it is enough for the largest crawl.
pub(super) const MAX_TIME: Duration = Duration::from_hours(6);
/// How long results are kept once a job has ended.
pub(super) const KEPT: Duration = Duration::from_hours(1);
/// Largest number of failed pages of a job that are reported one by one.
const MAX_ERRORS: usize = 1000;
/// Largest size of one answer in bytes, and largest number of results in it.
const PAGE_BYTES: usize = 10 << 20;
const PAGE_RESULTS: usize = 1000;
/// Pause before a caller may try again when too many jobs run, in seconds. Heuristic.
const PAUSE_S: u64 = 30;

/// Kind of work of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The job follows the links of a site.
    Crawl,
    /// The job loads a list of addresses.
    Batch,
}

/// Status of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Scraping,
    /// All of its pages are done.
    Completed,
    Cancelled,
    /// The job could not continue.
    Failed,
}

impl Status {
    pub(super) const ALL: [Self; 4] = [
        Self::Scraping,
        Self::Completed,
        Self::Cancelled,
        Self::Failed,
    ];

    /// The name of the status in answers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Scraping => "scraping",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }
}

/// A page of a job that has no result.
#[derive(Debug, Clone)]
pub(super) struct PageError {
    pub(super) number: usize,
    pub(super) url: String,
    pub(super) cause: String,
    pub(super) time: SystemTime,
    /// True if `robots.txt` forbids the page.
    pub(super) is_robots: bool,
}

/// The jobs of the service.
#[derive(Debug, Default)]
pub(super) struct Jobs(Mutex<BTreeMap<String, Arc<Job>>>);

/// A job, running or ended.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) kind: Kind,
    /// The first address of a crawl.
    pub(super) start: String,
    token: Option<usize>,
    /// Set when the job is canceled.
    pub(super) stop: Stop,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    status: Status,
    /// Number of pages that are known, done or not.
    total: u64,
    results: Vec<Arc<RawValue>>,
    bytes: usize,
    errors: Vec<PageError>,
    failed: usize,
    /// Reason why the job failed, or other notes about it.
    warning: Option<String>,
    /// When the results expire.
    expires: SystemTime,
}

/// The status of a job, and a part of its results.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) status: Status,
    pub(super) total: u64,
    /// Number of pages with a result.
    pub(super) completed: usize,
    pub(super) expires: SystemTime,
    pub(super) warning: Option<String>,
    pub(super) results: Vec<Arc<RawValue>>,
    /// The number of the first further result, if there is one now.
    pub(super) next: Option<usize>,
}

impl Jobs {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Job>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a job; `start` is the first address of a crawl.
    ///
    /// # Errors
    /// If too many run.
    pub(super) fn begin(
        &self,
        kind: Kind,
        caller: Caller,
        start: &str,
    ) -> Result<Arc<Job>, Problem> {
        let mut jobs = self.lock();
        let running = jobs.values().filter(|job| job.is_running()).count();
        if running >= MAX_RUNNING {
            let cause =
                format!("{running} jobs are running already; try again later, or cancel one");
            let full = Problem::new(StatusCode::SERVICE_UNAVAILABLE, cause).because("jobs_full");
            return Err(Problem {
                retry_after_s: Some(PAUSE_S),
                ..full
            });
        }
        while jobs.len() >= MAX_JOBS && forget_oldest(&mut jobs) {}
        let state = State {
            status: Status::Scraping,
            total: 0,
            results: Vec::new(),
            bytes: 0,
            errors: Vec::new(),
            failed: 0,
            warning: None,
            expires: SystemTime::now() + MAX_TIME + KEPT,
        };
        // A caller without the token of the job cannot use its id.
        let id = format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        let job = Job {
            id: id.clone(),
            kind,
            start: start.to_owned(),
            token: caller.token,
            stop: Stop::new(),
            state: Mutex::new(state),
        };
        let job = Arc::new(job);
        jobs.insert(id, Arc::clone(&job));
        Ok(job)
    }

    /// Finds a job of a caller.
    ///
    /// # Errors
    /// If the caller has no job with this id.
    pub(super) fn find(&self, id: &str, kind: Kind, caller: Caller) -> Result<Arc<Job>, Problem> {
        let found = self
            .lock()
            .get(id)
            .filter(|job| job.kind == kind && job.token == caller.token)
            .cloned();
        found.ok_or_else(|| {
            let cause = "there is no such job; its results may have expired, start it again";
            Problem::new(StatusCode::NOT_FOUND, cause)
        })
    }

    /// The crawls of a caller that run.
    pub(super) fn running_crawls(&self, caller: Caller) -> Vec<Arc<Job>> {
        let jobs = self.lock();
        let is_wanted = |job: &&Arc<Job>| {
            job.kind == Kind::Crawl && job.token == caller.token && job.is_running()
        };
        jobs.values().filter(is_wanted).cloned().collect()
    }

    /// Adds the result of a page. Ended jobs are removed if the results of all jobs need the room.
    ///
    /// # Errors
    /// If there is no room: the job cannot continue.
    pub(super) fn add(&self, job: &Job, result: Arc<RawValue>) -> Result<(), String> {
        let bytes = result.get().len();
        if job.lock().bytes + bytes > MAX_JOB_BYTES {
            return Err(format!(
                "its results are larger than {} MB; crawl less at a time, or ask for fewer formats",
                MAX_JOB_BYTES >> 20
            ));
        }
        let mut jobs = self.lock();
        while jobs.values().map(|job| job.lock().bytes).sum::<usize>() + bytes > MAX_BYTES {
            if !forget_oldest(&mut jobs) {
                return Err(
                    "the results of all jobs need too much memory; try again later".to_owned(),
                );
            }
        }
        drop(jobs);
        let mut state = job.lock();
        state.bytes += bytes;
        state.results.push(result);
        Ok(())
    }

    /// Removes a job and its results.
    pub(super) fn remove(&self, id: &str) {
        self.lock().remove(id);
    }
}

/// Removes the job that ended first. Returns false if none has ended.
fn forget_oldest(jobs: &mut BTreeMap<String, Arc<Job>>) -> bool {
    let ended = jobs.values().filter(|job| !job.is_running());
    let oldest = ended
        .min_by_key(|job| job.lock().expires)
        .map(|job| job.id.clone());
    oldest.is_some_and(|id| jobs.remove(&id).is_some())
}

impl Job {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_running(&self) -> bool {
        self.lock().status == Status::Scraping
    }

    /// Sets the number of pages that are known.
    pub(super) fn set_total(&self, total: u64) {
        self.lock().total = total;
    }

    /// Adds a page that has no result.
    pub(super) fn fail(&self, url: &str, problem: &Problem) {
        let mut state = self.lock();
        state.failed += 1;
        if state.errors.len() < MAX_ERRORS {
            let number = state.failed;
            let is_robots = problem.reason == "robots";
            let error = PageError {
                number,
                url: url.to_owned(),
                cause: problem.cause.clone(),
                time: SystemTime::now(),
                is_robots,
            };
            state.errors.push(error);
        }
    }

    /// Ends the job, if it has not ended already.
    pub(super) fn end(&self, status: Status, warning: Option<String>) {
        let mut state = self.lock();
        if state.status == Status::Scraping {
            state.status = status;
            state.warning = warning;
            state.expires = SystemTime::now() + KEPT;
        }
    }

    /// Cancels the job. Returns false if it has ended.
    pub(super) fn cancel(&self) -> bool {
        let was_running = self.is_running();
        self.end(Status::Cancelled, None);
        self.stop.set();
        was_running
    }

    /// The results from number `first` on that fit into one answer.
    pub(super) fn report(&self, first: usize, most: Option<usize>) -> Report {
        let state = self.lock();
        let mut bytes = 0;
        let most = most.unwrap_or(PAGE_RESULTS).clamp(1, PAGE_RESULTS);
        let rest = state
            .results
            .get(first.min(state.results.len())..)
            .unwrap_or_default();
        let fits = |result: &&Arc<RawValue>| {
            let is_first = bytes == 0;
            bytes += result.get().len();
            is_first || bytes <= PAGE_BYTES
        };
        let results: Vec<Arc<RawValue>> =
            rest.iter().take(most).take_while(fits).cloned().collect();
        let next = Some(first + results.len()).filter(|next| *next < state.results.len());
        Report {
            status: state.status,
            total: state.total,
            completed: state.results.len(),
            expires: state.expires,
            warning: state.warning.clone(),
            results,
            next,
        }
    }

    /// The pages without a result.
    pub(super) fn errors(&self) -> Vec<PageError> {
        self.lock().errors.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(token: usize) -> Caller {
        Caller {
            token: Some(token),
            address: None,
        }
    }

    fn result(bytes: usize) -> Arc<RawValue> {
        RawValue::from_string(format!("\"{}\"", "x".repeat(bytes)))
            .unwrap()
            .into()
    }

    #[test]
    fn a_job_belongs_to_the_token_that_started_it() {
        let jobs = Jobs::default();
        let job = jobs
            .begin(Kind::Crawl, caller(1), "https://a.example/")
            .unwrap();
        assert!(jobs.find(&job.id, Kind::Crawl, caller(1)).is_ok());
        let running = |token| jobs.running_crawls(caller(token)).len();
        assert_eq!((running(1), running(2)), (1, 0));
        for (kind, token) in [(Kind::Crawl, 2), (Kind::Batch, 1)] {
            assert_eq!(
                jobs.find(&job.id, kind, caller(token)).unwrap_err().status,
                404
            );
        }
    }

    #[test]
    fn the_number_of_jobs_is_bounded_and_ended_ones_make_room() {
        let jobs = Jobs::default();
        let running: Vec<_> = (0..MAX_RUNNING)
            .map(|_| jobs.begin(Kind::Batch, caller(0), "").unwrap())
            .collect();
        let full = jobs.begin(Kind::Batch, caller(0), "").unwrap_err();
        assert_eq!(
            (full.status.as_u16(), full.retry_after_s),
            (503, Some(PAUSE_S))
        );
        assert!(running[0].cancel() && !running[0].cancel() && running[0].stop.is_set());
        for _ in 0..2 * MAX_JOBS {
            jobs.begin(Kind::Batch, caller(0), "")
                .unwrap()
                .end(Status::Completed, None);
        }
        assert_eq!(jobs.lock().len(), MAX_JOBS);
        assert!(
            jobs.find(&running[1].id, Kind::Batch, caller(0)).is_ok(),
            "running jobs stay"
        );
        assert!(jobs.find(&running[0].id, Kind::Batch, caller(0)).is_err());
    }

    #[test]
    fn results_are_bounded_and_given_in_parts() {
        let jobs = Jobs::default();
        let job = jobs.begin(Kind::Crawl, caller(0), "").unwrap();
        for _ in 0..12 {
            jobs.add(&job, result(4 << 20)).unwrap();
        }
        let mut sizes = Vec::new();
        let mut next = Some(0);
        while let Some(first) = next {
            let report = job.report(first, None);
            sizes.push(report.results.len());
            next = report.next;
        }
        assert_eq!(sizes, [2, 2, 2, 2, 2, 2]);
        assert_eq!(
            (
                job.report(3, Some(1)).next,
                job.report(99, None).results.len()
            ),
            (Some(4), 0)
        );
        assert!(
            jobs.add(&job, result(20 << 20))
                .unwrap_err()
                .contains("64 MB")
        );
        job.end(Status::Completed, None);
        // Ended jobs are removed before the results of all jobs need too much memory.
        let others: Vec<_> = (0..4)
            .map(|_| jobs.begin(Kind::Crawl, caller(0), "").unwrap())
            .collect();
        for other in &others {
            for _ in 0..15 {
                jobs.add(other, result(4 << 20)).unwrap();
            }
        }
        assert!(jobs.find(&job.id, Kind::Crawl, caller(0)).is_err());
        let last = jobs.begin(Kind::Crawl, caller(0), "").unwrap();
        assert!((0..16).any(|_| jobs.add(&last, result(4 << 20)).is_err()));
    }
}
