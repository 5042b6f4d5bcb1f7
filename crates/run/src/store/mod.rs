//! Containers for the pages of a large run: one file of JSON lines, a folder of Parquet files, one
//! WARC archive, or one file of a format of texts.
//!
//! A container takes [`Record`]s one after the other, in their final order. It reports with a
//! [`Checkpoint`](super::journal::Checkpoint) how much of it is safely on disk, and can resume from
//! such a checkpoint. Together with the journal of the run, every page is in it once, however often
//! the run was interrupted. To add a container, add a file and a line in [`CONTAINERS`].

mod container;
mod corpus;
mod lines;
#[cfg_attr(not(feature = "parquet"), path = "parquet_stub.rs")]
mod parquet;
mod record;
mod warc;

pub(crate) use lines::Packing;

pub use container::ContainerOptions;
pub use container::{Blocks, Container, Kind, Open};
pub use record::PositionRow;
pub use record::{BlockRow, Record};

use std::path::Path;

/// All kinds of containers.
pub(crate) const CONTAINERS: &[Kind] = &[
    Kind {
        name: "JSON lines",
        endings: &[".jsonl", ".jsonl.gz"],
        doc: "one JSON object a page: id, input, url, source_id, record_id, record_date and captured (when the page was saved) if there are any, text, posts of a thread, marked, metadata, page_kind, page_state (text, or why the page has none), rendered, expected_f, warnings, corpus, blocks, positions",
        has_blocks: true,
        open: lines::open,
    },
    Kind {
        name: "Parquet",
        endings: &[".parquet"],
        doc: "a folder of Parquet files, at most 1,000 pages each, with the columns of JSON lines",
        has_blocks: true,
        open: parquet::open,
    },
    Kind {
        name: "WARC",
        endings: &[".warc", ".warc.gz"],
        doc: "a WARC archive with a conversion record a page, its block the text",
        has_blocks: false,
        open: warc::open,
    },
];

/// All texts in one file of their format. It has the extension of the format, followed by `.gz` or
/// `.zst` if it is compressed.
pub(crate) const CORPUS: Kind = Kind {
    name: "corpus",
    endings: &[],
    doc: "one file of the format with the texts of all pages",
    has_blocks: false,
    open: corpus::open,
};

/// The kind of container that a path names by its extension; `None` for a folder.
pub fn kind_of(path: &Path) -> Option<&'static Kind> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    CONTAINERS.iter().find(|kind| {
        kind.endings
            .iter()
            .any(|ending| name.len() > ending.len() && name.ends_with(ending))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Checkpoint;
    use std::path::PathBuf;

    fn options(state: &Path) -> ContainerOptions {
        ContainerOptions {
            state: state.to_path_buf(),
            media_type: "text/plain",
            corpus: vclean_core::emit::FORMATS[0].corpus,
            began_s: 1_700_000_000,
            blocks: Blocks::Features,
            has_corpus: true,
            positions: true,
        }
    }

    /// All kinds that this build writes, with the endings of their files.
    fn kinds() -> impl Iterator<Item = (&'static Kind, &'static [&'static str])> {
        const OF_TEXTS: &[&str] = &[".txt", ".txt.gz", ".txt.zst"];
        let is_built = |kind: &&Kind| cfg!(feature = "parquet") || kind.endings != [".parquet"];
        CONTAINERS
            .iter()
            .filter(is_built)
            .map(|kind| (kind, kind.endings))
            .chain([(&CORPUS, OF_TEXTS)])
    }

    /// All files below a folder, except those of the state.
    fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push((path.clone(), std::fs::read(&path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }

    fn relative(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let strip = |(path, bytes): (PathBuf, Vec<u8>)| {
            (path.strip_prefix(folder).unwrap().to_path_buf(), bytes)
        };
        files(folder).into_iter().map(strip).collect()
    }

    #[test]
    fn every_kind_is_described_and_found_by_its_extensions() {
        for kind in CONTAINERS {
            assert!(!kind.doc.is_empty());
            for ending in kind.endings {
                assert_eq!(
                    kind_of(&PathBuf::from(format!("a/Pages{ending}")))
                        .unwrap()
                        .name,
                    kind.name
                );
            }
        }
        assert!(kind_of(Path::new("cleaned")).is_none() && kind_of(Path::new(".jsonl")).is_none());
    }

    #[test]
    fn a_resumed_container_is_identical_to_one_written_in_one_run() {
        for (kind, endings) in kinds() {
            for ending in endings {
                let whole = tempfile::tempdir().unwrap();
                let state = tempfile::tempdir().unwrap();
                let name = format!("pages{ending}");
                let mut container =
                    (kind.open)(&whole.path().join(&name), &options(state.path()), None).unwrap();
                for number in 0..12 {
                    container.append(Record::sample(number)).unwrap();
                }
                container.sync().unwrap();
                container.committed().unwrap();
                container.finish().unwrap();

                let parts = tempfile::tempdir().unwrap();
                let state = tempfile::tempdir().unwrap();
                let path = parts.path().join(&name);
                let mut checkpoint = None;
                for run in 0..4 {
                    let mut container =
                        (kind.open)(&path, &options(state.path()), checkpoint).unwrap();
                    for number in run * 3..run * 3 + 3 {
                        container.append(Record::sample(number)).unwrap();
                    }
                    checkpoint = Some(container.sync().unwrap());
                    container.committed().unwrap();
                    if run == 3 {
                        container.finish().unwrap();
                    } else {
                        // This is written after the last checkpoint, so it must be gone when the
                        // next run resumes.
                        container.append(Record::sample(99)).unwrap();
                        container.sync().unwrap();
                    }
                }
                assert_eq!(relative(whole.path()), relative(parts.path()), "{ending}");
            }
        }
    }

    #[test]
    fn a_container_that_is_shorter_than_its_checkpoint_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (kind, endings) in kinds() {
            let checkpoint = Some(Checkpoint {
                part: 0,
                bytes: 1 << 20,
            });
            let path = folder.path().join(format!("pages{}", endings[0]));
            let error = (kind.open)(&path, &options(folder.path()), checkpoint)
                .err()
                .unwrap()
                .to_string();
            assert!(error.contains("shorter"), "{}: {error}", kind.name);
        }
    }
}
