//! What is scored of a Markdown document.

use super::headings::Heading;
use super::lists::ListNode;
use super::tables::TableNode;
use super::tree::Tree;

/// The structure of a Markdown document. Texts have their white space collapsed, except code, and formulas, which have
/// none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Structure {
    /// All text without code blocks, tables, formulas and pictures; blocks are separated by a space.
    pub(super) text: String,
    /// The code blocks, with their indentation and without white space at the ends of lines.
    pub(super) code: Vec<String>,
    /// The formulas in LaTeX, in the line and on lines of their own, except those in tables.
    pub(super) formulas: Vec<String>,
    /// The tables, Markdown's and HTML's.
    pub(super) tables: Vec<Tree<TableNode>>,
    /// The headings.
    pub(super) headings: Vec<Heading>,
    /// All lists, one after the other, with those within them.
    pub(super) lists: Tree<ListNode>,
    /// Text and address of each link; the address is resolved if the page's own is known. Links around pictures alone have
    /// no text and are left out.
    pub(super) links: Vec<(String, String)>,
    /// Whether it is strong, and the text, of each emphasis.
    pub(super) emphasis: Vec<(bool, String)>,
    /// The texts of the outermost quotations.
    pub(super) quotes: Vec<String>,
}
