//! Names of output files: the stem of the input file, the identifier in a line of JSON, or host and
//! path of the address; unique within a run.
//!
//! Names are given in input order, so the same list gives the same names, whatever the number of
//! jobs. `--resume` relies on this.

use crate::source::is_archive;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use serde_json::Value;
use std::hash::Hasher;
use std::path::Path;
use url::Url;
use vclean_core::page::{Body, Page};

/// Longest name made from an address, in bytes: far below the usual limit of file systems, 255,
/// with room for an extension.
const MAX_ADDRESS_BYTES: usize = 120;
/// Longest name taken from a file, in bytes.
const MAX_STEM_BYTES: usize = 230;

/// Gives each page of a run a unique name. It stores only a few bytes per page, because a run may
/// have millions of pages.
#[derive(Debug, Default)]
pub(super) struct Namer {
    /// Hashes of the names given, in lower case, because some file systems ignore case. If two
    /// names have the same hash (with a million pages once in 30 million runs), the second gets a
    /// number that it does not need.
    taken: FxHashSet<u64>,
    /// For each name that occurred more than once, the last number tried.
    last: FxHashMap<u64, usize>,
}

impl Namer {
    /// The name for `page`: its stem, with `-2`, `-3` and so on if an earlier page has that name.
    /// The stem of a page in a subfolder of `folder`, which the user named, begins with the names
    /// of the subfolders.
    pub(super) fn name(&mut self, page: &Page, folder: Option<&Path>) -> String {
        let stem = match folder.and_then(|folder| Path::new(&page.input).strip_prefix(folder).ok())
        {
            Some(within) => in_folder(page, within),
            None => stem(page),
        };
        self.unique(stem)
    }

    fn unique(&mut self, stem: String) -> String {
        let asked = hash(&stem);
        if self.taken.insert(asked) {
            return stem;
        }
        let number = self.last.entry(asked).or_insert(1);
        loop {
            *number += 1;
            let name = format!("{stem}-{number}");
            if self.taken.insert(hash(&name)) {
                return name;
            }
        }
    }
}

fn hash(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name.to_lowercase().as_bytes());
    hasher.finish()
}

/// The name of a page before it is made unique.
fn stem(page: &Page) -> String {
    match (&page.body, &page.url) {
        (Body::Address(address), _) => from_address(address),
        (Body::Capture(folder), _) => {
            // `.` and `..` have no file name.
            let folder = if folder.file_name().is_some() {
                folder.clone()
            } else {
                folder.canonicalize().unwrap_or_default()
            };
            bounded(
                folder
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned()),
                MAX_STEM_BYTES,
            )
        }
        _ if usable_id(page).is_some() => usable_id(page).unwrap_or_default(),
        // This is a record of a web archive; lines of files are named by their numbers.
        (_, Some(address)) if is_archive(&page.input) => from_address(address),
        _ if page.input == "-" => "stdin".to_owned(),
        _ if line_of(&page.input).is_some() => {
            let (file, line) = line_of(&page.input).unwrap_or_default();
            let file = if file == "-" { "stdin" } else { file };
            let name = Path::new(file)
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            let stem = name.split('.').next().unwrap_or_default();
            bounded(Some(format!("{stem}-{line}")), MAX_STEM_BYTES)
        }
        _ => bounded(
            Path::new(&page.input)
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned()),
            MAX_STEM_BYTES,
        ),
    }
}

/// The sender's name for a page, if it is a text or number that is safe as a file name.
fn usable_id(page: &Page) -> Option<String> {
    let id = match page.origin.id.as_ref()? {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.to_string(),
        _ => return None,
    };
    let is_safe = |char: char| char.is_alphanumeric() || matches!(char, '.' | '-' | '_');
    let is_usable = id.chars().all(is_safe)
        && id.starts_with(char::is_alphanumeric)
        && id.len() <= MAX_ADDRESS_BYTES;
    is_usable.then_some(id)
}

/// The name of a page in a folder: `a_b_page` for `a/b/page.html`. Pages of web archives are named
/// by their addresses.
fn in_folder(page: &Page, within: &Path) -> String {
    let is_record = page.url.is_some() && is_archive(&page.input);
    let own = match &page.body {
        _ if is_record => return stem(page),
        Body::Capture(_) => stem(page),
        _ if line_of(&page.input).is_some() => stem(page),
        _ => without_ending(
            &within
                .file_name()
                .map(|name| name.to_string_lossy())
                .unwrap_or_default(),
        )
        .to_owned(),
    };
    let above = within.parent().into_iter().flat_map(Path::components);
    let mut name = String::new();
    for part in above {
        name.push_str(&part.as_os_str().to_string_lossy());
        name.push('_');
    }
    name.push_str(&own);
    bounded(Some(name), MAX_STEM_BYTES)
}

/// A file name without its extension, and without `.gz`. The text after the last dot is an
/// extension only if it is a short word, unlike in `release-1.2` or `view.php?id=1`.
fn without_ending(name: &str) -> &str {
    let is_word = |ending: &str| {
        ending.len() <= 5
            && ending.starts_with(|char: char| char.is_ascii_alphabetic())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let name = name.strip_suffix(".gz").unwrap_or(name);
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_word(ending) => stem,
        _ => name,
    }
}

/// File and line of a page that is a line of a file, such as `pages.jsonl:12`.
fn line_of(input: &str) -> Option<(&str, &str)> {
    let (file, line) = input.rsplit_once(':')?;
    (is_archive(file) && line.bytes().all(|byte| byte.is_ascii_digit())).then_some((file, line))
}

/// Host, path and query with safe characters only.
fn from_address(address: &str) -> String {
    let readable = match Url::parse(address) {
        Ok(url) => {
            let query = url
                .query()
                .map(|query| format!("_{query}"))
                .unwrap_or_default();
            format!(
                "{}{}{query}",
                url.host_str().unwrap_or_default(),
                url.path()
            )
        }
        Err(_) => address.to_owned(),
    };
    let mut name = String::new();
    for char in readable.chars() {
        let is_safe = char.is_ascii_alphanumeric() || matches!(char, '.' | '-');
        match char {
            _ if is_safe => name.push(char),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    let trimmed = name
        .trim_end_matches(['_', '.'])
        .trim_start_matches(['_', '.', '-']);
    bounded(Some(trimmed.to_owned()), MAX_ADDRESS_BYTES)
}

/// A name that is not empty and has at most `limit` bytes; a longer one is cut and ends with its
/// checksum.
fn bounded(name: Option<String>, limit: usize) -> String {
    let name = name
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "page".to_owned());
    if name.len() <= limit {
        return name;
    }
    let mut crc = flate2::Crc::new();
    crc.update(name.as_bytes());
    let mut end = limit - 9;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}-{:08x}", &name[..end], crc.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn page(input: &str) -> Page {
        let body = if input.starts_with("http") {
            Body::Address(input.to_owned())
        } else {
            Body::html("")
        };
        Page::new(input, body)
    }

    #[test]
    fn files_keep_their_stem() {
        assert_eq!(
            stem(&page("pages/20111101_www.express.gr_66.html")),
            "20111101_www.express.gr_66"
        );
        assert_eq!(stem(&page("/a/b/Straße (1).mhtml")), "Straße (1)");
        assert_eq!(stem(&page("-")), "stdin");
        assert_eq!(stem(&page("a/pages.jsonl.gz:12")), "pages-12");
        assert_eq!(stem(&page("a/pages.parquet:12")), "pages-12");
    }

    #[test]
    fn a_capture_keeps_the_whole_name_of_its_folder() {
        let capture = |path: &str| Page {
            body: Body::Capture(path.into()),
            ..page(path)
        };
        assert_eq!(
            stem(&capture("captures/www.example.org/")),
            "www.example.org"
        );
        assert_ne!(stem(&capture(".")), "page");
    }

    #[test]
    fn addresses_become_host_and_path() {
        assert_eq!(
            stem(&page("https://www.example.org/a/b.html?id=7&x=%20#top")),
            "www.example.org_a_b.html_id_7_x_20"
        );
        assert_eq!(stem(&page("https://example.org/")), "example.org");
        assert_eq!(
            stem(&page("http://example.org:8080/../../etc/passwd")),
            "example.org_etc_passwd"
        );
        let long = stem(&page(&format!("https://example.org/{}", "a/".repeat(500))));
        let other = stem(&page(&format!("https://example.org/{}", "a/".repeat(501))));
        assert!(long.len() <= MAX_ADDRESS_BYTES && long != other);
    }

    #[test]
    fn an_archive_names_its_pages_by_address() {
        let mut record = page("crawl.warc.gz");
        record.url = Some("https://example.org/x".to_owned());
        assert_eq!(stem(&record), "example.org_x");
        assert_eq!(
            stem(&Page {
                input: "crawl.wacz".to_owned(),
                ..record
            }),
            "example.org_x"
        );
    }

    #[test]
    fn the_identifier_of_a_line_is_its_name_if_it_is_safe() {
        let name = |id: Value| {
            let mut line = page("a/pages.jsonl:12");
            line.origin.id = Some(id);
            stem(&line)
        };
        assert_eq!(name("doc-7.b_ü".into()), "doc-7.b_ü");
        assert_eq!(name(41.into()), "41");
        for id in [
            "../../etc/passwd",
            ".hidden",
            "-x",
            "_run",
            "a b",
            "a/b",
            "",
            &"x".repeat(300),
        ] {
            assert_eq!(name(id.into()), "pages-12", "{id}");
        }
        assert_eq!(name(serde_json::json!([1])), "pages-12");
    }

    #[test]
    fn names_do_not_collide() {
        let mut namer = Namer::default();
        let names: Vec<String> = ["a/x.html", "b/x.html", "c/X.mhtml", "x-2.html", "d/x.html"]
            .map(|input| namer.name(&page(input), None))
            .into();
        assert_eq!(names, ["x", "x-2", "X-3", "x-2-2", "x-4"]);
    }

    #[test]
    fn pages_in_subfolders_are_named_by_their_path_in_the_folder() {
        let mut namer = Namer::default();
        let mut name = |input: &str| namer.name(&page(input), Some(Path::new("site/")));
        assert_eq!(name("site/a/b/index.html"), "a_b_index");
        assert_eq!(name("site/index.html"), "index");
        assert_eq!(name("site/index.php"), "index-2");
        assert_eq!(name("site/a/release-1.2"), "a_release-1.2");
        assert_eq!(name("site/view.php?id=1"), "view.php?id=1");
        assert_eq!(name("site/old/page.html.gz"), "old_page");
        assert_eq!(name("site/a/pages.jsonl:12"), "a_pages-12");
        let mut record = page("site/a/crawl.warc.gz");
        record.url = Some("https://example.org/x".to_owned());
        assert_eq!(
            namer.name(&record, Some(Path::new("site"))),
            "example.org_x"
        );
    }

    proptest! {
        #[test]
        fn a_name_is_one_safe_part_of_a_path(address in "https?://[^\\s]{0,300}|.{0,400}") {
            let name = from_address(&address);
            prop_assert!(!name.is_empty() && name.len() <= MAX_ADDRESS_BYTES);
            prop_assert!(!name.contains(['/', '\\', '\0']) && !name.starts_with('.'));
        }

        #[test]
        fn any_number_of_equal_inputs_get_different_names(stems in prop::collection::vec("[ab](-[23])?", 1..40)) {
            let mut namer = Namer::default();
            let names: BTreeSet<String> = stems.iter().map(|stem| namer.unique(stem.clone())).collect();
            prop_assert_eq!(names.len(), stems.len());
        }
    }
}
