//! Tests the public API of the library with a string, a file, a capture and an address, with every
//! combination of cargo features.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use vclean::{Block, Cleaner, Error, Options, Page, extract};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

const PAGE: &str = "<html lang=en><title>Gulls</title><body><nav><a href=/>Home</a> <a href=/about>About us</a></nav>
    <article><h1>Herring gulls</h1><p>Herring gulls drop mussels on rocks, from a height that depends on how hard the shell
    is, and they seldom have to try more than twice.</p></article><footer>All rights reserved</footer></body></html>";

fn page() -> Page {
    Page::from_html("page", PAGE)
}

#[test]
fn a_string_becomes_text() {
    let cleaned = extract(PAGE, None).unwrap();
    assert!(
        cleaned.text().contains("drop mussels"),
        "{}",
        cleaned.text()
    );
    assert_eq!(cleaned.title(), Some("Herring gulls"));
    assert_eq!(cleaned.segments().len(), 2);
    let linked = extract(
        "<p>Herring gulls <a href=/x>drop</a> mussels on rocks.",
        Some("https://a.example/"),
    );
    let link = linked.unwrap().segments()[0].spans[1].link.clone();
    assert_eq!(link.as_deref(), Some("https://a.example/x"));
    assert_eq!(
        cleaned,
        Cleaner::new().clean(&page()).unwrap(),
        "the same page, the same result"
    );
}

#[test]
fn the_kind_of_a_file_is_detected_from_its_content() {
    let cleaner = Cleaner::new();
    let html = cleaner
        .clean(&Page::from_file(fixtures().join("site/article/index.html")).unwrap())
        .unwrap();
    let mhtml = cleaner
        .clean(&Page::from_file(fixtures().join("saved/weather-hut.mhtml")).unwrap())
        .unwrap();
    assert!(html.text().len() > 200 && mhtml.text().len() > 200);
    let missing = Page::from_file(fixtures().join("nowhere.html"))
        .unwrap_err()
        .to_string();
    assert!(missing.contains("nowhere.html"), "{missing}");
}

#[test]
fn the_blocks_of_a_saved_capture_have_boxes_and_reasons() {
    let page = Page::from_file(fixtures().join("captures/table-layout")).unwrap();
    let explain = Options {
        explain: true,
        ..Options::default()
    };
    let usual = Cleaner::new().with(&explain).unwrap();
    let cleaner = if cfg!(feature = "chromium") {
        usual
    } else {
        // A build without Chromium has no model for its captures, and says so.
        let error = usual.clean(&page).unwrap_err().to_string();
        assert!(
            error.contains("no model for captures of chromium") && error.contains("`model`"),
            "{error}"
        );
        let named = Options {
            model: Some("static".to_owned()),
            ..explain
        };
        usual.with(&named).unwrap()
    };
    let blocks: Vec<Block> = cleaner.clean(&page).unwrap().blocks().collect();
    assert!(
        blocks.iter().any(|block| block.is_content) && blocks.iter().any(|block| !block.is_content)
    );
    for block in &blocks {
        assert!(
            (0.0..=1.0).contains(&block.probability) && block.path.starts_with("html"),
            "{block:?}"
        );
        assert!(
            block
                .rect
                .is_none_or(|rect| rect.width >= 0.0 && rect.height >= 0.0),
            "{block:?}"
        );
    }
    assert!(
        blocks
            .iter()
            .any(|block| block.rect.is_some() && !block.reasons.is_empty())
    );
}

#[test]
fn a_cleaner_can_be_used_by_many_threads() {
    let cleaner = Cleaner::new();
    let expected = cleaner.clean(&page()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(cleaner.clean(&page()).unwrap(), expected));
        }
    });
    let texts: Vec<String> = cleaner
        .clean_all([page(), page()], 2)
        .map(|cleaned| cleaned.unwrap().text())
        .collect();
    assert_eq!(texts, [expected.text(), expected.text()]);
}

#[test]
fn hostile_markup_gives_text_or_an_error() {
    let deep = format!(
        "{}deep{}",
        "<div>".repeat(100_000),
        "</div>".repeat(100_000)
    );
    for html in ["", "<", "\u{0}", &deep, "<p>a<table><tr><td><p>b</table>"] {
        match extract(html, None) {
            Ok(cleaned) => assert!(cleaned.text().len() <= html.len() + 1),
            Err(error) => assert!(matches!(error, Error::Limit(_)), "{error}"),
        }
    }
    assert!(
        Page::from_bytes("x.pdf", b"%PDF-1.4".to_vec())
            .unwrap_err()
            .to_string()
            .contains("PDF")
    );
}

#[cfg(feature = "builtin")]
mod rendered {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use vclean::render::{EngineChoice, RenderOptions};

    #[test]
    fn a_saved_page_is_rendered_and_cleaned() {
        let cleaner = Cleaner::new().with_rendering(RenderOptions {
            engine: Some(EngineChoice::Builtin),
            ..RenderOptions::default()
        });
        let page = Page::from_file(fixtures().join("saved/weather-hut.mhtml")).unwrap();
        let capture = cleaner.render(&page).unwrap();
        let blocks: Vec<Block> = cleaner.clean_capture(&capture).unwrap().blocks().collect();
        assert!(
            blocks
                .iter()
                .filter(|block| block.is_content)
                .all(|block| block.rect.is_some())
        );
    }

    #[test]
    fn an_allowed_address_is_fetched_rendered_and_cleaned() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/gulls", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(&stream);
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
                    line.clear();
                }
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
                    PAGE.len()
                );
                let _ = (&stream).write_all(format!("{head}{PAGE}").as_bytes());
            }
        });
        let builtin = RenderOptions {
            engine: Some(EngineChoice::Builtin),
            ..RenderOptions::default()
        };
        let open = RenderOptions {
            allow_private: true,
            ..builtin.clone()
        };
        let cleaned = Cleaner::new()
            .with_rendering(open)
            .clean_url(&address)
            .unwrap();
        assert!(
            cleaned
                .blocks()
                .any(|block| block.text.contains("drop mussels") && block.rect.is_some())
        );
        let refused = Cleaner::new()
            .with_rendering(builtin)
            .clean_url(&address)
            .unwrap_err();
        assert!(
            matches!(refused, Error::Render(_)) && refused.to_string().contains("127.0.0.1"),
            "{refused}"
        );
    }
}
