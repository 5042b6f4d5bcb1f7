//! Threads of unknown software, by structure alone: similar elements, each with a date, a name and
//! a text of its own. Used only for pages that the model classifies as threads.

use super::numeric_dates::is_numeric_date;
use super::systems::KNOWN;
use super::thread::{Record, Thread};
use crate::capture::{Dom, NodeId};
use crate::document::byline::{date, signed, text};
use crate::document::content::PostRole;
use crate::elements::Element;
use crate::hash::Fnv;
use crate::language::read_ago;
use crate::target::Target;
use crate::text::{collapse, count_letters};
use rustc_hash::FxHashMap;

/// Longest text that is a date, in bytes.
const MAX_DATE_BYTES: usize = 60;
/// Fewest posts of a thread.
const MIN_POSTS: usize = 2;
/// Share of the kept text that must be in the posts. Heuristic.
const MIN_SHARE: f64 = 0.3;
/// Most dates of a post: when it was written and changed, when its author joined. Heuristic: more
/// dates mean several posts.
const MAX_DATES: u32 = 4;
/// Parts of classes of names, and of addresses of people.
const NAME_CLASSES: &[&str] = &["author", "user", "nick", "poster", "creator", "member"];
const NAME_LINKS: &[&str] = &[
    "user", "member", "profil", "author", "/u/", "/~", "uid=", "space-", "people", "/account", "/@",
];
/// Parts of names of elements that hold a post.
const POST_WORDS: &[&str] = &[
    "post", "comment", "repl", "answer", "message", "topic", "thread", "floor", "msg",
];

const A: Element = Element::known("a");
const TIME: Element = Element::known("time");

/// Counts over all nodes before a node.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    dates: u32,
    names: u32,
    /// Kept letters outside links and headings.
    letters: u32,
    /// Headings that lead to other pages.
    teasers: u32,
}

impl Sums {
    fn minus(self, other: Self) -> Self {
        Self {
            dates: self.dates - other.dates,
            names: self.names - other.names,
            letters: self.letters - other.letters,
            teasers: self.teasers - other.teasers,
        }
    }
}

/// The posts of a page on which the targets with `is_kept` are text.
pub(in crate::document) fn find_unknown(
    dom: &Dom,
    targets: &[Target],
    is_kept: impl Fn(usize) -> bool,
    language: Option<&str>,
) -> Option<Thread> {
    let sums = sums(dom, targets, is_kept, language);
    let sum_below = |id: NodeId| sums[dom.end(id)].minus(sums[id.index()]);
    let all = sums.last().copied().unwrap_or_default();
    let mut kinds: FxHashMap<u64, Vec<NodeId>> = FxHashMap::default();
    let mut likeness = vec![0u64; dom.len()];
    for id in dom.ids().skip(1).filter(|&id| dom.is_element(id)) {
        let above = dom.parent(id).map_or(0, |up| likeness[up.index()]);
        likeness[id.index()] = alike(dom, id, above);
        let found = sum_below(id);
        if found.dates > 0 && found.names > 0 && found.letters > 0 && !dom.element(id).is_heading()
        {
            kinds.entry(likeness[id.index()]).or_default().push(id);
        }
    }
    let scored = kinds.into_values().filter_map(|members| {
        let score = score(dom, &members, &sum_below, all.letters)?;
        Some((score, members))
    });
    // Among equal scores, the outermost elements, which begin first, are taken.
    let best = scored.max_by(|(one, first), (other, second)| {
        one.total_cmp(other).then(second[0].cmp(&first[0]))
    });
    let (_, members) = best?;
    let mut records: Vec<Record> = members
        .iter()
        .map(|&element| {
            let nodes = element.index()..dom.end(element);
            Record {
                element,
                nodes,
                role: PostRole::Post,
                body: None,
                outer: None,
            }
        })
        .collect();
    records.extend(opening(dom, &members, &sums));
    Some(Thread::new(&KNOWN.unknown, records))
}

/// The thread with the text before its posts as the first one, if all posts are comments on it.
pub(in crate::document) fn with_opening(
    dom: &Dom,
    thread: Thread,
    targets: &[Target],
    is_kept: impl Fn(usize) -> bool,
    language: Option<&str>,
) -> Thread {
    if thread
        .records
        .iter()
        .any(|record| record.role != PostRole::Comment)
    {
        return thread;
    }
    let outermost = thread
        .records
        .iter()
        .filter(|record| record.outer.is_none());
    let members: Vec<NodeId> = outermost.map(|record| record.element).collect();
    match opening(dom, &members, &sums(dom, targets, is_kept, language)) {
        Some(first) => Thread::new(
            thread.system,
            thread.records.into_iter().chain([first]).collect(),
        ),
        None => thread,
    }
}

/// Score of elements as posts; `None` if they are not posts.
fn score(
    dom: &Dom,
    members: &[NodeId],
    sum_below: &impl Fn(NodeId) -> Sums,
    all_letters: u32,
) -> Option<f64> {
    if members.len() < MIN_POSTS || all_letters == 0 {
        return None;
    }
    // Letters of a member inside another one are counted once.
    let (mut letters, mut crowded, mut teasers, mut end) = (0, 0, 0, 0);
    for &id in members {
        let found = sum_below(id);
        if id.index() >= end {
            letters += found.letters;
            end = dom.end(id);
        }
        crowded += usize::from(found.dates > MAX_DATES);
        teasers += usize::from(found.teasers > 0);
    }
    let share = f64::from(letters) / f64::from(all_letters);
    let is_nested = members
        .windows(2)
        .any(|pair| dom.contains(pair[0], pair[1]));
    if share < MIN_SHARE || 2 * teasers > members.len() || !is_nested && 2 * crowded > members.len()
    {
        return None;
    }
    let name = ["class", "id"]
        .iter()
        .filter_map(|name| dom.attribute(members[0], name))
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    let is_named = POST_WORDS.iter().any(|word| name.contains(word));
    Some(share * share * (1.0 + members.len() as f64).ln() * if is_named { 1.3 } else { 1.0 })
}

/// Hash of the properties that similar elements share: the tag and the first class without digits,
/// or the beginning of the id; without both, the tag and the hash of the element above.
fn alike(dom: &Dom, id: NodeId, above: u64) -> u64 {
    let mut hash = Fnv::new();
    dom.tag(id).bytes().for_each(|byte| hash.add(byte));
    let class = dom
        .attribute(id, "class")
        .and_then(|classes| classes.split_ascii_whitespace().next());
    let numbered = || {
        dom.attribute(id, "id")
            .filter(|id| id.ends_with(|c: char| c.is_ascii_digit()))
    };
    match class.or_else(numbered) {
        Some(name) => name
            .bytes()
            .filter(|byte| !byte.is_ascii_digit())
            .for_each(|byte| hash.add(byte)),
        None => above
            .to_le_bytes()
            .into_iter()
            .for_each(|byte| hash.add(byte)),
    }
    hash.finish()
}

fn sums(
    dom: &Dom,
    targets: &[Target],
    is_kept: impl Fn(usize) -> bool,
    language: Option<&str>,
) -> Vec<Sums> {
    let mut of_node = vec![Sums::default(); dom.len()];
    for (_, target) in targets
        .iter()
        .enumerate()
        .filter(|(index, _)| is_kept(*index))
    {
        for &id in &target.texts {
            let is_beside = dom
                .ancestors(id)
                .take(4)
                .any(|up| dom.element(up) == A || dom.element(up).is_heading());
            of_node[id.index()].letters +=
                dom.text(id).filter(|_| !is_beside).map_or(0, count_letters) as u32;
        }
    }
    let mut in_heading = 0;
    for id in dom.ids() {
        let found = &mut of_node[id.index()];
        if let Some(text) = dom.text(id) {
            found.dates += u32::from(is_date(text, language));
            found.names += u32::from(
                text.len() <= 2 * MAX_DATE_BYTES && signed(&collapse(text), language).is_some(),
            );
            continue;
        }
        if dom.element(id).is_heading() {
            in_heading = dom.end(id);
        }
        let href = dom.attribute(id, "href").unwrap_or("");
        found.dates += u32::from(dom.element(id) == TIME);
        found.teasers +=
            u32::from(id.index() < in_heading && !href.is_empty() && !href.contains('#'));
        found.names += u32::from(is_name(dom, id, href));
    }
    let mut sum = Sums::default();
    let mut sums = Vec::with_capacity(dom.len() + 1);
    sums.push(sum);
    for found in of_node {
        sum.dates += found.dates;
        sum.names += found.names;
        sum.letters += found.letters;
        sum.teasers += found.teasers;
        sums.push(sum);
    }
    sums
}

fn is_date(text: &str, language: Option<&str>) -> bool {
    let text = text.trim();
    if text.len() > MAX_DATE_BYTES || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits >= 4 && (date(text, language).is_some() || is_numeric_date(text))
        || text.len() <= 30 && read_ago(text).is_some()
}

/// Returns true if an element is marked as a name, or leads to a person.
fn is_name(dom: &Dom, id: NodeId, href: &str) -> bool {
    let lower = |value: &str, parts: &[&str]| {
        let value = value.to_ascii_lowercase();
        parts.iter().any(|part| value.contains(part))
    };
    let is_linked = !href.is_empty() && href.len() < 300 && lower(href, NAME_LINKS);
    let is_marked = || {
        let class = dom
            .attribute(id, "class")
            .is_some_and(|class| class.len() < 300 && lower(class, NAME_CLASSES));
        class
            || dom.attribute(id, "rel") == Some("author")
            || dom.attribute(id, "itemprop") == Some("author")
    };
    (is_linked || is_marked()) && text(dom, id, 40).is_some_and(|text| !text.is_empty())
}

/// The first post of a page whose other posts are similar elements: the nodes before them in the
/// smallest element around them that has kept text there, with a date or a name.
fn opening(dom: &Dom, members: &[NodeId], sums: &[Sums]) -> Option<Record> {
    let (first, last) = (*members.first()?, *members.last()?);
    let around = dom.ancestors(first).filter(|&up| dom.contains(up, last));
    for up in around {
        let nodes = up.index()..first.index();
        let before = sums[nodes.end].minus(sums[nodes.start]);
        if before.letters > 0 {
            let has_letters = |child: &NodeId| {
                sums[dom.end(*child).min(nodes.end)]
                    .minus(sums[child.index()])
                    .letters
                    > 0
            };
            let element = dom.children(up).find(has_letters)?;
            let nodes = element.index()..first.index();
            let is_post = before.dates > 0 || before.names > 0;
            return is_post.then_some(Record {
                element,
                nodes,
                role: PostRole::Post,
                body: None,
                outer: None,
            });
        }
        if dom.tag(up) == "body" {
            break;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Record as Made};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    /// The texts of the posts of a page, of which the blocks with "text" are kept.
    fn posts(html: &str) -> Vec<String> {
        let capture = Capture::parsed(parse_html(html), Made::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let dom = &capture.dom;
        let is_kept = |index: usize| targets[index].text(dom).contains("text");
        let Some(thread) = find_unknown(dom, &targets, is_kept, None) else {
            return Vec::new();
        };
        let post_text = |index| {
            thread
                .own_nodes(index)
                .filter_map(|id| dom.text(id))
                .map(str::trim)
                .collect::<Vec<_>>()
                .join(" ")
        };
        (0..thread.records.len()).map(post_text).collect()
    }

    #[test]
    fn elements_alike_with_a_date_a_name_and_a_text_are_posts() {
        let post = |name: &str, day: u32| {
            format!(
                "<div class=xq{day}><div><a href=/user/{day}>{name}</a> <i>{day} May 2020, 10:00</i></div><p>A text of day {day}.</p></div>"
            )
        };
        let html = format!(
            "<main><h1>Shells</h1><div>{}{}{}</div></main><p>Menu</p>",
            post("Ann", 3),
            post("Bo", 4),
            post("Cy", 5)
        );
        assert_eq!(posts(&html).len(), 3);
        assert_eq!(posts(&html)[1], "Bo  4 May 2020, 10:00 A text of day 4.");
        let first = "<section><h1>Shells</h1><p><a href=/user/9>Di</a> 2 May 2020</p><p>The first text of the thread.</p></section>";
        let html = format!(
            "<main>{first}<div>{}{}</div></main>",
            post("Ann", 3),
            post("Bo", 4)
        );
        assert_eq!(posts(&html).len(), 3);
        assert!(posts(&html)[0].ends_with("The first text of the thread."));
    }

    #[test]
    fn teasers_and_single_texts_are_none() {
        let teaser = |day: u32| {
            format!(
                "<article class=t><h2><a href=/p/{day}>Shells</a></h2><a href=/author/x>Ann</a> <time>{day} May 2020</time><p>A text.</p></article>"
            )
        };
        assert!(posts(&[teaser(1), teaser(2), teaser(3)].concat()).is_empty());
        assert!(posts("<p>A text <a href=/user/x>Ann</a> 3 May 2020</p>").is_empty());
    }
}
