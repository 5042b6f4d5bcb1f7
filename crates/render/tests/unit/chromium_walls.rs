//! Tests of boxes that cover pages, and of the answers to consent dialogs, in the real browser. The
//! pages imitate the names that the platforms give to their elements.

use super::tests::shared;
use crate::{LoadOptions, PageOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::OnceLock;
use vclean_core::capture::{Capture, NodeId, Visibility};
use vclean_core::error::WarningKind;
use vclean_core::page::{Body, Page};

/// Style of a wall over the whole window. Its color is nowhere else.
const WALL: &str = "position:fixed;inset:0;background:rgb(200,0,0);z-index:9";
/// Script that reports in the page which button was clicked.
const REPORT: &str = "<p id=report>nothing clicked</p><script>window.report = (text) => document.getElementById('report').textContent = text;</script>";

/// Text that is longer than any dialog here.
fn article() -> String {
    let text = "Gulls nest on the roofs of the harbor, and their calls wake the town early. ";
    format!(
        "<main><h1>Gulls</h1>{}</main>",
        format!("<p>{}</p>", text.repeat(9)).repeat(12)
    )
}

fn page_at(path: &str) -> Option<String> {
    let article = article();
    Some(match path {
        "/curtain" => format!(
            "<body style='overflow:hidden;height:100%'><div style='filter:blur(9px)'>{article}</div><div style='{WALL}'></div>\
             <div style='position:fixed;top:300px;left:400px;width:400px;height:200px;z-index:10;background:rgb(200,0,0)'>\
             <p style='visibility:visible'>private matters</p></div>"
        ),
        "/modal" => format!(
            "{article}<style>::backdrop {{ background: rgb(200,0,0) }}</style><dialog id=d><p>private matters</p></dialog>\
             <script>d.showModal()</script>"
        ),
        "/shadow" => format!(
            "{article}<div id=host></div><script>host.attachShadow({{ mode: 'open' }}).innerHTML =\
             \"<section style='{WALL}'><p>private matters</p></section>\"</script>"
        ),
        "/late-wall" => format!(
            "{article}<script>addEventListener('scroll', () => {{ if (!document.getElementById('late'))\
             document.body.insertAdjacentHTML('beforeend', \"<div id=late style='{WALL}'><p>private matters</p></div>\") }})</script>"
        ),
        "/framed-wall" => format!(
            "{article}<div style='position:fixed;inset:0'><iframe style='width:100%;height:100%;border:0' \
             srcdoc=\"<body style='background:rgb(200,0,0)'><p>private matters</p>\"></iframe></div>"
        ),
        "/only-wall" => format!(
            "<p>a short text</p><div style='{WALL}'>{}</div>",
            "<p>private matters</p>".repeat(9)
        ),
        "/application" => {
            format!("<div style='{WALL};overflow:auto'>{article}<p>private matters</p></div>")
        }
        "/notice" => format!(
            "{article}<div style='position:fixed;bottom:0;left:0;right:0;height:120px;background:rgb(200,0,0)'>private matters</div>"
        ),
        "/slides" => {
            let slide = |z| {
                let html = article.replace("main", "div");
                format!(
                    "<section class=slide style='{WALL};z-index:{z}'>private matters {html}</section>"
                )
            };
            [9, 8, 7].map(slide).concat()
        }
        "/onetrust" => dialog(
            "<div id=onetrust-consent-sdk><button id=onetrust-accept-btn-handler>Yes</button>\
             <button id=onetrust-reject-all-handler>No</button><button id=other>Other</button></div>",
        ),
        "/two-steps" => dialog(
            "<div class=fc-consent-root><button class=fc-cta-consent>Yes</button><button class=fc-cta-manage-options \
             onclick=\"setTimeout(() => { this.outerHTML = '<button class=fc-confirm-choices>Confirm</button>' }, 200)\">Options</button></div>",
        ),
        "/shadow-platform" => dialog(
            "<script src=/app.usercentrics.eu/loader.js></script><div id=usercentrics-root></div><script>setTimeout(() => {\
             const tree = document.getElementById('usercentrics-root').attachShadow({ mode: 'open' });\
             tree.innerHTML = '<button data-testid=uc-deny-all-button>No</button><button data-testid=uc-accept-all-button>Yes</button>';\
             tree.addEventListener('click', (event) => report('clicked ' + event.target.textContent)); }, 1500)</script>",
        ),
        "/frame-platform" => dialog("<iframe id=sp_message_iframe_1 src=/message></iframe>"),
        "/message" => {
            "<button class=sp_choice_type_11 onclick=\"parent.report('clicked Yes')\">Yes</button>\
                       <button class=sp_choice_type_12>Options</button>"
                .to_owned()
        }
        "/moves-on" => {
            dialog("<div id=cookie-notice><a id=cn-accept-cookie href=/curtain>Yes</a></div>")
        }
        "/no-platform" => {
            dialog("<div class=cookies><button>Yes</button><button class=accept>No</button></div>")
        }
        _ => return None,
    })
}

/// A page with a dialog whose clicked buttons are reported.
fn dialog(html: &str) -> String {
    format!(
        "{REPORT}{html}<script>document.addEventListener('click', (event) => {{ if (event.target.localName === 'button'\
         && !event.target.shadowRoot) report('clicked ' + event.target.textContent) }})</script>"
    )
}

fn answer(mut client: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(client);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let html = page_at(line.split(' ').nth(1).unwrap_or_default());
    let status = if html.is_some() {
        "200 OK"
    } else {
        "404 Not Found"
    };
    let body = html.unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<!doctype html>"
    );
    client.write_all((head + &body).as_bytes())
}

fn render(path: &str, load: &str) -> Capture {
    static PORT: OnceLock<u16> = OnceLock::new();
    let port = *PORT.get_or_init(|| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                std::thread::spawn(move || drop(answer(&client)));
            }
        });
        port
    });
    let load: LoadOptions = serde_json::from_str(load).unwrap();
    let options = PageOptions {
        load: Some(load),
        ..PageOptions::default()
    };
    let page = Page::from_url(format!("http://127.0.0.1:{port}{path}"));
    shared().render(&page, &options).unwrap().capture
}

fn node(capture: &Capture, text: &str) -> NodeId {
    let holds = |id: NodeId| capture.dom.text(id).is_some_and(|data| data.contains(text));
    let is_script = |id: NodeId| {
        capture
            .dom
            .ancestors(id)
            .any(|up| capture.dom.tag(up) == "script")
    };
    capture
        .dom
        .ids()
        .rfind(|&id| holds(id) && !is_script(id))
        .unwrap()
}

/// Returns true if readers do not see a text.
fn is_hidden(capture: &Capture, text: &str) -> bool {
    let layout = capture.layout.as_ref().unwrap();
    let text = node(capture, text);
    let parent = capture.dom.ancestors(text).next().unwrap();
    !layout.style(parent).is_some_and(|style| style.is_visible)
        || matches!(layout.visibility(text), Visibility::Hidden(_))
}

/// Returns true if a pixel of the picture has the color of the walls.
fn shows_wall(capture: &Capture) -> bool {
    let picture = capture
        .pictures
        .as_ref()
        .unwrap()
        .screenshot
        .decode_rgb()
        .unwrap();
    picture.pixels().any(|pixel| pixel.0 == [200, 0, 0])
}

fn warnings(capture: &Capture, kind: WarningKind) -> Vec<String> {
    let warnings = capture.record.warnings.iter();
    warnings
        .filter(|warning| warning.kind == kind)
        .map(ToString::to_string)
        .collect()
}

#[test]
fn overlays_are_left_out_of_the_picture_and_their_text_is_hidden() {
    for path in [
        "/curtain",
        "/modal",
        "/shadow",
        "/late-wall",
        "/framed-wall",
    ] {
        let capture = render(path, "{}");
        assert!(!shows_wall(&capture), "{path}");
        assert!(!is_hidden(&capture, "Gulls nest"), "{path}");
        assert!(is_hidden(&capture, "private matters"), "{path}");
        let found = warnings(&capture, WarningKind::Overlay);
        assert!(
            found.len() == 1 && found[0].contains("left out of the picture"),
            "{path}: {found:?}"
        );
    }
    let capture = render("/curtain", "{}");
    let height = capture
        .pictures
        .as_ref()
        .unwrap()
        .screenshot
        .decode_rgb()
        .unwrap()
        .height();
    assert!(height > 1100, "the page is still locked: {height}");
    assert!(warnings(&capture, WarningKind::Overlay)[0].starts_with("div and 1 more covered"));
}

#[test]
fn overlays_of_saved_pages_are_left_out_too() {
    let html = page_at("/curtain").unwrap();
    let page = Page::new("page.html", Body::html(&html));
    let rendered = shared().render(&page, &PageOptions::default()).unwrap();
    assert!(!shows_wall(&rendered.capture));
    assert!(is_hidden(&rendered.capture, "private matters"));
}

#[test]
fn pages_that_are_no_overlay_stay() {
    for path in ["/only-wall", "/application", "/notice", "/slides"] {
        let capture = render(path, "{}");
        assert!(shows_wall(&capture), "{path}");
        assert!(!is_hidden(&capture, "private matters"), "{path}");
        assert!(
            warnings(&capture, WarningKind::Overlay).is_empty(),
            "{path}"
        );
    }
}

fn report(path: &str, consent: &str) -> (String, Vec<String>) {
    let capture = render(path, &format!("{{\"consent\": \"{consent}\"}}"));
    let id = capture
        .dom
        .ids()
        .find(|&id| capture.dom.attribute(id, "id") == Some("report"))
        .unwrap();
    let text = (id.index()..capture.dom.end(id))
        .map(NodeId::new)
        .filter_map(|id| capture.dom.text(id))
        .collect();
    (text, warnings(&capture, WarningKind::Consent))
}

#[test]
fn consent_is_answered_with_the_button_of_the_platform() {
    for (path, consent, clicked, platform) in [
        ("/onetrust", "accept", "clicked Yes", "OneTrust"),
        ("/onetrust", "reject", "clicked No", "OneTrust"),
        (
            "/two-steps",
            "accept",
            "clicked Yes",
            "Google Funding Choices",
        ),
        (
            "/two-steps",
            "reject",
            "clicked Confirm",
            "Google Funding Choices",
        ),
        ("/shadow-platform", "accept", "clicked Yes", "Usercentrics"),
        ("/shadow-platform", "reject", "clicked No", "Usercentrics"),
        ("/frame-platform", "accept", "clicked Yes", "Sourcepoint"),
    ] {
        let (text, warnings) = report(path, consent);
        assert_eq!(text, clicked, "{path} {consent}");
        assert_eq!(
            warnings,
            [format!(
                "the consent dialog of {platform} was answered: {consent}"
            )],
            "{path}"
        );
    }
    // The click leads to another page.
    let capture = render("/moves-on", r#"{"consent": "accept"}"#);
    assert!(
        capture
            .record
            .final_url
            .as_deref()
            .is_some_and(|url| url.ends_with("/curtain"))
    );
    assert!(!is_hidden(&capture, "Gulls nest"));
}

#[test]
fn nothing_is_clicked_unasked_or_without_the_button_asked_for() {
    for (path, consent) in [
        ("/onetrust", "ignore"),
        ("/frame-platform", "ignore"),
        ("/no-platform", "accept"),
        ("/no-platform", "reject"),
    ] {
        let (text, warnings) = report(path, consent);
        assert_eq!(
            (text.as_str(), warnings),
            ("nothing clicked", Vec::new()),
            "{path} {consent}"
        );
    }
    // The settings are opened, but nothing in them can be clicked.
    let (text, warnings) = report("/frame-platform", "reject");
    assert_eq!(text, "nothing clicked");
    assert_eq!(
        warnings,
        ["the settings of the consent dialog of Sourcepoint were opened and not answered"]
    );
}
