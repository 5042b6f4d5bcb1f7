//! `vclean lab evaluate --structure` on pages of our own: the table, JSON, outputs of other programs,
//! and errors.

use crate::program::{Outcome, vclean};
use std::fs;
use std::path::{Path, PathBuf};
use vclean_lab::gold::structure::{Part, make_recipe, read_recipes};
use vclean_run::source::DataSet;

const MENU: &str =
    "<nav><a href=/>Home</a> <a href=/birds>Birds</a> <a href=/contact>Contact us</a></nav>";
const INTRO: &str = "Herring gulls drop mussels on the rocks from a height that depends on how hard the shell is, and \
    they seldom have to try more than twice before it breaks.";
const CODE: &str =
    "fn drop(height: f32) {\n    for shell in shells() {\n        shell.fall(height);\n    }\n}";
const LAST: &str = "Young birds learn this by watching the old ones for two or three winters, and until then they steal \
    what others have opened.";

/// Pages that imitate what many programs publish, with Markdown that was written beside them: no
/// part of the structure gets worse.
#[test]
fn the_structure_of_pages_of_many_programs_is_kept() {
    /// Lowest means; they are up to .01 below those that were measured.
    const LOWEST: &[(&str, f64)] = &[
        ("text", 0.965),
        ("code", 0.982),
        ("formulas", 0.921),
        ("tables", 0.947),
        ("headings", 0.926),
        ("lists", 0.854),
        ("links", 0.824),
        ("notes", 0.95),
        ("overall", 0.909),
    ];
    let folder = tempfile::tempdir().unwrap();
    let tests = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/structure");
    let figures = folder.path().join("figures.json");
    let (made, gold) = (tests.join("made"), tests.join("markdown"));
    let outcome = evaluate(
        &made,
        &gold,
        &["--static", "--json", &figures.display().to_string()],
    );
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let read: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&figures).unwrap()).unwrap();
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

/// A set with two pages, and the gold of their structure.
fn make_set(at: &Path) -> (PathBuf, PathBuf) {
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
    let set = DataSet::open(&folder).unwrap();
    let mut lines = String::new();
    for (row, gold) in set.rows.iter().zip(&golds) {
        let recipe = make_recipe(&set, row, gold, row.id == "one").unwrap();
        lines += &(serde_json::to_string(&recipe).unwrap() + "\n");
        let outputs = at.join("outputs/gulls");
        fs::create_dir_all(&outputs).unwrap();
        fs::write(outputs.join(format!("{}.md", row.id)), gold).unwrap();
    }
    assert!(
        !lines.contains("mussels") && !lines.contains("shells"),
        "the gold holds text of the pages: {lines}"
    );
    let gold = at.join("gold.jsonl");
    fs::write(&gold, lines).unwrap();
    (folder, gold)
}

fn evaluate(set: &Path, gold: &Path, options: &[&str]) -> Outcome {
    let (set, gold) = (set.display().to_string(), gold.display().to_string());
    vclean(
        [
            &["lab", "evaluate", &set, "--quiet", "--structure", &gold],
            options,
        ]
        .concat(),
    )
}

/// The cells of a row of the table.
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
    let (set, gold) = make_set(folder.path());
    let json = folder.path().join("structure.json");
    let outcome = evaluate(
        &set,
        &gold,
        &[
            "--static",
            "--json",
            &json.display().to_string(),
            "--worst",
            "1",
        ],
    );
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
    let all: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert_eq!(
        (
            all["pages"].as_array().unwrap().len(),
            all["groups"][1]["group"].as_str()
        ),
        (2, Some("unseen"))
    );
    assert_eq!(
        (
            all["pages"][0]["unseen"].as_bool(),
            all["pages"][0]["scores"]["code"].as_f64()
        ),
        (Some(true), Some(1.0))
    );

    let dev = evaluate(&set, &gold, &["--static", "--split", "dev"]);
    assert!(
        dev.stdout.starts_with("structure: vclean, 1 pages"),
        "{}",
        dev.stdout
    );
}

#[test]
fn outputs_of_other_programs_are_scored() {
    let folder = tempfile::tempdir().unwrap();
    let (set, gold) = make_set(folder.path());
    let outputs = folder.path().join("outputs");
    let options = ["--outputs", &outputs.display().to_string()];
    let same = evaluate(&set, &gold, &options);
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert!(
        same.stdout
            .starts_with("structure: outputs, 2 pages, 0 without output\n"),
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
    let less = evaluate(&set, &gold, &options);
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
    let (set, gold) = make_set(folder.path());
    let lines = fs::read_to_string(&gold).unwrap();
    let fails = |words: &[&str]| {
        let outcome = evaluate(&set, &gold, &["--static"]);
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
    fails(&["set gulls has no page three", "unpack the data set"]);
    fs::write(
        &gold,
        lines.replace("\"set\":\"gulls\"", "\"set\":\"terns\""),
    )
    .unwrap();
    fails(&["no page of gulls (all)", "gold.jsonl"]);
    fs::write(&gold, lines.replace("\"parts\":[", "\"parts\":[\"x\",")).unwrap();
    fails(&["gulls/", "not the one that was packed"]);
    fs::write(&gold, format!("{lines}no recipe")).unwrap();
    fails(&["gold.jsonl", "line 3"]);
    fs::write(&gold, &lines).unwrap();
    fs::write(set.join("pages/one.html"), "<p>Another page.").unwrap();
    fails(&["one.html is not the page", "gulls/one", "SHA-256"]);
    let words = [
        "lab",
        "evaluate",
        &set.display().to_string(),
        "--outputs",
        "x",
    ]
    .map(str::to_owned);
    let alone = vclean(words.iter().map(String::as_str));
    assert!(
        alone.code == Some(1) && alone.stderr.contains("--structure"),
        "{}",
        alone.stderr
    );
}

#[test]
fn the_gold_of_the_project_holds_no_text_of_its_pages() {
    let path =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/structure/gold.jsonl");
    // Reading checks that no literal is longer than a few words.
    let recipes = read_recipes(&path).unwrap();
    let unseen = recipes.iter().filter(|recipe| recipe.unseen).count();
    assert!(
        recipes.len() >= 100 && unseen * 2 >= recipes.len(),
        "{unseen} of {}",
        recipes.len()
    );
    let (mut all_literal, mut all_ranges) = (0, 0);
    for recipe in &recipes {
        let in_ranges = recipe.parts.iter().map(|part| {
            if let Part::Range(range) = part {
                range.length
            } else {
                0
            }
        });
        let (in_ranges, (literal, typed)) = (in_ranges.sum::<usize>(), recipe.own_letters());
        // Short cells of a table may be literals.
        assert!(
            literal * 2 < in_ranges && typed * 2 < in_ranges,
            "{}/{}: {literal}, {typed}",
            recipe.set,
            recipe.id
        );
        (all_literal, all_ranges) = (all_literal + literal, all_ranges + in_ranges);
    }
    assert!(
        all_literal * 50 < all_ranges,
        "{all_literal} letters in literals, {all_ranges} bytes in ranges"
    );
}
