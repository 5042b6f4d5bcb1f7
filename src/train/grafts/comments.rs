//! Writes single comments with their answers.

use super::chance::Chance;
use super::element::Element;
use super::look::Look;
use super::markup::Part;
use super::reader;
use super::sentences::PageSentences;

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
    /// What was written, in document order: the line of author and date, and the paragraphs of each comment.
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

    /// One comment with its answers, which reduce `left`. A definition list has two elements for it, else it is one.
    fn comment(&mut self, left: &mut usize, depth: usize) -> Vec<Element> {
        *left = left.saturating_sub(1);
        let item = self.look.markup.item.clone();
        // Answers in a list of another kind than the comments are plain elements.
        let is_nested = depth > 0 && matches!(item.tag, "tr" | "dd");
        let item = if is_nested { Part { tag: "div", ..item } } else { item };
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
            "tr" => vec![Element::new("tr").named(&item.name).holding(aside).holding(host)],
            "dd" => vec![aside, host],
            _ => vec![host],
        }
    }

    /// Picture, author and date.
    fn head(&mut self, host: &mut Element) {
        let look = self.look;
        if look.has_avatars {
            let number = self.chance.number(1..=999);
            host.add(Element::new("img").with("src", format!("/avatars/{number}.png")).with("alt", ""));
        }
        let mut head = element(&look.markup.head).unwrap_or_else(|| Element::new("span"));
        let author = reader::name(look.phrases, self.chance);
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
        let count = if look.has_paragraphs { self.chance.pick(&[1, 2, 2, 3]) } else { 1 };
        let mut wrap = element(&look.markup.wrap);
        for _ in 0..count {
            let length = self.chance.run(look.goes_on, LONGEST);
            let Some(text) = self.sentences.several(length, self.chance) else { continue };
            let to = wrap.as_mut().unwrap_or(host);
            to.add(Element::new(look.markup.body.tag).named(&look.markup.body.name).saying(&text));
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
        let mut add = |piece: Element| foot.add(if is_list { Element::new("li").holding(piece) } else { piece });
        if look.has_votes {
            add(Element::new("span").saying(&self.chance.number(0..=40).to_string()));
            add(Element::new("span").saying(&format!("-{}", self.chance.number(0..=9))));
        }
        for action in &look.actions {
            add(Element::new("a").named(&look.markup.link.name).with("href", "#reply").saying(action));
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
            host.add(Element::new("div").saying(&format!("{count} {}", self.chance.pick(look.phrases.counts))));
        }
        let items = (0..count).flat_map(|_| self.comment(left, depth + 1)).collect();
        host.add(filled(&look.markup.nested, items));
    }
}

/// A list of these items; a table has a body around its rows, as parsers add it.
fn filled(part: &Part, items: Vec<Element>) -> Element {
    let hold = |list: Element| items.into_iter().fold(list, Element::holding);
    if part.tag == "table" {
        Element::new("table").named(&part.name).holding(hold(Element::new("tbody")))
    } else {
        hold(Element::new(part.tag).named(&part.name))
    }
}

fn table(name: &str, row: Element) -> Element {
    Element::new("table").named(name).holding(Element::new("tbody").holding(row))
}
