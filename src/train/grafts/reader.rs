//! Names of readers and dates of their comments.

use super::chance::Chance;
use super::language::Phrases;
use super::languages::is_unspaced;

/// A reader's name: first and last name, a user name with or without digits, a first name, or none.
pub(super) fn name(phrases: &Phrases, chance: &mut Chance) -> String {
    let mut word = |count: usize| -> String { (0..count).map(|_| chance.pick(phrases.syllables)).collect() };
    let (first, last, longer) = (word(2), word(2), word(3));
    match chance.number(0..=9) {
        0..=3 if is_unspaced(phrases.code) => longer,
        0..=3 => format!("{} {}", capital(&first), capital(if chance.happens(0.5) { &last } else { &longer })),
        4..=6 => {
            let joint = chance.pick(&["", "", "_", "-", "."]);
            let digits = if chance.happens(0.5) { chance.number(1..=2020).to_string() } else { String::new() };
            format!("{last}{joint}{digits}").trim_end_matches(['_', '-', '.']).to_owned()
        }
        7..=8 => capital(&first),
        _ => (chance.pick(phrases.guests)).to_owned(),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The form of all dates of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateForm {
    /// `7.03.2012, 9:05`
    Dots,
    /// `2012-03-07 09:05`
    Standard,
    /// `7/3/2012`
    Slashes,
    /// `March 7, 2012 at 9:05 am` in English, `7. March 2012, 9:05` in languages whose months are known.
    Words,
    /// `9:05`
    Time,
    /// `3 days ago`, in English only.
    Ago,
}

impl DateForm {
    const ALL: &[Self] = &[Self::Dots, Self::Standard, Self::Slashes, Self::Words, Self::Words, Self::Time, Self::Ago];

    /// Draws the form of a section.
    pub(super) fn draw(chance: &mut Chance) -> Self {
        chance.pick(Self::ALL)
    }

    /// Draws a date.
    pub(super) fn date(self, phrases: &Phrases, chance: &mut Chance) -> String {
        let (day, month, year) = (chance.number(1..=28), chance.number(1..=12), chance.number(2004..=2025));
        let (hour, minute) = (chance.number(0..=23), chance.number(0..=59));
        let is_english = phrases.code == "en";
        match (self, phrases.months.get(month - 1)) {
            (Self::Dots, _) => format!("{day}.{month:02}.{year}, {hour}:{minute:02}"),
            (Self::Standard, _) => format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}"),
            (Self::Words, Some(name)) if is_english => {
                let half = if hour < 12 { "am" } else { "pm" };
                format!("{name} {day}, {year} at {}:{minute:02} {half}", (hour + 11) % 12 + 1)
            }
            (Self::Words, Some(name)) if phrases.code == "de" => format!("{day}. {name} {year} um {hour}:{minute:02}"),
            (Self::Words, Some(name)) => format!("{day} {name} {year}, {hour}:{minute:02}"),
            (Self::Words, None) => format!("{year}年{month}月{day}日 {hour}:{minute:02}"),
            (Self::Time, _) => format!("{hour}:{minute:02}"),
            (Self::Ago, _) if is_english => {
                format!("{} {} ago", chance.number(2..=11), chance.pick(&["hours", "days", "months", "years"]))
            }
            (Self::Slashes | Self::Ago, _) => format!("{day}/{month}/{year}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::languages::phrases;
    use super::*;

    #[test]
    fn names_and_dates_are_never_empty() {
        for lang in ["en", "de", "zh", "ru", "fi"] {
            let mut chance = Chance::of_page(3, lang, "");
            for _ in 0..50 {
                let name = name(phrases(lang), &mut chance);
                let date = DateForm::draw(&mut chance).date(phrases(lang), &mut chance);
                assert!(
                    !name.trim().is_empty() && date.contains(|letter: char| letter.is_ascii_digit()),
                    "{name} {date}"
                );
            }
        }
    }

    #[test]
    fn dates_are_written_in_the_language() {
        let date = |lang| DateForm::Words.date(phrases(lang), &mut Chance::of_page(1, "", ""));
        assert!(date("zh").contains('年') && date("en").contains(" at ") && date("de").contains(" um "));
    }
}
