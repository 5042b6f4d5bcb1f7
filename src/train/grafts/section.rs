//! Puts together what is inserted into a page: the comment section with its heading, form and menus, and sometimes a list of
//! related stories before or after it.

use super::chance::Chance;
use super::comments::Comments;
use super::element::Element;
use super::look::Look;
use super::related;
use super::sentences::PageSentences;

/// Numbers of comments, all equally likely: the sixteenths of a log-normal distribution about 11, with a standard deviation of
/// 1 in the logarithm. (Heuristic; a table, because logarithms differ in the last digit between machines.)
const COUNTS: &[usize] = &[2, 3, 4, 5, 6, 7, 9, 10, 12, 14, 16, 20, 24, 30, 41, 90];
/// Shares of pages with a list of related stories, and of these lists before the comments.
const RELATED: f64 = 1.0 / 3.0;
const BEFORE: f64 = 0.5;
/// Shares of sections with a form before or after the comments, a menu of orders, and links to other pages of comments.
const FORM: f64 = 0.4;
const FORM_BEFORE: f64 = 0.3;
const ORDERS: f64 = 0.15;
const PAGES: f64 = 0.15;

/// What is inserted into a page.
#[derive(Debug)]
pub(super) struct Section {
    /// The elements, in order.
    pub(super) elements: Vec<Element>,
    /// The comments with their authors and dates, a line each: the gold text of the page's comments.
    pub(super) comments: Vec<String>,
    /// Texts that are neither content nor comments.
    pub(super) others: Vec<String>,
}

/// Draws what is inserted into a page in the language `lang`; `None` if there are no sentences for it.
pub(super) fn draw(lang: &str, sentences: &PageSentences<'_>, chance: &mut Chance) -> Option<Section> {
    let look = Look::draw(lang, chance);
    let count = chance.pick(COUNTS);
    let count = chance.number(count..=count * 4 / 3);
    let mut writing = Comments { look: &look, sentences, chance, lines: Vec::new() };
    let list = writing.list(count);
    let comments = writing.lines;
    sentences.one(chance)?;
    let mut elements = vec![with_surroundings(&look, count, list, chance)];
    let mut others = Vec::new();
    if chance.happens(RELATED) {
        let related = related::draw(look.phrases, sentences, chance)?;
        let at = usize::from(!chance.happens(BEFORE));
        elements.insert(at, related.element);
        others = related.texts;
    }
    Some(Section { elements, comments, others })
}

fn with_surroundings(look: &Look, count: usize, list: Element, chance: &mut Chance) -> Element {
    let top = &look.markup.top;
    let mut section = Element::new(top.tag).named(&top.name);
    if !look.title.is_empty() {
        let caption = chance.pick(look.phrases.captions);
        let title = match chance.number(0..=2) {
            0 => format!("{count} {caption}"),
            1 => format!("{caption} ({count})"),
            _ => caption.to_owned(),
        };
        section.add(Element::new(look.title).saying(&title));
    }
    if chance.happens(ORDERS) {
        let link = |order: &&str| Element::new("li").holding(Element::new("a").with("href", "#sort").saying(order));
        section.add(look.phrases.orders.iter().map(link).fold(Element::new("ul"), Element::holding));
    }
    let form = chance.happens(FORM).then(|| form(look, chance));
    let is_before = chance.happens(FORM_BEFORE);
    if let Some(form) = form.as_ref().filter(|_| is_before) {
        section.add(form.clone());
    }
    section.add(list);
    if chance.happens(PAGES) {
        section.add(pages(look, chance));
    }
    if let Some(form) = form.filter(|_| !is_before) {
        section.add(form);
    }
    section
}

/// A form for comments, or a line that asks to sign in. It is no `form`, which could be inside another and then be lost.
fn form(look: &Look, chance: &mut Chance) -> Element {
    let line = chance.pick(look.phrases.forms);
    let form = Element::new("div").holding(Element::new(chance.pick(&["h3", "p", "label"])).saying(line));
    if chance.happens(0.5) {
        return form;
    }
    let button = chance.pick(look.phrases.forms);
    form.holding(Element::new("textarea")).holding(Element::new("input").with("type", "submit").with("value", button))
}

/// Links to the other pages of comments.
fn pages(look: &Look, chance: &mut Chance) -> Element {
    let mut pages = Element::new(chance.pick(&["div", "p", "nav"]));
    let link = |words: &str| Element::new("a").with("href", "#page").saying(words);
    for number in 1..=chance.number(2..=5) {
        pages.add(link(&number.to_string()));
        pages.add_text(" ");
    }
    pages.holding(link(chance.pick(look.phrases.pages)))
}

#[cfg(test)]
mod tests {
    use super::super::insert::{Place, insert};
    use super::super::sentences::tests::{row, some};
    use super::*;
    use crate::capture::Dom;
    use crate::html::parse_html;
    use crate::text::collapse;

    /// The tree of a page with the section that is drawn with `seed`, and the section.
    fn page(seed: u64) -> (Dom, Section) {
        let sentences = some();
        let of = row("page", "en");
        let of_page = sentences.of_page(&of, "").unwrap();
        let section = draw("en", &of_page, &mut Chance::of_page(seed, "set", "page")).unwrap();
        let dom = parse_html("<!DOCTYPE html><main><p>text</p></main>");
        let main = dom.ids().find(|&id| dom.tag(id) == "main").unwrap();
        (insert(&dom, Place::at_end(&dom, main), &section.elements), section)
    }

    #[test]
    fn a_parser_reads_what_was_made() {
        for seed in 0..300 {
            let (dom, _) = page(seed);
            let written = format!("<!DOCTYPE html>{}", dom.to_html());
            assert!(parse_html(&written) == dom, "seed {seed}: {written}");
        }
    }

    #[test]
    fn the_page_has_all_comments_in_order() {
        let (mut with_related, mut longest) = (0, 0);
        for seed in 0..100 {
            let (dom, section) = page(seed);
            let text: String = dom.ids().filter_map(|id| dom.text(id)).collect::<Vec<_>>().join(" ");
            let text = collapse(&text).replace(' ', "");
            let mut rest = text.as_str();
            for line in &section.comments {
                let line = line.replace(' ', "");
                let at = rest.find(&line).unwrap_or_else(|| panic!("seed {seed}: {line} is not in {rest}"));
                rest = &rest[at + line.len()..];
            }
            assert!(section.others.iter().all(|other| text.contains(&other.replace(' ', ""))), "seed {seed}");
            with_related += usize::from(!section.others.is_empty());
            longest = longest.max(section.comments.len());
        }
        assert!((20..50).contains(&with_related) && longest > 60, "{with_related} {longest}");
    }

    #[test]
    fn the_same_seed_gives_the_same_section() {
        assert!(page(5).0 == page(5).0 && page(5).0 != page(6).0);
    }
}
