//! Tests pages of web archives in the browser: style sheets, pictures and frames are loaded from
//! the archive under their original addresses, and nothing is loaded from elsewhere.

use crate::program::{one_browser, vclean, vclean_reading};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use vclean_core::capture::Capture;
use vclean_core::files::{list_captures, load_capture};

const STORY: &str = "The keeper of the seventh lock wrote down every boat that passed, its name and what it carried, and \
    in the winter, when nothing passed, he wrote down the weather.";

/// A server that must not be contacted; it records if a connection was made.
struct ForbiddenServer {
    port: u16,
    was_contacted: Arc<AtomicBool>,
}

impl ForbiddenServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let was_contacted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&was_contacted);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                flag.store(true, Ordering::SeqCst);
                drop(client);
            }
        });
        Self {
            port,
            was_contacted,
        }
    }
}

fn member(record: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(record).unwrap();
    encoder.finish().unwrap()
}

/// Makes a record as a gzip member from its kind, address, further header lines, head of the HTTP
/// response, and content.
fn record(kind: &str, url: &str, lines: &str, head: &str, content: &[u8]) -> Vec<u8> {
    let answer = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), content].concat();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{lines}Content-Length: {}\r\n\r\n",
        answer.len()
    );
    member(&[head.as_bytes(), &answer, b"\r\n\r\n"].concat())
}

fn answer(url: &str, kind: &str, content: &[u8]) -> Vec<u8> {
    record(
        "response",
        url,
        "",
        &format!("200 OK\r\nContent-Type: {kind}"),
        content,
    )
}

fn picture(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image::RgbImage::from_pixel(width, height, image::Rgb([200, 30, 30]))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

/// Makes a page that tries to load from the network in every way; `port` is that of a
/// [`ForbiddenServer`].
fn page_that_loads_everything(port: u16) -> String {
    let escapes = format!(
        "<link rel=preconnect href='http://127.0.0.1:{port}'><link rel=dns-prefetch href='//localhost:{port}'>\
         <link rel=stylesheet href='//127.0.0.1:{port}/b.css'><link rel=prefetch href='http://127.0.0.1:{port}/c'>\
         <img src='http://127.0.0.1:{port}/a.png'><iframe src='http://localhost:{port}/d.html'></iframe>\
         <object data='http://127.0.0.1:{port}/e.svg'></object><video src='http://127.0.0.1:{port}/f.mp4' autoplay></video>\
         <meta http-equiv=refresh content='0;url=http://127.0.0.1:{port}/g'>\
         <script>
           const there = '127.0.0.1:{port}';
           const attempt = act => {{ try {{ act(); }} catch (error) {{ console.log(error); }} }};
           attempt(() => new WebSocket('ws://' + there + '/h'));
           attempt(() => new EventSource('http://' + there + '/i'));
           attempt(() => navigator.sendBeacon('http://' + there + '/j', 'x'));
           attempt(() => fetch('http://' + there + '/k', {{ method: 'POST', mode: 'no-cors', keepalive: true, body: 'x' }}));
           const worker = `for (const act of [() => fetch('http://${{there}}/l', {{ mode: 'no-cors' }}),
             () => new WebSocket('ws://${{there}}/m'), () => importScripts('http://${{there}}/n.js')])
             {{ try {{ act(); }} catch (error) {{ }} }}`;
           attempt(() => new Worker(URL.createObjectURL(new Blob([worker]))));
           attempt(() => new SharedWorker(URL.createObjectURL(new Blob([worker]))));
           attempt(() => navigator.serviceWorker.register('/worker.js'));
           attempt(() => {{
             const peer = new RTCPeerConnection({{ iceServers: [{{ urls: 'turn:' + there + '?transport=tcp', username: 'a', credential: 'b' }}] }});
             peer.createDataChannel('o');
             peer.createOffer().then(offer => peer.setLocalDescription(offer));
           }});
           attempt(() => new WebTransport('https://' + there + '/p'));
           attempt(() => {{ document.getElementById('scripted').textContent = 'scripts ran'; }});
         </script>"
    );
    format!(
        "<!doctype html><html><head><base href='/assets/'><title>The lock</title>\
         <link rel=stylesheet href='https://cdn.example/style.css'><link rel=stylesheet href='//cdn.example/again.css'></head>\
         <body><h1>The seventh lock</h1><p id=story>{STORY}</p><p id=side>An advertisement for rope and tar</p>\
         <p id=again>The weather was as before.</p><p id=scripted>no scripts</p>\
         <img id=picture src='picture.png'><img id=choice srcset='missing.png 3x, /wide.png 1x'>\
         <img id=gone src='http://site.example/gone.png' alt=gone>\
         <iframe id=frame src='../frame.html' width=600 height=100></iframe>{escapes}</body></html>"
    )
}

/// Makes an archive of that page and some of its resources.
fn crawl(port: u16, has_styles: bool) -> Vec<u8> {
    let (html, page) = ("text/html; charset=utf-8", page_that_loads_everything(port));
    let mut bytes = [
        member(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"),
        record(
            "response",
            "http://site.example/deep/page",
            "",
            "301 Moved\r\nLocation: https://site.example/deep/page",
            b"",
        ),
        answer("https://site.example/deep/page", html, page.as_bytes()),
        answer(
            "https://site.example/assets/picture.png",
            "image/png",
            &picture(123, 45),
        ),
        answer(
            "http://site.example/wide.png",
            "image/png",
            &picture(77, 11),
        ),
    ]
    .concat();
    if has_styles {
        // An import that redirects, compressed content, and a revisit record.
        let style = b"@import 'more.css'; #story { width: 432px; color: rgb(1, 2, 3) }";
        let squeezed = member(style);
        let digest = "WARC-Payload-Digest: sha1:AAAA\r\n";
        let css = "200 OK\r\nContent-Type: text/css";
        bytes.extend(record(
            "response",
            "https://cdn.example/style.css",
            "",
            &format!("{css}\r\nContent-Encoding: gzip"),
            &squeezed,
        ));
        bytes.extend(record(
            "response",
            "https://cdn.example/more.css",
            "",
            "302 Found\r\nLocation: /v2/more.css",
            b"",
        ));
        bytes.extend(answer(
            "https://cdn.example/v2/more.css",
            "text/css",
            b"#side { display: none }",
        ));
        bytes.extend(record(
            "response",
            "https://old.example/x.css",
            digest,
            css,
            b"#again { width: 321px }",
        ));
        bytes.extend(record(
            "revisit",
            "https://cdn.example/again.css",
            digest,
            css,
            b"",
        ));
        bytes.extend(answer(
            "https://site.example/frame.html",
            "text/html",
            b"<p>Text of the frame</p>",
        ));
    }
    bytes
}

fn with_id(capture: &Capture, id: &str) -> vclean_core::capture::NodeId {
    let found = capture
        .dom
        .ids()
        .find(|node| capture.dom.attribute(*node, "id") == Some(id));
    found.unwrap_or_else(|| panic!("no element {id}"))
}

fn width(capture: &Capture, id: &str) -> f32 {
    capture
        .layout
        .as_ref()
        .unwrap()
        .rect(with_id(capture, id))
        .map_or(0.0, |rect| rect.width)
}

fn color(capture: &Capture, id: &str) -> [u8; 4] {
    capture
        .layout
        .as_ref()
        .unwrap()
        .style(with_id(capture, id))
        .unwrap()
        .color
}

fn holds(capture: &Capture, text: &str) -> bool {
    capture.dom.ids().any(|node| {
        capture
            .dom
            .text(node)
            .is_some_and(|data| data.contains(text))
    })
}

/// Renders an archive; returns the captures by the names of their folders.
fn render(archive: &Path, options: &[&str]) -> BTreeMap<String, Capture> {
    let out = archive.with_extension("captures");
    let (archive, folder) = (archive.display().to_string(), out.display().to_string());
    let outcome = {
        let _alone = one_browser();
        vclean(
            ["render", &archive, "--engine", "chromium", "--out", &folder]
                .into_iter()
                .chain(options.iter().copied()),
        )
    };
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let captures = list_captures(&out).unwrap();
    captures
        .into_iter()
        .map(|folder| {
            (
                folder.file_name().unwrap().to_string_lossy().into_owned(),
                load_capture(&folder).unwrap(),
            )
        })
        .collect()
}

#[test]
fn a_page_of_an_archive_has_its_styles_and_pictures_and_makes_no_connection() {
    let folder = tempfile::tempdir().unwrap();
    let server = ForbiddenServer::start();
    let path = folder.path().join("crawl.warc.gz");
    std::fs::write(&path, crawl(server.port, true)).unwrap();
    let captures = render(&path, &["--allow-private"]);
    let page = &captures["site.example_deep_page"];
    assert_eq!(
        page.record.url.as_deref(),
        Some("https://site.example/deep/page")
    );
    assert_eq!(
        (width(page, "story"), color(page, "story")),
        (432.0, [1, 2, 3, 255])
    );
    assert_eq!(width(page, "side"), 0.0, "hidden by the import");
    assert_eq!(width(page, "again"), 321.0, "by the repeated visit");
    assert_eq!(
        (width(page, "picture"), width(page, "choice")),
        (123.0, 77.0)
    );
    assert!(holds(page, "Text of the frame") && holds(page, "no scripts"));
    assert!(
        page.record.warnings.is_empty(),
        "{:?}",
        page.record.warnings
    );
    // The document of the frame is also a page of the archive.
    assert!(captures.contains_key("site.example_frame.html") && captures.len() == 2);

    let bare = folder.path().join("bare.warc.gz");
    std::fs::write(&bare, crawl(server.port, false)).unwrap();
    let captures = render(&bare, &["--allow-private"]);
    let page = &captures["site.example_deep_page"];
    assert!(
        width(page, "story") > 1000.0
            && width(page, "side") > 1000.0
            && color(page, "story") == [0, 0, 0, 255]
    );
    assert_eq!(width(page, "picture"), 123.0);
    assert!(!holds(page, "Text of the frame"));
    std::thread::sleep(Duration::from_secs(1));
    assert!(
        !server.was_contacted.load(Ordering::SeqCst),
        "the server was contacted"
    );
}

#[test]
fn with_scripts_on_no_connection_is_made_either() {
    let folder = tempfile::tempdir().unwrap();
    let server = ForbiddenServer::start();
    let path = folder.path().join("crawl.warc.gz");
    std::fs::write(&path, crawl(server.port, true)).unwrap();
    let captures = render(&path, &["--allow-private", "--scripts", "on"]);
    let page = &captures["site.example_deep_page"];
    assert!(holds(page, "scripts ran"));
    assert_eq!(width(page, "story"), 432.0);
    std::thread::sleep(Duration::from_secs(1));
    assert!(
        !server.was_contacted.load(Ordering::SeqCst),
        "the server was contacted"
    );

    // A saved page with this HTML does connect to the server.
    let html = page_that_loads_everything(server.port);
    let path = folder.path().join("saved.html");
    std::fs::write(&path, html).unwrap();
    let out = folder.path().join("saved").display().to_string();
    let _alone = one_browser();
    let outcome = vclean([
        "render",
        &path.display().to_string(),
        "--engine",
        "chromium",
        "--out",
        &out,
        "--allow-private",
    ]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(server.was_contacted.load(Ordering::SeqCst));
}

#[test]
fn an_archive_in_a_single_gzip_member_is_rendered_without_styles_with_one_warning() {
    let folder = tempfile::tempdir().unwrap();
    let server = ForbiddenServer::start();
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&crawl(server.port, true)[..])
        .read_to_end(&mut plain)
        .unwrap();
    let path = folder.path().join("crawl.warc.gz");
    std::fs::write(&path, member(&plain)).unwrap();
    let captures = render(&path, &[]);
    assert!(width(&captures["site.example_deep_page"], "story") > 1000.0);
    let warnings: Vec<_> = captures
        .values()
        .flat_map(|capture| &capture.record.warnings)
        .collect();
    assert!(
        warnings.len() == 1 && warnings[0].contains("packed together"),
        "{warnings:?}"
    );
}

#[test]
fn old_and_compressed_archives_are_rendered_with_what_they_hold() {
    let folder = tempfile::tempdir().unwrap();
    let html =
        format!("<link rel=stylesheet href=style.css><h1>The lock</h1><p id=story>{STORY}</p>");
    let arc = |url: &str, kind: &str, content: &str| {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{content}");
        format!(
            "{url} 192.0.2.1 20010203040506 {kind} {}\n{answer}\n",
            answer.len()
        )
    };
    let about = "1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n";
    let records = [
        format!(
            "filedesc://x.arc 0.0.0.0 20010203040506 text/plain {}\n{about}\n",
            about.len()
        ),
        arc("http://a.example/page", "text/html", &html),
        arc(
            "http://a.example/style.css",
            "text/css",
            "#story { width: 432px }",
        ),
    ];
    let warc = |url: &str, kind: &str, content: &str| {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{content}");
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {}\r\n\r\n",
            answer.len()
        );
        head + &answer + "\r\n\r\n"
    };
    let warcs = [
        warc("http://a.example/page", "text/html", &html),
        warc(
            "http://a.example/style.css",
            "text/css",
            "#story { width: 432px }",
        ),
    ];
    let zstd: Vec<u8> = warcs
        .iter()
        .flat_map(|record| zstd::stream::encode_all(record.as_bytes(), 3).unwrap())
        .collect();
    for (name, bytes) in [
        ("plain.arc", records.concat().into_bytes()),
        (
            "packed.arc.gz",
            records
                .iter()
                .flat_map(|record| member(record.as_bytes()))
                .collect(),
        ),
        ("packed.warc.zst", zstd),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let captures = render(&path, &[]);
        assert_eq!(captures.len(), 1, "{name}");
        assert_eq!(width(&captures["a.example_page"], "story"), 432.0, "{name}");
    }
}

#[test]
fn the_format_of_standard_input_is_detected() {
    let page =
        |id: u32| format!("<article><h1>Lock {id}</h1><p>{STORY}</p><p>{STORY}</p></article>");
    let warc: Vec<u8> = (0..3)
        .flat_map(|id| {
            answer(
                &format!("https://a.example/{id}"),
                "text/html",
                page(id).as_bytes(),
            )
        })
        .collect();
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&warc[..])
        .read_to_end(&mut plain)
        .unwrap();
    let lines: Vec<String> = (0..3)
        .map(|id| serde_json::json!({ "html": page(id) }).to_string())
        .collect();
    let lines = lines.join("\n");
    for (input, names) in [
        (
            warc,
            ["a.example_0.txt", "a.example_1.txt", "a.example_2.txt"],
        ),
        (
            plain,
            ["a.example_0.txt", "a.example_1.txt", "a.example_2.txt"],
        ),
        (
            member(lines.as_bytes()),
            ["stdin-1.txt", "stdin-2.txt", "stdin-3.txt"],
        ),
        (
            lines.into_bytes(),
            ["stdin-1.txt", "stdin-2.txt", "stdin-3.txt"],
        ),
    ] {
        let out = tempfile::tempdir().unwrap();
        let outcome = vclean_reading(
            ["clean", "-", "--out", &out.path().display().to_string()],
            input,
        );
        assert!(
            outcome.code == Some(0) && outcome.problems().is_empty(),
            "{}",
            outcome.stderr
        );
        let written = crate::program::files(out.path());
        assert_eq!(
            written.keys().map(String::as_str).collect::<Vec<_>>(),
            names
        );
        assert!(
            written
                .values()
                .all(|text| String::from_utf8_lossy(text).contains("seventh lock"))
        );
    }
    let one = vclean_reading(["clean", "-"], member(page(7).as_bytes()));
    assert!(
        one.code == Some(0) && one.stdout.contains("Lock 7"),
        "{}",
        one.stderr
    );
    let arc = |html: &str| {
        let answer = format!("HTTP/1.1 200 OK\nContent-Type: text/html\n\n{html}");
        let about = "1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n";
        format!(
            "filedesc://x.arc 0.0.0.0 19960923142103 text/plain {}\n{about}\n\
             http://a.example/two words 192.0.2.1 19960923142103 text/html {}\n{answer}\n",
            about.len(),
            answer.len()
        )
    };
    let squeezed = |bytes: &[u8]| {
        let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let bytes = arc(&page(7)).into_bytes();
    let zstd = zstd::stream::encode_all(&bytes[..], 3).unwrap();
    for input in [bytes.clone(), member(&bytes), zstd, squeezed(&bytes)] {
        let outcome = vclean_reading(["clean", "-"], input);
        assert!(
            outcome.code == Some(0) && outcome.stdout.contains("Lock 7"),
            "{}",
            outcome.stderr
        );
        assert!(
            !outcome.stdout.contains("Alexa")
                && outcome
                    .stdout
                    .contains("record 2: http://a.example/two words")
        );
    }
    let refused = vclean_reading(["clean", "-"], "PAR1 and so on");
    assert!(
        refused.code == Some(2) && refused.stderr.contains("read from its end"),
        "{}",
        refused.stderr
    );
}
