//! Boilerpipe: rules on the shallow features of text blocks, learned once on news and fixed since.
//!
//! Kohlschütter, Fankhauser and Nejdl 2010 show that the words and the links of a block and of its neighbors tell content
//! from boilerplate (sections 3 and 4); the library of the first author puts filters around these rules, and boilerpy3 is
//! its maintained port, whose versions of the pipelines stand here. [`blocks`] cuts and counts, [`rules`] are the decision
//! trees, [`fuse`], [`ending`], [`title`] and [`largest`] the filters around them; a pipeline is a list of [`Filter`]s.
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
mod rules;
mod title;
mod tree;

use self::blocks::Block;
use super::passage::{self, Passage, kind_of};
use super::{Allowed, CleanPage, CleanedPage, Input, Method, Parameter, Sees, Settings};
use crate::error::{Error, ModelError};

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

/// A step of a pipeline.
#[derive(Clone, Copy)]
enum Filter {
    /// Marks blocks, as content among other things.
    Mark(fn(&mut [Block], &Page)),
    /// Merges or removes blocks.
    Change(fn(&mut Vec<Block>)),
}

/// What filters know of the page besides its blocks.
struct Page {
    /// Its title, white space collapsed.
    title: String,
}

const ARTICLE_FILTERS: &[Filter] = &[
    Filter::Mark(ending::find),
    Filter::Mark(title::find),
    Filter::Mark(rules::by_words),
    Filter::Mark(ending::cut),
    Filter::Change(fuse::by_nearness),
    Filter::Change(largest::only_content),
    Filter::Change(fuse::content_by_nearness),
    Filter::Mark(largest::keep),
    Filter::Mark(title::expand),
];

/// The library fuses near content here too, before anything is content; that changes nothing and is left out.
const DEFAULT_FILTERS: &[Filter] = &[Filter::Change(fuse::by_density), Filter::Mark(rules::by_density)];

const CANOLA_FILTERS: &[Filter] = &[Filter::Mark(rules::by_canola)];

const EVERYTHING_FILTERS: &[Filter] = &[Filter::Mark(rules::all)];

struct Pipeline(&'static [Filter]);

impl CleanPage for Pipeline {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let (texts, kept) = decide(input, self.0);
        Ok(document(input, texts, &kept))
    }
}

/// Cuts a page and runs a pipeline: all text blocks, and whether each is kept.
fn decide(input: &Input<'_>, filters: &[Filter]) -> (Vec<super::block::TextBlock>, Vec<bool>) {
    let dom = &input.capture.dom;
    let texts = blocks::cut(dom);
    let mut blocks = blocks::count(&texts);
    let page = Page { title: title::of(dom) };
    for filter in filters {
        match filter {
            Filter::Mark(mark) => mark(&mut blocks, &page),
            Filter::Change(change) => change(&mut blocks),
        }
    }
    let mut kept = vec![false; texts.len()];
    for part in blocks.iter().filter(|block| block.is_content).flat_map(|block| &block.parts) {
        kept[*part] = true;
    }
    (texts, kept)
}

/// The document of text blocks and verdicts.
fn document(input: &Input<'_>, texts: Vec<super::block::TextBlock>, kept: &[bool]) -> CleanedPage {
    let passage = |(block, is_content): (super::block::TextBlock, &bool)| Passage {
        kind: kind_of(&input.capture.dom, block.container),
        place: Some(block.target()),
        text: block.text,
        is_content: *is_content,
        margin: 0.0,
    };
    passage::document(input.capture, texts.into_iter().zip(kept).map(passage).collect())
}

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
