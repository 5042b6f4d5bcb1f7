//! Measures the precision curve of a model.

use super::{PrecisionCurve, STEPS, threshold};

impl PrecisionCurve {
    /// Measures blocks with these calibrated probabilities, labels and text lengths.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn measure(probabilities: &[f32], is_content: &[bool], lengths: &[u32]) -> Self {
        assert!(probabilities.len() == is_content.len() && is_content.len() == lengths.len());
        // Rounded down, so that the model reaches every precision that is written.
        let share = |part: u64, all: u64| (part * 10_000).checked_div(all).unwrap_or(0) as f32 / 10_000.0;
        let mut curve = Self::default();
        let blocks = || probabilities.iter().zip(is_content).zip(lengths).map(|((p, c), l)| (*p, *c, u64::from(*l)));
        let (content, text) =
            blocks().filter(|block| block.1).fold((0, 0), |(count, sum), block| (count + 1, sum + block.2));
        for at in (0..usize::from(STEPS)).map(threshold) {
            let (mut kept, mut right, mut kept_text, mut right_text) = (0, 0, 0, 0);
            for (probability, is_content, length) in blocks() {
                if probability >= at {
                    (kept, kept_text) = (kept + 1, kept_text + length);
                    if is_content {
                        (right, right_text) = (right + 1, right_text + length);
                    }
                }
            }
            curve.precision.push(share(right, kept));
            curve.recall.push(share(right, content));
            curve.text_precision.push(share(right_text, kept_text));
            curve.text_recall.push(share(right_text, text));
        }
        curve
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_threshold_that_is_precise_enough_is_found() {
        let probabilities = [0.995, 0.9, 0.7, 0.5, 0.3, 0.1];
        let labels = [true, true, false, true, false, false];
        let curve = PrecisionCurve::measure(&probabilities, &labels, &[10, 10, 5, 15, 5, 5]);
        assert_eq!((curve.precision.len(), curve.recall.len()), (99, 99));
        assert_eq!((curve.precision[0], curve.recall[0]), (0.5, 1.0));
        assert_eq!((curve.text_precision[0], curve.text_recall[0]), (0.7, 1.0));
        // At 0.5: four kept, three right.
        assert_eq!((curve.precision[49], curve.text_precision[49]), (0.75, 0.875));
        // At 0.8: two kept, both right, two of three found, 20 of 35 characters.
        assert_eq!((curve.precision[79], curve.recall[79], curve.text_recall[79]), (1.0, 0.6666, 0.5714));
        assert_eq!(curve.threshold_for(0.5), Some(0.01));
        assert_eq!(curve.threshold_for(0.75), Some(0.31));
        assert_eq!(curve.threshold_for(0.9), Some(0.71));
        assert_eq!((curve.threshold_for(1.01), curve.best()), (None, 1.0));
    }

    #[test]
    fn where_nothing_is_kept_nothing_is_precise() {
        let curve = PrecisionCurve::measure(&[0.4], &[true], &[0]);
        assert_eq!((curve.precision[98], curve.text_recall[0]), (0.0, 0.0));
        assert_eq!(PrecisionCurve::measure(&[], &[], &[]).threshold_for(0.1), None);
        assert_eq!(PrecisionCurve::default().threshold_for(0.1), None);
    }
}
