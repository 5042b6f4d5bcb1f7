//! The file with the recipes of all pages, one line of JSON a page, and how a recipe is bound to
//! its page.

use super::packing::pack;
use super::packing::unpack;
use super::recipe::PageText;
use super::recipe::Recipe;
use crate::gold::bound::{OfPage, check_page, hash, hash_of_page};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use vclean_core::capture::Capture;
use vclean_core::error::{DataError, Error};
use vclean_core::page;
use vclean_run::source::{DataSet, Row};

impl OfPage for Recipe {
    fn page(&self) -> (&str, &str) {
        (&self.set, &self.id)
    }
}

/// Reads the recipes of a file.
///
/// # Errors
/// If the file cannot be read, a line is no recipe, or a page has two.
pub fn read_recipes(path: &Path) -> Result<Vec<Recipe>, DataError> {
    let content = fs::read_to_string(path).map_err(|error| DataError::Recipes {
        path: path.to_path_buf(),
        cause: error.to_string(),
    })?;
    let mut recipes: Vec<Recipe> = Vec::new();
    let mut known = BTreeSet::new();
    for (index, line) in content
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let fail = |cause: String| DataError::Recipes {
            path: path.to_path_buf(),
            cause: format!("line {}: {cause}", index + 1),
        };
        let recipe: Recipe = serde_json::from_str(line).map_err(|error| fail(error.to_string()))?;
        recipe.check().map_err(&fail)?;
        if !known.insert((recipe.set.clone(), recipe.id.clone())) {
            return Err(fail(format!(
                "{}/{} has a recipe already",
                recipe.set, recipe.id
            )));
        }
        recipes.push(recipe);
    }
    Ok(recipes)
}

/// The recipes of the pages of `sets` whose Markdown is in a folder, as `SET/ID.md`.
///
/// # Errors
/// If a file or its page cannot be read.
pub(crate) fn recipes_of_folder(folder: &Path, sets: &[DataSet]) -> Result<Vec<Recipe>, Error> {
    let mut recipes = Vec::new();
    for set in sets {
        for row in &set.rows {
            let path = folder.join(&set.name).join(format!("{}.md", row.id));
            if !path.exists() {
                continue;
            }
            let fail = |cause: String| DataError::Recipes {
                path: path.clone(),
                cause,
            };
            let markdown = fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
            recipes.push(make_recipe(set, row, &markdown, false)?);
        }
    }
    Ok(recipes)
}

/// Makes the recipe of a page from its Markdown, and checks that it gives the Markdown back.
///
/// # Errors
/// If the page cannot be read, or the recipe does not give the same Markdown.
pub fn make_recipe(
    set: &DataSet,
    row: &Row,
    markdown: &str,
    unseen: bool,
) -> Result<Recipe, Error> {
    let capture = page::parse(&row.open()?)?;
    let parts = pack(markdown, &PageText::of(&capture.dom));
    let recipe = Recipe {
        set: set.name.clone(),
        id: row.id.clone(),
        page: hash_of_page(row)?,
        gold: hash(markdown.as_bytes()),
        unseen,
        parts,
    };
    markdown_of(&recipe, row, &capture)?;
    Ok(recipe)
}

/// The Markdown of a page; `capture` is the parsed page, not a rendered one.
///
/// # Errors
/// If the page is not the one that the recipe was made for, or the recipe is damaged.
pub(crate) fn markdown_of(
    recipe: &Recipe,
    row: &Row,
    capture: &Capture,
) -> Result<String, DataError> {
    check_page(recipe, row, &recipe.page)?;
    let fail = |cause: String| DataError::Recipe {
        set: recipe.set.clone(),
        id: recipe.id.clone(),
        cause,
    };
    let markdown = unpack(&recipe.parts, &PageText::of(&capture.dom)).map_err(&fail)?;
    if hash(markdown.as_bytes()) != recipe.gold {
        return Err(fail(
            "the Markdown is not the one that was packed".to_owned(),
        ));
    }
    Ok(markdown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::structure::Part;

    #[test]
    fn a_recipe_is_bound_to_its_page() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("birds");
        fs::create_dir_all(at.join("pages")).unwrap();
        fs::write(
            at.join("manifest.jsonl"),
            "{\"id\":\"a\",\"split\":\"dev\"}\n",
        )
        .unwrap();
        fs::write(
            at.join("pages/a.html"),
            "<h2>The herring gull</h2><p>It drops mussels on rocks.",
        )
        .unwrap();
        let set = DataSet::open(&at).unwrap();
        let row = &set.rows[0];
        let markdown = "## The herring gull\n\nIt drops mussels on rocks.\n";
        let recipe = make_recipe(&set, row, markdown, true).unwrap();
        let capture = page::parse(&row.open().unwrap()).unwrap();
        assert_eq!(markdown_of(&recipe, row, &capture).unwrap(), markdown);

        let file = folder.path().join("gold.jsonl");
        let line = serde_json::to_string(&recipe).unwrap();
        assert!(!line.contains("mussels"), "{line}");
        fs::write(&file, format!("{line}\n")).unwrap();
        assert_eq!(read_recipes(&file).unwrap(), std::slice::from_ref(&recipe));
        fs::write(&file, format!("{line}\n{line}\n")).unwrap();
        let twice = read_recipes(&file).unwrap_err().to_string();
        assert!(
            twice.contains("line 2: birds/a has a recipe already"),
            "{twice}"
        );

        let mut damaged = recipe.clone();
        damaged.parts.push(Part::Literal("x".into()));
        let cause = markdown_of(&damaged, row, &capture)
            .unwrap_err()
            .to_string();
        assert!(
            cause.contains("birds/a") && cause.contains("not the one that was packed"),
            "{cause}"
        );
        fs::write(&row.page, "<p>Another page").unwrap();
        let other = markdown_of(&recipe, row, &capture).unwrap_err().to_string();
        assert!(
            other.contains("birds/a") && other.contains("a.html") && other.contains(&recipe.page),
            "{other}"
        );
    }
}
