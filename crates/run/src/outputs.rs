//! Writes the text of a page: to a file named after it, a container of many pages, or the observer
//! of the run.

use super::corpus::{Corpus, CorpusNote, CorpusOptions, Measurer};
use super::error::RunError;
use super::inputs::{Inputs, PageName};
use super::journal::{EffectiveArguments, is_journal_folder};
use super::options::{Resuming, RunPart};
use super::output_files::{Destination, Protected, check_targets, format_of_ending, write_page};
use super::pages::{Ended, StoreOutcome};
use super::product::{Captured, Product, Undecided, among_others, record, with_origin};
use super::report::Observer;
use super::saved_images::SavedImages;
use super::state::{JournalOptions, RunState, began_s, folder_of};
use super::store::{self, Blocks};
use super::work::Ending;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vclean_core::capture::Capture;
use vclean_core::document::Provenance;
use vclean_core::emit::{EmitOptions, FORMATS, Format};
use vclean_core::error::ModelError;
use vclean_core::files;
use vclean_core::page::Page;
#[cfg(feature = "clap")]
use vclean_core::pipeline::choice;
use vclean_core::pipeline::{CleanedPage, Options};

/// The results to write for each page, and their destination; by default, the observer gets the
/// text.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "Output")
)]
pub struct OutputOptions {
    /// Write to a folder (one file a page), or to one file: .jsonl, .txt, .md, .vert, .parquet ...
    ///
    /// A folder gets one file per page, named after the input (of a page without text, the file is
    /// empty, or in JSON and HTML a document without text). One file for all pages is
    /// FILE.jsonl[.gz], FILE.warc[.gz], a folder DIR.parquet, or FILE.txt, FILE.md, FILE.csv,
    /// FILE.xml, FILE.tei, FILE.vrt, FILE.vert or FILE.conllu, with .gz or .zst after it to
    /// compress it; with the format chunks, FILE.jsonl has a chunk per line. FILE.html and
    /// FILE.json are for one page. Files that exist are refused unless --resume or --overwrite is
    /// given, and inputs are never replaced
    #[cfg_attr(feature = "clap", arg(long, short, value_name = "DIR|FILE"))]
    pub out: Option<PathBuf>,

    /// Treatment of the results of an earlier run.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub resuming: Resuming,

    /// Also write the verdict on every block with its text, path, probability, margin and box:
    /// verdicts, or with all features: features (JSON lines and Parquet) [default: none]
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "WHAT",
            requires = "out",
            value_parser = choice::<Blocks>(),
            default_value = "none",
            hide_default_value = true,
            hide_possible_values = true
        )
    )]
    pub blocks: Blocks,

    /// Save the pictures of the texts in DIR and make the texts refer to the files; implies
    /// --images
    ///
    /// Each is saved once, named by its content. Pages from archives and folders take them from
    /// there; others load them under the same rules as pages (not `clean`, which loads nothing)
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    pub save_images: Option<PathBuf>,

    /// The filters of the run.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub corpus: CorpusOptions,

    /// The format of the texts.
    #[cfg_attr(feature = "clap", arg(skip = &FORMATS[0]))]
    pub format: &'static Format,

    /// The options of the format.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub emit: EmitOptions,
}

impl Default for OutputOptions {
    fn default() -> Self {
        Self {
            out: None,
            resuming: Resuming::default(),
            blocks: Blocks::None,
            save_images: None,
            corpus: CorpusOptions::default(),
            format: &FORMATS[0],
            emit: EmitOptions::default(),
        }
    }
}

impl OutputOptions {
    /// Checks the options for an output.
    ///
    /// # Errors
    /// If they contradict each other.
    pub(super) fn check(&self, to: &Destination) -> Result<(), RunError> {
        let has_blocks = matches!(to, Destination::Container(_, kind) if kind.has_blocks);
        if self.blocks != Blocks::None && !has_blocks {
            return Err(RunError::Options(
                "`blocks` is for an output FILE.jsonl or DIR.parquet; the format json holds the verdicts of a page alone"
                    .to_owned(),
            ));
        }
        if matches!(to, Destination::Container(..)) && self.format.is_json {
            return Err(RunError::Options(format!(
                "the format {} is for a file a page; an output FILE.jsonl holds a JSON object a page, `blocks` more of it",
                self.format.name
            )));
        }
        let is_of_texts = matches!(to, Destination::Container(_, kind) if !kind.holds_corpus());
        if is_of_texts && self.format.is_lines() {
            return Err(RunError::Options(format!(
                "the format {} is for a file a page, or FILE.jsonl for all pages; name one of these",
                self.format.name
            )));
        }
        if self.format.name == "html" && self.corpus.drops_passages() {
            return Err(RunError::Options(
                "the format html holds the page's own elements, of which `duplicate_paragraphs` and `site_lines` drop \
                 none; mark the passages, or write another format"
                    .to_owned(),
            ));
        }
        if self.emit.positions && !has_blocks && !self.format.is_json {
            return Err(RunError::Options(format!(
                "`positions` is for the format json and for an output FILE.jsonl or DIR.parquet, and the format is {}; leave it \
                 out, or name one of these",
                self.format.name
            )));
        }
        Ok(())
    }

    /// The folder for the pictures of the texts, if they are saved.
    pub(super) fn images(&self) -> Result<Option<SavedImages>, RunError> {
        let Some(folder) = &self.save_images else {
            return Ok(None);
        };
        let is_folder = |out: &&PathBuf| out.is_dir() || out.extension().is_none();
        let texts = match self.out.as_ref() {
            Some(out) if is_folder(&out) => Some(files::make_folder(out)?),
            Some(out) => Some(files::folder_of(out).to_path_buf()),
            None => None,
        };
        Ok(Some(SavedImages::new(folder, texts.as_deref())?))
    }

    /// Returns true if nothing but the text of pages is written or filtered.
    pub fn is_text_alone(&self) -> bool {
        let is_container = self
            .out
            .as_deref()
            .is_some_and(|out| store::kind_of(out).is_some());
        let is_more = is_container || self.corpus.is_on() || self.save_images.is_some();
        self.format.is_text_alone && !is_more
    }

    /// The arguments that must be the same when a run is resumed: those given and those of the
    /// output.
    pub(super) fn arguments(
        &self,
        part: Option<RunPart>,
        mut arguments: EffectiveArguments,
    ) -> EffectiveArguments {
        let part = part.map_or("none".to_owned(), |part| {
            format!("{}/{}", part.index + 1, part.count)
        });
        arguments.extend(
            [
                ("vclean", env!("CARGO_PKG_VERSION").to_owned()),
                ("format", self.format.name.to_owned()),
                ("blocks", format!("{:?}", self.blocks).to_lowercase()),
                ("part", part),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        arguments.extend(self.corpus.arguments());
        arguments
    }

    /// These options for the formats that `options` names, and otherwise for that of the output.
    ///
    /// # Errors
    /// If an option is for another format.
    pub fn with_format(self, options: &Options) -> Result<Self, ModelError> {
        let by_ending = || self.out.as_deref().and_then(format_of_ending);
        let format = options.format()?.or_else(by_ending).unwrap_or(&FORMATS[0]);
        options.check_formats(&[format])?;
        let emit = options.emit();
        Ok(Self {
            format,
            emit: EmitOptions {
                images: emit.images || self.save_images.is_some(),
                ..emit
            },
            ..self
        })
    }

    /// True if results must come in the order of the inputs, because decisions depend on earlier
    /// documents.
    ///
    /// # Errors
    /// If the run is `unordered` then.
    pub(super) fn needs_strict_order(&self, unordered: bool) -> Result<bool, RunError> {
        let is_needed = self.corpus.depends_on_order();
        if is_needed && unordered {
            return Err(RunError::Options(
                "with `unordered`, the order of the documents is not that of the inputs, and `near_duplicates`, \
                 `duplicate_paragraphs` and `site_lines` depend on it; leave one of them out"
                    .to_owned(),
            ));
        }
        Ok(is_needed)
    }
}

/// The outputs of a run.
#[derive(Debug, Clone)]
pub struct Outputs {
    options: OutputOptions,
    to: Destination,
    protected: Protected,
    /// True if several pages follow one another on one stream. A JSON document is then on one line,
    /// and text has a heading.
    has_several: bool,
    /// Measures documents for the filters of the run, if it has any.
    measurer: Option<Arc<Measurer>>,
}

impl Outputs {
    /// The outputs for the pages of `inputs`. Nothing is written yet.
    ///
    /// # Errors
    /// If options contradict each other.
    pub fn new(options: OutputOptions, inputs: &Inputs) -> Result<Self, RunError> {
        let is_one_page = inputs.is_one_page();
        let to = Destination::new(options.out.as_deref(), options.format, is_one_page)?;
        options.check(&to)?;
        let measurer = options
            .corpus
            .is_on()
            .then(|| Arc::new(Measurer::new(options.corpus.clone())));
        Ok(Self {
            options,
            to,
            protected: Protected::inputs(inputs),
            has_several: !is_one_page,
            measurer,
        })
    }

    /// Opens the state of a run over `inputs`. It is kept on disk if several pages go to a folder
    /// or a container. Missing folders are created. `arguments` are the other arguments of the run
    /// that must be the same when it is resumed.
    ///
    /// # Errors
    /// If another run writes there, if the results of an earlier one are there and cannot be
    /// resumed, or if a file that may not be replaced is in the way.
    pub fn open(
        &self,
        inputs: &Inputs,
        arguments: EffectiveArguments,
        metrics: Option<&Path>,
    ) -> Result<RunState, RunError> {
        let resuming = self.options.resuming;
        let part = inputs.part();
        let corpus = || {
            self.measurer
                .is_some()
                .then(|| Corpus::new(self.options.corpus.clone()))
        };
        let journal_options = |out: &Path, is_file: bool, is_there| JournalOptions {
            folder: folder_of(out, is_file, part),
            arguments: self.options.arguments(part, arguments),
            earlier: resuming.earlier(),
            retries: resuming.retry_failed,
            corpus: corpus(),
            is_there,
        };
        metrics.map_or(Ok(()), |metrics| self.protected.check(metrics))?;
        let (out, is_file) = match &self.to {
            Destination::Observer => return Ok(RunState::unkept(metrics)?.with_corpus(corpus())),
            Destination::Container(out, kind) => {
                return self.open_container(out, kind, journal_options(out, true, None), metrics);
            }
            Destination::File(out) => (out, true),
            Destination::Folder(out) => (out, false),
        };
        let this = self.clone();
        let is_there = move |stem: &str, bytes: Option<u64>| {
            let length = this
                .text_file(stem)
                .and_then(|path| path.metadata().ok())
                .map(|facts| facts.len());
            length.is_some_and(|length| bytes.is_none_or(|bytes| bytes == length))
        };
        let journal_options = journal_options(out, is_file, Some(Box::new(is_there)));
        let folder = if is_file { files::folder_of(out) } else { out };
        if inputs.is_one_page() && !resuming.resume {
            self.check(folder, inputs)?;
            files::make_folder(folder)?;
            return Ok(RunState::unkept(metrics)?.with_corpus(corpus()));
        }
        // If there is a journal, it is opened before the files are checked: it knows which run
        // wrote them.
        let has_journal = is_journal_folder(&journal_options.folder);
        if !has_journal {
            self.check(folder, inputs)?;
        }
        files::make_folder(folder)?;
        let state = RunState::kept(journal_options, metrics, |_| Ok(None))?;
        if has_journal {
            self.check(folder, inputs)?;
        }
        if part.is_none() && !is_file {
            // An undivided run has the folder to itself. Otherwise other parts may be running.
            files::remove_incomplete(out);
        }
        Ok(state)
    }

    /// Checks that the files of the pages may be written to `folder`.
    fn check(&self, folder: &Path, inputs: &Inputs) -> Result<(), RunError> {
        check_targets(
            folder,
            inputs,
            &self.protected,
            self.options.resuming,
            |stem| self.text_file(stem),
            |_| true,
        )
    }

    fn open_container(
        &self,
        out: &Path,
        kind: &store::Kind,
        journal_options: JournalOptions,
        metrics: Option<&Path>,
    ) -> Result<RunState, RunError> {
        self.protected.check(out)?;
        self.protected.check_folder(out)?;
        let is_foreign = out.exists() && !is_journal_folder(&journal_options.folder);
        if is_foreign && !self.options.resuming.overwrite {
            return Err(RunError::ForeignOutput(out.to_path_buf()));
        }
        if let Some(parent) = out.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            files::make_folder(parent)?;
        }
        let state = journal_options.folder.clone();
        let options = store::ContainerOptions {
            state: state.clone(),
            media_type: self.options.format.media_type,
            corpus: self.options.format.corpus,
            began_s: began_s(&state)?,
            blocks: self.options.blocks,
            has_corpus: self.options.corpus.is_on(),
            positions: self.options.emit.positions,
        };
        RunState::kept(journal_options, metrics, |checkpoint| {
            let container = (kind.open)(out, &options, checkpoint);
            container.map(Some).map_err(|cause| RunError::Output {
                path: out.to_path_buf(),
                cause,
            })
        })
    }

    fn text_file(&self, stem: &str) -> Option<PathBuf> {
        self.to.file(stem, self.options.format.extension)
    }

    /// The product that is stored for a page. For a page without content, text formats give an
    /// empty text and other formats a document without text, since an empty file would be invalid.
    /// With filters, the product is made when the page is stored.
    pub fn product(
        &self,
        stem: &str,
        page: &Page,
        capture: &Capture,
        cleaned: CleanedPage,
    ) -> Product {
        let captured = Captured::new(page, capture);
        match &self.measurer {
            None => self.write(stem, page, captured, cleaned, None),
            Some(measurer) => {
                let address = captured.address.as_deref().or(page.url.as_deref());
                let measured = measurer.measure(&cleaned.document, page, address);
                Product::Undecided(Box::new(Undecided {
                    page: page.without_body(),
                    captured,
                    cleaned,
                    measured,
                }))
            }
        }
    }

    fn write(
        &self,
        stem: &str,
        page: &Page,
        captured: Captured,
        mut cleaned: CleanedPage,
        note: Option<CorpusNote>,
    ) -> Product {
        cleaned.document.id = Some(stem.to_owned());
        cleaned.document.provenance = Provenance {
            input: Some(page.input.clone()),
            captured: captured.date.clone(),
        };
        let OutputOptions {
            format,
            emit,
            blocks,
            ..
        } = &self.options;
        if let Destination::Container(_, kind) = &self.to {
            let mut made = record(
                stem,
                page,
                captured,
                cleaned,
                (format, emit),
                *blocks,
                kind.has_blocks,
            );
            if kind.holds_corpus() {
                made.text = among_others(&made.text, format, &page.name());
            }
            return Product::Record(Box::new(store::Record {
                corpus: note,
                ..made
            }));
        }
        let mut written = (format.write)(&cleaned.document, emit);
        if format.is_json {
            written = with_origin(
                &written,
                stem,
                page,
                captured.date.as_deref(),
                note.as_ref(),
            );
        }
        if !self.has_several || !matches!(self.to, Destination::Observer) {
            return Product::Text(written);
        }
        Product::Text(among_others(&written, format, &page.name()))
    }

    /// Tells the observer that all texts were given, if the run was not interrupted.
    pub(super) fn end_texts(&self, ended: Ended, observer: &mut impl Observer) -> Ended {
        if self.has_several
            && matches!(self.to, Destination::Observer)
            && ended.ending == Ending::Complete
        {
            observer.texts_done(self.options.format.corpus.foot());
        }
        Ended {
            has_lost_output: ended.has_lost_output || observer.has_lost_output(),
            ..ended
        }
    }

    /// Decides on a document and makes its product; `None` if it is dropped and nothing is stored.
    fn decided(
        &self,
        page: &PageName,
        undecided: Undecided,
        state: &mut RunState,
    ) -> io::Result<Option<Product>> {
        let Undecided {
            page: input,
            captured,
            mut cleaned,
            measured,
        } = undecided;
        let corpus = state
            .corpus()
            .ok_or_else(|| io::Error::other("the filters of the run are not open"))?;
        let decision = corpus.decide(&page.stem, &page.input, &measured)?;
        let document = &mut cleaned.document;
        if decision.note.dropped.is_some() {
            // Only a record can say why it was dropped.
            if !matches!(&self.to, Destination::Container(_, kind) if kind.has_blocks) {
                return Ok(None);
            }
            document.leave_out_all();
        }
        document.leave_out(&decision.left_out);
        Ok(Some(self.write(
            &page.stem,
            &input,
            captured,
            cleaned,
            Some(decision.note),
        )))
    }

    /// Stores the product of a page.
    pub fn store(
        &self,
        page: &PageName,
        product: Product,
        observer: &mut impl Observer,
        state: &mut RunState,
    ) -> StoreOutcome {
        let corpus = self.options.format.corpus;
        let head = if self.has_several { corpus.head() } else { "" };
        match product {
            Product::Nothing => StoreOutcome::Dropped,
            Product::Undecided(undecided) => match self.decided(page, *undecided, state) {
                Ok(Some(product)) => self.store(page, product, observer, state),
                Ok(None) => StoreOutcome::Dropped,
                Err(error) => StoreOutcome::Unwritten(error.to_string()),
            },
            Product::Record(record) => {
                match state.container().map(|container| container.append(*record)) {
                    Some(Ok(())) => StoreOutcome::Stored(None),
                    Some(Err(error)) => StoreOutcome::Unwritten(error.to_string()),
                    None => StoreOutcome::Unwritten("its container is not open".to_owned()),
                }
            }
            Product::Text(text) => match self.text_file(&page.stem) {
                Some(path) => match write_page(
                    &path,
                    text.as_bytes(),
                    &self.protected,
                    self.options.resuming,
                ) {
                    Ok(()) => StoreOutcome::Stored(Some(text.len() as u64)),
                    Err(error) => StoreOutcome::Unwritten(error.to_string()),
                },
                None => match observer.text(&text, head, corpus.separator()) {
                    ControlFlow::Continue(()) => StoreOutcome::Stored(None),
                    ControlFlow::Break(()) => StoreOutcome::Declined,
                },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Blocks;
    use crate::{CorpusOptions, Resuming};
    use std::fs;
    use vclean_core::emit::{self, EmitOptions, FORMATS};
    use vclean_core::explain::samples;
    use vclean_core::features::FeatureTable;

    /// An observer that ignores everything.
    struct Silent;

    impl Observer for Silent {
        fn page_done(&mut self, _: &crate::Figures) {}
        fn page_failed(&mut self, _: &str, _: &str) {}
        fn page_warning(&mut self, _: &str, _: &vclean_core::error::Warning) {}
        fn run_warning(&mut self, _: &str) {}
        fn run_error(&mut self, _: &str) {}
        fn text(&mut self, _: &str, _: &str, _: &str) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    fn options(out: Option<&Path>, format: &str) -> OutputOptions {
        OutputOptions {
            format: emit::find(format).unwrap(),
            emit: EmitOptions::default(),
            out: out.map(Path::to_path_buf),
            blocks: Blocks::None,
            save_images: None,
            resuming: Resuming::default(),
            corpus: CorpusOptions::default(),
        }
    }

    fn sample() -> (Capture, CleanedPage) {
        let (capture, targets, document) = samples::page("Menu");
        let table = FeatureTable::without_columns(targets.len());
        (capture, CleanedPage::new(targets, table, document))
    }

    fn page() -> Page {
        let body = vclean_core::page::Body::html("");
        Page::new("a.html", body)
    }

    fn name(stem: &str) -> PageName {
        PageName {
            input: "a.html".into(),
            stem: stem.to_owned(),
        }
    }

    fn inputs() -> Inputs {
        Inputs::undivided(&["a.html", "b.html"])
    }

    fn put(outputs: &Outputs, state: &mut RunState, stem: &str, cleaned: CleanedPage) {
        let (capture, _) = sample();
        let product = outputs.product(stem, &page(), &capture, cleaned);
        let StoreOutcome::Stored(bytes) = outputs.store(&name(stem), product, &mut Silent, state)
        else {
            unreachable!()
        };
        state.done(&name(stem), bytes).unwrap();
    }

    #[test]
    fn each_page_has_one_file_which_is_valid_without_content() {
        let folder = tempfile::tempdir().unwrap();
        for format in FORMATS {
            let out = folder.path().join("made/if/missing").join(format.name);
            let options = options(Some(&out), format.name);
            let outputs = Outputs::new(options.clone(), &inputs()).unwrap();
            let mut state = outputs
                .open(&inputs(), EffectiveArguments::new(), None)
                .unwrap();
            let (_, mut cleaned) = sample();
            put(&outputs, &mut state, "a", cleaned.clone());
            let text = fs::read_to_string(out.join("a").with_extension(format.extension)).unwrap();
            assert!(
                text.contains("Some running text") || text.contains("running\n"),
                "{text}"
            );
            cleaned.document.segments.clear();
            put(&outputs, &mut state, "b", cleaned);
            let empty = fs::read_to_string(out.join("b").with_extension(format.extension)).unwrap();
            match format.name {
                "json" => {
                    let value: serde_json::Value = serde_json::from_str(&empty).unwrap();
                    assert_eq!(value["segments"], serde_json::json!([]), "{empty}");
                }
                "html" => assert!(
                    empty.starts_with("<!DOCTYPE html>") && empty.ends_with("</html>\n"),
                    "{empty}"
                ),
                "text" | "cleaneval" | "markdown" | "conllu" | "chunks" => {
                    assert_eq!(empty, "", "{}", format.name);
                }
                name => assert!(
                    empty.contains('b') && !empty.contains("running"),
                    "{name}: {empty}"
                ),
            }
        }
    }

    #[test]
    fn a_page_is_done_when_its_file_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let mut options = options(Some(&out), "text");
        options.resuming.resume = true;
        let outputs = Outputs::new(options.clone(), &inputs()).unwrap();
        // Files of a run without a journal count as done.
        fs::create_dir(&out).unwrap();
        fs::write(out.join("old.txt"), "text").unwrap();
        let mut state = outputs
            .open(&inputs(), EffectiveArguments::new(), None)
            .unwrap();
        let mut is_due = state.is_due();
        assert!(!is_due("old") && is_due("a"));
        for stem in ["a", "b"] {
            put(&outputs, &mut state, stem, sample().1);
        }
        state.end(true).unwrap();
        drop(state);
        fs::write(out.join("b.txt"), "cut").unwrap();
        let mut is_due = outputs
            .open(&inputs(), EffectiveArguments::new(), None)
            .unwrap()
            .is_due();
        assert!(!is_due("a") && is_due("b") && is_due("c") && is_due("old"));
        options.format = emit::find("html").unwrap();
        let outputs = Outputs::new(options.clone(), &inputs()).unwrap();
        let error = outputs
            .open(&inputs(), EffectiveArguments::new(), None)
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("`format` text") && error.contains("html"),
            "{error}"
        );
    }

    #[test]
    fn a_container_is_recognized_by_its_extension_and_foreign_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("pages.jsonl");
        let mut options = options(Some(&out), "text");
        options.blocks = Blocks::Verdicts;
        fs::write(&out, "something else").unwrap();
        let open = |options: &OutputOptions| {
            let outputs = Outputs::new(options.clone(), &inputs())?;
            let state = outputs.open(&inputs(), EffectiveArguments::new(), None)?;
            Ok::<_, RunError>((outputs, state))
        };
        for resume in [false, true] {
            options.resuming.resume = resume;
            assert!(
                open(&options)
                    .err()
                    .unwrap()
                    .to_string()
                    .contains("`overwrite`")
            );
        }
        options.resuming = Resuming {
            overwrite: true,
            ..Resuming::default()
        };
        let (outputs, mut state) = open(&options).unwrap();
        put(&outputs, &mut state, "a", sample().1);
        state.end(true).unwrap();
        let line: serde_json::Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
        assert_eq!(line["id"], "a");
        assert_eq!(line["blocks"].as_array().unwrap().len(), 3);
        assert!(line["marked"].as_str().unwrap().starts_with('<'), "{line}");
        for wrong in ["out", "x.warc"] {
            options.out = Some(folder.path().join(wrong));
            assert!(
                open(&options)
                    .err()
                    .unwrap()
                    .to_string()
                    .contains("`blocks`"),
                "{wrong}"
            );
        }
    }
}
