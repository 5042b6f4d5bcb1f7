//! The words that a comment section has beside the comments, in one language.

/// What a comment section says in one language.
#[derive(Debug)]
pub(super) struct Phrases {
    /// Two-letter code.
    pub(super) code: &'static str,
    /// Headings of the section.
    pub(super) captions: &'static [&'static str],
    /// Links under a comment.
    pub(super) actions: &'static [&'static str],
    /// Between the author and the date or the comment; may be empty.
    pub(super) says: &'static [&'static str],
    /// Names of readers who gave none.
    pub(super) guests: &'static [&'static str],
    /// Syllables of readers' names.
    pub(super) syllables: &'static [&'static str],
    /// What asks for a comment: titles and buttons of forms, and lines that ask to sign in.
    pub(super) forms: &'static [&'static str],
    /// Orders in which comments can be sorted.
    pub(super) orders: &'static [&'static str],
    /// What follows a number of answers or of pages.
    pub(super) counts: &'static [&'static str],
    /// Links to the pages before and after.
    pub(super) pages: &'static [&'static str],
    /// Headings of lists of related stories.
    pub(super) related: &'static [&'static str],
    /// Links to the whole of a story.
    pub(super) more: &'static [&'static str],
    /// Names of the months, or none where dates are written in digits only.
    pub(super) months: &'static [&'static str],
}
