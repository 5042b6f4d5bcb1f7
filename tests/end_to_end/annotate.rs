//! Tests the server of the labelling page over HTTP, as a browser uses it: labels, gold, two
//! people, other programs.

use crate::annotate_client::{Annotate, html, pages, text, write};
use crate::program::vclean;
use crate::support::fixtures;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

#[test]
fn only_the_opened_window_may_ask() {
    let (folder, pages) = pages(&["a"]);
    let out = text(&folder.path().join("gold"));
    let server = Annotate::start(&[&text(&pages), "--out", &out]);
    let project = "/api/project";
    let status = |headers: &[(&str, &str)]| server.send("GET", project, headers, b"").status;
    let host = format!("127.0.0.1:{}", server.port);
    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("Cookie", "")]), 403);
    assert_eq!(status(&[("Cookie", "vclean=wrong")]), 403);
    assert_eq!(status(&[("Host", "evil.example")]), 403);
    assert_eq!(
        status(&[("Host", &format!("evil.example:{}", server.port))]),
        403
    );
    assert_eq!(
        status(&[("Host", &format!("localhost:{}", server.port))]),
        200
    );
    assert_eq!(status(&[("Origin", "http://evil.example")]), 403);
    assert_eq!(status(&[("Origin", &format!("http://{host}"))]), 200);
    // This window used the token; another window needs the address that is printed then.
    let again = server.send(
        "GET",
        &format!("/?token={}", server.token),
        &[("Cookie", "")],
        b"",
    );
    assert_eq!(again.status, 403);
    assert!(
        again.text().contains("printed a new one"),
        "{}",
        again.text()
    );
    let complaint = || {
        server
            .complaints
            .recv_timeout(Duration::from_secs(10))
            .unwrap()
    };
    let hint = complaint();
    assert!(
        hint.contains("in a browser") && hint.contains("Ctrl-C"),
        "what to do with the address: {hint}"
    );
    let line = complaint();
    let (_, token) = line.split_once("/?token=").unwrap();
    let other = server.send("GET", &format!("/?token={token}"), &[("Cookie", "")], b"");
    assert_eq!(other.status, 303);
    assert_eq!(
        server
            .send("GET", "/?token=", &[("Cookie", "")], b"")
            .status,
        403
    );

    let change = |headers: &[(&str, &str)]| {
        server
            .send("POST", "/api/pages/0/changes", headers, b"{}")
            .status
    };
    let json = ("Content-Type", "application/json");
    assert_eq!(change(&[json, ("X-Vclean", "1")]), 400);
    assert_eq!(change(&[json]), 403);
    assert_eq!(
        change(&[("X-Vclean", "1"), ("Content-Type", "text/plain")]),
        403
    );
    assert_eq!(change(&[json, ("X-Vclean", "1"), ("Origin", "null")]), 403);

    let page = server.get("/");
    for (name, part) in [
        ("content-security-policy", "default-src 'none'"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        for answer in [&page, &again, &server.get("/nowhere")] {
            assert!(
                answer
                    .header(name)
                    .is_some_and(|value| value.contains(part)),
                "{name}: {}",
                answer.head
            );
        }
    }
}

#[test]
fn labels_are_changed_reverted_and_survive_a_kill() {
    let (folder, pages) = pages(&["a", "b"]);
    let out = text(&folder.path().join("gold"));
    let arguments = [text(&pages), "--out".to_owned(), out];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let server = Annotate::start(&arguments);
    let page = server.page_of("b");
    let start = server.labels(page);
    let changed = server.set(page, &[(0, "content"), (1, "comments")]);
    assert_eq!(
        (
            &changed["revision"],
            &changed["labelled"],
            &changed["can_undo"]
        ),
        (&json!(1), &json!(2), &json!(true))
    );
    assert_eq!(
        changed["changed"][1],
        json!({"block": 1, "label": "comments", "mark": null, "by": "me"})
    );
    server.set(page, &[(1, "unsure")]);
    let labels = server.labels(page);
    assert_eq!(labels[..2], ["content", "unsure"]);
    // A change from a window that shows an older revision is refused.
    let outdated = json!({"revision": 1, "tab": "u", "kind": "set", "changes": [{"block": 0, "label": "unsure"}]});
    let refused = server.post(&format!("/api/pages/{page}/changes"), &outdated);
    assert_eq!(refused.status, 409);
    assert_eq!(
        serde_json::from_slice::<Value>(&refused.body).unwrap()["revision"],
        2
    );
    assert_eq!(server.labels(page), labels);
    server.kill();

    // A program that was killed left half a line.
    let journal = folder.path().join("gold/annotations/me/b.jsonl");
    let mut torn = fs::OpenOptions::new().append(true).open(&journal).unwrap();
    torn.write_all(b"{\"kind\":\"set\",\"chan").unwrap();
    let server = Annotate::start(&arguments);
    let page = server.page_of("b");
    assert_eq!(server.labels(page), labels);
    server.undo(page);
    let reverted = server.undo(page);
    assert_eq!(
        (&reverted["can_undo"], &reverted["can_redo"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(server.labels(page), start);
    let refused = server.post(
        &format!("/api/pages/{page}/changes"),
        &json!({"revision": 4, "kind": "undo"}),
    );
    assert_eq!(refused.status, 400);
    assert!(
        refused.text().contains("nothing to undo"),
        "{}",
        refused.text()
    );
}

#[test]
fn the_gold_of_finished_pages_trains_and_evaluates_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["german", "greek", "french", "russian", "forum", "listing"];
    for name in names {
        let case = fixtures().join("site").join(name);
        write(
            &folder
                .path()
                .join("pages")
                .join(name)
                .with_extension("html"),
            &fs::read_to_string(case.join("index.html")).unwrap(),
        );
    }
    let out = folder.path().join("gold");
    let server = Annotate::start(&[
        &text(&folder.path().join("pages")),
        "--out",
        &text(&out),
        "--marks",
    ]);
    let expected: Vec<f64> = server.project()["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["expected_f"].as_f64().unwrap())
        .collect();
    assert!(expected.is_sorted(), "worst first: {expected:?}");
    let first = server.page_of("german");
    let blocks = server.page(first)["blocks"].as_array().unwrap().clone();
    let comment = blocks
        .iter()
        .position(|block| block["label"] == "boilerplate")
        .unwrap();
    let unsure = blocks
        .iter()
        .rposition(|block| block["label"] == "boilerplate")
        .unwrap();
    server.set(first, &[(comment, "comments"), (unsure, "unsure")]);
    for (index, name) in names.iter().enumerate() {
        let page = server.page_of(name);
        let done = server.done(page);
        assert!(
            done["written"]
                .as_array()
                .unwrap()
                .contains(&json!(format!("gold/{name}.txt"))),
            "{done}"
        );
        assert_eq!(done["next"].is_null(), index == names.len() - 1);
    }
    let kept: Vec<&str> = blocks
        .iter()
        .filter(|block| block["label"] == "content")
        .map(|block| block["text"].as_str().unwrap())
        .collect();
    let read = |path: &str| fs::read_to_string(out.join(path)).unwrap();
    assert_eq!(read("gold/german.txt"), kept.join("\n") + "\n");
    assert_eq!(
        read("gold_comments/german.txt").trim_end(),
        blocks[comment]["text"].as_str().unwrap()
    );
    assert!(
        read("gold_marked/german.txt")
            .lines()
            .all(|line| ["<h>", "<p>", "<l>"].contains(&&line[..3]))
    );
    assert!(read("node_labels/german.json").contains("\"2\"]"));
    // Labels may be removed again.
    let again = server.page(first)["revision"].clone();
    let taken_up = json!({"revision": again, "tab": "t", "done": false});
    assert_eq!(
        server
            .post(&format!("/api/pages/{first}/done"), &taken_up)
            .json()["done"],
        false
    );
    assert!(!out.join("gold/german.txt").exists() && !read("manifest.jsonl").contains("german"));
    server.done(first);
    drop(server);

    let evaluated = vclean([
        "lab",
        "evaluate",
        &text(&out),
        "--static",
        "--split",
        "train",
    ]);
    assert_eq!(evaluated.code, Some(0), "{}", evaluated.stderr);
    let own = folder.path().join("own");
    for name in names {
        write(
            &own.join("pages").join(name).with_extension("html"),
            &html(name),
        );
        write(
            &own.join("gold").join(name).with_extension("txt"),
            &format!("{name}\nThe kiln was opened on the third day."),
        );
    }
    let row = |name: &&str| {
        format!("{{\"id\":\"{name}\",\"host\":\"{name}.example\",\"split\":\"train\"}}\n")
    };
    write(
        &own.join("manifest.jsonl"),
        &names.iter().map(row).collect::<String>(),
    );
    let model = text(&folder.path().join("own.model"));
    let train = [
        "lab",
        "train",
        &text(&own),
        "--add",
        &text(&out),
        "--static",
        "--out",
        &model,
        "--classifier",
        "logistic",
    ];
    let trained = vclean(train);
    assert_eq!(trained.code, Some(0), "{}", trained.stderr);
    let aligned = vclean(["lab", "align", &text(&out), "--static"]);
    assert!(
        aligned.stdout.contains("bad pages: 0"),
        "{}",
        aligned.stdout
    );
}

#[test]
fn the_language_of_a_labelled_page_is_that_of_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("pages");
    let chinese = "<h1>早市的菜摊</h1><p>天还没有亮，菜农已经把新鲜的白菜和萝卜摆在路边，等着第一批客人来挑选。</p>";
    for (name, lang) in [("template", "en"), ("region", "zh-TW")] {
        write(
            &pages.join(format!("{name}.html")),
            &format!("<html lang={lang}><title>{name}</title>{chinese}"),
        );
    }
    let out = folder.path().join("gold");
    let server = Annotate::start(&[&text(&pages), "--out", &text(&out)]);
    for (name, lang) in [("template", "zh"), ("region", "zh-TW")] {
        let page = server.page_of(name);
        server.set(page, &[(0, "content"), (1, "content")]);
        server.done(page);
        let manifest = fs::read_to_string(out.join("manifest.jsonl")).unwrap();
        let rows = manifest
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let row = rows.into_iter().find(|row| row["id"] == name).unwrap();
        assert_eq!(row["lang"], lang, "the page states {row}");
    }
}

#[test]
fn two_people_do_not_see_each_other_and_a_third_decides() {
    let (folder, pages) = pages(&["a", "b"]);
    let out = folder.path().join("gold");
    let label = |name: &str, labels: &[(usize, &str)]| {
        let server = Annotate::start(&[&text(&pages), "--out", &text(&out), "--annotator", name]);
        assert_eq!(server.project()["annotator"], name);
        let page = server.page_of("a");
        assert!(
            server.page(page)["blocks"]
                .as_array()
                .unwrap()
                .iter()
                .all(|block| block["by"] == "model")
        );
        server.set(page, labels);
        server.done(page)
    };
    label(
        "ann",
        &[
            (0, "boilerplate"),
            (1, "boilerplate"),
            (2, "content"),
            (3, "content"),
        ],
    );
    let gold = fs::read(out.join("gold/a.txt")).unwrap();
    let done = label(
        "bob",
        &[
            (0, "comments"),
            (1, "boilerplate"),
            (2, "boilerplate"),
            (3, "content"),
        ],
    );
    assert_eq!(
        done["written"],
        json!(["annotations/bob/labels/a.json"]),
        "the gold of another person stays"
    );
    let project = |name: &str| {
        let server = Annotate::start(&[&text(&pages), "--out", &text(&out), "--annotator", name]);
        let project = server.project();
        assert!(
            !project.to_string().contains(if name == "ann" {
                "bob"
            } else {
                "annotations/ann"
            }),
            "{project}"
        );
        let is_of_other = |id: &str| {
            project["pages"]
                .as_array()
                .unwrap()
                .iter()
                .any(|row| row["id"] == id && row["gold_of_other"] == true)
        };
        assert!(
            project["labels_folder"]
                .as_str()
                .unwrap()
                .ends_with(&format!("annotations/{name}")),
            "{project}"
        );
        (is_of_other("a"), is_of_other("b"))
    };
    assert_eq!(
        (project("ann"), project("bob")),
        ((false, false), (true, false))
    );
    assert_eq!(fs::read(out.join("gold/a.txt")).unwrap(), gold);

    let sides = [
        text(&out.join("annotations/ann")),
        text(&out.join("annotations/bob")),
    ];
    let compared = vclean(["lab", "agreement", &sides[0], &sides[1]]);
    assert!(
        compared.code == Some(0) && compared.stdout.contains("kappa"),
        "{}{}",
        compared.stdout,
        compared.stderr
    );

    let merged = folder.path().join("merged");
    let server = Annotate::start(&[
        "--merge",
        &sides[0],
        &sides[1],
        "--out",
        &text(&merged),
        "--annotator",
        "carl",
    ]);
    assert!(
        server.project()["mode"] == "merge" && server.project()["agreement"]["pages"] == 1,
        "{}",
        server.project()
    );
    let page = server.page(0);
    let mut order: Vec<u64> = page["order"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block.as_u64().unwrap())
        .collect();
    order.sort_unstable();
    assert_eq!(order, [0, 2], "only blocks in dispute");
    let side = &page["blocks"][0]["sides"];
    assert!(
        *side == json!(["comments", "boilerplate"]) || *side == json!(["boilerplate", "comments"]),
        "{side}"
    );
    assert_eq!(
        (&page["blocks"][1]["by"], &page["blocks"][2]["by"]),
        (&json!("both"), &Value::Null)
    );
    assert!(
        !page.to_string().contains("ann\"") && !page.to_string().contains("bob"),
        "{page}"
    );
    server.set(0, &[(2, "content")]);
    let early = json!({"revision": 1, "tab": "t", "done": true});
    let refused = server.post("/api/pages/0/done", &early);
    assert!(
        refused.status == 422 && refused.text().contains("1 blocks are still in dispute"),
        "{}",
        refused.text()
    );
    server.set(0, &[(0, "unsure")]);
    server.done(0);
    let row: Value =
        serde_json::from_str(&fs::read_to_string(merged.join("manifest.jsonl")).unwrap()).unwrap();
    assert_eq!(
        (&row["annotator"], &row["decided_by"]),
        (&json!("merged"), &json!("carl"))
    );
    assert_eq!(row["merged_from"], json!(["ann", "bob"]));
    let decisions =
        fs::read_to_string(merged.join("annotations/merged/decisions/a.jsonl")).unwrap();
    let decisions: Vec<Value> = decisions
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        decisions[2]["labels"],
        json!({"ann": "content", "bob": "boilerplate"})
    );
    let by: Vec<&Value> = decisions.iter().take(3).map(|row| &row["by"]).collect();
    assert_eq!(by, [&json!("carl"), &json!("both"), &json!("carl")]);
}

#[test]
fn labels_go_to_other_programs_and_come_back() {
    let (folder, pages) = pages(&["a", "b"]);
    let out = folder.path().join("gold");
    let server = Annotate::start(&[&text(&pages), "--out", &text(&out)]);
    for name in ["a", "b"] {
        let page = server.page_of(name);
        server.set(page, &[(0, "comments"), (1, "unsure"), (2, "content")]);
        server.done(page);
    }
    let labels = server.labels(0);
    drop(server);
    for format in ["jsonl", "label-studio"] {
        let file = text(&folder.path().join(format));
        let exported = vclean([
            "lab",
            "annotate",
            &text(&out),
            "--export",
            format,
            "--out",
            &file,
        ]);
        assert_eq!(exported.code, Some(0), "{}", exported.stderr);
        let back = text(&folder.path().join(format!("back-{format}")));
        let imported = vclean([
            "lab",
            "annotate",
            &text(&pages),
            "--import",
            &file,
            "--out",
            &back,
            "--annotator",
            "elsewhere",
        ]);
        assert!(
            imported.code == Some(0) && imported.stderr.contains("of 2 pages"),
            "{}",
            imported.stderr
        );
        for path in [
            "gold/a.txt",
            "gold_comments/b.txt",
            "labels/a.json",
            "node_labels/b.json",
        ] {
            let read = |folder: &Path| fs::read_to_string(folder.join(path)).unwrap();
            assert_eq!(read(Path::new(&back)), read(&out), "{format} {path}");
        }
        let server = Annotate::start(&[&text(&pages), "--out", &back, "--annotator", "elsewhere"]);
        assert_eq!(server.labels(0), labels);
        assert_eq!(server.undo(0)["can_undo"], false, "an import is one step");
    }
    let wrong = folder.path().join("wrong");
    write(&wrong, "[{}]");
    let failed = vclean([
        "lab",
        "annotate",
        &text(&pages),
        "--import",
        &text(&wrong),
        "--out",
        &text(&out),
    ]);
    assert!(
        failed.code == Some(1) && failed.stderr.contains("task 1"),
        "{}",
        failed.stderr
    );
}
