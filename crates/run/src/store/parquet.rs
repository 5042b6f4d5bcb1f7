//! A folder of Parquet files, which Spark, pandas and others read as one table.
//!
//! A Parquet file cannot grow once it is finished, so the pages of the next file wait in a spool, a
//! file of JSON lines that resumes from a checkpoint like any other. When there are enough, they
//! are written to one Parquet file under a temporary name, which is synchronized to disk and
//! renamed; only then is the spool emptied. The division into files depends on the pages alone, not
//! on when a run was interrupted.

mod columns;
mod parts;

use super::container::{Blocks, Container, ContainerOptions};
use super::lines::{Appending, Packing, line};
use super::record::Record;
use crate::journal::Checkpoint;
use ::parquet::basic::Compression;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::TypePtr;
use columns::Tables;
use parts::{Part, Parts};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vclean_core::features;

/// Largest number of pages per file, and their approximate size limit in bytes. Heuristic: a file
/// is held in memory while it is written, and readers work best with files that are neither very
/// small nor very large.
const FILE_PAGES: usize = 1000;
const FILE_BYTES: usize = 64 << 20;

struct Files {
    folder: PathBuf,
    spool_path: PathBuf,
    spool: Appending,
    /// Number of the next file.
    part: u64,
    parts: Parts,
    /// The pages of the next file.
    records: Vec<Record>,
    bytes: usize,
    tables: Tables,
    schema: TypePtr,
}

pub(super) fn open(
    path: &Path,
    options: &ContainerOptions,
    checkpoint: Option<Checkpoint>,
) -> io::Result<Box<dyn Container>> {
    fs::create_dir_all(path)?;
    let spool_path = options.state.join("spool.jsonl");
    let mut parts = Parts::read(&options.state)?;
    let at = parts.resume_at(checkpoint.unwrap_or_default())?;
    parts.check(at.part, |number| file(path, number))?;
    let spool = Appending::open(&spool_path, Some(at), Packing::None)?;
    for number in at.part.. {
        // Remove the files of an earlier run that is replaced, and those whose pages the journal
        // does not know.
        if !remove(&file(path, number))? && number >= parts.len() {
            break;
        }
    }
    parts.truncate(at.part)?;
    let features = if options.blocks == Blocks::Features {
        features::describe()
            .map(|(_, column)| column.name)
            .collect()
    } else {
        Vec::new()
    };
    let tables = Tables {
        has_blocks: options.blocks != Blocks::None,
        features,
        has_positions: options.positions,
        has_corpus: options.has_corpus,
    };
    let mut files = Files {
        folder: path.to_path_buf(),
        spool,
        spool_path,
        part: at.part,
        parts,
        records: Vec::new(),
        bytes: 0,
        schema: Arc::new(columns::schema(&tables).map_err(io::Error::other)?),
        tables,
    };
    for line in BufReader::new(File::open(&files.spool_path)?).lines() {
        let record: Record = serde_json::from_str(&line?)?;
        files.bytes += record.bytes();
        files.records.push(record);
    }
    if files.is_full() {
        // The run ended after the pages were recorded and before their file was written.
        files.end_file()?;
    }
    Ok(Box::new(files))
}

fn file(folder: &Path, part: u64) -> PathBuf {
    folder.join(format!("part-{part:06}.parquet"))
}

/// Removes a file; false if there was none.
fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

impl Files {
    fn is_full(&self) -> bool {
        self.records.len() >= FILE_PAGES || self.bytes >= FILE_BYTES
    }

    /// Writes the pages of the spool to a file, and begins the next one.
    fn end_file(&mut self) -> io::Result<()> {
        let path = file(&self.folder, self.part);
        let beside = self
            .folder
            .join(format!("_part-{:06}.unfinished", self.part));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by("vclean".to_owned());
        let mut writer = SerializedFileWriter::new(
            File::create(&beside)?,
            Arc::clone(&self.schema),
            Arc::new(properties.build()),
        )?;
        let mut group = writer.next_row_group()?;
        columns::write(&mut group, &self.records, &self.tables)?;
        group.close()?;
        writer.into_inner()?.sync_all()?;
        fs::rename(&beside, &path)?;
        // The renaming must be on disk before the spool is emptied.
        File::open(&self.folder)?.sync_all()?;
        self.parts.add(Part {
            bytes: fs::metadata(&path)?.len(),
            spool_bytes: self.spool.sync()?,
        })?;
        self.records.clear();
        self.bytes = 0;
        self.part += 1;
        self.spool = Appending::open(&self.spool_path, None, Packing::None)?;
        Ok(())
    }
}

impl Container for Files {
    fn append(&mut self, record: Record) -> io::Result<()> {
        self.spool.append(&line(&record))?;
        self.bytes += record.bytes();
        self.records.push(record);
        Ok(())
    }

    fn is_due(&self) -> bool {
        self.is_full()
    }

    fn sync(&mut self) -> io::Result<Checkpoint> {
        Ok(Checkpoint {
            part: self.part,
            bytes: self.spool.sync()?,
        })
    }

    fn committed(&mut self) -> io::Result<()> {
        if self.is_full() {
            self.end_file()
        } else {
            Ok(())
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        if !self.records.is_empty() {
            self.end_file()?;
        }
        remove(&self.spool_path).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::{ListAccessor, RowAccessor};

    fn options(state: &Path, blocks: Blocks) -> ContainerOptions {
        ContainerOptions {
            state: state.into(),
            media_type: "text/plain",
            corpus: vclean_core::emit::FORMATS[0].corpus,
            began_s: 0,
            blocks,
            has_corpus: true,
            positions: false,
        }
    }

    #[test]
    fn what_was_written_is_read_by_the_reader_of_the_crate() {
        for blocks in [Blocks::None, Blocks::Verdicts, Blocks::Features] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("pages.parquet");
            let mut files = open(&path, &options(folder.path(), blocks), None).unwrap();
            for number in 0..9 {
                files.append(Record::sample(number)).unwrap();
            }
            files.sync().unwrap();
            files.finish().unwrap();
            let reader = SerializedFileReader::new(File::open(file(&path, 0)).unwrap()).unwrap();
            let rows: Vec<_> = reader
                .get_row_iter(None)
                .unwrap()
                .map(Result::unwrap)
                .collect();
            assert_eq!(rows.len(), 9);
            for (number, row) in rows.iter().enumerate() {
                let record = Record::sample(number);
                assert_eq!(row.get_string(0).unwrap(), &record.id);
                assert_eq!(row.get_string(3).unwrap(), &record.text);
                let shown = row.to_string();
                let has = |field: &str| shown.contains(field);
                assert_eq!(
                    has(&format!("record_id: \"urn:uuid:{number}\"")),
                    number % 2 == 0,
                    "{shown}"
                );
                assert_eq!(
                    has("dropped: \"near-duplicate\", duplicate_of: \"page-0\", corpus: "),
                    number % 4 == 0,
                    "{shown}"
                );
                assert_eq!(
                    has(&format!("source_id: \"{number}\"")),
                    number % 4 == 0,
                    "{shown}"
                );
                let names: Vec<&String> = row.get_column_iter().map(|(name, _)| name).collect();
                assert_eq!(
                    names.last().unwrap().as_str(),
                    if blocks == Blocks::None {
                        "posts"
                    } else {
                        "blocks"
                    }
                );
                if blocks == Blocks::None {
                    continue;
                }
                assert_eq!(
                    shown.matches("modified: \"2020-01-02\"").count(),
                    usize::from(number % 2 == 0),
                    "{shown}"
                );
                assert_eq!(
                    shown.matches(&format!("\"tag {number}.")).count(),
                    number % 3,
                    "{shown}"
                );
                assert_eq!(
                    shown.matches(&format!(" -> \"source {number}.")).count(),
                    number % 3,
                    "{shown}"
                );
                let list = row.get_list(names.len() - 1).unwrap();
                assert_eq!(list.len(), number % 4);
                let shown = row.to_string();
                for block in record.blocks.unwrap() {
                    assert!(shown.contains(&block.text), "{shown}");
                }
                // Two columns of this page have values, the others are null.
                let has_depth = shown.contains("structural.depth_log: 0.1");
                assert_eq!(
                    has_depth,
                    blocks == Blocks::Features && number % 4 > 0,
                    "{shown}"
                );
            }
        }
    }

    #[test]
    fn positions_are_written_if_they_are_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.parquet");
        let options = ContainerOptions {
            positions: true,
            ..options(folder.path(), Blocks::Verdicts)
        };
        let mut files = open(&path, &options, None).unwrap();
        for number in 0..9 {
            files.append(Record::sample(number)).unwrap();
        }
        files.sync().unwrap();
        files.finish().unwrap();
        let reader = SerializedFileReader::new(File::open(file(&path, 0)).unwrap()).unwrap();
        for (number, row) in reader
            .get_row_iter(None)
            .unwrap()
            .map(Result::unwrap)
            .enumerate()
        {
            let (name, _) = row.get_column_iter().last().unwrap();
            assert_eq!(name, "positions");
            let list = row.get_list(row.len() - 1).unwrap();
            let wanted = Record::sample(number).positions.unwrap();
            assert_eq!(list.len(), wanted.len());
            for (at, wanted) in wanted.iter().enumerate() {
                let group = list.get_group(at).unwrap();
                assert_eq!(group.get_bool(0).unwrap(), wanted.comment);
                assert_eq!(
                    u32::try_from(group.get_int(1).unwrap()).unwrap(),
                    wanted.segment
                );
                assert_eq!(
                    (group.get_string(3).unwrap(), group.get_string(4).unwrap()),
                    (&wanted.text, &wanted.xpath)
                );
                assert_eq!(
                    group.get_int(6).ok().map(|end| u32::try_from(end).unwrap()),
                    wanted.end
                );
                assert_eq!(group.get_float(9).ok(), wanted.rect.map(|rect| rect[2]));
            }
        }
    }

    #[test]
    fn files_that_changed_and_a_journal_that_was_cut_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.parquet");
        let options = options(folder.path(), Blocks::None);
        let write = |checkpoint, numbers: std::ops::Range<usize>| -> io::Result<Checkpoint> {
            let mut files = open(&path, &options, checkpoint)?;
            let mut last = Checkpoint::default();
            for number in numbers {
                files.append(Record::sample(number))?;
                last = files.sync()?;
            }
            files.finish()?;
            Ok(last)
        };
        let rows = || {
            let paths = fs::read_dir(&path)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let count = |path| {
                SerializedFileReader::new(File::open(path).unwrap())
                    .unwrap()
                    .metadata()
                    .file_metadata()
                    .num_rows()
            };
            paths.map(count).sum::<i64>()
        };
        let first = write(None, 0..10).unwrap();
        let whole = fs::read(file(&path, 0)).unwrap();
        // If the journal has no pages, all of them are done again, once.
        let again = write(Some(Checkpoint::default()), 0..10).unwrap();
        assert_eq!((again, rows()), (first, 10));
        // If the journal has some of the pages, the run fails: they are no longer in the spool.
        let error = write(
            Some(Checkpoint {
                part: 0,
                bytes: first.bytes / 2,
            }),
            5..10,
        )
        .unwrap_err()
        .to_string();
        assert!(
            error.contains("journal was cut") && error.contains("`overwrite`"),
            "{error}"
        );
        // More pages go to the next file.
        let second = write(Some(first), 10..12).unwrap();
        assert_eq!((second.part, rows()), (1, 12));
        fs::write(file(&path, 0), &whole[..whole.len() - 9]).unwrap();
        let error = write(Some(second), 12..13).unwrap_err().to_string();
        assert!(error.contains("part-000000.parquet has"), "{error}");
        fs::remove_file(file(&path, 0)).unwrap();
        let error = write(Some(second), 12..13).unwrap_err().to_string();
        assert!(error.contains("part-000000.parquet"), "{error}");
        // A new run leaves nothing of the earlier one.
        write(None, 0..3).unwrap();
        assert_eq!(rows(), 3);
    }

    #[test]
    fn the_division_into_files_does_not_depend_on_interruptions() {
        let names = |stops: &[usize]| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("pages.parquet");
            let options = options(folder.path(), Blocks::None);
            let mut checkpoint = None;
            let mut next = 0;
            for stop in stops {
                let mut files = open(&path, &options, checkpoint).unwrap();
                while next < *stop {
                    files.append(Record::sample(next)).unwrap();
                    next += 1;
                    if files.is_due() || next == *stop {
                        checkpoint = Some(files.sync().unwrap());
                        // Sometimes the run ends just before this, sometimes just after it.
                        if next != 1000 || stops.len() == 1 {
                            files.committed().unwrap();
                        }
                    }
                }
                if next == 2100 {
                    files.finish().unwrap();
                }
            }
            let mut sizes: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(&path)
                .unwrap()
                .map(|entry| entry.unwrap())
                .map(|entry| (entry.file_name().into(), fs::read(entry.path()).unwrap()))
                .collect();
            sizes.sort();
            sizes
        };
        let whole = names(&[2100]);
        assert_eq!(whole.len(), 3);
        assert!(
            whole == names(&[400, 1000, 1001, 1999, 2100]),
            "the files differ"
        );
    }
}
