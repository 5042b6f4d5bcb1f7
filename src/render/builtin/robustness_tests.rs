//! Tests of pages on which the engine itself would fail, or show nothing.

use super::test_pages::{engine, find, mask, owned, page, rect, render};
use super::*;
use crate::capture::Display;

#[test]
fn imports_that_do_not_resolve_are_those_of_the_page_or_none() {
    let part =
        |kind: &str, name: &str, body: &str| format!("----x\r\nContent-Type: {kind}\r\n{name}\r\n\r\n{body}\r\n");
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
    let capture = engine().render(&page(Body::Mhtml(mhtml.into_bytes()))).unwrap().capture;
    assert_eq!((rect(&capture, "a").width, rect(&capture, "a").height), (123.0, 30.0));
    let capture = render("<style>@import 'http://['; #a { width: 40px }</style><div id=a>text</div>");
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
        let rendered = engine.render(&page(Body::html(format!("<!doctype html>{}<p>seen</p>", parts.concat()))));
        let capture = rendered.unwrap_or_else(|error| panic!("{display}: {error}")).capture;
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
    assert!(at("crest").y < at("name").y && at("name").y < at("second").y, "rows are below one another");
    assert_eq!((at("crest").y, at("name").y), (at("zero").y, at("one").y));
    assert_eq!((at("zero").x, at("one").x), (at("one").x, at("two").x));
    assert!(at("c").bottom() <= at("crest").y && at("c").height > 0.0, "{:?}", at("c"));
    assert!(at("t").width < 200.0, "the caption does not widen the table: {:?}", at("t"));
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
        assert!(capture.layout.as_ref().unwrap().node_box(find(&capture, "gone")).is_none(), "{rules}");
        let warnings = &capture.record.warnings;
        assert!(
            warnings.first().is_some_and(|warning| warning.contains(&format!("its {tag} element"))),
            "{warnings:?}"
        );
    }
    let ordinary =
        render("<style>html { visibility: visible; opacity: 0.9 } body { display: flex }</style><p>seen</p>");
    assert!(ordinary.record.warnings.is_empty(), "{:?}", ordinary.record.warnings);
    assert_eq!(ordinary.layout.as_ref().unwrap().style(find(&ordinary, "body")).unwrap().display, Display::Flex);
}

#[test]
fn parts_that_a_script_would_move_are_shown() {
    let html =
        "<!doctype html><p>first</p><div hidden id='S:0'><p>streamed</p></div><div hidden id=x><p>hidden</p></div>";
    let capture = render(html);
    assert!(owned(&capture, "streamed") > 100);
    assert_eq!(owned(&capture, "hidden"), 0);
}

#[test]
fn tables_may_span_any_number_of_columns_and_rows() {
    let wide = "<td colspan=1000 rowspan=65534>x</td>".repeat(70);
    for table in [
        "<tr><td colspan=65535>first<td colspan=65535>second".to_owned(),
        format!("<tr>{wide}<td>first<tr><td>second"),
        format!("<tr>{}<td>first<tr><td>second", "<td></td>".repeat(70_000)),
        format!("{}<tr><td>first<td>second", format!("<tr>{}", "<td rowspan=65534 colspan=1000>x").repeat(70)),
        "<tr><td colspan=0 rowspan=0>first<td colspan=-1 rowspan=x>second".to_owned(),
    ] {
        let capture = render(&format!("<table>{table}</table>"));
        for text in ["first", "second"] {
            let start: String = table.chars().take(60).collect();
            // Outside the pictures, where the table is that large, no text owns pixels.
            let (place, mask) = (rect(&capture, text), mask(&capture));
            let is_in_picture = place.x < mask.width() as f32 && place.y < mask.height() as f32;
            assert_eq!(owned(&capture, text) > 0, is_in_picture, "{text} at {place:?} in {start}");
        }
    }
}
