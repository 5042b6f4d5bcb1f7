//! Tests that no existing file is destroyed: files at the path of an output, results of earlier
//! runs, and above all inputs.

use crate::program::{Outcome, vclean, vclean_reading};
use std::fs;
use std::path::{Path, PathBuf};

const STORY: &str = "<article><h1>Lock</h1><p>The lock keeper counted the barges every evening, wrote their names into a \
    long book, and closed the upper gate before the fog came down on the river.</p></article>";

/// Makes a folder `pages` with two pages, below a new temporary folder.
fn pages() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("pages");
    fs::create_dir(&pages).unwrap();
    for name in ["one.html", "two.html"] {
        fs::write(pages.join(name), STORY).unwrap();
    }
    (folder, pages)
}

fn words(arguments: &[&str], paths: &[&Path]) -> Vec<String> {
    let mut paths = paths.iter();
    let word = |word: &&str| {
        if *word == "@" {
            paths.next().unwrap().display().to_string()
        } else {
            (*word).to_owned()
        }
    };
    arguments.iter().map(word).collect()
}

/// Runs the program; each `@` of the arguments stands for the next path.
fn run(arguments: &[&str], paths: &[&Path]) -> Outcome {
    vclean(words(arguments, paths))
}

#[track_caller]
fn assert_refused(outcome: &Outcome, parts: &[&str]) {
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    for part in parts {
        assert!(
            outcome.stderr.contains(part),
            "{part:?} in {}",
            outcome.stderr
        );
    }
}

#[test]
fn a_folder_of_results_is_not_overwritten_unasked() {
    let (folder, pages) = pages();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("two.txt"), "gold of somebody").unwrap();
    assert_refused(
        &run(&["clean", "@", "--out", "@"], &[&pages, &out]),
        &["two.txt", "--overwrite", "--resume"],
    );
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "nothing was begun");
    fs::remove_file(out.join("two.txt")).unwrap();
    fs::write(out.join("notes.txt"), "another name").unwrap();
    assert_eq!(
        run(&["clean", "@", "--out", "@"], &[&pages, &out]).code,
        Some(0)
    );
    let first = fs::read(out.join("one.txt")).unwrap();
    assert_refused(
        &run(&["clean", "@", "--out", "@"], &[&pages, &out]),
        &["earlier run", "--overwrite", "--resume"],
    );
    assert_eq!(
        run(
            &["clean", "@", "--out", "@", "--overwrite"],
            &[&pages, &out]
        )
        .code,
        Some(0)
    );
    assert_eq!(fs::read(out.join("one.txt")).unwrap(), first);
    assert_eq!(fs::read(out.join("notes.txt")).unwrap(), b"another name");
}

#[test]
fn one_page_follows_the_same_rule() {
    let (folder, pages) = pages();
    let (page, out) = (pages.join("one.html"), folder.path().join("out"));
    assert_eq!(
        run(&["clean", "@", "--out", "@"], &[&page, &out]).code,
        Some(0)
    );
    fs::write(out.join("one.txt"), "corrected by hand").unwrap();
    assert_refused(
        &run(&["clean", "@", "--out", "@"], &[&page, &out]),
        &["one.txt", "--overwrite"],
    );
    assert_eq!(fs::read(out.join("one.txt")).unwrap(), b"corrected by hand");
    assert_eq!(
        run(
            &["clean", "@", "--out", "@"],
            &[&pages.join("two.html"), &out]
        )
        .code,
        Some(0)
    );
    assert_eq!(
        run(&["clean", "@", "--out", "@", "--overwrite"], &[&page, &out]).code,
        Some(0)
    );
    assert!(
        fs::read_to_string(out.join("one.txt"))
            .unwrap()
            .contains("lock keeper")
    );
    let again = vclean_reading(["clean", "-", "--out", &out.display().to_string()], STORY);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let again = vclean_reading(["clean", "-", "--out", &out.display().to_string()], STORY);
    assert_refused(&again, &["stdin.txt", "--overwrite"]);
}

#[test]
fn one_page_is_written_to_a_named_file_in_the_format_of_its_ending() {
    let (folder, pages) = pages();
    let file = |name: &str| folder.path().join(name);
    let page = pages.join("one.html");
    for (name, part) in [
        ("a.txt", "Lock\n"),
        ("a.md", "# Lock"),
        ("a.html", "<h1"),
        ("a.json", "\"segments\""),
    ] {
        let outcome = run(&["clean", "@", "--out", "@"], &[&page, &file(name)]);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(0), ""),
            "{}",
            outcome.stderr
        );
        assert!(
            fs::read_to_string(file(name)).unwrap().contains(part),
            "{name}"
        );
    }
    assert_refused(
        &run(&["clean", "@", "--out", "@"], &[&page, &file("a.md")]),
        &["a.md", "--overwrite"],
    );
    assert_eq!(
        run(
            &["clean", "@", "--out", "@", "--overwrite"],
            &[&page, &file("a.md")]
        )
        .code,
        Some(0)
    );
    assert_refused(
        &run(
            &["clean", "@", "--format", "text", "--out", "@"],
            &[&page, &file("b.md")],
        ),
        &["format markdown", "--format is text"],
    );
    assert_refused(
        &run(
            &["clean", "@", "@", "--out", "@"],
            &[&page, &page, &file("b.html")],
        ),
        &["name a folder"],
    );
    assert_refused(
        &run(&["clean", "@", "--out", "@"], &[&pages, &file("b.json")]),
        &["name a folder", "FILE.jsonl"],
    );
    for name in ["b.rtf", "b.tsv", "b.docx", "b.tsv.gz"] {
        for input in [&page, &pages] {
            assert_refused(
                &run(&["clean", "@", "--out", "@"], &[input, &file(name)]),
                &["no output has the ending"],
            );
        }
        assert!(!file(name).exists(), "{name}");
    }
    assert!(
        ["b.md", "b.html", "b.json"]
            .iter()
            .all(|name| !file(name).exists())
    );
}

#[test]
fn an_input_is_never_replaced() {
    let (folder, pages) = pages();
    let page = pages.join("one.html");
    let lines = folder.path().join("pages.jsonl");
    fs::write(
        &lines,
        "{\"html\": \"<p>The lock keeper counted the barges every evening.\"}\n",
    )
    .unwrap();
    let hard = folder.path().join("hard.jsonl");
    fs::hard_link(&lines, &hard).unwrap();
    let soft = folder.path().join("soft.jsonl");
    std::os::unix::fs::symlink("pages.jsonl", &soft).unwrap();
    let roundabout = folder.path().join("pages/../pages/one.html");
    let list = folder.path().join("list.txt");
    fs::write(&list, format!("{}\n", page.display())).unwrap();
    let before = (
        fs::read(&page).unwrap(),
        fs::read(&lines).unwrap(),
        fs::read(&list).unwrap(),
    );
    let calls: &[(&[&str], &[&Path])] = &[
        (
            &[
                "clean",
                "@",
                "--out",
                "@",
                "--format",
                "html",
                "--overwrite",
            ],
            &[&pages, &pages],
        ),
        (
            &["clean", "@", "--out", "@", "--format", "html"],
            &[&pages, &pages],
        ),
        (
            &["clean", "@", "--out", "@", "--overwrite"],
            &[&page, &roundabout],
        ),
        (
            &["clean", "@", "--out", "@", "--overwrite"],
            &[&lines, &lines],
        ),
        (
            &["clean", "@", "--out", "@", "--overwrite"],
            &[&lines, &hard],
        ),
        (
            &["clean", "@", "--out", "@", "--overwrite"],
            &[&lines, &soft],
        ),
        (&["clean", "@", "--metrics", "@"], &[&page, &page]),
        (&["clean", "@", "--report", "@"], &[&page, &page]),
        (&["clean", "--from", "@", "--metrics", "@"], &[&list, &list]),
        (&["lab", "features", "@", "--out", "@"], &[&lines, &lines]),
        (
            &[
                "render",
                "@",
                "--out",
                "@",
                "--metrics",
                "@",
                "--engine",
                "builtin",
            ],
            &[&page, &folder.path().join("c"), &page],
        ),
    ];
    for (arguments, paths) in calls {
        let outcome = run(arguments, paths);
        assert_refused(&outcome, &["is an input"]);
        assert_eq!(outcome.stdout, "", "nothing was begun");
    }
    assert!(
        before
            == (
                fs::read(&page).unwrap(),
                fs::read(&lines).unwrap(),
                fs::read(&list).unwrap()
            )
    );
}

#[test]
fn verbs_on_data_folders_keep_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for part in ["pages", "gold"] {
        fs::create_dir_all(data.join(part)).unwrap();
    }
    fs::write(data.join("pages/a.html"), STORY).unwrap();
    fs::write(data.join("gold/a.txt"), "The lock keeper").unwrap();
    fs::write(
        data.join("manifest.jsonl"),
        "{\"id\": \"a\", \"split\": \"train\", \"lang\": \"en\"}\n",
    )
    .unwrap();
    let calls: &[(&[&str], &[&Path])] = &[
        (
            &["lab", "train", "@", "--static", "--out", "@"],
            &[&data, &data.join("manifest.jsonl")],
        ),
        (
            &[
                "lab", "evaluate", "@", "--static", "--split", "all", "--json", "@",
            ],
            &[&data, &data.join("gold/a.txt")],
        ),
        (
            &["lab", "align", "@", "--static", "--json", "@"],
            &[&data, &data.join("pages/a.html")],
        ),
        (
            &["lab", "tune", "@", "--static", "--out", "@"],
            &[&data, &data.join("gold/a.txt")],
        ),
        (
            &["lab", "features", "@", "--metrics", "@"],
            &[&data, &data.join("pages/a.html")],
        ),
    ];
    for (arguments, paths) in calls {
        assert_refused(&run(arguments, paths), &["is an input"]);
    }
}

#[test]
fn captures_and_other_folders_are_not_overwritten_unasked() {
    let (folder, pages) = pages();
    let out = folder.path().join("captures");
    let render = |more: &[&str]| {
        let call = ["render", "@", "--out", "@", "--engine", "builtin"];
        run(
            &[&call[..], more].concat(),
            &[&pages.join("one.html"), &out],
        )
    };
    assert_eq!(render(&[]).code, Some(0));
    assert_refused(&render(&[]), &["captures/one", "--overwrite"]);
    assert_eq!(render(&["--overwrite"]).code, Some(0));
    fs::remove_dir_all(out.join("one")).unwrap();
    fs::create_dir(out.join("one")).unwrap();
    fs::write(out.join("one/screenshot.png"), "of somebody").unwrap();
    assert_refused(&render(&["--overwrite"]), &["captures/one"]);
    assert_eq!(
        fs::read(out.join("one/screenshot.png")).unwrap(),
        b"of somebody"
    );
}

#[test]
fn metrics_that_cannot_be_written_are_told_before_the_work() {
    let (folder, pages) = pages();
    let out = folder.path().join("out");
    let metrics = folder.path().join("none/x.prom");
    let outcome = run(
        &["clean", "@", "--out", "@", "--metrics", "@"],
        &[&pages, &out, &metrics],
    );
    assert_refused(&outcome, &["x.prom"]);
    assert!(!out.join("one.txt").exists());
}
