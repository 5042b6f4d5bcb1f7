//! Comparison of methods: the same pages, gold and scorer for all, and the time each takes.
//!
//! Computes the figures of `vclean lab evaluate --methods`. It is in this module because block
//! labels are aligned as for training.

use crate::compare::ranking::{MethodDifferences, MethodScores, SideBySide};
use crate::method::METHODS;
use std::time::Instant;
use vclean_core::capture::Capture;
use vclean_core::classify::Label;
use vclean_core::emit::{self, EmitOptions};
use vclean_core::error::{DataError, Error, ModelError};
use vclean_core::page::{Page, parse};
use vclean_core::pipeline::{CleanedPage, Cleaners, Method, Options, PageCleaner, Sees};
use vclean_lab::evaluate::differences::differences;
use vclean_lab::evaluate::metrics::median;
use vclean_lab::evaluate::{BlockScore, Output, PageScore, Summary, score_page_in_brief};
use vclean_lab::gold::align::{self, Alignment};
use vclean_lab::gold::read::measured_rows;
use vclean_lab::gold::{Capturing, Gold, Progress, each_page, label, read_gold};
use vclean_run::source::{DataSet, Row, Split};

/// Seed of the bootstrap.
const SEED: u64 = 1;

/// A method in the comparison.
pub struct Contender {
    /// Name of its row: the method, and `bare HTML` if there is also a row with rendered pages.
    pub name: String,
    /// Entry of the table of methods.
    pub method: &'static Method,
    /// True if it gets rendered pages.
    pub is_rendered: bool,
    cleaner: PageCleaner,
}

impl Contender {
    /// Prepares methods, with their default parameters and built-in models. If pages are rendered,
    /// methods that use the rendering come twice: with and without it. `any_engine` is that of
    /// [`Options`].
    ///
    /// # Errors
    /// If a built-in model cannot be read.
    pub fn all(
        methods: &[&'static Method],
        has_rendering: bool,
        any_engine: bool,
    ) -> Result<Vec<Self>, ModelError> {
        let cleaners = Cleaners::new(METHODS);
        let mut contenders = Vec::new();
        for &method in methods {
            let cleaner = cleaners.cleaner(&Options {
                any_engine,
                ..Options::with_method(method.name)
            })?;
            let is_rendered = has_rendering && method.sees == Sees::Rendering;
            contenders.push(Self {
                name: method.name.to_owned(),
                method,
                is_rendered,
                cleaner: cleaner.clone(),
            });
            if is_rendered {
                let name = format!("{}, bare HTML", method.name);
                contenders.push(Self {
                    name,
                    method,
                    is_rendered: false,
                    cleaner,
                });
            }
        }
        Ok(contenders)
    }
}

/// The result of one contender on one page.
#[derive(Debug)]
pub struct Run {
    /// Scores of its text.
    pub score: PageScore,
    /// Its blocks compared with aligned labels; none if it does not classify blocks of the tree.
    pub blocks: BlockScore,
    /// Time from the decoded page (or the capture in memory) to text, in milliseconds.
    pub time_ms: f64,
    /// Why there is no text, if there is none.
    pub failure: Option<Error>,
}

/// Cleans a page with each contender, in their order.
///
/// # Errors
/// If the gold cannot be read. A page that a contender cannot clean counts as one without output.
pub fn run(
    set: &DataSet,
    row: &Row,
    capturing: &Capturing,
    contenders: &[Contender],
) -> Result<Vec<Run>, DataError> {
    let gold = read_gold(set, row)?;
    let page = row.open();
    let started = Instant::now();
    let bare = page
        .as_ref()
        .map_err(ToString::to_string)
        .and_then(|page| parse(page).map_err(|error| error.to_string()));
    let parse_ms = milliseconds(started);
    let rendered = contenders
        .iter()
        .any(|contender| contender.is_rendered)
        .then(|| capturing.capture(set, row));
    let mut runs = Vec::with_capacity(contenders.len());
    for contender in contenders {
        let (capture, before_ms) = match &rendered {
            Some(rendered) if contender.is_rendered => {
                (rendered.as_ref().map_err(ToString::to_string), 0.0)
            }
            _ => (bare.as_ref().map_err(Clone::clone), parse_ms),
        };
        let started = Instant::now();
        let made = match (&page, capture) {
            (Ok(page), Ok(capture)) => clean(contender, page, capture).map(|made| (capture, made)),
            (_, Err(cause)) => Err(Error::Limit(cause)),
            (Err(error), _) => Err(Error::Limit(error.to_string())),
        };
        let time_ms = before_ms + milliseconds(started);
        runs.push(match made {
            Ok((capture, (cleaned, text))) => {
                let marked = gold.marked.as_ref().and(emit::find("cleaneval"));
                let marked =
                    marked.map(|format| (format.write)(&cleaned.document, &EmitOptions::default()));
                let output = Output {
                    text: &text,
                    marked: marked.as_deref(),
                    everything: None,
                };
                let score = score_page_in_brief(row, Some(output), &gold);
                Run {
                    score,
                    blocks: judge_blocks(set, row, capture, &cleaned),
                    time_ms,
                    failure: None,
                }
            }
            Err(error) => failed(row, &gold, time_ms, error),
        });
    }
    Ok(runs)
}

fn clean(
    contender: &Contender,
    page: &Page,
    capture: &Capture,
) -> Result<(CleanedPage, String), Error> {
    let cleaned = contender.cleaner.clean_capture_of(page, capture)?;
    let text = (emit::FORMATS[0].write)(&cleaned.document, &EmitOptions::default());
    Ok((cleaned, text))
}

fn failed(row: &Row, gold: &Gold, time_ms: f64, error: Error) -> Run {
    Run {
        score: score_page_in_brief(row, None, gold),
        blocks: BlockScore::default(),
        time_ms,
        failure: Some(error),
    }
}

fn milliseconds(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

/// Compares the verdicts on a method's own blocks with labels aligned from the gold.
fn judge_blocks(set: &DataSet, row: &Row, capture: &Capture, cleaned: &CleanedPage) -> BlockScore {
    let texts: Vec<String> = cleaned
        .targets
        .iter()
        .map(|target| target.text(&capture.dom))
        .collect();
    // The gold could be read for the word scores, so it can be read here.
    let Ok(align::Labelling { labels, .. }) = label(
        set,
        row,
        capture,
        &cleaned.targets,
        &texts,
        Alignment::Words,
    ) else {
        return BlockScore::default();
    };
    let judged = cleaned
        .decisions()
        .zip(labels)
        .filter_map(|(made, gold)| gold.map(|gold| (made.label, gold)));
    BlockScore::count(judged.collect::<Vec<(Label, Label)>>())
}

/// Sums up the runs of one contender.
fn sum_up<'r>(contender: &Contender, runs: impl Iterator<Item = &'r Run> + Clone) -> MethodScores {
    let scores: Vec<&PageScore> = runs.clone().map(|run| &run.score).collect();
    MethodScores {
        name: contender.name.clone(),
        method: contender.method.name.to_owned(),
        summary: Summary::summarize("all", &scores, SEED),
        blocks: runs
            .clone()
            .fold(BlockScore::default(), |sum, run| sum.plus(run.blocks)),
        median_ms: median(&runs.map(|run| run.time_ms).collect::<Vec<_>>()),
    }
}

/// Cleans the pages of a set with each contender and sums up the results; returns them and the
/// number of failures, which are reported to `progress`.
///
/// # Errors
/// If the set has no page of the split, or gold is missing or cannot be read.
pub fn compare_set(
    set: &DataSet,
    split: Split,
    capturing: &Capturing,
    contenders: &[Contender],
    progress: &dyn Progress,
) -> Result<(SideBySide, usize), DataError> {
    let rows = measured_rows(set, split)?;
    let pages: Vec<Vec<Run>> = each_page::<_, Result<_, DataError>>(set, &rows, progress, |row| {
        run(set, row, capturing, contenders)
    })?;
    let mut failed = 0;
    for (row, runs) in rows.iter().zip(&pages) {
        for (run, contender) in runs.iter().zip(contenders) {
            if let Some(cause) = &run.failure {
                progress.page_failed(&set.name, &row.id, &format!("{}: {cause}", contender.name));
                failed += 1;
            }
        }
    }
    let of_contender = |(place, contender): (usize, &Contender)| {
        sum_up(contender, pages.iter().map(move |runs| &runs[place]))
    };
    let ranking = contenders.iter().enumerate().map(of_contender).collect();
    let differences = from_the_first(contenders, &pages);
    let (name, split) = (set.name.clone(), split.name().to_owned());
    Ok((
        SideBySide {
            set: name,
            split,
            pages: rows.len(),
            ranking,
            differences,
        },
        failed,
    ))
}

/// The figures of the first contender minus those of each other one; `pages` has the runs of each
/// page.
fn from_the_first(contenders: &[Contender], pages: &[Vec<Run>]) -> Vec<MethodDifferences> {
    let scores = |place: usize| {
        pages
            .iter()
            .map(|runs| &runs[place].score)
            .collect::<Vec<_>>()
    };
    let minus = |(place, other): (usize, &Contender)| MethodDifferences {
        first: contenders[0].name.clone(),
        minus: other.name.clone(),
        figures: differences(&scores(0), &scores(place), SEED),
    };
    contenders.iter().enumerate().skip(1).map(minus).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{find as find_method, methods as all_methods};
    use std::fs;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pages", "gold"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let text =
            "The herring gull drops mussels on the rocks, as the keepers of the island have often seen. ".repeat(4);
        let html = format!(
            "<nav><a href=/>Home</a></nav><h1>Gulls</h1><p>{text}</p><p>{text}</p><footer>Imprint</footer>"
        );
        fs::write(folder.path().join("pages/a.html"), html).unwrap();
        fs::write(
            folder.path().join("gold/a.txt"),
            format!("Gulls\n{text}\n{text}\n"),
        )
        .unwrap();
        fs::write(folder.path().join("pages/b.html"), b"%PDF-1.4").unwrap();
        fs::write(folder.path().join("gold/b.txt"), "x").unwrap();
        fs::write(
            folder.path().join("manifest.jsonl"),
            "{\"id\":\"a\",\"split\":\"dev\"}\n{\"id\":\"b\",\"split\":\"dev\"}\n",
        )
        .unwrap();
        folder
    }

    #[test]
    fn every_method_is_scored_on_the_same_page() {
        let folder = folder();
        let set = DataSet::open(folder.path()).unwrap();
        let methods: Vec<&'static Method> = all_methods().collect();
        let contenders = Contender::all(&methods, false, false).unwrap();
        assert_eq!(contenders.len(), all_methods().count());
        let runs = run(&set, &set.rows[0], &Capturing::Static, &contenders).unwrap();
        let dump = contenders
            .iter()
            .position(|contender| contender.name == "dump")
            .unwrap();
        let score = runs[dump].score.words.unwrap().score();
        assert!(score.recall == 1.0 && score.precision < 1.0, "{score:?}");
        assert_eq!(runs[dump].blocks.blocks(), 5);
        assert!(
            runs.iter()
                .all(|run| run.failure.is_none() && run.time_ms > 0.0)
        );
        let summed = sum_up(&contenders[dump], runs[dump..=dump].iter());
        assert_eq!(
            summed.summary.score("words").unwrap().figure.value,
            score.f1
        );
    }

    #[test]
    fn an_unreadable_page_has_no_output_for_any_method() {
        let folder = folder();
        let set = DataSet::open(folder.path()).unwrap();
        let contenders = Contender::all(
            &[find_method("dump").unwrap(), find_method("vclean").unwrap()],
            false,
            false,
        )
        .unwrap();
        let runs = run(&set, &set.rows[1], &Capturing::Static, &contenders).unwrap();
        assert!(
            runs.iter()
                .all(|run| run.failure.is_some() && !run.score.has_output)
        );
    }

    #[test]
    fn methods_that_use_the_rendering_come_with_and_without_it() {
        let methods: Vec<&'static Method> = all_methods().collect();
        let contenders = Contender::all(&methods, true, false).unwrap();
        let rendered = contenders
            .iter()
            .filter(|contender| contender.is_rendered)
            .count();
        assert_eq!(
            rendered,
            all_methods()
                .filter(|method| method.sees == Sees::Rendering)
                .count()
        );
        assert_eq!(contenders.len(), all_methods().count() + rendered);
    }
}
