//! Decision trees by C4.5, release 8 (Quinlan 1993, "C4.5: Programs for Machine Learning"; Quinlan
//! 1996, "Improved Use of Continuous Attributes in C4.5"), the learner of ICE (Hofmann and Weerkamp
//! 2007, 3.3).
//!
//! A node tests the attribute with the best gain ratio among those of at least average gain; a
//! nominal attribute divides the rows into one branch per value, a numeric one into two. Then the
//! tree is pruned (`prune`). Other parts of C4.5 are left out because nothing needs them: missing
//! values, groups of values, windows, rule sets.
//!
//! Own code: rustyml 0.14 has multiway splits by gain ratio, but no pruning by error, no counts in
//! its leaves, and needs a newer compiler; linfa-trees and smartcore grow binary trees on numbers
//! alone.

mod prune;
mod sample;

pub(super) use sample::Sample;

use crate::method::ice::tree::{Node, Rules};
use prune::added_errors;
use sample::{Branch, Test, most};

/// C4.5's `-m`: a test must have at least two branches with at least this many rows.
const MIN_ROWS: usize = 2;
/// C4.5 treats smaller values as zero.
const EPSILON: f64 = 1e-3;
/// Maximum depth: C4.5 has no limit, but recursion needs one. Twice the depth that any sample here
/// reaches.
const MAX_DEPTH: usize = 100;

/// A possible test, and the figures by which C4.5 chooses.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    test: Test,
    gain: f64,
    /// Information of the split itself.
    split: f64,
    /// True for a nominal attribute of many values; it counts for the average gain only if all
    /// attributes are such.
    is_wide: bool,
}

impl Sample {
    /// Grows a tree and prunes it.
    pub(super) fn learn(&self) -> Rules {
        let rows: Vec<usize> = (0..self.rows.len()).collect();
        let mut tree = self.grow(&rows, 0, vec![false; self.attributes.len()], 0);
        self.prune(&mut tree, &rows);
        let mut rules = Rules {
            attributes: self.attributes.clone(),
            classes: self.classes.clone(),
            nodes: Vec::new(),
        };
        flatten(&tree, &mut rules.nodes);
        rules
    }

    /// `tested` marks the nominal attributes that were tested above; `parent` is the majority class
    /// of the parent node.
    fn grow(&self, rows: &[usize], parent: usize, mut tested: Vec<bool>, depth: usize) -> Branch {
        let counts = self.count(rows);
        let class = most(&counts, parent);
        let mut branch = Branch::leaf(counts, class);
        if branch.errors() == 0 || rows.len() < 2 * MIN_ROWS || depth >= MAX_DEPTH {
            return branch;
        }
        let candidates: Vec<Candidate> = (0..self.attributes.len())
            .filter(|&attribute| !tested[attribute])
            .filter_map(|attribute| self.candidate(attribute, rows, &branch.counts))
            .collect();
        let Some(mut test) = choose(&candidates) else {
            return branch;
        };
        match &mut test {
            // The threshold of C4.5 is a value of the sample, the greatest that is not above the
            // middle.
            Test::Numeric {
                attribute,
                threshold,
            } => *threshold = self.greatest_value(*attribute, *threshold),
            Test::Nominal { attribute } => tested[*attribute] = true,
        }
        branch.children = self
            .part(rows, test)
            .iter()
            .map(|rows| self.grow(rows, class, tested.clone(), depth + 1))
            .collect();
        // A tree that is not better than a leaf is replaced by the leaf.
        if leaf_errors(&branch) >= branch.errors() {
            branch.children.clear();
        } else {
            branch.test = Some(test);
        }
        branch
    }

    fn greatest_value(&self, attribute: usize, bound: f64) -> f64 {
        let values = self
            .rows
            .iter()
            .map(|row| row[attribute])
            .filter(|value| *value <= bound);
        values.fold(f64::NEG_INFINITY, f64::max)
    }

    fn candidate(&self, attribute: usize, rows: &[usize], counts: &[usize]) -> Option<Candidate> {
        if self.attributes[attribute].values.is_empty() {
            self.numeric(attribute, rows, counts)
        } else {
            self.nominal(attribute, rows, counts)
        }
    }

    fn nominal(&self, attribute: usize, rows: &[usize], counts: &[usize]) -> Option<Candidate> {
        let values = self.attributes[attribute].values.len();
        let mut parts = vec![vec![0; self.classes.len()]; values];
        for &row in rows {
            parts[self.rows[row][attribute] as usize][self.labels[row]] += 1;
        }
        let sizes: Vec<usize> = parts.iter().map(|part| part.iter().sum()).collect();
        if sizes.iter().filter(|&&size| size >= MIN_ROWS).count() < 2 {
            return None;
        }
        let is_wide = values as f64 >= 0.3 * self.rows.len() as f64;
        Some(Candidate {
            test: Test::Nominal { attribute },
            gain: gain(counts, &parts),
            split: entropy(&sizes),
            is_wide,
        })
    }

    /// The best threshold. Its gain is reduced by the cost of encoding the threshold (Quinlan 1996,
    /// section 3).
    fn numeric(&self, attribute: usize, rows: &[usize], counts: &[usize]) -> Option<Candidate> {
        let value = |row: usize| self.rows[row][attribute];
        let mut order = rows.to_vec();
        order.sort_by(|&one, &other| value(one).total_cmp(&value(other)).then(one.cmp(&other)));
        // C4.5: a tenth of the rows a class would have, from MIN_ROWS to 25.
        let fewest =
            (0.1 * rows.len() as f64 / self.classes.len() as f64).clamp(MIN_ROWS as f64, 25.0);
        let mut parts = [vec![0; self.classes.len()], counts.to_vec()];
        let (mut best, mut tries) = (None::<(f64, usize, f64)>, 0usize);
        for low in 1..order.len() {
            let label = self.labels[order[low - 1]];
            parts[0][label] += 1;
            parts[1][label] -= 1;
            if (low as f64) < fewest || ((order.len() - low) as f64) < fewest {
                continue;
            }
            if value(order[low - 1]) < value(order[low]) - 1e-5 {
                tries += 1;
                let gain = gain(counts, &parts);
                if best.is_none_or(|(most, _, _)| gain > most) {
                    best = Some((gain, low, entropy(&[low, order.len() - low])));
                }
            }
        }
        let (gain, low, split) = best?;
        let gain = gain - (tries as f64).log2() / rows.len() as f64;
        let threshold = f64::midpoint(value(order[low - 1]), value(order[low]));
        (gain > 0.0).then_some(Candidate {
            test: Test::Numeric {
                attribute,
                threshold,
            },
            gain,
            split,
            is_wide: false,
        })
    }
}

/// Errors of the leaves.
fn leaf_errors(branch: &Branch) -> usize {
    if branch.children.is_empty() {
        branch.errors()
    } else {
        branch.children.iter().map(leaf_errors).sum()
    }
}

/// Entropy of the class, in bits.
fn entropy(counts: &[usize]) -> f64 {
    let all: usize = counts.iter().sum();
    let shares = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|&count| count as f64 / all as f64);
    shares.map(|share| -share * share.log2()).sum()
}

/// Information gain of dividing the rows, in bits per row.
fn gain(counts: &[usize], parts: &[Vec<usize>]) -> f64 {
    let all: usize = counts.iter().sum();
    let left: f64 = parts
        .iter()
        .map(|part| part.iter().sum::<usize>() as f64 * entropy(part))
        .sum();
    entropy(counts) - left / all as f64
}

/// The test with the best gain ratio among those whose gain is at least the mean gain.
fn choose(candidates: &[Candidate]) -> Option<Test> {
    let all_wide = candidates.iter().all(|candidate| candidate.is_wide);
    let gains: Vec<f64> = candidates
        .iter()
        .filter(|candidate| candidate.gain > -EPSILON && (all_wide || !candidate.is_wide))
        .map(|candidate| candidate.gain)
        .collect();
    let mean = gains.iter().sum::<f64>() / gains.len() as f64;
    let mut best: Option<(f64, Test)> = None;
    for candidate in candidates {
        if candidate.gain < mean - EPSILON || candidate.split < EPSILON {
            continue;
        }
        let ratio = candidate.gain / candidate.split;
        if ratio > best.map_or(0.0, |(most, _)| most) {
            best = Some((ratio, candidate.test));
        }
    }
    best.map(|(_, test)| test)
}

/// Writes a tree as nodes in preorder; returns the index of its root.
fn flatten(branch: &Branch, nodes: &mut Vec<Node>) -> usize {
    let place = nodes.len();
    let class = branch.class;
    let Some(test) = branch.test else {
        let (items, errors) = (branch.rows() as f64, branch.errors() as f64);
        // C4.5 prints the leaves of a pruned tree with their estimated errors.
        let errors = if items > 0.0 {
            errors + added_errors(items, errors)
        } else {
            0.0
        };
        nodes.push(Node::Leaf {
            class,
            items,
            errors,
        });
        return place;
    };
    nodes.push(Node::Leaf {
        class,
        items: 0.0,
        errors: 0.0,
    });
    let children: Vec<usize> = branch
        .children
        .iter()
        .map(|child| flatten(child, nodes))
        .collect();
    nodes[place] = match test {
        Test::Numeric {
            attribute,
            threshold,
        } => Node::Numeric {
            attribute,
            class,
            threshold,
            at_most: children[0],
            above: children[1],
        },
        Test::Nominal { attribute } => Node::Nominal {
            attribute,
            class,
            branches: children,
        },
    };
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::ice::tree::Attribute;

    /// Quinlan's weather example: outlook, temperature, humidity, windy; play or not (Quinlan 1993,
    /// table 1.1 and chapter 2).
    pub(super) fn weather() -> Sample {
        let rows: [(usize, f64, f64, usize, usize); 14] = [
            (0, 75.0, 70.0, 1, 0),
            (0, 80.0, 90.0, 1, 1),
            (0, 85.0, 85.0, 0, 1),
            (0, 72.0, 95.0, 0, 1),
            (0, 69.0, 70.0, 0, 0),
            (1, 72.0, 90.0, 1, 0),
            (1, 83.0, 78.0, 0, 0),
            (1, 64.0, 65.0, 1, 0),
            (1, 81.0, 75.0, 0, 0),
            (2, 71.0, 80.0, 1, 1),
            (2, 65.0, 70.0, 1, 1),
            (2, 75.0, 80.0, 0, 0),
            (2, 68.0, 80.0, 0, 0),
            (2, 70.0, 96.0, 0, 0),
        ];
        let attribute = |name: &str, values: &[&str]| Attribute {
            name: name.to_owned(),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        };
        Sample {
            attributes: vec![
                attribute("outlook", &["sunny", "overcast", "rain"]),
                attribute("temperature", &[]),
                attribute("humidity", &[]),
                attribute("windy", &["false", "true"]),
            ],
            classes: vec!["Play".to_owned(), "Don't Play".to_owned()],
            rows: rows
                .iter()
                .map(|&(outlook, heat, humidity, windy, _)| {
                    vec![outlook as f64, heat, humidity, windy as f64]
                })
                .collect(),
            labels: rows.iter().map(|row| row.4).collect(),
        }
    }

    fn near(one: f64, other: f64) {
        assert!((one - other).abs() < 5e-4, "{one} {other}");
    }

    #[test]
    fn gain_ratios_equal_those_of_quinlan() {
        let sample = weather();
        let rows: Vec<usize> = (0..14).collect();
        let counts = sample.count(&rows);
        // Quinlan 1993, 2.2: info 0.940, gain of outlook 0.246, of windy 0.048; split information
        // 1.577, ratio 0.156.
        near(entropy(&counts), 0.940);
        let outlook = sample
            .candidate(0, &rows, &counts)
            .map_or((0.0, 0.0), |found| (found.gain, found.split));
        near(outlook.0, 0.2467);
        near(outlook.1, 1.577);
        near(outlook.0 / outlook.1, 0.156);
        near(
            sample
                .candidate(3, &rows, &counts)
                .map_or(0.0, |found| found.gain),
            0.0481,
        );
        // Of the five sunny days those up to a humidity of 70 are of one class and the others of
        // the other: all 0.971 bits of their class are gained, less one bit by five rows for the
        // choice among two thresholds.
        let sunny: Vec<usize> = (0..5).collect();
        let humidity = sample.numeric(2, &sunny, &sample.count(&sunny));
        near(humidity.map_or(0.0, |found| found.gain), 0.971 - 0.2);
        // Over all days humidity gains 0.102 bits, less than the choice among its six thresholds
        // costs.
        assert_eq!(sample.numeric(2, &rows, &counts), None);
    }

    #[test]
    fn the_weather_tree_equals_that_of_quinlan() {
        insta::assert_snapshot!(weather().learn(), @r"
        outlook = overcast: Play (4.0/1.2)
        outlook = sunny:
        | humidity <= 75 : Play (2.0/1.0)
        | humidity > 75 : Don't Play (3.0/1.1)
        outlook = rain:
        | windy = false: Play (3.0/1.1)
        | windy = true: Don't Play (2.0/1.0)
        ");
    }

    #[test]
    fn a_test_that_improves_nothing_is_not_made() {
        let mut sample = weather();
        sample.labels = vec![0; 14];
        assert_eq!(sample.learn().leaves(), 1);
        let none = Sample {
            rows: Vec::new(),
            labels: Vec::new(),
            ..sample
        };
        assert_eq!(none.learn().to_string(), "Play (0.0)\n");
    }
}
