//! Two annotations of the same pages, read from two folders and compared page by page: the output
//! of `vclean lab agreement`.
//!
//! The folders contain files of the same names: gold text (`.txt`), compared by edit distance, or
//! labels (`.json`, see [`labels`](crate::gold::labels)), compared by accuracy and Cohen's kappa.

use super::BlockScore;
use super::agreement::{EditDistance, FIASCO_AGREEMENT, kappa, unit_of_text};
use super::metrics::{mean, median};
use super::table::Table;
use crate::gold::TokenUnit;
use crate::gold::labels::{LabelFileError, read_labels};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Two versions of one page, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparedPage {
    /// Two texts, compared by their edit distance.
    Text {
        /// Name of the page.
        page: String,
        /// Unit of `distance` and `longest`.
        unit: TokenUnit,
        /// Edits between the two.
        distance: usize,
        /// Tokens of the longer one.
        longest: usize,
        /// 1 - `distance` / `longest` (see [`EditDistance::agreement`]).
        agreement: f64,
    },
    /// Labels of the same targets.
    Labels {
        /// Name of the page.
        page: String,
        /// Share of the targets with the same label.
        accuracy: f64,
        /// Cohen's kappa: agreement beyond chance, 1 at most.
        kappa: f64,
        /// Targets that both labelled; the first annotation's labels count as verdicts.
        counts: BlockScore,
    },
}

/// All pages of two folders.
#[derive(Debug, Default)]
pub struct ComparedFolders {
    /// Pages that both have, sorted by name.
    pub pages: Vec<ComparedPage>,
    /// Files that only one folder has or that cannot be compared, and why.
    pub failures: Vec<(String, String)>,
}

/// Annotations cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnnotationError {
    /// A folder cannot be read.
    #[error("cannot read the folder {}: {cause}", folder.display())]
    Folder {
        /// The folder that cannot be read.
        folder: PathBuf,
        /// The error message of the system.
        cause: std::io::Error,
    },
    /// A folder has no file of either kind.
    #[error("{} has no text files (.txt) and no label files (.json); name a folder with one file per page", folder.display())]
    Empty {
        /// The folder without such a file.
        folder: PathBuf,
    },
    /// A text cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The text file that cannot be read.
        path: PathBuf,
        /// The error message of the system.
        cause: std::io::Error,
    },
    /// A file of labels cannot be read.
    #[error(transparent)]
    Labels(#[from] LabelFileError),
    /// Two files of labels are not of the same targets.
    #[error(
        "the labels are of different blocks ({one} and {other}); write both with the same `targets` and captures"
    )]
    OtherTargets {
        /// Targets of the first.
        one: usize,
        /// Targets of the second.
        other: usize,
    },
}

impl ComparedPage {
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

/// Compares the files that two folders have in common; texts in `unit`, or the unit that fits each
/// page.
///
/// # Errors
/// If a folder cannot be read or has no file to compare. Files that cannot be compared are listed
/// as failures.
pub fn compare(
    one: &Path,
    other: &Path,
    unit: Option<TokenUnit>,
) -> Result<ComparedFolders, AnnotationError> {
    let folders = [labels_in(one), labels_in(other)];
    let folders = [folders[0].as_path(), folders[1].as_path()];
    let all = [names(folders[0])?, names(folders[1])?];
    // A folder of texts may also contain other files with the same names and other extensions.
    let has_text =
        |names: &BTreeSet<String>| names.iter().any(|name| extension(name) == Some("txt"));
    let kind = if all.iter().all(has_text) {
        "txt"
    } else {
        "json"
    };
    let [one, other] = all.map(|names| -> BTreeSet<String> {
        names
            .into_iter()
            .filter(|name| extension(name) == Some(kind))
            .collect()
    });
    for (names, folder) in [&one, &other].into_iter().zip(folders) {
        if names.is_empty() {
            return Err(AnnotationError::Empty {
                folder: folder.to_path_buf(),
            });
        }
    }
    let mut compared = ComparedFolders::default();
    for (has, lacks, folder) in [(&one, &other, folders[1]), (&other, &one, folders[0])] {
        let alone = has.difference(lacks);
        let failure = |name: &String| {
            (
                name.clone(),
                format!("{} has no such file", folder.display()),
            )
        };
        compared.failures.extend(alone.map(failure));
    }
    let both: Vec<&String> = one.intersection(&other).collect();
    let compare = |name: &&String| {
        let page = name.trim_end_matches(&format!(".{kind}")).to_owned();
        let [one, other] = folders.map(|folder| folder.join(name));
        if kind == "txt" {
            compare_texts(page, &one, &other, unit)
        } else {
            compare_labels(page, &one, &other)
        }
    };
    let found: Vec<Result<ComparedPage, AnnotationError>> = both.par_iter().map(compare).collect();
    for (name, page) in both.into_iter().zip(found) {
        match page {
            Ok(page) => compared.pages.push(page),
            Err(cause) => compared.failures.push((name.clone(), cause.to_string())),
        }
    }
    Ok(compared)
}

/// The folder of labels: `folder/labels` if it exists, as in folders of gold and of a person
/// written by `vclean lab annotate`; else `folder` itself.
fn labels_in(folder: &Path) -> PathBuf {
    let labels = folder.join("labels");
    if labels.is_dir() {
        labels
    } else {
        folder.to_path_buf()
    }
}

/// Names of the files in a folder.
fn names(folder: &Path) -> Result<BTreeSet<String>, AnnotationError> {
    let fail = |cause: std::io::Error| AnnotationError::Folder {
        folder: folder.to_path_buf(),
        cause,
    };
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if entry.path().is_file() {
            names.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

fn extension(name: &str) -> Option<&str> {
    Path::new(name)
        .extension()
        .and_then(|extension| extension.to_str())
}

fn compare_texts(
    page: String,
    one: &Path,
    other: &Path,
    unit: Option<TokenUnit>,
) -> Result<ComparedPage, AnnotationError> {
    let read = |path: &Path| -> Result<String, AnnotationError> {
        let bytes = fs::read(path).map_err(|cause| AnnotationError::Read {
            path: path.to_path_buf(),
            cause,
        })?;
        Ok(String::from_utf8_lossy(&bytes)
            .trim_start_matches('\u{feff}')
            .to_owned())
    };
    let (one, other) = (read(one)?, read(other)?);
    let unit = unit.unwrap_or_else(|| {
        unit_of_text(if one.len() >= other.len() {
            &one
        } else {
            &other
        })
    });
    let edits = EditDistance::compare(&one, &other, unit);
    let EditDistance { distance, longest } = edits;
    Ok(ComparedPage::Text {
        page,
        unit,
        distance,
        longest,
        agreement: edits.agreement(),
    })
}

fn compare_labels(page: String, one: &Path, other: &Path) -> Result<ComparedPage, AnnotationError> {
    let (one, other) = (read_labels(one)?, read_labels(other)?);
    if one.len() != other.len()
        || one
            .iter()
            .zip(&other)
            .any(|(one, other)| one.node != other.node)
    {
        return Err(AnnotationError::OtherTargets {
            one: one.len(),
            other: other.len(),
        });
    }
    let pairs = one
        .iter()
        .zip(&other)
        .filter_map(|(one, other)| one.label.zip(other.label));
    let counts = BlockScore::count(pairs);
    Ok(ComparedPage::Labels {
        page,
        accuracy: counts.accuracy(),
        kappa: kappa(counts),
        counts,
    })
}

/// Agreement of two annotators of other pages, printed to compare with.
const PUBLISHED: &str = "two annotators of FIASCO (Bauer et al. 2007), 158 pages";

/// Figures over all pages, then the `worst` pages that agree least.
pub fn report(pages: &[ComparedPage], worst: usize) -> String {
    let agreements: Vec<f64> = pages.iter().map(ComparedPage::agreement).collect();
    let least = agreements
        .iter()
        .copied()
        .min_by(f64::total_cmp)
        .unwrap_or(0.0);
    let mut cells = vec![format!("{} pages", pages.len())];
    cells
        .extend([mean(&agreements), median(&agreements), least].map(|value| format!("{value:.4}")));
    let labels = pages.iter().filter_map(|page| match page {
        ComparedPage::Labels { counts, .. } => Some(*counts),
        ComparedPage::Text { .. } => None,
    });
    let mut text = if let Some(counts) = labels.reduce(BlockScore::plus) {
        let mut table = Table::new(&[
            "labels",
            "mean accuracy",
            "median",
            "least",
            "blocks",
            "accuracy",
            "kappa",
        ]);
        cells.extend([counts.blocks().to_string()]);
        cells.extend([counts.accuracy(), kappa(counts)].map(|value| format!("{value:.4}")));
        table.push(cells);
        table.to_text()
    } else {
        let mut table = Table::new(&[
            "text, by edit distance",
            "mean agreement",
            "median",
            "least",
        ]);
        table.push(cells);
        table.push(vec![
            format!("for comparison: {PUBLISHED}"),
            format!("{FIASCO_AGREEMENT:.4}"),
        ]);
        table.to_text()
    };
    let mut order: Vec<&ComparedPage> = pages.iter().collect();
    order.sort_by(|one, other| {
        one.agreement()
            .total_cmp(&other.agreement())
            .then_with(|| one.page().cmp(other.page()))
    });
    let mut table = Table::new(&["least alike", "agreement"]);
    for page in order.into_iter().take(worst) {
        table.push(vec![
            page.page().to_owned(),
            format!("{:.4}", page.agreement()),
        ]);
    }
    if worst > 0 {
        text.push('\n');
        text.push_str(&table.to_text());
    }
    text
}

#[cfg(test)]
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
        let one = write(
            folder.path(),
            "a",
            &format!("[{},{}]", row("p", r#""content""#), row("q", "null")),
        );
        let other = write(
            folder.path(),
            "b",
            &format!(
                "[{},{}]",
                row("p", r#""content""#),
                row("q", r#""content""#)
            ),
        );
        let ComparedPage::Labels { counts, .. } =
            compare_labels("a".to_owned(), &one, &other).unwrap()
        else {
            panic!()
        };
        assert_eq!((counts.blocks(), counts.true_positive), (1, 1));
        let other = write(folder.path(), "c", &format!("[{}]", row("p", "null")));
        let error = compare_labels("a".to_owned(), &one, &other)
            .unwrap_err()
            .to_string();
        assert!(error.contains("different blocks (2 and 1)"), "{error}");
        let wrong = write(folder.path(), "d", "[1");
        assert!(
            compare_labels("a".to_owned(), &one, &wrong)
                .unwrap_err()
                .to_string()
                .contains("no file of labels")
        );
    }
}
