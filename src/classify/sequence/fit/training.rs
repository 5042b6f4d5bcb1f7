//! Fits a network to pages.

use super::loss::loss;
use super::network_slopes::add_slopes;
use super::optimizer::AdamW;
use super::options::SequenceOptions;
use super::page::SequencePage;
use super::record::Recorder;
use super::start::start;
use crate::classify::scaler::Scaler;
use crate::classify::sequence::machine::Sequence;
use crate::classify::sequence::network::forward;
use crate::error::ModelError;
use rayon::prelude::*;

fn check(pages: &[SequencePage<'_>], scaler: &Scaler) -> Result<(), ModelError> {
    let fail = |cause: String| Err(ModelError::Training(cause));
    for (number, page) in pages.iter().enumerate() {
        let (targets, columns) = page.inputs.dim();
        let counts = [page.shape.lengths.len(), page.shape.groups.len(), page.labels.len()];
        if columns != scaler.columns() || counts.iter().any(|&count| count != targets) {
            return fail(format!(
                "page {number} has {targets} x {columns} inputs for {} targets and {} columns",
                page.labels.len(),
                scaler.columns()
            ));
        }
        if let Some(((_, column), value)) = page.inputs.indexed_iter().find(|(_, value)| !value.is_finite()) {
            return fail(format!("page {number} has {value} in column {column}; measure the features again"));
        }
    }
    let labels = || pages.iter().flat_map(|page| page.labels).flatten();
    let (content, all) = (labels().filter(|content| **content).count(), labels().count());
    if content == 0 || content == all {
        return fail(format!("{content} of {all} rows are content; both kinds are needed, add pages with gold"));
    }
    if scaler.columns() == 0 { fail("a sequence network needs columns or margins to read".to_owned()) } else { Ok(()) }
}

impl Sequence {
    /// Fits a network to whole pages, which weigh alike. `scaler` scales their inputs; `progress` is called
    /// with one line for each epoch.
    ///
    /// The same pages in the same order, options and seed give the same network, however many threads there are.
    ///
    /// # Errors
    /// If options are out of their ranges, the pages do not fit the scaler, or not both labels are present.
    pub fn fit(
        pages: &[SequencePage<'_>],
        scaler: &Scaler,
        options: &SequenceOptions,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, ModelError> {
        options.check()?;
        check(pages, scaler)?;
        let pages: Vec<&SequencePage<'_>> = pages.iter().filter(|page| !page.labels.is_empty()).collect();
        let numbers: Vec<u64> = (0..options.networks as u64).collect();
        let fitted: Vec<Vec<f32>> = numbers
            .into_par_iter()
            .with_max_len(1)
            .map(|number| {
                let options = SequenceOptions { seed: options.seed.wrapping_add(number), ..*options };
                fit_one(&pages, scaler, &options, &|line| progress(&named(number, options.networks, line)))
            })
            .collect();
        let params = fitted.concat();
        if params.iter().all(|param| param.is_finite()) {
            Ok(Self { design: options.design(), inputs: scaler.columns(), params })
        } else {
            Err(ModelError::Training("the sequence network diverged; use a smaller rate".to_owned()))
        }
    }
}

/// A line of progress of one of several networks.
fn named(number: u64, networks: usize, line: &str) -> String {
    if networks == 1 { line.to_owned() } else { format!("network {} of {networks}, {line}", number + 1) }
}

/// The parameters of one network.
fn fit_one(
    pages: &[&SequencePage<'_>],
    scaler: &Scaler,
    options: &SequenceOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(options.seed);
    let mut params = start(&options.design(), scaler.columns(), &mut random);
    let steps = options.epochs * pages.len().div_ceil(options.batch);
    let mut optimizer = AdamW::new(params.len(), options.rate as f32, options.decay as f32, steps);
    let mut order: Vec<usize> = (0..pages.len()).collect();
    for epoch in 1..=options.epochs {
        let mut loss = 0.0;
        random.shuffle(&mut order);
        for batch in order.chunks(options.batch) {
            let tasks: Vec<(&SequencePage<'_>, u64)> =
                batch.iter().map(|&page| (pages[page], random.u64(..))).collect();
            let of_pages: Vec<(f32, Vec<f32>)> = tasks
                .into_par_iter()
                .with_max_len(1)
                .map(|(page, seed)| page_slopes(page, scaler, &params, options, seed))
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
        progress(&format!("epoch {epoch} of {}: loss {loss:.4}", options.epochs));
    }
    params
}

/// The loss of a random window of a page, and its slopes by all parameters.
fn page_slopes(
    page: &SequencePage<'_>,
    scaler: &Scaler,
    params: &[f32],
    options: &SequenceOptions,
    seed: u64,
) -> (f32, Vec<f32>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let excerpt = page.draw(scaler, options.window, &mut random);
    let mut recorder = Recorder::new(&mut random, options.dropout as f32);
    let output = forward(&options.design(), params, &excerpt.window, &mut recorder);
    let loss = loss(&output, &excerpt, options);
    let mut slopes = vec![0.0; params.len()];
    add_slopes(&options.design(), params, &excerpt.window, &recorder, &loss, &mut slopes);
    (loss.value, slopes)
}
