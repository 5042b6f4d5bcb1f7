//! The genome: a tree of capturing, non-capturing and OR nodes with literals as leaves, which
//! always gives a valid regular expression (Hofmann and Weerkamp 2007, 3.5).
//!
//! Initialization, crossover and mutation are ours, because the paper names but does not describe
//! them: a tree is grown at random; two trees swap subtrees; a subtree is grown again, a literal
//! replaced, a node wrapped or removed.

use fastrand::Rng;

/// The literals: `\w*?` and `<.*?>` from the paper and, where its list ends in dots, ours: classes
/// of characters, punctuation marks, and the tags around text.
pub(super) const LITERALS: &[&str] = &[
    r"\w*?",
    "<.*?>",
    ".*?",
    ".*",
    r"\w+",
    r"\W",
    r"\s+",
    r"\d",
    ">",
    "<",
    "[^<>]*",
    "[^<>]+",
    "[.,;:!?]",
    "[A-Z]",
    "<p[^>]*>",
    "</p>",
    "<div[^>]*>",
    "</div>",
    "<td[^>]*>",
    "</td>",
    "<li[^>]*>",
    "</li>",
    "<h[1-6][^>]*>",
    "</h[1-6]>",
    "<br[^>]*>",
    "<a [^>]*>",
    "</a>",
    "</?[bi]>",
    "<body[^>]*>",
    "</body>",
];

/// Maximum depth of a tree. Heuristic: the expression stays readable.
const MAX_DEPTH: usize = 6;
/// Maximum number of nodes of a tree. Heuristic, for the same reason.
const MAX_NODES: usize = 40;
/// Maximum number of children of a new node.
const MAX_CHILDREN: usize = 4;

/// A node; all but literals have at least one child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Gene {
    /// `(...)`
    Capture(Vec<Gene>),
    /// `(?:...)`
    Group(Vec<Gene>),
    /// `(?:...|...)`
    Or(Vec<Gene>),
    /// An item of [`LITERALS`].
    Literal(usize),
}

use Gene::{Capture, Group, Literal, Or};

impl Gene {
    /// Grows a tree at random, with at least one capturing node.
    pub(super) fn random(rng: &mut Rng) -> Self {
        let gene = Group(grow_many(rng, MAX_DEPTH - 1)).fit();
        if gene.captures() {
            gene
        } else {
            Group(vec![Capture(vec![gene])]).fit()
        }
    }

    pub(super) fn expression(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        let (open, part) = match self {
            Literal(item) => return out.push_str(LITERALS[*item]),
            Capture(_) => ("(", ""),
            Group(_) => ("(?:", ""),
            Or(_) => ("(?:", "|"),
        };
        out.push_str(open);
        for (place, child) in self.children().iter().enumerate() {
            if place > 0 {
                out.push_str(part);
            }
            child.write(out);
        }
        out.push(')');
    }

    fn children(&self) -> &[Gene] {
        match self {
            Literal(_) => &[],
            Capture(children) | Group(children) | Or(children) => children,
        }
    }

    fn children_mut(&mut self) -> Option<&mut Vec<Gene>> {
        match self {
            Literal(_) => None,
            Capture(children) | Group(children) | Or(children) => Some(children),
        }
    }

    fn captures(&self) -> bool {
        matches!(self, Capture(_)) || self.children().iter().any(Gene::captures)
    }

    pub(super) fn nodes(&self) -> usize {
        1 + self.children().iter().map(Gene::nodes).sum::<usize>()
    }

    #[cfg(test)]
    fn depth(&self) -> usize {
        1 + self.children().iter().map(Gene::depth).max().unwrap_or(0)
    }

    /// The node at an index in preorder.
    fn node_mut(&mut self, index: usize) -> &mut Gene {
        if index == 0 {
            return self;
        }
        let mut index = index - 1;
        let children = self
            .children_mut()
            .expect("indexes are below the number of nodes");
        for child in children {
            let nodes = child.nodes();
            if index < nodes {
                return child.node_mut(index);
            }
            index -= nodes;
        }
        unreachable!("indexes are below the number of nodes")
    }

    /// Cuts the tree back to the limits: removes last children, and nodes that are too deep.
    fn fit(mut self) -> Self {
        self.cut_below(MAX_DEPTH);
        while self.nodes() > MAX_NODES {
            let mut node = &mut self;
            while node
                .children()
                .last()
                .is_some_and(|child| node.children().len() == 1 && child.nodes() > 1)
            {
                node = &mut node.children_mut().expect("it has a child")[0];
            }
            match node.children_mut() {
                Some(children) if children.len() > 1 => drop(children.pop()),
                _ => break,
            }
        }
        self
    }

    fn cut_below(&mut self, depth: usize) {
        if depth == 1 {
            if !matches!(self, Literal(_)) {
                *self = Literal(self.first_literal());
            }
        } else if let Some(children) = self.children_mut() {
            for child in children {
                child.cut_below(depth - 1);
            }
        }
    }

    fn first_literal(&self) -> usize {
        match self {
            Literal(item) => *item,
            _ => self.children().first().map_or(0, Gene::first_literal),
        }
    }

    /// Changes one node at random.
    pub(super) fn mutate(mut self, rng: &mut Rng) -> Self {
        let place = rng.usize(..self.nodes());
        let node = self.node_mut(place);
        match rng.u8(..5) {
            0 => *node = grow(rng, 3),
            1 => {
                let inner = vec![std::mem::replace(node, Literal(0))];
                *node = match rng.u8(..3) {
                    0 => Capture(inner),
                    1 => Group(inner),
                    _ => Or(vec![
                        inner.into_iter().next().unwrap_or(Literal(0)),
                        grow(rng, 2),
                    ]),
                };
            }
            2 => match node.children_mut() {
                Some(children) if children.len() > 1 => {
                    drop(children.remove(rng.usize(..children.len())));
                }
                _ => *node = literal(rng),
            },
            3 => match node.children_mut() {
                Some(children) => children.insert(rng.usize(..=children.len()), grow(rng, 2)),
                None => *node = literal(rng),
            },
            // A node without its parentheses.
            _ => match node
                .children_mut()
                .filter(|children| children.len() == 1)
                .and_then(Vec::pop)
            {
                Some(child) => *node = child,
                None => *node = grow(rng, 2),
            },
        }
        self.fit()
    }

    /// Swaps a subtree of each for one of the other.
    pub(super) fn cross(mut self, mut other: Self, rng: &mut Rng) -> (Self, Self) {
        let (one_place, other_place) = (rng.usize(..self.nodes()), rng.usize(..other.nodes()));
        std::mem::swap(self.node_mut(one_place), other.node_mut(other_place));
        (self.fit(), other.fit())
    }
}

fn literal(rng: &mut Rng) -> Gene {
    Literal(rng.usize(..LITERALS.len()))
}

fn grow(rng: &mut Rng, depth: usize) -> Gene {
    if depth <= 1 {
        return literal(rng);
    }
    match rng.u8(..8) {
        0 | 1 => Capture(grow_many(rng, depth - 1)),
        2 => Group(grow_many(rng, depth - 1)),
        3 => Or(grow_many(rng, depth - 1)),
        _ => literal(rng),
    }
}

fn grow_many(rng: &mut Rng, depth: usize) -> Vec<Gene> {
    (0..rng.usize(1..=MAX_CHILDREN))
        .map(|_| grow(rng, depth))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::ice::genetic::Expression;
    use proptest::prelude::*;

    #[test]
    fn a_tree_is_written_as_an_expression() {
        let item =
            |literal: &str| Literal(LITERALS.iter().position(|item| *item == literal).unwrap());
        let gene = Group(vec![
            item("<p[^>]*>"),
            Capture(vec![item(".*?")]),
            Or(vec![
                item("</p>"),
                Group(vec![item("<br[^>]*>"), item(r"\s+")]),
            ]),
        ]);
        assert_eq!(
            gene.expression(),
            r"(?:<p[^>]*>(.*?)(?:</p>|(?:<br[^>]*>\s+)))"
        );
        assert_eq!((gene.nodes(), gene.depth()), (9, 4));
    }

    #[test]
    fn every_literal_is_an_expression() {
        for literal in LITERALS {
            assert!(Expression::new(literal).is_ok(), "{literal}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_genome_gives_a_valid_expression_within_its_limits(seed in any::<u64>()) {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut one = Gene::random(&mut rng);
            let mut other = Gene::random(&mut rng);
            prop_assert!(one.captures() && other.captures());
            for _ in 0..8 {
                (one, other) = one.cross(other, &mut rng);
                one = one.mutate(&mut rng);
                for gene in [&one, &other] {
                    prop_assert!(gene.depth() <= MAX_DEPTH && gene.nodes() <= MAX_NODES, "{} {}", gene.depth(), gene.nodes());
                    prop_assert!(Expression::new(&gene.expression()).is_ok(), "{}", gene.expression());
                }
            }
        }
    }
}
