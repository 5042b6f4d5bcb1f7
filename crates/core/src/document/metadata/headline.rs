//! Byline and dateline by position: short blocks beside the headline, if no markup names them.

use super::date::{LineKind, dateline, is_of_change, read_relative};
use super::names;
use super::raw::is_in_elsewhere;
use crate::capture::{Capture, NodeId};
use crate::document::page::PageParts;
use crate::elements::is_heading;
use crate::target::Target;
use std::ops::Range;

/// Number of blocks before and after the headline that are examined. Heuristic.
const BLOCKS: (usize, usize) = (2, 5);

/// Longest byline or dateline, in characters; a longer block after the headline begins the text.
/// Heuristic.
const MAX_CHARS: usize = 100;
const MIN_TEXT_CHARS: usize = 200;
/// Most words of a line such as `Ann Lee, 3 days ago`. Heuristic.
const MAX_RELATIVE_WORDS: usize = 6;

/// Authors and dates found in lines beside the headline.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HeadlineLines {
    pub(super) authors: Vec<String>,
    pub(super) date: Option<String>,
    pub(super) modified: Option<String>,
}

/// Reads the blocks around a page's headline; `first_kept` is the index of the first target of the
/// text.
pub(super) fn read(
    page: &PageParts<'_>,
    first_kept: usize,
    language: Option<&str>,
) -> HeadlineLines {
    let PageParts {
        capture, targets, ..
    } = *page;
    let mut found = HeadlineLines::default();
    let Some(blocks) = around_headline(page, first_kept) else {
        return found;
    };
    for target in blocks.clone().filter_map(|index| targets.get(index)) {
        let text = target.text(&capture.dom);
        let chars = text.chars().count();
        if chars > MIN_TEXT_CHARS && found != HeadlineLines::default() {
            break;
        }
        if chars > MAX_CHARS || is_heading(capture.dom.tag(target.container)) {
            continue;
        }
        if found.authors.is_empty() {
            found.authors = names::byline(&text);
            // A date may come before the name.
            let after_date = || {
                text.find(" by ")
                    .filter(|at| text[..*at].bytes().any(|byte| byte.is_ascii_digit()))
            };
            if found.authors.is_empty()
                && let Some(at) = after_date()
            {
                found.authors = names::byline(&text[at..]);
            }
        }
        let relative = || read_relative(&text, capture.record.captured_at_s?);
        let is_short = text.split_whitespace().count() <= MAX_RELATIVE_WORDS;
        let date = dateline(&text, language).map(|(date, _)| date);
        let date = date.or_else(|| if is_short { relative() } else { None });
        let place = if is_of_change(&text) {
            &mut found.modified
        } else {
            &mut found.date
        };
        *place = place.take().or(date);
    }
    found
}

/// Number of blocks that are searched for a date. Heuristic.
const MAX_DATE_BLOCKS: usize = 500;

/// The date in a block that contains nothing else or is labeled as the date of publication, for
/// pages that mark none: the closest one before the text, else the first one in it or after it.
/// `first_kept` is the index of the first target of the text, and `kept` an element of the text.
pub(super) fn date_block(
    capture: &Capture,
    targets: &[Target],
    first_kept: usize,
    kept: Option<NodeId>,
    language: Option<&str>,
) -> Option<String> {
    let first_kept = first_kept.min(targets.len());
    let nearest = (0..first_kept)
        .rev()
        .chain(first_kept..targets.len())
        .take(MAX_DATE_BLOCKS);
    nearest
        .filter_map(|index| targets.get(index))
        .find_map(|target| {
            let text = target.text(&capture.dom);
            if text.chars().count() > MAX_CHARS || is_of_change(&text) {
                return None;
            }
            let (date, kind) = dateline(&text, language)?;
            (kind != LineKind::Beside && !is_in_elsewhere(&capture.dom, target.container, kept))
                .then_some(date)
        })
}

/// The targets from a little before the headline to a little after it. The headline is the heading
/// beside that of the site, else the last `h1` before the text or its first one, else the first
/// heading of the text.
fn around_headline(page: &PageParts<'_>, first_kept: usize) -> Option<Range<usize>> {
    let PageParts {
        capture, targets, ..
    } = *page;
    let own = page.site_heading().own;
    let own = own.and_then(|own| {
        targets
            .iter()
            .position(|target| capture.dom.contains(own, target.first()))
    });
    let is = |index: usize, test: &dyn Fn(&str) -> bool| {
        let container = targets[index].container;
        let mut around = std::iter::once(container).chain(capture.dom.ancestors(container).take(2));
        around.any(|id| test(capture.dom.tag(id)))
    };
    let is_h1 = |index: &usize| is(*index, &|tag| tag == "h1");
    let end = targets.len();
    let at = own
        .or_else(|| (0..(first_kept + 1).min(end)).rev().find(is_h1))
        .or_else(|| (first_kept..end).find(is_h1));
    let at =
        at.or_else(|| (first_kept..end.min(first_kept + 3)).find(|&index| is(index, &is_heading)))?;
    let (before, after) = BLOCKS;
    Some(at.saturating_sub(before)..(at + 1 + after).min(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    fn found(html: &str) -> HeadlineLines {
        let mut capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        capture.record.captured_at_s = Some(1_709_294_400);
        let targets = select(&capture, TargetRule::Blocks);
        let first_kept = targets
            .iter()
            .position(|target| target.text(&capture.dom).len() > 20)
            .unwrap_or(0);
        read(&PageParts::new(&capture, &targets), first_kept, Some("en"))
    }

    #[test]
    fn short_lines_beside_the_headline_name_author_and_date() {
        let text = "<p>A text that is long enough to be read as the text of this page.</p>";
        let all = found(&format!(
            "<div>Menu</div><h1>Gulls</h1><div>By Ann Lee</div><div>May 3, 2020</div>{text}"
        ));
        assert_eq!(
            (all.authors, all.date.as_deref()),
            (vec!["Ann Lee".to_owned()], Some("2020-05-03"))
        );
        let dated = found(&format!(
            "<h1>Gulls</h1><div>posted 3 May 2020 by Ann Lee</div>{text}"
        ));
        assert_eq!(
            (dated.authors, dated.date.as_deref()),
            (vec!["Ann Lee".to_owned()], Some("2020-05-03"))
        );
        let before = found(&format!(
            "<div>3 May 2020</div><h1>Gulls</h1><div>Updated 4 May 2020</div>{text}"
        ));
        assert_eq!(
            (before.date.as_deref(), before.modified.as_deref()),
            (Some("2020-05-03"), Some("2020-05-04"))
        );
        assert_eq!(
            found(&format!("<h1>Gulls</h1><i>2 days ago</i>{text}"))
                .date
                .as_deref(),
            Some("2024-02-28")
        );
        let far = format!("<h1>Gulls</h1>{}<div>3 May 2020</div>", text.repeat(9));
        assert_eq!(found(&far), HeadlineLines::default());
        assert_eq!(found("<p>3 May 2020</p>"), HeadlineLines::default());
        assert_eq!(
            found(&format!("<h1>Gulls</h1><p>3 May 1820</p>{text}")),
            HeadlineLines::default()
        );
    }

    #[test]
    fn the_date_of_a_change_comes_before_any_other_date() {
        assert!(is_of_change("Last updated: 4 May 2020"));
        assert!(!is_of_change("Posted 3 May 2020 | Updated 4 May 2020"));
    }

    #[test]
    fn a_block_that_is_a_date_dates_the_page() {
        let date = |html: &str| {
            let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
            let targets = select(&capture, TargetRule::Blocks);
            let first_kept = targets
                .iter()
                .position(|target| target.text(&capture.dom).contains("gulls"))
                .unwrap();
            date_block(&capture, &targets, first_kept, None, Some("en"))
        };
        assert_eq!(
            date("<p>1 May 2020<p>3 May 2020<p>Of gulls<p>4 May 2020").as_deref(),
            Some("2020-05-03")
        );
        assert_eq!(
            date("<p>Menu<p>Of gulls on 2 May 2020 and of all the mussels that they drop<p>4 May 2020").as_deref(),
            Some("2020-05-04")
        );
        assert_eq!(
            date(
                "<p>Of gulls<footer>4 May 2020</footer><div class=comments>5 May 2020</div><p>Updated 6 May 2020"
            ),
            None
        );
    }
}
