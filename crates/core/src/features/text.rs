//! The `text` group: properties of a block's text in any language. No words of any language are
//! built in.

use super::block::{BlockFacts, LONG_LETTERS, SHORT_LETTERS};
use super::column::{
    Column, FIASCO_LINGUISTIC as FIASCO, FLAG, Feature, LOG, OURS, SHARE, TEXREX, ValueRange,
    columns_of, flag, log,
};
use super::page::PageView;
use super::profile::TextProfile;
use super::table::{FeatureGroup, GroupRows, fill_row};
use super::tree::share;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

type Formula = fn(&BlockFacts) -> f32;

const KOHLSCHUETTER: &str = "Kohlschütter 2010, 3";

const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

/// This group needs only the text.
pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "text",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    for (block, row) in view.blocks.iter().zip(rows.iter_mut()) {
        fill_row!(row, block, FEATURES);
    }
}

fn share_of_characters(profile: &TextProfile, count: u32) -> f32 {
    share(count as f32, profile.characters as f32)
}

fn share_of_tokens(profile: &TextProfile, count: u32) -> f32 {
    share(count as f32, profile.tokens as f32)
}

fn starts_with(block: &BlockFacts, is: fn(char) -> bool) -> f32 {
    flag(block.profile.first.is_some_and(is))
}

fn is_mark(c: char) -> bool {
    let is_any = if c.is_ascii() {
        c.is_ascii_punctuation()
    } else {
        matches!(
            c.general_category_group(),
            GeneralCategoryGroup::Symbol | GeneralCategoryGroup::Punctuation
        )
    };
    is_any
        && !matches!(
            c,
            '"' | '\'' | '“' | '„' | '«' | '‘' | '「' | '(' | '¿' | '¡' | '『' | '《' | '（'
        )
}

/// Tokens per line of 80 letters, as defined by Kohlschütter.
pub(super) fn density(profile: &TextProfile) -> f32 {
    if profile.lines > 1 {
        profile.tokens_in_full_lines as f32 / (profile.lines - 1) as f32
    } else {
        profile.tokens as f32
    }
}

const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "text.characters_log",
        LOG,
        "length of the text in letters; Han and Kana count 2.5, Hangul 2",
        FIASCO,
        |b| log(b.length),
    ),
    Feature::new(
        "text.tokens_log",
        LOG,
        "number of words and numbers",
        FIASCO,
        |b| log(b.profile.tokens as f32),
    ),
    Feature::new(
        "text.types_log",
        LOG,
        "number of different tokens, case aside",
        FIASCO,
        |b| log(b.profile.types.len() as f32),
    ),
    Feature::new(
        "text.type_token_ratio",
        SHARE,
        "different tokens, case aside, by tokens; 0 without tokens",
        FIASCO,
        |b| share_of_tokens(&b.profile, b.profile.types.len() as u32),
    ),
    Feature::new(
        "text.token_length",
        ValueRange::new("letters", 0.0, 20.0),
        "mean length of a token; 0 without tokens",
        "Kohlschütter 2010, 2",
        |b| share(b.profile.token_letters, b.profile.tokens as f32),
    ),
    Feature::new(
        "text.longest_token_log",
        LOG,
        "length of the longest token in letters",
        OURS,
        |b| log(b.profile.longest_token),
    ),
    Feature::new(
        "text.sentences_log",
        LOG,
        "sentences that are ended by a mark of any script",
        FIASCO,
        |b| log(b.profile.closed_sentences as f32),
    ),
    Feature::new(
        "text.sentence_length_log",
        LOG,
        "mean tokens a sentence, the open one at the end included",
        FIASCO,
        |b| {
            let sentences = b.profile.closed_sentences + u32::from(b.profile.has_open_sentence);
            log(share(b.profile.tokens as f32, sentences as f32))
        },
    ),
    Feature::new(
        "text.density",
        ValueRange::new("tokens a line", 0.0, 40.0),
        "tokens a line when wrapped at 80 letters, the last line aside; all tokens of a single line",
        KOHLSCHUETTER,
        |b| density(&b.profile),
    ),
    Feature::new(
        "text.is_short",
        FLAG,
        "under 25 letters",
        "Readability",
        |b| flag(b.length < SHORT_LETTERS),
    ),
    Feature::new(
        "text.is_long",
        FLAG,
        "at least 80 letters, a full line",
        KOHLSCHUETTER,
        |b| flag(b.length >= LONG_LETTERS),
    ),
    Feature::new(
        "text.is_single_token",
        FLAG,
        "one word or none",
        OURS,
        |b| flag(b.profile.tokens <= 1),
    ),
    Feature::new(
        "text.letter_share",
        SHARE,
        "letters and marks by characters",
        TEXREX,
        |b| share_of_characters(&b.profile, b.profile.letters),
    ),
    Feature::new(
        "text.punctuation_share",
        SHARE,
        "punctuation by characters",
        TEXREX,
        |b| share_of_characters(&b.profile, b.profile.punctuation),
    ),
    Feature::new(
        "text.digit_share",
        SHARE,
        "digits and other numbers by characters",
        TEXREX,
        |b| share_of_characters(&b.profile, b.profile.digits),
    ),
    Feature::new(
        "text.symbol_share",
        SHARE,
        "symbols (Unicode S) by characters",
        FIASCO,
        |b| share_of_characters(&b.profile, b.profile.symbols),
    ),
    Feature::new(
        "text.capital_share",
        SHARE,
        "capitals by cased letters; 0 in scripts without case",
        TEXREX,
        |b| share(b.profile.capitals as f32, b.profile.cased as f32),
    ),
    Feature::new(
        "text.is_all_capitals",
        FLAG,
        "four or more cased letters, all capitals",
        OURS,
        |b| flag(b.profile.cased >= 4 && b.profile.capitals == b.profile.cased),
    ),
    Feature::new(
        "text.capitalized_share",
        SHARE,
        "tokens that begin with a capital by tokens that begin with a cased letter",
        "Kohlschütter 2010, 2",
        |b| share(b.profile.capitalized as f32, b.profile.cased_tokens as f32),
    ),
    Feature::new(
        "text.number_share",
        SHARE,
        "tokens of digits only by tokens",
        TEXREX,
        |b| share_of_tokens(&b.profile, b.profile.numbers),
    ),
    Feature::new(
        "text.commas_per_token",
        SHARE,
        "commas of any script by tokens",
        "Readability",
        |b| share_of_tokens(&b.profile, b.profile.commas),
    ),
    Feature::new(
        "text.quotes_per_token",
        SHARE,
        "quotation marks and brackets by tokens",
        OURS,
        |b| share_of_tokens(&b.profile, b.profile.quotes),
    ),
    Feature::new(
        "text.separators_per_token",
        SHARE,
        "pipes, bullets, arrows and dashes between spaces by tokens",
        OURS,
        |b| {
            share(
                b.profile.separators as f32,
                (b.profile.tokens + b.profile.separators) as f32,
            )
        },
    ),
    Feature::new(
        "text.code_share",
        SHARE,
        "braces, semicolons, equals signs and the like by characters",
        OURS,
        |b| share_of_characters(&b.profile, b.profile.code_marks),
    ),
    Feature::new(
        "text.tags_per_token",
        SHARE,
        "words that begin with # or @ by tokens",
        TEXREX,
        |b| share_of_tokens(&b.profile, b.profile.tags),
    ),
    Feature::new(
        "text.ends_sentence",
        FLAG,
        "the last mark ends a sentence in some script, closing quotes aside",
        TEXREX,
        |b| flag(b.profile.ends_sentence),
    ),
    Feature::new("text.ends_colon", FLAG, "ends with a colon", OURS, |b| {
        flag(b.profile.ends_colon)
    }),
    Feature::new(
        "text.ends_ellipsis",
        FLAG,
        "ends with an ellipsis: a text cut short",
        OURS,
        |b| flag(b.profile.ends_ellipsis),
    ),
    Feature::new(
        "text.has_question",
        FLAG,
        "holds a question mark of any script",
        OURS,
        |b| flag(b.profile.questions > 0),
    ),
    Feature::new(
        "text.starts_capital",
        FLAG,
        "begins with a capital",
        "Kohlschütter 2010, 2",
        |b| starts_with(b, char::is_uppercase),
    ),
    Feature::new(
        "text.starts_lower",
        FLAG,
        "begins with a small letter",
        OURS,
        |b| starts_with(b, char::is_lowercase),
    ),
    Feature::new(
        "text.starts_digit",
        FLAG,
        "begins with a digit or other number",
        OURS,
        |b| starts_with(b, char::is_numeric),
    ),
    Feature::new(
        "text.starts_mark",
        FLAG,
        "begins with a bullet, arrow, dash or other mark that opens no quotation",
        OURS,
        |b| starts_with(b, is_mark),
    ),
    Feature::new(
        "text.has_url",
        FLAG,
        "holds an address of the web in plain sight",
        TEXREX,
        |b| flag(b.profile.has_url),
    ),
    Feature::new(
        "text.has_email",
        FLAG,
        "holds an e-mail address",
        TEXREX,
        |b| flag(b.profile.has_email),
    ),
    Feature::new(
        "text.has_copyright",
        FLAG,
        "holds a copyright or trade mark sign",
        TEXREX,
        |b| flag(b.profile.has_copyright),
    ),
    Feature::new(
        "text.has_currency",
        FLAG,
        "holds a currency sign",
        OURS,
        |b| flag(b.profile.has_currency),
    ),
    Feature::new(
        "text.has_date",
        FLAG,
        "holds digit groups like a date, or a year from 1900 to 2099",
        "Kohlschütter 2010, 2",
        |b| flag(b.profile.has_date),
    ),
    Feature::new(
        "text.has_time",
        FLAG,
        "holds digit groups like a time of day",
        OURS,
        |b| flag(b.profile.has_time),
    ),
    Feature::new(
        "text.has_phone",
        FLAG,
        "holds seven or more digits parted like a telephone number",
        OURS,
        |b| flag(b.profile.has_phone),
    ),
    Feature::new(
        "text.east_asian_share",
        SHARE,
        "Han, Kana and Hangul by characters",
        OURS,
        |b| share_of_characters(&b.profile, b.profile.east_asian),
    ),
];

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::measure;
    use crate::target::{TargetRule, select};

    #[test]
    fn a_paragraph_and_a_menu_differ() {
        let capture = page(
            "<div>Home | News | About</div><p>This is a sentence of ten words, more or less. And, here, another one that goes on for a while.",
        );
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let value = |name: &str, row: usize| table.rows[[row, table.column_index(name).unwrap()]];
        assert_eq!(value("text.ends_sentence", 0), 0.0);
        assert_eq!(value("text.ends_sentence", 1), 1.0);
        assert_eq!(value("text.separators_per_token", 0), 2.0 / 5.0);
        assert_eq!(value("text.capitalized_share", 0), 1.0);
        assert!(value("text.density", 1) > value("text.density", 0));
        assert_eq!(value("text.sentences_log", 1), 3f32.ln());
        assert_eq!(value("text.is_short", 0), 1.0);
    }
}
