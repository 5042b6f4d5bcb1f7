//! Tests which engine renders which page, and runs without a browser.

use crate::methods::make_set;
use crate::program::{
    Outcome, documents_without_input, files, one_browser, vclean, vclean_with_browser,
};
use crate::support::{Server, fixtures};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use vclean_core::capture::{Capture, Engine};
use vclean_core::files::{list_captures, load_capture, save_capture};

/// A saved page, without the content that its scripts would add.
fn saved() -> String {
    fixtures()
        .join("site/article/index.html")
        .display()
        .to_string()
}

/// Creates a fake browser that creates a file when it is started, and fails.
fn trap(folder: &Path) -> (PathBuf, PathBuf) {
    let (browser, mark) = (folder.join("browser"), folder.join("started"));
    fs::write(
        &browser,
        format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display()),
    )
    .unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    // The browser may run as another user.
    fs::set_permissions(folder, fs::Permissions::from_mode(0o1777)).unwrap();
    (browser, mark)
}

fn captures(folder: &Path) -> BTreeMap<String, Capture> {
    let all = list_captures(folder).unwrap();
    let name = |folder: &Path| folder.file_name().unwrap().to_string_lossy().into_owned();
    all.iter()
        .map(|folder| (name(folder), load_capture(folder).unwrap()))
        .collect()
}

/// Warnings about the whole run, not about a page.
fn notices(outcome: &Outcome) -> Vec<&str> {
    outcome
        .stderr
        .lines()
        .filter(|line| line.starts_with("vclean: warning: "))
        .collect()
}

fn assert_is_laid_out(capture: &Capture) {
    assert_eq!(
        capture.record.engine,
        Engine::Builtin,
        "{:?}",
        capture.record.warnings
    );
    assert!(capture.layout.is_some() && capture.pictures.is_some());
}

#[test]
fn a_saved_page_is_rendered_by_the_builtin_engine_and_no_browser_is_started() {
    let folder = tempfile::tempdir().unwrap();
    let (browser, mark) = trap(folder.path());
    let lines = folder.path().join("pages.jsonl");
    let html = fs::read_to_string(saved()).unwrap();
    fs::write(&lines, serde_json::json!({ "html": html }).to_string()).unwrap();
    for engine in ["auto", "builtin"] {
        let out = folder.path().join(engine);
        let mhtml = fixtures()
            .join("saved/weather-hut.mhtml")
            .display()
            .to_string();
        let (out_name, lines) = (out.display().to_string(), lines.display().to_string());
        let outcome = vclean_with_browser(
            &browser,
            [
                "render",
                &saved(),
                &mhtml,
                &lines,
                "--engine",
                engine,
                "--out",
                &out_name,
            ],
        );
        assert!(
            outcome.code == Some(0) && outcome.problems().is_empty(),
            "{engine}: {}",
            outcome.stderr
        );
        let found = captures(&out);
        assert_eq!(found.len(), 3, "{engine}: {:?}", found.keys());
        found.values().for_each(assert_is_laid_out);
        assert!(!mark.exists(), "{engine} started the browser");
    }
    // The file does appear if the fake browser is started.
    let out = folder.path().join("chromium").display().to_string();
    let outcome = vclean_with_browser(
        &browser,
        ["render", &saved(), "--engine", "chromium", "--out", &out],
    );
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(mark.exists(), "{}", outcome.stderr);
}

#[test]
fn auto_uses_chromium_for_addresses_and_for_scripts() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("scripted.html");
    fs::write(
        &page,
        "<p id=p>before</p><script>p.textContent = 'scripts ran'</script>",
    )
    .unwrap();
    let at = |name: &str| folder.path().join(name);
    let (page, address) = (page.display().to_string(), server.url("german/"));
    let _alone = one_browser();
    for (name, input, more) in [
        ("address", &address, "--allow-private"),
        ("scripts", &page, "--scripts=on"),
    ] {
        let outcome = vclean([
            "render",
            input,
            more,
            "--out",
            &at(name).display().to_string(),
        ]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
        assert!(
            captures(&at(name))
                .values()
                .all(|capture| capture.record.engine == Engine::Chromium),
            "{name}"
        );
    }
}

#[test]
fn without_a_browser_addresses_are_rendered_by_the_builtin_engine_with_one_warning() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let missing = folder.path().join("no-browser");
    let bad = ["status/404", "pdf", "redirect-loop", "drop"].map(|path| server.url(path));
    let good = ["moved", "german/", "french/"].map(|path| server.url(path));
    let mut arguments = [
        "render",
        "--allow-private",
        "--delay",
        "0",
        "--retries",
        "0",
        "--out",
    ]
    .map(str::to_owned)
    .to_vec();
    arguments.push(out.display().to_string());
    arguments.extend(bad.iter().chain(&good).cloned());
    let outcome = vclean_with_browser(&missing, &arguments);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let told = notices(&outcome);
    assert_eq!(told.len(), 1, "once a run: {}", outcome.stderr);
    for word in [
        "no-browser",
        "built-in engine",
        "scripts do not run",
        "apt-get install",
    ] {
        assert!(told[0].contains(word), "{word} in {}", told[0]);
    }
    for (page, word) in bad
        .iter()
        .zip(["404", "application/pdf", "redirects without end", ""])
    {
        outcome.assert_fails(page, &[word]);
    }
    let found = captures(&out);
    assert_eq!(found.len(), good.len(), "{:?}", found.keys());
    found.values().for_each(assert_is_laid_out);
    let moved = found
        .values()
        .find(|capture| capture.record.url.as_ref() == Some(&good[0]))
        .unwrap();
    assert_eq!(moved.record.final_url, Some(server.url("article/")));
    let stayed = found
        .values()
        .find(|capture| capture.record.url.as_ref() == Some(&good[1]))
        .unwrap();
    assert_eq!(stayed.record.final_url, None);

    let quiet = vclean_with_browser(
        &missing,
        ["render-and-clean", "--allow-private", "--quiet", &good[1]],
    );
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    assert!(
        quiet.stdout.contains("Das Becken hatte Risse"),
        "{}",
        quiet.stdout
    );
    // A page that is cleaned before it is rendered is not fetched twice.
    let visits = |path: &str| {
        server
            .requests()
            .iter()
            .filter(|other| *other == path)
            .count()
    };
    let before = visits("/greek/");
    let page = server.url("greek/");
    let twice = [
        "render-and-clean",
        "--allow-private",
        "--render",
        "auto",
        "--min-expected-f",
        "1",
        &page,
    ];
    let outcome = vclean_with_browser(&missing, twice);
    assert_eq!(
        (outcome.code, visits("/greek/") - before),
        (Some(0), 1),
        "{}",
        outcome.stderr
    );
    let builtin = [
        "render-and-clean",
        "--allow-private",
        "--engine",
        "builtin",
        &good[1],
    ];
    let outcome = vclean_with_browser(&missing, builtin);
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (Some(0), ""),
        "no browser was asked for, so none is missed"
    );
}

#[test]
fn private_addresses_are_refused_without_a_browser_too() {
    let server = Server::start();
    let page = server.url("article/");
    let refused = vclean_with_browser(Path::new("/no/browser"), ["render-and-clean", &page]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    refused.assert_fails(&page, &["--allow-private"]);
    let offline = vclean_with_browser(
        Path::new("/no/browser"),
        ["render-and-clean", &page, "--offline"],
    );
    offline.assert_fails(&page, &["offline"]);
    assert_eq!(
        server.requests(),
        Vec::<String>::new(),
        "not one request came through"
    );
}

#[test]
fn the_doctor_checks_the_selected_engine() {
    let missing = Path::new("/no/browser");
    let auto = vclean_with_browser(missing, ["doctor"]);
    assert_eq!(
        auto.code,
        Some(0),
        "the built-in engine will do: {}{}",
        auto.stdout,
        auto.stderr
    );
    for line in [
        "ok  built-in engine: ",
        "--  browser: ",
        "ok  engine auto: all pages by the built-in engine",
    ] {
        assert!(auto.stdout.contains(line), "{line} in {}", auto.stdout);
    }
    let chromium = vclean_with_browser(missing, ["doctor", "--engine", "chromium"]);
    assert_eq!(chromium.code, Some(2), "{}", chromium.stdout);
    assert!(
        chromium.stdout.contains("NO  browser: ") && !chromium.stdout.contains("built-in"),
        "{}",
        chromium.stdout
    );
    let builtin = vclean_with_browser(missing, ["doctor", "--engine", "builtin"]);
    assert_eq!(builtin.code, Some(0), "{}", builtin.stdout);
    assert!(
        builtin.stdout.contains("Blitz") && !builtin.stdout.contains("browser"),
        "{}",
        builtin.stdout
    );
}

#[test]
fn models_refuse_captures_of_the_other_engine() {
    let folder = tempfile::tempdir().unwrap();
    let mut kept = load_capture(&fixtures().join("captures/table-layout")).unwrap();
    assert_eq!(kept.record.engine, Engine::Chromium);
    kept.record.engine = Engine::Builtin;
    let changed = folder.path().join("kept");
    save_capture(&kept, &changed).unwrap();
    let changed = changed.display().to_string();
    let refused = vclean(["clean", &changed, "--model", "rendered"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    refused.assert_fails(
        &changed,
        &[
            "captures of chromium",
            "rendered by builtin",
            "--any-engine",
        ],
    );
    let allowed = vclean(["clean", &changed, "--model", "rendered", "--any-engine"]);
    assert_eq!((allowed.code, allowed.stderr.as_str()), (Some(0), ""));
    let usual = vclean(["clean", &changed]);
    assert_eq!(
        (usual.code, usual.stderr.as_str()),
        (Some(0), ""),
        "the model that fits is taken"
    );
}

#[test]
fn text_pictures_and_captures_need_no_browser_and_are_reproducible() {
    let missing = Path::new("/no/browser");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let pages = ["article", "table-layout", "chinese"]
        .map(|case| fixtures().join("site").join(case).join("index.html"));
    let pages = pages.map(|page| page.display().to_string());
    let (overlay, mask, report) = (path("overlay.png"), path("mask.png"), path("report.html"));
    let drawn = [
        "render-and-clean",
        &pages[0],
        "--overlay",
        &overlay,
        "--mask",
        &mask,
        "--report",
        &report,
    ];
    let outcome = vclean_with_browser(missing, drawn);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert!(
        outcome.stdout.contains("For forty-one years the Marigold"),
        "{}",
        outcome.stdout
    );
    assert!(
        [overlay, mask, report]
            .iter()
            .all(|file| fs::metadata(file).is_ok_and(|facts| facts.len() > 1000))
    );

    let clean = |out: &str, jobs: &str, verb: &str, inputs: &[String]| {
        let arguments = [verb, "--format", "json", "--jobs", jobs, "--out", out].map(str::to_owned);
        let outcome = vclean_with_browser(missing, arguments.iter().chain(inputs));
        assert!(
            outcome.code == Some(0) && outcome.problems().is_empty(),
            "{}",
            outcome.stderr
        );
        files(Path::new(out))
    };
    let one = clean(&path("one"), "1", "render-and-clean", &pages);
    assert_eq!(one.len(), pages.len());
    assert!(
        one == clean(&path("two"), "3", "render-and-clean", &pages),
        "whatever the number of workers"
    );
    let kept = path("kept");
    let render = ["render", "--out", &kept].map(str::to_owned);
    assert_eq!(
        vclean_with_browser(missing, render.iter().chain(&pages)).code,
        Some(0)
    );
    clean(&path("again"), "2", "clean", &[kept]);
    let documents = |out: &str| documents_without_input(&folder.path().join(out));
    assert!(
        documents("one") == documents("again"),
        "a kept capture gives the same bytes"
    );
}

#[test]
fn without_fontconfig_the_fonts_of_the_usual_folders_are_used() {
    let folder = tempfile::tempdir().unwrap();
    // The dynamic loader finds this file first and cannot load it.
    fs::write(folder.path().join("libfontconfig.so.1"), "not a library").unwrap();
    let out = folder.path().join("kept");
    let pages = ["article", "arabic", "chinese"]
        .map(|case| fixtures().join("site").join(case).join("index.html"));
    let output = Command::new(env!("CARGO_BIN_EXE_vclean"))
        .args(["render", "--engine", "builtin", "--out"])
        .arg(&out)
        .args(&pages)
        .env("LD_LIBRARY_PATH", folder.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let found = captures(&out);
    assert_eq!(found.len(), pages.len());
    for capture in found.values() {
        assert_is_laid_out(capture);
        assert!(
            !capture
                .record
                .warnings
                .iter()
                .any(|told| told.contains("no font")),
            "{:?}",
            capture.record.warnings
        );
    }
}

#[test]
fn a_data_set_and_models_trained_on_it_belong_to_one_engine() {
    let missing = Path::new("/no/browser");
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path()).display().to_string();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (captures, model) = (path("captures"), path("isles.model"));
    let train = [
        "lab",
        "train",
        &set,
        "--engine",
        "builtin",
        "--captures",
        &captures,
        "--out",
        &model,
    ];
    let trained = vclean_with_browser(missing, train);
    assert_eq!(trained.code, Some(0), "{}", trained.stderr);
    assert!(
        captures_of(&captures)
            .all(|capture| capture.record.engine == Engine::Builtin && capture.layout.is_some())
    );

    let evaluate = [
        "lab",
        "evaluate",
        &set,
        "--engine",
        "builtin",
        "--captures",
        &captures,
        "--quiet",
        "--model",
        &model,
    ];
    let outcome = vclean_with_browser(missing, evaluate);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let page = fixtures()
        .join("captures/table-layout")
        .display()
        .to_string();
    let refused = vclean(["clean", &page, "--model", &model]);
    refused.assert_fails(
        &page,
        &["model isles", "captures of builtin", "rendered by chromium"],
    );

    // Captures are made by Chromium by default, and a folder never has captures of both engines.
    let other = vclean(["lab", "evaluate", &set, "--captures", &captures, "--quiet"]);
    assert_eq!(other.code, Some(1), "{}", other.stderr);
    for word in [
        "rendered by builtin",
        "captures of chromium",
        "--engine builtin",
    ] {
        assert!(other.stderr.contains(word), "{word} in {}", other.stderr);
    }
    let open = vclean(["lab", "evaluate", &set, "--engine", "auto"]);
    assert_eq!(open.code, Some(1), "{}", open.stderr);
    assert!(
        open.stderr.contains("use chromium or builtin"),
        "{}",
        open.stderr
    );
}

fn captures_of(folder: &str) -> impl Iterator<Item = Capture> + use<> {
    captures(&Path::new(folder).join("isles")).into_values()
}
