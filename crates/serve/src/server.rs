//! Starts and ends the service.

use super::listen;
use super::log::Log;
use super::mcp;
use super::options::{ServeError, ServiceOptions};
use super::service::Service;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use vclean_run::{RateLimitedRenderer, RunError, Stop};

/// Threads that read and write requests. Heuristic: pages are cleaned on other threads, and one could be busy with a large
/// request.
const CONNECTION_THREADS: usize = 2;
/// Longest wait for work that was given up when the service ends, and how often it is looked at.
const END_LIMIT: Duration = Duration::from_secs(3);
const END_POLL: Duration = Duration::from_millis(20);

/// Serves HTTP until `stop` is set, and finishes the requests in work. `announce` is called with the address once requests
/// are accepted.
///
/// # Errors
/// If the address may be reached by others and there is no token, or it cannot be listened on.
pub fn serve_http(
    options: ServiceOptions,
    renderer: RateLimitedRenderer,
    stop: &Stop,
    announce: impl FnOnce(SocketAddr) + Send,
) -> Result<(), ServeError> {
    options.check()?;
    run(options, renderer, stop, |service| async move {
        let (listener, bound) = listen::bind(service.options.bind).await?;
        service.log.note(&format!("listening on {bound}"));
        announce(bound);
        listen::serve(&service, listener).await;
        Ok(())
    })
}

/// Serves the tools for language models to one client on standard input and output, until it closes its end or `stop` is
/// set.
///
/// # Errors
/// If the client does not speak the protocol.
pub fn serve_standard_io(
    options: ServiceOptions,
    renderer: RateLimitedRenderer,
    stop: &Stop,
) -> Result<(), ServeError> {
    run(options, renderer, stop, |service| async move { mcp::over_standard_io(&service).await })
}

fn run<F: Future<Output = Result<(), ServeError>>>(
    options: ServiceOptions,
    renderer: RateLimitedRenderer,
    stop: &Stop,
    work: impl FnOnce(Arc<Service>) -> F,
) -> Result<(), ServeError> {
    let runtime = start_runtime()?;
    stop.listen(&runtime);
    let service = Service::start(options, renderer, Log::standard_error(), stop.clone())?;
    let result = runtime.block_on(work(Arc::clone(&service)));
    // Work that was given up ends soon, and the browser with the last of it.
    let deadline = Instant::now() + END_LIMIT;
    runtime.shutdown_timeout(END_LIMIT);
    while Arc::strong_count(&service) > 1 && Instant::now() < deadline {
        thread::sleep(END_POLL);
    }
    result
}

fn start_runtime() -> Result<Runtime, RunError> {
    let mut builder = Builder::new_multi_thread();
    let builder = builder.worker_threads(CONNECTION_THREADS).max_blocking_threads(1).thread_name("vclean-http");
    builder.enable_all().build().map_err(RunError::Threads)
}
