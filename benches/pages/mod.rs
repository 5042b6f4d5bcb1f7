//! Reads the pages for benches over whole sets.

use std::path::{Path, PathBuf};
use vclean_core::page::Page;
use vclean_run::source;
use vclean_run::source::{DataSet, Split};

/// Returns the name of a set and its pages: the `dev` pages of the data folder that `VCLEAN_DATA`
/// names, or the bundled pages.
pub(crate) fn pages() -> (String, Vec<Page>) {
    if let Some(folder) = std::env::var_os("VCLEAN_DATA").map(PathBuf::from) {
        let set = DataSet::open(&folder).expect("VCLEAN_DATA names a data folder");
        let pages = set
            .split(Split::Dev)
            .into_iter()
            .filter_map(|row| row.open().ok())
            .collect();
        return (set.name, pages);
    }
    let site = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/site");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(site)
        .expect("the bundled pages are part of the checkout")
        .filter_map(|entry| entry.ok().map(|entry| entry.path().join("index.html")))
        .filter(|path| path.is_file())
        .collect();
    cases.sort();
    let open = |path: &PathBuf| {
        source::open(&path.to_string_lossy())
            .next()
            .and_then(Result::ok)
    };
    (
        "bundled pages".to_owned(),
        cases.iter().filter_map(open).collect(),
    )
}
