//! Tests limits of the system (few threads, little memory, small files) and the time limit of a
//! page.

use crate::program::vclean;
use crate::support::fixtures;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Runs the program in a shell that first sets a limit, as a user to whom process limits apply. A
/// program that hangs is ended after a while by SIGTERM, which it must obey.
fn limited(program: &Path, limit: &str, arguments: &str) -> Output {
    let script = format!("{limit}; exec {} {arguments}", program.display());
    let is_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout == b"0\n");
    let mut command = if is_root {
        Command::new("setpriv")
    } else {
        Command::new("bash")
    };
    if is_root {
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "bash"]);
    }
    let mut child = command
        .args(["-c", &script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_mins(1) {
            Command::new("kill")
                .arg(child.id().to_string())
                .status()
                .unwrap();
            std::thread::sleep(Duration::from_secs(2));
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn few_threads_and_little_memory_are_told_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    fs::copy(fixtures().join("site/german/index.html"), &page).unwrap();
    // Other users may not be allowed to read the build folder.
    let program = folder.path().join("vclean");
    fs::copy(env!("CARGO_BIN_EXE_vclean"), &program).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let processors = std::thread::available_parallelism().unwrap().get();
    let little_memory = format!("ulimit -v {}", (150 + 24 * processors) << 10);
    let clean = format!("clean {0} {0} --jobs 8", page.display());
    for (limit, words) in [
        ("ulimit -u 1", "ulimit -u"),
        ("ulimit -u 3", "ulimit -u"),
        ("ulimit -u 5", ""),
        ("ulimit -u 8", ""),
        (&little_memory, "ulimit -v"),
    ] {
        let output = limited(&program, limit, &clean);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!told.contains("panicked"), "{limit}: {told}");
        match output.status.code() {
            Some(1) => assert!(
                told.lines().count() == 1 && told.contains(words),
                "{limit}: {told}"
            ),
            // With fewer threads than jobs, the available threads do the work.
            Some(0) if words.is_empty() => assert!(!output.stdout.is_empty()),
            code => panic!("{limit}: {code:?} {told}"),
        }
    }
}

#[test]
fn a_limit_of_file_sizes_is_an_error_of_writing() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("pages.jsonl");
    let html = format!(
        "<article><p>{}</p></article>",
        "The lock keeper counted the barges. ".repeat(200)
    );
    let line = serde_json::json!({ "html": html }).to_string() + "\n";
    fs::write(&pages, line.repeat(40)).unwrap();
    let out = folder.path().join("out.jsonl");
    let script = format!(
        "ulimit -f 8; exec \"$0\" clean {} --out {}",
        pages.display(),
        out.display()
    );
    let output = Command::new("bash")
        .args(["-c", &script, env!("CARGO_BIN_EXE_vclean")])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(1 | 2)),
        "{:?} {told}",
        output.status
    );
    assert!(told.contains("File too large"), "{told}");
    // Without the limit, the run continues and gives all pages.
    let again = vclean([
        "clean".as_ref(),
        pages.as_os_str(),
        "--out".as_ref(),
        out.as_os_str(),
        "--resume".as_ref(),
    ]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(fs::read_to_string(&out).unwrap().lines().count(), 40);
}

#[test]
fn where_no_file_may_have_content_the_cause_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let page = fixtures().join("site/german/index.html");
    for arguments in [
        "> printed.txt",
        "--out out.txt",
        "--out out.vert.gz",
        "--out out",
        "--overlay o.png --report o.html",
    ] {
        let script = format!(
            "ulimit -f 0; exec \"$0\" clean {} {arguments}",
            page.display()
        );
        let mut command = Command::new("bash");
        command
            .args(["-c", &script, env!("CARGO_BIN_EXE_vclean")])
            .current_dir(folder.path());
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(1 | 2)),
            "{arguments}: {:?} {told}",
            output.status
        );
        assert!(
            told.starts_with("vclean: ") && told.contains("File too large"),
            "{arguments}: {told}"
        );
    }
}

#[test]
fn a_page_that_takes_too_long_fails_and_the_next_one_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let slow = folder.path().join("slow.html");
    // A method that is quadratic in the number of words needs minutes for this page.
    fs::write(
        &slow,
        format!("<p>{}", "<b>x</b> <i>y</i>\n".repeat(600_000)),
    )
    .unwrap();
    let page = fixtures().join("site/german/index.html");
    let begin = Instant::now();
    let outcome = vclean([
        Path::new("clean"),
        &slow,
        &page,
        Path::new("--timeout"),
        Path::new("1"),
    ]);
    assert!(
        begin.elapsed() < Duration::from_mins(1),
        "{:?}",
        begin.elapsed()
    );
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    outcome.assert_fails(
        &slow.display().to_string(),
        &["took longer than 1 s", "--timeout"],
    );
    assert!(outcome.stdout.contains("Das Becken hatte Risse"));
}
