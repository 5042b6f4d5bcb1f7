//! `vclean align`: gold text laid on the targets of its pages, and how well that went.

use super::align_report::{page_lines, table};
use super::data::{self, DataArguments};
use super::features::{excerpt, path};
use super::options::{BatchArguments, alignment, split, target_rule};
use super::{SOME_FAILED, console};
use crate::capture::Capture;
use crate::classify::Label;
use crate::error::Error;
use crate::evaluate::BlockScore;
use crate::files;
use crate::gold::human::read_opinions;
use crate::gold::{Alignment, Coverage, Labelling, Quality, best_aligned, label};
use crate::gold::{Capturing, DataSet, Row, Split};
use crate::target::{self, Target, TargetRule};
use anyhow::Context;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Lay gold text on the text blocks of its pages
///
/// Training needs a label a text block, gold is plain text: this shows how the one is made from the other, how much of
/// the gold the labelled blocks hold, and, for sets whose text nodes a human labelled, how far both agree.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean align data/canola --static                        agreement with the human's labels, for both alignments
  vclean align data/styled --captures captures/ --worst 5  what the gold has and no block, on the five worst pages
  vclean align data/canola --static --labels labels/       one JSON file of labels a page, for vclean agreement")]
pub(super) struct Arguments {
    /// The pages
    #[command(flatten)]
    pub(super) data: DataArguments,

    /// Which pages: train, dev or all
    #[arg(long, value_name = "SPLIT", default_value = "all", value_parser = split)]
    pub(super) split: Split,

    /// How gold text is laid on blocks: words (over the whole page) or dice (paragraphs and subtrees, FIASCO 5.1)
    #[arg(long, value_name = "HOW", default_value = "words", value_parser = alignment)]
    pub(super) alignment: Alignment,

    /// How text blocks are selected: blocks or fiasco
    #[arg(long, value_name = "RULE", default_value = "blocks", value_parser = target_rule)]
    pub(super) targets: TargetRule,

    /// Keep the best aligned share of the pages of each set only, such as 0.74 (FIASCO: 117 of 158 pages)
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(super) best_aligned: Option<f64>,

    /// Report the N worst aligned pages of each set, with the segments of gold that no content block holds
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) worst: usize,

    /// Write the report of all pages as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,

    /// Write the labels as DIR/SET/PAGE.json, a row a block: number, path, label, start of its text, share aligned
    #[arg(long, value_name = "DIR")]
    pub(super) labels: Option<PathBuf>,

    /// How pages are gone through
    #[command(flatten)]
    pub(super) batch: BatchArguments,
}

/// One page and how its gold lies on it.
#[derive(Debug, Serialize)]
pub(super) struct AlignedPage {
    pub(super) set: String,
    pub(super) id: String,
    #[serde(flatten)]
    pub(super) coverage: Coverage,
    pub(super) quality: Quality,
    /// Why the page is bad, where it is.
    pub(super) trouble: Option<String>,
    /// Each alignment by its name against the human's labels, where there are some.
    pub(super) human: Vec<(&'static str, BlockScore)>,
    #[serde(skip)]
    labels: Vec<LabelRow>,
}

/// One target in a file of labels.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub(super) struct LabelRow {
    /// Number of the target on its page, from 0.
    pub(super) index: usize,
    /// Path of its container.
    pub(super) node: String,
    /// `content`, `boilerplate`, or `null` where the gold does not say.
    pub(super) label: Option<Label>,
    /// Start of its text.
    pub(super) text: String,
    /// Share of its words that were aligned with gold, 0 to 1.
    pub(super) score: f32,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let jobs = arguments.batch.jobs();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start the threads")?;
    let sets = arguments.data.open()?;
    let capturing = arguments.data.capturing(&sets, jobs)?;
    let (mut all, mut failed) = (Vec::new(), 0);
    for set in &sets {
        for id in set.gold_without_row()? {
            console::complain(&format!("{}/{id}: there is gold and no row in manifest.jsonl", set.name));
            failed += 1;
        }
        let rows = set.split(arguments.split);
        let bar = data::bar(rows.len(), &set.name, arguments.batch.quiet);
        let found: Vec<Result<AlignedPage, Error>> = threads.install(|| {
            let align = |row: &&Row| {
                let page = align(set, row, &capturing, arguments);
                bar.inc(1);
                page
            };
            rows.par_iter().with_max_len(1).map(align).collect()
        });
        bar.finish_and_clear();
        let mut pages = Vec::new();
        for (row, page) in rows.iter().zip(found) {
            match page {
                Ok(page) => pages.push(page),
                Err(cause) => {
                    console::complain(&format!("{}/{}: {cause}", set.name, row.id));
                    failed += 1;
                }
            }
        }
        let aligned = pages.len();
        if let Some(share) = arguments.best_aligned {
            let qualities: Vec<Quality> = pages.iter().map(|page| page.quality).collect();
            let mut is_kept = best_aligned(&qualities, share).into_iter();
            pages.retain(|_| is_kept.next().unwrap_or(false));
        }
        if let Some(folder) = &arguments.labels {
            write_labels(&folder.join(&set.name), &pages)?;
        }
        let mut text = table(&set.name, &pages, aligned - pages.len());
        text.push_str(&page_lines(&pages, arguments.worst));
        text.push('\n');
        if console::print(&[&text]).is_err() {
            return Ok(SOME_FAILED.into());
        }
        all.append(&mut pages);
    }
    if let Some(path) = &arguments.json {
        let mut json = serde_json::to_vec_pretty(&all)?;
        json.push(b'\n');
        files::write_whole(path, &json)?;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

fn align(set: &DataSet, row: &Row, capturing: &Capturing, arguments: &Arguments) -> Result<AlignedPage, Error> {
    let capture = capturing.capture(set, row)?;
    let targets = target::select(&capture, arguments.targets);
    let texts: Vec<String> = targets.iter().map(|target| target.text(&capture.dom)).collect();
    let labelling = label(set, row, &capture, &targets, &texts, arguments.alignment)?;
    let gold = set.gold(row)?;
    let gold = gold.text.or(gold.snippets.map(|snippets| snippets.with.join("\n"))).unwrap_or_default();
    let coverage = Coverage::of(&texts, &labelling, &gold);
    let mut human = Vec::new();
    if let Some(labels) = read_opinions(set, row, &texts)? {
        for &(name, alignment) in Alignment::ALL {
            let score = if alignment == arguments.alignment {
                BlockScore::against_human(&labelling, &labels)
            } else {
                BlockScore::against_human(&label(set, row, &capture, &targets, &texts, alignment)?, &labels)
            };
            human.push((name, score));
        }
    }
    Ok(AlignedPage {
        set: set.name.clone(),
        id: row.id.clone(),
        trouble: coverage.trouble(labelling.quality),
        coverage,
        quality: labelling.quality,
        human,
        labels: if arguments.labels.is_some() { label_rows(&capture, &targets, &labelling) } else { Vec::new() },
    })
}

fn label_rows(capture: &Capture, targets: &[Target], labelling: &Labelling) -> Vec<LabelRow> {
    let row = |(index, target): (usize, &Target)| LabelRow {
        index,
        node: path(&capture.dom, target.container),
        label: labelling.labels[index],
        text: excerpt(&capture.dom, target),
        score: labelling.scores[index],
    };
    targets.iter().enumerate().map(row).collect()
}

fn write_labels(folder: &Path, pages: &[AlignedPage]) -> anyhow::Result<()> {
    files::make_folder(folder)?;
    for page in pages {
        let rows: Vec<String> = page.labels.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        let text = if rows.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", rows.join(",\n")) };
        files::write_whole(&folder.join(format!("{}.json", page.id)), text.as_bytes())?;
    }
    Ok(())
}

/// Reads a share of the pages: above 0, at most 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("a share above 0 and up to 1 is needed, such as 0.74".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_out_of_range_are_refused() {
        assert_eq!(share("0.74"), Ok(0.74));
        for wrong in ["0", "-1", "1.01", "NaN", "74 %"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }
}
