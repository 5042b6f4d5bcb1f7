//! The decision on a target: its label, margin and probability, and the features that caused it;
//! and the kind of a page.

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
    /// Navigation, advertisement, notice, footer: all else that is not the page's text.
    Boilerplate,
}

impl Label {
    /// Its name in files.
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
    /// The label at the threshold.
    pub label: Label,
    /// Calibrated probability of being a reader's comment, 0 to 1, of a target that is not content;
    /// `None` for content, and if the model does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comments: Option<f32>,
}

/// A model's decisions on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageDecision {
    /// One per target, in their order.
    pub targets: Vec<Decision>,
    /// What kind of page it is; `None` if the model does not tell kinds apart.
    pub kind: Option<LikelyKind>,
    /// Probability from which targets of this page are content, 0 to 1.
    pub threshold: f32,
}

/// The effect of one feature on a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Column name.
    pub feature: String,
    /// Its value for this target.
    pub value: f32,
    /// Margin with this value minus margin with the training mean instead of it; above 0 indicates
    /// content.
    pub weight: f32,
}

/// What kind of page a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageKind {
    /// One text: news, a blog post, a recipe.
    Article,
    /// Several texts or items that were put together, such as the best of a year.
    Collection,
    /// Instructions or a reference.
    Documentation,
    /// A thread of posts by several people.
    Forum,
    /// Teasers and links to other pages.
    Listing,
    /// One thing that is for sale.
    Product,
    /// What a firm or a person offers, a home page, a page about somebody.
    Service,
}

/// The probability of each of [`PageKind::ALL`].
pub(crate) type PageKinds = [f32; PageKind::ALL.len()];

/// The most probable kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LikelyKind {
    /// The kind.
    pub kind: PageKind,
    /// Its probability, 0 to 1.
    pub probability: f32,
}

impl LikelyKind {
    /// The most probable of `kinds`, the first of several.
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

    /// Its name, such as `article`.
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

    /// Its place in [`ALL`](Self::ALL).
    pub fn index(self) -> usize {
        self as usize
    }

    /// The kind that a data set calls `page_type`; `None` for a name that fits none of the kinds.
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
