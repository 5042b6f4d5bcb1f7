//! Tests that jobs of `vclean serve` survive its end in a folder, and that webhooks are told of
//! them.

use crate::crawl::{Site, page};
use crate::service_client::{PATIENCE, Service};
use crate::service_jobs::{ended, started};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const OPTIONS: [&str; 7] = [
    "--engine",
    "none",
    "--allow-private",
    "--delay",
    "0",
    "--jobs",
    "2",
];
/// Number of pages of the site besides the first one.
const PAGES: usize = 14;

/// A site whose pages take a moment. The first page links to all others.
fn site() -> Site {
    Site::start(|path, _| {
        let links: Vec<String> = (0..PAGES).map(|number| format!("/{number}")).collect();
        match path {
            "/" => page(
                "gulls",
                &links.iter().map(String::as_str).collect::<Vec<_>>(),
            ),
            "/robots.txt" | "/sitemap.xml" => (404, "content-type: text/html", Vec::new()),
            _ => {
                thread::sleep(Duration::from_millis(200));
                page(path, &["/"])
            }
        }
    })
}

/// How often each address is the source of a result.
fn sources(found: &Value) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for page in found["data"].as_array().unwrap() {
        let source = page["metadata"]["sourceURL"].as_str().unwrap();
        *counts.entry(source).or_default() += 1;
    }
    counts
}

/// Waits until a job has results of this many pages; returns the status.
fn with_results(service: &Service, path: &str, count: u64) -> Value {
    let begun = Instant::now();
    loop {
        let found = service.get(path).json();
        if found["completed"].as_u64().unwrap() >= count {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{found}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_next_service_continues_jobs() {
    for is_killed in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let own = ["--jobs-dir", folder.path().to_str().unwrap()];
        let options = [&OPTIONS[..], &own].concat();
        let (mut service, site) = (Service::start(&options), site());
        let list: Vec<String> = (0..PAGES)
            .map(|number| site.address(&format!("/l{number}")))
            .collect();
        let crawl = json!({ "url": site.address("/") });
        let crawl = started(&service.post("/v2/crawl", &crawl));
        let batch = json!({ "urls": list, "formats": ["markdown"] });
        let batch = started(&service.post("/v2/batch/scrape", &batch));
        let paths = [
            format!("/v2/crawl/{crawl}"),
            format!("/v2/batch/scrape/{batch}"),
        ];
        let before = [
            with_results(&service, &paths[0], 3),
            with_results(&service, &paths[1], 3),
        ];
        if is_killed {
            drop(service);
        } else {
            service.terminate();
            service.wait();
        }
        let service = Service::start(&options);
        for ((path, before), expected) in paths.iter().zip(before).zip([PAGES + 1, PAGES]) {
            assert_eq!(before["status"], "scraping");
            let after = ended(&service, path);
            assert_eq!(after["status"], "completed", "{after}");
            let found = sources(&after);
            assert_eq!(found.len(), expected, "{found:?}");
            assert!(found.values().all(|count| *count == 1), "{found:?}");
            let counts = site.counts();
            for source in sources(&before).into_keys() {
                let (_, place) = source.rsplit_once('/').unwrap();
                assert_eq!(counts[&format!("/{place}")], 1, "{source} was done");
            }
        }
        // At most the pages in work were loaded twice.
        let again: usize = site.counts().values().map(|count| count - 1).sum();
        assert!(again <= 8, "{again} pages were loaded again");
        let listed = service.get("/v1/jobs").json();
        let listed = listed["jobs"].as_array().unwrap();
        assert_eq!((listed.len(), &listed[1]["path"]), (2, &json!(paths[0])));
        assert_eq!(listed[0]["completed"], PAGES);
        // Ended jobs are kept, too, and another service cannot use the folder.
        drop(service);
        let service = Service::start(&options);
        assert_eq!(service.get(&paths[0]).json()["status"], "completed");
        let other = crate::program::vclean(["serve", "--bind", "127.0.0.1:0"].iter().chain(&own));
        assert!(
            other.stderr.contains("another service uses it"),
            "{}",
            other.stderr
        );
    }
}

#[test]
fn results_expire_after_the_time_that_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let own = [
        "--jobs-dir",
        folder.path().to_str().unwrap(),
        "--keep-jobs",
        "1s",
    ];
    let (service, site) = (Service::start(&[&OPTIONS[..], &own].concat()), site());
    let request = json!({ "urls": [site.address("/0")] });
    let path = format!(
        "/v2/batch/scrape/{}",
        started(&service.post("/v2/batch/scrape", &request))
    );
    ended(&service, &path);
    let begun = Instant::now();
    while service.get(&path).status == 200 {
        assert!(begun.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(50));
    }
    let left = std::fs::read_dir(folder.path()).unwrap().flatten();
    let left: Vec<_> = left
        .filter(|entry| entry.path().extension().is_some())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A request to a webhook: its head in lower case, and its body.
type Told = (String, Value);

/// A server that keeps what it is told. It refuses the first request.
fn receiver() -> (u16, Arc<Mutex<Vec<Told>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let told = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&told);
    thread::spawn(move || {
        for (number, client) in listener.incoming().flatten().enumerate() {
            let _ = receive(&client, number == 0).map(|told| seen.lock().unwrap().extend(told));
        }
    });
    (port, told)
}

fn receive(mut client: &TcpStream, is_refused: bool) -> std::io::Result<Option<Told>> {
    let mut reader = BufReader::new(client);
    let (mut head, mut length) = (String::new(), 3);
    while length > 2 {
        length = reader.read_line(&mut head)?;
    }
    let head = head.to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.unwrap().parse().unwrap()];
    reader.read_exact(&mut body)?;
    let status = if is_refused { 503 } else { 200 };
    write!(
        client,
        "HTTP/1.1 {status} As Asked\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )?;
    let told = (head, serde_json::from_slice(&body).unwrap());
    Ok((!is_refused).then_some(told))
}

#[test]
fn webhooks_are_told_of_a_job() {
    let secret = [("VCLEAN_WEBHOOK_SECRET", "0123456789abcdef")];
    let (service, site) = (Service::start_with(&OPTIONS, &secret), site());
    let (port, told) = receiver();
    let webhook = json!({
        "url": format!("http://127.0.0.1:{port}/told"), "headers": { "X-Key": "k" }, "metadata": { "batch": 7 },
        "events": ["started", "page", "completed"],
    });
    let request = json!({ "urls": [site.address("/0"), site.address("/1")], "webhook": webhook });
    let id = started(&service.post("/v2/batch/scrape", &request));
    let begun = Instant::now();
    while told.lock().unwrap().len() < 4 {
        assert!(begun.elapsed() < PATIENCE, "{:?}", told.lock().unwrap());
        thread::sleep(Duration::from_millis(50));
    }
    let told = told.lock().unwrap();
    let kinds: Vec<&str> = told
        .iter()
        .map(|(_, body)| body["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "batch_scrape.started",
            "batch_scrape.page",
            "batch_scrape.page",
            "batch_scrape.completed"
        ]
    );
    for (head, body) in told.iter() {
        assert!(
            head.starts_with("post /told ") && head.contains("x-key: k"),
            "{head}"
        );
        let signature = head
            .lines()
            .find_map(|line| line.strip_prefix("x-firecrawl-signature: sha256="));
        assert_eq!(signature.map(str::len), Some(64), "{head}");
        assert_eq!(
            (&body["id"], &body["metadata"]["batch"]),
            (&json!(id), &json!(7))
        );
    }
    assert!(
        told[1].1["data"][0]["markdown"]
            .as_str()
            .unwrap()
            .contains("kept bees")
    );
}

#[test]
fn webhooks_reach_no_private_address() {
    let service = Service::start(&["--engine", "none"]);
    let (port, told) = receiver();
    let request = json!({
        "urls": [format!("http://127.0.0.1:{port}/page")], "webhook": format!("http://127.0.0.1:{port}/"),
    });
    let path = format!(
        "/v2/batch/scrape/{}",
        started(&service.post("/v2/batch/scrape", &request))
    );
    ended(&service, &path);
    let begun = Instant::now();
    loop {
        let found = service.get(&path).json();
        let warning = found["warning"].as_str().unwrap_or_default();
        if warning.contains("webhook") && warning.contains("public addresses only") {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{found}");
        thread::sleep(Duration::from_millis(50));
    }
    assert!(told.lock().unwrap().is_empty());
}

/// The paths of jobs, which docs/guide/service.md sends to one service.
const OF_JOBS: [&str; 4] = ["v2/crawl", "v2/batch", "v1/jobs", "jobs"];

/// Starts a proxy before two services: the first one gets the requests about jobs, and both get the
/// others in turn. Returns its address and the number of requests for each.
fn proxy(services: [SocketAddr; 2]) -> (SocketAddr, Arc<Mutex<[usize; 2]>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let counts = Arc::new(Mutex::new([0, 0]));
    let counted = Arc::clone(&counts);
    thread::spawn(move || {
        for (number, client) in listener.incoming().enumerate() {
            let mut client = client.unwrap();
            let mut reader = BufReader::new(client.try_clone().unwrap());
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let path = line.split(' ').nth(1).unwrap().trim_start_matches('/');
            let is_of_jobs = OF_JOBS.iter().any(|jobs| path.starts_with(jobs));
            let chosen = if is_of_jobs { 0 } else { number % 2 };
            counted.lock().unwrap()[chosen] += 1;
            let mut service = TcpStream::connect(services[chosen]).unwrap();
            service.write_all(line.as_bytes()).unwrap();
            let mut to_service = service.try_clone().unwrap();
            thread::spawn(move || {
                let _ = std::io::copy(&mut reader, &mut to_service);
            });
            thread::spawn(move || {
                let _ = std::io::copy(&mut service, &mut client);
                let _ = client.shutdown(std::net::Shutdown::Both);
            });
        }
    });
    (address, counts)
}

#[test]
fn behind_a_proxy_one_of_two_services_has_the_jobs() {
    let guide =
        std::fs::read_to_string(crate::support::fixtures().join("../docs/guide/service.md"));
    let rule = format!("location ~ ^/({})", OF_JOBS.join("|"));
    assert!(guide.unwrap().contains(&rule), "{rule}");
    let (mut first, second) = (Service::start(&OPTIONS), Service::start(&OPTIONS));
    let (address, counts) = proxy([first.address, second.address]);
    first.address = address;
    let site = site();
    let id = started(&first.post("/v2/crawl", &json!({ "url": site.address("/") })));
    for number in 0..6 {
        let page = json!({ "url": site.address(&format!("/{number}")) });
        let answer = first.post("/v2/scrape", &page);
        assert_eq!(answer.json()["success"], true, "{}", answer.text());
    }
    let path = format!("/v2/crawl/{id}");
    let found = ended(&first, &path);
    assert_eq!(sources(&found).len(), PAGES + 1, "{found}");
    assert_eq!(second.get(&path).status, 404);
    let counts = *counts.lock().unwrap();
    assert!(counts.iter().all(|count| *count >= 2), "{counts:?}");
}
