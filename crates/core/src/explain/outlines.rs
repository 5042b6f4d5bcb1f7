//! The screenshot with every target outlined in the color of its verdict: kept or dropped, right or
//! wrong.

use super::canvas;
use super::mask::pictures;
use super::overlay::around;
use crate::capture::Capture;
use crate::classify::Label;
use crate::error::Error;
use crate::target::Target;
use image::{Rgb, RgbImage};

/// A decision compared with the gold standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Content that was kept.
    KeptRight,
    /// Boilerplate that was kept.
    KeptWrong,
    /// Boilerplate that was dropped.
    DroppedRight,
    /// Content that was dropped.
    DroppedWrong,
    /// The gold standard does not say.
    Unknown,
}

impl Verdict {
    /// All verdicts, for a legend.
    pub fn all() -> impl Iterator<Item = Self> {
        VERDICTS.iter().map(|(verdict, ..)| *verdict)
    }

    /// Compares a decision with the gold standard.
    pub fn compare(decided: Label, gold: Option<Label>) -> Self {
        match (
            decided == Label::Content,
            gold.map(|gold| gold == Label::Content),
        ) {
            (_, None) => Self::Unknown,
            (true, Some(true)) => Self::KeptRight,
            (true, Some(false)) => Self::KeptWrong,
            (false, Some(false)) => Self::DroppedRight,
            (false, Some(true)) => Self::DroppedWrong,
        }
    }

    /// Returns true if the decision is an error.
    pub fn is_wrong(self) -> bool {
        matches!(self, Self::KeptWrong | Self::DroppedWrong)
    }

    /// A description of the verdict for legends.
    pub fn name(self) -> &'static str {
        VERDICTS[self as usize].1
    }

    /// The color in pictures and legends.
    pub fn color(self) -> Rgb<u8> {
        VERDICTS[self as usize].2
    }
}

/// The verdicts in the order of the type, each with its name and color. The colors can be
/// distinguished by color-blind readers (Okabe and Ito 2008); gray stands for unknown.
const VERDICTS: [(Verdict, &str, Rgb<u8>); 5] = [
    (Verdict::KeptRight, "kept, right", Rgb([0, 158, 115])),
    (Verdict::KeptWrong, "kept, wrong", Rgb([213, 94, 0])),
    (Verdict::DroppedRight, "dropped, right", Rgb([86, 180, 233])),
    (Verdict::DroppedWrong, "dropped, wrong", Rgb([204, 51, 153])),
    (Verdict::Unknown, "not in the gold", Rgb([150, 150, 150])),
];

/// Width of an outline, and of the outline of an error, in pixels. Heuristic.
const OUTLINE_PX: u32 = 2;
const WRONG_OUTLINE_PX: u32 = 3;

/// Draws the outlines; those of errors are last and thicker. `verdicts` has one entry per target.
///
/// # Errors
/// If the page was not rendered, or its screenshot cannot be decoded.
pub fn outlines(
    capture: &Capture,
    targets: &[Target],
    verdicts: &[Verdict],
) -> Result<RgbImage, Error> {
    let mut picture = pictures(capture)?.to_look_at().decode_rgb()?;
    for draws_wrong in [false, true] {
        for (target, verdict) in targets
            .iter()
            .zip(verdicts)
            .filter(|(_, verdict)| verdict.is_wrong() == draws_wrong)
        {
            let thickness = if draws_wrong {
                WRONG_OUTLINE_PX
            } else {
                OUTLINE_PX
            };
            canvas::outline(
                &mut picture,
                around(capture, target),
                verdict.color(),
                thickness,
            );
        }
    }
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::samples;

    #[test]
    fn each_verdict_has_its_color() {
        let (mut capture, targets, _) = samples::page("Menu");
        let verdicts = [
            Verdict::KeptRight,
            Verdict::DroppedWrong,
            Verdict::KeptWrong,
        ];
        let picture = outlines(&capture, &targets, &verdicts).unwrap();
        assert_eq!(*picture.get_pixel(1, 1), Verdict::KeptRight.color());
        assert_eq!(*picture.get_pixel(1, 11), Verdict::DroppedWrong.color());
        assert_eq!(*picture.get_pixel(43, 1), Verdict::KeptWrong.color());
        assert_eq!(*picture.get_pixel(30, 35), Rgb([255; 3]));
        capture.pictures = None;
        assert!(
            outlines(&capture, &targets, &verdicts)
                .unwrap_err()
                .to_string()
                .contains("not rendered")
        );
    }

    #[test]
    fn verdicts_compare_decisions_with_gold() {
        use Label::{Boilerplate, Content};
        assert_eq!(
            Verdict::compare(Content, Some(Boilerplate)),
            Verdict::KeptWrong
        );
        assert_eq!(
            Verdict::compare(Boilerplate, Some(Content)),
            Verdict::DroppedWrong
        );
        assert_eq!(Verdict::compare(Content, None), Verdict::Unknown);
        assert_eq!(
            Verdict::all().filter(|verdict| verdict.is_wrong()).count(),
            2
        );
        for (index, (verdict, name, color)) in VERDICTS.into_iter().enumerate() {
            assert_eq!(
                (verdict.name(), verdict.color()),
                (name, color),
                "the table is in the order of the type"
            );
            assert!(
                VERDICTS[index + 1..]
                    .iter()
                    .all(|(.., other)| *other != color)
            );
        }
    }
}
