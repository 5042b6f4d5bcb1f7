//! Tests pages that show nothing until their script has run, and the frames of saved pages, in both
//! engines.

use crate::program::{ENGINES, Outcome, one_browser, vclean};
use std::path::Path;

const STORY: &str = "The ferryman of the lower crossing counted his passengers twice, once with his eyes shut, and wrote \
    down the smaller number, because the river had taught him to be careful with what he promised to bring across.";

fn clean(engine: &str, page: &Path) -> Outcome {
    let _alone = one_browser();
    vclean([
        "render-and-clean",
        "--engine",
        engine,
        &page.display().to_string(),
    ])
}

#[test]
fn pages_hidden_until_a_script_runs_keep_their_text() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "<h1>The crossing</h1>{}",
        format!("<p>{STORY}</p>").repeat(4)
    );
    let pages = [
        (
            "root",
            "html { display: none }",
            text.clone(),
            "hides its html element by display",
        ),
        (
            "body",
            "body { visibility: hidden !important }",
            text.clone(),
            "hides its body element by visibility",
        ),
        (
            "flicker",
            ".wait { opacity: 0 !important }",
            text.clone(),
            "hides its html element by opacity",
        ),
        (
            "streamed",
            "",
            format!("<p>one</p><div hidden id='S:0'>{text}</div>"),
            "",
        ),
        (
            "application",
            "#app { display: none }",
            format!("<p>Loading</p><div id=app>{text}</div>"),
            "shows 1 of its",
        ),
    ];
    for (name, rules, body, warning) in pages {
        let page = folder.path().join(format!("{name}.html"));
        let html = format!(
            "<!DOCTYPE html><html class=wait><meta charset=utf-8><style>{rules}</style><body>{body}"
        );
        std::fs::write(&page, html).unwrap();
        for engine in ENGINES {
            let outcome = clean(engine, &page);
            assert_eq!(outcome.code, Some(0), "{name} {engine}: {}", outcome.stderr);
            assert!(
                outcome.stdout.contains("wrote down the smaller number"),
                "{name} {engine}: {}",
                outcome.stdout
            );
            if warning.is_empty() {
                assert_eq!(outcome.stderr, "", "{name} {engine}");
            } else {
                assert!(
                    outcome.stderr.contains(warning),
                    "{name} {engine}: {}",
                    outcome.stderr
                );
            }
        }
    }
}

/// Makes a single-page application: its script writes the text, which is not in the source.
fn application() -> String {
    format!(
        "<!DOCTYPE html><meta charset=utf-8><title>The crossing</title><body><div id=app>Loading...</div><script>\
         document.getElementById('app').innerHTML = '<h1>The crossing</h1>' + ('<p>' + atob('{}') + '</p>').repeat(4);</script>",
        base64::Engine::encode(&base64::engine::general_purpose::STANDARD, STORY)
    )
}

#[test]
fn an_application_is_filled_by_its_scripts_or_said_to_be_empty() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("application.html");
    std::fs::write(&page, application()).unwrap();
    let warning = "looks like an application that its scripts fill, and they did not run";
    let bare = vclean(["clean", &page.display().to_string()]);
    assert!(
        bare.stderr.contains(warning) && !bare.stdout.contains("ferryman"),
        "{} {}",
        bare.stderr,
        bare.stdout
    );
    #[cfg(feature = "builtin")]
    {
        let builtin = clean("builtin", &page);
        assert!(
            builtin.stderr.contains(warning) && !builtin.stdout.contains("ferryman"),
            "{}",
            builtin.stderr
        );
        let auto = clean("auto", &page);
        assert!(
            auto.stdout.contains("wrote down the smaller number"),
            "{} {}",
            auto.stderr,
            auto.stdout
        );
        assert!(
            auto.stderr.contains("in Chromium with its scripts") && !auto.stderr.contains(warning),
            "{}",
            auto.stderr
        );
    }
    let with_scripts = |name: &str, html: String| {
        let page = folder.path().join(name);
        std::fs::write(&page, html).unwrap();
        let page = page.display().to_string();
        let _alone = one_browser();
        vclean([
            "render-and-clean",
            "--engine",
            "chromium",
            "--scripts",
            "on",
            &page,
        ])
    };
    // Scripts that fill their page late.
    let late = application()
        .replace("<script>", "<script>setTimeout(() => {")
        .replace("</script>", "}, 1500)</script>");
    let filled = with_scripts("late.html", late);
    assert!(
        filled.stdout.contains("wrote down the smaller number") && filled.stderr.is_empty(),
        "{} {}",
        filled.stderr,
        filled.stdout
    );
    // Scripts that do not fill their page.
    let broken = application().replace("getElementById", "getElementByName");
    let outcome = with_scripts("broken.html", broken);
    assert!(
        outcome
            .stderr
            .contains("that its scripts fill, and they did not within 3 s: "),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_page_of_an_archive_has_its_frames_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let record = |url: &str, html: &str| {
        let answer =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
        let length = answer.len();
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {length}\r\n\r\n{answer}\r\n\r\n"
        )
    };
    let outer = format!(
        "<!DOCTYPE html><h1>The crossing</h1><p>{STORY}</p><iframe src='/inner.html' width=900 height=300></iframe>\
         <iframe src='/inner.html?again' width=0 height=0></iframe><iframe src='https://elsewhere.example/'></iframe>"
    );
    let inner = format!("<!DOCTYPE html><p>Of the boats: {STORY}</p>");
    let archive = folder.path().join("crawl.warc");
    let text = [
        record("https://a.example/page", &outer),
        record("https://a.example/inner.html", &inner),
    ]
    .concat();
    std::fs::write(&archive, text).unwrap();
    for engine in ENGINES {
        let out = folder.path().join(engine);
        let (archive, name) = (archive.display().to_string(), out.display().to_string());
        let outcome = {
            let _alone = one_browser();
            vclean(["render", "--engine", engine, &archive, "--out", &name])
        };
        assert_eq!(outcome.code, Some(0), "{engine}: {}", outcome.stderr);
        let page = vclean_core::files::load_capture(&out.join("a.example_page")).unwrap();
        let found: Vec<_> = page
            .dom
            .ids()
            .filter(|&id| {
                page.dom
                    .text(id)
                    .is_some_and(|text| text.starts_with("Of the boats"))
            })
            .collect();
        assert_eq!(found.len(), 1, "{engine}");
        let (layout, frame) = (
            page.layout.as_ref().unwrap(),
            page.dom.ids().find(|&id| page.dom.tag(id) == "iframe"),
        );
        let (text, frame) = (
            layout.rect(found[0]).unwrap(),
            layout.rect(frame.unwrap()).unwrap(),
        );
        assert!(
            text.x >= frame.x && text.right() <= frame.right() && text.y >= frame.y,
            "{engine}: {text:?} {frame:?}"
        );
    }
}
