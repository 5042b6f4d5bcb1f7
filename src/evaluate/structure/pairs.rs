//! F score of two bags of things, such as links.

use std::collections::BTreeMap;

/// Twice the number of things in both, divided by the number of things in each; 0 to 1. `None` if both are empty. A thing
/// that is there twice counts twice.
pub(super) fn score<T: Ord>(output: &[T], gold: &[T]) -> Option<f64> {
    let all = output.len() + gold.len();
    let mut left: BTreeMap<&T, usize> = BTreeMap::new();
    for thing in gold {
        *left.entry(thing).or_default() += 1;
    }
    let mut both = 0;
    for thing in output {
        if let Some(count) = left.get_mut(thing).filter(|count| **count > 0) {
            *count -= 1;
            both += 1;
        }
    }
    (all > 0).then(|| 2.0 * both as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn things_count_as_often_as_they_are_there() {
        assert_eq!(score(&["a", "b", "b"], &["b", "c"]), Some(0.4));
        assert_eq!(score(&["a"], &["b"]), Some(0.0));
        assert_eq!((score::<u8>(&[], &[]), score(&[1], &[])), (None, Some(0.0)));
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_one_for_the_same(
            one in prop::collection::vec(0..4u8, 0..9),
            other in prop::collection::vec(0..4u8, 0..9),
        ) {
            prop_assert_eq!(score(&one, &other), score(&other, &one));
            prop_assert_eq!(score(&one, &one), (!one.is_empty()).then_some(1.0));
        }
    }
}
