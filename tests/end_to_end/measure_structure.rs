//! Tests `scripts/measure-structure` on pages of our own: the table, JSON, packed gold, outputs of
//! other programs, and errors.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Exit code and output of the script.
struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs the script on a set, with the packages that the part `laboratory` of `scripts/test-all`
/// installs in the build folder.
fn measure(set: &Path, gold: &Path, options: &[&str]) -> Outcome {
    let program = Path::new(env!("CARGO_BIN_EXE_vclean"));
    let packages = program
        .ancestors()
        .nth(2)
        .unwrap()
        .join("measure-structure-packages");
    assert!(
        packages.is_dir(),
        "pyromark is not in {}; run scripts/test-all laboratory",
        packages.display()
    );
    let output = Command::new("python3")
        .env("PYTHONPATH", packages)
        .arg(Path::new(ROOT).join("scripts/measure-structure"))
        .args([set, Path::new("--gold"), gold])
        .args(options)
        .args([Path::new("--program"), program])
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

const MENU: &str =
    "<nav><a href=/>Home</a> <a href=/birds>Birds</a> <a href=/contact>Contact us</a></nav>";
const INTRO: &str = "Herring gulls drop mussels on the rocks from a height that depends on how hard the shell is, and \
    they seldom have to try more than twice before it breaks.";
const CODE: &str =
    "fn drop(height: f32) {\n    for shell in shells() {\n        shell.fall(height);\n    }\n}";
const LAST: &str = "Young birds learn this by watching the old ones for two or three winters, and until then they steal \
    what others have opened.";

/// Compares the structure of pages that imitate many publishing programs with their Markdown, so
/// that no part of the structure gets worse.
#[test]
fn the_structure_of_pages_of_many_programs_is_kept() {
    /// Lowest allowed means; they are at most .01 below the measured ones.
    const LOWEST: &[(&str, f64)] = &[
        ("text", 0.965),
        ("code", 0.982),
        ("formulas", 0.921),
        ("tables", 0.936),
        ("headings", 0.926),
        ("lists", 0.9),
        ("links", 0.871),
        ("notes", 0.95),
        ("overall", 0.923),
    ];
    let folder = tempfile::tempdir().unwrap();
    let tests = Path::new(ROOT).join("tests/structure");
    let figures = folder.path().join("figures.json");
    let (made, gold) = (tests.join("made"), tests.join("markdown"));
    let outcome = measure(&made, &gold, &["--json", &figures.display().to_string()]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let read: Value = serde_json::from_str(&fs::read_to_string(&figures).unwrap()).unwrap();
    assert!(read["pages"].as_array().unwrap().len() > 80);
    for (part, lowest) in LOWEST {
        let parts = read["groups"][0]["parts"].as_array().unwrap();
        let mean = parts
            .iter()
            .find(|found| found["part"] == *part)
            .and_then(|found| found["mean"].as_f64())
            .unwrap();
        assert!(mean >= *lowest, "{part}: {mean:.3} is below {lowest}");
    }
}

/// Makes a set with two pages, and the gold of their structure as a folder and as a packed file.
fn make_set(at: &Path) -> (PathBuf, PathBuf, PathBuf) {
    let folder = at.join("gulls");
    fs::create_dir_all(folder.join("pages")).unwrap();
    let page = |text: &str| {
        let foot = "<footer><a href=/legal>Legal notice</a></footer>";
        format!(
            "<html><head><title>Gulls</title></head><body>{MENU}<article>{text}</article>{foot}</body></html>"
        )
    };
    let one = format!(
        "<h1>How gulls eat</h1><p>{INTRO}</p><h2>A model</h2><p>{LAST}</p><pre><code>{CODE}</code></pre>\
         <p>The heights that were measured, <a href='m'>by hand</a>:</p>\
         <table><tr><th>shell</th><th>height</th></tr><tr><td>mussel</td><td>4 m</td></tr>\
         <tr><td>whelk</td><td>5 m</td></tr></table>"
    );
    let two = format!(
        "<p>{INTRO}</p><ul><li>Mussels are dropped.</li><li>Eggs are stolen.</li></ul><p>{LAST}</p>"
    );
    fs::write(folder.join("pages/one.html"), page(&one)).unwrap();
    fs::write(folder.join("pages/two.html"), page(&two)).unwrap();
    let rows = [
        "{\"id\": \"one\", \"url\": \"https://gulls.example/eat/\", \"split\": \"dev\"}",
        "{\"id\": \"two\", \"split\": \"train\"}",
    ];
    fs::write(folder.join("manifest.jsonl"), rows.join("\n")).unwrap();
    let golds = [
        format!(
            "# How gulls eat\n\n{INTRO}\n\n## A model\n\n{LAST}\n\n```\n{CODE}\n```\n\n\
             The heights that were measured, [by hand](m):\n\n\
             | shell | height |\n|---|---|\n| mussel | 4 m |\n| whelk | 5 m |\n"
        ),
        format!("{INTRO}\n\n- Mussels are dropped.\n- Eggs are stolen.\n\n{LAST}\n"),
    ];
    let marked = at.join("marked");
    fs::create_dir_all(marked.join("gulls")).unwrap();
    for (id, gold) in ["one", "two"].iter().zip(&golds) {
        fs::write(marked.join(format!("gulls/{id}.md")), gold).unwrap();
    }
    let (held_out, packed) = (at.join("held_out"), at.join("gold.jsonl"));
    fs::write(&held_out, "gulls/one\n").unwrap();
    let files = [&packed, &held_out].map(|file| file.display().to_string());
    let outcome = measure(
        &folder,
        &marked,
        &["--pack", &files[0], "--held-out", &files[1]],
    );
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let lines = fs::read_to_string(&packed).unwrap();
    assert!(
        !lines.contains("mussels") && !lines.contains("shells"),
        "the gold holds text of the pages: {lines}"
    );
    (folder, marked, packed)
}

/// Returns the cells of a row of the table.
fn row<'a>(table: &'a str, name: &str) -> Vec<&'a str> {
    let line = table
        .lines()
        .find(|line| line.starts_with(name))
        .unwrap_or_default();
    line.split_whitespace()
        .skip(name.split_whitespace().count())
        .collect()
}

#[test]
fn cleaned_pages_are_scored_by_part_and_by_group() {
    let folder = tempfile::tempdir().unwrap();
    let (set, _, gold) = make_set(folder.path());
    let json = folder.path().join("structure.json");
    let options = ["--json", &json.display().to_string(), "--worst", "1"];
    let outcome = measure(&set, &gold, &options);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome
            .stdout
            .starts_with("structure: vclean, 2 pages, 0 without output\n"),
        "{}",
        outcome.stdout
    );
    assert!(
        outcome
            .stdout
            .lines()
            .all(|line| line.chars().count() <= 120),
        "{}",
        outcome.stdout
    );
    let text = row(&outcome.stdout, "text");
    let pages: Vec<&str> = text.iter().copied().skip(1).step_by(2).collect();
    assert_eq!(pages, ["2", "1", "1", "1", "1"], "{}", outcome.stdout);
    assert!(text[0].parse::<f64>().unwrap() > 0.9, "{}", outcome.stdout);
    assert_eq!(
        row(&outcome.stdout, "code")[..2],
        ["1.000", "1"],
        "{}",
        outcome.stdout
    );
    assert_eq!(
        row(&outcome.stdout, "links")[..2],
        ["1.000", "1"],
        "{}",
        outcome.stdout
    );
    assert_eq!(
        row(&outcome.stdout, "formulas"),
        ["0"; 5],
        "{}",
        outcome.stdout
    );
    assert!(
        outcome.stdout.contains("worst pages\n"),
        "{}",
        outcome.stdout
    );
    let all: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert_eq!(
        (
            all["pages"].as_array().unwrap().len(),
            all["groups"][1]["group"].as_str()
        ),
        (2, Some("held out"))
    );
    assert_eq!(
        (
            all["pages"][0]["held_out"].as_bool(),
            all["pages"][0]["scores"]["code"].as_f64()
        ),
        (Some(true), Some(1.0))
    );

    let dev = measure(&set, &gold, &["--split", "dev"]);
    assert!(
        dev.stdout.starts_with("structure: vclean, 1 pages"),
        "{}",
        dev.stdout
    );
}

#[test]
fn outputs_of_other_programs_are_scored() {
    let folder = tempfile::tempdir().unwrap();
    let (set, outputs, gold) = make_set(folder.path());
    let options = ["--outputs", &outputs.display().to_string()];
    let same = measure(&set, &gold, &options);
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert!(
        same.stdout
            .starts_with("structure: marked, 2 pages, 0 without output\n"),
        "{}",
        same.stdout
    );
    for name in [
        "text", "code", "tables", "headings", "lists", "links", "overall",
    ] {
        assert_eq!(
            row(&same.stdout, name)[0],
            "1.000",
            "{name} in {}",
            same.stdout
        );
    }
    fs::remove_file(outputs.join("gulls/two.md")).unwrap();
    let less = measure(&set, &gold, &options);
    assert_eq!(less.code, Some(2));
    assert!(
        less.stderr.contains("two") && less.stderr.contains("cannot read"),
        "{}",
        less.stderr
    );
    assert!(
        less.stdout.contains("1 without output") && row(&less.stdout, "lists")[0] == "0.000",
        "{}",
        less.stdout
    );
}

#[test]
fn gold_that_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (set, _, gold) = make_set(folder.path());
    let lines = fs::read_to_string(&gold).unwrap();
    let fails = |words: &[&str]| {
        let outcome = measure(&set, &gold, &[]);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(1), ""),
            "{}",
            outcome.stderr
        );
        assert!(
            words.iter().all(|word| outcome.stderr.contains(word)),
            "{words:?} in {}",
            outcome.stderr
        );
    };
    fs::write(&gold, lines.replace("\"id\":\"two\"", "\"id\":\"three\"")).unwrap();
    fails(&["set gulls has no page three", "unpack the set again"]);
    fs::write(
        &gold,
        lines.replace("\"set\":\"gulls\"", "\"set\":\"terns\""),
    )
    .unwrap();
    fails(&["gulls (all) has gold in", "gold.jsonl"]);
    fs::write(&gold, lines.replace("\"parts\":[", "\"parts\":[\"x\",")).unwrap();
    fails(&["gulls/", "not the one that was packed"]);
    fs::write(&gold, format!("{lines}no recipe")).unwrap();
    fails(&["gold.jsonl", "line 3"]);
    fs::write(&gold, &lines).unwrap();
    fs::write(set.join("pages/one.html"), "<p>Another page.").unwrap();
    fails(&["one.html is not the page", "gulls/one", "SHA-256"]);
}

#[test]
fn the_gold_of_the_project_holds_no_text_of_its_pages() {
    let lines = fs::read_to_string(Path::new(ROOT).join("tests/structure/gold.jsonl")).unwrap();
    let golds: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let held_out = golds.iter().filter(|gold| gold["held_out"] == true).count();
    assert!(golds.len() >= 100 && held_out * 2 >= golds.len());
    let letters = |text: &str| text.chars().filter(|char| char.is_alphanumeric()).count();
    let (mut literals, mut ranges) = (0, 0);
    for part in golds
        .iter()
        .flat_map(|gold| gold["parts"].as_array().unwrap())
    {
        match part {
            // The script refuses a literal text of more than a few words.
            Value::String(literal) => literals += letters(literal),
            Value::Array(range) => ranges += range[2].as_u64().unwrap() as usize,
            // Text that was typed from a picture, such as a formula; the page does not have it.
            typed => assert!(typed["typed"].is_string(), "{typed}"),
        }
    }
    assert!(
        literals * 50 < ranges,
        "{literals} letters in literals, {ranges} in ranges"
    );
}
