//! Tree similarity of lists.

use super::edit;
use super::tree::{self, Tree};

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

/// Similarity of the trees of lists, 0 to 1; `None` if there are no lists in both. Giving a list another kind or first number
/// costs 1, giving an item another text 1 minus the edit similarity of the texts.
pub(super) fn score(output: &Tree<ListNode>, gold: &Tree<ListNode>) -> Option<f64> {
    (!output.is_empty() || !gold.is_empty()).then(|| tree::similarity(output, gold, rename))
}

fn rename(one: &ListNode, other: &ListNode) -> f64 {
    match (one, other) {
        (ListNode::List(one), ListNode::List(other)) => f64::from(u8::from(one != other)),
        (ListNode::Item(one), ListNode::Item(other))
        | (ListNode::Term(one), ListNode::Term(other))
        | (ListNode::Definition(one), ListNode::Definition(other)) => 1.0 - edit::similarity(one, other),
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::structure::{Base, read_markdown};

    fn compare(output: &str, gold: &str) -> Option<f64> {
        score(&read_markdown(output, &Base::unknown()).lists, &read_markdown(gold, &Base::unknown()).lists)
    }

    #[test]
    fn depth_kind_and_items_count() {
        let gold = "- mussels\n- eggs\n    - of terns\n    - of gulls\n- bread\n";
        assert_eq!(compare(gold, gold), Some(1.0));
        // Seven nodes: the list, three items, the list in it, and two items. The inner list is lost. Its items are no
        // longer below the second item, so that one is deleted and inserted again.
        let flat = compare("- mussels\n- eggs\n- of terns\n- of gulls\n- bread\n", gold);
        assert!((flat.unwrap_or(0.0) - (1.0 - 3.0 / 7.0)).abs() < 1e-12);
        assert_eq!(compare("- mussels\n- eggs\n    - of terns\n- bread\n", gold), Some(1.0 - 1.0 / 7.0));
        assert_eq!(compare("1. one\n2. two\n", "- one\n- two\n"), Some(1.0 - 1.0 / 3.0));
        assert_eq!(compare("3. one\n4. two\n", "1. one\n2. two\n"), Some(1.0 - 1.0 / 3.0));
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
