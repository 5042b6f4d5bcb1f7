//! Types of sources: their pages, one by one, and counts of the files that they pass over.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use vclean_core::error::SourceError;
use vclean_core::page::Page;

/// A kind of input.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// Name of the kind, for documentation.
    pub name: &'static str,
    /// How to write such an input.
    pub example: &'static str,
    /// Description in one sentence.
    pub doc: &'static str,
    /// Returns true if an input is of this kind. The first kind that recognizes an input opens it.
    pub recognizes: fn(&str) -> bool,
    /// Opens an input of this kind.
    pub open: fn(&str) -> Pages,
}

/// The pages of one input, opened one by one. An error concerns one page; the others follow.
pub type Pages = Box<dyn Iterator<Item = Result<Page, SourceError>> + Send>;

/// An input of one page.
pub(super) fn once(page: Result<Page, SourceError>) -> Pages {
    Box::new(std::iter::once(page))
}

/// Why an entry of a folder is passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A picture, recognized by its first bytes or extension.
    Picture,
    /// A style sheet, recognized by its extension.
    StyleSheet,
    /// A script or the source map of one.
    Script,
    /// A font, recognized by its first bytes.
    Font,
    /// An audio or video file.
    Media,
    /// A PDF or office document.
    Document,
    /// Structured data without pages, such as JSON or a feed.
    Data,
    /// Text that is not HTML.
    Text,
    /// A packed file that holds no page, or an archive of files.
    Packed,
    /// Another file that is not text.
    Binary,
    /// A file or folder whose name begins with a dot.
    Hidden,
    /// The folder of resources beside a saved page.
    Resources,
    /// The output of an earlier run.
    Output,
    /// A symbolic link that leads nowhere.
    BrokenLink,
    /// A symbolic link to a place outside the folder.
    LinkOut,
    /// A symbolic link to a place in the folder, which is read under its own name.
    LinkWithin,
    /// A pipe, socket or device.
    Special,
}

impl Reason {
    /// The reason in words, for one entry and for several.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Picture => ("picture", "pictures"),
            Self::StyleSheet => ("style sheet", "style sheets"),
            Self::Script => ("script", "scripts"),
            Self::Font => ("font", "fonts"),
            Self::Media => ("sound or film", "sounds or films"),
            Self::Document => ("document", "documents"),
            Self::Data => ("data file", "data files"),
            Self::Text => ("plain text", "plain texts"),
            Self::Packed => ("packed file", "packed files"),
            Self::Binary => ("binary file", "binary files"),
            Self::Hidden => ("hidden file", "hidden files"),
            Self::Resources => (
                "folder of a page's resources",
                "folders of pages' resources",
            ),
            Self::Output => ("output of an earlier run", "outputs of earlier runs"),
            Self::BrokenLink => ("broken link", "broken links"),
            Self::LinkOut => ("link out of the folder", "links out of the folder"),
            Self::LinkWithin => ("link within the folder", "links within the folder"),
            Self::Special => ("pipe, socket or device", "pipes, sockets or devices"),
        }
    }
}

/// Counts of the entries of folders that were passed over. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub struct PassedOver(Arc<Mutex<BTreeMap<Reason, u64>>>);

impl PassedOver {
    /// Counts an entry that was passed over.
    pub fn add(&self, reason: Reason) {
        *self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(reason)
            .or_insert(0) += 1;
    }

    /// The counts in one line, the largest first, such as
    /// `3 files passed over: 2 pictures, 1 broken link`; `None` if nothing was passed over.
    pub fn summary(&self) -> Option<String> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sorted: Vec<(Reason, u64)> = counts
            .iter()
            .map(|(reason, count)| (*reason, *count))
            .collect();
        sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let total: u64 = sorted.iter().map(|(_, count)| count).sum();
        let part = |(reason, count): &(Reason, u64)| {
            let (one, many) = reason.words();
            format!("{count} {}", if *count == 1 { one } else { many })
        };
        let parts: Vec<String> = sorted.iter().map(part).collect();
        let files = if total == 1 { "file" } else { "files" };
        (total > 0).then(|| format!("{total} {files} passed over: {}", parts.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_in_one_line_with_the_largest_first() {
        let counts = PassedOver::default();
        assert_eq!(counts.summary(), None);
        counts.clone().add(Reason::BrokenLink);
        assert_eq!(
            counts.summary().as_deref(),
            Some("1 file passed over: 1 broken link")
        );
        for reason in [Reason::StyleSheet, Reason::Picture, Reason::Picture] {
            counts.add(reason);
        }
        assert_eq!(
            counts.summary().as_deref(),
            Some("4 files passed over: 2 pictures, 1 style sheet, 1 broken link")
        );
    }
}
