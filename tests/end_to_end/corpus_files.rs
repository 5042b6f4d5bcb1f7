//! Tests that the texts of many pages in one file form a valid file of their format.

use crate::journal::{pages, wait_for};
use crate::program::vclean;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The endings of such files, and their formats.
const ENDINGS: [(&str, &str); 7] = [
    ("txt", "text"),
    ("md", "markdown"),
    ("xml", "xml"),
    ("tei", "tei"),
    ("vert", "vertical"),
    ("conllu", "conllu"),
    ("csv", "csv"),
];

/// Checks a file with `count` documents in the way that readers of the format do.
fn check(ending: &str, text: &str, count: usize) {
    match ending {
        "xml" | "tei" => {
            let read = roxmltree::Document::parse(text).unwrap();
            let (root, child) = if ending == "tei" {
                ("teiCorpus", "TEI")
            } else {
                ("corpus", "doc")
            };
            assert_eq!(read.root_element().tag_name().name(), root);
            assert_eq!(
                read.root_element()
                    .children()
                    .filter(|node| node.tag_name().name() == child)
                    .count(),
                count
            );
        }
        "vert" => {
            assert_eq!(
                text.lines()
                    .filter(|line| line.starts_with("<doc "))
                    .count(),
                count
            );
            assert_eq!(text.lines().filter(|line| *line == "</doc>").count(), count);
            assert!(text.lines().all(|line| !line.is_empty()));
        }
        "conllu" => {
            let ids: Vec<&str> = text
                .lines()
                .filter_map(|line| line.strip_prefix("# sent_id = "))
                .collect();
            assert_eq!(
                ids.iter().collect::<BTreeSet<_>>().len(),
                ids.len(),
                "unique"
            );
            assert_eq!(text.matches("# newdoc id = ").count(), count);
            assert!(ids.len() > count && text.ends_with("\n\n"));
        }
        "csv" => {
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            assert_eq!(reader.headers().unwrap().get(0), Some("id"));
            let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
            assert!(rows.len() == count && rows.iter().all(|row| &row[0] != "id"));
        }
        "txt" => assert_eq!(
            text.lines().filter(|line| line.starts_with("==> ")).count(),
            count
        ),
        _ => assert_eq!(
            text.lines()
                .filter(|line| line.starts_with("<!-- "))
                .count(),
            count
        ),
    }
}

fn clean(input: &str, out: &Path, more: &[&str]) -> (Option<i32>, String) {
    let out = out.display().to_string();
    let outcome = vclean(
        ["clean", input, "--out", &out, "--quiet"]
            .iter()
            .chain(more),
    );
    (outcome.code, outcome.stderr)
}

#[test]
fn every_format_has_one_valid_file_for_all_pages_and_any_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let input = pages(folder.path(), 30);
    for (ending, format) in ENDINGS {
        let out = folder.path().join("one").with_extension(ending);
        let (code, told) = clean(&input, &out, &["--jobs", "1"]);
        // Three lines of the input are not pages.
        assert_eq!((code, told.lines().count()), (Some(2), 3), "{told}");
        let one = fs::read_to_string(&out).unwrap();
        check(ending, &one, 27);
        let three = folder.path().join("three").with_extension(ending);
        assert_eq!(
            clean(&input, &three, &["--jobs", "3", "--format", format]).0,
            Some(2)
        );
        assert!(one == fs::read_to_string(&three).unwrap(), "{ending}");
        // Standard output has the same documents.
        let printed = vclean(["clean", &input, "--format", format, "--quiet"]);
        assert_eq!(printed.stdout, one, "{ending}");
    }
    let packed = folder.path().join("packed.vert.gz");
    assert_eq!(clean(&input, &packed, &[]).0, Some(2));
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(fs::File::open(&packed).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    assert!(text == fs::read_to_string(folder.path().join("one.vert")).unwrap());
    let packed = folder.path().join("packed.tei.zst");
    assert_eq!(clean(&input, &packed, &[]).0, Some(2));
    let text = zstd::decode_all(fs::File::open(&packed).unwrap()).unwrap();
    assert!(text == fs::read(folder.path().join("one.tei")).unwrap());
}

#[test]
fn a_killed_run_leaves_no_file_and_is_resumed_to_the_same_one() {
    let folder = tempfile::tempdir().unwrap();
    let input = pages(folder.path(), 1500);
    for name in ["killed.tei", "killed.vert.gz"] {
        let whole = folder.path().join(name.replace("killed", "whole"));
        assert_eq!(clean(&input, &whole, &[]).0, Some(2));
        let out = folder.path().join(name);
        let run = PathBuf::from(format!("{}.run", out.display()));
        let mut kills = 0;
        loop {
            let mut program = Command::new(env!("CARGO_BIN_EXE_vclean"))
                .args([
                    "clean",
                    &input,
                    "--out",
                    &out.display().to_string(),
                    "--resume",
                    "--quiet",
                ])
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            wait_for(&mut program, &run, 300);
            let _ = program.kill();
            if let Some(code) = program.wait().unwrap().code() {
                assert_eq!(code, 2);
                break;
            }
            // Killed after the last page was written: the file must be whole, which is checked
            // below.
            if out.exists() {
                break;
            }
            kills += 1;
        }
        assert!(kills > 0, "it was never killed");
        let bytes = fs::read(&out).unwrap();
        assert!(bytes == fs::read(&whole).unwrap(), "{name}");
        // Nothing is left to do.
        assert_eq!(clean(&input, &out, &["--resume"]).0, Some(2));
        assert!(bytes == fs::read(&out).unwrap(), "{name}");
        assert!(!run.join("unfinished").exists());
    }
}

#[test]
fn a_file_is_replaced_on_request_only_and_takes_pages_that_failed_before() {
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str| {
        format!("<p>The {name} stands by the harbor, and its lamp turns all night above the boats.")
    };
    let early = folder.path().join("early.html");
    let late = folder.path().join("late.html");
    fs::write(&early, text("early one")).unwrap();
    let list = folder.path().join("list.txt");
    fs::write(&list, format!("{}\n{}\n", late.display(), early.display())).unwrap();
    let out = folder.path().join("all.tei");
    fs::write(&out, "of somebody").unwrap();
    let run = |more: &[&str]| {
        let arguments = [
            "clean",
            "--from",
            &list.display().to_string(),
            "--out",
            &out.display().to_string(),
            "--method",
            "dump",
        ];
        let outcome = vclean(arguments.iter().chain(more));
        (outcome.code, outcome.stderr)
    };
    let (code, told) = run(&[]);
    assert!(code == Some(1) && told.contains("--overwrite"), "{told}");
    assert_eq!(fs::read(&out).unwrap(), b"of somebody");
    assert_eq!(run(&["--overwrite"]).0, Some(2));
    check("tei", &fs::read_to_string(&out).unwrap(), 1);
    fs::write(&late, text("late one")).unwrap();
    assert_eq!(run(&["--resume", "--retry-failed"]).0, Some(0));
    let both = fs::read_to_string(&out).unwrap();
    check("tei", &both, 2);
    assert!(both.find("early one").unwrap() < both.find("late one").unwrap());
    let (code, told) = run(&["--resume", "--format", "xml"]);
    assert!(
        code == Some(1) && told.contains("the format tei, and --format is xml"),
        "{told}"
    );

    // If no page can be cleaned, no file is written.
    fs::remove_file(&late).unwrap();
    fs::remove_file(&early).unwrap();
    let (code, told) = run(&["--overwrite"]);
    assert!(
        code == Some(2) && told.contains("there is no text for") && !out.exists(),
        "{told}"
    );
}
