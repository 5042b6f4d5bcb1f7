//! The `linguistic` groups: FIASCO's linguistic features (Bauer et al. 2007, 3.1) that are not in
//! `text`.
//!
//! [`own`] measures the text immediately below a target's node, without words of any language.
//! [`pos`] and [`keyword`] depend on the language: they are measured only if requested in
//! [`Measuring`](super::Measuring), so that a model that does not need them is fast and
//! language-independent.

pub(super) mod keyword;
pub(super) mod own;
pub(super) mod pos;
mod target_text;

pub use keyword::values as keyword_values;
pub(super) use target_text::language_bound;
pub use target_text::{TargetWords, Vocabulary, vocabulary};

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::{Measuring, describe_on_request, measure, measure_with};
    use crate::language::Keywords;
    use crate::language::keywords::{Keyword, LanguageKeywords};
    use crate::target::{TargetRule, select};
    use proptest::prelude::*;

    pub(super) fn keywords(language: &str) -> Keywords {
        let keyword = |word: &str, keyness| Keyword {
            word: word.into(),
            keyness,
        };
        let content = vec![keyword("ferry", 2.0), keyword("harbor", 1.0)];
        let boilerplate = vec![keyword("login", 3.0)];
        let of_language = LanguageKeywords {
            language: language.into(),
            reference: String::new(),
            content,
            boilerplate,
        };
        Keywords {
            languages: vec![of_language],
        }
    }

    #[test]
    fn language_bound_groups_are_measured_only_when_asked_for() {
        let capture =
            page("<p>The ferry has left the harbor, and nobody knows when it will be back.");
        let targets = select(&capture, TargetRule::Blocks);
        let plain = measure(&capture, &targets).unwrap();
        assert!(!plain.columns.iter().any(
            |name| name.starts_with("linguistic.pos") || name.starts_with("linguistic.keyword")
        ));
        let bound = Measuring {
            language_bound: true,
            ..Measuring::default()
        };
        let table = measure_with(&capture, &targets, &bound).unwrap();
        assert!(table.column("linguistic.pos.closed_share").is_some());
        assert!(table.column("linguistic.keyword.content_share").is_none());
        let words = keywords("en");
        let table = measure_with(
            &capture,
            &targets,
            &Measuring {
                keywords: Some(&words),
                ..bound
            },
        )
        .unwrap();
        assert!(table.column("linguistic.keyword.content_share").unwrap()[0] > 0.0);
        // The columns of the other groups do not change.
        assert_eq!(table.columns[..plain.columns.len()], plain.columns);
        assert_eq!(table.select(&plain.columns).unwrap(), plain);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn values_are_finite_and_in_range_whatever_the_text(texts in prop::collection::vec("\\PC{0,60}", 1..6), stated in 0usize..8) {
            let language = ["en", "de", "fr", "es", "ru", "zh", "fi", ""][stated];
            let mut builder = crate::capture::DomBuilder::new();
            builder.open("html", vec![("lang".into(), language.into())]);
            builder.open("body", vec![]);
            for text in &texts {
                builder.open("p", vec![]);
                builder.text(text);
                builder.open("b", vec![]);
                builder.text(text);
                builder.close();
                builder.close();
            }
            let capture = crate::capture::Capture::parsed(builder.finish(), crate::capture::Record::parsed("any", None));
            let words = keywords(language);
            let measuring = Measuring { language_bound: true, keywords: Some(&words), ..Measuring::default() };
            let targets = select(&capture, TargetRule::Fiasco);
            let table = measure_with(&capture, &targets, &measuring).unwrap();
            for (_, column) in describe_on_request().filter(|(group, _)| group.name.starts_with("linguistic")) {
                for &value in table.column(column.name).unwrap() {
                    prop_assert!(value.is_finite() && column.range.contains(value), "{} is {value}", column.name);
                }
            }
        }
    }
}
