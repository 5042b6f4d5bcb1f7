//! A decision tree of C4.5: numeric attributes are split in two at a threshold, nominal ones into
//! one branch per value (Quinlan 1993, "C4.5: Programs for Machine Learning").

use serde::{Deserialize, Serialize};
use std::fmt;
use vclean_core::error::ModelError;

/// An attribute of the rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    /// The values of a nominal attribute; empty for a numeric one.
    pub(crate) values: Vec<String>,
}

/// A node; its children come after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Node {
    /// A leaf, which gives a class.
    Leaf {
        class: usize,
        /// Number of training rows at this leaf.
        items: f64,
        /// Expected number of errors among as many new rows, at C4.5's confidence.
        errors: f64,
    },
    /// A split by a threshold.
    Numeric {
        attribute: usize,
        /// Class of most training rows at this node.
        class: usize,
        /// The greatest value that goes to `at_most`.
        threshold: f64,
        /// The child for values up to the threshold.
        at_most: usize,
        /// The child for values above.
        above: usize,
    },
    /// A split by value.
    Nominal {
        attribute: usize,
        /// Class of most training rows at this node, for values that did not occur in training.
        class: usize,
        /// One child per value.
        branches: Vec<usize>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rules {
    /// The attributes, in the order of a row's values.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) classes: Vec<String>,
    /// The nodes, the root first.
    pub(crate) nodes: Vec<Node>,
}

impl Rules {
    /// Checks that the tree has these attributes and classes, and that every path ends in a leaf.
    pub(crate) fn check<const A: usize, const C: usize>(
        &self,
        attributes: [&str; A],
        classes: [&str; C],
    ) -> Result<(), ModelError> {
        let has_attributes = self
            .attributes
            .iter()
            .map(|attribute| attribute.name.as_str())
            .eq(attributes);
        if !has_attributes || !self.classes.iter().map(String::as_str).eq(classes) {
            return Err(ModelError::Format(format!(
                "its attributes or classes are not {} and {}; train it again",
                attributes.join(", "),
                classes.join(", ")
            )));
        }
        let is_sound = |(place, node): (usize, &Node)| {
            let follows = |child: usize| child > place && child < self.nodes.len();
            match node {
                Node::Leaf { class, .. } => *class < C,
                Node::Numeric {
                    attribute,
                    class,
                    at_most,
                    above,
                    ..
                } => *attribute < A && *class < C && follows(*at_most) && follows(*above),
                Node::Nominal {
                    attribute,
                    class,
                    branches,
                } => {
                    let values = self
                        .attributes
                        .get(*attribute)
                        .map_or(0, |attribute| attribute.values.len());
                    *class < C
                        && branches.len() == values
                        && branches.iter().all(|&child| follows(child))
                }
            }
        };
        if self.nodes.is_empty() || !self.nodes.iter().enumerate().all(is_sound) {
            return Err(ModelError::Format(
                "its nodes do not make a tree; copy it again".to_owned(),
            ));
        }
        Ok(())
    }

    /// The class of a row, and its confidence: 1 less the expected share of errors at its leaf.
    pub(crate) fn classify(&self, row: &[f64]) -> (usize, f64) {
        let mut place = 0;
        loop {
            place = match &self.nodes[place] {
                Node::Leaf {
                    class,
                    items,
                    errors,
                } => {
                    return (
                        *class,
                        if *items > 0.0 {
                            1.0 - errors / items
                        } else {
                            0.0
                        },
                    );
                }
                Node::Numeric {
                    attribute,
                    threshold,
                    at_most,
                    above,
                    ..
                } => {
                    if row[*attribute] <= *threshold {
                        *at_most
                    } else {
                        *above
                    }
                }
                Node::Nominal {
                    attribute,
                    class,
                    branches,
                } => {
                    let value = row[*attribute];
                    match branches.get(value as usize).filter(|_| value >= 0.0) {
                        Some(child) => *child,
                        None => return (*class, 0.0),
                    }
                }
            };
        }
    }

    pub(crate) fn leaves(&self) -> usize {
        self.nodes
            .iter()
            .filter(|node| matches!(node, Node::Leaf { .. }))
            .count()
    }

    /// The conditions of a node's branches and their child nodes; leaves first, as C4.5 prints
    /// them.
    fn branches(&self, place: usize) -> Vec<(String, usize)> {
        let name = |attribute: &usize| &self.attributes[*attribute].name;
        let mut branches = match &self.nodes[place] {
            Node::Leaf { .. } => Vec::new(),
            Node::Numeric {
                attribute,
                threshold,
                at_most,
                above,
                ..
            } => {
                let threshold = six_digits(*threshold);
                vec![
                    (format!("{} <= {threshold} ", name(attribute)), *at_most),
                    (format!("{} > {threshold} ", name(attribute)), *above),
                ]
            }
            Node::Nominal {
                attribute,
                branches,
                ..
            } => {
                let values = &self.attributes[*attribute].values;
                let named = values.iter().zip(branches);
                named
                    .map(|(value, child)| (format!("{} = {value}", name(attribute)), *child))
                    .collect()
            }
        };
        branches.sort_by_key(|(_, child)| !matches!(self.nodes[*child], Node::Leaf { .. }));
        branches
    }

    fn leaf(&self, place: usize) -> Option<String> {
        let Node::Leaf {
            class,
            items,
            errors,
        } = &self.nodes[place]
        else {
            return None;
        };
        let counts = if *errors > 0.0 {
            format!("{items:.1}/{errors:.1}")
        } else {
            format!("{items:.1}")
        };
        Some(format!(" {} ({counts})", self.classes[*class]))
    }
}

/// A number with at most six significant digits, as C4.5 prints thresholds.
fn six_digits(number: f64) -> String {
    let whole = if number.abs() < 1.0 {
        0
    } else {
        number.abs().log10() as usize + 1
    };
    // 0.0333333 has six digits after the zeros.
    let zeros = if number == 0.0 || whole > 0 {
        0
    } else {
        (-number.abs().log10()).ceil() as usize - 1
    };
    let text = format!("{number:.*}", (6 + zeros).saturating_sub(whole));
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The tree as rules in the form of Figure 2 of Hofmann and Weerkamp 2007, which is that of C4.5.
/// The parentheses hold the number of training rows at the leaf and, after the slash, the expected
/// number of errors among as many new rows.
impl fmt::Display for Rules {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(leaf) = self.leaf(0) {
            return writeln!(out, "{}", leaf.trim_start());
        }
        // Branches that are not written yet, the next one last.
        let mut open: Vec<(usize, String, usize)> = self
            .branches(0)
            .into_iter()
            .rev()
            .map(|(condition, child)| (0, condition, child))
            .collect();
        while let Some((depth, condition, place)) = open.pop() {
            writeln!(
                out,
                "{}{condition}:{}",
                "| ".repeat(depth),
                self.leaf(place).unwrap_or_default()
            )?;
            let below = self.branches(place).into_iter().rev();
            open.extend(below.map(|(condition, child)| (depth + 1, condition, child)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(name: &str, values: &[&str]) -> Attribute {
        Attribute {
            name: name.to_owned(),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        }
    }

    /// A part of Figure 2.
    fn figure_2() -> Rules {
        let leaf = |class, items, errors| Node::Leaf {
            class,
            items,
            errors,
        };
        Rules {
            attributes: vec![
                attribute("wordcount", &[]),
                attribute("parent_tag", &["h1", "div", "h5", "h6"]),
                attribute("cap_ratio", &[]),
                attribute("punct_ratio", &[]),
            ],
            classes: ["h", "l", "p", "n"].map(str::to_owned).to_vec(),
            nodes: vec![
                Node::Numeric {
                    attribute: 0,
                    class: 3,
                    threshold: 15.0,
                    at_most: 1,
                    above: 14,
                },
                Node::Nominal {
                    attribute: 1,
                    class: 3,
                    branches: vec![2, 3, 12, 13],
                },
                leaf(0, 35.0, 7.2),
                Node::Numeric {
                    attribute: 0,
                    class: 3,
                    threshold: 2.0,
                    at_most: 4,
                    above: 7,
                },
                Node::Numeric {
                    attribute: 3,
                    class: 0,
                    threshold: 0.25,
                    at_most: 5,
                    above: 6,
                },
                leaf(0, 222.0, 74.4),
                leaf(3, 55.0, 8.3),
                Node::Numeric {
                    attribute: 2,
                    class: 3,
                    threshold: 12.0 / 55.0,
                    at_most: 8,
                    above: 11,
                },
                Node::Numeric {
                    attribute: 3,
                    class: 3,
                    threshold: 1.0 / 30.0,
                    at_most: 9,
                    above: 10,
                },
                leaf(3, 14.0, 5.8),
                leaf(2, 9.0, 2.4),
                leaf(3, 799.0, 92.8),
                leaf(3, 25.0, 1.3),
                leaf(3, 0.0, 0.0),
                leaf(2, 1200.0, 100.0),
            ],
        }
    }

    #[test]
    fn rules_print_as_in_figure_2() {
        let rules = figure_2();
        rules
            .check(
                ["wordcount", "parent_tag", "cap_ratio", "punct_ratio"],
                ["h", "l", "p", "n"],
            )
            .unwrap();
        insta::assert_snapshot!(rules, @r"
        wordcount > 15 : p (1200.0/100.0)
        wordcount <= 15 :
        | parent_tag = h1: h (35.0/7.2)
        | parent_tag = h5: n (25.0/1.3)
        | parent_tag = h6: n (0.0)
        | parent_tag = div:
        | | wordcount <= 2 :
        | | | punct_ratio <= 0.25 : h (222.0/74.4)
        | | | punct_ratio > 0.25 : n (55.0/8.3)
        | | wordcount > 2 :
        | | | cap_ratio > 0.218182 : n (799.0/92.8)
        | | | cap_ratio <= 0.218182 :
        | | | | punct_ratio <= 0.0333333 : n (14.0/5.8)
        | | | | punct_ratio > 0.0333333 : p (9.0/2.4)
        ");
        assert_eq!(rules.leaves(), 9);
        let lone = Rules {
            nodes: vec![Node::Leaf {
                class: 3,
                items: 2.0,
                errors: 1.0,
            }],
            ..rules
        };
        assert_eq!(lone.to_string(), "n (2.0/1.0)\n");
    }

    #[test]
    fn thresholds_have_six_digits() {
        let numbers = [
            15.0,
            0.25,
            1.0 / 30.0,
            12.0 / 55.0,
            1.25,
            0.0,
            12345.678,
            100.0,
            0.1,
            1.0 / 3000.0,
        ];
        let expected = [
            "15",
            "0.25",
            "0.0333333",
            "0.218182",
            "1.25",
            "0",
            "12345.7",
            "100",
            "0.1",
            "0.000333333",
        ];
        assert_eq!(numbers.map(six_digits), expected);
    }

    #[test]
    fn rows_are_classified() {
        let rules = figure_2();
        assert_eq!(
            rules.classify(&[15.0, 0.0, 0.0, 0.0]),
            (0, 1.0 - 7.2 / 35.0)
        );
        assert_eq!(rules.classify(&[16.0, 0.0, 0.0, 0.0]).0, 2);
        assert_eq!(rules.classify(&[2.0, 1.0, 0.0, 0.26]).0, 3);
        assert_eq!(rules.classify(&[2.0, 1.0, 0.0, 0.25]).0, 0);
        // A tag that did not occur in training; a leaf without training rows.
        assert_eq!(rules.classify(&[2.0, -1.0, 0.0, 0.0]), (3, 0.0));
        assert_eq!(rules.classify(&[2.0, 3.0, 0.0, 0.0]), (3, 0.0));
    }

    #[test]
    fn damaged_trees_are_refused() {
        let bad = |change: fn(&mut Rules)| {
            let mut rules = figure_2();
            change(&mut rules);
            rules
                .check(
                    ["wordcount", "parent_tag", "cap_ratio", "punct_ratio"],
                    ["h", "l", "p", "n"],
                )
                .unwrap_err()
                .to_string()
        };
        assert!(bad(|rules| rules.nodes[1] = rules.nodes[0].clone()).contains("make a tree"));
        assert!(bad(|rules| rules.nodes.truncate(8)).contains("make a tree"));
        assert!(bad(|rules| rules.nodes.clear()).contains("make a tree"));
        assert!(bad(|rules| rules.attributes[1].values.clear()).contains("make a tree"));
        assert!(bad(|rules| rules.classes.swap(0, 1)).contains("train it again"));
    }
}
