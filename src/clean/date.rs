//! Dates as pages write them, read for `metadata`.

/// `YYYY-MM-DD` of a date in the forms that pages use; `None` if it is ambiguous or unknown.
pub(super) fn read_date(text: &str) -> Option<String> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let parts: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).take(8).collect();
    let number = |part: &str| part.parse::<u32>().ok();
    let build = |year: u32, month: u32, day: u32| {
        let is_date = (1000..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        is_date.then(|| format!("{year:04}-{month:02}-{day:02}"))
    };
    let first = parts.first()?;
    if first.len() >= 8 && first.bytes().take(8).all(|byte| byte.is_ascii_digit()) {
        return build(number(&first[..4])?, number(&first[4..6])?, number(&first[6..8])?);
    }
    if first.len() == 4
        && let (Some(year), Some(month), Some(day)) = (number(first), parts.get(1), parts.get(2))
    {
        // In `2020-03-12T10:00` the T and the time follow the day.
        let day: String = day.chars().take_while(char::is_ascii_digit).collect();
        return build(year, number(month)?, number(&day)?);
    }
    // With the name of a month, the order of the numbers is unambiguous.
    let at = parts.iter().position(|part| {
        let name: String = part.chars().take(3).flat_map(char::to_lowercase).collect();
        part.chars().all(char::is_alphabetic) && MONTHS.contains(&name.as_str())
    })?;
    let name: String = parts[at].chars().take(3).flat_map(char::to_lowercase).collect();
    let month = MONTHS.iter().position(|month| *month == name)? as u32 + 1;
    let numbers = parts.iter().enumerate().filter(|(index, _)| *index != at).filter_map(|(_, part)| {
        let digits = part.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        number(digits)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unambiguous_dates_are_read() {
        for (written, expected) in [
            ("2020-03-12T10:00:00+01:00", Some("2020-03-12")),
            ("20200312", Some("2020-03-12")),
            ("2020/3/12", Some("2020-03-12")),
            ("Thu, 12 Mar 2020 10:00:00 GMT", Some("2020-03-12")),
            ("March 3rd, 2020", Some("2020-03-03")),
            ("03/04/2020", None),
            ("2020-13-40", None),
            ("", None),
        ] {
            assert_eq!(read_date(written).as_deref(), expected, "{written}");
        }
    }
}
