//! Dates as pages write them, also relative ones such as `3 days ago`, read for `metadata`.

use super::names::starts_byline;
use crate::language::dates::month_of;
use crate::language::{Ago, read_ago};
use crate::text::is_listed;

/// Years that are read. Pages are not older than the web, and the core has no clock, so the last
/// year is fixed: later ones are numbers of something else.
const YEARS: std::ops::RangeInclusive<u32> = 1990..=2035;

/// Most words of a date within a line, as in `12 de marzo de 2020`.
const MAX_DATE_WORDS: usize = 5;

/// Beginnings of words before the date of publication, in lower case.
const PUBLISHED: &str = "publish publica publié publik publice posted released issued written created submitted \
     date erschien veröffentlich geschrieben erstellt datum paru fecha escrit postad data pubblicat scritt geplaatst \
     gepubliceerd udgivet julkaistu lisätty yayın tarih opubl dodano zveřejn vydán közzét megjelen опубл дата добавл \
     публик δημοσ ημερομ نشر تاريخ प्रकाशित 发布 發佈 发表 發表 日期 时间 時間 投稿 公開 掲載 게시 작성 등록 입력 đăng ngày เผยแพร่ פורסם \
     diterbitkan dipublikasikan منتشر edited gespeichert eingestellt stand envoyé enviado inviato";

/// Words beside a date that carry no other information, in lower case: of times, and before dates.
const BESIDE_DATES: &str = "am pm a.m p.m at on uhr um den der le à el las il alle ore em às op om kl klo de h г \
     в от utc gmt est edt cet cest ist pst pdt the by in von par por dans and und vom last";

/// Words before the number of a version or a part, in lower case.
const NUMBERED: &str = "v ver version versión versione versão versie wersja verze версия версії rev revision \
     section sec sect sección sezione seção abschnitt kapitel chapter chapitre capítulo capitolo глава раздел no nr \
     rfc ip listen port";

/// Days of the week in languages that write them without a capital, in lower case.
const WEEKDAYS: &str = "lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves \
     viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica segunda terça quarta quinta \
     sexta segunda-feira terça-feira quarta-feira quinta-feira sexta-feira dilluns dimarts dimecres dijous divendres \
     dissabte diumenge maandag dinsdag woensdag donderdag vrijdag zaterdag zondag måndag tisdag onsdag torsdag fredag \
     lördag söndag mandag tirsdag lørdag søndag maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai \
     poniedziałek wtorek środa czwartek piątek sobota niedziela pondělí úterý středa čtvrtek pátek neděle hétfő kedd \
     szerda csütörtök péntek szombat vasárnap luni marți miercuri joi vineri sâmbătă duminică понедельник вторник \
     среда четверг пятница суббота воскресенье понеділок вівторок середа четвер субота неділя";

/// Most words of a line such as `Published ...`, of names beside a date, and of a label, and most
/// letters in a script without capitals. Heuristic.
const MAX_LABELLED_WORDS: usize = 16;
const MAX_NAME_WORDS: usize = 5;
const MAX_WORDS_OF_LABEL: usize = 6;
const MAX_UNCASED: usize = 16;

/// Returns true for a label so short that other words may begin with it.
fn is_short(label: &str) -> bool {
    label.len() <= 5 && label.is_ascii()
}

fn build(year: u32, month: u32, day: u32) -> Option<String> {
    let is_date = YEARS.contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// `YYYY-MM-DD` of a date in the forms that pages use; `None` if it is ambiguous or unknown.
/// `language` is that of the page: an English page may write day or month first, others write the
/// day first.
pub(in crate::document) fn read_date(text: &str, language: Option<&str>) -> Option<String> {
    let parts: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .take(10)
        .collect();
    let number = |part: &str| part.parse::<u32>().ok();
    let first = parts.first()?;
    if let Some(date) = east_asian(text) {
        return Some(date);
    }
    if parts.len() == 1
        && matches!(first.len(), 10 | 13)
        && text.trim().bytes().all(|byte| byte.is_ascii_digit())
    {
        return parse_epoch(first);
    }
    // A longer run of digits is a date with a time, or another number.
    if matches!(
        first.bytes().take_while(u8::is_ascii_digit).count(),
        8 | 12 | 14
    ) {
        return build(
            number(&first[..4])?,
            number(&first[4..6])?,
            number(&first[6..8])?,
        );
    }
    let leading = |part: &str| {
        number(
            &part
                .chars()
                .take_while(char::is_ascii_digit)
                .collect::<String>(),
        )
    };
    if first.len() == 4
        && let (Some(year), Some(month), Some(day)) = (number(first), parts.get(1), parts.get(2))
        && number(month).is_some()
    {
        // In `2020-03-12T10:00` the T and the time follow the day.
        return build(year, number(month)?, leading(day)?);
    }
    if let Some(at) = month_in(&parts) {
        return written_out(&parts, at);
    }
    // Other words may come before, such as a weekday or a name.
    let is_number = |part: &str, digits: usize| {
        part.len() <= digits && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let start = parts
        .iter()
        .take_while(|part| part.chars().all(char::is_alphabetic))
        .count();
    if start > 0 && is_listed(NUMBERED, &parts[start - 1].to_lowercase()) {
        return None;
    }
    let parts = &parts[start..];
    match parts {
        [year, month, day, ..] if is_number(year, 4) && year.len() == 4 && is_number(month, 2) => {
            build(number(year)?, number(month)?, leading(day)?)
        }
        _ => in_numbers(text, parts, language),
    }
}

/// The first date within a line of words, such as `Ann Lee | 12 March 2020 | 3 comments`.
pub(in crate::document) fn date_within(line: &str, language: Option<&str>) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    find_date(&words, language).map(|(date, _)| date)
}

/// The first date among words, and the range of its words.
fn find_date(words: &[&str], language: Option<&str>) -> Option<(String, std::ops::Range<usize>)> {
    let may_begin = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_month = || word.chars().all(char::is_alphabetic) && month_of(word).is_some();
        word.starts_with(|c: char| c.is_ascii_digit())
            || is_month()
            || ['年', '년'].iter().any(|end| word.contains(*end))
    };
    // A long number alone counts seconds only where a program wrote it.
    let is_number = |text: &str| text.len() > 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let bare = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    };
    let is_numbered = |at: usize| at > 0 && is_listed(NUMBERED, &bare(words[at - 1]));
    let starts = (0..words.len()).filter(|&at| may_begin(words[at]) && !is_numbered(at));
    starts.into_iter().find_map(|at| {
        let longest = words.len().min(at + MAX_DATE_WORDS);
        (at + 1..=longest).find_map(|end| {
            let text = words[at..end].join(" ");
            Some((
                read_date(&text, language).filter(|_| !is_number(&text))?,
                at..end,
            ))
        })
    })
}

/// The kinds of lines that give a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// It is a date, with a time or a day of the week.
    Bare,
    /// It begins with a word such as `Published`.
    Labelled,
    /// The date is among names, such as that of an author or a place.
    Beside,
}

/// The date of a line that gives the date of a text; `None` for a line of running text with a date
/// in it.
pub(super) fn dateline(line: &str, language: Option<&str>) -> Option<(String, LineKind)> {
    let is_separator = |word: &&str| word.chars().all(|c| !c.is_alphanumeric());
    let line = line.replace('：', ": ");
    let words: Vec<&str> = line.split_whitespace().collect();
    let (date, range) = find_date(&words, language)?;
    let start = words[..range.start]
        .iter()
        .rposition(is_separator)
        .map_or(0, |at| at + 1);
    let end = words[range.end..]
        .iter()
        .position(is_separator)
        .map_or(words.len(), |at| range.end + at);
    let bare = |at: usize| {
        words[at]
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    };
    // A short label, such as `date`, is followed by a colon or the date.
    let has_label = |at: usize| {
        let (word, next) = (bare(at), at + 1);
        let is_followed = || {
            next == range.start
                || words[at].ends_with(':')
                || words.get(next).is_some_and(is_separator)
        };
        let mut labels = PUBLISHED.split(' ');
        labels.any(|label| {
            word.starts_with(label) && (!is_short(label) || word == label && is_followed())
        })
    };
    let is_first = |at: usize| range.start - at <= MAX_WORDS_OF_LABEL && has_label(at);
    if is_first(start) || is_first(0) {
        return (end - start <= MAX_LABELLED_WORDS).then_some((date, LineKind::Labelled));
    }
    let is_of_time = |word: &String| {
        word.starts_with(|c: char| c.is_ascii_digit())
            || word.is_empty()
            || is_listed(BESIDE_DATES, word)
            || is_listed(WEEKDAYS, word)
    };
    let others = (start..range.start)
        .chain(range.end..end)
        .filter(|&at| !is_of_time(&bare(at)));
    let (labels, others): (Vec<usize>, Vec<usize>) = others.partition(|&at| has_label(at));
    let is_labelled = starts_byline(&line) || !labels.is_empty();
    let is_capital = |at: &usize| {
        !words[*at]
            .trim_start_matches(|c: char| !c.is_alphanumeric())
            .starts_with(char::is_lowercase)
    };
    // Scripts without capitals: there are few letters, also in the words of the date.
    let letters = words[start..end]
        .iter()
        .flat_map(|word| word.chars())
        .filter(|c| c.is_alphabetic());
    let uncased = letters.filter(|c| !c.is_uppercase() && !c.is_lowercase());
    let is_of_names = others.len() <= MAX_NAME_WORDS
        && others.iter().all(is_capital)
        && uncased.count() <= MAX_UNCASED;
    let kind = match others.len() {
        _ if is_labelled => LineKind::Labelled,
        0 => LineKind::Bare,
        // A day of the week, or a place.
        1 if end - start == words.len() => LineKind::Bare,
        _ => LineKind::Beside,
    };
    is_of_names.then_some((date, kind))
}

/// `2020年3月12日` and `2020년 3월 12일`.
fn east_asian(text: &str) -> Option<String> {
    let ends = [['年', '月', '日'], ['년', '월', '일']]
        .into_iter()
        .find(|ends| text.contains(ends[0]))?;
    let mut rest = text;
    let mut numbers = [0; 3];
    for (number, end) in numbers.iter_mut().zip(ends) {
        let (before, after) = rest.split_once(end)?;
        let digits: String = before
            .trim_end()
            .chars()
            .rev()
            .take_while(char::is_ascii_digit)
            .collect();
        *number = digits.chars().rev().collect::<String>().parse().ok()?;
        rest = after;
    }
    build(numbers[0], numbers[1], numbers[2])
}

/// The day of a number of seconds or milliseconds since 1970.
fn parse_epoch(digits: &str) -> Option<String> {
    let seconds: u64 = digits.get(..10)?.parse().ok()?;
    let (year, month, day) = civil(seconds / 86_400);
    build(u32::try_from(year).ok()?, month, day)
}

/// A day of a month, 1 to 31, also as in `3rd` or `12日`.
fn day_number(part: &str) -> Option<u32> {
    let digits = part.trim_end_matches(|c: char| c.is_alphabetic());
    if digits.len() > 2 {
        None
    } else {
        digits.parse().ok().filter(|day| (1..=31).contains(day))
    }
}

/// Index of the number of a day, the closest to the index `at` of a month.
fn day_beside(parts: &[&str], at: usize) -> Option<usize> {
    let days = (0..parts.len()).filter(|&index| index != at && day_number(parts[index]).is_some());
    days.min_by_key(|index| index.abs_diff(at))
}

/// Index of the name of a month. Short names of months are also other words, so the closest to the
/// number of a day is taken, and the shortest of two.
fn month_in(parts: &[&str]) -> Option<usize> {
    let is_month = |index: &usize| {
        parts[*index].chars().all(char::is_alphabetic) && month_of(parts[*index]).is_some()
    };
    let distance =
        |index: &usize| day_beside(parts, *index).map_or(usize::MAX, |day| day.abs_diff(*index));
    (0..parts.len())
        .filter(is_month)
        .min_by_key(|index| (distance(index), parts[*index].len()))
}

/// Reads a date with the name of a month, where the order of the numbers is unambiguous: the day is
/// the number closest to it, since a time may be there too.
fn written_out(parts: &[&str], at: usize) -> Option<String> {
    let month = month_of(parts[at])?;
    let day = day_number(parts[day_beside(parts, at)?])?;
    let years = (0..parts.len()).filter_map(|index| {
        let digits = parts[index].trim_end_matches(|c: char| c.is_alphabetic());
        Some((
            index,
            digits
                .parse::<u32>()
                .ok()
                .filter(|year| YEARS.contains(year))?,
        ))
    });
    let (_, year) = years.min_by_key(|(index, _)| index.abs_diff(at))?;
    build(year, month, day)
}

/// Reads `12.03.2020` and `12/03/2020`. The day is first after dots, where the other order is not a
/// date, and with slashes on pages that are not in English.
fn in_numbers(text: &str, parts: &[&str], language: Option<&str>) -> Option<String> {
    let [one, two, year] =
        [0, 1, 2].map(|at| parts.get(at).and_then(|part| part.parse::<u32>().ok()));
    let (one, two, year) = (one?, two?, year?);
    let is_day_first_language =
        language.is_some_and(|tag| !tag.to_ascii_lowercase().starts_with("en"));
    let dotted = format!("{}.{}.{}", parts[0], parts[1], parts[2]);
    let year = match [parts[0], parts[1], parts[2]].map(str::len) {
        [_, _, 4] if !goes_on(text, &dotted) => year,
        // `12.03.20`: between dots the year is last. The same in English, or without zeros, is the
        // number of a version or a section.
        [2, 2, 2] if is_day_first_language && text.contains(&dotted) && !goes_on(text, &dotted) => {
            2000 + year
        }
        _ => return None,
    };
    let is_day_first = text.contains('.') || one > 12 || one == two || is_day_first_language;
    if is_day_first {
        build(year, two, one)
    } else if two > 12 {
        build(year, one, two)
    } else {
        None
    }
}

/// Returns true if a text holds the number of a year in [`YEARS`].
pub(super) fn names_year(text: &str) -> bool {
    let numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|number| number.len() == 4);
    numbers
        .filter_map(|number| number.parse().ok())
        .any(|year: u32| YEARS.contains(&year))
}

/// Returns true if numbers between dots are followed or preceded by further ones, as in the address
/// of a computer.
fn goes_on(text: &str, dotted: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let Some((before, after)) = text.split_once(dotted) else {
        return false;
    };
    let (mut before, mut after) = (before.chars().rev(), after.chars());
    before.next().is_some_and(|c| c == '.') && is_digit(before.next())
        || after.next().is_some_and(|c| matches!(c, '.' | ':')) && is_digit(after.next())
}

/// Returns true if `other` may be the local day of a moment: for a moment in Universal Time or
/// without a zone, it is the day before or after, and can be that of the moment in some time zone.
pub(super) fn is_local_day(moment: &str, other: &str) -> bool {
    let Some(hour) = universal_hour(moment) else {
        return false;
    };
    let (Some(first), Some(other)) = (
        read_date(moment, None).as_deref().and_then(day_count),
        day_count(other),
    ) else {
        return false;
    };
    // The zones are between UTC-12 and UTC+14.
    other == first - 1 && hour < 12 || other == first + 1 && hour >= 10
}

/// Returns true if a date is written as a moment in Universal Time or without a zone, so that the
/// local day is uncertain.
pub(super) fn is_universal(written: &str) -> bool {
    universal_hour(written).is_some()
}

/// The hour of `2020-03-12T23:10:00Z`; `None` for a date, for midnight, which may mean a date only,
/// and for another zone.
fn universal_hour(moment: &str) -> Option<u32> {
    let moment = moment.trim();
    let day_bytes = if moment.bytes().take(8).all(|byte| byte.is_ascii_digit()) {
        8
    } else {
        10
    };
    let time = moment.get(day_bytes..)?.strip_prefix(['T', ' '])?;
    let hour: u32 = time.get(..2)?.parse().ok()?;
    let minute: u32 = time.get(3..5)?.parse().ok()?;
    let zone = time
        .get(5..)?
        .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ' '));
    let is_universal = matches!(
        zone,
        "" | "Z" | "z" | "+00:00" | "+0000" | "+00" | "UTC" | "GMT"
    );
    (is_universal && (hour, minute) != (0, 0)).then_some(hour)
}

/// Number of days from the year 0 to a date in the proleptic Gregorian calendar (Howard Hinnant's
/// `days_from_civil`).
fn day_count(date: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| date.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    Some(year * 365 + year / 4 - year / 100 + year / 400 + day_of_year)
}

/// The date in the path of an address, such as `/2020/03/12/gulls`, `/2020/mar/12/gulls`,
/// `/2020-03-12-gulls` or `/20200312.html`.
pub(super) fn date_of_address(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let is_year = |year: &u32| YEARS.contains(year);
    let parts: Vec<&str> = url.path().split(['/', '-', '_']).collect();
    let apart = parts.windows(3).find_map(|window| {
        let is_month_name =
            window[1].len() == 3 && window[1].bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_written_so =
            window[0].len() == 4 && (window[1].len() == 2 || is_month_name) && window[2].len() == 2;
        let number = |at: usize| window[at].parse::<u32>().ok();
        let year = number(0).filter(|year| is_written_so && is_year(year))?;
        let month = if is_month_name {
            month_of(window[1])
        } else {
            number(1)
        };
        build(year, month?, number(2)?)
    });
    apart.or_else(|| {
        let mut runs = url
            .path()
            .split(|c: char| !c.is_ascii_digit())
            .filter(|run| run.len() == 8);
        runs.find_map(|run| {
            let year = run[..4].parse().ok().filter(is_year)?;
            build(year, run[4..6].parse().ok()?, run[6..].parse().ok()?)
        })
    })
}

/// The date that a short text gives relative to `captured_at_s` (seconds since 1970 UTC): as
/// precise as the text, so `2020-03` for months and `2020` for years.
pub(in crate::document) fn read_relative(text: &str, captured_at_s: u64) -> Option<String> {
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
    (
        year + era * 400 + u64::from(month <= 2),
        month as u32,
        day as u32,
    )
}

/// Beginnings of words that mark the date of a change, in lower case.
const CHANGED: &[&str] = &[
    "updat",
    "modif",
    "aktualis",
    "mis à jour",
    "actualiz",
    "aggiorn",
    "bijgewerkt",
    "обновл",
    "更新",
];

/// Returns true if a short line gives the date of a change.
pub(super) fn is_of_change(line: &str) -> bool {
    // `Posted 3 May | Updated 4 May` begins with the date of publication.
    let before: String = line.chars().take_while(|c| !c.is_ascii_digit()).collect();
    let before = before.to_lowercase();
    CHANGED.iter().any(|word| before.contains(word))
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
            (
                "Publicado el 12 de marzo de 2020 a las 10:30",
                None,
                Some("2020-03-12"),
            ),
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
            ("04:25:06 PM IST Apr 08, 2020", None, Some("2020-04-08")),
            ("Fri Apr 28 19:20:36 CEST 2023", None, Some("2023-04-28")),
            ("Marketing | 12 May 2020", None, Some("2020-05-12")),
            ("martes, 12 de mayo de 2020", None, Some("2020-05-12")),
            ("12.03.20", Some("de"), Some("2020-03-12")),
            ("12/03/20", Some("de"), None),
            (
                "Von Ann am 12.03.2020, 11:51 | 0 Comments",
                Some("de"),
                Some("2020-03-12"),
            ),
            (
                "last edited 2020-03-12 13:28:18 by Ann",
                Some("en"),
                Some("2020-03-12"),
            ),
            ("1750680000000", None, Some("2025-06-23")),
            ("1584000000", None, Some("2020-03-12")),
            ("2020-13-40", None, None),
            ("yesterday", None, None),
            ("2.4.26", Some("de"), None),
            ("12.03.20", Some("en"), None),
            ("10.11.12.13", Some("de"), None),
            ("10.11.2012.13", Some("de"), None),
            ("192.0.2.5:8000", None, None),
            ("Version 3.4.2015", Some("de"), None),
            ("Listen 192.0.2.5:8000", None, None),
            ("Market 12, 2020", Some("en"), None),
            ("3 May 1820", None, None),
            ("3 May 8000", None, None),
            ("0001-01-01T00:00:00", None, None),
            ("1970-01-01", None, None),
            ("2050-01-01", None, None),
            ("202003123", None, None),
            ("9999999999", None, None),
            ("3 de mayo de 2020", Some("es"), Some("2020-05-03")),
            ("3 травня 2020", Some("uk"), Some("2020-05-03")),
            ("3. toukokuuta 2020", Some("fi"), Some("2020-05-03")),
            ("3 मई 2020", Some("hi"), Some("2020-05-03")),
            ("", None, None),
        ] {
            assert_eq!(
                read_date(written, language).as_deref(),
                expected,
                "{written}"
            );
        }
    }

    #[test]
    fn a_date_within_a_line_is_read() {
        for (line, expected) in [
            ("Ann Lee | 12 March 2020 | 3 comments", Some("2020-03-12")),
            ("In Gulls on March 12, 2020 2:24 pm", Some("2020-03-12")),
            (
                "Author: Bo2man am 12.03.2020, 13:36 Uhr",
                Some("2020-03-12"),
            ),
            ("por Ann el 12 de marzo de 2020", Some("2020-03-12")),
            ("12 gulls and 2020 mussels", None),
            ("", None),
        ] {
            assert_eq!(date_within(line, Some("en")).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_dateline_is_told_from_running_text() {
        for (line, expected) in [
            ("12 March 2020", Some(LineKind::Bare)),
            ("March 12, 2020 at 2:24 pm", Some(LineKind::Bare)),
            ("12.03.2020, 13:36 Uhr", Some(LineKind::Bare)),
            (
                "Published on 12 March 2020 by the press office",
                Some(LineKind::Labelled),
            ),
            ("发布时间：2020年3月12日 10:00", Some(LineKind::Labelled)),
            ("发布时间：2020-03-12 10:00", Some(LineKind::Labelled)),
            ("Version: 3.4.2015", None),
            ("Data from 12 March 2020 show that they are standard", None),
            ("Standards of 12 March 2020 and how they are read", None),
            ("Date: 12 March 2020", Some(LineKind::Labelled)),
            ("Опубликовано 12 марта 2020 г.", Some(LineKind::Labelled)),
            ("Ann Lee | 12 March 2020 | 3 comments", Some(LineKind::Bare)),
            ("jeudi 12 mars 2020, par Ann Lee", Some(LineKind::Beside)),
            (
                "Gespeichert von ann am 12. März 2020 - 18:55",
                Some(LineKind::Labelled),
            ),
            (
                "Stand - 12.03.2020 (unverändert gültig)",
                Some(LineKind::Labelled),
            ),
            (
                "Von Christian am 12.03.2020, 11:51 | 0 Meinungen",
                Some(LineKind::Labelled),
            ),
            (
                "Ann Lee published in Birds 12 March 2020",
                Some(LineKind::Labelled),
            ),
            ("Thursday, 12 March 2020", Some(LineKind::Bare)),
            ("Herring Gulls, 12 March 2020", Some(LineKind::Beside)),
            ("Available in 2.4.26 and later. Listen 192.0.2.5:8000", None),
            ("The server was rewritten on 12 March 2020.", None),
            ("See section 10.11.2012 of the manual", None),
            ("他于2020年3月12日在北京出生后来去了海边看海鸥吃贝壳", None),
            ("ISBN 1584000000", None),
        ] {
            let found = dateline(line, Some("de"));
            assert_eq!(
                found.as_ref().map(|(_, kind)| *kind),
                expected,
                "{line} {found:?}"
            );
        }
    }

    #[test]
    fn the_date_of_an_address_is_written_in_full() {
        let date = |path: &str| date_of_address(&format!("https://a.example{path}"));
        assert_eq!(
            date("/blog/2020/03/12/gulls.html").as_deref(),
            Some("2020-03-12")
        );
        assert_eq!(date("/2020-03-12-gulls").as_deref(), Some("2020-03-12"));
        assert_eq!(
            date("/news/20200312gulls.html").as_deref(),
            Some("2020-03-12")
        );
        assert_eq!(date("/2020/mar/12/gulls").as_deref(), Some("2020-03-12"));
        assert_eq!(date("/2020/xyz/12/gulls"), None);
        assert_eq!(date("/20209912"), None);
        assert_eq!(date("/2020/03/gulls"), None);
        assert_eq!(date("/1234/56/78"), None);
    }

    #[test]
    fn the_local_day_of_a_moment_is_the_day_before_or_after() {
        for (moment, other, expected) in [
            ("2020-03-01T03:22:07Z", "2020-02-29", true),
            ("2020-03-01T03:22:07", "2020-02-29", true),
            ("2020-03-01 03:22", "2020-02-29", true),
            ("20200301T03:22:07Z", "2020-02-29", true),
            ("2020-12-31T22:00:00.000+00:00", "2021-01-01", true),
            ("2020-03-01T20:00:00Z", "2020-02-29", false),
            ("2020-03-01T03:00:00Z", "2020-03-02", false),
            ("2020-03-01T03:00:00-05:00", "2020-02-29", false),
            ("2020-03-01T00:00:00Z", "2020-02-29", false),
            ("2020-03-01T03:00:00Z", "2020-02-28", false),
            ("2020-03-01", "2020-02-29", false),
            ("الأربعاء، 07 أكتوبر 2020", "2020-10-06", false),
            ("", "", false),
        ] {
            assert_eq!(is_local_day(moment, other), expected, "{moment} {other}");
        }
    }

    #[test]
    fn relative_dates_count_from_the_capture() {
        // The moment is 2024-03-01 12:00:00 UTC.
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
