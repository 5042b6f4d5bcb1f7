//! Tests the labelling page in a real browser: labelling by keyboard, a program that ends, a second
//! window.

use crate::labelling_window::{Program, Window, browser};
use crate::program::one_browser;
use crate::support::fixtures;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// A capture with its picture, small enough to be labelled key by key.
const CAPTURE: &str = "captures/table-layout";

fn start(input: &Path, gold: &Path, more: &[&str]) -> Program {
    let paths = [input.as_os_str(), "--out".as_ref(), gold.as_os_str()];
    Program::start(paths.into_iter().chain(more.iter().map(AsRef::as_ref)))
}

/// Reads the only file in `folder`.
#[track_caller]
fn only_file(folder: &Path) -> String {
    let files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    fs::read_to_string(&files[0]).unwrap()
}

#[test]
fn a_page_is_labelled_by_keys_alone_and_its_gold_is_written() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let program = start(
        &fixtures().join(CAPTURE),
        folder.path(),
        &["--annotator", "anna"],
    );
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    let page = window.page(0);
    let blocks = page["blocks"].as_array().unwrap();
    let number = |verdict: &str| {
        let found = blocks.iter().find(|block| {
            block["verdict"] == verdict && block["text"].as_str().unwrap().len() > 12
        });
        found.unwrap_or_else(|| panic!("no block of verdict {verdict}"))["number"]
            .as_u64()
            .unwrap()
    };
    let text = |number: u64| blocks[number as usize]["text"].as_str().unwrap();
    let (kept, dropped) = (number("boilerplate"), number("content"));

    // The least certain block comes first.
    let first = page["order"][0].as_u64().unwrap();
    assert!(
        window
            .text("#block_title")
            .starts_with(&format!("Block {} ", first + 1)),
        "{}",
        window.text("#block_title")
    );
    assert_eq!(window.text("#block_text"), text(first));

    window.go_to_block(kept);
    window.press("c");
    window.go_to_block(dropped);
    window.press("b");
    // Lower the bound of certainty as far as possible, then accept all remaining blocks.
    window.press_all(&[",", ",", ",", "a"]);
    window.wait_stored();
    window.finish();
    window.until("document.querySelector('#notice').dataset.kind === 'finished'");

    let gold = only_file(&folder.path().join("gold"));
    let line = |number: u64| text(number).lines().next().unwrap();
    assert!(gold.contains(line(kept)), "{:?} in\n{gold}", line(kept));
    assert!(
        !gold.contains(line(dropped)),
        "{:?} not in\n{gold}",
        line(dropped)
    );
    assert!(
        fs::read_to_string(folder.path().join("manifest.jsonl"))
            .unwrap()
            .contains("\"id\"")
    );
    let labels = window.labels(0);
    assert_eq!(labels[kept as usize], ("content".to_owned(), "anna".into()));
    assert_eq!(
        labels[dropped as usize],
        ("boilerplate".to_owned(), "anna".into())
    );
    window.assert_no_errors();
}

#[test]
fn every_step_is_taken_back_and_repeated() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let program = start(&fixtures().join(CAPTURE), folder.path(), &[]);
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    let before = window.labels(0);

    // A block, a range, a container, all alike, all, and a block again.
    let steps = [
        "c",
        "ArrowDown",
        "ArrowDown",
        "Shift+b",
        "Home",
        "Alt+m",
        "y",
        "u",
        "Ctrl+a",
        "b",
        "Enter",
    ];
    window.press_all(&steps);
    window.wait_stored();
    let after = window.labels(0);
    assert_ne!(before, after);
    let undo_keys: Vec<&str> = steps.iter().map(|_| "z").collect();
    window.press_all(&undo_keys);
    window.wait_stored();
    window.until(
        "document.querySelector('[data-action=undo]').getAttribute('aria-disabled') === 'true'",
    );
    assert_eq!(window.labels(0), before);

    // The steps that were reverted can be repeated after a reload.
    window.tab.reload(true, None).unwrap();
    window.until("!document.querySelector('#work').hidden");
    window.press_all(&steps.iter().map(|_| "Shift+z").collect::<Vec<_>>());
    window.wait_stored();
    window.until(
        "document.querySelector('[data-action=redo]').getAttribute('aria-disabled') === 'true'",
    );
    assert_eq!(window.labels(0), after);
    window.assert_no_errors();
}

#[test]
fn a_killed_program_loses_no_label() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let input = fixtures().join(CAPTURE);
    let mut program = start(&input, folder.path(), &[]);
    let port = program.port();
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    window.press_all(&["c", "b", "c"]);
    window.wait_stored();
    let stored = window.labels(0);

    program.kill();
    window.press("b");
    window.until(
        "document.querySelector('[data-banner=lost]')?.textContent.includes('not stored yet')",
    );
    let program = start(&input, folder.path(), &["--port", &port]);
    // The window belongs to the program that was killed; it says so and names the label that was
    // not stored.
    window.until("document.querySelector('#notice').dataset.kind === 'restarted'");
    window.until(
        "document.querySelector('[data-banner=lost_changes]')?.textContent.includes('Not stored')",
    );
    window.go(&program.address);
    assert_eq!(window.labels(0), stored);
    window.press("z");
    window.wait_stored();
    assert_eq!(
        window
            .labels(0)
            .iter()
            .filter(|(_, by)| by != "model")
            .count(),
        2,
        "steps of the first start are taken back"
    );
    window.finish();
    window.until("document.querySelector('#notice').dataset.kind === 'finished'");
    assert!(!only_file(&folder.path().join("gold")).is_empty());
    window.assert_no_errors();
}

#[test]
fn a_second_window_is_told_and_overwrites_nothing() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let program = start(&fixtures().join(CAPTURE), folder.path(), &[]);
    let browser = browser();
    let first = Window::open(&browser, &program.address);
    // The token was used; the cookie of the browser opens the page.
    let second = Window::open(&browser, &format!("http://127.0.0.1:{}/", program.port()));
    for window in [&first, &second] {
        window.until(
            "document.querySelector('[data-banner=tabs]')?.textContent.includes('another window')",
        );
    }
    first.press("u");
    first.wait_stored();
    let stored = first.labels(0);
    second.press("c");
    second.until(
        "document.querySelector('[data-banner=conflict]')?.textContent.includes('Not stored')",
    );
    second.until("document.querySelector('.box.seen[data-label=unsure]')");
    assert_eq!(
        second.labels(0),
        stored,
        "the second window overwrote what it had not seen"
    );
    // The block whose label was not stored is the current one again.
    let first_block = second.page(0)["order"][0].as_u64().unwrap();
    assert!(
        second
            .text("#block_title")
            .starts_with(&format!("Block {} ", first_block + 1))
    );
    second.press("c");
    second.wait_stored();
    second.until(
        "document.querySelector('[data-action=undo]').getAttribute('aria-disabled') === 'false'",
    );
    assert_eq!(
        second.labels(0)[first_block as usize].0,
        "content",
        "after reading the page again, it can be labelled"
    );
    drop(second.tab.close(true));
    first.until("document.querySelector('[data-banner=tabs]') === null");
    first.assert_no_errors();
}

/// Returns the first value that is as wanted, or the last one after ten seconds.
fn eventually(value: impl Fn() -> u64, is_wanted: impl Fn(u64) -> bool) -> u64 {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let found = value();
        if is_wanted(found) || Instant::now() > end {
            return found;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn blocks_are_selected_by_keys_and_by_dragging() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let program = start(&fixtures().join(CAPTURE), folder.path(), &[]);
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    let page = window.page(0);
    let blocks = page["blocks"].as_array().unwrap();
    let marked = || {
        window
            .value("document.querySelectorAll('.box.selected').length")
            .as_u64()
            .unwrap()
    };
    let selected = |keys: &[&str]| {
        window.press_all(keys);
        // On a busy machine the page may answer a key late.
        let count = eventually(marked, |count| count > 0);
        window.press("Escape");
        eventually(marked, |count| count == 0);
        count
    };
    let many = blocks
        .iter()
        .max_by_key(|block| {
            blocks
                .iter()
                .filter(|one| one["alike"] == block["alike"])
                .count()
        })
        .unwrap();
    let same = |member: &str| {
        blocks
            .iter()
            .filter(|one| one[member] == many[member] && !one["box"].is_null())
            .count() as u64
    };
    window.press_all(&["-", "-", "-", "-", "-", "-"]);
    window.go_to_block(many["number"].as_u64().unwrap());
    assert!(same("alike") > 1);
    assert_eq!(selected(&["y"]), same("alike"), "all alike");
    if !many["column"].is_null() {
        assert_eq!(selected(&["o"]), same("column"), "the column");
    }
    let inner = selected(&["s"]);
    let outer = selected(&["s", "s"]);
    assert!(
        inner > 1 && outer >= inner,
        "containers of {inner} and {outer} blocks"
    );
    assert_eq!(
        selected(&["Shift+ArrowDown", "Shift+ArrowDown"]),
        3,
        "a range"
    );
    let all = blocks
        .iter()
        .filter(|block| !block["box"].is_null())
        .count() as u64;
    assert_eq!(selected(&["Ctrl+a"]), all, "all blocks");

    // Select a rectangle by keys: from the block down and right to the end of the page.
    window.press("Home");
    window.press("x");
    window.press_all(&["Shift+ArrowRight"; 8]);
    window.press_all(&["Shift+ArrowDown"; 8]);
    window.press("Enter");
    let by_keys = window
        .value("document.querySelectorAll('.box.selected').length")
        .as_u64()
        .unwrap();
    assert!(by_keys > 1, "{by_keys} blocks in the rectangle of keys");
    window.press("Escape");

    // Select one by dragging over the whole visible picture.
    let area = window.value("(({ left, top, right, bottom }) => [left, top, right, bottom])(document.querySelector('#picture_canvas').getBoundingClientRect())");
    let at = |index: usize| area[index].as_f64().unwrap();
    window.drag(
        [at(0) + 1.0, at(1).max(60.0) + 1.0],
        [at(2) - 3.0, at(3).min(880.0)],
    );
    let by_drag = window
        .value("document.querySelectorAll('.box.selected').length")
        .as_u64()
        .unwrap();
    assert!(by_drag > 1, "{by_drag} blocks in the dragged rectangle");
    window.assert_no_errors();
}

#[test]
fn every_action_is_listed_and_its_key_can_be_changed() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let program = start(&fixtures().join(CAPTURE), folder.path(), &[]);
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    window.press("?");
    window.until("document.querySelector('#help_dialog').open");
    let buttons = window.value(
        "[...document.querySelectorAll('[data-action]')].map((button) => button.dataset.action)",
    );
    for action in buttons.as_array().unwrap() {
        let listed = window.value(&format!(
            "document.querySelectorAll('#help_dialog [data-change={action}]').length"
        ));
        assert_eq!(listed, 1, "{action} under ?");
    }
    assert!(
        window.text("#help_groups").contains("what readers wrote"),
        "the meaning of each label is under ? too"
    );
    // Assign Q to boilerplate. A key that is in use is refused, with the name of its command.
    let change = "document.querySelector('[data-change=\"label.boilerplate\"]')";
    window.value(&format!("{change}.focus()"));
    window.press("Enter");
    window.press("c");
    assert!(
        window.text("#help_message").contains("Content"),
        "{}",
        window.text("#help_message")
    );
    window.press("Enter");
    window.press("q");
    window.press("Escape");
    window.until("!document.querySelector('#help_dialog').open");
    window.tab.reload(true, None).unwrap();
    window.until("!document.querySelector('#work').hidden");
    let first = window.page(0)["order"][0].as_u64().unwrap() as usize;
    window.press("b");
    window.press("q");
    window.wait_stored();
    window.until(
        "document.querySelector('[data-action=undo]').getAttribute('aria-disabled') === 'false'",
    );
    let labels = window.labels(0);
    assert_eq!(labels[first].0, "boilerplate", "Q labels, B does nothing");
    assert_eq!(labels.iter().filter(|(_, by)| by != "model").count(), 1);
    window.assert_no_errors();
}
