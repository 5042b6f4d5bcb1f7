//! Renders and cleans every case of the fixture site, and compares it with its expected text.

use crate::cases::{self, Case};
use crate::program::{ENGINES, Outcome, files, one_browser, text_named, vclean};
use crate::support::{Server, fixtures};
use std::fmt::Write;
use std::path::Path;

/// Blocks that the models of the two engines classify differently: the caption of `article` has a
/// probability of .45 with the built-in engine and .52 with Chromium, on boxes that are equal to
/// half a pixel. No other difference is allowed.
const CLOSE_CALLS: &[(&str, &str, &str)] = &[(
    "builtin",
    "article",
    "lost \"The Marigold at her berth last week\"",
)];

/// Checks the output of each case in `folder`; a failure lists all errors.
#[track_caller]
fn assert_texts(cases: &[Case], folder: &Path, outcome: &Outcome, engine: &str) {
    let mut table = String::new();
    let mut has_faults = false;
    for case in cases {
        let (score, mut faults) = case.judge(&text_named(folder, &case.name));
        faults.retain(|fault| !CLOSE_CALLS.contains(&(engine, &case.name, fault)));
        has_faults |= !faults.is_empty();
        writeln!(table, "{:<16} {score:.3}  {}", case.name, faults.join("; ")).unwrap();
    }
    assert!(!has_faults, "\n{table}\n{}", outcome.stderr);
}

#[test]
fn every_case_gives_its_expected_text() {
    let server = Server::start();
    let out = tempfile::tempdir().unwrap();
    let cases = cases::all();
    let mut arguments = vec![
        "render-and-clean".to_owned(),
        "--allow-private".into(),
        "--format".into(),
        "text".into(),
    ];
    arguments.extend(["--out".to_owned(), out.path().display().to_string()]);
    arguments.extend(cases.iter().map(|case| server.url(&case.path)));
    let outcome = {
        let _alone = one_browser();
        vclean(&arguments)
    };
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(
        outcome.stdout, "",
        "with --out, nothing goes to standard output"
    );
    assert_eq!(files(out.path()).len(), cases.len());
    assert_texts(&cases, out.path(), &outcome, "chromium");
}

#[test]
fn saved_pages_are_rendered_with_scripts_off_and_with_files_next_to_them() {
    // All files are named index.html, so their folders are copied under different names.
    let saved = tempfile::tempdir().unwrap();
    let cases: Vec<Case> = cases::all()
        .into_iter()
        .filter(|case| !case.needs_scripts)
        .collect();
    let mut pages = Vec::new();
    for case in &cases {
        for (name, bytes) in files(&fixtures().join("site").join(&case.name)) {
            let name = if name == "index.html" {
                format!("{}.html", case.name)
            } else {
                name
            };
            std::fs::write(saved.path().join(name), bytes).unwrap();
        }
        pages.push(
            saved
                .path()
                .join(format!("{}.html", case.name))
                .display()
                .to_string(),
        );
    }
    for engine in ENGINES {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().display().to_string();
        let arguments = [
            "render-and-clean",
            "--engine",
            engine,
            "--fallback",
            "none",
            "--out",
            &folder,
        ];
        let arguments = arguments
            .into_iter()
            .filter(|word| *engine == "builtin" || !["--fallback", "none"].contains(word));
        let outcome = {
            let _alone = one_browser();
            vclean(arguments.chain(pages.iter().map(String::as_str)))
        };
        assert_eq!(outcome.code, Some(0), "{engine}: {}", outcome.stderr);
        let mut names: Vec<String> = files(out.path()).into_keys().collect();
        names.sort();
        assert_eq!(
            names,
            cases
                .iter()
                .map(|case| format!("{}.txt", case.name))
                .collect::<Vec<_>>(),
            "named after the files"
        );
        assert_texts(&cases, out.path(), &outcome, engine);
    }
}

#[test]
fn standard_output_has_only_the_text_of_the_page() {
    let server = Server::start();
    let article = cases::all()
        .into_iter()
        .find(|case| case.name == "article")
        .unwrap();
    let outcome = {
        let _alone = one_browser();
        vclean([
            "render-and-clean",
            &server.url("article/"),
            "--allow-private",
            "--format",
            "text",
        ])
    };
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(
        article.judge(&outcome.stdout).1,
        Vec::<String>::new(),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.ends_with('\n'));
    assert!(
        !outcome.stdout.contains('\u{1b}') && !outcome.stdout.contains('\r'),
        "no progress, no colors"
    );
}
