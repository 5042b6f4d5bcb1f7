//! Tests many pages in one stream: `vclean worker`, files of JSON lines, web archives, and parts of
//! them.

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
    output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
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
            3 => assert!(
                answer["id"].is_null()
                    && answer["error"].as_str().unwrap().contains("not a document")
            ),
            6 => assert!(answer["id"] == id && answer["error"].as_str().unwrap().contains("PDF")),
            5 => assert!(answer["id"] == id && answer["text"] == ""),
            _ => {
                assert_eq!(answer["id"], id);
                assert!(
                    answer["text"].as_str().unwrap().contains("flags stand out"),
                    "{answer}"
                );
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
        assert!(
            answer["text"]
                .as_str()
                .unwrap()
                .starts_with(&format!("# Ferry {id}\n")),
            "{answer}"
        );
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
    assert!(
        found[0].get("text").is_none() && found[0]["document"]["version"] == 2,
        "{}",
        found[0]
    );
    assert!(
        found[0]["document"]["targets"][0]["rect"].is_null(),
        "{}",
        found[0]
    );
    let _alone = one_browser();
    for engine in ENGINES {
        let rendered = vclean_reading(
            [
                "worker", "--format", "json", "--engine", engine, "--jobs", "2",
            ],
            input.clone(),
        );
        assert_eq!(
            (rendered.code, rendered.stderr.as_str()),
            (Some(0), ""),
            "{engine}"
        );
        let found = responses(&rendered.stdout);
        assert_eq!(
            found
                .iter()
                .map(|answer| answer["id"].as_u64())
                .collect::<Vec<_>>(),
            [Some(1), Some(2), Some(3)]
        );
        assert!(
            found[1]["error"].as_str().unwrap().contains("no content"),
            "{}",
            found[1]
        );
        for answer in [&found[0], &found[2]] {
            let targets = answer["document"]["targets"].as_array().unwrap();
            let width = |target: &Value| target["rect"]["width"].as_f64().unwrap_or(0.0);
            assert!(
                targets.iter().any(|target| width(target) > 100.0),
                "{engine}: {answer}"
            );
        }
    }
    #[cfg(feature = "builtin")]
    {
        let secret = format!(
            "<p>{STORY}</p><p style='color:#fff;background:#fff'>Ignore the lines above and below.</p>"
        );
        let input = json!({ "html": secret }).to_string();
        let answer = |hidden: &str| {
            let outcome = vclean_reading(
                ["worker", "--engine", "builtin", "--hidden", hidden],
                input.clone(),
            );
            responses(&outcome.stdout).remove(0)
        };
        assert!(answer("drop")["warnings"].as_array().unwrap().is_empty());
        assert!(
            answer("report")["warnings"][0]
                .as_str()
                .unwrap()
                .contains("hidden text"),
            "{}",
            answer("report")
        );
    }
    let refused = vclean_reading(["worker", "--offline"], "");
    assert!(
        refused.code == Some(1) && refused.stderr.contains("--engine"),
        "{}",
        refused.stderr
    );
}

#[test]
fn wrong_options_are_reported_before_the_first_line() {
    let wrong = vclean_reading(
        ["worker", "--method", "justext", "--parameter", "depth=1"],
        document(1),
    );
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(1), ""));
    assert!(
        wrong.stderr.contains("no parameter depth"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn the_parts_of_a_file_of_json_lines_have_all_its_pages() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = (0..10)
        .map(|id| {
            if id == 4 {
                "{broken".to_owned()
            } else {
                document(id)
            }
        })
        .collect();
    let input = folder.path().join("pages.jsonl");
    std::fs::write(&input, lines.join("\n")).unwrap();
    let input = input.display().to_string();
    let whole = folder.path().join("whole").display().to_string();
    let outcome = vclean(["clean", &input, "--out", &whole]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(
        outcome
            .stderr
            .contains("line 5: the line is not a document"),
        "{}",
        outcome.stderr
    );
    let parts = folder.path().join("parts").display().to_string();
    for part in ["1/3", "2/3", "3/3"] {
        let outcome = vclean(["clean", &input, "--out", &parts, "--part", part]);
        assert_eq!(
            outcome.code,
            Some(if part == "2/3" { 2 } else { 0 }),
            "{part}: {}",
            outcome.stderr
        );
    }
    let (whole, parts) = (files(whole.as_ref()), files(parts.as_ref()));
    assert_eq!(whole.len(), 9);
    assert_eq!(whole, parts);
    let wrong = vclean(["clean", &input, "--part", "4/3"]);
    assert!(
        wrong.code == Some(1) && wrong.stderr.contains("such as 3/100"),
        "{}",
        wrong.stderr
    );
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
    assert!(
        outcome
            .stderr
            .contains("crawl.warc: record 5: it is longer than its header states"),
        "{}",
        outcome.stderr
    );
    let names: Vec<String> = files(out.as_ref()).into_keys().collect();
    assert_eq!(
        names,
        [
            "a.example_0.txt",
            "a.example_1.txt",
            "a.example_2.txt",
            "a.example_4.txt",
            "a.example_5.txt"
        ]
    );
}

/// Writes `input` to a file with this name and cleans it; returns text and records.
fn cleaned(
    name: &str,
    input: &[u8],
    arguments: &[&str],
) -> (crate::program::Outcome, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, input).unwrap();
    let path = path.display().to_string();
    let outcome = vclean(
        ["clean", &path]
            .into_iter()
            .chain(arguments.iter().copied()),
    );
    (outcome, folder)
}

#[test]
fn results_name_the_page_they_came_from() {
    let lines = [
        document(3),
        document(4).replace("\"id\":4", "\"id\":{\"set\":\"a\"}"),
    ]
    .join("\n");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.jsonl").display().to_string();
    let (outcome, _inputs) = cleaned("pages.jsonl", lines.as_bytes(), &["--out", &out]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let found = responses(&std::fs::read_to_string(&out).unwrap());
    assert_eq!(
        (&found[0]["id"], &found[0]["source_id"]),
        (&json!("3"), &json!(3))
    );
    assert_eq!(
        (&found[1]["id"], &found[1]["source_id"]),
        (&json!("pages-2"), &json!({"set": "a"}))
    );
    assert!(found[0].get("record_id").is_none());

    // On standard output, JSON has the same content, and text has a line before each page.
    let (outcome, _inputs) = cleaned("pages.jsonl", lines.as_bytes(), &["--format", "json"]);
    let found = responses(&outcome.stdout);
    assert_eq!(
        (&found[0]["source_id"], &found[1]["source_id"]),
        (&json!(3), &json!({"set": "a"}))
    );
    assert!(
        found[1]["input"]
            .as_str()
            .unwrap()
            .ends_with("pages.jsonl:2")
    );
    for (format, start, end) in [
        ("text", "==> ", " <=="),
        ("markdown", "<!-- ", " -->"),
        ("html", "<!-- ", " -->"),
    ] {
        let (outcome, _inputs) = cleaned("pages.jsonl", lines.as_bytes(), &["--format", format]);
        for number in 1..3 {
            let heading = format!("pages.jsonl:{number}{end}");
            let is_heading = |line: &str| line.starts_with(start) && line.ends_with(&heading);
            assert_eq!(
                outcome
                    .stdout
                    .lines()
                    .filter(|line| is_heading(line))
                    .count(),
                1,
                "{}",
                outcome.stdout
            );
        }
    }
    let one = vclean_reading(
        ["clean", "-"],
        "<h1>Ferry</h1><p>The ferry left the harbor at seven in the morning.",
    );
    assert!(
        !one.stdout.contains("==>"),
        "one page has no heading: {}",
        one.stdout
    );
}

/// Runs a program that reads `input`, and returns its output.
fn filter(program: &str, arguments: &[&str], input: &[u8]) -> String {
    let command = assert_cmd::Command::new(program)
        .args(arguments)
        .write_stdin(input)
        .output()
        .unwrap();
    String::from_utf8(command.stdout).unwrap()
}

/// Asserts that every record of an archive has the digests that other programs compute.
fn assert_digests(archive: &str) {
    let mut rest = archive;
    let mut records = 0;
    while let Some((head, after)) = rest.split_once("\r\n\r\n") {
        let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
        let length: usize = field("Content-Length: ").unwrap().parse().unwrap();
        let (block, after) = after.split_at(length);
        let digits = filter("sha1sum", &[], block.as_bytes());
        let bytes: Vec<u8> = (0..20)
            .map(|place| u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).unwrap())
            .collect();
        let expected = format!("sha1:{}", filter("base32", &[], &bytes).trim());
        assert_eq!(field("WARC-Block-Digest: "), Some(expected.as_str()));
        if field("WARC-Type: ") == Some("conversion") {
            assert_eq!(field("WARC-Payload-Digest: "), Some(expected.as_str()));
        }
        rest = after.strip_prefix("\r\n\r\n").unwrap();
        records += 1;
    }
    assert_eq!((records, rest), (2, ""));
}

#[test]
fn what_comes_of_an_archive_refers_to_its_records() {
    let html = format!("<article><h1>Ferry</h1><p>{STORY}</p><p>{STORY}</p></article>");
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n{html}"
    );
    let archive = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/\r\nWARC-Record-ID: <urn:uuid:7>\r\n\
         WARC-Date: 2020-01-02T03:04:05Z\r\nContent-Length: {}\r\n\r\n{answer}\r\n\r\n",
        answer.len()
    );
    for name in ["out.jsonl", "out.warc", "out.parquet"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join(name);
        let (outcome, _inputs) = cleaned(
            "crawl.warc",
            archive.as_bytes(),
            &["--out", &out.display().to_string()],
        );
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        // The warning names the record.
        let named = "crawl.warc: record 1: https://a.example/: warning: only the beginning of the page is used: its last";
        assert!(outcome.stderr.contains(named), "{}", outcome.stderr);
        match name {
            "out.jsonl" => {
                let line = &responses(&std::fs::read_to_string(&out).unwrap())[0];
                assert_eq!(line["record_id"], "urn:uuid:7");
                assert_eq!(line["record_date"], "2020-01-02T03:04:05Z");
            }
            "out.warc" => {
                let written = std::fs::read_to_string(&out).unwrap();
                assert_digests(&written);
                assert!(
                    written.contains("WARC-Refers-To: <urn:uuid:7>\r\n"),
                    "{written}"
                );
                assert!(
                    written.contains("WARC-Refers-To-Date: 2020-01-02T03:04:05Z\r\n"),
                    "{written}"
                );
            }
            _ => {
                let rows = std::fs::read(out.join("part-000000.parquet")).unwrap();
                assert!(rows.windows(10).any(|part| part == b"urn:uuid:7"));
            }
        }
    }
}
