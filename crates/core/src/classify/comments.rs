//! Tells readers' comments from other boilerplate: an optional part of a model.
//!
//! It reads the model's columns and the last margins of the content stages around each target, and
//! predicts the probability that a target which is not content is a comment. It is trained on pages
//! whose comments are known.

use super::calibrate::Platt;
use super::decision::{Decision, Label};
use super::smooth::PageShape;
use super::stage::Stage;
use ndarray::ArrayView2;

/// Probability above which a target that is not content is a comment.
const COMMENT_FROM: f32 = 0.5;

/// A stage that scores comments, with its calibration.
#[derive(Debug, Clone, PartialEq)]
pub struct CommentStage {
    /// Classifier of comments. For it, stage 0 is the final content margin; it reads the model's
    /// columns and that margin around each target.
    pub stage: Stage,
    /// Converts its margins to probabilities.
    pub platt: Platt,
}

impl CommentStage {
    /// Probability, 0 to 1, that each target is a comment, given that it is not content. `rows` are
    /// the model's columns; `margins` has one content margin per target.
    pub fn probabilities(
        &self,
        rows: ArrayView2<'_, f32>,
        margins: Vec<f32>,
        shape: &PageShape,
    ) -> Vec<f32> {
        let scores = self.stage.margins(rows, &[margins], shape);
        scores
            .into_iter()
            .map(|score| self.platt.probability(score))
            .collect()
    }

    /// Writes the probabilities into the decisions of the targets that are not content, and labels
    /// those above one half as comments.
    pub(super) fn label(
        &self,
        rows: ArrayView2<'_, f32>,
        margins: Vec<f32>,
        shape: &PageShape,
        decisions: &mut [Decision],
    ) {
        let other: Vec<usize> = (0..decisions.len())
            .filter(|&target| decisions[target].label != Label::Content)
            .collect();
        let scores = self.stage.margins_of(&other, rows, &[margins], shape);
        for (target, score) in other.into_iter().zip(scores) {
            let probability = self.platt.probability(score);
            decisions[target].comments = Some(probability);
            if probability > COMMENT_FROM {
                decisions[target].label = Label::Comments;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::Model;
    use crate::classify::model::tests::sample;

    #[test]
    fn comments_are_labelled_among_what_is_not_content_and_kept_in_the_file() {
        let (mut model, table, shape) = sample();
        // At this threshold, some of the dropped blocks are comments according to the stage below.
        let decide = |model: &Model| {
            model
                .decide_page(&table, &shape, Some(0.95))
                .unwrap()
                .targets
        };
        let before = decide(&model);
        assert!(before.iter().all(|decision| decision.comments.is_none()));
        // The second stage of the sample reads a column and the margins of the stage before it,
        // just like a comment stage.
        let stage = model.stages[1].clone();
        model.comments = Some(CommentStage {
            stage,
            platt: Platt::default(),
        });
        let after = decide(&model);
        let mut found = 0;
        for (one, other) in before.iter().zip(&after) {
            assert_eq!(
                (one.margin, one.probability),
                (other.margin, other.probability)
            );
            assert_eq!(other.comments.is_some(), one.label != Label::Content);
            let is_comment = other
                .comments
                .is_some_and(|probability| probability > COMMENT_FROM);
            found += usize::from(is_comment);
            assert_eq!(
                other.label,
                if is_comment {
                    Label::Comments
                } else {
                    one.label
                }
            );
        }
        assert!(
            found > 0
                && after
                    .iter()
                    .any(|decision| decision.label == Label::Boilerplate)
        );
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read, model);
        assert_eq!(decide(&read), after);
    }
}
