//! Why a split of data sets has no page.

use super::dataset::{DataSet, Row};
use super::split::Split;
use crate::error::DataError;
use std::collections::BTreeMap;

/// Number of names of splits that a message lists.
const MAX_NAMED: usize = 5;

/// The pages of a split; checks that there are some and that their gold exists.
///
/// # Errors
/// If there is no page or gold is missing.
pub fn measured_rows(set: &DataSet, split: Split) -> Result<Vec<&Row>, DataError> {
    check_split(std::slice::from_ref(set), split)?;
    let rows = set.split(split);
    set.check_gold(&rows)?;
    Ok(rows)
}

/// Checks that at least one of the sets has a page of the split.
///
/// # Errors
/// If none has one; the error says which splits the rows of the manifests have instead.
pub fn check_split(sets: &[DataSet], split: Split) -> Result<(), DataError> {
    if sets.iter().any(|set| !set.split(split).is_empty()) {
        return Ok(());
    }
    let mut rows_by_split: BTreeMap<&str, usize> = BTreeMap::new();
    for row in sets.iter().flat_map(|set| &set.rows) {
        *rows_by_split.entry(&row.split).or_default() += 1;
    }
    let without = rows_by_split.remove("");
    let mut found: Vec<String> =
        rows_by_split.iter().take(MAX_NAMED).map(|(name, rows)| format!("{rows} have {name:?}")).collect();
    if rows_by_split.len() > MAX_NAMED {
        found.push("others have other names".to_owned());
    }
    found.extend(without.map(|rows| format!("{rows} have none")));
    let sets: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    Err(DataError::EmptySplit { sets: sets.join(", "), split: split.name(), found: found.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_error_says_which_splits_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("own");
        fs::create_dir_all(at.join("pages")).unwrap();
        let mut manifest = String::new();
        for (id, split) in [("a", ""), ("b", r#", "split": "training""#), ("c", r#", "split": "dev""#)] {
            fs::write(at.join("pages").join(id).with_extension("html"), "<p>text").unwrap();
            manifest.push_str(&["{\"id\": \"", id, "\"", split, "}\n"].concat());
        }
        fs::write(at.join("manifest.jsonl"), manifest).unwrap();
        let set = DataSet::open(&at).unwrap();
        let error = check_split(std::slice::from_ref(&set), Split::Train).unwrap_err().to_string();
        let cause = "no row of manifest.jsonl in own has \"split\": \"train\" (1 have \"dev\", 1 have \"training\", 1 have none)";
        assert!(error.starts_with(cause), "{error}");
        check_split(std::slice::from_ref(&set), Split::Dev).unwrap();
        assert!(measured_rows(&set, Split::Dev).unwrap_err().to_string().contains("has no gold"));
    }
}
