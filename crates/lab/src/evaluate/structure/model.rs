//! What is scored of a Markdown document.

use super::tables::TableNode;
use super::tree::{Tree, similarity, text_similarity};

/// The structure of a Markdown document. Texts have their white space collapsed, except code, and
/// formulas, which have none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Structure {
    /// All text without code blocks, tables, formulas and pictures; blocks are separated by a
    /// space.
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
    /// Text and address of each link; the address is resolved if the page's own is known. Links
    /// around pictures alone have no text and are left out.
    pub(super) links: Vec<(String, String)>,
    /// Whether it is strong, and the text, of each emphasis.
    pub(super) emphasis: Vec<(bool, String)>,
    /// The texts of the outermost quotations.
    pub(super) quotes: Vec<String>,
    /// The texts of the notes that marks point to, in the order of their first marks.
    pub(super) notes: Vec<String>,
    /// Kind and text of each callout, such as `> [!NOTE]`; they are quotations, too.
    pub(super) callouts: Vec<(String, String)>,
}

// Tree similarity of headings.

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    /// Level, 1 to 6.
    pub(super) level: u8,
    /// Its text.
    pub(super) text: String,
}

/// Similarity of the trees of headings, 0 to 1; `None` if there are no headings in both. A heading
/// is below the last one of a smaller level. Levels count by this nesting only: the main text of a
/// page may begin at any level. Renaming a heading costs 1 minus the edit similarity of the texts.
pub(super) fn heading_score(output: &[Heading], gold: &[Heading]) -> Option<f64> {
    let (output, gold) = (nested(output), nested(gold));
    let is_there = !output.is_empty() || !gold.is_empty();
    is_there.then(|| {
        similarity(&output, &gold, |one, other| {
            1.0 - text_similarity(one, other)
        })
    })
}

fn nested(headings: &[Heading]) -> Tree<&str> {
    let mut tree = Tree::default();
    let mut open: Vec<u8> = Vec::new();
    for heading in headings {
        while open.last().is_some_and(|level| *level >= heading.level) {
            open.pop();
        }
        tree.push(open.len(), heading.text.as_str());
        open.push(heading.level);
    }
    tree
}

// Tree similarity of lists.

/// A node of the tree of lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListNode {
    /// A list; its children are items.
    List(ListKind),
    /// An item with its own text, without that of lists in it. Its children are lists.
    Item(String),
    /// A term of a definition list.
    Term(String),
    /// A definition.
    Definition(String),
}

/// The kind of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// Without numbers.
    Bullets,
    /// With numbers, from this one on.
    Numbers(u64),
    /// Terms and definitions.
    Definitions,
}

/// Similarity of the trees of lists, 0 to 1; `None` if there are no lists in both. Giving a list
/// another kind or first number costs 1, giving an item another text 1 minus the edit similarity of
/// the texts.
pub(super) fn list_score(output: &Tree<ListNode>, gold: &Tree<ListNode>) -> Option<f64> {
    (!output.is_empty() || !gold.is_empty()).then(|| similarity(output, gold, rename))
}

fn rename(one: &ListNode, other: &ListNode) -> f64 {
    match (one, other) {
        (ListNode::List(one), ListNode::List(other)) => f64::from(u8::from(one != other)),
        (ListNode::Item(one), ListNode::Item(other))
        | (ListNode::Term(one), ListNode::Term(other))
        | (ListNode::Definition(one), ListNode::Definition(other)) => {
            1.0 - text_similarity(one, other)
        }
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::structure::markdown::read_markdown;
    use crate::evaluate::structure::reader::Base;

    fn headings(list: &[(u8, &str)]) -> Vec<Heading> {
        list.iter()
            .map(|&(level, text)| Heading {
                level,
                text: text.to_owned(),
            })
            .collect()
    }

    #[test]
    fn levels_count_by_nesting() {
        let gold = headings(&[(2, "Birds"), (3, "Gulls"), (3, "Terns"), (2, "Fish")]);
        assert_eq!(heading_score(&gold, &gold), Some(1.0));
        let deeper = headings(&[(3, "Birds"), (5, "Gulls"), (5, "Terns"), (3, "Fish")]);
        assert_eq!(heading_score(&deeper, &gold), Some(1.0));
        // In a flat list two headings are out of place: each is deleted and inserted again, or the
        // parent is.
        let flat = headings(&[(2, "Birds"), (2, "Gulls"), (2, "Terns"), (2, "Fish")]);
        assert_eq!(heading_score(&flat, &gold), Some(0.5));
        assert_eq!(heading_score(&gold[..3], &gold), Some(0.75));
        // One of five letters differs, in one of four headings.
        let other = headings(&[(2, "Birds"), (3, "Gills"), (3, "Terns"), (2, "Fish")]);
        assert!((heading_score(&other, &gold).unwrap_or(0.0) - (1.0 - 0.2 / 4.0)).abs() < 1e-12);
        assert_eq!(
            (
                heading_score(&[], &gold),
                heading_score(&gold, &[]),
                heading_score(&[], &[])
            ),
            (Some(0.0), Some(0.0), None)
        );
    }

    fn compare(output: &str, gold: &str) -> Option<f64> {
        list_score(
            &read_markdown(output, &Base::default()).lists,
            &read_markdown(gold, &Base::default()).lists,
        )
    }

    #[test]
    fn depth_kind_and_items_count() {
        let gold = "- mussels\n- eggs\n    - of terns\n    - of gulls\n- bread\n";
        assert_eq!(compare(gold, gold), Some(1.0));
        // Seven nodes: the list, three items, the list in it, and two items. The inner list is
        // lost. Its items are no longer below the second item, so that one is deleted and inserted
        // again.
        let flat = compare("- mussels\n- eggs\n- of terns\n- of gulls\n- bread\n", gold);
        assert!((flat.unwrap_or(0.0) - (1.0 - 3.0 / 7.0)).abs() < 1e-12);
        assert_eq!(
            compare("- mussels\n- eggs\n    - of terns\n- bread\n", gold),
            Some(1.0 - 1.0 / 7.0)
        );
        assert_eq!(
            compare("1. one\n2. two\n", "- one\n- two\n"),
            Some(1.0 - 1.0 / 3.0)
        );
        assert_eq!(
            compare("3. one\n4. two\n", "1. one\n2. two\n"),
            Some(1.0 - 1.0 / 3.0)
        );
        assert_eq!(compare("one\n\ntwo\n", "- one\n- two\n"), Some(0.0));
        assert_eq!(compare("one\n", "two\n"), None);
    }

    #[test]
    fn definitions_are_apart_from_items() {
        let gold = "**Gull**\n: a bird\n\n**Mussel**\n: food\n";
        assert_eq!(compare(gold, gold), Some(1.0));
        let found = compare("- Gull\n- a bird\n- Mussel\n- food\n", gold);
        assert_eq!(found, Some(0.0));
    }
}
