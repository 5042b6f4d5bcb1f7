//! Tests that `vclean serve` crawls sites, maps them and processes lists with Firecrawl's
//! interface: jobs with status, paging, errors and cancellation.

use crate::crawl::{Site, TITLES, page, titled, titles};
use crate::service_client::{Answer, PATIENCE, Service};
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};

const OPTIONS: [&str; 5] = ["--engine", "none", "--allow-private", "--delay", "0"];

/// A site of some pages in two folders; `/docs/slow/N` takes a second and links to the next one.
fn site() -> Site {
    Site::start(|path, _| match path {
        "/robots.txt" => (
            200,
            "content-type: text/plain",
            b"User-agent: *\nDisallow: /docs/secret\n".to_vec(),
        ),
        "/docs/" => page("ferry", &["one", "two", "three", "/blog", "secret", "gone"]),
        "/docs/one" | "/docs/two" | "/docs/three" => page(path, &["/docs/"]),
        "/blog" => page("blog", &["/docs/"]),
        "/sitemap.xml" => (404, "content-type: text/html", Vec::new()),
        _ if path.starts_with("/docs/slow/") => {
            thread::sleep(Duration::from_secs(1));
            let number: u32 = path.rsplit('/').next().unwrap().parse().unwrap_or(0);
            page("slow", &[&format!("/docs/slow/{}", number + 1)])
        }
        _ => (
            404,
            "content-type: text/html",
            b"<h1>Not found</h1>".to_vec(),
        ),
    })
}

/// Waits until a job has ended; returns its status.
pub fn ended(service: &Service, path: &str) -> Value {
    let started = Instant::now();
    loop {
        let answer = service.get(path);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let found = answer.json();
        if found["status"] != "scraping" {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "{found}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[track_caller]
pub fn started(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    assert!(
        answer.json()["url"].as_str().unwrap().ends_with(&id),
        "{}",
        answer.text()
    );
    id
}

fn sources(data: &Value) -> Vec<String> {
    let source = |page: &Value| {
        page["metadata"]["sourceURL"]
            .as_str()
            .unwrap()
            .split_once("//")
            .unwrap()
            .1
            .to_owned()
    };
    let mut sources: Vec<String> = data.as_array().unwrap().iter().map(source).collect();
    sources.sort();
    sources
        .iter()
        .map(|source| source.split_once('/').unwrap().1.to_owned())
        .collect()
}

#[test]
fn a_crawl_is_a_job_with_results_in_parts() {
    let (service, site) = (Service::start(&OPTIONS), site());
    let request = json!({ "url": site.address("/docs/"), "limit": 20, "scrapeOptions": { "formats": ["markdown", "links"] } });
    let path = format!(
        "/v2/crawl/{}",
        started(&service.post("/v2/crawl", &request))
    );
    let found = ended(&service, &path);
    assert_eq!(
        (&found["status"], &found["completed"], &found["total"]),
        (&json!("completed"), &json!(4), &json!(5))
    );
    assert_eq!(
        sources(&found["data"]),
        ["docs/", "docs/one", "docs/three", "docs/two"]
    );
    assert!(
        found["data"][0]["markdown"]
            .as_str()
            .unwrap()
            .contains("kept bees")
            && found["next"].is_null(),
        "{found}"
    );
    assert!(
        found["data"][0]["links"].is_array() && found["expiresAt"].as_str().unwrap().ends_with('Z')
    );
    assert!(
        found["warning"]
            .as_str()
            .unwrap()
            .contains("1 forbidden by robots.txt"),
        "{found}"
    );
    // Read the results in parts of three.
    let first = service.get(&format!("{path}?limit=3")).json();
    let next = first["next"].as_str().unwrap();
    let rest = service
        .get(next.split_once(&service.address.to_string()).unwrap().1)
        .json();
    assert_eq!(
        (
            first["data"].as_array().unwrap().len(),
            rest["data"].as_array().unwrap().len()
        ),
        (3, 1)
    );
    assert!(rest["next"].is_null());
    let errors = service.get(&format!("{path}/errors")).json();
    assert!(
        errors["errors"][0]["error"]
            .as_str()
            .unwrap()
            .contains("404"),
        "{errors}"
    );
    let whole =
        json!({ "url": site.address("/docs/"), "crawlEntireDomain": true, "excludePaths": ["t"] });
    let path = format!("/v2/crawl/{}", started(&service.post("/v2/crawl", &whole)));
    assert_eq!(
        sources(&ended(&service, &path)["data"]),
        ["blog", "docs/", "docs/one"]
    );
}

#[test]
fn a_crawl_is_cancelled_and_others_do_not_see_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, "token-of-the-first-one\ntoken-of-the-second\n").unwrap();
    let options = [&OPTIONS[..], &["--token-file", file.to_str().unwrap()]].concat();
    let (service, site) = (Service::start(&options), site());
    let as_client = |method: &str, path: &str, token: &str, body: &Value| {
        let token = format!("Bearer {token}");
        let headers = [
            ("Content-Type", "application/json"),
            ("Authorization", token.as_str()),
        ];
        service.request(method, path, &headers, body.to_string().as_bytes())
    };
    let (own, other) = ("token-of-the-first-one", "token-of-the-second");
    let request = json!({ "url": site.address("/docs/slow/0") , "crawlEntireDomain": true });
    let path = format!(
        "/v2/crawl/{}",
        started(&as_client("POST", "/v2/crawl", own, &request))
    );
    for (method, path) in [
        ("GET", path.clone()),
        ("DELETE", path.clone()),
        ("GET", format!("{path}/errors")),
    ] {
        assert_eq!(as_client(method, &path, other, &json!({})).status, 404);
    }
    let started = Instant::now();
    while as_client("GET", &path, own, &json!({})).json()["completed"] == 0 {
        assert!(started.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(50));
    }
    let cancelled = as_client("DELETE", &path, own, &json!({}));
    assert_eq!(
        (cancelled.status, &cancelled.json()["status"]),
        (200, &json!("cancelled"))
    );
    let found = as_client("GET", &path, own, &json!({})).json();
    assert!(
        found["status"] == "cancelled" && found["data"].as_array().unwrap().len() < 10,
        "{found}"
    );
    assert_eq!(as_client("DELETE", &path, own, &json!({})).status, 409);
}

#[test]
fn a_list_of_addresses_is_a_job_too() {
    let (service, site) = (Service::start(&OPTIONS), site());
    let urls = [
        site.address("/docs/one"),
        "no address".to_owned(),
        site.address("/gone"),
        site.address("/blog"),
    ];
    let refused = service.post("/v2/batch/scrape", &json!({ "urls": urls }));
    assert!(
        refused.status == 400 && refused.error().contains("no address"),
        "{}",
        refused.text()
    );
    let request = json!({ "urls": urls, "ignoreInvalidURLs": true, "formats": ["markdown"], "onlyMainContent": true });
    let answer = service.post("/v2/batch/scrape", &request);
    assert_eq!(answer.json()["invalidURLs"], json!(["no address"]));
    let path = format!("/v2/batch/scrape/{}", started(&answer));
    let found = ended(&service, &path);
    assert_eq!(
        (sources(&found["data"]), &found["total"]),
        (vec!["blog".to_owned(), "docs/one".to_owned()], &json!(3))
    );
    assert!(
        service.get(&format!("{path}/errors")).json()["errors"][0]["url"]
            .as_str()
            .unwrap()
            .ends_with("/gone")
    );
    assert_eq!(
        service.get(&path.replace("batch/scrape", "crawl")).status,
        404
    );
}

#[test]
fn a_map_has_the_addresses_of_a_site() {
    let (service, site) = (Service::start(&OPTIONS), site());
    let request = json!({ "url": site.address("/docs/"), "search": "two" });
    let found = service.post("/v2/map", &request).json();
    let links: Vec<&str> = found["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["url"].as_str().unwrap())
        .collect();
    assert_eq!(
        (links.len(), links[0]),
        (6, site.address("/docs/two").as_str()),
        "{found}"
    );
    assert_eq!(
        service
            .post("/v2/map", &json!({ "url": site.address("/nothing") }))
            .status,
        422
    );
    let site = Site::start(titled);
    let found = service
        .post("/v2/map", &json!({ "url": site.address("/") }))
        .json();
    assert_eq!(
        titles(found["links"].as_array().unwrap(), &site),
        TITLES,
        "{found}"
    );
    let found = service
        .post(
            "/v2/map",
            &json!({ "url": site.address("/"), "search": "terns" }),
        )
        .json();
    assert_eq!(
        titles(found["links"].as_array().unwrap(), &site)[0],
        TITLES[6],
        "{found}"
    );
}

#[test]
fn jobs_reach_no_private_address_and_refuse_what_is_not_done() {
    let (service, site) = (Service::start(&["--engine", "none"]), site());
    for (path, request) in [
        ("/v2/crawl", json!({ "url": site.address("/docs/") })),
        (
            "/v2/batch/scrape",
            json!({ "urls": [site.address("/docs/")] }),
        ),
    ] {
        let path = format!("{path}/{}", started(&service.post(path, &request)));
        let found = ended(&service, &path);
        assert_eq!(
            (&found["status"], &found["completed"]),
            (&json!("completed"), &json!(0)),
            "{found}"
        );
        let errors = service.get(&format!("{path}/errors")).json();
        assert!(
            errors["errors"][0]["error"]
                .as_str()
                .unwrap()
                .contains("public addresses only"),
            "{errors}"
        );
    }
    let map = service.post("/v2/map", &json!({ "url": site.address("/docs/") }));
    assert_eq!(map.status, 403, "{}", map.text());
    for (path, request, name) in [
        (
            "/v2/crawl",
            json!({ "url": "https://a.example", "webhook": "ftp://b.example" }),
            "webhook",
        ),
        (
            "/v2/crawl",
            json!({ "url": "https://a.example", "scrapeOptions": { "formats": ["summary"] } }),
            "summary",
        ),
        (
            "/v2/batch/scrape",
            json!({ "urls": ["https://a.example"], "appendToId": "x" }),
            "appendToId",
        ),
        (
            "/v2/map",
            json!({ "url": "https://a.example", "location": { "country": "DE" } }),
            "location",
        ),
    ] {
        let answer = service.post(path, &request);
        assert!(
            answer.status == 400 && answer.error().contains(name),
            "{}",
            answer.text()
        );
        assert_eq!(answer.json()["success"], false);
    }
}
