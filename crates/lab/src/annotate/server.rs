//! The server: listens on the loopback address until the program is told to end.

use super::error::AnnotateError;
use super::guard::Guard;
use super::project::Project;
use super::routes::{Service, Tabs, router};
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Builder;

/// How long requests that are being answered may take after the program was told to end.
const CLOSING_TIME: Duration = Duration::from_secs(2);

/// A server that has its port and does not answer yet.
pub struct Server {
    listener: TcpListener,
    guard: Guard,
}

impl Server {
    /// Takes a port of the loopback address; 0 takes a free one.
    ///
    /// # Errors
    /// If the port is taken, or the system gives no random numbers for the token.
    pub fn bind(port: u16) -> Result<Self, AnnotateError> {
        let fail = |cause: io::Error| AnnotateError::Port { port, cause };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let port = listener.local_addr().map_err(fail)?.port();
        let guard = Guard::new(port).map_err(|error| AnnotateError::Input(error.to_string()))?;
        Ok(Self { listener, guard })
    }

    /// The address that opens one window.
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Serves `project` until Ctrl-C or the request to terminate. `on_new_address` is told the
    /// address for another window each time one was opened.
    ///
    /// # Errors
    /// If threads cannot be started, or connections cannot be accepted.
    pub fn serve(
        self,
        project: Project,
        on_new_address: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<(), AnnotateError> {
        let port = self
            .listener
            .local_addr()
            .map_or(0, |address| address.port());
        let fail = move |cause: io::Error| AnnotateError::Port { port, cause };
        let service = Service {
            project,
            guard: self.guard,
            tabs: Tabs::default(),
            on_new_address: Box::new(on_new_address),
        };
        let router = router(Arc::new(service));
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(fail)?;
        let listener = self.listener;
        let served = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let (tell, mut told) = tokio::sync::watch::channel(false);
            let mut end = told.clone();
            tokio::spawn(async move {
                interrupted().await;
                tell.send_replace(true);
            });
            let serving = axum::serve(listener, router).with_graceful_shutdown(async move {
                let _ = end.wait_for(|&is_told| is_told).await;
            });
            let too_long = async move {
                let _ = told.wait_for(|&is_told| is_told).await;
                tokio::time::sleep(CLOSING_TIME).await;
            };
            either(async move { serving.await }, too_long).await
        });
        runtime.shutdown_timeout(CLOSING_TIME);
        served.map_err(fail)
    }
}

/// The result of serving, or nothing if ending takes too long.
async fn either(
    serving: impl Future<Output = io::Result<()>>,
    too_long: impl Future<Output = ()>,
) -> io::Result<()> {
    tokio::select! {
        result = serving => result,
        () = too_long => Ok(()),
    }
}

/// Waits for Ctrl-C or the request to terminate.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

// Starts the desktop's browser. Written here, because the crates for it bring more than these three
// commands.

/// The command that opens an address, and its first arguments.
const OPENER: (&str, &[&str]) = if cfg!(target_os = "macos") {
    ("open", &[])
} else if cfg!(windows) {
    ("rundll32", &["url.dll,FileProtocolHandler"])
} else {
    ("xdg-open", &[])
};

/// Opens an address in the desktop's browser. The address works once, so that other users of the
/// machine who see the command cannot use it afterwards.
///
/// # Errors
/// If the command cannot be started.
pub fn open_desktop_browser(address: &str) -> io::Result<()> {
    let (program, arguments) = OPENER;
    let mut command = Command::new(program);
    command.args(arguments).arg(address);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // Some systems start the browser in this very process, which then ends with the browser.
    std::thread::spawn(move || child.wait());
    Ok(())
}
