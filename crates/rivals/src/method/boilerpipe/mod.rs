//! Boilerpipe: fixed rules on the shallow features of text blocks, learned on news pages.
//!
//! Kohlschütter, Fankhauser and Nejdl 2010 show that the numbers of words and links of a block and
//! of its neighbors separate content from boilerplate (sections 3 and 4). The library of the first
//! author adds filters to these rules, and boilerpy3 is its maintained port, whose versions of the
//! pipelines are used here. [`blocks`] splits and counts, [`rules`] holds the decision trees,
//! [`fuse`], [`ending`], [`title`] and [`largest`] are the other filters; a [`pipeline`] is a list
//! of filters. [`tree`] is the pipeline for articles followed by the grouping of Viveros-Jiménez et
//! al. 2018, section 4.
//!
//! Where the tree and the library differ, this follows the tree: text is in `body` as in browsers,
//! every void element (`br`, `img`) separates blocks however it is written, and an element without
//! an end tag ends with its parent. Words are separated by spaces and punctuation, so a clause in
//! Chinese or Japanese counts as one word, as in the library; the rules are not made for these
//! languages.

mod blocks;
mod pipeline;
mod rules;
mod title;
mod tree;

use pipeline::{ARTICLE_FILTERS, CANOLA_FILTERS, DEFAULT_FILTERS, EVERYTHING_FILTERS, Pipeline};
use vclean_core::error::ModelError;
use vclean_core::pipeline::{Allowed, CleanPage, Method, MethodSettings, Parameter, Sees};

/// Tuned to news articles.
pub(super) const ARTICLE: Method = Method {
    name: "boilerpipe-article",
    about: "words and links of text blocks, title and comment notices; the largest block of an article",
    source: "Kohlschütter, Fankhauser and Nejdl 2010, section 4; ArticleExtractor of the library",
    year: 2010,
    sees: Sees::Source,
    parameters: &[],
    learns: false,
    make: |_: &MethodSettings| -> Result<Box<dyn CleanPage>, ModelError> {
        Ok(Box::new(Pipeline(ARTICLE_FILTERS)))
    },
};

/// The decision tree on densities alone.
pub(super) const DEFAULT: Method = Method {
    name: "boilerpipe-default",
    about: "text density and link density of a block and its neighbors",
    source: "Kohlschütter, Fankhauser and Nejdl 2010, section 4; DefaultExtractor of the library",
    make: |_| Ok(Box::new(Pipeline(DEFAULT_FILTERS))),
    ..ARTICLE
};

/// Rules learned on the CANOLA corpus.
pub(super) const CANOLA: Method = Method {
    name: "boilerpipe-canola",
    about: "words and links of a block and its neighbors, by rules learned on the CANOLA corpus",
    source: "Kohlschütter, Fankhauser and Nejdl 2010; CanolaExtractor of the library",
    make: |_| Ok(Box::new(Pipeline(CANOLA_FILTERS))),
    ..ARTICLE
};

/// All blocks, from which the other pipelines choose.
pub(super) const EVERYTHING: Method = Method {
    name: "boilerpipe-everything",
    about: "all text blocks that the other boilerpipe methods choose from",
    source: "Kohlschütter, Fankhauser and Nejdl 2010; KeepEverythingExtractor of the library",
    make: |_| Ok(Box::new(Pipeline(EVERYTHING_FILTERS))),
    ..ARTICLE
};

/// The ancestor by which paragraphs are grouped.
const ANCESTOR: Parameter = Parameter {
    name: "ancestor",
    default: "2",
    allowed: Allowed::Whole(1, 5),
    about: "paragraphs are grouped by this ancestor, 1 for the parent (2 is best in table 2 of the paper)",
};

/// The article without blocks from other parts of the tree.
pub(super) const TREE: Method = Method {
    name: "boilerpipe-tree",
    about: "boilerpipe-article, then only the group of paragraphs with the most text under one ancestor",
    source: "Viveros-Jiménez et al. 2018, section 4",
    year: 2018,
    parameters: &[ANCESTOR],
    make: |settings| {
        Ok(Box::new(tree::Tree {
            ancestor: settings.number(&ANCESTOR) as usize,
        }))
    },
    ..ARTICLE
};

#[cfg(test)]
mod tests {
    use super::super::tests::clean_with;

    fn words(count: usize) -> String {
        vec!["word"; count].join(" ")
    }

    /// A typical news page: navigation, a title, an article with a link, a notice, comments.
    fn news() -> String {
        let links = [0, 1, 2, 3, 4, 5]
            .map(|n| format!("<li><a href=/{n}>Section {n}</a></li>"))
            .concat();
        format!(
            "<html><head><title>Gulls return | The Island Post</title></head><body><ul>{links}</ul>\
             <h1>Gulls return</h1><p>first {}</p><p>second {} <a href=/a>more here</a></p>\
             <p>12 comments</p><p>comment {}</p><div><a href=/>Imprint</a></div></body></html>",
            words(60),
            words(60),
            words(40)
        )
    }

    #[test]
    fn an_article_ends_at_its_comments() {
        let text = clean_with("boilerpipe-article", &[], &news());
        // The block directly before content becomes content, as in the library.
        assert!(
            text.starts_with("Section 5\nGulls return\nfirst word"),
            "{text}"
        );
        assert!(
            text.contains("more here\n") && !text.contains("comment"),
            "{text}"
        );
    }

    #[test]
    fn the_other_pipelines_ignore_notices() {
        for method in ["boilerpipe-default", "boilerpipe-canola"] {
            let text = clean_with(method, &[], &news());
            assert!(
                text.contains("first")
                    && text.contains("comment word")
                    && !text.contains("Section"),
                "{text}"
            );
        }
        let all = clean_with("boilerpipe-everything", &[], &news());
        assert!(
            all.starts_with("Section 0\n") && all.ends_with("Imprint\n"),
            "{all}"
        );
    }

    #[test]
    fn a_page_of_one_block_has_no_neighbors() {
        let long = format!("<p>{}", words(17));
        assert_eq!(
            clean_with("boilerpipe-article", &[], &long),
            format!("{}\n", words(17))
        );
        assert_eq!(
            clean_with("boilerpipe-article", &[], &format!("<p>{}", words(16))),
            ""
        );
        // No block follows, so the density rules drop it; the CANOLA rules need more than 19 words.
        assert_eq!(clean_with("boilerpipe-default", &[], &long), "");
        assert_eq!(clean_with("boilerpipe-canola", &[], &long), "");
        assert_eq!(
            clean_with("boilerpipe-canola", &[], &format!("<p>{}", words(20))),
            format!("{}\n", words(20))
        );
    }
}
