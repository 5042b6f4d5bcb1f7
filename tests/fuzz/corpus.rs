//! The files that inputs are made from: the fixtures of the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files by kind, always in the same order.
pub struct Corpus {
    /// HTML pages.
    pub html: Vec<Vec<u8>>,
    /// Style sheets.
    pub css: Vec<Vec<u8>>,
    /// Pictures.
    pub pictures: Vec<Vec<u8>>,
    /// Saved pages with their resources.
    pub mhtml: Vec<Vec<u8>>,
    /// Captures, as the files of each by their names.
    pub captures: Vec<BTreeMap<String, Vec<u8>>>,
    /// Files of models.
    pub models: Vec<Vec<u8>>,
}

/// The folder of fixtures.
pub fn fixtures() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures")
}

/// The entries of a folder, in the order of their names.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} cannot be listed: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of a folder that was opened").path())
        .collect();
    paths.sort();
    paths
}

/// The content of a file.
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

/// The files of a folder by their names.
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
