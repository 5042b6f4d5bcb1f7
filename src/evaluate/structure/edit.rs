//! Edit similarity of two texts.

use rapidfuzz::distance::levenshtein;

/// `1 - distance / longest`, 0 to 1, with the distance of Levenshtein and lengths in characters; 1 if both are empty.
pub(super) fn similarity(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let longest = one.chars().count().max(other.chars().count());
    1.0 - levenshtein::distance(one.chars(), other.chars()) as f64 / longest as f64
}

/// The similarity of two texts of a page; `None` if both are empty, so that the page does not count.
pub(super) fn score(output: &str, gold: &str) -> Option<f64> {
    (!output.is_empty() || !gold.is_empty()).then(|| similarity(output, gold))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edits_are_counted_per_character() {
        // The textbook's pair: three edits, seven characters.
        assert!((similarity("kitten", "sitting") - 4.0 / 7.0).abs() < 1e-12);
        assert!((similarity("Größe", "Grosse") - 3.0 / 6.0).abs() < 1e-12);
        assert_eq!((similarity("", ""), similarity("a", "")), (1.0, 0.0));
        assert_eq!((score("", ""), score("", "a"), score("a", "a")), (None, Some(0.0), Some(1.0)));
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_in_range(one in "[abä ]{0,90}", other in "[abä ]{0,90}") {
            let found = similarity(&one, &other);
            prop_assert!((0.0..=1.0).contains(&found));
            prop_assert_eq!(found, similarity(&other, &one));
            prop_assert_eq!(found >= 1.0, one == other);
        }
    }
}
