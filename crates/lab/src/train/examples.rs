//! Prepares pages for training: captures them, selects and measures their targets, and labels these
//! by the gold.

use super::sample::TrainingPage;
use crate::gold::align::{Alignment, Labelling, Quality};
use crate::gold::{Capturing, label_for_training};
use rayon::prelude::*;
use vclean_core::capture::Engine;
use vclean_core::classify::{PageKind, PageShape};
use vclean_core::error::{DataError, Error, Warning};
use vclean_core::features::linguistic::{Vocabulary, vocabulary};
use vclean_core::features::markup::PageMarkup;
use vclean_core::features::{self, Measuring};
use vclean_core::target::{self, TargetRule};
use vclean_run::source::{DataSet, GoldKind, Row};

/// One page with the features and labels of its targets.
#[derive(Debug, Clone)]
pub struct Example {
    /// Its name in the set.
    pub id: String,
    /// Names of the columns of `page.rows`.
    pub columns: Vec<&'static str>,
    /// Its features, labels and shape.
    pub page: TrainingPage,
    /// How well the labels reproduce the gold.
    pub quality: Quality,
    /// The words of its targets, if examples are gathered language-bound.
    pub words: Option<Vocabulary>,
    /// The names and tags around its targets, if they are asked for.
    pub markup: Option<PageMarkup>,
}

/// Options for making examples.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExampleOptions {
    /// How targets are selected.
    pub targets: TargetRule,
    /// How gold is aligned to them.
    pub alignment: Alignment,
    /// Set if parts of speech are measured and the targets' words kept, for keywords.
    pub language_bound: bool,
    /// Set if the names and tags around the targets are kept, to learn their meaning.
    pub markup: bool,
}

/// A page that could not be prepared, and why.
pub type Failure = (String, Error);

/// Makes examples of `rows` of `set`, in their order; `progress` is called once per page, from any
/// thread.
///
/// Pages that cannot be captured or measured are returned separately, each with its cause.
pub(crate) fn gather(
    set: &DataSet,
    rows: &[&Row],
    capturing: &Capturing,
    options: ExampleOptions,
    progress: impl Fn() + Sync,
) -> (Vec<Example>, Vec<Failure>) {
    let made: Vec<Result<Example, Failure>> = rows
        .par_iter()
        .with_max_len(1)
        .map(|row| {
            let example =
                example(set, row, capturing, options).map_err(|error| (row.id.clone(), error));
            progress();
            example
        })
        .collect();
    let mut examples = Vec::new();
    let mut failures = Vec::new();
    for one in made {
        match one {
            Ok(example) => examples.push(example),
            Err(failure) => failures.push(failure),
        }
    }
    (examples, failures)
}

/// Error for a page that cannot be learned from, because another engine replaced the one that was
/// asked for.
fn not_rendered(engine: Engine, warnings: &[Warning]) -> DataError {
    // The engine gave up after the last warning.
    let cause = warnings.last().map(ToString::to_string).unwrap_or_default();
    DataError::NotRendered {
        engine: engine.name(),
        cause,
    }
}

fn example(
    set: &DataSet,
    row: &Row,
    capturing: &Capturing,
    options: ExampleOptions,
) -> Result<Example, Error> {
    let capture = capturing.capture(set, row)?;
    if capture.record.engine != capturing.engine() {
        return Err(not_rendered(capturing.engine(), &capture.record.warnings).into());
    }
    let targets = target::select(&capture, options.targets);
    let texts: Vec<String> = targets
        .iter()
        .map(|target| target.text(&capture.dom))
        .collect();
    let Labelling {
        labels,
        quality,
        comments,
        ..
    } = label_for_training(set, row, &capture, &targets, &texts, options.alignment)?;
    let measuring = Measuring {
        language_bound: options.language_bound,
        ..Measuring::default()
    };
    let table = features::measure_with(&capture, &targets, &measuring)?;
    let words = options
        .language_bound
        .then(|| vocabulary(&capture, &targets))
        .transpose()?;
    let markup = options
        .markup
        .then(|| PageMarkup::collect(&capture.dom, &targets));
    let shape = PageShape::measure(&capture.dom, &targets);
    let (site, engine) = (row.host.clone(), capture.record.engine);
    let page = TrainingPage {
        set: set.name.clone(),
        site,
        rows: table.rows,
        labels,
        comments,
        shape,
        engine,
        is_whole: row.gold_kind != GoldKind::Snippets,
        kind: row.page_type.as_deref().and_then(PageKind::from_page_type),
    };
    Ok(Example {
        id: row.id.clone(),
        columns: table.columns,
        page,
        quality,
        words,
        markup,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_was_not_rendered_is_left_out_for_what_went_wrong_last() {
        let text = |warnings: &[Warning]| not_rendered(Engine::Builtin, warnings).to_string();
        let warnings = [
            "1 letter is in no installed font",
            "the page shows 0 of its 9 words",
        ]
        .map(Warning::from);
        assert!(
            text(&warnings).ends_with("it is left out: the page shows 0 of its 9 words"),
            "{}",
            text(&warnings)
        );
        assert!(text(&[]).ends_with("it is left out"), "{}", text(&[]));
    }
}
