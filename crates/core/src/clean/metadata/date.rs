//! Dates as pages write them, also relative ones such as `3 days ago`, read for `metadata`.

use crate::language::dates::month_of;
use crate::language::{Ago, read_ago};

/// Years that are read: pages are no older than the web, but what they publish may be.
const YEARS: std::ops::RangeInclusive<u32> = 1000..=9999;

fn build(year: u32, month: u32, day: u32) -> Option<String> {
    let is_date = YEARS.contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// `YYYY-MM-DD` of a date in the forms that pages use; `None` if it is ambiguous or unknown. `language` is that of the page: an
/// English page may write day or month first, others write the day first.
pub(in crate::clean) fn read_date(text: &str, language: Option<&str>) -> Option<String> {
    let parts: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).take(10).collect();
    let number = |part: &str| part.parse::<u32>().ok();
    let first = parts.first()?;
    if let Some(date) = east_asian(text) {
        return Some(date);
    }
    if first.len() >= 8 && first.bytes().take(8).all(|byte| byte.is_ascii_digit()) {
        return build(number(&first[..4])?, number(&first[4..6])?, number(&first[6..8])?);
    }
    let leading = |part: &str| number(&part.chars().take_while(char::is_ascii_digit).collect::<String>());
    if first.len() == 4
        && let (Some(year), Some(month), Some(day)) = (number(first), parts.get(1), parts.get(2))
        && number(month).is_some()
    {
        // In `2020-03-12T10:00` the T and the time follow the day.
        return build(year, number(month)?, leading(day)?);
    }
    if let Some(at) = parts.iter().position(|part| part.chars().all(char::is_alphabetic) && month_of(part).is_some()) {
        return written_out(&parts, at);
    }
    // A weekday may stand before.
    let start = parts.iter().take(2).take_while(|part| part.chars().all(char::is_alphabetic)).count();
    in_numbers(text, &parts[start..], language)
}

/// `2020年3月12日` and `2020년 3월 12일`.
fn east_asian(text: &str) -> Option<String> {
    let ends = [['年', '月', '日'], ['년', '월', '일']].into_iter().find(|ends| text.contains(ends[0]))?;
    let mut rest = text;
    let mut numbers = [0; 3];
    for (number, end) in numbers.iter_mut().zip(ends) {
        let (before, after) = rest.split_once(end)?;
        let digits: String = before.trim_end().chars().rev().take_while(char::is_ascii_digit).collect();
        *number = digits.chars().rev().collect::<String>().parse().ok()?;
        rest = after;
    }
    build(numbers[0], numbers[1], numbers[2])
}

/// With the name of a month, the order of the numbers is unambiguous.
fn written_out(parts: &[&str], at: usize) -> Option<String> {
    let month = month_of(parts[at])?;
    let numbers = parts.iter().enumerate().filter(|(index, _)| *index != at).filter_map(|(_, part)| {
        let digits = part.trim_end_matches(|c: char| c.is_alphabetic());
        digits.parse::<u32>().ok()
    });
    let (mut day, mut year) = (None, None);
    for value in numbers {
        if value >= 1000 {
            year = year.or(Some(value));
        } else if (1..=31).contains(&value) {
            day = day.or(Some(value));
        }
    }
    build(year?, month, day?)
}

/// `12.03.2020` and `12/03/2020`: the day is first after dots, and where the other order is no date; with slashes also on pages
/// that are not English.
fn in_numbers(text: &str, parts: &[&str], language: Option<&str>) -> Option<String> {
    let [one, two, year] = [0, 1, 2].map(|at| parts.get(at).and_then(|part| part.parse::<u32>().ok()));
    let (one, two, year) = (one?, two?, year?);
    if parts[2].len() != 4 {
        return None;
    }
    let is_day_first = text.contains('.')
        || one > 12
        || one == two
        || language.is_some_and(|tag| !tag.to_ascii_lowercase().starts_with("en"));
    if is_day_first {
        build(year, two, one)
    } else if two > 12 {
        build(year, one, two)
    } else {
        None
    }
}

/// The date in the path of an address, such as `/2020/03/12/gulls`, `/2020-03-12-gulls` or `/20200312.html`.
pub(super) fn date_of_address(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let is_year = |year: &u32| (1990..=2100).contains(year);
    let parts: Vec<&str> = url.path().split(['/', '-', '_']).collect();
    let apart = parts.windows(3).find_map(|window| {
        let is_written_so = window[0].len() == 4 && window[1].len() == 2 && window[2].len() == 2;
        let number = |at: usize| window[at].parse::<u32>().ok();
        let year = number(0).filter(|year| is_written_so && is_year(year))?;
        build(year, number(1)?, number(2)?)
    });
    apart.or_else(|| {
        let mut runs = url.path().split(|c: char| !c.is_ascii_digit()).filter(|run| run.len() == 8);
        runs.find_map(|run| {
            let year = run[..4].parse().ok().filter(is_year)?;
            build(year, run[4..6].parse().ok()?, run[6..].parse().ok()?)
        })
    })
}

/// The date that a short text gives relative to `captured_at_s` (seconds since 1970 UTC): as precise as the text, so `2020-03`
/// for months and `2020` for years.
pub(super) fn read_relative(text: &str, captured_at_s: u64) -> Option<String> {
    let day = |seconds: u64| civil(seconds / 86_400);
    let (year, month, _) = day(captured_at_s);
    Some(match read_ago(text)? {
        Ago::Seconds(ago) => written(day(captured_at_s.checked_sub(ago)?)),
        Ago::Days(ago) => written(day(captured_at_s.checked_sub(ago * 86_400)?)),
        Ago::Months(ago) => {
            let months = (year * 12 + u64::from(month) - 1).checked_sub(ago)?;
            format!("{:04}-{:02}", months / 12, months % 12 + 1)
        }
        Ago::Years(ago) => format!("{:04}", year.checked_sub(ago)?),
    })
}

fn written((year, month, day): (u64, u32, u32)) -> String {
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a day since 1970 (Howard Hinnant's `civil_from_days`).
fn civil(days: u64) -> (u64, u32, u32) {
    // Eras of 400 years that begin on the first of March.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + u64::from(month <= 2), month as u32, day as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unambiguous_dates_are_read() {
        for (written, language, expected) in [
            ("2020-03-12T10:00:00+01:00", None, Some("2020-03-12")),
            ("20200312", None, Some("2020-03-12")),
            ("2020/3/12", None, Some("2020-03-12")),
            ("Thu, 12 Mar 2020 10:00:00 GMT", None, Some("2020-03-12")),
            ("March 3rd, 2020", None, Some("2020-03-03")),
            ("Publicado el 12 de marzo de 2020 a las 10:30", None, Some("2020-03-12")),
            ("12. března 2020", None, Some("2020-03-12")),
            ("12 марта 2020 г.", None, Some("2020-03-12")),
            ("发布于2020年3月12日 10:00", None, Some("2020-03-12")),
            ("2020년 3월 12일", None, Some("2020-03-12")),
            ("12.03.2020", None, Some("2020-03-12")),
            ("03/04/2020", Some("fr"), Some("2020-04-03")),
            ("25/12/2020", None, Some("2020-12-25")),
            ("12/25/2020", Some("en-US"), Some("2020-12-25")),
            ("Thu, 09/25/2025 - 11:38", Some("en"), Some("2025-09-25")),
            ("03/04/2020", None, None),
            ("03/04/2020", Some("en"), None),
            ("2020-13-40", None, None),
            ("yesterday", None, None),
            ("", None, None),
        ] {
            assert_eq!(read_date(written, language).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn the_date_of_an_address_is_written_in_full() {
        let date = |path: &str| date_of_address(&format!("https://a.example{path}"));
        assert_eq!(date("/blog/2020/03/12/gulls.html").as_deref(), Some("2020-03-12"));
        assert_eq!(date("/2020-03-12-gulls").as_deref(), Some("2020-03-12"));
        assert_eq!(date("/news/20200312gulls.html").as_deref(), Some("2020-03-12"));
        assert_eq!(date("/20209912"), None);
        assert_eq!(date("/2020/03/gulls"), None);
        assert_eq!(date("/1234/56/78"), None);
    }

    #[test]
    fn relative_dates_count_from_the_capture() {
        // 2024-03-01 12:00:00 UTC.
        let now = 1_709_294_400;
        for (text, expected) in [
            ("1 day ago", Some("2024-02-29")),
            ("13 hours ago", Some("2024-02-29")),
            ("today", Some("2024-03-01")),
            ("vor 3 Monaten", Some("2023-12")),
            ("2 years ago", Some("2022")),
            ("9999 weeks ago", None),
            ("2024", None),
        ] {
            assert_eq!(read_relative(text, now).as_deref(), expected, "{text}");
        }
        assert_eq!(read_relative("today", 0).as_deref(), Some("1970-01-01"));
    }
}
