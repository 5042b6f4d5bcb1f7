//! Tests a batch whose program and browser are killed repeatedly: at the end every page is in the
//! output once, and no process or temporary file is left.
//!
//! The normal tests use bundled pages. A long run on real pages, which kills the program every 500
//! pages and its browser every 200, is started by
//!
//! ```text
//! VCLEAN_PAGES=pages.jsonl cargo test --release --test end_to_end endurance \
//!     -- --ignored --nocapture
//! ```
#![cfg(target_os = "linux")]

use crate::journal::journaled;
use crate::processes::{descendants, processes};
use crate::program::{ENGINES, only_browser};
use crate::support::fixtures;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Numbers of pages after which the program and the browser are killed.
struct Every {
    program: usize,
    browser: usize,
}

/// Result of the run.
#[derive(Debug, Default)]
struct Count {
    program_kills: usize,
    browser_kills: usize,
    /// Numbers of pages done, and the memory of the program without its browser then, in MB.
    memory: Vec<(usize, u64)>,
    seconds: f64,
}

fn memory_mb(program: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", program.id())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kilobytes| kilobytes / 1024)
}

/// Kills the browser of `program`: the main process of its process group.
fn kill_browser(program: &Child) -> bool {
    let all = processes();
    let browser = descendants(&all, program.id()).into_iter().find(|id| {
        let command = all[id].command.join(" ");
        command.contains("--user-data-dir=")
            && !command.contains("--type=")
            && !command.contains("-c ")
    });
    browser.is_some_and(|id| {
        Command::new("kill")
            .args(["-9", &id.to_string()])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    })
}

/// Runs `arguments` again until the run is complete.
fn endure(arguments: &[&str], run: &Path, temporary: &Path, every: &Every) -> Count {
    let mut count = Count::default();
    let start = Instant::now();
    let mut next_browser = every.browser;
    let told = run.with_extension("told");
    loop {
        let mut program = Command::new(env!("CARGO_BIN_EXE_vclean"))
            .args(arguments)
            .arg("--resume")
            .env("TMPDIR", temporary)
            .stdin(Stdio::null())
            .stderr(fs::File::create(&told).unwrap())
            .spawn()
            .unwrap();
        let until = journaled(run) + every.program;
        let mut last = Instant::now();
        let mut before = 0;
        let ended = loop {
            if let Some(status) = program.try_wait().unwrap() {
                break Some(status);
            }
            let done = journaled(run);
            if done > before {
                (before, last) = (done, Instant::now());
                count
                    .memory
                    .extend(memory_mb(&program).map(|memory| (done, memory)));
            }
            assert!(
                last.elapsed() < Duration::from_mins(2),
                "no progress at {done} pages"
            );
            if done >= until {
                program.kill().unwrap();
                program.wait().unwrap();
                count.program_kills += 1;
                break None;
            }
            if done >= next_browser && kill_browser(&program) {
                count.browser_kills += 1;
                next_browser = done + every.browser;
            }
            thread::sleep(Duration::from_millis(100));
        };
        if let Some(status) = ended {
            let told = fs::read_to_string(&told).unwrap();
            assert!(
                status.success(),
                "{status} after {} pages: {told}",
                journaled(run)
            );
            count.seconds = start.elapsed().as_secs_f64();
            return count;
        }
    }
}

/// Asserts that every page is in the output or among the failed ones exactly once; returns the
/// number of failed pages.
fn assert_exactly_once(out: &Path, run: &Path, pages: usize) -> usize {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let lines = |path: &Path| fs::read_to_string(path).unwrap();
    for line in lines(out).lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        *seen
            .entry(record["id"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    let failed = lines(&run.join("failed.jsonl"));
    for line in failed.lines() {
        let failure: Value = serde_json::from_str(line).unwrap();
        *seen
            .entry(failure["page"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    assert_eq!(seen.len(), pages);
    assert!(
        seen.values().all(|times| *times == 1),
        "{:?}",
        seen.iter().find(|(_, times)| **times > 1)
    );
    failed.lines().count()
}

/// Asserts that no process has `temporary` in its command line, and that the folder is empty.
fn assert_nothing_left(temporary: &Path) {
    let named = temporary.display().to_string();
    let start = Instant::now();
    loop {
        let left: Vec<String> = processes()
            .values()
            .map(|process| process.command.join(" "))
            .filter(|command| command.contains(&named))
            .chain(
                fs::read_dir(temporary)
                    .unwrap()
                    .map(|entry| entry.unwrap().path().display().to_string()),
            )
            .collect();
        if left.is_empty() {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "left behind: {left:?}"
        );
        thread::sleep(Duration::from_millis(200));
    }
}

/// A folder for temporary files that the browser's user may write to.
fn temporary() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    folder
}

#[test]
fn a_batch_survives_its_program_and_its_browser() {
    let _alone = only_browser();
    let folder = tempfile::tempdir().unwrap();
    let mut input = String::new();
    for number in 0..60 {
        let case = ["article", "forum", "product"][number % 3];
        let html =
            fs::read_to_string(fixtures().join("site").join(case).join("index.html")).unwrap();
        let _ = writeln!(
            input,
            "{}",
            json!({"html": html, "url": format!("https://a.example/{number}")})
        );
    }
    let pages = folder.path().join("pages.jsonl");
    fs::write(&pages, input).unwrap();
    let temporary = temporary();
    let pages = pages.display().to_string();
    for engine in ENGINES {
        let (out, run) = (
            folder.path().join(format!("{engine}.jsonl")),
            folder.path().join(format!("{engine}.jsonl.run")),
        );
        let name = out.display().to_string();
        let arguments = [
            "render-and-clean",
            &pages,
            "--engine",
            engine,
            "--offline",
            "--quiet",
            "--out",
            &name,
        ];
        let count = endure(
            &arguments,
            &run,
            temporary.path(),
            &Every {
                program: 25,
                browser: 12,
            },
        );
        if *engine == "chromium" {
            assert!(
                count.program_kills >= 1 && count.browser_kills >= 2,
                "{count:?}"
            );
        } else {
            // It may finish before it is killed.
            assert_eq!(
                count.browser_kills, 0,
                "there is no browser to kill: {count:?}"
            );
        }
        let failed = assert_exactly_once(&out, &run, 60);
        assert_eq!(
            failed, 0,
            "{engine}: a page whose browser was killed is rendered once more"
        );
        assert_nothing_left(temporary.path());
    }
}

#[test]
#[allow(clippy::print_stdout)]
#[ignore = "takes an hour; VCLEAN_PAGES names a file of JSON lines"]
fn a_long_batch_survives_its_program_and_its_browser() {
    let _alone = only_browser();
    let pages = std::env::var("VCLEAN_PAGES").expect("VCLEAN_PAGES names a file of JSON lines");
    let number = fs::read_to_string(&pages)
        .unwrap()
        .lines()
        .filter(|line| !line.trim().is_empty())
        .count();
    let folder = tempfile::tempdir().unwrap();
    let temporary = temporary();
    let (out, run) = (
        folder.path().join("out.jsonl"),
        folder.path().join("out.jsonl.run"),
    );
    let name = out.display().to_string();
    let arguments = [
        "render-and-clean",
        &pages,
        "--engine",
        "chromium",
        "--offline",
        "--quiet",
        "--out",
        &name,
        "--timeout",
        "30",
    ];
    let count = endure(
        &arguments,
        &run,
        temporary.path(),
        &Every {
            program: 500,
            browser: 200,
        },
    );
    let failed = assert_exactly_once(&out, &run, number);
    assert_nothing_left(temporary.path());
    println!(
        "{number} pages once each, {failed} of them failed; {:.0} s",
        count.seconds
    );
    println!(
        "program killed {} times, browser {} times",
        count.program_kills, count.browser_kills
    );
    println!("memory of the program in MB, by pages done:");
    for (pages, memory) in count
        .memory
        .iter()
        .step_by((count.memory.len() / 25).max(1))
    {
        println!("  {pages:>6} {memory:>5}");
    }
}
