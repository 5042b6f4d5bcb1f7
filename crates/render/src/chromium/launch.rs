//! Finds a browser, and starts one that ends when our process ends.
//!
//! A small shell script, the watchdog, starts the browser in its own process group and then waits
//! on a socket that we hold. When the socket is closed, by us or because our process ended for any
//! reason, it kills the whole group and removes the browser's folder. Chromium's sandbox does not
//! work as root, so the browser then runs as `nobody` and the sandbox stays on.

use super::memory::MemoryLimits;
use super::pipe::Pipe;
use super::system::{self, is_program};
use crate::options::INSTALL;
use crate::programs::printable;
use serde::Deserialize;
use serde_json::json;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs};
use vclean_core::error::RenderError;

/// Longest wait for the browser's first response.
const START_LIMIT: Duration = Duration::from_secs(20);

/// `$1` is the browser's folder, the other arguments are its command line. Standard input is the
/// browser's end of its connection to us, which only the browser keeps, as files 3 and 4. Standard
/// output is the watchdog's own connection to us, on which it also waits.
const WATCHDOG: &str = r#"
folder=$1
shift
exec 3<&0 4>&0 0<&1
setsid "$@" </dev/null >&2 &
browser=$!
exec 3<&- 4>&-
echo "$browser"
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
    "--remote-debugging-pipe",
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
    // The proxy resolves names; the browser itself must not query name servers.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // Content below the viewport is always painted. `pictures` can then capture it without a
    // separate painting, for which the browser would lay out the page twice more.
    "--blink-settings=mainFrameClipsContent=false",
    // Frames of other sites run in the page's own process, so that one snapshot contains them all.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,IsolateSandboxedIframes,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,DnsOverHttps,AsyncDns,LocalNetworkAccessChecks",
];

/// Environment variables that name folders, and the corresponding folders in the profile.
const FOLDERS: &[(&str, &str)] = &[
    ("PULSE_RUNTIME_PATH", "pulse"),
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_RUNTIME_DIR", "run"),
];

/// Port and password of a proxy.
#[derive(Debug, Clone)]
pub(super) struct ProxyAccess {
    /// TCP port on the loopback interface.
    pub(super) port: u16,
    /// Password for the user name `PROXY_USER`.
    pub(super) password: String,
}

/// How to start a browser.
#[derive(Debug, Clone)]
pub(super) struct Start {
    /// Path of the browser's executable.
    pub(super) program: PathBuf,
    /// Set to run without the sandbox.
    pub(super) no_sandbox: bool,
    /// The proxy that applies the network policy.
    pub(super) proxy: ProxyAccess,
    /// The proxy that blocks everything.
    pub(super) blocking_proxy: ProxyAccess,
    /// Window size in CSS px.
    pub(super) viewport_px: [u32; 2],
    /// Limits of the browser's memory.
    pub(super) memory: MemoryLimits,
    /// Set to name this program to servers, and not the browser.
    pub(super) as_robot: bool,
}

/// A running browser; dropping it kills its whole process group and removes its folder.
#[derive(Debug)]
pub(super) struct Process {
    watchdog: Child,
    /// The watchdog ends the browser when this socket is closed.
    control: Option<UnixStream>,
    folder: PathBuf,
    profile: PathBuf,
    /// Owner of the profile, if it is another user.
    owner: Option<system::Owner>,
    /// Id of the browser's process, which is also that of its process group.
    pub(super) group: u32,
}

/// Versions in the browser's response to `Browser.getVersion`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Version {
    /// Product and version, such as `HeadlessChrome/140.0.0.0`.
    pub(super) product: String,
    /// User agent of the browser without other settings.
    pub(super) user_agent: String,
}

impl Process {
    /// Starts a browser and waits until it responds.
    pub(super) fn start(start: &Start) -> Result<(Self, Pipe, Version), RenderError> {
        let fail = |cause: String| RenderError::Browser(cause);
        system::check()?;
        let owner = if start.no_sandbox {
            None
        } else {
            owner_for_sandbox()?
        };
        if owner.is_some() {
            check_enterable(&std::env::temp_dir())?;
        }
        let made = tempfile::Builder::new().prefix("vclean-browser-").tempdir();
        let folder = made.map_err(|error| unusable(&error))?.keep();
        let profile = folder.join("profile");
        let made = fs::create_dir(&profile).and_then(|()| {
            // Other users may pass through this folder but not list it.
            system::close_folder(&folder, true)?;
            system::close_folder(&profile, false)?;
            owner.map_or(Ok(()), |owner| system::give(&profile, owner))
        });
        if let Err(error) = made {
            let _ = fs::remove_dir_all(&folder);
            return Err(unusable(&error));
        }
        let (mut process, connection) = match spawn(start, folder.clone(), profile, owner) {
            Ok(spawned) => spawned,
            Err(error) => {
                let _ = fs::remove_dir_all(&folder);
                return Err(fail(format!(
                    "cannot start {}: {error}; check `browser`",
                    start.program.display()
                )));
            }
        };
        let log = BrowserLog::follow(process.watchdog.stderr.take());
        let (pipe, version) = process.connect(start, connection, &log)?;
        Ok((process, pipe, version))
    }

    /// Waits until the browser responds on `connection`.
    fn connect(
        &mut self,
        start: &Start,
        connection: UnixStream,
        log: &BrowserLog,
    ) -> Result<(Pipe, Version), RenderError> {
        let mut line = String::new();
        if let Some(control) = &self.control {
            let _ = control.set_read_timeout(Some(START_LIMIT));
            // The watchdog writes only this line.
            let _ = BufReader::new(control.take(LINE_BYTES)).read_line(&mut line);
        }
        self.group = line.trim().parse().unwrap_or(0);
        let pipe = Pipe::open(connection).map_err(|error| {
            RenderError::Browser(format!("cannot connect to the browser: {error}"))
        })?;
        match pipe.call("Browser.getVersion", &json!({}), START_LIMIT) {
            Ok(version) => Ok((pipe, version)),
            Err(_) => Err(self.fault(start, log)),
        }
    }

    /// Determines why the browser does not respond.
    fn fault(&self, start: &Start, log: &BrowserLog) -> RenderError {
        // The last lines of its log may not have arrived yet.
        std::thread::sleep(Duration::from_millis(100));
        let alive = self.group != 0 && fs::read_link(format!("/proc/{}/exe", self.group)).is_ok();
        let last_lines = log.text();
        let happened = if alive {
            "does not answer"
        } else {
            "ends at once"
        };
        let remedy = if last_lines.contains("sandbox") || last_lines.contains("namespace") {
            "its sandbox does not work here; use `no_sandbox` if the pages are trusted"
        } else {
            "run vclean doctor"
        };
        RenderError::Browser(format!(
            "the browser {} {happened}; {remedy}{}{last_lines}",
            start.program.display(),
            if last_lines.is_empty() {
                ""
            } else {
                "; its log: "
            },
        ))
    }

    /// Writes a file that the browser can read, and returns its path.
    pub(super) fn write_readable(&self, name: &str, bytes: &[u8]) -> std::io::Result<PathBuf> {
        let path = self.folder.join(name);
        write_new_for(self.owner, &path, bytes)?;
        Ok(path)
    }

    /// CPU time of the browser's process group so far, in ms, including ended child processes.
    pub(super) fn cpu_ms(&self) -> u64 {
        system::cpu_ms(self.group)
    }
}

impl Process {
    /// Returns true if the group's process is still our browser: an id may be reused later.
    fn is_running(&self) -> bool {
        let command = fs::read(format!("/proc/{}/cmdline", self.group)).unwrap_or_default();
        memchr::memmem::find(&command, self.profile.as_os_str().as_encoded_bytes()).is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.control.take());
        let ended = self.watchdog.wait();
        // If the watchdog was killed, the browser still runs, and its folder exists.
        if ended.is_ok_and(|status| status.code().is_none()) && self.is_running() {
            system::kill_group(self.group);
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Writes a new file for another user, or for ours. It must be in a folder of our own: in one of
/// the browser, processes of its user could replace it by a link, and we may be root.
fn write_new_for(owner: Option<system::Owner>, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(bytes)?;
    owner.map_or(Ok(()), |owner| system::give(path, owner))
}

/// Starts the watchdog; also returns our end of the connection to the browser.
fn spawn(
    start: &Start,
    folder: PathBuf,
    profile: PathBuf,
    owner: Option<(u32, u32)>,
) -> std::io::Result<(Process, UnixStream)> {
    let (connection, of_browser) = UnixStream::pair()?;
    let (control, of_watchdog) = UnixStream::pair()?;
    let mut command = Command::new("/bin/sh");
    command
        .arg("-c")
        .arg(WATCHDOG)
        .arg("vclean-watchdog")
        .arg(&folder);
    let mut home = std::ffi::OsString::from("HOME=");
    home.push(&profile);
    if let Some((user, group)) = owner {
        command
            .arg("setpriv")
            .args([format!("--reuid={user}"), format!("--regid={group}")])
            .args(["--clear-groups", "--reset-env"]);
    }
    command.arg("env").arg(home);
    // Files in these folders are removed with the profile, including files of libraries, such as
    // that of a sound server.
    for (name, folder) in FOLDERS {
        let mut setting = std::ffi::OsString::from(*name);
        setting.push("=");
        setting.push(profile.join(folder));
        command.arg(setting);
    }
    command.arg(&start.program).args(FLAGS);
    if start.no_sandbox {
        command.arg("--no-sandbox");
    }
    let mut data = std::ffi::OsString::from("--user-data-dir=");
    data.push(&profile);
    let [width, height] = start.viewport_px;
    command
        .arg(data)
        .arg(format!("--window-size={width},{height}"))
        .arg(format!(
            "--proxy-server=http://127.0.0.1:{}",
            start.proxy.port
        ))
        .arg("--proxy-bypass-list=<-loopback>")
        // A script that needs more is stopped before it slows the machine down; `memory` watches
        // everything else.
        .arg(format!(
            "--js-flags=--max-old-space-size={}",
            start.memory.page >> 20
        ))
        .arg("about:blank");
    // A browser that a page has compromised must not be able to read the token of the service.
    command.env_remove("VCLEAN_TOKEN");
    command
        .stdin(Stdio::from(OwnedFd::from(of_browser)))
        .stdout(Stdio::from(OwnedFd::from(of_watchdog)))
        .stderr(Stdio::piped())
        .current_dir("/");
    // Interrupt keys must not reach the watchdog, which has to clean up afterwards.
    let watchdog = system::detach(&mut command).spawn()?;
    Ok((
        Process {
            watchdog,
            control: Some(control),
            folder,
            profile,
            owner,
            group: 0,
        },
        connection,
    ))
}

/// Determines the user that must run the browser for its sandbox to work: our own user, or `nobody`
/// if we are root.
fn owner_for_sandbox() -> Result<Option<(u32, u32)>, RenderError> {
    if !system::is_root() {
        return Ok(None);
    }
    if on_path("setpriv").is_none() {
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

/// Number of log lines that are kept.
const LINES: usize = 12;
/// Longest line that is read, in bytes; the rest of a longer one counts as another line.
const LINE_BYTES: u64 = 4096;
/// The last lines that a browser printed.
struct BrowserLog {
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl BrowserLog {
    /// Reads a stream to its end, on a thread, so that the browser never blocks on a full pipe.
    pub(super) fn follow(stream: Option<impl Read + Send + 'static>) -> Self {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(stream) = stream {
            let kept = Arc::clone(&lines);
            let read = move || {
                let mut reader = BufReader::new(stream);
                let mut line = Vec::new();
                while reader
                    .by_ref()
                    .take(LINE_BYTES)
                    .read_until(b'\n', &mut line)
                    .is_ok_and(|length| length > 0)
                {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    if kept.len() == LINES {
                        kept.pop_front();
                    }
                    kept.push_back(printable(&line));
                    line.clear();
                }
            };
            let _ = std::thread::Builder::new()
                .name("vclean-browser-log".into())
                .spawn(read);
        }
        Self { lines }
    }

    /// Joins the lines to one.
    pub(super) fn text(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines
            .iter()
            .map(String::as_str)
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(" | ")
    }
}

/// The error if the browser's folder cannot be created in the folder for temporary files.
pub(super) fn unusable(error: &std::io::Error) -> RenderError {
    RenderError::Browser(format!(
        "cannot make a folder for the browser in {}: {error}; set TMPDIR to a folder that can be written",
        env::temp_dir().display()
    ))
}

/// Checks that other users may enter the folder `temporary`: a browser that runs as another user
/// has its files there, and would otherwise exit without a message.
///
/// # Errors
/// [`RenderError::Browser`], with the folder on the path that is closed.
fn check_enterable(temporary: &Path) -> Result<(), RenderError> {
    let real = temporary.canonicalize().map_err(|error| unusable(&error))?;
    let is_closed = |folder: &&Path| {
        folder
            .metadata()
            .is_ok_and(|facts| facts.permissions().mode() & 0o001 == 0)
    };
    match real.ancestors().filter(is_closed).last() {
        None => Ok(()),
        Some(closed) => Err(RenderError::Browser(format!(
            "the browser runs as another user, who may not enter {}; set TMPDIR to a folder that all users may enter, \
             such as /tmp",
            closed.display()
        ))),
    }
}

/// Names searched on PATH, best first: the headless shell starts faster and renders more pages per
/// second.
const NAMES: &[&str] = &[
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "google-chrome",
    "google-chrome-stable",
    "chromium-browser",
];

/// Finds the browser to use: `explicit`, else the variable `VCLEAN_BROWSER`, else the first of
/// `chromium-headless-shell`, `chromium`, `google-chrome` and their other names on PATH.
///
/// A shell script that only starts a browser (Debian's `chromium-headless-shell`) is replaced by
/// the program that it starts.
///
/// # Errors
/// [`RenderError::Browser`] if there is none, with the command that installs one.
pub fn find_browser(explicit: Option<&Path>) -> Result<PathBuf, RenderError> {
    let missing = |path: &Path, source: &str| {
        RenderError::Browser(format!(
            "{source} names {}, which is not a program; check the path",
            path.display()
        ))
    };
    if let Some(path) = explicit {
        return named(path).ok_or_else(|| missing(path, "`browser`"));
    }
    if let Some(path) = std::env::var_os("VCLEAN_BROWSER").filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return named(&path).ok_or_else(|| missing(&path, "VCLEAN_BROWSER"));
    }
    NAMES
        .iter()
        .find_map(|name| on_path(name))
        .map(|path| behind_wrapper(&path))
        .ok_or_else(|| {
            RenderError::Browser(format!(
                "no browser found on PATH ({}); install one: {INSTALL}, or name one with `browser`",
                NAMES.join(", ")
            ))
        })
}

/// Returns a path as it is, and looks up a bare name on PATH.
fn named(path: &Path) -> Option<PathBuf> {
    let found = if is_program(path) {
        path.to_path_buf()
    } else if path.components().count() == 1 {
        on_path(path.to_str()?)?
    } else {
        return None;
    };
    Some(behind_wrapper(&std::path::absolute(found).ok()?))
}

/// Finds the program `name` on PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

fn behind_wrapper(path: &Path) -> PathBuf {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(16 << 10).read_to_end(&mut start));
    if read.is_err() || !start.starts_with(b"#!") {
        return path.to_path_buf();
    }
    let script = String::from_utf8_lossy(&start);
    script
        .lines()
        .skip(1)
        .flat_map(str::split_whitespace)
        .map(|word| Path::new(word.trim_matches(['"', '\''])))
        .find(|word| {
            let is_browser = word
                .file_name()
                .is_some_and(|name| name.to_string_lossy().contains("chrom"));
            is_browser && word.is_absolute() && is_program(word) && is_binary(word)
        })
        .unwrap_or(path)
        .to_path_buf()
}

fn is_binary(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut magic))
        .is_ok()
        && magic == *b"\x7fELF"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::LINE_CHARACTERS;
    use std::fs::{Permissions, create_dir, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_line_without_end_is_read_in_parts() {
        let log = BrowserLog::follow(Some(std::io::repeat(b'x').take(1 << 20)));
        let is_done = |log: &BrowserLog| Arc::strong_count(&log.lines) == 1;
        while !is_done(&log) {
            std::thread::yield_now();
        }
        assert!(
            log.text().len() <= LINES * (LINE_CHARACTERS + 3),
            "{}",
            log.text().len()
        );
    }

    #[test]
    fn links_in_folders_of_others_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (theirs, link) = (folder.path().join("theirs"), folder.path().join("0.mhtml"));
        std::fs::write(&theirs, "theirs").unwrap();
        std::os::unix::fs::symlink(&theirs, &link).unwrap();
        assert!(write_new_for(None, &link, b"page").is_err());
        assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "theirs");
        let own = folder.path().join("1.mhtml");
        write_new_for(None, &own, b"page").unwrap();
        assert_eq!(own.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_place_that_others_cannot_enter_is_named_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let (closed, inner) = (
            folder.path().join("closed"),
            folder.path().join("closed/inner"),
        );
        set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        create_dir(&closed).unwrap();
        create_dir(&inner).unwrap();
        for path in [&closed, &inner] {
            set_permissions(path, Permissions::from_mode(0o755)).unwrap();
        }
        check_enterable(&inner).unwrap();
        set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
        let error = check_enterable(&inner).unwrap_err().to_string();
        assert!(
            error.contains("/closed;") && error.contains("set TMPDIR"),
            "{error}"
        );
        assert!(
            check_enterable(&inner.join("none"))
                .unwrap_err()
                .to_string()
                .contains("can be written")
        );
    }

    #[test]
    fn a_wrapper_is_replaced_by_the_program_that_it_starts() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let real = make("chromium-real", b"\x7fELF and more");
        let wrapper = make(
            "wrapper",
            format!("#!/bin/sh -e\n\n{} \"$@\"\n", real.display()).as_bytes(),
        );
        assert_eq!(find_browser(Some(&wrapper)).unwrap(), real);
        let other = make("other", b"#!/bin/sh\nexec $LIBDIR/chromium \"$@\"\n");
        assert_eq!(find_browser(Some(&other)).unwrap(), other);
    }

    #[test]
    fn a_missing_browser_is_named() {
        let error = find_browser(Some(Path::new("/nowhere/chromium")))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("/nowhere/chromium") && error.contains("`browser`"),
            "{error}"
        );
    }
}
