//! The pipelines: lists of filters that mark, merge and remove blocks.

use super::blocks::{self, BlockGroup};
use super::{rules, title};
use crate::method::block::TextBlock;
use crate::method::passage::{self, Passage, kind_of};
use vclean_core::error::Error;
use vclean_core::pipeline::{CleanPage, CleanedPage, Input};

/// A step of a pipeline.
#[derive(Clone, Copy)]
pub(super) enum Filter {
    /// Marks blocks, for example as content.
    Mark(fn(&mut [BlockGroup], &str)),
    /// Merges or removes blocks.
    Change(fn(&mut Vec<BlockGroup>)),
}

pub(super) const ARTICLE_FILTERS: &[Filter] = &[
    Filter::Mark(rules::find_ending),
    Filter::Mark(title::find),
    Filter::Mark(rules::by_words),
    Filter::Mark(rules::cut_ending),
    Filter::Change(rules::fuse_by_nearness),
    Filter::Change(rules::only_content),
    Filter::Change(rules::fuse_content_by_nearness),
    Filter::Mark(rules::keep_largest),
    Filter::Mark(title::expand),
];

/// The library also fuses adjacent content here, before anything is content; that has no effect and
/// is left out.
pub(super) const DEFAULT_FILTERS: &[Filter] = &[
    Filter::Change(rules::fuse_by_density),
    Filter::Mark(rules::by_density),
];

pub(super) const CANOLA_FILTERS: &[Filter] = &[Filter::Mark(rules::by_canola)];

pub(super) const EVERYTHING_FILTERS: &[Filter] = &[Filter::Mark(rules::all)];

/// A list of filters that is ready for pages.
pub(super) struct Pipeline(pub(super) &'static [Filter]);

impl CleanPage for Pipeline {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let (texts, kept) = decide(input, self.0);
        Ok(document(input, texts, &kept))
    }
}

/// Splits a page and runs a pipeline: all text blocks, and whether each is kept.
pub(super) fn decide(input: &Input<'_>, filters: &[Filter]) -> (Vec<TextBlock>, Vec<bool>) {
    let dom = &input.capture.dom;
    let texts = blocks::cut(dom);
    let mut blocks = blocks::count(&texts);
    let title = title::page_title(dom);
    for filter in filters {
        match filter {
            Filter::Mark(mark) => mark(&mut blocks, &title),
            Filter::Change(change) => change(&mut blocks),
        }
    }
    let mut kept = vec![false; texts.len()];
    for part in blocks
        .iter()
        .filter(|block| block.is_content)
        .flat_map(|block| &block.parts)
    {
        kept[*part] = true;
    }
    (texts, kept)
}

/// The document of text blocks and decisions.
pub(super) fn document(input: &Input<'_>, texts: Vec<TextBlock>, kept: &[bool]) -> CleanedPage {
    let passage = |(block, is_content): (TextBlock, &bool)| Passage {
        kind: kind_of(&input.capture.dom, block.container),
        place: Some(block.target()),
        text: block.text,
        is_content: *is_content,
        margin: 0.0,
    };
    passage::document(
        input.capture,
        texts.into_iter().zip(kept).map(passage).collect(),
    )
}
