//! The parts of the structure that are scored, one table for all.

use super::model::{Structure, heading_score, list_score};
use super::tables::{self, Compared};
use super::tree::{bag_score, text_score};

/// A part of the structure and its score.
pub(crate) struct Part {
    /// Its name in tables and in JSON.
    pub name: &'static str,
    /// Whether it counts in the overall score.
    pub is_in_overall: bool,
    /// The score of an output by the gold, 0 to 1; `None` if both lack the part.
    score: fn(&Structure, &Structure) -> Option<f64>,
}

/// All parts, in the order of tables. The structure of tables is not counted in addition to the
/// tables themselves, and emphasis and quotations are too small a matter to weigh as much as the
/// others.
pub(crate) const PARTS: [Part; 12] = [
    // Edit similarity of the text without code blocks, tables and formulas.
    Part {
        name: "text",
        is_in_overall: true,
        score: |output, gold| text_score(&output.text, &gold.text),
    },
    // Edit similarity of the code blocks, one after the other, with their indentation.
    Part {
        name: "code",
        is_in_overall: true,
        score: |output, gold| text_score(&output.code.join("\n"), &gold.code.join("\n")),
    },
    // Edit similarity of the LaTeX of the formulas, one after the other, without white space.
    Part {
        name: "formulas",
        is_in_overall: true,
        score: |output, gold| text_score(&output.formulas.join("\n"), &gold.formulas.join("\n")),
    },
    // TEDS of the tables, matched in order.
    Part {
        name: "tables",
        is_in_overall: true,
        score: |output, gold| tables::score(&output.tables, &gold.tables, Compared::Texts),
    },
    // TEDS of the rows, cells and spans without their texts.
    Part {
        name: "tables, structure",
        is_in_overall: false,
        score: |output, gold| tables::score(&output.tables, &gold.tables, Compared::Structure),
    },
    // Similarity of the trees of headings.
    Part {
        name: "headings",
        is_in_overall: true,
        score: |output, gold| heading_score(&output.headings, &gold.headings),
    },
    // Similarity of the trees of lists.
    Part {
        name: "lists",
        is_in_overall: true,
        score: |output, gold| list_score(&output.lists, &gold.lists),
    },
    // F score of the links, each by its text and its address.
    Part {
        name: "links",
        is_in_overall: true,
        score: |output, gold| bag_score(&output.links, &gold.links),
    },
    // Edit similarity of the notes that have marks, one after the other.
    Part {
        name: "notes",
        is_in_overall: true,
        score: |output, gold| text_score(&output.notes.join("\n"), &gold.notes.join("\n")),
    },
    // F score of emphasis, each by its strength and its text.
    Part {
        name: "emphasis",
        is_in_overall: false,
        score: |output, gold| bag_score(&output.emphasis, &gold.emphasis),
    },
    // Edit similarity of the quotations, one after the other.
    Part {
        name: "quotations",
        is_in_overall: false,
        score: |output, gold| text_score(&output.quotes.join("\n"), &gold.quotes.join("\n")),
    },
    // F score of callouts, each by its kind and its text.
    Part {
        name: "callouts",
        is_in_overall: false,
        score: |output, gold| bag_score(&output.callouts, &gold.callouts),
    },
];

/// The scores of one page, in the order of [`PARTS`]; `None` for a part that the output and the
/// gold both lack.
pub type Scores = [Option<f64>; PARTS.len()];

/// Compares an output with the gold.
pub(crate) fn score(output: &Structure, gold: &Structure) -> Scores {
    PARTS.map(|part| (part.score)(output, gold))
}

/// The mean of the parts that count and that the output or the gold has; `None` if they have none.
pub(crate) fn overall(scores: &Scores) -> Option<f64> {
    let counted: Vec<f64> = scores
        .iter()
        .zip(PARTS)
        .filter(|(_, part)| part.is_in_overall)
        .filter_map(|(score, _)| *score)
        .collect();
    (!counted.is_empty()).then(|| counted.iter().sum::<f64>() / counted.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::structure::markdown::read_markdown;
    use crate::evaluate::structure::reader::Base;
    use proptest::prelude::*;

    fn compare(output: &str, gold: &str) -> Scores {
        let base = Base::default();
        score(&read_markdown(output, &base), &read_markdown(gold, &base))
    }

    fn named(scores: &Scores, name: &str) -> Option<f64> {
        PARTS
            .iter()
            .position(|part| part.name == name)
            .and_then(|index| scores[index])
    }

    const GOLD: &str = "# Gulls\n\nThey *drop* [mussels](/m)[^1], $h > 2$.\n\n- one\n- two\n\n> Said she.\n\n> [!TIP]\n> Do not.\n\n[^1]: Or eggs.\n\n```\nlet a = 1;\n```\n\n\
                        | a | b |\n|---|---|\n| 1 | 2 |\n";

    #[test]
    fn the_gold_itself_is_perfect_and_nothing_is_nothing() {
        let same = compare(GOLD, GOLD);
        assert_eq!(
            (same, overall(&same)),
            ([Some(1.0); PARTS.len()], Some(1.0))
        );
        let nothing = compare("", GOLD);
        assert_eq!(
            (nothing, overall(&nothing)),
            ([Some(0.0); PARTS.len()], Some(0.0))
        );
        assert_eq!(overall(&compare("", "")), None);
    }

    #[test]
    fn parts_that_both_lack_do_not_count() {
        let scores = compare("Gulls drop mussels.", "Gulls drop mussels!\n\n1. one\n");
        assert_eq!(
            (named(&scores, "code"), named(&scores, "lists")),
            (None, Some(0.0))
        );
        // "Gulls drop mussels! one": one letter differs and four are lost, of 23.
        let text = 1.0 - 5.0 / 23.0;
        assert!((named(&scores, "text").unwrap_or(0.0) - text).abs() < 1e-12);
        assert!((overall(&scores).unwrap_or(0.0) - text / 2.0).abs() < 1e-12);
    }

    #[test]
    fn code_counts_by_its_lines_and_indentation() {
        let gold = "```\nif a {\n    b\n}\n```\n";
        assert_eq!(
            named(&compare("~~~c\nif a {\n    b\n}\n~~~\n", gold), "code"),
            Some(1.0)
        );
        // Four of fourteen characters are lost with the indentation.
        assert_eq!(
            named(&compare("```\nif a {\nb\n}\n```\n", gold), "code"),
            Some(1.0 - 4.0 / 14.0)
        );
        assert_eq!(named(&compare("`if a { b }`\n", gold), "code"), Some(0.0));
    }

    #[test]
    fn formulas_count_without_white_space() {
        assert_eq!(
            named(
                &compare("$a+b$\n\n$$c$$", "$a + b$ $a +b$\n\n$$\nc\n$$"),
                "formulas"
            ),
            Some(5.0 / 9.0)
        );
    }

    proptest! {
        #[test]
        fn any_document_equals_itself_and_all_scores_are_symmetric(
            one in "(# |- |1. |> |\n\n|\n|    |`|\\*|\\$|\\||---|[ab ]|\\[a\\]\\(b\\)){0,30}",
            other in "(# |- |1. |> |\n\n|\n|    |`|\\*|\\$|\\||---|[ab ]|\\[a\\]\\(b\\)){0,30}",
        ) {
            let (found, back) = (compare(&one, &other), compare(&other, &one));
            for (one, other) in found.iter().zip(&back) {
                prop_assert_eq!(one.is_some(), other.is_some());
                prop_assert!((one.unwrap_or(0.0) - other.unwrap_or(0.0)).abs() < 1e-9);
                prop_assert!(one.is_none_or(|score| (0.0..=1.0).contains(&score)));
            }
            prop_assert!(compare(&one, &one).into_iter().flatten().all(|score| score >= 1.0));
        }
    }
}
