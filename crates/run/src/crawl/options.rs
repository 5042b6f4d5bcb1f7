//! The options of a crawl: its first address, the addresses that belong to it, and its limits.

use crate::journal::EffectiveArguments;
use regex::{Regex, RegexBuilder};
use std::fmt::Write;
use url::Url;
use vclean_core::by_name;
use vclean_core::error::RenderError;
#[cfg(feature = "clap")]
use vclean_core::pipeline::choice;
use vclean_render::address;

/// Maximum memory of a compiled pattern, in bytes; patterns may come from strangers.
const MAX_PATTERN_BYTES: usize = 1 << 20;
/// Maximum number of patterns of one kind.
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
}

by_name!(SitemapUse, "sitemap");

/// The first page of a crawl, the pages that belong to it, and its limits.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "Crawl")
)]
pub struct CrawlOptions {
    /// The http(s) address to start from; it is loaded in any case
    #[cfg_attr(feature = "clap", arg(value_name = "ADDRESS", value_parser = Self::start_address, help_heading = None))]
    pub start: Url,

    /// Take at most N addresses, the first included
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "N",
            default_value_t = Self::USUAL_MAX_PAGES,
            value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=Self::MOST_PAGES as u64)
        )
    )]
    pub max_pages: usize,

    /// Follow at most N links from the first page, or from one of a sitemap [default: any number]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10_000)))]
    pub max_depth: Option<u32>,

    /// Take only addresses in whose path and query the regular expression PATTERN finds something;
    /// may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATTERN", value_parser = Self::pattern))]
    pub include: Vec<Regex>,

    /// Leave out addresses in whose path and query the regular expression PATTERN finds something;
    /// may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATTERN", value_parser = Self::pattern))]
    pub exclude: Vec<Regex>,

    /// Also take hosts below that of the first address, such as blog.example.org
    #[cfg_attr(feature = "clap", arg(long))]
    pub subdomains: bool,

    /// Take only addresses below the folder of the first one
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_parent: bool,

    /// Use of the site's sitemaps and feeds: include takes their addresses beside those of links,
    /// skip reads none, only follows no links
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "WAY",
            default_value = "include",
            value_parser = choice::<SitemapUse>(),
            hide_possible_values = true
        )
    )]
    pub sitemap: SitemapUse,

    /// Take at most N addresses that differ in their query only, so that calendars and filters
    /// without end do end
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "N",
            default_value_t = Self::USUAL_MAX_QUERIES,
            value_parser = clap::value_parser!(u32).range(1..)
        )
    )]
    pub max_queries: u32,

    /// True if patterns see the whole address, and not only path and query.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub patterns_on_address: bool,

    /// Only addresses whose path begins with this belong to the crawl, in addition to the limit of
    /// [`Self::no_parent`].
    #[cfg_attr(feature = "clap", arg(skip))]
    pub below: Option<String>,
}

/// Reason why a crawl cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The address cannot be loaded at all.
    #[error(transparent)]
    Address(#[from] RenderError),
    /// A pattern is not a regular expression, or is too large.
    #[error(
        "the pattern {pattern} is not understood: {cause}; write a regular expression, such as ^/blog/"
    )]
    Pattern {
        /// The pattern as the user wrote it.
        pattern: String,
        /// The parser's message, in one line.
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
        Ok(Self {
            start: Self::start_address(start)?,
            max_pages: Self::USUAL_MAX_PAGES,
            max_depth: None,
            include: Vec::new(),
            exclude: Vec::new(),
            subdomains: false,
            no_parent: false,
            sitemap: SitemapUse::default(),
            max_queries: Self::USUAL_MAX_QUERIES,
            patterns_on_address: false,
            below: None,
        })
    }

    fn start_address(start: &str) -> Result<Url, CrawlError> {
        let mut start = address(start.trim())?;
        start.set_fragment(None);
        Ok(start)
    }

    /// The beginning of the paths that belong to the crawl, if not all do.
    pub(super) fn folder(&self) -> Option<String> {
        let of_start = || {
            let path = self.start.path();
            path.rfind('/').map_or("/", |end| &path[..=end]).to_owned()
        };
        self.below.clone().or_else(|| self.no_parent.then(of_start))
    }

    /// Compiles a pattern.
    ///
    /// # Errors
    /// [`CrawlError::Pattern`].
    pub fn pattern(pattern: &str) -> Result<Regex, CrawlError> {
        RegexBuilder::new(pattern)
            .size_limit(MAX_PATTERN_BYTES)
            .build()
            .map_err(|error| CrawlError::Pattern {
                pattern: pattern.to_owned(),
                cause: error
                    .to_string()
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
            })
    }

    /// Compiles patterns.
    ///
    /// # Errors
    /// [`CrawlError::Pattern`], [`CrawlError::Patterns`].
    pub fn patterns(patterns: &[String]) -> Result<Vec<Regex>, CrawlError> {
        if patterns.len() > MAX_PATTERNS {
            return Err(CrawlError::Patterns(patterns.len()));
        }
        patterns
            .iter()
            .map(|pattern| Self::pattern(pattern))
            .collect()
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
                self.folder().unwrap_or_else(|| "none".to_owned()),
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
                no_parent: true,
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
