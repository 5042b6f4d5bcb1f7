//! A page that is ready to be labelled: its capture, its blocks and the model's verdicts.

use super::block::{AnnotatedBlock, blocks, least_certain_first};
use super::error::AnnotateError;
use crate::capture::{Capture, Engine, Positions};
use crate::classify::LikelyKind;
use crate::cleaner::PageCleaner;
use crate::hash::Fnv;
use image::RgbImage;
use std::sync::OnceLock;

/// A page with its blocks. It does not change while it is labelled.
#[derive(Debug)]
pub struct PreparedPage {
    /// Title of the page; `None` if it has none.
    pub title: Option<String>,
    /// Language of its text as a BCP 47 tag; empty if it is unknown.
    pub language: String,
    /// What kind of page it is, if the model tells.
    pub kind: Option<LikelyKind>,
    /// Expected F of the text that the model keeps, 0 to 1.
    pub expected_f: f32,
    /// Its blocks, in document order.
    pub blocks: Vec<AnnotatedBlock>,
    /// Numbers of the blocks, least certain first.
    pub order: Vec<usize>,
    /// Positions of its nodes, for XPaths.
    pub positions: Positions,
    /// The capture.
    pub capture: Capture,
    picture: OnceLock<Option<RgbImage>>,
}

impl PreparedPage {
    /// Cleans a capture and measures what the labelling page shows.
    ///
    /// # Errors
    /// If the page cannot be cleaned.
    pub fn new(capture: Capture, cleaner: &PageCleaner) -> Result<Self, AnnotateError> {
        let cleaned = cleaner.clean_captured(&capture)?;
        let positions = Positions::new(&capture.dom);
        let blocks = blocks(&capture, &cleaned, &positions);
        let expected_f = cleaned.confidence();
        let document = cleaned.document;
        Ok(Self {
            title: document.metadata.title,
            language: document.metadata.language.unwrap_or_default(),
            kind: document.kind,
            expected_f,
            order: least_certain_first(&blocks),
            blocks,
            positions,
            capture,
            picture: OnceLock::new(),
        })
    }

    /// The page image in color, decoded once; `None` for a page without a picture, or with a damaged one.
    pub fn picture(&self) -> Option<&RgbImage> {
        let decode = || self.capture.pictures.as_ref().and_then(|pictures| pictures.to_look_at().decode_rgb().ok());
        self.picture.get_or_init(decode).as_ref()
    }

    /// Whether the picture is a drawing for measuring, in which letters are strokes that nobody can read.
    pub fn is_sketch(&self) -> bool {
        let is_drawn = self.capture.record.engine == Engine::Builtin;
        is_drawn && self.capture.pictures.as_ref().is_some_and(|pictures| pictures.painted.is_none())
    }

    /// A number that tells whether a page has the same blocks as before: a hash of their texts and paths.
    pub fn fingerprint(&self) -> String {
        let mut hash = Fnv::new();
        for block in &self.blocks {
            for byte in block.xpath.bytes().chain([0]).chain(block.text.bytes()).chain([0]) {
                hash.add(byte);
            }
        }
        format!("{:016x}", hash.finish())
    }
}
