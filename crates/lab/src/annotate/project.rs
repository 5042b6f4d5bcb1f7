//! The pages that one person labels, in the order in which they are shown.

use super::error::AnnotateError;
use super::folder::{AnnotatorFolder, GoldFolder, MERGED};
use super::gold_writer::{GoldWriter, Written};
use super::history::Action;
use super::journal::{Beginning, Entry, FORMAT_VERSION, disputed_labels, is_disputed};
use super::label::{BlockLabel, LabelAgreement, agreement};
use super::listed_pages::{Lesson, ListedPage, lessons};
use super::page_state::{PageState, Refused};
use super::prepared::{PreparedPage, Preparing, keep_page};
use crate::gold::Progress;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of opened pages that stay in memory with their pictures: of the tutorial, all; else a
/// few, because the picture of a long page takes 100 MB.
const MAX_OPEN: usize = 4;
const MAX_OPEN_LESSONS: usize = 8;

/// Purpose of the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One person labels pages, starting from the model's verdicts.
    Label,
    /// A third person decides where two disagree.
    Merge,
    /// A person learns to label, on bundled pages.
    Tutorial,
}

/// The order in which pages are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageOrder {
    /// The lowest expected F first: where the model is least sure of its text, labels teach it
    /// most.
    #[default]
    Expected,
    /// In the order of the inputs.
    Given,
}

impl PageOrder {
    /// All orders by their name on the command line.
    pub const ALL: &[(&str, Self)] = &[("expected", Self::Expected), ("given", Self::Given)];
}

/// The pages, and everything that is needed to label them.
pub struct Project {
    /// Purpose of the labels.
    pub mode: Mode,
    /// Name of the person who labels.
    pub annotator: String,
    /// Set if blocks are also marked as headings, paragraphs and list items.
    pub marks: bool,
    gold: GoldFolder,
    person: AnnotatorFolder,
    preparing: Preparing,
    pages: Vec<ListedPage>,
    open: Mutex<Vec<(usize, Arc<PreparedPage>)>>,
}

impl Project {
    /// Takes the folder of `annotator` for this program alone, and reads what was labelled there
    /// before.
    ///
    /// # Errors
    /// If the folder cannot be written, or another program labels there.
    pub fn new(
        mode: Mode,
        gold: GoldFolder,
        annotator: &str,
        marks: bool,
        preparing: Preparing,
        pages: Vec<ListedPage>,
    ) -> Result<Self, AnnotateError> {
        let person = AnnotatorFolder::open(
            &gold,
            if mode == Mode::Merge {
                MERGED
            } else {
                annotator
            },
        )?;
        let project = Self {
            mode,
            annotator: annotator.to_owned(),
            marks,
            gold,
            person,
            preparing,
            pages,
            open: Mutex::new(Vec::new()),
        };
        for page in &project.pages {
            match PageState::open(&project.person.journal(&page.id)) {
                Ok(state) => {
                    page.facts_to_change().blocks = state
                        .as_ref()
                        .map_or(0, |state| state.history().blocks().len());
                    *page.state() = state;
                }
                Err(error) => page.facts_to_change().error = Some(error.to_string()),
            }
        }
        Ok(project)
    }

    /// Prepares all pages and sorts them by expected F, the lowest first; pages that cannot be
    /// prepared come last. Pages with the same value keep their order.
    #[must_use]
    pub(crate) fn ranked(mut self, progress: &dyn Progress) -> Self {
        progress.begin("pages", self.pages.len());
        (0..self.pages.len())
            .into_par_iter()
            .with_max_len(1)
            .for_each(|number| {
                // The error is stored with the page.
                let _ = self.prepare(number);
                progress.advance(1);
            });
        progress.end();
        let mut pages = std::mem::take(&mut self.pages);
        pages.sort_by(|one, other| {
            let rank = |page: &ListedPage| page.facts().expected_f.unwrap_or(f32::INFINITY);
            rank(one).total_cmp(&rank(other))
        });
        Self { pages, ..self }
    }

    /// The pages, in the order in which they are shown.
    pub fn pages(&self) -> &[ListedPage] {
        &self.pages
    }

    /// The pages that cannot be labelled, by their names, and why.
    pub fn errors(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.pages
            .iter()
            .filter_map(|page| Some((page.id.clone(), page.facts().error?)))
    }

    /// Checks that there is a page that can be labelled.
    ///
    /// # Errors
    /// If there is none.
    pub fn check(&self) -> Result<(), AnnotateError> {
        if self.errors().count() < self.pages.len() {
            return Ok(());
        }
        Err(AnnotateError::Input(
            "there is no page that can be labelled".to_owned(),
        ))
    }

    /// The folder with the person's labels.
    pub(crate) fn own_folder(&self) -> std::path::PathBuf {
        AnnotatorFolder::path_of(self.gold.path(), &self.annotator)
    }

    /// The folder of gold.
    pub fn gold(&self) -> &GoldFolder {
        &self.gold
    }

    /// The page with its blocks; its labels are ready afterwards.
    ///
    /// # Errors
    /// If it cannot be prepared, or has other blocks than when it was labelled; the facts of the
    /// page name the error too.
    pub fn open(&self, number: usize) -> Result<Arc<PreparedPage>, AnnotateError> {
        let found = self.opened().iter().position(|(open, _)| *open == number);
        if let Some(position) = found {
            let mut open = self.opened();
            if position < open.len() && open[position].0 == number {
                let used = open.remove(position);
                open.push(used);
                return Ok(Arc::clone(&open[open.len() - 1].1));
            }
        }
        let prepared = Arc::new(self.prepare(number)?);
        let mut open = self.opened();
        open.retain(|(other, _)| *other != number);
        open.push((number, Arc::clone(&prepared)));
        let most = if self.mode == Mode::Tutorial {
            MAX_OPEN_LESSONS
        } else {
            MAX_OPEN
        };
        if open.len() > most {
            open.remove(0);
        }
        Ok(prepared)
    }

    fn opened(&self) -> MutexGuard<'_, Vec<(usize, Arc<PreparedPage>)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn prepare(&self, number: usize) -> Result<PreparedPage, AnnotateError> {
        let listed = &self.pages[number];
        let prepared = self.prepare_with_state(listed);
        let mut facts = listed.facts_to_change();
        match &prepared {
            Ok(prepared) => {
                if let Some(title) = &prepared.title {
                    facts.title.clone_from(title);
                }
                facts.url = prepared.capture.address().map(str::to_owned);
                facts.expected_f = Some(prepared.expected_f);
                facts.blocks = prepared.blocks.len();
                facts.engine = Some(prepared.capture.record.engine);
                facts.error = None;
            }
            Err(error) => facts.error = Some(error.to_string()),
        }
        prepared
    }

    fn prepare_with_state(&self, listed: &ListedPage) -> Result<PreparedPage, AnnotateError> {
        let Some(page) = &listed.page else {
            return Err(AnnotateError::Input(
                listed.facts().error.unwrap_or_default(),
            ));
        };
        let prepared = self.preparing.prepare(&self.gold, &listed.id, page)?;
        let fingerprint = prepared.fingerprint();
        let mut state = listed.state();
        if let Some(state) = &*state {
            let (found, stored) = (prepared.blocks.len(), state.history().blocks().len());
            if state.beginning().fingerprint != fingerprint || found != stored {
                let journal = self.person.journal(&listed.id);
                return Err(AnnotateError::OtherBlocks {
                    id: listed.id.clone(),
                    found,
                    stored,
                    journal,
                });
            }
            return Ok(prepared);
        }
        let beginning = self.beginning(listed, &prepared, fingerprint)?;
        *state = Some(PageState::new(self.person.journal(&listed.id), beginning));
        drop(state);
        Ok(prepared)
    }

    /// The labels at the start: the model's verdicts, or what two annotators agree on.
    fn beginning(
        &self,
        listed: &ListedPage,
        page: &PreparedPage,
        fingerprint: String,
    ) -> Result<Beginning, AnnotateError> {
        let verdicts = match &listed.sides {
            Some(sides) if sides.labels.len() != page.blocks.len() => {
                return Err(AnnotateError::Input(format!(
                    "{} and {} labelled {} blocks of it, and it has {}; let both label the same capture",
                    sides.names[0],
                    sides.names[1],
                    sides.labels.len(),
                    page.blocks.len()
                )));
            }
            Some(sides) => {
                let agreed = |[one, other]: &[BlockLabel; 2]| {
                    if one == other {
                        *one
                    } else {
                        BlockLabel::Unsure
                    }
                };
                sides.labels.iter().map(agreed).collect()
            }
            None => page.blocks.iter().map(|block| block.verdict).collect(),
        };
        Ok(Beginning {
            format: FORMAT_VERSION,
            page: listed.id.clone(),
            annotator: self.annotator.clone(),
            fingerprint,
            verdicts,
            marks: page.blocks.iter().map(|block| block.mark).collect(),
            sides: listed.sides.clone(),
        })
    }

    /// Performs an action of the person, on disk first. Returns the numbers of the changed blocks.
    /// The page itself is kept with its first change; gold of a finished page that is changed is
    /// removed.
    ///
    /// # Errors
    /// If it does not fit the page, or cannot be stored.
    pub(crate) fn act(
        &self,
        number: usize,
        state: &mut PageState,
        entry: &Entry,
    ) -> Result<Vec<usize>, Refused> {
        self.keep(number, state)?;
        let was_done = state.history().is_done();
        let changed = state.act(entry)?;
        if was_done && !state.history().is_done() {
            self.writer().remove(&self.pages[number].id)?;
        }
        Ok(changed)
    }

    /// Stores the page and its capture with the labels, unless anything of it is stored already.
    fn keep(&self, number: usize, state: &PageState) -> Result<(), AnnotateError> {
        let listed = &self.pages[number];
        match &listed.page {
            Some(page) if !state.is_stored() => {
                let prepared = self.open_prepared(number)?;
                keep_page(&self.gold, &listed.id, page, &prepared.capture)
            }
            _ => Ok(()),
        }
    }

    /// The prepared page, for callers that hold the lock of its labels.
    fn open_prepared(&self, number: usize) -> Result<Arc<PreparedPage>, AnnotateError> {
        if let Some((_, page)) = self.opened().iter().find(|(open, _)| *open == number) {
            return Ok(Arc::clone(page));
        }
        let listed = &self.pages[number];
        match &listed.page {
            Some(page) => Ok(Arc::new(
                self.preparing.prepare(&self.gold, &listed.id, page)?,
            )),
            None => Err(AnnotateError::Input(
                listed.facts().error.unwrap_or_default(),
            )),
        }
    }

    /// Writes the gold of a page that the person finishes with `last`, which counts as effort too.
    fn write_gold(
        &self,
        number: usize,
        state: &PageState,
        last: &Entry,
    ) -> Result<Written, AnnotateError> {
        let page = self.open_prepared(number)?;
        self.writer().write(
            &self.pages[number].id,
            &page,
            state,
            state.effort().plus(last),
        )
    }

    fn writer(&self) -> GoldWriter<'_> {
        let annotator = if self.mode == Mode::Merge {
            MERGED
        } else {
            &self.annotator
        };
        GoldWriter {
            gold: &self.gold,
            person: &self.person,
            annotator,
            marks: self.marks,
        }
    }

    /// Finishes a page, or reopens it.
    ///
    /// # Errors
    /// If that cannot be stored.
    pub(crate) fn set_done(
        &self,
        number: usize,
        state: &mut PageState,
        entry: &Entry,
    ) -> Result<Vec<String>, Refused> {
        if entry.action != (Action::Done { done: true }) {
            self.act(number, state, entry)?;
            return Ok(Vec::new());
        }
        // The gold first: a page whose gold could not be written is not finished.
        self.keep(number, state)?;
        let written = self.write_gold(number, state, entry)?;
        if let Err(error) = self.act(number, state, entry) {
            self.writer().remove(&self.pages[number].id)?;
            return Err(error);
        }
        Ok(written.files)
    }

    /// The page to continue with after `number`: the next one that is not finished, from the start
    /// again after the last one; `None` if all are finished.
    pub(crate) fn next_after(&self, number: usize) -> Option<usize> {
        let count = self.pages.len();
        let is_open = |page: &ListedPage| {
            page.facts().error.is_none()
                && !page
                    .state()
                    .as_ref()
                    .is_some_and(|state| state.history().is_done())
        };
        (1..count)
            .map(|by| (number + by) % count)
            .find(|&other| is_open(&self.pages[other]))
    }

    /// The labels of two annotators as they are shown, one pair per block; `None` unless they are
    /// merged.
    pub(crate) fn sides_of(&self, number: usize) -> Option<Vec<[BlockLabel; 2]>> {
        let listed = &self.pages[number];
        listed
            .sides
            .as_ref()
            .map(|sides| disputed_labels(&listed.id, sides))
    }

    /// The blocks of a page in the order in which they are decided: the least certain first, and
    /// only those in dispute if labels are merged.
    pub fn order(&self, number: usize, page: &PreparedPage) -> Vec<usize> {
        let is_open = |block: &usize| {
            self.pages[number]
                .sides
                .as_ref()
                .is_none_or(|sides| is_disputed(sides, *block))
        };
        page.order.iter().copied().filter(is_open).collect()
    }

    /// The lessons of a page of the tutorial, one per block; `None` for other pages.
    pub(crate) fn lessons(&self, page: &PreparedPage) -> Option<Vec<Option<Lesson>>> {
        (self.mode == Mode::Tutorial).then(|| lessons(page))
    }

    /// Agreement of two annotators, or of the person with the tutorial's gold on the blocks that
    /// the person has decided.
    pub fn agreement(&self) -> Option<LabelAgreement> {
        match self.mode {
            Mode::Label => None,
            Mode::Merge => agreement(
                self.pages
                    .iter()
                    .filter_map(|page| Some(page.sides.as_ref()?.labels.clone())),
            ),
            Mode::Tutorial => agreement(
                (0..self.pages.len()).filter_map(|number| self.compared_with_lessons(number)),
            ),
        }
    }

    fn compared_with_lessons(&self, number: usize) -> Option<Vec<[BlockLabel; 2]>> {
        let listed = &self.pages[number];
        if listed
            .state()
            .as_ref()
            .is_none_or(|state| state.history().labelled() == 0)
        {
            return None;
        }
        let lessons = lessons(&*self.open(number).ok()?);
        let state = listed.state();
        let decided = state.as_ref()?.history().blocks().iter().zip(&lessons);
        let decided = decided.filter(|(block, _)| block.by == super::history::Origin::Person);
        Some(
            decided
                .filter_map(|(block, lesson)| Some([block.label, lesson.as_ref()?.label]))
                .collect(),
        )
    }
}
