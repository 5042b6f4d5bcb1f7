//! Tests the labelling page on pictures, on the tutorial, on hostile pages, and on errors.

use crate::annotate_client::{Annotate, html, pages, text, write};
use crate::program::vclean;
use serde_json::json;
use std::fs;

#[test]
#[cfg(feature = "builtin")]
fn rendered_pages_have_pictures_and_the_tutorial_explains_them() {
    let (folder, pages) = pages(&["a"]);
    let out = folder.path().join("gold");
    let server = Annotate::start(&[&text(&pages), "--engine", "builtin", "--out", &text(&out)]);
    let page = server.page(0);
    let (width, height) = (
        page["width_px"].as_u64().unwrap(),
        page["height_px"].as_u64().unwrap(),
    );
    assert!(width > 500 && height > 100 && page["tile_height_px"].as_u64().unwrap() > 0);
    for block in page["blocks"].as_array().unwrap() {
        let place: Vec<u64> = block["box"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value.as_u64().unwrap())
            .collect();
        assert!(
            place[0] + place[2] <= width && place[1] + place[3] <= height,
            "{block}"
        );
    }
    let tile = server.get("/api/pages/0/tiles/0");
    assert_eq!(
        (tile.status, tile.header("content-type")),
        (200, Some("image/png"))
    );
    let (tile_width, tile_height) = image::load_from_memory(&tile.body)
        .unwrap()
        .to_rgb8()
        .dimensions();
    assert_eq!(u64::from(tile_width), width);
    assert_eq!(
        u64::from(tile_height),
        height.min(page["tile_height_px"].as_u64().unwrap())
    );
    assert_eq!(server.get("/api/pages/0/tiles/999999999999").status, 404);
    assert!(out.join("captures/a/screenshot.png").exists() && out.join("pages/a.html").exists());
    drop(server);
    // The capture is labelled again without rendering, and training uses these labels.
    let server = Annotate::start(&[&text(&out.join("captures")), "--out", &text(&out)]);
    assert_eq!(
        server.page(server.page_of("a"))["width_px"].as_u64(),
        Some(width)
    );
    drop(server);

    let server = Annotate::start(&["--tutorial"]);
    let project = server.project();
    assert_eq!(
        (
            project["mode"].as_str(),
            project["pages"].as_array().unwrap().len()
        ),
        (Some("tutorial"), 8)
    );
    assert!(project["agreement"].is_null());
    let page = server.page(0);
    assert!(page["height_px"].as_u64() > Some(100));
    let blocks = page["blocks"].as_array().unwrap();
    assert!(
        blocks.iter().all(|block| block["lesson"]
            .as_str()
            .is_some_and(|lesson| lesson.len() > 20)),
        "{page}"
    );
    let told = server.set(0, &[(0, "boilerplate"), (1, "content")]);
    let right: Vec<bool> = told["feedback"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["right"].as_bool().unwrap())
        .collect();
    assert_eq!(right, [true, false], "{told}");
    let agreement = &server.project()["agreement"];
    assert_eq!(
        (agreement["blocks"].as_u64(), agreement["percent"].as_f64()),
        (Some(2), Some(50.0)),
        "{agreement}"
    );
}

#[test]
fn hostile_pages_and_requests_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("pages");
    let hostile = "<script>alert(1)</script> \u{202e}drawkcab\u{2066} <img src=x onerror=alert(1)>";
    let escaped = hostile.replace('&', "&amp;").replace('<', "&lt;");
    let many = "<p>A row of the long list of rows.</p>".repeat(5000);
    let long = "word ".repeat(200_000);
    write(&pages.join("many.html"), &format!("<body>{many}</body>"));
    write(
        &pages.join("long.html"),
        &format!("<body><p>{long}</p><p>{escaped}</p></body>"),
    );
    write(&pages.join("a\\..:b.html"), &html("A strange name"));
    write(
        &pages.join("broken.mhtml"),
        "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n",
    );
    let out = folder.path().join("gold");
    let server = Annotate::start(&[&text(&pages), "--out", &text(&out)]);
    let project = server.project();
    let rows = project["pages"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    assert!(
        rows[3]["error"].as_str().is_some() && rows[3]["id"] == "broken",
        "{project}"
    );
    assert_eq!(server.get("/api/pages/3").status, 422);
    let strange = rows
        .iter()
        .position(|row| row["id"].as_str().unwrap().ends_with("a_.._b"))
        .unwrap();
    server.set(strange as u64, &[(0, "content")]);
    server.done(strange as u64);
    let outside: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(outside.len(), 2, "{outside:?}");

    let many = server.page_of("many");
    let all: Vec<(usize, &str)> = (0..5000).map(|block| (block, "content")).collect();
    assert_eq!(
        server.set(many, &all)["changed"].as_array().unwrap().len(),
        5000
    );
    let long = server.page_of("long");
    let blocks = server.page(long)["blocks"].as_array().unwrap().clone();
    assert_eq!(
        (
            blocks[0]["length"].as_u64(),
            blocks[0]["text"].as_str().unwrap().len()
        ),
        (Some(999_999), 2000)
    );
    let whole = server.get(&format!("/api/pages/{long}/blocks/0/text"));
    assert_eq!(
        (whole.header("content-type"), whole.body.len()),
        (Some("text/plain; charset=utf-8"), 999_999)
    );
    assert!(
        blocks[1]["text"]
            .as_str()
            .unwrap()
            .contains("<script>alert(1)</script>")
    );

    let changes = format!("/api/pages/{long}/changes");
    let post = |body: &[u8]| {
        server
            .send(
                "POST",
                &changes,
                &[("Content-Type", "application/json"), ("X-Vclean", "1")],
                body,
            )
            .status
    };
    assert_eq!(post(&vec![b' '; 9 << 20]), 413);
    for body in [
        "",
        "{",
        "[]",
        "{\"revision\": 0}",
        "{\"revision\": -1, \"kind\": \"undo\"}",
    ] {
        assert_eq!(post(body.as_bytes()), 400, "{body}");
    }
    for change in [
        json!({"block": 99, "label": "content"}),
        json!({"block": 0, "label": "good"}),
        json!({"block": 0, "label": "content", "path": "../.."}),
        json!({"block": -1, "label": "content"}),
    ] {
        assert_eq!(
            post(
                json!({"revision": 0, "kind": "set", "changes": [change]})
                    .to_string()
                    .as_bytes()
            ),
            400
        );
    }
    for path in [
        "/api/pages/4",
        "/api/pages/-1",
        "/api/pages/x",
        "/api/pages/0/blocks/99999/text",
        "/../Cargo.toml",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert_eq!(server.send("DELETE", "/api/project", &[], b"").status, 405);
    assert_eq!(server.page(long)["revision"], 0, "nothing was changed");
}

#[test]
fn what_prevents_labelling_is_named() {
    let (folder, pages) = pages(&["a"]);
    let out = folder.path().join("gold");
    let server = Annotate::start(&[&text(&pages), "--out", &text(&out)]);
    let refused = |arguments: &[&str], words: &[&str]| {
        let failed = vclean([&["lab", "annotate", &text(&pages)], arguments].concat());
        assert!(
            failed.code == Some(1) && failed.stdout.is_empty(),
            "{}",
            failed.stdout
        );
        assert!(
            words.iter().all(|word| failed.stderr.contains(word)),
            "{words:?} in {}",
            failed.stderr
        );
    };
    refused(
        &["--out", &text(&out)],
        &["another program labels", "--annotator"],
    );
    let port = server.port.to_string();
    refused(
        &[
            "--out",
            &text(&folder.path().join("other")),
            "--port",
            &port,
        ],
        &[&port, "--port"],
    );
    refused(&["--out", &text(&pages.join("a.html"))], &["a.html"]);
    refused(&["--out", "/proc/nowhere"], &["/proc/nowhere"]);
    refused(
        &["--out", &text(&out), "--annotator", "../x"],
        &["../x", "--annotator"],
    );
    refused(
        &["--out", &text(&out), "--order", "best"],
        &["expected, given"],
    );
    let address = vclean([
        "lab",
        "annotate",
        "https://example.org/",
        "--out",
        &text(&folder.path().join("none")),
    ]);
    assert!(
        address.stderr.contains("vclean render")
            && address.stderr.contains("no page that can be labelled")
    );
    assert_eq!((address.code, address.stdout.as_str()), (Some(1), ""));
    server.set(0, &[(0, "content")]);
    drop(server);
    // The page has changed since: its labels belong to other blocks, so it is another page.
    write(
        &pages.join("a.html"),
        "<body><p>Something else stands here now, and it is long enough to be a text.</p></body>",
    );
    let server = Annotate::start(&[&text(&pages), "--out", &text(&out)]);
    let project = server.project();
    assert!(
        project["pages"][0]["id"].as_str().unwrap().ends_with("-a")
            && project["pages"][0]["labelled"] == 0,
        "{project}"
    );
    // Another capture under the same name.
    drop(server);
    let journal = out.join("annotations/me/b.jsonl");
    write(
        &journal,
        &fs::read_to_string(out.join("annotations/me/a.jsonl")).unwrap(),
    );
    write(&pages.join("b.html"), &html("A story of nobody"));
    let server = Annotate::start(&[&text(&pages), "--out", &text(&out)]);
    let project = server.project();
    let error = project["pages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|page| page["id"] == "b")
        .unwrap()["error"]
        .to_string();
    assert!(
        error.contains("other blocks") && error.contains("b.jsonl"),
        "{error}"
    );
}

#[test]
fn a_second_window_on_a_page_is_told() {
    let (folder, pages) = pages(&["a"]);
    let server = Annotate::start(&[&text(&pages), "--out", &text(&folder.path().join("gold"))]);
    let others =
        |tab: &str| server.post("/api/pages/0/tab", &json!({"tab": tab})).json()["others"].clone();
    assert_eq!(
        (others("one"), others("two"), others("one")),
        (json!(0), json!(1), json!(1))
    );
}
