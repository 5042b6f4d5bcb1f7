//! From decisions to a document: prunes the tree and finds the kind of each kept block.
//!
//! Takes a [`Capture`](crate::capture::Capture), its targets and their [`Decision`](crate::classify::Decision)s, and returns
//! a [`CleanDocument`] for `emit` to write. Uses no file, no network and no clock.

mod address;
mod around;
mod body_style;
mod captions;
mod code;
mod code_block;
mod comment_byline;
mod comment_data;
mod comment_records;
mod comments;
mod compose;
mod dialogs;
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
mod runs;
mod segment;
mod table;
mod text_position;
mod trace;
mod unseen;
mod whole_tables;
mod without_tables;

pub use captions::keep_captions;
pub use code_block::keep_code_whole;
pub use comments::ReaderComments;
pub use compose::{document_of, document_of_text, plain_segment};
pub use dialogs::drop_dialogs;
pub use document::{
    CleanDocument, CommentPart, FormulaStyle, Metadata, ReaderComment, Script, Segment, SegmentKind, Span,
    TargetReport, Within,
};
pub use hidden::HiddenPassage;
pub use prune::{prune, prune_with};
pub use text_position::{TextPosition, TextPositions};
pub use trace::{Deciding, DecisionTrace, Rule};
pub use unseen::drop_unseen;
pub use whole_tables::keep_tables_whole;
pub use without_tables::drop_tables;
