//! Agreement of two engines on a page: its height, the positions of its blocks, and their features.
//!
//! The trees of the engines differ in details, so blocks are paired by their text: those in a
//! longest common subsequence of the blocks of both pages. The features of all pairs of all pages
//! give one correlation per feature.

use super::table::Table;
use crate::gold::lcs;
use std::collections::HashMap;
use vclean_core::capture::{Capture, CssRect};
use vclean_core::error::Error;
use vclean_core::features::{self, FeatureTable};
use vclean_core::target::{self, Target, TargetRule};

/// Two boxes count as the same if their intersection over union is above this.
pub(crate) const SAME_BOX: f32 = 0.8;

/// One page rendered by both engines.
#[derive(Debug, Clone, PartialEq)]
pub struct PageFidelity {
    /// Name of the page.
    pub id: String,
    /// Heights of the page in px.
    pub heights_px: [f32; 2],
    /// Blocks that each engine shows.
    pub targets: [usize; 2],
    /// Blocks that both show, as pairs of positions.
    pub pairs: Vec<(usize, usize)>,
    /// Number of these pairs in the same place: intersection over union above [`SAME_BOX`].
    pub same_place: usize,
    /// Number of these pairs that have the same size and are only shifted.
    pub same_size: usize,
}

/// The paired blocks of a page, for drawing them.
pub struct Paired {
    /// Figures computed from the pairs.
    pub fidelity: PageFidelity,
    /// Blocks of each engine.
    pub targets: [Vec<Target>; 2],
    /// Features of these blocks.
    pub tables: [FeatureTable; 2],
}

impl PageFidelity {
    /// Height by the second engine, relative to that by the first.
    pub(crate) fn height_ratio(&self) -> f64 {
        f64::from(self.heights_px[1]) / f64::from(self.heights_px[0].max(1.0))
    }

    /// Share of all blocks that both show in the same place, 0 to 1; 1 for a page without blocks.
    pub(crate) fn share_in_place(&self) -> f64 {
        share(self.same_place, self.targets[0].max(self.targets[1]))
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// Compares two captures of a page.
///
/// # Errors
/// If the pictures of one capture are damaged.
pub fn compare(id: &str, captures: [&Capture; 2], rule: TargetRule) -> Result<Paired, Error> {
    let targets = captures.map(|capture| target::select(capture, rule));
    let [one, other] = [0, 1].map(|side| features::measure(captures[side], &targets[side]));
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let texts = [0, 1].map(|side| -> Vec<u32> {
        let number = |target: &Target| {
            let next = numbers.len() as u32;
            *numbers
                .entry(target.text(&captures[side].dom))
                .or_insert(next)
        };
        targets[side].iter().map(number).collect()
    });
    let pairs: Vec<(usize, usize)> = lcs::runs(&texts[0], &texts[1])
        .into_iter()
        .flat_map(|run| (0..run.size).map(move |step| (run.a + step, run.b + step)))
        .collect();
    let rects = |a: usize, b: usize| {
        [
            around(captures[0], &targets[0][a]),
            around(captures[1], &targets[1][b]),
        ]
    };
    let same_place = pairs
        .iter()
        .filter(|&&(a, b)| overlap(rects(a, b)) > SAME_BOX)
        .count();
    let same_size = pairs
        .iter()
        .filter(|&&(a, b)| overlap(rects(a, b).map(at_origin)) > SAME_BOX)
        .count();
    let fidelity = PageFidelity {
        id: id.to_owned(),
        heights_px: captures.map(|capture| {
            capture
                .layout
                .as_ref()
                .map_or(0.0, |layout| layout.page_height_px)
        }),
        targets: [targets[0].len(), targets[1].len()],
        pairs,
        same_place,
        same_size,
    };
    Ok(Paired {
        fidelity,
        targets,
        tables: [one?, other?],
    })
}

fn around(capture: &Capture, target: &Target) -> CssRect {
    capture
        .layout
        .as_ref()
        .map_or_else(CssRect::default, |layout| {
            layout.bounding_rect(&target.texts)
        })
}

fn at_origin(rect: CssRect) -> CssRect {
    CssRect {
        x: 0.0,
        y: 0.0,
        ..rect
    }
}

/// Intersection over union, 0 to 1.
pub fn overlap([one, other]: [CssRect; 2]) -> f32 {
    let both = one.intersection(other).area();
    let either = one.area() + other.area() - both;
    if either > 0.0 { both / either } else { 0.0 }
}

/// Sums for Pearson's correlation of each column over pairs of blocks.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Correlations {
    columns: Vec<(&'static str, Moments)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Moments {
    count: f64,
    sums: [f64; 2],
    squares: [f64; 2],
    product: f64,
    equal: f64,
}

impl Correlations {
    /// Adds the pairs of a page, in the columns of this group.
    pub(crate) fn add(&mut self, page: &Paired, group: &str) {
        let [one, other] = &page.tables;
        for column in one
            .columns
            .iter()
            .filter(|column| features::is_in_group(column, group))
        {
            let (Some(a), Some(b)) = (one.column(column), other.column(column)) else {
                continue;
            };
            let place = self
                .columns
                .iter()
                .position(|(known, _)| known == column)
                .unwrap_or_else(|| {
                    self.columns.push((column, Moments::default()));
                    self.columns.len() - 1
                });
            let moments = &mut self.columns[place].1;
            for &(i, j) in &page.fidelity.pairs {
                moments.add(f64::from(a[i]), f64::from(b[j]));
            }
        }
    }

    /// Each column with its correlation, -1 to 1, and the share of pairs whose values differ by
    /// less than a hundredth of their standard deviation, lowest correlation first. Constant
    /// columns are left out.
    pub(crate) fn ranked(&self) -> Vec<(&'static str, f64, f64)> {
        let mut ranked: Vec<_> = self
            .columns
            .iter()
            .filter_map(|(name, moments)| {
                Some((*name, moments.correlation()?, moments.equal / moments.count))
            })
            .collect();
        ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
        ranked
    }

    /// One row per feature, as ranked.
    pub(crate) fn table(&self) -> Table {
        let mut table = Table::new(&["feature", "correlation", "same value"]);
        for (name, correlation, equal) in self.ranked() {
            table.push(vec![
                name.to_owned(),
                format!("{correlation:.3}"),
                format!("{equal:.2}"),
            ]);
        }
        table
    }
}

impl Moments {
    fn add(&mut self, a: f64, b: f64) {
        self.count += 1.0;
        for (side, value) in [a, b].into_iter().enumerate() {
            self.sums[side] += value;
            self.squares[side] += value * value;
        }
        self.product += a * b;
        // Features are scaled to about 1; a difference of a hundredth does not matter.
        self.equal += f64::from(u8::from((a - b).abs() < 0.01));
    }

    fn correlation(&self) -> Option<f64> {
        let variance =
            |side: usize| self.squares[side] / self.count - (self.sums[side] / self.count).powi(2);
        let covariance =
            self.product / self.count - self.sums[0] / self.count * (self.sums[1] / self.count);
        let both = (variance(0) * variance(1)).sqrt();
        (both > 1e-12).then(|| (covariance / both).clamp(-1.0, 1.0))
    }
}

/// The figures of all pages in one table: heights, blocks in place.
pub fn summary(pages: &[PageFidelity]) -> Table {
    let mut table = Table::new(&["", ""]);
    let count = pages.len().max(1) as f64;
    let mut ratios: Vec<f64> = pages.iter().map(PageFidelity::height_ratio).collect();
    ratios.sort_by(f64::total_cmp);
    let within = |limit: f64| {
        ratios
            .iter()
            .filter(|ratio| (*ratio - 1.0).abs() <= limit)
            .count() as f64
            / count
    };
    let at = |share: f64| {
        ratios
            .get((share * (ratios.len().max(1) - 1) as f64).round() as usize)
            .copied()
            .unwrap_or(1.0)
    };
    let sum = |count: fn(&PageFidelity) -> usize| pages.iter().map(count).sum::<usize>();
    let all = sum(|page| page.targets[0].max(page.targets[1]));
    let rows = [
        ("pages", format!("{}", pages.len())),
        (
            "height ratio: median, 5 % and 95 %",
            format!("{:.3} ({:.3} to {:.3})", at(0.5), at(0.05), at(0.95)),
        ),
        (
            "pages within 2 % of the height",
            format!("{:.2}", within(0.02)),
        ),
        ("pages within 10 %", format!("{:.2}", within(0.1))),
        (
            "blocks that both show",
            format!("{:.3}", share(sum(|page| page.pairs.len()), all)),
        ),
        (
            "blocks in the same place (IoU > 0.8)",
            format!("{:.3}", share(sum(|page| page.same_place), all)),
        ),
        (
            "blocks of the same size (IoU > 0.8 when shifted)",
            format!("{:.3}", share(sum(|page| page.same_size), all)),
        ),
        (
            "mean over pages of the share in the same place",
            format!(
                "{:.3}",
                pages.iter().map(PageFidelity::share_in_place).sum::<f64>() / count
            ),
        ),
    ];
    for (name, value) in rows {
        table.push(vec![name.to_owned(), value]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::capture::{DomBuilder, Engine, Layout, LineBox, Record, Style};

    /// A page of paragraphs, each with its text and the top of its only line.
    fn page(paragraphs: &[(&str, f32)]) -> Capture {
        let mut builder = DomBuilder::new();
        let body = builder.open("body", vec![]);
        let nodes: Vec<_> = paragraphs
            .iter()
            .map(|&(text, top)| {
                let element = builder.open("p", vec![]);
                let node = builder.text(text);
                builder.close();
                (element, node, top)
            })
            .collect();
        let dom = builder.finish();
        let mut layout = Layout::new(dom.len(), 100.0, 100.0 * paragraphs.len() as f32);
        let block = Style {
            display: vclean_core::capture::Display::Block,
            ..Style::default()
        };
        layout.set(
            body,
            CssRect {
                x: 0.0,
                y: 0.0,
                width: 100.0,
                height: 100.0,
            },
            &block,
            0,
            &[],
        );
        for (element, text, top) in nodes {
            let rect = CssRect {
                x: 0.0,
                y: top,
                width: 80.0,
                height: 20.0,
            };
            layout.set(element, rect, &block, 1, &[]);
            layout.set(
                text,
                rect,
                &Style::default(),
                1,
                &[LineBox {
                    rect,
                    start: 0,
                    length: 5,
                }],
            );
        }
        let mut record = Record::parsed("x", None);
        record.engine = Engine::Chromium;
        Capture {
            record,
            dom,
            layout: Some(layout),
            pictures: None,
        }
    }

    #[test]
    fn blocks_are_paired_by_text_and_compared_by_place() {
        let one = page(&[("alpha", 0.0), ("beta", 100.0), ("gamma", 200.0)]);
        let other = page(&[("alpha", 1.0), ("new", 50.0), ("gamma", 300.0)]);
        let found = compare("p", [&one, &other], TargetRule::default())
            .unwrap()
            .fidelity;
        assert_eq!(found.pairs, [(0, 0), (2, 2)]);
        assert_eq!((found.same_place, found.same_size), (1, 2));
        assert_eq!(found.height_ratio(), 1.0);
        assert!((found.share_in_place() - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn identical_captures_agree_fully() {
        let one = page(&[("alpha", 0.0), ("beta", 30.0), ("gamma", 200.0)]);
        let paired = compare("p", [&one, &one], TargetRule::default()).unwrap();
        assert_eq!(paired.fidelity.share_in_place(), 1.0);
        let mut correlations = Correlations::default();
        correlations.add(&paired, "visual");
        let ranked = correlations.ranked();
        assert!(!ranked.is_empty());
        assert!(
            ranked
                .iter()
                .all(|&(_, correlation, equal)| correlation > 0.999 && equal == 1.0),
            "{ranked:?}"
        );
    }
}
