//! The official score of CLEANEVAL (2007): text alone, text with the marks of
//! its segments, and the validity of the segments.
//!
//! Levenshtein distance with insertion and deletion at 1 and substitution at 2, over the length of
//! the alignment with a substitution as two positions, is 1 - LCS / (n + m - LCS). Shares here, 0
//! to 1; the shared task printed percent.

use crate::gold::words::{Numbering, TokenUnit};
use crate::gold::{WordScore, lcs};
use serde::{Deserialize, Serialize};

/// The official score of one page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cleaneval {
    /// Overlap of the words, without marks.
    pub text: Overlap,
    /// With marks, if the gold has them.
    pub marked: Option<Marked>,
}

/// Size of the overlap of two token sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Overlap {
    /// Length of their longest common subsequence.
    pub common: u64,
    /// Tokens of the output.
    pub output: u64,
    /// Tokens of the gold.
    pub gold: u64,
}

/// Scores of text with marks, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Marked {
    /// Overlap with the marks as tokens.
    pub text: f64,
    /// Mean F over begin and end of paragraphs, headings and list items.
    pub validity: f64,
}

impl Overlap {
    /// Overlap of two token sequences.
    pub fn compare(output: &[u32], gold: &[u32]) -> Self {
        let common = lcs::length(output, gold) as u64;
        Self {
            common,
            output: output.len() as u64,
            gold: gold.len() as u64,
        }
    }

    /// The sum of both, for pooled scores.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            common: self.common + other.common,
            output: self.output + other.output,
            gold: self.gold + other.gold,
        }
    }

    /// Common tokens divided by the length of the alignment; 1 if both sequences are empty.
    pub(crate) fn alignment_share(self) -> f64 {
        let whole = self.output + self.gold - self.common;
        if whole == 0 {
            1.0
        } else {
            self.common as f64 / whole as f64
        }
    }

    /// 2 LCS / (n + m), the Levenshtein ratio of WCEB (Bevendorff et al. 2023); 1 if both sequences
    /// are empty.
    pub fn ratio(self) -> f64 {
        let whole = self.output + self.gold;
        if whole == 0 {
            1.0
        } else {
            2.0 * self.common as f64 / whole as f64
        }
    }
}

impl Cleaneval {
    /// Text only, 0 to 1.
    pub(crate) fn text_only(&self) -> f64 {
        self.text.alignment_share()
    }

    /// Text and marks ("text alignment"): the mean of overlap and validity.
    pub(crate) fn text_and_marks(&self) -> Option<f64> {
        self.marked
            .map(|marked| f64::midpoint(marked.text, marked.validity))
    }

    /// Mean of text only and text with marks.
    pub fn combined(&self) -> Option<f64> {
        self.text_and_marks()
            .map(|marked| f64::midpoint(self.text_only(), marked))
    }
}

/// Scores an output against its gold. `output_marked` and `gold_marked` are the same texts with a
/// mark at the start of each segment; without both there is no score of the marks. Gold lines that
/// begin with `URL` do not count.
pub(crate) fn cleaneval(
    output: &str,
    gold: &str,
    output_marked: Option<&str>,
    gold_marked: Option<&str>,
    unit: TokenUnit,
) -> Cleaneval {
    let mut numbering = Numbering::new();
    let mut number = |text: &str, has_marks: bool| numbering.number(tokens(text, has_marks, unit));
    let text = Overlap::compare(
        &number(output, false),
        &number(&without_address(gold), false),
    );
    let marked = output_marked.zip(gold_marked).map(|(output, gold)| {
        let mut numbering = Numbering::new();
        let marks = MARKS.map(|(mark, around)| (numbering.number([mark.to_owned()])[0], around));
        let output = numbering.number(tokens(output, true, unit));
        let gold = numbering.number(tokens(&without_address(gold), true, unit));
        score_marks(&output, &gold, &marks)
    });
    Cleaneval { text, marked }
}

/// The marks, and how many positions around one must match for it to be right.
const MARKS: [(&str, usize); 3] = [("<p>", 2), ("<h>", 1), ("<l>", 1)];
/// Characters that the scorer removes.
const PUNCTUATION: [char; 6] = [',', ';', ':', '.', '?', '!'];

fn without_address(gold: &str) -> String {
    gold.lines()
        .filter(|line| !line.trim_start().starts_with("URL"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Lower-case words without punctuation, or chunks of two characters; with marks as tokens of their
/// own, or without.
fn tokens(text: &str, has_marks: bool, unit: TokenUnit) -> Vec<String> {
    let mut text = text.to_lowercase();
    for (mark, _) in MARKS {
        text = text.replace(
            mark,
            &if has_marks {
                format!(" {mark} ")
            } else {
                " ".to_owned()
            },
        );
    }
    text.retain(|c| !PUNCTUATION.contains(&c));
    let is_mark = |word: &str| has_marks && MARKS.iter().any(|(mark, _)| *mark == word);
    if unit == TokenUnit::Words {
        return text.split_whitespace().map(str::to_owned).collect();
    }
    let mut tokens: Vec<String> = Vec::new();
    // Characters of the last chunk: a chunk may contain a space, but never a mark.
    let mut open = 0;
    for word in text.split_whitespace() {
        if is_mark(word) {
            tokens.push(word.to_owned());
            open = 0;
            continue;
        }
        for c in word.chars() {
            match tokens.last_mut() {
                Some(last) if open == 1 => {
                    last.push(c);
                    open = 0;
                }
                _ => {
                    tokens.push(c.to_string());
                    open = 1;
                }
            }
        }
    }
    tokens
}

/// Overlap and validity of two marked sequences.
fn score_marks(output: &[u32], gold: &[u32], marks: &[(u32, usize)]) -> Marked {
    let runs = lcs::runs(output, gold);
    let common: u64 = runs.iter().map(|run| run.size as u64).sum();
    let overlap = Overlap {
        common,
        output: output.len() as u64,
        gold: gold.len() as u64,
    };
    let mut scores = Vec::new();
    for &(mark, around) in marks {
        let count = |tokens: &[u32]| tokens.iter().filter(|token| **token == mark).count();
        let (in_output, in_gold) = (count(output), count(gold));
        let (mut begins, mut ends) = (0, 0);
        for run in &runs {
            let starts_text = run.a == 0 && run.b == 0;
            let ends_text = run.a + run.size == output.len() && run.b + run.size == gold.len();
            for offset in (0..run.size).filter(|offset| output[run.a + offset] == mark) {
                // Positions beyond the ends of both texts count as equal.
                begins += usize::from(offset + around < run.size || ends_text);
                ends += usize::from(offset >= around || starts_text);
            }
        }
        scores.extend([begins, ends].map(|right| mark_score(right, in_output, in_gold)));
    }
    let validity = scores.iter().sum::<f64>() / scores.len() as f64;
    Marked {
        text: overlap.alignment_share(),
        validity,
    }
}

/// F of one mark; 1 if neither side has it.
fn mark_score(right: usize, in_output: usize, in_gold: usize) -> f64 {
    if in_output + in_gold == 0 {
        return 1.0;
    }
    let share = |whole: usize| {
        if whole == 0 {
            0.0
        } else {
            right as f64 / whole as f64
        }
    };
    WordScore::new(share(in_output), share(in_gold)).f1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(output: &str, gold: &str) -> Cleaneval {
        cleaneval(output, gold, Some(output), Some(gold), TokenUnit::Words)
    }

    #[test]
    fn text_is_common_words_over_the_alignment() {
        // Output a b x c, gold a b c d: LCS 3, alignment 4 + 4 - 3 = 5.
        let score = cleaneval(
            "A, b! x c",
            "URL: http://a\n\na b. c d",
            None,
            None,
            TokenUnit::Words,
        );
        assert_eq!(
            score.text,
            Overlap {
                common: 3,
                output: 4,
                gold: 4
            }
        );
        assert_eq!(
            (score.text_only(), score.text_and_marks(), score.combined()),
            (0.6, None, None)
        );
        assert_eq!(score.text.ratio(), 0.75);
        assert_eq!(words("", " \n").text_only(), 1.0);
        assert_eq!(words("", "a").text_only(), 0.0);
    }

    #[test]
    fn equal_texts_have_full_scores() {
        let text = "<h>Head\n<p>One two three.\n<l>item\n<l>other item\n";
        let score = words(text, text);
        assert_eq!(
            (score.text_only(), score.text_and_marks(), score.combined()),
            (1.0, Some(1.0), Some(1.0))
        );
    }

    #[test]
    fn marks_are_right_where_their_neighbors_are() {
        // Gold   <h> head <p> a b c <p> d e
        // Output <h> head <p> a x c <p> d e     (b replaced by x: the alignment breaks after a)
        let score = words("<h>head <p>a x c <p>d e", "<h>head <p>a b c <p>d e")
            .marked
            .unwrap();
        // LCS 8 of 9 and 9: 8 / 10.
        assert!((score.text - 0.8).abs() < 1e-12);
        // <h>: begin (head follows) and end (starts the text) right: 1, 1. <l>: in neither: 1, 1.
        // <p>: begins: the first needs "a b" and fails, the second has "d e": 1 of 2, F .5. Ends:
        // the first has "<h> head" before it; the second needs two of "x c": fails: F .5.
        assert!(
            (score.validity - (1.0 + 1.0 + 0.5 + 0.5 + 1.0 + 1.0) / 6.0).abs() < 1e-12,
            "{score:?}"
        );
    }

    #[test]
    fn a_missing_mark_costs_recall() {
        let score = words("<p>a b c d e", "<p>a b c <p>d e").marked.unwrap();
        // Of 6 and 7 tokens 6 are common.
        assert!((score.text - 6.0 / 7.0).abs() < 1e-12);
        // <p> begin: right 1 of 1 in the output, 1 of 2 in gold: F 2/3; end likewise; <h> and <l>
        // 1.
        assert!((score.validity - (2.0 * 2.0 / 3.0 + 4.0) / 6.0).abs() < 1e-12);
        // A mark that the output alone has: F 0 for both sides of it.
        let score = words("<l>a b", "<p>a b").marked.unwrap();
        assert!((score.validity - 2.0 / 6.0).abs() < 1e-12, "{score:?}");
    }

    #[test]
    fn chinese_is_cut_into_chunks_of_two() {
        assert_eq!(
            tokens("<p>中 文字。ab", false, TokenUnit::Characters),
            ["中文", "字。", "ab"]
        );
        assert_eq!(
            tokens("<p>中文 字<l>一", true, TokenUnit::Characters),
            ["<p>", "中文", "字", "<l>", "一"]
        );
    }
}
