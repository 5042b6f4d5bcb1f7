//! Gold in a file of its own that names the pages of data sets: finding them, and making sure that
//! they are the same.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use vclean_core::error::DataError;
use vclean_run::source::{DataSet, Row};

/// The gold of the pages of each data set, by their ids.
pub(crate) type OfSets<'a, G> = Vec<(&'a DataSet, BTreeMap<&'a str, G>)>;

/// Gold of a page.
pub(crate) trait OfPage {
    /// Name of the data set, and of the page within it.
    fn page(&self) -> (&str, &str);
}

/// Finds the pages of `gold` in `sets`. Gold of other sets is left out.
///
/// # Errors
/// If a page is not in its set.
pub(crate) fn of_sets<G: OfPage>(
    gold: Vec<G>,
    sets: &[DataSet],
) -> Result<OfSets<'_, G>, DataError> {
    let mut found: OfSets<'_, G> = sets.iter().map(|set| (set, BTreeMap::new())).collect();
    for one in gold {
        let (set, id) = one.page();
        let Some((set, pages)) = found.iter_mut().find(|(known, _)| known.name == set) else {
            continue;
        };
        match set.rows.iter().find(|row| row.id == id) {
            Some(row) => pages.insert(row.id.as_str(), one),
            None => {
                return Err(DataError::NoMarkedPage {
                    set: set.name.clone(),
                    id: id.to_owned(),
                });
            }
        };
    }
    Ok(found)
}

/// Makes sure that a page is the one that its gold was made for, which had this SHA-256.
///
/// # Errors
/// If it is another one, or cannot be read.
pub(crate) fn check_page(gold: &impl OfPage, row: &Row, expected: &str) -> Result<(), DataError> {
    if hash_of_page(row)? == expected {
        return Ok(());
    }
    let (set, id) = gold.page();
    Err(DataError::OtherPage {
        page: format!("{set}/{id}"),
        path: row.page.clone(),
        expected: expected.to_owned(),
    })
}

/// SHA-256 of a page's file, in hexadecimal digits.
pub(crate) fn hash_of_page(row: &Row) -> Result<String, DataError> {
    let bytes = fs::read(&row.page).map_err(|error| DataError::Read {
        path: row.page.clone(),
        cause: error.to_string(),
    })?;
    Ok(hash(&bytes))
}

/// SHA-256 in hexadecimal digits.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    Sha256::digest(bytes)
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        // FIPS 180-4, example of one block.
        assert_eq!(
            hash(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
