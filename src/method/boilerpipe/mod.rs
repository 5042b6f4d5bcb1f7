//! Boilerpipe: rules on the shallow features of text blocks, learned once on news and fixed since.
//!
//! Kohlschütter, Fankhauser and Nejdl 2010 show that the words and the links of a block and of its neighbors tell content
//! from boilerplate (sections 3 and 4); the library of the first author puts filters around these rules, and boilerpy3 is
//! its maintained port, whose versions of the pipelines stand here. [`blocks`] cuts and counts, [`rules`] are the decision
//! trees, [`fuse`], [`ending`], [`title`] and [`largest`] the filters around them; a [`pipeline`] is a list of them.
//! [`tree`] is the pipeline for articles followed by the grouping of Viveros-Jiménez et al. 2018, section 4.
//!
//! Where tree and library part ways, the tree decides: text stands in `body` as browsers put it, every element that is
//! empty by nature (`br`, `img`) parts blocks however it is written, and an element that is never closed ends with its
//! parent. Words are parted by spaces and marks, so that in Chinese or Japanese a clause counts as a word, as in the
//! library; the rules are not made for these languages.

mod blocks;
mod ending;
mod fuse;
mod largest;
mod page;
mod pipeline;
mod rules;
mod title;
mod tree;

use super::definition::{CleanPage, Method, Sees};
use super::{Allowed, Parameter, Settings};
use crate::error::ModelError;
use pipeline::{ARTICLE_FILTERS, CANOLA_FILTERS, DEFAULT_FILTERS, EVERYTHING_FILTERS, Pipeline};

/// Tuned to news articles.
pub(super) const ARTICLE: Method = Method {
    name: "boilerpipe-article",
    about: "words and links of text blocks, title and comment notices; the largest block of an article",
    source: "Kohlschütter, Fankhauser and Nejdl 2010, section 4; ArticleExtractor of the library",
    year: 2010,
    sees: Sees::Source,
    parameters: &[],
    learns: false,
    make: |_: &Settings| -> Result<Box<dyn CleanPage>, ModelError> { Ok(Box::new(Pipeline(ARTICLE_FILTERS))) },
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

/// All blocks: what the others choose from.
pub(super) const EVERYTHING: Method = Method {
    name: "boilerpipe-everything",
    about: "all text blocks that the other boilerpipe methods choose from",
    source: "Kohlschütter, Fankhauser and Nejdl 2010; KeepEverythingExtractor of the library",
    make: |_| Ok(Box::new(Pipeline(EVERYTHING_FILTERS))),
    ..ARTICLE
};

/// Which ancestor groups the paragraphs.
const ANCESTOR: Parameter = Parameter {
    name: "ancestor",
    default: "2",
    allowed: Allowed::Whole(1, 5),
    about: "paragraphs are grouped by this ancestor, 1 for the parent (2 is best in table 2 of the paper)",
};

/// The article, less what stands elsewhere in the tree.
pub(super) const TREE: Method = Method {
    name: "boilerpipe-tree",
    about: "boilerpipe-article, then only the group of paragraphs with the most text under one ancestor",
    source: "Viveros-Jiménez et al. 2018, section 4",
    year: 2018,
    parameters: &[ANCESTOR],
    make: |settings| Ok(Box::new(tree::Tree { ancestor: settings.number(&ANCESTOR) as usize })),
    ..ARTICLE
};

#[cfg(test)]
mod tests {
    use super::super::tests::clean_with;

    fn words(count: usize) -> String {
        vec!["word"; count].join(" ")
    }

    /// A page as news sites have it: navigation, a title, an article with a link, a notice, comments.
    fn news() -> String {
        let links = [0, 1, 2, 3, 4, 5].map(|n| format!("<li><a href=/{n}>Section {n}</a></li>")).concat();
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
        // What stands right before content goes with it, as in the library.
        assert!(text.starts_with("Section 5\nGulls return\nfirst word"), "{text}");
        assert!(text.contains("more here\n") && !text.contains("comment"), "{text}");
    }

    #[test]
    fn the_other_pipelines_know_no_notice() {
        for method in ["boilerpipe-default", "boilerpipe-canola"] {
            let text = clean_with(method, &[], &news());
            assert!(text.contains("first") && text.contains("comment word") && !text.contains("Section"), "{text}");
        }
        let all = clean_with("boilerpipe-everything", &[], &news());
        assert!(all.starts_with("Section 0\n") && all.ends_with("Imprint\n"), "{all}");
    }

    #[test]
    fn a_page_of_one_block_is_judged_alone() {
        let long = format!("<p>{}", words(17));
        assert_eq!(clean_with("boilerpipe-article", &[], &long), format!("{}\n", words(17)));
        assert_eq!(clean_with("boilerpipe-article", &[], &format!("<p>{}", words(16))), "");
        // Nothing follows, so that the density rules drop it; CANOLA's ask for more than 19 words.
        assert_eq!(clean_with("boilerpipe-default", &[], &long), "");
        assert_eq!(clean_with("boilerpipe-canola", &[], &long), "");
        assert_eq!(clean_with("boilerpipe-canola", &[], &format!("<p>{}", words(20))), format!("{}\n", words(20)));
    }
}
