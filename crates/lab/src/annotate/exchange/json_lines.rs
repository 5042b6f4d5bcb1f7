//! Labels as JSON lines, one block per line.
//!
//! | member | holds |
//! |---|---|
//! | `page`, `url` | name and address of the page |
//! | `annotator` | who labelled |
//! | `label` | `content`, `boilerplate`, `comments` or `unsure` |
//! | `mark` | `heading`, `paragraph` or `list_item`, if blocks are marked |
//! | `start`, `end` | ends of the block: `xpath` of the text node, and `offset` in characters |
//! | `text` | its text |

use super::passage::{LabelledPage, LabelledPassage, TextPoint};
use crate::annotate::label::{BlockLabel, Mark};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Line {
    page: String,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    annotator: String,
    label: BlockLabel,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mark: Option<Mark>,
    start: TextPoint,
    end: TextPoint,
    #[serde(default)]
    text: String,
}

pub(super) fn write(pages: &[LabelledPage]) -> String {
    let line = |page: &LabelledPage, passage: &LabelledPassage| {
        let LabelledPassage {
            start,
            end,
            text,
            label,
            mark,
        } = passage.clone();
        let (url, annotator) = (page.url.clone(), page.annotator.clone());
        let line = Line {
            page: page.id.clone(),
            url,
            annotator,
            label,
            mark,
            start,
            end,
            text,
        };
        serde_json::to_string(&line).expect("a line has string keys") + "\n"
    };
    pages
        .iter()
        .flat_map(|page| page.passages.iter().map(move |passage| line(page, passage)))
        .collect()
}

/// Reads pages; lines of one page need not follow each other.
///
/// # Errors
/// The number of the line that cannot be read, and why.
pub(super) fn read(text: &str) -> Result<Vec<LabelledPage>, String> {
    let mut pages: Vec<LabelledPage> = Vec::new();
    let mut numbers: rustc_hash::FxHashMap<String, usize> = rustc_hash::FxHashMap::default();
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let line: Line =
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))?;
        let number = *numbers.entry(line.page.clone()).or_insert(pages.len());
        if number == pages.len() {
            let (id, url, annotator) = (line.page, line.url, line.annotator);
            pages.push(LabelledPage {
                id,
                url,
                annotator,
                html: None,
                passages: Vec::new(),
            });
        }
        let Line {
            label,
            mark,
            start,
            end,
            text,
            ..
        } = line;
        pages[number].passages.push(LabelledPassage {
            start,
            end,
            text,
            label,
            mark,
        });
    }
    Ok(pages)
}
