//! Tests `vclean lab evaluate` on a small data folder made here: tables, JSON, report, thresholds,
//! and errors in a folder.

use crate::program::{Outcome, files, vclean};
use std::fs;
use std::path::{Path, PathBuf};

const STORY: &str = "The ferry left the harbor at seven in the morning, with forty people on board and a cold wind from \
    the north that made the flags stand out like boards.";
const MORE: &str = "By noon the island was in sight, low and green, and the captain let the children steer for as long \
    as the channel was wide enough for their mistakes.";
/// Text that tries to become markup.
const ATTACK: &str = "<script>alert(1)</script>";

/// Makes a set of three pages: two with full gold and marks, one of them with snippets too; one
/// with snippets only.
fn make_set(at: &Path) -> PathBuf {
    let folder = at.join("harbor");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let page = |story: &str| {
        format!(
            "<html><head><title>Ferry</title></head><body><nav><a href=/>Home</a> <a href=/x>Contact us</a></nav>\
             <article><h1>The morning ferry</h1><p>{story}</p><p>{MORE}</p></article>\
             <footer><a href=/l>Legal notice</a> <a href=/p>Privacy</a></footer></body></html>"
        )
    };
    write(
        "manifest.jsonl",
        "{\"id\": \"one\", \"lang\": \"en\", \"split\": \"dev\", \"gold_kind\": \"full\", \"page_type\": \"article\"}\n\
         {\"id\": \"two\", \"lang\": \"de\", \"split\": \"dev\", \"gold_kind\": \"full\", \"page_type\": \"forum\"}\n\
         {\"id\": \"three\", \"lang\": \"en\", \"split\": \"dev\", \"gold_kind\": \"snippets\"}\n",
    );
    let escaped = ATTACK.replace('<', "&lt;");
    write("pages/one.html", &page(STORY));
    write("pages/two.html", &page(&format!("{STORY} {escaped}")));
    write("pages/three.html", &page(STORY));
    write(
        "gold/one.txt",
        &format!("The morning ferry\n{STORY}\n{MORE}\n"),
    );
    write(
        "gold_marked/one.txt",
        &format!("<h>The morning ferry\n<p>{STORY}\n<p>{MORE}\n"),
    );
    write(
        "gold/one.json",
        r#"{"with": ["cold wind"], "without": ["Legal notice"]}"#,
    );
    write(
        "gold/two.txt",
        &format!("The morning ferry\n{MORE}\nAnd a last line that no page has {ATTACK}.\n"),
    );
    write(
        "gold/three.json",
        r#"{"with": ["cold wind"], "without": ["Privacy"]}"#,
    );
    folder
}

fn evaluate(set: &Path, options: &[&str]) -> Outcome {
    let set = set.display().to_string();
    vclean(
        [
            &[
                "lab", "evaluate", &set, "--static", "--quiet", "--model", "static",
            ],
            options,
        ]
        .concat(),
    )
}

#[test]
fn figures_are_printed_and_written_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path());
    let json = folder.path().join("all.json");
    let outcome = evaluate(
        &set,
        &["--json", &json.display().to_string(), "--worst", "1"],
    );
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome
            .stdout
            .starts_with("harbor: static, 3 pages, 0 without output, complexity 0."),
        "{}",
        outcome.stdout
    );
    for name in [
        "words",
        "ROUGE-LSum",
        "CLEANEVAL combined",
        "page type forum",
        "language de",
        "keeping everything",
    ] {
        assert!(
            outcome.stdout.contains(name),
            "{name} in {}",
            outcome.stdout
        );
    }
    assert!(outcome.stdout.contains("calibration error"));
    for name in ["words F < .5", "F < .8 (95 %)"] {
        assert!(
            outcome.stdout.contains(name),
            "{name} in {}",
            outcome.stdout
        );
    }
    let worst = outcome
        .stdout
        .lines()
        .skip_while(|line| !line.starts_with("worst pages"))
        .take(2)
        .collect::<Vec<_>>();
    assert!(
        worst[0].ends_with("words kept  words of gold") && worst[1].starts_with("two "),
        "{worst:?}"
    );
    assert!(
        outcome
            .stdout
            .lines()
            .all(|line| line.chars().count() <= 120),
        "{}",
        outcome.stdout
    );
    let all: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let found = &all["sets"][0];
    assert_eq!(
        (found["set"].as_str(), found["models"][0].as_str()),
        (Some("harbor"), Some("static"))
    );
    assert_eq!(found["pages"].as_array().unwrap().len(), 3);
    let bins = found["bins"].as_array().unwrap();
    let counted: u64 = bins.iter().map(|bin| bin["blocks"].as_u64().unwrap()).sum();
    let blocks = &found["blocks"];
    let judged = [
        "true_positive",
        "false_positive",
        "true_negative",
        "false_negative",
    ];
    assert_eq!(
        counted,
        judged
            .iter()
            .map(|key| blocks[key].as_u64().unwrap())
            .sum::<u64>()
    );
    // The gold of the first page is its whole article: a cleaner that keeps the article has full
    // recall.
    let page = found["pages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|page| page["id"] == "one")
        .unwrap();
    assert_eq!(page["words"]["false_negative"], 0, "{page}");
    assert_eq!(page["characters"]["false_negative"], 0, "{page}");
    assert_eq!(
        all["means"].as_array().unwrap().len(),
        0,
        "one set has no mean of sets"
    );

    // With the same model, no score changes.
    let since = evaluate(&set, &["--since", &json.display().to_string()]);
    assert_eq!(since.code, Some(0), "{}", since.stderr);
    let line = since
        .stdout
        .lines()
        .skip_while(|line| !line.starts_with("since all.json"))
        .nth(1)
        .unwrap();
    assert!(
        line.starts_with("words ") && line.ends_with("+0.000"),
        "{line}"
    );

    let twice = vclean([
        "lab",
        "evaluate",
        &set.display().to_string(),
        &set.display().to_string(),
        "--static",
        "--quiet",
    ]);
    assert!(
        twice.stdout.contains("mean of data sets"),
        "{}",
        twice.stdout
    );
}

#[test]
fn earlier_figures_of_other_sets_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path());
    let json = folder.path().join("other.json");
    fs::write(&json, "{\"sets\": [], \"means\": []}").unwrap();
    let outcome = evaluate(&set, &["--since", &json.display().to_string()]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
    assert!(
        outcome.stderr.contains("no figures of set harbor") && outcome.stderr.contains("--json"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_report_shows_every_page_and_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path());
    let report = folder.path().join("deep/report");
    let options = [
        "--report",
        &report.display().to_string(),
        "--report-pages",
        "2",
    ];
    for _ in 0..2 {
        // The second run replaces the files of the first.
        let outcome = evaluate(&set, &options);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    }
    let written = files(&report);
    let pages = files(&report.join("pages"));
    assert_eq!(pages.keys().collect::<Vec<_>>(), ["0001.html", "0002.html"]);
    assert_eq!(
        fs::read_dir(folder.path().join("deep")).unwrap().count(),
        1,
        "nothing is left beside"
    );
    let index = String::from_utf8(written["index.html"].clone()).unwrap();
    assert!(
        index.contains("<a href=\"pages/0001.html\">two</a>"),
        "{index}"
    );
    assert!(
        index.contains("<td>one</td>") || index.contains(">one</a>"),
        "{index}"
    );
    let worst = String::from_utf8(pages["0001.html"].clone()).unwrap();
    assert!(
        worst.contains("<h1>harbor/two</h1>") && worst.contains("<ins>"),
        "{worst}"
    );
    assert!(worst.contains("&lt;script&gt;"), "{worst}");
    for page in [&index, &worst] {
        for never in ["<script", "src=\"http", "@import", "url("] {
            assert!(!page.contains(never), "{never} in {page}");
        }
    }
    fs::write(report.join("mine.txt"), "keep").unwrap();
    let outcome = evaluate(&set, &options);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("name a new folder"),
        "{}",
        outcome.stderr
    );
    assert_eq!(fs::read_to_string(report.join("mine.txt")).unwrap(), "keep");
}

#[test]
fn thresholds_are_recorded_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path());
    let thresholds = folder.path().join("thresholds.json");
    let path = thresholds.display().to_string();
    let missing = evaluate(&set, &["--thresholds", &path]);
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(1), ""));
    assert!(
        missing.stderr.contains("--record-thresholds"),
        "{}",
        missing.stderr
    );

    assert_eq!(
        evaluate(&set, &["--record-thresholds", &path]).code,
        Some(0)
    );
    let pinned: serde_json::Value =
        serde_json::from_slice(&fs::read(&thresholds).unwrap()).unwrap();
    let threshold = &pinned["floors"][0];
    assert_eq!(
        (threshold["capture"].as_str(), threshold["split"].as_str()),
        (Some("static"), Some("dev"))
    );
    assert_eq!(threshold["pages"], 3);
    assert_eq!(threshold["figures"].as_object().unwrap().len(), 4);
    let held = evaluate(&set, &["--thresholds", &path, "--record-thresholds", &path]);
    assert_eq!(held.code, Some(0), "{}", held.stderr);
    assert!(
        held.stdout
            .contains("harbor dev (static, model static), margin 0.01"),
        "{}",
        held.stdout
    );

    // A threshold that is too high: the figures are below it, and pinning would lower it.
    let mut raised = pinned.clone();
    raised["floors"][0]["figures"]["bag of words"] = 1.0.into();
    let high = raised.to_string();
    fs::write(&thresholds, &high).unwrap();
    let below = evaluate(&set, &["--thresholds", &path]);
    assert_eq!(below.code, Some(2));
    assert!(
        below.stderr.contains("bag of words is 0.") && below.stdout.contains("below"),
        "{}",
        below.stderr
    );
    let refused = evaluate(&set, &["--record-thresholds", &path]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("--lower"), "{}", refused.stderr);
    assert_eq!(
        fs::read_to_string(&thresholds).unwrap(),
        high,
        "nothing was pinned"
    );
    assert_eq!(
        evaluate(&set, &["--record-thresholds", &path, "--lower"]).code,
        Some(0)
    );
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&fs::read(&thresholds).unwrap()).unwrap(),
        pinned
    );

    // Another corpus is not compared.
    let manifest = set.join("manifest.jsonl");
    let rows = fs::read_to_string(&manifest).unwrap();
    fs::write(
        &manifest,
        rows.lines().take(2).collect::<Vec<_>>().join("\n"),
    )
    .unwrap();
    let other = evaluate(&set, &["--thresholds", &path]);
    assert_eq!(other.code, Some(1));
    assert!(
        other.stderr.contains("were recorded on 3 pages") && other.stderr.contains("harbor"),
        "{}",
        other.stderr
    );
}

#[test]
fn errors_in_a_data_folder_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path());
    let manifest = set.join("manifest.jsonl");
    let rows = fs::read_to_string(&manifest).unwrap();
    let fails = |words: &[&str]| {
        let outcome = evaluate(&set, &[]);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(1), ""),
            "{}",
            outcome.stderr
        );
        assert!(
            words.iter().all(|word| outcome.stderr.contains(word)),
            "{words:?} in {}",
            outcome.stderr
        );
    };
    fs::write(&manifest, "").unwrap();
    fails(&["set harbor", "no row"]);
    fs::write(&manifest, format!("{rows}{rows}")).unwrap();
    fails(&["set harbor", "the id one", "line 4"]);
    fs::write(&manifest, format!("{rows}no row at all")).unwrap();
    fails(&["set harbor", "line 4", "correct the line"]);
    fs::write(&manifest, rows.replace("dev", "train")).unwrap();
    fails(&["manifest.jsonl in harbor", "\"split\": \"dev\"", "--split"]);
    fs::write(&manifest, &rows).unwrap();
    fs::rename(set.join("gold/two.txt"), set.join("gold/2.txt")).unwrap();
    fails(&["set harbor", "row two", "gold/two.txt", "add the gold"]);
    fs::rename(set.join("gold/2.txt"), set.join("gold/two.txt")).unwrap();
    fs::remove_file(set.join("pages/three.html")).unwrap();
    fails(&["set harbor", "row three", "no page"]);
}
