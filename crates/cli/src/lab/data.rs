//! Options that verbs of the laboratory share: data folders, the captures of their pages, splits
//! and alignments.

use super::output::refuse_inputs;
use crate::options::named;
use clap::Args;
use std::path::{Path, PathBuf};
use vclean_core::error::DataError;
use vclean_core::language::language_tag;
use vclean_lab::gold::{Alignment, Capturing};
use vclean_render::{EngineChoice, Fallback, RenderOptions};
use vclean_run::source::{DataSet, Split};

/// Data folders, and how their pages are captured.
#[derive(Debug, Clone, Args)]
pub(super) struct DataArguments {
    /// Data folders: manifest.jsonl, pages/, gold/
    #[arg(value_name = "DATA", required = true)]
    pub(super) data: Vec<PathBuf>,

    /// Parse the pages without rendering them
    #[arg(long = "static")]
    pub(super) is_static: bool,

    /// Folder of rendered captures, with one folder per data set; missing captures are rendered and
    /// saved there. All captures of a data set must be made by the same engine
    #[arg(long, value_name = "DIR", conflicts_with = "is_static")]
    pub(super) captures: Option<PathBuf>,

    /// Allow pages to load from the network while they are rendered; by default they use only what
    /// the file contains
    #[arg(long)]
    pub(super) online: bool,

    /// Use only pages in these languages, such as en or en,de, as given in the manifests
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = language)]
    pub(super) lang: Vec<String>,

    /// The engine that renders, and its options
    #[command(flatten)]
    pub(super) render: RenderOptions,
}

impl DataArguments {
    /// Reads the manifests; pages in other languages than `--lang` are left out.
    ///
    /// # Errors
    /// If a folder is not a data set, or no page is in the requested languages.
    pub(super) fn open(&self) -> Result<Vec<DataSet>, DataError> {
        DataSet::open_all(&self.data, &self.lang)
    }

    /// Refuses outputs that would replace a file of the data folders or of the captures.
    ///
    /// # Errors
    /// If one would.
    pub(super) fn protect<'a>(
        &'a self,
        outputs: impl IntoIterator<Item = Option<&'a Path>>,
    ) -> anyhow::Result<()> {
        refuse_inputs(&self.data, self.captures.as_deref(), outputs)
    }

    /// The source of the captures of `sets`; `tabs` pages are rendered at the same time.
    ///
    /// # Errors
    /// If options contradict each other, or existing captures were rendered by another engine.
    pub(super) fn capturing(&self, sets: &[DataSet], tabs: usize) -> anyhow::Result<Capturing> {
        if self.is_static {
            return Ok(Capturing::Static);
        }
        let capturing = Capturing::rendered(self.render_options(tabs)?, self.captures.clone());
        capturing.check(sets)?;
        Ok(capturing)
    }

    /// The source of captures for people to look at; `None` if [`Self::capturing`] has pictures for
    /// them. The built-in engine draws lines of text as bars unless painting is requested, and such
    /// captures are stored, so it renders once more.
    ///
    /// # Errors
    /// If options contradict each other.
    pub(super) fn painted(&self, tabs: usize) -> anyhow::Result<Option<Capturing>> {
        if self.is_static {
            return Ok(None);
        }
        let options = self.render_options(tabs)?;
        let is_drawn = options.engine() == EngineChoice::Builtin;
        Ok(is_drawn.then(|| {
            Capturing::rendered(
                RenderOptions {
                    paint: true,
                    ..options
                },
                None,
            )
        }))
    }

    fn render_options(&self, tabs: usize) -> anyhow::Result<RenderOptions> {
        let mut options = options_of_sets(&self.render, tabs)?;
        options.offline |= !self.online;
        Ok(options)
    }
}

/// The renderer's options for data sets, whose captures must all be made by one engine.
///
/// # Errors
/// If the options contradict each other, or do not name one engine.
fn options_of_sets(chosen: &RenderOptions, tabs: usize) -> anyhow::Result<RenderOptions> {
    let usual = if cfg!(feature = "chromium") {
        EngineChoice::Chromium
    } else {
        EngineChoice::Builtin
    };
    let engine = chosen.engine.unwrap_or(usual);
    anyhow::ensure!(
        engine != EngineChoice::Auto,
        "--engine auto chooses per page, but the pages of a data set must all be rendered by the same engine; use chromium or builtin"
    );
    let mut options = RenderOptions {
        engine: Some(engine),
        tabs,
        ..chosen.clone()
    };
    options.check()?;
    if engine == EngineChoice::Builtin {
        options.fallback = options.fallback.or(Some(Fallback::None));
    }
    Ok(options)
}

/// Parses a share of the pages: above 0, at most 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("the share must be above 0 and at most 1, such as 0.74".to_owned()),
    }
}

/// Parses the code of a language.
pub(super) fn language(text: &str) -> Result<String, String> {
    match language_tag(text) {
        Some(tag) if tag == text && !tag.contains('-') => Ok(tag),
        _ => Err("a language code has two or three lower-case letters, such as en".to_owned()),
    }
}

/// Parses the name of a split in [`Split::ALL`].
pub(super) fn split(name: &str) -> Result<Split, String> {
    named(Split::ALL, name)
}

/// Parses the name of an alignment in [`Alignment::ALL`].
pub(super) fn alignment(name: &str) -> Result<Alignment, String> {
    named(Alignment::ALL, name)
}

/// The entries with these `names` in a table of `kind`, in the table's order; `all` selects every
/// entry.
///
/// # Errors
/// If a name is unknown.
pub(super) fn named_all<T>(
    kind: &str,
    table: impl Iterator<Item = &'static T> + Clone,
    name_of: fn(&T) -> &'static str,
    names: &[String],
) -> anyhow::Result<Vec<&'static T>> {
    if let Some(unknown) = names
        .iter()
        .find(|name| *name != "all" && !table.clone().any(|entry| name_of(entry) == **name))
    {
        let known: Vec<&str> = table.map(name_of).collect();
        anyhow::bail!(
            "there is no {kind} {unknown}, choose all or some of {}",
            known.join(", ")
        );
    }
    let is_named = |entry: &&T| {
        names
            .iter()
            .any(|name| name == "all" || name == name_of(entry))
    };
    Ok(table.filter(is_named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        render: RenderOptions,
    }

    fn parse(words: &[&str]) -> RenderOptions {
        Alone::parse_from([&["evaluate"], words].concat()).render
    }

    #[test]
    fn shares_out_of_range_are_refused() {
        assert_eq!(share("0.74"), Ok(0.74));
        for wrong in ["0", "-1", "1.01", "NaN", "74 %"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_language_is_a_code() {
        assert_eq!(language("en").as_deref(), Ok("en"));
        assert!(
            ["EN", "english", "en-GB", "", "e"]
                .iter()
                .all(|wrong| language(wrong).is_err())
        );
    }

    #[cfg(all(feature = "builtin", feature = "chromium"))]
    #[test]
    fn data_sets_are_rendered_by_one_engine() {
        let options = |words: &[&str]| options_of_sets(&parse(words), 1);
        assert_eq!(options(&[]).unwrap().engine(), EngineChoice::Chromium);
        let builtin = options(&["--engine", "builtin"]).unwrap();
        assert_eq!(
            (builtin.engine(), builtin.fallback()),
            (EngineChoice::Builtin, Fallback::None)
        );
        assert_eq!(
            options(&["--engine", "builtin", "--fallback", "static"])
                .unwrap()
                .fallback(),
            Fallback::Static
        );
        assert!(
            options(&["--engine", "auto"])
                .unwrap_err()
                .to_string()
                .contains("use chromium or builtin")
        );
        assert!(options(&["--fallback", "static"]).is_err());
    }
}
