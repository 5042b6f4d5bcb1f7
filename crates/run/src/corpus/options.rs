//! The options of a corpus run's filters.

#[cfg(feature = "clap")]
use super::languages::parse_language;
use crate::journal::EffectiveArguments;
use vclean_core::by_name;
use vclean_core::classify::PageState;
#[cfg(feature = "clap")]
use vclean_core::pipeline::choice;

/// Treatment of a document or passage that a filter finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// It is left out of the output.
    Drop,
    /// It is written, and the record names it.
    Mark,
}

impl Treatment {
    /// All values by their name on the command line.
    pub const ALL: &[(&str, Self)] = &[("drop", Self::Drop), ("mark", Self::Mark)];
}

by_name!(Treatment, "treatment");

/// Filters that drop or mark documents and passages after cleaning; none by default. Findings are
/// recorded under `corpus` in JSON lines, Parquet and JSON, and in the folder of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "Corpus")
)]
pub struct CorpusOptions {
    /// Treatment of documents that are near-duplicates of earlier ones (MinHash of word 5-grams, 14
    /// bands of 8): drop, or mark
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT", value_parser = choice::<Treatment>(), hide_possible_values = true))]
    pub near_duplicates: Option<Treatment>,

    /// Treatment of paragraphs with over half of their words in word 7-grams of earlier text (the
    /// rule of onion): drop, or mark
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT", value_parser = choice::<Treatment>(), hide_possible_values = true))]
    pub duplicate_paragraphs: Option<Treatment>,

    /// Treatment of paragraphs, headings and items that many pages of the same host have: drop, or
    /// mark
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT", value_parser = choice::<Treatment>(), hide_possible_values = true))]
    pub site_lines: Option<Treatment>,

    /// With --site-lines: the first N pages of a host keep a line
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "N",
            default_value_t = Self::SITE_LINE_PAGES,
            requires = "site_lines",
            value_parser = clap::value_parser!(u8).range(1..=i64::from(Self::MAX_SITE_LINE_PAGES))
        )
    )]
    pub site_line_pages: u8,

    /// Keep documents in these languages only, such as de,fr
    ///
    /// The language is that of their text; codes are those of ISO 639, in two or three letters
    #[cfg_attr(feature = "clap", arg(long, value_name = "CODES", value_delimiter = ',', value_parser = parse_language))]
    pub languages: Vec<String>,

    /// Keep pages in these states only, such as text,paywall
    ///
    /// States: text, and why a page has none of its own: blocked, consent, paywall, login, error,
    /// empty, shell
    #[cfg_attr(feature = "clap", arg(long, value_name = "STATES", value_delimiter = ',', value_parser = parse_state))]
    pub states: Vec<PageState>,

    /// Drop documents with fewer words
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub min_words: Option<usize>,

    /// Drop documents with more words
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_words: Option<usize>,

    /// Size in MB of the tables of --duplicate-paragraphs and --site-lines, each; see
    /// docs/guide/corpora.md
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "MB",
            default_value_t = Self::TABLE_MB,
            value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_048_576)
        )
    )]
    pub table_mb: usize,

    /// Take inputs for one whose addresses differ only in case, fragment, order of the query,
    /// escapes and tracking parameters (utm_source, gclid, fbclid ...); the first is used
    #[cfg_attr(feature = "clap", arg(long))]
    pub normalize_urls: bool,
}

impl Default for CorpusOptions {
    fn default() -> Self {
        Self {
            near_duplicates: None,
            duplicate_paragraphs: None,
            site_lines: None,
            site_line_pages: Self::SITE_LINE_PAGES,
            languages: Vec::new(),
            states: Vec::new(),
            min_words: None,
            max_words: None,
            table_mb: Self::TABLE_MB,
            normalize_urls: false,
        }
    }
}

impl CorpusOptions {
    /// The usual number of pages of a host on which a line stays. Heuristic: a sentence that ten
    /// pages of a site have is part of the site.
    pub const SITE_LINE_PAGES: u8 = 10;
    /// Largest allowed number of these pages: counts have 8 bits.
    pub const MAX_SITE_LINE_PAGES: u8 = 250;
    /// Usual size of a table in MB: enough for some 200 million word 7-grams with one false match
    /// in a hundred.
    pub const TABLE_MB: usize = 256;

    fn state_names(&self) -> String {
        let names: Vec<&str> = self.states.iter().map(|state| state.name()).collect();
        names.join(",")
    }

    /// True if any filter is on.
    pub fn is_on(&self) -> bool {
        *self != Self::default()
    }

    /// True if a filter looks at the text of documents.
    pub fn looks_at_text(&self) -> bool {
        Self {
            states: Vec::new(),
            normalize_urls: false,
            ..self.clone()
        }
        .is_on()
    }

    /// True if decisions depend on earlier documents.
    pub(crate) fn depends_on_order(&self) -> bool {
        self.near_duplicates.is_some()
            || self.duplicate_paragraphs.is_some()
            || self.site_lines.is_some()
    }

    /// True if passages may be removed from documents.
    pub(crate) fn drops_passages(&self) -> bool {
        [self.duplicate_paragraphs, self.site_lines].contains(&Some(Treatment::Drop))
    }

    /// The filters that are on, which must be the same when the run is resumed.
    pub(crate) fn arguments(&self) -> EffectiveArguments {
        let treatment =
            |chosen: Option<Treatment>| chosen.map(|treatment| treatment.name().to_owned());
        let number = |chosen: Option<usize>| chosen.map(|number| number.to_string());
        let has_tables = self.duplicate_paragraphs.is_some() || self.site_lines.is_some();
        let all = [
            ("near_duplicates", treatment(self.near_duplicates)),
            ("duplicate_paragraphs", treatment(self.duplicate_paragraphs)),
            ("site_lines", treatment(self.site_lines)),
            (
                "site_line_pages",
                self.site_lines.map(|_| self.site_line_pages.to_string()),
            ),
            (
                "languages",
                (!self.languages.is_empty()).then(|| self.languages.join(",")),
            ),
            (
                "states",
                (!self.states.is_empty()).then(|| self.state_names()),
            ),
            ("min_words", number(self.min_words)),
            ("max_words", number(self.max_words)),
            ("table_mb", has_tables.then(|| self.table_mb.to_string())),
            (
                "normalize_urls",
                self.normalize_urls.then(|| "true".to_owned()),
            ),
        ];
        all.into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }
}

/// Parses the name of a state of pages.
#[cfg(feature = "clap")]
fn parse_state(name: &str) -> Result<PageState, String> {
    PageState::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = PageState::ALL.iter().map(|state| state.name()).collect();
        format!("there is no state {name}; states are {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_those_that_are_on() {
        assert!(
            CorpusOptions::default().arguments().is_empty() && !CorpusOptions::default().is_on()
        );
        let options = CorpusOptions {
            near_duplicates: Some(Treatment::Mark),
            languages: vec!["de".to_owned(), "fr".to_owned()],
            ..CorpusOptions::default()
        };
        assert!(options.is_on() && options.depends_on_order() && !options.drops_passages());
        let arguments: Vec<_> = options.arguments().into_iter().collect();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            arguments,
            [pair("languages", "de,fr"), pair("near_duplicates", "mark")]
        );
    }
}
