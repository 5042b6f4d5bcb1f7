//! Dates of posts that are numbers alone, such as `07-12-2021` and `9/6/16`. A single one may be
//! ambiguous, but all dates of a page are in the same order, and some of them are unambiguous.

/// Longest text that is examined, in bytes.
const MAX_BYTES: usize = 100;

/// Order of the numbers in the dates of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct NumericDates {
    is_month_first: Option<bool>,
}

impl NumericDates {
    /// Learns the order from the texts of a page. Without a number over 12, a time with `AM` or
    /// `PM` indicates the American order.
    pub(super) fn learn<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let (mut month_first, mut day_first, mut half_days) = (0_u32, 0_u32, 0_u32);
        for text in texts {
            let Some(([one, two, _], _)) = numbers(text) else {
                continue;
            };
            month_first += u32::from(two > 12 && one <= 12);
            day_first += u32::from(one > 12 && two <= 12);
            let lower = text.to_ascii_lowercase();
            half_days += u32::from(
                ["am", "pm", "a.m.", "p.m."]
                    .iter()
                    .any(|half| lower.trim_end().ends_with(half)),
            );
        }
        let is_month_first = match (month_first, day_first) {
            (0, 0) => (half_days > 0).then_some(true),
            (month, day) if month > 4 * day => Some(true),
            (month, day) if day > 4 * month => Some(false),
            _ => None,
        };
        Self { is_month_first }
    }

    /// `YYYY-MM-DD` of the first date in a short text; `None` if it has none, or the order is not
    /// known.
    pub(super) fn read(self, text: &str) -> Option<String> {
        let is_month_first = self.is_month_first?;
        let ([one, two, year], digits) = numbers(text)?;
        let (month, day) = if is_month_first {
            (one, two)
        } else {
            (two, one)
        };
        let year = match digits {
            // Boards are not older than the web.
            2 if year >= 90 => 1900 + year,
            2 => 2000 + year,
            _ => year,
        };
        let is_date =
            (1..=12).contains(&month) && (1..=31).contains(&day) && (1990..=2100).contains(&year);
        is_date.then(|| format!("{year:04}-{month:02}-{day:02}"))
    }
}

pub(super) fn is_numeric_date(text: &str) -> bool {
    numbers(text).is_some()
}

/// The numbers of the first date in a short text, and the number of digits of the year.
fn numbers(text: &str) -> Option<([u32; 3], usize)> {
    if text.len() > MAX_BYTES {
        return None;
    }
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '|'))
        .find_map(|word| {
            let separator = ['/', '-', '.']
                .into_iter()
                .find(|&separator| word.matches(separator).count() == 2)?;
            let mut parts = word.split(separator);
            let parts = [parts.next()?, parts.next()?, parts.next()?];
            let is_number =
                |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            let is_date = parts.iter().all(|part| is_number(part))
                && parts[0].len() <= 2
                && parts[1].len() <= 2
                && matches!(parts[2].len(), 2 | 4);
            let [one, two, year] = parts.map(|part| part.parse::<u32>().ok());
            let numbers = [one?, two?, year?];
            (is_date && numbers[0].min(numbers[1]) <= 12 && numbers[0].max(numbers[1]) <= 31)
                .then_some((numbers, parts[2].len()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The date that is read from each text; empty if there is none.
    fn read(texts: &[&str]) -> Vec<String> {
        let order = NumericDates::learn(texts.iter().copied());
        texts
            .iter()
            .map(|text| order.read(text).unwrap_or_default())
            .collect()
    }

    #[test]
    fn one_date_tells_the_order_of_the_others() {
        assert_eq!(
            read(&["07-12-2021, 02:20 PM", "04-24-2023"]),
            ["2021-07-12", "2023-04-24"]
        );
        assert_eq!(
            read(&["07/12/21", "24/04/23, 10:00"]),
            ["2021-12-07", "2023-04-24"]
        );
        assert_eq!(read(&["# 1 11-09-99, 06:39 PM"]), ["1999-11-09"]);
    }

    #[test]
    fn without_evidence_nothing_is_read() {
        assert_eq!(read(&["07/12/2021"]), [""]);
        assert_eq!(
            read(&["24/04/2023", "04/24/2023", "05/06/2023"]),
            ["", "", ""]
        );
        assert_eq!(
            read(&["1.2.3", "version 10-20-30-40", "99/99/2020", ""]),
            ["", "", "", ""]
        );
    }
}
