//! The exponential function by arithmetic alone, for kernels and networks.

/// exp(-x) for x of 0 or more, to 3e-7 of it, by arithmetic alone: the same on every machine, and many at a time.
///
/// exp(-x) = 2^n exp(r) with n the whole number next to -x / ln 2, r below ln 2 / 2, and exp(r) by its series. ln 2 is
/// taken off in two parts, so that no digit of r is lost (Cody and Waite 1980).
// Inlined, so that loops are compiled for the instructions of the function they are in.
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn exp_neg(x: f32) -> f32 {
    /// 1.5 * 2^23: a float of this size has no fraction, so adding it rounds to a whole number in the lowest bits.
    const WHOLE: f32 = 12_582_912.0;
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    // Smaller results than 2^-126 count as equal.
    let x = x.min(87.0);
    let shifted = WHOLE - x * std::f32::consts::LOG2_E;
    let n = shifted - WHOLE;
    let r = -x - n * LN_2[0] - n * LN_2[1];
    let series = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r / 720.0)))));
    series * f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_accurate_over_its_range() {
        for step in 0..90_000 {
            let x = step as f32 / 1000.0;
            let (found, wanted) = (f64::from(exp_neg(x)), (-f64::from(x.min(87.0))).exp());
            assert!((found - wanted).abs() <= 3e-7 * wanted, "{x}: {found} {wanted}");
        }
        assert_eq!(exp_neg(0.0), 1.0);
        assert!(exp_neg(f32::INFINITY) < 1e-37);
    }
}
