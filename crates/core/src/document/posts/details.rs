//! Details of a post: author, date, address, votes, and whether it is the accepted answer.

use super::marks::Mark;
use super::numeric_dates::NumericDates;
use super::thread::Thread;
use crate::capture::{Capture, Dom, NodeId};
use crate::document::addresses::Addresses;
use crate::document::byline::{
    MAX_DATE_CHARS, MAX_NAME_CHARS, byline, date, name, signed, signer, text, tokens,
};
use crate::document::metadata::{date_within, read_relative};
use crate::language::read_ago;
use crate::text::collapse;

/// Details that a post gives about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::document) struct Details {
    pub(in crate::document) author: Option<String>,
    pub(in crate::document) date: Option<String>,
    pub(in crate::document) url: Option<String>,
    pub(in crate::document) votes: Option<i64>,
    pub(in crate::document) is_accepted: bool,
}

/// Attributes of the element of a post with its author, its date and its votes.
const AUTHOR_ATTRIBUTES: &[&str] = &[
    "data-author",
    "data-username",
    "data-user-name",
    "data-comment-author",
    "author",
];
const DATE_ATTRIBUTES: &[&str] = &[
    "created-timestamp",
    "data-timestamp",
    "data-created",
    "data-date",
];
const VOTE_ATTRIBUTES: &[&str] = &["data-score", "score", "data-votes"];

/// Attributes of an element that shows a date, with that date.
const SHOWN_DATES: &[&str] = &[
    "datetime",
    "content",
    "title",
    "data-time",
    "data-timestamp",
    "ts",
    "data-utime",
];

/// Parts of addresses of people, which are not addresses of posts.
const PEOPLE: &[&str] = &[
    "/members/",
    "/member/",
    "/users/",
    "/user/",
    "/u/",
    "/profile/",
    "/people/",
    "viewprofile",
];

/// Longest text that tells how long ago a post was written, in characters.
const MAX_AGO_CHARS: usize = 30;

/// Number of nodes of a post outside its text that are read; a byline, a signature and some buttons
/// have a hundred.
const MAX_NODES: usize = 2000;

/// Reads posts of one page.
pub(in crate::document) struct Reader<'a> {
    pub(in crate::document) dom: &'a Dom,
    pub(in crate::document) addresses: &'a Addresses,
    pub(in crate::document) language: Option<&'a str>,
    captured_at_s: Option<u64>,
    numeric: NumericDates,
}

impl<'a> Reader<'a> {
    pub(in crate::document) fn new(capture: &'a Capture, addresses: &'a Addresses) -> Self {
        let dom = &capture.dom;
        let language = dom.ids().take(64).find_map(|id| dom.attribute(id, "lang"));
        let captured_at_s = capture.record.captured_at_s;
        Self {
            dom,
            addresses,
            language,
            captured_at_s,
            numeric: NumericDates::default(),
        }
    }

    /// Learns from the dates of a thread whether the day or the month comes first.
    pub(in crate::document) fn learn_order(&mut self, thread: &Thread) {
        let nodes = (0..thread.records.len()).flat_map(|index| {
            let body = thread.records[index]
                .body
                .map_or(0..0, |body| body.index()..self.dom.end(body));
            thread
                .own_nodes(index)
                .filter(move |id| !body.contains(&id.index()))
                .take(MAX_NODES)
        });
        self.numeric = NumericDates::learn(nodes.filter_map(|id| self.dom.text(id)));
    }

    /// Reads a text that is a date.
    fn date(&self, value: &str) -> Option<String> {
        date(value, self.language).or_else(|| self.numeric.read(value))
    }

    /// Reads the details of a post of a thread; `text` is the first element of its text.
    pub(in crate::document) fn read(
        &self,
        thread: &Thread,
        index: usize,
        text: Option<NodeId>,
    ) -> Details {
        let (dom, record, system) = (self.dom, &thread.records[index], thread.system);
        let in_body = record.body.map_or(0..0, |body| body.index()..dom.end(body));
        let own = thread
            .own_nodes(index)
            .filter(|id| !in_body.contains(&id.index()));
        let nodes: Vec<NodeId> = own.take(MAX_NODES).collect();
        let start = text
            .or(record.body)
            .map_or(record.nodes.start, NodeId::index);
        let before: Vec<NodeId> = nodes
            .iter()
            .copied()
            .filter(|id| id.index() < start)
            .collect();
        let marked = |marks: &[Mark], value: &dyn Fn(NodeId) -> Option<String>| {
            marks.iter().find_map(|mark| {
                nodes
                    .iter()
                    .filter(|&&id| mark.matches(dom, id))
                    .find_map(|&id| value(id))
            })
        };
        let attribute = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| dom.attribute(record.element, name))
        };
        let author = attribute(AUTHOR_ATTRIBUTES)
            .map(collapse)
            .filter(|name| !name.is_empty());
        let author = author
            .or_else(|| marked(&system.authors, &|id| self.author_of(id)))
            .or_else(|| self.signer(&nodes));
        let when = marked(&system.dates, &|id| self.date_of(id, author.as_deref()));
        let when = when
            .or_else(|| attribute(DATE_ATTRIBUTES).and_then(|value| date(value, self.language)));
        let found = (author.is_none() || when.is_none())
            .then(|| byline(dom, &nodes, &before, self.language));
        let shown = || {
            nodes
                .iter()
                .filter_map(|&id| dom.text(id))
                .filter(|text| text.len() <= MAX_DATE_CHARS)
        };
        let when = when
            .or_else(|| found.as_ref()?.date.clone())
            .or_else(|| self.ago_of(&nodes));
        let when = when.or_else(|| shown().find_map(|text| self.numeric.read(text)));
        // A line such as "Posted on 3 May 2020 by Ann" may be in the text.
        let line = if author.is_none() && found.as_ref().is_none_or(|found| found.author.is_none())
            || when.is_none()
        {
            thread
                .own_nodes(index)
                .take(MAX_NODES)
                .filter_map(|id| signed(&collapse(dom.text(id)?), self.language))
                .last()
        } else {
            None
        };
        let votes = attribute(VOTE_ATTRIBUTES).and_then(number).or_else(|| {
            system.votes.iter().find_map(|mark| {
                nodes
                    .iter()
                    .filter(|&&id| mark.matches(dom, id))
                    .find_map(|&id| self.votes_of(id))
            })
        });
        let is_accepted = |id: &NodeId| system.accepted.iter().any(|mark| mark.matches(dom, *id));
        Details {
            author: author
                .or_else(|| found?.author)
                .or_else(|| Some(line.as_ref()?.0.clone())),
            date: when.or_else(|| Some(line.as_ref()?.1.clone())),
            url: self.address(thread, index, &nodes),
            votes,
            is_accepted: nodes.iter().any(is_accepted),
        }
    }

    /// The name in a line beside the text such as `Submitted by Ann on Fri, 31/08/2012`, whose
    /// parts may be elements.
    fn signer(&self, nodes: &[NodeId]) -> Option<String> {
        /// Nodes of an element that may be such a line.
        const MAX_IN_LINE: usize = 12;
        let dom = self.dom;
        let mut lines = nodes
            .iter()
            .filter(|id| dom.end(**id) - id.index() <= MAX_IN_LINE)
            .filter_map(|&id| text(dom, id, MAX_DATE_CHARS));
        lines.find_map(|line| signer(&line).map(|(name, ..)| name))
    }

    fn author_of(&self, id: NodeId) -> Option<String> {
        let dom = self.dom;
        let is_name = |inner: &NodeId| tokens(dom, *inner, "itemprop").any(|token| token == "name");
        let of_node = |id: NodeId| {
            let given = dom
                .attribute(id, "content")
                .or_else(|| dom.attribute(id, "data-username"))
                .map(str::to_owned);
            let name = name(&given.or_else(|| self.without_picture(id))?)?;
            let end = name.rfind(char::is_alphanumeric)?;
            // After a name there may be a sign; before it there is often a picture with its first
            // letter.
            let name = if name[end..].contains(' ') {
                name.split(' ')
                    .filter(|word| word.contains(char::is_alphanumeric))
                    .collect::<Vec<_>>()
                    .join(" ")
            } else {
                name
            };
            (name.len() > 1).then_some(name)
        };
        let named = dom
            .descendants(id)
            .take(60)
            .filter(is_name)
            .find_map(of_node);
        let linked = || {
            let mut links = dom
                .descendants(id)
                .take(60)
                .filter(|&inner| dom.tag(inner) == "a");
            links.find_map(of_node)
        };
        let whole = || {
            let whole = of_node(id).filter(|name| name.split(' ').count() <= 4)?;
            // A rank may follow the name.
            Some(
                linked()
                    .filter(|linked| whole.starts_with(linked.as_str()))
                    .unwrap_or(whole),
            )
        };
        named.or_else(whole).or_else(linked)
    }

    /// The text of an element without that of pictures of people, which may have the first letter
    /// of the name.
    fn without_picture(&self, id: NodeId) -> Option<String> {
        let dom = self.dom;
        let is_picture = |inner: NodeId| {
            dom.attribute(inner, "class")
                .is_some_and(|class| class.contains("avatar"))
        };
        let Some(picture) = dom
            .descendants(id)
            .take(60)
            .find(|&inner| is_picture(inner))
        else {
            return text(dom, id, MAX_NAME_CHARS);
        };
        let below = dom
            .descendants(id)
            .take(60)
            .filter(|inner| !dom.contains(picture, *inner));
        let all = collapse(
            &below
                .filter_map(|inner| dom.text(inner))
                .collect::<Vec<_>>()
                .join(" "),
        );
        if all.is_empty() {
            return text(dom, id, MAX_NAME_CHARS);
        }
        (all.chars().count() <= MAX_NAME_CHARS).then_some(all)
    }

    /// The date that an element shows. The name of the author may be there too, and look like a
    /// month.
    fn date_of(&self, id: NodeId, author: Option<&str>) -> Option<String> {
        let dom = self.dom;
        let of_attributes = |id: NodeId| {
            let given = SHOWN_DATES
                .iter()
                .filter_map(|name| dom.attribute(id, name));
            given
                .filter(|value| value.len() <= MAX_DATE_CHARS)
                .find_map(|value| self.date(value.split(", License").next()?))
        };
        let below = || dom.descendants(id).take(30).find_map(of_attributes);
        of_attributes(id).or_else(below).or_else(|| {
            let read = |shown: &str| {
                let shown =
                    author.map_or_else(|| shown.to_owned(), |author| shown.replacen(author, "", 1));
                let found =
                    date(&shown, self.language).or_else(|| date_within(&shown, self.language));
                found
                    .or_else(|| self.numeric.read(&shown))
                    .or_else(|| self.ago(&shown))
            };
            // A long text contains more than the date, such as when and why the post was changed.
            let parts = || {
                dom.descendants(id)
                    .take(30)
                    .filter_map(|id| dom.text(id))
                    .map(collapse)
            };
            match text(dom, id, MAX_DATE_CHARS) {
                Some(shown) => read(&shown),
                None => parts()
                    .filter(|part| part.len() <= MAX_DATE_CHARS)
                    .find_map(|part| read(&part)),
            }
        })
    }

    /// The day that a text gives relative to the day of the capture, if that is known; else the
    /// text itself.
    fn ago(&self, shown: &str) -> Option<String> {
        let shown = shown.trim();
        if shown.chars().count() > MAX_AGO_CHARS {
            return None;
        }
        read_ago(shown)?;
        let day = self
            .captured_at_s
            .and_then(|captured| read_relative(shown, captured));
        day.or_else(|| Some(shown.to_owned()))
    }

    fn ago_of(&self, nodes: &[NodeId]) -> Option<String> {
        nodes
            .iter()
            .filter_map(|&id| self.dom.text(id))
            .find_map(|text| self.ago(&collapse(text)))
    }

    fn votes_of(&self, id: NodeId) -> Option<i64> {
        let mut given = ["data-value", "data-votes", "content", "title"]
            .iter()
            .filter_map(|name| self.dom.attribute(id, name));
        given
            .find_map(number)
            .or_else(|| number(&text(self.dom, id, 20)?))
    }

    /// The address of a post: that of a marked link, of the link around its date, or the anchor of
    /// its element on the page.
    fn address(&self, thread: &Thread, index: usize, nodes: &[NodeId]) -> Option<String> {
        let (dom, record, system) = (self.dom, &thread.records[index], thread.system);
        let given = ["permalink", "data-permalink"]
            .iter()
            .find_map(|name| dom.attribute(record.element, name));
        if let Some(address) = given.and_then(|given| self.addresses.resolve(given)) {
            return Some(address);
        }
        let link = |id: NodeId| {
            let inside = std::iter::once(id).chain(dom.descendants(id).take(10));
            let link = inside
                .chain(dom.parent(id))
                .find(|&link| dom.tag(link) == "a" || dom.tag(link) == "link")?;
            let is_person = |href: &str| PEOPLE.iter().any(|part| href.contains(part));
            let href = dom
                .attribute(link, "href")
                .filter(|href| !matches!(href.trim(), "" | "#") && !is_person(href))?;
            self.addresses.resolve(href)
        };
        let all = || nodes.iter().copied().filter(|&id| dom.is_element(id));
        let marked = || {
            system
                .links
                .iter()
                .find_map(|mark| all().filter(|&id| mark.matches(dom, id)).find_map(link))
        };
        let of_date = || {
            all()
                .filter(|&id| dom.tag(id) == "time" || dom.tag(id) == "relative-time")
                .find_map(link)
        };
        marked()
            .or_else(of_date)
            .or_else(|| self.addresses.place(dom.attribute(record.element, "id")?))
    }
}

/// A number of votes, such as `12`, `+3`, `−2` and `1.2k points`.
fn number(text: &str) -> Option<i64> {
    let text =
        text.trim_start_matches(|c: char| !c.is_ascii_digit() && !matches!(c, '-' | '\u{2212}'));
    let (sign, text) = text
        .strip_prefix(['-', '\u{2212}'])
        .map_or((1.0, text), |text| (-1.0, text));
    let end = text
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','))
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let unit = if rest.starts_with(['k', 'K']) {
        1000.0
    } else {
        1.0
    };
    // A comma separates thousands.
    let value: f64 = digits.replace(',', "").trim_end_matches('.').parse().ok()?;
    (value < 1e12).then(|| (sign * value * unit).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::super::thread::find_known;
    use super::*;
    use crate::capture::Record;
    use crate::html::parse_html;

    #[test]
    fn the_author_of_an_answer_is_not_its_title() {
        let post = |title: &str, line: &str| {
            format!(
                "<div class=comment><h3>{title}</h3><div class=submitted>{line}</div><div class=content><p>A text.</p></div></div>"
            )
        };
        let html = [
            "<div class=breadcrumb><a href=../forum.html>Forums</a></div>".to_owned(),
            post(
                "How gulls eat",
                "Submitted by Bo on Fri, 31/08/2012 - 20:47",
            ),
            post(
                "Re: How gulls eat",
                "Submitted by <a href=/u>Ann Lee</a> on Wed, 05/09/2012 - 01:25.",
            ),
            post(
                "Re: How gulls eat",
                "Enviado por Guest el Jue, 06/09/2012 - 08:12",
            ),
        ];
        let capture = Capture::parsed(parse_html(&html.concat()), Record::parsed("x", None));
        let addresses = Addresses::for_capture(&capture);
        let thread = find_known(&capture.dom).unwrap();
        assert!(thread.is_of_software());
        let mut reader = Reader::new(&capture, &addresses);
        reader.learn_order(&thread);
        let found = [0, 1, 2].map(|index| reader.read(&thread, index, None));
        let authors = found
            .clone()
            .map(|details| details.author.unwrap_or_default());
        assert_eq!(authors, ["Bo", "Ann Lee", "Guest"]);
        let dates = found.map(|details| details.date.unwrap_or_default());
        assert_eq!(dates, ["2012-08-31", "2012-09-05", "2012-09-06"]);
    }

    #[test]
    fn votes_are_numbers() {
        for (text, votes) in [
            ("12", 12),
            ("+3", 3),
            ("\u{2212}2 points", -2),
            ("1,204", 1204),
            ("1.2k", 1200),
        ] {
            assert_eq!(number(text), Some(votes), "{text}");
        }
        assert_eq!(number("vote"), None);
        assert_eq!(number("9999999999999999"), None);
    }
}
