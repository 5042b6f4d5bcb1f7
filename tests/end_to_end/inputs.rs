//! Tests the kinds of input: files, archives, lists, standard input.

use crate::cases;
use crate::program::{ENGINES, one_browser, text_named, vclean, vclean_reading};
use crate::support::fixtures;
use std::path::PathBuf;

fn page(case: &str) -> PathBuf {
    fixtures().join("site").join(case).join("index.html")
}

#[test]
fn bare_html_is_cleaned_without_a_browser() {
    let article = cases::all()
        .into_iter()
        .find(|case| case.name == "article")
        .unwrap();
    let outcome = vclean(["clean".into(), page("article")]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    // Without rendering, the caption of the picture is dropped and an advertisement is kept; no
    // other errors are allowed.
    let caption = "The Marigold at her berth";
    for phrase in article
        .contains
        .iter()
        .filter(|phrase| !phrase.starts_with(caption))
    {
        assert!(
            outcome.stdout.contains(phrase.as_str()),
            "{phrase} in {}",
            outcome.stdout
        );
    }
    let (score, _) = article.judge(&outcome.stdout);
    assert!(score > 0.95, "{score} for {}", outcome.stdout);
}

#[test]
fn standard_input_is_a_page() {
    let html = std::fs::read(page("windows-1251")).unwrap();
    let outcome = vclean_reading(["clean", "-"], html);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("измерил каждую линию цепью"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn a_set_of_frames_gives_its_frames_or_their_alternative() {
    let folder = tempfile::tempdir().unwrap();
    let text = "<p>Herring gulls drop mussels on the rocks below the light, and the keepers write \
                down from what height they do so.</p>"
        .repeat(4);
    let at = |name: &str| folder.path().join(name).display().to_string();
    for (name, frame) in [("saved.html", "frame.html"), ("alone.html", "gone.html")] {
        let set = format!(
            "<html><title>Gulls</title><frameset cols='20%,*'><frame src=none.html><frame src={frame}>\
             <noframes><body><h1>Without frames</h1>{text}</body></noframes></frameset></html>"
        );
        std::fs::write(at(name), set).unwrap();
    }
    std::fs::write(at("frame.html"), format!("<h1>Within a frame</h1>{text}")).unwrap();
    let _browser = one_browser();
    for engine in ENGINES {
        let clean = |name: &str| vclean(["render-and-clean", &at(name), "--engine", engine]);
        let saved = clean("saved.html").stdout;
        assert!(
            saved.contains("Within a frame") && saved.contains("drop mussels"),
            "{engine}: {saved}"
        );
        let alone = clean("alone.html");
        assert!(
            alone.stdout.contains("Without frames") && alone.stdout.contains("drop mussels"),
            "{engine}: {} {}",
            alone.stdout,
            alone.stderr
        );
        assert!(
            alone.stderr.contains("(none.html, gone.html)"),
            "{engine}: {}",
            alone.stderr
        );
    }
}

#[test]
fn a_list_has_one_input_per_line() {
    let folder = tempfile::tempdir().unwrap();
    // Both inputs are called index.html; their outputs must be different files.
    let list = format!(
        "{}\n\n  {}  \n",
        page("german").display(),
        page("french").display()
    );
    std::fs::write(folder.path().join("list"), &list).unwrap();
    let out = folder.path().join("out");
    let arguments = [
        "clean".into(),
        "--from".into(),
        folder.path().join("list"),
        "--out".into(),
        out.clone(),
    ];
    let outcome = vclean(arguments);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let texts: Vec<String> = crate::program::files(&out)
        .into_values()
        .map(|bytes| String::from_utf8(bytes).unwrap())
        .collect();
    assert_eq!(texts.len(), 2);
    assert!(
        texts
            .iter()
            .any(|text| text.contains("Das Becken hatte Risse"))
    );
    assert!(
        texts
            .iter()
            .any(|text| text.contains("Il n’y a ni carte ni amende"))
    );
}

/// An MHTML file whose lines end with a line feed only, and whose header has a line without a
/// colon.
#[test]
fn mhtml_of_other_programs_is_rendered_and_damaged_mhtml_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read_to_string(fixtures().join("saved/weather-hut.mhtml"))
        .unwrap()
        .replace("\r\n", "\n");
    let saved = folder.path().join("saved.mhtml");
    std::fs::write(
        &saved,
        whole.replacen("MIME-Version", "left by another program\nMIME-Version", 1),
    )
    .unwrap();
    // The first headers are missing before the Base64 content.
    let damaged = folder.path().join("damaged.html");
    let letters = "PGh0bWw+PGJvZHk+PHA+dGV4dDwvcD48L2JvZHk+PC9odG1sPg==\n".repeat(30);
    std::fs::write(
        &damaged,
        format!("lost\n\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\n{letters}"),
    )
    .unwrap();
    for engine in ENGINES {
        let out = tempfile::tempdir().unwrap();
        let arguments = ["render-and-clean", "--engine", engine, "--out"]
            .map(PathBuf::from)
            .into_iter()
            .chain([out.path().to_path_buf(), saved.clone(), damaged.clone()]);
        let outcome = {
            let _alone = one_browser();
            vclean(arguments)
        };
        assert_eq!(outcome.code, Some(2), "{engine}: {}", outcome.stderr);
        outcome.assert_fails(
            &damaged.display().to_string(),
            &["MHTML", "damaged", "save the page again"],
        );
        assert!(
            outcome.stderr.contains("no colon are passed over: 1"),
            "{engine}: {}",
            outcome.stderr
        );
        let letters = text_named(out.path(), "saved");
        assert!(
            letters.contains("reads four thermometers by the light of a lamp"),
            "{engine}: {letters}"
        );
        assert!(
            letters.contains("Naïve question, honest answer"),
            "{engine}: {letters}"
        );
    }
}

#[test]
fn archives_pages_with_wrong_charset_and_failing_scripts_are_rendered_from_files() {
    let bad = |name: &str| fixtures().join("bad").join(name);
    for engine in ENGINES {
        let out = tempfile::tempdir().unwrap();
        let arguments = [
            "render-and-clean".into(),
            "--engine".into(),
            engine.into(),
            fixtures().join("saved/weather-hut.mhtml"),
            bad("alert-loop.html"),
            bad("lying-encoding.html"),
            "--out".into(),
            out.path().to_path_buf(),
        ];
        let outcome = {
            let _alone = one_browser();
            vclean(arguments)
        };
        assert_eq!(outcome.code, Some(0), "{engine}: {}", outcome.stderr);
        let text = |name: &str| text_named(out.path(), name);
        let letters = text("weather-hut");
        assert!(
            letters.contains("reads four thermometers by the light of a lamp"),
            "{engine}: {letters}"
        );
        assert!(
            letters.contains("Naïve question, honest answer"),
            "quoted-printable is decoded: {letters}"
        );
        assert!(!letters.contains("donations"), "{engine}: {letters}");
        let alert = text("alert-loop");
        assert!(
            alert.contains("runs no scripts"),
            "{engine}: scripts are off for files: {alert}"
        );
        let lying = text("lying-encoding");
        assert!(
            lying.contains("enregistré"),
            "{engine}: not UTF-8, whatever it says: {lying}"
        );
    }
}
