//! Linear equations with a positive definite matrix, by Cholesky decomposition.

/// Solves `matrix x = right`; `matrix` is positive definite, its lower half is used and overwritten.
pub(super) fn solve(matrix: &mut [f64], right: &[f64]) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let dot: f64 = (0..column).map(|at| matrix[row * size + at] * matrix[column * size + at]).sum();
            let value = matrix[row * size + column] - dot;
            matrix[row * size + column] =
                if row == column { value.max(1e-12).sqrt() } else { value / matrix[column * size + column] };
        }
    }
    let mut x = right.to_vec();
    for row in 0..size {
        let dot: f64 = (0..row).map(|at| matrix[row * size + at] * x[at]).sum();
        x[row] = (x[row] - dot) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let dot: f64 = (row + 1..size).map(|at| matrix[at * size + row] * x[at]).sum();
        x[row] = (x[row] - dot) / matrix[row * size + row];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_fulfills_the_equations() {
        let matrix = [4.0, 2.0, -1.0, 2.0, 5.0, 0.5, -1.0, 0.5, 3.0];
        let right = [1.0, -2.0, 0.5];
        let x = solve(&mut matrix.clone(), &right);
        for (row, wanted) in matrix.chunks(3).zip(right) {
            let found: f64 = row.iter().zip(&x).map(|(value, x)| value * x).sum();
            assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
        }
    }
}
