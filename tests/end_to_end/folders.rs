//! Tests folders as inputs: all files are read regardless of their names, and other files than
//! pages are counted.

use crate::program::{files, vclean};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

fn page(word: &str) -> String {
    format!(
        "<!doctype html><title>{word}</title><article><p>The {word} keeper counted the barges every evening and wrote \
             their names into a long book, and nobody ever asked him to read it aloud.</p></article>"
    )
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Writes a site as mirroring programs store it.
fn mirror(root: &Path) {
    write(root, "index.html", page("lock"));
    write(root, "a/index.html", page("weir"));
    write(root, "a/b/show.php?id=7", page("mill"));
    write(root, "old/news.asp", page("ferry"));
    write(root, "about", page("bridge"));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, page("tower").as_bytes()).unwrap();
    write(root, "packed.html.gz", packed.finish().unwrap());
    let line =
        serde_json::json!({"html": page("gate"), "url": "https://example.org/gate"}).to_string();
    write(root, "more/pages.jsonl", line + "\n");
    write(root, "saved.html", page("quay"));
    write(root, "saved_files/frame.html", page("frame"));
    for name in ["logo.png", "photo"] {
        write(root, name, b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR");
    }
    write(root, "style/site.css", "p { color: red }");
    write(root, "robots.txt", "User-agent: *\n");
    write(root, ".git/page.html", page("hidden"));
    symlink("nowhere", root.join("broken.html")).unwrap();
    symlink("..", root.join("a/up")).unwrap();
}

#[test]
fn a_mirrored_tree_is_cleaned_whole_and_the_rest_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (root, out) = (folder.path().join("site"), folder.path().join("out"));
    mirror(&root);
    let outcome = vclean([
        "clean".as_ref(),
        root.as_os_str(),
        "--out".as_ref(),
        out.as_os_str(),
    ]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let written = files(&out);
    let expected = [
        ("a_b_show.php?id=7.txt", "mill"),
        ("a_index.txt", "weir"),
        ("about.txt", "bridge"),
        ("index.txt", "lock"),
        ("more_pages-1.txt", "gate"),
        ("old_news.txt", "ferry"),
        ("packed.txt", "tower"),
        ("saved.txt", "quay"),
    ];
    assert_eq!(
        written.keys().collect::<Vec<_>>(),
        expected.map(|(name, _)| name).iter().collect::<Vec<_>>()
    );
    for (name, word) in expected {
        assert!(
            String::from_utf8_lossy(&written[name]).contains(word),
            "{name}"
        );
    }
    let told: Vec<&str> = outcome
        .stderr
        .lines()
        .filter(|line| line.contains("passed over"))
        .collect();
    assert_eq!(
        told,
        [
            "vclean: 8 files passed over: 2 pictures, 1 style sheet, 1 plain text, 1 hidden file, 1 folder of a page's \
          resources, 1 broken link, 1 link within the folder"
        ]
    );
    // Order and names do not depend on the number of jobs, and our own output below the folder is
    // not read.
    let inside = root.join("cleaned");
    let clean = |more: &str| {
        let outcome = vclean([
            "clean".as_ref(),
            root.as_os_str(),
            "--out".as_ref(),
            inside.as_os_str(),
            more.as_ref(),
        ]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        files(&inside)
    };
    assert!(clean("--jobs=1") == written);
    assert!(clean("--overwrite") == written);
    assert_eq!(
        vclean(["clean", "--quiet", &root.display().to_string()]).stderr,
        ""
    );
}

#[test]
fn a_page_of_a_folder_that_fails_is_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a/letter.html", "%PDF-1.7\n");
    write(folder.path(), "b.html", page("lock"));
    let outcome = vclean(["clean".as_ref(), folder.path().as_os_str()]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    outcome.assert_fails(
        &folder.path().join("a/letter.html").display().to_string(),
        &["pdf"],
    );
    assert!(outcome.stdout.contains("lock keeper"));
}
