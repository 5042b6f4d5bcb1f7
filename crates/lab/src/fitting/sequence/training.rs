//! Fits a network to pages: batches of random windows of pages, and AdamW.

use super::gradient::{Recorder, add_slopes};
use super::loss::{Excerpt, loss};
use super::options::SequenceOptions;
use ndarray::{ArrayView2, Axis, Slice};
use rayon::prelude::*;
use std::ops::Range;
use vclean_core::classify::sequence::layers::{Convolution, Dense, page_dense};
use vclean_core::classify::sequence::network::{Window, forward};
use vclean_core::classify::sequence::{Design, NetworkBlock};
use vclean_core::classify::{PageKind, PageShape, Scaler, Sequence};
use vclean_core::error::ModelError;

/// A page that a network is fitted to.
#[derive(Debug, Clone, Copy)]
pub struct SequencePage<'a> {
    /// Unscaled inputs of all its targets in order: columns, then margins of earlier stages.
    pub inputs: ArrayView2<'a, f32>,
    /// How many of the inputs are columns.
    pub columns: usize,
    /// Text lengths and groups of the targets.
    pub shape: &'a PageShape,
    /// For each target, true if it is content; `None` if the gold text does not decide: the target
    /// is read, but has no part in the loss.
    pub labels: &'a [Option<bool>],
    /// True if the gold text is the whole text of the page, so that an F of the page can be
    /// computed.
    pub is_whole: bool,
    /// The kind of the page, if it is known.
    pub kind: Option<PageKind>,
}

impl<'a> SequencePage<'a> {
    /// The targets `range`, scaled.
    pub(super) fn excerpt(&self, scaler: &Scaler, range: Range<usize>) -> Excerpt<'a> {
        let scaled = scaler.apply(self.inputs.slice_axis(Axis(0), Slice::from(range.clone())));
        Excerpt {
            window: Window::new(
                scaled.into_raw_vec_and_offset().0.into(),
                &self.shape.lengths[range.clone()],
            ),
            lengths: &self.shape.lengths[range.clone()],
            labels: &self.labels[range],
            is_whole: self.is_whole,
            kind: self.kind,
        }
    }

    /// A random window of at most `size` targets.
    pub(super) fn draw(
        &self,
        scaler: &Scaler,
        size: usize,
        random: &mut fastrand::Rng,
    ) -> Excerpt<'a> {
        let targets = self.labels.len();
        let start = if targets > size {
            random.usize(0..=targets - size)
        } else {
            0
        };
        self.excerpt(scaler, start..(start + size).min(targets))
    }
}

fn check(pages: &[SequencePage<'_>], scaler: &Scaler) -> Result<(), ModelError> {
    let fail = |cause: String| Err(ModelError::Training(cause));
    for (number, page) in pages.iter().enumerate() {
        let (targets, columns) = page.inputs.dim();
        let counts = [
            page.shape.lengths.len(),
            page.shape.groups.len(),
            page.labels.len(),
        ];
        if columns != scaler.columns() || counts.iter().any(|&count| count != targets) {
            return fail(format!(
                "page {number} has {targets} x {columns} inputs for {} targets and {} columns",
                page.labels.len(),
                scaler.columns()
            ));
        }
        if let Some(((_, column), value)) = page
            .inputs
            .indexed_iter()
            .find(|(_, value)| !value.is_finite())
        {
            return fail(format!(
                "page {number} has {value} in column {column}; measure the features again"
            ));
        }
    }
    let labels = || pages.iter().flat_map(|page| page.labels).flatten();
    let (content, all) = (
        labels().filter(|content| **content).count(),
        labels().count(),
    );
    if content == 0 || content == all {
        return fail(format!(
            "{content} of {all} rows are content; both kinds are needed, add pages with gold"
        ));
    }
    if scaler.columns() == 0 {
        fail("a sequence network needs columns or margins to read".to_owned())
    } else {
        Ok(())
    }
}

/// Fits a network to whole pages, which weigh alike. `scaler` scales their inputs; `progress` is
/// called with one line for each epoch.
///
/// The same pages in the same order, options and seed give the same network, however many threads
/// there are.
///
/// # Errors
/// If options are out of their ranges, the pages do not fit the scaler, or not both labels are
/// present.
pub fn fit(
    pages: &[SequencePage<'_>],
    scaler: &Scaler,
    options: &SequenceOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Sequence, ModelError> {
    options.check()?;
    check(pages, scaler)?;
    let mut random = fastrand::Rng::with_seed(options.seed);
    let params = start(&options.design(), scaler.columns(), &mut random);
    fit_from(params, pages, scaler, options, &mut random, progress)
}

/// Continues to fit a network on other pages. The design is that of the network, whatever the
/// options say.
///
/// # Errors
/// In the same cases as [`fit`].
pub fn refine(
    network: &Sequence,
    pages: &[SequencePage<'_>],
    scaler: &Scaler,
    options: &SequenceOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Sequence, ModelError> {
    let Design {
        width,
        window,
        blocks,
    } = network.design;
    let options = SequenceOptions {
        width,
        window,
        blocks,
        ..*options
    };
    options.check()?;
    check(pages, scaler)?;
    let mut random = fastrand::Rng::with_seed(options.seed);
    fit_from(
        network.params().to_vec(),
        pages,
        scaler,
        &options,
        &mut random,
        progress,
    )
}

/// Fits a network that has these parameters before the first step.
fn fit_from(
    params: Vec<f32>,
    pages: &[SequencePage<'_>],
    scaler: &Scaler,
    options: &SequenceOptions,
    random: &mut fastrand::Rng,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Sequence, ModelError> {
    let pages: Vec<&SequencePage<'_>> = pages
        .iter()
        .filter(|page| !page.labels.is_empty())
        .collect();
    let params = fit_params(params, &pages, scaler, options, random, progress);
    let is_finite = params.iter().all(|param| param.is_finite());
    Sequence::from_parts(options.design(), scaler.columns(), params)
        .filter(|_| is_finite)
        .ok_or_else(|| {
            ModelError::Training("the sequence network diverged; use a smaller rate".to_owned())
        })
}

fn fit_params(
    mut params: Vec<f32>,
    pages: &[&SequencePage<'_>],
    scaler: &Scaler,
    options: &SequenceOptions,
    random: &mut fastrand::Rng,
    progress: &(dyn Fn(&str) + Sync),
) -> Vec<f32> {
    let steps = options.epochs * pages.len().div_ceil(options.batch);
    let mut optimizer = AdamW::new(
        params.len(),
        options.rate as f32,
        options.decay as f32,
        steps,
    );
    let mut order: Vec<usize> = (0..pages.len()).collect();
    for epoch in 1..=options.epochs {
        let mut loss = 0.0;
        random.shuffle(&mut order);
        for batch in order.chunks(options.batch) {
            let tasks: Vec<(&SequencePage<'_>, u64)> = batch
                .iter()
                .map(|&page| (pages[page], random.u64(..)))
                .collect();
            let of_pages: Vec<(f32, Vec<f32>)> = tasks
                .into_par_iter()
                .with_max_len(1)
                .map(|(page, seed)| page_slopes(page, pages, scaler, &params, options, seed))
                .collect();
            let mut slopes = vec![0.0; params.len()];
            for (of_page, of_params) in of_pages {
                loss += of_page / pages.len() as f32;
                for (sum, slope) in slopes.iter_mut().zip(of_params) {
                    *sum += slope / batch.len() as f32;
                }
            }
            optimizer.step(&mut params, &slopes);
        }
        progress(&format!(
            "epoch {epoch} of {}: loss {loss:.4}",
            options.epochs
        ));
    }
    params
}

/// Replaces some of the `columns` of a page by one value each, that of a random target of another
/// page, so that the network does not depend on a few (noise as in Vincent et al. 2010, section
/// 3.3, but with values that occur).
pub(super) fn hide(
    excerpt: &mut Excerpt<'_>,
    columns: usize,
    pages: &[&SequencePage<'_>],
    scaler: &Scaler,
    share: f32,
    random: &mut fastrand::Rng,
) {
    let inputs = excerpt.window.inputs.to_mut();
    for column in 0..columns {
        if random.f32() < share {
            let other = pages[random.usize(0..pages.len())].inputs;
            let mut value = [other[[random.usize(0..other.nrows()), column]]];
            scaler.scale_column(column, &mut value);
            for row in inputs.chunks_exact_mut(scaler.columns()) {
                row[column] = value[0];
            }
        }
    }
}

/// The loss of a random window of a page, and its slopes by all parameters.
fn page_slopes(
    page: &SequencePage<'_>,
    pages: &[&SequencePage<'_>],
    scaler: &Scaler,
    params: &[f32],
    options: &SequenceOptions,
    seed: u64,
) -> (f32, Vec<f32>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut excerpt = page.draw(scaler, options.window, &mut random);
    hide(
        &mut excerpt,
        page.columns,
        pages,
        scaler,
        options.hidden as f32,
        &mut random,
    );
    let mut recorder = Recorder::new(&mut random, options.dropout as f32);
    let output = forward(&options.design(), params, &excerpt.window, &mut recorder);
    let loss = loss(&output, &excerpt, options);
    let mut slopes = vec![0.0; params.len()];
    add_slopes(
        &options.design(),
        params,
        &excerpt.window,
        &recorder,
        &loss,
        &mut slopes,
    );
    (loss.value, slopes)
}

/// Heuristic: standard deviation of a convolution's factors, and factors of the standard deviations
/// of dense layers.
const TAPS: f32 = 0.3;
const BLOCK: f32 = 0.7;
const PAGE: f32 = 0.5;
const LAST: f32 = 0.3;

struct Start<'a> {
    params: Vec<f32>,
    random: &'a mut fastrand::Rng,
}

impl Start<'_> {
    /// Normally distributed values (Box and Muller 1958).
    fn normal(&mut self, count: usize, deviation: f32) {
        for _ in 0..count {
            let (radius, angle) = (self.random.f32().max(1e-9), self.random.f32());
            self.params.push(
                deviation * (-2.0 * radius.ln()).sqrt() * (std::f32::consts::TAU * angle).cos(),
            );
        }
    }

    fn constant(&mut self, count: usize, value: f32) {
        self.params.extend(std::iter::repeat_n(value, count));
    }

    fn dense(&mut self, layer: Dense, factor: f32) {
        self.normal(
            layer.inputs * layer.outputs,
            factor / (layer.inputs as f32).sqrt(),
        );
        self.constant(layer.outputs, 0.0);
    }

    fn norm(&mut self, width: usize) {
        self.constant(width, 1.0);
        self.constant(width, 0.0);
    }

    fn block(&mut self, width: usize, block: NetworkBlock) {
        match block {
            NetworkBlock::Convolution { dilation } => {
                let layer = Convolution { width, dilation };
                self.normal(layer.taps(), TAPS);
                self.dense(layer.dense(), BLOCK);
            }
            NetworkBlock::Page => self.dense(page_dense(width), PAGE),
        }
    }
}

/// The parameters before the first step: normally distributed, with a variance by the number of
/// inputs (He et al. 2015, with smaller factors where a block is added to what it reads); gains 1,
/// offsets 0.
pub(super) fn start(design: &Design, inputs: usize, random: &mut fastrand::Rng) -> Vec<f32> {
    let mut start = Start {
        params: Vec::with_capacity(design.size(inputs)),
        random,
    };
    start.dense(design.first(inputs), 1.0);
    for block in design.blocks.iter() {
        start.norm(design.width);
        start.block(design.width, block);
    }
    start.norm(design.width);
    start.dense(design.hidden(), 1.0);
    start.dense(design.margin(), LAST);
    start.dense(design.kind(), LAST);
    start.params
}

/// Decay of the mean slope and of the mean squared slope, as Kingma and Ba (2015) recommend.
const DECAY: [f32; 2] = [0.9, 0.999];
/// Keeps a step finite where slopes are 0, from the same.
const LEAST: f32 = 1e-8;
/// A longer gradient is shortened to this length.
const LONGEST: f32 = 1.0;
/// Share of the steps in which the rate rises. Heuristic: the first steps are the least certain.
const RISE: f32 = 0.1;

/// AdamW (Loshchilov and Hutter 2019) with a limit on the length of the gradient (Pascanu, Mikolov
/// and Bengio 2013) and a learning rate that rises, then falls along a cosine (Loshchilov and
/// Hutter 2017).
struct AdamW {
    rate: f32,
    decay: f32,
    /// Number of all steps.
    steps: usize,
    step: usize,
    means: Vec<f32>,
    squares: Vec<f32>,
}

impl AdamW {
    /// The state before the first step, for this many parameters.
    fn new(params: usize, rate: f32, decay: f32, steps: usize) -> Self {
        Self {
            rate,
            decay,
            steps,
            step: 0,
            means: vec![0.0; params],
            squares: vec![0.0; params],
        }
    }

    fn rate_now(&self) -> f32 {
        let done = self.step as f32 / self.steps as f32;
        let share = if done < RISE {
            done / RISE
        } else {
            0.5 * (1.0 + (std::f32::consts::PI * (done - RISE) / (1.0 - RISE)).cos())
        };
        self.rate * share
    }

    /// Changes the parameters by one step.
    fn step(&mut self, params: &mut [f32], slopes: &[f32]) {
        let rate = self.rate_now();
        self.step += 1;
        let length = slopes.iter().map(|slope| slope * slope).sum::<f32>().sqrt();
        let clip = if length > LONGEST {
            LONGEST / length
        } else {
            1.0
        };
        let correct = DECAY.map(|decay| 1.0 - decay.powi(self.step as i32));
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((param, slope), (mean, square)) in params.iter_mut().zip(slopes).zip(moments) {
            let slope = slope * clip;
            *mean = DECAY[0] * *mean + (1.0 - DECAY[0]) * slope;
            *square = DECAY[1] * *square + (1.0 - DECAY[1]) * slope * slope;
            let step = (*mean / correct[0]) / ((*square / correct[1]).sqrt() + LEAST);
            *param -= rate * (step + self.decay * *param);
        }
    }
}
