//! The `hint` group: words in the class and id of an element and its ancestors.
//!
//! The evidence is weak, so it is a group of its own that can be switched off: sites name their
//! elements freely, mostly in English whatever the language of the page. Only whole words count
//! (see [`names`](super::names)). The group [`markup`](super::markup) learns the weights of words
//! from pages, unlike these hand-written lists.

use super::column::{Column, FLAG, Feature, OURS, ValueRange, columns_of, flag, join_columns};
use super::names::{NameWord, each_word, word_of};
use super::page::PageView;
use super::table::{FeatureGroup, GroupRows, fill_row};
use crate::capture::{Dom, NodeId};
use crate::target::Target;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Number of levels above an element that are searched for hints; the value falls by an eighth per
/// level (heuristic: 6 to 8 levels lie between a paragraph and the column that holds it).
const REACH: u8 = 8;

/// A kind of words and the column that measures it: 1 minus an eighth for each level up to the
/// nearest element with such a word in its class or id.
struct Kind {
    column: Column,
    /// Weight in `hint.balance`: 1 for content, -1 for boilerplate, 0 for neither.
    sign: f32,
    /// The words, separated by white space; a word may belong to several kinds.
    words: &'static str,
}

/// Unit and bounds of a kind's column.
const STRENGTH: ValueRange = ValueRange::new("strength", 0.0, 1.0);
const PEERS: &str = "Readability, trafilatura and jusText name such words";

macro_rules! kind {
    ($name:literal, $sign:literal, $examples:literal, $words:literal) => {
        Kind {
            column: Column {
                name: concat!("hint.", $name),
                range: STRENGTH,
                meaning: concat!(
                    "class or id words such as ",
                    $examples,
                    ": 1 at the text's own element, an eighth less a level up, 0 from eight levels"
                ),
                source: PEERS,
            },
            sign: $sign,
            words: $words,
        }
    };
}

const KINDS: [Kind; 18] = [
    kind!(
        "content",
        1.0,
        "article, content, post, entry",
        "article articles content main post entry body text story blog prose markdown richtext rich copy \
         paragraph maincontent articlebody wysiwyg document doc docs news column description answer question \
         message bodytext lead intro abstract"
    ),
    kind!(
        "navigation",
        -1.0,
        "nav, menu, breadcrumb",
        "nav navbar navi navigation menu menus submenu breadcrumb breadcrumbs crumb crumbs topbar toolbar tabs \
         tab sitemap megamenu dropdown hamburger subnav topnav mainnav"
    ),
    kind!(
        "footer",
        -1.0,
        "footer, copyright, legal",
        "footer foot copyright colophon legal imprint bottom disclaimer footnav subfooter"
    ),
    kind!(
        "sidebar",
        -1.0,
        "sidebar, widget, aside",
        "sidebar side widget widgets aside rail secondary sidenav rightcol leftcol blogroll"
    ),
    kind!(
        "share",
        -1.0,
        "share, social, follow",
        "share sharing social facebook twitter addthis sharethis whatsapp pinterest follow like likes sharedaddy \
         tweet linkedin shares socials reactions"
    ),
    kind!(
        "comment",
        -1.0,
        "comment, reply, review",
        "comment comments reply replies disqus respond commentlist discussion review reviews trackback trackbacks \
         livefyre"
    ),
    kind!(
        "related",
        -1.0,
        "related, recommended, more, latest",
        "related recommend recommended recommendation recommendations recommends more similar trending popular \
         latest recent suggested suggestions outbrain taboola next prev previous readmore upsell crosssell \
         discover"
    ),
    kind!(
        "advertisement",
        -1.0,
        "ad, promo, sponsor, banner",
        "ad ads adv advert advertisement advertising promo promos promotion sponsor sponsored sponsors banner \
         banners adsense dfp gpt affiliate cta teaserad adbox adslot"
    ),
    kind!(
        "consent",
        -1.0,
        "cookie, consent, gdpr",
        "cookie cookies consent gdpr ccpa onetrust cookiebot privacy didomi cc cmp"
    ),
    kind!(
        "overlay",
        -1.0,
        "popup, modal, newsletter",
        "popup modal overlay newsletter subscribe subscription lightbox dialog paywall signup optin toast flyout \
         drawer offcanvas mailchimp notification notice alert"
    ),
    kind!(
        "byline",
        -0.5,
        "meta, byline, date, tags, author",
        "meta byline date tag tags author authors time timestamp published category categories bio avatar info \
         posted credit credits dateline taxonomy topics keywords label labels badge eyebrow kicker reading"
    ),
    kind!(
        "pagination",
        -1.0,
        "pagination, pager, paging",
        "pagination pager paging paginator pages paginate page pagenavi loadmore"
    ),
    kind!(
        "contents",
        -0.5,
        "toc, contents, outline",
        "toc contents outline onthispage scrollspy anchors jumplinks"
    ),
    kind!(
        "hidden",
        -0.5,
        "hidden, sr, visually, skip",
        "hidden hide invisible sr screenreader screen reader visuallyhidden visually offscreen skip skiplink \
         noprint print collapsed tooltip"
    ),
    kind!(
        "header",
        -0.5,
        "header, masthead, logo, hero",
        "header head masthead logo brand branding top site hero jumbotron"
    ),
    kind!(
        "listing",
        0.0,
        "card, grid, item, teaser, product",
        "list grid card cards item items teaser teasers product products listing tile tiles result results \
         archive feed loop gallery carousel slider slide swiper thumbnail thumb excerpt summary shop price cart"
    ),
    kind!(
        "form",
        -0.5,
        "form, search, login, button",
        "form search login signin contact button btn input field submit register account"
    ),
    kind!(
        "title",
        0.5,
        "title, headline, subtitle, caption",
        "title headline heading subtitle h hed dek caption standfirst"
    ),
];

/// The strength of each kind at one target, in the order of [`KINDS`].
type Strengths = [f32; KINDS.len()];

type Formula = fn(&Strengths) -> f32;

/// Columns that are computed from all kinds together.
const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "hint.balance",
        ValueRange::new("strength", -4.0, 4.0),
        "content words less the words of all other kinds, by strength; title words for, byline, header and form words half against",
        "ours, after Readability's class weight",
        |strengths| {
            strengths
                .iter()
                .zip(&KINDS)
                .map(|(strength, kind)| strength * kind.sign)
                .sum()
        },
    ),
    Feature::new(
        "hint.has_any",
        FLAG,
        "some word of any kind is in reach",
        OURS,
        |strengths| flag(strengths.iter().any(|&strength| strength > 0.0)),
    ),
];

const KIND_COLUMNS: [Column; KINDS.len()] = {
    let mut columns = [KINDS[0].column; KINDS.len()];
    let mut index = 0;
    while index < KINDS.len() {
        columns[index] = KINDS[index].column;
        index += 1;
    }
    columns
};

const COLUMNS: [Column; KINDS.len() + FEATURES.len()] = join_columns(
    &KIND_COLUMNS,
    &columns_of::<_, { FEATURES.len() }>(FEATURES),
);

pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "hint",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

/// A set of kinds, one bit each.
type Mask = u32;

static DICTIONARY: LazyLock<FxHashMap<NameWord, Mask>> = LazyLock::new(|| {
    let mut dictionary = FxHashMap::default();
    for (index, kind) in KINDS.iter().enumerate() {
        for word in kind.words.split_ascii_whitespace() {
            *dictionary.entry(word_of(word)).or_insert(0) |= 1 << index;
        }
    }
    dictionary
});

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let mut words = Words::new(&view.capture.dom);
    for (target, row) in view.targets.iter().zip(rows.iter_mut()) {
        let distances = words.distances(target);
        let strengths: Strengths =
            distances.map(|distance| 1.0 - f32::from(distance) / f32::from(REACH));
        let (of_kinds, of_all) = row.split_at_mut(KINDS.len());
        of_kinds.copy_from_slice(&strengths);
        fill_row!(of_all, &strengths, FEATURES);
    }
}

/// Words of a node's class and id.
#[derive(Debug, Clone, Copy)]
enum Node {
    Unknown,
    /// An element, with the kinds of the words in its class and id.
    Element(Mask),
    /// `html` or `body`, whose words describe the whole page: `post-template`, `sidebar-right`.
    Page,
    /// A text or the document of a frame, which has no words of its own.
    Other,
}

/// The words of a page's elements, parsed on demand.
struct Words<'v> {
    dom: &'v Dom,
    /// Kinds by attribute value.
    known: FxHashMap<&'v str, Mask>,
    nodes: Vec<Node>,
}

impl<'v> Words<'v> {
    fn new(dom: &'v Dom) -> Self {
        Self {
            dom,
            known: FxHashMap::default(),
            nodes: vec![Node::Unknown; dom.len()],
        }
    }

    fn at(&mut self, id: NodeId) -> Node {
        let dom = self.dom;
        if matches!(self.nodes[id.index()], Node::Unknown) {
            self.nodes[id.index()] = if !dom.is_element(id) {
                Node::Other
            } else if matches!(dom.tag(id), "html" | "body") {
                Node::Page
            } else {
                let mut mask = 0;
                for (name, words) in dom.attributes(id).iter() {
                    if matches!(name, "class" | "id") {
                        mask |= *self.known.entry(words).or_insert_with(|| mask_of(words));
                    }
                }
                Node::Element(mask)
            };
        }
        self.nodes[id.index()]
    }

    /// For each kind, the number of levels up to the nearest element with a word of that kind, at
    /// most [`REACH`]. Inline elements around the first text do not add to the distances of the
    /// container and its ancestors.
    fn distances(&mut self, target: &Target) -> [u8; KINDS.len()] {
        let (dom, container) = (self.dom, target.container);
        let mut distances = [REACH; KINDS.len()];
        self.approach(
            dom.ancestors(target.first())
                .take_while(|&id| id != container),
            &mut distances,
        );
        self.approach(
            std::iter::once(container).chain(dom.ancestors(container)),
            &mut distances,
        );
        distances
    }

    /// Lowers the distances to those of the words at the elements of `path`, from the innermost
    /// outwards.
    fn approach(&mut self, path: impl Iterator<Item = NodeId>, distances: &mut [u8; KINDS.len()]) {
        let mut level = 0;
        for id in path {
            match self.at(id) {
                Node::Unknown | Node::Other => {}
                Node::Page => return,
                Node::Element(mut mask) => {
                    while mask != 0 {
                        let distance = &mut distances[mask.trailing_zeros() as usize];
                        *distance = level.min(*distance);
                        mask &= mask - 1;
                    }
                    level += 1;
                    if level == REACH {
                        return;
                    }
                }
            }
        }
    }
}

/// The kinds of all words in the value of a class or id attribute.
fn mask_of(words: &str) -> Mask {
    let mut mask = 0;
    each_word(words, |word| {
        mask |= DICTIONARY.get(&word).copied().unwrap_or(0);
    });
    mask
}

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::measure;
    use super::*;
    use crate::target::{TargetRule, select};

    fn values(html: &str, name: &str) -> Vec<f32> {
        let capture = page(html);
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        table.column(name).unwrap().to_vec()
    }

    #[test]
    fn words_are_whole_and_count_less_with_distance() {
        let html = "<div class=mainNav2><div><p>one</p></div></div><p class=canvas>two</p><p id=top-navBar>three</p>";
        assert_eq!(values(html, "hint.navigation"), [0.75, 0.0, 1.0]);
        assert_eq!(values(html, "hint.content"), [0.75, 0.0, 0.0]);
        assert_eq!(values(html, "hint.header"), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn every_word_is_found() {
        for (index, word) in KINDS.iter().enumerate().flat_map(|(index, kind)| {
            kind.words
                .split_ascii_whitespace()
                .map(move |word| (index, word))
        }) {
            assert!(word.len() < 16 && mask_of(word) & 1 << index != 0, "{word}");
            assert_eq!(mask_of(&format!("{}{word}", "x".repeat(30))), 0, "{word}");
        }
        assert_eq!(mask_of(&"-".repeat(499)), 0);
        assert_eq!(
            mask_of(&format!("{}navBar", "é".repeat(497))),
            mask_of("nav")
        );
    }

    #[test]
    fn words_of_inline_elements_count() {
        assert_eq!(
            values(
                "<div><span class=date>5 May</span> <b>x</b></div>",
                "hint.byline"
            ),
            [1.0]
        );
        assert_eq!(
            values("<div><span class=date>5 May</span></div>", "hint.balance"),
            [-0.5]
        );
    }
}
