//! Tests that pages of a site help to clean each other: `site-memory` learns, `--site-memory` uses
//! it.

use crate::program::vclean;
use serde_json::json;
use std::fs;
use std::path::Path;

/// A sentence on every page of the site that nothing marks as boilerplate.
const NOTICE: &str =
    "The harbor office has kept the records of this coast since the winter of 1871.";

/// Texts that occur on only one page each.
const STORIES: &[&str] = &[
    "The ferry came late on Monday, because the wind had turned in the night and the pilot did not want to pass the bar.",
    "Two boats lay at the old pier and nobody knew to whom they belonged; the children painted one of them blue.",
    "A letter arrived from the north, with a drawing of a lamp that burns for seven weeks without being filled.",
    "In March the seals went away from the rocks below the church, as they do once in ten years, and came back in May.",
    "The new keeper could not sleep for the noise of the bell, so she learned to count its strokes and fell asleep at forty.",
    "They found the anchor of the Marigold where the chart shows seven fathoms, under a hill of shells as high as a man.",
];

/// Makes a page of the site.
fn page(number: usize, story: &str) -> String {
    format!(
        "<html><title>Day {number}</title><body><div class='entry entry-{number}'><h1>Day {number} at the harbor</h1>\
         <p>{story}</p><p>{story} That was all there was to tell of day {number}.</p></div>\
         <div class=office><p>{NOTICE}</p></div></body></html>"
    )
}

/// Writes JSON lines with the pages of a site.
fn pages(folder: &Path) -> String {
    let line = |(number, story): (usize, &&str)| {
        let (id, url) = (
            format!("day-{number}"),
            format!("https://harbor.example/day/{number}"),
        );
        json!({"id": id, "url": url, "html": page(number, story)}).to_string()
    };
    let file = folder.join("pages.jsonl");
    fs::write(
        &file,
        STORIES
            .iter()
            .enumerate()
            .map(line)
            .collect::<Vec<_>>()
            .join("\n"),
    )
    .unwrap();
    file.display().to_string()
}

#[test]
fn what_all_pages_of_a_site_repeat_is_dropped_and_what_each_has_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(folder.path());
    let memory = folder.path().join("sites.memory").display().to_string();
    let learned = vclean(["site-memory", &pages, "--out", &memory, "--jobs", "3"]);
    assert_eq!(
        (learned.code, learned.stdout.as_str()),
        (Some(0), ""),
        "{}",
        learned.stderr
    );
    assert!(
        learned.stderr.contains("knows 1 site with 6 pages"),
        "{}",
        learned.stderr
    );

    let without = vclean(["clean", &pages]);
    let with = vclean(["clean", &pages, "--site-memory", &memory]);
    assert_eq!(
        (without.code, with.code),
        (Some(0), Some(0)),
        "{}{}",
        without.stderr,
        with.stderr
    );
    let count = |text: &str, part: &str| text.matches(part).count();
    assert_eq!(
        count(&without.stdout, NOTICE),
        STORIES.len(),
        "the page alone does not tell that this is no text"
    );
    assert_eq!(count(&with.stdout, NOTICE), 0);
    for story in STORIES {
        assert_eq!(
            (count(&without.stdout, story), count(&with.stdout, story)),
            (2, 2),
            "{story}"
        );
    }

    // The block records that the site memory changed its label.
    let saved = folder.path().join("day-0.mhtml");
    let address = "https://harbor.example/day/0";
    let head = format!(
        "MIME-Version: 1.0\r\nSnapshot-Content-Location: {address}\r\nContent-Type: text/html\r\n\r\n"
    );
    fs::write(&saved, head + &page(0, STORIES[0])).unwrap();
    let explained = vclean([
        "explain",
        &saved.display().to_string(),
        "--at",
        NOTICE,
        "--site-memory",
        &memory,
    ]);
    assert!(
        explained
            .stdout
            .contains("other pages of its site say otherwise"),
        "{}{}",
        explained.stdout,
        explained.stderr
    );

    // The bytes are the same with another number of workers, and after reading the pages again.
    let other = folder.path().join("other.memory").display().to_string();
    assert_eq!(
        vclean(["site-memory", &pages, "--out", &other, "--jobs", "1", "-q"]).code,
        Some(0)
    );
    assert_eq!(fs::read(&memory).unwrap(), fs::read(&other).unwrap());
    assert_eq!(
        vclean([
            "site-memory",
            &pages,
            "--add",
            &other,
            "--out",
            &other,
            "-q"
        ])
        .code,
        Some(0)
    );
    assert_eq!(fs::read(&memory).unwrap(), fs::read(&other).unwrap());
}

#[test]
fn what_cannot_be_learned_or_used_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(folder.path());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let memory = path("sites.memory");
    assert_eq!(
        vclean(["site-memory", &pages, "--out", &memory, "-q"]).code,
        Some(0)
    );
    fs::write(path("page.html"), "<p>A page without an address.</p>").unwrap();
    fs::write(path("damaged"), "no memory").unwrap();
    let refused: &[(&[&str], &str)] = &[
        (&["site-memory", &pages, "--out", &memory], "--overwrite"),
        (
            &["site-memory", &pages, "--out", &pages, "--overwrite"],
            "input",
        ),
        (
            &[
                "site-memory",
                &pages,
                "--add",
                &path("damaged"),
                "--out",
                &path("new"),
            ],
            "no memory of sites",
        ),
        (
            &["clean", &pages, "--site-memory", &path("damaged")],
            "no memory of sites",
        ),
        (
            &["clean", &pages, "--site-memory", &path("missing")],
            "missing",
        ),
        (
            &[
                "clean",
                &pages,
                "--site-memory",
                &memory,
                "--min-precision",
                "0.9",
            ],
            "--min-precision",
        ),
        (
            &[
                "clean",
                &pages,
                "--site-memory",
                &memory,
                "--method",
                "justext",
            ],
            "belongs to the method vclean",
        ),
    ];
    for (arguments, cause) in refused {
        let outcome = vclean(*arguments);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(1), ""),
            "{arguments:?}: {}",
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains(cause),
            "{arguments:?}: {}",
            outcome.stderr
        );
    }
    let alone = vclean(["site-memory", &path("page.html"), "--out", &path("alone")]);
    assert_eq!(alone.code, Some(0), "{}", alone.stderr);
    assert!(
        alone.stderr.contains("1 pages have no address") && alone.stderr.contains("no site has"),
        "{}",
        alone.stderr
    );

    // A run cannot be resumed with another memory.
    let out = path("cleaned.jsonl");
    assert_eq!(
        vclean(["clean", &pages, "--out", &out, "--site-memory", &memory]).code,
        Some(0)
    );
    assert_eq!(
        vclean([
            "site-memory",
            &path("page.html"),
            "--out",
            &memory,
            "--overwrite",
            "-q"
        ])
        .code,
        Some(0)
    );
    let resumed = vclean([
        "clean",
        &pages,
        "--out",
        &out,
        "--site-memory",
        &memory,
        "--resume",
    ]);
    assert!(
        resumed.code == Some(1) && resumed.stderr.contains("site"),
        "{}",
        resumed.stderr
    );
}
