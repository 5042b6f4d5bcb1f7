//! Signs of a record by node: times, names, and actions such as a link to reply; none depends on words of a language.

use super::super::address::{LinkTarget, link_target};
use super::super::page::PageView;
use super::super::pattern::find_numbers;
use super::super::tags;
use super::super::text_profile::TextProfile;
use super::roles::{Role, role_of};
use crate::capture::{Dom, NodeId};
use crate::hash::text_key;
use crate::language::character_facts::{ALPHABETIC, Facts, NUMERIC};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Longest text node that is looked at for a date; dates with weekday and time have up to 45.
const DATE_CHARS: usize = 60;
/// Longest text of an action such as "Reply".
const ACTION_CHARS: usize = 25;
/// Longest name with the words around it, such as "Anna B. wrote".
const NAME_CHARS: usize = 40;
/// Nodes a link may have to be looked at: a few inline elements.
const LINK_NODES: usize = 12;
/// Longest text that tells how long ago, such as "3 weeks ago".
const AGO_CHARS: usize = 24;
/// Words in such a text beside its number.
const AGO_WORDS: Range<usize> = 1..5;

/// A kind of sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// A `time` element, a `datetime`, or a short text with a date or a time of day.
    Time,
    /// A short text with one small number, such as "2 days ago" (or "3 likes").
    Ago,
    /// A short line or link that may be a name.
    Name,
    /// A short link or button that occurs more than once and leads to no other page.
    Action,
    /// A link to a part of this page.
    Part,
}

const MARKS: usize = Mark::Part as usize + 1;

/// Prefix sums over the nodes of each [`Mark`].
pub(super) struct Marks {
    sums: Vec<[u32; MARKS]>,
}

impl Marks {
    pub(super) fn new(view: &PageView<'_>) -> Self {
        let dom = &view.capture.dom;
        let mut of_node = vec![[0u32; MARKS]; dom.len()];
        for (target, block) in view.targets.iter().zip(&view.blocks) {
            let mark = match role_of(block, view.copies(block)) {
                Role::Time => Mark::Time,
                Role::Name => Mark::Name,
                Role::Other => continue,
            };
            of_node[target.first().index()][mark as usize] += 1;
        }
        for (id, marks) in dom.ids().zip(&mut of_node) {
            let own = view.tree.of(id).own;
            if own & tags::NUMBERED != 0 {
                let text = dom.text(id).unwrap_or("").trim();
                marks[Mark::Time as usize] += u32::from(has_date(text));
                marks[Mark::Ago as usize] += u32::from(tells_age(text));
            } else if own & (tags::TIME | tags::DATETIME) != 0 {
                marks[Mark::Time as usize] += 1;
            }
        }
        mark_links(view, &mut of_node);
        let mut sums = Vec::with_capacity(dom.len() + 1);
        let mut sum = [0; MARKS];
        sums.push(sum);
        for marks in of_node {
            sum.iter_mut().zip(marks).for_each(|(sum, mark)| *sum += mark);
            sums.push(sum);
        }
        Self { sums }
    }

    /// Whether there is such a sign among the nodes `range`.
    pub(super) fn has(&self, mark: Mark, range: &Range<usize>) -> bool {
        self.sums[range.end][mark as usize] > self.sums[range.start][mark as usize]
    }
}

/// A short link or button.
struct ShortLink {
    node: usize,
    /// Hash of its text.
    key: u64,
    characters: usize,
    /// Whether it may be an action: it leads to no other page, as far as its address tells.
    stays: bool,
}

/// Marks short links and buttons as names or actions, and links to parts of the page.
fn mark_links(view: &PageView<'_>, of_node: &mut [[u32; MARKS]]) {
    let dom = &view.capture.dom;
    let host = view.tree.host.as_deref();
    let own = view.capture.address().map(without_fragment);
    let (mut links, mut text) = (Vec::new(), String::new());
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    for id in dom.ids().filter(|&id| view.tree.of(id).own & (tags::LINK | tags::CONTROL) != 0) {
        let is_control = view.tree.of(id).own & tags::CONTROL != 0;
        let address = dom.attribute(id, "href").unwrap_or("").trim();
        let is_part = is_part_of_page(address, own);
        of_node[id.index()][Mark::Part as usize] += u32::from(is_part);
        if view.subtree(id).len() > LINK_NODES {
            continue;
        }
        write_short_text(dom, id, &mut text);
        let characters = text.chars().count();
        if (1..=NAME_CHARS).contains(&characters) {
            let stays = is_control
                || is_part
                || matches!(address, "" | "#")
                || address.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:"))
                || (address.contains('?') && !matches!(link_target(address, host), LinkTarget::OtherSite));
            let key = text_key(&text);
            *counts.entry(key).or_insert(0) += 1;
            links.push(ShortLink { node: id.index(), key, characters, stays });
        }
    }
    for link in links {
        let mark = match (counts[&link.key] > 1, link.stays && link.characters <= ACTION_CHARS) {
            (true, true) => Mark::Action,
            (false, false) => Mark::Name,
            _ => continue,
        };
        of_node[link.node][mark as usize] += 1;
    }
}

/// The address without its fragment.
fn without_fragment(address: &str) -> &str {
    address.split('#').next().unwrap_or(address)
}

/// Whether an address leads to a part of the page whose address without fragment is `own`.
fn is_part_of_page(address: &str, own: Option<&str>) -> bool {
    match address.split_once('#') {
        Some((before, part)) => !part.is_empty() && (before.is_empty() || own == Some(before)),
        None => false,
    }
}

/// Writes the text below a small element, white space collapsed, cut soon after what a name may have.
fn write_short_text(dom: &Dom, id: NodeId, text: &mut String) {
    text.clear();
    for part in dom.descendants(id).filter_map(|node| dom.text(node)) {
        for word in part.split_whitespace() {
            if text.len() > 4 * NAME_CHARS {
                return;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
        }
    }
}

/// Whether a short text has a date or a time of day by its digits.
fn has_date(text: &str) -> bool {
    if text.len() > 4 * DATE_CHARS {
        return false;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if digits < 3 || text.chars().count() > DATE_CHARS {
        return false;
    }
    let mut profile = TextProfile { digits: digits as u32, ..TextProfile::default() };
    find_numbers(text, &mut profile);
    profile.has_date || profile.has_time
}

/// Whether a text may tell how long ago something was: one number of one or two digits and a few words, or, in scripts
/// without spaces, a few characters.
fn tells_age(text: &str) -> bool {
    let is_numeric = |c| Facts::of(c).has(NUMERIC);
    if text.len() > 4 * AGO_CHARS || !text.chars().any(is_numeric) || text.chars().count() > AGO_CHARS {
        return false;
    }
    let mut groups = text.split(|c| !is_numeric(c)).filter(|group| !group.is_empty());
    let is_small = groups.next().is_some_and(|number| number.chars().count() <= 2) && groups.next().is_none();
    let words = text.split(|c| !Facts::of(c).has(ALPHABETIC)).filter(|word| !word.is_empty()).count();
    is_small && AGO_WORDS.contains(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_ages_are_told_by_digits() {
        for text in [
            "12.03.2021 18:40",
            "2021-03-12",
            "March 12, 2021 at 6:40 pm",
            "el domingo 11 de junio de 2006",
            "2021年3月12日",
        ] {
            assert!(has_date(text), "{text}");
        }
        for text in ["2 days ago", "vor 3 Stunden", "3天前", "il y a 5 min", "٣ أيام"] {
            assert!(tells_age(text), "{text}");
        }
        for text in ["days ago", "200 days", "3", "2 of 5", "the 2 men went there and did not come back"] {
            assert!(!tells_age(text) && !has_date(text), "{text}");
        }
    }

    #[test]
    fn parts_of_the_page_are_told_by_its_address() {
        let own = Some("https://a.org/x");
        assert!(is_part_of_page("#c2", own) && is_part_of_page("https://a.org/x#c2", own));
        assert!(!is_part_of_page("#", own) && !is_part_of_page("https://a.org/y#c2", own));
        assert!(!is_part_of_page("/y", None));
    }
}
