//! Tests that no browser process and no profile folder remains, however the program ends.
#![cfg(target_os = "linux")]

use crate::processes::{descendants, processes};
use crate::program::only_browser;
use crate::support::Server;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// The processes and profile folders of a running program.
struct Traces {
    /// Start time of each process by its id.
    processes: BTreeMap<u32, String>,
    profiles: BTreeSet<PathBuf>,
}

/// Waits until the browser of `program` has a page process, and records its processes and folders.
fn traces(program: &Child) -> Traces {
    let start = Instant::now();
    loop {
        let all = processes();
        let below = descendants(&all, program.id());
        // Page processes are forked, and have their whole command line in one argument.
        let is_page = |id: &u32| {
            all[id]
                .command
                .iter()
                .any(|part| part.contains("--type=renderer"))
        };
        if below.iter().any(is_page) {
            let profiles = below
                .iter()
                .flat_map(|id| &all[id].command)
                .filter_map(|part| part.strip_prefix("--user-data-dir="))
                .map(PathBuf::from)
                .collect();
            return Traces {
                processes: below.iter().map(|id| (*id, all[id].born.clone())).collect(),
                profiles,
            };
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "no browser was started"
        );
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

    /// Waits until none of them is left.
    #[track_caller]
    fn assert_gone(&self) {
        assert!(
            !self.profiles.is_empty(),
            "the browser has a profile folder"
        );
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

/// Starts the program on a page that never ends and ends it with `signal`; returns the folder for
/// temporary files. The program must end soon, although its only page is in progress.
fn end_with(signal: &str) -> (tempfile::TempDir, Traces, std::process::ExitStatus) {
    let server = Server::start();
    let temporary = tempfile::tempdir().unwrap();
    // The browser may run as another user.
    fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_vclean"))
        .args([
            "render-and-clean",
            "--allow-private",
            "--timeout",
            "60",
            "--jobs",
            "1",
        ])
        .arg(server.url("slow"))
        .env("TMPDIR", temporary.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let traces = traces(&program);
    let start = Instant::now();
    let sent = Command::new("kill")
        .args([signal, &program.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let status = program.wait().unwrap();
    assert!(
        start.elapsed() < Duration::from_secs(3),
        "{signal}: {:?}",
        start.elapsed()
    );
    (temporary, traces, status)
}

#[test]
fn a_killed_program_leaves_no_browser_and_no_profile() {
    let _alone = only_browser();
    let (_temporary, traces, status) = end_with("-KILL");
    assert_eq!(status.code(), None, "it was killed");
    traces.assert_gone();
}

#[test]
fn an_interrupted_program_ends_at_once_with_the_exit_code_of_the_signal() {
    let _alone = only_browser();
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let (temporary, traces, status) = end_with(signal);
        assert_eq!(status.code(), Some(code), "{signal}: {status}");
        traces.assert_gone();
        let left: Vec<_> = fs::read_dir(temporary.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert!(left.is_empty(), "{signal} leaves {left:?}");
    }
}
