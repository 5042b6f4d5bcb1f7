//! Tree similarity of headings.

use super::edit;
use super::tree::{self, Tree};

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    /// Level, 1 to 6.
    pub(super) level: u8,
    /// Its text.
    pub(super) text: String,
}

/// Similarity of the trees of headings, 0 to 1; `None` if there are no headings in both. A heading is below the last one of
/// a smaller level. Levels count by this nesting only: the main text of a page may begin at any level. Renaming a heading
/// costs 1 minus the edit similarity of the texts.
pub(super) fn score(output: &[Heading], gold: &[Heading]) -> Option<f64> {
    let (output, gold) = (nested(output), nested(gold));
    let is_there = !output.is_empty() || !gold.is_empty();
    is_there.then(|| tree::similarity(&output, &gold, |one, other| 1.0 - edit::similarity(one, other)))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(list: &[(u8, &str)]) -> Vec<Heading> {
        list.iter().map(|&(level, text)| Heading { level, text: text.to_owned() }).collect()
    }

    #[test]
    fn levels_count_by_nesting() {
        let gold = headings(&[(2, "Birds"), (3, "Gulls"), (3, "Terns"), (2, "Fish")]);
        assert_eq!(score(&gold, &gold), Some(1.0));
        let deeper = headings(&[(3, "Birds"), (5, "Gulls"), (5, "Terns"), (3, "Fish")]);
        assert_eq!(score(&deeper, &gold), Some(1.0));
        // In a flat list two headings are out of place: each is deleted and inserted again, or the parent is.
        let flat = headings(&[(2, "Birds"), (2, "Gulls"), (2, "Terns"), (2, "Fish")]);
        assert_eq!(score(&flat, &gold), Some(0.5));
        assert_eq!(score(&gold[..3], &gold), Some(0.75));
        // One of five letters differs, in one of four headings.
        let other = headings(&[(2, "Birds"), (3, "Gills"), (3, "Terns"), (2, "Fish")]);
        assert!((score(&other, &gold).unwrap_or(0.0) - (1.0 - 0.2 / 4.0)).abs() < 1e-12);
        assert_eq!((score(&[], &gold), score(&gold, &[]), score(&[], &[])), (Some(0.0), Some(0.0), None));
    }
}
