//! Tests the guidance of the labelling page: the meaning of the labels, keys that have no effect,
//! unfinished work, and the next step.

use crate::labelling_window::{Program, Window, browser};
use crate::program::one_browser;
use crate::support::fixtures;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::{fs, thread};

/// Starts the program on its inputs, whose order does not matter.
fn start<'a>(input: &'a Path, gold: &'a Path, more: &'a [&'a str]) -> Program {
    let named: [&OsStr; 3] = [input.as_os_str(), "--out".as_ref(), gold.as_os_str()];
    Program::start(named.into_iter().chain(more.iter().map(AsRef::as_ref)))
}

#[test]
fn what_a_key_could_not_do_is_said_and_holds_until_the_next_key() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let gold = folder.path().join("gold");
    let program = start(&fixtures().join("captures/table-layout"), &gold, &[]);
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    let expect_message = |part: &str| {
        window.until(&format!(
            "document.querySelector('#said').textContent.includes({part:?})"
        ));
    };
    expect_message("what the labels mean");
    window.press("]");
    expect_message("This is the last page");
    // The introduction stays until the first label.
    window.press("ArrowDown");
    expect_message("what the labels mean");
    window.press("z");
    expect_message("Not possible now");
    window.press_all(&["c", "z"]);
    // Until the change is stored, the window does not know that nothing is left to undo.
    window.until("document.querySelector('#saved').textContent === 'All stored'");
    window.press("z");
    expect_message("Not possible now");

    // A person who is asked to finish may look around first and finish later: the question comes
    // again.
    window.press_all(&[".", ".", "d"]);
    expect_message("not looked at");
    window.press("ArrowDown");
    window.until("document.querySelector('#said').textContent === ''");
    window.press("d");
    expect_message("not looked at");
    assert!(
        !gold.join("manifest.jsonl").exists(),
        "finished without the question"
    );
    window.press_all(&["Ctrl+a", "c"]);
    expect_message("Every block is labelled: D finishes the page");
    window.assert_no_errors();
}

#[test]
fn the_end_names_the_gold_and_the_commands_that_come_next() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let gold = folder.path().join("gold of ann's");
    let program = start(
        &fixtures().join("captures/table-layout"),
        &gold,
        &["--annotator", "ann"],
    );
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    window.press_all(&["c", "b", "Ctrl+a", "c"]);
    window.wait_stored();
    thread::sleep(std::time::Duration::from_millis(700));
    window.press("d");
    window.until("document.querySelector('#notice').dataset.kind === 'finished'");
    let notice = window.text("#notice");
    let quoted = format!(
        "vclean lab train '{}' --adapt",
        gold.display().to_string().replace('\'', "'\\''")
    );
    assert!(notice.contains(&quoted), "{quoted} in {notice}");
    for part in [
        "1 page labelled by ann",
        "--adapt rendered --engine chromium --out my.model",
        "--model my.model",
        "Ctrl-C",
    ] {
        assert!(notice.contains(part), "{part} in {notice}");
    }
    // The recorded effort includes the last key and the time before it.
    let row: Value =
        serde_json::from_str(&fs::read_to_string(gold.join("manifest.jsonl")).unwrap()).unwrap();
    assert_eq!(row["keys"], 5, "{row}");
    assert!(row["seconds"].as_f64().unwrap() >= 0.7, "{row}");
    window.assert_no_errors();
}

#[test]
fn the_tutorial_says_what_to_decide_and_how_far_one_is() {
    let _browser = one_browser();
    let program = Program::start(["--tutorial"]);
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    let message = window.text("#said");
    assert!(
        message.contains("text that the page is read for (C)") && message.contains("a menu (B)"),
        "{message}"
    );
    // The title is shown although the pages are read one by one.
    assert_eq!(window.text("#page_name"), "The ferry that runs on a rope");
    window.press_all(&["Ctrl+a", "c"]);
    window.until("document.querySelector('#feedback .card')");
    window.finish();
    window.until("document.querySelector('#pages_line').textContent.startsWith('Page 2 of 8')");
    window.press("g");
    window.until("document.querySelector('#pages_dialog').open");
    let summary = window.text("#pages_summary");
    assert!(
        summary.contains("gold text so far") && summary.contains("kappa"),
        "{summary}"
    );
    assert!(
        !summary.contains("Expected F"),
        "the pages are not sorted: {summary}"
    );
    window.assert_no_errors();
}

#[test]
fn text_that_the_picture_does_not_show_is_written_on_it() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("pale.html");
    let html = "<title>Pale</title><body style='background:#202830;color:#fff'><h1>The heading is white on dark ground</h1>\
                <p style='color:#384048'>These letters have nearly the color of their ground, and nobody can read them.</p>";
    fs::write(&page, html).unwrap();
    let program = start(&page, &folder.path().join("gold"), &["--engine", "builtin"]);
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    window.until("document.querySelectorAll('.box').length === 2");
    assert_eq!(
        window.value("[...document.querySelectorAll('.box.blank')].map((box) => box.textContent.slice(0, 13))"),
        serde_json::json!(["These letters"])
    );
    window.go_to_block(1);
    window.until("document.querySelector('#picture_hint').textContent.includes('does not show')");
    window.press("ArrowUp");
    window.until("document.querySelector('#picture_hint').hidden");
    window.assert_no_errors();
}

#[test]
fn steps_and_title_have_room_in_small_windows() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let program = start(
        &fixtures().join("captures/table-layout"),
        folder.path(),
        &[],
    );
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    window.set_size(1280, 720);
    let is_hit = "(() => { const button = document.querySelector('[data-action=undo]'); const { x, y, width, height } = button.getBoundingClientRect(); \
                  return button.contains(document.elementFromPoint(x + width / 2, y + height / 2)); })()";
    window.until(is_hit);
    window.until("document.querySelector('#stepping').clientHeight < 40");
    window.set_size(700, 900);
    window.until("document.querySelector('.place').clientWidth > 600");
    window.assert_no_errors();
}

#[test]
fn a_window_is_not_closed_unasked_before_every_change_is_stored() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let mut program = start(
        &fixtures().join("captures/table-layout"),
        folder.path(),
        &[],
    );
    let browser = browser();
    let window = Window::open(&browser, &program.address);
    let closes = "dispatchEvent(new Event('beforeunload', { cancelable: true }))";
    window.press("c");
    window.wait_stored();
    assert_eq!(window.value(closes), true);
    program.kill();
    window.press("b");
    window.until("document.querySelector('[data-banner=lost]')");
    assert_eq!(window.value(closes), false);
}

#[test]
fn a_window_that_shows_no_page_is_in_nobodys_way() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let input = fixtures().join("captures/table-layout");
    let mut program = start(&input, folder.path(), &[]);
    let port = program.port();
    let browser = browser();
    let first = Window::open(&browser, &program.address);
    let second = Window::open(&browser, &format!("http://127.0.0.1:{port}/"));
    first.until("document.querySelector('[data-banner=tabs]')");
    program.kill();
    first.press("c");
    first.until("document.querySelector('[data-banner=lost]')");
    let _program = start(&input, folder.path(), &["--port", &port]);
    first.until("document.querySelector('#notice').dataset.kind === 'restarted'");
    first.until("document.querySelector('[data-banner=tabs]') === null");
    second.until("document.querySelector('[data-banner=tabs]') === null");
}

/// Starts a server on another port of this machine, which the browser treats as the same site but
/// another origin. Returns its port.
fn other_site() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let _ = connection.read(&mut [0; 4096]);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\nConnection: close\r\n\r\n";
            let _ = writeln!(connection, "{head}<title>Other</title>");
        }
    });
    port
}

#[test]
fn a_browser_without_the_token_and_a_page_of_another_origin_are_refused() {
    let _browser = one_browser();
    let folder = tempfile::tempdir().unwrap();
    let gold = folder.path().join("gold");
    let program = start(&fixtures().join("captures/table-layout"), &gold, &[]);
    let browser = browser();
    let stranger = browser.new_tab().unwrap();
    let root = format!("http://127.0.0.1:{}", program.port());
    for address in [
        format!("{root}/"),
        format!("{root}/?token=0123456789abcdef"),
    ] {
        stranger
            .navigate_to(&address)
            .unwrap()
            .wait_until_navigated()
            .unwrap();
        let text = stranger
            .evaluate("document.body.textContent", false)
            .unwrap()
            .value
            .unwrap()
            .to_string();
        assert!(
            text.contains("printed") && !text.contains("Label the blocks"),
            "{address}: {text}"
        );
    }
    // This window has the cookie, which the browser sends to all ports of the machine.
    let window = Window::open(&browser, &program.address);
    let before = window.labels(0);
    let other = format!("http://127.0.0.1:{}/", other_site());
    window
        .tab
        .navigate_to(&other)
        .unwrap()
        .wait_until_navigated()
        .unwrap();
    let ask = |path: &str, options: &str| {
        window.value(&format!(
            "fetch('{root}{path}', {{ credentials: 'include', {options} }}).then(() => 'answered', () => 'refused')"
        ))
    };
    assert_eq!(ask("/api/project", ""), "refused");
    let change = r#"body: '{"revision":0,"kind":"set","changes":[{"block":0,"label":"unsure"}]}'"#;
    ask(
        "/api/pages/0/changes",
        &format!("method: 'POST', mode: 'no-cors', {change}"),
    );
    let headers = "headers: { 'X-Vclean': '1', 'Content-Type': 'application/json' }";
    assert_eq!(
        ask(
            "/api/pages/0/changes",
            &format!("method: 'POST', {headers}, {change}")
        ),
        "refused"
    );
    ask(
        "/api/pages/0/done",
        r#"method: 'POST', mode: 'no-cors', body: '{"revision":0,"done":true}'"#,
    );
    window.go(&format!("{root}/"));
    assert_eq!(window.labels(0), before);
    assert!(!gold.join("manifest.jsonl").exists());
}
