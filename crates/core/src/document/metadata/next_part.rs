//! The address of the next part of a text that is divided into several pages.
//!
//! A link marked `next` often leads to another text, such as the next entry of a blog. So only
//! addresses count that are the page's own but for the number of the part.

use crate::capture::Dom;
use url::Url;

/// Names of query parameters that number parts.
const PARAMETERS: [&str; 8] = [
    "page", "p", "pg", "paged", "pageno", "seite", "pagina", "part",
];
/// Largest number of a part. Heuristic: larger numbers name texts or years.
const MAX_PART: u32 = 99;
/// Links that are looked at, to bound the work.
const MAX_LINKS: usize = 20_000;

/// The address of the next part, if a link of the page leads there. `here` is the page's address.
pub(super) fn find(dom: &Dom, here: &str) -> Option<String> {
    let here = Url::parse(here).ok()?;
    let (own, number) = divided(&here);
    let next = (number + 1).to_string();
    let links = dom
        .ids()
        .filter(|&id| matches!(dom.tag(id), "a" | "link"))
        .take(MAX_LINKS);
    let mut addresses = links
        .filter_map(|id| dom.attribute(id, "href"))
        .filter(|href| has_number(href, &next))
        .filter_map(|href| here.join(href.trim()).ok());
    let is_next = |address: &Url| divided(address) == (own.clone(), number + 1);
    let mut found = addresses.find(is_next)?;
    found.set_fragment(None);
    Some(found.into())
}

/// Returns true if a number stands in a text without other digits beside it.
fn has_number(text: &str, number: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    text.match_indices(number).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + number.len()..]);
        !is_digit(before.chars().next_back()) && !is_digit(after.chars().next())
    })
}

/// An address without the number of its part, and that number; 1 if it has none.
fn divided(address: &Url) -> (String, u32) {
    let mut whole = address.clone();
    whole.set_fragment(None);
    let mut number = 1;
    let pairs: Vec<(String, String)> = address.query_pairs().into_owned().collect();
    let is_part = |(name, value): &&(String, String)| {
        PARAMETERS.contains(&name.as_str()) && part(value).is_some()
    };
    if let Some((name, value)) = pairs.iter().find(is_part) {
        number = part(value).unwrap_or(1);
        let others = pairs.iter().filter(|(other, _)| other != name);
        whole.query_pairs_mut().clear().extend_pairs(others);
        if whole.query() == Some("") {
            whole.set_query(None);
        }
        return (plain(&whole), number);
    }
    if let Some((path, found)) = divided_path(address.path()) {
        number = found;
        whole.set_path(&path);
    }
    (plain(&whole), number)
}

/// A path without the number of its part, and that number: `/a/2`, `/a/page/2`, `/a-2.html`,
/// `/a_2`, `/a,2.html`, `/a-p2.html`.
fn divided_path(path: &str) -> Option<(String, u32)> {
    let path = path.trim_end_matches('/');
    let (folder, name) = path.rsplit_once('/')?;
    if let Some(number) = part(name).or_else(|| part(name.strip_prefix('p')?)) {
        let folder = folder.strip_suffix("/page").unwrap_or(folder);
        let before = folder.rsplit('/').next().unwrap_or_default();
        // Numbers of a date do not count parts.
        let is_number = !before.is_empty() && before.bytes().all(|byte| byte.is_ascii_digit());
        return (!is_number).then(|| (folder.to_owned(), number));
    }
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let digits = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = part(&stem[digits.len()..])?;
    let digits = digits.strip_suffix('p').unwrap_or(digits);
    let digits = digits.strip_suffix("-page").unwrap_or(digits);
    let stem = digits.strip_suffix(['-', '_', ','])?;
    let dot = if ending.is_empty() { "" } else { "." };
    Some((format!("{folder}/{stem}{dot}{ending}"), number))
}

/// The number of a part, 1 to [`MAX_PART`], without leading zeros.
fn part(text: &str) -> Option<u32> {
    let number = text.parse().ok().filter(|number| *number <= MAX_PART)?;
    (number > 0 && !text.starts_with(['0', '+'])).then_some(number)
}

/// An address without a slash at its end, so that `/a` and `/a/` are the same.
fn plain(address: &Url) -> String {
    address.as_str().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    fn next(here: &str, links: &str) -> Option<String> {
        find(&parse_html(links), here)
    }

    #[test]
    fn the_next_part_is_the_page_with_the_next_number() {
        for (here, href, expected) in [
            (
                "https://a.example/story.html",
                "story-2.html",
                "https://a.example/story-2.html",
            ),
            (
                "https://a.example/story-2.html#x",
                "story-3.html",
                "https://a.example/story-3.html",
            ),
            (
                "https://a.example/story/",
                "/story/2/",
                "https://a.example/story/2/",
            ),
            (
                "https://a.example/story/page/2",
                "/story/page/3",
                "https://a.example/story/page/3",
            ),
            (
                "https://a.example/s?id=7",
                "?id=7&page=2",
                "https://a.example/s?id=7&page=2",
            ),
            (
                "https://a.example/t?page=9",
                "?page=10",
                "https://a.example/t?page=10",
            ),
            (
                "https://a.example/a,1.html",
                "a,2.html",
                "https://a.example/a,2.html",
            ),
        ] {
            let links = format!("<a href='/other-2.html'>x</a><a href='{href}'>2</a>");
            assert_eq!(next(here, &links).as_deref(), Some(expected), "{here}");
        }
    }

    #[test]
    fn other_texts_are_no_parts() {
        for (here, href) in [
            ("https://a.example/gulls", "/terns"),
            ("https://a.example/gulls", "/gulls/3"),
            ("https://a.example/2019/05", "/2019/6"),
            ("https://a.example/2019/5", "/2019/6"),
            ("https://a.example/t/2", "/u/3"),
            ("https://a.example/a", "https://b.example/a/2"),
        ] {
            let links = format!("<a rel=next href='{href}'>next</a>");
            assert_eq!(next(here, &links), None, "{here} {href}");
        }
    }
}
