//! Tests the verb `explain`: text, JSON, pictures, and words that are in no block.

use crate::program::{one_browser, vclean};
use crate::support::fixtures;
use serde_json::Value;

fn article() -> String {
    fixtures()
        .join("site/article/index.html")
        .display()
        .to_string()
}

#[test]
fn a_block_of_bare_html_is_explained() {
    let page = article();
    let outcome = vclean(["explain", &page, "--at", "FOR forty-one   years"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    for part in [
        "model static",
        "kept: \"For forty-one years",
        "label       content",
        "/article[1]/p[",
        "neighbor -1",
        "structural.",
    ] {
        assert!(outcome.stdout.contains(part), "{part}: {}", outcome.stdout);
    }
    let json = vclean([
        "explain",
        &page,
        "--at",
        "for forty-one years",
        "--format",
        "json",
    ]);
    let read: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&read["blocks"][0]["label"], &read["page"]["model"]),
        (&"content".into(), &"static".into())
    );
    let published = vclean([
        "explain",
        &page,
        "--at",
        "for forty-one years",
        "--method",
        "justext",
    ]);
    assert!(
        published.stdout.contains("decided by justext"),
        "{}{}",
        published.stdout,
        published.stderr
    );
}

#[test]
fn what_cannot_be_explained_says_why() {
    let page = article();
    let missing = vclean(["explain", &page, "--at", "for forty-one yeers"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(2), ""));
    assert!(
        missing
            .stderr
            .contains("the nearest is \"For forty-one years"),
        "{}",
        missing.stderr
    );
    let picture = vclean([
        "explain",
        &page,
        "--at",
        "for forty-one years",
        "--picture",
        "/nowhere/x.png",
    ]);
    assert_eq!(picture.code, Some(2));
    assert!(
        picture.stderr.contains("not rendered") && picture.stderr.contains("--render"),
        "{}",
        picture.stderr
    );
    for (arguments, cause) in [
        (
            ["explain", "https://a.example/", "--at", "x"].as_slice(),
            "add --render",
        ),
        (
            &["explain", &page, "--at", "x", "--engine", "builtin"],
            "--render",
        ),
        (
            &[
                "explain",
                &fixtures().join("site").display().to_string(),
                "--at",
                "x",
            ],
            "several pages",
        ),
    ] {
        let outcome = vclean(arguments);
        assert!(
            outcome.code == Some(1) && outcome.stderr.contains(cause),
            "{}",
            outcome.stderr
        );
    }
}

#[test]
fn a_rendered_block_is_framed_on_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let _alone = one_browser();
    let engines: &[&str] = if cfg!(feature = "builtin") {
        &["builtin", "chromium"]
    } else {
        &["chromium"]
    };
    for engine in engines {
        let file = folder
            .path()
            .join(format!("{engine}.png"))
            .display()
            .to_string();
        let outcome = vclean([
            "explain",
            &article(),
            "--render",
            "--engine",
            engine,
            "--no-sandbox",
            "--at",
            "accept all",
            "--picture",
            &file,
        ]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(
            outcome.stdout.contains(&format!("rendered by {engine}")),
            "{}",
            outcome.stdout
        );
        assert!(
            outcome.stdout.contains("dropped: \"Accept all\"") && outcome.stdout.contains("  box "),
            "{}",
            outcome.stdout
        );
        let picture = image::open(&file).unwrap().to_rgb8();
        // The picture shows the whole width of the page around the block, which has a red frame.
        assert!(
            picture.width() == 1280 && (200..=700).contains(&picture.height()),
            "{:?}",
            picture.dimensions()
        );
        let red = picture
            .pixels()
            .filter(|pixel| pixel.0 == [214, 39, 40])
            .count();
        assert!(red > 500, "{red}");
    }
}
