//! Tests pages without text of their own, in the outputs of a run, and pages whose text has several
//! parts or is followed by others.

use crate::program::{one_browser, vclean};
use crate::support::fixtures;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;

/// The records of a run over `fixtures/states`, by the names of the pages.
fn records(out: &Path, options: &[&str]) -> Vec<(String, Value)> {
    let pages = fixtures().join("states").display().to_string();
    let to = out.display().to_string();
    let outcome = vclean(["clean", &pages, "--out", &to].iter().chain(options));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let lines = std::fs::read_to_string(out).unwrap();
    let record = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        let name = Path::new(record["input"].as_str().unwrap());
        (
            name.file_stem().unwrap().to_string_lossy().into_owned(),
            record,
        )
    };
    lines.lines().map(record).collect()
}

#[test]
fn pages_without_text_are_named_counted_and_left_out_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let records_of = records(&folder.path().join("all.jsonl"), &[]);
    assert!(records_of.len() > 12);
    for (name, record) in &records_of {
        let expected = name.split('-').next().unwrap();
        let (state, quality) = (
            &record["page_state"],
            record["expected_f"].as_f64().unwrap(),
        );
        assert_eq!(state["state"], expected, "{name}: {state}");
        if expected == "text" {
            assert!(
                quality > 0.5 && state.get("reason").is_none(),
                "{name}: {quality} {state}"
            );
        } else {
            assert!(quality < 0.3, "{name}: {quality} {state}");
            assert!(!state["reason"].as_str().unwrap().is_empty(), "{name}");
        }
    }
    let summary = std::fs::read(folder.path().join("all.jsonl.run/summary.json")).unwrap();
    let summary: Value = serde_json::from_slice(&summary).unwrap();
    let texts = records_of
        .iter()
        .filter(|(name, _)| name.starts_with("text"))
        .count();
    assert_eq!(summary["page_states"]["text"], texts);
    assert_eq!(
        summary["pages_failed"], 0,
        "pages without text are no failures"
    );

    let kept = records(
        &folder.path().join("kept.jsonl"),
        &["--states", "text,paywall"],
    );
    for (name, record) in &kept {
        let is_kept = name.starts_with("text") || name.starts_with("paywall");
        let dropped = &record["corpus"]["dropped"];
        assert_eq!(dropped == "state", !is_kept, "{name}: {dropped}");
    }
    let wrong = vclean(["clean", "x.html", "--states", "texts", "--out", "x.jsonl"]);
    assert!(
        wrong.code == Some(1) && wrong.stderr.contains("states are text, blocked"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn the_text_of_an_application_is_taken_from_its_data_with_a_warning() {
    let page = fixtures()
        .join("states/shell-data.html")
        .display()
        .to_string();
    let outcome = vclean(["clean", &page, "--format", "json"]);
    assert!(
        outcome.stderr.contains("__NEXT_DATA__"),
        "{}",
        outcome.stderr
    );
    let json: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(json["metadata"]["sources"]["text"], "__NEXT_DATA__");
    let text = json["text"].as_str().unwrap();
    assert!(
        text.contains("carries twelve cars") && !text.contains("Share this"),
        "{text}"
    );
    assert_eq!(
        text.matches("The new bridge is to open").count(),
        1,
        "{text}"
    );
}

/// A text about `name`, long enough for an article.
fn story(name: &str) -> String {
    format!(
        "<p>The {name} of the lower crossing counted the passengers twice, once with both eyes shut, and wrote down the \
         smaller number, because the river had taught caution in what one promises to bring across.</p>\
         <p>In the winter the {name} kept to the shore, mended the ropes, and read aloud from the ledger to whoever came by \
         for a cup of tea and the news of the upper valley.</p>"
    )
    .repeat(2)
}

/// The pages of the server: a story in three parts, and one below which a script appends others.
fn page(path: &str) -> Option<String> {
    let head = "<!doctype html><meta charset=utf-8><title>The ferry | Almanac</title><nav><a href=/>Home</a></nav>";
    let part = |name: &str, next: &str| {
        format!(
            "{head}<main><h1>The ferry</h1>{}<a href='{next}'>2</a></main>",
            story(name)
        )
    };
    Some(match path {
        "/story.html" => part("pilot", "/story-2.html"),
        "/story-2.html" => part("stoker", "/story-3.html"),
        "/story-3.html" => part("cook", "/"),
        "/endless.html" => format!(
            "{head}<main><article class=story data-url=/endless.html><h1>The ferry</h1>{}</article></main><script>\
             let count = 0; addEventListener('scroll', () => {{ if (count < 3) document.querySelector('main').insertAdjacentHTML(\
             'beforeend', `<article class=story data-url=/other-${{++count}}.html><h1>Another ${{count}}</h1>{}</article>`); }});</script>",
            story("pilot").repeat(20),
            story("smuggler")
        ),
        _ => return None,
    })
}

fn answer(mut client: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(client);
    let (mut head, mut length) = (String::new(), 3);
    while length > 2 {
        length = reader.read_line(&mut head)?;
    }
    let path = head.split(' ').nth(1).unwrap_or_default();
    let (status, body) =
        page(path).map_or(("404 Not Found", String::new()), |body| ("200 OK", body));
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n{body}"
    )
}

/// The text of a page of a server of our own, and what was said about it.
fn render(path: &str, options: &[&str]) -> (String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}{path}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            thread::spawn(move || drop(answer(&client)));
        }
    });
    let _alone = one_browser();
    let polite = ["--allow-private", "--ignore-robots", "--delay", "0"];
    let outcome = vclean(
        ["render-and-clean", &address]
            .iter()
            .chain(&polite)
            .chain(options),
    );
    (outcome.stdout, outcome.stderr)
}

#[test]
fn the_parts_of_a_text_are_joined_on_request() {
    let (text, told) = render("/story.html", &["--format", "json"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    let next = json["metadata"]["next"].as_str().unwrap();
    assert!(
        next.ends_with("/story-2.html") && !text.contains("stoker"),
        "{next} {told}"
    );
    let (text, told) = render("/story.html", &["--follow-pages", "5"]);
    for name in ["pilot", "stoker", "cook"] {
        assert!(text.contains(name), "{name}: {text} {told}");
    }
    assert_eq!(text.matches("The ferry").count(), 1, "{text}");
    let (text, _) = render("/story.html", &["--follow-pages", "1"]);
    assert!(text.contains("stoker") && !text.contains("cook"), "{text}");
}

#[test]
fn articles_that_scrolling_appends_are_left_out() {
    let (text, told) = render("/endless.html", &[]);
    assert!(
        text.contains("pilot") && !text.contains("smuggler"),
        "{text} {told}"
    );
    let (explained, told) = render("/endless.html", &["--format", "json"]);
    let json: Value = serde_json::from_str(&explained).unwrap();
    let appended = json["targets"].as_array().unwrap().iter();
    let appended = appended.filter(|target| target["text"].as_str().unwrap().contains("smuggler"));
    assert!(appended.count() > 0, "the script appended nothing: {told}");
}
