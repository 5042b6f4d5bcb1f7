//! Tests bad input: one clear line per failed page, exit code 2, and all other pages are written.

use crate::program::{Outcome, files, one_browser, text_named, vclean};
use crate::support::{STILL_READ, Server, fixtures};
use std::path::Path;
use std::time::Duration;

/// Renders and cleans `pages` into `out`.
fn run(pages: &[String], out: &Path, more: &[&str]) -> Outcome {
    let mut arguments = vec![
        "render-and-clean".to_owned(),
        "--allow-private".into(),
        "--format".into(),
        "text".into(),
    ];
    arguments.extend(["--out".to_owned(), out.display().to_string()]);
    arguments.extend(more.iter().map(|&s| s.to_owned()));
    arguments.extend(pages.iter().cloned());
    let _alone = one_browser();
    vclean(&arguments)
}

#[test]
fn failed_pages_give_one_line_each_and_the_rest_is_written() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let nobody = {
        // A port that nothing listens on.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    let no_captures = folder.path().join("no-captures");
    std::fs::create_dir(&no_captures).unwrap();
    let damaged = folder.path().join("damaged");
    std::fs::create_dir(&damaged).unwrap();
    std::fs::write(damaged.join("capture.json"), "{\"format\": 1, ").unwrap();
    let newer = folder.path().join("newer");
    std::fs::create_dir(&newer).unwrap();
    std::fs::write(newer.join("capture.json"), "{\"format\": 999}").unwrap();

    let file = |path: &Path| path.display().to_string();
    let bad: Vec<(String, &[&str])> = vec![
        (nobody, &["refuse"]),
        ("http://no-such-host.invalid/".to_owned(), &[]),
        (server.url("status/404"), &["404"]),
        (server.url("status/500"), &["500"]),
        (server.url("pdf"), &["pdf"]),
        (server.url("download"), &[]),
        (server.url("redirect-loop"), &["redirect"]),
        (server.url("redirect-file"), &[]),
        (server.url("drop"), &[]),
        (format!("https://127.0.0.1:{}/article/", server.port()), &[]),
        (
            file(&fixtures().join("bad/missing.html")),
            &["no such file"],
        ),
        (file(&fixtures().join("bad/not-html.pdf")), &["pdf"]),
        (file(&fixtures().join("bad/binary.html")), &[]),
        (file(&fixtures().join("bad/truncated.mhtml")), &[]),
        (file(&no_captures), &["capture"]),
    ];
    let good = [
        server.url("german/"),
        file(&fixtures().join("site/french/index.html")),
        server.url("greek/"),
    ];
    // The good pages are first, in the middle and last.
    let mut pages: Vec<String> = bad.iter().map(|(page, _)| page.clone()).collect();
    pages.insert(0, good[0].clone());
    pages.insert(pages.len() / 2, good[1].clone());
    pages.push(good[2].clone());
    let outcome = run(&pages, &out, &["--timeout", "20"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    for (page, words) in &bad {
        outcome.assert_fails(page, words);
    }
    let errors = outcome
        .problems()
        .iter()
        .filter(|line| !line.contains(": warning: "))
        .count();
    assert_eq!(
        errors,
        bad.len(),
        "nothing but the failures:\n{}",
        outcome.stderr
    );
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    assert_eq!(
        files(&out).len(),
        good.len(),
        "failed pages leave no file: {:?}",
        files(&out).keys()
    );
    assert!(text_named(&out, "german").contains("Das Becken hatte Risse"));
    assert!(text_named(&out, "index").contains("Il n’y a ni carte ni amende"));
    assert!(text_named(&out, "greek").contains("Η πρώτη χρονιά"));

    let captures = vclean(["clean", &file(&damaged), &file(&newer)]);
    assert_eq!(captures.code, Some(2), "{}", captures.stderr);
    captures.assert_fails(&file(&damaged), &["damaged", "render the page again"]);
    captures.assert_fails(&file(&newer), &["999"]);
}

#[test]
fn what_is_no_page_is_refused_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let noise: Vec<u8> = (0..9000u32)
        .map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let wet = b"WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ntext\r\n\r\n";
    let wat =
        b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}\r\n\r\n";
    let font = [&b"\0\x01\0\0\0\x12\x01\0\0\x04\0\x20"[..], &noise].concat();
    let files: [(&str, &[u8], &str); 8] = [
        ("font.html", &font, "a font"),
        (
            "code.html",
            &[&b"\xcb\x0d\x0d\x0a<p>"[..], &noise].concat(),
            "not text",
        ),
        (
            "catalog.html",
            b"\xde\x12\x04\x95\0\0\0\0\x02\0\0\0<p>text",
            "translations",
        ),
        ("crawl.lz4", b"\x04\x22\x4d\x18\x64\x40\xa7rest", "LZ4"),
        (
            "old.html",
            b"filedesc://x.arc 0.0.0.0 19960923142103 text/plain 0\n",
            "an ARC archive",
        ),
        ("empty.warc", b"", "the archive is empty"),
        (
            "text.warc.wet.gz",
            wet,
            "plain text extracted from pages (WET)",
        ),
        ("about.warc.gz", wat, "metadata of pages (WAT)"),
    ];
    let paths: Vec<String> = files
        .iter()
        .map(|(name, bytes, _)| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path.display().to_string()
        })
        .collect();
    let outcome = vclean(
        ["clean"]
            .into_iter()
            .chain(paths.iter().map(String::as_str)),
    );
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (Some(2), ""),
        "{}",
        outcome.stderr
    );
    for (path, (_, _, cause)) in paths.iter().zip(files) {
        outcome.assert_fails(path, &[cause]);
    }
}

/// Reading `/dev/zero` would never end, and a pipe without a writer would block.
#[test]
fn files_do_not_reach_out_of_a_capture_and_many_pages_are_read_from_files_only() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    std::fs::write(
        &page,
        format!("<h1>Title</h1><p>{STILL_READ}, and read it aloud.</p>"),
    )
    .unwrap();
    let kept = folder.path().join("kept");
    {
        let _alone = one_browser();
        let outcome = vclean([Path::new("render"), &page, Path::new("--out"), &kept]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    }
    let capture = kept.join("page");
    for name in ["dom.json.gz", "screenshot.png", "mask.png", "capture.json"] {
        let file = capture.join(name);
        let saved = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        symlink("/dev/zero", &file).unwrap();
        let outcome = vclean([Path::new("clean"), &capture]);
        assert_eq!(outcome.code, Some(2), "{name}: {}", outcome.stderr);
        outcome.assert_fails(&capture.display().to_string(), &[name, "a link"]);
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, saved).unwrap();
    }
    assert_eq!(vclean([Path::new("clean"), &capture]).code, Some(0));

    for name in ["a.warc.gz", "a.wacz", "a.parquet", "a.jsonl", "a.arc"] {
        let path = folder.path().join(name);
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        let outcome = vclean([Path::new("clean"), &path]);
        assert_eq!(outcome.code, Some(2), "{name}: {}", outcome.stderr);
        outcome.assert_fails(&path.display().to_string(), &["a pipe", "a regular file"]);
    }
    let zero = vclean(["clean", "/dev/zero"]);
    zero.assert_fails("/dev/zero", &["a device"]);
    // A single page may come from a pipe or through a symbolic link.
    let link = folder.path().join("link.html");
    symlink(&page, &link).unwrap();
    let linked = vclean([Path::new("clean"), &link]);
    assert!(
        linked.code == Some(0) && linked.stdout.contains("every window"),
        "{}",
        linked.stderr
    );
    let piped =
        crate::program::vclean_reading(["clean", "/dev/stdin"], std::fs::read(&page).unwrap());
    assert!(
        piped.code == Some(0) && piped.stdout.contains("every window"),
        "{}",
        piped.stderr
    );
}

#[test]
fn pages_that_never_end_time_out() {
    let server = Server::start();
    let out = tempfile::tempdir().unwrap();
    let pages = [
        server.url("slow"),
        server.url("german/"),
        server.url("hang"),
        server.url("french/"),
    ];
    let outcome = run(&pages, out.path(), &["--timeout", "6", "--jobs", "2"]);
    // One retry per page is allowed.
    assert!(
        outcome.took < Duration::from_mins(1),
        "took {:?}",
        outcome.took
    );
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    outcome.assert_fails(&server.url("hang"), &[]);
    assert!(text_named(out.path(), "german").contains("Das Becken hatte Risse"));
    assert!(text_named(out.path(), "french").contains("Il n’y a ni carte ni amende"));
}

/// Asserts that each page is either cleaned or reported in one line, and that the program and the
/// next page are not affected.
fn assert_survives(names: &[&str], timeout: &str, must_read: &[&str]) {
    let server = Server::start();
    let out = tempfile::tempdir().unwrap();
    let mut pages: Vec<String> = names.iter().map(|name| server.url(name)).collect();
    pages.push(server.url("german/"));
    let outcome = run(&pages, out.path(), &["--timeout", timeout, "--jobs", "1"]);
    let failed = pages
        .iter()
        .filter(|page| {
            !outcome
                .lines_on(page)
                .iter()
                .all(|line| line.contains(": warning: "))
        })
        .count();
    assert_eq!(
        outcome.code,
        Some(if failed > 0 { 2 } else { 0 }),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    assert_eq!(
        files(out.path()).len(),
        pages.len() - failed,
        "{}",
        outcome.stderr
    );
    assert!(
        text_named(out.path(), "german").contains("Das Becken hatte Risse"),
        "{}",
        outcome.stderr
    );
    for name in must_read {
        assert!(
            text_named(out.path(), name).contains(STILL_READ),
            "{name}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn misbehaving_scripts_do_not_stop_the_program_or_the_next_page() {
    assert_survives(
        &["alert-loop", "popup", "endless-scripts"],
        "10",
        &["popup"],
    );
}

#[test]
fn huge_pages_do_not_stop_the_program_or_the_next_page() {
    assert_survives(&["deep", "bomb", "huge"], "25", &[]);
}

#[test]
fn pages_over_a_limit_are_refused_while_they_load() {
    let server = Server::start();
    let out = tempfile::tempdir().unwrap();
    let pages = [server.url("bomb"), server.url("blocks")];
    let outcome = run(&pages, out.path(), &["--jobs", "1"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    for cause in [
        "the document has more than the 64 MB a page may have",
        "the page has more than the 50000 text blocks a page may have",
    ] {
        assert!(outcome.stderr.contains(cause), "{}", outcome.stderr);
    }
}

#[test]
fn huge_files_do_not_stop_the_program_without_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("deep.html");
    let page = format!(
        "<p>{STILL_READ}</p>{}deep{}",
        "<div>".repeat(100_000),
        "</div>".repeat(100_000)
    );
    std::fs::write(&deep, page).unwrap();
    let outcome = vclean([
        Path::new("clean"),
        &deep,
        &fixtures().join("bad/attributes.html"),
        &fixtures().join("bad/empty.html"),
    ]);
    assert!(
        matches!(outcome.code, Some(0 | 2)),
        "{:?} {}",
        outcome.code,
        outcome.stderr
    );
    assert!(
        !outcome.stderr.contains("panicked") && !outcome.stderr.contains("overflow"),
        "{}",
        outcome.stderr
    );
}
