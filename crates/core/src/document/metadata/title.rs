//! The title of a page: the headline (`h1`) that its declared titles mention, else one of these.
//!
//! Declared titles are written for search engines and social networks: they are cut, reworded, or
//! include the name of the site. Readers see the headline, but a page may have several, including
//! that of the site.

use super::json_ld::Described;
use super::raw::{MAX_CHARS, Raw, SITES, Sourced, sourced};
use crate::document::content::{Segment, SegmentKind};
use crate::text::{collapse_within, letters};
use rustc_hash::FxHashSet;

/// Names of `<meta>` tags, the most trusted first.
const TITLES: &[&str] = &[
    "citation_title",
    "og:title",
    "twitter:title",
    "dc.title",
    "dcterms.title",
    "parsely-title",
];

/// Least share of the words of a headline or of a declared title, whichever has fewer, that the
/// other must have too. Chosen from .25, .4 and .6 on news of `train` (no difference but for logos
/// whose text is the site's name, which .6 leaves out).
const MIN_COMMON: f64 = 0.6;

/// Least number of words of a headline that no declared title mentions, if it is the only one;
/// fewer name a section or a site.
const MIN_ALONE_WORDS: usize = 4;

/// Least number of words of a declared title that is taken in place of a headline with more words
/// before it.
const MIN_INNER_WORDS: usize = 4;

/// Longest title, in characters, from which only the name of the site is cut, and shortest part of
/// a longer one. Heuristic.
const MAX_TITLE_CHARS: usize = 120;
const MIN_TITLE_CHARS: usize = 15;

/// Separators between a title and the name of the site.
const SEPARATORS: &[&str] = &[
    " | ", " - ", " – ", " — ", " :: ", " » ", " « ", " · ", " • ", " : ", "｜", "|", "ㅣ", "_",
];

/// The title, and where it was found. `own` is the page's heading beside that of its site.
pub(super) fn read(
    raw: &Raw<'_>,
    described: &Described,
    segments: &[Segment],
    site: &SiteNames,
    own: Option<Sourced>,
) -> Option<Sourced> {
    let declared: Vec<Sourced> = TITLES
        .iter()
        .filter_map(|name| raw.meta(&[*name]))
        .chain(sourced(described.headline.as_deref(), "json-ld"))
        .chain(sourced(raw.title.as_deref(), "title"))
        .collect();
    let headlines = own.as_ref().map_or(raw.headlines.as_slice(), |(own, _)| {
        std::slice::from_ref(own)
    });
    let title = headline(raw, headlines, &declared, site);
    if let Some(title) = title
        .filter(|(_, source)| own.is_none() || *source != "h1")
        .or(own)
    {
        return Some(title);
    }
    let heading = segments
        .iter()
        .find(|segment| segment.kind == SegmentKind::Heading { level: 1 });
    let heading = heading.and_then(|segment| collapse_within(&segment.text(), MAX_CHARS));
    // The heading of the site may be the only one.
    let heading = heading.filter(|heading| !is_last_part(raw, heading));
    let is_tag = |(_, source): &&Sourced| !matches!(*source, "json-ld" | "title");
    declared
        .iter()
        .find(is_tag)
        .map(|(title, source)| (site.without(title), *source))
        .or_else(|| sourced(heading.as_deref(), "h1"))
        .or_else(|| {
            sourced(described.headline.as_deref(), "json-ld")
                .map(|(title, source)| (site.without(&title), source))
        })
        .or_else(|| Some((site.longest_part(raw.title.as_deref()?), "title")))
        .or_else(|| sourced(raw.headlines.first().map(String::as_str), "h1"))
}

/// The headline that contains most words of a declared title, or the only one of the page; in its
/// declared form if that adds a kicker or leaves one out.
fn headline(
    raw: &Raw<'_>,
    headlines: &[String],
    declared: &[Sourced],
    site: &SiteNames,
) -> Option<Sourced> {
    let is_own = |headline: &&String| !site.has(headline) && !is_last_part(raw, headline);
    let own: Vec<&String> = headlines.iter().filter(is_own).collect();
    if let Some(short) = own
        .iter()
        .find(|headline| words(headline).len() < 2 && is_first_part(headline, declared))
    {
        return Some(((*short).clone(), "h1"));
    }
    let declared_words: Vec<FxHashSet<String>> =
        declared.iter().map(|(title, _)| words(title)).collect();
    let mut best: Option<(f64, &String, usize)> = None;
    for headline in own.iter().copied() {
        let words = words(headline);
        let shares = declared_words.iter().map(|other| in_common(&words, other));
        let share = shares.fold(0.0, f64::max);
        if words.len() >= 2 && best.is_none_or(|(other, ..)| share > other) {
            best = Some((share, headline, words.len()));
        }
    }
    let (share, headline, words) = best?;
    if share < MIN_COMMON && (own.len() > 1 || words < MIN_ALONE_WORDS) {
        return None;
    }
    let plain = letters(headline);
    let inner = declared
        .iter()
        .zip(&declared_words)
        .find(|((title, source), words)| {
            let title = letters(title);
            *source == "og:title"
                && words.len() >= MIN_INNER_WORDS
                && title.len() < plain.len()
                && plain.ends_with(&title)
        });
    if let Some(((title, source), _)) = inner {
        return Some((title.clone(), *source));
    }
    let with_kicker = declared.iter().find(|(title, source)| {
        *source == "og:title"
            && title
                .strip_suffix(headline.as_str())
                .is_some_and(|kicker| kicker.ends_with(": "))
    });
    Some(
        with_kicker
            .cloned()
            .unwrap_or_else(|| (headline.clone(), "h1")),
    )
}

/// Returns true if a headline is a declared title, or its part before the name of the site.
fn is_first_part(headline: &str, declared: &[Sourced]) -> bool {
    let is_same = |part: &str| part.trim().to_lowercase() == headline.trim().to_lowercase();
    declared.iter().any(|(title, _)| {
        let mut cuts = SEPARATORS
            .iter()
            .filter_map(|separator| cut_first(title, separator));
        is_same(title) || cuts.any(|(first, _)| is_same(first))
    })
}

/// Returns true if a headline is the last part of `<title>`, as the name of the site is.
fn is_last_part(raw: &Raw<'_>, headline: &str) -> bool {
    let last = raw.title.as_deref().and_then(last_part);
    last.is_some_and(|name| letters(name) == letters(headline))
}

/// The last part of a `<title>` if it is not a title itself, because a longer part comes before it.
fn last_part(title: &str) -> Option<&str> {
    let parts = SEPARATORS
        .iter()
        .filter_map(|separator| cut_last(title, separator));
    let (before, last) = parts.min_by_key(|(_, last)| last.len())?;
    (before.chars().count() > last.chars().count()).then_some(last)
}

/// Returns true if the separator at this position divides a title: `_` within a name such as
/// `read_line` does not.
fn separates(title: &str, at: usize, separator: &str) -> bool {
    let is_of_name = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let (before, after) = (
        title[..at].chars().next_back(),
        title[at + separator.len()..].chars().next(),
    );
    let is_in_name = is_of_name(before) && is_of_name(after);
    // An underscore at the start or the end of a name, such as `_exit`.
    let is_at_name = [(before, after), (after, before)]
        .iter()
        .any(|(one, other)| {
            is_of_name(*one) && other.is_none_or(|c| c.is_whitespace() || c.is_ascii_punctuation())
        });
    separator != "_" || !is_in_name && !is_at_name
}

/// The text of a title before the first such separator, and the text after it.
fn cut_first<'t>(title: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    let (at, _) = title
        .match_indices(separator)
        .find(|(at, _)| separates(title, *at, separator))?;
    Some((&title[..at], &title[at + separator.len()..]))
}

/// The text of a title before the last such separator, and the text after it.
fn cut_last<'t>(title: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    let (at, _) = title
        .rmatch_indices(separator)
        .find(|(at, _)| separates(title, *at, separator))?;
    Some((&title[..at], &title[at + separator.len()..]))
}

/// The texts between such separators of a title.
fn pieces<'t>(title: &'t str, separator: &str) -> impl Iterator<Item = &'t str> {
    let mut rest = Some(title);
    std::iter::from_fn(move || {
        let whole = rest?;
        let cut = cut_first(whole, separator);
        rest = cut.map(|(_, after)| after);
        Some(cut.map_or(whole, |(before, _)| before))
    })
}

/// The different words of a text in lower case; in scripts without spaces, each letter.
fn words(text: &str) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        if word.chars().any(|c| matches!(c, '\u{3040}'..='\u{9fff}')) {
            found.extend(word.chars().map(String::from));
        } else {
            found.insert(word.to_lowercase());
        }
    }
    found
}

/// Share of the words that both have, relative to the smaller set.
fn in_common(one: &FxHashSet<String>, other: &FxHashSet<String>) -> f64 {
    let least = one.len().min(other.len());
    let common = one.iter().filter(|word| other.contains(*word)).count();
    if least == 0 {
        0.0
    } else {
        common as f64 / least as f64
    }
}

/// The names that a page gives its site, and the parts of its host, reduced to their letters.
pub(super) struct SiteNames(FxHashSet<String>);

impl SiteNames {
    /// `heading` is the text of the heading that names the site.
    pub(super) fn collect(
        raw: &Raw<'_>,
        described: &Described,
        host: Option<&str>,
        heading: Option<&str>,
    ) -> Self {
        let mut names: FxHashSet<String> = heading.map(letters).into_iter().collect();
        for name in SITES {
            names.extend(
                raw.all_meta(&[*name])
                    .into_iter()
                    .flat_map(|(values, _)| values)
                    .map(|value| letters(value)),
            );
        }
        names.extend(described.publisher.as_deref().map(letters));
        let host = host.unwrap_or("");
        // The numbers of an IP address, and the ends of hosts (`com`, `uk`), are not names.
        let labels = host.split('.').filter(|label| {
            label.len() > 2 && label.bytes().any(|byte| byte.is_ascii_alphabetic())
        });
        names.extend(labels.chain([host]).map(letters));
        names.remove("");
        Self(names)
    }

    pub(super) fn has(&self, text: &str) -> bool {
        self.0.contains(&letters(text))
    }

    /// The title without the name of the site at its end, as in `Gulls | Site`, or at its
    /// beginning.
    fn without(&self, title: &str) -> String {
        let is_rest = |rest: &&str| !rest.trim().is_empty();
        let end = |separator: &&str| {
            cut_last(title, separator)
                .filter(|(_, last)| self.has(last))
                .map(|(rest, _)| rest)
        };
        let start = |separator: &&str| {
            cut_first(title, separator)
                .filter(|(first, _)| self.has(first))
                .map(|(_, rest)| rest)
        };
        let cut = SEPARATORS
            .iter()
            .find_map(|separator| end(separator).or_else(|| start(separator)).filter(is_rest));
        let title = cut.unwrap_or(title).trim();
        if title.chars().count() <= MAX_TITLE_CHARS {
            return title.to_owned();
        }
        // A long title ends with a description of the site.
        let first = SEPARATORS
            .iter()
            .filter_map(|separator| cut_first(title, separator))
            .map(|(first, _)| first.trim());
        let shortest = first
            .filter(|first| first.chars().count() >= MIN_TITLE_CHARS)
            .min_by_key(|first| first.len());
        shortest.unwrap_or(title).to_owned()
    }

    /// The page's own part of `<title>`: the longest piece between separators that is not the name
    /// of the site.
    fn longest_part(&self, title: &str) -> String {
        let Some(separator) = SEPARATORS
            .iter()
            .find(|separator| cut_first(title, separator).is_some())
        else {
            return title.to_owned();
        };
        let pieces = pieces(title, separator)
            .map(str::trim)
            .filter(|piece| !piece.is_empty());
        let pieces: Vec<&str> = pieces.collect();
        // Among parts of equal length, the earliest one is taken.
        let longest = pieces
            .iter()
            .filter(|piece| !self.has(piece))
            .rev()
            .max_by_key(|piece| piece.chars().count());
        longest.map_or_else(|| title.to_owned(), |piece| (*piece).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::metadata;

    fn title(html: &str) -> (Option<String>, Option<String>) {
        let mut found = metadata(html);
        (found.title, found.sources.remove("title"))
    }

    fn found(title: &str, source: &str) -> (Option<String>, Option<String>) {
        (Some(title.to_owned()), Some(source.to_owned()))
    }

    #[test]
    fn the_headline_that_declared_titles_speak_of_is_the_title() {
        let declared = "<title>Why gulls drop mussels on roads | The Gull</title><meta property=og:title content='Gulls &amp;amp; mussels'>";
        let headlines =
            "<h1>The Gull</h1><h1>About us all here</h1><h1>Why gulls<br>drop mussels</h1>";
        assert_eq!(
            title(&format!("{declared}{headlines}")),
            found("Why gulls drop mussels", "h1")
        );
        assert_eq!(
            title(&format!("{declared}<h1>The Gull</h1>")),
            found("Gulls & mussels", "og:title")
        );
        let reworded = format!("{declared}<h1>A bird that has learned to open shells</h1>");
        assert_eq!(
            title(&reworded),
            found("A bird that has learned to open shells", "h1")
        );
        let two = format!(
            "{declared}<h1>A bird that has learned to open shells</h1><h1>More of our stories today</h1>"
        );
        assert_eq!(title(&two), found("Gulls & mussels", "og:title"));
    }

    #[test]
    fn a_headline_of_one_word_is_the_title_if_a_declared_title_begins_with_it() {
        let page = |declared: &str, h1: &str| {
            title(&format!(
                "<title>{declared}</title><h1>{h1}</h1><p>A tree of the north."
            ))
        };
        assert_eq!(page("Oak - Wikipedia", "Oak"), found("Oak", "h1"));
        assert_eq!(page("C++ | Languages", "C++"), found("C++", "h1"));
        assert_ne!(page("C# | Languages", "C++"), found("C++", "h1"));
    }

    #[test]
    fn the_name_of_the_site_is_not_the_title_if_it_is_the_only_heading() {
        let page = "<title>How gulls eat | The Gull</title><h1>The Gull</h1><div>How gulls eat</div>\
                    <p>They drop mussels on the rocks below, and eat what is inside.";
        assert_eq!(title(page), found("How gulls eat", "title"));
    }

    #[test]
    fn the_heading_beside_that_of_the_site_is_the_title() {
        let body = "<div id=header><h1 class=logo>The Gull</h1></div><h3>How gulls eat</h3>\
             <p>They drop mussels on the rocks below, and eat what is inside.";
        let page = |head: &str| title(&format!("{head}<body>{body}"));
        assert_eq!(
            page("<title>How gulls eat | The Gull</title>"),
            found("How gulls eat", "heading")
        );
        assert_eq!(
            page("<title>The Gull</title>"),
            found("How gulls eat", "heading")
        );
        let social = "<meta property=og:title content='How gulls eat'>";
        assert_eq!(page(social), found("How gulls eat", "heading"));
        let both = "<title>Gulls | The Gull</title><h1><a href=..>The Gull</a></h1><h1>Gulls</h1>";
        assert_eq!(title(both), found("Gulls", "h1"));
        let alone = title("<title>The Gull</title><h1><a href=..>The Gull</a></h1><p>x");
        assert_eq!(alone.0.as_deref(), Some("The Gull"));
    }

    #[test]
    fn a_kicker_belongs_to_the_title_where_it_is_declared() {
        let declared = "<meta property=og:title content='Coast: Gulls drop mussels on roads'>";
        assert_eq!(
            title(&format!("{declared}<h1>Gulls drop mussels on roads</h1>"))
                .1
                .as_deref(),
            Some("og:title")
        );
        let headline = "<h1><span>Coast: </span>Gulls drop mussels on roads</h1>";
        let short = "<meta property=og:title content='Gulls drop mussels on roads'>";
        assert_eq!(
            title(&format!("{short}{headline}")),
            found("Gulls drop mussels on roads", "og:title")
        );
    }

    #[test]
    fn the_name_of_the_site_is_cut_from_a_title() {
        let titled = |text: &str| {
            let html = format!(
                "<meta property=og:site_name content='The Gull'><meta property=og:title content='{text}'>"
            );
            title(&html).0.unwrap()
        };
        assert_eq!(titled("Mussels | The Gull"), "Mussels");
        assert_eq!(titled("The Gull - Mussels on roads"), "Mussels on roads");
        assert_eq!(titled("Mussels - a.example"), "Mussels");
        assert_eq!(titled("Mussels - a long story"), "Mussels - a long story");
        assert_eq!(titled("The Gull"), "The Gull");
    }

    #[test]
    fn names_with_underlines_are_not_cut() {
        for whole in [
            "read_line",
            "How read_line reads",
            "Use of _exit and __init__ in C",
        ] {
            assert_eq!(
                title(&format!("<title>{whole}</title>")),
                found(whole, "title")
            );
        }
        let cut = |text: &str| title(&format!("<title>{text}</title>")).0.unwrap();
        assert_eq!(
            cut("read_line reads one line - Docs"),
            "read_line reads one line"
        );
        assert_eq!(cut("read_line 怎么用才对_百科"), "read_line 怎么用才对");
        let site = "<meta property=og:site_name content=Docs><title>read_line_docs</title>";
        assert_eq!(title(site).0.unwrap(), "read_line_docs");
    }

    #[test]
    fn headlines_of_navigation_and_the_last_part_of_a_title_are_not_the_page_s() {
        let html = "<title>鸟把贝壳扔在路上_自然_海鸥日报</title><nav><h1>Menu of all our pages</h1></nav><h1>海鸥日报</h1>";
        assert_eq!(title(html), found("鸟把贝壳扔在路上", "title"));
    }
}
