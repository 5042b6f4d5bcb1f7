//! Tests the page at `/jobs` of the service in a browser: it lists jobs, cancels one, and is
//! accessible (axe-core).

use crate::crawl::{Site, page};
use crate::labelling_states::assert_accessible;
use crate::labelling_window::{Window, browser};
use crate::program::one_browser;
use crate::service_client::Service;
use crate::service_jobs::{ended, started};
use serde_json::json;
use std::thread;
use std::time::Duration;

#[test]
fn jobs_are_listed_and_cancelled() {
    let _browser = one_browser();
    let options = ["--engine", "none", "--allow-private", "--delay", "0"];
    let (service, browser) = (Service::start(&options), browser());
    let site = Site::start(|path, _| {
        let number: u32 = path[1..].parse().unwrap_or(0);
        if number > 0 {
            thread::sleep(Duration::from_millis(500));
        }
        page(path, &[&format!("/{}", number + 1)])
    });
    let window = Window::empty(&browser);
    let address = format!("http://{}/jobs", service.address);
    window.tab.navigate_to(&address).unwrap();
    window.until("document.querySelector('#state').textContent.includes('no jobs')");
    assert_accessible(&window, "empty");
    let list =
        json!({ "urls": [site.address("/0"), site.address("/no")], "formats": ["markdown"] });
    let list = started(&service.post("/v2/batch/scrape", &list));
    ended(&service, &format!("/v2/batch/scrape/{list}"));
    let crawl = json!({ "url": site.address("/") });
    let crawl = started(&service.post("/v2/crawl", &crawl));
    window.until("document.querySelectorAll('#jobs tr').length === 2");
    let rows = window.text("#jobs");
    assert!(
        rows.contains("completed") && rows.contains("2 of 2"),
        "{rows}"
    );
    assert!(
        rows.contains(&site.address("/")) && rows.contains("scraping"),
        "{rows}"
    );
    assert_accessible(&window, "jobs");
    window.set_size(390, 844);
    let overflow =
        window.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert_eq!(overflow, 0, "nothing is wider than a telephone");
    window.value("document.querySelector('#jobs button[aria-label^=\"Cancel http\"]').click()");
    window.until("document.querySelector('#jobs').textContent.includes('cancelled')");
    let found = service.get(&format!("/v2/crawl/{crawl}")).json();
    assert_eq!(found["status"], "cancelled");
    window.assert_no_errors();
}
