//! A crawled site as a folder of Markdown: files under the paths of their pages, with links between
//! them, and `llms.txt` and `llms-full.txt` (llmstxt.org) for programs that read them.
//!
//! It is made from the JSON lines of a run, when all addresses are known.

use super::error::RunError;
use super::source::Lines;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};
use url::Url;
use vclean_core::error::SourceError;
use vclean_core::files;

/// The file of JSON lines in the folder of a tree.
const PAGES: &str = "pages.jsonl";

/// Longest name of a file or folder, in bytes, without the extension.
const MAX_NAME_BYTES: usize = 120;

/// A line of the run.
#[derive(Deserialize)]
struct Line {
    input: String,
    url: Option<String>,
    text: String,
    metadata: About,
}

#[derive(Deserialize)]
struct About {
    title: Option<String>,
    site: Option<String>,
    description: Option<String>,
}

/// The file of a page.
struct PageFile {
    /// Path in the tree, with slashes.
    path: String,
    title: String,
    description: Option<String>,
}

/// Writes the tree of the pages in `folder/pages.jsonl`, which have Markdown with links. Pages
/// without text are left out. Returns the number of files of pages.
///
/// # Errors
/// If a file cannot be read or written.
pub fn write_tree(folder: &Path) -> Result<usize, RunError> {
    let (tree, addresses) = Tree::plan(folder)?;
    let write = || -> io::Result<()> {
        let mut full = files::begin(&folder.join("llms-full.txt")).map_err(io::Error::other)?;
        for (page, line) in tree.pages.iter().zip(lines(folder)?) {
            let line = line?;
            let text = with_links(&line.text, &page.path, &addresses);
            let path = page
                .path
                .split('/')
                .fold(folder.to_path_buf(), |path, part| path.join(part));
            files::make_folder(files::folder_of(&path)).map_err(io::Error::other)?;
            files::write_whole(&path, text.as_bytes()).map_err(io::Error::other)?;
            let url = line.url.unwrap_or_default();
            write!(full, "<!-- {url} -->\n\n{}\n\n", line.text.trim_end())?;
        }
        files::finish(full, &folder.join("llms-full.txt")).map_err(io::Error::other)?;
        files::write_whole(&folder.join("llms.txt"), tree.overview().as_bytes())
            .map_err(io::Error::other)
    };
    write().map_err(|cause| RunError::Output {
        path: folder.to_path_buf(),
        cause,
    })?;
    Ok(tree.pages.len())
}

/// The lines of pages with a text.
fn lines(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<Line>>> {
    let file = File::open(folder.join(PAGES))?;
    let read = |line: Result<Vec<u8>, SourceError>| {
        let line = line.map_err(io::Error::other)?;
        serde_json::from_slice(&line).map_err(io::Error::from)
    };
    let lines = Lines::new(BufReader::new(file)).map(read);
    let is_empty = |line: &Line| line.text.trim().is_empty();
    Ok(lines.filter(move |line| !line.as_ref().is_ok_and(is_empty)))
}

struct Tree {
    /// The files of the pages, in the order of the lines.
    pages: Vec<PageFile>,
    name: String,
    description: Option<String>,
}

/// The paths of pages by their addresses.
type Addresses = FxHashMap<String, String>;

impl Tree {
    /// Chooses the files of all pages.
    fn plan(folder: &Path) -> Result<(Self, Addresses), RunError> {
        let failed = |cause| RunError::Output {
            path: folder.join(PAGES),
            cause,
        };
        let mut paths = Paths::default();
        let mut addresses = Addresses::default();
        let (mut pages, mut name, mut description) = (Vec::new(), None, None);
        for line in lines(folder).map_err(failed)? {
            let line = line.map_err(failed)?;
            let address = line.url.as_deref().unwrap_or(&line.input);
            let path = paths.choose(address);
            // The address that was asked for may lead to that of the page.
            for known in [address, &line.input] {
                if let Some(key) = key(known) {
                    addresses.entry(key).or_insert_with(|| path.clone());
                }
            }
            let about = line.metadata;
            let title = about.title.unwrap_or_else(|| path.clone());
            name = name.or_else(|| about.site.or_else(|| Some(title.clone())));
            if pages.is_empty() {
                description.clone_from(&about.description);
            }
            pages.push(PageFile {
                path,
                title,
                description: about.description,
            });
        }
        let name = name.unwrap_or_else(|| "Site".to_owned());
        let tree = Self {
            pages,
            name,
            description,
        };
        Ok((tree, addresses))
    }

    /// The content of `llms.txt`: the pages of each folder under a heading.
    fn overview(&self) -> String {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut out = format!("# {}\n", one_line(&self.name));
        if let Some(description) = &self.description {
            let _ = write!(out, "\n> {}\n", one_line(description));
        }
        let mut parts: BTreeMap<&str, Vec<&PageFile>> = BTreeMap::new();
        for page in &self.pages {
            let part = page.path.split_once('/').map_or("", |(part, _)| part);
            parts.entry(part).or_default().push(page);
        }
        for (part, pages) in parts {
            let _ = write!(
                out,
                "\n## {}\n\n",
                if part.is_empty() { "Pages" } else { part }
            );
            for page in pages {
                let title = one_line(&page.title)
                    .replace('[', "\\[")
                    .replace(']', "\\]");
                let _ = write!(out, "- [{title}]({})", encoded(&page.path));
                if let Some(description) = &page.description {
                    let _ = write!(out, ": {}", one_line(description));
                }
                out.push('\n');
            }
        }
        out
    }
}

/// Chooses paths for addresses.
#[derive(Default)]
struct Paths {
    /// The host whose pages are at the top; those of others are in folders.
    host: Option<String>,
    /// The paths given, in lower case, because some file systems ignore case.
    taken: BTreeSet<String>,
}

impl Paths {
    /// The path for an address, with the ending `.md`. No two addresses get the same one.
    fn choose(&mut self, address: &str) -> String {
        let mut parts: Vec<String> = Vec::new();
        if let Ok(url) = Url::parse(address) {
            let host = url.host_str().unwrap_or_default().to_owned();
            if self.host.get_or_insert_with(|| host.clone()) != &host {
                parts.push(safe(&host));
            }
            let own: Vec<&str> = url.path_segments().into_iter().flatten().collect();
            let (last, folders) = own.split_last().unwrap_or((&"", &[]));
            parts.extend(folders.iter().map(|part| safe(part)));
            let stem = match last.rsplit_once('.') {
                Some((stem, ending)) if !stem.is_empty() && ending.len() <= 5 => stem,
                _ => last,
            };
            let stem = if stem.is_empty() { "index" } else { stem };
            let query = url
                .query()
                .map_or_else(String::new, |query| format!("_{query}"));
            parts.push(safe(&format!("{stem}{query}")));
        } else {
            parts.push(safe(address));
        }
        let stem = parts.join("/");
        let mut path = format!("{stem}.md");
        let mut number = 1;
        while !self.taken.insert(path.to_lowercase()) {
            number += 1;
            path = format!("{stem}-{number}.md");
        }
        path
    }
}

/// The name of a file or folder for a part of an address.
fn safe(part: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(part).decode_utf8_lossy();
    let mut name = String::new();
    for letter in decoded.chars() {
        let is_safe = letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_');
        let letter = if is_safe { letter } else { '_' };
        if name.len() + letter.len_utf8() > MAX_NAME_BYTES {
            break;
        }
        name.push(letter);
    }
    // Neither a hidden file nor a folder above.
    let trimmed = name.trim_start_matches('.');
    if trimmed.is_empty() {
        "_".to_owned()
    } else {
        trimmed.to_owned()
    }
}

/// An address without what does not name a page.
fn key(address: &str) -> Option<String> {
    let mut url = Url::parse(address).ok()?;
    url.set_fragment(None);
    Some(url.into())
}

/// A path in a link of Markdown.
fn encoded(path: &str) -> String {
    const KEPT: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'.')
        .remove(b'-')
        .remove(b'_');
    percent_encoding::utf8_percent_encode(path, KEPT).to_string()
}

/// A text in Markdown with links to pages of the tree in place of their addresses.
fn with_links(text: &str, path: &str, addresses: &Addresses) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        out.push_str("](");
        rest = after;
        let (start, close) = if after.starts_with('<') {
            (1, '>')
        } else {
            (0, ')')
        };
        let Some(end) = after[start..].find(close).map(|end| start + end) else {
            continue;
        };
        let address = &after[start..end];
        let target = key(address).and_then(|key| addresses.get(&key));
        if let Some(target) = target {
            let fragment = address.find('#').map_or("", |at| &address[at..]);
            out.push_str(&relative(path, target));
            out.push_str(fragment);
            rest = &after[end + start..];
        }
    }
    out.push_str(rest);
    out
}

/// The path that leads from one file of the tree to another.
fn relative(from: &str, to: &str) -> String {
    let folders = |path: &str| {
        path.rsplit_once('/')
            .map_or(0, |(folder, _)| folder.len() + 1)
    };
    let (above, _) = from.split_at(folders(from));
    let same: usize = above
        .split_inclusive('/')
        .zip(to[..folders(to)].split_inclusive('/'))
        .take_while(|(one, other)| one == other)
        .map(|(part, _)| part.len())
        .sum();
    let up = above[same..].matches('/').count();
    format!("{}{}", "../".repeat(up), encoded(&to[same..]))
}

/// The file of JSON lines for the tree in a folder.
pub fn pages_of_tree(folder: &Path) -> PathBuf {
    folder.join(PAGES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn pages_are_files_under_their_paths_with_links_between_them() {
        let folder = tempfile::tempdir().unwrap();
        let page = |url: &str, title: &str, text: &str| {
            json!({ "input": url, "url": url, "text": text,
                "metadata": { "title": title, "site": "Shore", "description": "About\nbirds." } })
            .to_string()
        };
        let lines = [
            page(
                "https://a.example/",
                "Home",
                "# Home\n\n[gulls](https://a.example/birds/gulls.html#food) [x](<https://b.example/x>)\n",
            ),
            page(
                "https://a.example/birds/gulls.html",
                "Gulls [1]",
                "[home](https://a.example/) and [more](https://a.example/birds/?page=2)\n",
            ),
            page(
                "https://a.example/birds/?page=2",
                "More",
                "[gulls](<https://a.example/birds/gulls.html>)\n",
            ),
            page("https://a.example/birds/gulls", "Other", "text\n"),
            page(
                "https://b.example/x",
                "X",
                "[up](https://a.example/birds/gulls.html)\n",
            ),
            page("https://a.example/empty", "Empty", ""),
        ];
        std::fs::write(pages_of_tree(folder.path()), lines.join("\n")).unwrap();
        assert_eq!(write_tree(folder.path()).unwrap(), 5);
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(
            read("index.md"),
            "# Home\n\n[gulls](birds/gulls.md#food) [x](b.example/x.md)\n"
        );
        assert_eq!(
            read("birds/gulls.md"),
            "[home](../index.md) and [more](index_page_2.md)\n"
        );
        assert_eq!(read("birds/index_page_2.md"), "[gulls](gulls.md)\n");
        assert_eq!(read("birds/gulls-2.md"), "text\n");
        assert_eq!(read("b.example/x.md"), "[up](../birds/gulls.md)\n");
        let overview = read("llms.txt");
        assert!(overview.starts_with(
            "# Shore\n\n> About birds.\n\n## Pages\n\n- [Home](index.md): About birds.\n"
        ));
        assert!(
            overview.contains("## birds\n\n- [Gulls \\[1\\]](birds/gulls.md)"),
            "{overview}"
        );
        let full = read("llms-full.txt");
        assert!(
            full.starts_with("<!-- https://a.example/ -->\n\n# Home\n"),
            "{full}"
        );
    }

    proptest! {
        #[test]
        fn paths_stay_in_the_folder_and_differ(addresses in proptest::collection::btree_set("https://(a|b)\\.example/[a-z./%2eE~?=ä]{0,30}", 1..20)) {
            let mut paths = Paths::default();
            let mut seen = BTreeSet::new();
            for address in addresses {
                let path = paths.choose(&address);
                let mut parts = path.split('/');
                prop_assert!(parts.all(|part| !part.is_empty() && !part.starts_with('.') && part.len() < 140));
                prop_assert!(seen.insert(path));
            }
        }

        #[test]
        fn any_text_keeps_what_is_no_link(text in "[a-z\\[\\]()<>#:/ .]{0,80}") {
            prop_assert_eq!(with_links(&text, "a/b.md", &Addresses::default()), text);
        }
    }
}
