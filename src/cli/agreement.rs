//! `vclean agreement`: how far two annotations of the same pages agree.

use super::align::LabelRow;
use super::{SOME_FAILED, console};
use crate::classify::Label;
use crate::evaluate::agreement::{EditDistance, FIASCO_AGREEMENT, kappa, unit_of_text};
use crate::evaluate::metrics::{mean, median};
use crate::evaluate::{BlockScore, Table};
use crate::files;
use crate::gold::TokenUnit;
use anyhow::Context;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compare two annotations of the same pages
///
/// Takes two folders with files of the same names. Text files (.txt) are compared by minimum edit distance on words, as
/// FIASCO compared its annotators; label files (.json, of vclean align --labels) by accuracy and Cohen's kappa.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean agreement first-annotator/ second-annotator/
  vclean agreement gold/ gold-merged/ --worst 10 --json agreement.json
  vclean agreement labels/words/canola/ labels/dice/canola/")]
pub(super) struct Arguments {
    /// Folder of the one annotation
    #[arg(value_name = "A")]
    pub(super) one: PathBuf,

    /// Folder of the other
    #[arg(value_name = "B")]
    pub(super) other: PathBuf,

    /// What counts as one token: words or characters [default: characters where most letters are Chinese or Japanese]
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    pub(super) unit: Option<TokenUnit>,

    /// List the N pages that agree least
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) worst: usize,

    /// Write the figures of all pages as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

/// Two versions of one page, compared.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Compared {
    Text { page: String, unit: TokenUnit, distance: usize, longest: usize, agreement: f64 },
    Labels { page: String, accuracy: f64, kappa: f64, counts: BlockScore },
}

impl Compared {
    fn page(&self) -> &str {
        match self {
            Self::Text { page, .. } | Self::Labels { page, .. } => page,
        }
    }

    fn agreement(&self) -> f64 {
        match self {
            Self::Text { agreement, .. } => *agreement,
            Self::Labels { accuracy, .. } => *accuracy,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (one, other) = (names(&arguments.one)?, names(&arguments.other)?);
    // Folders of text may hold other files of the same stem beside it.
    let has_text = |names: &BTreeSet<String>| names.iter().any(|name| extension(name) == Some("txt"));
    let kind = if has_text(&one) && has_text(&other) { "txt" } else { "json" };
    let of_kind = |names: BTreeSet<String>| -> BTreeSet<String> {
        names.into_iter().filter(|name| extension(name) == Some(kind)).collect()
    };
    let (one, other) = (of_kind(one), of_kind(other));
    for (names, folder) in [(&one, &arguments.one), (&other, &arguments.other)] {
        anyhow::ensure!(
            !names.is_empty(),
            "{} has no text files (.txt) and no label files (.json); name a folder with one file a page",
            folder.display()
        );
    }
    let mut failed = 0;
    for (has, lacks, folder) in [(&one, &other, &arguments.other), (&other, &one, &arguments.one)] {
        for name in has.difference(lacks) {
            console::complain(&format!("{name}: {} has no such file", folder.display()));
            failed += 1;
        }
    }
    let both: Vec<&String> = one.intersection(&other).collect();
    let found: Vec<anyhow::Result<Compared>> = both
        .par_iter()
        .map(|name| {
            let (one, other) = (arguments.one.join(name), arguments.other.join(name));
            let page = name.trim_end_matches(&format!(".{kind}")).to_owned();
            if kind == "txt" {
                compare_texts(page, &one, &other, arguments.unit)
            } else {
                compare_labels(page, &one, &other)
            }
        })
        .collect();
    let mut pages = Vec::new();
    for (name, page) in both.iter().zip(found) {
        match page {
            Ok(page) => pages.push(page),
            Err(cause) => {
                console::complain(&format!("{name}: {cause:#}"));
                failed += 1;
            }
        }
    }
    let printed = console::print(&[&report(&pages, arguments.worst)]).is_ok();
    if let Some(path) = &arguments.json {
        let mut json = serde_json::to_vec_pretty(&pages)?;
        json.push(b'\n');
        files::write_whole(path, &json)?;
    }
    Ok(if failed == 0 && printed { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

/// Names of the files in a folder.
fn names(folder: &Path) -> anyhow::Result<BTreeSet<String>> {
    let cannot = || format!("cannot read the folder {}", folder.display());
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        if entry.path().is_file() {
            names.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

fn extension(name: &str) -> Option<&str> {
    Path::new(name).extension().and_then(|extension| extension.to_str())
}

fn compare_texts(page: String, one: &Path, other: &Path, unit: Option<TokenUnit>) -> anyhow::Result<Compared> {
    let read = |path: &Path| -> anyhow::Result<String> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned())
    };
    let (one, other) = (read(one)?, read(other)?);
    let unit = unit.unwrap_or_else(|| unit_of_text(if one.len() >= other.len() { &one } else { &other }));
    let edits = EditDistance::of(&one, &other, unit);
    let EditDistance { distance, longest } = edits;
    Ok(Compared::Text { page, unit, distance, longest, agreement: edits.agreement() })
}

fn compare_labels(page: String, one: &Path, other: &Path) -> anyhow::Result<Compared> {
    let read = |path: &Path| -> anyhow::Result<Vec<LabelRow>> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_slice(&bytes)
            .with_context(|| format!("{} is no file of labels as vclean align --labels writes them", path.display()))
    };
    let (one, other) = (read(one)?, read(other)?);
    anyhow::ensure!(
        one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| one.node == other.node),
        "the labels are of different targets ({} and {}); write both with the same --targets and captures",
        one.len(),
        other.len()
    );
    let pairs = one.iter().zip(&other).filter_map(|(one, other)| one.label.zip(other.label));
    let counts = BlockScore::count(pairs.map(|(one, other): (Label, Label)| (one, other)));
    Ok(Compared::Labels { page, accuracy: counts.accuracy(), kappa: kappa(counts), counts })
}

fn report(pages: &[Compared], worst: usize) -> String {
    let agreements: Vec<f64> = pages.iter().map(Compared::agreement).collect();
    let least = agreements.iter().copied().min_by(f64::total_cmp).unwrap_or(0.0);
    let mut cells = vec![format!("{} pages", pages.len())];
    cells.extend([mean(&agreements), median(&agreements), least].map(|value| format!("{value:.4}")));
    let labels = pages.iter().filter_map(|page| match page {
        Compared::Labels { counts, .. } => Some(*counts),
        Compared::Text { .. } => None,
    });
    let mut text = if let Some(counts) = labels.reduce(BlockScore::plus) {
        let mut table = Table::new(&["labels", "mean accuracy", "median", "least", "targets", "accuracy", "kappa"]);
        cells.extend([counts.blocks().to_string()]);
        cells.extend([counts.accuracy(), kappa(counts)].map(|value| format!("{value:.4}")));
        table.push(cells);
        table.to_text()
    } else {
        let mut table = Table::new(&["text, by edit distance", "mean agreement", "median", "least"]);
        table.push(cells);
        table.push(vec!["FIASCO, 158 pages".to_owned(), format!("{FIASCO_AGREEMENT:.4}")]);
        table.to_text()
    };
    let mut order: Vec<&Compared> = pages.iter().collect();
    order
        .sort_by(|one, other| one.agreement().total_cmp(&other.agreement()).then_with(|| one.page().cmp(other.page())));
    let mut table = Table::new(&["least alike", "agreement"]);
    for page in order.into_iter().take(worst) {
        table.push(vec![page.page().to_owned(), format!("{:.4}", page.agreement())]);
    }
    if worst > 0 {
        text.push('\n');
        text.push_str(&table.to_text());
    }
    text
}

/// Reads a unit by its name.
fn unit(name: &str) -> Result<TokenUnit, String> {
    super::options::named("unit", &[("words", TokenUnit::Words), ("characters", TokenUnit::Characters)], name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, content: &str) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, content).unwrap();
        path
    }

    #[test]
    fn texts_are_compared_in_the_unit_of_their_script() {
        let folder = tempfile::tempdir().unwrap();
        let one = write(folder.path(), "a.txt", "一二三四");
        let other = write(folder.path(), "b.txt", "一二三五");
        let found = compare_texts("a".to_owned(), &one, &other, None).unwrap();
        assert_eq!(found.agreement(), 0.75);
        let found = compare_texts("a".to_owned(), &one, &other, Some(TokenUnit::Words)).unwrap();
        assert_eq!(found.agreement(), 0.0);
    }

    #[test]
    fn labels_of_different_targets_are_not_compared() {
        let folder = tempfile::tempdir().unwrap();
        let row = |node: &str, label: &str| {
            format!(r#"{{"index":0,"node":"{node}","label":{label},"text":"t","score":1.0}}"#)
        };
        let one = write(folder.path(), "a", &format!("[{},{}]", row("p", r#""content""#), row("q", "null")));
        let other = write(folder.path(), "b", &format!("[{},{}]", row("p", r#""content""#), row("q", r#""content""#)));
        let Compared::Labels { counts, .. } = compare_labels("a".to_owned(), &one, &other).unwrap() else { panic!() };
        assert_eq!((counts.blocks(), counts.true_positive), (1, 1));
        let other = write(folder.path(), "c", &format!("[{}]", row("p", "null")));
        let error = compare_labels("a".to_owned(), &one, &other).unwrap_err().to_string();
        assert!(error.contains("different targets (2 and 1)"), "{error}");
        let wrong = write(folder.path(), "d", "[1");
        assert!(compare_labels("a".to_owned(), &one, &wrong).unwrap_err().to_string().contains("no file of labels"));
    }
}
