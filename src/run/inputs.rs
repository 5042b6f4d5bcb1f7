//! Turns the user's inputs into named pages: lists, folders and data sets are opened one page at a time.

use super::expected::{Expected, ExpectedPages};
use super::names::Namer;
use super::options::Shard;
use super::pool::Item;
use crate::error::SourceError;
use crate::gold::dataset::{DataSet, Split};
use crate::source::{self, Body, Page, is_archive};
use std::path::Path;

/// A page with its name, as input of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPage {
    /// Name of its output files, without extension.
    pub stem: String,
    /// The page, or why it cannot be opened.
    pub page: Result<Page, String>,
}

/// The names of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageName {
    /// Name in messages.
    pub input: String,
    /// Name in the output, without extension.
    pub stem: String,
}

/// All inputs of a run, in order.
#[derive(Debug, Clone)]
pub struct Inputs {
    inputs: Vec<String>,
    shard: Option<Shard>,
    expected: Expected,
}

impl Inputs {
    /// The inputs first, then those of the file `list`, one per line (`-` is standard input).
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn new(mut inputs: Vec<String>, list: Option<&str>, shard: Option<Shard>) -> Result<Self, SourceError> {
        if let Some(list) = list {
            inputs.extend(source::list(list)?);
        }
        Ok(Self { expected: Expected::of_inputs(inputs.len()), inputs, shard })
    }

    /// These inputs, without shards.
    #[cfg(test)]
    pub(super) fn unsharded(inputs: &[&str]) -> Self {
        let expected = Expected::of_inputs(inputs.len());
        Self { inputs: inputs.iter().map(ToString::to_string).collect(), shard: None, expected }
    }

    /// The number of pages, which is updated when inputs are opened.
    pub(super) fn expected(&self) -> ExpectedPages {
        ExpectedPages { expected: self.expected.clone(), shard: self.shard }
    }

    /// The shard to be worked on.
    pub fn shard(&self) -> Option<Shard> {
        self.shard
    }

    /// Number of inputs; each may hold several pages.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// The inputs as they were named.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(String::as_str)
    }

    /// Whether no input is named.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Whether there is one input, and it is one page: no folder of pages.
    pub fn is_one_page(&self) -> bool {
        match self.inputs.as_slice() {
            [input] => {
                let is_folder = Path::new(input).is_dir() && !crate::capture::is_capture(Path::new(input));
                !is_folder && !is_archive(input)
            }
            _ => false,
        }
    }

    /// Opens the pages one after the other and names them.
    pub fn into_items(self) -> impl Iterator<Item = Item<NamedPage, PageName>> + Send {
        let mut namer = Namer::default();
        let Shard { index, count } = self.shard.unwrap_or(Shard { index: 0, count: 1 });
        let expected = self.expected;
        let opened = self.inputs.into_iter().flat_map(move |input| {
            let Opened { pages, count } = open(input);
            expected.opened(count);
            pages
        });
        let named = opened.map(move |(input, page)| {
            let stem = match &page {
                Ok(page) => namer.name(page),
                // A page that cannot be opened now keeps its name for a later run.
                Err(_) => namer.name(&unopened(&input)),
            };
            Item { name: PageName { input, stem: stem.clone() }, content: NamedPage { stem, page } }
        });
        // Pages are named before they are distributed to shards, so that all shards together write what one run does.
        named.skip(index).step_by(count)
    }
}

/// An input that was opened.
struct Opened {
    /// Its pages with their names in messages.
    pages: Box<dyn Iterator<Item = (String, Result<Page, String>)> + Send>,
    /// Number of pages, if it is known.
    count: Option<usize>,
}

fn open(input: String) -> Opened {
    if Path::new(&input).join("manifest.jsonl").is_file() {
        return open_data_set(input);
    }
    let listed = source::listed_pages(&input);
    let pages = source::open(&input);
    let count = listed.or(pages.size_hint().1);
    let pages = pages.map(move |page| match page {
        Ok(page) => (page.name(), Ok(page)),
        Err(error) => (input.clone(), Err(error.to_string())),
    });
    Opened { pages: Box::new(pages), count }
}

/// The pages of a data folder, both splits, with the addresses of its manifest.
fn open_data_set(input: String) -> Opened {
    let set = match DataSet::open(Path::new(&input)) {
        Ok(set) => set,
        Err(error) => {
            return Opened { pages: Box::new(std::iter::once((input, Err(error.to_string())))), count: Some(1) };
        }
    };
    let rows: Vec<_> = set.split(Split::All).into_iter().cloned().collect();
    let count = Some(rows.len());
    let pages = rows.into_iter().flat_map(|row| {
        let path = row.page.to_string_lossy().into_owned();
        source::open(&path).map(move |page| match page {
            Ok(mut page) => {
                page.url = page.url.or_else(|| row.url.clone());
                (page.input.clone(), Ok(page))
            }
            Err(error) => (path.clone(), Err(error.to_string())),
        })
    });
    Opened { pages: Box::new(pages), count }
}

fn unopened(input: &str) -> Page {
    Page::new(input, Body::html(""))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;

    fn inputs(list: &[&Path]) -> Inputs {
        Inputs::new(list.iter().map(|path| path.to_string_lossy().into_owned()).collect(), None, None).unwrap()
    }

    #[test]
    fn the_number_of_pages_is_known_as_soon_as_folders_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(folder.path().join(name).with_extension("html"), "<p>text").unwrap();
        }
        let both = inputs(&[folder.path(), &folder.path().join("a.html")]);
        let expected = both.expected();
        assert_eq!(expected.pages(), Some(2));
        let mut items = both.into_items();
        items.next();
        assert_eq!(expected.pages(), Some(4));
        assert_eq!(items.count(), 3);
        let lines = folder.path().join("pages.jsonl");
        fs::write(&lines, "{\"html\": \"a\"}\n").unwrap();
        let lines = inputs(&[&lines]);
        let expected = lines.expected();
        assert_eq!((lines.into_items().count(), expected.pages()), (1, None));
    }

    #[test]
    fn a_missing_page_does_not_end_the_list_and_keeps_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one.html"), folder.path().join("two.html"));
        let other = folder.path().join("other/one.html");
        fs::create_dir(folder.path().join("other")).unwrap();
        for path in [&two, &other] {
            fs::write(path, "<p>text").unwrap();
        }
        let items: Vec<_> = inputs(&[&one, &two, &other]).into_items().collect();
        let stems: Vec<_> = items.iter().map(|item| item.content.stem.as_str()).collect();
        assert_eq!(stems, ["one", "two", "one-2"]);
        assert!(items[0].content.page.is_err() && items[1].content.page.is_ok());
    }

    #[test]
    fn each_page_is_in_one_shard_under_its_usual_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.jsonl");
        fs::write(&path, "{\"html\": \"a\"}\n".repeat(7)).unwrap();
        let stems = |shard| {
            let part = Inputs { shard, ..inputs(&[&path]) };
            part.into_items().map(|item| item.content.stem).collect::<Vec<_>>()
        };
        let whole = stems(None);
        assert_eq!(whole.len(), 7);
        let mut parts: Vec<String> = (0..3).flat_map(|index| stems(Some(Shard { index, count: 3 }))).collect();
        assert_eq!(parts[..3], ["pages-1", "pages-4", "pages-7"]);
        parts.sort();
        assert_eq!(parts, whole);
    }

    #[test]
    fn a_data_folder_is_a_folder_of_pages_with_addresses() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("pages")).unwrap();
        fs::write(folder.path().join("pages/a.html"), "<p>text").unwrap();
        fs::write(folder.path().join("manifest.jsonl"), "{\"id\":\"a\",\"url\":\"https://example.org/a\"}\n").unwrap();
        let set = inputs(&[folder.path()]);
        assert!(!set.is_one_page());
        let items: Vec<_> = set.into_items().collect();
        assert_eq!(items.len(), 1);
        assert_eq!(items[0].content.stem, "a");
        assert_eq!(items[0].content.page.as_ref().unwrap().url.as_deref(), Some("https://example.org/a"));
    }

    #[test]
    fn one_file_is_one_page_and_a_folder_is_not() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!inputs(&[folder.path()]).is_one_page());
        assert!(inputs(&[&folder.path().join("page.html")]).is_one_page());
        assert!(!inputs(&[Path::new("a.html"), Path::new("b.html")]).is_one_page());
        assert!(!inputs(&[Path::new("pages.jsonl")]).is_one_page());
        assert!(!inputs(&[Path::new("crawl.warc.gz")]).is_one_page());
    }
}
