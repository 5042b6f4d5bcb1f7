//! The classes of paragraphs: context-free by their own features, then revised by their neighbors
//! (Pomikálek 2011, the algorithm jusText).
//!
//! The package walks from every paragraph to its next good or bad neighbor; here one pass in each
//! direction finds all neighbors, so that the cost is linear in the page.

use super::paragraphs::Paragraph;

/// The class of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Good,
    NearGood,
    Short,
    Bad,
}

/// The limits between classes; lengths and distances are in letters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Share of characters in links, 0 to 1.
    pub(super) max_link_density: f64,
    pub(super) length_low: f64,
    pub(super) length_high: f64,
    /// Share of stop words among words, 0 to 1.
    pub(super) stopwords_low: f64,
    /// Share of stop words among words, 0 to 1.
    pub(super) stopwords_high: f64,
    pub(super) max_heading_distance: f64,
}

/// Gives each paragraph its class, good or bad.
///
/// In the order of the thesis: headings before good text become nearly good, short paragraphs get
/// the class of their neighbors, nearly good ones too, and headings that became bad in between
/// become good again. (In version 3 of the package the first step reads classes that are not set
/// yet, and so has no effect.)
pub(super) fn classify(paragraphs: &[Paragraph], limits: &Limits) -> Vec<Class> {
    let alone: Vec<Class> = paragraphs
        .iter()
        .map(|paragraph| context_free(paragraph, limits))
        .collect();
    let mut classes = alone.clone();
    for index in before_good(paragraphs, &classes, limits.max_heading_distance) {
        if alone[index] == Class::Short {
            classes[index] = Class::NearGood;
        }
    }
    revise_short(&mut classes);
    revise_near_good(&mut classes);
    for index in before_good(paragraphs, &classes, limits.max_heading_distance) {
        if classes[index] == Class::Bad && alone[index] != Class::Bad {
            classes[index] = Class::Good;
        }
    }
    classes
}

/// The class of a paragraph by its own features.
fn context_free(paragraph: &Paragraph, limits: &Limits) -> Class {
    if paragraph.link_density > limits.max_link_density || paragraph.has_copyright {
        Class::Bad
    } else if paragraph.letters < limits.length_low {
        if paragraph.link_density > 0.0 {
            Class::Bad
        } else {
            Class::Short
        }
    } else if paragraph.stop_word_density >= limits.stopwords_high {
        if paragraph.letters > limits.length_high {
            Class::Good
        } else {
            Class::NearGood
        }
    } else if paragraph.stop_word_density >= limits.stopwords_low {
        Class::NearGood
    } else {
        Class::Bad
    }
}

/// Headings for which the next good paragraph follows within `max_distance` letters.
fn before_good(paragraphs: &[Paragraph], classes: &[Class], max_distance: f64) -> Vec<usize> {
    let mut found = Vec::new();
    // Letters up to the next good paragraph; infinite if there is none.
    let mut distance = f64::INFINITY;
    for index in (0..paragraphs.len()).rev() {
        if paragraphs[index].is_heading && distance <= max_distance {
            found.push(index);
        }
        distance = if classes[index] == Class::Good {
            0.0
        } else {
            distance + paragraphs[index].letters
        };
    }
    found
}

/// Classes of the next paragraphs on one side.
#[derive(Clone, Copy)]
struct Side {
    /// The next class that is good or bad; bad beyond the end.
    firm: Class,
    /// The next class that is not short.
    any: Class,
}

/// The neighbors of each paragraph on one side, found by a walk over the paragraphs in `order`.
fn neighbors(classes: &[Class], order: impl Iterator<Item = usize>) -> Vec<Side> {
    let mut sides = vec![
        Side {
            firm: Class::Bad,
            any: Class::Bad
        };
        classes.len()
    ];
    let mut now = Side {
        firm: Class::Bad,
        any: Class::Bad,
    };
    for index in order {
        sides[index] = now;
        now = match classes[index] {
            Class::Short => now,
            Class::NearGood => Side {
                any: Class::NearGood,
                ..now
            },
            class => Side {
                firm: class,
                any: class,
            },
        };
    }
    sides
}

/// Short paragraphs are good between good ones and bad between bad ones; between a good and a bad
/// one they are good if there is a nearly good one on the bad side.
fn revise_short(classes: &mut [Class]) {
    let before = neighbors(classes, 0..classes.len());
    let after = neighbors(classes, (0..classes.len()).rev());
    for (index, class) in classes
        .iter_mut()
        .enumerate()
        .filter(|(_, class)| **class == Class::Short)
    {
        let is_near = |side: Side| side.firm == Class::Bad && side.any == Class::NearGood;
        *class = match (before[index].firm, after[index].firm) {
            (Class::Good, Class::Good) => Class::Good,
            (Class::Bad, Class::Bad) => Class::Bad,
            _ if is_near(before[index]) || is_near(after[index]) => Class::Good,
            _ => Class::Bad,
        };
    }
}

/// Nearly good paragraphs are bad between bad ones, else good.
fn revise_near_good(classes: &mut [Class]) {
    // Adjacent nearly good paragraphs get the same class, so the classes before this step give the
    // same result as after it.
    let before = neighbors(classes, 0..classes.len());
    let after = neighbors(classes, (0..classes.len()).rev());
    for (index, class) in classes
        .iter_mut()
        .enumerate()
        .filter(|(_, class)| **class == Class::NearGood)
    {
        let is_between_bad = (before[index].firm, after[index].firm) == (Class::Bad, Class::Bad);
        *class = if is_between_bad {
            Class::Bad
        } else {
            Class::Good
        };
    }
}

#[cfg(test)]
mod tests {
    use super::Class::{Bad, Good, NearGood, Short};
    use super::*;
    use proptest::prelude::*;

    const LIMITS: Limits = Limits {
        max_link_density: 0.2,
        length_low: 70.0,
        length_high: 200.0,
        stopwords_low: 0.30,
        stopwords_high: 0.32,
        max_heading_distance: 200.0,
    };

    /// A paragraph that has this class by its own features.
    fn paragraph(class: Class, is_heading: bool) -> Paragraph {
        let (letters, stop_word_density) = match class {
            Good => (300.0, 0.5),
            NearGood => (100.0, 0.5),
            Short => (20.0, 0.0),
            Bad => (100.0, 0.0),
        };
        Paragraph {
            letters,
            link_density: 0.0,
            stop_word_density,
            is_heading,
            has_copyright: false,
        }
    }

    fn revised(classes: &[Class]) -> Vec<Class> {
        classify(
            &classes
                .iter()
                .map(|class| paragraph(*class, false))
                .collect::<Vec<_>>(),
            &LIMITS,
        )
    }

    #[test]
    fn every_limit_of_the_context_free_step() {
        let alone = |letters, link_density, stop_word_density, has_copyright| {
            let is_heading = false;
            let paragraph = Paragraph {
                letters,
                link_density,
                stop_word_density,
                is_heading,
                has_copyright,
            };
            context_free(&paragraph, &LIMITS)
        };
        assert_eq!(alone(300.0, 0.2, 0.5, false), Good);
        assert_eq!(alone(300.0, 0.21, 0.5, false), Bad);
        assert_eq!(alone(300.0, 0.0, 0.5, true), Bad);
        assert_eq!(alone(69.0, 0.0, 0.0, false), Short);
        assert_eq!(alone(69.0, 0.1, 0.9, false), Bad);
        assert_eq!(alone(201.0, 0.0, 0.32, false), Good);
        assert_eq!(alone(200.0, 0.0, 0.32, false), NearGood);
        assert_eq!(alone(900.0, 0.0, 0.31, false), NearGood);
        assert_eq!(alone(900.0, 0.0, 0.29, false), Bad);
    }

    #[test]
    fn short_paragraphs_get_the_class_of_their_neighbors() {
        assert_eq!(
            revised(&[Good, Short, Short, Good]),
            [Good, Good, Good, Good]
        );
        assert_eq!(revised(&[Good, Short, Bad]), [Good, Bad, Bad]);
        assert_eq!(
            revised(&[Short, Good, Short]),
            [Bad, Good, Bad],
            "beyond the ends all is bad"
        );
        // The nearly good one on the bad side becomes good, and so do the ones between.
        assert_eq!(
            revised(&[Good, Short, NearGood, Bad]),
            [Good, Good, Good, Bad]
        );
        assert_eq!(
            revised(&[Good, NearGood, Short, Bad]),
            [Good, Good, Bad, Bad]
        );
    }

    #[test]
    fn nearly_good_paragraphs_need_one_good_neighbor() {
        assert_eq!(
            revised(&[Bad, NearGood, NearGood, Good]),
            [Bad, Good, Good, Good]
        );
        assert_eq!(revised(&[Bad, NearGood, Short, NearGood, Bad]), [Bad; 5]);
    }

    #[test]
    fn headings_are_kept_before_good_text() {
        let heading = paragraph(Short, true);
        let kept = |between: Vec<Paragraph>| {
            let all = [
                vec![paragraph(Bad, false), heading.clone()],
                between,
                vec![paragraph(Good, false)],
            ]
            .concat();
            classify(&all, &LIMITS)[1] == Good
        };
        assert!(kept(vec![]));
        assert!(
            kept(vec![paragraph(Bad, false), paragraph(Bad, false)]),
            "200 letters between"
        );
        assert!(!kept(vec![
            paragraph(Bad, false),
            paragraph(Bad, false),
            paragraph(Short, false)
        ]));
        let far = Paragraph {
            letters: 201.0,
            ..paragraph(Bad, false)
        };
        assert!(!kept(vec![far]));
        // A heading that was bad by its own features stays bad.
        let linked = Paragraph {
            link_density: 1.0,
            ..heading.clone()
        };
        assert_eq!(
            classify(&[linked, paragraph(Good, false)], &LIMITS),
            [Bad, Good]
        );
        // A heading counts as nearly good while short paragraphs are revised, so the short one
        // before it becomes good.
        let all = [
            paragraph(Good, false),
            paragraph(Short, false),
            heading.clone(),
            paragraph(Bad, false),
            paragraph(Good, false),
        ];
        assert_eq!(classify(&all, &LIMITS), [Good, Good, Good, Bad, Good]);
    }

    /// The revision as published, which walks from each paragraph to its neighbors.
    fn slowly(paragraphs: &[Paragraph]) -> Vec<Class> {
        let alone: Vec<Class> = paragraphs
            .iter()
            .map(|paragraph| context_free(paragraph, &LIMITS))
            .collect();
        let mut classes = alone.clone();
        let next_good = |classes: &[Class], from: usize| {
            let mut distance = 0.0;
            for at in from + 1..classes.len() {
                if distance > LIMITS.max_heading_distance {
                    return false;
                }
                if classes[at] == Good {
                    return true;
                }
                distance += paragraphs[at].letters;
            }
            false
        };
        let neighbor = |classes: &[Class],
                        mut order: Box<dyn Iterator<Item = usize>>,
                        skips_near: bool| {
            order
                .find(|&at| {
                    matches!(classes[at], Good | Bad) || (classes[at] == NearGood && !skips_near)
                })
                .map_or(Bad, |at| classes[at])
        };
        for at in 0..classes.len() {
            if paragraphs[at].is_heading && classes[at] == Short && next_good(&classes, at) {
                classes[at] = NearGood;
            }
        }
        let old = classes.clone();
        for at in (0..old.len()).filter(|&at| old[at] == Short) {
            let before = |skips| neighbor(&old, Box::new((0..at).rev()), skips);
            let after = |skips| neighbor(&old, Box::new(at + 1..old.len()), skips);
            let is_good = match (before(true), after(true)) {
                (Good, Good) => true,
                (Bad, Bad) => false,
                (Bad, _) => before(false) == NearGood,
                _ => after(false) == NearGood,
            };
            classes[at] = if is_good { Good } else { Bad };
        }
        for at in 0..classes.len() {
            if classes[at] == NearGood {
                let before = neighbor(&classes, Box::new((0..at).rev()), true);
                let after = neighbor(&classes, Box::new(at + 1..classes.len()), true);
                classes[at] = if (before, after) == (Bad, Bad) {
                    Bad
                } else {
                    Good
                };
            }
        }
        for at in 0..classes.len() {
            if paragraphs[at].is_heading
                && classes[at] == Bad
                && alone[at] != Bad
                && next_good(&classes, at)
            {
                classes[at] = Good;
            }
        }
        classes
    }

    proptest! {
        #[test]
        fn one_pass_gives_the_published_result(drawn in proptest::collection::vec((0_usize..4, any::<bool>()), 0..30)) {
            let paragraphs: Vec<Paragraph> =
                drawn.iter().map(|(class, is_heading)| paragraph([Good, NearGood, Short, Bad][*class], *is_heading)).collect();
            let classes = classify(&paragraphs, &LIMITS);
            prop_assert_eq!(&classes, &slowly(&paragraphs));
            prop_assert!(classes.iter().all(|class| matches!(class, Good | Bad)));
        }
    }
}
