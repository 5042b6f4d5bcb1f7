//! Tests the command line itself: usage errors, help, doctor, feature list, completions, manual.

use crate::program::{one_browser, vclean};
use crate::support::fixtures;

#[test]
fn wrong_usage_has_exit_code_1_and_names_the_error() {
    let page = fixtures()
        .join("site/german/index.html")
        .display()
        .to_string();
    let calls: &[(&[&str], &str)] = &[
        (&["polish"], "polish"),
        (&["clean"], "input"),
        (&["clean", &page, "--format", "papyrus"], "papyrus"),
        (&["clean", &page, "--shiny"], "--shiny"),
        (&["clean", &page, "--targets", "squares"], "squares"),
        (&["clean", &page, "--jobs", "0"], "0"),
        (
            &["clean", &page, "--model", "no-such.model"],
            "no-such.model",
        ),
        (&["clean", "--from", "no-such-list"], "no-such-list"),
        (&["render-and-clean", &page, "--timeout", "soon"], "soon"),
        (
            &["render-and-clean", &page, "--browser", "/no/such/browser"],
            "/no/such/browser",
        ),
        (&["render-and-clean", &page, "--engine", "opera"], "opera"),
        (
            &["render-and-clean", &page, "--min-expected-f", "NaN"],
            "from 0 to 1",
        ),
        (
            &["render-and-clean", &page, "--min-expected-f=-1"],
            "from 0 to 1",
        ),
        (
            &["render-and-clean", &page, "--min-expected-f", "7"],
            "from 0 to 1",
        ),
        (
            &["render-and-clean", &page, "--min-expected-f", "inf"],
            "from 0 to 1",
        ),
        (&["clean", &page, "--min-precision", "NaN"], "from 0 to 1"),
        (&["clean", &page, "--timeout", "0"], "0"),
        (&["clean", &page, "--links"], "--format markdown"),
        (
            &["worker", "--links", "--format", "text"],
            "--format markdown",
        ),
        (&["clean", "--from", &page], "html page"),
        (&["clean", "--from", "/dev/null"], "nothing to do"),
        (
            &[
                "render-and-clean",
                &page,
                "--engine",
                "builtin",
                "--scripts",
                "on",
            ],
            "runs no scripts",
        ),
        (
            &[
                "render-and-clean",
                &page,
                "--engine",
                "chromium",
                "--fallback",
                "static",
            ],
            "--fallback",
        ),
    ];
    for (arguments, word) in calls {
        let outcome = vclean(*arguments);
        assert_eq!(outcome.code, Some(1), "{arguments:?}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{arguments:?}");
        assert!(
            outcome.stderr.to_lowercase().contains(word),
            "{arguments:?}: {word:?} in {}",
            outcome.stderr
        );
        assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    }
}

#[test]
fn help_version_completions_and_manual_go_to_standard_output() {
    for (arguments, word) in [
        (&["--help"] as &[&str], "render-and-clean"),
        (&["--version"], env!("CARGO_PKG_VERSION")),
        (&["render-and-clean", "--help"], "--allow-private"),
        (&["completions", "bash"], "vclean"),
        (&["man"], "vclean"),
    ] {
        let outcome = vclean(arguments);
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
        assert!(
            outcome.stdout.contains(word),
            "{arguments:?}: {word} in {}",
            outcome.stdout
        );
        assert_eq!(outcome.stderr, "", "{arguments:?}");
    }
}

#[test]
fn the_doctor_finds_the_browser() {
    let _alone = one_browser();
    let outcome = vclean(["doctor"]);
    assert_eq!(
        outcome.code,
        Some(0),
        "{}{}",
        outcome.stdout,
        outcome.stderr
    );
    let report = outcome.stdout.to_lowercase();
    for word in ["browser", "sandbox", "font"] {
        assert!(report.contains(word), "{word} in {report}");
    }
}

#[test]
fn features_are_listed_and_written() {
    let described = vclean(["lab", "features", "--describe"]);
    assert_eq!(described.code, Some(0), "{}", described.stderr);
    for column in ["visual.blob.solidity_1", "structural.link_density"] {
        assert!(described.stdout.contains(column), "{column}");
    }
    let folder = tempfile::tempdir().unwrap();
    let page = fixtures().join("site/german/index.html");
    let write = |name: &str| {
        let table = folder.path().join(name);
        let outcome = vclean([
            "lab".into(),
            "features".into(),
            page.clone(),
            "--out".into(),
            table.clone(),
        ]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        std::fs::read_to_string(table).unwrap()
    };
    let header = write("table.csv").lines().next().unwrap().to_owned();
    assert!(
        header.contains(",structural.link_density") && header.contains(",visual.blob.solidity_1"),
        "{header}"
    );
    let rows = write("table.jsonl");
    assert!(rows.lines().count() > 10);
    for row in rows.lines() {
        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(row).unwrap();
        assert!(row.contains_key("structural.link_density"));
        assert!(
            !row.keys().any(|name| name.starts_with("visual.")),
            "not rendered, so nothing visual: {row:?}"
        );
    }
}
