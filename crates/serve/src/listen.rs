//! The connections: accepted up to a limit, with limits for their heads, and ended in order when the service stops.

use super::observe::Peer;
use super::options::ServeError;
use super::router::router;
use super::service::Service;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Longest time for the head of a request, and for the next one on an open connection.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// Largest head of a request in bytes, and most headers.
const MAX_HEAD_BYTES: usize = 32 << 10;
const MAX_HEADERS: usize = 100;
/// Most connections at the same time; others wait until one ends.
const MAX_CONNECTIONS: usize = 1024;
/// Pause after an error of accepting, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A connection, and its share of the connections that there may be.
type Accepted = (OwnedSemaphorePermit, TcpStream, SocketAddr);

/// Binds the address; returns it with its port.
///
/// # Errors
/// [`ServeError::Listen`].
pub(super) async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ServeError> {
    let failed = |cause| ServeError::Listen { address, cause };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// Serves connections until the service is told to stop; then waits for requests in work, at most for the grace time.
pub(super) async fn serve(service: &Arc<Service>, listener: TcpListener) {
    let router = router(service);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let http = protocol();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            () = service.stop.wait() => break,
        };
        match accepted {
            Ok(accepted) => start(&http, &graceful, &router, accepted),
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
    drop(listener);
    service.log.note("stopping; pages in work are finished, new ones are refused");
    if tokio::time::timeout(service.options.grace, graceful.shutdown()).await.is_err() {
        service.log.note("the grace time is over; pages in work are given up");
    }
}

/// HTTP with our limits.
fn protocol() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_LIMIT).max_buf_size(MAX_HEAD_BYTES).max_headers(MAX_HEADERS);
    http
}

async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> io::Result<Accepted> {
    let permit = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    // An answer is written at once; without this it would wait for the next one.
    stream.set_nodelay(true)?;
    Ok((permit, stream, peer))
}

fn start(http: &http1::Builder, graceful: &GracefulShutdown, router: &Router, (permit, stream, peer): Accepted) {
    let service = TowerToHyperService::new(router.clone().layer(Extension(Peer(peer))));
    let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        // An error concerns this client alone, which is gone or has not sent HTTP.
        let _ = connection.await;
        drop(permit);
    });
}
