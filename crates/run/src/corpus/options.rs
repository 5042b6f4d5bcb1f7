//! Which filters a run does.

use crate::journal::EffectiveArguments;

/// What becomes of a document or passage that a filter finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// It is not written.
    Drop,
    /// It is written, and the record names it.
    Mark,
}

impl Treatment {
    /// All values by their name on the command line.
    pub const ALL: &[(&str, Self)] = &[("drop", Self::Drop), ("mark", Self::Mark)];

    fn name(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Mark => "mark",
        }
    }
}

/// Which filters a run does; by default none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorpusOptions {
    /// What becomes of near-duplicates of earlier documents.
    pub near_duplicates: Option<Treatment>,
    /// What becomes of paragraphs that repeat earlier text.
    pub duplicate_paragraphs: Option<Treatment>,
    /// What becomes of lines that many pages of their host have.
    pub site_lines: Option<Treatment>,
    /// Number of pages of a host on which a line stays as it is, 1 to
    /// [`Self::MAX_SITE_LINE_PAGES`].
    pub site_line_pages: u8,
    /// ISO 639 codes of the languages whose documents are kept; empty for all.
    pub languages: Vec<String>,
    /// Fewest words of a document that is kept.
    pub min_words: Option<usize>,
    /// Most words of a document that is kept.
    pub max_words: Option<usize>,
    /// Size in MB of the table of seen word 7-grams, and of the table of lines.
    pub table_mb: usize,
    /// Whether inputs with the same normalized address are one input.
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
    /// Largest such number: counts have 8 bits.
    pub const MAX_SITE_LINE_PAGES: u8 = 250;
    /// Usual size of a table in MB: enough for some 200 million word 7-grams with one false match
    /// in a hundred.
    pub const TABLE_MB: usize = 256;

    /// Whether any filter looks at documents.
    pub fn is_on(&self) -> bool {
        *self != Self::default()
    }

    /// Whether decisions depend on earlier documents.
    pub(crate) fn depends_on_order(&self) -> bool {
        self.near_duplicates.is_some()
            || self.duplicate_paragraphs.is_some()
            || self.site_lines.is_some()
    }

    /// Whether passages may be taken out of a document.
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
