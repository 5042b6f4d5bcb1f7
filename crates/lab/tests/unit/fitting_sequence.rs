//! Gradients against numeric ones, and what a network learns.

use super::gradient::{Recorder, add_slopes};
use super::loss::loss;
use super::options::SequenceOptions;
use super::training::{self, SequencePage, hide, start};
use ndarray::Array2;
use vclean_core::classify::sequence::network::forward;
use vclean_core::classify::{PageKind, PageShape, Scaler, Sequence};

/// A page with its own rows.
struct Owned {
    rows: Array2<f32>,
    shape: PageShape,
    labels: Vec<Option<bool>>,
    kind: Option<PageKind>,
}

impl Owned {
    fn page(&self) -> SequencePage<'_> {
        let Self {
            rows,
            shape,
            labels,
            kind,
        } = self;
        SequencePage {
            inputs: rows.view(),
            columns: 2,
            shape,
            labels,
            is_whole: true,
            kind: *kind,
        }
    }
}

fn random_page(targets: usize, seed: u64) -> Owned {
    let mut random = fastrand::Rng::with_seed(seed);
    Owned {
        rows: Array2::from_shape_fn((targets, 3), |_| random.f32() * 2.0 - 1.0),
        shape: PageShape {
            lengths: (0..targets).map(|_| random.u32(0..90)).collect(),
            groups: (0..targets)
                .map(|target| [target as u32 / 3, random.u32(5..7)])
                .collect(),
        },
        labels: (0..targets)
            .map(|_| [Some(true), Some(false), None][random.usize(0..3)])
            .collect(),
        kind: Some(PageKind::Forum),
    }
}

/// Leaves values between -1 and 1 as they are.
fn plain_scaler(columns: usize) -> Scaler {
    Scaler {
        low: vec![-1.0; columns],
        high: vec![1.0; columns],
    }
}

fn options(blocks: &str) -> SequenceOptions {
    SequenceOptions {
        width: 8,
        blocks: blocks.parse().unwrap(),
        window: 16,
        ..SequenceOptions::default()
    }
}

/// Compares the gradient of the loss with differences along it and along random directions, for
/// each part of the network.
fn check_slopes(blocks: &str, dropout: f32) {
    let (options, page) = (options(blocks), random_page(12, 5));
    let design = options.design();
    let mut random = fastrand::Rng::with_seed(3);
    let mut params = start(&design, 3, &mut random);
    for param in &mut params {
        *param += 0.2 * (random.f32() - 0.5);
    }
    // Rows of rectified values that are all 0 have no differences to compare with.
    for offset in &mut params[24..32] {
        *offset += 2.0;
    }
    let excerpt = page.page().excerpt(&plain_scaler(3), 0..12);
    let value = |params: &[f32]| {
        let mut drawn = fastrand::Rng::with_seed(9);
        let output = forward(
            &design,
            params,
            &excerpt.window,
            &mut Recorder::new(&mut drawn, dropout),
        );
        loss(&output, &excerpt, &options).value
    };
    let mut drawn = fastrand::Rng::with_seed(9);
    let mut record = Recorder::new(&mut drawn, dropout);
    let output = forward(&design, &params, &excerpt.window, &mut record);
    let mut slopes = vec![0.0; params.len()];
    add_slopes(
        &design,
        &params,
        &excerpt.window,
        &record,
        &loss(&output, &excerpt, &options),
        &mut slopes,
    );
    let parts = design.parts(3);
    let of_blocks = parts
        .blocks
        .into_iter()
        .flat_map(|(_, norm, own)| [norm, own]);
    for part in [
        parts.first,
        parts.norm,
        parts.hidden,
        parts.margin,
        parts.kind,
    ]
    .into_iter()
    .chain(of_blocks)
    {
        assert!(
            slopes[part.clone()].iter().any(|slope| *slope != 0.0),
            "{blocks} {part:?}"
        );
        for along in [true, false] {
            let direction: Vec<f32> = slopes[part.clone()]
                .iter()
                .map(|slope| if along { *slope } else { random.f32() - 0.5 })
                .collect();
            let length = direction
                .iter()
                .map(|value| value * value)
                .sum::<f32>()
                .sqrt();
            let moved = |by: f32| {
                let mut moved = params.clone();
                moved[part.clone()]
                    .iter_mut()
                    .zip(&direction)
                    .for_each(|(param, value)| *param += by * value / length);
                value(&moved)
            };
            let by = 2e-3;
            let numeric = (moved(by) - moved(-by)) / (2.0 * by);
            let exact: f32 = slopes[part.clone()]
                .iter()
                .zip(&direction)
                .map(|(slope, value)| slope * value / length)
                .sum();
            assert!(
                (numeric - exact).abs() < 3e-4 + 0.02 * exact.abs(),
                "{blocks} {part:?}: {numeric} {exact}"
            );
        }
    }
}

#[test]
fn slopes_of_every_block_are_those_of_differences() {
    for blocks in ["", "c1", "c3", "page", "c1+c2+page"] {
        check_slopes(blocks, 0.0);
    }
}

#[test]
fn slopes_are_right_with_dropout() {
    check_slopes("c2+c4+page", 0.3);
}

/// Pages whose content is the six targets after a marker; apart from it, rows are noise.
fn marked_pages(count: usize, seed: u64) -> Vec<Owned> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count)
        .map(|_| {
            let marker = random.usize(2..14);
            Owned {
                rows: Array2::from_shape_fn((22, 2), |(row, column)| {
                    if column == 0 {
                        f32::from(u8::from(row == marker))
                    } else {
                        random.f32()
                    }
                }),
                shape: PageShape {
                    lengths: vec![20; 22],
                    groups: vec![[1, 0]; 22],
                },
                labels: (0..22)
                    .map(|row| Some((marker + 1..marker + 7).contains(&row)))
                    .collect(),
                kind: None,
            }
        })
        .collect()
}

fn fit(owned: &[Owned], options: &SequenceOptions) -> Sequence {
    let pages: Vec<SequencePage<'_>> = owned.iter().map(Owned::page).collect();
    training::fit(&pages, &plain_scaler(2), options, &|_| {}).unwrap()
}

#[test]
fn a_run_of_targets_after_a_marker_is_learned() {
    let options = SequenceOptions {
        epochs: 30,
        batch: 4,
        rate: 5e-3,
        window: 32,
        dropout: 0.0,
        ..options("c1+c2+page")
    };
    let network = fit(&marked_pages(40, 1), &options);
    let (mut right, mut all) = (0, 0);
    for page in marked_pages(20, 2) {
        let margins = network.margins(page.rows.view(), &page.shape);
        right += margins
            .iter()
            .zip(&page.labels)
            .filter(|(margin, label)| Some(**margin > 0.0) == **label)
            .count();
        all += margins.len();
    }
    // Every row but the marker looks alike to a classifier of rows, which can reach 16 of 22.
    assert!(right * 100 > all * 95, "{right} of {all}");
}

#[test]
fn the_network_depends_on_the_seed_and_not_on_threads() {
    let pages = marked_pages(10, 3);
    let fit_on = |threads: usize, seed: u64| {
        let options = SequenceOptions {
            epochs: 2,
            batch: 4,
            seed,
            ..options("c1+page")
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| fit(&pages, &options))
    };
    assert_eq!(fit_on(1, 1), fit_on(3, 1));
    assert_ne!(fit_on(1, 1), fit_on(1, 2));
}

#[test]
fn pages_that_cannot_be_learned_from_are_named() {
    let mut owned = marked_pages(3, 4);
    let error = |owned: &[Owned]| {
        let pages: Vec<SequencePage<'_>> = owned.iter().map(Owned::page).collect();
        training::fit(&pages, &plain_scaler(2), &options("c1"), &|_| {})
            .unwrap_err()
            .to_string()
    };
    owned[1].rows[[3, 1]] = f32::NAN;
    assert!(
        error(&owned).starts_with("page 1 has NaN in column 1"),
        "{}",
        error(&owned)
    );
    owned[1].labels.pop();
    assert!(
        error(&owned).starts_with("page 1 has 22 x 2 inputs for 21 targets"),
        "{}",
        error(&owned)
    );
    for page in &mut owned {
        page.labels = vec![None; 22];
    }
    owned[1].rows[[3, 1]] = 0.0;
    assert!(
        error(&owned).starts_with("0 of 0 rows are content"),
        "{}",
        error(&owned)
    );
}

#[test]
fn a_hidden_input_has_one_value_of_another_page() {
    let page = |value: f32| {
        let mut page = random_page(4, 9);
        page.rows.fill(value);
        page
    };
    let (zeros, ones) = (page(0.0), page(1.0));
    let (zeros, ones) = (zeros.page(), ones.page());
    let scaler = plain_scaler(3);
    let changed = |share: f32| {
        let mut random = fastrand::Rng::with_seed(4);
        let mut count = 0;
        for _ in 0..200 {
            let mut excerpt = zeros.excerpt(&scaler, 0..4);
            hide(&mut excerpt, 2, &[&ones], &scaler, share, &mut random);
            let rows: Vec<&[f32]> = excerpt.window.inputs.chunks(3).collect();
            assert!(rows.iter().all(|row| *row == rows[0]), "{rows:?}");
            assert_eq!(rows[0][2], 0.0, "a margin is not hidden");
            count += rows[0].iter().filter(|value| **value == 1.0).count();
        }
        count
    };
    assert_eq!(changed(0.0), 0);
    assert!((55..105).contains(&changed(0.2)), "{}", changed(0.2));
}
