//! Writes lists of related stories: heading, some sentences, date or a link to the whole story. They are boilerplate.

use super::chance::Chance;
use super::element::Element;
use super::language::Phrases;
use super::reader::DateForm;
use super::sentences::PageSentences;

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
pub(super) fn draw(phrases: &Phrases, sentences: &PageSentences<'_>, chance: &mut Chance) -> Option<Related> {
    let outer = chance.pick(&["div", "div", "section", "aside", "ul"]);
    let item = if outer == "ul" { "li" } else { chance.pick(&["div", "article", "div"]) };
    let name = |chance: &mut Chance| match chance.number(0..=4) {
        0 => String::new(),
        1 => (chance.pick(&["related", "teaser", "more-stories", "card", "news-item", "recommended"])).to_owned(),
        _ => chance.letters(),
    };
    let (outer_name, item_name) = (name(chance), name(chance));
    let heading = chance.pick(&["h3", "h4", "h2", "div", "p", "strong"]);
    let (sentence_count, dates) = (chance.number(1..=3), DateForm::draw(chance));
    let (has_date, has_more, has_picture) = (chance.happens(0.5), chance.happens(0.5), chance.happens(0.3));
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
            story.add(Element::new("img").with("src", format!("{address}.jpg")).with("alt", ""));
        }
        let link = |words: &str| Element::new("a").with("href", address.clone()).saying(words);
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
    let caption = Element::new(chance.pick(&["h2", "h3", "div"])).saying(chance.pick(phrases.related));
    Some(Related { element: Element::new("div").holding(caption).holding(list), texts })
}
