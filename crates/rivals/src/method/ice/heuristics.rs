//! The heuristics of ICE, its best run: long lines are paragraphs, and a short line shortly before
//! one is its heading (Hofmann and Weerkamp 2007, 3.2, Figure 1).
//!
//! Works on the [`lines`] of the body. The paper uses those of the source; then each line of a
//! paragraph that was wrapped at 70 columns is a separate paragraph, and its last line is lost if
//! it is short. This reproduces the paper's scores: on the pages of CLEANEVAL it scores 78.1 (text
//! only) and 67.7 (combined), the paper has 78.3 and 68.5. The parameter `lines` selects the lines
//! of the block elements instead (85.7 and 77.3).

use super::super::passage;
use super::lines::{LineEnds, lines};
use passage::Passage;
use vclean_core::document::SegmentKind;
use vclean_core::error::{Error, ModelError};
use vclean_core::pipeline::{
    Allowed, CleanPage, CleanedPage, Input, Method, MethodSettings, Parameter, Sees,
};
use vclean_core::text::{count_letters, count_words};

const LINES: Parameter = Parameter {
    name: "lines",
    default: "source",
    allowed: Allowed::Word(
        |word| matches!(word, "source" | "blocks"),
        "source or blocks",
    ),
    about: "where lines end: at the line breaks of the source too, as in the paper, or at those of block elements only",
};

pub(in crate::method) const METHOD: Method = Method {
    name: "ice-heuristics",
    about: "lines of more than ten words are paragraphs, a short line shortly before one is its heading",
    source: "Hofmann and Weerkamp 2007, section 3.2 and Figure 1",
    year: super::lines::SOURCE_YEAR,
    sees: Sees::Source,
    parameters: &[LINES],
    learns: false,
    make: |settings: &MethodSettings| -> Result<Box<dyn CleanPage>, ModelError> {
        let ends = if settings.word(&LINES) == "source" {
            LineEnds::Source
        } else {
            LineEnds::Blocks
        };
        Ok(Box::new(Heuristics { ends }))
    },
};

/// Figure 1: "if character length L > 3".
const EMPTY_CHARS: usize = 3;
/// Figure 1: "if number of words in L > 10".
const SHORT_WORDS: usize = 10;
/// Figure 1: "and average character length of words in L > 3".
const SHORT_WORD_CHARS: usize = 3;
/// Figure 1: "and line counter < 3".
const TITLE_WINDOW: usize = 3;

struct Heuristics {
    ends: LineEnds,
}

impl CleanPage for Heuristics {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let lines = lines(&input.capture.dom, self.ends);
        let passages = select(&lines)
            .into_iter()
            .map(|(is_heading, line)| Passage {
                kind: if is_heading {
                    SegmentKind::Heading { level: 2 }
                } else {
                    SegmentKind::Paragraph
                },
                text: line.to_owned(),
                place: None,
                is_content: true,
                margin: 0.0,
            });
        Ok(passage::document(input.capture, passages.collect()))
    }
}

/// Figure 1, line by line: the lines that are kept, each with true if it is a heading.
fn select(lines: &[String]) -> Vec<(bool, &str)> {
    let mut kept = Vec::new();
    let (mut possible_title, mut line_counter) = (None, 0);
    for line in lines {
        if line.chars().nth(EMPTY_CHARS).is_some() {
            let words = count_words(line);
            let chars = count_letters(line);
            if words > SHORT_WORDS && chars > SHORT_WORD_CHARS * words {
                if line_counter < TITLE_WINDOW
                    && let Some(title) = possible_title.take()
                {
                    kept.push((true, title));
                    line_counter = 0;
                }
                kept.push((false, line.as_str()));
            } else {
                possible_title = Some(line.as_str());
                line_counter = 0;
            }
        } else if possible_title.is_some() {
            line_counter += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::clean_with;
    use super::*;

    const LONG: &str =
        "The herring gull drops mussels on the rocks from heights that differ greatly.";

    /// The result of Figure 1 for each kept line: `h` heading, `p` paragraph.
    fn marked(lines: &[&str]) -> Vec<String> {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        select(&lines)
            .into_iter()
            .map(|(is_heading, line)| format!("{} {line}", if is_heading { 'h' } else { 'p' }))
            .collect()
    }

    #[test]
    fn figure_1_line_by_line() {
        let paragraph = format!("p {LONG}");
        // A title, two lines of at most three characters, a paragraph: the title becomes its
        // heading, once.
        assert_eq!(
            marked(&["Gulls", "", "|", LONG, LONG]),
            ["h Gulls", &paragraph, &paragraph]
        );
        // After three such lines the title is not used as a heading.
        assert_eq!(
            marked(&["Gulls", "", "", "", LONG, LONG]),
            [&*paragraph, &paragraph]
        );
        // The later of two titles is used, and short lines are counted from it.
        assert_eq!(
            marked(&["Home", "", "", "Gulls", "", LONG]),
            ["h Gulls", &paragraph]
        );
        // Ten words are too few for a paragraph, and so are many words of three letters.
        let ten = "one four five six seven eight nine three four seven";
        assert_eq!(
            marked(&[ten, LONG]),
            [format!("h {ten}"), paragraph.clone()]
        );
        let small = "a an the of to in or and but it is at";
        assert_eq!(marked(&[small]), Vec::<String>::new());
        // Lines of up to three characters are not titles: the earlier title stays.
        assert_eq!(marked(&["Gulls", "abc", LONG]), ["h Gulls", &paragraph]);
        assert_eq!(marked(&["abcd", LONG]), ["h abcd", &paragraph]);
        assert_eq!(marked(&["Gulls", "Home"]), Vec::<String>::new());
    }

    #[test]
    fn a_source_on_one_line_is_read_too() {
        let html = format!(
            "<nav><a>Home</a></nav><h1>Gulls</h1><p>{LONG}</p><p>{LONG}</p><footer>Imprint</footer>"
        );
        assert_eq!(
            clean_with("ice-heuristics", &[], &html),
            format!("Gulls\n{LONG}\n{LONG}\n")
        );
        let wrapped = format!("<p>{}</p>", LONG.replace(" rocks", "\nrocks"));
        assert_eq!(
            clean_with("ice-heuristics", &["lines=source"], &wrapped),
            ""
        );
        assert_eq!(
            clean_with("ice-heuristics", &["lines=blocks"], &wrapped),
            format!("{LONG}\n")
        );
    }
}
