//! Counts the warnings of a run by their kind: the first few of a kind are to be shown, and the others only counted.

use vclean_core::error::{Warning, WarningKind};

/// Warnings of one kind that are shown before the others are only counted. Heuristic: three show whether it is one page,
/// one site or every page.
const SHOWN: u64 = 3;
/// Number of groups of [`WarningKind::Other`]; all further texts are one group. Limits memory.
const MAX_GROUPS: usize = 200;

/// The warnings of a run.
#[derive(Debug, Default)]
pub struct WarningTally {
    shows_all: bool,
    /// In the order of their first warnings.
    groups: Vec<Group>,
    total: u64,
}

/// Warnings that say the same.
#[derive(Debug)]
struct Group {
    kind: WarningKind,
    /// The text of the first one without its digits, for [`WarningKind::Other`]; empty for further texts.
    pattern: String,
    summary: String,
    first_page: String,
    last_page: String,
    pages: u64,
    warnings: u64,
}

impl WarningTally {
    /// No warning yet; `shows_all` says that each is to be shown.
    pub fn new(shows_all: bool) -> Self {
        Self { shows_all, ..Self::default() }
    }

    /// Counts a warning about `page`; returns whether it is to be shown.
    pub fn add(&mut self, page: &str, warning: &Warning) -> bool {
        self.total += 1;
        let shows_all = self.shows_all_of(warning.kind);
        let group = self.group(page, warning);
        group.warnings += 1;
        if group.pages == 0 || group.last_page != page {
            group.pages += 1;
            page.clone_into(&mut group.last_page);
        }
        shows_all || group.warnings <= SHOWN
    }

    /// Whether each warning of a kind is shown: hidden text is named only if the user asks for it.
    fn shows_all_of(&self, kind: WarningKind) -> bool {
        self.shows_all || kind == WarningKind::HiddenText
    }

    /// The group of a warning, which is made if need be.
    fn group(&mut self, page: &str, warning: &Warning) -> &mut Group {
        let kind = warning.kind;
        let mut pattern = match kind {
            WarningKind::Other => warning.chars().filter(|char| !char.is_ascii_digit()).collect(),
            _ => String::new(),
        };
        let mut summary = if pattern.is_empty() { kind.summary().to_owned() } else { warning.text.clone() };
        let position = |groups: &[Group], pattern: &str| {
            groups.iter().position(|group| group.kind == kind && group.pattern == pattern)
        };
        let mut at = position(&self.groups, &pattern);
        if at.is_none() && self.groups.len() >= MAX_GROUPS {
            pattern.clear();
            kind.summary().clone_into(&mut summary);
            at = position(&self.groups, &pattern);
        }
        let at = at.unwrap_or_else(|| {
            let (first_page, last_page) = (page.to_owned(), page.to_owned());
            self.groups.push(Group { kind, pattern, summary, first_page, last_page, pages: 0, warnings: 0 });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }

    /// Counts a warning about the whole run.
    pub fn add_of_run(&mut self) {
        self.total += 1;
    }

    /// Number of warnings.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// One line for each kind of which some warnings were not shown.
    pub fn closing_lines(&self) -> Vec<String> {
        let is_cut = |group: &&Group| !self.shows_all_of(group.kind) && group.warnings > SHOWN;
        let line = |group: &Group| {
            let pages = if group.pages == 1 { "1 page".to_owned() } else { format!("{} pages", group.pages) };
            format!("{pages}: {} (first: {}); `verbose` shows each", group.summary, group.first_page)
        };
        self.groups.iter().filter(is_cut).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn font(letters: u32) -> Warning {
        Warning::new(WarningKind::MissingFont, format!("{letters} letters are in no installed font"))
    }

    #[test]
    fn a_kind_is_shown_a_few_times_and_counted_then() {
        let mut tally = WarningTally::new(false);
        let shown: Vec<bool> = (0..96).map(|page| tally.add(&format!("{page}.html"), &font(page))).collect();
        assert_eq!(shown.iter().filter(|shown| **shown).count(), 3);
        assert!(shown[0] && shown[2] && !shown[3]);
        assert!(tally.add("0.html", &Warning::new(WarningKind::TooTall, "the page is 9 px tall")));
        assert_eq!(tally.closing_lines(), ["96 pages: letters in no font (first: 0.html); `verbose` shows each"]);
        assert_eq!(tally.total(), 97);
    }

    #[test]
    fn all_are_shown_on_request_and_then_none_is_counted_again() {
        let mut tally = WarningTally::new(true);
        assert!((0..50).all(|page| tally.add(&page.to_string(), &font(1))));
        assert!(tally.closing_lines().is_empty());
    }

    #[test]
    fn hidden_text_is_shown_whole() {
        let mut tally = WarningTally::new(false);
        let hidden = Warning::new(WarningKind::HiddenText, "hidden text (covered): x");
        assert!((0..50).all(|_| tally.add("a.html", &hidden)));
        assert!(tally.closing_lines().is_empty());
    }

    #[test]
    fn warnings_without_a_kind_are_grouped_by_their_words() {
        let mut tally = WarningTally::new(false);
        for page in 0..10 {
            tally.add("a.html", &format!("{page} frames are lost").into());
            tally.add("b.html", &"another problem".into());
        }
        let lines = tally.closing_lines();
        assert!(lines[0].starts_with("1 page: 0 frames are lost (first: a.html)"), "{lines:?}");
        assert!(lines[1].starts_with("1 page: another problem (first: b.html)"), "{lines:?}");
    }

    #[test]
    fn hostile_texts_do_not_fill_the_memory() {
        let mut tally = WarningTally::new(false);
        for number in 0..2_000_u32 {
            let letters: String = (0..11).map(|bit| if number >> bit & 1 == 1 { 'x' } else { 'y' }).collect();
            tally.add(&letters, &letters.as_str().into());
        }
        assert!(tally.groups.len() <= MAX_GROUPS + 1);
        assert!(tally.closing_lines()[0].contains("pages: other warnings"));
    }
}
