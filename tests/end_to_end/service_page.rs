//! Tests the page at `/` of the service in a browser: an example, the user's own page, the verdict,
//! stopping, blocks on the picture, requests as code, the keyboard, and accessibility (axe-core).

use crate::labelling_states::assert_accessible;
use crate::labelling_window::{Window, browser};
use crate::program::one_browser;
use crate::service_client::Service;
use crate::service_load::slow_server;
use crate::support::{Server, fixtures};
use headless_chrome::Browser;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The answer of the page to a request has come, or its error.
const IS_DONE: &str = "document.querySelector('#clean').textContent === 'Clean' && !document.querySelector('#state').textContent.endsWith('…')";
/// The line of the options for what a page waits for.
const WAIT_FOR: &str = "document.querySelector('#option_wait_for')";

fn opened(browser: &Browser, service: &Service, hash: &str) -> Window {
    let window = Window::empty(browser);
    window
        .tab
        .navigate_to(&format!("http://{}/{hash}", service.address))
        .unwrap();
    window.until("document.querySelector('#format')?.options.length > 5");
    window.until(IS_DONE);
    window
}

fn select_format(window: &Window, name: &str) {
    window.value(&format!(
        "(() => {{ const format = document.querySelector('#format'); format.value = '{name}'; format.dispatchEvent(new Event('change')); }})()"
    ));
}

/// Presses Clean for HTML, and waits for the answer.
fn clean_html(window: &Window, html: &str) {
    window.value(&format!(
        "(() => {{ document.querySelector('#html').value = {}; document.querySelector('#clean').click(); }})()",
        json!(html)
    ));
    window.until(IS_DONE);
}

/// Drops a file on the page, and waits for the answer.
fn drop_file(window: &Window, html: &str, name: &str) {
    window.value(&format!(
        "(() => {{ const transfer = new DataTransfer(); transfer.items.add(new File([{}], {}, {{ type: 'text/html' }})); \
         document.dispatchEvent(new DragEvent('drop', {{ dataTransfer: transfer, bubbles: true, cancelable: true }})); }})()",
        json!(html),
        json!(name)
    ));
    window.until(IS_DONE);
}

#[cfg(feature = "builtin")]
#[test]
fn an_example_shows_what_is_done() {
    let _browser = one_browser();
    let (service, browser) = (Service::start(&[]), browser());
    let window = opened(&browser, &service, "");
    // It is there at once, without a click.
    window.until("document.querySelectorAll('.box').length > 5");
    let text = window.text("#text");
    assert!(
        text.contains("kept bees") && !text.contains("newsletter") && !text.contains("Sign in"),
        "{text}"
    );
    let metadata = window.text("#metadata");
    assert!(metadata.contains("The bees under the boat"), "{metadata}");
    let kept = window
        .value("document.querySelectorAll('.box.kept').length")
        .as_u64()
        .unwrap();
    let dropped = window
        .value("document.querySelectorAll('.box.dropped').length")
        .as_u64()
        .unwrap();
    assert!(kept >= 4 && dropped >= 3, "{kept} kept, {dropped} dropped");
    let state = window.text("#state");
    assert!(state.contains("an example"), "{state}");
    assert_eq!(window.value("document.querySelector('#list').open"), false);
    assert_accessible(&window, "result");
    for (theme, filter) in [("light", "none"), ("dark", "brightness(0.75)")] {
        window.set_theme(theme);
        let found = window.value("getComputedStyle(document.querySelector('#picture')).filter");
        assert_eq!(found, filter, "the picture is dimmed in the dark only");
    }
    window.set_size(390, 844);
    window.value("document.querySelector('#example').click()");
    window.until(
        "document.querySelector('#list').open && document.querySelectorAll('.box').length > 5",
    );
    let overflow =
        window.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert_eq!(overflow, 0, "nothing is wider than a telephone");
    assert_accessible(&window, "a telephone");
    window.set_size(1400, 900);
    assert_keys_move(&window);
    // Every format is available at once.
    let formats =
        window.value("[...document.querySelector('#format').options].map((option) => option.text)");
    assert_eq!(
        formats.as_array().unwrap().len(),
        vclean_core::emit::FORMATS.len()
    );
    select_format(&window, "tei");
    assert!(
        window.text("#text").contains("<TEI"),
        "{}",
        window.text("#text")
    );
    window.assert_no_errors();
}

/// Asserts that keys move from block to block, and make the picture larger.
#[cfg(feature = "builtin")]
#[track_caller]
fn assert_keys_move(window: &Window) {
    window.value("document.querySelector('#boxes').focus()");
    window.press_all(&["End", "Home", "ArrowDown"]);
    window.until(
        "document.querySelector('#boxes').getAttribute('aria-activedescendant') === 'box_1'",
    );
    assert!(
        window.text("#block").contains("probability of content"),
        "{}",
        window.text("#block")
    );
    let width = "document.querySelector('#canvas').clientWidth";
    let before = window.value(width).as_u64().unwrap();
    window.press("+");
    window.until(&format!("{width} > {before}"));
}

#[test]
fn pages_of_ones_own_and_links_to_a_result_are_taken() {
    let _browser = one_browser();
    let (service, browser) = (Service::start(&["--engine", "none"]), browser());
    let window = opened(
        &browser,
        &service,
        "#url=https%3A%2F%2Fa.example%2F&format=text&engine=none&no_title=true",
    );
    assert_eq!(
        window.value("document.querySelector('#url').value"),
        "https://a.example/"
    );
    assert_eq!(
        window.value("document.querySelector('#option_no_title').checked"),
        true
    );
    assert!(
        window.text("#state").contains("press Clean"),
        "nothing is loaded before the reader wants it"
    );
    // Clean a file that the user drops on the page.
    let html = std::fs::read_to_string(fixtures().join("site/article/index.html")).unwrap();
    drop_file(&window, &html, "article.html");
    window.until("document.querySelector('#text').textContent.includes('Marigold')");
    assert!(
        window.text("#block").contains("no picture"),
        "{}",
        window.text("#block")
    );
    assert!(
        window
            .value("document.querySelectorAll('#blocks li').length")
            .as_u64()
            .unwrap()
            > 5
    );
    assert_accessible(&window, "a page without a picture");
    // An error is shown to the user.
    window.value("(() => { document.querySelector('#file').value = ''; document.querySelector('#file').dispatchEvent(new Event('change')); })()");
    window.value("(() => { document.querySelector('#url').value = 'http://10.0.0.1/'; document.querySelector('#clean').click(); })()");
    window.until("document.querySelector('#state').className === 'error'");
    assert!(
        window.text("#state").contains("public addresses only"),
        "{}",
        window.text("#state")
    );
    assert_accessible(&window, "an error");
    window.assert_no_errors();
}

#[test]
fn the_verdict_stands_above_the_result() {
    let _browser = one_browser();
    let (service, browser) = (Service::start(&[]), browser());
    let window = opened(
        &browser,
        &service,
        "#url=https%3A%2F%2Fa.example%2F&engine=none",
    );
    let article = std::fs::read_to_string(fixtures().join("site/article/index.html")).unwrap();
    clean_html(&window, &article);
    let verdict = window.text("#verdict");
    assert!(
        verdict.contains("Expected quality: F 0.9") && verdict.contains("probably right"),
        "{verdict}"
    );
    assert!(
        !verdict.contains("no text") && !verdict.contains("warning"),
        "{verdict}"
    );
    assert_eq!(
        window.value("document.querySelector('#result').firstElementChild.id"),
        "verdict"
    );
    let login = "<title>Log in</title><h1>Log in</h1><form action=/login><label>Name <input name=user></label>\
                 <label>Password <input type=password></label><button>Log in</button></form>";
    clean_html(&window, login);
    let verdict = window.text("#verdict");
    assert!(
        verdict.contains("doubtful")
            && verdict.contains("no text of its own")
            && verdict.contains("asks to log in"),
        "{verdict}"
    );
    assert!(
        !window.text("#metadata").contains("quality"),
        "{}",
        window.text("#metadata")
    );
    assert_accessible(&window, "a page without text");
    // The frames of this page cannot be loaded, which is a warning.
    clean_html(
        &window,
        "<title>a</title><frameset cols='50%,50%'><frame src=/a><frame src=/b><noframes>This page has <b>frames</b>.</noframes></frameset>",
    );
    let verdict = window.text("#verdict");
    assert!(verdict.contains("1 warning"), "{verdict}");
    assert_accessible(&window, "a warning");
    window.assert_no_errors();
}

/// Starts a service, and opens its page with the address of a page that takes a minute.
fn opened_with_slow_page(browser: &Browser) -> (Service, Window) {
    let slow = slow_server(Duration::from_mins(1));
    let options = [
        "--engine",
        "none",
        "--allow-private",
        "--ignore-robots",
        "--delay",
        "0",
    ];
    let service = Service::start(&options);
    let hash = format!(
        "#url={}&engine=none",
        url::form_urlencoded::byte_serialize(slow.as_bytes()).collect::<String>()
    );
    let window = opened(browser, &service, &hash);
    (service, window)
}

#[test]
fn a_page_that_takes_long_can_be_stopped() {
    let _browser = one_browser();
    let browser = browser();
    let (service, window) = opened_with_slow_page(&browser);
    let button = "document.querySelector('#clean')";
    let html = "<title>Boats</title><p>The ferry to the far bank ran twice a day, and on Sundays not at all.";
    clean_html(&window, html);
    window.value("document.querySelector('#html').value = ''");
    // By keyboard: Enter in the address starts, and Enter there again stops nothing.
    window.value("document.querySelector('#url').focus()");
    window.press("Enter");
    window.until("document.querySelector('#state').textContent === 'Loading and cleaning …'");
    service.wait_for("vclean_pages_waiting", 1);
    window.press("Enter");
    window.until("document.querySelector('#seconds').textContent === '1 s'");
    assert_eq!(window.value(&format!("{button}.textContent")), "Stop");
    // The second click of a double click is not a wish to stop.
    window.value(&format!(
        "{button}.dispatchEvent(new MouseEvent('click', {{ detail: 2, bubbles: true, cancelable: true }}))"
    ));
    assert_eq!(window.value(&format!("{button}.textContent")), "Stop");
    assert_accessible(&window, "loading");
    window.value(&format!("{button}.focus()"));
    window.press("Enter");
    window.until("document.querySelector('#state').textContent.startsWith('Stopped after')");
    service.wait_for("vclean_pages_waiting", 0);
    service.wait_for("vclean_requests_cancelled_total", 1);
    assert_eq!(window.value(&format!("{button}.textContent")), "Clean");
    assert_eq!(window.text("#seconds"), "");
    assert!(
        window.text("#text").contains("The ferry")
            && window.value("document.querySelector('#result').hidden") == false,
        "the earlier result is kept"
    );
    assert_accessible(&window, "stopped");
    window.assert_no_errors();
}

#[test]
fn other_work_takes_the_place_of_what_is_loading() {
    let _browser = one_browser();
    let browser = browser();
    let (service, window) = opened_with_slow_page(&browser);
    window.value("document.querySelector('#clean').click()");
    service.wait_for("vclean_pages_waiting", 1);
    drop_file(
        &window,
        "<title>Bees</title><p>The bees stayed for eleven summers under the boat.",
        "bees.html",
    );
    assert!(
        window.text("#text").contains("eleven summers"),
        "{}",
        window.text("body")
    );
    service.wait_for("vclean_pages_waiting", 0);
    service.wait_for("vclean_requests_cancelled_total", 1);
    window.assert_no_errors();
}

#[test]
fn conditions_to_wait_for_are_among_the_options() {
    let _browser = one_browser();
    let (service, browser) = (Service::start(&["--engine", "none"]), browser());
    let hash = "#url=https%3A%2F%2Fa.example%2F&engine=none&wait_for=selector%3A.a%2C+.b&wait_for=time%3A1s";
    let window = opened(&browser, &service, hash);
    assert_eq!(
        window.value(&format!("{WAIT_FOR}.value")),
        "selector:.a, .b\ntime:1s"
    );
    assert!(
        window.text("#options").contains("selector:CSS"),
        "{}",
        window.text("#options")
    );
    // The conditions reach the service, which says that they need Chromium.
    window.value("document.querySelector('#clean').click()");
    window.until("document.querySelector('#state').className === 'error'");
    assert!(
        window
            .text("#state")
            .contains("`wait_for` is for Chromium, and `engine` is none"),
        "{}",
        window.text("#state")
    );
    // They are in a link as they were.
    window.value("document.querySelector('#share').click()");
    window.until("location.hash.includes('format=')");
    let conditions = window.value("new URLSearchParams(location.hash.slice(1)).getAll('wait_for')");
    assert_eq!(conditions, json!(["selector:.a, .b", "time:1s"]));
    window.assert_no_errors();
}

/// Presses the button that copies the last request, and returns the code.
fn copied(window: &Window, language: &str) -> String {
    window.value("(() => { window.taken = null; navigator.clipboard.writeText = async (text) => { window.taken = text; }; })()");
    window.value(&format!(
        "[...document.querySelectorAll('#code button')].find((button) => button.textContent === {}).click()",
        json!(language)
    ));
    window.until("window.taken");
    window.value("window.taken").as_str().unwrap().to_owned()
}

/// Runs code in a folder and returns what it prints. `None` if the machine lacks the program.
fn run(language: &str, code: &str, folder: &Path) -> Option<String> {
    let (tool, program, arguments) = match language {
        "curl" => ("curl", "sh", vec!["-c", code]),
        "Python" => ("python3", "python3", vec!["-c", code]),
        _ => ("node", "node", vec!["--input-type=module", "--eval", code]),
    };
    if Command::new(tool).arg("--version").output().is_err() {
        eprintln!("{tool} is not installed, so the request as {language} is not run");
        return None;
    }
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1")
        .env("PYTHONIOENCODING", "utf-8")
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{code}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(printed)
}

/// Reads JSON in which all numbers are floating point: JavaScript writes 1.0 as 1.
fn read_json(text: &str) -> Value {
    fn as_floats(value: Value) -> Value {
        match value {
            Value::Number(number) => json!(number.as_f64()),
            Value::Array(values) => values.into_iter().map(as_floats).collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(name, value)| (name, as_floats(value)))
                .collect(),
            other => other,
        }
    }
    as_floats(serde_json::from_str(text).unwrap())
}

/// Asserts that the code of the last request gives the text that the page shows in each of two
/// formats.
#[track_caller]
fn assert_code_works(window: &Window, folder: &Path, token: &str) {
    for format in ["markdown", "json"] {
        select_format(window, format);
        let shown = window.text("#text");
        for language in ["curl", "Python", "JavaScript"] {
            let code = copied(window, language);
            assert_eq!(
                code.contains("Bearer TOKEN"),
                !token.is_empty(),
                "{code} has a placeholder for a token if there is one"
            );
            assert!(
                token.is_empty() || !code.contains(token),
                "the token is secret: {code}"
            );
            let code = code.replace("Bearer TOKEN", &format!("Bearer {token}"));
            let Some(printed) = run(language, &code, folder) else {
                continue;
            };
            let text = if language == "curl" {
                let answer: Value = serde_json::from_str(&printed).unwrap();
                match &answer["output"][format] {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                }
            } else {
                printed
            };
            if format == "json" {
                assert_eq!(read_json(&text), read_json(&shown), "{code}");
            } else {
                assert_eq!(text.trim_end(), shown.trim_end(), "{code}");
            }
        }
    }
}

/// A page with everything that a shell or a string could take for its own.
const QUOTES: &str = "<!doctype html><title>Quotes</title><h1>It's \"$HOME\" & `date`</h1>\n<p>A backslash \\ and \\n, ${HOME} and $(date), \
                      an é, a 橋 and a 🐝: the bees stayed for eleven summers, 100 % of them, and END stood alone.\nEND\n<p>The honey \
                      of the last summer still stands in the cellar of the town hall, as it's told.";

#[test]
fn requests_are_copied_as_code_that_gives_the_same_text() {
    let _browser = one_browser();
    let (server, folder, browser) = (Server::start(), tempfile::tempdir().unwrap(), browser());
    let service = Service::start(&["--engine", "none", "--allow-private", "--delay", "0"]);
    let hash = format!(
        "#url={}&engine=none&links=true&min_precision=0.5",
        url::form_urlencoded::byte_serialize(server.url("article/").as_bytes()).collect::<String>()
    );
    let window = opened(&browser, &service, &hash);
    window.value("document.querySelector('#clean').click()");
    window.until(IS_DONE);
    assert!(
        window.text("#text").contains("Marigold"),
        "{}",
        window.text("body")
    );
    let code = copied(&window, "Python");
    assert!(
        code.contains(r#""links": True"#)
            && code.contains(r#""min_precision": 0.5"#)
            && !code.contains("screenshot"),
        "{code}"
    );
    // A later change of the form does not change the request that was made.
    window.value("document.querySelector('#option_links').checked = false");
    assert_code_works(&window, folder.path(), "");
    clean_html(&window, QUOTES);
    assert_code_works(&window, folder.path(), "");
    let name = "It's \"a\" $file.html";
    std::fs::write(folder.path().join(name), QUOTES).unwrap();
    drop_file(&window, QUOTES, name);
    assert_code_works(&window, folder.path(), "");
    window.assert_no_errors();
}

#[test]
fn copied_requests_have_a_placeholder_for_the_token() {
    let _browser = one_browser();
    let (folder, browser) = (tempfile::tempdir().unwrap(), browser());
    let token = "a-token-of-at-least-thirty-two-letters";
    let file = folder.path().join("token");
    std::fs::write(&file, token).unwrap();
    let service = Service::start(&["--token-file", file.to_str().unwrap()]);
    // The example needs the token, too; nobody asked for it, so that only the field is shown.
    let window = opened(&browser, &service, "");
    window.until("document.querySelector('#more').open");
    assert_eq!(window.text("#state"), "");
    assert_accessible(&window, "no token");
    window.value(&format!(
        "(() => {{ document.querySelector('#token').value = '{token}'; document.querySelector('#option_engine').value = 'none'; }})()"
    ));
    clean_html(&window, QUOTES);
    assert_code_works(&window, folder.path(), token);
    // Where the browser lets no page copy, the code is shown and selected.
    window.value("(() => { navigator.clipboard.writeText = async () => { throw new Error('no'); }; document.querySelector('#code button').click(); })()");
    window.until("!document.querySelector('#uncopied').hidden");
    assert!(
        window.text("#uncopied").starts_with("curl ")
            && window.value("getSelection().toString().startsWith('curl ')") == true,
        "{}",
        window.text("#uncopied")
    );
    assert_accessible(&window, "code to copy by hand");
    window.assert_no_errors();
}
