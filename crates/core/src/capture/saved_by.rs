//! Reads where a saved page comes from, and when it was saved, from what programs write into it:
//! browsers, SingleFile, HTTrack, monolith, SavePage WE, WebScrapBook, and archives of the web such
//! as the Wayback Machine.
//!
//! Only the beginning and the end of a page are searched. A page that claims a wrong address harms
//! nobody else: its links are resolved against it, like against a `<base>` of its own.

use memchr::memmem;
use std::borrow::Cow;

/// Bytes that are searched at the beginning of a page, and at its end.
const HEAD_BYTES: usize = 1 << 16;
const TAIL_BYTES: usize = 1 << 12;

/// The origin of a saved page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SavedPage {
    /// The address that the page had on the web.
    pub(crate) url: Option<String>,
    /// When it was saved, as in RFC 3339; only the day where no time is known.
    pub(crate) date: Option<String>,
}

/// Attributes in which programs write the address of the page, and the time.
const ADDRESS_MARKS: &[&str] = &[
    "name=\"savepage-url\" content=\"",
    "data-scrapbook-source=\"",
    "__wm.wombat(\"",
];
const DATE_MARKS: &[&str] = &[
    "name=\"savepage-date\" content=\"",
    "data-scrapbook-create=\"",
];

/// Reads the origin of a page that a program saved; empty for other pages.
pub(crate) fn saved_page(html: &str) -> SavedPage {
    let head = &html[..html.floor_char_boundary(HEAD_BYTES)];
    let tail = &html[html.floor_char_boundary(html.len().saturating_sub(TAIL_BYTES))..];
    let mut found = SavedPage::default();
    for comment in comments(head).chain(comments(tail)) {
        let read = read_comment(comment);
        found.url = found.url.or(read.url);
        found.date = found.date.or(read.date);
    }
    let after = |marks: &[&str]| {
        marks.iter().find_map(|mark| {
            let from = memmem::find(head.as_bytes(), mark.as_bytes())? + mark.len();
            head[from..].split('"').next()
        })
    };
    found.url = found
        .url
        .or_else(|| after(ADDRESS_MARKS).map(str::to_owned))
        .filter(|url| is_web_address(url));
    found.date = found
        .date
        .or_else(|| after(DATE_MARKS).and_then(read_moment));
    if let Some((url, date)) = found.url.as_deref().and_then(archived_address) {
        found.date = date.or(found.date);
        found.url = Some(url.to_owned());
    }
    found
}

/// The texts of the comments in a part of a page.
fn comments(html: &str) -> impl Iterator<Item = &str> {
    memmem::find_iter(html.as_bytes(), "<!--").map_while(|at| {
        let text = &html[at + "<!--".len()..];
        Some(text[..memmem::find(text.as_bytes(), b"-->")?].trim())
    })
}

/// Reads a comment that a program wrote into a page it saved.
fn read_comment(comment: &str) -> SavedPage {
    let url = |text: &str| {
        let word = text.split_whitespace().next()?;
        Some(word.to_owned())
    };
    let line = |name: &str| {
        let mut lines = comment.lines().map(str::trim);
        lines.find_map(|line| line.strip_prefix(name))
    };
    if let Some(rest) = comment.strip_prefix("saved from url=(") {
        let (_, address) = rest.split_once(')').unwrap_or_default();
        return SavedPage {
            url: url(address),
            date: None,
        };
    }
    if comment.starts_with("Page saved with SingleFile") {
        return SavedPage {
            url: line("url:").and_then(url),
            date: line("saved date:").and_then(read_moment),
        };
    }
    if let Some(rest) = comment.strip_prefix("Mirrored from ") {
        let (address, program) = rest.split_once(" by HTTrack").unwrap_or_default();
        let date = program.split_once("],").map(|(_, date)| date);
        let address = if address.contains("://") {
            Cow::Borrowed(address)
        } else {
            // HTTrack leaves the scheme out; servers redirect from the older one.
            Cow::Owned(format!("http://{address}"))
        };
        return SavedPage {
            url: url(&address),
            date: date.and_then(read_moment),
        };
    }
    if let Some(rest) = comment.strip_prefix("Saved from ")
        && let Some((address, rest)) = rest.split_once(" at ")
        && rest.contains("monolith")
    {
        return SavedPage {
            url: url(address),
            date: rest.split_whitespace().next().and_then(read_moment),
        };
    }
    let date = comment
        .strip_prefix("FILE ARCHIVED ON ")
        .and_then(|rest| rest.split(" AND ").next());
    SavedPage {
        url: None,
        date: date.and_then(read_moment),
    }
}

/// The address of a page in the address of its copy in an archive of the web, with the time of the
/// copy: archives write `/web/20200102030405/https://a.example/` with 14 digits, at times with
/// letters such as `id_` after them. `None` for other addresses.
pub(crate) fn archived_address(address: &str) -> Option<(&str, Option<String>)> {
    const DIGITS: usize = 14;
    let mut from = 0;
    while let Some(at) = address[from..].find("/http") {
        let end = from + at;
        let target = &address[end + 1..];
        let before = address[..end].rsplit('/').next().unwrap_or_default();
        let (digits, flag) = before.split_at_checked(DIGITS).unwrap_or_default();
        let is_flag = flag.is_empty() || flag.len() == 3 && flag.ends_with('_');
        if is_flag
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && is_web_address(target)
        {
            return Some((target, read_moment(digits)));
        }
        from = end + 1;
    }
    None
}

/// Largest number of words of a moment that are read.
const MAX_WORDS: usize = 8;

/// English names of the months, as programs write them.
const MONTHS: &str = "jan feb mar apr may jun jul aug sep oct nov dec";

/// Reads a moment as programs write it, in any order of its parts, as in RFC 3339: the day alone if
/// there is no time, and Universal Time where no zone is given.
pub(crate) fn read_moment(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() >= 14 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let part = |from: usize, to: usize| text.get(from..to);
        let [year, month, day] = [part(0, 4)?, part(4, 6)?, part(6, 8)?];
        let [hour, minute, second] = [part(8, 10)?, part(10, 12)?, part(12, 14)?];
        return moment(
            [year, month, day].map(|part| part.parse().ok()),
            Some(&format!("{hour}:{minute}:{second}")),
            "Z",
        );
    }
    // RFC 3339 and ISO 8601 have all in one word.
    if let Some((day, time)) = text.split_once('T')
        && let [year, month, day] = day.split('-').collect::<Vec<_>>()[..]
    {
        let clock = time.get(..8)?;
        let zone = time.get(8..).unwrap_or_default();
        let zone = zone.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
        return moment(
            [year, month, day].map(|part| part.parse().ok()),
            Some(clock),
            if zone.is_empty() { "Z" } else { zone },
        );
    }
    let (mut year, mut month, mut day) = (None, None, None);
    let (mut clock, mut zone) = (None, Cow::Borrowed("Z"));
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    for word in words.take(MAX_WORDS) {
        let lower = word.to_ascii_lowercase();
        let number = word.parse::<u32>().ok().filter(|_| !word.starts_with('+'));
        match number {
            Some(number @ 1..=31) if day.is_none() => day = Some(number),
            Some(number @ 1980..=2200) => year = Some(number),
            _ if word.matches(':').count() == 2 => clock = Some(word),
            _ => {}
        }
        if let Some(at) = lower.get(..3).and_then(|name| MONTHS.find(name))
            && at % 4 == 0
            && month.is_none()
        {
            month = u32::try_from(at / 4 + 1).ok();
        }
        let offset = lower.strip_prefix("gmt").unwrap_or(&lower);
        if clock.is_some()
            && offset.starts_with(['+', '-'])
            && let Some(hours) = offset.get(..3)
            && let Some(minutes) = offset.get(3..5)
        {
            zone = Cow::Owned(format!("{hours}:{minutes}"));
        }
    }
    moment([year, month, day], clock, &zone)
}

/// A moment from its parts, if each is possible.
fn moment([year, month, day]: [Option<u32>; 3], clock: Option<&str>, zone: &str) -> Option<String> {
    let (year, month, day) = (year?, month?, day?);
    if !(1980..=2200).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    let is_clock = |clock: &&str| {
        let digits = |at: usize| clock.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        clock.len() == 8
            && [0, 1, 3, 4, 6, 7].into_iter().all(digits)
            && clock.as_bytes()[2] == b':'
            && clock.as_bytes()[5] == b':'
    };
    let is_zone = zone == "Z"
        || zone.len() == 6
            && zone
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b"+-:".contains(&byte));
    Some(match clock.filter(is_clock) {
        Some(clock) if is_zone => format!("{date}T{clock}{zone}"),
        _ => date,
    })
}

/// Returns true for an http or https address.
pub(crate) fn is_web_address(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> (Option<String>, Option<String>) {
        let SavedPage { url, date } = saved_page(html);
        (url, date)
    }

    #[test]
    fn programs_say_where_a_page_comes_from() {
        let cases = [
            (
                "<!DOCTYPE html>\n<!-- saved from url=(0027)https://a.example/b?c=1&d=2 -->\n<html>",
                Some("https://a.example/b?c=1&d=2"),
                None,
            ),
            (
                "<html lang=en><!--\n Page saved with SingleFile \n url: https://a.example/b \n \
                 saved date: Mon Nov 11 2024 09:08:07 GMT+0100 (Central European Standard Time)\n-->",
                Some("https://a.example/b"),
                Some("2024-11-11T09:08:07+01:00"),
            ),
            (
                "<html>\n<!-- Mirrored from a.example/b.html by HTTrack Website Copier/3.x [XR&CO'2014], \
                 Tue, 05 Mar 2013 12:01:02 GMT -->",
                Some("http://a.example/b.html"),
                Some("2013-03-05T12:01:02Z"),
            ),
            (
                "<!-- Saved from https://a.example/ at 2024-01-02T03:04:05Z using monolith v2.8.1 -->",
                Some("https://a.example/"),
                Some("2024-01-02T03:04:05Z"),
            ),
            (
                "<!-- saved from url=(0060)https://web.archive.org/web/20200102030405/http://a.example/b -->",
                Some("http://a.example/b"),
                Some("2020-01-02T03:04:05Z"),
            ),
            (
                "<script>__wm.wombat(\"http://a.example/\",\"20200102030405\",\"https://web.archive.org/\")</script>\
                 <p>text<!--\n     FILE ARCHIVED ON 03:04:05 Jan 02, 2020 AND RETRIEVED FROM THE\n -->",
                Some("http://a.example/"),
                Some("2020-01-02T03:04:05Z"),
            ),
            (
                "<!-- saved from url=(0014)about:internet --><p>x",
                None,
                None,
            ),
            ("<p>saved from url=(1)https://a.example/", None, None),
            ("<!-- saved from url=( -->", None, None),
        ];
        for (html, url, date) in cases {
            assert_eq!(
                read(html),
                (url.map(str::to_owned), date.map(str::to_owned)),
                "{html}"
            );
        }
    }

    #[test]
    fn addresses_of_archives_hold_those_of_pages() {
        let inner = |address| archived_address(address).map(|(url, _)| url);
        assert_eq!(
            inner("https://arquivo.pt/wayback/20100203040506id_/http://a.example/b"),
            Some("http://a.example/b")
        );
        assert_eq!(inner("https://a.example/2020/https://b.example/"), None);
        assert_eq!(inner("https://a.example/b"), None);
    }

    #[test]
    fn hostile_dates_are_no_dates() {
        for text in [
            "",
            "T",
            "99999999999999",
            "2024-13-01T00:00:00Z",
            "é:é:é Jan 1 2020 é",
        ] {
            let read = read_moment(text);
            assert!(read.is_none_or(|date| date == "2020-01-01"), "{text}");
        }
        assert_eq!(read_moment("11 Nov 2024").as_deref(), Some("2024-11-11"));
    }
}
