//! Which targets of a page are readers' comments: by the gold text of a set that tells, or weakly, by the markup of
//! well-known comment systems.
//!
//! [`by_gold`] aligns the words of `gold_comments/ID.txt`; [`weak_labels`] is for pages of sets that do not tell, and is
//! used for training only. Content stays content in both.

mod comment_systems;
mod knowledge;
mod labels;
#[cfg(feature = "experiments")]
mod weak;

pub use comment_systems::{in_comment_systems, may_have_comments};
pub use knowledge::CommentKnowledge;
pub(super) use labels::by_gold;
#[cfg(feature = "experiments")]
pub(super) use weak::weak_labels;
