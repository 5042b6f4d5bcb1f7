//! Decides on documents one after the other: what is dropped, what is marked, and what later
//! documents are compared with.
//!
//! The rules are applied in this order: language and length, near-duplicates, lines of the site,
//! duplicate paragraphs, length again. Later documents are not compared with dropped ones.

use super::log::{Additions, Log};
use super::measure::{Measured, MeasuredPassage};
use super::near_duplicates::NearDuplicates;
use super::note::{CorpusNote, DropReason, Passage, PassageRule};
use super::options::{CorpusOptions, Treatment};
use super::paragraphs::{LineCounts, SeenGrams, Verdict};
use crate::error::RunError;
use crate::journal::Past;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use vclean_core::text::shorten;

/// Longest text of a passage in a record, in characters.
const RECORDED_LETTERS: usize = 300;

/// The decision on a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decision {
    /// The findings, which are stored in the document's record.
    pub(crate) note: CorpusNote,
    /// Segments that are taken out, in order.
    pub(crate) left_out: Vec<usize>,
}

/// The filters of a run, with what they remember of the documents so far.
#[derive(Debug)]
pub(crate) struct Corpus {
    options: CorpusOptions,
    documents: Option<NearDuplicates>,
    seen: Option<SeenGrams>,
    lines: Option<LineCounts>,
    log: Option<Log>,
    /// Documents dropped in this run, by reason.
    dropped: BTreeMap<DropReason, u64>,
    /// Near-duplicates and passages marked, and passages dropped, in this run.
    marked: u64,
    passages: [u64; 2],
}

impl Corpus {
    /// The filters of a run without earlier documents.
    pub(crate) fn new(options: CorpusOptions) -> Self {
        Self {
            documents: options.near_duplicates.map(|_| NearDuplicates::new()),
            seen: options
                .duplicate_paragraphs
                .map(|_| SeenGrams::new(options.table_mb)),
            lines: options
                .site_lines
                .map(|_| LineCounts::new(options.table_mb)),
            log: None,
            dropped: BTreeMap::new(),
            marked: 0,
            passages: [0; 2],
            options,
        }
    }

    /// Stores what documents add in the folder of the run, and restores what earlier runs stored
    /// there for documents that are done by the journal. `is_there` returns true if the output of a
    /// document exists with the given size in bytes.
    ///
    /// # Errors
    /// If files cannot be read or written, or do not belong to the journal.
    pub(crate) fn keep(
        &mut self,
        folder: &Path,
        past: &Past,
        is_there: &dyn Fn(&str, Option<u64>) -> bool,
    ) -> Result<(), RunError> {
        let log = Log::open(folder, past, is_there, |name, additions| {
            self.add(name, additions);
        })?;
        self.log = Some(log);
        Ok(())
    }

    /// Decides on the next document, and remembers it.
    ///
    /// # Errors
    /// If the file beside the journal cannot be written.
    pub(crate) fn decide(
        &mut self,
        page: &str,
        input: &str,
        measured: &Measured,
    ) -> io::Result<Decision> {
        let (decision, additions) = self.judge(measured);
        if let Some(log) = &mut self.log {
            log.append((page, input), &decision.note, &additions)?;
        }
        self.add(page, &additions);
        self.count(&decision.note);
        Ok(decision)
    }

    /// Decides on the next document, and remembers it until the end of the program.
    pub(super) fn decide_unrecorded(&mut self, page: &str, measured: &Measured) -> Decision {
        let (decision, additions) = self.judge(measured);
        self.add(page, &additions);
        decision
    }

    /// Writes what was added to disk.
    ///
    /// # Errors
    /// If the file beside the journal cannot be written.
    pub(crate) fn commit(&mut self) -> io::Result<()> {
        self.log.as_mut().map_or(Ok(()), Log::commit)
    }

    /// Documents dropped in this run.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.values().sum()
    }

    /// Counts of what was dropped and marked in this run, as text; `None` if nothing was.
    pub(crate) fn summary(&self) -> Option<String> {
        let mut parts = Vec::new();
        if !self.dropped.is_empty() {
            let reasons: Vec<String> = self
                .dropped
                .iter()
                .map(|(reason, count)| format!("{} {count}", reason.name()))
                .collect();
            parts.push(format!(
                "{} documents dropped ({})",
                self.dropped(),
                reasons.join(", ")
            ));
        }
        let mut part = |count: u64, what: &str| {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        };
        part(self.marked, "near-duplicates marked");
        part(self.passages[1], "passages dropped");
        part(self.passages[0], "passages marked");
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn count(&mut self, note: &CorpusNote) {
        match note.dropped {
            Some(reason) => *self.dropped.entry(reason).or_default() += 1,
            None => self.marked += u64::from(note.duplicate_of.is_some()),
        }
        for passage in &note.passages {
            self.passages[usize::from(passage.dropped)] += 1;
        }
    }

    fn add(&mut self, name: &str, additions: &Additions) {
        if let (Some(documents), Some(sketch)) = (&mut self.documents, additions.sketch) {
            documents.add(name, sketch);
        }
        if let Some(seen) = &mut self.seen {
            seen.add(&additions.grams);
        }
        if let Some(lines) = &mut self.lines {
            lines.add(&additions.lines);
        }
    }

    /// The decision on a document, and what it adds to the memory of the others.
    fn judge(&self, measured: &Measured) -> (Decision, Additions) {
        let options = &self.options;
        let has_length = options.min_words.is_some() || options.max_words.is_some();
        let mut note = CorpusNote {
            language: measured.language.clone(),
            words: has_length.then_some(measured.words),
            normalized_url: measured.normalized_url.clone(),
            ..CorpusNote::default()
        };
        let mut additions = Additions::default();
        note.dropped = self.refused(measured);
        if note.dropped.is_none()
            && let (Some(documents), Some(sketch)) = (&self.documents, measured.sketch)
        {
            match documents.find(&sketch) {
                Some((name, similarity)) => {
                    (note.duplicate_of, note.similarity) =
                        (Some(name.to_owned()), Some(similarity));
                    let is_dropped = options.near_duplicates == Some(Treatment::Drop);
                    note.dropped = is_dropped.then_some(DropReason::NearDuplicate);
                }
                None => additions.sketch = Some(sketch),
            }
        }
        if note.dropped.is_some() {
            return (
                Decision {
                    note,
                    left_out: Vec::new(),
                },
                Additions::default(),
            );
        }
        let mut left_out = BTreeSet::new();
        if let Some(lines) = &self.lines {
            self.find_lines(lines, measured, &mut note, &mut left_out);
            let own: BTreeSet<u64> = measured
                .passages
                .iter()
                .filter_map(|passage| passage.line)
                .collect();
            additions.lines = own.into_iter().collect();
        }
        if let Some(seen) = &self.seen {
            let verdicts = seen.decide(&measured.stream);
            additions.grams = SeenGrams::new_grams(&measured.stream, &verdicts);
            self.find_duplicates(&verdicts, measured, &mut note, &mut left_out);
        }
        note.passages.sort_by_key(|passage| passage.segment);
        note.dropped = self.reason_of_rest(measured, &left_out);
        if note.dropped.is_some() {
            (left_out, additions) = (BTreeSet::new(), Additions::default());
        }
        (
            Decision {
                note,
                left_out: left_out.into_iter().collect(),
            },
            additions,
        )
    }

    /// Why a document is dropped, whatever other documents contain.
    fn refused(&self, measured: &Measured) -> Option<DropReason> {
        let CorpusOptions {
            languages,
            states,
            min_words,
            max_words,
            ..
        } = &self.options;
        let is_wanted = |language: &String| languages.contains(language);
        if !languages.is_empty() && !measured.language.as_ref().is_some_and(is_wanted) {
            Some(DropReason::Language)
        } else if !states.is_empty() && measured.state.is_some_and(|state| !states.contains(&state))
        {
            Some(DropReason::State)
        } else if min_words.is_some_and(|least| measured.words < least) {
            Some(DropReason::MinWords)
        } else if max_words.is_some_and(|most| measured.words > most) {
            Some(DropReason::MaxWords)
        } else {
            None
        }
    }

    /// Why a document is dropped once passages were taken out of it.
    fn reason_of_rest(
        &self,
        measured: &Measured,
        left_out: &BTreeSet<usize>,
    ) -> Option<DropReason> {
        if left_out.is_empty() {
            return None;
        }
        let gone: usize = measured
            .passages
            .iter()
            .filter(|passage| left_out.contains(&passage.segment))
            .map(|gone| gone.words)
            .sum();
        let rest = measured.words - gone;
        if rest == 0 {
            return Some(DropReason::NothingLeft);
        }
        self.options
            .min_words
            .is_some_and(|least| rest < least)
            .then_some(DropReason::MinWords)
    }

    fn find_lines(
        &self,
        lines: &LineCounts,
        measured: &Measured,
        note: &mut CorpusNote,
        left_out: &mut BTreeSet<usize>,
    ) {
        let dropped = self.options.site_lines == Some(Treatment::Drop);
        for passage in &measured.passages {
            if passage
                .line
                .is_some_and(|line| lines.pages(line) >= self.options.site_line_pages)
            {
                note.passages
                    .push(recorded(passage, PassageRule::SiteLine, dropped, None));
                if dropped {
                    left_out.insert(passage.segment);
                }
            }
        }
    }

    fn find_duplicates(
        &self,
        verdicts: &[Verdict],
        measured: &Measured,
        note: &mut CorpusNote,
        left_out: &mut BTreeSet<usize>,
    ) {
        let dropped = self.options.duplicate_paragraphs == Some(Treatment::Drop);
        for (passage, verdict) in measured.passages.iter().zip(verdicts) {
            let (rule, share) = match verdict {
                Verdict::New => continue,
                Verdict::Duplicate(share) => (PassageRule::DuplicateParagraph, share),
                Verdict::Stub(share) => (PassageRule::Stub, share),
            };
            if left_out.contains(&passage.segment) {
                continue;
            }
            note.passages
                .push(recorded(passage, rule, dropped, Some(*share)));
            if dropped {
                left_out.insert(passage.segment);
            }
        }
    }
}

fn recorded(
    passage: &MeasuredPassage,
    rule: PassageRule,
    dropped: bool,
    share: Option<f32>,
) -> Passage {
    let text = shorten(&passage.text, RECORDED_LETTERS, RECORDED_LETTERS, "...");
    Passage {
        rule,
        dropped,
        segment: passage.segment,
        text,
        share,
    }
}
