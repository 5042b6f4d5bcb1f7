//! Tests the other forms of answers of `vclean serve`: the reader address, the loader of Open
//! WebUI, compressed answers, entity tags and cached answers.

use crate::crawl::{Site, page};
use crate::program::vclean;
use crate::service_client::{Answer, Service};
use serde_json::json;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const OPTIONS: [&str; 6] = [
    "--engine",
    "none",
    "--allow-private",
    "--ignore-robots",
    "--delay",
    "0",
];

/// A site whose pages contain the number of their requests.
fn site() -> Site {
    let count = Arc::new(AtomicUsize::new(0));
    Site::start(move |path, _| match path {
        "/gone" => (
            404,
            "content-type: text/html",
            b"<h1>Not found</h1>".to_vec(),
        ),
        "/letter.pdf" => (200, "content-type: application/pdf", b"%PDF-1.4".to_vec()),
        _ => page(
            &format!("ferry number {}", count.fetch_add(1, Ordering::Relaxed)),
            &["/two?a=b"],
        ),
    })
}

fn read(service: &Service, address: &str, headers: &[(&str, &str)]) -> Answer {
    service.request("GET", &format!("/r/{address}"), headers, b"")
}

#[test]
fn a_reader_address_answers_in_the_type_that_is_accepted() {
    let (service, site) = (Service::start(&OPTIONS), site());
    let address = site.address("/one?x=1&y=%20");
    let markdown = read(&service, &address, &[]);
    assert_eq!(markdown.status, 200, "{}", markdown.text());
    assert!(
        markdown.head.contains("content-type: text/markdown")
            && markdown.text().starts_with("# ferry"),
        "{markdown:?}"
    );
    assert!(markdown.head.contains("vary: accept"), "{}", markdown.head);
    let html = read(&service, &address, &[("Accept", "text/html,*/*;q=0.8")]);
    assert!(
        html.head.contains("content-type: text/html") && html.text().contains("<h1>"),
        "{html:?}"
    );
    let document = read(&service, &address, &[("Accept", "application/json")]).json();
    assert!(document["segments"].is_array(), "{document}");
    let heading = [("X-Return-Format", "text"), ("X-Target-Selector", "h1")];
    let only = read(&service, &address, &heading).text();
    assert!(
        only.starts_with("ferry") && only.lines().count() == 1,
        "{only}"
    );
    let without = read(&service, &address, &[("X-Remove-Selector", "h1")]).text();
    assert!(
        !without.contains("# ferry") && without.contains("kept bees"),
        "{without}"
    );
    assert_eq!(
        site.counts()["/one?x=1&y=%20"],
        5,
        "the query belongs to the page's address"
    );
    assert_eq!(
        read(&service, &address, &[("Accept", "image/png")]).status,
        406
    );
    assert_eq!(
        read(&service, &address, &[("X-Return-Format", "pageshot")]).status,
        400
    );
    assert_eq!(read(&service, &site.address("/gone"), &[]).status, 422);
    let pdf = read(&service, &site.address("/letter.pdf"), &[]);
    assert!(
        pdf.status == 415 && pdf.error().contains("convert it to HTML first"),
        "{}",
        pdf.text()
    );
    assert_eq!(
        (
            read(&service, "file:///etc/hostname", &[]).status,
            read(&service, "a.example", &[]).status
        ),
        (400, 400)
    );
    let strict = Service::start(&["--engine", "none"]);
    assert_eq!(read(&strict, &address, &[]).status, 403);
}

#[test]
fn a_loader_gets_texts_with_their_addresses() {
    let (service, site) = (Service::start(&OPTIONS), site());
    let urls = [site.address("/one"), site.address("/gone")];
    let found = service.post("/", &json!({ "urls": urls })).json();
    assert!(
        found[0]["page_content"]
            .as_str()
            .unwrap()
            .contains("kept bees"),
        "{found}"
    );
    assert_eq!(
        (
            &found[0]["metadata"]["source"],
            &found[1]["metadata"]["source"]
        ),
        (&json!(urls[0]), &json!(urls[1]))
    );
    assert!(
        found[0]["metadata"]["title"]
            .as_str()
            .unwrap()
            .contains("ferry")
            && found[1]["page_content"] == ""
    );
    assert!(
        found[1]["metadata"]["error"]
            .as_str()
            .unwrap()
            .contains("404"),
        "{found}"
    );
    assert_eq!(
        service
            .post("/", &json!({ "urls": [site.address("/gone")] }))
            .status,
        422
    );
    for wrong in [
        json!({ "urls": [] }),
        json!({ "urls": vec!["https://a.example"; 101] }),
        json!({ "url": "x" }),
    ] {
        assert_eq!(service.post("/", &wrong).status, 400, "{wrong}");
    }
}

#[test]
fn answers_are_packed_for_clients_that_accept_it() {
    let service = Service::start(&OPTIONS);
    let plain = service.get("/openapi.json");
    for (coding, unpack) in [
        (
            "gzip",
            &(|bytes: &[u8]| {
                let mut text = Vec::new();
                flate2::read::GzDecoder::new(bytes)
                    .read_to_end(&mut text)
                    .unwrap();
                text
            }) as &dyn Fn(&[u8]) -> Vec<u8>,
        ),
        ("zstd", &|bytes| zstd::decode_all(bytes).unwrap()),
    ] {
        let packed = service.request("GET", "/openapi.json", &[("Accept-Encoding", coding)], b"");
        assert!(
            packed.head.contains(&format!("content-encoding: {coding}")),
            "{}",
            packed.head
        );
        assert!(
            packed.body.len() * 2 < plain.body.len() && unpack(&packed.body) == plain.body,
            "{coding}"
        );
    }
    let preferred = service.request(
        "GET",
        "/openapi.json",
        &[("Accept-Encoding", "br;q=1, gzip;q=0.5")],
        b"",
    );
    assert!(
        preferred.head.contains("content-encoding: gzip"),
        "{}",
        preferred.head
    );
    let lines = [
        ("Content-Type", "application/x-ndjson"),
        ("Accept-Encoding", "gzip"),
    ];
    let line = json!({ "html": "<p>text ".repeat(2000) }).to_string();
    let batch = service.request("POST", "/v1/batch", &lines, line.as_bytes());
    assert!(
        !batch.head.contains("content-encoding") && batch.text().contains("text"),
        "{}",
        batch.head
    );
    let small = service.request("GET", "/healthz", &[("Accept-Encoding", "gzip")], b"");
    assert!(!small.head.contains("content-encoding"), "{}", small.head);
}

#[test]
fn an_answer_that_the_client_has_is_not_sent_again() {
    let service = Service::start(&OPTIONS);
    let site = Site::start(|_, _| page("ferry", &[]));
    let path = format!(
        "/v1/clean?url={}",
        crate::service_client::escaped(&site.address("/"))
    );
    let first = service.get(&path);
    let tag = first
        .head
        .lines()
        .find_map(|line| line.strip_prefix("etag: "))
        .unwrap()
        .replace("w/", "W/");
    assert!(
        first.head.contains("cache-control: private, no-cache"),
        "{}",
        first.head
    );
    let again = service.request("GET", &path, &[("If-None-Match", &tag)], b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(
        service
            .request("GET", &path, &[("If-None-Match", "W/\"0-0\"")], b"")
            .status,
        200
    );
}

#[test]
fn answers_are_kept_only_where_that_was_asked_for() {
    let site = site();
    let request = |max_age: u64| json!({ "url": site.address("/one"), "max_age": max_age });
    let scrape = |max_age: u64| json!({ "url": site.address("/one"), "maxAge": max_age });
    let off = Service::start(&OPTIONS);
    let text = |answer: &Answer| answer.json()["output"]["text"].as_str().unwrap().to_owned();
    assert_ne!(
        text(&off.post("/v1/clean", &request(60))),
        text(&off.post("/v1/clean", &request(60)))
    );
    let service = Service::start(&[&OPTIONS[..], &["--cache", "10MB"]].concat());
    let first = service.post("/v1/clean", &request(0));
    let second = service.post("/v1/clean", &request(60));
    assert!(
        text(&first) == text(&second) && second.head.contains("\r\nage: 0"),
        "{}",
        second.head
    );
    assert!(!first.head.contains("\r\nage:"), "{}", first.head);
    let fresh = service.post("/v1/clean", &request(0));
    assert_ne!(
        text(&first),
        text(&fresh),
        "a request that accepts none gets none"
    );
    assert_eq!(text(&service.post("/v1/clean", &request(60))), text(&fresh));
    let other = service.post(
        "/v1/clean",
        &json!({ "url": site.address("/one"), "max_age": 60, "no_title": true }),
    );
    assert!(
        !other.head.contains("\r\nage:"),
        "another request has another answer"
    );
    let first = service.post("/v2/scrape", &scrape(0));
    let second = service.post("/v2/scrape", &scrape(60_000));
    assert!(
        first.body == second.body && second.head.contains("\r\nage: 0"),
        "{}",
        second.head
    );
}

/// Returns the files of cached answers in a folder, and their total bytes.
fn kept_files(folder: &Path) -> (Vec<PathBuf>, u64) {
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files
        .filter(|path| path.file_name().unwrap().len() == 64)
        .collect();
    let bytes = files
        .iter()
        .map(|path| path.metadata().unwrap().len())
        .sum();
    (files, bytes)
}

#[test]
fn answers_in_a_folder_survive_the_service() {
    let (site, parent) = (site(), tempfile::tempdir().unwrap());
    let folder = parent.path().join("answers");
    let own = ["--cache", "10MB", "--cache-dir", folder.to_str().unwrap()];
    let start = || Service::start(&[&OPTIONS[..], &own].concat());
    let end = |mut service: Service| {
        service.terminate();
        assert!(service.wait().success(), "{}", service.log());
    };
    let clean = json!({ "url": site.address("/one"), "max_age": 3600 });
    let scrape = json!({ "url": site.address("/one"), "maxAge": 3_600_000 });
    let first = start();
    let answers = [
        first.post("/v1/clean", &clean),
        first.post("/v2/scrape", &scrape),
    ];
    assert!(
        answers
            .iter()
            .all(|answer| answer.status == 200 && !answer.head.contains("\r\nage:")),
        "{answers:?}"
    );
    // Answers that are private or must not be stored are in no file.
    for refused in [
        json!({ "url": site.address("/two"), "headers": { "X-Token": "hunter2" } }),
        json!({ "url": site.address("/two"), "storeInCache": false }),
        json!({ "url": site.address("/two"), "zeroDataRetention": true }),
        json!({ "url": site.address("/two").replace("//", "//me:hunter2@") }),
    ] {
        first.post("/v2/scrape", &refused);
    }
    assert_eq!(kept_files(&folder).0.len(), 2);
    let locked = vclean([
        "serve",
        "--bind",
        "127.0.0.1:0",
        "--cache",
        "1MB",
        "--cache-dir",
        folder.to_str().unwrap(),
    ]);
    assert!(
        locked.code == Some(1) && locked.stderr.contains("another service uses"),
        "{}",
        locked.stderr
    );
    end(first);
    let second = start();
    let again = [
        second.post("/v1/clean", &clean),
        second.post("/v2/scrape", &scrape),
    ];
    for (before, after) in answers.iter().zip(&again) {
        assert!(
            after.body == before.body && after.head.contains("\r\nage:"),
            "{}",
            after.head
        );
    }
    let files = kept_files(&folder).0;
    assert!(
        files
            .iter()
            .all(|file| !String::from_utf8_lossy(&std::fs::read(file).unwrap()).contains("hunter"))
    );
    for file in &files {
        std::fs::write(file, "damaged").unwrap();
    }
    let fresh = second.post("/v1/clean", &clean);
    assert!(
        fresh.status == 200 && !fresh.head.contains("\r\nage:") && fresh.body != answers[0].body,
        "{fresh:?}"
    );
    end(second);
    // Answers that were cached under other options of the operator are not used, such as one of an
    // address that is refused now.
    let own = [
        "--engine",
        "none",
        "--cache",
        "10MB",
        "--cache-dir",
        folder.to_str().unwrap(),
    ];
    assert_eq!(Service::start(&own).post("/v1/clean", &clean).status, 403);
}

#[test]
fn a_folder_of_answers_has_a_limit_and_is_nobody_elses() {
    let site = Site::start(|path, _| {
        let (status, header, mut body) = page(path, &[]);
        body.extend_from_slice(
            format!("<p>{path} went by without a word. ")
                .repeat(6_000)
                .as_bytes(),
        );
        (status, header, body)
    });
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("answers");
    let cache = ["--cache", "1MB", "--cache-dir", folder.to_str().unwrap()];
    let service = Service::start(&[&OPTIONS[..], &cache].concat());
    let is_kept = |number: usize| {
        let request = json!({ "url": site.address(&format!("/{number}")), "maxAge": 3_600_000, "formats": ["rawHtml"] });
        service
            .post("/v2/scrape", &request)
            .head
            .contains("\r\nage:")
    };
    for number in 0..12 {
        assert!(!is_kept(number), "{number}");
        assert!(number == 0 || is_kept(0), "what is used stays");
        let (files, bytes) = kept_files(&folder);
        assert!(
            bytes <= 1 << 20 && files.len() < 6,
            "{} files, {bytes} bytes",
            files.len()
        );
    }
    assert!(kept_files(&folder).1 > 1 << 19 && !is_kept(1));
    let refused = |words: &[&str]| vclean(["serve", "--bind", "127.0.0.1:0"].iter().chain(words));
    let alone = refused(&["--cache-dir", folder.to_str().unwrap()]);
    assert!(
        alone.code != Some(0) && alone.stderr.contains("--cache <SIZE>"),
        "{}",
        alone.stderr
    );
    let open = parent.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    for (folder, cause) in [
        (open.as_path(), "other users may write"),
        (parent.path(), "holds other files"),
    ] {
        let outcome = refused(&["--cache", "1MB", "--cache-dir", folder.to_str().unwrap()]);
        assert!(
            outcome.code == Some(1) && outcome.stderr.contains(cause),
            "{}",
            outcome.stderr
        );
    }
}
