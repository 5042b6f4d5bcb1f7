//! Constants and formulas of FANN, the library that texrex's perceptron was trained with (version 2; Nissen 2003): the
//! output of one unit.

/// Steepness of both layers (FANN's default).
pub(super) const STEEPNESS: f32 = 0.5;

/// 2 exp(-x^2) - 1.
pub(super) fn gaussian(x: f32) -> f32 {
    2.0 * exp_below_zero(-x * x) - 1.0
}

/// exp(x) for x at most 0, relative error below 2e-7 (1 - x); without a branch or a call, so that the compiler
/// vectorizes it, which it does not with the library's exp.
fn exp_below_zero(x: f32) -> f32 {
    // 1.5 x 2^23: adding it rounds to a whole number, in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let power = (x * std::f32::consts::LOG2_E).max(-126.0);
    let rounded = power + ROUND;
    let rest = (power - (rounded - ROUND)) * std::f32::consts::LN_2;
    // The Taylor series of exp on -0.35 to 0.35.
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0))))));
    let exponent = rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127);
    series * f32::from_bits(exponent << 23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exp_is_that_of_the_library(x in -80.0f32..=0.0) {
            let expected = x.exp();
            prop_assert!((exp_below_zero(x) - expected).abs() <= 2e-7 * (1.0 - x) * expected, "{x}");
            prop_assert!(gaussian(x) >= -1.0 && gaussian(1e19) == -1.0 && gaussian(0.0) == 1.0);
        }
    }
}
