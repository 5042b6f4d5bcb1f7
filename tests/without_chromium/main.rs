//! Tests the program built with only the built-in engine (`--no-default-features --features
//! builtin`). The environment variable `VCLEAN_WITHOUT_CHROMIUM` has its path, because these tests
//! are built together with a program that has all features.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
#[allow(dead_code, unreachable_pub, missing_docs)]
mod support;

use std::fs;
use std::process::Command;
use support::{Server, fixtures};

/// Runs the program; returns its exit code, standard output and standard error.
fn vclean(arguments: &[&str]) -> (Option<i32>, String, String) {
    let program = std::env::var_os("VCLEAN_WITHOUT_CHROMIUM")
        .expect("VCLEAN_WITHOUT_CHROMIUM is to be the path of a program built with --no-default-features --features builtin");
    let output = Command::new(program).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn fixture(path: &str) -> String {
    fixtures().join(path).display().to_string()
}

#[test]
fn saved_pages_are_rendered_and_cleaned() {
    let folder = tempfile::tempdir().unwrap();
    let (out, overlay) = (folder.path().join("out"), folder.path().join("overlay"));
    let pages = [
        fixture("saved/weather-hut.mhtml"),
        fixture("site/article/index.html"),
    ];
    let [out_name, overlay_name] = [&out, &overlay].map(|path| path.display().to_string());
    let (code, stdout, stderr) = vclean(&[
        "render-and-clean",
        &pages[0],
        &pages[1],
        "--out",
        &out_name,
        "--overlay",
        &overlay_name,
    ]);
    assert_eq!((code, stdout.as_str()), (Some(0), ""), "{stderr}");
    assert!(
        stderr.starts_with("vclean: 2 done, 0 failed, 0 warnings in ")
            && stderr.lines().count() == 1,
        "{stderr}"
    );
    for name in ["weather-hut", "index"] {
        assert!(
            fs::read_to_string(out.join(format!("{name}.txt")))
                .unwrap()
                .len()
                > 200,
            "{name}"
        );
        assert!(overlay.join(format!("{name}.png")).is_file(), "{name}");
    }
}

#[test]
fn captures_are_saved_and_give_the_same_text_when_cleaned_again() {
    let folder = tempfile::tempdir().unwrap();
    let captures = folder.path().join("captures").display().to_string();
    let page = fixture("saved/weather-hut.mhtml");
    assert_eq!(vclean(&["render", &page, "--out", &captures]).0, Some(0));
    let (_, at_once, _) = vclean(&["render-and-clean", &page]);
    let (_, later, _) = vclean(&["clean", &captures]);
    assert!(!at_once.is_empty());
    // Each text of a folder has a heading.
    assert_eq!(format!("==> {captures}/weather-hut <==\n{at_once}"), later);
}

#[test]
fn an_address_is_fetched_without_a_browser() {
    let server = Server::start();
    let url = server.url("german/");
    let (code, stdout, stderr) = vclean(&[
        "render-and-clean",
        &url,
        "--allow-private",
        "--ignore-robots",
    ]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.len() > 200, "{stdout}");
    let (code, _, stderr) = vclean(&["render-and-clean", &url, "--ignore-robots"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("--allow-private"), "{stderr}");
}

#[test]
fn engines_missing_in_this_build_are_named() {
    let page = fixture("site/article/index.html");
    let (code, _, stderr) = vclean(&["render-and-clean", &page, "--engine", "chromium"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("feature chromium"), "{stderr}");
    let (code, stdout, _) = vclean(&["doctor"]);
    assert!(
        stdout.contains("built-in") || stdout.contains("engine"),
        "{code:?} {stdout}"
    );
}

#[test]
fn parquet_is_refused_and_not_treated_as_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("pages.parquet").display().to_string();
    let page = fixture("site/article/index.html");
    let (code, _, stderr) = vclean(&["clean", &page, &page, "--out", &out]);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("feature parquet"), "{stderr}");
    let (code, _, stderr) = vclean(&["clean", &out]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("feature parquet"), "{stderr}");
}

#[test]
fn verbs_of_the_laboratory_are_not_in_this_build() {
    let (code, stdout, _) = vclean(&["--help"]);
    assert_eq!(code, Some(0));
    assert!(
        stdout.contains("render-and-clean") && !stdout.contains(" lab "),
        "{stdout}"
    );
}
