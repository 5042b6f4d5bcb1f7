//! Writes the labels of finished pages for other programs.

use super::passage::{LabelledPage, TextPoint, covered, passages};
use super::{json_lines, label_studio};
use crate::annotate::error::AnnotateError;
use crate::annotate::folder::{AnnotatorFolder, GoldFolder, MERGED};
use crate::annotate::gold_writer::Manifest;
use crate::annotate::history::{Action, Change};
use crate::annotate::journal::Entry;
use crate::annotate::label::BlockLabel;
use crate::annotate::page_state::{PageState, Refused};
use crate::annotate::prepared::{PreparedPage, Preparing};
use crate::annotate::project::Project;
use serde_json::Value;
use std::path::Path;
use vclean_core::page::{Body, Page};

/// A format that labels are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// JSON lines with XPaths and offsets.
    JsonLines,
    /// The JSON of Label Studio.
    LabelStudio,
}

/// All formats by their name on the command line.
pub const EXPORTS: &[(&str, ExportFormat)] = &[
    ("jsonl", ExportFormat::JsonLines),
    ("label-studio", ExportFormat::LabelStudio),
];

/// The labels of all finished pages of a folder of gold, in the order of its manifest, and the
/// number of pages. `annotator` is the person whose labels are written; without a name, the labels
/// that became gold are written.
/// labels that became gold.
///
/// # Errors
/// If the folder has no finished page, or a page cannot be read.
pub fn export(
    folder: &Path,
    annotator: Option<&str>,
    marks: bool,
    format: ExportFormat,
    preparing: &Preparing,
) -> Result<(String, usize), AnnotateError> {
    let gold = GoldFolder::make(folder)?;
    let manifest = Manifest::read(&gold.manifest())?;
    let mut pages: Vec<(LabelledPage, PreparedPage)> = Vec::new();
    for row in manifest.rows() {
        let text = |name: &str| row.get(name).and_then(Value::as_str);
        let (Some(id), Some(owner)) = (text("id"), text("annotator")) else {
            continue;
        };
        let person = AnnotatorFolder::path_of(gold.path(), annotator.unwrap_or(owner));
        let Some(state) = PageState::read(&person.join(format!("{id}.jsonl")))? else {
            continue;
        };
        if !state.history().is_done() {
            continue;
        }
        let place = gold.capture(id);
        let page = preparing.prepare(
            &gold,
            id,
            &Page::new(place.to_string_lossy(), Body::Capture(place.clone())),
        )?;
        if page.fingerprint() != state.beginning().fingerprint {
            let journal = person.join(format!("{id}.jsonl"));
            let (found, stored) = (page.blocks.len(), state.history().blocks().len());
            return Err(AnnotateError::OtherBlocks {
                id: id.to_owned(),
                found,
                stored,
                journal,
            });
        }
        let labelled = LabelledPage {
            id: id.to_owned(),
            url: page.capture.address().map(str::to_owned),
            annotator: if owner == MERGED {
                MERGED.to_owned()
            } else {
                state.beginning().annotator.clone()
            },
            html: (format == ExportFormat::LabelStudio).then(|| page.capture.dom.to_html()),
            passages: passages(&page, state.history(), marks),
        };
        pages.push((labelled, page));
    }
    if pages.is_empty() {
        let whose = annotator.map_or_else(String::new, |name| format!(" of {name}"));
        let cause = format!(
            "{} has no finished page{whose}; finish one in vclean lab annotate first",
            folder.display()
        );
        return Err(AnnotateError::Input(cause));
    }
    let labelled: Vec<LabelledPage> = pages.iter().map(|(labelled, _)| labelled.clone()).collect();
    let text = match format {
        ExportFormat::JsonLines => json_lines::write(&labelled),
        ExportFormat::LabelStudio => label_studio::write(&labelled, |page, point| {
            let prepared = pages
                .iter()
                .find(|(other, _)| other.id == page.id)
                .map(|(_, prepared)| prepared);
            prepared.map_or(point.offset, |prepared| utf16_units(prepared, point))
        }),
    };
    Ok((text, labelled.len()))
}

/// The offset of a place in UTF-16 code units.
fn utf16_units(page: &PreparedPage, point: &TextPoint) -> usize {
    let node = page.positions.find(&page.capture.dom, &point.xpath);
    let text = node.and_then(|node| page.capture.dom.text(node));
    text.map_or(point.offset, |text| {
        text.chars().take(point.offset).map(char::len_utf16).sum()
    })
}

// Reads labels that were made elsewhere, as one step of the person who imports them: it can be
// undone like any other.

/// The outcome of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// Number of pages whose labels were read and whose gold was written.
    pub pages: usize,
    /// Number of blocks that a passage labelled.
    pub blocks: usize,
    /// Pages that could not be labelled, or passages that are not on their page, and why.
    pub failures: Vec<(String, String)>,
}

/// Gives the pages of a project the labels in a file.
///
/// # Errors
/// If it cannot be read, or has neither format.
pub fn import_file(project: &Project, file: &Path) -> Result<Imported, AnnotateError> {
    let fail = |cause| AnnotateError::Read {
        path: file.to_path_buf(),
        cause,
    };
    import(project, &std::fs::read_to_string(file).map_err(fail)?)
}

/// Gives the pages of a project the labels in `text`, which has one of the exchange formats. Pages
/// are found by their names, or by their addresses. Blocks that no passage covers are boilerplate,
/// or unsure if the file labels some blocks of the page as boilerplate itself.
///
/// # Errors
/// If the text has neither format.
pub fn import(project: &Project, text: &str) -> Result<Imported, AnnotateError> {
    let text = text.trim_start_matches('\u{feff}');
    let is_list = text.trim_start().starts_with('[');
    let pages = if is_list {
        label_studio::read(text)
    } else {
        json_lines::read(text)
    };
    let pages = pages.map_err(|cause| {
        let kind = if is_list {
            "JSON of Label Studio"
        } else {
            "JSON lines with labels"
        };
        AnnotateError::Input(format!("the file to `import` is no {kind}: {cause}"))
    })?;
    let mut imported = Imported::default();
    for labelled in &pages {
        match import_page(project, labelled) {
            Ok((blocks, lost)) => {
                imported.pages += 1;
                imported.blocks += blocks;
                if lost > 0 {
                    let cause = format!(
                        "{lost} of its {} passages are not on the page",
                        labelled.passages.len()
                    );
                    imported.failures.push((labelled.id.clone(), cause));
                }
            }
            Err(cause) => imported.failures.push((labelled.id.clone(), cause)),
        }
    }
    Ok(imported)
}

/// Labels one page; returns the number of labelled blocks and of passages that are not on the page.
fn import_page(project: &Project, labelled: &LabelledPage) -> Result<(usize, usize), String> {
    let pages = project.pages();
    let by_name = pages.iter().position(|page| page.id == labelled.id);
    let has_address = |address: &Option<String>| address.is_some() && *address == labelled.url;
    let number = by_name.or_else(|| pages.iter().position(|page| has_address(&page.facts().url)));
    let number = number.ok_or("there is no such page among the inputs")?;
    let page = project.open(number).map_err(|error| error.to_string())?;
    let (changes, blocks, lost) = changes(&page, labelled);
    let mut state = pages[number].state();
    let state = state.as_mut().ok_or("the page cannot be labelled")?;
    let mut act = |action: Action| -> Result<(), Refused> {
        let entry = Entry {
            action,
            seconds: 0.0,
            keys: 0,
            at_s: 0,
        };
        match entry.action {
            Action::Done { .. } => project.set_done(number, state, &entry).map(|_| ()),
            _ => project.act(number, state, &entry).map(|_| ()),
        }
    };
    act(Action::Set { changes }).map_err(|error| error.to_string())?;
    act(Action::Done { done: true }).map_err(|error| error.to_string())?;
    Ok((blocks, lost))
}

/// A change of every block, the number of blocks that a passage covers, and the number of passages
/// that cover none.
fn changes(page: &PreparedPage, labelled: &LabelledPage) -> (Vec<Change>, usize, usize) {
    let names_boilerplate = labelled
        .passages
        .iter()
        .any(|passage| passage.label == BlockLabel::Boilerplate);
    let rest = if names_boilerplate {
        BlockLabel::Unsure
    } else {
        BlockLabel::Boilerplate
    };
    let mut labels = vec![None; page.blocks.len()];
    let mut lost = 0;
    for passage in &labelled.passages {
        let covered = covered(page, passage);
        lost += usize::from(covered.is_empty());
        for block in covered {
            labels[block] = Some((passage.label, passage.mark));
        }
    }
    let count = labels.iter().flatten().count();
    let change = |(block, label): (usize, Option<(BlockLabel, _)>)| match label {
        Some((label, mark)) => Change {
            block,
            label: Some(label),
            mark,
        },
        None => Change {
            block,
            label: Some(rest),
            mark: None,
        },
    };
    (
        labels.into_iter().enumerate().map(change).collect(),
        count,
        lost,
    )
}
