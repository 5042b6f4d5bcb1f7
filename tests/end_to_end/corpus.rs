//! Tests corpus filters in a run: dropped and marked pages, their records, any number of workers,
//! and interrupted runs.

use crate::journal::wait_for;
use crate::program::{files, vclean};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Makes a paragraph of English words, in a different order for each number.
fn story(number: usize, words: usize) -> String {
    const WORDS: &[&str] = &[
        "ferry", "harbor", "wind", "morning", "people", "water", "letter", "window", "winter",
        "island", "keeper", "lamp", "the", "of", "and", "was", "with", "from", "under", "when",
    ];
    let mut state = number as u64 * 7919 + 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        WORDS[(state >> 33) as usize % WORDS.len()]
    };
    (0..words).map(|_| next()).collect::<Vec<_>>().join(" ")
}

const NOTICE: &str = "Harbor office, all rights reserved.";

/// Makes a line of JSON with a page of these paragraphs.
fn line(id: &str, url: &str, paragraphs: &[&str]) -> String {
    let html = format!("<p>{}</p>", paragraphs.join("</p><p>"));
    json!({"id": id, "url": url, "html": format!("<html lang=en><title>{id}</title><body>{html}</body></html>")})
        .to_string()
}

/// Makes pages so that each rule finds one.
fn pages() -> String {
    let (one, two, three) = (story(1, 120), story(2, 120), story(3, 60));
    let near = format!("{one} and so it ended.");
    let german = "Der Leuchtturm stand seit vielen Jahren auf der Insel, und niemand wusste, wer ihn gebaut hatte.";
    let address = |path: &str| format!("https://a.example/{path}");
    [
        line("first", &address("1?b=2&a=1"), &[&one, NOTICE]),
        line(
            "same-address",
            "HTTPS://A.example:443/1?a=1&b=2&utm_source=mail#top",
            &[&three],
        ),
        line("second", &address("2"), &[&two, NOTICE]),
        line("near", &address("3"), &[&near]),
        line("repeats", &address("4"), &[&three, &two, NOTICE]),
        line("german", &address("5"), &[german, german]),
        line("short", &address("6"), &["It was only a short line."]),
        line(
            "other-host",
            "https://b.example/1",
            &[&story(4, 80), NOTICE],
        ),
    ]
    .join("\n")
}

const FILTERS: &[&str] = &[
    "--near-duplicates",
    "drop",
    "--duplicate-paragraphs",
    "drop",
    "--site-lines",
    "drop",
    "--site-line-pages",
    "2",
    "--languages",
    "en",
    "--min-words",
    "10",
    "--normalize-urls",
    "--table-mb",
    "4",
];

fn records(path: &Path) -> Vec<Value> {
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_filter_records_what_it_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pages.jsonl");
    fs::write(&input, pages()).unwrap();
    let clean = |name: &str, jobs: &str| {
        let out = folder.path().join(name);
        let arguments = [
            "clean",
            &input.display().to_string(),
            "--out",
            &out.display().to_string(),
            "--jobs",
            jobs,
        ];
        let outcome = vclean(arguments.iter().chain(&["--method", "dump"]).chain(FILTERS));
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        (out, outcome.stderr)
    };
    let (out, told) = clean("one.jsonl", "1");
    assert!(
        told.contains("1 inputs left out") && told.contains("3 documents dropped"),
        "{told}"
    );
    let records = records(&out);
    let ids: Vec<_> = records
        .iter()
        .map(|record| record["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "first",
            "second",
            "near",
            "repeats",
            "german",
            "short",
            "other-host"
        ]
    );
    let [first, second, near, repeats, german, short, other] = &records[..] else {
        panic!("{ids:?}")
    };
    for kept in [first, second, other] {
        assert!(
            kept["text"]
                .as_str()
                .unwrap()
                .ends_with(&format!("{NOTICE}\n")),
            "{kept}"
        );
        assert!(
            kept["corpus"]["dropped"].is_null() && kept["corpus"]["language"] == "en",
            "{kept}"
        );
    }
    assert_eq!(
        first["corpus"]["normalized_url"],
        "https://a.example/1?a=1&b=2"
    );
    assert_eq!(
        (&near["corpus"]["dropped"], &near["corpus"]["duplicate_of"]),
        (&"near-duplicate".into(), &"first".into())
    );
    assert!(
        near["corpus"]["similarity"].as_f64().unwrap() > 0.8 && near["text"] == "",
        "{near}"
    );
    assert_eq!(repeats["text"], format!("{}\n", story(3, 60)));
    let passages = repeats["corpus"]["passages"].as_array().unwrap();
    let found: Vec<_> = passages
        .iter()
        .map(|passage| (&passage["rule"], &passage["segment"]))
        .collect();
    assert_eq!(
        found,
        [
            (&json!("duplicate-paragraph"), &json!(1)),
            (&json!("site-line"), &json!(2))
        ]
    );
    assert_eq!(
        (&german["corpus"]["dropped"], &german["corpus"]["language"]),
        (&"language".into(), &"de".into())
    );
    assert_eq!(
        (&short["corpus"]["dropped"], &short["corpus"]["words"]),
        (&"min-words".into(), &6.into())
    );

    // The result does not depend on the number of workers, nor on other outputs in the folder of
    // the run.
    assert_eq!(
        fs::read(&out).unwrap(),
        fs::read(clean("three.jsonl", "3").0).unwrap()
    );
    let (texts, _) = clean("texts", "2");
    let names: Vec<String> = files(&texts).into_keys().collect();
    assert_eq!(
        names,
        ["first.txt", "other-host.txt", "repeats.txt", "second.txt"]
    );
    let findings = fs::read_to_string(texts.join("_run/corpus.jsonl")).unwrap();
    assert_eq!(
        findings,
        fs::read_to_string(folder.path().join("one.jsonl.run/corpus.jsonl")).unwrap()
    );
    assert_eq!(findings.lines().count(), 4, "{findings}");
    let left_out = fs::read_to_string(texts.join("_run/duplicate-inputs.jsonl")).unwrap();
    assert!(
        left_out.contains("same-address") && left_out.lines().count() == 1,
        "{left_out}"
    );
    let (archive, _) = clean("x.warc", "2");
    assert_eq!(
        fs::read_to_string(archive)
            .unwrap()
            .matches("WARC-Type: conversion")
            .count(),
        4
    );
    assert_eq!(files(&clean("x.parquet", "2").0).len(), 1);

    // Dropped pages count as done, so a resumed run has nothing left to do.
    let arguments = [
        "clean",
        &input.display().to_string(),
        "--out",
        &texts.display().to_string(),
        "--resume",
        "--method",
        "dump",
    ];
    let outcome = vclean(arguments.iter().chain(FILTERS));
    assert!(
        outcome.code == Some(0) && outcome.stderr.contains("7 done before"),
        "{}",
        outcome.stderr
    );
    fs::remove_file(texts.join("second.txt")).unwrap();
    let outcome = vclean(arguments.iter().chain(FILTERS));
    assert!(
        outcome.code == Some(1) && outcome.stderr.contains("the output of second is gone"),
        "{}",
        outcome.stderr
    );
    let outcome = vclean(arguments.iter().chain(&FILTERS[2..]));
    assert!(
        outcome.code == Some(1) && outcome.stderr.contains("--near-duplicates"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn marked_documents_are_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pages.jsonl");
    fs::write(&input, pages()).unwrap();
    let out = folder.path().join("out");
    let arguments = [
        "clean",
        &input.display().to_string(),
        "--method",
        "dump",
        "--format",
        "json",
        "--out",
    ];
    let filters = [
        "--near-duplicates",
        "mark",
        "--duplicate-paragraphs",
        "mark",
        "--table-mb",
        "4",
    ];
    let outcome = vclean(
        arguments
            .iter()
            .chain(&[&*out.display().to_string()])
            .chain(&filters),
    );
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(files(&out).len(), 8);
    let read =
        |name: &str| serde_json::from_slice::<Value>(&fs::read(out.join(name)).unwrap()).unwrap();
    let near = read("near.json");
    assert_eq!(
        (
            &near["corpus"]["duplicate_of"],
            near["segments"].as_array().unwrap().len()
        ),
        (&"first".into(), 1)
    );
    let repeats = read("repeats.json");
    assert_eq!(repeats["corpus"]["passages"][0]["dropped"], false);
    assert_eq!(repeats["segments"].as_array().unwrap().len(), 3);
    for wrong in [
        &["--unordered"][..],
        &["--format", "html", "--site-lines", "drop"],
    ] {
        let arguments = [
            "clean",
            &input.display().to_string(),
            "--method",
            "dump",
            "--near-duplicates",
            "drop",
        ];
        let outcome = vclean(arguments.iter().chain(wrong));
        assert!(
            outcome.code == Some(1) && outcome.stderr.contains("--site-lines"),
            "{}",
            outcome.stderr
        );
    }
}

#[test]
fn a_killed_run_decides_as_one_that_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pages.jsonl");
    // Of eight pages, one is a near-duplicate of an earlier one, and one repeats a paragraph.
    let page = |id: usize| {
        let (own, earlier) = (story(id, 100), id.saturating_sub(300));
        let near = format!("{} and then it rained", story(earlier, 100));
        let url = format!("https://{}.example/{id}", id % 5);
        match id % 8 {
            5 => line(&format!("p{id}"), &url, &[&near, NOTICE]),
            7 => line(
                &format!("p{id}"),
                &url,
                &[&story(earlier + 1, 100), &own, NOTICE],
            ),
            _ => line(&format!("p{id}"), &url, &[&own, NOTICE]),
        }
    };
    fs::write(&input, (0..2400).map(page).collect::<Vec<_>>().join("\n")).unwrap();
    let arguments = |out: &Path| {
        let fixed = [
            "clean",
            &input.display().to_string(),
            "--method",
            "dump",
            "--resume",
            "--quiet",
            "--out",
        ];
        let fixed = fixed
            .map(str::to_owned)
            .into_iter()
            .chain([out.display().to_string()]);
        fixed
            .chain(FILTERS.iter().map(ToString::to_string))
            .collect::<Vec<_>>()
    };
    let whole = folder.path().join("whole.jsonl");
    let outcome = vclean(arguments(&whole));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let dropped = |rule: &str| {
        records(&whole)
            .iter()
            .filter(|record| record.to_string().contains(rule))
            .count()
    };
    assert!(
        dropped("near-duplicate") > 200
            && dropped("duplicate-paragraph") > 200
            && dropped("site-line") > 2000
    );
    for name in ["killed.jsonl", "killed"] {
        let out = folder.path().join(name);
        let run = if name == "killed" {
            out.join("_run")
        } else {
            PathBuf::from(format!("{}.run", out.display()))
        };
        let mut kills = 0;
        loop {
            let mut program = Command::new(env!("CARGO_BIN_EXE_vclean"))
                .args(arguments(&out))
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            wait_for(&mut program, &run, 400);
            let _ = program.kill();
            if let Some(code) = program.wait().unwrap().code() {
                assert_eq!(code, 0);
                break;
            }
            kills += 1;
        }
        assert!(kills > 0, "it was never killed");
        let findings = |run: &Path| fs::read_to_string(run.join("corpus.jsonl")).unwrap();
        assert!(
            findings(&run) == findings(&folder.path().join("whole.jsonl.run")),
            "{name}"
        );
        if name == "killed.jsonl" {
            assert!(fs::read(&whole).unwrap() == fs::read(&out).unwrap());
        } else {
            let kept = records(&whole)
                .iter()
                .filter(|record| record["corpus"]["dropped"].is_null())
                .count();
            assert_eq!(files(&out).len(), kept);
        }
    }
}
