//! Tests resumed runs: results of an earlier run, outputs that hold many pages, outputs that cannot
//! be written.

use crate::program::{files, vclean};
use serde_json::{Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Makes a file of JSON lines with `count` documents, of which every tenth is not a page.
pub fn pages(folder: &Path, count: usize) -> String {
    let story = "The ferry left the harbor at seven in the morning, with forty people on board and a cold wind. ";
    let line = |id: usize| {
        if id % 10 == 9 {
            return "{\"base64\": \"JVBERi0xLjQ=\"}".to_owned();
        }
        let text = story.repeat(2 + id % 5);
        let html = format!(
            "<title>Ferry {id}</title><nav><a href=/>Home</a></nav><article><h1>Ferry {id}</h1><p>{text}<p>{text}</article>"
        );
        json!({"html": html, "url": format!("https://a.example/{id}")}).to_string()
    };
    let path = folder.join("pages.jsonl");
    fs::write(&path, (0..count).map(line).collect::<Vec<_>>().join("\n")).unwrap();
    path.display().to_string()
}

fn ids(lines: &[u8]) -> Vec<String> {
    let id = |line: &str| {
        serde_json::from_str::<Value>(line).unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    std::str::from_utf8(lines)
        .unwrap()
        .lines()
        .map(id)
        .collect()
}

/// Number of pages in the journal of a run, done or failed.
pub fn journaled(run: &Path) -> usize {
    let text = fs::read_to_string(run.join("journal.jsonl")).unwrap_or_default();
    text.lines()
        .filter(|line| line.starts_with("{\"done\"") || line.starts_with("{\"failed\""))
        .count()
}

/// Waits until the journal has `pages` more pages than before, or the program ends.
pub fn wait_for(program: &mut Child, run: &Path, pages: usize) {
    let before = journaled(run);
    let start = Instant::now();
    while journaled(run) < before + pages && program.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_mins(10), "no progress");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn one_file_holds_all_pages_for_any_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let input = pages(folder.path(), 60);
    let clean = |name: &str, jobs: &str| {
        let out = folder.path().join(name);
        let arguments = [
            "clean",
            &input,
            "--out",
            &out.display().to_string(),
            "--jobs",
            jobs,
        ];
        let blocks: &[&str] = if name.contains("warc") {
            &[]
        } else {
            &["--blocks", "verdicts"]
        };
        let outcome = vclean(arguments.iter().chain(blocks));
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert_eq!(outcome.problems().len(), 6, "{}", outcome.stderr);
        let failed = fs::read_to_string(format!("{}.run/failed.jsonl", out.display())).unwrap();
        assert_eq!(failed.lines().count(), 6);
        assert!(failed.lines().all(|line| line.contains("PDF")), "{failed}");
        out
    };
    let lines = fs::read(clean("one.jsonl", "1")).unwrap();
    let expected: Vec<String> = (1..=60)
        .filter(|line| line % 10 != 0)
        .map(|line| format!("pages-{line}"))
        .collect();
    assert_eq!(ids(&lines), expected);
    assert!(lines == fs::read(clean("three.jsonl", "3")).unwrap());
    let mut unpacked = Vec::new();
    let packed = fs::File::open(clean("x.jsonl.gz", "3")).unwrap();
    flate2::read::MultiGzDecoder::new(packed)
        .read_to_end(&mut unpacked)
        .unwrap();
    assert!(unpacked == lines);
    let first: Value =
        serde_json::from_slice(lines.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert!(
        first["text"].as_str().unwrap().contains("cold wind")
            && first["metadata"]["title"] == "Ferry 0"
    );
    assert!(
        first["marked"].as_str().unwrap().contains("<p>")
            && !first["blocks"].as_array().unwrap().is_empty()
    );
    let parquet = clean("x.parquet", "2");
    assert_eq!(files(&parquet).len(), 1);
    // The WARC reader does not treat conversion records as pages.
    let archive = fs::read_to_string(clean("x.warc", "2")).unwrap();
    assert_eq!(archive.matches("WARC-Type: conversion").count(), 54);
}

#[test]
fn a_killed_run_is_resumed_with_the_same_result_as_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let input = pages(folder.path(), 3000);
    let whole = folder.path().join("whole.jsonl");
    let outcome = vclean([
        "clean",
        &input,
        "--out",
        &whole.display().to_string(),
        "--quiet",
    ]);
    assert_eq!(outcome.code, Some(2));
    for name in ["killed.jsonl", "killed.parquet", "killed"] {
        let out = folder.path().join(name).display().to_string();
        let run = PathBuf::from(if name == "killed" {
            format!("{out}/_run")
        } else {
            format!("{out}.run")
        });
        let mut kills = 0;
        loop {
            let mut program = Command::new(env!("CARGO_BIN_EXE_vclean"))
                .args(["clean", &input, "--out", &out, "--resume", "--quiet"])
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            wait_for(&mut program, &run, 400);
            let _ = program.kill();
            let status = program.wait().unwrap();
            if status.code().is_some() {
                assert_eq!(status.code(), Some(2));
                break;
            }
            kills += 1;
        }
        assert!(kills > 0, "it was never killed");
        match name {
            "killed.jsonl" => assert!(fs::read(&whole).unwrap() == fs::read(&out).unwrap()),
            "killed.parquet" => assert_eq!(files(Path::new(&out)).len(), 3),
            _ => assert_eq!(files(Path::new(&out)).len(), 2700),
        }
        let failed = fs::read_to_string(run.join("failed.jsonl")).unwrap();
        assert_eq!(failed.lines().count(), 300, "{name}");
        let summary: Value =
            serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap();
        assert_eq!(summary["complete"], true);
        assert!(summary["pages_skipped"].as_u64().unwrap() > 0);
    }
}

#[test]
fn failed_pages_are_retried_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("list.txt");
    let page = folder.path().join("late.html");
    let early = folder.path().join("early.html");
    fs::write(
        &early,
        "<p>Early words stand here, and some more of them follow in the same sentence.",
    )
    .unwrap();
    fs::write(&input, format!("{}\n{}\n", page.display(), early.display())).unwrap();
    let out = folder.path().join("out.jsonl").display().to_string();
    let clean = |more: &[&str]| {
        let arguments = [
            "clean",
            "--from",
            &input.display().to_string(),
            "--out",
            &out,
            "--method",
            "dump",
        ];
        let outcome = vclean(arguments.iter().chain(more));
        (outcome.code, outcome.stderr)
    };
    assert_eq!(clean(&[]).0, Some(2));
    let (code, told) = clean(&[]);
    assert!(
        code == Some(1) && told.contains("--resume") && told.contains("--overwrite"),
        "{told}"
    );
    fs::write(
        &page,
        "<p>Late words stand here, and some more of them follow in the same sentence.",
    )
    .unwrap();
    let (code, told) = clean(&["--resume"]);
    assert!(code == Some(2) && told.contains("--retry-failed"), "{told}");
    assert_eq!(ids(&fs::read(&out).unwrap()), ["early"]);
    assert_eq!(
        clean(&["--resume", "--retry-failed", "--quiet"]),
        (Some(0), String::new())
    );
    assert_eq!(ids(&fs::read(&out).unwrap()), ["early", "late"]);
    assert_eq!(
        fs::read_to_string(format!("{out}.run/failed.jsonl")).unwrap(),
        ""
    );
    let (code, told) = clean(&["--resume", "--format", "markdown"]);
    assert!(code == Some(1) && told.contains("--format text"), "{told}");
    assert_eq!(clean(&["--overwrite"]).0, Some(0));
    assert_eq!(ids(&fs::read(&out).unwrap()), ["late", "early"]);
}

#[test]
fn two_runs_cannot_write_the_same_output() {
    let folder = tempfile::tempdir().unwrap();
    let input = pages(folder.path(), 1500);
    let out = folder.path().join("out.jsonl").display().to_string();
    let mut first = Command::new(env!("CARGO_BIN_EXE_vclean"))
        .args(["clean", &input, "--out", &out, "--quiet"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&mut first, Path::new(&format!("{out}.run")), 1);
    let second = vclean(["clean", &input, "--out", &out, "--resume"]);
    assert!(
        second.code == Some(1) && second.stderr.contains("another run"),
        "{}",
        second.stderr
    );
    assert_eq!(first.wait().unwrap().code(), Some(2));
    assert_eq!(ids(&fs::read(&out).unwrap()).len(), 1350);
}

/// A small file system in memory.
struct SmallFileSystem(PathBuf);

impl SmallFileSystem {
    fn mount(folder: &Path, size: &str) -> Option<Self> {
        fs::create_dir_all(folder).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder)
            .stderr(Stdio::null())
            .status();
        mounted
            .is_ok_and(|status| status.success())
            .then(|| Self(folder.to_path_buf()))
    }
}

impl Drop for SmallFileSystem {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_ends_the_run_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let input = pages(folder.path(), 1200);
    let whole = folder.path().join("whole.jsonl");
    assert_eq!(
        vclean([
            "clean",
            &input,
            "--out",
            &whole.display().to_string(),
            "--quiet"
        ])
        .code,
        Some(2)
    );
    let Some(small) = SmallFileSystem::mount(&folder.path().join("small"), "256k") else {
        assert!(vclean(["clean", &input, "--out", "/dev/full/x"]).code != Some(0));
        return;
    };
    for name in ["out.jsonl", "out.parquet", "out"] {
        let out = small.0.join(name);
        let outcome = vclean([
            "clean",
            &input,
            "--out",
            &out.display().to_string(),
            "--quiet",
        ]);
        assert!(matches!(outcome.code, Some(1 | 2)), "{}", outcome.stderr);
        assert!(
            outcome.stderr.to_lowercase().contains("no space left"),
            "{name}: {}",
            outcome.stderr
        );
        // With free space again, the run is resumed from its last safe state.
        let remount = Command::new("mount")
            .args(["-o", "remount,size=64m"])
            .arg(&small.0)
            .status()
            .unwrap();
        assert!(remount.success());
        let outcome = vclean([
            "clean",
            &input,
            "--out",
            &out.display().to_string(),
            "--quiet",
            "--resume",
        ]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        match name {
            "out.jsonl" => assert!(fs::read(&out).unwrap() == fs::read(&whole).unwrap()),
            "out.parquet" => assert_eq!(files(&out).len(), 2),
            _ => assert_eq!(files(&out).len(), 1080),
        }
        for entry in fs::read_dir(&small.0).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        let remount = Command::new("mount")
            .args(["-o", "remount,size=256k"])
            .arg(&small.0)
            .status()
            .unwrap();
        assert!(remount.success());
    }
}

#[test]
fn an_output_that_cannot_be_opened_is_reported_before_the_first_page() {
    let folder = tempfile::tempdir().unwrap();
    let input = pages(folder.path(), 3);
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for out in ["file/out.jsonl", "file/out.parquet", "file/out"] {
        let outcome = vclean([
            "clean",
            &input,
            "--out",
            &folder.path().join(out).display().to_string(),
        ]);
        assert!(
            outcome.code == Some(1) && outcome.stderr.contains("file"),
            "{out}: {}",
            outcome.stderr
        );
    }
    let outcome = vclean(["clean", &input, "--out", "x.warc", "--blocks", "verdicts"]);
    assert!(
        outcome.code == Some(1) && outcome.stderr.contains("--blocks"),
        "{}",
        outcome.stderr
    );
}
