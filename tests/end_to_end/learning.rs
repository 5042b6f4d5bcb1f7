//! `vclean train` on a data folder of many small sites: figures of whole held-out pages, and learning curves.

use crate::program::vclean;
use std::fs;
use std::path::{Path, PathBuf};

/// A set of 60 sites with one page each.
fn make_set(at: &Path) -> PathBuf {
    let folder = at.join("ferries");
    for name in ["pages", "gold"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let mut manifest = String::new();
    for number in 0..60 {
        let story = format!(
            "The ferry to island {number} left the harbor at seven in the morning, with {} people on board and a cold wind.",
            20 + number
        );
        let more =
            format!("By noon the island was in sight, low and green, and the captain of boat {number} slowed down.");
        let html = format!(
            "<html><body><nav><a href=/>Home</a> <a href=/{number}>Harbor {number}</a></nav><h1>The ferry {number}</h1>\
             <p>{story}</p><p>{more}</p><footer><a href=/x>Imprint and privacy {number}</a></footer></body></html>"
        );
        fs::write(folder.join(format!("pages/p{number}.html")), html).unwrap();
        fs::write(folder.join(format!("gold/p{number}.txt")), format!("The ferry {number}\n{story}\n{more}\n"))
            .unwrap();
        manifest +=
            &serde_json::json!({"id": format!("p{number}"), "host": format!("h{number}.example"), "split": "train"})
                .to_string();
        manifest.push('\n');
    }
    fs::write(folder.join("manifest.jsonl"), manifest).unwrap();
    folder
}

#[test]
fn training_reports_held_out_pages_and_learning_curves() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path()).display().to_string();
    let out = folder.path().join("small.model").display().to_string();
    let train = |more: &[&str]| {
        let usual = ["train", &set, "--static", "--quiet", "--classifier", "logistic", "--stages", "1", "--out", &out];
        vclean([&usual[..], more].concat())
    };
    let plain = train(&[]);
    assert_eq!((plain.code, plain.stderr.as_str()), (Some(0), ""));
    let row = plain.stdout.lines().find(|line| line.starts_with("ferries ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[1..3], ["60", "60"], "{}", plain.stdout);
    assert!(cells[3].parse::<f64>().unwrap() > 0.9, "these pages are easy: {row}");
    assert!(!plain.stdout.contains("learned from"), "{}", plain.stdout);
    let model = fs::read(&out).unwrap();

    let curve = train(&["--learning-curve", "1"]);
    assert_eq!((curve.code, curve.stderr.as_str()), (Some(0), ""));
    let names =
        ["1/8 of the sites", "1/4 of the sites", "1/2 of the sites", "all ", "1/8 of the pages", "1/2 of the pages"];
    assert!(names.iter().all(|name| curve.stdout.lines().any(|line| line.starts_with(name))), "{}", curve.stdout);
    assert_eq!(fs::read(&out).unwrap(), model, "the model is the same");
    assert_eq!(train(&["--learning-curve", "1"]).stdout, curve.stdout, "the figures are the same");
}

#[test]
fn a_learning_curve_with_too_few_sites_is_refused_before_training() {
    let folder = tempfile::tempdir().unwrap();
    let set = crate::methods::make_set(folder.path()).display().to_string();
    let out = folder.path().join("small.model");
    let refused =
        vclean(["train", &set, "--static", "--quiet", "--out", &out.display().to_string(), "--learning-curve", "1"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("add pages of other sites"), "{}", refused.stderr);
    assert!(!out.exists());
}
