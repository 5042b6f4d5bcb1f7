//! Agreement of probabilities with observed shares of content.

use serde::Serialize;

/// Blocks whose probabilities lie in one of ten ranges of equal width.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ReliabilityBin {
    /// Least probability of the range; the range ends 0.1 higher.
    pub from: f64,
    /// Number of blocks in the range.
    pub blocks: u64,
    /// Mean predicted probability of content, 0 to 1; 0 for no block.
    #[serde(rename = "said")]
    pub predicted: f64,
    /// Observed share of content, 0 to 1; 0 for no block.
    #[serde(rename = "was")]
    pub observed: f64,
}

/// Predicted probability and observed share of content, in ten bins (reliability diagram;
/// Niculescu-Mizil and Caruana 2005, section 4).
pub(crate) fn reliability(probabilities: &[f32], is_content: &[bool]) -> [ReliabilityBin; 10] {
    let mut sums = [(0u64, 0.0f64, 0.0f64); 10];
    for (&probability, &content) in probabilities.iter().zip(is_content) {
        let bin = &mut sums[((probability * 10.0) as usize).min(9)];
        bin.0 += 1;
        bin.1 += f64::from(probability);
        bin.2 += f64::from(u8::from(content));
    }
    std::array::from_fn(|index| {
        let (blocks, predicted, observed) = sums[index];
        let count = blocks.max(1) as f64;
        ReliabilityBin {
            from: index as f64 / 10.0,
            blocks,
            predicted: predicted / count,
            observed: observed / count,
        }
    })
}

/// Expected calibration error over ten bins of equal width: how far, on average, probabilities are
/// from what happens.
pub(crate) fn calibration_error(probabilities: &[f32], is_content: &[bool]) -> f64 {
    let bins = reliability(probabilities, is_content);
    let blocks: u64 = bins.iter().map(|bin| bin.blocks).sum();
    bins.iter()
        .map(|bin| bin.blocks as f64 * (bin.predicted - bin.observed).abs())
        .sum::<f64>()
        / blocks.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_predicted_and_observed_shares() {
        let bins = reliability(
            &[0.0, 0.05, 0.95, 1.0, 0.75],
            &[false, true, true, true, false],
        );
        assert_eq!(
            (
                bins[0].blocks,
                bins[0].observed,
                bins[9].blocks,
                bins[9].observed
            ),
            (2, 0.5, 2, 1.0)
        );
        assert!(
            (bins[0].predicted - 0.025).abs() < 1e-6
                && (bins[7].predicted - 0.75).abs() < 1e-6
                && bins[7].from == 0.7
        );
        assert_eq!(
            bins[3],
            ReliabilityBin {
                from: 0.3,
                ..ReliabilityBin::default()
            }
        );
        let error = (2.0 * 0.475 + 0.75 + 2.0 * 0.025) / 5.0;
        assert!(
            (calibration_error(
                &[0.0, 0.05, 0.95, 1.0, 0.75],
                &[false, true, true, true, false]
            ) - error)
                .abs()
                < 1e-6
        );
        assert_eq!(calibration_error(&[], &[]), 0.0);
    }
}
