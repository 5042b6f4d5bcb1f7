//! Tests that readers' comments under an article are dropped, kept, or written separately.

use crate::program::vclean;
use std::fmt::Write as _;
use std::fs;

const STORY: &str = "The ferryman of the lower crossing counted his passengers twice, once with his eyes shut, and wrote \
    down the smaller number, because the river had taught him to be careful with what he promised to bring across.";
const REMARK: &str =
    "I crossed there as a child and never saw him smile, but he always waited for the last of us.";

pub fn page() -> String {
    let (mut paragraphs, mut comments) = (String::new(), String::new());
    for number in 1..7 {
        write!(paragraphs, "<p>{number}. {STORY}</p>").unwrap();
    }
    for number in 1..13 {
        write!(
            comments,
            "<li class=comment id=comment-{number}><div class=comment-author><cite>Reader {number}</cite> says:</div>\
             <div class=comment-meta><a href=#comment-{number}>March {number}, 2019 at 8:{number}0 pm</a></div>\
             <p>{REMARK} Number {number}.</p><div class=reply><a href=#respond>Reply</a></div></li>"
        )
        .unwrap();
    }
    format!(
        "<!DOCTYPE html><html lang=en><title>The crossing</title><body><nav><a href=/>Home</a> <a href=/news>News</a></nav>\
         <main><article><h1>The crossing</h1>{paragraphs}</article><section id=comments><h2>12 thoughts on “The crossing”</h2>\
         <ol class=comment-list>{comments}</ol></section></main><footer>Copyright</footer>"
    )
}

#[test]
fn comments_are_dropped_kept_or_written_apart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, page()).unwrap();
    let file = file.display().to_string();
    let clean = |more: &[&str]| {
        let outcome = vclean([&["clean", file.as_str()], more].concat());
        assert_eq!(outcome.code, Some(0), "{more:?}: {}", outcome.stderr);
        assert!(
            outcome.stdout.contains("6. The ferryman"),
            "{more:?}: {}",
            outcome.stdout
        );
        outcome.stdout
    };
    assert!(!clean(&[]).contains("never saw him smile"));
    let kept = clean(&["--comments", "keep"]);
    assert!(
        kept.contains("never saw him smile") && !kept.contains("\nComments\n"),
        "{kept}"
    );
    let apart = clean(&["--comments", "separate"]);
    let (text, comments) = apart
        .split_once("\nComments\n")
        .unwrap_or_else(|| panic!("{apart}"));
    assert!(
        !text.contains("never saw him smile") && comments.contains("Number 7."),
        "{apart}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&clean(&["--comments", "separate", "--format", "json"])).unwrap();
    assert!(
        json["comments"]
            .as_array()
            .is_some_and(|comments| comments.len() > 10),
        "{json}"
    );
    assert_eq!(json["page_kind"]["kind"], "article");
    let seventh = json["comments"].as_array().unwrap().iter().find(|comment| {
        comment["text"]
            .as_str()
            .is_some_and(|text| text.contains("Number 7."))
    });
    let seventh = seventh.unwrap_or_else(|| panic!("{json}"));
    assert_eq!(
        (&seventh["author"], &seventh["date"]),
        (&"Reader 7".into(), &"2019-03-07".into())
    );
    let tei = clean(&["--comments", "separate", "--format", "tei"]);
    assert!(
        tei.contains(
            "<byline><name>Reader 7</name>, <date when=\"2019-03-07\">2019-03-07</date></byline>"
        ),
        "{tei}"
    );
}

#[test]
fn comments_are_written_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, page()).unwrap();
    let file = file.display().to_string();
    let clean =
        |more: &[&str]| vclean([&["clean", file.as_str(), "--comments", "only"], more].concat());
    for format in [
        "text", "markdown", "html", "tei", "xml", "vertical", "json", "csv",
    ] {
        let written = clean(&["--format", format]).stdout;
        assert!(
            written.contains("saw") && written.contains("smile"),
            "{format}: {written}"
        );
        let text = if format == "json" {
            written.split("\"targets\"").next().unwrap()
        } else {
            &written
        };
        assert!(
            !text.contains("ferryman of") && !text.contains("\nComments\n"),
            "{format}: {written}"
        );
    }
    let out = folder.path().join("out.jsonl").display().to_string();
    assert_eq!(clean(&["--out", &out]).code, Some(0));
    let line: serde_json::Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    assert!(
        line["text"].as_str().unwrap().contains("Number 7.") && line.get("comments").is_none(),
        "{line}"
    );
    let outcome = clean(&["--min-words", "5"]);
    assert!(
        outcome.code == Some(1) && outcome.stderr.contains("--min-words"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_model_without_comments_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, page()).unwrap();
    // A model that was trained without comments.
    let model = concat!(
        concat!(env!("CARGO_MANIFEST_DIR"), "/../.."),
        "/models/methods/fiasco-static.model"
    );
    let outcome = vclean([
        "clean",
        &file.display().to_string(),
        "--model",
        model,
        "--comments",
        "keep",
    ]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(
        outcome
            .stderr
            .contains("model fiasco-static does not tell comments"),
        "{}",
        outcome.stderr
    );
}
