//! Tests the network policy: a page may load no private address and no file, unless the user allows
//! it.

use crate::program::{ENGINES, one_browser, text_named, vclean};
use crate::support::{Server, fixtures};

#[test]
fn private_addresses_are_refused_in_every_notation() {
    let server = Server::start();
    let port = server.port();
    let hosts = [
        "127.0.0.1",
        "localhost",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "2130706433",
        "0x7f.1",
        "127.1",
    ];
    let pages: Vec<String> = hosts
        .iter()
        .map(|host| format!("http://{host}:{port}/article/"))
        .collect();
    let outcome = {
        let _alone = one_browser();
        vclean(
            ["render-and-clean"]
                .into_iter()
                .chain(pages.iter().map(String::as_str)),
        )
    };
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "");
    for page in &pages {
        outcome.assert_fails(page, &["--allow-private"]);
    }
    assert_eq!(
        server.requests(),
        Vec::<String>::new(),
        "not one request came through"
    );
}

/// The test runs in its own network, which has only addresses of this machine that look public.
#[test]
fn addresses_of_the_machine_itself_are_refused_however_public_they_look() {
    let [four, six] = ["8.8.4.4", "2606:4700::4444"];
    let run = |options: &str| {
        let script = format!(
            "ip link set lo up && ip address add {four}/32 dev lo && ip address add {six}/128 dev lo nodad && \
             exec '{}' render-and-clean --engine builtin --ignore-robots --delay 0 --retries 0 {options} \
             http://{four}:8000/ 'http://[{six}]:8000/' 'http://[::ffff:{four}]:8000/' 'http://[64:ff9b::{four}]:8000/'",
            env!("CARGO_BIN_EXE_vclean")
        );
        let is_root = rustix::process::geteuid().is_root();
        let unshare = if is_root {
            "--net"
        } else {
            "--net --map-root-user"
        };
        let done = std::process::Command::new("unshare")
            .args(unshare.split(' '))
            .args(["sh", "-c", &script])
            .output();
        String::from_utf8_lossy(&done.unwrap().stderr).into_owned()
    };
    let refused = run("");
    assert_eq!(
        refused.matches("is an address of this machine").count(),
        4,
        "{refused}"
    );
    // With the option the program connects to them, but no server listens.
    let allowed = run("--allow-private");
    assert!(
        allowed.contains("refused the connection") && !allowed.contains("of this machine"),
        "{allowed}"
    );
}

#[test]
fn ports_that_browsers_refuse_are_spoken_to_by_nobody() {
    let pages = ["22", "25", "110", "6667"].map(|port| format!("http://127.0.0.1:{port}/"));
    for engine in ENGINES {
        let _alone = one_browser();
        let arguments = [
            "render-and-clean",
            "--engine",
            engine,
            "--allow-private",
            "--ignore-robots",
            "--delay",
            "0",
        ];
        let outcome = vclean(
            arguments
                .into_iter()
                .chain(pages.iter().map(String::as_str)),
        );
        assert_eq!(outcome.code, Some(2), "{engine}: {}", outcome.stderr);
        assert_eq!(
            outcome.stderr.matches("browsers refuse it").count(),
            4,
            "{engine}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn a_redirect_to_a_private_network_is_reported() {
    // 10.0.0.1 is allowed here; the run must end even if this address does not respond.
    let server = Server::start();
    let outcome = {
        let _alone = one_browser();
        vclean([
            "render-and-clean",
            "--allow-private",
            "--timeout",
            "5",
            &server.url("redirect-private"),
        ])
    };
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    outcome.assert_fails(&server.url("redirect-private"), &[]);
}

#[test]
fn a_saved_page_can_load_only_from_its_own_folder() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    std::fs::create_dir(&site).unwrap();
    let secret = "pigeon seventeen flies at dawn over the copper roofs of the assembly";
    std::fs::write(
        folder.path().join("secret.html"),
        format!("<p>{secret}</p>"),
    )
    .unwrap();
    std::fs::write(
        site.join("beside.html"),
        "<p>The text beside the page belongs to it and may be shown in its frame.</p>",
    )
    .unwrap();
    let above = folder.path().join("secret.html");
    let port = server.port();
    let page = format!(
        "<!DOCTYPE html><meta charset=utf-8><title>Frames</title><link rel=stylesheet href='http://127.0.0.1:{port}/a.css'>\
         <h1>A page with many wishes</h1>\
         <p>This page asks for things that it has no right to, among them a letter that lies one folder above it and a \
         picture on a server of the machine that it is read on. A reader never hears of either.</p>\
         <iframe src='beside.html' width=700 height=200></iframe><iframe src='../secret.html' width=700 height=200></iframe>\
         <iframe src='file://{}' width=700 height=200></iframe><img src='http://localhost:{port}/b.png'>\
         <iframe src='http://127.0.0.1:{port}/article/' width=700 height=200></iframe>",
        above.display()
    );
    std::fs::write(site.join("wishes.html"), page).unwrap();
    for engine in ENGINES {
        let out = folder.path().join(engine);
        let outcome = {
            let _alone = one_browser();
            vclean([
                "render-and-clean".into(),
                "--engine".into(),
                engine.into(),
                site.join("wishes.html"),
                "--out".into(),
                out.clone(),
                "--format".into(),
                "json".into(),
            ])
        };
        assert_eq!(outcome.code, Some(0), "{engine}: {}", outcome.stderr);
        // The JSON format has the text of every block, kept or dropped.
        let seen = text_named(&out, "wishes");
        assert!(seen.contains("it has no right to"), "{engine}: {seen}");
        assert!(
            seen.contains("The text beside the page belongs to it"),
            "{engine}: {seen}"
        );
        assert!(
            !seen.contains("pigeon") && !seen.contains("Marigold"),
            "{engine}: {seen}"
        );
        assert_eq!(
            server.requests(),
            Vec::<String>::new(),
            "{engine}: not one request came through"
        );
    }
}

#[test]
fn offline_loads_nothing_from_the_network() {
    let server = Server::start();
    let page = fixtures().join("site/article/index.html");
    let outcome = {
        let _alone = one_browser();
        vclean([
            "render-and-clean".to_owned(),
            "--offline".into(),
            "--allow-private".into(),
            page.display().to_string(),
            server.url("german/"),
        ])
    };
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    outcome.assert_fails(&server.url("german/"), &["offline"]);
    assert!(
        outcome.stdout.contains("For forty-one years the Marigold"),
        "{}",
        outcome.stdout
    );
    assert_eq!(
        server.requests(),
        Vec::<String>::new(),
        "not one request came through"
    );
}
