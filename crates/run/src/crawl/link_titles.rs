//! Titles of the pages that a page links to, taken from the texts of its links, and the title and
//! description of the page itself.

use super::links::{base, reference};
use rustc_hash::FxHashMap;
use url::Url;
use vclean_core::capture::{Capture, Dom, NodeId};
use vclean_core::elements::heading_level;
use vclean_core::text::{collapse, shorten};

/// Longest title, in characters. Heuristic: twice the length of a headline.
const MAX_TITLE: usize = 200;
/// Longest description, in characters. Heuristic: those that search engines show have 160.
const MAX_DESCRIPTION: usize = 500;
/// Largest number of addresses with the same link text. A text of more links, such as "read more",
/// describes none of them.
const MAX_NAMED: usize = 2;
/// Largest number of nodes below a link that are read. Heuristic: links around the whole card of an
/// article have some dozens.
const MAX_NODES: usize = 500;
/// Elements whose text does not belong to the visible text of the page.
const NO_TEXT: [&str; 6] = ["script", "style", "template", "noscript", "svg", "select"];
/// Endings of the names of picture files, which some programs write as the text of a picture.
const PICTURES: [&str; 8] = [
    ".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".avif", ".bmp",
];

/// Source of a link's text, from the least to the most informative one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The alternative text of a picture, or a tooltip.
    Label,
    Text,
    Heading,
}

/// The best text of the links to each address: that of a heading, otherwise the longest one.
pub(crate) fn link_titles(capture: &Capture) -> FxHashMap<Url, String> {
    let dom = &capture.dom;
    let Some(base) = base(capture) else {
        return FxHashMap::default();
    };
    let mut found: Vec<(Url, Kind, String)> = Vec::new();
    let mut named: FxHashMap<String, Vec<Url>> = FxHashMap::default();
    for id in dom.ids() {
        let target = reference(dom, id, false).and_then(|reference| base.join(reference).ok());
        let Some((mut url, (kind, text))) = target.zip(title_of_link(dom, id)) else {
            continue;
        };
        url.set_fragment(None);
        let others = named.entry(text.clone()).or_default();
        if others.len() <= MAX_NAMED && !others.contains(&url) {
            others.push(url.clone());
        }
        found.push((url, kind, text));
    }
    let mut best: FxHashMap<Url, (Kind, String)> = FxHashMap::default();
    for (url, kind, text) in found {
        if named.get(&text).is_some_and(|urls| urls.len() > MAX_NAMED) {
            continue;
        }
        let is_better = best
            .get(&url)
            .is_none_or(|(other, known)| (kind, text.len()) > (*other, known.len()));
        if is_better {
            best.insert(url, (kind, text));
        }
    }
    best.into_iter()
        .map(|(url, (_, text))| (url, limited(&text, MAX_TITLE)))
        .collect()
}

fn limited(text: &str, limit: usize) -> String {
    shorten(text, limit, limit - 1, "…")
}

/// The text of a link that describes its target.
fn title_of_link(dom: &Dom, link: NodeId) -> Option<(Kind, String)> {
    let is_heading = |id: &NodeId| heading_level(dom.tag(*id)).is_some();
    let inner = dom.descendants(link).take(MAX_NODES).find(is_heading);
    let heading = inner.and_then(|heading| telling(&text_below(dom, heading)));
    let text = || telling(&text_below(dom, link));
    let is_within = || dom.ancestors(link).any(|id| is_heading(&id));
    if let Some(text) = heading.or_else(|| text().filter(|_| is_within())) {
        return Some((Kind::Heading, text));
    }
    text()
        .map(|text| (Kind::Text, text))
        .or_else(|| label(dom, link).map(|text| (Kind::Label, text)))
}

/// The label of a link without visible text.
fn label(dom: &Dom, link: NodeId) -> Option<String> {
    let own = ["aria-label", "title"]
        .into_iter()
        .filter_map(|name| dom.attribute(link, name));
    let below = dom
        .descendants(link)
        .take(MAX_NODES)
        .filter(|&id| dom.tag(id) == "img");
    own.chain(below.filter_map(|id| dom.attribute(id, "alt")))
        .find_map(telling)
}

/// The text, if it has a word and is neither an address nor the name of a picture file.
fn telling(text: &str) -> Option<String> {
    let text = collapse(text);
    let text = text.trim();
    let lower = text.to_lowercase();
    let is_name = PICTURES.iter().any(|ending| lower.ends_with(ending));
    let is_address = lower.contains("://") || lower.starts_with("www.") || lower.starts_with('/');
    (text.chars().any(char::is_alphabetic) && !is_name && !is_address).then(|| text.to_owned())
}

fn text_below(dom: &Dom, id: NodeId) -> String {
    let mut all = String::new();
    let is_shown = |node: NodeId| {
        let mut above = dom.ancestors(node).take_while(|&above| above != id);
        !above.any(|above| NO_TEXT.contains(&dom.tag(above)))
    };
    for node in dom.descendants(id).take(MAX_NODES) {
        match dom.text(node) {
            Some(text) if is_shown(node) => all.push_str(text),
            // The texts of successive blocks are separate words.
            None if !matches!(
                dom.tag(node),
                "b" | "i" | "em" | "strong" | "span" | "wbr" | "mark"
            ) =>
            {
                all.push(' ');
            }
            _ => {}
        }
    }
    all
}

/// The title that a page states for itself.
pub(crate) fn page_title(capture: &Capture) -> Option<String> {
    let dom = &capture.dom;
    let is_of_page = |id: &NodeId| {
        dom.tag(*id) == "title" && dom.ancestors(*id).all(|above| dom.tag(above) != "svg")
    };
    let title = dom
        .ids()
        .find(is_of_page)
        .and_then(|id| telling(&text_below(dom, id)));
    title
        .or_else(|| meta(dom, &["og:title"]))
        .map(|title| limited(&title, MAX_TITLE))
}

/// The description that a page states for itself.
pub(crate) fn page_description(capture: &Capture) -> Option<String> {
    meta(&capture.dom, &["description", "og:description"])
        .map(|text| limited(&text, MAX_DESCRIPTION))
}

/// The content of the first `meta` with one of these names that has a text.
fn meta(dom: &Dom, names: &[&str]) -> Option<String> {
    let has = |id: NodeId, wanted: &str| {
        let named = ["name", "property"]
            .into_iter()
            .filter_map(|name| dom.attribute(id, name));
        dom.tag(id) == "meta"
            && named
                .into_iter()
                .any(|name| name.trim().eq_ignore_ascii_case(wanted))
    };
    let of_name = |name: &&str| {
        dom.ids()
            .filter(|&id| has(id, name))
            .find_map(|id| telling(dom.attribute(id, "content")?))
    };
    names.iter().find_map(of_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::capture::Record;
    use vclean_core::html::parse_html;

    fn capture(html: &str) -> Capture {
        Capture::parsed(
            parse_html(html),
            Record::parsed("x", Some("https://a.example/dir/page".into())),
        )
    }

    fn title(html: &str, address: &str) -> Option<String> {
        link_titles(&capture(html)).remove(
            &Url::parse("https://a.example/")
                .unwrap()
                .join(address)
                .unwrap(),
        )
    }

    #[test]
    fn a_heading_tells_more_than_a_longer_text_and_that_more_than_a_label() {
        let page = "<a href=/x>Read all of it on our pages about gulls</a><h2><a href=/x#top>Herring <b>gul</b>ls</a></h2>
            <a href=/card><h3>Terns</h3><p>They come in <i>May</i>.</p></a><a href=/y>Gulls</a><a href=/y>Gulls of the north</a>
            <a href=/z title='Skuas'><img src=z.jpg alt='DSC_0001.JPG'></a><a href=/p><img alt='Puffins at sea'></a>";
        assert_eq!(title(page, "/x").as_deref(), Some("Herring gulls"));
        assert_eq!(title(page, "/card").as_deref(), Some("Terns"));
        assert_eq!(title(page, "/y").as_deref(), Some("Gulls of the north"));
        assert_eq!(title(page, "/z").as_deref(), Some("Skuas"));
        assert_eq!(title(page, "/p").as_deref(), Some("Puffins at sea"));
    }

    #[test]
    fn what_says_nothing_of_the_page_is_no_title() {
        let page = "<a href=/1>Read more</a><a href=/2>Read more</a><a href=/3>Read more</a><a href=/n>17</a>
            <a href=/a>https://a.example/a</a><a href=/f>/f</a><a href=/b><img src=b.png alt='b.png'></a><a href=/c><style>a { color: red }</style></a>
            <a href=/d><svg><title>Arrow</title></svg></a><a href=/e> … </a>";
        assert!(
            link_titles(&capture(page)).is_empty(),
            "{:?}",
            link_titles(&capture(page))
        );
        let long = title(&format!("<a href=/x>{}</a>", "gull ".repeat(100)), "/x").unwrap();
        assert!(
            long.chars().count() == MAX_TITLE && long.ends_with('…'),
            "{long}"
        );
        let many = format!("<a href=/x>{}</a>", "<b>gull</b>".repeat(10_000));
        assert!(title(&many, "/x").is_some());
    }

    #[test]
    fn a_page_names_itself() {
        let page = capture(
            "<svg><title>Arrow</title></svg><title> The \n harbor </title><meta property=og:description content=Other>
             <meta name=Description content=' A harbor  with gulls '>",
        );
        assert_eq!(page_title(&page).as_deref(), Some("The harbor"));
        assert_eq!(
            page_description(&page).as_deref(),
            Some("A harbor with gulls")
        );
        let bare = capture("<title></title><meta property=og:title content='Harbor'><p>x");
        assert_eq!(
            (page_title(&bare).as_deref(), page_description(&bare)),
            (Some("Harbor"), None)
        );
    }
}
