//! `vclean lab evaluate --metadata` on pages of our own: the table, the faults, JSON, what other
//! programs found, and errors.

use crate::program::vclean;
use std::fs;
use std::path::Path;

/// A set with two pages, one of them in each split.
fn write_set(folder: &Path) -> String {
    let set = folder.join("tiny");
    fs::create_dir_all(set.join("pages")).unwrap();
    let text = "<p>Herring gulls drop mussels on rocks, on roads and on roofs, until the shells break.</p>".repeat(3);
    let page = |title: &str, day: &str| {
        format!(
            "<meta property=og:title content='{title} | Gull News'><meta property=article:published_time content={day}>\
             <body><h1>{title}</h1><p class=byline>By Ann Lee and Bo Olsen</p>{text}"
        )
    };
    fs::write(
        set.join("pages/a.html"),
        page("Gulls drop mussels", "2020-03-12"),
    )
    .unwrap();
    fs::write(
        set.join("pages/b.html"),
        page("Shells on roads", "2020-03-13"),
    )
    .unwrap();
    let rows = [
        r#"{"id": "a", "split": "dev", "gold_kind": "metadata", "title": "Gulls drop mussels", "author": ["Bo Olsen", "Ann Lee"]}"#,
        r#"{"id": "b", "split": "train", "gold_kind": "metadata", "title": "Shells", "date": "2020-03-13"}"#,
    ];
    fs::write(set.join("manifest.jsonl"), rows.join("\n")).unwrap();
    set.display().to_string()
}

#[test]
fn titles_authors_and_dates_are_compared_with_the_gold() {
    let folder = tempfile::tempdir().unwrap();
    let set = write_set(folder.path());
    let json = folder.path().join("metadata.json");
    let (json_path, split) = (
        json.display().to_string(),
        ["--split", "all", "--worst", "5"],
    );
    let common = [
        "lab",
        "evaluate",
        &set,
        "--static",
        "--quiet",
        "--metadata",
        "--json",
        &json_path,
    ];
    let outcome = vclean([&common[..], &split].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome
            .stdout
            .starts_with("metadata: vclean, 2 pages, 0 not cleaned\n"),
        "{}",
        outcome.stdout
    );
    assert!(
        outcome.stdout.contains("1 of 2") && outcome.stdout.contains("1 of 1"),
        "{}",
        outcome.stdout
    );
    let fault = "tiny/b title: \"Shells\", found \"Shells on roads\" (h1)\n";
    assert!(outcome.stdout.ends_with(fault), "{}", outcome.stdout);
    let figures: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert_eq!(figures["sets"][0]["fields"]["title"]["wrong"], 1);
    assert_eq!(figures["pages"][0]["fields"][1]["outcome"], "right");
}

#[test]
fn what_another_program_found_is_compared_too() {
    let folder = tempfile::tempdir().unwrap();
    let set = write_set(folder.path());
    let found = folder.path().join("other.jsonl");
    fs::write(
        &found,
        "{\"set\": \"tiny\", \"id\": \"a\", \"title\": \"Gulls drop mussels\", \"author\": null}\n",
    )
    .unwrap();
    let found = found.display().to_string();
    let outcome = vclean([
        "lab",
        "evaluate",
        &set,
        "--quiet",
        "--metadata",
        "--found",
        &found,
    ]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome
            .stdout
            .starts_with("metadata: other, 1 pages, 0 not cleaned\n"),
        "{}",
        outcome.stdout
    );
    let gold = folder.path().join("gold.jsonl");
    fs::write(
        &gold,
        "{\"set\": \"tiny\", \"id\": \"a\", \"date\": \"2020-03-12\"}\n",
    )
    .unwrap();
    let gold = gold.display().to_string();
    let more = vclean([
        "lab",
        "evaluate",
        &set,
        "--quiet",
        "--metadata",
        "--metadata-gold",
        &gold,
        "--static",
    ]);
    assert!(
        more.stdout.matches("1 of 1").count() == 3,
        "{}",
        more.stdout
    );
}

#[test]
fn gold_that_cannot_be_used_is_named_with_its_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let set = write_set(folder.path());
    let text = vclean(["lab", "evaluate", &set, "--static", "--quiet"]);
    assert!(
        text.code == Some(1) && text.stderr.contains("no gold"),
        "{}",
        text.stderr
    );
    let bad = folder.path().join("bad.jsonl");
    fs::write(&bad, "{}").unwrap();
    let bad = bad.display().to_string();
    let unread = vclean([
        "lab",
        "evaluate",
        &set,
        "--static",
        "--quiet",
        "--metadata",
        "--metadata-gold",
        &bad,
    ]);
    assert!(
        unread.code == Some(1) && unread.stderr.contains("line 1"),
        "{}",
        unread.stderr
    );
    let alone = vclean(["lab", "evaluate", &set, "--half", "first"]);
    assert!(
        alone.code == Some(1) && alone.stderr.contains("--metadata"),
        "{}",
        alone.stderr
    );
}
