//! The font of the running text of a page, with which headings are compared.

use crate::capture::Capture;
use crate::classify::{Decision, Label};
use crate::target::Target;
use std::collections::BTreeMap;

/// The most common font of the kept text, by characters.
pub(super) struct BodyStyle {
    pub(super) size_px: f32,
    pub(super) weight: u16,
}

impl BodyStyle {
    pub(super) fn most_common(capture: &Capture, targets: &[Target], decisions: &[Decision]) -> Option<Self> {
        let layout = capture.layout.as_ref()?;
        // Sizes in tenths of a pixel, so that they can be counted.
        let mut counts: BTreeMap<(u32, u16), usize> = BTreeMap::new();
        let kept = targets.iter().zip(decisions).filter(|(_, decision)| decision.label == Label::Content);
        for id in kept.flat_map(|(target, _)| &target.texts) {
            if let (Some(style), Some(text)) = (layout.style(*id), capture.dom.text(*id)) {
                *counts.entry(((style.font_size_px * 10.0) as u32, style.font_weight)).or_default() += text.len();
            }
        }
        let ((tenths, weight), _) = counts.into_iter().max_by_key(|&(_, count)| count)?;
        Some(Self { size_px: tenths as f32 / 10.0, weight })
    }
}
