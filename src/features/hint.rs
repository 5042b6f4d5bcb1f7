//! The `hint` group: what class and id words say of an element and those above it.
//!
//! Weak evidence, kept in a group of its own so that it can be switched off: sites name their elements as they like,
//! mostly in English whatever the language of the page. A word counts where it is a whole word after splitting at
//! `-`, `_`, digits and a capital after a small letter: `navBar-2` is `nav` and `bar`.

use super::page::PageView;
use super::{Column, FLAG, Feature, FeatureGroup, columns_of, flag};
use crate::capture::NodeId;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Levels above an element that a hint reaches: its value falls by an eighth a level (taste; 6 to 8 levels lie between
/// a paragraph and the column it stands in).
const REACH: u8 = 8;

const CONTENT: usize = 0;
const NAVIGATION: usize = 1;
const FOOTER: usize = 2;
const SIDEBAR: usize = 3;
const SHARE: usize = 4;
const COMMENT: usize = 5;
const RELATED: usize = 6;
const ADVERTISEMENT: usize = 7;
const CONSENT: usize = 8;
const OVERLAY: usize = 9;
const BYLINE: usize = 10;
const PAGINATION: usize = 11;
const CONTENTS: usize = 12;
const HIDDEN: usize = 13;
const HEADER: usize = 14;
const LISTING: usize = 15;
const FORM: usize = 16;
const TITLE: usize = 17;
const KINDS: usize = 18;

/// Words by kind, in the order of the constants above.
const WORDS: [&str; KINDS] = [
    "article articles content main post entry body text story blog prose markdown richtext rich copy \
     paragraph maincontent articlebody wysiwyg document doc docs news column description answer question \
     message bodytext lead intro abstract",
    "nav navbar navi navigation menu menus submenu breadcrumb breadcrumbs crumb crumbs topbar toolbar tabs \
     tab sitemap megamenu dropdown hamburger subnav topnav mainnav",
    "footer foot copyright colophon legal imprint bottom disclaimer footnav subfooter",
    "sidebar side widget widgets aside rail secondary sidenav rightcol leftcol blogroll",
    "share sharing social facebook twitter addthis sharethis whatsapp pinterest follow like likes sharedaddy \
     tweet linkedin shares socials reactions",
    "comment comments reply replies disqus respond commentlist discussion review reviews trackback trackbacks \
     livefyre",
    "related recommend recommended recommendation recommendations recommends more similar trending popular \
     latest recent suggested suggestions outbrain taboola next prev previous readmore upsell crosssell \
     discover",
    "ad ads adv advert advertisement advertising promo promos promotion sponsor sponsored sponsors banner \
     banners adsense dfp gpt affiliate cta teaserad adbox adslot",
    "cookie cookies consent gdpr ccpa onetrust cookiebot privacy didomi cc cmp",
    "popup modal overlay newsletter subscribe subscription lightbox dialog paywall signup optin toast flyout \
     drawer offcanvas mailchimp notification notice alert",
    "meta byline date tag tags author authors time timestamp published category categories bio avatar info \
     posted credit credits dateline taxonomy topics keywords label labels badge eyebrow kicker reading",
    "pagination pager paging paginator pages paginate page pagenavi loadmore",
    "toc contents outline onthispage scrollspy anchors jumplinks",
    "hidden hide invisible sr screenreader screen reader visuallyhidden visually offscreen skip skiplink \
     noprint print collapsed tooltip",
    "header head masthead logo brand branding top site hero jumbotron",
    "list grid card cards item items teaser teasers product products listing tile tiles result results \
     archive feed loop gallery carousel slider slide swiper thumbnail thumb excerpt summary shop price cart",
    "form search login signin contact button btn input field submit register account",
    "title headline heading subtitle h hed dek caption standfirst",
];

/// How a kind counts in `hint.balance`: 1 speaks for content, -1 against it, 0 neither.
const SIGNS: [f32; KINDS] =
    [1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -0.5, -1.0, -0.5, -0.5, -0.5, 0.0, -0.5, 0.5];

/// The kinds of each word, a bit a kind.
static DICTIONARY: LazyLock<HashMap<&str, Mask>> = LazyLock::new(|| {
    let mut dictionary = HashMap::new();
    for (kind, words) in WORDS.iter().enumerate() {
        for word in words.split_ascii_whitespace() {
            *dictionary.entry(word).or_insert(0) |= 1 << kind;
        }
    }
    dictionary
});

type Mask = u32;
type Of = fn(&[f32; KINDS]) -> f32;

const STRENGTH: &str = "strength, 0 to 1";
const PEERS: &str = "Readability, trafilatura and jusText name such words";

const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

/// The group.
pub(super) const GROUP: FeatureGroup = FeatureGroup { name: "hint", needs_layout: false, columns: &COLUMNS, measure };

macro_rules! hint {
    ($name:literal, $kind:ident, $examples:literal) => {
        Feature::new(
            concat!("hint.", $name),
            STRENGTH,
            concat!(
                "class or id words such as ",
                $examples,
                ": 1 at the text's own element, an eighth less a level up, 0 from eight levels"
            ),
            PEERS,
            |strength| strength[$kind],
        )
    };
}

const FEATURES: &[Feature<Of>] = &[
    hint!("content", CONTENT, "article, content, post, entry"),
    hint!("navigation", NAVIGATION, "nav, menu, breadcrumb"),
    hint!("footer", FOOTER, "footer, copyright, legal"),
    hint!("sidebar", SIDEBAR, "sidebar, widget, aside"),
    hint!("share", SHARE, "share, social, follow"),
    hint!("comment", COMMENT, "comment, reply, review"),
    hint!("related", RELATED, "related, recommended, more, latest"),
    hint!("advertisement", ADVERTISEMENT, "ad, promo, sponsor, banner"),
    hint!("consent", CONSENT, "cookie, consent, gdpr"),
    hint!("overlay", OVERLAY, "popup, modal, newsletter"),
    hint!("byline", BYLINE, "meta, byline, date, tags, author"),
    hint!("pagination", PAGINATION, "pagination, pager, paging"),
    hint!("contents", CONTENTS, "toc, contents, outline"),
    hint!("hidden", HIDDEN, "hidden, sr, visually, skip"),
    hint!("header", HEADER, "header, masthead, logo, hero"),
    hint!("listing", LISTING, "card, grid, item, teaser, product"),
    hint!("form", FORM, "form, search, login, button"),
    hint!("title", TITLE, "title, headline, subtitle, caption"),
    Feature::new(
        "hint.balance",
        "strength, -4 to 4",
        "content words less the words of all other kinds, by strength; title words for, byline, header and form words half against",
        "ours, after Readability's class weight",
        |strength| strength.iter().zip(SIGNS).map(|(strength, sign)| strength * sign).sum(),
    ),
    Feature::new("hint.has_any", FLAG, "some word of any kind is in reach", "ours", |strength| {
        flag(strength.iter().any(|&strength| strength > 0.0))
    }),
];

fn measure(view: &PageView<'_>, rows: &mut [Vec<f32>]) {
    let distances = distances(view);
    let dom = &view.capture.dom;
    for (target, row) in view.targets.iter().zip(rows) {
        // Inline elements around the first text speak for the target as much as its container does.
        let inner = dom.parent(target.first()).unwrap_or(target.container);
        let mut strength = [0.0f32; KINDS];
        for (kind, strength) in strength.iter_mut().enumerate() {
            let distance = distances[inner.index()][kind].min(distances[target.container.index()][kind]);
            *strength = 1.0 - f32::from(distance) / f32::from(REACH);
        }
        for (value, feature) in row.iter_mut().zip(FEATURES) {
            *value = (feature.of)(&strength);
        }
    }
}

/// By node and kind, levels up to the nearest element with a word of that kind, at most [`REACH`].
fn distances(view: &PageView<'_>) -> Vec<[u8; KINDS]> {
    let dom = &view.capture.dom;
    let mut known: HashMap<&str, Mask> = HashMap::new();
    let mut distances = vec![[REACH; KINDS]; dom.len()];
    for id in dom.ids().skip(1) {
        let parent = dom.parent(id).map_or(0, NodeId::index);
        let mut own = distances[parent];
        if !dom.is_element(id) {
            // Text stands where its element stands.
            distances[id.index()] = own;
            continue;
        }
        if matches!(dom.tag(id), "html" | "body") {
            // Their words are about the whole page: `post-template`, `sidebar-right`.
            continue;
        }
        let mask = dom
            .attributes(id)
            .iter()
            .filter(|(name, _)| matches!(&**name, "class" | "id"))
            .map(|(_, words)| *known.entry(words).or_insert_with(|| mask_of(words)))
            .fold(0, |sum, mask| sum | mask);
        own = own.map(|distance| (distance + 1).min(REACH));
        if mask != 0 {
            for (kind, distance) in own.iter_mut().enumerate() {
                if mask >> kind & 1 == 1 {
                    *distance = 0;
                }
            }
        }
        distances[id.index()] = own;
    }
    distances
}

/// The kinds of all words in a class or id attribute.
fn mask_of(words: &str) -> Mask {
    let mut mask = 0;
    let mut word = String::new();
    let mut was_lower = false;
    // Beyond any attribute that was written by hand; a data dump in a class is no hint.
    for c in words.chars().take(500).chain([' ']) {
        let ends = !c.is_ascii_alphabetic() || (c.is_ascii_uppercase() && was_lower);
        if ends && !word.is_empty() {
            mask |= DICTIONARY.get(&word[..]).copied().unwrap_or(0);
            word.clear();
        }
        if c.is_ascii_alphabetic() {
            word.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_ascii_lowercase();
    }
    mask
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::fixture::page;
    use super::super::measure;
    use crate::target::{TargetRule, select};

    fn values(html: &str, name: &str) -> Vec<f32> {
        let capture = page(html);
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        table.column(name).unwrap().to_vec()
    }

    #[test]
    fn words_are_whole_and_fade_with_distance() {
        let html = "<div class=mainNav2><div><p>one</p></div></div><p class=canvas>two</p><p id=top-navBar>three</p>";
        assert_eq!(values(html, "hint.navigation"), [0.75, 0.0, 1.0]);
        assert_eq!(values(html, "hint.content"), [0.75, 0.0, 0.0]);
        assert_eq!(values(html, "hint.header"), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn inline_elements_speak_for_their_text() {
        assert_eq!(values("<div><span class=date>5 May</span> <b>x</b></div>", "hint.byline"), [1.0]);
        assert_eq!(values("<div><span class=date>5 May</span></div>", "hint.balance"), [-0.5]);
    }
}
