//! Tests the published methods on the command line: listing, cleaning, comparison, training.

use crate::program::{files, vclean};
use std::fs;
use std::path::{Path, PathBuf};

const NAMES: [&str; 17] = [
    "vclean",
    "dump",
    "fiasco",
    "density-lm",
    "ice-baseline",
    "ice-heuristics",
    "ice-elaborate",
    "ice-tree",
    "ice-lm",
    "ice-genetic",
    "texrex",
    "boilerpipe-article",
    "boilerpipe-default",
    "boilerpipe-canola",
    "boilerpipe-everything",
    "boilerpipe-tree",
    "justext",
];

fn page(case: &str) -> String {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("fixtures/site")
        .join(case)
        .join("index.html")
        .display()
        .to_string()
}

#[test]
fn all_methods_are_listed_and_each_is_explained() {
    let listed = vclean(["lab", "methods"]);
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    let names: Vec<&str> = listed
        .stdout
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split(' ').next())
        .collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    let mut expected = NAMES.to_vec();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    let one = vclean(["lab", "methods", "boilerpipe-tree"]).stdout;
    assert!(
        one.contains("Viveros") && one.contains("--parameter ancestor=2"),
        "{one}"
    );
    let unknown = vclean(["lab", "methods", "magic"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(1), ""));
}

#[test]
fn every_method_cleans_a_page_and_is_deterministic() {
    let page = page("article");
    let dump = vclean(["clean", &page, "--method", "dump"]).stdout;
    for name in NAMES {
        let outcome = vclean(["clean", &page, "--method", name]);
        assert_eq!(
            (outcome.code, outcome.stderr.as_str()),
            (Some(0), ""),
            "{name}"
        );
        assert_eq!(
            vclean(["clean", &page, "--method", name]).stdout,
            outcome.stdout,
            "{name}"
        );
        assert!(
            outcome.stdout.len() <= 2 * dump.len(),
            "{name} invents text"
        );
    }
    // One method that reads the tree, one with a model, one that reads the source.
    for name in ["justext", "ice-tree", "density-lm"] {
        for format in ["cleaneval", "markdown", "html", "json"] {
            let outcome = vclean(["clean", &page, "--method", name, "--format", format]);
            assert_eq!(
                (outcome.code, outcome.stderr.as_str()),
                (Some(0), ""),
                "{name} {format}"
            );
        }
    }
}

#[test]
fn parameters_are_used_and_wrong_ones_named() {
    let page = page("article");
    let all = vclean([
        "clean",
        &page,
        "--method",
        "justext",
        "--parameter",
        "max_link_density=0",
    ]);
    let usual = vclean(["clean", &page, "--method", "justext"]);
    assert_eq!((all.code, usual.code), (Some(0), Some(0)), "{}", all.stderr);
    let wrong = vclean([
        "clean",
        &page,
        "--method",
        "boilerpipe-tree",
        "--parameter",
        "ancestor=9",
    ]);
    assert_eq!(wrong.code, Some(1));
    assert!(
        wrong
            .stderr
            .contains("ancestor is 9, allowed is a whole number from 1 to 5"),
        "{}",
        wrong.stderr
    );
    let nowhere = vclean([
        "clean",
        &page,
        "--method",
        "texrex",
        "--model",
        "no/such.model",
    ]);
    assert_eq!(nowhere.code, Some(1));
    assert!(
        nowhere.stderr.contains("no/such.model"),
        "{}",
        nowhere.stderr
    );
}

#[test]
fn the_decisions_of_a_method_can_be_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("page.html").display().to_string();
    let outcome = vclean([
        "clean",
        &page("article"),
        "--method",
        "justext",
        "--report",
        &report,
    ]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert!(fs::read_to_string(&report).unwrap().contains("<table"));
    let outcome = vclean([
        "clean",
        &page("article"),
        "--method",
        "ice-genetic",
        "--report",
        &report,
    ]);
    assert!(
        outcome.stdout.is_empty() || outcome.stderr.contains("nothing to draw"),
        "{}",
        outcome.stderr
    );
}

/// Makes a set of twelve sites with one page each, for training and evaluation.
pub fn make_set(at: &Path) -> PathBuf {
    let folder = at.join("isles");
    for name in ["pages", "gold"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let mut manifest = String::new();
    for number in 0..12 {
        let split = if number % 3 == 2 { "dev" } else { "train" };
        let story = format!(
            "The ferry to island {number} left the harbor at seven in the morning, with forty people on board and a cold \
             wind from the north that made the flags of the {number} boats stand out like boards."
        );
        let more = format!(
            "By noon the island was in sight, low and green, and the captain let the {number} children steer for as long as \
             the channel was wide enough for their mistakes."
        );
        let links =
            (0..9).map(|link| format!("<li><a href=/{link}>Section {link} of {number}</a></li>\n"));
        let links = links.collect::<Vec<_>>().concat();
        let notice = format!(
            "Copyright {number}, all rights reserved | terms | privacy | contact | imprint | cookies | login"
        );
        let html = format!(
            "<!DOCTYPE html>\n<html><head><title>Ferry {number}</title></head>\n<body>\n<ul>\n{links}</ul>\n\
             <h1>The ferry {number}</h1>\n<p>{story}</p>\n<p>{more}</p>\n<p>{story} {more}</p>\n\
             <div><a href=/x>{notice}</a></div>\n<script>\nvar x = {{a: {number}, b: function () {{ return window.y({number}); }}, c: []}};\n</script>\n</body></html>\n"
        );
        fs::write(folder.join(format!("pages/p{number}.html")), html).unwrap();
        let gold = format!("The ferry {number}\n{story}\n{more}\n{story} {more}\n");
        fs::write(folder.join(format!("gold/p{number}.txt")), gold).unwrap();
        manifest += &serde_json::json!({"id": format!("p{number}"), "host": format!("h{number}.example"), "lang": "en", "split": split})
            .to_string();
        manifest.push('\n');
    }
    fs::write(folder.join("manifest.jsonl"), manifest).unwrap();
    folder
}

#[test]
fn methods_are_compared_in_one_table_and_written_as_a_page_with_a_plot() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path()).display().to_string();
    let page = folder.path().join("methods.md");
    let outcome = vclean([
        "lab",
        "evaluate",
        &set,
        "--static",
        "--quiet",
        "--methods",
        "all",
        "--markdown",
        &page.display().to_string(),
    ]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stdout.starts_with("isles, dev, 4 pages\nmethod"),
        "{}",
        outcome.stdout
    );
    let written = fs::read_to_string(&page).unwrap();
    for name in NAMES {
        assert!(
            outcome
                .stdout
                .lines()
                .any(|line| line.starts_with(&format!("{name} "))),
            "{name}"
        );
        assert!(written.contains(&format!("| {name} | ")), "{name}");
    }
    let dump = outcome
        .stdout
        .lines()
        .find(|line| line.starts_with("dump "))
        .unwrap();
    assert_eq!(
        dump.split_whitespace().nth(2),
        Some("1.000"),
        "the dump loses nothing: {dump}"
    );
    assert!(
        outcome.stdout.contains("F < .5 (95 %)") && outcome.stdout.contains("\nvclean minus "),
        "{}",
        outcome.stdout
    );
    assert!(
        written.contains("| method | F (95 %) | F < .5 (95 %) |")
            && written.contains("| vclean minus | words |")
    );
    assert!(
        written.contains("--static --methods all --markdown methods.md") && !written.contains(&set)
    );
    let plot = fs::read_to_string(folder.path().join("methods.svg")).unwrap();
    assert_eq!(plot.matches("<title>").count(), NAMES.len());
    let names: Vec<String> = files(folder.path()).into_keys().collect();
    assert_eq!(
        names,
        ["methods.md", "methods.svg"],
        "nothing half-written is left"
    );
    let unknown = vclean([
        "lab",
        "evaluate",
        &set,
        "--static",
        "--methods",
        "dump,magic",
    ]);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.contains("there is no method magic"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn published_methods_are_trained_and_their_models_used() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path()).display().to_string();
    for name in ["density-lm", "ice-tree"] {
        let model = folder
            .path()
            .join(format!("{name}.model"))
            .display()
            .to_string();
        let trained = vclean([
            "lab", "train", &set, "--static", "--quiet", "--method", name, "--out", &model,
        ]);
        assert_eq!(
            (trained.code, trained.stderr.as_str()),
            (Some(0), ""),
            "{name}"
        );
        assert!(trained.stdout.contains("wrote "), "{}", trained.stdout);
        let first = fs::read(&model).unwrap();
        assert!(
            first.starts_with(format!("vclean method {name} 1\n").as_bytes()),
            "{name}"
        );
        vclean([
            "lab", "train", &set, "--static", "--quiet", "--method", name, "--out", &model,
        ]);
        assert_eq!(
            fs::read(&model).unwrap(),
            first,
            "{name}: the same pages give the same bytes"
        );
        let page = format!("{set}/pages/p2.html");
        let cleaned = vclean(["clean", &page, "--method", name, "--model", &model]);
        assert_eq!(cleaned.code, Some(0), "{}", cleaned.stderr);
        assert!(
            cleaned.stdout.contains("forty people on board"),
            "{name}: {}",
            cleaned.stdout
        );
        assert!(
            !cleaned.stdout.contains("window.y"),
            "{name}: {}",
            cleaned.stdout
        );
    }
    let refused = vclean([
        "lab", "train", &set, "--static", "--method", "texrex", "--c", "4", "--out", "x",
    ]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("has its own training"),
        "{}",
        refused.stderr
    );
}
