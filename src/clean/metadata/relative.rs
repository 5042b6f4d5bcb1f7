//! Relative dates, such as `3 days ago`, from the time at which a page was captured.

use crate::language::{Ago, read_ago};

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
