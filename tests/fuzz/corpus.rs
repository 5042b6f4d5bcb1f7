//! Reads the fixtures of the project, from which inputs are made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files by kind, always in the same order, so that a seed gives the same inputs.
pub struct Corpus {
    /// HTML pages, undamaged, from `fixtures`.
    pub html: Vec<Vec<u8>>,
    /// Style sheets of the fixture pages.
    pub css: Vec<Vec<u8>>,
    /// Pictures of the fixture pages, encoded.
    pub pictures: Vec<Vec<u8>>,
    /// Saved pages with their resources.
    pub mhtml: Vec<Vec<u8>>,
    /// The files of each capture by their names.
    pub captures: Vec<BTreeMap<String, Vec<u8>>>,
    /// Model files, without the large ones.
    pub models: Vec<Vec<u8>>,
}

/// Returns the path of the folder `fixtures`.
pub fn fixtures() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures")
}

/// Lists the entries of a folder in the order of their names.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} cannot be listed: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of a folder that was opened").path())
        .collect();
    paths.sort();
    paths
}

/// Reads a file that must exist.
pub fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()))
}

impl Corpus {
    /// Reads the fixtures and the small models.
    pub fn read() -> Self {
        let cases: Vec<PathBuf> = entries(&fixtures().join("site"))
            .iter()
            .flat_map(|case| entries(case))
            .collect();
        let ending = |ending: &str| -> Vec<Vec<u8>> {
            let is_wanted = |path: &&PathBuf| path.extension().is_some_and(|found| found == ending);
            cases
                .iter()
                .filter(is_wanted)
                .map(|path| read(path))
                .collect()
        };
        let models = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("models");
        Self {
            html: ending("html"),
            css: ending("css"),
            pictures: ending("png"),
            mhtml: entries(&fixtures().join("saved"))
                .iter()
                .map(|path| read(path))
                .collect(),
            captures: entries(&fixtures().join("captures"))
                .iter()
                .map(|folder| files(folder))
                .collect(),
            models: [
                "static.model",
                "methods/texrex.model",
                "methods/ice-genetic.model",
                "methods/ice-tree.model",
            ]
            .iter()
            .map(|name| read(&models.join(name)))
            .collect(),
        }
    }
}

/// Reads the files of a folder by their names.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    entries(folder)
        .iter()
        .filter(|path| path.is_file())
        .map(|path| {
            (
                path.file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                read(path),
            )
        })
        .collect()
}
