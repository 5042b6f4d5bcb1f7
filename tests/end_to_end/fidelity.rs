//! Tests the two engines on a data folder: `vclean lab fidelity` and `vclean lab evaluate` give the
//! same scores, and reports show pages as readers see them.

use crate::program::vclean;
use crate::support::fixtures;
use base64::Engine as _;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const PAGES: [&str; 2] = ["chinese", "table-layout"];

/// Makes a data folder of pages that have captures of Chromium, and a folder with these captures.
fn set(folder: &Path) -> (PathBuf, PathBuf) {
    let (set, captures) = (folder.join("set"), folder.join("captures"));
    let copy = |from: PathBuf, to: PathBuf| {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    };
    let mut rows = String::new();
    for page in PAGES {
        let site = fixtures().join("site").join(page);
        copy(
            site.join("index.html"),
            set.join("pages").join(format!("{page}.html")),
        );
        copy(
            site.join("expected.txt"),
            set.join("gold").join(format!("{page}.txt")),
        );
        for entry in fs::read_dir(fixtures().join("captures").join(page)).unwrap() {
            let path = entry.unwrap().path();
            copy(
                path.clone(),
                captures
                    .join("set")
                    .join(page)
                    .join(path.file_name().unwrap()),
            );
        }
        let lang = if page == "chinese" { "zh" } else { "en" };
        rows += &(json!({"id": page, "lang": lang, "split": "dev", "gold_kind": "full"})
            .to_string()
            + "\n");
    }
    fs::write(set.join("manifest.jsonl"), rows).unwrap();
    (set, captures)
}

fn run(arguments: &[&str], paths: &[&Path]) -> String {
    let mut paths = paths.iter();
    let word = |word: &&str| {
        if *word == "@" {
            paths.next().unwrap().display().to_string()
        } else {
            (*word).to_owned()
        }
    };
    let outcome = vclean(arguments.iter().map(word));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    outcome.stdout
}

/// The mean F of words that `vclean lab evaluate --json` wrote.
fn mean_f(file: &Path) -> f64 {
    let read: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let scores = read["sets"][0]["summaries"][0]["scores"]
        .as_array()
        .unwrap();
    scores
        .iter()
        .find(|score| score["score"] == "words")
        .unwrap()["figure"]["value"]
        .as_f64()
        .unwrap()
}

#[test]
fn both_verbs_measure_the_same_of_the_same_captures() {
    let folder = tempfile::tempdir().unwrap();
    let (set, chromium) = set(folder.path());
    let (builtin, json) = (
        folder.path().join("builtin"),
        folder.path().join("figures.json"),
    );
    run(
        &["lab", "evaluate", "@", "--captures", "@", "--json", "@"],
        &[&set, &chromium, &json],
    );
    let by_chromium = mean_f(&json);
    run(
        &[
            "lab",
            "evaluate",
            "@",
            "--engine",
            "builtin",
            "--captures",
            "@",
            "--json",
            "@",
        ],
        &[&set, &builtin, &json],
    );
    let by_builtin = mean_f(&json);
    let printed = run(
        &[
            "lab",
            "fidelity",
            "@",
            "--captures",
            "@",
            "--builtin-captures",
            "@",
        ],
        &[&set, &chromium, &builtin],
    );
    let head: Vec<&str> = printed
        .lines()
        .find(|line| line.starts_with("captures of"))
        .unwrap()
        .split("  ")
        .collect();
    assert_eq!(
        head.iter()
            .filter(|name| !name.trim().is_empty())
            .nth(1)
            .unwrap()
            .trim(),
        "as evaluate",
        "{printed}"
    );
    for (row, f) in [
        ("Chromium", by_chromium),
        ("the built-in engine", by_builtin),
    ] {
        let line = printed
            .lines()
            .find_map(|line| line.strip_prefix(row))
            .unwrap();
        assert_eq!(
            line.split_whitespace().next(),
            Some(format!("{f:.3}").as_str()),
            "{row}: {printed}"
        );
    }
}

#[test]
fn a_report_shows_painted_pages() {
    let folder = tempfile::tempdir().unwrap();
    let (set, _) = set(folder.path());
    let (captures, report) = (folder.path().join("builtin"), folder.path().join("report"));
    let arguments = [
        "lab",
        "evaluate",
        "@",
        "--engine",
        "builtin",
        "--captures",
        "@",
        "--report",
        "@",
    ];
    run(&arguments, &[&set, &captures, &report]);
    let pages = fs::read_dir(report.join("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let page = pages
        .map(|page| fs::read_to_string(page).unwrap())
        .find(|page| page.contains("table-layout"))
        .unwrap();
    let packed = page
        .split("data:image/jpeg;base64,")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let picture = base64::engine::general_purpose::STANDARD
        .decode(packed)
        .unwrap();
    let picture = image::load_from_memory(&picture).unwrap().to_rgb8();
    // The dark blue background of its header, which captures of the built-in engine lack.
    let blue = picture
        .pixels()
        .filter(|pixel| pixel[0] < 40 && pixel[1] < 80 && (70..140).contains(&pixel[2]))
        .count();
    assert!(blue > 5_000, "{blue}");
}
