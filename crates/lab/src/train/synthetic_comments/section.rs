//! Puts together what is inserted into a page: the comment section with its heading, form and
//! menus, and sometimes a list of related stories before or after it.

use super::chance::Chance;
use super::languages::{DateForm, Phrases, reader_name};
use super::markup::{Element, Look, Part};
use super::sentences::PageSentences;

/// Numbers of comments, all equally likely: the sixteenths of a log-normal distribution about 11,
/// with a standard deviation of 1 in the logarithm. (Heuristic; a table, because logarithms differ
/// in the last digit between machines.)
const COUNTS: &[usize] = &[2, 3, 4, 5, 6, 7, 9, 10, 12, 14, 16, 20, 24, 30, 41, 90];
/// Shares of pages with a list of related stories, and of these lists before the comments.
const RELATED: f64 = 1.0 / 3.0;
const BEFORE: f64 = 0.5;
/// Shares of sections with a form before or after the comments, a menu of orders, and links to
/// other pages of comments.
const FORM: f64 = 0.4;
const FORM_BEFORE: f64 = 0.3;
const ORDERS: f64 = 0.15;
const PAGES: f64 = 0.15;

/// What is inserted into a page.
#[derive(Debug)]
pub(super) struct Section {
    /// The elements, in order.
    pub(super) elements: Vec<Element>,
    /// The comments with their authors and dates, a line each: the gold text of the page's
    /// comments.
    pub(super) comments: Vec<String>,
    /// Texts that are neither content nor comments.
    pub(super) others: Vec<String>,
}

/// Draws what is inserted into a page in the language `lang`; `None` if there are no sentences for
/// it.
pub(super) fn draw_section(
    lang: &str,
    sentences: &PageSentences<'_>,
    chance: &mut Chance,
) -> Option<Section> {
    let look = Look::draw(lang, chance);
    let count = chance.pick(COUNTS);
    let count = chance.number(count..=count * 4 / 3);
    let mut writing = Comments {
        look: &look,
        sentences,
        chance,
        lines: Vec::new(),
    };
    let list = writing.list(count);
    let comments = writing.lines;
    sentences.one(chance)?;
    let mut elements = vec![with_surroundings(&look, count, list, chance)];
    let mut others = Vec::new();
    if chance.happens(RELATED) {
        let related = draw_related(look.phrases, sentences, chance)?;
        let at = usize::from(!chance.happens(BEFORE));
        elements.insert(at, related.element);
        others = related.texts;
    }
    Some(Section {
        elements,
        comments,
        others,
    })
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
        let link = |order: &&str| {
            Element::new("li").holding(Element::new("a").with("href", "#sort").saying(order))
        };
        section.add(
            look.phrases
                .orders
                .iter()
                .map(link)
                .fold(Element::new("ul"), Element::holding),
        );
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

/// A form for comments, or a line that asks to sign in. It is no `form`, which could be inside
/// another and then be lost.
fn form(look: &Look, chance: &mut Chance) -> Element {
    let line = chance.pick(look.phrases.forms);
    let form =
        Element::new("div").holding(Element::new(chance.pick(&["h3", "p", "label"])).saying(line));
    if chance.happens(0.5) {
        return form;
    }
    let button = chance.pick(look.phrases.forms);
    form.holding(Element::new("textarea")).holding(
        Element::new("input")
            .with("type", "submit")
            .with("value", button),
    )
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

// Writes single comments with their answers.

/// Most sentences of a paragraph.
const LONGEST: usize = 20;
/// Answers are nested at most so deep.
const DEEPEST: usize = 3;
/// Share of comments with answers, in sections with answers, and how often another answer follows.
const ANSWERED: f64 = 0.3;
const ANOTHER: f64 = 0.5;

/// Writes the comments of a page.
pub(super) struct Comments<'a> {
    pub(super) look: &'a Look,
    pub(super) sentences: &'a PageSentences<'a>,
    pub(super) chance: &'a mut Chance,
    /// What was written, in document order: the line of author and date, and the paragraphs of each
    /// comment.
    pub(super) lines: Vec<String>,
}

/// The element of a part; none if it has no tag.
fn element(part: &Part) -> Option<Element> {
    (!part.tag.is_empty()).then(|| Element::new(part.tag).named(&part.name))
}

impl Comments<'_> {
    /// A list of about `count` comments; their answers count too.
    pub(super) fn list(&mut self, count: usize) -> Element {
        let part = self.look.markup.list.clone();
        let mut left = count;
        let mut items = Vec::new();
        while left > 0 {
            items.extend(self.comment(&mut left, 0));
        }
        filled(&part, items)
    }

    /// One comment with its answers, which reduce `left`. A definition list has two elements for
    /// it, else it is one.
    fn comment(&mut self, left: &mut usize, depth: usize) -> Vec<Element> {
        *left = left.saturating_sub(1);
        let item = self.look.markup.item.clone();
        // Answers in a list of another kind than the comments are plain elements.
        let is_nested = depth > 0 && matches!(item.tag, "tr" | "dd");
        let item = if is_nested {
            Part { tag: "div", ..item }
        } else {
            item
        };
        let mut aside = Element::new(if item.tag == "dd" { "dt" } else { "td" });
        let mut host = match item.tag {
            "table" | "tr" => Element::new("td"),
            tag => Element::new(tag).named(&item.name),
        };
        let is_aside = matches!(item.tag, "tr" | "dd");
        let author_follows = self.look.author_follows && !is_aside;
        if !author_follows {
            self.head(if is_aside { &mut aside } else { &mut host });
        }
        self.paragraphs(&mut host);
        if author_follows {
            self.head(&mut host);
        }
        self.foot(&mut host);
        self.answers(&mut host, left, depth);
        match item.tag {
            "table" => vec![table(&item.name, Element::new("tr").holding(host))],
            "tr" => vec![
                Element::new("tr")
                    .named(&item.name)
                    .holding(aside)
                    .holding(host),
            ],
            "dd" => vec![aside, host],
            _ => vec![host],
        }
    }

    /// Picture, author and date.
    fn head(&mut self, host: &mut Element) {
        let look = self.look;
        if look.has_avatars {
            let number = self.chance.number(1..=999);
            host.add(
                Element::new("img")
                    .with("src", format!("/avatars/{number}.png"))
                    .with("alt", ""),
            );
        }
        let mut head = element(&look.markup.head).unwrap_or_else(|| Element::new("span"));
        let author = reader_name(look.phrases, self.chance);
        match element(&look.markup.author) {
            Some(element) if look.markup.author.tag == "a" => {
                let address = format!("/user/{}", author.replace(' ', ""));
                head.add(element.with("href", address).saying(&author));
            }
            Some(element) => head.add(element.saying(&author)),
            None => head.add_text(&author),
        }
        if let Some(says) = look.says {
            head.add_text(&format!(" {says}"));
        }
        self.date(&mut head);
        self.lines.push(head.text());
        host.add(head);
    }

    fn date(&mut self, head: &mut Element) {
        let look = self.look;
        if look.markup.date.tag == "none" {
            return;
        }
        head.add_text(" ");
        let date = look.dates.date(look.phrases, self.chance);
        match element(&look.markup.date) {
            Some(element) if look.markup.date.tag == "a" => {
                let number = self.chance.number(1..=99_999);
                head.add(element.with("href", format!("#c{number}")).saying(&date));
            }
            Some(element) => head.add(element.saying(&date)),
            None => head.add_text(&date),
        }
    }

    fn paragraphs(&mut self, host: &mut Element) {
        let look = self.look;
        let count = if look.has_paragraphs {
            self.chance.pick(&[1, 2, 2, 3])
        } else {
            1
        };
        let mut wrap = element(&look.markup.wrap);
        for _ in 0..count {
            let length = self.chance.run(look.goes_on, LONGEST);
            let Some(text) = self.sentences.several(length, self.chance) else {
                continue;
            };
            let to = wrap.as_mut().unwrap_or(host);
            to.add(
                Element::new(look.markup.body.tag)
                    .named(&look.markup.body.name)
                    .saying(&text),
            );
            if look.markup.body.tag == "span" {
                to.add(Element::new("br"));
            }
            self.lines.push(text);
        }
        if let Some(wrap) = wrap {
            host.add(wrap);
        }
    }

    /// Votes and links.
    fn foot(&mut self, host: &mut Element) {
        let look = self.look;
        let part = &look.markup.foot;
        let mut foot = Element::new(part.tag).named(&part.name);
        let is_list = part.tag == "ul";
        let mut add = |piece: Element| {
            foot.add(if is_list {
                Element::new("li").holding(piece)
            } else {
                piece
            });
        };
        if look.has_votes {
            add(Element::new("span").saying(&self.chance.number(0..=40).to_string()));
            add(Element::new("span").saying(&format!("-{}", self.chance.number(0..=9))));
        }
        for action in &look.actions {
            add(Element::new("a")
                .named(&look.markup.link.name)
                .with("href", "#reply")
                .saying(action));
        }
        if !foot.is_empty() {
            host.add(foot);
        }
    }

    fn answers(&mut self, host: &mut Element, left: &mut usize, depth: usize) {
        let look = self.look;
        if !look.has_answers || depth >= DEEPEST || *left == 0 || !self.chance.happens(ANSWERED) {
            return;
        }
        let count = self.chance.run(ANOTHER, *left);
        if look.counts_answers {
            host.add(Element::new("div").saying(&format!(
                "{count} {}",
                self.chance.pick(look.phrases.counts)
            )));
        }
        let items = (0..count)
            .flat_map(|_| self.comment(left, depth + 1))
            .collect();
        host.add(filled(&look.markup.nested, items));
    }
}

/// A list of these items; a table has a body around its rows, as parsers add it.
fn filled(part: &Part, items: Vec<Element>) -> Element {
    let hold = |list: Element| items.into_iter().fold(list, Element::holding);
    if part.tag == "table" {
        Element::new("table")
            .named(&part.name)
            .holding(hold(Element::new("tbody")))
    } else {
        hold(Element::new(part.tag).named(&part.name))
    }
}

fn table(name: &str, row: Element) -> Element {
    Element::new("table")
        .named(name)
        .holding(Element::new("tbody").holding(row))
}

// Writes lists of related stories: heading, some sentences, date or a link to the whole story. They
// are boilerplate.

/// A list and its texts.
#[derive(Debug)]
pub(super) struct Related {
    pub(super) element: Element,
    /// Headings and texts, in document order.
    pub(super) texts: Vec<String>,
}

/// Longest heading, in characters.
const LONGEST_HEADING: usize = 80;

/// Draws a list of 3 to 12 stories; `None` if there are no sentences for it.
fn draw_related(
    phrases: &Phrases,
    sentences: &PageSentences<'_>,
    chance: &mut Chance,
) -> Option<Related> {
    let outer = chance.pick(&["div", "div", "section", "aside", "ul"]);
    let item = if outer == "ul" {
        "li"
    } else {
        chance.pick(&["div", "article", "div"])
    };
    let name = |chance: &mut Chance| match chance.number(0..=4) {
        0 => String::new(),
        1 => (chance.pick(&[
            "related",
            "teaser",
            "more-stories",
            "card",
            "news-item",
            "recommended",
        ]))
        .to_owned(),
        _ => chance.letters(),
    };
    let (outer_name, item_name) = (name(chance), name(chance));
    let heading = chance.pick(&["h3", "h4", "h2", "div", "p", "strong"]);
    let (sentence_count, dates) = (chance.number(1..=3), DateForm::draw(chance));
    let (has_date, has_more, has_picture) = (
        chance.happens(0.5),
        chance.happens(0.5),
        chance.happens(0.3),
    );
    let more = chance.pick(phrases.more);
    let mut list = Element::new(outer).named(&outer_name);
    let mut texts = Vec::new();
    for number in 0..chance.number(3..=12) {
        let address = format!("/story/{}", chance.number(1000..=99_999) + number);
        let title = sentences.one(chance)?;
        let title: String = title.chars().take(LONGEST_HEADING).collect();
        let title = title.trim_end_matches(['.', '。', ' ']);
        let text = sentences.several(sentence_count, chance)?;
        let mut story = Element::new(item).named(&item_name);
        if has_picture {
            story.add(
                Element::new("img")
                    .with("src", format!("{address}.jpg"))
                    .with("alt", ""),
            );
        }
        let link = |words: &str| {
            Element::new("a")
                .with("href", address.clone())
                .saying(words)
        };
        story.add(Element::new(heading).holding(link(title)));
        story.add(Element::new("p").saying(&text));
        if has_date {
            story.add(Element::new("span").saying(&dates.date(phrases, chance)));
        }
        if has_more {
            story.add(link(more));
        }
        list.add(story);
        texts.extend([title.to_owned(), text]);
    }
    let caption =
        Element::new(chance.pick(&["h2", "h3", "div"])).saying(chance.pick(phrases.related));
    Some(Related {
        element: Element::new("div").holding(caption).holding(list),
        texts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::synthetic_comments::page::{InsertionPoint, insert};
    use crate::train::synthetic_comments::sentences::tests::{row, some};
    use vclean_core::capture::Dom;
    use vclean_core::html::parse_html;
    use vclean_core::text::collapse;

    /// The tree of a page with the section that is drawn with `seed`, and the section.
    fn page(seed: u64) -> (Dom, Section) {
        let sentences = some();
        let of = row("page", "en");
        let of_page = sentences.of_page(&of, "").unwrap();
        let section =
            draw_section("en", &of_page, &mut Chance::of_page(seed, "set", "page")).unwrap();
        let dom = parse_html("<!DOCTYPE html><main><p>text</p></main>");
        let main = dom.ids().find(|&id| dom.tag(id) == "main").unwrap();
        (
            insert(&dom, InsertionPoint::at_end(&dom, main), &section.elements),
            section,
        )
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
            let text: String = dom
                .ids()
                .filter_map(|id| dom.text(id))
                .collect::<Vec<_>>()
                .join(" ");
            let text = collapse(&text).replace(' ', "");
            let mut rest = text.as_str();
            for line in &section.comments {
                let line = line.replace(' ', "");
                let at = rest
                    .find(&line)
                    .unwrap_or_else(|| panic!("seed {seed}: {line} is not in {rest}"));
                rest = &rest[at + line.len()..];
            }
            assert!(
                section
                    .others
                    .iter()
                    .all(|other| text.contains(&other.replace(' ', ""))),
                "seed {seed}"
            );
            with_related += usize::from(!section.others.is_empty());
            longest = longest.max(section.comments.len());
        }
        assert!(
            (20..50).contains(&with_related) && longest > 60,
            "{with_related} {longest}"
        );
    }

    #[test]
    fn the_same_seed_gives_the_same_section() {
        assert!(page(5).0 == page(5).0 && page(5).0 != page(6).0);
    }
}
