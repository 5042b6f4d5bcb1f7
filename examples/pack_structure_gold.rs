//! Packs Markdown that was made of pages by hand into the gold file of
//! `vclean lab evaluate --structure`.
//!
//! `cargo run --release --example pack_structure_gold -- GOLD UNSEEN SET... > gold.jsonl`
//!
//! GOLD is a folder with `NAME/ID.md` for pages of the data folders SET, where NAME is the name of
//! the data folder. UNSEEN is a file with a line `NAME/ID` for each page whose gold was kept from
//! those who wrote the code. The output has a line for each page, in the order of the sets and of
//! the ids within them, and none of the page's text; how many letters it holds itself is on
//! standard error. A file without page, and an UNSEEN page without file, is an error.
#![allow(clippy::print_stdout)]

use anyhow::{Context, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use vclean_lab::gold::structure::make_recipe;
use vclean_run::source::DataSet;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [gold, unseen, folders @ ..] = arguments.as_slice() else {
        anyhow::bail!("usage: pack_structure_gold GOLD UNSEEN SET...");
    };
    let unseen =
        fs::read_to_string(unseen).with_context(|| format!("cannot read {}", unseen.display()))?;
    let unseen: BTreeSet<&str> = unseen
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let mut left = marked_pages(gold)?;
    let missing: Vec<&str> = unseen
        .iter()
        .copied()
        .filter(|page| !left.contains(*page))
        .collect();
    ensure!(
        missing.is_empty(),
        "no Markdown in {} for {}",
        gold.display(),
        missing.join(", ")
    );
    let (mut pages, mut literal, mut typed, mut all) = (0, 0, 0, 0);
    for set in DataSet::open_all(folders, &[])? {
        for row in &set.rows {
            let page = format!("{}/{}", set.name, row.id);
            if !left.remove(&page) {
                continue;
            }
            let file = gold.join(&set.name).join(format!("{}.md", row.id));
            let markdown = fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let recipe = make_recipe(&set, row, &markdown, unseen.contains(page.as_str()))?;
            println!("{}", serde_json::to_string(&recipe)?);
            let own = recipe.own_letters();
            if own.1 > 0 {
                eprintln!("{page}: {} letters are not on the page", own.1);
            }
            (pages, literal, typed) = (pages + 1, literal + own.0, typed + own.1);
            all += markdown.chars().filter(|c| c.is_alphanumeric()).count();
        }
    }
    let left: Vec<String> = left.into_iter().collect();
    ensure!(
        left.is_empty(),
        "no page in the data folders for {}",
        left.join(", ")
    );
    eprintln!(
        "{pages} pages, {all} letters: {literal} in literals, {typed} that are not on the page, the others in ranges"
    );
    Ok(())
}

/// The pages with Markdown, as `NAME/ID`.
fn marked_pages(gold: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut pages = BTreeSet::new();
    let read = |folder: &Path| {
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))
    };
    for set in read(gold)? {
        let set = set?;
        for file in read(&set.path())? {
            let name = file?.file_name().to_string_lossy().into_owned();
            let id = name
                .strip_suffix(".md")
                .with_context(|| format!("{name} in {} is no .md file", gold.display()))?;
            pages.insert(format!("{}/{id}", set.file_name().to_string_lossy()));
        }
    }
    Ok(pages)
}
