//! Two files beside the journal. `corpus.state` holds what documents add to the memory of the
//! filters, so that a resumed run decides like one that was never interrupted. `corpus.jsonl` has a
//! line for each document of which something was dropped or marked.
//!
//! `corpus.state` holds one entry per document, in the order of decisions: a line of JSON, then the
//! hashes that it counts, 8 bytes each. An entry is written to disk before the journal names its
//! document, so entries that the journal does not know come last and are cut off on resume. The
//! size is some 200 bytes per document, plus 112 with near-duplicates, 8 per word with duplicate
//! paragraphs, and 8 per line with lines of sites.

use super::near_duplicates::{FUNCTIONS, Sketch};
use super::note::CorpusNote;
use crate::error::RunError;
use crate::journal::{PageOutcome, Past};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use vclean_core::files;

/// The hashes that a document adds to the memory of the filters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Additions {
    /// Its sketch, if later documents are compared with it.
    pub(super) sketch: Option<Sketch>,
    /// Its lines with their host, each once.
    pub(super) lines: Vec<u64>,
    /// The n-grams of its new paragraphs.
    pub(super) grams: Vec<u64>,
}

/// The line of an entry.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    page: String,
    input: String,
    has_sketch: bool,
    lines: usize,
    grams: usize,
    note: CorpusNote,
}

/// A line of `corpus.jsonl`.
#[derive(Serialize)]
struct Finding<'a> {
    page: &'a str,
    input: &'a str,
    #[serde(flatten)]
    note: &'a CorpusNote,
}

/// The two files, opened at their ends.
#[derive(Debug)]
pub(super) struct Log {
    entries: BufWriter<File>,
    findings: BufWriter<File>,
}

impl Log {
    /// Opens the files in the folder of a run, calls `take` for each entry that the journal knows,
    /// and cuts off the others.
    ///
    /// # Errors
    /// If they cannot be read or written, or an output of an earlier run is missing: its document
    /// cannot be decided again, because later decisions depend on it.
    pub(super) fn open(
        folder: &Path,
        past: &Past,
        is_there: &dyn Fn(&str, Option<u64>) -> bool,
        mut take: impl FnMut(&str, &Additions),
    ) -> Result<Self, RunError> {
        let path = folder.join("corpus.state");
        let fail = |cause| RunError::Output {
            path: path.clone(),
            cause,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(fail)?;
        let findings_path = folder.join("corpus.jsonl");
        let fail_findings = |cause| RunError::Output {
            path: findings_path.clone(),
            cause,
        };
        let mut begun = files::begin(&findings_path)?;
        let mut findings = BufWriter::new(begun.as_file_mut());
        let mut reader = BufReader::new(&file);
        let (mut end, mut known) = (0, 0);
        // Only the last entry can be incomplete.
        while let Ok(Some((head, additions, length))) = read(&mut reader) {
            match past.outcome(&head.page) {
                Some(PageOutcome::Done(bytes)) if !is_there(&head.page, bytes) => {
                    let page = &head.page;
                    let cause = format!(
                        "the output of {page} is gone or was changed since; begin anew with `overwrite`"
                    );
                    return Err(fail(io::Error::new(io::ErrorKind::InvalidData, cause)));
                }
                Some(PageOutcome::Done(_) | PageOutcome::Dropped) => {}
                Some(PageOutcome::Failed) | None => break,
            }
            take(&head.page, &additions);
            write_finding(&mut findings, &head.page, &head.input, &head.note)
                .map_err(fail_findings)?;
            (end, known) = (end + length, known + 1);
        }
        let (done, _) = past.counts();
        if known < done {
            let cause = format!(
                "it holds {known} documents, and the journal has {done} that are done; something else changed it, begin anew \
                 with `overwrite`"
            );
            return Err(fail(io::Error::new(io::ErrorKind::InvalidData, cause)));
        }
        findings.flush().map_err(fail_findings)?;
        drop(findings);
        files::finish(begun, &findings_path)?;
        file.set_len(end).map_err(fail)?;
        file.seek(SeekFrom::End(0)).map_err(fail)?;
        let findings = OpenOptions::new()
            .append(true)
            .open(&findings_path)
            .map_err(fail_findings)?;
        Ok(Self {
            entries: BufWriter::with_capacity(1 << 16, file),
            findings: BufWriter::new(findings),
        })
    }

    pub(super) fn append(
        &mut self,
        (page, input): (&str, &str),
        note: &CorpusNote,
        additions: &Additions,
    ) -> io::Result<()> {
        let Additions {
            sketch,
            lines,
            grams,
        } = additions;
        let head = Head {
            page: page.to_owned(),
            input: input.to_owned(),
            has_sketch: sketch.is_some(),
            lines: lines.len(),
            grams: grams.len(),
            note: note.clone(),
        };
        serde_json::to_writer(&mut self.entries, &head)?;
        self.entries.write_all(b"\n")?;
        if let Some(Sketch(bytes)) = sketch {
            self.entries.write_all(bytes)?;
        }
        for hash in lines.iter().chain(grams) {
            self.entries.write_all(&hash.to_le_bytes())?;
        }
        write_finding(&mut self.findings, page, input, note)
    }

    /// Writes all entries to disk.
    pub(super) fn commit(&mut self) -> io::Result<()> {
        self.findings.flush()?;
        self.entries.flush()?;
        self.entries.get_ref().sync_data()
    }
}

fn write_finding(
    to: &mut impl Write,
    page: &str,
    input: &str,
    note: &CorpusNote,
) -> io::Result<()> {
    if !note.is_finding() {
        return Ok(());
    }
    serde_json::to_writer(&mut *to, &Finding { page, input, note })?;
    to.write_all(b"\n")
}

/// The next entry and its length in bytes; `None` at the end.
fn read(from: &mut impl BufRead) -> io::Result<Option<(Head, Additions, u64)>> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') {
        return Ok(None);
    }
    let head: Head = serde_json::from_slice(&line)?;
    let mut length = line.len() as u64;
    let mut sketch = None;
    if head.has_sketch {
        let mut bytes = [0; FUNCTIONS];
        from.read_exact(&mut bytes)?;
        length += FUNCTIONS as u64;
        sketch = Some(Sketch(bytes));
    }
    let lines = read_hashes(from, head.lines)?;
    let grams = read_hashes(from, head.grams)?;
    length += 8 * (lines.len() + grams.len()) as u64;
    Ok(Some((
        head,
        Additions {
            sketch,
            lines,
            grams,
        },
        length,
    )))
}

fn read_hashes(from: &mut impl Read, count: usize) -> io::Result<Vec<u64>> {
    let mut hashes = Vec::new();
    let mut bytes = [0; 8];
    for _ in 0..count {
        from.read_exact(&mut bytes)?;
        hashes.push(u64::from_le_bytes(bytes));
    }
    Ok(hashes)
}
