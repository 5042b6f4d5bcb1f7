//! Rendering tests with the real browser, against a small local server.

use super::find_browser;
use crate::{EngineChoice, LoadOptions, PageOptions, RenderOptions, Renderer, TimeLimit};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use vclean_core::capture::{Capture, NodeId, NodeMask};
use vclean_core::error::{RenderError, Warning, WarningKind};
use vclean_core::page::{Body, Page, PageFiles};

/// Starts a server that chooses its responses by path; returns its port.
fn server() -> u16 {
    static PORT: OnceLock<u16> = OnceLock::new();
    *PORT.get_or_init(|| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                std::thread::spawn(move || drop(answer(&client)));
            }
        });
        port
    })
}

const POLISH: &str = "<p>Zażółć gęślą jaźń, mówią mewy</p><iframe srcdoc='<p>łódź'></iframe>";

fn answer(mut client: &TcpStream) -> std::io::Result<()> {
    let mut line = String::new();
    let mut reader = BufReader::new(client);
    reader.read_line(&mut line)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let path = line.split(' ').nth(1).unwrap_or_default();
    let typed = |kind: &str, body: &str| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n{body}")
    };
    let page = |body: &str| typed("text/html; charset=utf-8", body);
    let moved =
        |to: &str| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nConnection: close\r\n\r\n");
    let text = match path {
        "/plain" => page("<!doctype html><p>plain page"),
        "/waits" => page(
            "<!doctype html><html class=wait><style>.wait { opacity: 0 !important }</style><p>words that wait</p>\
             <script>setTimeout(() => document.documentElement.className = '', 60000)</script>",
        ),
        "/lost" => page("<p>here</p><script>location.protocol = 'https:'</script>"),
        "/undeclared" => typed("text/html", POLISH),
        "/latin" => typed("text/html; charset=iso-8859-1", POLISH),
        "/cyrillic" => {
            client.write_all(typed("text/html; charset=utf-8", "<p>").as_bytes())?;
            return client.write_all(b"\xc7\xe4\xf0\xe0\xe2\xf1\xf2\xe2\xf3\xe9\xf2\xe5, \xfd\xf2\xee \xf1\xf2\xe0\xf2\xfc\xff \xee \xf7\xe0\xe9\xea\xe0\xf5");
        }
        "/stray" => {
            client.write_all(typed("text/html; charset=utf-8", "<p>The caf\u{e9} is run by Jos").as_bytes())?;
            return client.write_all(b"\xe9.");
        }
        "/short-form" => page(
            "<html><head><script src='none.js'/><script src='none.js'></script><title/></head><body><p>swallowed</body></html>",
        ),
        "/redirect-loop" => moved("/redirect-loop"),
        "/redirect-file" => moved("file:///etc/passwd"),
        "/redirect-nowhere" => "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "/nothing" => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        "/stored" => typed("text/html\r\nContent-Disposition: attachment", "<p>stored"),
        "/damaged" => typed("text/html\r\nContent-Encoding: gzip", "no gzip at all"),
        "/file-frame" => page("<p>outer</p><iframe src='file:///etc/passwd'></iframe><img src='file:///etc/passwd'>"),
        "/paper.pdf" => typed("application/pdf", "%PDF-1.4 nothing"),
        "/archive.zip" => typed("application/zip", "PK"),
        "/picture.png" => typed("image/png", "not even one"),
        "/slow-picture" => page("<p>text before</p><img src='/never'>"),
        "/never" => {
            std::thread::sleep(Duration::from_secs(30));
            String::new()
        }
        "/alerts" => page("<p>alerting</p><script>while (true) alert('again')</script>"),
        "/busy" => page("<p>busy page</p><script>while (true) {}</script>"),
        path if path.starts_with("/navigates") => {
            page("<p>step</p><script>location = '/navigates?' + Math.random()</script>")
        }
        "/application" => page(
            "<div id=root></div><script>setTimeout(() => fetch('/data').then(r => r.text()).then(t => root.textContent = t), 100)</script>",
        ),
        "/data" => page("fetched text"),
        "/noscript" => page(
            "<!doctype html><body><noscript><p>switch your scripts on</p></noscript><p>after it</p><iframe src=/framed></iframe>",
        ),
        "/framed" => page("<!doctype html><body><noscript><p>switched off</p></noscript><p>in a frame</p>"),
        "/endless" => page(
            "<div id=list><p>first</p></div><script>addEventListener('scroll', () => { for (let i = 0; i < 50; i++) list.insertAdjacentHTML('beforeend', '<p>more') })</script>",
        ),
        "/form" => page(
            "<p id=p>nothing</p><button id=b onclick=\"p.textContent = 'clicked '\">B</button><form action=/found><input name=q></form>\
             <div style='height:9000px'></div><p id=end>end</p><script>addEventListener('keydown', e => document.title += e.key);\
             addEventListener('scroll', () => b.dataset.y = scrollY)</script>\
             <a id=file href=file:///etc/passwd>file</a><i class=m onclick=\"this.textContent='+'\">m</i>\
             <i class=m onclick=\"this.textContent='+'\">m</i><a id=pdf href=/paper.pdf>pdf</a><b id=none hidden>none</b>",
        ),
        path if path.starts_with("/leads-to-") => {
            let port = path.trim_start_matches("/leads-to-");
            page(&format!("<p>leads</p><a id=own href=http://127.0.0.1:{port}/>own</a>"))
        }
        path if path.starts_with("/found") => page(&format!("<p>found {path}</p>")),
        "/late" => page(
            "<p>early</p><script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p id=la' + 'te>la' + 'te   words</p>'), 1200)</script>",
        ),
        "/late-data" => {
            std::thread::sleep(Duration::from_millis(900));
            typed("text/plain", "data that came late")
        }
        "/asks-late" => page(
            "<p id=p>early</p><script>fetch('/late-data').then(r => r.text()).then(t => setTimeout(() => p.textContent = t, 100))</script>",
        ),
        "/moves-late" => page("<p>early</p><script>setTimeout(() => location = '/late', 600)</script>"),
        "/window" => page("<p>opener</p><script>window.open('/plain'); print();</script>"),
        "/cookie" => page(
            "<p id=p></p><script>p.textContent = 'seen ' + (localStorage.n || '') + document.cookie; localStorage.n = 1; document.cookie = 'c=1'</script>",
        ),
        _ => "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>not here".into(),
    };
    client.write_all(text.as_bytes())
}

pub(super) fn options() -> RenderOptions {
    RenderOptions {
        engine: Some(EngineChoice::Chromium),
        allow_private: true,
        limit: TimeLimit::from_ms(20_000),
        settle_ms: 1_000,
        tabs: 2,
        ..RenderOptions::default()
    }
}

/// Returns one browser for all tests without special options. A static is never dropped: the
/// watchdog ends this browser when the test process ends.
pub(super) fn shared() -> &'static Renderer {
    static RENDERER: OnceLock<Renderer> = OnceLock::new();
    RENDERER.get_or_init(|| Renderer::launch(options()).unwrap())
}

fn render(renderer: &Renderer, page: &Page) -> Result<Capture, RenderError> {
    renderer
        .render(page, &PageOptions::default())
        .map(|rendered| rendered.capture)
}

fn at(path: &str) -> Page {
    let address = format!("http://127.0.0.1:{}{path}", server());
    Page::from_url(address)
}

fn saved(html: &str) -> Page {
    Page::new("page.html", Body::html(html))
}

fn error(path: &str) -> String {
    render(shared(), &at(path)).unwrap_err().to_string()
}

fn text(capture: &Capture) -> String {
    capture
        .dom
        .ids()
        .filter_map(|id| capture.dom.text(id))
        .collect()
}

fn node(capture: &Capture, text: &str) -> NodeId {
    let found = capture
        .dom
        .ids()
        .find(|&id| capture.dom.text(id).is_some_and(|data| data.contains(text)));
    found.unwrap_or_else(|| panic!("no text node holds {text}"))
}

fn mask(capture: &Capture) -> NodeMask {
    NodeMask::decode(&capture.pictures.as_ref().unwrap().mask).unwrap()
}

fn owned(capture: &Capture, mask: &NodeMask, text: &str) -> usize {
    let number = node(capture, text).index() as u32;
    mask.owners()
        .iter()
        .filter(|&&owner| owner == number)
        .count()
}

/// Computes the share of the area of a node's line boxes that it owns in the mask.
fn share(capture: &Capture, mask: &NodeMask, text: &str) -> f32 {
    let layout = capture.layout.as_ref().unwrap();
    let area: f32 = layout
        .lines(node(capture, text))
        .iter()
        .map(|line| line.rect.area())
        .sum();
    owned(capture, mask, text) as f32 / area
}

const DRAWN: &str = r#"<!doctype html><style>
    body { margin: 8px } .cover { position: absolute; left: 0; top: 300px; width: 400px; height: 60px; background: #fee }
    .flex { display: flex } .clip { height: 18px; overflow: hidden } :first-child { margin-left: 2px }
    .turn { transform: rotate(20deg) } .half { transform: translate(0.5px, 0.5px) } .ghost { opacity: 0 }
    .round { border-radius: 9px; background: #ccc; border: 3px dotted red } h1::first-letter { color: red }
    .important { color: red !important; background: blue !important } ::marker { color: green }
</style>
<h1>Heading with initial</h1>
<div class=flex>flexed text <b>bold part</b> tail</div>
<p class=round>A paragraph that is long enough to be broken into more than one line of the page when the viewport has the
usual width of one thousand two hundred and eighty pixels, which it has here as everywhere else in these tests.</p>
<p style="position:absolute;top:310px">covered text</p><div class=cover></div>
<div style="margin-top:280px" class=clip>seen line<br>clipped line</div>
<p class=turn>turned text</p><p class=half>half a pixel</p><p class=ghost>ghost text</p>
<p class=important style="color: lime !important; background: black !important">important text</p>
<p>one<br>two<br>three<br>four<br>fifth line<br>six</p><ul><li>item text</ul><p style="display:none">hidden text</p><p style="visibility:hidden">invisible text</p>
<iframe style="border:5px solid;padding:3px" srcdoc="<body style='margin:10px'>framed text"></iframe>
<div><template shadowrootmode=closed><i>shadow text <slot></slot></i></template>slotted text</div>
<div><template shadowrootmode=open><b>open shadow</b></template></div>
<svg width=50 height=20><rect width=50 height=20 fill=red></svg><input value="typed text"><button>button text</button>
<p dir=rtl>نص عربي</p><p>中文文字</p><p>emoji 😀 here</p>"#;

#[test]
fn a_page_that_waits_for_another_script_is_shown() {
    let capture = render(shared(), &at("/waits")).unwrap();
    assert!(share(&capture, &mask(&capture), "words that wait") > 0.9);
    let warnings = &capture.record.warnings;
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("opacity though its scripts have run")),
        "{warnings:?}"
    );
}

#[test]
fn a_page_that_the_browser_misreads_is_read_by_its_bytes() {
    let polish = |capture: &Capture| text(capture).contains("Zażółć gęślą jaźń, mówią mewy");
    for path in ["/undeclared", "/latin"] {
        let capture = render(shared(), &at(path)).unwrap();
        assert!(
            polish(&capture) && text(&capture).contains("łódź"),
            "{path}: {}",
            text(&capture)
        );
        assert!(
            capture.record.warnings.is_empty(),
            "{path}: {:?}",
            capture.record.warnings
        );
    }
    let cyrillic = render(shared(), &at("/cyrillic")).unwrap();
    assert!(
        text(&cyrillic).contains("Здравствуйте, это статья о чайках"),
        "{}",
        text(&cyrillic)
    );
    let stray = render(shared(), &at("/stray")).unwrap();
    assert!(
        text(&stray).contains("The caf\u{e9} is run by Jos\u{e9}."),
        "{}",
        text(&stray)
    );
    let short = render(shared(), &at("/short-form")).unwrap();
    assert!(
        text(&short).contains("swallowed") && !text(&short).contains('<'),
        "{}",
        text(&short)
    );
    // Also while other requests are paused for the caller's headers, when the page is loaded a
    // second time.
    assert!(polish(
        &render_loaded("/latin", r#"{"headers": {"X-Own": "1"}}"#, 20_000).unwrap()
    ));
    assert!(text(&render(shared(), &at("/plain")).unwrap()).contains("plain page"));
}

#[test]
fn actions_are_done_before_the_page_is_taken() {
    let does = |path: &str, actions: &str| {
        render_loaded(path, &format!("{{\"actions\": {actions}}}"), 20_000)
    };
    let capture = does(
        "/form",
        r##"[{"type": "click", "selector": "#b"}, {"type": "click", "selector": ".m", "all": true}, {"type": "press", "key": "Q"},
            {"type": "scroll"}, {"type": "wait", "selector": "button[data-y]"}]"##,
    )
    .unwrap();
    let found = text(&capture);
    // One of the signs is in the page's script.
    assert!(
        found.contains("clicked") && found.contains('Q') && found.matches('+').count() == 3,
        "{found}"
    );
    let is_awaited = |warning: &Warning| warning.kind != WarningKind::NotAwaited;
    assert!(
        capture.record.warnings.iter().all(is_awaited),
        "the page was scrolled: {:?}",
        capture.record.warnings
    );
    // The form opens another document, in which the later actions are performed.
    let sent = r#"[{"type": "write", "selector": "input", "text": "gulls"}, {"type": "press", "key": "ENTER"},
                    {"type": "wait", "selector": "p"}]"#;
    let capture = does("/form", sent).unwrap();
    assert!(
        text(&capture).contains("found /found?q=gulls"),
        "{}",
        text(&capture)
    );
    assert!(
        capture
            .record
            .final_url
            .as_deref()
            .is_some_and(|url| url.ends_with("/found?q=gulls"))
    );
    // An element may appear late.
    let late = does("/late", r##"[{"type": "click", "selector": "#late"}]"##).unwrap();
    assert!(text(&late).contains("late   words"));
}

#[test]
fn what_only_browsers_without_scripts_show_moves_nothing_in_the_mask() {
    let capture = render(shared(), &at("/noscript")).unwrap();
    let mask = mask(&capture);
    let layout = capture.layout.as_ref().unwrap();
    for text in ["after it", "in a frame"] {
        let number = node(&capture, text).index() as u32;
        let first = mask
            .owners()
            .iter()
            .position(|&owner| owner == number)
            .unwrap();
        let top = layout.lines(node(&capture, text))[0].rect.y;
        assert!(
            ((first / mask.width() as usize) as f32 - top).abs() <= 2.0,
            "{text} is at {first} instead of {top} px"
        );
    }
    let without = render(
        shared(),
        &saved("<body><noscript><p>switched off</p></noscript><p>after it</p>"),
    )
    .unwrap();
    assert_eq!(
        without
            .layout
            .as_ref()
            .unwrap()
            .lines(node(&without, "switched off"))
            .len(),
        1
    );
}

#[test]
fn an_action_that_cannot_be_done_is_an_error_with_its_number() {
    let error = |actions: &str, timeout_ms: u64| {
        render_loaded("/form", &format!("{{\"actions\": {actions}}}"), timeout_ms)
            .unwrap_err()
            .to_string()
    };
    let missing = error(
        r##"[{"type": "scroll"}, {"type": "click", "selector": "#nowhere"}]"##,
        2_000,
    );
    assert!(
        missing.contains("number 2 of `actions` (click)") && missing.contains("#nowhere"),
        "{missing}"
    );
    let hidden = error(r##"[{"type": "click", "selector": "#none"}]"##, 9_000);
    assert!(hidden.contains("is not shown"), "{hidden}");
    assert!(
        error(r#"[{"type": "click", "selector": "p["}]"#, 9_000).contains("is no CSS selector")
    );
    assert!(
        error(r##"[{"type": "click", "selector": "#pdf"}]"##, 9_000).contains("application/pdf")
    );
    // The time of actions is limited too.
    let waits = r##"{"actions": [{"type": "wait", "milliseconds": 60000}, {"type": "click", "selector": "#b"}]}"##;
    let capture = render_loaded("/form", waits, 2_000).unwrap();
    let warnings = &capture.record.warnings;
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("number 1 of `actions` (wait)")),
        "{warnings:?}"
    );
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("from number 2 on were not done")),
        "{warnings:?}"
    );
}

#[test]
fn the_policy_of_addresses_holds_after_each_action() {
    // A forbidden port, as any private address where these are not allowed.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let own = listener.local_addr().unwrap().port();
    let renderer = Renderer::launch(RenderOptions {
        tabs: 1,
        ..options()
    })
    .unwrap();
    renderer.protect(own);
    let does = |page: &Page, action: &str| {
        let options = PageOptions {
            load: Some(load(action)),
            timeout_ms: Some(9_000),
            ..PageOptions::default()
        };
        renderer
            .render(page, &options)
            .map(|rendered| rendered.capture)
    };
    let click =
        |id: &str| format!("{{\"actions\": [{{\"type\": \"click\", \"selector\": \"{id}\"}}]}}");
    let error = does(&at(&format!("/leads-to-{own}")), &click("#own")).unwrap_err();
    assert!(matches!(error, RenderError::Forbidden(_)), "{error}");
    assert!(listener.accept().is_err(), "it was not even connected to");
    let file = does(&at("/form"), &click("#file")).unwrap();
    assert!(
        text(&file).contains("nothing") && !text(&file).contains("root:"),
        "files are not opened"
    );
    // A saved page cannot be left.
    let html = format!(
        "<p>saved</p><a id=a href='http://127.0.0.1:{}/plain'>a</a>",
        server()
    );
    let capture = does(&saved(&html), &click("#a")).unwrap();
    assert!(text(&capture).contains("saved"), "{}", text(&capture));
}

/// Lists the sockets of the processes of a group, by their numbers in the system.
fn sockets(group: u32) -> BTreeSet<String> {
    let processes = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let is_of_group = |path: &PathBuf| {
        let stat = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
        // The program's name, in parentheses, may contain spaces.
        stat.rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(2)?.parse().ok())
            == Some(group)
    };
    let files = processes
        .filter(is_of_group)
        .filter_map(|path| std::fs::read_dir(path.join("fd")).ok())
        .flatten();
    let links = files
        .flatten()
        .filter_map(|file| std::fs::read_link(file.path()).ok());
    links
        .filter_map(|link| {
            Some(
                link.to_str()?
                    .strip_prefix("socket:[")?
                    .trim_end_matches(']')
                    .to_owned(),
            )
        })
        .collect()
}

#[test]
fn a_browser_opens_no_port() {
    let renderer = Renderer::launch(RenderOptions {
        tabs: 1,
        ..options()
    })
    .unwrap();
    assert!(text(&render(&renderer, &at("/plain")).unwrap()).contains("plain page"));
    let own = sockets(renderer.chromium.get().unwrap().group().unwrap());
    assert!(!own.is_empty(), "its connection to us is a socket too");
    let listening: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .flat_map(|table| {
            std::fs::read_to_string(table)
                .unwrap_or_default()
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .map(|line| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .filter(|columns| columns.get(3).is_some_and(|state| state == "0A"))
        .filter_map(|columns| columns.get(9).cloned())
        .collect();
    assert!(!listening.is_empty(), "the server of this test listens");
    let open: Vec<&String> = listening
        .iter()
        .filter(|socket| own.contains(*socket))
        .collect();
    assert!(open.is_empty(), "{open:?}");
}

fn load(json: &str) -> LoadOptions {
    serde_json::from_str(json).unwrap()
}

/// Renders with options of loading and a time limit in ms.
fn render_loaded(path: &str, options: &str, timeout_ms: u64) -> Result<Capture, RenderError> {
    let options = PageOptions {
        load: Some(load(options)),
        timeout_ms: Some(timeout_ms),
        ..PageOptions::default()
    };
    shared()
        .render(&at(path), &options)
        .map(|rendered| rendered.capture)
}

#[test]
fn a_page_is_taken_once_it_has_what_is_waited_for() {
    assert!(
        !text(&render(shared(), &at("/late")).unwrap()).contains("late   words"),
        "it is not waited for by itself"
    );
    for (path, condition, expected) in [
        ("/late", "selector:p#late", "late   words"),
        ("/late", "text:late words", "late   words"),
        ("/late", "time:1600ms", "late   words"),
        ("/asks-late", "idle", "data that came late"),
        ("/moves-late", "selector:#late", "late   words"),
    ] {
        let capture = render_loaded(
            path,
            &format!("{{\"wait_for\": [\"{condition}\"]}}"),
            15_000,
        )
        .unwrap();
        assert!(
            text(&capture).contains(expected),
            "{path} {condition}: {}",
            text(&capture)
        );
        let warnings = &capture.record.warnings;
        assert!(
            warnings
                .iter()
                .all(|warning| warning.kind != WarningKind::NotAwaited),
            "{warnings:?}"
        );
    }
}

#[test]
fn what_does_not_come_in_time_is_a_warning_and_a_selector_that_is_none_an_error() {
    let started = Instant::now();
    let options = r#"{"wait_for": ["selector:#never", "text:never", "time:60s"]}"#;
    let capture = render_loaded("/late", options, 2_500).unwrap();
    assert!(
        started.elapsed() < Duration::from_secs(9),
        "{:?}",
        started.elapsed()
    );
    assert!(
        text(&capture).contains("late   words"),
        "it is taken as it was then"
    );
    let named: Vec<&str> = capture
        .record
        .warnings
        .iter()
        .map(|warning| warning.text.as_str())
        .collect();
    for name in ["selector:#never", "text:never", "time:60000ms"] {
        assert!(
            named
                .iter()
                .any(|text| text.contains(name) && text.contains("2500 ms")),
            "{name}: {named:?}"
        );
    }
    let error = render_loaded("/plain", r#"{"wait_for": "selector:p["}"#, 10_000)
        .unwrap_err()
        .to_string();
    assert!(error.contains("p[ is no CSS selector"), "{error}");
    let options = PageOptions {
        engine: Some(EngineChoice::Builtin),
        load: Some(load(r#"{"wait_for": "idle"}"#)),
        ..PageOptions::default()
    };
    let error = shared()
        .render(&at("/plain"), &options)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`wait_for` is for Chromium, and `engine` is builtin"),
        "{error}"
    );
}

#[test]
fn the_mask_has_the_owner_of_every_text_pixel() {
    let capture = render(shared(), &saved(DRAWN)).unwrap();
    let mask = mask(&capture);
    let layout = capture.layout.as_ref().unwrap();
    for seen in [
        "Heading with",
        "flexed text",
        "bold part",
        "A paragraph that",
        "seen line",
        "important text",
        "item text",
        "framed text",
        "shadow text",
        "slotted text",
        "open shadow",
        "button text",
        "عربي",
        "中文",
        "emoji",
        "half a pixel",
        "fifth line",
    ] {
        let share = share(&capture, &mask, seen);
        assert!((0.85..1.15).contains(&share), "{seen}: {share}");
    }
    for hidden in [
        "covered text",
        "clipped line",
        "ghost text",
        "hidden text",
        "invisible text",
        "turned text",
    ] {
        assert_eq!(owned(&capture, &mask, hidden), 0, "{hidden}");
    }
    for (place, &owner) in mask.owners().iter().enumerate() {
        if owner == NodeMask::NOBODY {
            continue;
        }
        let (x, y) = (place as u32 % mask.width(), place as u32 / mask.width());
        assert!(
            (owner as usize) < capture.dom.len(),
            "unknown color {owner:06x} at {x}, {y}"
        );
        let owner = NodeId::new(owner as usize);
        let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
        let near = layout.lines(owner).iter().any(|line| {
            let rect = line.rect;
            x > rect.x - 2.0
                && x < rect.right() + 2.0
                && y > rect.y - 2.0
                && y < rect.bottom() + 2.0
        });
        assert!(
            near,
            "{x}, {y} is outside the lines of its owner {:?}",
            capture.dom.text(owner)
        );
    }
    let shot = capture
        .pictures
        .as_ref()
        .unwrap()
        .screenshot
        .decode_rgb()
        .unwrap();
    assert_eq!(shot.dimensions(), (mask.width(), mask.height()));
    assert!(!text(&capture).contains("typed text"));
    assert!(
        capture
            .record
            .warnings
            .iter()
            .any(|warning| warning.contains("rotated")),
        "{:?}",
        capture.record.warnings
    );
}

#[test]
fn styles_and_boxes_match_the_page() {
    let capture = render(shared(), &saved(DRAWN)).unwrap();
    let layout = capture.layout.as_ref().unwrap();
    let paragraph = node(&capture, "A paragraph that");
    assert_eq!(layout.lines(paragraph).len(), 2);
    let style = layout.style(node(&capture, "bold part")).unwrap();
    assert_eq!((style.font_weight, style.font_size_px), (700, 16.0));
    let frame = capture
        .dom
        .ids()
        .find(|&id| capture.dom.tag(id) == "iframe")
        .unwrap();
    let inside = layout.rect(node(&capture, "framed text")).unwrap();
    let outside = layout.rect(frame).unwrap();
    assert_eq!((inside.x, inside.y), (outside.x + 18.0, outside.y + 18.0));
    assert!(layout.rect(node(&capture, "hidden text")).is_none());
    assert!(
        !layout
            .style(node(&capture, "invisible text"))
            .unwrap()
            .is_visible
    );
    assert!(
        layout
            .style(node(&capture, "عربي"))
            .unwrap()
            .is_right_to_left
    );
}

#[test]
fn scripts_run_for_addresses_and_not_for_saved_pages() {
    assert!(text(&render(shared(), &at("/application")).unwrap()).contains("fetched text"));
    let capture = render(
        shared(),
        &saved("<p>before</p><script>document.write('<p>after')</script>"),
    )
    .unwrap();
    assert_eq!(
        capture
            .dom
            .ids()
            .filter(|&id| capture.dom.tag(id) == "p")
            .count(),
        1
    );
}

#[test]
fn responses_without_a_page_give_an_error() {
    let port = server();
    for (path, expected) in [
        ("/missing", "404 Not Found"),
        ("/paper.pdf", "application/pdf"),
        ("/archive.zip", "zip"),
        ("/picture.png", "image/png"),
        ("/redirect-loop", "redirects without end"),
        ("/redirect-file", "pages may not load this address"),
        ("/redirect-nowhere", "the server answered 302 Found"),
        ("/nothing", "the server answered 204 No Content"),
        ("/stored", "a file"),
        ("/damaged", "compressed answer is damaged"),
        ("/lost", "it leads to https://127.0.0.1"),
    ] {
        let message = error(path);
        assert!(message.contains(expected), "{path}: {message}");
    }
    let local = Page {
        body: Body::Address("file:///etc/passwd".into()),
        ..at("/")
    };
    assert!(
        render(shared(), &local)
            .unwrap_err()
            .to_string()
            .contains("file addresses are not loaded")
    );
    let strict = Renderer::launch(RenderOptions {
        allow_private: false,
        tabs: 1,
        ..options()
    })
    .unwrap();
    let message = render(&strict, &at("/plain")).unwrap_err().to_string();
    assert!(
        message.contains("127.0.0.1") && message.contains("`allow_private`"),
        "{message}"
    );
    let secure = format!("https://127.0.0.1:{port}/");
    let message = render(
        &strict,
        &Page {
            body: Body::Address(secure),
            ..at("/")
        },
    )
    .unwrap_err()
    .to_string();
    assert!(message.contains("`allow_private`"), "{message}");
    let nowhere = Page {
        body: Body::Address("http://no-such-name.invalid/".into()),
        ..at("/")
    };
    let message = render(&strict, &nowhere).unwrap_err().to_string();
    assert!(message.contains("cannot be resolved"), "{message}");
}

#[test]
fn pages_cannot_read_local_files() {
    let capture = render(shared(), &at("/file-frame")).unwrap();
    assert!(text(&capture).contains("outer") && !text(&capture).contains("root:"));
    let html = "<p>outer</p><iframe src='file:///etc/passwd'></iframe><iframe src='../../etc/passwd'></iframe>";
    let capture = render(shared(), &saved(html)).unwrap();
    assert!(text(&capture).contains("outer") && !text(&capture).contains("root:"));
    let archive = "From: <Saved>\r\nSnapshot-Content-Location: http://a.example/\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Location: http://a.example/\r\n\r\n<p>archived</p><iframe src=\"file:///etc/passwd\"></iframe><object data=\"file:///etc/passwd\"></object>\r\n--b--\r\n";
    let page = Page {
        body: Body::Mhtml(archive.into()),
        ..saved("")
    };
    let capture = render(shared(), &page).unwrap();
    assert!(
        text(&capture).contains("archived") && !text(&capture).contains("root:"),
        "{}",
        text(&capture)
    );
}

#[test]
fn a_saved_page_loads_files_of_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("page_files")).unwrap();
    std::fs::write(
        folder.path().join("page_files/style.css"),
        "p { font-size: 40px }",
    )
    .unwrap();
    let html = "<link rel=stylesheet href='page_files/style.css'><p>styled".to_owned();
    let page = Page {
        body: Body::Html {
            html,
            files: PageFiles::Folder(folder.path().to_path_buf()),
        },
        ..saved("")
    };
    let capture = render(shared(), &page).unwrap();
    assert_eq!(
        capture
            .layout
            .as_ref()
            .unwrap()
            .style(node(&capture, "styled"))
            .unwrap()
            .font_size_px,
        40.0
    );
}

#[test]
fn endless_pages_are_ended() {
    // Enough time for a first document on a busy machine.
    let renderer = Renderer::launch(RenderOptions {
        limit: TimeLimit::from_ms(6_000),
        ..options()
    })
    .unwrap();
    for (path, expected) in [
        ("/slow-picture", "text before"),
        ("/alerts", "alerting"),
        ("/busy", "busy page"),
        ("/navigates", "step"),
        ("/endless", "first"),
        ("/window", "opener"),
    ] {
        let started = Instant::now();
        let capture =
            render(&renderer, &at(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(text(&capture).contains(expected), "{path}");
        assert!(
            started.elapsed() < Duration::from_secs(45),
            "{path} took {:?}",
            started.elapsed()
        );
    }
    let message = render(&renderer, &at("/never")).unwrap_err().to_string();
    assert!(message.contains("6000 ms"), "{message}");
    // The renderer still works afterwards.
    assert!(render(&renderer, &at("/plain")).is_ok());
}

#[test]
fn a_page_gets_no_cookies_or_storage_of_the_page_before() {
    let renderer = Renderer::launch(RenderOptions {
        tabs: 1,
        ..options()
    })
    .unwrap();
    for _ in 0..2 {
        let capture = render(&renderer, &at("/cookie")).unwrap();
        assert_eq!(capture.dom.text(node(&capture, "seen")), Some("seen "));
    }
}

#[test]
fn deep_and_tall_pages_are_rendered() {
    // A browser of its own, which the deepest page may keep busy.
    let renderer = Renderer::launch(options()).unwrap();
    let deep = format!("{}deep text", "<div>".repeat(5_000));
    let capture = render(&renderer, &saved(&deep)).unwrap();
    assert!(text(&capture).contains("deep text"));
    // Chromium itself may fail with this many elements; then the page gives an error, and the next
    // page is rendered.
    match render(&renderer, &saved(&"<div>".repeat(100_000))) {
        Ok(capture) => assert!(capture.dom.len() > 100_000),
        Err(error) => assert!(
            matches!(error, RenderError::Crash(_) | RenderError::TimeOut { .. }),
            "{error}"
        ),
    }
    let tall = "<p>top</p><div style='height:20000px'></div><p>low</p><div style='height:20000px'></div><p>lost</p>";
    let capture = render(&renderer, &saved(tall)).unwrap();
    let mask = mask(&capture);
    assert_eq!(mask.height(), 30_000);
    assert!((0.85..1.15).contains(&share(&capture, &mask, "low")));
    assert!(
        capture.record.warnings[0].contains("30000 px"),
        "{:?}",
        capture.record.warnings
    );
}

/// Lists the running or stopped processes of a group, without zombies.
fn members(group: u32) -> Vec<u32> {
    let of_group = |entry: std::fs::DirEntry| {
        let process: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        (fields[0] != "Z" && fields[2] == group.to_string()).then_some(process)
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(of_group)
        .collect()
}

#[test]
fn a_dead_browser_is_replaced_and_its_files_removed() {
    let renderer = Renderer::launch(RenderOptions {
        tabs: 1,
        ..options()
    })
    .unwrap();
    render(&renderer, &at("/plain")).unwrap();
    let group = renderer.chromium.launched().unwrap().group().unwrap();
    let signal = |name: &str, whom: &str| {
        std::process::Command::new("kill")
            .args([name, "--", whom])
            .status()
            .unwrap()
    };
    signal("-KILL", &group.to_string());
    render(&renderer, &at("/plain")).unwrap();
    let other = renderer.chromium.launched().unwrap().group().unwrap();
    assert_ne!(group, other);
    // A stopped browser counts as dead.
    signal("-STOP", &format!("-{other}"));
    let started = Instant::now();
    let after = render(&renderer, &at("/plain"));
    assert!(after.is_ok(), "{after:?} after {:?}", started.elapsed());
    drop(renderer);
    for group in [group, other] {
        // Killed processes disappear from the process table when their parent, or the init process,
        // has waited for them.
        let until = Instant::now() + Duration::from_secs(10);
        while !members(group).is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(
            members(group),
            Vec::<u32>::new(),
            "of group {group} are still there"
        );
    }
}

#[test]
fn browsers_are_replaced_after_their_pages_while_many_render() {
    let renderer = Renderer::launch(RenderOptions {
        pages_per_browser: 3,
        ..options()
    })
    .unwrap();
    std::thread::scope(|scope| {
        for worker in 0..3 {
            let renderer = &renderer;
            scope.spawn(move || {
                for round in 0..3 {
                    let html = format!("<p>page {worker} {round}");
                    let capture = render(renderer, &saved(&html)).unwrap();
                    assert!(text(&capture).contains(&format!("page {worker} {round}")));
                }
            });
        }
    });
}

#[test]
fn the_same_page_gives_the_same_capture() {
    let take = || render(shared(), &saved(DRAWN)).unwrap();
    let (mut one, mut two) = (take(), take());
    one.record.captured_at_s = None;
    two.record.captured_at_s = None;
    assert!(one == two);
}

#[test]
fn a_missing_browser_is_an_error_with_a_remedy() {
    let missing = RenderOptions {
        browser: Some("/nowhere/chromium".into()),
        ..options()
    };
    assert!(matches!(
        Renderer::launch(missing),
        Err(RenderError::Browser(_))
    ));
    // A program that is not a browser.
    let message = Renderer::launch(RenderOptions {
        browser: Some("/bin/true".into()),
        ..options()
    })
    .err()
    .unwrap();
    assert!(message.to_string().contains("ends at once"), "{message}");
    assert!(find_browser(None).is_ok());
}
