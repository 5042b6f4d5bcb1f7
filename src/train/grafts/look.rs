//! How the comment section of a page looks: its markup, and which of the usual parts it has.

use super::chance::Chance;
use super::language::Phrases;
use super::languages::phrases;
use super::markup::Markup;
use super::reader::DateForm;
use super::systems::draw_markup;

/// How often a comment goes on with another sentence: usually, and in sections of long comments.
const GOES_ON: f64 = 0.45;
const GOES_ON_LONG: f64 = 0.78;

/// How a comment section looks.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) phrases: &'static Phrases,
    pub(super) markup: Markup,
    /// Element of the heading; empty if there is none.
    pub(super) title: &'static str,
    /// Links under each comment.
    pub(super) actions: Vec<&'static str>,
    /// Between author and date.
    pub(super) says: Option<&'static str>,
    pub(super) dates: DateForm,
    /// Probability that a comment goes on with another sentence.
    pub(super) goes_on: f64,
    /// Whether there are counts of votes, pictures of authors, comments of several paragraphs, answers below comments.
    pub(super) has_votes: bool,
    pub(super) has_avatars: bool,
    pub(super) has_paragraphs: bool,
    pub(super) has_answers: bool,
    /// Whether author and date follow the comment.
    pub(super) author_follows: bool,
    /// Whether numbers of answers are given, such as `5 replies`.
    pub(super) counts_answers: bool,
}

impl Look {
    /// Draws the look of a section in the language `lang`.
    pub(super) fn draw(lang: &str, chance: &mut Chance) -> Self {
        let phrases = phrases(lang);
        let markup = draw_markup(chance);
        let count = chance.pick(&[0, 0, 1, 1, 2, 3]);
        Self {
            phrases,
            markup,
            title: chance.pick(&["h2", "h3", "h4", "div", "p", ""]),
            actions: (0..count).map(|_| chance.pick(phrases.actions)).collect(),
            says: chance.happens(0.3).then(|| chance.pick(phrases.says)),
            dates: DateForm::draw(chance),
            goes_on: if chance.happens(0.3) { GOES_ON_LONG } else { GOES_ON },
            has_votes: chance.happens(0.3),
            has_avatars: chance.happens(0.4),
            has_paragraphs: chance.happens(0.4),
            has_answers: chance.happens(0.35),
            author_follows: chance.happens(0.25),
            counts_answers: chance.happens(0.3),
        }
    }
}
