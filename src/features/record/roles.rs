//! What a short text may be in a record: its time, or a name.

use super::super::block::Block;

/// Longest line with a time, in letters: "Anna B. wrote on Sunday, 11 June 2006 at 18:41".
const TIME_LETTERS: f32 = 100.0;
/// Longest line that may be a name, in letters.
const NAME_LETTERS: f32 = 40.0;
/// Most words of a name with the words around it.
const NAME_TOKENS: u32 = 5;

/// What a target may be in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A line with a date or a time of day.
    Time,
    /// A short line that may name the author.
    Name,
    /// Anything else.
    Other,
}

/// The role of a target whose text occurs `copies` times on the page: what is the same in all records is no name.
pub(super) fn role_of(block: &Block, copies: u32) -> Role {
    let profile = &block.profile;
    if block.length <= TIME_LETTERS && (profile.has_date || profile.has_time || block.time_length > 0.0) {
        Role::Time
    } else if block.length <= NAME_LETTERS
        && (1..=NAME_TOKENS).contains(&profile.tokens)
        && profile.digits == 0
        && !profile.ends_sentence
        && copies <= 2
        && block.control_length == 0.0
    {
        Role::Name
    } else {
        Role::Other
    }
}
