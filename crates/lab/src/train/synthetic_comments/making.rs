//! Makes a data folder of pages with comments from the training pages of data sets.

use super::chance::Chance;
use super::folder::{ManifestRows, SyntheticError, SyntheticFolder, Writing, manifest_rows};
use super::page::{is_drawn, with_comments};
use super::sentences::Sentences;
use crate::gold::read::check_split;
use crate::gold::{Progress, each_page, read_gold};
use std::collections::BTreeSet;
use vclean_core::error::Error;
use vclean_run::source::{DataSet, Row, Split};

/// Which pages are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SyntheticOptions {
    /// Share of the training pages, above 0 and at most 1; documentation, services and products are
    /// used less.
    pub share: f64,
    /// Seed of all draws.
    pub seed: u64,
}

impl Default for SyntheticOptions {
    fn default() -> Self {
        Self {
            share: 0.5,
            seed: 1,
        }
    }
}

/// What was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SyntheticPages {
    /// Number of pages with comments in the folder.
    pub made: usize,
    /// Number of pages that were drawn and not used: their gold does not match them, or there is no
    /// place for comments.
    pub left_out: usize,
    /// Number of pages that could not be read; each was reported.
    pub failed: usize,
}

/// The outcome of one page: its row of the manifest, if it was made.
enum Outcome {
    NotDrawn,
    LeftOut,
    Made(String),
}

/// Makes pages with comments from a share of the training pages of `sets` and writes them to
/// `folder` as a data set. The comments are sentences of the gold texts of other sites in the same
/// language. The same pages, options and version give the same folder, whatever the order of `sets`
/// and the number of threads.
///
/// # Errors
/// If a set has no manifest, two sets have the same name, no page can be made, or the folder cannot
/// be written.
pub fn make_synthetic_comments(
    sets: &[DataSet],
    folder: &SyntheticFolder,
    options: SyntheticOptions,
    progress: &dyn Progress,
) -> Result<SyntheticPages, SyntheticError> {
    check_split(sets, Split::Train)?;
    let mut sets: Vec<&DataSet> = sets.iter().collect();
    sets.sort_by(|one, other| one.name.cmp(&other.name));
    if let Some(pair) = sets.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(SyntheticError::SameName(pair[0].name.clone()));
    }
    let (sentences, unreadable) = read_sentences(&sets, progress);
    let writing = folder.begin()?;
    let mut done = SyntheticPages {
        failed: unreadable.len(),
        ..SyntheticPages::default()
    };
    let mut lines = Vec::new();
    for set in &sets {
        let manifest = manifest_rows(set)?;
        let is_readable = |row: &&Row| !unreadable.contains(&(set.name.as_str(), row.id.as_str()));
        let rows: Vec<&Row> = set
            .split(Split::Train)
            .into_iter()
            .filter(is_readable)
            .collect();
        let outcomes: Vec<Result<Outcome, Failed>> = each_page(set, &rows, progress, |row| {
            one(set, row, &sentences, &writing, &manifest, options)
        });
        for (row, outcome) in rows.iter().zip(outcomes) {
            match outcome {
                Ok(Outcome::NotDrawn) => {}
                Ok(Outcome::LeftOut) => done.left_out += 1,
                Ok(Outcome::Made(line)) => lines.push(line),
                Err(Failed::Writing(error)) => return Err(error),
                Err(Failed::Page(cause)) => {
                    progress.page_failed(&set.name, &row.id, &cause.to_string());
                    done.failed += 1;
                }
            }
        }
    }
    done.made = lines.len();
    if lines.is_empty() {
        let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
        return Err(SyntheticError::NoPage {
            sets: names.join(", "),
        });
    }
    writing.finish(&lines)?;
    Ok(done)
}

/// Why there is no outcome.
enum Failed {
    /// The page cannot be used; others can.
    Page(Error),
    /// Nothing can be written.
    Writing(SyntheticError),
}

fn one(
    set: &DataSet,
    row: &Row,
    sentences: &Sentences,
    writing: &Writing,
    manifest: &ManifestRows,
    options: SyntheticOptions,
) -> Result<Outcome, Failed> {
    let mut chance = Chance::of_page(options.seed, &set.name, &row.id);
    if !is_drawn(row, options.share, &mut chance) {
        return Ok(Outcome::NotDrawn);
    }
    let members = manifest.get(&row.id);
    match (
        with_comments(set, row, sentences, &mut chance).map_err(Failed::Page)?,
        members,
    ) {
        (Some(page), Some(members)) => writing
            .add(set, row, members, &page)
            .map(Outcome::Made)
            .map_err(Failed::Writing),
        _ => Ok(Outcome::LeftOut),
    }
}

/// The sentences of all training pages, and the names of sets and pages whose gold cannot be read.
fn read_sentences<'a>(
    sets: &[&'a DataSet],
    progress: &dyn Progress,
) -> (Sentences, BTreeSet<(&'a str, &'a str)>) {
    let mut sentences = Sentences::default();
    let mut unreadable = BTreeSet::new();
    for &set in sets {
        for row in set.split(Split::Train) {
            match read_gold(set, row) {
                Ok(gold) => sentences.add(row, &gold),
                Err(cause) => {
                    progress.page_failed(&set.name, &row.id, &cause.to_string());
                    unreadable.insert((set.name.as_str(), row.id.as_str()));
                }
            }
        }
    }
    (sentences, unreadable)
}
