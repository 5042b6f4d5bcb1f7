//! The byline of a comment or post: who wrote it, and when. Shared by readers' comments and the
//! posts of threads.

use super::metadata::{date_within, read_date};
use crate::capture::{Dom, NodeId, NodeKind};
use crate::text::collapse_within;

/// Longest name, and longest text with a date, in characters.
pub(super) const MAX_NAME_CHARS: usize = 60;
pub(super) const MAX_DATE_CHARS: usize = 100;
/// Longest title of a page with which a name is compared, in characters.
const MAX_TITLE_CHARS: usize = 300;
/// Most words of a name that nothing marks as one.
const MAX_NAME_WORDS: usize = 4;
/// Number of nodes of a comment that are examined: its byline is at its beginning or its end.
const MAX_BYLINE_NODES: usize = 400;

/// Classes of an author's name, the most telling first.
const AUTHORS: &[&str] = &[
    "fn",
    "comment-author-name",
    "comment-author-link",
    "author-name",
    "comment-author",
    "comment__author",
    "comment_author",
    "commentauthor",
    "comment-user",
    "comment-username",
    "commenter",
    "author",
    "username",
    "user-name",
    "user_name",
    "nickname",
    "autor",
    "auteur",
];

/// Parts of classes of a date.
const DATES: &[&str] = &[
    "date",
    "time",
    "published",
    "posted",
    "ago",
    "datum",
    "fecha",
    "meta",
];

/// Words after a name, in lower case.
const AFTER: &[&str] = &[
    "says", "said", "said...", "said,", "wrote", "writes", "sagt", "schreibt", "schrieb", "dit",
    "dice", ":", "•", "·",
];

/// Words before a name, in lower case.
const BEFORE: &[&str] = &[
    "by",
    "by:",
    "par",
    "por",
    "von",
    "door",
    "przez",
    "автор:",
    "от",
];

/// Author and date of a comment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Byline {
    pub(super) author: Option<String>,
    /// The date and time as written if they are in the form of ISO 8601, else as `YYYY-MM-DD` if it
    /// can be read.
    pub(super) date: Option<String>,
}

/// The byline among the nodes of a comment or post; those in `before` precede its text. `language`
/// is that of the page.
pub(super) fn byline(
    dom: &Dom,
    nodes: &[NodeId],
    before: &[NodeId],
    language: Option<&str>,
) -> Byline {
    Byline {
        author: marked_author(dom, nodes).or_else(|| plain_author(dom, before, language)),
        date: marked_date(dom, nodes, language).or_else(|| plain_date(dom, before, language)),
    }
}

/// The nodes of a comment in which its byline is searched, and those of them before its text.
pub(super) fn byline_nodes(
    dom: &Dom,
    element: NodeId,
    container: NodeId,
) -> (Vec<NodeId>, Vec<NodeId>) {
    let end = dom.end(element).min(element.index() + MAX_BYLINE_NODES);
    let nodes: Vec<NodeId> = (element.index()..end).map(NodeId::new).collect();
    let before = nodes
        .iter()
        .copied()
        .filter(|id| id.index() < container.index())
        .collect();
    (nodes, before)
}

pub(super) fn tokens<'a>(dom: &'a Dom, id: NodeId, name: &str) -> impl Iterator<Item = &'a str> {
    dom.attribute(id, name)
        .unwrap_or_default()
        .split_ascii_whitespace()
}

/// The text below a node, collapsed; `None` if there is none or it is longer than `limit`
/// characters.
pub(super) fn text(dom: &Dom, id: NodeId, limit: usize) -> Option<String> {
    let mut all = String::new();
    for below in (id.index()..dom.end(id)).map(NodeId::new) {
        if let Some(part) = dom.text(below) {
            all.push_str(part);
            all.push(' ');
        }
        if all.len() > 8 * limit {
            return None;
        }
    }
    collapse_within(&all, limit + 1)
        .filter(|cut| all.split_whitespace().count() == cut.split(' ').count())
}

/// Words at the beginning of a line that names an author and a date, and the word before the name:
/// those of Drupal and others in several languages.
const SIGNED: &[(&str, &str)] = &[
    ("posted ", "by "),
    ("written ", "by "),
    ("submitted ", "by "),
    ("enviado ", "por "),
    ("publicado ", "por "),
    ("escrito ", "por "),
    ("soumis ", "par "),
    ("posté ", "par "),
    ("publié ", "par "),
    ("verfasst ", "von "),
    ("eingetragen ", "von "),
    ("geschrieben ", "von "),
    ("gespeichert ", "von "),
    ("inviato ", "da "),
    ("pubblicato ", "da "),
    ("geplaatst ", "door "),
    ("ingediend ", "door "),
    ("", "by "),
];
/// Words and signs between the name and the date.
const BEFORE_DATE: &[&str] = &[
    " on ", " at ", " \u{bb} ", " - ", " | ", ", ", " el ", " le ", " am ", " il ", " op ", " em ",
];

/// Name and date of a line such as `Posted on 2003-02-15 14:34 by Ann`.
pub(super) fn signed(line: &str, language: Option<&str>) -> Option<(String, String)> {
    let (name, rest, before) = signer(line)?;
    let written = date_within(rest, language).or_else(|| date_within(before, language))?;
    Some((name, written))
}

/// The name in a line such as `Submitted by Ann on Fri, 31/08/2012 - 20:47`, and the text after and
/// before it, of which one holds the date.
pub(super) fn signer(line: &str) -> Option<(String, &str, &str)> {
    if line.len() > MAX_DATE_CHARS || !line.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let lower = line.to_ascii_lowercase();
    let start = SIGNED.iter().find_map(|(start, by)| {
        let rest = lower.strip_prefix(start)?;
        let is_word = |at: &usize| *at == 0 || rest[..*at].ends_with(' ');
        let at = rest.find(by).filter(is_word)?;
        (at == 0 || !start.is_empty()).then_some(start.len() + at + by.len())
    })?;
    let (before, after) = line.split_at(start);
    let end = BEFORE_DATE.iter().filter_map(|end| after.find(end)).min();
    let (name_part, rest) = after.split_at(end.unwrap_or(after.len()));
    let name = name(name_part.trim_end_matches('.'))?;
    (name.split(' ').count() <= MAX_NAME_WORDS).then_some((name, rest, before))
}

/// A name without the words before and after it, and without the date of `by Ann \u{bb} 3 May
/// 2020`.
pub(super) fn name(text: &str) -> Option<String> {
    let text = text
        .split_once(" \u{bb} ")
        .map_or(text, |(before, _)| before);
    let mut words: Vec<&str> = text.split(' ').collect();
    // `Von Braun` is a name, `Von Anna Braun` is by Anna Braun.
    let is_of_name = words[0] == "Von" && words.len() == 2;
    if !is_of_name && BEFORE.contains(&words[0].to_lowercase().as_str()) {
        words.remove(0);
    }
    while words.last().is_some_and(|word| {
        let word = word.to_lowercase();
        AFTER.contains(&word.as_str()) || AFTER.contains(&word.trim_end_matches(':'))
    }) {
        words.pop();
    }
    let name = words.join(" ");
    let name = name.trim_end_matches([':', ',']).trim();
    name.chars()
        .any(char::is_alphanumeric)
        .then(|| name.to_owned())
}

fn marked_author(dom: &Dom, nodes: &[NodeId]) -> Option<String> {
    let property =
        |id: NodeId, wanted: &str| tokens(dom, id, "itemprop").any(|token| token == wanted);
    let of_node = |id: NodeId| {
        let content = dom.attribute(id, "content").map(str::to_owned);
        name(&content.or_else(|| text(dom, id, MAX_NAME_CHARS))?)
    };
    let in_microdata = nodes
        .iter()
        .filter(|&&id| property(id, "author") || property(id, "creator"))
        .find_map(|&id| {
            let below = (id.index()..dom.end(id)).map(NodeId::new);
            below
                .filter(|&inner| property(inner, "name"))
                .find_map(of_node)
                .or_else(|| of_node(id))
        });
    let by_rel = || {
        nodes
            .iter()
            .filter(|&&id| tokens(dom, id, "rel").any(|token| token == "author"))
            .find_map(|&id| of_node(id))
    };
    let by_class = || {
        AUTHORS.iter().find_map(|class| {
            let has = |id: &&NodeId| {
                tokens(dom, **id, "class").any(|token| token.eq_ignore_ascii_case(class))
            };
            nodes.iter().filter(has).find_map(|&id| of_node(id))
        })
    };
    in_microdata.or_else(by_rel).or_else(by_class)
}

fn marked_date(dom: &Dom, nodes: &[NodeId], language: Option<&str>) -> Option<String> {
    let is_property = |id: &&NodeId| {
        tokens(dom, **id, "itemprop").any(|token| {
            matches!(
                token,
                "dateCreated" | "datePublished" | "uploadDate" | "commentTime" | "dateModified"
            )
        })
    };
    let of_node = |id: NodeId| {
        let given = ["datetime", "content", "title"]
            .into_iter()
            .filter_map(|name| dom.attribute(id, name));
        given
            .into_iter()
            .find_map(|value| date(value, language))
            .or_else(|| {
                let shown = text(dom, id, MAX_DATE_CHARS)?;
                date(&shown, language)
            })
    };
    let by_property = nodes.iter().filter(is_property).find_map(|&id| of_node(id));
    let by_time = || {
        nodes
            .iter()
            .filter(|&&id| dom.tag(id) == "time")
            .find_map(|&id| of_node(id))
    };
    let by_class = || {
        let is_date = |token: &str| {
            DATES
                .iter()
                .any(|part| token.to_ascii_lowercase().contains(part))
        };
        nodes
            .iter()
            .filter(|&&id| tokens(dom, id, "class").any(is_date))
            .find_map(|&id| of_node(id))
    };
    by_property.or_else(by_time).or_else(by_class)
}

/// A date in the form that records use: see [`Byline::date`].
pub(super) fn date(value: &str, language: Option<&str>) -> Option<String> {
    let value = value.trim().trim_end_matches('.');
    let read = read_date(value, language)?;
    let is_exact = value.len() >= 16
        && value.len() <= 35
        && value.starts_with(&read)
        && matches!(value.as_bytes(), [_, _, _, _, _, _, _, _, _, _, b'T' | b' ', hour, _, b':', ..] if hour.is_ascii_digit())
        && value.is_ascii();
    Some(if is_exact {
        value.replacen(' ', "T", 1)
    } else {
        read
    })
}

/// The first short text before a comment that may be a name: in bold, a link, a heading or a
/// citation.
fn plain_author(dom: &Dom, before: &[NodeId], language: Option<&str>) -> Option<String> {
    let is_name = |text: &str| {
        text.split(' ').count() <= MAX_NAME_WORDS
            && text.chars().all(|c| !c.is_ascii_digit() || text.len() > 2)
            && !text.ends_with(['.', '!', '?'])
            && date(text, language).is_none()
            && !is_title(dom, text)
    };
    let is_element = |id: &&NodeId| {
        matches!(
            dom.tag(**id),
            "b" | "strong" | "a" | "cite" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt"
        )
    };
    before
        .iter()
        .filter(is_element)
        .find_map(|&id| name(&text(dom, id, MAX_NAME_CHARS)?).filter(|name| is_name(name)))
}

/// Returns true if a text is the title of an answer, such as `Re: Gulls`, or of the page.
fn is_title(dom: &Dom, text: &str) -> bool {
    const ANSWERS: [&str; 8] = ["re", "aw", "antw", "sv", "vs", "rv", "tr", "odp"];
    let (first, _) = text.split_once(':').unwrap_or_default();
    if ANSWERS.iter().any(|word| first.eq_ignore_ascii_case(word)) {
        return true;
    }
    let mut head = dom.ids().take_while(|&id| dom.tag(id) != "body");
    let title = head.find(|&id| dom.tag(id) == "title");
    let title = title.and_then(|id| self::text(dom, id, MAX_TITLE_CHARS));
    // A name of two words may begin the title of its owner's pages.
    text.split(' ').count() > 2 && title.is_some_and(|title| title.starts_with(text))
}

/// The first short text before a comment that is a date.
fn plain_date(dom: &Dom, before: &[NodeId], language: Option<&str>) -> Option<String> {
    before.iter().find_map(|&id| match dom.kind(id) {
        NodeKind::Text(shown) => date(&collapse_within(shown, MAX_DATE_CHARS)?, language),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_without_the_words_around_it() {
        for (text, expected) in [
            ("par fltlgt", Some("fltlgt")),
            ("By Ann Lee \u{bb} 3 May 2020", Some("Ann Lee")),
            ("Ann wrote:", Some("Ann")),
            ("Byron", Some("Byron")),
            ("Von Braun", Some("Von Braun")),
            ("Von Anna Braun:", Some("Anna Braun")),
            ("by", None),
        ] {
            assert_eq!(name(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_line_may_say_who_wrote_when() {
        let read = |line| signed(line, Some("en")).map(|(name, date)| format!("{name} {date}"));
        for (line, expected) in [
            (
                "Posted on 2003-02-15 14:34:54 by Hurtado",
                Some("Hurtado 2003-02-15"),
            ),
            (
                "Posted by Ann Lee on March 3, 2020",
                Some("Ann Lee 2020-03-03"),
            ),
            (
                "by Minoa \u{bb} Tue Aug 27, 2019 5:58 am",
                Some("Minoa 2019-08-27"),
            ),
            (
                "Submitted by Ann on Fri, August 31, 2012 - 20:47",
                Some("Ann 2012-08-31"),
            ),
            ("Posted on 2003-02-15", None),
            ("Gulls were seen by Ann on March 3, 2020", None),
            ("by and large", None),
            ("\u{e9}", None),
        ] {
            assert_eq!(read(line).as_deref(), expected, "{line}");
        }
        assert_eq!(name("by Minoa \u{bb} Tue Aug 27").as_deref(), Some("Minoa"));
        assert_eq!(name("Ann said:").as_deref(), Some("Ann"));
    }

    #[test]
    fn a_line_names_its_author_whatever_the_order_of_its_date() {
        let read = |line| signer(line).map(|(name, ..)| name);
        assert_eq!(
            read("Submitted by Ann Lee on Wed, 05/09/2012 - 01:25.").as_deref(),
            Some("Ann Lee")
        );
        assert_eq!(
            read("Enviado por Ann el Mi\u{e9}, 05/09/2012 - 01:25").as_deref(),
            Some("Ann")
        );
        assert_eq!(
            read("Verfasst von Ann am 5. 9. 2012").as_deref(),
            Some("Ann")
        );
        assert_eq!(read("Submitted works of 2012"), None);
        let dom = crate::html::parse_html("<title>Gulls and mussels | Coast</title>");
        assert!(is_title(&dom, "Re: Gulls") && is_title(&dom, "Gulls and mussels"));
        assert!(!is_title(&dom, "Ann Lee"));
    }

    #[test]
    fn a_time_is_kept_in_the_form_of_iso_8601_only() {
        let read = |value| date(value, Some("en"));
        assert_eq!(
            read("2024-05-02T13:44:38.143Z").as_deref(),
            Some("2024-05-02T13:44:38.143Z")
        );
        assert_eq!(
            read("2024-05-02 13:44:38").as_deref(),
            Some("2024-05-02T13:44:38")
        );
        assert_eq!(
            read("2017-03-07 at 12:05 pm").as_deref(),
            Some("2017-03-07")
        );
        assert_eq!(read("no date"), None);
    }
}
