//! Ordered trees, and the distance of two by insertions, deletions and renamings of nodes.
//!
//! The algorithm is that of Zhang and Shasha 1989 ("Simple Fast Algorithms for the Editing Distance
//! between Trees and Related Problems"). Own code: the published crates have fixed costs of
//! renaming. APTED (Pawlik and Augsten 2016), which TEDS names, gives the same distance and is
//! faster only for deep trees; those of tables, lists and headings are flat.

use rapidfuzz::distance::levenshtein;
use std::collections::BTreeMap;

/// Labels in preorder, each with its depth; may have several roots, of depth 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tree<L> {
    nodes: Vec<(usize, L)>,
}

impl<L> Default for Tree<L> {
    fn default() -> Self {
        Self { nodes: Vec::new() }
    }
}

impl<L> Tree<L> {
    /// Adds a node after all others, and returns its position. A depth of more than that of a child
    /// of the last node counts as that.
    pub(super) fn push(&mut self, depth: usize, label: L) -> usize {
        let deepest = self.nodes.last().map_or(0, |(last, _)| last + 1);
        self.nodes.push((depth.min(deepest), label));
        self.nodes.len() - 1
    }

    /// The label at a position.
    pub(super) fn label_mut(&mut self, index: usize) -> &mut L {
        &mut self.nodes[index].1
    }

    /// Whether all labels from this position on are blank.
    pub(super) fn is_blank_from(&self, start: usize, is_blank: impl Fn(&L) -> bool) -> bool {
        self.nodes
            .get(start..)
            .is_some_and(|nodes| nodes.iter().all(|(_, label)| is_blank(label)))
    }

    /// Removes the nodes from this position on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Depths and labels in preorder.
    #[cfg(test)]
    pub(super) fn nodes(&self) -> &[(usize, L)] {
        &self.nodes
    }
}

/// `1 - distance / nodes of the larger tree`, 0 to 1; 1 if both are empty. `rename` is the cost of
/// giving a node another label, 0 to 1; inserting and deleting a node cost 1.
pub(super) fn similarity<L>(one: &Tree<L>, other: &Tree<L>, rename: impl Fn(&L, &L) -> f64) -> f64 {
    let most = one.len().max(other.len());
    if most == 0 {
        1.0
    } else {
        (1.0 - distance(one, other, rename) / most as f64).max(0.0)
    }
}

/// A tree below a new root, in postorder.
struct Postorder<'t, L> {
    /// Labels; `None` for the new root, which is last.
    labels: Vec<Option<&'t L>>,
    /// Position of the leftmost leaf below each node.
    leftmost: Vec<usize>,
    /// The last node of each leftmost leaf, ascending.
    keyroots: Vec<usize>,
}

impl<'t, L> Postorder<'t, L> {
    fn of(tree: &'t Tree<L>) -> Self {
        let (mut labels, mut leftmost) = (Vec::new(), Vec::new());
        // Depth, label and leftmost leaf of the nodes that are open. The new root has the depth 0,
        // the others one more.
        let mut open: Vec<(usize, Option<&L>, Option<usize>)> = vec![(0, None, None)];
        let mut close = |open: &mut Vec<(usize, Option<&'t L>, Option<usize>)>| {
            let Some((_, label, leaf)) = open.pop() else {
                return;
            };
            let leaf = leaf.unwrap_or(labels.len());
            labels.push(label);
            leftmost.push(leaf);
            if let Some((_, _, first)) = open.last_mut() {
                first.get_or_insert(leaf);
            }
        };
        for (depth, label) in &tree.nodes {
            while open.last().is_some_and(|(last, _, _)| *last > *depth) {
                close(&mut open);
            }
            open.push((depth + 1, Some(label), None));
        }
        while !open.is_empty() {
            close(&mut open);
        }
        let mut last_of_leaf = vec![0; labels.len()];
        for (node, leaf) in leftmost.iter().enumerate() {
            last_of_leaf[*leaf] = node;
        }
        let keyroots = (0..labels.len())
            .filter(|&node| last_of_leaf[leftmost[node]] == node)
            .collect();
        Self {
            labels,
            leftmost,
            keyroots,
        }
    }
}

fn distance<L>(one: &Tree<L>, other: &Tree<L>, rename: impl Fn(&L, &L) -> f64) -> f64 {
    let cost = |one: Option<&L>, other: Option<&L>| match (one, other) {
        (Some(one), Some(other)) => rename(one, other),
        (None, None) => 0.0,
        // The new roots are renamed to each other only.
        _ => f64::INFINITY,
    };
    let (one, other) = (Postorder::of(one), Postorder::of(other));
    let mut trees = vec![0.0; one.labels.len() * other.labels.len()];
    let mut forests = Vec::new();
    for &i in &one.keyroots {
        for &j in &other.keyroots {
            forest_distances(&one, &other, (i, j), &cost, &mut trees, &mut forests);
        }
    }
    trees.last().copied().unwrap_or(0.0)
}

/// Fills in the distances of the subtrees on the left edges of the subtrees `i` and `j`.
fn forest_distances<L>(
    one: &Postorder<'_, L>,
    other: &Postorder<'_, L>,
    (i, j): (usize, usize),
    cost: &impl Fn(Option<&L>, Option<&L>) -> f64,
    trees: &mut [f64],
    forests: &mut Vec<f64>,
) {
    let (from_i, from_j) = (one.leftmost[i], other.leftmost[j]);
    let (rows, columns) = (i - from_i + 2, j - from_j + 2);
    forests.clear();
    forests.resize(rows * columns, 0.0);
    for (column, cell) in forests.iter_mut().enumerate().take(columns) {
        *cell = column as f64;
    }
    for x in 1..rows {
        forests[x * columns] = x as f64;
        let node = from_i + x - 1;
        for y in 1..columns {
            let other_node = from_j + y - 1;
            let edit =
                (forests[(x - 1) * columns + y] + 1.0).min(forests[x * columns + y - 1] + 1.0);
            let tree = node * other.labels.len() + other_node;
            let best = if one.leftmost[node] == from_i && other.leftmost[other_node] == from_j {
                let renamed = cost(one.labels[node], other.labels[other_node]);
                let best = edit.min(forests[(x - 1) * columns + y - 1] + renamed);
                trees[tree] = best;
                best
            } else {
                let (before, before_other) = (
                    one.leftmost[node] - from_i,
                    other.leftmost[other_node] - from_j,
                );
                edit.min(forests[before * columns + before_other] + trees[tree])
            };
            forests[x * columns + y] = best;
        }
    }
}

// Edit similarity of two texts.

/// `1 - distance / longest`, 0 to 1, with the distance of Levenshtein and lengths in characters; 1
/// if both are empty.
pub(super) fn text_similarity(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let longest = one.chars().count().max(other.chars().count());
    1.0 - levenshtein::distance(one.chars(), other.chars()) as f64 / longest as f64
}

/// The similarity of two texts of a page; `None` if both are empty, so that the page does not
/// count.
pub(super) fn text_score(output: &str, gold: &str) -> Option<f64> {
    (!output.is_empty() || !gold.is_empty()).then(|| text_similarity(output, gold))
}

// F score of two bags of things, such as links.

/// Twice the number of things in both, divided by the number of things in each; 0 to 1. `None` if
/// both are empty. A thing that is there twice counts twice.
pub(super) fn bag_score<T: Ord>(output: &[T], gold: &[T]) -> Option<f64> {
    let all = output.len() + gold.len();
    let mut left: BTreeMap<&T, usize> = BTreeMap::new();
    for thing in gold {
        *left.entry(thing).or_default() += 1;
    }
    let mut both = 0usize;
    for thing in output {
        if let Some(count) = left.get_mut(thing).filter(|count| **count > 0) {
            *count -= 1;
            both += 1;
        }
    }
    (all > 0).then(|| 2.0 * both as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The tree of `a(b c(d))`.
    fn tree(text: &str) -> Tree<char> {
        let (mut tree, mut depth) = (Tree::default(), 0);
        for c in text.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ' ' => {}
                label => {
                    tree.push(depth, label);
                }
            }
        }
        tree
    }

    #[allow(clippy::trivially_copy_pass_by_ref)] // the labels of other trees are texts
    fn plain(one: &char, other: &char) -> f64 {
        f64::from(u8::from(one != other))
    }

    #[test]
    fn the_distance_is_that_of_the_paper() {
        // Figure 4 of Zhang and Shasha: d moves above c, which is one deletion and one insertion.
        let (one, other) = (tree("f(d(a c(b)) e)"), tree("f(c(d(a b)) e)"));
        assert_eq!(distance(&one, &other, plain), 2.0);
        assert!((similarity(&one, &other, plain) - 4.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn trees_with_several_roots_and_empty_ones() {
        assert_eq!(distance(&tree("a b c"), &tree("a c"), plain), 1.0);
        assert_eq!(distance(&tree("a(b) c"), &tree("a b c"), plain), 2.0);
        assert_eq!(distance(&tree("a(b(c))"), &tree("x(b(c))"), plain), 1.0);
        assert_eq!(
            (
                similarity(&tree(""), &tree(""), plain),
                similarity(&tree(""), &tree("a(b)"), plain)
            ),
            (1.0, 0.0)
        );
    }

    #[test]
    fn a_deep_tree_needs_no_deep_stack() {
        let mut deep = Tree::default();
        for depth in 0..1500 {
            deep.push(depth, 'x');
        }
        assert_eq!(distance(&deep, &tree("x"), plain), 1499.0);
    }

    /// The definition of the distance of two forests, by recursion on their last roots: each a list
    /// of trees in preorder.
    fn slow(one: &[(usize, char)], other: &[(usize, char)]) -> f64 {
        let last = |forest: &[(usize, char)]| {
            let root = forest.iter().map(|(depth, _)| *depth).min()?;
            forest.iter().rposition(|(depth, _)| *depth == root)
        };
        let without = |forest: &[(usize, char)], root: usize| {
            [&forest[..root], &lift(&forest[root + 1..])].concat()
        };
        match (last(one), last(other)) {
            (None, None) => 0.0,
            (Some(_), None) => one.len() as f64,
            (None, Some(_)) => other.len() as f64,
            (Some(i), Some(j)) => {
                let deleted = slow(&without(one, i), other) + 1.0;
                let inserted = slow(one, &without(other, j)) + 1.0;
                let renamed = slow(&one[..i], &other[..j])
                    + slow(&lift(&one[i + 1..]), &lift(&other[j + 1..]))
                    + plain(&one[i].1, &other[j].1);
                deleted.min(inserted).min(renamed)
            }
        }
    }

    /// The children of a removed root, one level up.
    fn lift(nodes: &[(usize, char)]) -> Vec<(usize, char)> {
        nodes
            .iter()
            .map(|(depth, label)| (depth.saturating_sub(1), *label))
            .collect()
    }

    proptest! {
        #[test]
        fn it_equals_the_definition(
            one in prop::collection::vec((0..4usize, prop::char::range('a', 'c')), 0..7),
            other in prop::collection::vec((0..4usize, prop::char::range('a', 'c')), 0..7),
        ) {
            let make = |nodes: Vec<(usize, char)>| {
                let mut tree = Tree::default();
                for (depth, label) in nodes {
                    tree.push(depth, label);
                }
                tree
            };
            let (one, other) = (make(one), make(other));
            prop_assert_eq!(distance(&one, &other, plain), slow(one.nodes(), other.nodes()));
            prop_assert_eq!(distance(&one, &other, plain), distance(&other, &one, plain));
            prop_assert_eq!(distance(&one, &one, plain), 0.0);
            prop_assert!((0.0..=1.0).contains(&similarity(&one, &other, plain)));
        }
    }

    #[test]
    fn edits_are_counted_per_character() {
        // The textbook's pair: three edits, seven characters.
        assert!((text_similarity("kitten", "sitting") - 4.0 / 7.0).abs() < 1e-12);
        assert!((text_similarity("Größe", "Grosse") - 3.0 / 6.0).abs() < 1e-12);
        assert_eq!(
            (text_similarity("", ""), text_similarity("a", "")),
            (1.0, 0.0)
        );
        assert_eq!(
            (
                text_score("", ""),
                text_score("", "a"),
                text_score("a", "a")
            ),
            (None, Some(0.0), Some(1.0))
        );
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_in_range(one in "[abä ]{0,90}", other in "[abä ]{0,90}") {
            let found = text_similarity(&one, &other);
            prop_assert!((0.0..=1.0).contains(&found));
            prop_assert_eq!(found, text_similarity(&other, &one));
            prop_assert_eq!(found >= 1.0, one == other);
        }
    }

    #[test]
    fn things_count_as_often_as_they_are_there() {
        assert_eq!(bag_score(&["a", "b", "b"], &["b", "c"]), Some(0.4));
        assert_eq!(bag_score(&["a"], &["b"]), Some(0.0));
        assert_eq!(
            (bag_score::<u8>(&[], &[]), bag_score(&[1], &[])),
            (None, Some(0.0))
        );
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_one_for_the_same(
            one in prop::collection::vec(0..4u8, 0..9),
            other in prop::collection::vec(0..4u8, 0..9),
        ) {
            prop_assert_eq!(bag_score(&one, &other), bag_score(&other, &one));
            prop_assert_eq!(bag_score(&one, &one), (!one.is_empty()).then_some(1.0));
        }
    }
}
