//! The labels that a person gives: one label per block, and a mark for its kind of text.

use crate::evaluate::BlockScore;
use crate::evaluate::agreement::kappa;
use serde::{Deserialize, Serialize};
use vclean_core::classify::Label;

/// The label of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockLabel {
    /// Belongs to the page's text.
    Content,
    /// Navigation, advertisement, notice, footer.
    Boilerplate,
    /// A comment of a reader.
    Comments,
    /// The person cannot tell; training leaves the block out.
    Unsure,
}

/// Kind of text of a block, for marked gold (`<h>`, `<p>`, `<l>`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A heading of any level.
    Heading,
    /// A paragraph, or any other text.
    Paragraph,
    /// An item of a list.
    ListItem,
}

/// A label or a mark as the page offers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Choice {
    /// Its name in files and requests.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The key that sets it, unless the person has changed the keys.
    pub key: &'static str,
    /// Description of the blocks that it is for.
    pub meaning: &'static str,
}

const fn choice(
    name: &'static str,
    title: &'static str,
    key: &'static str,
    meaning: &'static str,
) -> Choice {
    Choice {
        name,
        title,
        key,
        meaning,
    }
}

/// The labels, in the order in which they are shown.
pub(crate) const LABELS: [Choice; 4] = [
    choice(
        "content",
        "Content",
        "c",
        "the text that the page is read for, with its headings, lists, tables and code",
    ),
    choice(
        "boilerplate",
        "Boilerplate",
        "b",
        "all else: menus, advertisement, notices, buttons, related links, footers",
    ),
    choice(
        "comments",
        "Comments",
        "m",
        "what readers wrote below the text; the posts of a forum are content",
    ),
    choice(
        "unsure",
        "Unsure",
        "u",
        "cannot be decided; training leaves the block out",
    ),
];

/// The marks, in the order in which they are shown.
pub(crate) const MARKS: [Choice; 3] = [
    choice("heading", "Heading", "h", "content that is a heading"),
    choice("paragraph", "Paragraph", "p", "content that is a paragraph"),
    choice(
        "list_item",
        "List item",
        "l",
        "content that is an item of a list",
    ),
];

impl BlockLabel {
    /// All labels, in the order of [`LABELS`].
    pub const ALL: [Self; LABELS.len()] = [
        Self::Content,
        Self::Boilerplate,
        Self::Comments,
        Self::Unsure,
    ];

    /// Its name in files and requests.
    pub fn name(self) -> &'static str {
        LABELS[self as usize].name
    }

    /// The label with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.name() == name)
    }

    /// The label for the rest of the program; `None` for a block that is left out.
    pub fn decided(self) -> Option<Label> {
        match self {
            Self::Content => Some(Label::Content),
            Self::Boilerplate => Some(Label::Boilerplate),
            Self::Comments => Some(Label::Comments),
            Self::Unsure => None,
        }
    }
}

impl From<Label> for BlockLabel {
    fn from(label: Label) -> Self {
        match label {
            Label::Content => Self::Content,
            Label::Boilerplate => Self::Boilerplate,
            Label::Comments => Self::Comments,
        }
    }
}

impl Mark {
    /// All marks, in the order of [`MARKS`].
    pub const ALL: [Self; MARKS.len()] = [Self::Heading, Self::Paragraph, Self::ListItem];

    /// Its name in files and requests.
    pub fn name(self) -> &'static str {
        MARKS[self as usize].name
    }

    /// The mark with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.name() == name)
    }

    /// Tag before its text in marked gold, such as `<h>`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Heading => "<h>",
            Self::Paragraph => "<p>",
            Self::ListItem => "<l>",
        }
    }
}

// Agreement of two labellings of the same blocks, as `vclean lab agreement` counts it: content
// against the rest, without blocks on which one of them is unsure.

/// The agreement of two labellings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LabelAgreement {
    /// Cohen's kappa, -1 to 1.
    pub kappa: f64,
    /// Share of the blocks with the same label, 0 to 100.
    pub percent: f64,
    /// Number of blocks that were compared.
    pub blocks: u64,
    /// Number of pages that they are on.
    pub pages: usize,
}

/// Compares the labels of each page; `None` if there is no block to compare.
pub(crate) fn agreement(
    pages: impl IntoIterator<Item = Vec<[BlockLabel; 2]>>,
) -> Option<LabelAgreement> {
    let (mut sum, mut count) = (BlockScore::default(), 0);
    for pairs in pages {
        let decided = pairs
            .iter()
            .filter_map(|[one, other]| one.decided().zip(other.decided()));
        let score = BlockScore::count(decided);
        count += usize::from(score.blocks() > 0);
        sum = sum.plus(score);
    }
    (sum.blocks() > 0).then(|| LabelAgreement {
        kappa: kappa(sum),
        percent: 100.0 * sum.accuracy(),
        blocks: sum.blocks(),
        pages: count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use BlockLabel::{Boilerplate, Comments, Content, Unsure};
    use std::collections::BTreeSet;

    #[test]
    fn names_in_the_table_are_those_in_files() {
        for label in BlockLabel::ALL {
            assert_eq!(
                serde_json::to_string(&label).unwrap(),
                format!("{:?}", label.name())
            );
            assert_eq!(BlockLabel::from_name(label.name()), Some(label));
        }
        for mark in Mark::ALL {
            assert_eq!(
                serde_json::to_string(&mark).unwrap(),
                format!("{:?}", mark.name())
            );
            assert_eq!(Mark::from_name(mark.name()), Some(mark));
        }
        assert_eq!(BlockLabel::from_name("good"), None);
    }

    #[test]
    fn every_choice_has_its_own_key() {
        let keys: BTreeSet<&str> = LABELS
            .iter()
            .chain(&MARKS)
            .map(|choice| choice.key)
            .collect();
        assert_eq!(keys.len(), LABELS.len() + MARKS.len());
    }

    #[test]
    fn labels_of_the_model_keep_their_names() {
        for label in [Label::Content, Label::Boilerplate, Label::Comments] {
            assert_eq!(BlockLabel::from(label).name(), label.name());
            assert_eq!(BlockLabel::from(label).decided(), Some(label));
        }
    }

    #[test]
    fn unsure_blocks_are_left_out_and_pages_are_counted() {
        let found = agreement([
            vec![
                [Content, Content],
                [Content, Boilerplate],
                [Unsure, Content],
            ],
            vec![[Boilerplate, Comments], [Boilerplate, Boilerplate]],
            vec![[Unsure, Unsure]],
        ]);
        let Some(found) = found else {
            panic!("blocks were compared")
        };
        assert_eq!((found.blocks, found.pages, found.percent), (4, 2, 75.0));
        assert!((found.kappa - 0.5).abs() < 1e-9, "{}", found.kappa);
        assert_eq!(agreement([vec![[Unsure, Content]]]), None);
    }
}
