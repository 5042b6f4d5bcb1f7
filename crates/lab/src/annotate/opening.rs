//! Opens the labelling: turns a person's request into the project that the labelling page shows.

use super::error::AnnotateError;
use super::folder::{GoldFolder, check_annotator, safe_id};
use super::listed_pages::{ListedPage, pages_to_merge, tutorial_pages};
use super::prepared::{Preparing, id_of};
use super::project::{Mode, PageOrder, Project};
use crate::gold::Progress;
use rustc_hash::FxHashSet;
use std::path::PathBuf;
use tempfile::TempDir;
use vclean_run::Inputs;

/// Which pages are labelled.
#[derive(Debug)]
pub enum Work {
    /// Those that the person named.
    Pages(Inputs),
    /// Those that two people have labelled: the folders of their labels.
    Merge([PathBuf; 2]),
    /// Those of the tutorial.
    Tutorial,
}

/// A person's request for labelling.
#[derive(Debug)]
pub struct Request {
    /// Which pages are labelled.
    pub work: Work,
    /// The folder of gold; without one, a temporary folder, which is removed with the [`Opened`]
    /// project.
    pub out: Option<PathBuf>,
    /// Name of the person who labels; `me` if missing.
    pub annotator: Option<String>,
    /// Set if blocks are also marked as headings, paragraphs and list items.
    pub marks: bool,
    /// The order in which pages are shown.
    pub order: PageOrder,
}

/// A project that can be labelled.
pub struct Opened {
    /// Project with its pages listed.
    pub project: Project,
    /// Pages that two people started and that cannot be merged, and why.
    pub left_out: Vec<(String, String)>,
    /// The folder of gold, if nobody named one.
    pub temporary: Option<TempDir>,
}

/// Name of the person who labels, unless one is given.
const UNNAMED: &str = "me";

impl Request {
    /// Reads what was labelled before, and the pages if their order depends on them.
    ///
    /// If the folder of gold cannot be written, another program labels there, the name is not valid
    /// for a person, or there is nothing to merge.
    /// person, or there is nothing to merge.
    pub fn open(
        self,
        preparing: Preparing,
        progress: &dyn Progress,
    ) -> Result<Opened, AnnotateError> {
        let annotator = self.annotator.unwrap_or_else(|| UNNAMED.to_owned());
        check_annotator(&annotator)?;
        let temporary = if self.out.is_none() {
            Some(temporary_folder()?)
        } else {
            None
        };
        let out = self
            .out
            .as_deref()
            .or(temporary.as_ref().map(TempDir::path))
            .expect("named or temporary");
        let gold = GoldFolder::make(out)?;
        let (mode, pages, left_out) = match self.work {
            Work::Tutorial => (Mode::Tutorial, tutorial_pages(), Vec::new()),
            Work::Merge([one, other]) => {
                let merging = pages_to_merge(&gold, &one, &other)?;
                (Mode::Merge, merging.pages, merging.left_out)
            }
            Work::Pages(inputs) => (Mode::Label, list_pages(&gold, inputs), Vec::new()),
        };
        let project = Project::new(mode, gold, &annotator, self.marks, preparing, pages)?;
        let is_ranked = mode == Mode::Label && self.order == PageOrder::Expected;
        Ok(Opened {
            project: if is_ranked {
                project.ranked(progress)
            } else {
                project
            },
            left_out,
            temporary,
        })
    }
}

fn temporary_folder() -> Result<TempDir, AnnotateError> {
    tempfile::tempdir().map_err(|cause| AnnotateError::Read {
        path: std::env::temp_dir(),
        cause,
    })
}

/// Opens the inputs, in order. A page that cannot be opened is listed with its error.
fn list_pages(gold: &GoldFolder, inputs: Inputs) -> Vec<ListedPage> {
    let mut listed: Vec<ListedPage> = Vec::new();
    let mut used_ids = FxHashSet::default();
    for item in inputs.into_items() {
        let named = item.content;
        let mut id = match &named.page {
            Ok(page) => id_of(gold, &named.stem, page),
            Err(_) => safe_id(&named.stem),
        };
        // Names that differ only in characters that file names cannot have become equal.
        while !used_ids.insert(id.clone()) {
            id.insert_str(0, "2-");
        }
        listed.push(ListedPage::new(id, named.page.map_err(String::from)));
    }
    listed
}
