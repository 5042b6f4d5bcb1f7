//! From decisions to a document: prunes the tree and finds the kind of each kept block.
//!
//! Takes a [`Capture`](crate::capture::Capture), its targets and their
//! [`Decision`](crate::classify::Decision)s, and returns a [`Document`] for `emit` to write.
//! Uses no file, no network and no clock.

mod addresses;
mod byline;
mod class_words;
mod code;
mod comments;
mod content;
mod formulas;
mod hidden;
mod joined;
mod locate;
mod metadata;
mod non_text;
mod notes;
mod page;
mod posts;
mod prune;
mod pruned_tree;
mod rules;
mod segments;
mod table;
mod trace;

pub use comments::ReaderComments;
pub use content::{
    Callout, CommentPart, Document, FormulaStyle, ItemMark, Metadata, Numbering, Post, PostRole,
    Provenance, Script, Segment, SegmentKind, Span, TargetReport, TextPosition, TextPositions,
    Within,
};
pub use hidden::HiddenPassage;
pub(crate) use hidden::all_hidden_passages;
pub use page::PageParts;
pub(crate) use prune::{PruneOptions, prune_with, tree_of};
pub use prune::{document_of, document_of_text, plain_segment, prune};
pub use rules::{RULES, RuleOptions, RuleRow, apply_rules, find_headline};
pub(crate) use segments::callouts::is_name_of_kind;
#[cfg(test)]
pub(crate) use segments::segment::tests::all_kept;
pub use trace::{Deciding, DecisionTrace, Rule};
