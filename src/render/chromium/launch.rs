//! Starts a browser that ends when our process ends.
//!
//! A small shell script, the watchdog, starts the browser in its own process group and then waits on a pipe that we
//! hold. When the pipe is closed, because we closed it or because our process ended for any reason, it kills the whole
//! group and removes the browser's folder. Chromium's sandbox does not work as root, so the browser then runs as
//! `nobody` and the sandbox stays on.

use super::browser_log::BrowserLog;
use super::memory::MemoryLimits;
use super::{find, process_group, system, temporary};
use crate::error::RenderError;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for the browser's debugging port.
const START_LIMIT: Duration = Duration::from_secs(20);

/// `$1` is the browser's folder, the other arguments are its command line.
const WATCHDOG: &str = r#"
folder=$1
shift
setsid "$@" </dev/null >&2 &
browser=$!
echo "$browser"
exec 1>&-
read -r _
kill -s KILL -- "-$browser" 2>/dev/null
kill -s KILL "$browser" 2>/dev/null
wait "$browser" 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf -- "$folder" 2>/dev/null
  [ -e "$folder" ] || break
  sleep 0.1
done
"#;

/// Flags for every browser.
const FLAGS: &[&str] = &[
    "--headless",
    "--remote-debugging-port=0",
    "--hide-scrollbars",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-device-scale-factor=1",
    "--force-color-profile=srgb",
    "--disable-gpu",
    "--mute-audio",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-notifications",
    "--disable-quic",
    "--disable-sync",
    "--deny-permission-prompts",
    "--block-new-web-contents",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--password-store=basic",
    "--use-mock-keychain",
    "--metrics-recording-only",
    // The proxy resolves names; the browser itself must not send any to a name server.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // Content below the viewport is always painted. `picture` can then capture it without a separate painting, for
    // which the browser would lay out the page twice more.
    "--blink-settings=mainFrameClipsContent=false",
    // Frames of other sites run in the page's own process, so that one snapshot contains them all.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,IsolateSandboxedIframes,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,DnsOverHttps,AsyncDns,LocalNetworkAccessChecks",
];

/// Where a proxy is, and what it wants to know.
#[derive(Debug, Clone)]
pub(super) struct ProxyAccess {
    /// Its port on the loopback interface.
    pub(super) port: u16,
    /// Its password.
    pub(super) password: String,
}

/// How to start a browser.
#[derive(Debug, Clone)]
pub(super) struct Start {
    /// The program.
    pub(super) program: PathBuf,
    /// Whether to run without the sandbox.
    pub(super) no_sandbox: bool,
    /// The proxy on the loopback interface.
    pub(super) proxy: ProxyAccess,
    /// The proxy that blocks everything.
    pub(super) blocking_proxy: ProxyAccess,
    /// Window size in CSS px.
    pub(super) viewport_px: [u32; 2],
    /// How much memory it may use.
    pub(super) memory: MemoryLimits,
}

/// A running browser; dropping it kills its whole process group and removes its folder.
#[derive(Debug)]
pub(super) struct Process {
    watchdog: Child,
    pipe: Option<ChildStdin>,
    folder: PathBuf,
    profile: PathBuf,
    /// Owner of the profile, if it is another user.
    owner: Option<system::Owner>,
    /// Process and process group of the browser.
    pub(super) group: u32,
    /// Debugging port.
    pub(super) port: u16,
    /// Path of the browser's own debugging socket.
    pub(super) path: String,
}

impl Process {
    /// Starts a browser and waits until its debugging port is open.
    pub(super) fn start(start: &Start) -> Result<Self, RenderError> {
        let fail = |cause: String| RenderError::Browser(cause);
        system::check()?;
        let owner = if start.no_sandbox { None } else { owner_for_sandbox()? };
        if owner.is_some() {
            temporary::check_enterable(&std::env::temp_dir())?;
        }
        let made = tempfile::Builder::new().prefix("vclean-browser-").tempdir();
        let folder = made.map_err(|error| temporary::unusable(&error))?.keep();
        let profile = folder.join("profile");
        let made = fs::create_dir(&profile).and_then(|()| {
            // Other users may pass through this folder but not list it.
            system::close_folder(&folder, true)?;
            system::close_folder(&profile, false)?;
            owner.map_or(Ok(()), |owner| system::give(&profile, owner))
        });
        if let Err(error) = made {
            let _ = fs::remove_dir_all(&folder);
            return Err(temporary::unusable(&error));
        }
        let mut process = match spawn(start, folder.clone(), profile, owner) {
            Ok(process) => process,
            Err(error) => {
                let _ = fs::remove_dir_all(&folder);
                return Err(fail(format!("cannot start {}: {error}; check `browser`", start.program.display())));
            }
        };
        let log = BrowserLog::follow(process.watchdog.stderr.take());
        process.await_port(start, &log)?;
        Ok(process)
    }

    fn await_port(&mut self, start: &Start, log: &BrowserLog) -> Result<(), RenderError> {
        let began = Instant::now();
        let mut line = String::new();
        if let Some(out) = self.watchdog.stdout.take() {
            let _ = BufReader::new(out).read_line(&mut line);
        }
        self.group = line.trim().parse().unwrap_or(0);
        let file = self.profile.join("DevToolsActivePort");
        loop {
            if let Ok(text) = fs::read_to_string(&file)
                && let Some((port, path)) = text.split_once('\n')
                && let Ok(port) = port.trim().parse()
                && !path.trim().is_empty()
            {
                self.port = port;
                path.trim().clone_into(&mut self.path);
                return Ok(());
            }
            let alive = self.group != 0 && fs::read_link(format!("/proc/{}/exe", self.group)).is_ok();
            if !alive || began.elapsed() > START_LIMIT {
                // The last lines of its log may not have arrived yet.
                std::thread::sleep(Duration::from_millis(100));
                let last_lines = log.text();
                let happened = if alive { "does not answer" } else { "ends at once" };
                let remedy = if last_lines.contains("sandbox") || last_lines.contains("namespace") {
                    "its sandbox does not work here; use `no_sandbox` if the pages are trusted"
                } else {
                    "run vclean doctor"
                };
                return Err(RenderError::Browser(format!(
                    "the browser {} {happened}; {remedy}{}{last_lines}",
                    start.program.display(),
                    if last_lines.is_empty() { "" } else { "; its log: " },
                )));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Writes a file that the browser can read, and returns its path.
    pub(super) fn write_readable(&self, name: &str, bytes: &[u8]) -> std::io::Result<PathBuf> {
        let path = self.profile.join(name);
        fs::write(&path, bytes)?;
        if let Some(owner) = self.owner {
            system::give(&path, owner)?;
        }
        Ok(path)
    }

    /// CPU time of the browser's process group so far, in ms, including ended child processes.
    pub(super) fn cpu_ms(&self) -> u64 {
        process_group::cpu_ms(self.group)
    }
}

impl Process {
    /// Whether the process with the id of the group is still our browser: an id may be given to another process later.
    fn is_running(&self) -> bool {
        let command = fs::read(format!("/proc/{}/cmdline", self.group)).unwrap_or_default();
        memchr::memmem::find(&command, self.profile.as_os_str().as_encoded_bytes()).is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.pipe.take());
        let ended = self.watchdog.wait();
        // A watchdog that was killed has left the browser running, and its folder.
        if ended.is_ok_and(|status| status.code().is_none()) && self.is_running() {
            system::kill_group(self.group);
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn spawn(start: &Start, folder: PathBuf, profile: PathBuf, owner: Option<(u32, u32)>) -> std::io::Result<Process> {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(WATCHDOG).arg("vclean-watchdog").arg(&folder);
    let mut home = std::ffi::OsString::from("HOME=");
    home.push(&profile);
    if let Some((user, group)) = owner {
        command
            .arg("setpriv")
            .args([format!("--reuid={user}"), format!("--regid={group}")])
            .args(["--clear-groups", "--reset-env"]);
    }
    command.arg("env").arg(home).arg(&start.program).args(FLAGS);
    if start.no_sandbox {
        command.arg("--no-sandbox");
    }
    let mut data = std::ffi::OsString::from("--user-data-dir=");
    data.push(&profile);
    let [width, height] = start.viewport_px;
    command
        .arg(data)
        .arg(format!("--window-size={width},{height}"))
        .arg(format!("--proxy-server=http://127.0.0.1:{}", start.proxy.port))
        .arg("--proxy-bypass-list=<-loopback>")
        // A script that needs more ends before it slows the machine down; `memory` watches everything else.
        .arg(format!("--js-flags=--max-old-space-size={}", start.memory.page >> 20))
        .arg("about:blank");
    // A browser that a page has taken over must not be able to read the token of the service.
    command.env_remove("VCLEAN_TOKEN");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).current_dir("/");
    // Interrupt keys must not reach the watchdog, which has to clean up afterwards.
    let mut watchdog = system::detach(&mut command).spawn()?;
    let pipe = watchdog.stdin.take();
    Ok(Process { watchdog, pipe, folder, profile, owner, group: 0, port: 0, path: String::new() })
}

/// The user that must run the browser for its sandbox to work: our own user, or `nobody` if we are root.
fn owner_for_sandbox() -> Result<Option<(u32, u32)>, RenderError> {
    if !system::is_root() {
        return Ok(None);
    }
    if find::on_path("setpriv").is_none() {
        return Err(RenderError::Browser(
            "the browser's sandbox does not work as root and setpriv is missing; run as another user, install util-linux, or use `no_sandbox` if the pages are trusted".to_owned(),
        ));
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let nobody = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next() == Some("nobody")).then_some(())?;
        let user = fields.nth(1)?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        Some((user, group))
    });
    Ok(Some(nobody.unwrap_or((65534, 65534))))
}
