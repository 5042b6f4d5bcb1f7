//! Turns the user's inputs into named pages: lists, folders and data sets are opened one page at a
//! time.

use super::corpus::{DistinctAddresses, LeftOut};
use super::crawl::{Frontier, Visit};
use super::names::Namer;
use super::options::RunPart;
use super::report::{Expected, ExpectedPages};
use super::work::Item;
use crate::source::{self, DataSet, FolderEntry, PassedOver, Split, is_archive};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;
use vclean_core::error::{ErrorKind, PageError, SourceError};
use vclean_core::page::{Body, Page};

/// A page with its name, as the input of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPage {
    /// Name of its output files, without extension.
    pub stem: String,
    /// The page, or why it cannot be opened.
    pub page: Result<Page, PageError>,
}

/// The names of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageName {
    /// Name in messages: the input as the user named it, with the page in it.
    pub input: String,
    /// Name in the output, without extension.
    pub stem: String,
}

/// All inputs of a run, in order.
#[derive(Debug, Clone)]
pub struct Inputs {
    named: Vec<String>,
    /// File with more inputs.
    list: Option<PathBuf>,
    part: Option<RunPart>,
    /// Counts of the files in folders that are not pages.
    passed_over: PassedOver,
    expected: Expected,
    /// Set if pages with the address of an earlier one are left out.
    distinct: Option<Distinct>,
    /// The address of pages that are not known to have one; see [`Inputs::with_base_url`].
    base_url: Option<Url>,
    /// The name of the only page that is worked on; see [`Inputs::only`].
    only: Option<String>,
    /// The frontier, if the pages are those of a site and are found by a crawl.
    crawl: Option<Arc<Frontier>>,
}

/// How pages with the address of an earlier one are left out.
#[derive(Debug, Clone)]
struct Distinct {
    /// Folder for the list of pages that were left out.
    folder: Option<PathBuf>,
    left_out: LeftOut,
}

impl Inputs {
    /// Takes `inputs`, then those in the file `list`, one per line (`-` is standard input).
    ///
    /// # Errors
    /// If the list cannot be read or is not a list, or if there is no input at all.
    pub fn new(
        mut inputs: Vec<String>,
        list: Option<&str>,
        part: Option<RunPart>,
    ) -> Result<Self, SourceError> {
        if let Some(list) = list {
            inputs.extend(source::list(list)?);
            if inputs.is_empty() {
                let cause = format!(
                    "the list {list} names no input, so there is nothing to do; write one on each line"
                );
                return Err(SourceError::Unusable(cause));
            }
        }
        let expected = Expected::from_input_count(inputs.len());
        Ok(Self {
            named: inputs,
            list: list.map(PathBuf::from),
            part,
            passed_over: PassedOver::default(),
            expected,
            distinct: None,
            base_url: None,
            only: None,
            crawl: None,
        })
    }

    /// Takes one page of inputs that hold many, the first one of this name: its address, its name
    /// in the output or in messages, or the number of its record in an archive.
    #[must_use]
    pub fn only(self, name: String) -> Self {
        Self {
            only: Some(name),
            ..self
        }
    }

    /// Sets the address of pages whose own address is not known. A page in a folder that is named
    /// as an input has its path in the folder below this address.
    #[must_use]
    pub fn with_base_url(self, base_url: Option<Url>) -> Self {
        Self { base_url, ..self }
    }

    /// The address of pages whose own address is not known.
    pub fn base_url(&self) -> Option<&Url> {
        self.base_url.as_ref()
    }

    /// The pages of a site, which are found while it is loaded.
    pub fn for_site(frontier: Frontier) -> Self {
        let named = vec![frontier.options().start.to_string()];
        let expected = Expected::counted(frontier.admitted());
        let (list, part, passed_over) = (None, None, PassedOver::default());
        Self {
            named,
            list,
            part,
            passed_over,
            expected,
            distinct: None,
            base_url: None,
            only: None,
            crawl: Some(Arc::new(frontier)),
        }
    }

    /// The first address of a crawl; `None` if the inputs are not a crawl.
    pub fn start_of_site(&self) -> Option<Url> {
        self.crawl
            .as_ref()
            .map(|frontier| frontier.options().start.clone())
    }

    /// The frontier of a crawl; `None` if the inputs are not a crawl.
    pub(super) fn crawl(&self) -> Option<Arc<Frontier>> {
        self.crawl.clone()
    }

    /// These inputs, not divided into parts.
    #[cfg(test)]
    pub(super) fn undivided(inputs: &[&str]) -> Self {
        Self::new(inputs.iter().map(ToString::to_string).collect(), None, None)
            .expect("no list is read")
    }

    /// The number of pages, which is updated when inputs are opened.
    pub(super) fn expected(&self) -> ExpectedPages {
        ExpectedPages {
            expected: self.expected.clone(),
            part: self.part,
            left_out: self
                .distinct
                .as_ref()
                .map(|distinct| distinct.left_out.clone())
                .unwrap_or_default(),
        }
    }

    /// Leaves out pages whose normalized address an earlier page has, and lists them in `folder`,
    /// if it is given.
    pub(super) fn leave_out_duplicates(&mut self, folder: Option<&Path>) {
        self.distinct = Some(Distinct {
            folder: folder.map(Path::to_path_buf),
            left_out: LeftOut::default(),
        });
    }

    /// The part of the pages to be worked on; `None` for all.
    pub fn part(&self) -> Option<RunPart> {
        self.part
    }

    /// Number of inputs; each may hold several pages.
    pub fn len(&self) -> usize {
        self.named.len()
    }

    /// The inputs as the user named them.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(String::as_str)
    }

    /// Returns true if there is no input.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// Returns true if there is one input and it is one page, not a folder or archive.
    pub fn is_one_page(&self) -> bool {
        match self.named.as_slice() {
            [_] if self.only.is_some() => true,
            [input] if self.crawl.is_none() => {
                let is_folder =
                    Path::new(input).is_dir() && !vclean_core::files::is_capture(Path::new(input));
                !is_folder && !is_archive(input)
            }
            _ => false,
        }
    }

    /// Counts of the files in folders that are not pages, as far as the folders have been read.
    pub fn passed_over(&self) -> PassedOver {
        self.passed_over.clone()
    }

    /// The files that the run reads, found without reading their contents: all files of a capture,
    /// one file for an archive.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.list
            .iter()
            .cloned()
            .chain(self.named.iter().flat_map(|input| files_of(input)))
    }

    /// The names of the pages in the output, in order. Files that are one page each are not read.
    pub(super) fn stems(&self) -> impl Iterator<Item = String> {
        let mut namer = Namer::default();
        let RunPart { index, count } = self.part.unwrap_or(RunPart { index: 0, count: 1 });
        let pages = self.named.iter().flat_map(|input| {
            let folder = folder_of(input);
            unread(input).map(move |page| (page, folder.clone()))
        });
        let stems = pages.map(move |(page, folder)| namer.name(&page, folder.as_deref()));
        stems.skip(index).step_by(count)
    }

    /// Returns true if the names of some pages are known only once they are read: standard input
    /// cannot be read twice, and the pages of a crawl are not known before.
    pub(super) fn has_unknown_names(&self) -> bool {
        self.crawl.is_some()
            || self
                .named
                .iter()
                .any(|input| input == "-" && is_archive(input))
    }

    /// Opens the pages one after the other and names them.
    pub fn into_items(self) -> Box<dyn Iterator<Item = Item<NamedPage, PageName>> + Send> {
        if let Some(frontier) = self.crawl {
            return Box::new(std::iter::from_fn(move || {
                Some(visit_item(frontier.next()?))
            }));
        }
        let mut namer = Namer::default();
        let RunPart { index, count } = self.part.unwrap_or(RunPart { index: 0, count: 1 });
        let (passed_over, expected) = (self.passed_over, self.expected);
        let counting = expected.clone();
        let mut distinct = self.distinct.map(|Distinct { folder, left_out }| {
            DistinctAddresses::new(folder.as_deref(), left_out)
        });
        let base_url = self.base_url;
        let opened = self.named.into_iter().flat_map(move |input| {
            let folder = folder_of(&input);
            let Opened { pages, count } = open(input, &passed_over);
            expected.opened(count);
            let base_url = base_url.clone();
            pages.map(move |(input, page)| {
                let page = page.map(|page| Page {
                    url: page_address(&page, folder.as_deref(), base_url.as_ref()),
                    ..page
                });
                (input, page, folder.clone())
            })
        });
        let named = opened.map(move |(input, page, folder)| {
            let stem = match &page {
                Ok(page) => namer.name(page, folder.as_deref()),
                // A page that cannot be opened now keeps its name for a later run.
                Err(_) => namer.name(&unopened(&input), folder.as_deref()),
            };
            Item {
                name: PageName {
                    input,
                    stem: stem.clone(),
                },
                content: NamedPage { stem, page },
            }
        });
        // Pages are named before they are left out or divided into parts, so that they have the
        // same names in any run.
        let named = named.filter(move |item| {
            let is_new = match (&mut distinct, &item.content.page) {
                (Some(distinct), Ok(page)) => distinct.is_new(&item.content.stem, page),
                _ => true,
            };
            if !is_new {
                counting.left_out();
            }
            is_new
        });
        match self.only {
            Some(name) => Box::new(named.filter(move |item| is_named(item, &name)).take(1)),
            None => Box::new(named.skip(index).step_by(count)),
        }
    }
}

/// Returns true if a page has a name that [`Inputs::only`] takes.
fn is_named(item: &Item<NamedPage, PageName>, name: &str) -> bool {
    let of_page = |page: &Page| {
        let number = page.origin.record.map(|number| number.to_string());
        page.url.as_deref() == Some(name) || number.as_deref() == Some(name)
    };
    item.name.stem == name
        || item.name.input == name
        || item.content.page.as_ref().is_ok_and(of_page)
}

/// The address of a page: its own, or one below that of pages whose address is not known.
fn page_address(page: &Page, folder: Option<&Path>, base_url: Option<&Url>) -> Option<String> {
    if page.url.is_some() || !matches!(page.body, Body::Html { .. } | Body::Mhtml(_)) {
        return page.url.clone();
    }
    let mut url = base_url?.clone();
    let below = folder.and_then(|folder| Path::new(&page.input).strip_prefix(folder).ok());
    if let (Some(path), Ok(mut segments)) = (below, url.path_segments_mut()) {
        segments.pop_if_empty();
        segments.extend(path.iter().map(|segment| segment.to_string_lossy()));
    }
    Some(url.into())
}

/// The page of an address in a crawl.
fn visit_item(visit: Visit) -> Item<NamedPage, PageName> {
    let Visit { url, stem, .. } = visit;
    let name = PageName {
        input: url.to_string(),
        stem: stem.clone(),
    };
    Item {
        name,
        content: NamedPage {
            stem,
            page: Ok(Page::from_url(url)),
        },
    }
}

/// An input that was opened.
struct Opened {
    /// Its pages with their names in messages.
    pages: Box<dyn Iterator<Item = (String, Result<Page, PageError>)> + Send>,
    /// Number of pages, if it is known.
    count: Option<usize>,
}

/// The pages of one input with their names in messages.
fn open(input: String, passed_over: &PassedOver) -> Opened {
    if is_data_set(&input) {
        return open_data_set(input);
    }
    let listed = source::listed_pages(&input);
    let pages = source::open_counting(&input, passed_over);
    let count = listed.or(pages.size_hint().1);
    let pages = pages.map(move |page| match page {
        Ok(page) => (page.name(), Ok(page)),
        Err(SourceError::InFolder { path, cause }) => {
            (path.to_string_lossy().into_owned(), Err((*cause).into()))
        }
        Err(error) => (input.clone(), Err(error.into())),
    });
    Opened {
        pages: Box::new(pages),
        count,
    }
}

fn is_data_set(input: &str) -> bool {
    Path::new(input).join("manifest.jsonl").is_file()
}

/// The folder that an input names, if its pages are named by their paths in it.
fn folder_of(input: &str) -> Option<PathBuf> {
    let path = Path::new(input);
    (path.is_dir() && !is_data_set(input) && !vclean_core::files::is_capture(path))
        .then(|| path.to_path_buf())
}

/// The pages of one input, read only as far as their names depend on it.
fn unread(input: &str) -> Box<dyn Iterator<Item = Page>> {
    let opened = |path: &str| {
        let name = path.to_owned();
        Box::new(
            open(name, &PassedOver::default())
                .pages
                .map(|(input, page)| page.unwrap_or_else(|_| unopened(&input))),
        )
    };
    match folder_of(input) {
        Some(folder) => Box::new(source::entries(&folder, &PassedOver::default()).flat_map(
            move |entry| match entry {
                Ok(FolderEntry::Page(path)) => {
                    Box::new(std::iter::once(unopened(&path.to_string_lossy())))
                }
                Ok(FolderEntry::Capture(path) | FolderEntry::Archive(path)) => {
                    opened(&path.to_string_lossy()) as Box<dyn Iterator<Item = Page>>
                }
                Err(error) => {
                    let path = if let SourceError::InFolder { path, .. } = error {
                        path
                    } else {
                        PathBuf::new()
                    };
                    Box::new(std::iter::once(unopened(&path.to_string_lossy())))
                }
            },
        )),
        None if input == "-" && is_archive(input) => Box::new(std::iter::empty()),
        None if input == "-" || Path::new(input).is_file() && !is_archive(input) => {
            Box::new(std::iter::once(unopened(input)))
        }
        None => opened(input),
    }
}

/// The files of one input.
fn files_of(input: &str) -> Vec<PathBuf> {
    let path = match Url::parse(input) {
        Ok(url) if url.scheme() == "file" => url.to_file_path().unwrap_or_else(|()| input.into()),
        _ => PathBuf::from(input),
    };
    let directly_in = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default()
    };
    if is_data_set(input) {
        let pages = open_data_set(input.to_owned())
            .pages
            .map(|(page, _)| PathBuf::from(page));
        return pages.chain([path.join("manifest.jsonl")]).collect();
    }
    if !path.is_dir() {
        return vec![path];
    }
    if vclean_core::files::is_capture(&path) {
        return directly_in(&path);
    }
    let entries = source::entries(&path, &PassedOver::default()).flatten();
    let files = entries.flat_map(|entry| match entry {
        FolderEntry::Capture(folder) => directly_in(&folder),
        FolderEntry::Page(path) | FolderEntry::Archive(path) => vec![path],
    });
    files.collect()
}

/// The pages of a data set, both splits, with the addresses in its manifest.
fn open_data_set(input: String) -> Opened {
    let set = match DataSet::open(Path::new(&input)) {
        Ok(set) => set,
        Err(error) => {
            return Opened {
                pages: Box::new(std::iter::once((
                    input,
                    Err(PageError::new(ErrorKind::Source, error)),
                ))),
                count: Some(1),
            };
        }
    };
    let rows: Vec<_> = set.split(Split::All).into_iter().cloned().collect();
    let count = Some(rows.len());
    let pages = rows.into_iter().flat_map(|row| {
        let path = row.page.to_string_lossy().into_owned();
        source::open(&path).map(move |page| match page {
            Ok(mut page) => {
                page.url = row.url.clone().or(page.url);
                (page.input.clone(), Ok(page))
            }
            Err(error) => (path.clone(), Err(PageError::new(ErrorKind::Source, error))),
        })
    });
    Opened {
        pages: Box::new(pages),
        count,
    }
}

fn unopened(input: &str) -> Page {
    Page::new(input, Body::html(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn inputs(list: &[&Path]) -> Inputs {
        let list: Vec<String> = list
            .iter()
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        Inputs::undivided(&list.iter().map(String::as_str).collect::<Vec<_>>())
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
        let (one, two) = (
            folder.path().join("one.html"),
            folder.path().join("two.html"),
        );
        let other = folder.path().join("other/one.html");
        fs::create_dir(folder.path().join("other")).unwrap();
        for path in [&two, &other] {
            fs::write(path, "<p>text").unwrap();
        }
        let items: Vec<_> = inputs(&[&one, &two, &other]).into_items().collect();
        let stems: Vec<_> = items
            .iter()
            .map(|item| item.content.stem.as_str())
            .collect();
        assert_eq!(stems, ["one", "two", "one-2"]);
        assert!(items[0].content.page.is_err() && items[1].content.page.is_ok());
    }

    #[test]
    fn each_page_is_in_one_part_under_its_usual_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.jsonl");
        fs::write(&path, "{\"html\": \"a\"}\n".repeat(7)).unwrap();
        let stems = |part| {
            let chosen = Inputs {
                part,
                ..inputs(&[&path])
            };
            chosen
                .into_items()
                .map(|item| item.content.stem)
                .collect::<Vec<_>>()
        };
        let whole = stems(None);
        assert_eq!(whole.len(), 7);
        let mut parts: Vec<String> = (0..3)
            .flat_map(|index| stems(Some(RunPart { index, count: 3 })))
            .collect();
        assert_eq!(parts[..3], ["pages-1", "pages-4", "pages-7"]);
        parts.sort();
        assert_eq!(parts, whole);
    }

    #[test]
    fn a_data_folder_is_a_folder_of_pages_with_addresses() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("pages")).unwrap();
        fs::write(folder.path().join("pages/a.html"), "<p>text").unwrap();
        fs::write(
            folder.path().join("manifest.jsonl"),
            "{\"id\":\"a\",\"url\":\"https://example.org/a\"}\n",
        )
        .unwrap();
        let set = inputs(&[folder.path()]);
        assert!(!set.is_one_page());
        let items: Vec<_> = set.into_items().collect();
        assert_eq!(items.len(), 1);
        assert_eq!(items[0].content.stem, "a");
        assert_eq!(
            items[0].content.page.as_ref().unwrap().url.as_deref(),
            Some("https://example.org/a")
        );
    }

    #[test]
    fn one_page_of_many_is_named_by_its_address_or_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.jsonl");
        let line =
            |name: &str| format!("{{\"html\": \"<p>x\", \"url\": \"https://a.example/{name}\"}}\n");
        fs::write(&path, line("b") + &line("c") + &line("c")).unwrap();
        let stems = |name: &str| -> Vec<String> {
            let inputs = inputs(&[&path]).only(name.to_owned());
            assert!(inputs.is_one_page());
            inputs.into_items().map(|item| item.content.stem).collect()
        };
        let [first] = &stems("https://a.example/c")[..] else {
            unreachable!("one page is taken")
        };
        assert_eq!(&stems(first)[..], std::slice::from_ref(first));
        assert!(stems("https://a.example/none").is_empty());
    }

    #[test]
    fn pages_without_an_address_are_below_the_base() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        fs::write(folder.path().join("b/c d.html"), "<p>text").unwrap();
        let saved = "<!-- saved from url=(0018)https://b.example/ --><p>text";
        fs::write(folder.path().join("saved.html"), saved).unwrap();
        let base = Url::parse("https://a.example/x/").ok();
        let urls = |path: &Path| -> Vec<Option<String>> {
            let inputs = inputs(&[path]).with_base_url(base.clone());
            inputs
                .into_items()
                .map(|item| item.content.page.unwrap().url)
                .collect()
        };
        assert_eq!(
            urls(folder.path()),
            [
                Some("https://a.example/x/b/c%20d.html".to_owned()),
                Some("https://b.example/".to_owned())
            ]
        );
        let one = folder.path().join("b/c d.html");
        assert_eq!(urls(&one), [Some("https://a.example/x/".to_owned())]);
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
