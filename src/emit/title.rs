//! The headline of a page for formats in which it stands first: gold standards leave it out, and readers expect it.

use super::format::EmitOptions;
use crate::clean::{CleanDocument, Segment, SegmentKind, plain_segment};

/// Number of segments among which the headline is looked for: a date, a rubric or a byline may stand above it.
const SEARCHED: usize = 5;

/// Longest headline that is taken from a block, in characters.
const MAX_CHARS: usize = 300;

/// The headline to be written before the text; `None` if the text begins with it, if there is no text or no headline, or
/// if the options leave it out.
///
/// It is the page's `h1` that is a part of its title or the title a part of it, else the title.
pub(super) fn missing_title(document: &CleanDocument, options: &EmitOptions) -> Option<Segment> {
    if !options.title || document.segments.is_empty() {
        return None;
    }
    let title = document.metadata.title.as_deref()?.trim();
    let is_there = document.segments.iter().take(SEARCHED).any(|segment| {
        matches!(segment.kind, SegmentKind::Heading { level: 1 }) || is_one_in_the_other(&segment.text(), title)
    });
    if title.is_empty() || is_there {
        return None;
    }
    let is_headline = |path: &str| path.split('/').any(|tag| tag == "h1");
    let headline = document.targets.iter().enumerate().find(|(_, report)| {
        is_headline(&report.path)
            && report.text.chars().count() <= MAX_CHARS
            && is_one_in_the_other(&report.text, title)
    });
    let (index, text) = headline.map_or((0, title), |(index, report)| (index, report.text.as_str()));
    Some(plain_segment(SegmentKind::Heading { level: 1 }, text.to_owned(), index))
}

/// Whether one of two texts has the words of the other, and at least half as many letters.
fn is_one_in_the_other(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|text| {
        let letters: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        letters.to_lowercase()
    });
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    !short.is_empty() && short.len() * 2 >= long.len() && long.contains(&short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::{empty, sample};

    fn added(title: &str, change: impl Fn(&mut CleanDocument)) -> Option<String> {
        let mut document = sample();
        document.metadata.title = Some(title.into());
        change(&mut document);
        missing_title(&document, &EmitOptions::default()).map(|segment| segment.text())
    }

    #[test]
    fn a_headline_is_added_once() {
        let drop_headline = |document: &mut CleanDocument| drop(document.segments.remove(0));
        assert_eq!(added("Tea & <coffee>", |_| {}), None);
        assert_eq!(added("Something else", |_| {}), None);
        // The page's own headline is dropped, and the title names the site after it.
        assert_eq!(added("Tea & <coffee> | Site", drop_headline).as_deref(), Some("Tea & <coffee>"));
        assert_eq!(added("Cups and spoons", drop_headline).as_deref(), Some("Cups and spoons"));
        // The headline is kept, but not marked up.
        assert_eq!(added("1. No list, no heading", drop_headline), None);
        assert_eq!(added(" ", drop_headline), None);
        let mut without = sample();
        without.segments.remove(0);
        assert!(missing_title(&without, &EmitOptions { title: false, ..EmitOptions::default() }).is_none());
        let mut nothing = empty();
        nothing.metadata.title = Some("Tea".into());
        assert!(missing_title(&nothing, &EmitOptions::default()).is_none());
    }

    #[test]
    fn the_headline_stands_first_in_formats_for_readers() {
        let mut document = sample();
        document.segments.drain(..2);
        let written = |name| {
            let format = crate::emit::find(name).map(|format| format.write);
            format.map(|write| write(&document, &EmitOptions::default())).unwrap_or_default()
        };
        assert!(written("markdown").starts_with("# Tea & \\<coffee>\n\n1\\. no list"));
        assert!(written("tei").contains("<div>\n<head rend=\"h1\">Tea &amp; &lt;coffee&gt;</head>\n<p>1. no list"));
        assert!(written("html").contains("<body>\n<h1>Tea &amp; &lt;coffee&gt;</h1>\n"));
        assert!(written("text").starts_with("1. no list") && written("cleaneval").starts_with("<p>1. no list"));
    }
}
