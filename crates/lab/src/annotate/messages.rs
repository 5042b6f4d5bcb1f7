//! The messages between the server and the labelling page: JSON bodies of requests and responses.

use super::block::AnnotatedBlock;
use super::error::AnnotateError;
use super::gold_writer::Manifest;
use super::history::{Action, Change, History, Labelled, Origin};
use super::label::{BlockLabel, Choice, LABELS, LabelAgreement, MARKS, Mark};
use super::listed_pages::{Lesson, PageFacts};
use super::picture::{TILE_HEIGHT_PX, is_blank, picture_size};
use super::prepared::PreparedPage;
use super::project::{Mode, Project};
use serde::{Deserialize, Serialize};

/// Largest number of characters of a block's text in the list of blocks; the whole text has an
/// address of its own.
pub(super) const SHOWN_CHARS: usize = 2000;

/// The answer to `GET /api/project`.
#[derive(Debug, Serialize)]
pub(super) struct ProjectAnswer {
    annotator: String,
    mode: Mode,
    labels: Vec<Choice>,
    /// The folder of gold, as it was named.
    folder: String,
    /// The folder in it with the person's labels.
    labels_folder: String,
    pages: Vec<PageRow>,
    agreement: Option<LabelAgreement>,
}

/// A page in the list of pages.
#[derive(Debug, Serialize)]
struct PageRow {
    page: usize,
    id: String,
    #[serde(flatten)]
    facts: PageFacts,
    labelled: usize,
    done: bool,
    /// True if the gold is that of another person, who finished the page earlier.
    gold_of_other: bool,
}

impl ProjectAnswer {
    /// The pages of a project, as they are now.
    ///
    /// # Errors
    /// If the manifest of the gold cannot be read.
    pub(super) fn new(project: &Project) -> Result<Self, AnnotateError> {
        let manifest = Manifest::read(&project.gold().manifest())?;
        let row = |(page, listed): (usize, &super::listed_pages::ListedPage)| {
            let facts = listed.facts();
            let state = listed.state();
            let history = state.as_ref().map(super::page_state::PageState::history);
            PageRow {
                page,
                id: listed.id.clone(),
                facts,
                labelled: history.map_or(0, History::labelled),
                done: history.is_some_and(History::is_done),
                gold_of_other: manifest.is_of_other(&listed.id, &project.annotator),
            }
        };
        let marks: &[Choice] = if project.marks { &MARKS } else { &[] };
        Ok(Self {
            annotator: project.annotator.clone(),
            mode: project.mode,
            labels: LABELS.iter().chain(marks).copied().collect(),
            folder: project.gold().path().display().to_string(),
            labels_folder: project.own_folder().display().to_string(),
            pages: project.pages().iter().enumerate().map(row).collect(),
            agreement: project.agreement(),
        })
    }
}

/// The answer to `GET /api/pages/N`.
#[derive(Debug, Serialize)]
pub(super) struct PageAnswer<'a> {
    page: usize,
    id: &'a str,
    title: String,
    url: Option<String>,
    width_px: u32,
    height_px: u32,
    tile_height_px: u32,
    sketch: bool,
    kind: Option<vclean_core::classify::LikelyKind>,
    revision: u64,
    done: bool,
    can_undo: bool,
    can_redo: bool,
    labelled: usize,
    blocks: Vec<BlockRow<'a>>,
    order: Vec<usize>,
}

/// A block in the answer.
#[derive(Debug, Serialize)]
struct BlockRow<'a> {
    number: usize,
    text: String,
    length: usize,
    #[serde(rename = "box")]
    rect: Option<[i32; 4]>,
    /// True if the picture does not show its text.
    blank: bool,
    path: &'a str,
    xpath: &'a str,
    depth: usize,
    ancestors: &'a [usize],
    alike: usize,
    column: Option<usize>,
    tag: &'a str,
    probability: f32,
    verdict: BlockLabel,
    sides: Option<[BlockLabel; 2]>,
    lesson: Option<&'a str>,
    #[serde(flatten)]
    labelled: LabelledRow,
}

/// The labels of a block, as the page knows them.
#[derive(Debug, Serialize)]
struct LabelledRow {
    label: BlockLabel,
    mark: Option<Mark>,
    by: Option<String>,
}

fn labelled_row(project: &Project, block: Labelled) -> LabelledRow {
    let by = match block.by {
        Origin::Model => Some("model".to_owned()),
        Origin::Person => Some(project.annotator.clone()),
        Origin::Both => Some("both".to_owned()),
        Origin::Nobody => None,
    };
    LabelledRow {
        label: block.label,
        mark: project.marks.then_some(block.mark),
        by,
    }
}

impl<'a> PageAnswer<'a> {
    /// A page with its blocks and labels.
    pub(super) fn new(
        project: &'a Project,
        number: usize,
        page: &'a PreparedPage,
        history: &History,
        lessons: Option<&'a [Option<Lesson>]>,
    ) -> Self {
        let listed = &project.pages()[number];
        let (width_px, height_px) = picture_size(page);
        let sides = project.sides_of(number);
        let row = |(index, block): (usize, &'a AnnotatedBlock)| BlockRow {
            number: index,
            text: block.text.chars().take(SHOWN_CHARS).collect(),
            length: block.text.chars().count(),
            rect: block.rect.filter(|_| height_px > 0),
            blank: block
                .rect
                .zip(page.picture())
                .is_some_and(|(rect, picture)| is_blank(picture, rect)),
            path: &block.path,
            xpath: &block.xpath,
            depth: block.depth,
            ancestors: &block.containers,
            alike: block.alike,
            column: block.column,
            tag: &block.tag,
            probability: block.probability,
            verdict: block.verdict,
            sides: sides.as_ref().map(|sides| sides[index]),
            lesson: lessons
                .and_then(|lessons| lessons[index].as_ref())
                .map(|lesson| lesson.text.as_str()),
            labelled: labelled_row(project, history.blocks()[index]),
        };
        let facts = listed.facts();
        Self {
            page: number,
            id: &listed.id,
            title: facts.title,
            url: facts.url,
            width_px,
            height_px,
            tile_height_px: TILE_HEIGHT_PX,
            sketch: page.is_sketch(),
            kind: page.kind,
            revision: history.revision(),
            done: history.is_done(),
            can_undo: history.can_undo(),
            can_redo: history.can_redo(),
            labelled: history.labelled(),
            blocks: page.blocks.iter().enumerate().map(row).collect(),
            order: project.order(number, page),
        }
    }
}

/// The body of `POST /api/pages/N/changes`.
#[derive(Debug, Deserialize)]
pub(super) struct ChangesRequest {
    /// The revision that the window shows.
    pub(super) revision: u64,
    #[serde(flatten)]
    pub(super) action: Action,
    /// Active time since the last change, in seconds.
    #[serde(default)]
    pub(super) seconds: f64,
    /// Keys pressed since the last change.
    #[serde(default)]
    pub(super) keys: u64,
}

/// The answer to `POST /api/pages/N/changes`.
#[derive(Debug, Serialize)]
pub(super) struct ChangesAnswer {
    revision: u64,
    changed: Vec<ChangedBlock>,
    can_undo: bool,
    can_redo: bool,
    labelled: usize,
    done: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<Vec<Feedback>>,
}

#[derive(Debug, Serialize)]
struct ChangedBlock {
    block: usize,
    #[serde(flatten)]
    labelled: LabelledRow,
}

/// Explanation of a label in the tutorial.
#[derive(Debug, Serialize)]
pub(super) struct Feedback {
    block: usize,
    right: bool,
    explanation: String,
}

impl ChangesAnswer {
    /// The state of the changed blocks.
    pub(super) fn new(
        project: &Project,
        history: &History,
        changed: &[usize],
        feedback: Option<Vec<Feedback>>,
    ) -> Self {
        let block = |&block: &usize| ChangedBlock {
            block,
            labelled: labelled_row(project, history.blocks()[block]),
        };
        Self {
            revision: history.revision(),
            changed: changed.iter().map(block).collect(),
            can_undo: history.can_undo(),
            can_redo: history.can_redo(),
            labelled: history.labelled(),
            done: history.is_done(),
            feedback,
        }
    }
}

/// Explanations of the labels in `changes`.
pub(super) fn feedback(lessons: &[Option<Lesson>], changes: &[Change]) -> Vec<Feedback> {
    let one = |change: &Change| {
        let (label, lesson) = (change.label?, lessons.get(change.block)?.as_ref()?);
        Some(Feedback {
            block: change.block,
            right: label == lesson.label,
            explanation: lesson.text.clone(),
        })
    };
    changes.iter().filter_map(one).collect()
}

/// The body of `POST /api/pages/N/done`.
#[derive(Debug, Deserialize)]
pub(super) struct DoneRequest {
    /// The revision that the window shows.
    pub(super) revision: u64,
    /// True to finish the page, false to reopen it.
    pub(super) done: bool,
    /// Active time since the last change, in seconds.
    #[serde(default)]
    pub(super) seconds: f64,
    /// Keys pressed since the last change.
    #[serde(default)]
    pub(super) keys: u64,
}

/// The answer to `POST /api/pages/N/done`.
#[derive(Debug, Serialize)]
pub(super) struct DoneAnswer {
    pub(super) done: bool,
    /// The revision, which finishing does not change.
    pub(super) revision: u64,
    /// The files that were written, relative to the folder of gold.
    pub(super) written: Vec<String>,
    /// The page to continue with.
    pub(super) next: Option<usize>,
}

/// The body of `POST /api/pages/N/tab`.
#[derive(Debug, Deserialize)]
pub(super) struct TabRequest {
    /// Random name of the window.
    pub(super) tab: String,
}

/// The answer to `POST /api/pages/N/tab`.
#[derive(Debug, Serialize)]
pub(super) struct TabAnswer {
    /// Number of other windows that show the page.
    pub(super) others: usize,
}

/// The answer to a request that failed.
#[derive(Debug, Serialize)]
pub(super) struct ErrorAnswer {
    pub(super) error: String,
    /// The current revision, if the request was about another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) revision: Option<u64>,
}
