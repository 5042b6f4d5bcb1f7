//! Trains the trees that tell whether a page has text of its own.
//!
//! Rows of data sets that name a state (`"state"` in the manifest) are examples of it; all other
//! rows have text. Three kinds of examples are made of these: fragments of texts, because programs
//! also clean pieces of HTML that have no page around them; small pages of a few sentences, which
//! the sets hardly have; and pages whose title has a phrase of pages without text, like articles
//! about captchas. Folds are by site.

use super::error::TrainError;
use crate::evaluate::Table;
use crate::fitting::calibrate::fit_platt;
use crate::fitting::extra_trees::{self, ExtraTreesOptions};
use crate::fitting::rows::fit_scaler;
use crate::gold::{Progress, each_page};
use ndarray::{Array2, Axis};
use rayon::prelude::*;
use std::ops::RangeInclusive;
use vclean_core::capture::{Capture, Engine, Record};
use vclean_core::classify::model::{Machine, Stage};
use vclean_core::classify::{
    Boosted, Model, PageState, Platt, PrecisionCurve, Provenance, Scaler, SetUse,
};
use vclean_core::document::{Segment, SegmentKind};
use vclean_core::error::{Error, ModelError};
use vclean_core::hash::text_key;
use vclean_core::html::parse_html;
use vclean_core::page;
use vclean_core::pipeline::{Block, CleanedPage, PageCleaner};
use vclean_core::state::{StateMeasures, WITHOUT_TEXT, columns, phrases};
use vclean_core::target::TargetRule;
use vclean_core::text::count_letters;
use vclean_run::source::{DataSet, Row, Split};

/// Number of folds of sites.
const FOLDS: usize = 5;
/// Weight of examples whose state the set names. Pages without text are few; chosen on folds of
/// `nopage`.
const WEIGHT_STATED: f32 = 4.0;
/// Number of pages of which one is made into a fragment, and one into a page about such pages.
const MADE_OF: u64 = 4;
/// Letters of long blocks from which a page may be about pages without text.
const ABOUT_LETTERS: f32 = 600.0;
/// Largest number of blocks of a fragment.
const FRAGMENT_BLOCKS: usize = 8;
/// Letters of a sentence of a small page, largest number of such sentences, and of links before and
/// after them.
const SMALL_LETTERS: RangeInclusive<usize> = 20..=70;
const SMALL_SENTENCES: usize = 4;
const SMALL_LINKS: usize = 4;
const SENTENCE_ENDS: [char; 6] = ['.', '!', '?', '。', '।', '؟'];

/// Number of times that such an example counts in the calibration. Chosen on folds of `nopage`: so
/// that about as many pages are wrongly named as missed.
const TIMES_STATED: usize = 3;

/// Options of training the trees.
#[derive(Debug, Clone)]
pub struct StateOptions {
    /// Name of the model.
    pub name: String,
    /// Seed of the trees.
    pub seed: u64,
    /// The command, for the model's provenance.
    pub command: String,
    /// The size of the trees and how they are fitted.
    pub trees: ExtraTreesOptions,
}

/// The trained model and how good it is.
pub struct TrainedStates {
    /// The trees as a model of one row a page.
    pub model: Model,
    /// A table of shares for held-out sites of the training pages.
    pub held_out: Table,
    /// A table of shares for the pages of the split `dev`.
    pub dev: Table,
    /// Number of pages that could not be used.
    pub failed: usize,
    /// The measures of every page, as lines of CSV.
    pub rows: String,
}

/// The kinds of examples that are made of pages with text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Some blocks of the text alone.
    Fragment,
    /// The page, with a phrase of pages without text in its title and headings.
    About,
    /// A few short sentences of the text, with a title and links around them.
    Small,
}

/// A page with its measures.
struct StatePage {
    name: String,
    set: usize,
    site: String,
    state: PageState,
    /// True if the set names the state: pages without text, and pages that look like them.
    is_stated: bool,
    made: Option<Made>,
    values: Vec<f32>,
    /// Expected F by the blocks alone.
    expected_f: f32,
    /// The state that the evidence names.
    named: PageState,
    /// True if a signature decides that it has no text.
    is_decided: bool,
}

impl StatePage {
    fn weight(&self) -> f32 {
        if self.is_stated { WEIGHT_STATED } else { 1.0 }
    }

    /// The probability of text, lowered by a decisive signature as in cleaning.
    fn text_probability(&self, platt: Platt, margin: f32) -> f32 {
        let text = platt.probability(margin);
        if self.is_decided {
            text.min(WITHOUT_TEXT)
        } else {
            text
        }
    }

    fn has_text(&self) -> bool {
        self.state == PageState::Text
    }
}

/// The state that a manifest names; an unknown name stands for another page without text.
fn state_of(row: &Row) -> PageState {
    row.state.as_deref().map_or(PageState::Text, |name| {
        PageState::from_name(name).unwrap_or(PageState::Empty)
    })
}

/// The examples of a row: its page, and for some rows with text one that is made of it.
fn examples(
    cleaner: &PageCleaner,
    set: usize,
    row: &Row,
    seed: u64,
) -> Result<Vec<StatePage>, Error> {
    let capture = page::parse(&row.open()?)?;
    let cleaned = cleaner.clean_capture(&capture)?;
    let mut own = StateMeasures::new(&capture, &cleaned.targets, &cleaned.document);
    let mut examples = vec![state_page(set, row, &own)];
    let draw = text_key(&row.id).wrapping_add(seed);
    let mut random = fastrand::Rng::with_seed(draw);
    let kind = if row.state.is_some() {
        MADE_OF
    } else {
        draw % MADE_OF
    };
    let made = match kind {
        0 | 2 => {
            let (html, made) = if kind == 0 {
                (fragment(&cleaned, &mut random), Made::Fragment)
            } else {
                (small_page(&cleaned, &mut random), Made::Small)
            };
            if html.is_empty() {
                return Ok(examples);
            }
            own = measures_of(cleaner, &html, capture.record)?;
            made
        }
        1 if own.kept_long_letters() >= ABOUT_LETTERS => {
            own.mention(&mentions(cleaned.title(), &mut random));
            Made::About
        }
        _ => return Ok(examples),
    };
    examples.push(StatePage {
        made: Some(made),
        ..state_page(set, row, &own)
    });
    Ok(examples)
}

fn measures_of(cleaner: &PageCleaner, html: &str, record: Record) -> Result<StateMeasures, Error> {
    let page = Capture::parsed(parse_html(html), record);
    let cleaned = cleaner.clean_capture(&page)?;
    Ok(StateMeasures::new(
        &page,
        &cleaned.targets,
        &cleaned.document,
    ))
}

/// Phrases of one state as an article about such pages has them: in its title, and often in short
/// blocks too.
fn mentions(title: Option<&str>, random: &mut fastrand::Rng) -> Vec<String> {
    let state = PageState::ALL[random.usize(1..PageState::ALL.len())];
    let own: Vec<&str> = phrases()
        .filter(|(other, _)| *other == state)
        .map(|(_, phrase)| phrase)
        .collect();
    let count = random.usize(1..=4);
    let mut mention = |index: usize| {
        let phrase = own[random.usize(..own.len())];
        if index == 0 {
            format!("{phrase} {}", title.unwrap_or_default())
        } else {
            format!(
                "{phrase}, {}",
                "which this sentence says something about".repeat(index)
            )
        }
    };
    (0..count).map(&mut mention).collect()
}

/// Some consecutive blocks of a page's text as HTML without anything around them, often with the
/// title before them; empty if the page has hardly any text.
fn fragment(cleaned: &CleanedPage, random: &mut fastrand::Rng) -> String {
    let segments = cleaned.segments();
    let is_sentence = |segment: &Segment| count_letters(&segment.text()) >= 30;
    let Some(first) = segments.iter().position(is_sentence) else {
        return String::new();
    };
    let start = first + random.usize(..segments.len() - first) / 2;
    let count = random.usize(1..=FRAGMENT_BLOCKS);
    let title = cleaned.title().filter(|_| random.bool());
    let title = title.map(|title| element(["title", "h1"][random.usize(..2)], title));
    let blocks = segments.iter().skip(start).take(count).map(|segment| {
        let tag = match segment.kind {
            SegmentKind::Heading { .. } => "h2",
            SegmentKind::ListItem { .. } => "li",
            _ => "p",
        };
        element(tag, &segment.text())
    });
    title.into_iter().chain(blocks).collect()
}

/// A small page: a headline and a few short sentences of a page's text, often with a link in each,
/// between some of the links that the page has around its text. Empty if there is no short
/// sentence.
fn small_page(cleaned: &CleanedPage, random: &mut fastrand::Rng) -> String {
    let texts: Vec<String> = cleaned.segments().iter().map(Segment::text).collect();
    let short: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.split_inclusive(SENTENCE_ENDS))
        .map(str::trim)
        .filter(|sentence| SMALL_LETTERS.contains(&count_letters(sentence)))
        .filter(|sentence| sentence.ends_with(SENTENCE_ENDS))
        .collect();
    if short.is_empty() {
        return String::new();
    }
    let has_links = random.bool();
    let count = random.usize(1..=SMALL_SENTENCES).min(short.len());
    let start = random.usize(..=short.len() - count);
    let sentences = short[start..start + count].iter().map(|sentence| {
        let block = element("p", sentence);
        match block.splitn(3, ' ').collect::<Vec<_>>()[..] {
            [before, word, rest] if has_links => {
                format!("{before} <a href=/>{word}</a> {rest}")
            }
            _ => block,
        }
    });
    let text: String = sentences.collect();
    let dropped: Vec<_> = cleaned.blocks().filter(|block| !block.is_content).collect();
    let (before, after) = dropped.split_at(dropped.len() / 2);
    let mut links = |tag: &str, blocks: &[Block]| {
        let count = random.usize(..=SMALL_LINKS);
        let links = blocks.iter().take(count).map(|block| {
            let text = html_escape::encode_text(&block.text);
            format!("<a href=/>{text}</a> ")
        });
        format!("<{tag}>{}</{tag}>", links.collect::<String>())
    };
    let (nav, footer) = (links("nav", before), links("footer", after));
    let title = cleaned.title().unwrap_or_default();
    let headline = element(["title", "h1"][random.usize(..2)], title);
    format!("{headline}{nav}<main>{text}</main>{footer}")
}

fn element(tag: &str, text: &str) -> String {
    let text = html_escape::encode_text(text);
    format!("<{tag}>{text}</{tag}>")
}

fn state_page(set: usize, row: &Row, measures: &StateMeasures) -> StatePage {
    StatePage {
        name: row.id.clone(),
        set,
        site: row.host.clone(),
        state: state_of(row),
        is_stated: row.state.is_some(),
        made: None,
        values: measures.row().into_raw_vec_and_offset().0,
        expected_f: measures.expected_f(),
        named: measures.reason().0,
        is_decided: measures.is_decided(),
    }
}

/// The pages of a split of all sets, and how many could not be used.
fn gather(
    sets: &[DataSet],
    split: Split,
    cleaner: &PageCleaner,
    seed: u64,
    progress: &dyn Progress,
) -> (Vec<StatePage>, usize) {
    let (mut pages, mut failed) = (Vec::new(), 0);
    for (number, set) in sets.iter().enumerate() {
        let rows = set.split(split);
        let found: Vec<(String, Result<Vec<StatePage>, Error>)> =
            each_page(set, &rows, progress, |row| {
                (row.id.clone(), examples(cleaner, number, row, seed))
            });
        for (id, result) in found {
            match result {
                Ok(found) => pages.extend(found),
                Err(error) => {
                    failed += 1;
                    progress.page_failed(&set.name, &id, &error.to_string());
                }
            }
        }
    }
    (pages, failed)
}

/// Trees with their scaler, and the means of the scaled columns.
struct Fitted {
    scaler: Scaler,
    means: Vec<f32>,
    trees: Boosted,
}

impl Fitted {
    fn fit(pages: &[&StatePage], options: &ExtraTreesOptions) -> Result<Self, ModelError> {
        let inputs = table(pages);
        let labels: Vec<bool> = pages.iter().map(|page| page.has_text()).collect();
        let weights: Vec<f32> = pages.iter().map(|page| page.weight()).collect();
        let scaler = fit_scaler(inputs.view());
        let scaled = scaler.apply(inputs.view());
        let means = scaled.mean_axis(Axis(0)).map(|means| means.to_vec());
        Ok(Self {
            means: means.unwrap_or_default(),
            trees: extra_trees::fit(scaled.view(), &labels, &weights, options)?,
            scaler,
        })
    }

    fn margins(&self, pages: &[&StatePage]) -> Vec<f32> {
        self.trees
            .margins(self.scaler.apply(table(pages).view()).view())
    }
}

fn table(pages: &[&StatePage]) -> Array2<f32> {
    let columns = pages.first().map_or(0, |page| page.values.len());
    Array2::from_shape_fn((pages.len(), columns), |(row, column)| {
        pages[row].values[column]
    })
}

/// Trains the model on the `train` pages of `sets`.
///
/// # Errors
/// If the cleaner has no model, or the sets do not have pages of both kinds.
pub fn train_states(
    sets: &[DataSet],
    cleaner: &PageCleaner,
    options: &StateOptions,
    progress: &dyn Progress,
) -> Result<TrainedStates, TrainError> {
    let (pages, failed) = gather(sets, Split::Train, cleaner, options.seed, progress);
    let (dev, _) = gather(sets, Split::Dev, cleaner, options.seed, progress);
    let all: Vec<&StatePage> = pages.iter().collect();
    let margins = held_out_margins(&all, options, progress)?;
    let platt = calibrate(&all, &margins);
    let fitted = Fitted::fit(&all, &options.trees)?;
    let dev: Vec<&StatePage> = dev.iter().collect();
    let dev_margins = fitted.margins(&dev);
    Ok(TrainedStates {
        held_out: report(&all, &margins, platt),
        dev: report(&dev, &dev_margins, platt),
        rows: lines(sets, &all, &margins, platt) + &lines(sets, &dev, &dev_margins, platt),
        model: model(sets, &pages, fitted, platt, options),
        failed,
    })
}

/// The margin of each page by trees that did not learn from its site.
fn held_out_margins(
    pages: &[&StatePage],
    options: &StateOptions,
    progress: &dyn Progress,
) -> Result<Vec<f32>, ModelError> {
    let fold = |page: &StatePage| text_key(&page.site) as usize % FOLDS;
    let parts: Vec<Vec<(usize, f32)>> = (0..FOLDS)
        .into_par_iter()
        .map(|number| {
            let (held, others): (Vec<usize>, Vec<usize>) =
                (0..pages.len()).partition(|&page| fold(pages[page]) == number);
            let select = |numbers: &[usize]| -> Vec<&StatePage> {
                numbers.iter().map(|&page| pages[page]).collect()
            };
            let margins = Fitted::fit(&select(&others), &options.trees)?.margins(&select(&held));
            progress.step(&format!("fold {} of {FOLDS} done", number + 1));
            Ok(held.into_iter().zip(margins).collect())
        })
        .collect::<Result<_, ModelError>>()?;
    let mut margins = vec![0.0; pages.len()];
    for (page, margin) in parts.into_iter().flatten() {
        margins[page] = margin;
    }
    Ok(margins)
}

/// The calibration; pages whose state the set names count several times.
fn calibrate(pages: &[&StatePage], margins: &[f32]) -> Platt {
    let (mut counted, mut labels) = (Vec::new(), Vec::new());
    for (page, &margin) in pages.iter().zip(margins) {
        let times = if page.is_stated { TIMES_STATED } else { 1 };
        counted.extend(std::iter::repeat_n(margin, times));
        labels.extend(std::iter::repeat_n(page.has_text(), times));
    }
    fit_platt(&counted, &labels)
}

/// Shares of pages by state: named as without text, with an expected F under .3, and named
/// with the right state.
fn report(pages: &[&StatePage], margins: &[f32], platt: Platt) -> Table {
    let mut table = Table::new(&[
        "pages",
        "count",
        "without text",
        "expected F < .3",
        "right state",
    ]);
    let groups = PageState::ALL.map(|state| (state.name(), state, true));
    let all = [
        ("without text", PageState::Text, true),
        ("ordinary", PageState::Text, false),
        ("fragments", PageState::Text, false),
        ("about such pages", PageState::Text, false),
        ("small pages", PageState::Text, false),
    ];
    for (index, (name, state, stated)) in groups.into_iter().chain(all).enumerate() {
        let made = match name {
            "fragments" => Some(Made::Fragment),
            "about such pages" => Some(Made::About),
            "small pages" => Some(Made::Small),
            _ => None,
        };
        let is_member = |page: &StatePage| {
            page.is_stated == stated
                && page.made == made
                && if index == groups.len() {
                    !page.has_text()
                } else {
                    page.state == state
                }
        };
        let members: Vec<(&StatePage, f32)> = pages
            .iter()
            .zip(margins)
            .filter(|(page, _)| is_member(page))
            .map(|(page, &margin)| (*page, page.text_probability(platt, margin)))
            .collect();
        let share = |is: &dyn Fn(&StatePage, f32) -> bool| {
            let count = members
                .iter()
                .filter(|(page, text)| is(page, *text))
                .count();
            format!("{:.4}", count as f64 / members.len().max(1) as f64)
        };
        let name = if stated && state == PageState::Text && index == 0 {
            "look-alikes"
        } else {
            name
        };
        table.push(vec![
            name.to_owned(),
            members.len().to_string(),
            share(&|_, text| text < 0.5),
            share(&|page, text| text * page.expected_f < 0.3),
            share(&|page, text| text < 0.5 && page.named == page.state),
        ]);
    }
    table
}

/// A line of CSV for each page: set, id, site, state, whether the set names it, whether it is
/// made, expected F, the probability of text, the state that is named, and the columns.
fn lines(sets: &[DataSet], pages: &[&StatePage], margins: &[f32], platt: Platt) -> String {
    let mut lines = String::new();
    for (page, &margin) in pages.iter().zip(margins) {
        let values: Vec<String> = page
            .values
            .iter()
            .map(|value| format!("{value:.4}"))
            .collect();
        let line = [
            sets[page.set].name.clone(),
            page.name.clone(),
            page.site.replace(',', "_"),
            page.state.name().to_owned(),
            u8::from(page.is_stated).to_string(),
            u8::from(page.made.is_some()).to_string(),
            format!("{:.3}", page.expected_f),
            format!("{:.4}", page.text_probability(platt, margin)),
            page.named.name().to_owned(),
            values.join(","),
        ];
        lines.push_str(&line.join(","));
        lines.push('\n');
    }
    lines
}

fn model(
    sets: &[DataSet],
    pages: &[StatePage],
    fitted: Fitted,
    platt: Platt,
    options: &StateOptions,
) -> Model {
    let of_set = |(number, set): (usize, &DataSet)| {
        let own = |made: bool| {
            let own = pages.iter().filter(|page| page.set == number);
            own.filter(|page| page.made.is_some() == made).count()
        };
        SetUse {
            name: set.name.clone(),
            pages: own(false),
            left_out: 0,
            rows: own(false) + own(true),
        }
    };
    Model {
        name: options.name.clone(),
        columns: columns(),
        stages: vec![Stage {
            columns: (0..columns().len()).collect(),
            reads: Vec::new(),
            scaler: fitted.scaler,
            means: fitted.means,
            machine: Machine::Boosted(fitted.trees),
        }],
        platt,
        comments: None,
        threshold: 0.5,
        target_rule: TargetRule::Blocks,
        engine: Engine::Parser,
        curve: PrecisionCurve::default(),
        provenance: Provenance {
            command: options.command.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: options.seed,
            sets: sets.iter().enumerate().map(of_set).collect(),
            ..Provenance::default()
        },
        keywords: None,
        markup: None,
    }
}
