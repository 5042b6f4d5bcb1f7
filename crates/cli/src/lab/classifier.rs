//! Options that `train` and `tune` share: the classifier and its parameters.

use crate::options::named;
use clap::Args;
use clap::builder::PossibleValuesParser;
use vclean_lab::train::{CLASSIFIERS, Classifier};

/// The classifier and its parameters.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Classifier")]
pub(super) struct ClassifierArguments {
    /// Classifier: svm (support vector machine with a Gaussian kernel), logistic (logistic
    /// regression), or boosted (decision trees)
    #[arg(long, value_name = "CLASSIFIER", default_value = "svm", value_parser = row_classifiers())]
    pub(super) classifier: String,

    /// svm: penalty for a misclassified training row, above 0 [default: 4]
    #[arg(long, value_name = "NUMBER")]
    c: Option<f64>,

    /// svm: factor of the squared distance (columns are scaled to -1 to 1), above 0 [default: 0.02]
    #[arg(long, value_name = "NUMBER")]
    gamma: Option<f64>,

    /// svm: cost of dropping content relative to keeping boilerplate, above 0 [default: 1]
    #[arg(long, value_name = "NUMBER")]
    content_weight: Option<f64>,

    /// svm: maximum number of support vectors; a machine with more is approximated by a reduced set
    /// of this size (Burges 1996), which is faster; 0 keeps all [default: 0]
    #[arg(long, value_name = "N")]
    support_vectors: Option<f64>,

    /// logistic: ridge penalty per row, 0 or more [default: 0.001]
    #[arg(long, value_name = "NUMBER")]
    ridge: Option<f64>,

    /// boosted: number of trees [default: 600]
    #[arg(long, value_name = "N")]
    trees: Option<f64>,

    /// boosted: maximum depth, 1 to 30 [default: 6]
    #[arg(long, value_name = "N")]
    depth: Option<f64>,

    /// boosted: minimum number of rows in a leaf [default: 20]
    #[arg(long, value_name = "N")]
    min_leaf: Option<f64>,

    /// boosted: learning rate, the factor of each tree's output, above 0, up to 1 [default: 0.03]
    #[arg(long, value_name = "SHARE")]
    learning_rate: Option<f64>,

    /// boosted: share of the rows that each tree is trained on, above 0, up to 1 [default: 0.7]
    #[arg(long, value_name = "SHARE")]
    row_share: Option<f64>,

    /// boosted: share of the columns that each tree chooses from, above 0, up to 1 [default: 0.2]
    #[arg(long, value_name = "SHARE")]
    column_share: Option<f64>,

    /// boosted: L2 regularization of leaf values, 0 or more [default: 5]
    #[arg(long, value_name = "NUMBER")]
    l2: Option<f64>,
}

impl ClassifierArguments {
    /// The parameters given on the command line, by name.
    pub(super) fn given(&self) -> Vec<(&'static str, f64)> {
        [
            ("c", self.c),
            ("gamma", self.gamma),
            ("content-weight", self.content_weight),
            ("support-vectors", self.support_vectors),
            ("ridge", self.ridge),
            ("trees", self.trees),
            ("depth", self.depth),
            ("min-leaf", self.min_leaf),
            ("learning-rate", self.learning_rate),
            ("row-share", self.row_share),
            ("column-share", self.column_share),
            ("l2", self.l2),
        ]
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| (name, value)))
        .collect()
    }

    /// The classifier with its parameters, all in their ranges; `seed` is for its random draws.
    ///
    /// # Errors
    /// If a parameter is out of its range, or this classifier does not have it.
    pub(super) fn classifier(&self, seed: u64) -> anyhow::Result<Classifier> {
        let usual = named(CLASSIFIERS, &self.classifier).map_err(anyhow::Error::msg)?;
        let mut classifier = usual().seeded(seed);
        for (parameter, value) in self.given() {
            classifier = classifier.with(parameter, value)?;
        }
        Ok(classifier)
    }

    /// The classifier and all its parameters as command-line options.
    pub(super) fn command(&self, classifier: Classifier) -> String {
        let mut words = Vec::new();
        if self.classifier != "svm" {
            words.push(format!("--classifier {}", self.classifier));
        }
        let parameters = classifier
            .parameters()
            .into_iter()
            .filter(|parameter| !OMITTED.contains(parameter));
        words.extend(parameters.map(|(name, value)| format!("--{name} {value}")));
        words.join(" ")
    }
}

/// Parameters that are omitted from a command if they have these values.
const OMITTED: [(&str, f64); 2] = [("content-weight", 1.0), ("support-vectors", 0.0)];

/// The names of the classifiers that decide on each row by itself.
fn row_classifiers() -> PossibleValuesParser {
    PossibleValuesParser::new(
        CLASSIFIERS
            .iter()
            .filter(|(_, usual)| usual().is_row_wise())
            .map(|(name, _)| *name),
    )
}

/// A classifier with its parameters, written as one argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TypedClassifier {
    /// The argument as typed.
    pub(super) typed: String,
    /// The classifier with these parameters.
    pub(super) classifier: Classifier,
}

/// Parses `CLASSIFIER` or `CLASSIFIER:NAME=VALUE,...`.
pub(super) fn typed_classifier(typed: &str) -> Result<TypedClassifier, String> {
    let (name, parameters) = typed.split_once(':').unwrap_or((typed, ""));
    let mut classifier = named(CLASSIFIERS, name)?();
    for parameter in parameters
        .split(',')
        .filter(|parameter| !parameter.is_empty())
    {
        let (parameter, value) = parameter
            .split_once('=')
            .ok_or_else(|| format!("{parameter} has no value; write {parameter}=VALUE"))?;
        classifier = classifier.with_text(parameter, value)?;
    }
    Ok(TypedClassifier {
        typed: typed.to_owned(),
        classifier,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: ClassifierArguments,
    }

    fn classifier(words: &str) -> anyhow::Result<(Classifier, String)> {
        let words = ["train"].into_iter().chain(words.split_whitespace());
        let arguments = Alone::try_parse_from(words)?.arguments;
        let classifier = arguments.classifier(7)?;
        Ok((classifier, arguments.command(classifier)))
    }

    #[test]
    fn every_classifier_round_trips_as_options() {
        assert_eq!(classifier("").unwrap().1, "--c 4 --gamma 0.02");
        for words in [
            "--c 2 --gamma 0.5",
            "--c 4 --gamma 0.01 --content-weight 2",
            "--c 4 --gamma 0.01 --support-vectors 200",
            "--classifier logistic --ridge 0.1",
            "--classifier boosted --trees 20 --depth 3 --learning-rate 0.1 --row-share 1 --column-share 1 --l2 0 --min-leaf 5",
        ] {
            assert_eq!(classifier(words).unwrap().1, words);
        }
    }

    #[test]
    fn a_classifier_is_parsed_from_one_argument() {
        let usual = typed_classifier("boosted").unwrap().classifier;
        let other = typed_classifier("boosted:trees=200,learning-rate=0.1").unwrap();
        assert_eq!(
            usual
                .with("trees", 200.0)
                .unwrap()
                .with("learning-rate", 0.1)
                .unwrap(),
            other.classifier
        );
        assert_eq!(
            typed_classifier("boosted:depth=31").unwrap_err(),
            "depth is 31, allowed is 1 to 30"
        );
        let network = typed_classifier("sequence:width=32,blocks=c1+page")
            .unwrap()
            .classifier;
        assert!(network != typed_classifier("sequence:width=32").unwrap().classifier);
        assert!(
            typed_classifier("sequence:blocks=c1+x")
                .unwrap_err()
                .starts_with("there is no block x")
        );
        assert_eq!(
            typed_classifier("boosted:depth").unwrap_err(),
            "depth has no value; write depth=VALUE"
        );
        assert_eq!(
            typed_classifier("boosted:depth=x").unwrap_err(),
            "depth is x, allowed is a number"
        );
        assert!(typed_classifier("forest").unwrap_err().contains("boosted"));
    }

    #[test]
    fn errors_name_the_wrong_parameter() {
        let error = |words: &str| classifier(words).unwrap_err().to_string();
        assert_eq!(error("--c 0"), "c is 0, allowed is above 0, up to 1000000");
        assert_eq!(
            error("--c inf"),
            "c is inf, allowed is above 0, up to 1000000"
        );
        assert_eq!(
            error("--gamma NaN"),
            "gamma is NaN, allowed is above 0, up to 10000"
        );
        assert_eq!(
            error("--classifier boosted --learning-rate 2"),
            "learning rate is 2, allowed is above 0, up to 1"
        );
        assert!(
            error("--classifier boosted --gamma 1")
                .starts_with("boosted has no parameter gamma, it has trees, ")
        );
        assert!(error("--classifier forest").contains("boosted"));
        let Classifier::Boosted(options) = classifier("--classifier boosted").unwrap().0 else {
            panic!("another classifier")
        };
        assert_eq!(options.seed, 7);
    }
}
