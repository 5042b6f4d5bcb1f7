//! How well two labellings of the same blocks agree, as `vclean agreement` counts it: content against the rest, without
//! blocks on which one of them is unsure.

use super::label::BlockLabel;
use crate::evaluate::agreement::kappa;
use crate::evaluate::metrics::BlockScore;
use serde::Serialize;

/// The agreement of two labellings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LabelAgreement {
    /// Cohen's kappa, -1 to 1.
    pub kappa: f64,
    /// Share of the blocks with the same label, 0 to 100.
    pub percent: f64,
    /// Number of blocks that were compared.
    pub blocks: u64,
    /// Number of pages that they are on.
    pub pages: usize,
}

/// Compares the labels of each page; `None` if there is no block to compare.
pub fn agreement(pages: impl IntoIterator<Item = Vec<[BlockLabel; 2]>>) -> Option<LabelAgreement> {
    let (mut sum, mut count) = (BlockScore::default(), 0);
    for pairs in pages {
        let decided = pairs.iter().filter_map(|[one, other]| one.decided().zip(other.decided()));
        let score = BlockScore::count(decided);
        count += usize::from(score.blocks() > 0);
        sum = sum.plus(score);
    }
    (sum.blocks() > 0).then(|| LabelAgreement {
        kappa: kappa(sum),
        percent: 100.0 * sum.accuracy(),
        blocks: sum.blocks(),
        pages: count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use BlockLabel::{Boilerplate, Comments, Content, Unsure};

    #[test]
    fn unsure_blocks_are_left_out_and_pages_are_counted() {
        let found = agreement([
            vec![[Content, Content], [Content, Boilerplate], [Unsure, Content]],
            vec![[Boilerplate, Comments], [Boilerplate, Boilerplate]],
            vec![[Unsure, Unsure]],
        ]);
        let Some(found) = found else { panic!("blocks were compared") };
        assert_eq!((found.blocks, found.pages, found.percent), (4, 2, 75.0));
        assert!((found.kappa - 0.5).abs() < 1e-9, "{}", found.kappa);
        assert_eq!(agreement([vec![[Unsure, Content]]]), None);
    }
}
