//! Tests of frames: which documents are loaded, and where they are laid out.

use super::test_pages::{engine, find, owned, page, rect, render};
use super::*;
use crate::capture::NodeKind;
use std::path::Path;

fn texts(capture: &Capture) -> Vec<String> {
    let texts = capture.dom.ids().filter_map(|id| capture.dom.text(id));
    texts.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
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
    let body = Body::Html { html: html.to_owned(), beside: Beside::Folder(folder.to_path_buf()) };
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
            ("page_files/inner.css", "body { margin: 3px } p { margin: 0 }"),
            ("page_files/deep.html", "<meta charset=windows-1252><p>deep"),
        ],
    );
    let frame = rect(&capture, "f");
    assert_eq!((frame.x, frame.width, frame.height), (7.0, 300.0, 200.0));
    assert_eq!(
        (rect(&capture, "inner").x, rect(&capture, "inner").width.min(99.0)),
        (10.0, rect(&capture, "inner").width)
    );
    assert!(rect(&capture, "inner").y >= frame.y + 3.0);
    assert!(rect(&capture, "above").y < rect(&capture, "cell").y);
    for text in ["outer", "inner", "deep", "from an attribute", "after", "above"] {
        assert!(owned(&capture, text) > 50, "{text}");
    }
    assert!(!texts(&capture).contains(&"none".to_owned()));
    let holder = capture.dom.parent(find(&capture, "inner")).unwrap();
    let documents = capture.dom.ancestors(holder).filter(|&up| capture.dom.kind(up) == NodeKind::Document).count();
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
    let html: String = frames.iter().map(|frame| format!("<iframe {frame}></iframe>")).collect::<Vec<_>>().concat();
    let html = format!("<p>outer</p><div style='display:none'><iframe src=inner.html></iframe></div>{html}");
    assert_eq!(texts(&render_in(&below, &html)), ["outer"]);
}

#[test]
fn frames_end() {
    let own = "<p>own</p><iframe src=page.html></iframe>";
    assert_eq!(texts(&render_beside(own, &[("page.html", own)])), ["own"], "a page in itself");
    let other = "<p>other</p><iframe src=page.html></iframe>";
    let own = "<p>own</p><iframe src=other.html></iframe>";
    assert_eq!(texts(&render_beside(own, &[("page.html", own), ("other.html", other)])), ["own", "other"]);
    let files: Vec<(String, String)> = (0..9)
        .map(|at| (format!("{at}.html"), format!("<p>depth {at}<iframe src={}.html></iframe>", at + 1)))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, html)| (name.as_str(), html.as_str())).collect();
    assert_eq!(texts(&render_beside("<iframe src=0.html></iframe>", &files)), ["depth 0", "depth 1", "depth 2"]);
    let many = format!("<p>outer</p>{}", "<iframe src=inner.html></iframe>".repeat(50));
    assert_eq!(texts(&render_beside(&many, &[("inner.html", "<p>inner")])).len(), 21);
}

#[test]
fn the_frames_of_a_frame_set_are_as_tall_as_their_documents() {
    let long = format!("<body>{}<p>the end</p>", "<p>line</p>".repeat(100));
    let html =
        "<frameset cols='25%,*'><frame src=left.html><frame src=right.html><noframes>no frames</noframes></frameset>";
    let capture = render_beside(html, &[("left.html", "<p>left"), ("right.html", &long)]);
    let at = ["left", "the end"].map(|text| rect(&capture, text));
    assert!(at[0].x < 320.0 && at[1].x >= 320.0, "{at:?}");
    assert!(rect(&capture, "the end").y > 1024.0);
    assert!(owned(&capture, "left") > 50 && owned(&capture, "the end") > 50);
}

#[test]
fn frames_of_an_mhtml_file_are_found_by_their_address() {
    let part =
        |kind: &str, name: &str, body: &str| format!("----x\r\nContent-Type: {kind}\r\n{name}\r\n\r\n{body}\r\n");
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
    let capture = engine().render(&page(Body::Mhtml(mhtml.into_bytes()))).unwrap().capture;
    assert_eq!(texts(&capture), ["top", "inner", "deep"]);
    assert_eq!(rect(&capture, "narrow").width, 44.0);
    assert!(owned(&capture, "inner") > 50);
}

#[test]
fn a_page_without_frames_to_load_is_laid_out_once() {
    let warnings = render("<p>text</p><iframe src=gone.html></iframe>").record.warnings;
    assert!(warnings.is_empty(), "{warnings:?}");
}
