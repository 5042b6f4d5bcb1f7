//! `vclean lab tune`: searches for the best parameters of a classifier on data sets.

use super::classifier::ClassifierArguments;
use super::data::{DataArguments, alignment};
use super::output::Terminal;
use crate::options::BatchArguments;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_core::files;
use vclean_core::pipeline::choice;
use vclean_core::target::TargetRule;
use vclean_lab::experiments::search::svg;
use vclean_lab::experiments::search::{SearchOptions, grids, search};
use vclean_lab::experiments::search_journal::{check, journal_path};
use vclean_lab::experiments::{Grid, Range};
use vclean_lab::gold::Alignment;
use vclean_lab::train::SampleOptions;

/// Search for the best parameters of a classifier
///
/// Tries all points of a grid of parameters, measures each by cross-validation with folds by site,
/// and prints all accuracies, the best last. The default grid is 11 values of C by 10 of gamma for
/// the Gaussian kernel. Finished points are saved next to the result (FILE.journal), so that the
/// same command resumes an interrupted search.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean lab tune data/styled --captures captures/ --out surface.json --plot surface.svg
  vclean lab tune data/styled --static --classifier boosted --grid depth=4,6 --grid learning-rate=0.05,0.1 --out trees.json
  vclean lab tune data/styled --static --compare --out rivals.json               all classifiers, each on a coarse grid")]
pub(crate) struct Arguments {
    /// File for the results of all points, as JSON
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// Draw the results as a heat map
    #[arg(long, value_name = "FILE.svg", value_parser = svg_file)]
    plot: Option<PathBuf>,

    /// Vary a parameter over these values; may be given twice [default: the first two parameters of
    /// the classifier that are not set by an option]
    #[arg(long = "grid", value_name = "PARAMETER=VALUE,VALUE", value_parser = range)]
    grid: Vec<Range>,

    /// Also search all other classifiers, each on a coarse grid
    #[arg(long)]
    compare: bool,

    /// Discard the saved points of an earlier run
    #[arg(long)]
    fresh: bool,

    /// Number of cross-validation folds; all pages of a site are in one fold
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=20))]
    folds: u8,

    /// How gold text is aligned with blocks: words (over the whole page) or dice (paragraphs and
    /// subtrees, FIASCO 5.1)
    #[arg(long, value_name = "HOW", default_value = "words", value_parser = alignment)]
    alignment: Alignment,

    /// How text blocks are selected: blocks or fiasco
    #[arg(long, value_name = "RULE", default_value = "blocks", value_parser = choice::<TargetRule>())]
    targets: TargetRule,

    /// Use only these feature groups, such as visual or structural,text [default: all groups that
    /// the pages have]
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    groups: Vec<String>,

    /// Maximum number of rows (blocks); if there are more, they are sampled evenly over pages.
    /// Time of svm grows with the square
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    rows: u32,

    /// Maximum number of rows from one page
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rows_per_page: u32,

    /// Random seed for the sample and the folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The data sets; pages of the `train` split are used
    #[command(flatten)]
    data: DataArguments,

    /// The classifier whose parameters are searched
    #[command(flatten)]
    classifier: ClassifierArguments,

    /// How pages are processed
    #[command(flatten)]
    batch: BatchArguments,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let grids = arguments.grids()?;
    let options = arguments.options(&grids);
    arguments.data.protect([
        Some(arguments.out.as_path()),
        arguments.plot.as_deref(),
        Some(options.journal.as_path()),
    ])?;
    if !options.is_fresh {
        check(&options.journal, &options.description)?;
    }
    let threads = arguments.batch.threads()?;
    let sets = arguments.data.open()?;
    let capturing = arguments.data.capturing(&sets, arguments.batch.jobs())?;
    let progress = Terminal::new(arguments.batch.quiet);
    let found = threads.install(|| search(&sets, &capturing, grids, &options, &progress))?;
    files::write_whole(
        &arguments.out,
        (serde_json::to_string(&found)? + "\n").as_bytes(),
    )?;
    if let (Some(path), Some(first)) = (&arguments.plot, found.grids.first()) {
        files::write_whole(path, svg(&first.grid, &first.points).as_bytes())?;
    }
    let printed = console::print(&[&found.to_text()]).is_ok();
    Ok(if found.failed == 0 && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

impl Arguments {
    /// The grids to search: that of the chosen classifier, and with `--compare` those of all
    /// others.
    fn grids(&self) -> anyhow::Result<Vec<Grid>> {
        let classifier = self.classifier.classifier(self.seed)?;
        let fixed: Vec<&str> = self
            .classifier
            .given()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        Ok(grids(
            classifier,
            &fixed,
            &self.grid,
            self.compare,
            self.seed,
        )?)
    }

    fn options(&self, grids: &[Grid]) -> SearchOptions {
        SearchOptions {
            description: description(self, grids),
            journal: journal_path(&self.out),
            is_fresh: self.fresh,
            alignment: self.alignment,
            targets: self.targets,
            groups: self.groups.clone(),
            sample: SampleOptions {
                total: self.rows as usize,
                of_page: self.rows_per_page as usize,
                seed: self.seed,
                pages_alike: false,
            },
            folds: self.folds,
            seed: self.seed,
        }
    }
}

/// The options on which the points depend besides the pages: a journal belongs to this search if it
/// has the same ones.
fn description(arguments: &Arguments, grids: &[Grid]) -> String {
    let name = |path: &PathBuf| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let mut words: Vec<String> = arguments.data.data.iter().map(name).collect();
    if arguments.data.is_static {
        words.push("--static".to_owned());
    }
    words.push(format!(
        "--folds {} --rows {}",
        arguments.folds, arguments.rows
    ));
    words.push(format!(
        "--rows-per-page {} --seed {}",
        arguments.rows_per_page, arguments.seed
    ));
    words.push(
        format!(
            "--targets {:?} --alignment {:?}",
            arguments.targets, arguments.alignment
        )
        .to_lowercase(),
    );
    if !arguments.groups.is_empty() {
        words.push(format!("--groups {}", arguments.groups.join(",")));
    }
    for grid in grids {
        words.push(grid.classifier.name().to_owned());
        let fixed = grid.classifier.parameters().into_iter();
        let fixed =
            fixed.filter(|(name, _)| grid.ranges.iter().all(|range| range.parameter != *name));
        // The default, keeping all support vectors, is not listed.
        let fixed = fixed.filter(|parameter| *parameter != ("support-vectors", 0.0));
        words.extend(fixed.map(|(name, value)| format!("--{name} {value}")));
        for range in &grid.ranges {
            let values: Vec<String> = range.values.iter().map(f64::to_string).collect();
            words.push(format!("--grid {}={}", range.parameter, values.join(",")));
        }
    }
    words.join(" ")
}

/// Parses a range in the form `PARAMETER=VALUE,VALUE`.
fn range(text: &str) -> Result<Range, String> {
    let (parameter, values) = text
        .split_once('=')
        .ok_or("write PARAMETER=VALUE,VALUE, such as c=1,4,16")?;
    let values = values
        .split(',')
        .map(|value| {
            value
                .parse::<f64>()
                .map_err(|_| format!("{value} is not a number"))
        })
        .collect::<Result<Vec<f64>, String>>()?;
    Ok(Range {
        parameter: parameter.to_owned(),
        values,
    })
}

/// Parses the name of an SVG file.
fn svg_file(name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(name);
    let is_svg = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    if is_svg {
        Ok(path)
    } else {
        Err("the heat map is an SVG file: its name must end in .svg".to_owned())
    }
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

    fn parse(words: &str) -> anyhow::Result<(Arguments, Vec<Grid>)> {
        let words = ["tune", "data", "--out", "x.json"]
            .into_iter()
            .chain(words.split_whitespace());
        let arguments = Alone::try_parse_from(words)?.arguments;
        let grids = arguments.grids()?;
        Ok((arguments, grids))
    }

    fn shape(grid: &Grid) -> Vec<(&str, usize)> {
        grid.ranges
            .iter()
            .map(|range| (range.parameter.as_str(), range.values.len()))
            .collect()
    }

    #[test]
    fn grids_are_the_defaults_or_as_given() {
        let first = |words: &str| parse(words).unwrap().1.swap_remove(0);
        assert_eq!(shape(&first("")), [("c", 11), ("gamma", 10)]);
        assert_eq!(shape(&first("--gamma 0.1")), [("c", 11)]);
        assert_eq!(
            shape(&first("--classifier boosted --trees 100")),
            [("depth", 5), ("learning-rate", 4)]
        );
        let given = first("--grid gamma=0.1 --grid c=1,2,3");
        assert_eq!(given.points(), [[0.1, 1.0], [0.1, 2.0], [0.1, 3.0]]);
        assert_eq!(parse("--compare").unwrap().1.len(), 5);
    }

    #[test]
    fn errors_name_what_cannot_be_searched() {
        let error = |words: &str| parse(words).unwrap_err().to_string();
        assert!(error("--grid c=1,x").contains("x is not a number"));
        assert!(error("--grid c=2,1").contains("the values of c do not ascend"));
        assert!(error("--grid c=1,-1").contains("do not ascend"));
        assert_eq!(
            error("--grid c=-1,1"),
            "c is -1, allowed is above 0, up to 1000000"
        );
        assert!(error("--grid depth=1").contains("svm has no parameter depth"));
        assert!(error("--grid c=1 --grid gamma=1 --grid content-weight=1").contains("one or two"));
        assert!(error("--classifier logistic --ridge 1").contains("0 parameters"));
        assert!(error("--plot x.png").contains(".svg"));
    }

    #[test]
    fn different_options_give_different_descriptions() {
        let describe = |words: &str| {
            let (arguments, grids) = parse(words).unwrap();
            description(&arguments, &grids)
        };
        assert!(
            describe("--grid c=1,2").ends_with("svm --gamma 0.02 --content-weight 1 --grid c=1,2")
        );
        for other in [
            "--rows 100",
            "--seed 2",
            "--folds 4",
            "--static",
            "--compare",
            "--c 2",
            "--groups visual",
        ] {
            assert_ne!(describe(other), describe(""), "{other}");
        }
    }
}
