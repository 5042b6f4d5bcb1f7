//! A page of the list to label: its source, its properties, and its labels.

use super::error::AnnotateError;
use super::folder::{GoldFolder, MERGED};
use super::history::Labelled;
use super::journal::Sides;
use super::label::BlockLabel;
use super::page_state::PageState;
use super::prepared::{PreparedPage, id_of};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use vclean_core::capture::{Dom, Engine, NodeId};
use vclean_core::page::{Body, Page};

/// Properties of a page; some are unknown until it is prepared.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PageFacts {
    /// Its title; the name of the page if it has none.
    pub title: String,
    /// Address of the page, if one is known.
    pub url: Option<String>,
    /// Expected F of the text that the model keeps, 0 to 1; `None` until the page is prepared.
    pub expected_f: Option<f32>,
    /// Engine that rendered it; `None` until the page is prepared.
    pub engine: Option<Engine>,
    /// Number of its blocks; 0 until the page is prepared.
    pub blocks: usize,
    /// Reason why it cannot be labelled.
    pub error: Option<String>,
}

/// A page of the list to label.
#[derive(Debug)]
pub struct ListedPage {
    /// Its name in the folder of gold.
    pub id: String,
    /// The page; `None` if it could not be opened.
    pub page: Option<Page>,
    /// The labels of two annotators that are to be merged.
    pub sides: Option<Sides>,
    facts: Mutex<PageFacts>,
    state: Mutex<Option<PageState>>,
}

impl ListedPage {
    /// A page, or why it cannot be opened.
    pub fn new(id: String, page: Result<Page, String>) -> Self {
        let (page, error) = match page {
            Ok(page) => (Some(page), None),
            Err(error) => (None, Some(error)),
        };
        let url = page.as_ref().and_then(|page| page.url.clone());
        let facts = PageFacts {
            title: id.clone(),
            url,
            error,
            ..PageFacts::default()
        };
        Self {
            id,
            page,
            sides: None,
            facts: Mutex::new(facts),
            state: Mutex::new(None),
        }
    }

    /// Copy of the present facts.
    pub fn facts(&self) -> PageFacts {
        self.facts_to_change().clone()
    }

    pub(crate) fn facts_to_change(&self) -> MutexGuard<'_, PageFacts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its labels; `None` until somebody opened or labelled it.
    pub fn state(&self) -> MutexGuard<'_, Option<PageState>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// The tutorial: eight pages with gold and an explanation for every block. The pages hold their own
// gold: `data-label` on an element is the label of all blocks in it, and `data-lesson` explains it.
// The nearest element around a block decides. Readers and features see neither attribute.

/// Gold and explanation of a block of the tutorial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lesson {
    /// The label that it has.
    pub label: BlockLabel,
    pub text: String,
}

/// The pages: name and source.
const PAGES: [(&str, &str); 8] = [
    ("article", include_str!("lessons/article.html")),
    ("blog", include_str!("lessons/blog.html")),
    ("documentation", include_str!("lessons/documentation.html")),
    ("forum", include_str!("lessons/forum.html")),
    ("listing", include_str!("lessons/listing.html")),
    ("notice", include_str!("lessons/notice.html")),
    ("product", include_str!("lessons/product.html")),
    ("table", include_str!("lessons/table.html")),
];

/// The pages of the tutorial.
pub(crate) fn tutorial_pages() -> Vec<ListedPage> {
    let listed = |(id, html): &(&str, &str)| {
        ListedPage::new((*id).to_owned(), Ok(Page::from_html(*id, *html)))
    };
    PAGES.iter().map(listed).collect()
}

/// Lesson of each block of a page; `None` for a block without one.
pub(crate) fn lessons(page: &PreparedPage) -> Vec<Option<Lesson>> {
    page.blocks
        .iter()
        .map(|block| lesson(&page.capture.dom, block.target.first()))
        .collect()
}

fn lesson(dom: &Dom, node: NodeId) -> Option<Lesson> {
    let around = |name: &str| dom.ancestors(node).find_map(|id| dom.attribute(id, name));
    let label = BlockLabel::from_name(around("data-label")?)?;
    Some(Lesson {
        label,
        text: around("data-lesson").unwrap_or_default().to_owned(),
    })
}

// Pages that two people have labelled, for a third one who decides where they disagree.

/// The labels of one person: a folder `annotations/NAME` in a folder of gold.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    name: String,
    /// The folder of gold, which has the captures.
    gold: PathBuf,
    labels: PathBuf,
}

/// The pages to be merged, and those that cannot be.
#[derive(Debug)]
pub(crate) struct Merging {
    /// The pages that both have finished, by name.
    pub pages: Vec<ListedPage>,
    /// Other pages, and why they are left out.
    pub left_out: Vec<(String, String)>,
}

/// Reads what two people labelled. `one` and `other` are folders of gold with the labels of one
/// person each, or folders `annotations/NAME` of one folder of gold or of two.
///
/// # Errors
/// If a folder holds no labels, or those of several people, or there is no page that both have
/// finished.
pub(crate) fn pages_to_merge(
    gold: &GoldFolder,
    one: &Path,
    other: &Path,
) -> Result<Merging, AnnotateError> {
    let mut sides = [side(one)?, side(other)?];
    if sides[0].labels == sides[1].labels {
        let cause = format!(
            "{} and {} are the labels of one person; name two",
            one.display(),
            other.display()
        );
        return Err(AnnotateError::Input(cause));
    }
    if sides[0].name == sides[1].name {
        for (side, number) in sides.iter_mut().zip(1..) {
            side.name = format!("{}-{number}", side.name);
        }
    }
    let [first, second] = [journals(&sides[0])?, journals(&sides[1])?];
    let mut merging = Merging {
        pages: Vec::new(),
        left_out: Vec::new(),
    };
    for id in first.union(&second) {
        match read(&sides, id) {
            Ok((page, read)) => {
                let mut listed = ListedPage::new(id_of(gold, id, &page), Ok(page));
                listed.sides = Some(read);
                merging.pages.push(listed);
            }
            Err(cause) => merging.left_out.push((id.clone(), cause)),
        }
    }
    if merging.pages.is_empty() {
        let causes: Vec<String> = merging
            .left_out
            .iter()
            .take(3)
            .map(|(id, cause)| format!("{id}: {cause}"))
            .collect();
        let cause = if causes.is_empty() {
            "neither has labelled one".to_owned()
        } else {
            causes.join("; ")
        };
        return Err(AnnotateError::Input(format!(
            "there is no page that both have finished ({cause})"
        )));
    }
    Ok(merging)
}

/// The labels in a folder that a person named.
fn side(path: &Path) -> Result<Side, AnnotateError> {
    let whole = path.canonicalize().map_err(|cause| AnnotateError::Read {
        path: path.to_path_buf(),
        cause,
    })?;
    let name_of = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    if let Some(parent) = whole
        .parent()
        .filter(|parent| name_of(parent) == "annotations")
    {
        let gold = parent.parent().unwrap_or(parent).to_path_buf();
        return Ok(Side {
            name: name_of(&whole),
            gold,
            labels: whole,
        });
    }
    let annotations = whole.join("annotations");
    let mut people: Vec<String> = std::fs::read_dir(&annotations)
        .map(|entries| {
            entries
                .flatten()
                .filter(|entry| entry.path().is_dir())
                .map(|entry| name_of(&entry.path()))
                .collect()
        })
        .unwrap_or_default();
    people.retain(|name| name != MERGED);
    people.sort();
    match people.as_slice() {
        [name] => Ok(Side {
            name: name.clone(),
            labels: annotations.join(name),
            gold: whole,
        }),
        [] => Err(AnnotateError::Input(format!(
            "{} has no labels; name a folder that vclean lab annotate wrote, or its annotations/NAME",
            path.display()
        ))),
        [first, ..] => Err(AnnotateError::Input(format!(
            "{} has the labels of {}; name one of them, such as {}",
            path.display(),
            people.join(", "),
            path.join("annotations").join(first).display()
        ))),
    }
}

/// Names of the pages that a person has labelled.
fn journals(side: &Side) -> Result<BTreeSet<String>, AnnotateError> {
    let fail = |cause| AnnotateError::Read {
        path: side.labels.clone(),
        cause,
    };
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(&side.labels).map_err(fail)? {
        let name = entry
            .map_err(fail)?
            .file_name()
            .to_string_lossy()
            .into_owned();
        names.extend(name.strip_suffix(".jsonl").map(str::to_owned));
    }
    Ok(names)
}

/// A page with the labels of both, or why it cannot be merged.
fn read(sides: &[Side; 2], id: &str) -> Result<(Page, Sides), String> {
    let state = |side: &Side| -> Result<PageState, String> {
        let state = PageState::read(&side.labels.join(format!("{id}.jsonl")))
            .map_err(|error| error.to_string())?;
        let state = state.ok_or_else(|| format!("{} has not labelled it", side.name))?;
        if state.history().is_done() {
            Ok(state)
        } else {
            Err(format!("{} has not finished it", side.name))
        }
    };
    let [one, other] = [state(&sides[0])?, state(&sides[1])?];
    if one.beginning().fingerprint != other.beginning().fingerprint {
        return Err(
            "the two labelled different captures of it; let both label the same one".to_owned(),
        );
    }
    let pair = |(one, other): (&Labelled, &Labelled)| [one.label, other.label];
    let labels = one
        .history()
        .blocks()
        .iter()
        .zip(other.history().blocks())
        .map(pair)
        .collect();
    let folder = sides[0].gold.join("captures").join(id);
    let mut page = Page::new(folder.to_string_lossy(), Body::Capture(folder.clone()));
    page.url = vclean_core::files::load_record(&folder)
        .map_err(|error| error.to_string())?
        .url;
    Ok((
        page,
        Sides {
            names: [sides[0].name.clone(), sides[1].name.clone()],
            labels,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use vclean_core::page::parse;
    use vclean_core::pipeline::{Options, PageCleaner};

    #[test]
    fn every_block_has_a_label_and_an_explanation_of_its_own_element() {
        let cleaner = PageCleaner::new(&Options::default()).unwrap();
        let mut labels = BTreeSet::new();
        for listed in tutorial_pages() {
            let capture = parse(listed.page.as_ref().unwrap()).unwrap();
            let dom = &capture.dom;
            for id in dom.ids() {
                let has = |name: &str| dom.attribute(id, name).is_some();
                assert_eq!(
                    has("data-label"),
                    has("data-lesson"),
                    "{}: {}",
                    listed.id,
                    dom.tag(id)
                );
            }
            let page = PreparedPage::new(capture, &cleaner).unwrap();
            assert!(page.blocks.len() >= 10, "{}", listed.id);
            for (block, lesson) in page.blocks.iter().zip(lessons(&page)) {
                let lesson = lesson.unwrap_or_else(|| panic!("{}: {}", listed.id, block.text));
                assert!(lesson.text.ends_with('.'), "{}", lesson.text);
                labels.insert(lesson.label);
            }
        }
        assert_eq!(labels.into_iter().collect::<Vec<_>>(), BlockLabel::ALL);
    }

    #[test]
    fn folders_without_labels_or_with_those_of_several_people_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let gold = GoldFolder::make(&folder.path().join("gold")).unwrap();
        let merge =
            |one: &Path, other: &Path| pages_to_merge(&gold, one, other).unwrap_err().to_string();
        assert!(merge(gold.path(), gold.path()).contains("no labels"));
        for name in ["ann", "bob", MERGED] {
            std::fs::create_dir_all(gold.path().join("annotations").join(name)).unwrap();
        }
        let error = merge(gold.path(), gold.path());
        assert!(
            error.contains("ann, bob") && error.contains("annotations/ann"),
            "{error}"
        );
        let ann = gold.path().join("annotations/ann");
        assert!(merge(&ann, &ann).contains("one person"));
        assert!(merge(&ann, &gold.path().join("annotations/bob")).contains("both have finished"));
        assert!(merge(&ann, &gold.path().join("nowhere")).contains("nowhere"));
    }
}
