//! Readers' comments under an article: dropped, kept, or written apart.

use crate::program::vclean;
use std::fmt::Write as _;
use std::fs;

const STORY: &str = "The ferryman of the lower crossing counted his passengers twice, once with his eyes shut, and wrote \
    down the smaller number, because the river had taught him to be careful with what he promised to bring across.";
const REMARK: &str = "I crossed there as a child and never saw him smile, but he always waited for the last of us.";

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
        assert!(outcome.stdout.contains("6. The ferryman"), "{more:?}: {}", outcome.stdout);
        outcome.stdout
    };
    assert!(!clean(&[]).contains("never saw him smile"));
    let kept = clean(&["--comments", "keep"]);
    assert!(kept.contains("never saw him smile") && !kept.contains("\nComments\n"), "{kept}");
    let apart = clean(&["--comments", "separate"]);
    let (text, comments) = apart.split_once("\nComments\n").unwrap_or_else(|| panic!("{apart}"));
    assert!(!text.contains("never saw him smile") && comments.contains("Number 7."), "{apart}");
    let json: serde_json::Value =
        serde_json::from_str(&clean(&["--comments", "separate", "--format", "json"])).unwrap();
    assert!(json["comments"].as_array().is_some_and(|comments| comments.len() > 10), "{json}");
    assert_eq!(json["page_kind"]["kind"], "article");
}

#[test]
fn a_model_without_comments_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, page()).unwrap();
    // A model that was trained without comments.
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/models/methods/fiasco-static.model");
    let outcome = vclean(["clean", &file.display().to_string(), "--model", model, "--comments", "keep"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(outcome.stderr.contains("model fiasco-static does not tell comments"), "{}", outcome.stderr);
}
