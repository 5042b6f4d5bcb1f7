//! Trains the trees that tell whether a page has text of its own.
//!
//! Rows of data sets that name a state (`"state"` in the manifest) are examples of it; all other
//! rows have text. More examples of the rare states are made from pages with text, see
//! [`made_states`](super::made_states). Folds are by site; a made page is in the fold of its
//! original, and only real pages are measured.

use super::error::TrainError;
use super::made_states::{self, Change, Message};
use crate::evaluate::Table;
use crate::fitting::calibrate::fit_platt;
use crate::fitting::rows::fit_scaler;
use crate::fitting::{BoostedOptions, boosted};
use crate::gold::{Progress, each_page};
use ndarray::{Array2, Axis};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use vclean_core::capture::{Capture, Engine, NodeId};
use vclean_core::classify::model::{Machine, Stage};
use vclean_core::classify::{
    Boosted, Model, PageState, Platt, PrecisionCurve, Provenance, Scaler, SetUse,
};
use vclean_core::error::{Error, ModelError};
use vclean_core::hash::text_key;
use vclean_core::page;
use vclean_core::pipeline::PageCleaner;
use vclean_core::state::{StateMeasures, columns};
use vclean_core::target::TargetRule;
use vclean_run::source::{DataSet, Row, Split};

/// Number of folds of sites.
const FOLDS: usize = 5;
/// Weights of examples. Real pages without text are few; chosen on folds of `nopage`.
const WEIGHT_STATED: f32 = 4.0;
const WEIGHT_MADE: f32 = 0.7;
/// One page with text of so many is made into one without text, and one into one with a message
/// beside its text.
const MADE_OF: u64 = 3;

/// Options of training the trees.
#[derive(Debug, Clone)]
pub struct StateOptions {
    /// Name of the model.
    pub name: String,
    /// Seed of folds, made pages and trees.
    pub seed: u64,
    /// The command, for the model's provenance.
    pub command: String,
    /// The size of the trees and how they are fitted.
    pub trees: BoostedOptions,
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

/// A page with its measures.
struct StatePage {
    name: String,
    set: usize,
    site: String,
    state: PageState,
    /// True if the set names the state: pages without text, and pages that look like them.
    is_stated: bool,
    is_made: bool,
    values: Vec<f32>,
    /// Expected F by the blocks alone.
    expected_f: f32,
    /// The state that the evidence names.
    named: PageState,
}

impl StatePage {
    fn weight(&self) -> f32 {
        match (self.is_made, self.is_stated) {
            (true, _) => WEIGHT_MADE,
            (false, true) => WEIGHT_STATED,
            (false, false) => 1.0,
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

/// The means to make examples of pages.
struct Maker<'a> {
    cleaner: &'a PageCleaner,
    messages: Vec<Message>,
    seed: u64,
}

impl Maker<'_> {
    /// The examples of a row: the page itself, and at most one that is made from it.
    fn examples(&self, set: usize, row: &Row, makes: bool) -> Result<Vec<StatePage>, Error> {
        let capture = page::parse(&row.open()?)?;
        let (own, kept) = self.measure(set, row, &capture)?;
        let number = text_key(&row.id).wrapping_add(self.seed) % MADE_OF;
        let mut examples = vec![own];
        if makes && row.state.is_none() && number < 2 && !kept.is_empty() {
            let mut random = fastrand::Rng::with_seed(self.seed ^ text_key(&row.id));
            let language = row.lang.split('-').next().unwrap_or_default();
            let change = Change {
                message: made_states::draw(&self.messages, language, &mut random),
                kept: &kept,
                with_text: number == 1,
            };
            let capture = Capture {
                dom: made_states::made(&capture.dom, &change, &mut random),
                ..capture
            };
            let (mut made, _) = self.measure(set, row, &capture)?;
            made.is_made = true;
            if !change.with_text {
                made.state = change.message.state;
            }
            examples.push(made);
        }
        Ok(examples)
    }

    fn measure(
        &self,
        set: usize,
        row: &Row,
        capture: &Capture,
    ) -> Result<(StatePage, FxHashSet<NodeId>), Error> {
        let cleaned = self.cleaner.clean_capture(capture)?;
        let measures = StateMeasures::new(capture, &cleaned.targets, &cleaned.document);
        let page = StatePage {
            name: row.id.clone(),
            set,
            site: row.host.clone(),
            state: state_of(row),
            is_stated: row.state.is_some(),
            is_made: false,
            values: measures.row().into_raw_vec_and_offset().0,
            expected_f: measures.expected_f(),
            named: measures.reason().0,
        };
        let kept = cleaned.kept().flat_map(|target| target.texts.clone());
        Ok((page, kept.collect()))
    }
}

/// The pages of a split of all sets, and how many could not be used.
fn gather(
    sets: &[DataSet],
    split: Split,
    maker: &Maker<'_>,
    progress: &dyn Progress,
) -> (Vec<StatePage>, usize) {
    let (mut pages, mut failed) = (Vec::new(), 0);
    for (number, set) in sets.iter().enumerate() {
        let rows = set.split(split);
        let makes = split == Split::Train;
        let found: Vec<(String, Result<Vec<StatePage>, Error>)> =
            each_page(set, &rows, progress, |row| {
                (row.id.clone(), maker.examples(number, row, makes))
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
    fn fit(pages: &[&StatePage], options: &BoostedOptions) -> Result<Self, ModelError> {
        let inputs = table(pages);
        let labels: Vec<bool> = pages.iter().map(|page| page.has_text()).collect();
        let weights: Vec<f32> = pages.iter().map(|page| page.weight()).collect();
        let scaler = fit_scaler(inputs.view());
        let scaled = scaler.apply(inputs.view());
        let means = scaled.mean_axis(Axis(0)).map(|means| means.to_vec());
        Ok(Self {
            means: means.unwrap_or_default(),
            trees: boosted::fit(scaled.view(), &labels, Some(&weights), options)?,
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
    let maker = Maker {
        cleaner,
        messages: made_states::messages(),
        seed: options.seed,
    };
    let (pages, failed) = gather(sets, Split::Train, &maker, progress);
    let (dev, _) = gather(sets, Split::Dev, &maker, progress);
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

/// The calibration by real pages; pages without text count as often as they weigh.
fn calibrate(pages: &[&StatePage], margins: &[f32]) -> Platt {
    let (mut real, mut labels) = (Vec::new(), Vec::new());
    for (page, &margin) in pages.iter().zip(margins) {
        if !page.is_made {
            let times = page.weight().round().max(1.0) as usize;
            real.extend(std::iter::repeat_n(margin, times));
            labels.extend(std::iter::repeat_n(page.has_text(), times));
        }
    }
    fit_platt(&real, &labels)
}

/// Shares of real pages by state: named as without text, with an expected F under .3, and named
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
    ];
    for (index, (name, state, stated)) in groups.into_iter().chain(all).enumerate() {
        let is_member = |page: &StatePage| {
            !page.is_made
                && page.is_stated == stated
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
            .map(|(page, &margin)| (*page, platt.probability(margin)))
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

/// A line of CSV for each page: set, id, site, state, whether it is made, expected F, the
/// probability of text, the state that is named, and the columns.
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
            u8::from(page.is_made).to_string(),
            format!("{:.3}", page.expected_f),
            format!("{:.4}", platt.probability(margin)),
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
        let count = |made: bool| {
            let own = pages.iter().filter(|page| page.set == number);
            own.filter(|page| page.is_made == made).count()
        };
        SetUse {
            name: set.name.clone(),
            pages: count(false),
            left_out: 0,
            rows: count(false) + count(true),
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
