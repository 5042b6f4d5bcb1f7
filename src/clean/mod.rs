//! From decisions to a document: prunes the tree and finds the kind of each kept block.
//!
//! Takes a [`Capture`](crate::capture::Capture), its targets and their [`Decision`](crate::classify::Decision)s, and returns
//! a [`CleanDocument`] for `emit` to write. Uses no file, no network and no clock.

mod address;
mod around;
mod body_style;
mod code;
mod code_block;
mod comment_byline;
mod comment_data;
mod comment_records;
mod comments;
mod compose;
mod document;
mod formula;
mod hidden;
mod kept_with;
mod latex;
mod latex_symbols;
mod left_out;
mod locate;
mod metadata;
mod notes;
mod page_parts;
mod pictures;
mod prune;
mod rules;
mod runs;
mod segment;
mod table;
mod text_position;

pub use comments::ReaderComments;
pub use compose::{document_of, document_of_text, plain_segment};
pub use document::{
    CleanDocument, CommentPart, FormulaStyle, Metadata, ReaderComment, Script, Segment, SegmentKind, Span,
    TargetReport, Within,
};
pub use hidden::HiddenPassage;
pub use prune::{prune, prune_with};
pub use rules::{Deciding, DecisionTrace, RULES, Rule, RuleOptions, RulePhase, apply_rules};
pub use text_position::{TextPosition, TextPositions};
