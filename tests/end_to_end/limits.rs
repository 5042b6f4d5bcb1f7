//! Tests pages that need too many resources: each fails soon with one line, and the next page is
//! rendered.

use crate::answers::Answers;
use crate::program::{Outcome, only_browser, vclean};
use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

/// The text of the page after the bad one.
const GOOD: &str = "The ferryman counted his passengers twice on the way out and once on the way back, and he never said why.";

/// Serves the pages by path; the last one is good.
fn server() -> Answers {
    Answers::start(|path, stream| {
        let script = |script: &str| {
            format!("<!doctype html><h1>Large</h1><p>{GOOD}</p><script>{script}</script>")
        };
        let html = match path {
            "/canvases" => script(
                "const kept = []; (function more() { const c = document.createElement('canvas'); c.width = c.height = 3000; \
                 const x = c.getContext('2d'); x.fillRect(0, 0, 3000, 3000); x.getImageData(0, 0, 1, 1); kept.push(c); \
                 document.body.append(c); setTimeout(more, 1) })()",
            ),
            "/arrays" => script(
                "const kept = []; (function more() { kept.push(new Uint8Array(3e7).fill(1)); setTimeout(more, 1) })()",
            ),
            "/busy-arrays" => {
                script("const kept = []; for (;;) kept.push(new Uint8Array(3e7).fill(1))")
            }
            "/hidden" => script(
                "const d = document.createElement('div'); d.hidden = true; d.textContent = 'words '.repeat(2e7); document.body.append(d)",
            ),
            "/attribute" => script("document.body.dataset.x = 'words '.repeat(2e7)"),
            "/endless" => {
                stream.write_all(b"<!doctype html><h1>Endless</h1>")?;
                let paragraphs =
                    "<p>One of the paragraphs that this server sends without end.".repeat(400);
                loop {
                    stream.write_all(paragraphs.as_bytes())?;
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
            "/paragraphs" => {
                let mut html = "<!doctype html><h1>Many</h1>".to_owned();
                for number in 0..300_000 {
                    let _ = write!(
                        html,
                        "<p>Paragraph {number} of this page is like the others."
                    );
                }
                html
            }
            "/filter" => {
                let effects =
                    "<feMorphology radius='200' operator='dilate'/><feTurbulence baseFrequency='.9' numOctaves='200'/>\
                     <feGaussianBlur stdDeviation='400'/>"
                        .repeat(80);
                format!(
                    "<!doctype html><svg width=0 height=0><filter id=f>{effects}</filter></svg><div style='filter:url(#f);\
                     width:1200px;height:9000px;background:linear-gradient(red,blue)'>words in a filter</div>"
                )
            }
            _ => format!("<!doctype html><h1>Good</h1><p>{GOOD}</p><p>{GOOD}</p>"),
        };
        stream.write_all(html.as_bytes())
    })
}

/// Renders the pages in one run, with a good one at the end, whose text must be in the output.
fn render(server: &Answers, bad: &[&str], options: &[&str]) -> Outcome {
    let pages = bad.iter().chain(&["good"]).map(|path| server.url(path));
    let fixed = ["render-and-clean", "--allow-private", "--jobs", "1"].map(str::to_owned);
    let outcome = {
        let _alone = only_browser();
        vclean(
            fixed
                .into_iter()
                .chain(options.iter().map(|&word| word.to_owned()))
                .chain(pages),
        )
    };
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains(GOOD),
        "the next page is rendered: {}",
        outcome.stderr
    );
    outcome
}

#[test]
fn a_page_over_the_memory_limit_is_stopped_and_the_next_one_is_rendered() {
    let server = server();
    let bad = ["canvases", "arrays", "busy-arrays"];
    let outcome = render(
        &server,
        &bad,
        &["--timeout", "60", "--browser-memory", "500MB"],
    );
    for path in bad {
        outcome.assert_fails(
            &server.url(path),
            &["needed more than 500 mb", "was stopped", "--browser-memory"],
        );
    }
    assert_eq!(
        server
            .requests()
            .iter()
            .filter(|head| head.starts_with("GET /canvases"))
            .count(),
        1,
        "not tried again"
    );
    assert!(outcome.took < Duration::from_secs(40), "{:?}", outcome.took);
}

#[test]
fn a_page_with_too_much_text_is_not_copied() {
    let server = server();
    let bad = ["hidden", "attribute"];
    let outcome = render(
        &server,
        &bad,
        &["--timeout", "30", "--browser-memory", "1GB"],
    );
    for path in bad {
        outcome.assert_fails(&server.url(path), &["more than the 64 million characters"]);
    }
}

#[test]
fn the_time_limit_holds_whatever_the_page_does() {
    let server = server();
    let bad = ["endless", "paragraphs", "filter"];
    let outcome = render(&server, &bad, &["--timeout", "4"]);
    for path in bad {
        outcome.assert_fails(&server.url(path), &["takes more than 4000 ms", "--timeout"]);
    }
    // Without the limit these pages never end. Allow four seconds for each page, five for its
    // capture, and the time to start and end browsers; a busy machine takes three times as long.
    assert!(
        outcome.took < Duration::from_secs(90),
        "{:?}: {}",
        outcome.took,
        outcome.stderr
    );
}
