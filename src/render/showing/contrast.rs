//! Whether a reader can tell two colors apart.

use std::sync::LazyLock;

/// Contrast ratio (WCAG 2.2, relative luminance) from which text can be seen. Heuristic: 1.16 is #eee on white, pale and
/// yet readable, and thin letters reach two thirds of their color; 1.05 is #f9f9f9 on white, which nobody notices.
const MIN_CONTRAST: f32 = 1.08;
/// Difference of a color channel from which text of the same luminance can be seen. Heuristic.
const MIN_CHANNEL: u8 = 40;

/// Relative luminance of each level of a channel.
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|level| {
        let share = level as f32 / 255.0;
        if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    })
});

fn luminance(color: [u8; 3]) -> f32 {
    let [red, green, blue] = color.map(|level| LINEAR[usize::from(level)]);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Whether a reader sees the one color on the other.
pub(in crate::render) fn can_tell(one: [u8; 3], other: [u8; 3]) -> bool {
    if one == other {
        return false;
    }
    let far = one.iter().zip(other).any(|(&left, right)| left.abs_diff(right) >= MIN_CHANNEL);
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    far || one.max(other) / one.min(other) >= MIN_CONTRAST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pale_gray_is_seen_and_almost_white_is_not() {
        let gray = |level: u8| [level; 3];
        for (one, other, seen) in [
            (gray(255), gray(255), false),
            (gray(255), gray(250), false),
            (gray(255), gray(238), true),
            (gray(255), gray(221), true),
            (gray(0), gray(8), false),
            (gray(0), gray(34), true),
            // The same luminance, but not the same hue.
            ([200, 0, 0], [0, 108, 0], true),
            ([255, 255, 255], [255, 255, 0], true),
            ([255, 255, 255], [254, 255, 251], false),
        ] {
            assert_eq!((can_tell(one, other), can_tell(other, one)), (seen, seen), "{one:?} {other:?}");
        }
    }
}
