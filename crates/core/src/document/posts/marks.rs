//! Marks by which elements are recognized, written as a simple selector of CSS such as `div.post`,
//! `#post_*` (an id that ends with a number or another key), `[itemprop=author]` (one of several
//! words) or `[href*=user]`.

use crate::capture::{Dom, NodeId};
use rustc_hash::FxHashMap;

/// Conditions on a single element.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    /// Its tag; empty for any.
    tag: &'static str,
    tests: Vec<Test>,
}

#[derive(Debug, Clone, Copy)]
enum Test {
    Class(&'static str),
    Id(&'static str),
    /// An id of this and a key after it.
    NumberedId(&'static str),
    /// An attribute that is there.
    Has(&'static str),
    /// An attribute that has this word.
    Word(&'static str, &'static str),
    /// An attribute that contains this.
    Part(&'static str, &'static str),
}

impl Mark {
    /// Parses a mark; a text that is not a selector of this kind matches nothing.
    pub(super) fn parse(text: &'static str) -> Self {
        let start = text.find(['.', '#', '[']).unwrap_or(text.len());
        let (tag, mut rest) = text.split_at(start);
        let mut tests = Vec::new();
        while let Some(kind) = rest.chars().next() {
            let body = &rest[1..];
            let end = if kind == '[' {
                body.find(']')
            } else {
                body.find(['.', '#', '['])
            };
            let (value, after) = body.split_at(end.unwrap_or(body.len()));
            rest = after.strip_prefix(']').unwrap_or(after);
            tests.push(match kind {
                '.' => Test::Class(value),
                '#' => value
                    .strip_suffix('*')
                    .map_or(Test::Id(value), Test::NumberedId),
                _ => match (value.split_once("*="), value.split_once('=')) {
                    (Some((name, part)), _) => Test::Part(name, part),
                    (None, Some((name, word))) => Test::Word(name, word),
                    (None, None) => Test::Has(value),
                },
            });
        }
        Self { tag, tests }
    }

    pub(super) fn matches(&self, dom: &Dom, id: NodeId) -> bool {
        let attributes = dom.attributes(id);
        let word = |name: &str, wanted: &str| {
            attributes
                .get(name)
                .is_some_and(|value| value.split_ascii_whitespace().any(|word| word == wanted))
        };
        (self.tag.is_empty() || dom.tag(id) == self.tag)
            && self.tests.iter().all(|test| match *test {
                Test::Class(class) => word("class", class),
                Test::Id(wanted) => attributes.get("id") == Some(wanted),
                Test::NumberedId(start) => attributes.get("id").and_then(stem) == Some(start),
                Test::Has(name) => attributes.get(name).is_some(),
                Test::Word(name, wanted) => word(name, wanted),
                Test::Part(name, part) => attributes
                    .get(name)
                    .is_some_and(|value| value.contains(part)),
            })
    }

    /// The key by which an [`Index`] finds elements with this mark: its most selective part.
    fn key(&self) -> Key {
        let of_test = |test: &Test| match *test {
            Test::Class(class) => Some((Kind::Class, class)),
            Test::NumberedId(start) => Some((Kind::Id, start)),
            Test::Word("itemtype", _) | Test::Part("itemtype", _) => Some((Kind::Type, "")),
            Test::Word("component", component) => Some((Kind::Component, component)),
            _ => None,
        };
        self.tests
            .iter()
            .find_map(of_test)
            .unwrap_or((Kind::Tag, self.tag))
    }
}

/// The part of an id before the key at its end: `post_` of `post_12`; `None` if there is no key.
fn stem(id: &str) -> Option<&str> {
    let key = id.bytes().rev().take_while(u8::is_ascii_digit).count();
    (key > 0).then(|| &id[..id.len() - key])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Class,
    Id,
    Type,
    Component,
    Tag,
}

type Key = (Kind, &'static str);

/// Marks by their keys, so that an element is compared with few of them.
#[derive(Debug, Default)]
pub(super) struct Index {
    known: FxHashMap<Key, Vec<(usize, Mark)>>,
}

impl Index {
    /// Adds a mark with its number.
    pub(super) fn add(&mut self, number: usize, mark: Mark) {
        self.known
            .entry(mark.key())
            .or_default()
            .push((number, mark));
    }

    /// Calls `found` with the number of each mark that an element has; a mark may be reported
    /// twice.
    pub(super) fn each(&self, dom: &Dom, id: NodeId, mut found: impl FnMut(usize)) {
        let mut look = |kind: Kind, word: &str| {
            for (number, mark) in self.known.get(&(kind, word)).into_iter().flatten() {
                if mark.matches(dom, id) {
                    found(*number);
                }
            }
        };
        let tag = dom.tag(id);
        if tag.contains('-') {
            look(Kind::Tag, tag);
        }
        for (name, value) in dom.attributes(id).iter() {
            match name {
                "class" => value
                    .split_ascii_whitespace()
                    .for_each(|class| look(Kind::Class, class)),
                "id" => stem(value)
                    .into_iter()
                    .for_each(|stem| look(Kind::Id, stem)),
                "itemtype" => look(Kind::Type, ""),
                "component" => look(Kind::Component, value),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn marks_are_simple_selectors() {
        let dom = parse_html(
            "<div class='a post' id=post_12 data-x='one two'><a href=/user/3>Ann</a></div><p id=post_x>",
        );
        let matching = |mark: &'static str| {
            let mark = Mark::parse(mark);
            dom.ids()
                .filter(|&id| dom.is_element(id) && mark.matches(&dom, id))
                .count()
        };
        for (mark, count) in [
            ("div.post", 1),
            (".a.post#post_*[data-x]", 1),
            ("p.post", 0),
            ("#post_*", 1),
            ("#post_x", 1),
            ("[data-x=two]", 1),
            ("[data-x=tw]", 0),
            ("a[href*=user/]", 1),
        ] {
            assert_eq!(matching(mark), count, "{mark}");
        }
        let mut index = Index::default();
        [".post", "#post_*", "#post_x"]
            .into_iter()
            .enumerate()
            .for_each(|(at, mark)| index.add(at, Mark::parse(mark)));
        let mut found = Vec::new();
        dom.ids()
            .for_each(|id| index.each(&dom, id, |mark| found.push(mark)));
        assert_eq!(found, [0, 1]);
    }
}
