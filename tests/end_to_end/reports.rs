//! Tests the messages of a run over several pages: warnings by their kind, and the summary.

use crate::program::{Outcome, vclean};
use std::fs;
use std::path::Path;

const STORY: &str = "The lock keeper counted the barges every evening, wrote their names into a long book, and closed the \
    upper gate before the fog came down on the river.";

/// Makes a folder of pages that each have a character that cannot be decoded.
fn make_folder(at: &Path, pages: usize) -> String {
    let folder = at.join("pages");
    fs::create_dir(&folder).unwrap();
    for page in 0..pages {
        let html =
            format!("<article><h1>Lock {page}</h1><p>{STORY}</p><p>{STORY} \u{fffd}</p></article>");
        fs::write(folder.join(format!("{page}.html")), html).unwrap();
    }
    folder.display().to_string()
}

fn warnings(outcome: &Outcome) -> Vec<&str> {
    outcome
        .stderr
        .lines()
        .filter(|line| line.contains("could not be decoded"))
        .collect()
}

#[test]
fn warnings_of_a_kind_are_counted_and_the_run_ends_with_its_figures() {
    let folder = tempfile::tempdir().unwrap();
    let pages = make_folder(folder.path(), 8);
    let out = folder.path().join("out.jsonl").display().to_string();
    let outcome = vclean(["clean", &pages, "--out", &out]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(warnings(&outcome).len(), 3, "{}", outcome.stderr);
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    let counted = format!(
        "vclean: warning: 8 pages: characters that cannot be decoded (first: {pages}/0.html); --verbose shows each"
    );
    assert_eq!(lines[3], counted);
    assert!(
        lines[4].starts_with("vclean: 8 done, 0 failed, 8 warnings in ") && lines.len() == 5,
        "{lines:?}"
    );
    // The output has all of them.
    let written = fs::read_to_string(&out).unwrap();
    assert_eq!(
        written.matches("1 characters could not be decoded").count(),
        8,
        "{written}"
    );

    let verbose = vclean(["clean", &pages, "--verbose"]);
    assert_eq!(warnings(&verbose).len(), 8, "{}", verbose.stderr);
    assert!(!verbose.stderr.contains("--verbose"), "{}", verbose.stderr);
    assert_eq!(vclean(["clean", &pages, "--quiet"]).stderr, "");
    assert_eq!(
        vclean(["clean", &pages, "--quiet", "--verbose"]).code,
        Some(1)
    );
}

#[test]
fn a_resumed_run_tells_what_was_done_before_and_one_page_has_no_figures() {
    let folder = tempfile::tempdir().unwrap();
    let pages = make_folder(folder.path(), 2);
    let out = folder.path().join("out").display().to_string();
    assert_eq!(vclean(["clean", &pages, "--out", &out]).code, Some(0));
    fs::write(folder.path().join("pages/broken.html"), "%PDF-1.4").unwrap();
    let again = vclean(["clean", &pages, "--out", &out, "--resume"]);
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(
        again
            .stderr
            .contains("vclean: 0 done, 2 done before, 1 failed, 0 warnings in "),
        "{}",
        again.stderr
    );
    let one = vclean(["clean", &format!("{pages}/0.html")]);
    assert_eq!(one.stderr.lines().count(), 1, "{}", one.stderr);
}

#[test]
fn a_page_without_a_verb_is_rendered_and_cleaned() {
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/site/article/index.html"
    );
    let [short, long] = [&[page][..], &["render-and-clean", page]].map(vclean);
    assert_eq!((short.code, short.stderr.as_str()), (Some(0), ""));
    assert!(short.stdout.len() > 200 && short.stdout == long.stdout);
    let greeting = vclean::<&str>([]);
    assert_eq!(
        (greeting.code, greeting.stdout.lines().count()),
        (Some(0), 6)
    );
    assert_eq!(vclean(["claen"]).code, Some(1));
}
