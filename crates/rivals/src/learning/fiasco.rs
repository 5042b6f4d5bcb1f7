//! Training options of FIASCO, as published (see [`method::fiasco`](crate::method::fiasco)).

use crate::method::fiasco::{C, COLUMNS, GAMMA};
use vclean_core::features::is_in_group;
use vclean_core::target::TargetRule;
use vclean_lab::fitting::SvmOptions;
use vclean_lab::gold::Alignment;
use vclean_lab::train::TrainOptions;
use vclean_lab::train::classifier::Classifier;
use vclean_lab::train::examples::ExampleOptions;
use vclean_lab::train::model::ModelOptions;
use vclean_lab::train::preset::Preset;
use vclean_lab::train::sample::SampleOptions;

/// The options of `usual`, changed to what was published; columns that need a rendered page only if
/// `has_layout`.
pub fn as_published(usual: ModelOptions, sample: SampleOptions, has_layout: bool) -> ModelOptions {
    let svm = SvmOptions {
        c: C,
        gamma: GAMMA,
        ..SvmOptions::default()
    };
    let seed = usual.train.seed;
    let preset = Preset {
        classifier: Classifier::Svm(svm),
        sample,
        ensemble: None,
        regressions: 0,
        stacked: None,
        seed,
    };
    let has_column = |column: &&&str| has_layout || !is_in_group(column, "visual");
    let targets = TargetRule::Fiasco;
    ModelOptions {
        examples: ExampleOptions {
            targets,
            alignment: Alignment::Dice,
            language_bound: true,
            markup: false,
        },
        groups: COLUMNS
            .iter()
            .filter(has_column)
            .map(|column| (*column).to_owned())
            .collect(),
        takes_counts: true,
        train: TrainOptions {
            stages: preset.stages(),
            target_rule: targets,
            tells_comments: false,
            ..usual.train
        },
        ..usual
    }
}
