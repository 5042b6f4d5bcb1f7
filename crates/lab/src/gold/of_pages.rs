//! Finds the gold of pages that come from data folders, for work that gets pages one by one, such
//! as the feature table.

use super::align::Alignment;
use super::labelling::Labelling;
use super::labels::label;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use vclean_core::capture::Capture;
use vclean_core::error::{DataError, Error, SourceError};
use vclean_core::files::{is_capture, load_capture};
use vclean_core::page::{self, Page};
use vclean_core::target::Target;
use vclean_run::source::{DataSet, Row};

/// The rows of data folders by the files of their pages, and where captures of them are.
#[derive(Debug, Default)]
pub struct GoldOfPages {
    sets: Vec<DataSet>,
    /// Positions of the set and of the row, by the name of the page as an input.
    rows: FxHashMap<String, (usize, usize)>,
    captures: Option<PathBuf>,
}

impl GoldOfPages {
    /// Reads the manifests of those of `inputs` that are data folders. With `captures`, their pages
    /// are replaced by stored captures: `captures/SET/ID`, as `vclean lab train` keeps them.
    ///
    /// # Errors
    /// If a data folder cannot be used.
    pub fn open<'a>(
        inputs: impl IntoIterator<Item = &'a str>,
        captures: Option<&Path>,
    ) -> Result<Self, DataError> {
        let mut gold = Self {
            captures: captures.map(Path::to_path_buf),
            ..Self::default()
        };
        for folder in inputs
            .into_iter()
            .map(Path::new)
            .filter(|folder| folder.join("manifest.jsonl").is_file())
        {
            let set = DataSet::open(folder)?;
            let number = gold.sets.len();
            let rows = set.rows.iter().enumerate();
            gold.rows.extend(
                rows.map(|(row, found)| (found.page.to_string_lossy().into_owned(), (number, row))),
            );
            gold.sets.push(set);
        }
        Ok(gold)
    }

    /// True if no input is a data folder.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    fn row(&self, page: &Page) -> Option<(&DataSet, &Row)> {
        let &(set, row) = self.rows.get(&page.input)?;
        let set = &self.sets[set];
        Some((set, &set.rows[row]))
    }

    /// The capture of a page: the stored one if captures were named and the page is from a data
    /// folder, otherwise a parsed one.
    ///
    /// # Errors
    /// If the page cannot be parsed, or has no stored capture.
    pub fn capture(&self, page: &Page) -> Result<Capture, Error> {
        let (Some(captures), Some((set, row))) = (&self.captures, self.row(page)) else {
            return Ok(page::parse(page)?);
        };
        let folder = captures.join(&set.name).join(&row.id);
        if is_capture(&folder) {
            return Ok(load_capture(&folder)?);
        }
        Err(SourceError::Unusable(format!(
            "there is no capture of it in {}; make it with vclean lab align {} `captures` {}",
            folder.display(),
            set.folder.display(),
            captures.display()
        ))
        .into())
    }

    /// The labels of the targets of a page by its gold; `None` if the page is not from a data
    /// folder.
    ///
    /// # Errors
    /// If it has no gold, or its gold cannot be read.
    pub fn labelling(
        &self,
        page: &Page,
        capture: &Capture,
        targets: &[Target],
    ) -> Option<Result<Labelling, Error>> {
        let (set, row) = self.row(page)?;
        let texts: Vec<String> = targets
            .iter()
            .map(|target| target.text(&capture.dom))
            .collect();
        Some(label(set, row, capture, targets, &texts, Alignment::Words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use vclean_core::classify::Label;
    use vclean_core::target::{self, TargetRule};

    #[test]
    fn pages_of_data_folders_have_labels_and_others_have_none() {
        let folder = tempfile::tempdir().unwrap();
        let set = folder.path().join("own");
        fs::create_dir_all(set.join("pages")).unwrap();
        fs::create_dir_all(set.join("gold")).unwrap();
        let story = "The kiln was opened on the third day, when the bricks no longer glowed.";
        let html = format!("<nav><a href=/>Home page</a></nav><article><p>{story}</p></article>");
        for id in ["a", "b"] {
            fs::write(set.join("pages").join(id).with_extension("html"), &html).unwrap();
        }
        fs::write(set.join("gold/a.txt"), story).unwrap();
        fs::write(
            set.join("manifest.jsonl"),
            "{\"id\": \"a\"}\n{\"id\": \"b\"}\n",
        )
        .unwrap();
        let set_name = set.to_string_lossy().into_owned();
        let gold = GoldOfPages::open([set_name.as_str(), "elsewhere.html"], None).unwrap();
        assert!(
            !gold.is_empty()
                && GoldOfPages::open(["elsewhere.html"], None)
                    .unwrap()
                    .is_empty()
        );

        let open = |path: &Path| Page::from_file(path).unwrap();
        let labelling = |page: &Page| {
            let capture = gold.capture(page).unwrap();
            let targets = target::select(&capture, TargetRule::default());
            gold.labelling(page, &capture, &targets)
        };
        let labels = labelling(&open(&set.join("pages/a.html")))
            .unwrap()
            .unwrap()
            .labels;
        assert_eq!(labels, [Some(Label::Boilerplate), Some(Label::Content)]);
        let error = labelling(&open(&set.join("pages/b.html")))
            .unwrap()
            .unwrap_err()
            .to_string();
        assert!(error.contains("gold/b.txt"), "{error}");
        let other = folder.path().join("a.html");
        fs::write(&other, &html).unwrap();
        assert!(labelling(&open(&other)).is_none());

        let kept = folder.path().join("kept");
        let gold = GoldOfPages::open([set_name.as_str()], Some(&kept)).unwrap();
        let page = open(&set.join("pages/a.html"));
        let error = gold.capture(&page).unwrap_err().to_string();
        assert!(
            error.contains("vclean lab align") && error.contains("`captures`"),
            "{error}"
        );
        let parsed = page::parse(&page).unwrap();
        vclean_core::files::save_capture(&parsed, &kept.join("own/a")).unwrap();
        assert_eq!(gold.capture(&page).unwrap(), parsed);
    }
}
