//! Tests sites that try to lead a crawl to private addresses, and to steal the secrets of another
//! host: by links, redirects, sitemaps, feeds, `robots.txt`, frames and host names. The program
//! runs without `--allow-private`, in a network in which all of these addresses answer.

use crate::crawl::page;
use crate::program::{Outcome, one_browser, vclean};
use crate::service_client::Service;
use crate::service_jobs::{ended, started};
use crate::two_networks::{Answer, Networks, OWN, Request, SECRET, rename, within};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;
use url::Url;

/// Hosts that are not public, in many notations; names below `.site.example` belong to the site.
const INSIDE: [&str; 31] = [
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "017700000001",
    "0.0.0.0",
    "127.8.9.1",
    "１２７.0.0.1",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "site.example@127.0.0.1",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "169.254.169.254",
    "0xa9fea9fe",
    "[::ffff:169.254.169.254]",
    "10.9.9.1",
    "192.168.7.7",
    "[fd00::7]",
    OWN[0],
    "[2606:4700::1]",
    "loop.site.example",
    "loop6.site.example",
    "inner.site.example",
    "own.site.example",
];
/// Addresses that are not web addresses, and texts that may be misread as other addresses.
const ODD: [&str; 13] = [
    "file:///etc/hostname",
    "FILE:/etc/hostname",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1/",
    "ws://127.0.0.1/",
    "data:text/html,<p>odd",
    "javascript:location='http://127.0.0.1/'",
    "blob:http://site.example/x",
    "about:blank",
    "view-source:http://127.0.0.1/",
    "chrome://version/",
    "\\\\127.0.0.1\\x",
    "///127.0.0.1/",
];
const STATUSES: [u16; 5] = [301, 302, 303, 307, 308];
const HTML: &str = "content-type: text/html; charset=utf-8";
/// Names of the site with a `robots.txt` that redirects, one for each host.
const ROBOTS_NAMES: [&str; 6] = ["r0", "r1", "r2", "r3", "r4", "r5"];
/// The hosts to which these names redirect.
const ROBOTS_TARGETS: [&str; 6] = [
    "127.0.0.1",
    "[::1]",
    "169.254.169.254",
    "10.9.9.1",
    OWN[0],
    "inner.site.example",
];

const NAMES: [(&str, &str); 14] = [
    ("www.site.example", "8.8.4.4"),
    ("sub.site.example", "8.8.4.5"),
    ("turn.site.example", "8.8.4.4"),
    ("loop.site.example", "127.0.0.1"),
    ("loop6.site.example", "::ffff:127.0.0.1"),
    ("inner.site.example", "10.9.9.1"),
    ("own.site.example", OWN[1]),
    ("six.site.example", "2606:4700::4"),
    ("r0.site.example", "8.8.4.4"),
    ("r1.site.example", "8.8.4.4"),
    ("r2.site.example", "8.8.4.4"),
    ("r3.site.example", "8.8.4.4"),
    ("r4.site.example", "8.8.4.4"),
    ("r5.site.example", "8.8.4.4"),
];

fn html(title: &str, rest: &str) -> Answer {
    let (status, _, mut body) = page(title, &[]);
    body.extend_from_slice(rest.as_bytes());
    (status, HTML.into(), body)
}

fn redirect(status: u16, to: &str) -> Answer {
    (status, format!("location: {to}"), Vec::new())
}

fn link(address: &str) -> String {
    format!("<a href=\"{address}\">to the pier</a> ")
}

fn target(number: &str) -> String {
    // A relative link on such a page has a path below it without a number.
    let number: usize = number.parse().unwrap_or(0);
    let odd = || ODD[number - INSIDE.len()].to_owned();
    INSIDE
        .get(number)
        .map_or_else(odd, |host| format!("http://{host}/secret"))
}

/// Returns the paths of the pages that are attempts, each with the number of its target: those that
/// cannot have a text, and those that can.
fn attempts() -> (Vec<String>, Vec<String>) {
    let targets = 0..INSIDE.len() + ODD.len();
    let redirects = targets
        .clone()
        .flat_map(|number| STATUSES.map(|status| format!("/redirect/{status}/{number}")));
    let chains = targets.clone().map(|number| format!("/chain/{number}"));
    let pages = targets
        .flat_map(|number| ["refresh", "header", "frames"].map(|way| format!("/{way}/{number}")));
    (redirects.chain(chains).collect(), pages.collect())
}

/// Makes a page with every element that can name another address.
fn frames(target: &str) -> String {
    format!(
        "<base href=\"{target}\"><link rel=canonical href=\"{target}\"><link rel=amphtml href=\"{target}\"><link rel=next href=\"{target}\">
         <link rel=stylesheet href=\"{target}\"><link rel=prefetch href=\"{target}\"><link rel=manifest href=\"{target}\">
         <meta property=og:url content=\"{target}\"><iframe src=\"{target}\"></iframe><object data=\"{target}\"></object>
         <img src=\"{target}\"><script src=\"{target}\"></script><a href=relative>a</a><a href=//127.0.0.1/x>b</a>
         <area href=\"{target}\"><form action=\"{target}\"><input name=q></form><a id=inward href=\"{target}\">c</a>"
    )
}

/// Makes the first page: attempts first, then pages that the crawl must still reach.
fn first_page() -> Answer {
    let (redirects, pages) = attempts();
    let mut all: String = redirects
        .iter()
        .chain(&pages)
        .map(|path| link(path))
        .collect();
    for host in INSIDE {
        all += &(link(&format!("http://{host}/secret")) + &link(&format!("//{host}/secret")));
        all += &link(&format!("https://{host}/secret"));
    }
    all.extend(ODD.iter().map(|odd| link(odd)));
    all.extend(
        ROBOTS_NAMES
            .iter()
            .map(|name| link(&format!("http://{name}.site.example/page"))),
    );
    all.extend(
        [
            "/good/one",
            "http://six.site.example/good/six",
            "http://turn.site.example/secret",
        ]
        .map(link),
    );
    for feed in [
        "/feed",
        "/moved-file/0",
        "/moved-file/19",
        "http://127.0.0.1/feed",
    ] {
        all += &[
            "<link rel=alternate type=application/rss+xml href=\"",
            feed,
            "\">",
        ]
        .concat();
    }
    html("harbor", &all)
}

fn site(Request { host, path }: &Request) -> Answer {
    let xml = || "content-type: application/xml".to_owned();
    let parts: Vec<&str> = path.split('/').collect();
    let robots_of = ROBOTS_NAMES
        .iter()
        .position(|name| host.strip_suffix(".site.example") == Some(name));
    match (robots_of, parts.as_slice()) {
        (Some(number), ["", "robots.txt"]) => redirect(
            302,
            &format!("http://{}/robots.txt", ROBOTS_TARGETS[number]),
        ),
        (_, ["", "robots.txt"]) if host == "turn.site.example" => {
            // From now on the name resolves to a private address.
            rename("turn.site.example", "127.0.0.1");
            (200, "content-type: text/plain".into(), Vec::new())
        }
        (_, ["", "robots.txt"]) => {
            let hosts = INSIDE.map(|host| format!("Sitemap: http://{host}/sitemap.xml\n"));
            let moved = INSIDE.iter().enumerate();
            let moved = moved
                .map(|(number, _)| format!("Sitemap: http://site.example/moved-file/{number}\n"));
            let odd = ODD.map(|odd| format!("Sitemap: {odd}\n"));
            let lines: String = hosts.into_iter().chain(moved).chain(odd).collect();
            (
                200,
                "content-type: text/plain".into(),
                (lines + "Sitemap: http://site.example/index.xml\n").into(),
            )
        }
        (_, ["", "index.xml"]) => {
            let entries = listed("set.xml", "set.xml", ["<sitemap><loc>", "</loc></sitemap>"]);
            (
                200,
                xml(),
                format!("<sitemapindex>{entries}</sitemapindex>").into(),
            )
        }
        (_, ["", "set.xml"]) => {
            let entries = listed(
                "announced",
                "good/announced",
                ["<url><loc>", "</loc></url>"],
            );
            (200, xml(), format!("<urlset>{entries}</urlset>").into())
        }
        (_, ["", "feed"]) => {
            let items = listed("fed", "good/fed", ["<item><link>", "</link></item>"]);
            (
                200,
                xml(),
                format!("<rss version='2.0'><channel><title>News</title>{items}</channel></rss>")
                    .into(),
            )
        }
        (_, ["", "moved-file" | "inward", number]) => redirect(302, &target(number)),
        (_, ["", "redirect", status, number]) => redirect(status.parse().unwrap(), &target(number)),
        // Public hosts first, a private one last.
        (_, ["", "chain", number]) => redirect(302, &format!("http://other.example/hop/{number}")),
        (_, ["", "hop", number]) => redirect(301, &format!("http://site.example/inward/{number}")),
        (_, ["", "refresh", number]) => html(
            "buoy",
            &format!(
                "<meta http-equiv=refresh content=\"0;url={}\">",
                target(number)
            ),
        ),
        (_, ["", "header", number]) => {
            let (status, headers, body) = html("anchor", "");
            let to = target(number);
            (
                status,
                format!("{headers}\r\nrefresh: 0;url={to}\r\nlink: <{to}>; rel=preload; as=style"),
                body,
            )
        }
        (_, ["", "frames", number]) => html(
            "mast",
            &(frames(&target(number)) + &link("http://site.example/good/framed")),
        ),
        (_, [""] | ["", ""]) => first_page(),
        (_, ["", "good", "one"]) => html("rudder", &link("/good/two")),
        _ => html("keel", ""),
    }
}

/// Makes XML that lists all addresses outside of the site, and then one of the site.
fn listed(inside: &str, own: &str, [before, after]: [&str; 2]) -> String {
    let all = INSIDE
        .map(|host| format!("http://{host}/{inside}"))
        .into_iter()
        .chain(ODD.map(str::to_owned));
    let all = all.chain([format!("http://site.example/{own}")]);
    all.fold(String::new(), |lines, address| {
        lines + before + &address.replace('<', "&lt;") + after
    })
}

/// Pages that a crawl must reach in spite of all attempts.
const GOOD: [&str; 7] = [
    "http://site.example/",
    "http://site.example/good/announced",
    "http://site.example/good/fed",
    "http://site.example/good/framed",
    "http://site.example/good/one",
    "http://site.example/good/two",
    "http://six.site.example/good/six",
];

/// Asserts that each of the hosts would answer.
fn assert_that_all_answer(networks: &Networks) {
    for host in INSIDE {
        let url = Url::parse(&format!("http://{host}/")).unwrap();
        let name = url.host_str().unwrap().trim_matches(['[', ']', '.']);
        let address = (name, 80).to_socket_addrs().unwrap().next().unwrap();
        assert!(
            TcpStream::connect_timeout(&address, Duration::from_secs(5)).is_ok(),
            "{host}: {address}"
        );
    }
    assert!(networks.take_trapped().len() >= INSIDE.len());
}

fn lines(out: &Path) -> Vec<Value> {
    std::fs::read_to_string(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn crawl(folder: &Path, engine: &str, more: &[&str]) -> (Outcome, Vec<Value>) {
    let out = folder.join(format!("{engine}.jsonl"));
    let fixed = [
        "crawl",
        "http://site.example/",
        "--delay",
        "0",
        "--per-host",
        "4",
        "--jobs",
        "4",
        "--subdomains",
    ];
    let own = [
        "--engine",
        engine,
        "--overwrite",
        "--out",
        out.to_str().unwrap(),
    ];
    (vclean(fixed.iter().chain(&own).chain(more)), lines(&out))
}

/// Asserts that all attempts failed or were skipped, and that the other pages were cleaned.
fn assert_safe(
    networks: &Networks,
    outcome: &Outcome,
    pages: &[Value],
    is_asked: impl Fn(&str) -> bool,
) {
    assert_eq!(
        networks.take_trapped(),
        Vec::<String>::new(),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let found: BTreeSet<&str> = pages
        .iter()
        .map(|page| page["url"].as_str().unwrap())
        .collect();
    for good in GOOD {
        assert!(
            found.contains(good),
            "{good} in {found:?}: {}",
            outcome.stderr
        );
    }
    let all = pages.iter().map(Value::to_string).collect::<String>();
    assert!(!all.contains(SECRET), "{all}");
    for path in attempts().0.into_iter().filter(|path| is_asked(path)) {
        let address = format!("http://site.example{path}");
        assert!(!found.contains(address.as_str()), "{address}");
        let number: usize = path.rsplit('/').next().unwrap().parse().unwrap();
        // A name that ends with a dot may be unknown.
        let is_refused = INSIDE.get(number).is_some_and(|host| !host.ends_with('.'));
        outcome.assert_fails(
            &address,
            if is_refused {
                &["--allow-private"]
            } else {
                &[]
            },
        );
    }
}

#[test]
fn no_site_leads_a_crawl_to_an_address_that_is_not_public() {
    let name = "crawl_attacks::no_site_leads_a_crawl_to_an_address_that_is_not_public";
    within(name, &NAMES, site, |networks| {
        assert_that_all_answer(networks);
        let folder = tempfile::tempdir().unwrap();
        let (outcome, pages) = crawl(folder.path(), "builtin", &[]);
        assert_safe(networks, &outcome, &pages, |_| true);
        for name in ROBOTS_NAMES {
            outcome.assert_fails(
                &format!("http://{name}.site.example/page"),
                &["--allow-private"],
            );
        }
        outcome.assert_fails("http://turn.site.example/secret", &["--allow-private"]);
        let heads = networks.take_heads();
        for path in [
            "/index.xml",
            "/set.xml",
            "/feed",
            "/moved-file/30",
            "/hop/30",
            "/inward/30",
        ] {
            assert!(
                heads
                    .iter()
                    .any(|head| head.starts_with(&format!("get {path} "))),
                "{path} is no attempt"
            );
        }
    });
}

/// True if a browser can be started: unless this is root, it would need a second user in these
/// networks.
fn has_browser() -> bool {
    rustix::process::geteuid().is_root()
        && std::fs::read_to_string("/proc/self/uid_map")
            .unwrap()
            .contains("4294967295")
}

#[test]
fn no_site_leads_a_browser_to_an_address_that_is_not_public() {
    if !has_browser() {
        return;
    }
    let _alone = one_browser();
    let name = "crawl_attacks::no_site_leads_a_browser_to_an_address_that_is_not_public";
    within(name, &NAMES, site, |networks| {
        assert_that_all_answer(networks);
        let folder = tempfile::tempdir().unwrap();
        let (outcome, pages) = crawl(
            folder.path(),
            "chromium",
            &["--exclude", "^/redirect/30[1378]/"],
        );
        assert_safe(networks, &outcome, &pages, |path| {
            path.contains("/302/") || path.contains("chain")
        });
        // A click on a link to a private address.
        networks.take_heads();
        let click = r##"[{"type": "click", "selector": "#inward"}]"##;
        let pages = (0..INSIDE.len() + ODD.len())
            .map(|number| format!("http://site.example/frames/{number}"));
        let fixed = [
            "render-and-clean",
            "--engine",
            "chromium",
            "--delay",
            "0",
            "--per-host",
            "4",
            "--actions",
            click,
        ];
        let outcome = vclean(fixed.into_iter().map(str::to_owned).chain(pages));
        assert_eq!(
            networks.take_trapped(),
            Vec::<String>::new(),
            "{}",
            outcome.stderr
        );
        assert!(!outcome.stdout.contains(SECRET), "{}", outcome.stdout);
        let heads = networks.take_heads();
        let loaded = heads
            .iter()
            .filter(|head| head.starts_with("get /frames/"))
            .count();
        assert!(
            loaded >= INSIDE.len() + ODD.len() && outcome.stderr.contains("--allow-private"),
            "{loaded} {}",
            outcome.stderr
        );
    });
}

#[test]
fn no_site_leads_a_job_of_the_service_to_an_address_that_is_not_public() {
    let name = "crawl_attacks::no_site_leads_a_job_of_the_service_to_an_address_that_is_not_public";
    within(name, &NAMES, site, |networks| {
        assert_that_all_answer(networks);
        let service = Service::start(&[
            "--engine",
            "none",
            "--delay",
            "0",
            "--per-host",
            "4",
            "--jobs",
            "4",
        ]);
        let start = json!({ "url": "http://site.example/", "allowSubdomains": true, "crawlEntireDomain": true });
        let crawl = format!("/v2/crawl/{}", started(&service.post("/v2/crawl", &start)));
        let found = ended(&service, &crawl);
        assert_eq!(found["status"], "completed", "{found}");
        assert_eq!(networks.take_trapped(), Vec::<String>::new());
        let data = found["data"].to_string();
        let failed = service.get(&format!("{crawl}/errors")).json()["errors"]
            .as_array()
            .unwrap()
            .clone();
        let cause = |address: &str| {
            failed
                .iter()
                .find(|error| error["url"] == address)
                .map(|error| error["error"].to_string())
        };
        for good in GOOD {
            assert!(data.contains(&format!("\"{good}\"")), "{good} in {found}");
        }
        for path in attempts().0 {
            let address = format!("http://site.example{path}");
            assert!(
                cause(&address).is_some_and(|cause| cause.len() > 10),
                "{address} in {failed:?}"
            );
        }
        let map = service
            .post(
                "/v2/map",
                &json!({ "url": "http://site.example/", "limit": 5000 }),
            )
            .json();
        assert!(
            map["links"].to_string().contains("/good/announced")
                && map["links"].to_string().contains("/good/fed"),
            "{map}"
        );
        let inside = INSIDE
            .map(|host| format!("http://{host}/secret"))
            .into_iter();
        let moved =
            (0..INSIDE.len()).map(|number| format!("http://site.example/redirect/302/{number}"));
        let urls: Vec<String> = inside
            .chain(moved)
            .chain(["http://site.example/good/one".to_owned()])
            .collect();
        let list = format!(
            "/v2/batch/scrape/{}",
            started(&service.post("/v2/batch/scrape", &json!({ "urls": urls })))
        );
        let found = ended(&service, &list);
        assert_eq!(
            (&found["status"], &found["completed"]),
            (&json!("completed"), &json!(1)),
            "{found}"
        );
        let failed = service.get(&format!("{list}/errors")).json();
        assert_eq!(
            failed["errors"].as_array().unwrap().len(),
            urls.len() - 1,
            "{failed}"
        );
        assert_eq!(networks.take_trapped(), Vec::<String>::new());
        assert!(!(data + &map.to_string() + &found.to_string()).contains(SECRET));
    });
}

/// A site that tries to steal the secrets that were given for its first host.
fn thief(Request { host, path }: &Request) -> Answer {
    let others = [
        "http://other.example",
        "http://sub.site.example",
        "http://www.site.example",
    ];
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["", "robots.txt"] => {
            let lines = others
                .map(|other| format!("Sitemap: {other}/map.xml\n"))
                .concat();
            (
                200,
                "content-type: text/plain".into(),
                (lines + "Sitemap: http://site.example/map.xml\n").into(),
            )
        }
        ["", "map.xml"] => {
            let entry = |other: &str| format!("<url><loc>{other}/announced-by-{host}</loc></url>");
            let entries: String = others
                .iter()
                .chain(&["http://site.example"])
                .map(|other| entry(other))
                .collect();
            (
                200,
                "content-type: application/xml".into(),
                format!("<urlset>{entries}</urlset>").into(),
            )
        }
        ["", "away", number] => redirect(
            302,
            &format!("{}/arrived", others[number.parse::<usize>().unwrap()]),
        ),
        ["", "far", number] => redirect(307, &format!("http://other.example/away/{number}")),
        ["", "turn", number] => html(
            "tide",
            &format!(
                "<meta http-equiv=refresh content=\"0;url=http://site.example/away/{number}\">"
            ),
        ),
        ["", ""] if host == "site.example" => {
            let ways = ["away", "far", "turn"];
            let own = ways.iter().flat_map(|way| {
                (0..others.len())
                    .map(move |number| link(&format!("http://site.example/{way}/{number}")))
            });
            let links = others.iter().flat_map(|other| {
                [
                    link(&format!("{other}/linked")),
                    frames(&format!("{other}/framed")),
                ]
            });
            html(
                "wharf",
                &own.chain(links)
                    .chain([link("http://site.example/own")])
                    .collect::<String>(),
            )
        }
        _ => html("gull", &frames("http://other.example/framed")),
    }
}

/// Asserts that only one host received the secrets, and that requests went to others too.
fn assert_kept(networks: &Networks, own_pages: usize) {
    let heads = networks.take_heads();
    let host = |head: &str| {
        head.split('|')
            .find_map(|line| line.strip_prefix("host: "))
            .unwrap_or_default()
            .to_owned()
    };
    let (told, others): (Vec<String>, Vec<String>) =
        heads.into_iter().partition(|head| head.contains("hunter"));
    assert!(
        told.iter().all(|head| host(head) == "site.example"),
        "{told:?}"
    );
    assert!(
        told.iter()
            .all(|head| head.contains("hunter-header") && head.contains("hunter-cookie")),
        "{told:?}"
    );
    assert!(told.len() >= own_pages, "{told:?}");
    for other in ["other.example", "sub.site.example", "www.site.example"] {
        for path in ["/arrived", "/map.xml"] {
            let is_asked = others
                .iter()
                .any(|head| host(head) == other && head.starts_with(&format!("get {path} ")));
            assert!(is_asked, "{other}{path} in {others:?}");
        }
    }
    for path in ["/linked", "/announced-by-other.example"] {
        let asked = others.iter().filter(|head| {
            host(head) != "site.example" && head.starts_with(&format!("get {path} "))
        });
        assert!(asked.count() >= 1, "{path} in {others:?}");
    }
}

#[test]
fn what_is_given_for_the_host_of_a_crawl_reaches_no_other_host() {
    let name = "crawl_attacks::what_is_given_for_the_host_of_a_crawl_reaches_no_other_host";
    let _alone = one_browser();
    within(name, &NAMES, thief, |networks| {
        let folder = tempfile::tempdir().unwrap();
        let secrets = [
            "--header",
            "Authorization: hunter-header",
            "--cookie",
            "sid=hunter-cookie",
        ];
        for engine in ["builtin", "chromium"]
            .into_iter()
            .filter(|engine| *engine == "builtin" || has_browser())
        {
            let (outcome, pages) = crawl(folder.path(), engine, &secrets);
            assert!(
                !pages.is_empty() && !outcome.stderr.contains("hunter"),
                "{engine}: {}",
                outcome.stderr
            );
            assert_kept(networks, 10);
        }
        let service = Service::start(&["--engine", "none", "--delay", "0"]);
        let headers = json!({ "Authorization": "hunter-header", "Cookie": "sid=hunter-cookie" });
        let request = json!({ "url": "http://site.example/", "allowSubdomains": true, "scrapeOptions": { "headers": headers } });
        let found = ended(
            &service,
            &format!(
                "/v2/crawl/{}",
                started(&service.post("/v2/crawl", &request))
            ),
        );
        assert_eq!(found["status"], "completed", "{found}");
        assert_kept(networks, 10);
        assert!(!service.log().contains("hunter"));
    });
}
