//! `vclean lab train`: trains a model on pages with gold text.

use super::classifier::{ClassifierArguments, TypedClassifier, typed_classifier};
use super::data::{DataArguments, alignment, share};
use super::output::Terminal;
use crate::options::BatchArguments;
use crate::{SOME_FAILED, console};
use anyhow::Context;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use vclean_core::files;
use vclean_core::pipeline::{choice, load};
use vclean_core::target::TargetRule;
use vclean_lab::gold::Alignment;
use vclean_lab::train::{
    AdaptedModel, Classifier, ExampleOptions, ModelOptions, Preset, SampleOptions, TrainOptions,
    adapt_model, train_model,
};
use vclean_rivals::learning::gold_pages::learn_from_sets;
use vclean_rivals::learning::{LEARNERS, OWN, fiasco};
use vclean_rivals::method::methods;
use vclean_run::source::DataSet;

/// Train a model on pages with gold text
///
/// Reads data folders (manifest.jsonl, pages/, gold/), renders their training pages, labels the
/// blocks by aligning them with the gold text, trains a model and writes it to a file. With
/// --captures, renderings are saved and used again.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean lab train data/styled data/canola --captures captures/ --out models/rendered.model
  vclean lab train data/wcxb --static --out models/static.model --c 10 --gamma 0.05
  vclean lab train data/wcxb --static --lang en --language-bound --out english.model    also uses English words
  vclean lab train data/styled --out trees.model --classifier boosted --trees 300 --depth 5
  vclean lab train data/styled --out all.model --compare-groups    what do visual features add?
  vclean lab train data/wcxb data/canola --static --method texrex --out texrex.model    a published system

With pages of your own site: label them, and adapt the built-in model for the engine that made them.
  vclean lab annotate captures/ --out gold/
  vclean lab train gold/ --adapt rendered-builtin --engine builtin --out my.model
  vclean clean captures/ --model my.model --out cleaned/")]
pub(crate) struct Arguments {
    /// Model file to write
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: PathBuf,

    /// Name of the model [default: the name of FILE without its extension]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,

    /// Method to train: vclean, or a published one (see vclean lab methods). A published method has
    /// its own features and training and accepts only --seed; fiasco also accepts --rows and
    /// --rows-per-page
    #[arg(long, value_name = "NAME", default_value = "vclean", value_parser = method_names(), hide_possible_values = true)]
    pub(super) method: String,

    /// How gold text is aligned with blocks: words (over the whole page) or dice (paragraphs and
    /// subtrees, FIASCO 5.1)
    #[arg(long, value_name = "HOW", default_value = "words", value_parser = alignment)]
    pub(super) alignment: Alignment,

    /// Train only on the best aligned share of the pages of each set, such as 0.74 (FIASCO: 117 of
    /// 158 pages)
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(super) best_aligned: Option<f64>,

    /// How text blocks are selected: blocks or fiasco
    #[arg(long, value_name = "RULE", default_value = "blocks", value_parser = choice::<TargetRule>())]
    pub(super) targets: TargetRule,

    /// Number of stages. The first is the classifier; each further stage is a logistic regression
    /// on the margins of the previous stage, for the block and its neighbors
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(super) stages: u8,

    /// Use only these feature groups, such as visual or structural,text [default: all groups that
    /// the pages have]
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    pub(super) groups: Vec<String>,

    /// Also use part-of-speech shares and keywords (FIASCO 3.1); the model then works only for the
    /// languages of its training pages
    #[arg(long)]
    pub(super) language_bound: bool,

    /// Also measure feature groups separately on held-out sites: visual, all others, and all
    #[arg(long)]
    pub(super) compare_groups: bool,

    /// Maximum number of training rows (blocks); if there are more, they are sampled evenly over
    /// pages. Time and memory of svm grow with the square: 132 s and 3.1 GB for 20,000, and as much
    /// for each fold
    #[arg(long, value_name = "N", default_value_t = 6_000, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    pub(super) rows: u32,

    /// Maximum number of rows from one page
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) rows_per_page: u32,

    /// Random seed for the sample and the folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,

    /// Also train on the pages of these data folders, such as those that vclean lab annotate
    /// writes; has the effect of naming them with the others. A page that was labelled as a capture
    /// is used as this capture, if its engine is the requested one
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub(super) add: Vec<PathBuf>,

    /// Adapt a model to these pages instead of training one: a built-in model (static, fast,
    /// rendered, rendered-builtin) or a model file. Training of its last stage continues on them;
    /// ten pages are enough, and they may be of one site. If held-out pages do not improve, no
    /// model is written
    #[arg(
        long, value_name = "MODEL",
        conflicts_with_all = [
            "method", "targets", "stages", "groups", "language_bound", "compare_groups", "rows",
            "rows_per_page", "beside", "then"
        ]
    )]
    pub(super) adapt: Option<String>,

    /// The data sets; pages of the `train` split are used
    #[command(flatten)]
    pub(super) data: DataArguments,

    /// The classifier of the first stage
    #[command(flatten)]
    pub(super) classifier: ClassifierArguments,

    /// Ensemble: train a second classifier too, not svm, on all rows, with all pages weighing
    /// alike; later stages use the margins of both. Its parameters have their default values unless
    /// given after a colon, as in boosted:trees=200,depth=5
    #[arg(long, value_name = "CLASSIFIER", value_parser = typed_classifier, help_heading = "Classifier")]
    pub(super) beside: Option<TypedClassifier>,

    /// Stacked stage: train a last classifier on all columns and the margins of all stages before
    /// it: sequence, a network that reads all blocks of a page together. Parameters after a colon,
    /// as in sequence:width=64,epochs=10,blocks=c1+c2+c4+page (blocks: cN for a convolution with
    /// dilation N, page for a summary of the page)
    #[arg(long, value_name = "CLASSIFIER", value_parser = typed_classifier, help_heading = "Classifier")]
    pub(super) then: Option<TypedClassifier>,

    /// How pages are processed
    #[command(flatten)]
    pub(super) batch: BatchArguments,
}

/// The names of the methods that learn as values of an option.
fn method_names() -> PossibleValuesParser {
    PossibleValuesParser::new(
        methods()
            .filter(|method| method.learns)
            .map(|method| method.name),
    )
}

/// Folds by site for calibration, later stages and the figures of the summary.
const FOLDS: usize = 5;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut arguments = arguments.clone();
    arguments.data.data.append(&mut arguments.add);
    let arguments = &arguments;
    arguments.data.protect([Some(arguments.out.as_path())])?;
    check_file(&arguments.out)?;
    if !OWN.contains(&arguments.method.as_str()) {
        return learn_published(arguments);
    }
    let options = model_options(arguments)?;
    let threads = arguments.batch.threads()?;
    let sets = arguments.data.open()?;
    let capturing = arguments.data.capturing(&sets, arguments.batch.jobs())?;
    let progress = Terminal::new(arguments.batch.quiet);
    if let Some(base) = &arguments.adapt {
        anyhow::ensure!(
            arguments.classifier.given().is_empty(),
            "--adapt keeps the classifiers of {base}; omit --classifier and its parameters"
        );
        let base = load(base)?;
        let adapted =
            threads.install(|| adapt_model(base, &sets, &capturing, &options, &progress))?;
        return write_adapted(arguments, &adapted);
    }
    let done = threads.install(|| train_model(&sets, &capturing, &options, &progress))?;
    let model = &done.trained.model;
    model
        .save(&arguments.out)
        .with_context(|| format!("cannot write {}", arguments.out.display()))?;
    let text = format!(
        "{}\n{}\ncalibration error {:.4}\nsupport vectors {}\nwrote {} ({} bytes)\n",
        done.table.to_text(),
        done.pages.to_text(),
        done.trained.calibration_error,
        model.support_vectors(),
        arguments.out.display(),
        model.to_bytes().len()
    );
    let printed = console::print(&[&text]).is_ok();
    Ok(if done.failed == 0 && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

/// Checks before the training that its result can be written.
///
/// # Errors
/// If the path is that of a folder, or in a folder that does not exist.
pub(super) fn check_file(out: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(
        !out.is_dir(),
        "{0} is a folder; name a file in it, such as {1}",
        out.display(),
        out.join("own.model").display()
    );
    let folder = files::folder_of(out);
    anyhow::ensure!(
        folder.is_dir(),
        "{} is in a folder that does not exist; make it first",
        out.display()
    );
    Ok(())
}

/// Writes an adapted model and prints its figures, if it is better than before.
fn write_adapted(arguments: &Arguments, adapted: &AdaptedModel) -> anyhow::Result<ExitCode> {
    let [before, after] = adapted.f1;
    let table = adapted.table.to_text();
    if after <= before {
        // A reader that has gone away changes nothing of the error.
        let _ = console::print(&[&table]);
        anyhow::bail!(
            "pages that were held out come out no better (F {before:.3} before, {after:.3} adapted), so nothing was written; \
             label more pages"
        );
    }
    adapted
        .model
        .save(&arguments.out)
        .with_context(|| format!("cannot write {}", arguments.out.display()))?;
    let printed =
        console::print(&[&format!("{table}\nwrote {}\n", arguments.out.display())]).is_ok();
    Ok(if adapted.failed == 0 && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

/// Trains a published method and writes its model file; prints its report to standard output.
fn learn_published(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let name = arguments.method.as_str();
    let (_, learn) = LEARNERS
        .iter()
        .find(|(known, _)| *known == name)
        .context("every method that learns has a learner")?;
    anyhow::ensure!(
        arguments.data.captures.is_none(),
        "method {name} uses the source of a page, not captures; omit --captures"
    );
    check_plain(arguments)?;
    let threads = arguments.batch.threads()?;
    let sets = arguments.data.open()?;
    let progress = Terminal::new(arguments.batch.quiet);
    let command = published_command(arguments, &sets);
    let (learned, failed) =
        threads.install(|| learn_from_sets(*learn, &sets, arguments.seed, &command, &progress))?;
    files::write_whole(&arguments.out, &learned.bytes)?;
    let size = learned.bytes.len();
    let text = format!(
        "{}wrote {} ({size} bytes)\n",
        learned.report,
        arguments.out.display()
    );
    let printed = console::print(&[&text]).is_ok();
    Ok(if failed == 0 && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

fn check_plain(arguments: &Arguments) -> anyhow::Result<()> {
    let is_plain = arguments.classifier.given().is_empty()
        && arguments.beside.is_none()
        && arguments.then.is_none()
        && arguments.groups.is_empty()
        && !arguments.language_bound;
    anyhow::ensure!(
        is_plain,
        "method {} has its own training; omit --classifier and its parameters, --beside, --then, --groups and --language-bound",
        arguments.method
    );
    Ok(())
}

/// The training options of the library.
///
/// # Errors
/// If an option was set that the method does not accept, or a parameter is out of its range.
fn model_options(arguments: &Arguments) -> anyhow::Result<ModelOptions> {
    let is_fiasco = arguments.method == "fiasco";
    if is_fiasco {
        check_plain(arguments)?;
    }
    let beside = arguments.beside.as_ref();
    anyhow::ensure!(
        beside.is_none_or(|second| !matches!(second.classifier, Classifier::Svm(_))),
        "--beside weighs rows by page, which svm cannot; omit it, or name boosted"
    );
    let classifier = arguments.classifier.classifier(arguments.seed)?;
    let options = ModelOptions {
        examples: ExampleOptions {
            targets: arguments.targets,
            alignment: arguments.alignment,
            language_bound: arguments.language_bound,
            ..ExampleOptions::default()
        },
        best_aligned: arguments.best_aligned.unwrap_or(1.0),
        groups: arguments.groups.clone(),
        takes_counts: false,
        compares_groups: arguments.compare_groups,
        train: train_options(arguments, classifier),
    };
    let has_layout = !arguments.data.is_static;
    Ok(if is_fiasco {
        fiasco::as_published(options, sample(arguments), has_layout)
    } else {
        options
    })
}

fn sample(arguments: &Arguments) -> SampleOptions {
    SampleOptions {
        total: arguments.rows as usize,
        of_page: arguments.rows_per_page as usize,
        seed: arguments.seed,
        pages_alike: false,
    }
}

fn train_options(arguments: &Arguments, classifier: Classifier) -> TrainOptions {
    let seeded = |typed: &TypedClassifier| typed.classifier.seeded(arguments.seed);
    let preset = Preset {
        classifier,
        sample: sample(arguments),
        ensemble: arguments.beside.as_ref().map(seeded),
        regressions: usize::from(arguments.stages) - 1,
        stacked: arguments.then.as_ref().map(seeded),
        seed: arguments.seed,
    };
    let stem = arguments
        .out
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    TrainOptions {
        name: arguments
            .name
            .clone()
            .or(stem)
            .unwrap_or_else(|| "unnamed".to_owned()),
        stages: preset.stages(),
        folds: FOLDS,
        seed: arguments.seed,
        target_rule: arguments.targets,
        tells_comments: true,
        command: command(arguments, classifier),
        ..TrainOptions::default()
    }
}

/// The command without paths of this machine: data sets by name.
fn command(arguments: &Arguments, classifier: Classifier) -> String {
    let name = |path: &PathBuf| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let mut words = vec!["vclean lab train".to_owned()];
    words.extend(arguments.data.data.iter().map(name));
    words.push(format!("--out {}", name(&arguments.out)));
    if arguments.data.is_static {
        words.push("--static".to_owned());
    }
    words.extend(
        arguments
            .data
            .render
            .engine
            .map(|engine| format!("--engine {}", engine.name())),
    );
    let is_ours = arguments.method == "vclean";
    if let Some(base) = &arguments.adapt {
        let base = Path::new(base)
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        words.push(format!("--adapt {base} --seed {}", arguments.seed));
        return words.join(" ");
    }
    if is_ours {
        words.push(format!(
            "{} --stages {}",
            arguments.classifier.command(classifier),
            arguments.stages
        ));
        words.extend(
            arguments
                .beside
                .iter()
                .map(|second| format!("--beside {}", second.typed)),
        );
        words.extend(
            arguments
                .then
                .iter()
                .map(|last| format!("--then {}", last.typed)),
        );
    } else {
        words.push(format!("--method {}", arguments.method));
    }
    words.push(format!(
        "--rows {} --rows-per-page {}",
        arguments.rows, arguments.rows_per_page
    ));
    words.push(format!("--seed {}", arguments.seed));
    if !arguments.data.lang.is_empty() {
        words.push(format!("--lang {}", arguments.data.lang.join(",")));
    }
    if is_ours && arguments.language_bound {
        words.push("--language-bound".to_owned());
    }
    if let Some(share) = arguments.best_aligned {
        words.push(format!("--best-aligned {share}"));
    }
    if is_ours && !arguments.groups.is_empty() {
        words.push(format!("--groups {}", arguments.groups.join(",")));
    }
    words.join(" ")
}

/// The command that trains a published method, without paths of this machine.
fn published_command(arguments: &Arguments, sets: &[DataSet]) -> String {
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    let lang = if arguments.data.lang.is_empty() {
        String::new()
    } else {
        format!(" --lang {}", arguments.data.lang.join(","))
    };
    format!(
        "vclean lab train {} --static --method {} --seed {}{lang}",
        names.join(" "),
        arguments.method,
        arguments.seed
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(words: &[&str]) -> Result<Arguments, clap::Error> {
        Alone::try_parse_from([&["train"], words].concat()).map(|alone| alone.arguments)
    }

    #[test]
    fn a_common_command_is_parsed() {
        let arguments = parse(&[
            "a",
            "b",
            "--out",
            "x.model",
            "--c",
            "10",
            "--alignment",
            "dice",
        ])
        .unwrap();
        assert_eq!(
            (arguments.data.data.len(), arguments.classifier.given()),
            (2, vec![("c", 10.0)])
        );
        assert_eq!(
            (arguments.alignment, arguments.targets),
            (Alignment::Dice, TargetRule::Blocks)
        );
    }

    #[test]
    fn the_recorded_command_has_all_parameters_and_no_path() {
        let arguments = parse(&[
            "/x/a",
            "--out",
            "/y/m.model",
            "--classifier",
            "boosted",
            "--depth",
            "4",
        ])
        .unwrap();
        let options = train_options(&arguments, arguments.classifier.classifier(1).unwrap());
        assert!(options.command.starts_with(
            "vclean lab train a --out m.model --classifier boosted --trees 600 --depth 4 "
        ));
        assert!(options.stages.len() == 2 && options.name == "m");
        assert!(parse(&["--out", "x"]).is_err());
    }

    #[test]
    fn rows_that_weigh_are_refused_for_svm() {
        let arguments = parse(&["a", "--out", "x.model", "--beside", "svm"]).unwrap();
        let error = model_options(&arguments).unwrap_err().to_string();
        assert!(error.contains("name boosted"), "{error}");
    }

    /// The commands of `models/MODELS.md`, which `scripts/retrain` runs, are those that the
    /// built-in models were trained by.
    #[test]
    fn the_documented_commands_are_those_of_the_built_in_models() {
        let models =
            std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("models");
        let page = std::fs::read_to_string(models.join("MODELS.md")).unwrap();
        for name in ["static", "rendered", "rendered-builtin"] {
            let ending = format!(" --out {name}.model");
            let line = page
                .lines()
                .find(|line| line.starts_with("vclean lab train ") && line.ends_with(&ending))
                .unwrap();
            let arguments = parse(&line.split(' ').skip(3).collect::<Vec<_>>()).unwrap();
            let classifier = arguments.classifier.classifier(arguments.seed).unwrap();
            let bytes = std::fs::read(models.join(format!("{name}.model"))).unwrap();
            let trained = vclean_core::classify::Model::from_bytes(&bytes)
                .unwrap()
                .provenance
                .command
                .replace("vclean train ", "vclean lab train ");
            assert_eq!(command(&arguments, classifier), trained, "{name}");
        }
    }
}
