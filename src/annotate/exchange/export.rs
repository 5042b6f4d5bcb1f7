//! Writes the labels of finished pages for other programs.

use super::passage::{LabelledPage, TextPoint, passages};
use super::{json_lines, label_studio};
use crate::annotate::error::AnnotateError;
use crate::annotate::folder::{AnnotatorFolder, GoldFolder, MERGED};
use crate::annotate::manifest::Manifest;
use crate::annotate::page_state::PageState;
use crate::annotate::prepared::PreparedPage;
use crate::annotate::preparing::Preparing;
use crate::page::{Body, Page};
use serde_json::Value;
use std::path::Path;

/// A format that labels are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// JSON lines with XPaths and offsets.
    JsonLines,
    /// The JSON of Label Studio.
    LabelStudio,
}

/// All formats by their name on the command line.
pub const EXPORTS: &[(&str, ExportFormat)] =
    &[("jsonl", ExportFormat::JsonLines), ("label-studio", ExportFormat::LabelStudio)];

/// The labels of all finished pages of a folder of gold, in the order of its manifest, and the number of pages.
/// `annotator` is whose labels are written; without a name, of each page the labels that became gold.
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
        let (Some(id), Some(owner)) = (text("id"), text("annotator")) else { continue };
        let person = AnnotatorFolder::path_of(gold.path(), annotator.unwrap_or(owner));
        let Some(state) = PageState::read(&person.join(format!("{id}.jsonl")))? else { continue };
        if !state.history().is_done() {
            continue;
        }
        let place = gold.capture(id);
        let page = preparing.prepare(&gold, id, &Page::new(place.to_string_lossy(), Body::Capture(place.clone())))?;
        if page.fingerprint() != state.beginning().fingerprint {
            let journal = person.join(format!("{id}.jsonl"));
            let (found, stored) = (page.blocks.len(), state.history().blocks().len());
            return Err(AnnotateError::OtherBlocks { id: id.to_owned(), found, stored, journal });
        }
        let labelled = LabelledPage {
            id: id.to_owned(),
            url: page.capture.address().map(str::to_owned),
            annotator: if owner == MERGED { MERGED.to_owned() } else { state.beginning().annotator.clone() },
            html: (format == ExportFormat::LabelStudio).then(|| page.capture.dom.to_html()),
            passages: passages(&page, state.history(), marks),
        };
        pages.push((labelled, page));
    }
    if pages.is_empty() {
        let whose = annotator.map_or_else(String::new, |name| format!(" of {name}"));
        let cause = format!("{} has no finished page{whose}; finish one in vclean annotate first", folder.display());
        return Err(AnnotateError::Input(cause));
    }
    let labelled: Vec<LabelledPage> = pages.iter().map(|(labelled, _)| labelled.clone()).collect();
    let text = match format {
        ExportFormat::JsonLines => json_lines::write(&labelled),
        ExportFormat::LabelStudio => label_studio::write(&labelled, |page, point| {
            let prepared = pages.iter().find(|(other, _)| other.id == page.id).map(|(_, prepared)| prepared);
            prepared.map_or(point.offset, |prepared| utf16_units(prepared, point))
        }),
    };
    Ok((text, labelled.len()))
}

/// The offset of a place in UTF-16 code units.
fn utf16_units(page: &PreparedPage, point: &TextPoint) -> usize {
    let node = page.positions.find(&page.capture.dom, &point.xpath);
    let text = node.and_then(|node| page.capture.dom.text(node));
    text.map_or(point.offset, |text| text.chars().take(point.offset).map(char::len_utf16).sum())
}
