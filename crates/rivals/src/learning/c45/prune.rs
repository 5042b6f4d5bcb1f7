//! Error-based pruning (Quinlan 1993, 4.2): for E errors in N rows, the error rate is estimated as
//! the upper limit of the binomial distribution at a confidence of 25 %. A subtree is replaced by a
//! leaf, or by its largest branch, if that has no more estimated errors.

use super::sample::{Branch, Sample, most};

/// C4.5's `-c`: confidence of the error estimate for pruning.
const CONFIDENCE: f64 = 0.25;

/// Additional estimated errors that C4.5 accepts for a smaller tree.
const SLACK: f64 = 0.1;

/// Estimated errors beyond those seen, `errors` of `rows`: the upper limit minus the errors seen.
///
/// Exact for no errors; from one error on, the normal approximation with continuity correction, as
/// in C4.5; linear in between. The second number of the leaves in Figure 2 of Hofmann and Weerkamp
/// 2007 contains these errors.
pub(super) fn added_errors(rows: f64, errors: f64) -> f64 {
    if errors < 1e-6 {
        return rows * (1.0 - (CONFIDENCE.ln() / rows).exp());
    }
    if errors < 0.9999 {
        let none = rows * (1.0 - (CONFIDENCE.ln() / rows).exp());
        return none + errors * (added_errors(rows, 1.0) - none);
    }
    if errors + 0.5 >= rows {
        return 0.67 * (rows - errors);
    }
    // Between the tabled deviations of 20 % and 40 %, as in C4.5.
    let deviation = 0.84 + (0.25 - 0.84) * (CONFIDENCE - 0.20) / (0.40 - 0.20);
    let square = deviation * deviation;
    let seen = errors + 0.5;
    let limit =
        (seen + square / 2.0 + (square * (seen * (1.0 - seen / rows) + square / 4.0)).sqrt())
            / (rows + square);
    rows * limit - errors
}

impl Sample {
    /// Prunes a tree from its leaves up; returns the estimated errors of the pruned tree.
    pub(super) fn prune(&self, branch: &mut Branch, rows: &[usize]) -> f64 {
        self.estimate(branch, rows, true)
    }

    /// Estimated errors of a tree on these rows. If `prunes`, the tree is pruned and its counts
    /// become those of the rows.
    fn estimate(&self, branch: &mut Branch, rows: &[usize], prunes: bool) -> f64 {
        let counts = self.count(rows);
        let class = most(&counts, branch.class);
        let errors = (rows.len() - counts[class]) as f64;
        let as_leaf = if rows.is_empty() {
            0.0
        } else {
            errors + added_errors(rows.len() as f64, errors)
        };
        if prunes {
            branch.counts = counts;
            branch.class = class;
        }
        let Some(test) = branch.test else {
            return as_leaf;
        };
        let parts = self.part(rows, test);
        let as_tree: f64 = branch
            .children
            .iter_mut()
            .zip(&parts)
            .map(|(child, rows)| self.estimate(child, rows, prunes))
            .sum();
        if !prunes {
            return as_tree;
        }
        // The largest branch replaces the tree and gets all its rows.
        let mut largest = 0;
        for (place, part) in parts.iter().enumerate() {
            if part.len() > parts[largest].len() {
                largest = place;
            }
        }
        let as_branch = self.estimate(&mut branch.children[largest].clone(), rows, false);
        if as_leaf <= as_branch + SLACK && as_leaf <= as_tree + SLACK {
            branch.test = None;
            branch.children.clear();
            return as_leaf;
        }
        if as_branch <= as_tree + SLACK {
            *branch = branch.children.swap_remove(largest);
            return self.estimate(branch, rows, true);
        }
        as_tree
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Test;
    use super::super::tests::weather;
    use super::*;

    #[test]
    fn estimated_errors_equal_those_of_figure_2() {
        // Rows, errors seen, and the second number of the leaf in Figure 2 of Hofmann and Weerkamp
        // 2007.
        let leaves = [
            (25.0, 0.0, "1.3"),
            (67.0, 0.0, "1.4"),
            (2.0, 0.0, "1.0"),
            (3.0, 1.0, "2.1"),
            (55.0, 6.0, "8.3"),
            (38.0, 2.0, "3.8"),
            (35.0, 5.0, "7.2"),
            (11.0, 1.0, "2.5"),
            (14.0, 4.0, "5.8"),
        ];
        for (rows, errors, printed) in leaves {
            assert_eq!(
                format!("{:.1}", errors + added_errors(rows, errors)),
                printed,
                "{rows} {errors}"
            );
        }
        // Quinlan 1993, 4.2: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143.
        assert!((added_errors(6.0, 0.0) / 6.0 - 0.206).abs() < 5e-4);
        assert!((added_errors(9.0, 0.0) / 9.0 - 0.143).abs() < 5e-4);
    }

    #[test]
    fn a_tree_with_more_estimated_errors_than_a_leaf_is_pruned() {
        // Quinlan 1993, 4.2: leaves of 6, 9 and 1 rows without errors have 6 * 0.206 + 9 * 0.143 +
        // 1 * 0.750 = 3.273 estimated errors; one leaf of 16 rows with 1 error has 16 * 0.157 =
        // 2.512.
        let apart: f64 = [6.0, 9.0, 1.0]
            .map(|rows| added_errors(rows, 0.0))
            .iter()
            .sum();
        assert!((apart - 3.273).abs() < 5e-3, "{apart}");
        assert!((1.0 + added_errors(16.0, 1.0) - 2.512).abs() < 0.1);

        // In the weather tree: a branch for windy below overcast days, which are all of one class.
        let sample = weather();
        let rows: Vec<usize> = (5..9).collect();
        let test = Test::Nominal { attribute: 3 };
        let children = sample
            .part(&rows, test)
            .iter()
            .map(|rows| Branch::leaf(sample.count(rows), 0))
            .collect();
        let mut branch = Branch {
            counts: sample.count(&rows),
            class: 0,
            test: Some(test),
            children,
        };
        let left = sample.prune(&mut branch, &rows);
        assert!(branch.children.is_empty() && branch.test.is_none());
        assert!((left - 4.0 * (1.0 - 0.25f64.powf(0.25))).abs() < 1e-12);
    }
}
