//! Jobs: work on many pages that continues after its request was answered. A request starts a job;
//! further requests ask for its status and its results, or cancel it.
//!
//! Everything is in memory and bounded: the number of jobs, the bytes of their results, the time
//! that they take and the time for which their results are kept. With a folder, jobs and results
//! are also on disk, and the next service continues with them. A job belongs to the token of the
//! request that started it; for other callers it does not exist.

use super::job_folder::{
    DonePage, End, Head, JobFolder, JobLog, JobOptions, Kind, PageError, Status, StoredJob, VERSION,
};
use super::options::Token;
use super::own_folder::FolderError;
use super::places::Caller;
use super::problem::Problem;
use axum::http::StatusCode;
use serde_json::Value;
use serde_json::value::RawValue;
use std::cmp::Reverse;
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
/// Largest number of failed pages of a job that are reported one by one.
const MAX_ERRORS: usize = 1000;
/// Largest size of one answer in bytes, and largest number of results in it.
const PAGE_BYTES: usize = 10 << 20;
const PAGE_RESULTS: usize = 1000;
/// Pause before a caller may try again when too many jobs run, in seconds. Heuristic.
const PAUSE_S: u64 = 30;

/// The jobs of the service.
#[derive(Debug)]
pub(super) struct Jobs {
    by_id: Mutex<BTreeMap<String, Arc<Job>>>,
    kept: Duration,
    folder: Option<JobFolder>,
    /// Hashes of the tokens of the service.
    owners: Vec<String>,
    unfinished: Mutex<Vec<Unfinished>>,
}

/// A job of an earlier service that is to be continued.
#[derive(Debug)]
pub(super) struct Unfinished {
    pub(super) job: Arc<Job>,
    /// The request that started the job.
    pub(super) order: Value,
    /// The pages that are done, without their results.
    pub(super) done: Vec<DonePage>,
}

/// A job, running or ended.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) kind: Kind,
    /// The first address of a crawl.
    pub(super) start: String,
    pub(super) begun: SystemTime,
    token: Option<usize>,
    log: Option<JobLog>,
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
    /// Number of events that the webhook did not take, and the last cause.
    lost_events: Option<(usize, String)>,
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
    /// Number of pages without one.
    pub(super) failed: usize,
    pub(super) expires: SystemTime,
    pub(super) warning: Option<String>,
    pub(super) results: Vec<Arc<RawValue>>,
    /// The number of the first further result, if there is one now.
    pub(super) next: Option<usize>,
}

impl Jobs {
    /// Opens the jobs. Those in the folder whose token the service does not have any more stay
    /// there. `complain` is told which files are damaged.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub(super) fn open(
        options: &JobOptions,
        tokens: &[Token],
        complain: impl Fn(&str),
    ) -> Result<Self, FolderError> {
        let opened = options.folder.as_deref();
        let opened = opened.map(|path| JobFolder::open(path, complain));
        let (folder, stored) = opened.transpose()?.unzip();
        let this = Self {
            by_id: Mutex::default(),
            kept: options.kept,
            folder,
            owners: tokens.iter().map(Token::hash).collect(),
            unfinished: Mutex::default(),
        };
        let stored = stored.unwrap_or_default();
        let unfinished = stored.into_iter().filter_map(|job| this.take_over(job));
        let unfinished: Vec<Unfinished> = unfinished.collect();
        this.expire();
        Ok(Self {
            unfinished: Mutex::new(unfinished),
            ..this
        })
    }

    /// The jobs of an earlier service that have not ended, once.
    pub(super) fn take_unfinished(&self) -> Vec<Unfinished> {
        std::mem::take(
            &mut *self
                .unfinished
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Adds a job of an earlier service; returns it if it has not ended.
    fn take_over(&self, stored: StoredJob) -> Option<Unfinished> {
        let StoredJob {
            head,
            mut pages,
            end,
            log,
        } = stored;
        let token = match &head.owner {
            Some(owner) => Some(self.owners.iter().position(|known| known == owner)?),
            None if self.owners.is_empty() => None,
            None => return None,
        };
        let mut state = State::new();
        for page in &mut pages {
            state.add(page.result.take(), page.error.take());
        }
        let is_running = end.is_none();
        if let Some(End {
            status,
            total,
            warning,
            time,
        }) = end
        {
            state.total = total;
            state.end(status, warning, time + self.kept);
        }
        let job = Arc::new(Job {
            id: head.id.clone(),
            kind: head.kind,
            start: head.start,
            begun: head.begun,
            token,
            log: Some(log),
            stop: Stop::new(),
            state: Mutex::new(state),
        });
        self.lock().insert(head.id, Arc::clone(&job));
        is_running.then_some(Unfinished {
            job,
            order: head.order,
            done: pages,
        })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Job>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the jobs whose results have expired.
    pub(super) fn expire(&self) {
        let now = SystemTime::now();
        let mut jobs = self.lock();
        let expired = |job: &&Arc<Job>| !job.is_running() && job.lock().expires <= now;
        let ids: Vec<String> = jobs
            .values()
            .filter(expired)
            .map(|job| job.id.clone())
            .collect();
        for id in ids {
            self.forget(&mut jobs, &id);
        }
    }

    fn forget(&self, jobs: &mut BTreeMap<String, Arc<Job>>, id: &str) {
        jobs.remove(id);
        if let Some(folder) = &self.folder {
            folder.remove(id);
        }
    }

    /// Removes the job that ended first. Returns false if none has ended.
    fn forget_oldest(&self, jobs: &mut BTreeMap<String, Arc<Job>>) -> bool {
        let ended = jobs.values().filter(|job| !job.is_running());
        let oldest = ended
            .min_by_key(|job| job.lock().expires)
            .map(|job| job.id.clone());
        let Some(id) = oldest else { return false };
        self.forget(jobs, &id);
        true
    }

    /// Begins a job; `start` is the first address of a crawl, and `order` the request.
    ///
    /// # Errors
    /// If too many run, or it cannot be written to the folder.
    pub(super) fn begin(
        &self,
        kind: Kind,
        caller: Caller,
        start: &str,
        order: Value,
    ) -> Result<Arc<Job>, Problem> {
        self.expire();
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
        while jobs.len() >= MAX_JOBS && self.forget_oldest(&mut jobs) {}
        // A caller without the token of the job cannot use its id.
        let id = format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        let head = Head {
            version: VERSION,
            id: id.clone(),
            kind,
            start: start.to_owned(),
            owner: caller
                .token
                .and_then(|token| self.owners.get(token).cloned()),
            begun: SystemTime::now(),
            order,
        };
        let begun = head.begun;
        let log = self.folder.as_ref().map(|folder| folder.begin(head));
        let log = log.transpose().map_err(|cause| Problem {
            log_cause: Some(format!("a job cannot be written: {cause}")),
            ..Problem::fault()
        })?;
        let job = Arc::new(Job {
            id: id.clone(),
            kind,
            start: start.to_owned(),
            begun,
            token: caller.token,
            log,
            stop: Stop::new(),
            state: Mutex::new(State::new()),
        });
        jobs.insert(id, Arc::clone(&job));
        Ok(job)
    }

    /// Finds a job of a caller.
    ///
    /// # Errors
    /// If the caller has no job with this id.
    pub(super) fn find(&self, id: &str, kind: Kind, caller: Caller) -> Result<Arc<Job>, Problem> {
        self.expire();
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

    /// The jobs of a caller, the last one first.
    pub(super) fn of_caller(&self, caller: Caller) -> Vec<Arc<Job>> {
        self.expire();
        let jobs = self.lock();
        let own = jobs.values().filter(|job| job.token == caller.token);
        let mut own: Vec<Arc<Job>> = own.cloned().collect();
        own.sort_by_key(|job| Reverse(job.begun));
        own
    }

    /// Adds a page that is done. Ended jobs are removed if the results of all jobs need the room.
    ///
    /// # Errors
    /// If there is no room, in memory or on disk: the job cannot continue.
    pub(super) fn add(&self, job: &Job, page: DonePage) -> Result<(), String> {
        let bytes = page.result.as_ref().map_or(0, |result| result.get().len());
        if job.lock().bytes + bytes > MAX_JOB_BYTES {
            return Err(format!(
                "its results are larger than {} MB; crawl less at a time, or ask for fewer formats",
                MAX_JOB_BYTES >> 20
            ));
        }
        let mut jobs = self.lock();
        while jobs.values().map(|job| job.lock().bytes).sum::<usize>() + bytes > MAX_BYTES {
            if !self.forget_oldest(&mut jobs) {
                return Err(
                    "the results of all jobs need too much memory; try again later".to_owned(),
                );
            }
        }
        drop(jobs);
        let (result, error) = (page.result.clone(), page.error.clone());
        if let Some(log) = &job.log {
            let written = log.page(page);
            written.map_err(|cause| {
                format!("its results cannot be written ({cause}); try again later")
            })?;
        }
        job.lock().add(result, error);
        Ok(())
    }

    /// Ends a job, if it has not ended already.
    pub(super) fn end(&self, job: &Job, status: Status, warning: Option<String>) {
        let mut state = job.lock();
        if state.status != Status::Scraping {
            return;
        }
        let (time, total) = (SystemTime::now(), state.total);
        state.end(status, warning.clone(), time + self.kept);
        drop(state);
        if let Some(log) = &job.log {
            // If it cannot be written, the next service does the last part of the job again.
            let _ = log.end(End {
                status,
                total,
                warning,
                time,
            });
        }
    }

    /// Cancels a job. Returns false if it has ended.
    pub(super) fn cancel(&self, job: &Job) -> bool {
        let was_running = job.is_running();
        self.end(job, Status::Cancelled, None);
        job.stop.set();
        was_running
    }

    /// Returns true if the next service continues the jobs.
    pub(super) fn has_folder(&self) -> bool {
        self.folder.is_some()
    }
}

impl State {
    fn new() -> Self {
        Self {
            status: Status::Scraping,
            total: 0,
            results: Vec::new(),
            bytes: 0,
            errors: Vec::new(),
            failed: 0,
            warning: None,
            lost_events: None,
            expires: SystemTime::now() + MAX_TIME,
        }
    }

    fn add(&mut self, result: Option<Arc<RawValue>>, error: Option<PageError>) {
        if let Some(result) = result {
            self.bytes += result.get().len();
            self.results.push(result);
        }
        if let Some(error) = error {
            self.failed += 1;
            if self.errors.len() < MAX_ERRORS {
                self.errors.push(error);
            }
        }
    }

    fn warning(&self) -> Option<String> {
        let lost = self.lost_events.as_ref().map(|(count, cause)| {
            format!("{count} events were not taken by the webhook ({cause})")
        });
        let all: Vec<String> = self.warning.clone().into_iter().chain(lost).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    fn end(&mut self, status: Status, warning: Option<String>, expires: SystemTime) {
        self.status = status;
        self.warning = warning;
        self.expires = expires;
    }
}

impl Job {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The caller to whom the job belongs.
    pub(super) fn caller(&self) -> Caller {
        Caller {
            token: self.token,
            address: None,
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.lock().status == Status::Scraping
    }

    /// Sets the number of pages that are known.
    pub(super) fn set_total(&self, total: u64) {
        self.lock().total = total;
    }

    /// Records that an event could not be told.
    pub(super) fn lose_event(&self, cause: &str) {
        let mut state = self.lock();
        let before = state.lost_events.as_ref().map_or(0, |(count, _)| *count);
        state.lost_events = Some((before + 1, cause.to_owned()));
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
            failed: state.failed,
            expires: state.expires,
            warning: state.warning(),
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
    use serde_json::json;
    use std::path::Path;

    const TOKENS: [&str; 3] = ["0123456789abcdef", "fedcba9876543210", "00000000000000000"];

    /// The jobs of a service with these tokens; those in a folder, if one is named.
    fn opened(folder: Option<&Path>, tokens: &[&str]) -> (Jobs, Vec<Unfinished>) {
        let options = JobOptions {
            folder: folder.map(Path::to_path_buf),
            ..JobOptions::default()
        };
        let tokens: Vec<Token> = tokens
            .iter()
            .map(|text| Token::new(text).unwrap())
            .collect();
        let jobs = Jobs::open(&options, &tokens, |text| panic!("{text}")).unwrap();
        let unfinished = jobs.take_unfinished();
        (jobs, unfinished)
    }

    fn jobs() -> Jobs {
        opened(None, &TOKENS).0
    }

    fn begin(jobs: &Jobs, kind: Kind, token: usize) -> Result<Arc<Job>, Problem> {
        jobs.begin(kind, caller(token), "", json!({ "n": 1 }))
    }

    fn caller(token: usize) -> Caller {
        Caller {
            token: Some(token),
            address: None,
        }
    }

    /// A page with a result of this size.
    fn page(bytes: usize) -> DonePage {
        let text = format!("\"{}\"", "x".repeat(bytes));
        DonePage {
            key: "0".into(),
            found: None,
            result: Some(RawValue::from_string(text).unwrap().into()),
            error: None,
        }
    }

    #[test]
    fn a_job_belongs_to_the_token_that_started_it() {
        let jobs = jobs();
        let job = begin(&jobs, Kind::Crawl, 1).unwrap();
        assert!(jobs.find(&job.id, Kind::Crawl, caller(1)).is_ok());
        let listed = |token| jobs.of_caller(caller(token)).len();
        assert_eq!((listed(1), listed(2)), (1, 0));
        for (kind, token) in [(Kind::Crawl, 2), (Kind::Batch, 1)] {
            assert_eq!(
                jobs.find(&job.id, kind, caller(token)).unwrap_err().status,
                404
            );
        }
    }

    #[test]
    fn the_number_of_jobs_is_bounded_and_ended_ones_make_room() {
        let jobs = jobs();
        let running: Vec<_> = (0..MAX_RUNNING)
            .map(|_| begin(&jobs, Kind::Batch, 0).unwrap())
            .collect();
        let full = begin(&jobs, Kind::Batch, 0).unwrap_err();
        assert_eq!(
            (full.status.as_u16(), full.retry_after_s),
            (503, Some(PAUSE_S))
        );
        assert!(jobs.cancel(&running[0]) && !jobs.cancel(&running[0]));
        assert!(running[0].stop.is_set());
        for _ in 0..2 * MAX_JOBS {
            let job = begin(&jobs, Kind::Batch, 0).unwrap();
            jobs.end(&job, Status::Completed, None);
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
        let jobs = jobs();
        let job = begin(&jobs, Kind::Crawl, 0).unwrap();
        for _ in 0..12 {
            jobs.add(&job, page(4 << 20)).unwrap();
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
        let full = jobs.add(&job, page(20 << 20)).unwrap_err();
        assert!(full.contains("64 MB"), "{full}");
        jobs.end(&job, Status::Completed, None);
        // Ended jobs are removed before the results of all jobs need too much memory.
        let others: Vec<_> = (0..4)
            .map(|_| begin(&jobs, Kind::Crawl, 0).unwrap())
            .collect();
        for other in &others {
            for _ in 0..15 {
                jobs.add(other, page(4 << 20)).unwrap();
            }
        }
        assert!(jobs.find(&job.id, Kind::Crawl, caller(0)).is_err());
        let last = begin(&jobs, Kind::Crawl, 0).unwrap();
        assert!((0..16).any(|_| jobs.add(&last, page(4 << 20)).is_err()));
    }

    #[test]
    fn the_next_service_has_the_jobs_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (jobs, unfinished) = opened(Some(folder.path()), &TOKENS);
        assert!(unfinished.is_empty());
        let running = begin(&jobs, Kind::Batch, 1).unwrap();
        jobs.add(&running, page(10)).unwrap();
        let ended = begin(&jobs, Kind::Crawl, 0).unwrap();
        ended.set_total(7);
        jobs.end(&ended, Status::Completed, Some("a note".into()));
        let before = ended.report(0, None);
        drop((jobs, running.clone()));
        // The tokens may have changed their order.
        let tokens = [TOKENS[1], TOKENS[0]];
        let (jobs, unfinished) = opened(Some(folder.path()), &tokens);
        let Unfinished { job, order, done } = &unfinished[0];
        assert_eq!((&job.id, order), (&running.id, &json!({ "n": 1 })));
        assert_eq!((done.len(), job.report(0, None).completed), (1, 1));
        assert!(jobs.find(&running.id, Kind::Batch, caller(0)).is_ok());
        let after = jobs
            .find(&ended.id, Kind::Crawl, caller(1))
            .unwrap()
            .report(0, None);
        assert_eq!(
            (after.total, &after.warning, after.expires),
            (7, &before.warning, before.expires)
        );
        drop((jobs, unfinished));
        let (jobs, unfinished) = opened(Some(folder.path()), &[]);
        assert!(
            unfinished.is_empty() && jobs.lock().is_empty(),
            "nobody may see them"
        );
        drop(jobs);
        let options = JobOptions {
            folder: Some(folder.path().to_path_buf()),
            kept: Duration::ZERO,
        };
        let tokens = TOKENS.map(|text| Token::new(text).unwrap());
        let jobs = Jobs::open(&options, &tokens, |_| ()).unwrap();
        assert!(
            jobs.find(&ended.id, Kind::Crawl, caller(0)).is_err(),
            "expired"
        );
        assert!(jobs.find(&running.id, Kind::Batch, caller(1)).is_ok());
    }
}
