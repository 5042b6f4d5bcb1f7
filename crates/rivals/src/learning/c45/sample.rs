//! The training rows of a decision tree, and the tree while it grows.

use crate::method::ice::tree::Attribute;

/// Training rows; the value of a nominal attribute is its index in the list of values.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::learning) struct Sample {
    pub(in crate::learning) attributes: Vec<Attribute>,
    pub(in crate::learning) classes: Vec<String>,
    pub(in crate::learning) rows: Vec<Vec<f64>>,
    /// Class index per row.
    pub(in crate::learning) labels: Vec<usize>,
}

/// A tree while it grows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Branch {
    /// Number of rows of each class in this branch.
    pub(super) counts: Vec<usize>,
    /// Majority class of these rows, or of the parent's if there are none.
    pub(super) class: usize,
    pub(super) test: Option<Test>,
    pub(super) children: Vec<Branch>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Test {
    Numeric { attribute: usize, threshold: f64 },
    Nominal { attribute: usize },
}

impl Branch {
    pub(super) fn leaf(counts: Vec<usize>, class: usize) -> Self {
        Self {
            counts,
            class,
            test: None,
            children: Vec::new(),
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Rows of other classes.
    pub(super) fn errors(&self) -> usize {
        self.rows() - self.counts[self.class]
    }
}

impl Sample {
    /// Rows of each class.
    pub(super) fn count(&self, rows: &[usize]) -> Vec<usize> {
        let mut counts = vec![0; self.classes.len()];
        for &row in rows {
            counts[self.labels[row]] += 1;
        }
        counts
    }

    /// The rows of each child.
    pub(super) fn part(&self, rows: &[usize], test: Test) -> Vec<Vec<usize>> {
        let (count, attribute) = match test {
            Test::Numeric { attribute, .. } => (2, attribute),
            Test::Nominal { attribute } => (self.attributes[attribute].values.len(), attribute),
        };
        let mut parts = vec![Vec::new(); count];
        for &row in rows {
            let value = self.rows[row][attribute];
            let child = match test {
                Test::Numeric { threshold, .. } => usize::from(value > threshold),
                Test::Nominal { .. } => value as usize,
            };
            parts[child].push(row);
        }
        parts
    }
}

/// The class with most rows, the first on ties; `parent` if there are no rows.
pub(super) fn most(counts: &[usize], parent: usize) -> usize {
    let largest = counts.iter().copied().max().unwrap_or(0);
    if largest == counts[parent] {
        parent
    } else {
        counts
            .iter()
            .position(|&count| count == largest)
            .unwrap_or(parent)
    }
}
