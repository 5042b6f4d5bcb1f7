//! Tests the page at `/` of the service in a browser: an example, the user's own page, blocks on
//! the picture, the keyboard, and accessibility (axe-core).

use crate::labelling_states::assert_accessible;
use crate::labelling_window::{Window, browser};
use crate::program::one_browser;
use crate::service_client::Service;
use crate::support::fixtures;
use headless_chrome::Browser;

fn opened(browser: &Browser, service: &Service, hash: &str) -> Window {
    let window = Window::empty(browser);
    window
        .tab
        .navigate_to(&format!("http://{}/{hash}", service.address))
        .unwrap();
    window.until("document.querySelector('#format')?.options.length > 5");
    window
}

#[cfg(feature = "builtin")]
#[test]
fn an_example_shows_what_is_done() {
    let _browser = one_browser();
    let (service, browser) = (Service::start(&[]), browser());
    let window = opened(&browser, &service, "");
    assert_accessible(&window, "empty");
    window.value("document.querySelector('#example').click()");
    window.until("document.querySelectorAll('.box').length > 5");
    let text = window.text("#text");
    assert!(
        text.contains("kept bees") && !text.contains("newsletter") && !text.contains("Sign in"),
        "{text}"
    );
    assert!(
        window.text("#metadata").contains("The bees under the boat"),
        "{}",
        window.text("#metadata")
    );
    let kept = window
        .value("document.querySelectorAll('.box.kept').length")
        .as_u64()
        .unwrap();
    let dropped = window
        .value("document.querySelectorAll('.box.dropped').length")
        .as_u64()
        .unwrap();
    assert!(kept >= 4 && dropped >= 3, "{kept} kept, {dropped} dropped");
    assert_accessible(&window, "result");
    window.set_size(390, 844);
    let overflow =
        window.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert_eq!(overflow, 0, "nothing is wider than a telephone");
    assert_accessible(&window, "a telephone");
    window.set_size(1400, 900);
    // By keyboard: move from block to block, and to a larger one.
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
    // Every format is available at once.
    let formats =
        window.value("[...document.querySelector('#format').options].map((option) => option.text)");
    assert_eq!(
        formats.as_array().unwrap().len(),
        vclean_core::emit::FORMATS.len()
    );
    window.value("(() => { const format = document.querySelector('#format'); format.value = 'tei'; format.dispatchEvent(new Event('change')); })()");
    assert!(
        window.text("#text").contains("<TEI"),
        "{}",
        window.text("#text")
    );
    window.assert_no_errors();
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
    window.value(&format!(
        "(() => {{ const transfer = new DataTransfer(); transfer.items.add(new File([{}], 'article.html', {{ type: 'text/html' }})); \
         document.dispatchEvent(new DragEvent('drop', {{ dataTransfer: transfer, bubbles: true, cancelable: true }})); }})()",
        serde_json::json!(html)
    ));
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
