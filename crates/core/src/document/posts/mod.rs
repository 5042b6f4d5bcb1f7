//! Posts of a thread and readers' comments: texts, authors, dates, and the post that each answers.
//!
//! `systems` has the marks of known software, `thread` the elements of posts, `drupal` the signs of
//! its forum, `structure` the elements of posts of unknown software, `details` the author, date and
//! other details of a post, `numeric_dates` the order of the numbers in its dates, `answered` the
//! post that it answers, and `described` the descriptions of posts in JSON-LD.

mod answered;
mod described;
mod details;
mod drupal;
mod marks;
mod numeric_dates;
mod structure;
mod systems;
mod thread;

pub(super) use answered::{is_in_quotation, is_quoted};
pub(super) use described::DescribedPosts;
pub(super) use details::Details;
pub(super) use thread::{Thread, find_known};

use super::byline::date;
use super::page::PageParts;
use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label, LikelyKind, PageKind};
use crate::document::content::{Post, PostRole, Segment};
use crate::target::Target;
use crate::text::{collapse, count_letters};
use details::Reader;
use std::ops::Range;

/// Share of the text that must be in marked comments if the page is a thread. Heuristic: most.
const MIN_SHARE: f64 = 0.6;
/// Fewest posts with one common author for which that name counts as a label of the page.
const MIN_SAME: usize = 3;

/// The posts of a thread, with the indices of their segments; empty if the page is not one.
pub(super) fn posts(
    page: &PageParts<'_>,
    decisions: &[Decision],
    segments: &[Segment],
    kind: Option<LikelyKind>,
) -> Vec<Post> {
    let dom = page.dom;
    let mut reader = Reader::new(page.capture, &page.addresses);
    let is_forum = kind.is_some_and(|kind| kind.kind == PageKind::Forum);
    let is_content = |index: usize| {
        decisions
            .get(index)
            .is_some_and(|decision| decision.label == Label::Content)
    };
    let known =
        find_known(dom).filter(|thread| thread.is_of_forum() || covers(page, thread, is_content));
    let unknown = || structure::find_unknown(dom, page.targets, is_content, reader.language);
    let known = known.map(|thread| {
        structure::with_opening(dom, thread, page.targets, is_content, reader.language)
    });
    let Some(thread) = known.or_else(|| if is_forum { unknown() } else { None }) else {
        return Vec::new();
    };
    reader.learn_order(&thread);
    let texts = texts(page, &thread, segments);
    let first = |index: usize| {
        let segment = segments
            .get(texts[index].start)
            .filter(|_| !texts[index].is_empty())?;
        Some(page.targets.get(segment.target)?.container)
    };
    let mut found: Vec<Details> = (0..thread.records.len())
        .map(|index| reader.read(&thread, index, first(index)))
        .collect();
    if !thread.is_of_forum() {
        forget_labels(&mut found);
    }
    let authors: Vec<Option<&str>> = found
        .iter()
        .map(|details| details.author.as_deref())
        .collect();
    let parents = answered::find(dom, &thread, &authors);
    let all = found
        .into_iter()
        .zip(parents)
        .zip(&thread.records)
        .zip(texts);
    let all = all.map(|(((details, parent), record), text)| {
        let text = trim(segments, text, &details, reader.language);
        made(record.role, details, parent, text)
    });
    let mut posts = without_empty(all.collect());
    complete(
        &mut posts,
        segments,
        &DescribedPosts::read(dom, reader.language),
    );
    if is_thread(&thread, &posts) {
        posts
    } else {
        Vec::new()
    }
}

/// Returns true if the posts are a thread: of a known forum, or several of which most have an
/// author or a date.
fn is_thread(thread: &Thread, posts: &[Post]) -> bool {
    let signed = posts
        .iter()
        .filter(|post| post.author.is_some() || post.date.is_some())
        .count();
    thread.is_of_software() || posts.len() > 1 && 2 * signed >= posts.len()
}

fn made(role: PostRole, details: Details, parent: Option<usize>, segments: Range<usize>) -> Post {
    let Details {
        author,
        date,
        url,
        votes,
        is_accepted,
    } = details;
    Post {
        role,
        is_accepted,
        author,
        date,
        url,
        parent,
        votes,
        segments,
    }
}

/// Returns true if most of the text that is content is in the posts.
fn covers(page: &PageParts<'_>, thread: &Thread, is_content: impl Fn(usize) -> bool) -> bool {
    let kept = page
        .targets
        .iter()
        .enumerate()
        .filter(|(index, target)| is_content(*index) && !target.texts.is_empty());
    let kept: Vec<_> = kept.map(|(_, target)| target).collect();
    let letters = |nodes: &[NodeId]| {
        nodes
            .iter()
            .filter_map(|&id| page.dom.text(id))
            .map(count_letters)
            .sum::<usize>() as f64
    };
    let (mut all, mut inside) = (0.0, 0.0);
    let owners = thread.owners(kept.iter().map(|target| target.first()));
    for (target, owner) in kept.iter().zip(owners) {
        let letters = letters(&target.texts);
        all += letters;
        inside += if owner.is_some() { letters } else { 0.0 };
    }
    all > 0.0 && inside >= MIN_SHARE * all
}

/// For each post the segments of its text: the consecutive ones with the most letters.
fn texts(page: &PageParts<'_>, thread: &Thread, segments: &[Segment]) -> Vec<Range<usize>> {
    let firsts: Vec<NodeId> = segments
        .iter()
        .map(|segment| {
            let node = segment
                .spans
                .iter()
                .flat_map(|span| &span.nodes)
                .min()
                .copied();
            node.or_else(|| page.targets.get(segment.target).map(Target::first))
                .unwrap_or(Dom::ROOT)
        })
        .collect();
    let owners = thread.owners(firsts.iter().copied());
    let mut texts = vec![(0, 0..0); thread.records.len()];
    let mut start = 0;
    let is_own = |at: usize| {
        let record = &thread.records[owners[at]?];
        // Names and dates beside a marked text are not a part of it.
        let is_text = record
            .body
            .is_none_or(|body| page.dom.contains(body, firsts[at]));
        is_text.then_some(owners[at]).flatten()
    };
    let owned: Vec<Option<usize>> = (0..segments.len()).map(is_own).collect();
    for run in owned.chunk_by(|one, other| one == other) {
        let range = start..start + run.len();
        start = range.end;
        let Some(owner) = run[0] else { continue };
        let letters: usize = segments[range.clone()]
            .iter()
            .map(|segment| count_letters(&segment.text()) + 1)
            .sum();
        if letters > texts[owner].0 {
            texts[owner] = (letters, range);
        }
    }
    texts.into_iter().map(|(_, range)| range).collect()
}

/// The text of a post without lines at its ends that contain only its author or its date.
fn trim(
    segments: &[Segment],
    mut text: Range<usize>,
    details: &Details,
    language: Option<&str>,
) -> Range<usize> {
    let is_byline = |at: usize| {
        let line = collapse(&segments[at].text());
        count_letters(&line) == 0
            || details.author.as_deref() == Some(&line)
            || line.len() <= 60
                && date(&line, language).is_some_and(|read| {
                    details
                        .date
                        .as_deref()
                        .is_some_and(|known| known.starts_with(&read))
                })
    };
    while text.len() > 1 && is_byline(text.start) {
        text.start += 1;
    }
    while text.len() > 1 && is_byline(text.end - 1) {
        text.end -= 1;
    }
    text
}

/// The posts with text. An answer to one without text becomes an answer to that one's parent.
fn without_empty(posts: Vec<Post>) -> Vec<Post> {
    let mut numbers: Vec<Option<usize>> = Vec::with_capacity(posts.len());
    let mut kept: Vec<Post> = Vec::new();
    for mut post in posts {
        // Earlier posts map to their own new index, or to that of the post that they answer.
        post.parent = post
            .parent
            .and_then(|parent| numbers.get(parent).copied().flatten());
        if post.segments.is_empty() {
            numbers.push(post.parent);
        } else {
            numbers.push(Some(kept.len()));
            kept.push(post);
        }
    }
    kept
}

/// Adds the page's descriptions of its posts, and labels question and answers if one is accepted.
fn complete(posts: &mut [Post], segments: &[Segment], described: &DescribedPosts) {
    for post in &mut *posts {
        let texts: Vec<String> = segments[post.segments.clone()]
            .iter()
            .map(Segment::text)
            .collect();
        add_described(post, &texts.join(" "), described);
    }
    if posts.iter().any(|post| post.is_accepted)
        && posts.iter().all(|post| post.role != PostRole::Question)
    {
        let first = posts.iter_mut().find(|post| !post.is_accepted);
        if let Some(post) = first {
            post.role = PostRole::Question;
        }
    }
    for post in posts
        .iter_mut()
        .filter(|post| post.is_accepted && post.role == PostRole::Post)
    {
        post.role = PostRole::Answer;
    }
}

/// Adds the page's description of a post to it.
pub(super) fn add_described(post: &mut Post, text: &str, described: &DescribedPosts) {
    let Some(found) = described.find(text) else {
        return;
    };
    let found = found.clone();
    post.author = post.author.take().or(found.author);
    post.date = match (post.date.take(), found.date) {
        // A shown date may lack a time, or be none. If it has a time, it is that of this post,
        // while the description may belong to a later post that quotes the text.
        (Some(shown), Some(date))
            if !shown.contains('T')
                && (date.len() > shown.len()
                    || !shown.starts_with(|c: char| c.is_ascii_digit())) =>
        {
            Some(date)
        }
        (shown, date) => shown.or(date),
    };
    post.url = post.url.take().or(found.url);
    post.votes = post.votes.or(found.votes);
    post.is_accepted |= found.is_accepted;
    if post.role == PostRole::Post {
        post.role = found.role;
    }
}

/// Removes the author if it is the same in all posts: it is then a label, not a name.
fn forget_labels(all: &mut [Details]) {
    let first = all.first().and_then(|details| details.author.clone());
    if all.len() >= MIN_SAME && first.is_some() && all.iter().all(|details| details.author == first)
    {
        for details in all {
            details.author = None;
        }
    }
}

/// Details of readers' comments, and for each the index of the one that it answers, by their
/// elements in document order.
pub(super) fn comment_details(
    page: &PageParts<'_>,
    elements: &[NodeId],
) -> Vec<(Details, Option<usize>)> {
    let thread = Thread::from_comments(page.dom, elements);
    let mut reader = Reader::new(page.capture, &page.addresses);
    reader.learn_order(&thread);
    let found: Vec<Details> = (0..thread.records.len())
        .map(|index| reader.read(&thread, index, None))
        .collect();
    let authors: Vec<Option<&str>> = found
        .iter()
        .map(|details| details.author.as_deref())
        .collect();
    let parents = answered::find(page.dom, &thread, &authors);
    found.into_iter().zip(parents).collect()
}
