//! The heading that names the site above each of its pages, and the page's own heading beside it.
//!
//! A first-level heading names the site if it leads to the start page, is a logo, stands in the
//! page's header, or ends or begins `<title>`, and another heading is the rest of the title, or is
//! the only other one of its level. On a page without such another heading, and on the start page,
//! the name of the site is the title.

use crate::capture::{Dom, NodeId};
use crate::document::addresses::Addresses;
use crate::document::byline::tokens;
use crate::document::class_words::has_class_word;
use crate::document::metadata::is_in_elsewhere;
use crate::document::segments::heading_text::heading_text;
use crate::elements::{Element, heading_level};
use crate::text::{collapse, letters};
use std::cell::LazyCell;

/// Largest numbers of headings, of those that may name the site, and of nodes below each.
const MAX_HEADINGS: usize = 200;
const MAX_SITES: usize = 8;
const MAX_NODES: usize = 50;
/// Elements around a heading that are examined for the class of a logo, and for a link. Heuristic.
const MAX_AROUND: usize = 3;

const A: Element = Element::known("a");
const BODY: Element = Element::known("body");
const TITLE: Element = Element::known("title");
const META: Element = Element::known("meta");
/// Parts of a page in which a heading belongs to something else.
const ELSEWHERE: [Element; 3] = [
    Element::known("nav"),
    Element::known("footer"),
    Element::known("aside"),
];
/// Elements around the text, whose classes say nothing about a heading.
const AROUND_TEXT: [Element; 4] = [
    BODY,
    Element::known("html"),
    Element::known("main"),
    Element::known("article"),
];

/// Words of classes and ids of a logo, of a header, of the header of an article, and of headings
/// that are for screen readers alone or are the tagline of a site.
const LOGO: &str = "logo logotype branding wordmark sitename sitetitle sitebrand blogname portalname brandname \
     navbarbrand headerbrand";
const HEADER: &str = "header masthead banner topbar";
const HEADER_OF_TEXT: &str = "article entry post story content page";
const NOT_OWN: &str = "visuallyhidden sronly screenreader hidden tagline slogan description sitedescription subtitle motto claim";

/// The headings of the site and of the page; all are empty where no heading names the site.
#[derive(Debug, Default)]
pub(in crate::document) struct SiteHeading {
    /// The headings that name the site, or the small elements around them, and the name.
    sites: Vec<NodeId>,
    pub(in crate::document) name: Option<String>,
    /// The rest of a title that ends in the name, in lower case.
    pub(in crate::document) rest: Option<String>,
    /// The page's own heading.
    pub(in crate::document) own: Option<NodeId>,
}

impl SiteHeading {
    pub(in crate::document) fn find(dom: &Dom, addresses: &Addresses) -> Self {
        let mut found = Self::default();
        if addresses.is_home() {
            return found;
        }
        let headings = Headings::from_page(dom, addresses);
        for heading in headings
            .all
            .iter()
            .filter(|heading| heading.level == 1)
            .take(MAX_SITES)
        {
            if let Some(site) = headings.site(heading) {
                found.sites.extend(site.sites);
                found.name = found.name.or(site.name);
                found.rest = found.rest.or(site.rest);
                found.own = found.own.or(site.own);
            }
        }
        found
    }

    /// Returns true if an element is, or is in, a heading that names the site.
    pub(in crate::document) fn is_of_site(&self, dom: &Dom, id: NodeId) -> bool {
        self.sites.iter().any(|&site| dom.contains(site, id))
    }
}

/// The place of the site's name in a title, and the rest of the title.
enum Named {
    /// The name is at the end of the title.
    Before(String),
    /// The name is at the beginning of the title.
    After(String),
    /// The name is the whole title.
    Nothing,
    /// The title is without the name.
    Other,
}

#[derive(Debug)]
struct Heading {
    id: NodeId,
    level: u8,
    text: String,
    letters: String,
    /// True if it is in the navigation or beside the text.
    is_elsewhere: bool,
}

/// The headings of a page, with the titles and the name of the site in its head.
struct Headings<'a> {
    dom: &'a Dom,
    addresses: &'a Addresses,
    all: Vec<Heading>,
    titles: Vec<String>,
    site: Option<String>,
}

impl<'a> Headings<'a> {
    fn from_page(dom: &'a Dom, addresses: &'a Addresses) -> Self {
        let is_elsewhere = |id: NodeId| {
            dom.ancestors(id)
                .any(|up| ELSEWHERE.contains(&dom.element(up)))
        };
        let all = dom.ids().filter_map(|id| {
            let level = heading_level(dom.tag(id))?;
            let text = heading_text(dom, id)?;
            let heading = Heading {
                id,
                level,
                letters: letters(&text),
                text,
                is_elsewhere: is_elsewhere(id),
            };
            (!heading.letters.is_empty() && (level == 1 || !heading.is_elsewhere))
                .then_some(heading)
        });
        let all = all.take(MAX_HEADINGS).collect();
        Self {
            dom,
            addresses,
            all,
            titles: titles(dom),
            site: property(dom, "og:site_name"),
        }
    }

    /// The site that `heading` names, provided that there is another heading of the page, or more
    /// in the title before the name.
    fn site(&self, heading: &Heading) -> Option<SiteHeading> {
        let dom = self.dom;
        let link = self.link_home(heading);
        let name = link
            .as_ref()
            .map_or(heading.text.as_str(), |(name, _)| name);
        let name_letters = letters(name);
        let is_logo = || self.is_logo(heading);
        let is_site = || {
            self.site
                .as_deref()
                .is_some_and(|site| letters(site) == name_letters)
        };
        let is_marked = link.is_some() || is_logo() || is_site();
        let header = self.header_of(heading.id);
        let others: LazyCell<Vec<&Heading>, _> = LazyCell::new(|| {
            self.all
                .iter()
                .filter(|other| {
                    other.id != heading.id
                        && !other.is_elsewhere
                        && other.letters != heading.letters
                })
                .filter(|other| {
                    other.letters != name_letters && !has_class_word(dom, other.id, NOT_OWN)
                })
                .filter(|other| self.link_home(other).is_none() && !self.is_logo(other))
                .collect()
        });
        // If the title for social networks equals this heading, the heading does not name the site,
        // unless there is more evidence.
        let is_shared = self
            .titles
            .iter()
            .skip(1)
            .any(|title| letters(title) == name_letters);
        let says: Vec<Named> = self.titles.iter().map(|title| named(title, name)).collect();
        let is_in_no_title = !is_shared
            && says.iter().all(|says| matches!(says, Named::Other))
            && !self
                .titles
                .iter()
                .any(|title| letters(title).contains(&name_letters));
        let is_headline = dom
            .attribute(heading.id, "itemprop")
            .is_some_and(|value| value.contains("headline"));
        let after_header =
            |other: &Heading| header.is_some_and(|header| other.id.index() >= dom.end(header));
        let among = |is: &dyn Fn(&Heading) -> bool| -> Vec<&Heading> {
            others.iter().copied().filter(|other| is(other)).collect()
        };
        let find = |find: FindNamed| {
            says.iter()
                .zip(&self.titles)
                .find_map(|(says, title)| match says {
                    Named::Before(rest) if is_marked => find(&others, rest),
                    Named::Before(rest) if !is_shared && !is_headline => {
                        let is_longer =
                            letters(rest).chars().count() >= name_letters.chars().count();
                        find(&among(&|other| is_longer || after_header(other)), rest)
                    }
                    Named::After(rest) if is_marked || header.is_some() && !is_headline => {
                        let is_below = |other: &Heading| {
                            let is_apart =
                                other.id > heading.id && !self.are_together(heading, other);
                            is_apart && (is_marked || after_header(other))
                        };
                        find_whole(&among(&is_below), rest)
                    }
                    Named::Other if is_marked => find_most(&others, title),
                    Named::Other if is_in_no_title && !is_headline => {
                        let has_most = |other: &Heading| {
                            after_header(other) && is_one_in_the_other(&other.text, title)
                        };
                        find_whole(&among(&has_most), title)
                    }
                    _ => None,
                })
        };
        let found = find(find_whole).or_else(|| find(find_most));
        let begins_title = || says.iter().any(|says| matches!(says, Named::After(_)));
        let is_title = || says.iter().any(|says| matches!(says, Named::Nothing));
        // A heading that may link to the page itself is the page's title if `<title>` equals it.
        let is_certain =
            || is_site() || is_logo() || link.as_ref().is_some_and(|(_, is_certain)| *is_certain);
        let may_be_alone = || is_marked && !begins_title() && (is_certain() || !is_title());
        let own = found.or_else(|| {
            if may_be_alone() {
                self.alone(heading, &others)
            } else {
                None
            }
        });
        let rest = says.into_iter().find_map(|says| match says {
            Named::Before(rest) => Some(rest),
            _ => None,
        });
        let sites = vec![own.map_or(heading.id, |own| self.block_around(heading, own))];
        (own.is_some() || is_marked && rest.is_some()).then(|| SiteHeading {
            sites,
            name: Some(name.to_owned()),
            rest,
            own,
        })
    }

    /// The heading after that of the site which is the only one of the highest level.
    fn alone(&self, heading: &Heading, others: &[&Heading]) -> Option<NodeId> {
        let after = others
            .iter()
            .filter(|other| other.id > heading.id && !self.are_together(heading, other));
        let after: Vec<_> = after
            .filter(|other| !is_in_elsewhere(self.dom, other.id, None))
            .collect();
        let highest = after.iter().map(|other| other.level).min()?;
        let mut first = after.iter().filter(|other| other.level == highest);
        first
            .next()
            .filter(|_| first.next().is_none())
            .map(|other| other.id)
    }

    /// The element around a heading of the site and its tagline.
    fn block_around(&self, heading: &Heading, own: NodeId) -> NodeId {
        const MAX_OTHER_LETTERS: usize = 80;
        let dom = self.dom;
        let around = dom.ancestors(heading.id).take(MAX_AROUND);
        let is_of_site = |up: &NodeId| {
            let is_of_text = AROUND_TEXT.contains(&dom.element(*up)) || dom.contains(*up, own);
            !is_of_text && self.holds_at_most(*up, heading.letters.len() + MAX_OTHER_LETTERS)
        };
        around.take_while(is_of_site).last().unwrap_or(heading.id)
    }

    /// Returns true if the smallest element around two headings holds little else, such as that
    /// around a name and its tagline.
    fn are_together(&self, one: &Heading, other: &Heading) -> bool {
        const MAX_OTHER_LETTERS: usize = 20;
        let around = self
            .dom
            .ancestors(one.id)
            .find(|&up| self.dom.contains(up, other.id));
        let most = one.letters.len() + other.letters.len() + MAX_OTHER_LETTERS;
        around.is_some_and(|up| self.holds_at_most(up, most))
    }

    /// Returns true if an element holds at most so many letters, in bytes.
    fn holds_at_most(&self, id: NodeId, most: usize) -> bool {
        let texts = self
            .dom
            .descendants(id)
            .filter_map(|below| self.dom.text(below));
        let mut lengths = texts.map(|text| letters(text).len());
        lengths
            .try_fold(0, |sum, length| {
                (sum + length <= most).then_some(sum + length)
            })
            .is_some()
    }

    /// The text of the link of a heading to the start page, and whether it certainly leads away
    /// from the page itself.
    fn link_home(&self, heading: &Heading) -> Option<(String, bool)> {
        let dom = self.dom;
        let around = dom.ancestors(heading.id).take(MAX_AROUND);
        let mut links = around
            .chain(dom.descendants(heading.id).take(MAX_NODES))
            .filter(|&id| dom.element(id) == A);
        links.find_map(|link| {
            let is_certain = self.addresses.leads_home(dom.attribute(link, "href")?)?;
            let text = if link < heading.id {
                heading.text.clone()
            } else {
                heading_text(dom, link)?
            };
            (letters(&text).len() * 2 >= heading.letters.len()).then_some((text, is_certain))
        })
    }

    /// Returns true if the class or the id of a heading, of an element around it without another
    /// heading, or of one that holds its whole text is that of a logo.
    fn is_logo(&self, heading: &Heading) -> bool {
        let dom = self.dom;
        let holds_other = |up: NodeId| {
            self.all
                .iter()
                .any(|other| other.id != heading.id && dom.contains(up, other.id))
        };
        let around = dom.ancestors(heading.id).take(MAX_AROUND);
        let around =
            around.take_while(|&up| !AROUND_TEXT.contains(&dom.element(up)) && !holds_other(up));
        let is_whole = |id: &NodeId| {
            heading_text(dom, *id).is_some_and(|text| letters(&text) == heading.letters)
        };
        let inside = dom
            .descendants(heading.id)
            .take(MAX_NODES)
            .filter(|&id| dom.is_element(id))
            .filter(is_whole);
        // `brand` as a part of a class is a color.
        let is_brand = |id| {
            ["class", "id"]
                .iter()
                .any(|name| tokens(dom, id, name).any(|token| token == "brand"))
        };
        let mut all = std::iter::once(heading.id).chain(around).chain(inside);
        all.any(|id| has_class_word(dom, id, LOGO) || is_brand(id))
    }

    /// The header of the page around a heading.
    fn header_of(&self, id: NodeId) -> Option<NodeId> {
        let dom = self.dom;
        let around = || dom.ancestors(id).take_while(|&up| dom.element(up) != BODY);
        let is_header = |up: NodeId| {
            let is_named = dom.tag(up) == "header" || has_class_word(dom, up, HEADER);
            (is_named && !has_class_word(dom, up, HEADER_OF_TEXT))
                || dom.attribute(up, "role") == Some("banner")
        };
        let is_in_text = around().any(|up| AROUND_TEXT.contains(&dom.element(up)));
        around().filter(|_| !is_in_text).find(|&up| is_header(up))
    }
}

/// Finds the heading that matches a title, or the rest of a title without the name of the site.
type FindNamed = fn(&[&Heading], &str) -> Option<NodeId>;

/// The first of the headings that is a text or one of its parts.
fn find_whole(headings: &[&Heading], text: &str) -> Option<NodeId> {
    let parts = parts_of_title(text);
    headings
        .iter()
        .find(|heading| parts.contains(&heading.letters))
        .map(|heading| heading.id)
}

/// The first heading that has most of the letters of a text, among those of the first level if
/// there are any.
fn find_most(headings: &[&Heading], text: &str) -> Option<NodeId> {
    let has_first_level = headings.iter().any(|heading| heading.level == 1);
    let mut of_level = headings
        .iter()
        .filter(|heading| heading.level == 1 || !has_first_level);
    of_level
        .find(|heading| is_one_in_the_other(&heading.text, text))
        .map(|heading| heading.id)
}

/// The letters of a title and of its parts.
fn parts_of_title(title: &str) -> Vec<String> {
    let plain = title.replace(" - ", "|");
    let parts = plain
        .split(['|', '–', '—', '»', '«', '·', '•', '｜', ':', '：', '_'])
        .map(letters);
    parts.chain([letters(title)]).collect()
}

/// Returns true if a text is a title or its first part, as `Oak` is of `Oak - Wikipedia`.
pub(in crate::document) fn is_first_part(text: &str, title: &str) -> bool {
    let text = letters(text);
    !text.is_empty() && parts_of_title(title).first() == Some(&text)
}

/// The place of a name in a title; punctuation must separate it from the rest.
fn named(title: &str, name: &str) -> Named {
    let is_sign = |c: char| !c.is_alphanumeric();
    let (title, name) = (title.to_lowercase(), name.to_lowercase());
    let (title, name) = (title.trim_matches(is_sign), name.trim_matches(is_sign));
    let is_parted = |c: Option<char>| c.is_some_and(is_sign);
    if letters(title) == letters(name) {
        return Named::Nothing;
    }
    let before = title
        .strip_suffix(name)
        .filter(|rest| is_parted(rest.trim_end().chars().next_back()));
    let after = || {
        title
            .strip_prefix(name)
            .filter(|rest| is_parted(rest.trim_start().chars().next()))
    };
    match before {
        Some(rest) => Named::Before(rest.to_owned()),
        None => after().map_or(Named::Other, |rest| Named::After(rest.to_owned())),
    }
}

/// The titles in the head of a page: `<title>`, then that for social networks.
pub(in crate::document) fn titles(dom: &Dom) -> Vec<String> {
    let title = head(dom).find(|&id| dom.element(id) == TITLE);
    let text = |id: NodeId| {
        dom.descendants(id)
            .filter_map(|inner| dom.text(inner))
            .collect::<String>()
    };
    let titles = [
        title.map(|id| collapse(&text(id))),
        property(dom, "og:title"),
    ];
    titles
        .into_iter()
        .flatten()
        .filter(|title| !title.is_empty())
        .collect()
}

/// The value of a `<meta>` of the head with that property.
fn property(dom: &Dom, name: &str) -> Option<String> {
    let matches =
        |id: &NodeId| dom.element(*id) == META && dom.attribute(*id, "property") == Some(name);
    head(dom)
        .find(matches)
        .map(|id| collapse(dom.attribute(id, "content").unwrap_or("")))
}

fn head(dom: &Dom) -> impl Iterator<Item = NodeId> + '_ {
    dom.ids().take_while(|&id| dom.element(id) != BODY)
}

/// Returns true if one of two texts contains the words of the other and has at least half as many
/// letters.
pub(in crate::document) fn is_one_in_the_other(one: &str, other: &str) -> bool {
    let (one, other) = (letters(one), letters(other));
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    !short.is_empty() && short.len() * 2 >= long.len() && long.contains(&short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::html::parse_html;

    /// The page's own heading, and the number of headings that name the site; "-" if there is none.
    fn own(url: Option<&str>, html: &str) -> String {
        let capture = Capture::parsed(
            parse_html(html),
            Record::parsed("x", url.map(str::to_owned)),
        );
        let found = SiteHeading::find(&capture.dom, &Addresses::for_capture(&capture));
        let own = found.own.and_then(|own| heading_text(&capture.dom, own));
        assert!(own.is_none() || found.sites.len() == 1, "{html}");
        own.unwrap_or_else(|| "-".into())
    }

    const TEXT: &str = "<p>Herring gulls drop mussels on rocks, from a height that depends on the shell and on the rock.</p>";

    #[test]
    fn a_heading_that_leads_to_the_start_page_names_the_site() {
        let body = format!("<h2>How gulls eat</h2>{TEXT}");
        for href in [
            "/",
            "../index.html",
            "index.html",
            ".",
            "./",
            "..",
            "../../",
            "https://a.example/",
            "/index.php",
        ] {
            for title in [
                "How gulls eat | The Coast",
                "The Coast - How gulls eat",
                "How gulls eat",
            ] {
                for h1 in [
                    "<h1><a href=X>The Coast</a></h1>",
                    "<a href='X'><h1>The Coast</h1></a>",
                ] {
                    let h1 = h1.replace('X', href);
                    let html = format!("<title>{title}</title><body>{h1}{body}");
                    assert_eq!(own(None, &html), "How gulls eat", "{html}");
                    assert_eq!(
                        own(Some("https://a.example/birds/gulls.html"), &html),
                        "How gulls eat",
                        "{html}"
                    );
                }
            }
        }
        let page = |title: &str| {
            format!("<title>{title}</title><body><h1><a href=/>The Coast</a></h1>{body}")
        };
        assert_eq!(own(None, &page("The Coast")), "How gulls eat");
        assert_eq!(own(None, &page("Eating | The Coast")), "How gulls eat");
        assert_eq!(
            own(
                Some("https://a.example/"),
                &page("The Coast - How gulls eat")
            ),
            "-",
            "the start page"
        );
    }

    #[test]
    fn logos_headers_and_the_ends_of_titles_name_the_site() {
        let named = |heading: &str, title: &str| {
            own(
                None,
                &format!(
                    "<title>{title}</title><body>{heading}<main><h3>How gulls eat</h3>{TEXT}</main>"
                ),
            )
        };
        for heading in [
            "<h1 id=logo>The Coast</h1>",
            "<h1 class=siteTitle>The Coast</h1>",
            "<div class=site-name><h1>The Coast</h1></div>",
            "<h1><span class=navbar-brand>The Coast</span></h1>",
            "<header><h1>The Coast</h1></header>",
            "<div id=masthead><h1>The Coast</h1></div>",
            "<h1 class=brand>The Coast</h1>",
            "<div role=banner><h1>The Coast</h1></div>",
            "<nav class=navbar><h1><a href=/>The Coast</a></h1></nav>",
        ] {
            for title in [
                "How gulls eat | The Coast",
                "The Coast: How gulls eat",
                "How gulls eat",
            ] {
                assert_eq!(named(heading, title), "How gulls eat", "{heading} {title}");
            }
        }
        assert_eq!(
            named("<h1>The Coast</h1>", "How gulls eat | The Coast"),
            "How gulls eat"
        );
        assert_eq!(
            named("<h1>海岸日报</h1>", "How gulls eat_海岸日报"),
            "How gulls eat"
        );
        let social =
            "<title>Event | The Coast</title><meta property=og:title content='How gulls eat'>";
        let below = "<h1 class=logo>The Coast</h1><h3>How gulls eat</h3><h5>Events</h5>";
        assert_eq!(
            own(None, &format!("{social}<body>{below}{TEXT}")),
            "How gulls eat"
        );
        let site = "<meta property=og:site_name content='The Coast'>";
        assert_eq!(
            own(
                None,
                &format!("{site}<body><h1>The Coast</h1><h2>How gulls eat</h2>{TEXT}")
            ),
            "How gulls eat"
        );
    }

    #[test]
    fn a_heading_of_the_page_names_no_site() {
        for html in [
            "<title>How gulls eat</title><h1><a href=./>How gulls eat</a></h1><h2>Diet</h2>TEXT",
            "<title>How gulls eat | The Coast</title><h1><a href=/gulls/>How gulls eat</a></h1><h2>Diet</h2>TEXT",
            "<title>The Coast</title><h1><a href=/>The Coast</a></h1>TEXT",
            "<title>The Coast</title><h1><a href=/>The Coast</a></h1><h2>News</h2>TEXT<h2>Birds</h2>TEXT",
            "<title>The Coast - All about gulls</title>\
             <header><h1><a href=/>The Coast</a></h1><h2>All about gulls</h2></header>TEXT",
            "<title>The Coast</title><h1 class=logo>The Coast</h1><p class=tagline>x</p><nav><h2>Menu</h2></nav>TEXT",
            "<title>How gulls eat - A study</title><body><article><h1>How gulls eat</h1><h2>A study</h2>TEXT</article>",
            "<title>Gulls | Coast</title><meta property=og:title content='How they eat'>\
             <header><h1>Gulls</h1></header><h2>How they eat</h2>TEXT",
            "<title>x</title><meta property=og:title content='How they eat'>\
             <header><h1 itemprop=headline>Gulls</h1></header><h2>How they eat</h2>TEXT",
            "<title>Opinion | How gulls eat</title><body><h4>Opinion</h4><h1>How gulls eat</h1>TEXT",
            "<title>How gulls eat | Coast</title><div class=page-header><h1>How gulls eat</h1></div>TEXT<h3>Coast</h3>",
        ] {
            assert_eq!(own(None, &html.replace("TEXT", TEXT)), "-", "{html}");
        }
        let reworded = "<title>Gulls and food | Coast.org</title><header><h1>How they eat</h1></header>TEXT<h3>Coast.org</h3>";
        assert_eq!(own(None, &reworded.replace("TEXT", TEXT)), "-");
        let color =
            "<title>Is it much?</title><h1 class=txt-brand>Food of gulls</h1><h3>Is it much?</h3>";
        assert_eq!(own(None, color), "-");
        let permalink =
            "<title>The Coast</title><h1><a href=./>How gulls eat</a></h1><h2>Diet</h2>";
        assert_eq!(own(Some("https://a.example/gulls/"), permalink), "-");
    }
}
