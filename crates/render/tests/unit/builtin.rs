//! Tests of the engine on small pages: boxes, the owners of pixels, resources, frames, hostile
//! pages, and pages on which the engine itself would fail, or show nothing.

use super::Builtin;
use super::lay_out::MAX_NODES;
use super::*;
use crate::options::{RenderOptions, TimeLimit};
use crate::rendered::Rendered;
use image::GrayImage;
use std::path::Path;
use std::sync::Arc;
use vclean_core::capture::{
    Capture, CssRect, Display, NodeId, NodeKind, NodeMask, PANEL_RULES, Position,
};
use vclean_core::error::RenderError;
use vclean_core::page::{Body, Page};

/// The engine with the options of its pages.
pub(super) struct TestEngine {
    engine: Builtin,
    options: RenderOptions,
}

impl TestEngine {
    pub(super) fn new(options: RenderOptions) -> Self {
        Self {
            engine: Builtin::new(),
            options,
        }
    }

    pub(super) fn render(&self, page: &Page) -> Result<Rendered, RenderError> {
        self.engine.render(page, &self.options)
    }
}

/// Creates an engine for tests. Hostile pages take some seconds without optimization, and far
/// longer on a busy machine.
pub(super) fn engine() -> TestEngine {
    TestEngine::new(RenderOptions {
        limit: TimeLimit::from_ms(120_000),
        ..RenderOptions::default()
    })
}

pub(super) fn page(body: Body) -> Page {
    Page::new("page", body)
}

pub(super) fn render(html: &str) -> Capture {
    engine().render(&page(Body::html(html))).unwrap().capture
}

/// Finds the first element or text node with this name.
pub(super) fn find(capture: &Capture, name: &str) -> NodeId {
    let matches = |id: &NodeId| {
        capture.dom.tag(*id) == name
            || capture.dom.attribute(*id, "id") == Some(name)
            || capture
                .dom
                .text(*id)
                .is_some_and(|text| text.trim() == name)
    };
    capture
        .dom
        .ids()
        .find(matches)
        .unwrap_or_else(|| panic!("no {name}"))
}

pub(super) fn rect(capture: &Capture, name: &str) -> CssRect {
    capture
        .layout
        .as_ref()
        .unwrap()
        .rect(find(capture, name))
        .unwrap_or_else(|| panic!("{name} has no box"))
}

pub(super) fn mask(capture: &Capture) -> NodeMask {
    NodeMask::decode(&capture.pictures.as_ref().unwrap().mask).unwrap()
}

pub(super) fn image(capture: &Capture) -> Arc<GrayImage> {
    capture
        .pictures
        .as_ref()
        .unwrap()
        .screenshot
        .decode_gray()
        .unwrap()
}

/// Counts the pixels that a text owns.
pub(super) fn owned(capture: &Capture, text: &str) -> usize {
    let id = find(capture, text).index() as u32;
    mask(capture)
        .owners()
        .iter()
        .filter(|&&owner| owner == id)
        .count()
}

#[test]
fn boxes_have_their_css_positions() {
    let capture = render(
        "<!doctype html><style>body { margin: 0 } #a { width: 100px; height: 50px; background: rgb(0, 0, 0) }
         #b { position: absolute; left: 200px; top: 300px; color: rgb(1, 2, 3); font: bold 20px serif }
         #c { float: right; width: 10%; transform: translate(-30px, 5px) } </style>
         <div id=a></div><div id=b>positioned</div><div id=c>floated</div>",
    );
    assert_eq!(
        rect(&capture, "a"),
        CssRect {
            x: 0.0,
            y: 0.0,
            width: 100.0,
            height: 50.0
        }
    );
    let at = rect(&capture, "b");
    assert_eq!((at.x, at.y), (200.0, 300.0));
    assert_eq!(
        rect(&capture, "c"),
        CssRect {
            x: 1122.0,
            y: 55.0,
            ..rect(&capture, "c")
        }
    );
    let layout = capture.layout.as_ref().unwrap();
    let style = layout.style(find(&capture, "b")).unwrap();
    assert_eq!(
        (style.position, style.display, style.font_size_px),
        (Position::Absolute, Display::Block, 20.0)
    );
    assert_eq!((style.color, style.font_weight), ([1, 2, 3, 255], 700));
    assert!(layout.style(find(&capture, "c")).unwrap().is_float);
    assert_eq!(
        layout
            .style(find(&capture, "positioned"))
            .unwrap()
            .font_weight,
        700
    );
    let image = image(&capture);
    assert_eq!(
        (image.get_pixel(50, 25).0, image.get_pixel(150, 25).0),
        ([0], [255])
    );
    assert_eq!(capture.record.engine, Engine::Builtin);
    assert!(!capture.record.fonts.is_empty(), "no fonts are installed");
}

#[test]
fn every_text_owns_its_lines() {
    let capture = render(
        "<!doctype html><style>p { width: 300px; text-transform: uppercase } #x::before { content: 'made' }</style>
         <p>one <b>two</b> three<br>four <span><i>five</i></span></p><ol style='list-style-position: inside'><li>six</ol>
         <p id=x>stra\u{df}e <a>seven</a>   eight</p><div>nine<div>block</div>ten</div>",
    );
    let layout = capture.layout.as_ref().unwrap();
    for text in [
        "one", "two", "five", "six", "seven", "eight", "nine", "block", "ten",
    ] {
        let id = find(&capture, text);
        let lines = layout.lines(id);
        assert_eq!(lines.len(), 1, "{text}: {lines:?}");
        assert!(owned(&capture, text) > 100, "{text}");
    }
    let three = find(&capture, "three");
    assert!(layout.lines(three)[0].rect.x > rect(&capture, "two").x);
    assert!(rect(&capture, "four").y > rect(&capture, "one").y);
    assert!(
        rect(&capture, "seven").x > rect(&capture, "x").x + 40.0,
        "generated text comes before it"
    );
    assert!(rect(&capture, "b").width > 10.0 && rect(&capture, "span").width > 10.0);
    assert_eq!(layout.lines(find(&capture, "nine"))[0].length, 4);
}

#[test]
fn a_long_text_has_one_line_box_per_line() {
    let words = "herring gulls drop mussels on rocks ".repeat(20);
    let capture = render(&format!(
        "<!doctype html><p style='width:400px;font-size:16px'>{words}</p>"
    ));
    let layout = capture.layout.as_ref().unwrap();
    let text = capture
        .dom
        .ids()
        .find(|&id| capture.dom.text(id).is_some_and(|text| text.len() > 500))
        .unwrap();
    let lines = layout.lines(text);
    assert!((10..=20).contains(&lines.len()), "{}", lines.len());
    let units: u32 = lines.iter().map(|line| line.length).sum();
    assert!(
        units.abs_diff(words.trim().len() as u32) <= lines.len() as u32,
        "{units}"
    );
    assert!(
        lines
            .windows(2)
            .all(|pair| pair[1].rect.y > pair[0].rect.y && pair[1].start > pair[0].start)
    );
    assert!(
        lines
            .iter()
            .all(|line| line.rect.width <= 400.5 && line.rect.height > 10.0)
    );
}

#[test]
fn no_content_of_a_table_is_lost() {
    let capture = render(
        "<!doctype html><div style='display:table'><p>direct</p></div><table><caption>above</caption><tr><td>cell</table>
         <div style='display:table'><div style='display:table-row'><p>row</p></div></div><div style='display:table'>bare</div>
         <table><tbody style='display:block'><tr><td>inside</table><div style='display:inline-table'><p>inline</p></div>
         <table><tr style='display:block'><td>block</td></tr></table><span style='display:table'>spanned <b>bold</b></span>
         <div style='display:flex'><div style='display:table'><p>flex</p></div></div>
         <table><tr><td><table style='display:block'><tr><td>inner</td></tr></table></td><td>beside</td></tr></table>",
    );
    for text in [
        "direct", "above", "cell", "row", "bare", "inside", "inline", "block", "spanned", "bold",
        "flex", "inner", "beside",
    ] {
        assert!(owned(&capture, text) > 100, "{text}");
    }
    assert!(rect(&capture, "beside").x > rect(&capture, "inner").right());
    assert!(rect(&capture, "cell").y > rect(&capture, "above").y);
}

#[test]
fn invisible_text_owns_no_pixels() {
    let capture = render(
        "<!doctype html><p style='display:none'>gone</p><p style='visibility:hidden'>hidden</p>
         <p style='opacity:0'>clear</p><div style='height:0;overflow:hidden'><p>clipped</p></div>
         <div style='position:relative'><p>below</p><div style='position:absolute;inset:0;background:#fff'></div></div>
         <p style='transform:scale(0)'>shrunk</p><p>seen</p>",
    );
    let layout = capture.layout.as_ref().unwrap();
    assert!(layout.node_box(find(&capture, "gone")).is_none());
    assert!(layout.node_box(find(&capture, "hidden")).is_some());
    for text in ["gone", "hidden", "clear", "clipped", "below", "shrunk"] {
        assert_eq!(owned(&capture, text), 0, "{text}");
    }
    assert!(owned(&capture, "seen") > 100);
}

#[test]
fn style_sheets_and_pictures_are_loaded_from_the_folder_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a.css", b"@import 'b.css'; #a { width: 120px }");
    write("b.css", b"#b { width: 130px }");
    write("print.css", b"#a, #b, #c { width: 1px }");
    write("p.gif", b"GIF89a\x28\x00\x1e\x00\x00\x00\x00;");
    let above = tempfile::tempdir_in(folder.path()).unwrap();
    let html = "<!doctype html><link rel=stylesheet href=../a.css><link rel=stylesheet media=print href=../print.css>
        <link rel='alternate stylesheet' href=../print.css><style media=print>#a { width: 2px }</style>
        <style media='(min-width: 100px)'>#c { width: 140px }</style>
        <div id=a></div><div id=b></div><div id=c></div><img id=i src=../p.gif><img id=gone src=none.png width=33 height=44>";
    let at = |place: &Path| {
        let files = PageFiles::Folder(place.to_path_buf());
        let html = html.replace("../", "");
        engine()
            .render(&page(Body::Html { html, files }))
            .unwrap()
            .capture
    };
    let capture = at(folder.path());
    let widths = ["a", "b", "c", "i", "gone"].map(|name| rect(&capture, name).width);
    assert_eq!(widths, [120.0, 130.0, 140.0, 40.0, 33.0]);
    assert_eq!(rect(&capture, "i").height, 30.0);
    // Files above the page's folder are not loaded.
    let files = PageFiles::Folder(above.path().to_path_buf());
    let capture = engine()
        .render(&page(Body::Html {
            html: html.to_owned(),
            files,
        }))
        .unwrap()
        .capture;
    assert!(rect(&capture, "a").width > 200.0);
    let warnings = capture.record.warnings.texts();
    assert!(
        warnings
            .iter()
            .any(|text| text.contains("missing, or outside of its folder: a.css; ")),
        "{warnings:?}"
    );
    // In a mirror they are, up to the folder that the user named.
    let files = PageFiles::Mirror {
        folder: folder.path().to_path_buf(),
        page: above
            .path()
            .strip_prefix(folder.path())
            .unwrap()
            .join("page.html"),
    };
    let html = html.to_owned();
    let capture = engine()
        .render(&page(Body::Html { html, files }))
        .unwrap()
        .capture;
    assert_eq!(rect(&capture, "a").width, 120.0);
    assert!(capture.record.warnings.is_empty());
}

#[test]
fn the_parts_of_an_mhtml_file_are_loaded_and_its_frames_shown() {
    let part = |kind: &str, name: &str, body: &str| {
        format!("----x\r\nContent-Type: {kind}\r\n{name}\r\n\r\n{body}\r\n")
    };
    let mhtml = [
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/page\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/related; type=\"text/html\"; boundary=\"--x\"\r\n\r\n"
            .to_owned(),
        part(
            "text/html",
            "Content-Location: https://a.example/page",
            "<!doctype html><link rel=stylesheet href=\"cid:c@x\"><div id=a>top</div>\
             <iframe id=f src=\"cid:f@x\" width=200 height=100 style=\"border:0\"></iframe><img id=i src=\"/i.svg\">",
        ),
        part("text/css", "Content-ID: <c@x>", "#a { width: 77px } #f { display: block; margin-left: 10px }"),
        part("text/html", "Content-ID: <f@x>", "<!doctype html><body style='margin:5px'><p style='margin:0'>inner</p>"),
        part("image/svg+xml", "Content-Location: https://a.example/i.svg", "<svg width='9' height='7'></svg>"),
        "----x--\r\n".to_owned(),
    ]
    .concat();
    let capture = engine()
        .render(&page(Body::Mhtml(mhtml.into_bytes())))
        .unwrap()
        .capture;
    assert_eq!(rect(&capture, "a").width, 77.0);
    assert_eq!(rect(&capture, "i").width, 9.0);
    let (frame, inner) = (rect(&capture, "f"), rect(&capture, "inner"));
    assert_eq!((frame.width, inner.x), (200.0, frame.x + 5.0));
    assert!(inner.y >= frame.y && inner.bottom() <= frame.bottom());
    assert!(owned(&capture, "inner") > 100);
    assert_eq!(
        capture.record.url.as_deref(),
        Some("https://a.example/page")
    );
}

#[test]
fn the_same_page_gives_the_same_capture_in_memory_and_from_disk() {
    let html = "<!doctype html><style>p { color: #246 }</style><p>some text</p><svg width=30 height=20></svg><p>more</p>";
    let (one, mut other) = (render(html), render(html));
    other.record.captured_at_s = one.record.captured_at_s;
    assert_eq!(one, other);
    let folder = tempfile::tempdir().unwrap();
    vclean_core::files::save_capture(&one, folder.path()).unwrap();
    let kept = vclean_core::files::load_capture(folder.path()).unwrap();
    assert_eq!(kept.layout, one.layout);
    assert_eq!((image(&kept), mask(&kept)), (image(&one), mask(&one)));
}

#[test]
fn painting_a_page_does_not_change_its_features() {
    let html = "<!doctype html><body style='background:#fff'><p style='background:rgb(255, 0, 0);height:50px'>text</p>\
         <img src='data:image/gif;base64,R0lGODlhKAAeAA=='><img src=missing.png width=20 height=20>";
    let options = RenderOptions {
        paint: true,
        ..RenderOptions::default()
    };
    let painted = TestEngine::new(options)
        .render(&page(Body::html(html)))
        .unwrap()
        .capture;
    let plain = render(html);
    assert_eq!(image(&painted), image(&plain));
    assert!(plain.pictures.as_ref().unwrap().painted.is_none());
    let colors = painted
        .pictures
        .as_ref()
        .unwrap()
        .to_look_at()
        .decode_rgb()
        .unwrap();
    let at = rect(&painted, "p");
    assert_eq!(
        colors.get_pixel(at.right() as u32 - 5, at.y as u32 + 5).0,
        [255, 0, 0]
    );
}

#[test]
fn letters_without_a_glyph_give_a_warning() {
    // A code point without a character, which should not be in any font.
    let capture = render("<p>plain text and \u{378}\u{379}</p>");
    assert!(
        capture
            .record
            .warnings
            .iter()
            .any(|text| text.contains("in no installed font")),
        "{:?}",
        capture.record.warnings
    );
    assert!(
        render("<p>plain text, na\u{ef}ve caf\u{e9}</p>")
            .record
            .warnings
            .is_empty()
    );
    // The signs of a missing icon font do not belong to any script.
    assert!(
        render("<p>an icon \u{e900} \u{f123} \u{f0001} \u{10fff0}</p>")
            .record
            .warnings
            .is_empty()
    );
}

#[test]
fn hostile_pages_are_rendered_or_give_an_error() {
    let nested = |open: &str, close: &str, times: usize| {
        format!("{}x{}", open.repeat(times), close.repeat(times))
    };
    let css = |rules: &str| {
        format!(
            "<!doctype html><style>{rules}</style>{}",
            "<p class=a>text</p>".repeat(50)
        )
    };
    let cells = format!("<tr>{}</tr>", "<td>cell</td>".repeat(100)).repeat(100);
    let pages = [
        String::new(),
        "<!-- -->".into(),
        "<html><frameset><frame src=x></frameset>".into(),
        nested("<div>", "</div>", 5000),
        format!("<!doctype html><style>div {{ display: flex }}</style>{}", nested("<div>", "</div>", 400)),
        nested("<table><tr><td>", "</td></tr></table>", 150),
        format!("<!doctype html><table>{cells}</table>"),
        css(&".b .c > p:nth-child(3) { color: red }\n".repeat(600_000)),
        css(&format!("{}color: red{}", "a, b, p { ".repeat(60), "}".repeat(60))),
        css(&format!("{}p {{ color: red }}", "* ".repeat(1000))),
        css(":root { --a: x; --b: var(--b) var(--c); --c: var(--b) } p::before { content: var(--b) }"),
        css("@import url(a.css); @font-face { font-family: F; src: url('data:font/ttf;base64,AAEAAAAA') } p { font-family: F }"),
        "<div style='width:1e30px;height:1e30px;margin:-1e30px;font-size:1e20px'>huge</div><p style='left:1e38px;position:fixed'>x".into(),
        "<div style='display:grid'><p style='grid-row:2147483647;grid-column:-2147483647/span 9'>x".into(),
        "<table><tr><td colspan=100000 rowspan=100000>a</td><td>b</table>".into(),
        "<img src='http://[bad'><img src='data:image/png;base64,xx'><link rel=stylesheet href='http://['><a href='//['>x".into(),
        "<!doctype html><svg viewBox='0 0 1e38 1e-38' width=1e38 height=NaN><foreignObject><p>inside</svg>".into(),
        "<iframe srcdoc='<iframe srcdoc=x>'></iframe><iframe src=page></iframe>".into(),
        format!("<p dir=rtl>{}", "\u{202e}\u{2067}abc \u{634}".repeat(3000)),
    ];
    let engine = engine();
    for html in pages {
        let start: String = html.chars().take(60).collect();
        let rendered = engine
            .render(&page(Body::html(html)))
            .unwrap_or_else(|error| panic!("{start}: {error}"));
        let pictures = rendered.capture.pictures.unwrap();
        assert!(pictures.mask.decode_rgb().unwrap().height() <= 30_000);
    }
}

#[test]
fn pages_that_overrun_their_time_do_not_pile_up() {
    // Takes a second or two: every rule is matched with every paragraph.
    let rule = |number: usize| format!(".a{number} > p:nth-child(3n+{number}) {{ color: red }}\n");
    let rules = (0..20_000).map(rule).collect::<Vec<_>>().concat();
    let slow = page(Body::html(format!(
        "<!doctype html><style>{rules}</style>{}",
        "<p>text</p>".repeat(2000)
    )));
    let engine = TestEngine::new(RenderOptions {
        limit: TimeLimit::from_ms(1),
        ..RenderOptions::default()
    });
    let errors: Vec<RenderError> = (0..6).map(|_| engine.render(&slow).unwrap_err()).collect();
    assert!(
        matches!(errors[0], RenderError::TimeOut { .. }),
        "{}",
        errors[0]
    );
    assert!(
        matches!(&errors[5], RenderError::Limit(cause) if cause.contains("still keep")),
        "{}",
        errors[5]
    );
    // The threads end, and the engine accepts pages again. Six such pages take minutes beside other
    // tests on a busy machine.
    let deadline = Instant::now() + std::time::Duration::from_mins(5);
    let small = page(Body::html("<p>text"));
    while matches!(engine.render(&small), Err(RenderError::Limit(_))) {
        assert!(Instant::now() < deadline, "the threads never ended");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn too_large_or_too_slow_pages_give_an_error() {
    let engine = TestEngine::new(RenderOptions {
        limit: TimeLimit::from_ms(1),
        ..RenderOptions::default()
    });
    let error = engine
        .render(&page(Body::html("<p>text</p>".repeat(20_000))))
        .unwrap_err();
    assert!(matches!(error, RenderError::TimeOut { .. }), "{error}");
    let error = self::engine()
        .render(&page(Body::html("<i>x</i>".repeat(MAX_NODES))))
        .unwrap_err();
    assert!(
        matches!(&error, RenderError::Limit(cause) if cause.contains("nodes")),
        "{error}"
    );
    let error = self::engine()
        .render(&page(Body::html("words ".repeat(1_000_000))))
        .unwrap_err();
    assert!(
        matches!(&error, RenderError::Limit(cause) if cause.contains("MB of text")),
        "{error}"
    );
    for viewport_px in [[0, 0], [1, 1], [u32::MAX, u32::MAX]] {
        let options = RenderOptions {
            viewport_px,
            max_height_px: 2000,
            ..RenderOptions::default()
        };
        let capture = TestEngine::new(options)
            .render(&page(Body::html("<p>text")))
            .unwrap()
            .capture;
        assert!(capture.layout.is_some());
    }
}

#[test]
fn imports_that_do_not_resolve_are_those_of_the_page_or_none() {
    let part = |kind: &str, name: &str, body: &str| {
        format!("----x\r\nContent-Type: {kind}\r\n{name}\r\n\r\n{body}\r\n")
    };
    let mhtml = [
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/dir/page\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/related; type=\"text/html\"; boundary=\"--x\"\r\n\r\n"
            .to_owned(),
        part(
            "text/html",
            "Content-Location: https://a.example/dir/page",
            "<!doctype html><link rel=stylesheet href=\"cid:c@x\"><div id=a>text</div>",
        ),
        part("text/css", "Content-ID: <c@x>", "@import url(\"../s.css\");@import 'http://['; #a { height: 30px }"),
        part("text/css", "Content-Location: https://a.example/s.css", "#a { width: 123px }"),
        "----x--\r\n".to_owned(),
    ]
    .concat();
    let capture = engine()
        .render(&page(Body::Mhtml(mhtml.into_bytes())))
        .unwrap()
        .capture;
    assert_eq!(
        (rect(&capture, "a").width, rect(&capture, "a").height),
        (123.0, 30.0)
    );
    let capture =
        render("<style>@import 'http://['; #a { width: 40px }</style><div id=a>text</div>");
    assert_eq!(rect(&capture, "a").width, 40.0);
}

#[test]
fn replaced_elements_may_have_any_display() {
    const REPLACED: [&str; 16] = [
        "<svg><path/><text>drawn</text><foreignObject><p>in it</p></foreignObject></svg>",
        "<video controls>no video <p>here</p></video>",
        "<audio controls>no audio <p>here</p></audio>",
        "<canvas>no canvas <b>here</b></canvas>",
        "<iframe srcdoc='<p>framed'>no frames</iframe>",
        "<img alt='a picture'>",
        "<object><p>no object</p></object>",
        "<embed>",
        "<input value=typed>",
        "<input type=checkbox>",
        "<textarea>written</textarea>",
        "<select><option>one<option>two</select>",
        "<button><i>push</i></button>",
        "<progress>half</progress>",
        "<meter>full</meter>",
        "<math><mi>x</mi></math>",
    ];
    const DISPLAYS: [&str; 20] = [
        "table",
        "inline-table",
        "flex",
        "inline-flex",
        "grid",
        "inline-grid",
        "contents",
        "table-row",
        "table-cell",
        "table-caption",
        "table-row-group",
        "table-header-group",
        "table-column",
        "table-column-group",
        "list-item",
        "flow-root",
        "inline",
        "inline-block",
        "block",
        "none",
    ];
    let engine = engine();
    for display in DISPLAYS {
        let parts = REPLACED.map(|element| {
            let tag = element[1..].split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap();
            format!(
                "<style>{tag} {{ display: {display} }} {tag}::before, {tag}::after {{ content: 'made' }}</style>{element}
                 <p>beside {element}</p><table><tr><td>{element}</td></tr>{element}</table>
                 <div style='display:table'>{element}<p>row</p></div><div style='display:flex'>{element}</div>"
            )
        });
        let rendered = engine.render(&page(Body::html(format!(
            "<!doctype html>{}<p>seen</p>",
            parts.concat()
        ))));
        let capture = rendered
            .unwrap_or_else(|error| panic!("{display}: {error}"))
            .capture;
        assert!(owned(&capture, "seen") > 100, "{display}");
    }
}

#[test]
fn a_caption_is_a_line_above_the_rows_of_its_table() {
    let words = "herring gulls drop mussels on rocks ".repeat(4);
    let rows = "<tr><th>name</th><td>one</td></tr><tr><th>second</th><td>two</td></tr>";
    let capture = render(&format!(
        "<!doctype html><style>caption {{ padding: 5px }} #below caption {{ caption-side: bottom }}</style>
         <table id=t><caption id=c>{words}</caption><thead><tr><th>crest</th><td>zero</td></tr></thead><tbody>{rows}</tbody></table>
         <table id=below><caption>under it</caption><tr><td>three</td></tr></table>
         <table><caption style='display:table-caption!important'>forced</caption><tr><td>four</td></tr></table>"
    ));
    let at = |name: &str| rect(&capture, name);
    assert!(
        at("crest").y < at("name").y && at("name").y < at("second").y,
        "rows are below one another"
    );
    assert_eq!((at("crest").y, at("name").y), (at("zero").y, at("one").y));
    assert_eq!((at("zero").x, at("one").x), (at("one").x, at("two").x));
    assert!(
        at("c").bottom() <= at("crest").y && at("c").height > 0.0,
        "{:?}",
        at("c")
    );
    assert!(
        at("t").width < 200.0,
        "the caption does not widen the table: {:?}",
        at("t")
    );
    assert!(at("under it").y > at("three").y && at("forced").y < at("four").y);
    for text in ["zero", "two", "under it", "forced", "four"] {
        assert!(owned(&capture, text) > 50, "{text}");
    }
}

#[test]
fn roots_that_a_script_would_show_are_shown() {
    for (rules, tag) in [
        ("html { display: none }", "html"),
        ("html { visibility: hidden }", "html"),
        ("html.wait { opacity: 0 !important }", "html"),
        ("body { display: none !important }", "body"),
        ("body { visibility: hidden !important }", "body"),
        ("body { opacity: 0; transition: opacity 1s }", "body"),
        ("html { display: none } body { opacity: 0 }", "html"),
    ] {
        let capture = render(&format!(
            "<!doctype html><html class=wait><style>{rules}</style><p>seen</p><p style='display:none'>gone</p>"
        ));
        assert!(owned(&capture, "seen") > 100, "{rules}");
        assert!(
            capture
                .layout
                .as_ref()
                .unwrap()
                .node_box(find(&capture, "gone"))
                .is_none(),
            "{rules}"
        );
        let warnings = &capture.record.warnings;
        assert!(
            warnings
                .first()
                .is_some_and(|warning| warning.contains(&format!("its {tag} element"))),
            "{warnings:?}"
        );
    }
    let ordinary = render(
        "<style>html { visibility: visible; opacity: 0.9 } body { display: flex }</style><p>seen</p>",
    );
    assert!(
        ordinary.record.warnings.is_empty(),
        "{:?}",
        ordinary.record.warnings
    );
    assert_eq!(
        ordinary
            .layout
            .as_ref()
            .unwrap()
            .style(find(&ordinary, "body"))
            .unwrap()
            .display,
        Display::Flex
    );
}

#[test]
fn parts_that_a_script_would_move_are_shown() {
    let html = "<!doctype html><p>first</p><div hidden id='S:0'><p>streamed</p></div><div hidden id=x><p>hidden</p></div>";
    let capture = render(html);
    assert!(owned(&capture, "streamed") > 100);
    assert_eq!(owned(&capture, "hidden"), 0);
}

#[test]
fn panels_are_opened_as_their_tags_are_displayed_up_to_a_limit() {
    let closed = "class=more style='display:none'";
    let capture = render(&format!(
        "<!doctype html><div id=one {closed}>one</div><ul><li id=two {closed}>two</ul><p>and <span id=three {closed}>three</span></p>"
    ));
    let display = |name| {
        capture
            .layout
            .as_ref()
            .unwrap()
            .style(find(&capture, name))
            .unwrap()
            .display
    };
    assert_eq!(
        ["one", "two", "three"].map(display),
        [Display::Block, Display::ListItem, Display::Inline]
    );
    let panels = format!("<div {closed}>of many</div>").repeat(PANEL_RULES.most + 10);
    let many = render(&format!("<!doctype html><p>seen</p>{panels}"));
    let layout = many.layout.as_ref().unwrap();
    let is_open =
        |id: &NodeId| many.dom.text(*id) == Some("of many") && !layout.lines(*id).is_empty();
    assert_eq!(many.dom.ids().filter(is_open).count(), PANEL_RULES.most);
}

#[test]
fn tables_may_span_any_number_of_columns_and_rows() {
    let wide = "<td colspan=1000 rowspan=65534>x</td>".repeat(70);
    for table in [
        "<tr><td colspan=65535>first<td colspan=65535>second".to_owned(),
        format!("<tr>{wide}<td>first<tr><td>second"),
        format!("<tr>{}<td>first<tr><td>second", "<td></td>".repeat(70_000)),
        format!(
            "{}<tr><td>first<td>second",
            format!("<tr>{}", "<td rowspan=65534 colspan=1000>x").repeat(70)
        ),
        "<tr><td colspan=0 rowspan=0>first<td colspan=-1 rowspan=x>second".to_owned(),
    ] {
        let capture = render(&format!("<table>{table}</table>"));
        for text in ["first", "second"] {
            let start: String = table.chars().take(60).collect();
            // Outside the pictures, where the table is that large, no text owns pixels.
            let (place, mask) = (rect(&capture, text), mask(&capture));
            let is_in_picture = place.x < mask.width() as f32 && place.y < mask.height() as f32;
            assert_eq!(
                owned(&capture, text) > 0,
                is_in_picture,
                "{text} at {place:?} in {start}"
            );
        }
    }
}

fn texts(capture: &Capture) -> Vec<String> {
    let texts = capture.dom.ids().filter_map(|id| capture.dom.text(id));
    texts
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect()
}

/// Renders the page `html` with these files in its folder.
fn render_beside(html: &str, files: &[(&str, &str)]) -> Capture {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }
    render_in(folder.path(), html)
}

fn render_in(folder: &Path, html: &str) -> Capture {
    let body = Body::Html {
        html: html.to_owned(),
        files: PageFiles::Folder(folder.to_path_buf()),
    };
    engine().render(&page(body)).unwrap().capture
}

#[test]
fn frames_of_the_folder_are_laid_out_in_their_boxes() {
    let html = "<!doctype html><body style='margin:0'><p>outer</p>
        <iframe id=f src='page_files/inner.html' style='border:0;display:block;margin:7px' width=300 height=200>none</iframe>
        <iframe id=s srcdoc='&lt;p>from an attribute' width=300 height=100></iframe><p>after</p>";
    let inner = "<!doctype html><link rel=stylesheet href=inner.css><body><p>inner</p>
        <table><caption>above</caption><tr><td>cell</td></tr></table><iframe src=deep.html width=100 height=50></iframe>";
    let capture = render_beside(
        html,
        &[
            ("page_files/inner.html", inner),
            (
                "page_files/inner.css",
                "body { margin: 3px } p { margin: 0 }",
            ),
            ("page_files/deep.html", "<meta charset=windows-1252><p>deep"),
        ],
    );
    let frame = rect(&capture, "f");
    assert_eq!((frame.x, frame.width, frame.height), (7.0, 300.0, 200.0));
    assert_eq!(
        (
            rect(&capture, "inner").x,
            rect(&capture, "inner").width.min(99.0)
        ),
        (10.0, rect(&capture, "inner").width)
    );
    assert!(rect(&capture, "inner").y >= frame.y + 3.0);
    assert!(rect(&capture, "above").y < rect(&capture, "cell").y);
    for text in [
        "outer",
        "inner",
        "deep",
        "from an attribute",
        "after",
        "above",
    ] {
        assert!(owned(&capture, text) > 50, "{text}");
    }
    assert!(!texts(&capture).contains(&"none".to_owned()));
    let holder = capture.dom.parent(find(&capture, "inner")).unwrap();
    let documents = capture
        .dom
        .ancestors(holder)
        .filter(|&up| capture.dom.kind(up) == NodeKind::Document)
        .count();
    assert_eq!(documents, 2);
    assert!(capture.dom.is_consistent());
}

#[test]
fn hidden_frames_and_frames_from_elsewhere_are_not_loaded() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret.html"), "<p>secret").unwrap();
    let below = folder.path().join("site");
    std::fs::create_dir(&below).unwrap();
    std::fs::write(below.join("inner.html"), "<p>inner").unwrap();
    std::fs::write(below.join("inner.txt"), "inner").unwrap();
    let frames = [
        "src=inner.html width=0 height=0",
        "src=inner.html width=1 height=1",
        "src=inner.html style='display:none'",
        "src=inner.html style='visibility:hidden'",
        "src=inner.txt",
        "src=../secret.html",
        "src=%2e%2e/secret.html",
        "src=http://a.example/inner.html",
        "src=gone.html",
        "src=about:blank",
        "src='http://['",
        "",
    ];
    let html: String = frames
        .iter()
        .map(|frame| format!("<iframe {frame}></iframe>"))
        .collect::<Vec<_>>()
        .concat();
    let html = format!(
        "<p>outer</p><div style='display:none'><iframe src=inner.html></iframe></div>{html}"
    );
    assert_eq!(texts(&render_in(&below, &html)), ["outer"]);
}

#[test]
fn frames_end() {
    let own = "<p>own</p><iframe src=page.html></iframe>";
    assert_eq!(
        texts(&render_beside(own, &[("page.html", own)])),
        ["own"],
        "a page in itself"
    );
    let other = "<p>other</p><iframe src=page.html></iframe>";
    let own = "<p>own</p><iframe src=other.html></iframe>";
    assert_eq!(
        texts(&render_beside(
            own,
            &[("page.html", own), ("other.html", other)]
        )),
        ["own", "other"]
    );
    let files: Vec<(String, String)> = (0..9)
        .map(|at| {
            (
                format!("{at}.html"),
                format!("<p>depth {at}<iframe src={}.html></iframe>", at + 1),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, html)| (name.as_str(), html.as_str()))
        .collect();
    assert_eq!(
        texts(&render_beside("<iframe src=0.html></iframe>", &files)),
        ["depth 0", "depth 1", "depth 2"]
    );
    let many = format!(
        "<p>outer</p>{}",
        "<iframe src=inner.html></iframe>".repeat(50)
    );
    assert_eq!(
        texts(&render_beside(&many, &[("inner.html", "<p>inner")])).len(),
        21
    );
}

#[test]
fn the_frames_of_a_frame_set_are_as_tall_as_their_documents() {
    let long = format!("<body>{}<p>the end</p>", "<p>line</p>".repeat(100));
    let html = "<frameset cols='25%,*'><frame src=left.html><frame src=right.html><noframes>no frames</noframes></frameset>";
    let capture = render_beside(html, &[("left.html", "<p>left"), ("right.html", &long)]);
    let at = ["left", "the end"].map(|text| rect(&capture, text));
    assert!(at[0].x < 320.0 && at[1].x >= 320.0, "{at:?}");
    assert!(rect(&capture, "the end").y > 1024.0);
    assert!(owned(&capture, "left") > 50 && owned(&capture, "the end") > 50);
}

#[test]
fn frames_of_an_mhtml_file_are_found_by_their_address() {
    let part = |kind: &str, name: &str, body: &str| {
        format!("----x\r\nContent-Type: {kind}\r\n{name}\r\n\r\n{body}\r\n")
    };
    let mhtml = [
        "From: <Saved>\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/related; type=\"text/html\"; boundary=\"--x\"\r\n\r\n"
            .to_owned(),
        part(
            "text/html",
            "Content-Location: https://a.example/dir/page",
            "<p>top</p><iframe src=\"inner.html#part\" width=200 height=100></iframe><iframe src=page></iframe>",
        ),
        part(
            "text/html",
            "Content-Location: https://a.example/dir/inner.html",
            "<link rel=stylesheet href=inner.css><p id=narrow>inner</p><iframe src=../deep.html></iframe>",
        ),
        part("text/html", "Content-Location: https://a.example/deep.html", "<p>deep</p>"),
        part("text/css", "Content-Location: https://a.example/dir/inner.css", "#narrow { width: 44px }"),
        "----x--\r\n".to_owned(),
    ]
    .concat();
    let capture = engine()
        .render(&page(Body::Mhtml(mhtml.into_bytes())))
        .unwrap()
        .capture;
    assert_eq!(texts(&capture), ["top", "inner", "deep"]);
    assert_eq!(rect(&capture, "narrow").width, 44.0);
    assert!(owned(&capture, "inner") > 50);
}

#[test]
fn a_page_without_frames_to_load_is_laid_out_once() {
    let warnings = render("<p>text</p><iframe src=gone.html></iframe>")
        .record
        .warnings;
    assert!(warnings.is_empty(), "{warnings:?}");
}
