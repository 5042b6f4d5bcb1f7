//! Lists that are written as text: lines or paragraphs that begin with a bullet become items.

use crate::document::content::{Segment, SegmentKind, Span};

/// Signs that begin an item.
const BULLETS: &[char] = &[
    '\u{b7}', '\u{2022}', '\u{2023}', '\u{25aa}', '\u{25a0}', '\u{25cf}', '\u{25e6}', '\u{2043}',
];

/// Turns paragraphs that begin with a bullet into items if at least two are adjacent, and also
/// lines that do so, if there are at least two at the end of a paragraph.
pub(in crate::document) fn mark_items(segments: &mut Vec<Segment>) {
    let has_bullet = |segment: &Segment| {
        is_plain(segment) && segment.spans.iter().any(|span| span.text.contains(BULLETS))
    };
    if !segments.iter().any(has_bullet) {
        return;
    }
    let lines: Vec<Segment> = segments
        .drain(..)
        .flat_map(|segment| {
            if has_bullet(&segment) {
                split(segment)
            } else {
                vec![segment]
            }
        })
        .collect();
    let is_next =
        |one: &Segment, next: &Segment| bullet(one).is_some() && bullet(one) == bullet(next);
    for mut run in lines.chunk_by(is_next).map(<[Segment]>::to_vec) {
        if run.len() > 1 {
            run.iter_mut().for_each(make_item);
        }
        segments.append(&mut run);
    }
}

fn is_plain(segment: &Segment) -> bool {
    segment.kind == SegmentKind::Paragraph && segment.note.is_none() && segment.callout.is_none()
}

/// The bullet that a paragraph begins with, and the numbers of quotations and items around it.
fn bullet(segment: &Segment) -> Option<(char, u8, u8)> {
    let text = segment.text();
    let (sign, rest) = text
        .trim_start()
        .split_at_checked(text.trim_start().chars().next()?.len_utf8())?;
    let sign = sign
        .chars()
        .next()
        .filter(|sign| BULLETS.contains(sign) && is_plain(segment))?;
    (!rest.trim().is_empty()).then_some((sign, segment.within.quotes, segment.within.items))
}

/// Splits off the lines at the end of a paragraph that are items, if there are at least two.
fn split(segment: Segment) -> Vec<Segment> {
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    for span in &segment.spans {
        for (number, text) in span.text.split('\n').enumerate() {
            if number > 0 {
                lines.push(Vec::new());
            }
            if let Some(line) = lines.last_mut().filter(|_| !text.is_empty()) {
                line.push(Span {
                    text: text.to_owned(),
                    ..span.clone()
                });
            }
        }
    }
    lines.retain(|line| line.iter().any(|span| !span.text.trim().is_empty()));
    let with = |spans: Vec<Span>| Segment {
        spans,
        ..segment.clone()
    };
    let lines: Vec<Segment> = lines.into_iter().map(with).collect();
    let items = lines
        .iter()
        .rev()
        .take_while(|line| bullet(line).is_some())
        .count();
    if items < 2 {
        return vec![segment];
    }
    let before = lines.len() - items;
    let mut parts = Vec::with_capacity(items + 1);
    if before > 0 {
        let end = segment_of(&lines[..before]);
        parts.extend(end);
    }
    parts.extend(lines.into_iter().skip(before));
    parts
}

/// Lines as one paragraph.
fn segment_of(lines: &[Segment]) -> Option<Segment> {
    let mut whole = lines.first()?.clone();
    for line in &lines[1..] {
        if let Some(last) = whole.spans.last_mut() {
            last.text.push('\n');
        }
        whole.spans.extend(line.spans.iter().cloned());
    }
    Some(whole)
}

fn make_item(segment: &mut Segment) {
    segment.kind = SegmentKind::ListItem {
        depth: segment.within.items,
        number: None,
        continues: false,
        checked: None,
    };
    let mut is_stripped = false;
    for span in &mut segment.spans {
        let text = span.text.trim_start();
        let text = if is_stripped {
            text
        } else {
            text.trim_start_matches(BULLETS).trim_start()
        };
        is_stripped |= !span.text.trim().is_empty();
        let is_done = !text.is_empty();
        span.text = text.to_owned();
        if is_done {
            break;
        }
    }
    segment.spans.retain(|span| !span.text.is_empty());
}

#[cfg(test)]
mod tests {
    use crate::document::SegmentKind;
    use crate::document::segments::segment::tests::all_kept;

    fn found(html: &str) -> Vec<(bool, String)> {
        let segments = all_kept(html);
        segments
            .iter()
            .map(|one| (matches!(one.kind, SegmentKind::ListItem { .. }), one.text()))
            .collect()
    }

    fn expect(html: &str, expected: &[(bool, &str)]) {
        let found = found(html);
        let found: Vec<(bool, &str)> = found
            .iter()
            .map(|(is_item, text)| (*is_item, text.as_str()))
            .collect();
        assert_eq!(found, expected, "{html}");
    }

    #[test]
    fn paragraphs_and_lines_with_bullets_are_items() {
        expect(
            "<p>• a</p><p>•&nbsp;<b>b</b> c</p><p>d</p>",
            &[(true, "a"), (true, "b c"), (false, "d")],
        );
        expect(
            "<p>So:<br>they<br>· a<br>· b</p>",
            &[(false, "So:\nthey"), (true, "a"), (true, "b")],
        );
        expect(
            "<p><span>·</span><span>&nbsp; </span>a</p><p>· b</p>",
            &[(true, "a"), (true, "b")],
        );
    }

    #[test]
    fn one_bullet_is_no_list() {
        expect(
            "<p>• a</p><p>b • c</p>",
            &[(false, "• a"), (false, "b • c")],
        );
        expect(
            "<p>a<br>• b</p><ul><li>• c</li></ul>",
            &[(false, "a\n• b"), (true, "• c")],
        );
    }
}
