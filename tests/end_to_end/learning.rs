//! Tests `vclean lab train` on a data folder of many small sites: scores of whole held-out pages,
//! and `scripts/learning-curve`.

use crate::program::{Outcome, vclean};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Makes a set of sites with one page each.
fn make_set(at: &Path, sites: usize) -> PathBuf {
    let folder = at.join("ferries");
    for name in ["pages", "gold"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let mut manifest = String::new();
    for number in 0..sites {
        let story = format!(
            "The ferry to island {number} left the harbor at seven in the morning, with {} people on board and a cold wind.",
            20 + number
        );
        let more = format!(
            "By noon the island was in sight, low and green, and the captain of boat {number} slowed down."
        );
        let html = format!(
            "<html><body><nav><a href=/>Home</a> <a href=/{number}>Harbor {number}</a></nav><h1>The ferry {number}</h1>\
             <p>{story}</p><p>{more}</p><footer><a href=/x>Imprint and privacy {number}</a></footer></body></html>"
        );
        fs::write(folder.join(format!("pages/p{number}.html")), html).unwrap();
        fs::write(
            folder.join(format!("gold/p{number}.txt")),
            format!("The ferry {number}\n{story}\n{more}\n"),
        )
        .unwrap();
        manifest +=
            &serde_json::json!({"id": format!("p{number}"), "host": format!("h{number}.example"), "split": "train"})
                .to_string();
        manifest.push('\n');
    }
    fs::write(folder.join("manifest.jsonl"), manifest).unwrap();
    folder
}

/// Trains the fastest model.
fn train(set: &str, out: &str, more: &[&str]) -> Outcome {
    let usual = [
        "lab",
        "train",
        set,
        "--static",
        "--quiet",
        "--classifier",
        "logistic",
        "--stages",
        "1",
        "--out",
        out,
    ];
    vclean([&usual[..], more].concat())
}

#[test]
fn training_reports_held_out_pages() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path(), 60).display().to_string();
    let out = folder.path().join("small.model").display().to_string();
    let plain = train(&set, &out, &[]);
    assert_eq!((plain.code, plain.stderr.as_str()), (Some(0), ""));
    let row = plain
        .stdout
        .lines()
        .find(|line| line.starts_with("ferries "))
        .unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[1..3], ["60", "60"], "{}", plain.stdout);
    assert!(
        cells[3].parse::<f64>().unwrap() > 0.9,
        "these pages are easy: {row}"
    );
}

/// Runs `scripts/learning-curve` with the fastest model.
fn curve(set: &str) -> std::process::Output {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/learning-curve");
    let options = "-- --static --classifier logistic --stages 1";
    std::process::Command::new("python3")
        .args([script, "--program", env!("CARGO_BIN_EXE_vclean"), set])
        .args(options.split(' '))
        .output()
        .unwrap()
}

#[test]
fn a_learning_curve_measures_every_share_on_the_same_sites() {
    let folder = tempfile::tempdir().unwrap();
    let curve = curve(&make_set(folder.path(), 60).display().to_string());
    let table = String::from_utf8_lossy(&curve.stdout);
    assert!(
        curve.status.success(),
        "{}",
        String::from_utf8_lossy(&curve.stderr)
    );
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    // A fifth of the 60 sites is held out; each has one page.
    let expected = [
        ("1/8 of the sites", "6"),
        ("1/4 of the sites", "12"),
        ("1/2 of the sites", "24"),
        ("all", "48"),
        ("1/8 of the pages", "6"),
        ("1/4 of the pages", "12"),
        ("1/2 of the pages", "24"),
    ];
    assert_eq!(rows.len(), 1 + expected.len(), "{table}");
    for (row, (name, pages)) in rows[1..].iter().zip(expected) {
        assert_eq!(row[..3], [name, pages, pages], "{table}");
        assert!(
            row[3].parse::<f64>().unwrap() > 0.9,
            "these pages are easy: {table}"
        );
    }
}

#[test]
fn a_model_of_six_sites_cleans_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let set = make_set(folder.path(), 6);
    let page = set.join("pages/p3.html").display().to_string();
    let out = folder.path().join("six.model").display().to_string();
    let trained = train(&set.display().to_string(), &out, &[]);
    assert_eq!((trained.code, trained.stderr.as_str()), (Some(0), ""));
    // No class name or tag occurs on enough sites to be learned.
    let cleaned = vclean(["clean", "--model", &out, &page]);
    assert_eq!((cleaned.code, cleaned.stderr.as_str()), (Some(0), ""));
    assert!(
        cleaned.stdout.contains("By noon the island was in sight"),
        "{}",
        cleaned.stdout
    );
}

#[test]
fn a_learning_curve_with_too_few_sites_is_refused_before_training() {
    let folder = tempfile::tempdir().unwrap();
    let refused = curve(&make_set(folder.path(), 20).display().to_string());
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(message.contains("add pages of other sites"), "{message}");
}

/// Makes a set of one site whose text is where other sites have their footer.
fn make_odd_site(at: &Path, pages: usize) -> PathBuf {
    let folder = at.join("birds");
    for name in ["pages", "gold"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let mut manifest = String::new();
    for number in 0..pages {
        let story = format!(
            "Flock {number} comes back to the harbor in week {number}, and it leaves when the ice is thick enough to walk on.\n\
             Nobody has counted flock {number} since the lighthouse was closed, so the old figures are all there is.\n"
        );
        let items = format!("<li>{}</li>", story.trim_end().replace('\n', "</li><li>"));
        let html = format!(
            "<title>Birds</title><nav><a href=/>Home</a> <a href=/b>Birds</a></nav><main><p>Our shop sells field glasses, \
             maps and boots for every season, and we ship them to all the islands twice a week.</p><p>Members of the club \
             get their order sooner and pay nothing for it, as long as the ferry sails.</p></main><footer><ul>{items}</ul></footer>"
        );
        fs::write(folder.join(format!("pages/p{number}.html")), html).unwrap();
        fs::write(folder.join(format!("gold/p{number}.txt")), story).unwrap();
        writeln!(
            manifest,
            "{{\"id\": \"p{number}\", \"host\": \"birds.example\", \"split\": \"train\"}}"
        )
        .unwrap();
    }
    fs::write(folder.join("manifest.jsonl"), manifest).unwrap();
    folder
}

#[test]
fn a_model_adapts_to_the_pages_of_one_site_or_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let adapt = |set: &Path, out: &Path| {
        let [set, out] = [set, out].map(|path| path.display().to_string());
        vclean([
            "lab", "train", &set, "--static", "--adapt", "static", "--out", &out, "--quiet",
        ])
    };
    let own = folder.path().join("own.model");
    let odd = make_odd_site(folder.path(), 14);
    let done = adapt(&odd, &own);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    let page = odd.join("pages/p3.html").display().to_string();
    let cleaned = |more: &[&str]| vclean([&["clean", &page][..], more].concat()).stdout;
    assert!(
        !cleaned(&[]).contains("Flock 3 comes back"),
        "the built-in model takes the text for a footer"
    );
    let adapted = cleaned(&["--model", &own.display().to_string()]);
    assert!(
        adapted.contains("Flock 3 comes back") && !adapted.contains("field glasses"),
        "{adapted}"
    );

    let other = folder.path().join("other.model");
    let easy = adapt(&make_set(folder.path(), 60), &other);
    assert_eq!(easy.code, Some(1), "{}", easy.stdout);
    assert!(
        easy.stderr.contains("come out no better") && easy.stderr.contains("label more pages"),
        "{}",
        easy.stderr
    );
    assert!(!other.exists());

    fs::remove_dir_all(&odd).unwrap();
    let few = adapt(&make_odd_site(folder.path(), 9), &other);
    assert!(
        few.stderr
            .contains("9 pages can be used, and 10 are needed"),
        "{}",
        few.stderr
    );
    assert!(few.code == Some(1) && !other.exists());
}
