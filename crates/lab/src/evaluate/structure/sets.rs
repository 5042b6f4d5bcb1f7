//! Measures the structure of cleaned pages, or of Markdown that other programs made of them, by the
//! gold of structure.

use super::markdown::read_markdown;
use super::parts::{PARTS, Scores, overall, score};
use super::reader::Base;
use crate::gold::bound::{OfSets, of_sets};
use crate::gold::structure::{Recipe, markdown_of, read_recipes, recipes_of_folder};
use crate::gold::{Capturing, Progress, each_page};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vclean_core::cleaner::PageCleaner;
use vclean_core::emit::{self, EmitOptions};
use vclean_core::error::{DataError, Error};
use vclean_core::page;
use vclean_run::source::{DataSet, Row, Split};

/// What makes the Markdown that is measured.
pub enum Made<'a> {
    /// This cleaner, from captures of the pages.
    Cleaned(&'a PageCleaner, &'a Capturing),
    /// Another program: the folder has a file `SET/ID.md` for each page, none for a page without
    /// output.
    Outputs(PathBuf),
}

/// The scores of a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageStructure {
    /// Name of the set.
    pub set: String,
    /// Name of the page within the set.
    pub id: String,
    /// Its split in the manifest.
    pub split: String,
    /// Whether its gold was kept from those who wrote the code.
    pub unseen: bool,
    /// The mean of its parts.
    pub overall: Option<f64>,
    /// The scores of the parts that the output or the gold has.
    #[serde(serialize_with = "by_name")]
    pub scores: Scores,
    /// Why there is no output, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

fn by_name<S: Serializer>(scores: &Scores, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        PARTS
            .iter()
            .zip(scores)
            .filter_map(|(part, score)| Some((part.name, (*score)?))),
    )
}

/// The pages of data sets that have gold of structure.
pub struct MarkedPages<'a> {
    sets: OfSets<'a, Recipe>,
    split: Split,
}

impl<'a> MarkedPages<'a> {
    /// Reads the gold in `file`, or in a folder with `SET/ID.md`, and finds its pages of `split` in
    /// `sets`. Gold of other sets is left out.
    ///
    /// # Errors
    /// If the gold cannot be read, a page is not in its set, or no page is left.
    pub fn open(file: &Path, sets: &'a [DataSet], split: Split) -> Result<Self, Error> {
        let recipes = if file.is_dir() {
            recipes_of_folder(file, sets)?
        } else {
            read_recipes(file)?
        };
        let pages = Self {
            sets: of_sets(recipes, sets)?,
            split,
        };
        if pages
            .sets
            .iter()
            .all(|(set, recipes)| pages.rows(set, recipes).is_empty())
        {
            let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
            return Err(Error::from(DataError::NoPages {
                of: "structure",
                sets: names.join(", "),
                split: split.name(),
                path: file.to_path_buf(),
            }));
        }
        Ok(pages)
    }

    fn rows(&self, set: &'a DataSet, recipes: &BTreeMap<&str, Recipe>) -> Vec<&'a Row> {
        let rows = set.split(self.split).into_iter();
        rows.filter(|row| recipes.contains_key(row.id.as_str()))
            .collect()
    }

    /// Measures all pages, in the order of the sets and of the ids within them. A page that cannot
    /// be cleaned counts as one without output, and is reported to `progress`.
    ///
    /// # Errors
    /// If a page is not the one that its gold was made for.
    pub fn measure(
        &self,
        made: &Made<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<PageStructure>, Error> {
        let mut pages = Vec::new();
        for (set, recipes) in &self.sets {
            let rows = self.rows(set, recipes);
            if rows.is_empty() {
                continue;
            }
            let measured: Vec<PageStructure> =
                each_page::<_, Result<_, Error>>(set, &rows, progress, |row| {
                    measure_page(set, row, &recipes[row.id.as_str()], made)
                })?;
            for page in &measured {
                if let Some(cause) = &page.failure {
                    progress.page_failed(&page.set, &page.id, cause);
                }
            }
            pages.extend(measured);
        }
        Ok(pages)
    }
}

fn measure_page(
    set: &DataSet,
    row: &Row,
    recipe: &Recipe,
    made: &Made<'_>,
) -> Result<PageStructure, Error> {
    let parsed = page::parse(&row.open()?)?;
    let base = Base::of(&parsed);
    let gold = markdown_of(recipe, row, &parsed)?;
    let (markdown, failure) = match output(set, row, made) {
        Ok(markdown) => (markdown, None),
        Err(cause) => (String::new(), Some(cause)),
    };
    let scores = score(
        &read_markdown(&markdown, &base),
        &read_markdown(&gold, &base),
    );
    Ok(PageStructure {
        set: set.name.clone(),
        id: row.id.clone(),
        split: row.split.clone(),
        unseen: recipe.unseen,
        overall: overall(&scores),
        scores,
        failure,
    })
}

/// The Markdown of a page, or why there is none.
fn output(set: &DataSet, row: &Row, made: &Made<'_>) -> Result<String, String> {
    match made {
        Made::Cleaned(cleaner, capturing) => {
            let capture = capturing
                .capture(set, row)
                .map_err(|error| error.to_string())?;
            let mut cleaned = cleaner
                .clean_captured(&capture)
                .map_err(|error| error.to_string())?;
            // The gold is the text; names and dates of posts are none of it.
            cleaned.document.posts.clear();
            let format = emit::find("markdown").expect("the format is in the table");
            let options = EmitOptions {
                links: true,
                ..EmitOptions::default()
            };
            Ok((format.write)(&cleaned.document, &options))
        }
        Made::Outputs(folder) => {
            let path = folder.join(&set.name).join(format!("{}.md", row.id));
            let bytes = std::fs::read(&path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
    }
}
