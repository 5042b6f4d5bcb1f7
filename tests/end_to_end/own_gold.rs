//! Runs the commands of docs/guide/own-pages.md as they are printed, and checks the errors that
//! people meet who write their own set.

use crate::program::vclean;
use crate::support::fixtures;
use std::fs;
use std::path::Path;

/// Returns the blocks of the page in `language`, in order.
#[cfg(feature = "builtin")]
fn blocks(page: &str, language: &str) -> Vec<String> {
    let begin = format!("```{language}\n");
    page.split(&begin)
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()))
        .collect()
}

#[test]
#[cfg(feature = "builtin")]
fn the_commands_of_the_page_work_as_printed() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let page = fs::read_to_string(root.join("docs/guide/own-pages.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(fixtures(), folder.path().join("fixtures")).unwrap();
    std::os::unix::fs::symlink(root.join("scripts"), folder.path().join("scripts")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_vclean")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let script = blocks(&page, "sh").concat();
    assert!(
        script.contains("vclean lab train own --static")
            && script.contains("vclean lab features own"),
        "{script}"
    );
    let run = std::process::Command::new("sh")
        .args(["-e", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", path)
        .output();
    let run = run.unwrap();
    let (stdout, stderr) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(run.status.success(), "{stderr}");
    for printed in blocks(&page, "text") {
        assert!(stdout.contains(&printed), "{printed} in {stdout}");
    }
    assert!(
        stdout.contains("wrote own.model") && stdout.contains("wrote own-rendered.model"),
        "{stdout}"
    );
    assert_eq!(
        stdout.matches("Μαθήματα στο κατάστρωμα").count(),
        2,
        "both models clean the page: {stdout}"
    );
    assert!(!stderr.contains("warning: "), "{stderr}");

    for (table, has_layout) in [("own.csv", false), ("own-rendered.csv", true)] {
        let mut table = csv::Reader::from_path(folder.path().join(table)).unwrap();
        let column = |name: &str, head: &csv::StringRecord| {
            head.iter().position(|column| column == name).unwrap()
        };
        let head = table.headers().unwrap().clone();
        let (label, visual) = (
            column("label", &head),
            column("visual.blob.width_ratio", &head),
        );
        let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
        let labelled = |name: &str| rows.iter().filter(|row| &row[label] == name).count();
        assert_eq!(labelled("content"), 122);
        assert_eq!(labelled("content") + labelled("boilerplate"), rows.len());
        assert!(rows.iter().all(|row| row[visual].is_empty() != has_layout));
    }
}

fn write(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn errors_of_a_set_of_ones_own_say_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    let names = ["german", "greek", "french", "russian", "forum", "listing"];
    for name in names {
        let case = fixtures().join("site").join(name);
        write(
            &own,
            &format!("pages/{name}.html"),
            &fs::read_to_string(case.join("index.html")).unwrap(),
        );
        write(
            &own,
            &format!("gold/{name}.txt"),
            &fs::read_to_string(case.join("expected.txt")).unwrap(),
        );
    }
    let manifest = |row: &dyn Fn(&str) -> String| {
        names
            .iter()
            .map(|name| row(name) + "\n")
            .collect::<String>()
    };
    let set = own.display().to_string();
    let model = folder.path().join("own.model").display().to_string();
    let fails = |verb: &str, words: &[&str]| {
        let arguments: &[&str] = if verb == "train" {
            &["--out", &model]
        } else {
            &[]
        };
        let outcome = vclean([&["lab", verb, &set, "--static"], arguments].concat());
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (Some(1), ""),
            "{}",
            outcome.stderr
        );
        let last = outcome.stderr.lines().last().unwrap_or_default();
        assert!(
            words.iter().all(|word| last.contains(word)),
            "{words:?} in {last}"
        );
        assert!(!last.contains("errors above"), "{last}");
    };
    fails(
        "train",
        &[
            "no manifest.jsonl in",
            r#"such as {"id": "page1", "split": "train"}"#,
        ],
    );
    write(
        &own,
        "manifest.jsonl",
        &manifest(&|name| format!(r#"{{"id": "{name}.html", "split": "train"}}"#)),
    );
    fails("train", &["row german.html has no page", "without .html"]);
    write(
        &own,
        "manifest.jsonl",
        &manifest(&|name| format!(r#"{{"id": "{name}"}}"#)),
    );
    fails(
        "train",
        &[
            r#"no row of manifest.jsonl in own has "split": "train" (6 have none)"#,
            "write it",
        ],
    );
    fails(
        "evaluate",
        &[r#"has "split": "dev" (6 have none)"#, "--split"],
    );
    write(
        &own,
        "manifest.jsonl",
        &manifest(&|name| format!(r#"{{"id": "{name}", "split": "train", "host": "a"}}"#)),
    );
    fails(
        "train",
        &[
            "1 sites cannot be divided into 5 folds",
            "host in manifest.jsonl",
        ],
    );
    write(
        &own,
        "manifest.jsonl",
        &manifest(&|name| format!(r#"{{"id": "{name}", "split": "train"}}"#)),
    );
    for (name, other) in names.iter().zip(names.iter().cycle().skip(1)) {
        let gold =
            fs::read_to_string(fixtures().join("site").join(other).join("expected.txt")).unwrap();
        write(&own, &format!("gold/{name}.txt"), &gold);
    }
    fails(
        "train",
        &[
            "no page of own can be learned from",
            "gold text of 6 does not fit",
            "forum (F 0.",
        ],
    );
    let table = vclean(["lab", "features", &set]);
    assert!(
        table.stderr.contains("gold text and page do not fit (F 0."),
        "{}",
        table.stderr
    );
    for name in names {
        fs::remove_file(own.join(format!("gold/{name}.txt"))).unwrap();
    }
    fails(
        "train",
        &["6 cannot be used, such as forum", "gold/forum.txt"],
    );
    let table = vclean(["lab", "features", &set]);
    assert!(
        table.code == Some(0) && table.stderr.contains("6 pages: gold text"),
        "{}",
        table.stderr
    );
}
