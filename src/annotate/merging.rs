//! Pages that two people have labelled, for a third one who decides where they disagree.

use super::error::AnnotateError;
use super::folder::{GoldFolder, MERGED};
use super::history::Labelled;
use super::journal::Sides;
use super::kept::id_of;
use super::offered::OfferedPage;
use super::page_state::PageState;
use crate::page::{Body, Page};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The labels of one person: a folder `annotations/NAME` in a folder of gold.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    name: String,
    /// The folder of gold, which has the captures.
    gold: PathBuf,
    labels: PathBuf,
}

/// The pages to be merged, and those that cannot be.
#[derive(Debug)]
pub struct Merging {
    /// The pages that both have finished, by name.
    pub pages: Vec<OfferedPage>,
    /// Other pages, and why they are left out.
    pub left_out: Vec<(String, String)>,
}

/// Reads what two people labelled. `one` and `other` are folders of gold with the labels of one person each, or folders
/// `annotations/NAME` of one folder of gold or of two.
///
/// # Errors
/// If a folder holds no labels, or those of several people, or there is no page that both have finished.
pub fn pages_to_merge(gold: &GoldFolder, one: &Path, other: &Path) -> Result<Merging, AnnotateError> {
    let mut sides = [side(one)?, side(other)?];
    if sides[0].labels == sides[1].labels {
        let cause = format!("{} and {} are the labels of one person; name two", one.display(), other.display());
        return Err(AnnotateError::Input(cause));
    }
    if sides[0].name == sides[1].name {
        for (side, number) in sides.iter_mut().zip(1..) {
            side.name = format!("{}-{number}", side.name);
        }
    }
    let [first, second] = [journals(&sides[0])?, journals(&sides[1])?];
    let mut merging = Merging { pages: Vec::new(), left_out: Vec::new() };
    for id in first.union(&second) {
        match read(&sides, id) {
            Ok((page, read)) => {
                let mut offered = OfferedPage::new(id_of(gold, id, &page), Ok(page));
                offered.sides = Some(read);
                merging.pages.push(offered);
            }
            Err(cause) => merging.left_out.push((id.clone(), cause)),
        }
    }
    if merging.pages.is_empty() {
        let causes: Vec<String> = merging.left_out.iter().take(3).map(|(id, cause)| format!("{id}: {cause}")).collect();
        let cause = if causes.is_empty() { "neither has labelled one".to_owned() } else { causes.join("; ") };
        return Err(AnnotateError::Input(format!("there is no page that both have finished ({cause})")));
    }
    Ok(merging)
}

/// The labels in a folder that a person named.
fn side(path: &Path) -> Result<Side, AnnotateError> {
    let whole = path.canonicalize().map_err(|cause| AnnotateError::Read { path: path.to_path_buf(), cause })?;
    let name_of = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(parent) = whole.parent().filter(|parent| name_of(parent) == "annotations") {
        let gold = parent.parent().unwrap_or(parent).to_path_buf();
        return Ok(Side { name: name_of(&whole), gold, labels: whole });
    }
    let annotations = whole.join("annotations");
    let mut people: Vec<String> = std::fs::read_dir(&annotations)
        .map(|entries| {
            entries.flatten().filter(|entry| entry.path().is_dir()).map(|entry| name_of(&entry.path())).collect()
        })
        .unwrap_or_default();
    people.retain(|name| name != MERGED);
    people.sort();
    match people.as_slice() {
        [name] => Ok(Side { name: name.clone(), labels: annotations.join(name), gold: whole }),
        [] => Err(AnnotateError::Input(format!(
            "{} has no labels; name a folder that vclean annotate wrote, or its annotations/NAME",
            path.display()
        ))),
        [first, ..] => Err(AnnotateError::Input(format!(
            "{} has the labels of {}; name one of them, such as {}",
            path.display(),
            people.join(", "),
            path.join("annotations").join(first).display()
        ))),
    }
}

/// Names of the pages that a person has labelled.
fn journals(side: &Side) -> Result<BTreeSet<String>, AnnotateError> {
    let fail = |cause| AnnotateError::Read { path: side.labels.clone(), cause };
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(&side.labels).map_err(fail)? {
        let name = entry.map_err(fail)?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".jsonl").map(str::to_owned));
    }
    Ok(names)
}

/// A page with the labels of both, or why it cannot be merged.
fn read(sides: &[Side; 2], id: &str) -> Result<(Page, Sides), String> {
    let state = |side: &Side| -> Result<PageState, String> {
        let state = PageState::read(&side.labels.join(format!("{id}.jsonl"))).map_err(|error| error.to_string())?;
        let state = state.ok_or_else(|| format!("{} has not labelled it", side.name))?;
        if state.history().is_done() { Ok(state) } else { Err(format!("{} has not finished it", side.name)) }
    };
    let [one, other] = [state(&sides[0])?, state(&sides[1])?];
    if one.beginning().fingerprint != other.beginning().fingerprint {
        return Err("the two labelled different captures of it; let both label the same one".to_owned());
    }
    let pair = |(one, other): (&Labelled, &Labelled)| [one.label, other.label];
    let labels = one.history().blocks().iter().zip(other.history().blocks()).map(pair).collect();
    let folder = sides[0].gold.join("captures").join(id);
    let mut page = Page::new(folder.to_string_lossy(), Body::Capture(folder.clone()));
    page.url = crate::files::load_record(&folder).map_err(|error| error.to_string())?.url;
    Ok((page, Sides { names: [sides[0].name.clone(), sides[1].name.clone()], labels }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_labels_or_with_those_of_several_people_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let gold = GoldFolder::make(&folder.path().join("gold")).unwrap();
        let merge = |one: &Path, other: &Path| pages_to_merge(&gold, one, other).unwrap_err().to_string();
        assert!(merge(gold.path(), gold.path()).contains("no labels"));
        for name in ["ann", "bob", MERGED] {
            std::fs::create_dir_all(gold.path().join("annotations").join(name)).unwrap();
        }
        let error = merge(gold.path(), gold.path());
        assert!(error.contains("ann, bob") && error.contains("annotations/ann"), "{error}");
        let ann = gold.path().join("annotations/ann");
        assert!(merge(&ann, &ann).contains("one person"));
        assert!(merge(&ann, &gold.path().join("annotations/bob")).contains("both have finished"));
        assert!(merge(&ann, &gold.path().join("nowhere")).contains("nowhere"));
    }
}
