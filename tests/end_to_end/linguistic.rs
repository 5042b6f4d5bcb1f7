//! Tests features that depend on the language: taggers trained on treebanks, parts of speech in the
//! feature table, and a model with keywords. No browser is needed.

use crate::program::vclean;
use crate::support::fixtures;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a treebank of an invented language: `la`, words in -o and words in -as.
fn treebank(path: &Path, stems: &[&str]) {
    let sentence =
        |one: &str, other: &str| format!("La\tDET\n{one}o\tNOUN\n{other}as\tVERB\n.\tPUNCT\n\n");
    let text: String = stems
        .iter()
        .flat_map(|one| stems.iter().map(|other| sentence(one, other)))
        .collect();
    fs::write(path, text).unwrap();
}

#[test]
fn a_tagger_is_trained_and_tested_and_training_is_reproducible() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    treebank(&path("first.tsv"), &["kat", "lum", "ban", "ter", "vid"]);
    treebank(&path("second.tsv"), &["sun", "mar", "kol"]);
    let train = |out: &str| {
        let outcome = vclean([
            "lab".into(),
            "train-tagger".into(),
            path("first.tsv"),
            "--lang".into(),
            "eo".into(),
            "--out".into(),
            path(out),
            "--bits".into(),
            "10".into(),
            "--test".into(),
            path("second.tsv"),
        ]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains("round 8 of 8"),
            "{}",
            outcome.stderr
        );
        outcome.stdout
    };
    let report = train("a.tagger");
    let row = report
        .lines()
        .find(|line| line.starts_with("second"))
        .unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[..2], ["second", "36"], "{report}");
    assert!(
        cells[2].parse::<f64>().unwrap() > 0.95,
        "endings tell the tags: {report}"
    );
    assert_eq!(
        cells[4], "0.5000",
        "nouns and verbs are unknown, `la` and the stop are not: {report}"
    );
    train("b.tagger");
    assert_eq!(
        fs::read(path("a.tagger")).unwrap(),
        fs::read(path("b.tagger")).unwrap()
    );

    fs::write(path("wrong.tsv"), "word\tNOUN\nword\n").unwrap();
    for (file, language, word) in [
        ("wrong.tsv", "eo", "line 2"),
        ("none.tsv", "eo", "none.tsv"),
        ("first.tsv", "EO!", "code"),
    ] {
        let out = path("wrong.tagger");
        let outcome = vclean([
            "lab".into(),
            "train-tagger".into(),
            path(file),
            "--lang".into(),
            language.into(),
            "--out".into(),
            out.clone(),
        ]);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains(word),
            "{word} in {}",
            outcome.stderr
        );
        assert!(!out.exists());
    }
}

#[test]
fn parts_of_speech_are_in_the_table_only_on_request() {
    let page = fixtures()
        .join("site/german/index.html")
        .display()
        .to_string();
    let described = vclean(["lab", "features", "--describe"]).stdout;
    assert!(
        described.contains("linguistic.pos.closed_share")
            && described.contains("linguistic.keyword.balance")
    );
    let plain = vclean(["lab", "features", &page]);
    assert!(
        plain.stdout.contains("linguistic.own.tokens_log")
            && !plain.stdout.contains("linguistic.pos.")
    );
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table.jsonl");
    let outcome = vclean([
        "lab",
        "features",
        &page,
        "--language-bound",
        "--out",
        &table.display().to_string(),
    ]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let rows: Vec<serde_json::Value> = fs::read_to_string(table)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let prose = rows
        .iter()
        .find(|row| {
            row["text"]
                .as_str()
                .unwrap()
                .starts_with("Das Becken hatte Risse")
        })
        .unwrap();
    assert_eq!(prose["linguistic.pos.is_known_language"], 1.0);
    assert!(
        prose["linguistic.pos.closed_share"].as_f64().unwrap() > 0.25,
        "{prose}"
    );
    assert!(prose.get("linguistic.keyword.balance").is_none());
    let wrong = vclean([
        "lab",
        "features",
        &page,
        "--language-bound",
        "--keywords",
        "static",
    ]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stderr.contains("no keywords"), "{}", wrong.stderr);
}

/// Makes a data folder of English pages in which only words distinguish content from boilerplate.
fn data_folder(folder: &Path) {
    for part in ["pages", "gold"] {
        fs::create_dir_all(folder.join(part)).unwrap();
    }
    let places = ["harbor", "garden", "station", "library", "museum"];
    let mut manifest = String::new();
    for number in 0..30 {
        let mut blocks = Vec::new();
        let mut gold = String::new();
        for at in 0..6 {
            let place = places[(number + at) % places.len()];
            let content = format!(
                "Our Marigold ferry sails past the {place} {number} when a tide is at {at}."
            );
            let boilerplate = format!(
                "Please subscribe to our newsletter for the {place} {number} offers at {at}."
            );
            gold.push_str(&content);
            gold.push('\n');
            blocks.extend(if (number + at) % 2 == 0 {
                [content, boilerplate]
            } else {
                [boilerplate, content]
            });
        }
        let body = blocks.join("</p>\n<p>");
        let html = format!(
            "<html lang=en><meta charset=utf-8><title>Page</title><body><p>{body}</p></body></html>"
        );
        fs::write(folder.join(format!("pages/page{number}.html")), html).unwrap();
        fs::write(folder.join(format!("gold/page{number}.txt")), gold).unwrap();
        let language = if number == 29 { "fr" } else { "en" };
        let _ = writeln!(
            manifest,
            "{{\"id\": \"page{number}\", \"host\": \"site{number}.example\", \"lang\": \"{language}\", \"split\": \"{}\"}}",
            if number < 25 || number == 29 {
                "train"
            } else {
                "dev"
            }
        );
    }
    fs::write(folder.join("manifest.jsonl"), manifest).unwrap();
}

#[test]
fn a_model_learns_keywords_and_cleans_by_them() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("ferries");
    data_folder(&set);
    let model = folder.path().join("words.model");
    let words = |more: &[&str]| -> Vec<PathBuf> {
        let first = [
            "lab".into(),
            "train".into(),
            set.clone(),
            "--static".into(),
            "--out".into(),
            model.clone(),
        ];
        first
            .into_iter()
            .chain(more.iter().map(PathBuf::from))
            .collect()
    };
    let trained = vclean(words(&[
        "--lang",
        "en",
        "--language-bound",
        "--groups",
        "linguistic.keyword",
        "--stages",
        "1",
    ]));
    assert_eq!(trained.code, Some(0), "{}", trained.stderr);
    assert!(
        trained.stderr.contains("25 pages"),
        "the French page is left out: {}",
        trained.stderr
    );
    let row = trained
        .stdout
        .lines()
        .find(|line| line.starts_with("stage 1"))
        .unwrap();
    assert!(
        row.split_whitespace()
            .nth(3)
            .unwrap()
            .parse::<f64>()
            .unwrap()
            > 0.95,
        "{}",
        trained.stdout
    );

    let bytes = fs::read(&model).unwrap();
    let header = String::from_utf8_lossy(&bytes);
    for word in [
        "\"marigold\"",
        "\"newsletter\"",
        "\"languages\":[\"en\"]",
        "--lang en --language-bound",
    ] {
        assert!(header.contains(word), "{word}");
    }
    assert!(
        !header.contains("\"word\":\"the\""),
        "as frequent on both sides"
    );

    let page = set.join("pages/page27.html");
    let cleaned = vclean([
        "clean".into(),
        page.clone(),
        "--model".into(),
        model.clone(),
    ]);
    assert_eq!(cleaned.code, Some(0), "{}", cleaned.stderr);
    assert_eq!(
        cleaned.stdout.matches("Marigold").count(),
        6,
        "{}",
        cleaned.stdout
    );
    assert!(!cleaned.stdout.contains("newsletter"), "{}", cleaned.stdout);

    let table = vclean([
        "lab".into(),
        "features".into(),
        page,
        "--language-bound".into(),
        "--keywords".into(),
        model.clone(),
    ]);
    assert_eq!(table.code, Some(0), "{}", table.stderr);
    assert!(
        table
            .stdout
            .lines()
            .next()
            .unwrap()
            .contains("linguistic.keyword.own_balance")
    );
    let scored = vclean([
        "lab".into(),
        "evaluate".into(),
        set.clone(),
        "--static".into(),
        "--lang".into(),
        "en".into(),
        "--model".into(),
        model.clone(),
    ]);
    assert_eq!(scored.code, Some(0), "{}", scored.stderr);
    let blocks = scored
        .stdout
        .lines()
        .find(|line| line.starts_with("by block"))
        .unwrap_or_default();
    assert_eq!(
        blocks
            .split_whitespace()
            .skip(2)
            .take(2)
            .collect::<Vec<_>>(),
        ["48", "1.000"],
        "{}",
        scored.stdout
    );
    let none = vclean(words(&["--lang", "fi"]));
    assert_eq!(none.code, Some(1));
    assert!(none.stderr.contains("no page is in fi"), "{}", none.stderr);
}
