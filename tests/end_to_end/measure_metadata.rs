//! Tests `scripts/measure-metadata` on pages of our own: tables, faults, JSON, results of other
//! programs, posts, and errors.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the script; returns its exit code, standard output and standard error.
fn measure(arguments: &[&str]) -> (Option<i32>, String, String) {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scripts/measure-metadata"
    );
    let output = Command::new("python3")
        .arg(script)
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

const PROGRAM: [&str; 2] = ["--program", env!("CARGO_BIN_EXE_vclean")];

/// Writes a set with one page in each split.
fn write_set(folder: &Path) -> String {
    let set = folder.join("tiny");
    fs::create_dir_all(set.join("pages")).unwrap();
    let text = "<p>Herring gulls drop mussels on rocks, on roads and on roofs, until the shells break.</p>".repeat(3);
    let page = |title: &str, day: &str| {
        format!(
            "<meta property=og:title content='{title} | Gull News'><meta property=article:published_time content={day}>\
             <body><h1>{title}</h1><p class=byline>By Ann Lee and Bo Olsen</p>{text}"
        )
    };
    fs::write(
        set.join("pages/a.html"),
        page("Gulls drop mussels", "2020-03-12"),
    )
    .unwrap();
    fs::write(
        set.join("pages/b.html"),
        page("Shells on roads", "2020-03-13"),
    )
    .unwrap();
    let rows = [
        r#"{"id": "a", "split": "dev", "gold_kind": "metadata", "title": "Gulls drop mussels", "author": ["Bo Olsen", "Ann Lee"]}"#,
        r#"{"id": "b", "split": "train", "gold_kind": "metadata", "title": "Shells", "date": "2020-03-13"}"#,
    ];
    fs::write(set.join("manifest.jsonl"), rows.join("\n")).unwrap();
    set.display().to_string()
}

#[test]
fn titles_authors_and_dates_are_compared_with_the_gold() {
    let folder = tempfile::tempdir().unwrap();
    let set = write_set(folder.path());
    let file = folder.path().join("metadata.json").display().to_string();
    let options = ["--split", "all", "--worst", "5", "--json", &file];
    let (code, out, err) = measure(&[&["metadata", &set][..], &options, &PROGRAM].concat());
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.starts_with("metadata: vclean, 2 pages, 0 not cleaned\n"),
        "{out}"
    );
    assert!(out.contains("1 of 2") && out.contains("1 of 1"), "{out}");
    let fault = "tiny/b title: \"Shells\", found \"Shells on roads\" (h1)\n";
    assert!(out.ends_with(fault), "{out}");
    let figures: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(figures["sets"][0]["fields"]["title"]["wrong"], 1);
    assert_eq!(figures["pages"][0]["fields"][1]["outcome"], "right");
}

#[test]
fn equal_names_titles_and_days_are_right_whoever_found_them() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("pairs");
    fs::create_dir_all(&set).unwrap();
    let rows = [
        (
            "author",
            "Bo Olsen, Ann Lee",
            "By ANN LEE and Bo Olsen",
            true,
        ),
        ("author", "Ann Lee", "Ann Lee, senior reporter", true),
        ("author", "Ann Lee", "Ann L\u{e9}e", false),
        ("title", "Gulls", "Gulls | The Site", false),
        ("date", "2020-03-12", "2020-03-12T10:00:00Z", true),
        ("date", "2020-03-12", "2020-03", false),
    ];
    for (number, (field, gold, found, is_right)) in rows.into_iter().enumerate() {
        let row = json!({"id": "a", "split": "dev", "gold_kind": "metadata", field: gold});
        fs::write(set.join("manifest.jsonl"), row.to_string()).unwrap();
        let other = folder.path().join("other.jsonl").display().to_string();
        let line = json!({"set": "pairs", "id": "a", field: found});
        fs::write(&other, line.to_string()).unwrap();
        let set = set.display().to_string();
        let (code, out, err) = measure(&["metadata", &set, "--found", &other]);
        assert_eq!(code, Some(0), "{err}");
        assert!(out.starts_with("metadata: other, 1 pages"), "{out}");
        assert_eq!(out.contains("1 of 1"), is_right, "pair {number}: {out}");
    }
}

#[test]
fn posts_are_compared_with_those_that_a_person_read() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("board");
    fs::create_dir_all(set.join("pages")).unwrap();
    fs::create_dir_all(set.join("gold")).unwrap();
    let posts = [
        (
            "Ann",
            "12",
            "My dough looks wonderful until I shape it and then it spreads over the bench like a pancake",
        ),
        (
            "Bo",
            "13",
            "Nine hours sounds far too long for so much starter unless your kitchen is very cold at night",
        ),
        (
            "Cy",
            "14",
            "Take off some water for the next two loaves and put it back once the shape holds in the oven",
        ),
    ];
    let shown = posts.map(|(author, day, text)| {
        format!(
            "<article class='message message--post js-post' data-author={author} data-content=post-{day} id=js-post-{day}>\
             <h4 class=message-name><a href=/members/{author}.9/ class=username>{author}</a></h4>\
             <header class=message-attribution><a href=/t/1/post-{day}>\
             <time class=u-dt datetime='2020-03-{day}T10:00:00+0000'>March {day}</time></a></header>\
             <article class='message-body js-selectToQuote'><div class=bbWrapper>{text}</div></article></article>"
        )
    });
    let page = format!(
        "<!DOCTYPE html><meta charset=utf-8><title>Flat bread</title><body class=forum><nav><a href=/>Home</a></nav>\
         <main class=thread><h1>Flat bread</h1>{}</main>",
        shown.concat()
    );
    fs::write(set.join("pages/a.html"), page).unwrap();
    let gold = posts.map(|(_, _, text)| text).join("\n");
    fs::write(set.join("gold/a.txt"), gold).unwrap();
    let row = json!({"id": "a", "split": "dev", "gold_kind": "full", "page_type": "forum"});
    fs::write(set.join("manifest.jsonl"), row.to_string()).unwrap();
    let sum = Command::new("sha256sum")
        .arg(set.join("pages/a.html"))
        .output()
        .unwrap();
    let read = |names: [&str; 3]| {
        let lines = posts.map(|(_, day, text)| {
            let words: Vec<&str> = text.split(' ').collect();
            json!({
                "date": format!("2020-03-{day}"), "words": words.len(),
                "starts": words[..4].join(" "), "ends": words[words.len() - 4..].join(" "),
            })
        });
        let lines = lines.into_iter().zip(names).map(|(mut line, name)| {
            line["author"] = name.into();
            line
        });
        let page = String::from_utf8_lossy(&sum.stdout)[..64].to_owned();
        let thread = json!({"set": "board", "id": "a", "page": page, "software": "none", "posts": lines.collect::<Vec<_>>()});
        let file = folder.path().join("threads.jsonl");
        fs::write(&file, thread.to_string()).unwrap();
        let (set, file) = (set.display().to_string(), file.display().to_string());
        let options = ["--gold", &file, "--worst", "3"];
        let (code, out, err) = measure(&[&["threads", &set][..], &options, &PROGRAM].concat());
        assert_eq!(code, Some(0), "{err}");
        out
    };
    let all = read(["Ann", "Bo", "Cy"]);
    assert!(all.matches("1.000").count() >= 4, "{all}");
    let other = read(["Ann", "Di", "Cy"]);
    assert!(
        other.contains("0.667") && other.contains("author of post 2: \"Bo\" for \"Di\""),
        "{other}"
    );
}

#[test]
fn gold_that_cannot_be_used_is_named_with_its_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let set = write_set(folder.path());
    let bad = folder.path().join("bad.jsonl").display().to_string();
    fs::write(&bad, "{}").unwrap();
    let (code, _, err) = measure(&[&["metadata", &set, "--gold", &bad][..], &PROGRAM].concat());
    assert!(code == Some(1) && err.contains("line 1"), "{err}");
    let (code, _, err) = measure(&["metadata", &set, "--program", "/nowhere"]);
    assert!(code == Some(1) && err.contains("--program"), "{err}");
    fs::write(
        folder.path().join("tiny/pages/a.html"),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    )
    .unwrap();
    let (code, _, err) = measure(&[&["metadata", &set][..], &PROGRAM].concat());
    assert!(code == Some(2) && err.contains("tiny/a"), "{err}");
}
