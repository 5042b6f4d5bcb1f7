//! Tests `scripts/retrain`: its commands are those of `models/MODELS.md`, and it stops if something
//! is missing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SETS: [&str; 6] = [
    "styled",
    "canola",
    "wcxb",
    "scrapinghub",
    "elwin_zh",
    "trafilatura",
];
const NAMES: [&str; 4] = ["fast", "static", "rendered-builtin", "rendered"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn retrain(arguments: &[&str]) -> Output {
    Command::new("python3")
        .arg(root().join("scripts/retrain"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads the commands of `models/MODELS.md` that train the built-in models.
fn documented() -> Vec<String> {
    let models = fs::read_to_string(root().join("models/MODELS.md")).unwrap();
    let is_built_in = |line: &&str| {
        NAMES
            .iter()
            .any(|name| line.ends_with(&format!("--out {name}.model")))
    };
    models
        .lines()
        .filter(|line| line.starts_with("vclean lab train "))
        .filter(is_built_in)
        .map(str::to_owned)
        .collect()
}

/// Makes empty sets with the names in the documented commands.
fn make_data(at: &Path) -> PathBuf {
    let data = at.join("data");
    for command in documented() {
        let sets = command
            .split(' ')
            .skip(3)
            .take_while(|word| !word.starts_with('-'));
        for set in sets {
            fs::create_dir_all(data.join(set)).unwrap();
            fs::write(data.join(set).join("manifest.jsonl"), "").unwrap();
        }
    }
    data
}

/// Makes a fake `vclean` that records its arguments in a file and writes a model of `bytes` zeros.
fn make_program(at: &Path, bytes: usize, doctor: i32, train: i32) -> PathBuf {
    let path = at.join("program");
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> {log}\nif [ $1 = doctor ]; then echo 'NO  browser: none'; exit {doctor}; fi\n\
         while [ $# -gt 0 ]; do if [ \"$1\" = --out ]; then case \"$2\" in *.model) head -c {bytes} /dev/zero > \"$2\";; esac; fi; shift; done\nexit {train}\n",
        log = at.join("log").display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn the_commands_are_those_of_the_models_page() {
    let folder = tempfile::tempdir().unwrap();
    let data = make_data(folder.path());
    let out = folder.path().join("out");
    let run = retrain(&[
        &data.display().to_string(),
        &out.display().to_string(),
        "--captures",
        "/kept",
        "--dry-run",
    ]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let is_training = |line: &&str| line.starts_with("vclean lab train ");
    let mut commands: Vec<String> = text(&run.stdout)
        .lines()
        .filter(is_training)
        .map(str::to_owned)
        .collect();
    assert_eq!(commands.len(), NAMES.len());
    for command in &mut commands {
        *command = command
            .replace(&format!("{}/", data.display()), "")
            .replace(&format!("{}/", out.display()), "");
        *command = command
            .replace("/kept/rendered-builtin", "captures/")
            .replace("/kept/rendered", "captures/");
    }
    let mut expected = documented();
    expected.sort();
    commands.sort();
    assert_eq!(commands, expected);
    assert!(!out.exists(), "nothing was written");
}

#[test]
fn a_missing_set_is_named_before_anything_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let data = make_data(folder.path());
    assert!(SETS.iter().all(|set| data.join(set).exists()));
    for (missing, cause) in [
        ("grafted", "has no data set grafted; make it there by"),
        ("canola", "has no data set canola, grafted"),
    ] {
        fs::remove_dir_all(data.join(missing)).unwrap();
        let run = retrain(&[&data.display().to_string()]);
        let stderr = text(&run.stderr);
        assert_eq!(run.status.code(), Some(1));
        assert!(
            stderr.contains(cause) && !stderr.contains("building"),
            "{stderr}"
        );
    }
}

#[test]
fn models_are_trained_one_after_another_and_their_sizes_reported() {
    let folder = tempfile::tempdir().unwrap();
    let data = make_data(folder.path()).display().to_string();
    let out = folder.path().join("out");
    let out_name = out.display().to_string();
    // Exit code 2 of training: some pages could not be used.
    let program = make_program(folder.path(), 3_000_000, 0, 2)
        .display()
        .to_string();
    let run = retrain(&[&data, &out_name, "--program", &program]);
    let (stdout, stderr) = (text(&run.stdout), text(&run.stderr));
    assert!(run.status.success(), "{stderr}");
    assert_eq!(
        fs::read_dir(&out).unwrap().count(),
        NAMES.len(),
        "nothing is left beside the models"
    );
    assert!(
        stdout.contains("together 12.0 of 15 MB")
            && stderr.contains("some pages could not be used"),
        "{stdout}"
    );
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let verbs = log
        .lines()
        .filter_map(|line| line.trim_start_matches("lab ").split(' ').next());
    let verbs: Vec<&str> = verbs.collect();
    assert_eq!(verbs, ["doctor", "train", "train", "train", "train"]);
    let checks: Vec<&str> = stdout
        .lines()
        .filter(|line| line.contains(" lab evaluate "))
        .collect();
    assert_eq!(
        checks.len(),
        NAMES.len() - 1,
        "fast has no thresholds: {stdout}"
    );
    assert!(
        checks[0].contains(&format!("{data}/canola")) && checks[0].contains("--static"),
        "{stdout}"
    );
    assert!(
        checks[1].contains("--engine builtin")
            && checks[2].contains(&format!("--model {out_name}/rendered.model"))
    );

    let program = make_program(folder.path(), 6_000_000, 0, 0)
        .display()
        .to_string();
    let large = retrain(&[&data, &out_name, "--program", &program]);
    assert_eq!(large.status.code(), Some(1));
    assert!(
        text(&large.stderr).contains("more than 15 MB"),
        "{}",
        text(&large.stderr)
    );
}

#[test]
fn a_missing_browser_and_a_failed_training_stop_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = make_data(folder.path()).display().to_string();
    let out = folder.path().join("out").display().to_string();
    let program = make_program(folder.path(), 10, 2, 0).display().to_string();
    let run = retrain(&[&data, &out, "--program", &program]);
    assert_eq!(run.status.code(), Some(1));
    let stderr = text(&run.stderr);
    assert!(
        stderr.contains("needs Chromium") && stderr.contains("NO  browser: none"),
        "{stderr}"
    );
    let run = retrain(&[
        &data,
        &out,
        "--program",
        &program,
        "--only",
        "static",
        "rendered-builtin",
    ]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let before = fs::read(format!("{out}/static.model")).unwrap();
    let program = make_program(folder.path(), 20, 0, 1).display().to_string();
    let run = retrain(&[&data, &out, "--program", &program, "--only", "static"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(
        text(&run.stderr).contains("training static failed with exit code 1"),
        "{}",
        text(&run.stderr)
    );
    assert_eq!(
        fs::read(format!("{out}/static.model")).unwrap(),
        before,
        "the model that was there stays"
    );
}
