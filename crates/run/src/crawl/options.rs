//! What belongs to a crawl, and how far it goes.

use crate::journal::EffectiveArguments;
use regex::{Regex, RegexBuilder};
use std::fmt::Write;
use url::Url;
use vclean_core::error::RenderError;
use vclean_render::address;

/// Most memory of a compiled pattern, in bytes; a pattern may come from somebody else.
const MAX_PATTERN_BYTES: usize = 1 << 20;
/// Most patterns of a kind.
const MAX_PATTERNS: usize = 100;

/// How the sitemaps of a site are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SitemapUse {
    /// Their addresses belong to the crawl, beside those of links.
    #[default]
    Include,
    /// They are not read.
    Skip,
    /// Only their addresses belong to the crawl; links are not followed.
    Only,
}

impl SitemapUse {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[
        ("include", Self::Include),
        ("skip", Self::Skip),
        ("only", Self::Only),
    ];

    fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, value)| *value == self)
            .map_or("include", |(name, _)| name)
    }
}

/// What belongs to a crawl, and how far it goes.
#[derive(Debug, Clone)]
pub struct CrawlOptions {
    /// The address that the crawl starts from, which is loaded in any case.
    pub start: Url,
    /// Most addresses that are loaded, the first included.
    pub max_pages: usize,
    /// Most links between the first page, or one of a sitemap, and a page; `None` means any number.
    pub max_depth: Option<u32>,
    /// Only addresses whose path and query, or whose whole text, one of these finds something in.
    pub include: Vec<Regex>,
    /// No addresses in which one of these finds something.
    pub exclude: Vec<Regex>,
    /// Whether patterns see the whole address, and not only path and query.
    pub patterns_on_address: bool,
    /// Whether hosts below that of the first address belong to the site.
    pub subdomains: bool,
    /// Only addresses whose path begins with this belong to the crawl.
    pub below: Option<String>,
    /// How sitemaps are used.
    pub sitemap: SitemapUse,
    /// Most addresses with the same path that differ in their query.
    pub max_queries: u32,
}

/// Why a crawl cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The address cannot be loaded at all.
    #[error(transparent)]
    Address(#[from] RenderError),
    /// A pattern is no regular expression, or too large.
    #[error(
        "the pattern {pattern} is not understood: {cause}; write a regular expression, such as ^/blog/"
    )]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong, in one line.
        cause: String,
    },
    /// There are too many patterns.
    #[error("{0} patterns are more than {MAX_PATTERNS}; join some of them with |")]
    Patterns(usize),
}

impl CrawlOptions {
    /// Most addresses of a crawl unless it says otherwise. Heuristic: a small site is whole, and a
    /// large one takes a quarter of an hour at one page a second.
    pub const USUAL_MAX_PAGES: usize = 1000;
    /// The largest number of addresses that a crawl may have; each takes some 300 bytes of memory.
    pub const MOST_PAGES: usize = 5_000_000;
    /// Most queries of a path unless a crawl says otherwise. Heuristic: forums have a page a query,
    /// calendars and filters of shops have no end.
    pub const USUAL_MAX_QUERIES: u32 = 200;

    /// A crawl from `start`, with the usual limits.
    ///
    /// # Errors
    /// [`CrawlError::Address`].
    pub fn new(start: &str) -> Result<Self, CrawlError> {
        let mut start = address(start.trim())?;
        start.set_fragment(None);
        Ok(Self {
            start,
            max_pages: Self::USUAL_MAX_PAGES,
            max_depth: None,
            include: Vec::new(),
            exclude: Vec::new(),
            patterns_on_address: false,
            subdomains: false,
            below: None,
            sitemap: SitemapUse::default(),
            max_queries: Self::USUAL_MAX_QUERIES,
        })
    }

    /// The path of the folder of the first address.
    pub fn folder(&self) -> String {
        let path = self.start.path();
        path.rfind('/').map_or("/", |end| &path[..=end]).to_owned()
    }

    /// Compiles patterns.
    ///
    /// # Errors
    /// [`CrawlError::Pattern`], [`CrawlError::Patterns`].
    pub fn patterns(patterns: &[String]) -> Result<Vec<Regex>, CrawlError> {
        if patterns.len() > MAX_PATTERNS {
            return Err(CrawlError::Patterns(patterns.len()));
        }
        let compile = |pattern: &String| {
            RegexBuilder::new(pattern)
                .size_limit(MAX_PATTERN_BYTES)
                .build()
                .map_err(|error| CrawlError::Pattern {
                    pattern: pattern.clone(),
                    cause: error
                        .to_string()
                        .lines()
                        .last()
                        .unwrap_or_default()
                        .trim()
                        .to_owned(),
                })
        };
        patterns.iter().map(compile).collect()
    }

    /// The arguments that must be repeated on resume: another choice would have other pages.
    pub fn effective(&self) -> EffectiveArguments {
        let patterns = |patterns: &[Regex]| {
            patterns.iter().fold(String::new(), |mut all, pattern| {
                let _ = write!(all, "{:?} ", pattern.as_str());
                all
            })
        };
        let depth = self
            .max_depth
            .map_or_else(|| "none".to_owned(), |depth| depth.to_string());
        [
            ("crawl", self.start.to_string()),
            ("max_pages", self.max_pages.to_string()),
            ("max_depth", depth),
            ("include", patterns(&self.include)),
            ("exclude", patterns(&self.exclude)),
            ("subdomains", self.subdomains.to_string()),
            (
                "no_parent",
                self.below.clone().unwrap_or_else(|| "none".to_owned()),
            ),
            ("sitemap", self.sitemap.name().to_owned()),
            ("max_queries", self.max_queries.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_are_wrong_or_too_large_are_named() {
        assert_eq!(
            CrawlOptions::patterns(&["^/a".into(), "b|c".into()])
                .unwrap()
                .len(),
            2
        );
        for wrong in ["(", "(a{1000}){1000}"] {
            let error = CrawlOptions::patterns(&[wrong.to_owned()])
                .unwrap_err()
                .to_string();
            assert!(error.contains(wrong) && !error.contains('\n'), "{error}");
        }
        assert!(CrawlOptions::patterns(&vec!["a".to_owned(); 101]).is_err());
        assert!(CrawlOptions::new("file:///etc/hostname").is_err());
    }

    #[test]
    fn every_choice_must_be_repeated_on_resume() {
        let usual = CrawlOptions::new("https://a.example/").unwrap();
        let others = [
            CrawlOptions::new("https://b.example/").unwrap(),
            CrawlOptions {
                max_pages: 3,
                ..usual.clone()
            },
            CrawlOptions {
                max_depth: Some(3),
                ..usual.clone()
            },
            CrawlOptions {
                include: CrawlOptions::patterns(&["a".into()]).unwrap(),
                ..usual.clone()
            },
            CrawlOptions {
                exclude: CrawlOptions::patterns(&["a".into()]).unwrap(),
                ..usual.clone()
            },
            CrawlOptions {
                subdomains: true,
                ..usual.clone()
            },
            CrawlOptions {
                below: Some(usual.folder()),
                ..usual.clone()
            },
            CrawlOptions {
                sitemap: SitemapUse::Only,
                ..usual.clone()
            },
            CrawlOptions {
                max_queries: 1,
                ..usual.clone()
            },
        ];
        for other in others {
            assert_ne!(other.effective(), usual.effective(), "{other:?}");
        }
    }
}
