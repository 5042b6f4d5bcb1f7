//! A recipe: how the Markdown of a page is put together from the page's own text.
//!
//! As JSON, a part is a string (a literal), `{"typed": "..."}`, or three numbers: the source (0
//! text, 1 text with white space collapsed, 2 addresses), the start in bytes counted from the end
//! of the range before it of the same source, and the length in bytes.

use serde::{Deserialize, Serialize};
use vclean_core::capture::Dom;

/// Largest number of letters and digits in a literal. Heuristic: enough for marks and a few short
/// words between two ranges, too little for a sentence.
pub(crate) const MAX_LITERAL_LETTERS: usize = 40;

/// Which text of the page a range refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// All text nodes, joined in document order.
    Text,
    /// All text nodes, joined, with each run of white space replaced by one space.
    Collapsed,
    /// The values of all `href` attributes in document order, one per line.
    Addresses,
}

impl Source {
    /// All sources; the position is the number in the file.
    pub const ALL: [Self; 3] = [Self::Text, Self::Collapsed, Self::Addresses];
}

/// A range of a text of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(u8, i64, usize)", into = "(u8, i64, usize)")]
pub struct Range {
    /// Which text.
    pub source: Source,
    /// Start in bytes, counted from the end of the range before it of the same source; from 0 for
    /// the first.
    pub skip: i64,
    /// Length in bytes.
    pub length: usize,
}

impl From<Range> for (u8, i64, usize) {
    fn from(range: Range) -> Self {
        (range.source as u8, range.skip, range.length)
    }
}

impl TryFrom<(u8, i64, usize)> for Range {
    type Error = String;

    fn try_from((source, skip, length): (u8, i64, usize)) -> Result<Self, String> {
        let found = Source::ALL.get(usize::from(source));
        let source = *found.ok_or_else(|| {
            format!(
                "there is no source {source}, only 0 to {}",
                Source::ALL.len() - 1
            )
        })?;
        Ok(Self {
            source,
            skip,
            length,
        })
    }
}

/// A part of the Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Part {
    /// Marks and short texts, with at most [`MAX_LITERAL_LETTERS`] letters and digits.
    Literal(String),
    /// A range of a text of the page.
    Range(Range),
    /// A longer text that the page does not contain, such as a formula typed from its picture.
    Typed {
        /// The text.
        typed: String,
    },
}

/// The gold of structure of one page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the data set.
    pub set: String,
    /// Name of the page within the set.
    pub id: String,
    /// SHA-256 of the page's file, in hexadecimal digits.
    pub page: String,
    /// SHA-256 of the Markdown, in hexadecimal digits.
    pub gold: String,
    /// Whether the gold was kept from those who wrote the code that it measures.
    pub unseen: bool,
    /// The parts of the Markdown in order.
    pub parts: Vec<Part>,
}

impl Recipe {
    /// Number of letters and digits of the Markdown that are in the file itself: in literals, and
    /// in typed text.
    pub fn own_letters(&self) -> (usize, usize) {
        self.parts
            .iter()
            .fold((0, 0), |(literal, typed), part| match part {
                Part::Literal(text) => (literal + letters(text), typed),
                Part::Range(_) => (literal, typed),
                Part::Typed { typed: text } => (literal, typed + letters(text)),
            })
    }

    /// Checks that no literal is longer than allowed.
    ///
    /// # Errors
    /// If one is; the message begins with its first words.
    pub fn check(&self) -> Result<(), String> {
        self.parts.iter().try_for_each(|part| match part {
            Part::Literal(text) if letters(text) > MAX_LITERAL_LETTERS => Err(format!(
                "the literal {:?} has more than {MAX_LITERAL_LETTERS} letters; make the recipe again",
                vclean_core::text::excerpt(text, 20)
            )),
            _ => Ok(()),
        })
    }
}

/// Number of letters and digits.
pub(super) fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// The texts of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageText {
    text: String,
    collapsed: String,
    addresses: String,
}

impl PageText {
    /// Collects the texts of a parsed page.
    pub fn of(dom: &Dom) -> Self {
        let text: String = dom.ids().filter_map(|id| dom.text(id)).collect();
        let addresses: Vec<&str> = dom
            .ids()
            .filter_map(|id| dom.attribute(id, "href"))
            .collect();
        Self {
            collapsed: collapse_runs(&text),
            addresses: addresses.join("\n"),
            text,
        }
    }

    /// The text that a range of this source refers to.
    pub fn get(&self, source: Source) -> &str {
        match source {
            Source::Text => &self.text,
            Source::Collapsed => &self.collapsed,
            Source::Addresses => &self.addresses,
        }
    }
}

/// Replaces each run of white space by one space; the ends are not trimmed.
fn collapse_runs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::html::parse_html;

    fn recipe(parts: Vec<Part>) -> Recipe {
        Recipe {
            set: "s".into(),
            id: "i".into(),
            page: "00".into(),
            gold: "11".into(),
            unseen: true,
            parts,
        }
    }

    #[test]
    fn a_recipe_is_one_line_of_json() {
        let range = Range {
            source: Source::Collapsed,
            skip: -3,
            length: 12,
        };
        let made = recipe(vec![
            Part::Literal("# ".into()),
            Part::Range(range),
            Part::Typed {
                typed: "\\frac{1}{2}".into(),
            },
        ]);
        let line = serde_json::to_string(&made).unwrap();
        assert!(
            line.ends_with(r##""parts":["# ",[1,-3,12],{"typed":"\\frac{1}{2}"}]}"##),
            "{line}"
        );
        assert_eq!(serde_json::from_str::<Recipe>(&line).unwrap(), made);
        assert!(serde_json::from_str::<Recipe>(&line.replace("[1,", "[3,")).is_err());
        assert_eq!(made.own_letters(), (0, 6));
    }

    #[test]
    fn a_literal_has_a_limit_and_typed_text_none() {
        let long = "a b ".repeat(21);
        assert!(
            recipe(vec![Part::Literal(long.clone())])
                .check()
                .unwrap_err()
                .contains("more than 40 letters")
        );
        assert!(
            recipe(vec![Part::Literal("| --- ".repeat(99))])
                .check()
                .is_ok()
        );
        assert!(recipe(vec![Part::Typed { typed: long }]).check().is_ok());
    }

    #[test]
    fn texts_are_joined_in_document_order() {
        let page = PageText::of(&parse_html(
            "<p>One <a href='/x'>two</a>\n  three</p><a href=y>four</a>",
        ));
        assert_eq!(page.get(Source::Text), "One two\n  threefour");
        assert_eq!(page.get(Source::Collapsed), "One two threefour");
        assert_eq!(page.get(Source::Addresses), "/x\ny");
    }
}
