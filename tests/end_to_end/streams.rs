//! Many pages in one stream: `vclean worker`, files of JSON lines, web archives, and shards of them.

use crate::program::{ENGINES, files, one_browser, vclean, vclean_reading};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

const STORY: &str = "The ferry left the harbor at seven in the morning, with forty people on board and a cold wind from \
    the north that made the flags stand out like boards.";

fn document(id: usize) -> String {
    let html = format!(
        "<title>Ferry {id}</title><nav><a href=/>Home</a></nav><article><h1>Ferry {id}</h1><p>{STORY}</p><p>{STORY}</p></article>"
    );
    json!({"id": id, "html": html, "url": format!("https://a.example/{id}")}).to_string()
}

fn responses(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_line_gets_one_response_in_order_for_any_number_of_threads() {
    let mut input = String::new();
    for id in 0..40 {
        let line = match id % 8 {
            3 => "no JSON at all".to_owned(),
            5 => json!({"id": id, "html": "<div>".repeat(50_000)}).to_string(),
            6 => json!({"id": id, "base64": "JVBERi0xLjQ="}).to_string(),
            _ => document(id),
        };
        input.push_str(&line);
        input.push('\n');
    }
    let alone = vclean_reading(["worker"], input.clone());
    assert_eq!((alone.code, alone.stderr.as_str()), (Some(0), ""));
    let found = responses(&alone.stdout);
    assert_eq!(found.len(), 40);
    for (id, answer) in found.iter().enumerate() {
        match id % 8 {
            3 => assert!(answer["id"].is_null() && answer["error"].as_str().unwrap().contains("not a document")),
            6 => assert!(answer["id"] == id && answer["error"].as_str().unwrap().contains("PDF")),
            5 => assert!(answer["id"] == id && answer["text"] == ""),
            _ => {
                assert_eq!(answer["id"], id);
                assert!(answer["text"].as_str().unwrap().contains("flags stand out"), "{answer}");
                assert_eq!(answer["metadata"]["url"], format!("https://a.example/{id}"));
            }
        }
    }
    let together = vclean_reading(["worker", "--jobs", "3"], input);
    assert_eq!(together.stdout, alone.stdout);
}

#[test]
fn a_response_is_written_before_the_next_document_is_read() {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_vclean"))
        .args(["worker", "--format", "markdown"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = worker.stdin.take().unwrap();
    let mut from = BufReader::new(worker.stdout.take().unwrap());
    for id in 0..3 {
        writeln!(to, "{}", document(id)).unwrap();
        to.flush().unwrap();
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id);
        assert!(answer["text"].as_str().unwrap().starts_with(&format!("# Ferry {id}\n")), "{answer}");
    }
    drop(to);
    assert!(worker.wait().unwrap().success());
}

#[test]
fn a_worker_renders_and_puts_json_as_an_object_into_the_response() {
    let page = |id: u32| json!({ "id": id, "html": format!("<article><h1>Ferry {id}</h1><p>{STORY}</p></article>") });
    let input = format!("{}\n{{\"id\": 2}}\n{}\n", page(1), page(3));
    let parsed = vclean_reading(["worker", "--format", "json"], input.clone());
    let found = responses(&parsed.stdout);
    assert!(found[0].get("text").is_none() && found[0]["document"]["version"] == 1, "{}", found[0]);
    assert!(found[0]["document"]["targets"][0]["rect"].is_null(), "{}", found[0]);
    let _alone = one_browser();
    for engine in ENGINES {
        let rendered = vclean_reading(["worker", "--format", "json", "--engine", engine, "--jobs", "2"], input.clone());
        assert_eq!((rendered.code, rendered.stderr.as_str()), (Some(0), ""), "{engine}");
        let found = responses(&rendered.stdout);
        assert_eq!(found.iter().map(|answer| answer["id"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
        assert!(found[1]["error"].as_str().unwrap().contains("no content"), "{}", found[1]);
        for answer in [&found[0], &found[2]] {
            let targets = answer["document"]["targets"].as_array().unwrap();
            let width = |target: &Value| target["rect"]["width"].as_f64().unwrap_or(0.0);
            assert!(targets.iter().any(|target| width(target) > 100.0), "{engine}: {answer}");
        }
    }
    let refused = vclean_reading(["worker", "--offline"], "");
    assert!(refused.code == Some(1) && refused.stderr.contains("--engine"), "{}", refused.stderr);
}

#[test]
fn wrong_options_are_reported_before_the_first_line() {
    let wrong = vclean_reading(["worker", "--method", "justext", "--parameter", "depth=1"], document(1));
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(1), ""));
    assert!(wrong.stderr.contains("no parameter depth"), "{}", wrong.stderr);
}

#[test]
fn the_shards_of_a_file_of_json_lines_have_all_its_pages() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = (0..10).map(|id| if id == 4 { "{broken".to_owned() } else { document(id) }).collect();
    let input = folder.path().join("pages.jsonl");
    std::fs::write(&input, lines.join("\n")).unwrap();
    let input = input.display().to_string();
    let whole = folder.path().join("whole").display().to_string();
    let outcome = vclean(["clean", &input, "--out", &whole]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("line 5: the line is not a document"), "{}", outcome.stderr);
    let parts = folder.path().join("parts").display().to_string();
    for shard in ["1/3", "2/3", "3/3"] {
        let outcome = vclean(["clean", &input, "--out", &parts, "--shard", shard]);
        assert_eq!(outcome.code, Some(if shard == "2/3" { 2 } else { 0 }), "{shard}: {}", outcome.stderr);
    }
    let (whole, parts) = (files(whole.as_ref()), files(parts.as_ref()));
    assert_eq!(whole.len(), 9);
    assert_eq!(whole, parts);
    let wrong = vclean(["clean", &input, "--shard", "4/3"]);
    assert!(wrong.code == Some(1) && wrong.stderr.contains("such as 3/100"), "{}", wrong.stderr);
}

#[test]
fn the_pages_of_a_web_archive_are_cleaned_and_named_after_their_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = Vec::new();
    for id in 0..6 {
        let html = format!("<article><h1>Ferry {id}</h1><p>{STORY}</p><p>{STORY}</p></article>");
        let kind = if id == 3 { "image/png" } else { "text/html" };
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{html}");
        // One record is longer than its Content-Length.
        let length = answer.len() - if id == 4 { 20 } else { 0 };
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/{id}\r\nContent-Length: {length}\r\n\r\n{answer}\r\n\r\n"
        );
        archive.extend(record.into_bytes());
    }
    let input = folder.path().join("crawl.warc");
    std::fs::write(&input, archive).unwrap();
    let out = folder.path().join("out").display().to_string();
    let outcome = vclean(["clean", &input.display().to_string(), "--out", &out]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(outcome.problems().len(), 1, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("crawl.warc: record 5: it is longer than its header states"), "{}", outcome.stderr);
    let names: Vec<String> = files(out.as_ref()).into_keys().collect();
    assert_eq!(names, ["a.example_0.txt", "a.example_1.txt", "a.example_2.txt", "a.example_4.txt", "a.example_5.txt"]);
}
