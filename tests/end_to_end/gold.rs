//! Tests the verbs that use gold text (align, agreement, train and the tables of evaluate) on a
//! data folder made here.

use crate::program::vclean;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

fn write(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Makes a sentence that no other page has.
fn sentence(page: usize, number: usize) -> String {
    format!(
        "On page {page} the {number}. paragraph tells of word{page}x{number}, then goes on for a while, with commas, and ends."
    )
}

/// Makes a data folder of `count` articles with menus, one per site; every third is German, every
/// fourth is in `dev`.
fn data_folder(folder: &Path, count: usize) {
    let mut manifest = String::new();
    for page in 0..count {
        let paragraphs: Vec<String> = (0..4 + page % 3)
            .map(|number| sentence(page, number))
            .collect();
        let menu = ["Menu 0", "Menu 1", "Menu 2", "Menu 3", "Menu 4", "Menu 5"]
            .map(|item| ["<li><a href='/x'>", item, "</a></li>"].concat())
            .concat();
        let body: String = paragraphs.iter().fold(String::new(), |mut body, text| {
            let _ = write!(body, "<p>{text}</p>");
            body
        });
        let footer = "<div id=foot><a href='/imprint'>Imprint</a> | <a href='/x'>Contact</a></div>";
        let html =
            format!("<title>t</title><ul>{menu}</ul><h1>Title number {page}</h1>{body}{footer}");
        let nodes: Vec<(String, &str)> = (0..6)
            .map(|item| (format!("Menu {item}"), "1"))
            .chain([(format!("Title number {page}"), "3")])
            .chain(paragraphs.iter().map(|text| (text.clone(), "3")))
            .chain([
                ("Imprint".to_owned(), "1"),
                ("Contact".to_owned(), "undefined"),
            ])
            .collect();
        let id = format!("p{page:02}");
        write(folder, &format!("pages/{id}.html"), &html);
        write(
            folder,
            &format!("gold/{id}.txt"),
            &format!("Title number {page}\n\n{}\n", paragraphs.join("\n\n")),
        );
        write(
            folder,
            &format!("node_labels/{id}.json"),
            &serde_json::to_string(&nodes).unwrap(),
        );
        let _ = writeln!(
            manifest,
            r#"{{"id": "{id}", "host": "site{page}.org", "lang": "{}", "split": "{}", "gold_kind": "full"}}"#,
            if page % 3 == 0 { "de" } else { "en" },
            if page % 4 == 3 { "dev" } else { "train" }
        );
    }
    write(folder, "manifest.jsonl", &manifest);
}

#[test]
fn gold_is_aligned_reported_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    data_folder(&folder.path().join("set"), 8);
    for alignment in ["words", "dice"] {
        let labels = at(alignment);
        let calls = [
            "lab",
            "align",
            &at("set"),
            "--static",
            "--alignment",
            alignment,
            "--labels",
            &labels,
            "--worst",
            "1",
        ];
        let outcome = vclean(calls.iter().copied().chain(["--json", &at("report.json")]));
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(outcome.stderr, "");
        let human = outcome
            .stdout
            .lines()
            .find(|line| line.starts_with("words"))
            .unwrap();
        assert!(human.contains("1.0000"), "{}", outcome.stdout);
        let report: Value = serde_json::from_slice(&fs::read(at("report.json")).unwrap()).unwrap();
        assert_eq!(report.as_array().unwrap().len(), 8);
        assert_eq!(report[0]["dice"], 1.0);
        let rows: Vec<Value> =
            serde_json::from_slice(&fs::read(at(&format!("{alignment}/set/p00.json"))).unwrap())
                .unwrap();
        let content: Vec<&str> = rows
            .iter()
            .filter(|row| row["label"] == "content")
            .map(|row| row["text"].as_str().unwrap())
            .collect();
        assert_eq!(content.len(), 5, "{rows:?}");
        assert_eq!(content[0], "Title number 0");
        assert!(
            rows.iter()
                .enumerate()
                .all(|(index, row)| row["index"] == index && row["node"].is_string())
        );
    }
    let outcome = vclean(["lab", "agreement", &at("words/set"), &at("dice/set")]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("8 pages") && outcome.stdout.contains("kappa"),
        "{}",
        outcome.stdout
    );
    let outcome = vclean([
        "lab",
        "align",
        &at("set"),
        "--static",
        "--best-aligned",
        "0.5",
    ]);
    assert!(
        outcome.stdout.contains("4 pages")
            && outcome.stdout.contains("left out as worst aligned: 4")
    );
}

#[test]
fn annotations_are_compared_and_a_missing_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    write(folder.path(), "a/one.txt", "<p> one two three four");
    write(folder.path(), "b/one.txt", "one two 3 four");
    write(folder.path(), "a/two.txt", "一二三四五六七八九十");
    write(folder.path(), "b/two.txt", "一二三四五六七八九九");
    let outcome = vclean([
        "lab",
        "agreement",
        &at("a"),
        &at("b"),
        "--worst",
        "2",
        "--json",
        &at("found.json"),
    ]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert!(
        outcome.stdout.contains("0.8250") && outcome.stdout.contains("0.7500"),
        "{}",
        outcome.stdout
    );
    let found: Value = serde_json::from_slice(&fs::read(at("found.json")).unwrap()).unwrap();
    assert_eq!(found[1]["text"]["unit"], "characters");
    let outcome = vclean(["lab", "agreement", &at("a"), &at("b"), "--unit", "words"]);
    assert!(outcome.stdout.contains("0.3750"), "{}", outcome.stdout);

    write(folder.path(), "b/three.txt", "alone");
    let outcome = vclean(["lab", "agreement", &at("a"), &at("b")]);
    assert_eq!(outcome.code, Some(2));
    outcome.assert_fails("three.txt", &["no such file"]);
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (other, word) in [
        ("empty", "no text files"),
        ("nowhere", "cannot read the folder"),
    ] {
        let outcome = vclean(["lab", "agreement", &at("a"), &at(other)]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
        assert!(outcome.stderr.contains(word), "{}", outcome.stderr);
    }
    write(folder.path(), "c/x.json", "[{}]");
    write(folder.path(), "d/x.json", "[]");
    let outcome = vclean(["lab", "agreement", &at("c"), &at("d")]);
    assert_eq!(outcome.code, Some(2));
    outcome.assert_fails("x.json", &["no file of labels"]);
}

#[test]
fn the_tables_train_and_measure() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("set");
    data_folder(&set, 16);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let call = |words: &[&str]| {
        let outcome = vclean(
            [
                &["lab", "evaluate", &at("set"), "--static", "--quiet"],
                words,
            ]
            .concat(),
        );
        assert_eq!(outcome.code, Some(0), "{words:?}: {}", outcome.stderr);
        assert_eq!(outcome.stderr, "");
        outcome.stdout
    };
    let json = at("subsets.json");
    let printed = call(&[
        "--table",
        "subsets",
        "--folds",
        "3",
        "--best-aligned",
        "0.75",
        "--worst",
        "1",
        "--json",
        &json,
    ]);
    assert!(
        printed.contains("91.13") && printed.contains("95.66"),
        "FIASCO's figures stand beside: {printed}"
    );
    assert!(
        printed.contains("16 pages") && printed.contains("best aligned 12"),
        "{printed}"
    );
    let found: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let counts = &found[0]["halves"][0]["subsets"][0]["counts"];
    let right =
        counts["true_positive"].as_u64().unwrap() + counts["true_negative"].as_u64().unwrap();
    let wrong =
        counts["false_positive"].as_u64().unwrap() + counts["false_negative"].as_u64().unwrap();
    assert!(
        right > 190 && wrong <= right / 20,
        "menus and sentences are easily told apart: {counts}"
    );

    let printed = call(&["--table", "crossvalidated", "--folds", "2"]);
    assert!(
        printed.contains("FIASCO, 158 pages") && printed.contains("0.6516"),
        "{printed}"
    );
    let words = |name: &str| -> f64 {
        let line = printed.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().last().unwrap().parse().unwrap()
    };
    assert!(
        words("vclean") > words("all text") && words("vclean") > 0.95,
        "{printed}"
    );

    let printed = call(&["--table", "languages", "--train-lang", "en"]);
    assert!(
        printed.lines().any(|line| line.starts_with("de ")),
        "{printed}"
    );
    assert!(printed.starts_with("trained on 8 pages in en"), "{printed}");
}

#[test]
fn the_summary_of_training_has_the_number_of_pages_left_out() {
    let folder = tempfile::tempdir().unwrap();
    data_folder(&folder.path().join("set"), 16);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let outcome = vclean([
        "lab",
        "train",
        &at("set"),
        "--static",
        "--out",
        &at("x.model"),
        "--best-aligned",
        "0.75",
    ]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("9 pages, 3 left out"),
        "{}",
        outcome.stderr
    );
    let model = String::from_utf8_lossy(&fs::read(at("x.model")).unwrap()).into_owned();
    assert!(
        model.contains("--best-aligned 0.75"),
        "the command is in the model"
    );
    assert!(
        model.contains(r#""left_out":3"#),
        "the number is in the model"
    );
}

#[test]
fn bad_data_is_reported_and_leaves_no_partial_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let set = folder.path().join("set");
    data_folder(&set, 4);
    // A page lacks its gold and a gold text lacks its page; the others are aligned.
    fs::remove_file(set.join("gold/p01.txt")).unwrap();
    write(&set, "gold/stray.txt", "text");
    let outcome = vclean([
        "lab",
        "align",
        &at("set"),
        "--static",
        "--labels",
        &at("labels"),
    ]);
    assert_eq!(outcome.code, Some(2));
    outcome.assert_fails("set/p01", &["p01.txt", "add the gold"]);
    outcome.assert_fails("set/stray", &["no row"]);
    assert!(outcome.stdout.contains("3 pages"), "{}", outcome.stdout);
    assert_eq!(
        fs::read_dir(folder.path().join("labels/set"))
            .unwrap()
            .count(),
        3
    );

    // Calls that must fail write no file.
    let nothing = |words: &[&str], word: &str| {
        let outcome =
            vclean([words, &["--static", "--quiet", "--json", &at("none.json")]].concat());
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(1), ""),
            "{words:?}: {}",
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains(word),
            "{words:?}: {word} in {}",
            outcome.stderr
        );
        assert!(!outcome.stderr.contains("panicked") && !folder.path().join("none.json").exists());
    };
    let one = at("set");
    nothing(
        &["lab", "evaluate", &one, "--table", "subsets"],
        "3 sites cannot be divided into 5 folds",
    );
    nothing(
        &[
            "lab",
            "evaluate",
            &one,
            "--table",
            "languages",
            "--train-lang",
            "xx",
        ],
        "no training page is in xx",
    );
    // Training needs both kinds of labels.
    let empty = folder.path().join("empty");
    data_folder(&empty, 12);
    for page in 0..12 {
        write(&empty, &format!("gold/p{page:02}.txt"), "");
    }
    let empty = at("empty");
    nothing(
        &[
            "lab", "evaluate", &empty, "--table", "subsets", "--folds", "2",
        ],
        "both kinds are needed",
    );
    nothing(
        &[
            "lab",
            "evaluate",
            &empty,
            "--table",
            "crossvalidated",
            "--folds",
            "2",
        ],
        "both kinds are needed",
    );
    // The manifest has a page twice, and a row without its page.
    let manifest = fs::read_to_string(set.join("manifest.jsonl")).unwrap();
    write(&set, "manifest.jsonl", &format!("{manifest}{manifest}"));
    nothing(
        &["lab", "align", &one],
        "line 5: the id p00 is that of line 1 too",
    );
    write(&set, "manifest.jsonl", &manifest);
    fs::remove_file(set.join("pages/p02.html")).unwrap();
    nothing(&["lab", "align", &one], "pages/p02.html");
    nothing(&["lab", "align", &at("nowhere")], "manifest.jsonl");
}
