//! Reads labels that were made elsewhere, as one step of the person who imports them: it can be undone like any other.

use super::passage::{LabelledPage, covered};
use super::{json_lines, label_studio};
use crate::annotate::error::AnnotateError;
use crate::annotate::history::{Action, Change};
use crate::annotate::journal::Entry;
use crate::annotate::label::BlockLabel;
use crate::annotate::page_state::Refused;
use crate::annotate::prepared::PreparedPage;
use crate::annotate::project::Project;
use std::path::Path;

/// What was imported.
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
    let fail = |cause| AnnotateError::Read { path: file.to_path_buf(), cause };
    import(project, &std::fs::read_to_string(file).map_err(fail)?)
}

/// Gives the pages of a project the labels in `text`, which has one of the exchange formats. Pages are found by their
/// names, or by their addresses. Blocks that no passage covers are boilerplate, or unsure if the file labels some blocks
/// of the page as boilerplate itself.
///
/// # Errors
/// If the text has neither format.
pub fn import(project: &Project, text: &str) -> Result<Imported, AnnotateError> {
    let text = text.trim_start_matches('\u{feff}');
    let is_list = text.trim_start().starts_with('[');
    let pages = if is_list { label_studio::read(text) } else { json_lines::read(text) };
    let pages = pages.map_err(|cause| {
        let kind = if is_list { "JSON of Label Studio" } else { "JSON lines with labels" };
        AnnotateError::Input(format!("the file to `import` is no {kind}: {cause}"))
    })?;
    let mut imported = Imported::default();
    for labelled in &pages {
        match import_page(project, labelled) {
            Ok((blocks, lost)) => {
                imported.pages += 1;
                imported.blocks += blocks;
                if lost > 0 {
                    let cause = format!("{lost} of its {} passages are not on the page", labelled.passages.len());
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
        let entry = Entry { action, seconds: 0.0, keys: 0, at_s: 0 };
        match entry.action {
            Action::Done { .. } => project.set_done(number, state, &entry).map(|_| ()),
            _ => project.act(number, state, &entry).map(|_| ()),
        }
    };
    act(Action::Set { changes }).map_err(|error| error.to_string())?;
    act(Action::Done { done: true }).map_err(|error| error.to_string())?;
    Ok((blocks, lost))
}

/// A change of every block, the number of blocks that a passage covers, and the number of passages that cover none.
fn changes(page: &PreparedPage, labelled: &LabelledPage) -> (Vec<Change>, usize, usize) {
    let names_boilerplate = labelled.passages.iter().any(|passage| passage.label == BlockLabel::Boilerplate);
    let rest = if names_boilerplate { BlockLabel::Unsure } else { BlockLabel::Boilerplate };
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
        Some((label, mark)) => Change { block, label: Some(label), mark },
        None => Change { block, label: Some(rest), mark: None },
    };
    (labels.into_iter().enumerate().map(change).collect(), count, lost)
}
