//! The state of the service, which all requests share.

use super::body;
use super::body_memory::BodyMemory;
use super::cache::Cache;
use super::guard::Guard;
use super::jobs::Jobs;
use super::log::{Log, Metrics};
use super::options::{ServeError, ServiceOptions};
use super::places::{Admitted, Caller, NoPlace, Places};
use super::problem::Problem;
use super::request::Defaults;
use super::workers::Workers;
use axum::body::Body;
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use vclean_core::pipeline::Cleaners;
use vclean_run::{RateLimitedRenderer, RunError, Stop};

/// Number of bodies of the largest size for which there is memory while they are read. Heuristic.
const READ_AT_ONCE: usize = 16;

/// The state of the service.
pub(super) struct Service {
    pub(super) options: ServiceOptions,
    pub(super) guard: Guard,
    pub(super) places: Places,
    body_memory: BodyMemory,
    pub(super) cache: Cache,
    pub(super) jobs: Jobs,
    pub(super) cleaners: Cleaners,
    pub(super) renderer: RateLimitedRenderer,
    pub(super) workers: Workers,
    pub(super) metrics: Metrics,
    pub(super) log: Log,
    pub(super) stop: Stop,
    has_noted: AtomicBool,
    /// Number of browser crashes that were logged.
    noted_deaths: AtomicUsize,
}

impl Service {
    /// Starts the threads that clean, and opens the cache and the jobs.
    ///
    /// # Errors
    /// If the system refuses them, or a folder for answers or jobs cannot be used.
    pub(super) fn start(
        options: ServiceOptions,
        renderer: RateLimitedRenderer,
        log: Log,
        stop: Stop,
    ) -> Result<Arc<Self>, ServeError> {
        // Pages that wait for their host need a thread each, but no place.
        let workers = Workers::start(options.jobs + options.queue).map_err(RunError::Threads)?;
        Ok(Arc::new(Self {
            guard: Guard::new(&options),
            places: Places::new(options.jobs, options.queue, options.tokens.len() > 1),
            body_memory: BodyMemory::new(READ_AT_ONCE * options.max_body_bytes),
            cache: Cache::open(&options.cache)?,
            jobs: Jobs::open(&options.kept_jobs, &options.tokens, |text| log.note(text))?,
            cleaners: Cleaners::new(options.published).without_files(),
            metrics: Metrics::new(),
            options,
            renderer,
            workers,
            log,
            stop,
            has_noted: AtomicBool::new(false),
            noted_deaths: AtomicUsize::new(0),
        }))
    }

    /// A service for tests without a browser.
    #[cfg(test)]
    #[allow(clippy::unwrap_used)]
    pub(super) fn for_tests() -> Arc<Self> {
        let options = super::options::tests::options();
        Self::start(
            options,
            renderer_for_tests(),
            Log::standard_error(),
            Stop::new(),
        )
        .unwrap()
    }

    /// Reads the body of a request. Its page is admitted afterward, so that slow senders take no
    /// places.
    ///
    /// # Errors
    /// Those of [`body::read`].
    pub(super) async fn read(&self, caller: Caller, body: Body) -> Result<Bytes, Problem> {
        let (most, pace) = (self.options.max_body_bytes, &self.options.limits.pace);
        body::read(body, most, pace, self.body_memory.hold(caller)).await
    }

    /// Admits a page of a caller, or a batch.
    ///
    /// # Errors
    /// If the service stops, or too many pages wait.
    pub(super) fn admit(&self, caller: Caller, is_batch: bool) -> Result<Arc<Admitted>, Problem> {
        if self.stop.is_set() {
            return Err(Problem::stopping());
        }
        match self.places.admit(caller, is_batch) {
            Ok(admitted) => Ok(Arc::new(admitted)),
            Err(NoPlace::Full | NoPlace::Cancelled) => Err(Problem::full(self.places.promise_s())),
        }
    }

    /// An earlier answer to a request that is at most `max_age` old, and its age.
    pub(super) async fn kept_answer(
        self: &Arc<Self>,
        key: &str,
        max_age: Duration,
    ) -> Option<(Bytes, Duration)> {
        if max_age.is_zero() {
            return None;
        }
        let key = key.to_owned();
        if !self.cache.has_folder() {
            return self.cache.get(key, max_age);
        }
        let service = Arc::clone(self);
        tokio::task::spawn_blocking(move || service.cache.get(key, max_age))
            .await
            .ok()
            .flatten()
    }

    /// Keeps the answer to a request.
    pub(super) async fn keep_answer(self: &Arc<Self>, key: String, answer: Bytes) {
        if !self.cache.has_folder() {
            return self.cache.put(key, answer);
        }
        let service = Arc::clone(self);
        // If the answer cannot be kept, the page is loaded again for the next request.
        let _ = tokio::task::spawn_blocking(move || service.cache.put(key, answer)).await;
    }

    /// Logs once that there is no browser, if one was needed, and each time a browser has crashed.
    pub(super) fn note_faults(&self) {
        let deaths = self.renderer.restarts();
        if self.noted_deaths.fetch_max(deaths, Ordering::Relaxed) < deaths {
            self.log
                .note(&format!("a browser died and is replaced; {deaths} so far"));
        }
        if let Some(notice) = self.renderer.notice()
            && !self.has_noted.swap(true, Ordering::Relaxed)
        {
            self.log.note(&notice);
        }
    }

    /// Defaults and limits for requests.
    pub(super) fn defaults(&self) -> Defaults {
        Defaults {
            engine: self.options.engine,
            timeout: self.options.timeout,
        }
    }
}

/// A renderer for tests, which starts no browser.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) fn renderer_for_tests() -> RateLimitedRenderer {
    let engine = vclean_render::EngineChoice::Auto;
    let options = vclean_render::RenderOptions {
        engine: Some(engine),
        ..vclean_render::RenderOptions::default()
    };
    let renderer = vclean_render::Renderer::launch(options).unwrap();
    RateLimitedRenderer::new(
        renderer,
        vclean_run::politeness::PolitenessOptions::default(),
    )
}
