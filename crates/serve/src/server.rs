//! The service from its start to its end: its routes, how its connections are served, and the order
//! in which they end when it stops. It also has the health check.

use super::clean::LINE_TYPES;
use super::connections::Connections;
use super::crawl;
use super::endpoints::{Description, ENDPOINTS, page_file, page_files};
use super::guard::prefix;
use super::log::Log;
use super::mcp;
use super::observe::{Peer, observe};
use super::options::{ServeError, ServiceOptions};
use super::problem::Problem;
use super::service::Service;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Extension, Router, middleware};
use futures_util::TryFutureExt;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::io::{self, Read, Write};
use std::net::{self, SocketAddr};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::decompression::RequestDecompressionLayer;
use vclean_run::{RateLimitedRenderer, RunError, Stop};

/// Number of threads that read and write requests. Heuristic: pages are cleaned on other threads,
/// and one thread could be busy with a large request.
const CONNECTION_THREADS: usize = 2;
/// Number of threads for work that blocks. The service has little of it. If standard input and
/// output are not pipes, as with clients that use sockets or files, each blocks one thread, and
/// neither may keep the other waiting.
const BLOCKING_THREADS: usize = 1;
const STANDARD_IO_THREADS: usize = BLOCKING_THREADS + 2;
/// Smallest answer that is compressed, in bytes. Heuristic: it fits into one network packet.
const MIN_PACKED_BYTES: u64 = 1024;
/// Longest wait for abandoned work when the service ends, and interval at which it is checked.
const END_LIMIT: Duration = Duration::from_secs(3);
const END_POLL: Duration = Duration::from_millis(20);
/// How often results that have expired are removed.
const EXPIRY_POLL: Duration = Duration::from_mins(1);
/// Largest head of a request in bytes, and largest number of headers.
const MAX_HEAD_BYTES: usize = 32 << 10;
const MAX_HEADERS: usize = 100;
/// Pause after an error of accepting, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Longest wait for the connection of a health check and for its answer, each.
const HEALTH_LIMIT: Duration = Duration::from_secs(4);
/// Number of bytes of a health check's answer that are read: enough for its status.
const MAX_HEALTH_BYTES: u64 = 64;

/// Serves HTTP until `stop` is set, and finishes the running requests. `announce` is called with
/// the address once requests are accepted.
///
/// # Errors
/// If others can reach the address and there is no token, or it cannot be listened on.
pub fn serve_http(
    options: ServiceOptions,
    renderer: RateLimitedRenderer,
    stop: &Stop,
    announce: impl FnOnce(SocketAddr) + Send,
) -> Result<(), ServeError> {
    options.check()?;
    run(
        options,
        renderer,
        stop,
        BLOCKING_THREADS,
        |service| async move {
            let (listener, bound) = bind(service.options.bind).await?;
            service.renderer.protect(bound.port());
            service.log.note(&format!("listening on {bound}"));
            announce(bound);
            crawl::resume(&service);
            remove_expired(&service);
            serve_connections(&service, listener).await;
            Ok(())
        },
    )
}

/// Serves the tools for language models to one client on standard input and output, until it closes
/// its end or `stop` is set.
///
/// # Errors
/// If the client does not speak the protocol.
pub fn serve_standard_io(
    options: ServiceOptions,
    renderer: RateLimitedRenderer,
    stop: &Stop,
) -> Result<(), ServeError> {
    run(
        options,
        renderer,
        stop,
        STANDARD_IO_THREADS,
        |service| async move { mcp::over_standard_io(&service).await },
    )
}

fn run<F: Future<Output = Result<(), ServeError>>>(
    options: ServiceOptions,
    renderer: RateLimitedRenderer,
    stop: &Stop,
    blocking_threads: usize,
    work: impl FnOnce(Arc<Service>) -> F,
) -> Result<(), ServeError> {
    let runtime = start_runtime(blocking_threads)?;
    stop.listen_on(&runtime);
    let service = Service::start(options, renderer, Log::standard_error(), stop.clone())?;
    let result = runtime.block_on(work(Arc::clone(&service)));
    // Abandoned work ends soon, and the browser ends with the last of it.
    let deadline = Instant::now() + END_LIMIT;
    runtime.shutdown_timeout(END_LIMIT);
    while Arc::strong_count(&service) > 1 && Instant::now() < deadline {
        thread::sleep(END_POLL);
    }
    result
}

/// Removes the results of jobs when they expire, in the background.
fn remove_expired(service: &Arc<Service>) {
    let service = Arc::downgrade(service);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(EXPIRY_POLL).await;
            let Some(service) = service.upgrade() else {
                return;
            };
            service.jobs.expire();
        }
    });
}

fn start_runtime(blocking_threads: usize) -> Result<Runtime, RunError> {
    let mut builder = Builder::new_multi_thread();
    let builder = builder
        .worker_threads(CONNECTION_THREADS)
        .max_blocking_threads(blocking_threads);
    let builder = builder.thread_name("vclean-http");
    builder.enable_all().build().map_err(RunError::Threads)
}

fn router(service: &Arc<Service>) -> Router {
    let mut router = Router::new();
    for endpoint in ENDPOINTS {
        router = router.route(endpoint.path, (endpoint.route)(service));
    }
    let is_endpoint = |path: &str| ENDPOINTS.iter().any(|endpoint| endpoint.path == path);
    for (path, ..) in page_files().filter(|(path, ..)| !is_endpoint(path)) {
        let file = path.clone();
        router = router.route(&path, get(move || async move { page_file(&file) }));
    }
    // Small answers gain nothing, and those of a batch are sent line by line as they are ready.
    let packed = SizeAbove::new(MIN_PACKED_BYTES)
        .and(NotForContentType::const_new(LINE_TYPES[0]))
        .and(NotForContentType::SSE)
        .and(NotForContentType::IMAGES);
    let nowhere = || async {
        Problem::new(
            StatusCode::NOT_FOUND,
            "there is no such endpoint; see /openapi.json",
        )
    };
    let wrong = || async {
        Problem::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "this endpoint has another method; see /openapi.json",
        )
    };
    router
        .fallback(nowhere)
        .method_not_allowed_fallback(wrong)
        .layer(Extension(Description::new(ENDPOINTS)))
        .layer(CompressionLayer::new().compress_when(packed))
        // Limits of bodies are applied after this, to the decompressed bytes.
        .layer(RequestDecompressionLayer::new())
        .layer(middleware::from_fn_with_state(Arc::clone(service), observe))
        .with_state(Arc::clone(service))
}

/// Listens on the address, and returns it with the port that was chosen.
///
/// # Errors
/// [`ServeError::Listen`].
async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ServeError> {
    let failed = |cause| ServeError::Listen { address, cause };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// Serves connections until the service is told to stop, then waits for running requests, at most
/// for the grace time.
async fn serve_connections(service: &Arc<Service>, listener: TcpListener) {
    let router = router(service);
    let graceful = GracefulShutdown::new();
    let limits = service.options.limits;
    let connections = Connections::new(limits.connections);
    let http = protocol(limits.head);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = service.stop.wait() => break,
        };
        if let Ok((stream, peer)) = accepted {
            serve_connection(&http, &graceful, &router, &connections, stream, peer);
        } else {
            connections.close_idle();
            tokio::time::sleep(ACCEPT_PAUSE).await;
        }
    }
    drop(listener);
    service
        .log
        .note("stopping; pages in work are finished, new ones are refused");
    if tokio::time::timeout(service.options.grace, graceful.shutdown())
        .await
        .is_err()
    {
        service
            .log
            .note("the grace time is over; pages in work are given up");
    }
}

/// HTTP with our limits.
fn protocol(head_limit: Duration) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(head_limit)
        .max_buf_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS);
    http
}

fn serve_connection(
    http: &http1::Builder,
    graceful: &GracefulShutdown,
    router: &Router,
    connections: &Arc<Connections>,
    stream: TcpStream,
    peer: SocketAddr,
) {
    // With this, an answer is sent at once and does not wait for the next one. An error concerns
    // this client alone, which is gone.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let Some((open, closed)) = connections.add(prefix(peer.ip())) else {
        return;
    };
    let open = Arc::new(open);
    let router = TowerToHyperService::new(router.clone().layer(Extension(Peer(peer))));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let busy = open.busy();
        // The body of the answer is sent later.
        let answer = router.call(request);
        answer.map_ok(move |answer| {
            answer.map(|body| {
                body.map_frame(move |frame| {
                    let _ = &busy;
                    frame
                })
            })
        })
    });
    let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        // An error concerns this client alone, which is gone or did not send HTTP.
        tokio::select! {
            _ = connection => (),
            _ = closed => (),
        }
    });
}

/// Sends a request to `/healthz` of the service at `address`. This is for containers, whose images
/// have no other client.
///
/// # Errors
/// [`ServeError::Unhealthy`] if it does not answer, or with another status than 200.
pub fn check_health(address: SocketAddr) -> Result<(), ServeError> {
    let unhealthy = |cause: String| ServeError::Unhealthy { address, cause };
    let answer = request_health(address).map_err(|error| unhealthy(error.to_string()))?;
    let line = answer.lines().next().unwrap_or_default();
    if line.starts_with("HTTP/1.1 200") {
        Ok(())
    } else {
        Err(unhealthy(format!("it answered {line}")))
    }
}

fn request_health(address: SocketAddr) -> io::Result<String> {
    let mut stream = net::TcpStream::connect_timeout(&address, HEALTH_LIMIT)?;
    stream.set_read_timeout(Some(HEALTH_LIMIT))?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MAX_HEALTH_BYTES).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::body::Pace;
    use super::super::options::tests::options;
    use super::super::options::{Limits, Token};
    use super::super::service::renderer_for_tests;
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc;

    const TOKENS: [&str; 2] = ["0123456789abcdef", "fedcba9876543210"];
    const PAGE: &str = "<p>A page that is short.";
    const PATIENCE: Duration = Duration::from_mins(1);

    /// A running service with these tokens. It ends when this is dropped.
    struct Running {
        address: SocketAddr,
        stop: Stop,
    }

    impl Drop for Running {
        fn drop(&mut self) {
            self.stop.set();
        }
    }

    impl Running {
        fn start(options: ServiceOptions) -> Self {
            let stop = Stop::new();
            let tokens = TOKENS
                .iter()
                .map(|token| Token::new(token).unwrap())
                .collect();
            let options = ServiceOptions { tokens, ..options };
            let (announce, address) = mpsc::channel();
            let ending = stop.clone();
            thread::spawn(move || {
                serve_http(options, renderer_for_tests(), &ending, |address| {
                    announce.send(address).unwrap();
                })
                .unwrap();
            });
            Self {
                address: address.recv().unwrap(),
                stop,
            }
        }

        /// Opens a connection and sends a text on it.
        fn send(&self, text: &str) -> TcpStream {
            let mut stream = TcpStream::connect(self.address).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
            stream
        }

        /// The head of a request with a page of `length` bytes.
        fn head(&self, token: &str, length: usize) -> String {
            let about = "Content-Type: text/html\r\nConnection: close";
            format!(
                "POST /v1/clean HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n{about}\r\n\
                 Content-Length: {length}\r\n\r\n",
                self.address
            )
        }

        /// The status of the answer to a page.
        fn clean(&self, token: &str) -> String {
            status(self.send(&(self.head(token, PAGE.len()) + PAGE)))
        }
    }

    fn status(stream: TcpStream) -> String {
        let mut answer = Vec::new();
        // A connection that is reset after its answer still has an answer.
        let _ = stream.take(12).read_to_end(&mut answer);
        String::from_utf8(answer)
            .unwrap()
            .trim_start_matches("HTTP/1.1 ")
            .to_owned()
    }

    #[test]
    fn bodies_that_arrive_slowly_take_no_places_and_are_given_up() {
        let pace = Pace {
            silence: Duration::from_secs(2),
            bytes_per_s: 1000.0,
            limit: PATIENCE,
        };
        let limits = Limits {
            pace,
            ..Limits::default()
        };
        let service = Running::start(ServiceOptions {
            limits,
            ..options()
        });
        let slow: Vec<TcpStream> = (0..20)
            .map(|_| service.send(&(service.head(TOKENS[0], 500) + "<")))
            .collect();
        let started = Instant::now();
        assert_eq!(TOKENS.map(|token| service.clean(token)), ["200", "200"]);
        let mut writing: Vec<TcpStream> = slow
            .iter()
            .map(|stream| stream.try_clone().unwrap())
            .collect();
        // Sending one more byte now and then does not help.
        while started.elapsed() < Duration::from_secs(30) {
            writing.retain_mut(|stream| stream.write_all(b"p").is_ok());
            if writing.is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "{} are still read",
            writing.len()
        );
        let statuses: Vec<String> = slow.into_iter().map(status).collect();
        // If bytes were sent after the answer, the connection may be reset before the answer is
        // read.
        assert!(
            statuses
                .iter()
                .all(|status| status == "408" || status.is_empty()),
            "{statuses:?}"
        );
    }

    #[test]
    fn bodies_that_are_being_read_have_a_share_of_memory() {
        let service = Running::start(ServiceOptions {
            max_body_bytes: 1000,
            ..options()
        });
        // Half of the memory is for eight bodies of one client.
        let page = "x".repeat(999);
        let begun: Vec<TcpStream> = (0..8)
            .map(|_| service.send(&(service.head(TOKENS[0], 1000) + &page)))
            .collect();
        let started = Instant::now();
        while service.clean(TOKENS[0]) == "200" {
            assert!(started.elapsed() < PATIENCE, "the memory is taken soon");
        }
        assert_eq!(TOKENS.map(|token| service.clean(token)), ["503", "200"]);
        drop(begun);
        while service.clean(TOKENS[0]) != "200" {
            assert!(started.elapsed() < PATIENCE, "the memory is given back");
        }
    }

    #[test]
    fn connections_that_wait_give_way_to_new_ones() {
        let limits = Limits {
            connections: 8,
            head: PATIENCE,
            ..Limits::default()
        };
        let service = Running::start(ServiceOptions {
            limits,
            ..options()
        });
        let idle: Vec<TcpStream> = ["", "GET /healthz HTTP/1.1\r\n"]
            .iter()
            .cycle()
            .take(40)
            .map(|head| service.send(head))
            .collect();
        assert_eq!(TOKENS.map(|token| service.clean(token)), ["200", "200"]);
        // Waiting connections do not interrupt a request that is being sent.
        let mut begun = service.send(
            &service
                .head(TOKENS[0], 5)
                .replace("Connection", "Expect: 100-continue\r\nConnection"),
        );
        begun
            .read_exact(&mut [0; "HTTP/1.1 100 Continue\r\n\r\n".len()])
            .unwrap();
        begun.write_all(b"<p>").unwrap();
        let more: Vec<TcpStream> = (0..40).map(|_| service.send("GET ")).collect();
        assert_eq!(service.clean(TOKENS[1]), "200");
        begun.write_all(b"ab").unwrap();
        assert_eq!(status(begun), "200");
        drop((idle, more));
    }

    #[test]
    fn a_service_is_well_if_it_says_so() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answers = std::thread::spawn(move || {
            for status in ["200 OK", "503 Service Unavailable"] {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 512]);
                write!(stream, "HTTP/1.1 {status}\r\n\r\nok\n").unwrap();
            }
        });
        assert!(check_health(address).is_ok());
        assert!(
            check_health(address)
                .unwrap_err()
                .to_string()
                .contains("503")
        );
        answers.join().unwrap();
        assert!(check_health(address).is_err(), "nobody listens");
    }
}
