//! How the stages of a model follow one another: machines that look at the page, then regressions on their margins.

use super::classifier::Classifier;
use super::options::StageOptions;
use super::sample::SampleOptions;

/// Rows of the machine beside the first: trees learn from many rows at once.
const BESIDE_SAMPLE: SampleOptions = SampleOptions { total: 40_000, of_page: 60, seed: 1 };
/// Rows of the stages that see margins only: logistic regression is cheap.
const SMOOTHING_SAMPLE: SampleOptions = SampleOptions { total: 40_000, of_page: 150, seed: 1 };
/// Ridge a row of these stages: hardly any, for some twenty columns a machine.
const RIDGE: f64 = 1e-4;

/// What a model is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    /// What looks at the page.
    pub classifier: Classifier,
    /// Rows it learns from.
    pub sample: SampleOptions,
    /// A second classifier that looks at the page beside it.
    pub beside: Option<Classifier>,
    /// Logistic regressions that follow, each on the margins before it; the first of them reads every machine's.
    pub regressions: usize,
    /// Seed of the samples.
    pub seed: u64,
}

impl Recipe {
    /// The stages in their order.
    pub fn stages(&self) -> Vec<StageOptions> {
        let machine = |classifier, sample| StageOptions { columns: None, reads: Vec::new(), classifier, sample };
        let mut stages = vec![machine(self.classifier, self.sample)];
        stages.extend(
            self.beside.map(|classifier| machine(classifier, SampleOptions { seed: self.seed, ..BESIDE_SAMPLE })),
        );
        let mut reads: Vec<usize> = (0..stages.len()).collect();
        for number in 1..=self.regressions {
            let sample = SampleOptions { seed: self.seed + number as u64, ..SMOOTHING_SAMPLE };
            let classifier = Classifier::Logistic { ridge: RIDGE };
            stages.push(StageOptions { columns: Some(Vec::new()), reads, classifier, sample });
            reads = vec![stages.len() - 1];
        }
        stages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::SvmOptions;
    use crate::classify::trees::BoostedOptions;

    #[test]
    fn a_regression_reads_all_machines_and_the_next_reads_it() {
        let recipe = Recipe {
            classifier: Classifier::Svm(SvmOptions::default()),
            sample: SampleOptions::default(),
            beside: Some(Classifier::Boosted(BoostedOptions::default())),
            regressions: 2,
            seed: 7,
        };
        let reads = |recipe: Recipe| recipe.stages().into_iter().map(|stage| stage.reads).collect::<Vec<_>>();
        assert_eq!(reads(recipe), [vec![], vec![], vec![0, 1], vec![2]]);
        assert_eq!(reads(Recipe { beside: None, ..recipe }), [vec![], vec![0], vec![1]]);
        assert_eq!(recipe.stages()[2].sample.seed, 8);
        assert!(recipe.stages()[1].columns.is_none() && recipe.stages()[3].columns.as_deref() == Some(&[]));
    }
}
