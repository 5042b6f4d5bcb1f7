//! The decision on a target: its label, margin, probability and the features that caused it; also
//! the kind of a page.

use serde::{Deserialize, Serialize};

/// The label of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Running text, its headings, lists, tables and code.
    Content,
    /// Readers' comments under the page's text; not content. The posts of a forum thread are
    /// content.
    Comments,
    /// Navigation, advertisements, notices, footers: everything else that is not the page's text.
    Boilerplate,
}

impl Label {
    /// Name of the label in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Comments => "comments",
            Self::Boilerplate => "boilerplate",
        }
    }
}

/// A model's decision on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Signed distance from the decision boundary; above 0 indicates content.
    pub margin: f32,
    /// Calibrated probability of content, 0 to 1.
    pub probability: f32,
    /// Label at the page's threshold.
    pub label: Label,
    /// Calibrated probability, 0 to 1, that a target is a reader's comment; `None` for content, and
    /// if the model cannot recognize comments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comments: Option<f32>,
}

/// A model's decisions on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageDecision {
    /// One decision per target, in document order.
    pub targets: Vec<Decision>,
    /// The most probable kind of the page; `None` if the model does not predict kinds.
    pub kind: Option<LikelyKind>,
    /// Probability from which targets of this page are content, 0 to 1.
    pub threshold: f32,
}

/// The effect of one feature on a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Dotted name of the feature's column.
    pub feature: String,
    /// The feature's value for this target.
    pub value: f32,
    /// Margin with this value minus margin with the training mean in its place; above 0 indicates
    /// content.
    pub weight: f32,
}

/// The kind of a page, as a network predicts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageKind {
    /// One text: news, a blog post, a recipe.
    Article,
    /// Several texts or items put together, such as the best of a year.
    Collection,
    /// Instructions or a reference.
    Documentation,
    /// A thread of posts by several people.
    Forum,
    /// Teasers and links to other pages.
    Listing,
    /// One thing that is for sale.
    Product,
    /// The offer of a firm or a person, a home page, or a page about somebody.
    Service,
}

/// The probability of each of [`PageKind::ALL`].
pub(crate) type PageKinds = [f32; PageKind::ALL.len()];

/// The most probable kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LikelyKind {
    /// The kind with the highest probability.
    pub kind: PageKind,
    /// Probability of this kind, 0 to 1.
    pub probability: f32,
}

impl LikelyKind {
    /// The most probable of `kinds`; the first one if several are equal.
    pub fn from_kinds(kinds: &PageKinds) -> Self {
        let first = Self {
            kind: PageKind::ALL[0],
            probability: kinds[0],
        };
        let others = PageKind::ALL.into_iter().zip(kinds).skip(1);
        others.fold(first, |best, (kind, &probability)| {
            if probability > best.probability {
                Self { kind, probability }
            } else {
                best
            }
        })
    }
}

impl PageKind {
    /// All kinds, in the order of the network's outputs.
    pub const ALL: [Self; 7] = [
        Self::Article,
        Self::Collection,
        Self::Documentation,
        Self::Forum,
        Self::Listing,
        Self::Product,
        Self::Service,
    ];

    /// Name in files and output, such as `article`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Article => "article",
            Self::Collection => "collection",
            Self::Documentation => "documentation",
            Self::Forum => "forum",
            Self::Listing => "listing",
            Self::Product => "product",
            Self::Service => "service",
        }
    }

    /// Position in [`ALL`](Self::ALL), from 0.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The kind for a `page_type` of a data set; `None` if the name matches none of the kinds.
    pub fn from_page_type(page_type: &str) -> Option<Self> {
        let other_names = [
            ("recipe", Self::Article),
            ("docs", Self::Documentation),
            ("doc", Self::Documentation),
            ("home", Self::Service),
            ("about", Self::Service),
        ];
        let own = Self::ALL.into_iter().find(|kind| kind.name() == page_type);
        own.or_else(|| {
            other_names
                .into_iter()
                .find(|(name, _)| *name == page_type)
                .map(|(_, kind)| kind)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_probable_kind_is_named() {
        let likely = LikelyKind::from_kinds(&[0.1, 0.0, 0.2, 0.5, 0.0, 0.1, 0.1]);
        assert_eq!(
            likely,
            LikelyKind {
                kind: PageKind::Forum,
                probability: 0.5
            }
        );
        assert_eq!(LikelyKind::from_kinds(&[0.0; 7]).kind, PageKind::Article);
    }

    #[test]
    fn names_of_data_sets_are_known_and_others_are_not_guessed() {
        for (index, kind) in PageKind::ALL.into_iter().enumerate() {
            assert_eq!(
                (kind.index(), PageKind::from_page_type(kind.name())),
                (index, Some(kind))
            );
            assert_eq!(serde_json::to_value(kind).ok(), Some(kind.name().into()));
        }
        assert_eq!(
            PageKind::from_page_type("docs"),
            Some(PageKind::Documentation)
        );
        assert_eq!(PageKind::from_page_type("home"), Some(PageKind::Service));
        assert_eq!(PageKind::from_page_type("recipe"), Some(PageKind::Article));
        assert_eq!(PageKind::from_page_type("video"), None);
    }
}
