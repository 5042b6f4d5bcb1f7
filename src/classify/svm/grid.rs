//! The 16-bit grid to which support vectors are rounded, so that a machine in memory and its file give the same
//! decisions.

use crate::classify::scaler::LIMIT;

/// Steps of the grid from 0 to [`LIMIT`].
const STEPS: f32 = 32767.0;

/// The number of the grid point nearest to a value.
pub(in crate::classify) fn to_grid(value: f32) -> i16 {
    (value.clamp(-LIMIT, LIMIT) * (STEPS / LIMIT)).round() as i16
}

/// The value at a grid point.
pub(in crate::classify) fn from_grid(number: i16) -> f32 {
    f32::from(number) * (LIMIT / STEPS)
}
