//! Tests the states of the labelling page (many blocks, hostile text, a merge, the tutorial,
//! errors), each checked by axe-core in light and dark.

use crate::labelling_window::{Program, Window, browser};
use crate::program::one_browser;
use crate::support::fixtures;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of changes to the page's elements when one block is labelled: its box, its row,
/// the counts and the notice, and the boxes around the next block, which is the least certain one.
const CHANGES_OF_A_LABEL: u64 = MANY as u64 / 4;
/// Number of blocks of the long page.
const MANY: usize = 5000;

/// Reads axe-core, which `scripts/fetch-axe` puts into the build folder.
fn axe() -> String {
    let target = Path::new(env!("CARGO_BIN_EXE_vclean"))
        .ancestors()
        .nth(2)
        .unwrap();
    let file = target.join("axe-core/axe.min.js");
    fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!(
            "axe-core, which checks the accessibility of the page, is not in {}: {error}; run scripts/fetch-axe",
            file.display()
        )
    })
}

/// Asserts that axe-core finds no fault in the window, in either theme.
#[track_caller]
pub fn assert_accessible(window: &Window, state: &str) {
    window.tab.evaluate(&axe(), false).unwrap();
    for theme in ["light", "dark"] {
        window.set_theme(theme);
        let found = window.value(
            "axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) => \
             violations.map(({ id, nodes }) => [id, nodes.map(({ target, failureSummary }) => [target, failureSummary])]))",
        );
        assert_eq!(found, serde_json::json!([]), "{state}, {theme}");
    }
    window.assert_no_errors();
}

fn write_page(folder: &Path, name: &str, html: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, html).unwrap();
    path
}

fn paths<'a>(input: &'a Path, gold: &'a Path, more: &'a [&'a str]) -> Vec<&'a OsStr> {
    [input.as_os_str(), "--out".as_ref(), gold.as_os_str()]
        .into_iter()
        .chain(more.iter().map(AsRef::as_ref))
        .collect()
}

/// Presses a key and returns the number of changes to the page's elements until the frame after it
/// is painted.
fn changes(window: &Window, key: &str) -> u64 {
    window.value("changes.count = 0");
    window.press(key);
    window
        .value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(changes.count))))")
        .as_u64()
        .unwrap()
}

#[test]
fn a_page_with_five_thousand_blocks_answers_each_key_at_once() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let mut html = String::from(
        "<title>Many</title><style>body{margin:0}p{float:left;margin:0;width:240px;height:24px}</style>",
    );
    for number in 0..MANY {
        write!(html, "<p>Line {number}</p>").unwrap();
    }
    let page = write_page(folder.path(), "many.html", &html);
    let gold = folder.path().join("gold");
    let program = Program::start(paths(
        &page,
        &gold,
        &["--engine", "builtin", "--order", "given"],
    ));
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    window.until("document.querySelectorAll('.box').length > 0");
    let count = window.value(
        "fetch('/api/pages/0').then((answer) => answer.json()).then((page) => page.blocks.length)",
    );
    assert_eq!(count, MANY);
    window.value(
        "(() => { window.changes = { count: 0 }; new MutationObserver((records) => { for (const { addedNodes, removedNodes } of records) \
            changes.count += 1 + addedNodes.length + removedNodes.length; }) \
         .observe(document, { subtree: true, childList: true, attributes: true, characterData: true }); })()",
    );
    // Work that grows with the page would delay the response to a key.
    for key in ["c", "b", "Enter", "ArrowDown"] {
        let changes = changes(&window, key);
        assert!(
            changes < CHANGES_OF_A_LABEL,
            "{key} changes {changes} elements"
        );
    }
    for key in ["End", "Home"] {
        let changes = changes(&window, key);
        assert!(
            0 < changes && changes < MANY as u64,
            "{key} changes {changes} elements; only those it brings into view should"
        );
    }
    let drawn = window
        .value("document.querySelectorAll('.box').length")
        .as_u64()
        .unwrap();
    assert!(
        drawn < MANY as u64 / 2,
        "{drawn} of {MANY} blocks are drawn; only those near the visible part should be"
    );
    window.press_all(&["Ctrl+a", "u"]);
    window.wait_stored();
    assert!(
        window.labels(0).iter().all(|(label, _)| label == "unsure"),
        "one step labels all blocks"
    );
    window.assert_no_errors();
}

#[test]
fn hostile_text_is_shown_and_does_nothing() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let script = "&lt;script&gt;document.title='owned'&lt;/script&gt;&lt;img src=x onerror=\"document.title='owned'\"&gt; and more words";
    let long = "endless ".repeat(1 << 17);
    let html = format!(
        "<title>&lt;script&gt;document.title='owned'&lt;/script&gt; \u{202e}gnp.exe</title>\
         <p>{script}</p><p>Pay \u{202e}000,1\u{202c} euros to \u{2067}nobody\u{2069} today</p><p>{long}</p>"
    );
    let page = write_page(folder.path(), "hostile.html", &html);
    let program = Program::start(paths(&page, &folder.path().join("gold"), &[]));
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    let scripts_and_pictures =
        "document.querySelectorAll('script:not([src=\"/main.js\"]), img, [onerror]').length";
    assert_eq!(window.value(scripts_and_pictures), 0);
    assert!(!window.text("title").starts_with("owned"));

    window.go_to_block(0);
    assert!(
        window
            .text("#block_text")
            .starts_with("<script>document.title='owned'</script><img src=x")
    );
    window.press("ArrowDown");
    window.until("document.querySelector('#block_text').textContent.includes('RLO')");
    assert_eq!(
        window.text("#block_text"),
        "Pay RLO000,1PDF euros to RLInobodyPDI today"
    );
    assert!(
        !window.text("#page_name").contains('\u{202e}'),
        "controls in the title are shown as symbols"
    );
    assert_accessible(&window, "control characters");

    window.press_all(&["ArrowDown", "w"]);
    window.until("document.querySelector('#text_dialog').open");
    let length = window
        .value("document.querySelector('#text_body').textContent.length")
        .as_u64()
        .unwrap();
    assert_eq!(length, long.trim().len() as u64, "the whole text is shown");
    window.press("Escape");
    window.press_all(&["Ctrl+a", "c"]);
    window.wait_stored();
    assert_eq!(window.value(scripts_and_pictures), 0);
    assert!(!window.text("title").starts_with("owned"));
    window.assert_no_errors();
}

#[test]
fn a_page_without_layout_is_an_outline_and_every_state_of_the_work_is_accessible() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("empty.html");
    fs::write(&bad, "").unwrap();
    let page = write_page(
        folder.path(),
        "ferry.html",
        "<title>Ferry</title><nav><a href=/>Home</a> <a href=/x>Contact us</a></nav><article><h1>The morning ferry</h1>\
         <p>The ferry left the harbor at seven in the morning, with forty people on board.</p>\
         <ul><li>Bring a coat</li><li>Bring bread</li></ul></article><footer>Legal notice</footer>",
    );
    let gold = folder.path().join("gold");
    let inputs = [
        page.as_os_str(),
        bad.as_os_str(),
        "--out".as_ref(),
        gold.as_os_str(),
        "--marks".as_ref(),
    ];
    let mut program = Program::start(
        inputs
            .into_iter()
            .chain(["--order".as_ref(), "given".as_ref()]),
    );
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    window.until("!document.querySelector('#outline').hidden && document.querySelector('.row')");
    assert_accessible(&window, "outline");
    window.press_all(&["Home", "Shift+ArrowDown"]);
    assert_accessible(&window, "selection");
    // With the bound of certainty at its highest, not every block is certain.
    window.press_all(&["Escape", "h", ".", ".", "d"]);
    window.until("document.querySelector('#said').textContent.includes('not looked at')");
    assert_accessible(&window, "asked before finishing");
    window.press("?");
    assert_accessible(&window, "keys");
    window.press_all(&["Escape", "g"]);
    window.until("document.querySelector('#pages_dialog').open");
    assert_accessible(&window, "list of pages");
    window.press_all(&["Escape", "w"]);
    window.until("document.querySelector('#text_dialog').open");
    assert_accessible(&window, "whole text");
    window.press_all(&["Escape", "]"]);
    window.until("['error', 'no_blocks'].includes(document.querySelector('#notice').dataset.kind) && document.querySelector('#work').hidden");
    assert_accessible(&window, "a page with nothing to label");
    window.press("[");
    window.until("!document.querySelector('#work').hidden");
    program.kill();
    window.press("b");
    window.until("document.querySelector('[data-banner=lost]')");
    assert_accessible(&window, "the program does not answer");
}

#[test]
fn the_picture_the_merge_and_the_end_are_accessible_and_the_third_person_decides() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let capture = fixtures().join("captures/table-layout");
    let browser = browser();
    let label = |name: &str, keys: &[&str]| {
        let gold = folder.path().join(name);
        let program = Program::start(paths(&capture, &gold, &["--annotator", name]));
        let window = Window::open(&browser, &program.address);
        if name == "anna" {
            assert_accessible(&window, "picture");
        }
        window.press_all(keys);
        window.wait_stored();
        window.finish();
        window.until("document.querySelector('#notice').dataset.kind === 'finished'");
        assert_accessible(&window, "all pages are done");
        drop(window.tab.close(true));
        gold
    };
    let anna = label("anna", &["Ctrl+a", "c"]);
    // Bob disagrees on two blocks.
    let bob = label(
        "bob",
        &[
            "Ctrl+a",
            "c",
            "Home",
            "b",
            "Home",
            "ArrowDown",
            "ArrowDown",
            "u",
        ],
    );

    let gold = folder.path().join("gold");
    let arguments = [
        "--merge".as_ref(),
        anna.as_os_str(),
        bob.as_os_str(),
        "--out".as_ref(),
        gold.as_os_str(),
    ];
    let program = Program::start(
        arguments
            .into_iter()
            .chain(["--annotator".as_ref(), "carla".as_ref()]),
    );
    let window = Window::open(&browser, &program.address);
    let page = window.page(0);
    assert_eq!(
        page["order"].as_array().unwrap().len(),
        2,
        "{}",
        page["order"]
    );
    assert!(
        window
            .text("#progress_text")
            .starts_with("0 of 2 disputed blocks decided"),
        "{}",
        window.text("#progress_text")
    );
    assert!(
        !window.text("body").contains("anna") && !window.text("body").contains("bob"),
        "the sides have no names"
    );
    assert_accessible(&window, "merge");
    // The page is not finished before everything is decided.
    window.press("d");
    window.until("document.querySelector('#said').textContent.includes('every disputed block')");
    let first = page["order"][0].as_u64().unwrap() as usize;
    let wanted = page["blocks"][first]["sides"][1]
        .as_str()
        .unwrap()
        .to_owned();
    window.press_all(&["2", "c"]);
    window.wait_stored();
    assert_eq!(window.labels(0)[first], (wanted, "carla".into()));
    window.press("d");
    window.until("document.querySelector('#notice').dataset.kind === 'finished'");
    window.until("document.querySelector('.figures')?.textContent.includes('kappa')");
    assert_accessible(&window, "everything is decided");
}

#[test]
fn the_tutorial_explains_each_label_and_ends_with_a_figure() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let gold = folder.path().join("gold");
    let program = Program::start(["--tutorial".as_ref(), "--out".as_ref(), gold.as_os_str()]);
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    let pages = window.value(
        "fetch('/api/project').then((answer) => answer.json()).then(({ pages }) => pages.length)",
    );
    assert_eq!(pages, 8);
    let before = window.text("#block_title");
    window.press("u");
    window.until("document.querySelector('#feedback .card')");
    assert_eq!(
        window.text("#block_title"),
        before,
        "the block stays until its feedback was read"
    );
    assert!(
        window.text("#feedback .card p").split_whitespace().count() > 4,
        "{}",
        window.text("#feedback")
    );
    assert!(
        window
            .text("#feedback h3")
            .contains("Not as in the gold text"),
        "unsure is no right answer"
    );
    assert_accessible(&window, "feedback");
    window.press("Enter");
    window.until("document.querySelector('#feedback .card') === null");
    assert_ne!(window.text("#block_title"), before);
    for page in 1..=8 {
        window.press("Ctrl+a");
        window.press("c");
        window.until("document.querySelector('#feedback .card')");
        let ended = if page == 8 { "finished" } else { "work" };
        let line = window.text("#pages_line");
        window.finish();
        match ended {
            "finished" => window.until("document.querySelector('#notice').dataset.kind === 'finished'"),
            _ => window.until(&format!("document.querySelector('#pages_line').textContent !== '{line}' && !document.querySelector('#work').hidden")),
        }
    }
    window.until("document.querySelector('.figures')?.textContent.includes('kappa')");
    assert_accessible(&window, "the end of the tutorial");
}
