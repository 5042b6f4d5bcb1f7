//! From decisions to a document: prunes the tree and finds the kind of each kept block.
//!
//! Takes a [`Capture`](crate::capture::Capture), its targets and their
//! [`Decision`](crate::classify::Decision)s, and returns a [`CleanDocument`] for `emit` to write.
//! Uses no file, no network and no clock.

mod addresses;
mod asciimath;
mod bullets;
mod byline;
mod callouts;
mod chtml;
mod class_words;
mod code;
mod code_blocks;
mod comments;
mod document;
mod formula;
mod heading_text;
mod headings;
mod hidden;
mod katex;
mod kind;
mod locate;
mod mathml;
mod metadata;
mod non_text;
mod note_anchors;
mod note_names;
mod notes;
mod page;
mod pictures;
mod posts;
mod prune;
mod pruned_tree;
mod quotations;
mod rules;
mod runs;
mod segment;
mod site_heading;
mod table;
mod tex;
mod trace;

pub(crate) use callouts::is_name_of_kind;
pub use comments::ReaderComments;
pub use document::{
    Callout, CleanDocument, CommentPart, FormulaStyle, Metadata, Post, PostRole, Script, Segment,
    SegmentKind, Span, TargetReport, TextPosition, TextPositions, Within,
};
pub use hidden::HiddenPassage;
pub use page::PageParts;
pub(crate) use prune::{PruneOptions, prune_with};
pub use prune::{document_of, document_of_text, plain_segment, prune};
pub use rules::{RULES, RuleOptions, RulePhase, RuleRow, apply_rules, find_headline};
pub use trace::{Deciding, DecisionTrace, Rule};
