//! RPROP as FANN has it (version 2; Nissen 2003): the step of one weight in training.

/// Initial weights are drawn evenly from -this to this (FANN's default).
pub(super) const INITIAL: f32 = 0.1;
/// No weight grows beyond (FANN, `fann_update_weights_irpropm`).
const LARGEST_WEIGHT: f32 = 1500.0;
/// RPROP: the first step, the largest, the least that a step counts as before it is changed, and by how much one grows
/// or shrinks (FANN's `rprop_delta_zero`, `rprop_delta_max`, its 0.0001, `rprop_increase_factor` and
/// `rprop_decrease_factor`).
pub(super) const FIRST_STEP: f32 = 0.1;
const LARGEST_STEP: f32 = 50.0;
const LEAST_STEP: f32 = 1e-4;
const GROWTH: f32 = 1.2;
const SHRINKAGE: f32 = 0.5;
/// The slope of an error of 1 (FANN: 17 for |d| above 0.9999999).
const LARGEST_SLOPE: f32 = 17.0;

/// The derivative of the loss by the error d, negative where d is.
pub(super) fn slope_of(difference: f32) -> f32 {
    if difference.abs() > 0.999_999_9 {
        LARGEST_SLOPE.copysign(difference)
    } else {
        ((1.0 + difference) / (1.0 - difference)).ln()
    }
}

/// One weight's step by iRPROP- as FANN has it: the new weight, its step, and the slope to compare the next one with.
///
/// Where the slope changed its sign the step shrinks, and FANN, unlike the publication it follows, moves the weight up
/// by it instead of letting it rest: that leaves the plateaus around 0 where all units have the same output. FANN does
/// so too where the slope is and was 0, which drives the weights of columns without a value to their limit; here they
/// rest, so that such a value on a later page is not all that counts.
pub(super) fn change(weight: f32, step: f32, slope: f32, slope_before: f32) -> (f32, f32, f32) {
    let step = step.max(LEAST_STEP);
    if slope * slope_before < 0.0 {
        let step = step * SHRINKAGE;
        return ((weight + step).min(LARGEST_WEIGHT), step, 0.0);
    }
    let step = (step * GROWTH).min(LARGEST_STEP);
    let direction = if slope == 0.0 { 0.0 } else { slope.signum() };
    ((weight + direction * step).clamp(-LARGEST_WEIGHT, LARGEST_WEIGHT), step, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_near_1_are_cut() {
        assert_eq!((slope_of(1.0), slope_of(-1.0), slope_of(0.0)), (LARGEST_SLOPE, -LARGEST_SLOPE, 0.0));
        assert!((slope_of(0.5) - 3.0f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn steps_grow_and_shrink() {
        assert_eq!(change(1.0, 0.5, 2.0, 3.0), (1.0 + 0.5 * GROWTH, 0.5 * GROWTH, 2.0));
        assert_eq!(change(1.0, 0.5, -2.0, -3.0), (1.0 - 0.5 * GROWTH, 0.5 * GROWTH, -2.0));
        assert_eq!(change(1.0, 0.5, -2.0, 3.0), (1.25, 0.25, 0.0));
        assert_eq!(change(1.0, 0.5, 2.0, -3.0), (1.25, 0.25, 0.0));
        assert_eq!(change(1.0, 0.5, 0.0, 0.0).0, 1.0);
        assert_eq!(change(1499.0, 49.0, 1.0, 1.0).0, LARGEST_WEIGHT);
    }
}
