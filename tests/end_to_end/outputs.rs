//! Tests outputs: captures that clean to the same bytes, formats, pictures, names.

use crate::program::{documents_without_input, files, one_browser, text_named, vclean};
use crate::support::{Server, fixtures};
use std::collections::BTreeMap;
use std::path::Path;

const PAGES: &[&str] = &["article", "table-layout", "chinese", "documentation"];

#[test]
fn a_saved_capture_always_gives_the_same_bytes() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let urls: Vec<String> = PAGES
        .iter()
        .map(|page| server.url(&format!("{page}/")))
        .collect();
    let with_urls = |first: &[&str]| {
        first
            .iter()
            .map(|&s| s.to_owned())
            .chain(urls.iter().cloned())
            .collect::<Vec<_>>()
    };
    {
        let _alone = one_browser();
        let both = vclean(with_urls(&[
            "render-and-clean",
            "--allow-private",
            "--format",
            "json",
            "--out",
            &path("both"),
        ]));
        assert_eq!(both.code, Some(0), "{}", both.stderr);
        let rendered = vclean(with_urls(&[
            "render",
            "--allow-private",
            "--out",
            &path("captures"),
        ]));
        assert_eq!(rendered.code, Some(0), "{}", rendered.stderr);
        assert_eq!(rendered.stdout, "");
    }
    let captures = vclean_core::files::list_captures(&folder.path().join("captures")).unwrap();
    assert_eq!(captures.len(), PAGES.len());
    for capture in captures {
        let names: Vec<String> = files(&capture).into_keys().collect();
        assert_eq!(
            names,
            ["capture.json", "dom.json.gz", "mask.png", "screenshot.png"]
        );
    }
    let clean = |out: &str, jobs: &str, format: &str| -> BTreeMap<String, Vec<u8>> {
        let outcome = vclean([
            "clean",
            &path("captures"),
            "--format",
            format,
            "--jobs",
            jobs,
            "--out",
            &path(out),
        ]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        files(&folder.path().join(out))
    };
    let one = clean("one", "1", "json");
    assert_eq!(one.len(), PAGES.len());
    assert!(one.values().all(|bytes| !bytes.is_empty()));
    assert_same(&one, &clean("again", "1", "json"));
    assert_same(&one, &clean("two", "2", "json"));
    // Load a page that does not change twice; the JSON format has every box and every probability.
    let documents = |out: &str| documents_without_input(&folder.path().join(out));
    assert_same(&documents("one"), &documents("both"));

    let endings = [
        ("text", ".txt"),
        ("cleaneval", ".txt"),
        ("markdown", ".md"),
        ("html", ".html"),
    ];
    for (format, ending) in endings {
        let written = clean(format, "2", format);
        assert_eq!(written.len(), PAGES.len());
        assert!(
            written.keys().all(|name| name.ends_with(ending)),
            "{format}: {:?}",
            written.keys()
        );
    }
    let article = |format: &str| text_named(&folder.path().join(format), "article");
    assert!(
        article("cleaneval")
            .lines()
            .any(|line| line.starts_with("<h>") && line.contains("The last ferry")),
        "{}",
        article("cleaneval")
    );
    assert!(
        article("cleaneval")
            .lines()
            .any(|line| line.starts_with("<p>For forty-one years"))
    );
    assert!(
        article("markdown")
            .lines()
            .any(|line| line.starts_with('#') && line.contains("The last ferry")),
        "{}",
        article("markdown")
    );
    assert!(article("html").contains("</p>") && !article("html").contains("Accept all"));
    let json: serde_json::Value =
        serde_json::from_str(&text_named(&folder.path().join("one"), "article")).unwrap();
    assert!(
        json.to_string().contains("Ines Kallweit"),
        "the author is known"
    );
    let code = text_named(&folder.path().join("markdown"), "documentation");
    assert!(
        code.contains("```") && code.contains("    .lease(Lease::seconds(30))"),
        "code keeps its lines: {code}"
    );
}

#[test]
fn pages_on_a_stream_are_one_corpus() {
    let page = |name: &str| {
        fixtures()
            .join("site")
            .join(name)
            .join("index.html")
            .display()
            .to_string()
    };
    let written = |arguments: &[&str]| {
        let outcome = vclean(
            ["clean", &page("article"), &page("documentation")]
                .iter()
                .chain(arguments),
        );
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        outcome.stdout
    };
    let csv = written(&["--format", "csv"]);
    assert!(
        csv.starts_with(
            "id,url,title,date,date_source,author,language,text,comments,captured,input,state\n"
        ) && csv.matches("id,url").count() == 1
    );
    let vertical = written(&["--format", "vertical"]);
    assert!(
        vertical.lines().all(|line| !line.is_empty())
            && vertical.matches("\n</doc>\n").count() == 2,
        "{vertical}"
    );
    assert_eq!(
        written(&["--format", "conllu"])
            .matches("# newdoc id = ")
            .count(),
        2
    );
    let tei = written(&["--format", "tei"]);
    assert!(
        tei.matches("</TEI>\n").count() == 2 && tei.ends_with("</teiCorpus>\n"),
        "{tei}"
    );
    let xml = written(&["--format", "xml", "--links"]);
    assert!(
        xml.contains("<ref target=\"")
            && xml.starts_with("<corpus>\n<doc ")
            && xml.ends_with("</doc>\n</corpus>\n")
    );
    assert!(
        vclean(["clean", &page("article"), "--format", "tei"])
            .stdout
            .ends_with("</TEI>\n")
    );
    // Both pages have a headline; without it the Markdown is that of the kept text.
    let (with, without) = (
        written(&["--format", "markdown"]),
        written(&["--format", "markdown", "--no-title"]),
    );
    assert!(
        with.len() >= without.len() && with.contains("\n# "),
        "{with}"
    );
    let headed = written(&["--format", "markdown", "--with-metadata"]);
    assert!(
        headed.contains("---\ntitle: \"The last ferry")
            && headed.contains("author: \"Ines Kallweit\"\n"),
        "{headed}"
    );
    let html = written(&["--format", "html", "--with-metadata"]);
    assert!(
        html.contains("<meta name=\"author\" content=\"Ines Kallweit\">"),
        "{html}"
    );
    let refused =
        |arguments: &[&str]| vclean(["clean", &page("article")].iter().chain(arguments)).stderr;
    assert!(
        refused(&["--with-metadata"]).contains("--with-metadata is for --format markdown, html")
    );
    assert!(refused(&["--positions"]).contains("--positions is for the format json"));
}

/// Asserts equal names (without host and port) and equal bytes, and shows where they differ.
#[track_caller]
fn assert_same(left: &BTreeMap<String, Vec<u8>>, right: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(
        left.keys().collect::<Vec<_>>(),
        right.keys().collect::<Vec<_>>()
    );
    for (name, bytes) in left {
        if bytes != &right[name] {
            let at = bytes
                .iter()
                .zip(&right[name])
                .take_while(|(a, b)| a == b)
                .count();
            let around = |bytes: &[u8]| {
                String::from_utf8_lossy(&bytes[at.saturating_sub(80)..bytes.len().min(at + 80)])
                    .into_owned()
            };
            panic!(
                "{name} differs at byte {at}:\n{}\n{}",
                around(bytes),
                around(&right[name])
            );
        }
    }
}

#[test]
fn pictures_and_reports_are_written() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let outcome = {
        let _alone = one_browser();
        vclean([
            "render-and-clean",
            &server.url("article/"),
            "--allow-private",
            "--overlay",
            &path("overlay.png"),
            "--mask",
            &path("mask.png"),
            "--report",
            &path("report.html"),
        ])
    };
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("For forty-one years the Marigold"));
    let written = files(folder.path());
    assert_eq!(
        written.keys().collect::<Vec<_>>(),
        ["mask.png", "overlay.png", "report.html"]
    );
    for name in ["mask.png", "overlay.png"] {
        let bytes = &written[name];
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
        let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert!(
            side(16) >= 1000 && side(20) >= 1500,
            "{name} shows the whole page: {} x {}",
            side(16),
            side(20)
        );
    }
    let report = String::from_utf8(written["report.html"].clone()).unwrap();
    assert!(
        report.contains("</html>") && report.contains("src=\"data:image/jpeg;base64,"),
        "one file that contains the picture"
    );
    // Only a link to the page itself is allowed, because it loads nothing.
    assert!(
        report.contains("default-src 'none'"),
        "the browser is told to load nothing"
    );
    let outside = ["src=\"http", "url(http", "<link", "@import", "<script src"];
    assert!(
        !outside.iter().any(|reference| report.contains(reference)),
        "nothing is loaded from elsewhere"
    );
}

#[test]
fn a_page_without_content_gives_an_empty_file_and_no_error() {
    let out = tempfile::tempdir().unwrap();
    let blank = fixtures().join("bad/blank.html");
    let outcome = vclean([Path::new("clean"), &blank, Path::new("--out"), out.path()]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(
        files(out.path()),
        BTreeMap::from([("blank.txt".to_owned(), Vec::new())])
    );
}

#[test]
fn resume_does_not_change_existing_results() {
    let out = tempfile::tempdir().unwrap();
    let page = fixtures().join("site/german/index.html");
    std::fs::write(out.path().join("index.txt"), "written before").unwrap();
    let arguments = [Path::new("clean"), &page, Path::new("--out"), out.path()];
    let outcome = vclean(arguments.into_iter().chain([Path::new("--resume")]));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(text_named(out.path(), "index"), "written before");
    assert_eq!(
        vclean(arguments.into_iter().chain([Path::new("--overwrite")])).code,
        Some(0)
    );
    assert!(text_named(out.path(), "index").contains("Das Becken hatte Risse"));
}

#[test]
fn chunks_of_several_pages_are_json_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for bird in ["gulls", "terns"] {
        let html = format!(
            "<h1>About {bird}</h1><p>The {bird} of this coast drop mussels on rocks. The shells break there.</p>\
             <h2>Their young</h2><p>Young {bird} are brown, and learn from which height to drop a mussel.</p>"
        );
        std::fs::write(path(&format!("{bird}.html")), html).unwrap();
    }
    let pages = [path("gulls.html"), path("terns.html")];
    let chunked = |options: &[&str]| {
        let arguments = ["clean", &pages[0], &pages[1], "--format", "chunks"];
        vclean(arguments.iter().chain(options))
    };
    let printed = chunked(&["--chunk-size", "25"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let chunks: Vec<serde_json::Value> = printed
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let found: Vec<_> = chunks
        .iter()
        .map(|chunk| (chunk["id"].as_str().unwrap(), chunk["headings"].to_string()))
        .collect();
    assert_eq!(
        found,
        [
            ("gulls", "[\"About gulls\"]".to_owned()),
            ("gulls", "[\"About gulls\",\"Their young\"]".to_owned()),
            ("terns", "[\"About terns\"]".to_owned()),
            ("terns", "[\"About terns\",\"Their young\"]".to_owned()),
        ]
    );
    assert_eq!(chunks[1]["xpath"], "/html[1]/body[1]");
    let written = chunked(&["--chunk-size", "25", "--out", &path("chunks.jsonl")]);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let text = std::fs::read_to_string(path("chunks.jsonl")).unwrap();
    assert_eq!(text, printed.stdout);
    for (options, cause) in [
        (&["--chunk-size", "0"][..], "0 is not in 1.."),
        (
            &["--chunk-size", "9", "--chunk-overlap", "5"],
            "at most half",
        ),
        (
            &["--out", &path("out.parquet")],
            "file a page, or FILE.jsonl",
        ),
        (
            &["--format", "text", "--chunk-size", "9"],
            "cannot be used multiple times",
        ),
    ] {
        let refused = chunked(options);
        assert_ne!(refused.code, Some(0));
        assert!(refused.stderr.contains(cause), "{}", refused.stderr);
    }
    let text = vclean(["clean", &pages[0], "--chunk-size", "9"]);
    assert!(
        text.stderr.contains("--chunk-size is for --format chunks"),
        "{}",
        text.stderr
    );
}

/// A page with a story around two pictures, which have these addresses.
fn illustrated(pictures: [&str; 2]) -> String {
    let story = "Herring gulls drop mussels on rocks until they open, and it takes them two years to learn from which height.";
    let [one, two] = pictures.map(|address| {
        format!("<figure><img src=\"{address}\" alt=\"a gull\" width=300 height=200></figure>")
    });
    format!(
        "<!DOCTYPE html><html lang=en><title>Gulls</title><body><h1>Gulls</h1><p>{story}</p>{one}<p>{story} Others watch.</p>{two}<p>{story} Crabs too.</p>"
    )
}

const GIF: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

#[test]
fn pictures_are_saved_beside_the_texts() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::create_dir(path("page_files")).unwrap();
    std::fs::write(path("page_files/gull.gif"), GIF).unwrap();
    let html = illustrated(["page_files/gull.gif", "page_files/lost.gif"]);
    std::fs::write(path("page.html"), html).unwrap();
    let page = path("page.html");
    let clean = |format: &str, out: &str| {
        let outcome = vclean([
            "clean",
            &page,
            "--format",
            format,
            "--save-images",
            &path("texts/images"),
            "--out",
            &path(out),
        ]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(
            outcome
                .stderr
                .contains("1 of 2 pictures of the text could not be saved"),
            "{}",
            outcome.stderr
        );
        std::fs::read_to_string(path(out)).unwrap()
    };
    let markdown = clean("markdown", "texts/page.md");
    let saved = files(&folder.path().join("texts/images"));
    assert_eq!(saved.len(), 1, "{saved:?}");
    let (name, bytes) = saved.into_iter().next().unwrap();
    assert_eq!(bytes, GIF);
    assert!(
        markdown.contains(&format!("![a gull](images/{name})")),
        "{markdown}"
    );
    // The pictures of an MHTML file are its parts.
    let shown = illustrated(["https://a.example/gull.gif", "https://a.example/lost.gif"]);
    let mhtml = format!(
        "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\
         Content-Location: https://a.example/\r\n\r\n{shown}\r\n--b\r\nContent-Type: image/gif\r\nContent-Transfer-Encoding: base64\r\n\
         Content-Location: https://a.example/gull.gif\r\n\r\nR0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==\r\n--b--\r\n"
    );
    std::fs::write(path("saved.mhtml"), mhtml).unwrap();
    let saved = vclean([
        "clean",
        &path("saved.mhtml"),
        "--format",
        "markdown",
        "--save-images",
        &path("parts"),
    ]);
    assert!(
        saved.stdout.contains("](") && saved.stdout.contains("parts/"),
        "{}{}",
        saved.stdout,
        saved.stderr
    );
    assert_eq!(files(&folder.path().join("parts")).len(), 1);
    let html = clean("html", "texts/page.html");
    assert!(html.contains(&format!("src=\"images/{name}\"")), "{html}");
    assert!(html.contains("page_files/lost.gif"), "{html}");
}

#[test]
fn pictures_of_the_web_are_loaded_once_and_never_from_private_addresses() {
    let site = crate::crawl::Site::start(|path, _| match path {
        "/gull.gif" => (200, "content-type: image/gif", GIF.to_vec()),
        "/robots.txt" => (404, "content-type: text/html", Vec::new()),
        _ => {
            let html = illustrated(["/gull.gif", "/gull.gif"]);
            (200, "content-type: text/html", html.into_bytes())
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let outcome = vclean([
        "render-and-clean",
        &site.address("/page"),
        "--engine",
        "builtin",
        "--allow-private",
        "--format",
        "markdown",
        "--save-images",
        &path("images"),
        "--out",
        &path("page.md"),
    ]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(files(&folder.path().join("images")).len(), 1);
    let markdown = std::fs::read_to_string(path("page.md")).unwrap();
    assert_eq!(markdown.matches("](images/").count(), 2, "{markdown}");
    let html = illustrated([&site.address("/gull.gif"), "file:///etc/hostname"]);
    std::fs::write(path("page.html"), html).unwrap();
    let before = site.counts()["/gull.gif"];
    let refused = vclean([
        "render-and-clean",
        &path("page.html"),
        "--engine",
        "builtin",
        "--format",
        "markdown",
        "--save-images",
        &path("none"),
        "--out",
        &path("none.md"),
    ]);
    assert_eq!(refused.code, Some(0), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("1 of 1 pictures"),
        "{}",
        refused.stderr
    );
    assert_eq!(site.counts()["/gull.gif"], before);
}

#[test]
fn selectors_choose_parts_of_pages() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html").display().to_string();
    let html = "<body><nav><a href=/>Home</a></nav><main><h1>Gulls</h1><p>Herring gulls drop mussels on rocks, from a height \
                that depends on how hard the shell is.</p></main><div class=box><p>Also here</p></div>";
    std::fs::write(&page, html).unwrap();
    let clean = |options: &[&str]| vclean(["clean", &page].iter().chain(options));
    assert_eq!(clean(&["--keep", ".box"]).stdout, "Also here\n");
    let dropped = clean(&["--drop", "h1", "--drop", ".box"]).stdout;
    assert!(
        dropped.starts_with("Herring gulls") && !dropped.contains("Also"),
        "{dropped}"
    );
    let missing = clean(&["--keep", ".none"]);
    assert!(missing.stdout.contains("Herring gulls"));
    assert!(
        missing
            .stderr
            .contains("no part of the page matches --keep .none"),
        "{}",
        missing.stderr
    );
    let wrong = clean(&["--drop", "p:hover"]);
    assert_eq!(wrong.code, Some(1), "{}", wrong.stderr);
    assert!(
        wrong
            .stderr
            .contains("--drop: the selector p:hover is not supported"),
        "{}",
        wrong.stderr
    );
    let explained = vclean(["explain", &page, "--drop", "h1", "--at", "Gulls"]);
    assert!(
        explained.stdout.contains("names are left out"),
        "{}",
        explained.stdout
    );
}
