//! Tests crawls of whole sites: which addresses are requested from a server, in which order they
//! are written, and how an interrupted crawl is resumed.

use crate::journal::wait_for;
use crate::program::{one_browser, vclean};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

/// A response of the server: status, a header, and body.
type Answer = (u16, &'static str, Vec<u8>);

/// A site whose responses are a function of the path; it records the requested paths.
pub struct Site {
    pub port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// Starts a server; its threads end with the process.
    pub fn start(answer: impl Fn(&str, u16) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                thread::spawn(move || {
                    reply(&client, |path| {
                        seen.lock().unwrap().push(path.to_owned());
                        answer(path, port)
                    })
                });
            }
        });
        Self { port, requests }
    }

    pub fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// How often each path was requested.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        self.requests
            .lock()
            .unwrap()
            .iter()
            .for_each(|path| *counts.entry(path.clone()).or_default() += 1);
        counts
    }
}

fn reply(mut client: &TcpStream, answer: impl Fn(&str) -> Answer) -> std::io::Result<()> {
    let mut reader = BufReader::new(client);
    let (mut request, mut header) = (String::new(), String::new());
    reader.read_line(&mut request)?;
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let (status, header, body) = answer(request.split(' ').nth(1).unwrap_or_default());
    write!(
        client,
        "HTTP/1.1 {status} As Asked\r\n{header}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    )?;
    client.write_all(&body)
}

const HTML: &str = "content-type: text/html";

/// Makes a page with links and a text that no other page has.
pub fn page(title: &str, links: &[&str]) -> Answer {
    let story = format!(
        "The {title} ran twice a day to the far bank, and on Sundays not at all, which suited the ferryman, who kept bees \
         and thought little of people who could not wait for a Monday. Nobody ever asked him why he had chosen the river."
    );
    let links = links
        .iter()
        .map(|link| format!("<li><a href=\"{link}\">{link}</a>"))
        .collect::<Vec<_>>()
        .concat();
    let html = format!(
        "<!DOCTYPE html><html lang=en><title>{title}</title><body><article><h1>{title}</h1><p>{story}<p>{story}</article>\
         <nav><ul>{links}</ul></nav>"
    );
    (200, HTML, html.into_bytes())
}

fn packed(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

/// A small site with every kind of address that a crawl must distinguish.
fn small_site(path: &str, port: u16) -> Answer {
    let own = |path: &str| format!("http://127.0.0.1:{port}{path}");
    let xml = "content-type: application/xml";
    match path {
        "/robots.txt" => {
            let text = format!(
                "User-agent: *\nDisallow: /private\nSitemap: {}\n",
                own("/map.xml")
            );
            (200, "content-type: text/plain", text.into_bytes())
        }
        "/map.xml" => {
            let child = |path: &str| format!("<sitemap><loc>{}</loc></sitemap>", own(path));
            let index = child("/part.xml.gz") + &child("/moved.xml");
            (
                200,
                xml,
                format!("<sitemapindex>{index}</sitemapindex>").into_bytes(),
            )
        }
        "/part.xml.gz" => {
            let url = |address: String| format!("<url><loc>{address}</loc></url>");
            let set = url(own("/announced"))
                + &url("http://10.0.0.1/secret".into())
                + &url(own("/private/announced"));
            (
                200,
                "content-type: application/gzip",
                packed(&format!("<urlset>{set}</urlset>")),
            )
        }
        "/moved.xml" => (302, "location: /nowhere.xml", Vec::new()),
        "/" => {
            let links = [
                "/one",
                "/two#part",
                "two",
                "/private/x",
                "http://other.example/",
                "/book.pdf",
                "/old",
            ];
            let (status, header, mut body) =
                page("ferry", &[&links[..], &["mailto:a@b.example"]].concat());
            for feed in ["/feed", "http://10.0.0.1/feed"] {
                body.extend_from_slice(
                    format!("<link rel=alternate type=application/rss+xml href={feed}>").as_bytes(),
                );
            }
            (status, header, body)
        }
        "/feed" => {
            let item = |address: String| format!("<item><link>{address}</link></item>");
            let items = item(own("/posted#new"))
                + &item("http://169.254.169.254/".into())
                + &item(own("/private/fed"));
            (
                200,
                xml,
                format!("<rss version='2.0'><channel><title>News</title>{items}</channel></rss>")
                    .into_bytes(),
            )
        }
        "/one" => page(
            "rowing boat",
            &["/", "/deep/three", "/one?utm_source=mail", "/away", "/gone"],
        ),
        "/two" => page("raft", &["/one"]),
        "/old" => (301, "location: /two", Vec::new()),
        // The same server under the name of another site.
        "/away" => (
            302,
            format!("location: http://localhost:{port}/elsewhere").leak(),
            Vec::new(),
        ),
        "/elsewhere" => page("airship", &["/hangar"]),
        "/announced" => page("steamer", &[]),
        "/posted" => page("pilot boat", &[]),
        "/deep/three" => page("canoe", &["../../four"]),
        "/four" => page("kayak", &[]),
        _ => (404, HTML, b"<h1>Not found</h1>".to_vec()),
    }
}

fn crawl(site: &Site, out: &Path, more: &[&str]) -> crate::program::Outcome {
    let (start, out) = (site.address("/"), out.display().to_string());
    let usual = [
        "crawl",
        &start,
        "--out",
        &out,
        "--engine",
        "builtin",
        "--allow-private",
        "--delay",
        "0",
    ];
    vclean(usual.iter().chain(more))
}

/// Returns the paths of the pages of an output, in order.
fn paths(out: &Path, site: &Site) -> Vec<String> {
    let lines = fs::read_to_string(out).unwrap();
    let path = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(
            record["text"].as_str().unwrap().contains("kept bees"),
            "{record}"
        );
        record["url"]
            .as_str()
            .unwrap()
            .replace(&site.address(""), "")
    };
    lines.lines().map(path).collect()
}

#[test]
fn a_site_is_loaded_once_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let (site, out) = (Site::start(small_site), folder.path().join("site.jsonl"));
    let outcome = crawl(&site, &out, &[]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(
        paths(&out, &site),
        [
            "/",
            "/announced",
            "/posted",
            "/one",
            "/two",
            "/deep/three",
            "/four"
        ]
    );
    outcome.assert_fails(&site.address("/gone"), &["404"]);
    for note in [
        "3 forbidden by robots.txt",
        "1 of pages that others redirect to",
        "1 that redirect to other sites",
        "moved.xml",
    ] {
        assert!(
            outcome.stderr.contains(note),
            "{note} in {}",
            outcome.stderr
        );
    }
    let counts = site.counts();
    // The page to which another one redirects is requested for each.
    let twice: Vec<&String> = counts
        .iter()
        .filter(|(_, count)| **count > 1)
        .map(|(path, _)| path)
        .collect();
    assert_eq!(twice, ["/two"], "{counts:?}");
    let is_none = |path: &str| !counts.contains_key(path);
    assert!(
        is_none("/private/x")
            && is_none("/hangar")
            && is_none("/private/announced")
            && is_none("/book.pdf")
            && is_none("/sitemap.xml")
    );
    let other = folder.path().join("four.jsonl");
    crawl(&site, &other, &["--jobs", "4", "--per-host", "4"]);
    assert_eq!(
        fs::read(&out).unwrap(),
        fs::read(&other).unwrap(),
        "the number of jobs changes nothing"
    );
}

#[test]
fn limits_and_patterns_choose_the_pages() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::start(small_site);
    let mut number = 0;
    let mut crawled = |more: &[&str]| {
        number += 1;
        let out = folder.path().join(format!("{number}.jsonl"));
        crawl(&site, &out, more);
        paths(&out, &site)
    };
    assert_eq!(
        crawled(&["--max-pages", "3"]),
        ["/", "/announced", "/posted"]
    );
    assert_eq!(crawled(&["--max-depth", "0"]), ["/", "/announced"]);
    assert_eq!(
        crawled(&["--sitemap", "skip", "--max-depth", "1"]),
        ["/", "/one", "/two"]
    );
    assert_eq!(
        crawled(&["--sitemap", "only"]),
        ["/", "/announced", "/posted"]
    );
    assert_eq!(
        crawled(&["--include", "^/o", "--include", "three$"]),
        ["/", "/one", "/deep/three"]
    );
    assert_eq!(
        crawled(&["--exclude", "one|announced"]),
        ["/", "/posted", "/two"]
    );
}

#[test]
fn a_private_site_is_refused_unless_it_is_allowed() {
    let site = Site::start(small_site);
    for verb in ["crawl", "map"] {
        let outcome = vclean([verb, &site.address("/"), "--engine", "builtin"]);
        assert_eq!(outcome.code, Some(2));
        outcome.assert_fails(&site.address("/"), &["loopback", "--allow-private"]);
    }
    assert!(site.counts().is_empty(), "nothing was requested");
}

#[test]
fn sites_without_end_end() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::start(|path, _| match path {
        "/robots.txt" | "/sitemap.xml" => (404, HTML, Vec::new()),
        _ if path.starts_with("/calendar") => {
            let day: u32 = path
                .split('=')
                .nth(1)
                .and_then(|day| day.parse().ok())
                .unwrap_or(0);
            page("calendar", &[&format!("/calendar?day={}", day + 1)])
        }
        // A relative link on a page that exists at any path.
        _ => page(
            "maze",
            &["left/", "/calendar", &format!("/long/{}", "x".repeat(3000))],
        ),
    });
    let out = folder.path().join("site.jsonl");
    let outcome = crawl(&site, &out, &["--max-queries", "5", "--max-pages", "50"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let paths = paths(&out, &site);
    let calendar = paths
        .iter()
        .filter(|path| path.starts_with("/calendar"))
        .count();
    assert_eq!((calendar, paths.len()), (5, 8), "{paths:?}");
    assert!(
        outcome
            .stderr
            .contains("2 too long, too deep or with repeated parts"),
        "{}",
        outcome.stderr
    );
    let outcome = crawl(
        &site,
        &folder.path().join("few.jsonl"),
        &["--max-pages", "4"],
    );
    assert!(
        outcome.stderr.contains("beyond --max-pages"),
        "{}",
        outcome.stderr
    );
}

/// A site of 40 pages, each with links to two others, on a slow server.
fn tree(path: &str, _: u16) -> Answer {
    let Ok(number) = path
        .trim_start_matches('/')
        .parse::<usize>()
        .or(if path == "/" { Ok(0) } else { Err(()) })
    else {
        return (404, HTML, Vec::new());
    };
    thread::sleep(Duration::from_millis(30));
    let links: Vec<String> = [2 * number + 1, 2 * number + 2]
        .iter()
        .filter(|next| **next < 40)
        .map(|next| format!("/{next}"))
        .collect();
    page(
        &format!("boat number {number}"),
        &links.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

#[test]
fn a_killed_crawl_goes_on_and_loads_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (site, whole) = (Site::start(tree), folder.path().join("whole.jsonl"));
    assert_eq!(crawl(&site, &whole, &[]).code, Some(0));
    let site_2 = Site::start(tree);
    let out = folder.path().join("killed.jsonl");
    let run = folder.path().join("killed.jsonl.run");
    let (start, out_text) = (site_2.address("/"), out.display().to_string());
    let usual = [
        "--engine",
        "builtin",
        "--allow-private",
        "--delay",
        "0",
        "--resume",
        "--quiet",
        "--out",
    ];
    let mut kills = 0;
    let status = loop {
        let mut program = Command::new(env!("CARGO_BIN_EXE_vclean"))
            .args(["crawl", &start])
            .args(usual)
            .arg(&out_text)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for(&mut program, &run, 8);
        let _ = program.kill();
        let status = program.wait().unwrap();
        if status.code().is_some() {
            break status;
        }
        kills += 1;
    };
    assert!(status.success() && kills > 0, "{status}, {kills} kills");
    let same = fs::read_to_string(&out)
        .unwrap()
        .replace(&site_2.port.to_string(), &site.port.to_string());
    assert!(same == fs::read_to_string(&whole).unwrap(), "{same}");
    // Only pages whose results were not on disk when it was killed are requested again: those of
    // the last second.
    let counts = site_2.counts();
    let pages = counts.iter().filter(|(path, _)| tree(path, 0).0 == 200);
    let again: usize = pages.map(|(_, count)| count - 1).sum();
    assert!(
        again < 40 * kills / 2,
        "{again} of 40 again after {kills} kills: {counts:?}"
    );
    let outcome = vclean([
        "crawl",
        &start,
        "--out",
        &out_text,
        "--engine",
        "builtin",
        "--allow-private",
        "--resume",
        "--max-pages",
        "9",
    ]);
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome.stderr.contains("--max-pages 1000, this one has 9"),
        "{}",
        outcome.stderr
    );
    let before = site_2.counts();
    assert_eq!(crawl(&site_2, &out, &["--resume"]).code, Some(0));
    assert_eq!(
        site_2.counts(),
        before,
        "a crawl that is complete requests nothing"
    );
}

#[test]
fn a_map_has_the_addresses_of_links_and_sitemaps() {
    let site = Site::start(small_site);
    let outcome = vclean([
        "map",
        &site.address("/"),
        "--engine",
        "builtin",
        "--allow-private",
        "--delay",
        "0",
    ]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let lines: Vec<String> = outcome
        .stdout
        .lines()
        .map(|line| line.replace(&site.address(""), ""))
        .collect();
    assert_eq!(
        lines,
        ["/", "/announced", "/posted", "/one", "/two", "/old"]
    );
    assert!(
        !site.counts().contains_key("/one"),
        "only the first page is loaded"
    );
}

/// A first page with links of several kinds; no other page is requested.
pub fn titled(path: &str, _: u16) -> Answer {
    let html = "<!DOCTYPE html><title>The harbor</title><meta name=description content='Gulls and ferries.'><h2><a href=/gulls>Herring
        gulls</a></h2><a href=/gulls>A longer text that is no heading</a><a href=/boats><img src=b.jpg alt='boats.jpg'></a>
        <a href=/1>Read more</a><a href=/2>Read more</a><a href=/3>Read more</a><a href=/4 title='Terns'>4</a>";
    match path {
        "/" => (200, HTML, html.as_bytes().to_vec()),
        "/sitemap.xml" => (
            200,
            "content-type: text/plain",
            b"http://127.0.0.1/gulls\n".to_vec(),
        ),
        _ => (404, HTML, Vec::new()),
    }
}

/// Returns the path, title and description of each page of [`titled`].
pub fn titles(addresses: &[Value], site: &Site) -> Vec<String> {
    let line = |address: &Value| {
        let text = |name: &str| address.get(name).map_or("-", |text| text.as_str().unwrap());
        format!(
            "{}|{}|{}",
            text("url").replace(&site.address(""), ""),
            text("title"),
            text("description")
        )
    };
    addresses.iter().map(line).collect()
}

pub const TITLES: [&str; 7] = [
    "/|The harbor|Gulls and ferries.",
    "/gulls|Herring gulls|-",
    "/boats|-|-",
    "/1|-|-",
    "/2|-|-",
    "/3|-|-",
    "/4|Terns|-",
];

#[test]
fn a_map_has_titles_where_the_first_page_tells_them() {
    let site = Site::start(titled);
    for engine in ["builtin", "chromium"] {
        let _alone = one_browser();
        let start = site.address("/");
        let usual = [
            "map",
            &start,
            "--format",
            "jsonl",
            "--engine",
            engine,
            "--allow-private",
            "--delay",
            "0",
        ];
        let outcome = vclean(usual);
        let lines: Vec<Value> = outcome
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(
            titles(&lines, &site),
            TITLES,
            "{engine}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn a_site_becomes_a_tree_of_markdown_with_links() {
    let site = Site::start(|path, _| {
        let link = match path {
            "/" => "docs/start.html",
            "/docs/start.html" => "/docs/more/",
            "/docs/more/" => "../../",
            _ => return (404, HTML, Vec::new()),
        };
        let (status, header, body) = page(path, &[]);
        let html = String::from_utf8(body).unwrap();
        let text = format!(
            "<p>The ferryman told the rest of it <a href=\"{link}\">on another page</a>, which was as long.</p>"
        );
        let html = html.replacen("<p>", &format!("{text}<p>"), 1);
        (status, header, html.into_bytes())
    });
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tree");
    let options = ["--out-layout", "tree"];
    let outcome = crawl(&site, &out, &options);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    for (file, target) in [
        ("index.md", "docs/start.md"),
        ("docs/start.md", "more/index.md"),
        ("docs/more/index.md", "../../index.md"),
    ] {
        let link = format!("[on another page]({target})");
        assert!(read(file).contains(&link), "{file}: {}", read(file));
    }
    assert!(
        read("llms.txt").contains("## docs\n\n- [/docs/start.html](docs/start.md)"),
        "{}",
        read("llms.txt")
    );
    assert_eq!(read("llms-full.txt").matches("<!-- http").count(), 3);
    let resumed = crawl(&site, &out, &[&options[..], &["--resume"]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let refused = crawl(&site, &folder.path().join("x.jsonl"), &options);
    assert!(
        refused
            .stderr
            .contains("--out-layout tree is for an output DIR"),
        "{}",
        refused.stderr
    );
}
