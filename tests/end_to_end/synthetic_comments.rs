//! Tests that the pages of `scripts/synthetic-comments` have the labels they were made with.

use crate::program::vclean;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const PAGES: usize = 40;
/// Content blocks of the 28 pages with gold text, and of the 10 with snippets, where the heading is
/// not decided.
const CONTENT: usize = 28 * 3 + 10 * 2;

/// Makes a set of sites with one page each: articles, a listing and a page of the split dev; every
/// fourth has snippets as gold.
fn make_set(at: &Path) -> PathBuf {
    let folder = at.join("harbors");
    for name in ["pages", "gold"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let mut manifest = String::new();
    for number in 0..PAGES {
        let story = |part: &str| {
            let sentence = |what: &str| {
                format!("On day {number} {what} {part} number {number} was seen far out. ")
            };
            ["the blue boat", "a gray gull", "the old captain"]
                .map(sentence)
                .concat()
                .trim_end()
                .to_owned()
        };
        let (first, second) = (story("with net"), story("near buoy"));
        let html = format!(
            "<!DOCTYPE html><html><head><meta charset=iso-8859-1><title>Day {number}</title></head><body><nav><a href=/>Home</a> \
             <a href=/map>Map of harbor</a></nav><main><h1>Harbor log {number}</h1><p>{first}</p><p>{second}</p></main>\
             <footer><a href=/x>Imprint and privacy</a> caf\u{e9}</footer></body></html>"
        );
        let latin: Vec<u8> = html.chars().map(|letter| letter as u8).collect();
        fs::write(folder.join(format!("pages/p{number}.html")), latin).unwrap();
        let has_snippets = number % 4 == 3;
        if has_snippets {
            let gold = serde_json::json!({"with": [first, second], "without": ["Map of harbor"]})
                .to_string();
            fs::write(folder.join(format!("gold/p{number}.json")), gold).unwrap();
        } else {
            fs::write(
                folder.join(format!("gold/p{number}.txt")),
                format!("Harbor log {number}\n{first}\n{second}\n"),
            )
            .unwrap();
        }
        let row = serde_json::json!({
            "id": format!("p{number}"), "host": format!("h{number}.example"), "lang": "en", "encoding": "iso-8859-1",
            "split": if number == 0 { "dev" } else { "train" }, "page_type": if number == 1 { "listing" } else { "article" },
            "gold_kind": if has_snippets { "snippets" } else { "full" }, "licence": "ours",
        });
        manifest += &row.to_string();
        manifest.push('\n');
    }
    fs::write(folder.join("manifest.jsonl"), manifest).unwrap();
    folder
}

/// Reads all files below a folder, by their paths.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.append(&mut files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

fn make_synthetic(set: &str, out: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let script =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("scripts/synthetic-comments");
    let output = std::process::Command::new("python3")
        .arg(script)
        .args([set, "--share", "1", "--out"])
        .arg(out)
        .args(more)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn made_pages_have_the_labels_that_they_were_made_with() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path()).display().to_string();
    let out = folder.path().join("synthetic");
    let (code, stdout, stderr) = make_synthetic(&set, &out, &[]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(
        stdout.starts_with("38 pages with comments\n0 pages left out"),
        "{stdout}"
    );
    let rows = fs::read_to_string(out.join("manifest.jsonl")).unwrap();
    let rows: Vec<Value> = rows
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), PAGES - 2);
    for row in &rows {
        let from = row["synthetic_from"].as_str().unwrap();
        assert!(
            row["id"]
                .as_str()
                .unwrap()
                .starts_with(&from.replace('/', "-"))
                && row["synthetic_comments"] == true,
            "{row}"
        );
        assert!(
            !["harbors/p0", "harbors/p1"].contains(&from),
            "not the page of dev, nor the listing"
        );
        assert!(
            row["encoding"] == "utf-8" && row["split"] == "train" && row["licence"] == "ours",
            "{row}"
        );
        assert_eq!(
            row["host"].as_str().unwrap(),
            format!("{}.example", from.replace("harbors/p", "h"))
        );
    }

    let table = folder.path().join("table.jsonl");
    let labelled = vclean([
        "lab",
        "features",
        &out.display().to_string(),
        "--quiet",
        "--out",
        &table.display().to_string(),
    ]);
    assert_eq!((labelled.code, labelled.stderr.as_str()), (Some(0), ""));
    let mut count = BTreeMap::new();
    for line in fs::read_to_string(&table).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let label = row["label"].as_str().unwrap_or("none").to_owned();
        let text = row["text"].as_str().unwrap().to_owned();
        assert!(!text.contains('\u{fffd}'), "{text}");
        if text.contains("Imprint") || text.contains("Map of harbor") {
            assert!(
                ["boilerplate", "none"].contains(&label.as_str()),
                "{label}: {text}"
            );
            assert!(
                !text.contains("Imprint") || text.contains("caf\u{e9}"),
                "the encoding changed: {text}"
            );
        }
        *count.entry(label).or_insert(0) += 1;
    }
    assert_eq!(count["content"], CONTENT, "{count:?}");
    assert!(
        count["comments"] > 500 && count["boilerplate"] > 300,
        "{count:?}"
    );
}

#[test]
fn the_result_depends_on_seed_and_pages_only_and_replaces_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path()).display().to_string();
    let out = folder.path().join("synthetic");
    assert_eq!(make_synthetic(&set, &out, &[]).0, Some(0));
    let first = files(&out);
    assert_eq!(
        make_synthetic(&set, &out, &[]).0,
        Some(0),
        "an earlier result is replaced"
    );
    assert!(files(&out) == first);
    assert_eq!(make_synthetic(&set, &out, &["--seed", "2"]).0, Some(0));
    assert!(files(&out) != first);

    let (code, _, stderr) = make_synthetic(&set, Path::new(&set), &[]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("is a data set that is read"), "{stderr}");
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("notes.txt"), "mine").unwrap();
    let (code, _, stderr) = make_synthetic(&set, &other, &[]);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("was not made by scripts/synthetic-comments"),
        "{stderr}"
    );
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
}
