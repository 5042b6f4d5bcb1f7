//! Nothing outlives the program, however it ends: no browser, no profile folder.
#![cfg(target_os = "linux")]

use crate::program::one_browser;
use crate::support::Server;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A living process: its number, its parent and its command line.
struct Process {
    parent: u32,
    /// When it started, to tell it from a later one with the same number.
    born: String,
    command: Vec<String>,
}

fn processes() -> BTreeMap<u32, Process> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let (Ok(stat), Ok(command)) =
            (fs::read_to_string(entry.path().join("stat")), fs::read(entry.path().join("cmdline")))
        else {
            continue;
        };
        // The name in parentheses may hold anything; what follows it is fixed.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        if fields.first() == Some(&"Z") {
            continue;
        }
        let parent = fields.get(1).and_then(|field| field.parse().ok()).unwrap_or(0);
        let born = fields.get(19).copied().unwrap_or_default().to_owned();
        let command = command.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect();
        found.insert(id, Process { parent, born, command });
    }
    found
}

/// All processes below `ancestor`.
fn descendants(all: &BTreeMap<u32, Process>, ancestor: u32) -> BTreeSet<u32> {
    let mut below = BTreeSet::from([ancestor]);
    loop {
        let more: Vec<u32> = all
            .iter()
            .filter(|(id, process)| below.contains(&process.parent) && !below.contains(id))
            .map(|(id, _)| *id)
            .collect();
        if more.is_empty() {
            below.remove(&ancestor);
            return below;
        }
        below.extend(more);
    }
}

/// What a running program has started.
struct Traces {
    /// Number and birth of each process.
    processes: BTreeMap<u32, String>,
    profiles: BTreeSet<PathBuf>,
}

/// Waits until the browser of `program` has a page process, and notes what there is.
fn traces(program: &Child) -> Traces {
    let start = Instant::now();
    loop {
        let all = processes();
        let below = descendants(&all, program.id());
        // Page processes are forked, and write their command line into one part.
        let is_page = |id: &u32| all[id].command.iter().any(|part| part.contains("--type=renderer"));
        if below.iter().any(is_page) {
            let profiles = below
                .iter()
                .flat_map(|id| &all[id].command)
                .filter_map(|part| part.strip_prefix("--user-data-dir="))
                .map(PathBuf::from)
                .collect();
            return Traces { processes: below.iter().map(|id| (*id, all[id].born.clone())).collect(), profiles };
        }
        assert!(start.elapsed() < Duration::from_secs(20), "no browser was started");
        thread::sleep(Duration::from_millis(50));
    }
}

impl Traces {
    fn living(&self) -> Vec<String> {
        let all = processes();
        self.processes
            .iter()
            .filter(|(id, born)| all.get(id).is_some_and(|process| process.born == **born))
            .map(|(id, _)| format!("{id}: {}", all[id].command.join(" ")))
            .collect()
    }

    /// Waits until nothing of it is left.
    #[track_caller]
    fn assert_gone(&self) {
        assert!(!self.profiles.is_empty(), "the browser has a profile folder");
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) {
            if self.living().is_empty() && self.profiles.iter().all(|folder| !folder.exists()) {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        panic!("left behind: {:?} {:?}", self.living(), self.profiles);
    }
}

/// Starts the program on a page that never ends and ends it with `signal`; gives the folder for temporary files.
fn end_with(signal: &str) -> (tempfile::TempDir, Traces, std::process::ExitStatus) {
    let server = Server::start();
    let temporary = tempfile::tempdir().unwrap();
    // The browser may run as another user.
    fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_vclean"))
        .args(["render-and-clean", "--allow-private", "--timeout", "10", "--jobs", "1"])
        // The page in flight is finished at its time limit; a second one is left, so that the run has not done all.
        .args([server.url("slow"), server.url("slow?again")])
        .env("TMPDIR", temporary.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let traces = traces(&program);
    let sent = Command::new("kill").args([signal, &program.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let status = program.wait().unwrap();
    (temporary, traces, status)
}

#[test]
fn a_killed_program_leaves_no_browser_and_no_profile() {
    let _alone = one_browser();
    let (_temporary, traces, status) = end_with("-KILL");
    assert_eq!(status.code(), None, "it was killed");
    traces.assert_gone();
}

#[test]
fn an_interrupted_program_cleans_up_and_says_so_by_its_code() {
    let _alone = one_browser();
    for signal in ["-INT", "-TERM"] {
        let (temporary, traces, status) = end_with(signal);
        // Interrupted, or gone before it could listen.
        assert!(matches!(status.code(), Some(130) | None), "{signal}: {status}");
        traces.assert_gone();
        let left: Vec<_> = fs::read_dir(temporary.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(left.is_empty(), "{signal} leaves {left:?}");
    }
}
