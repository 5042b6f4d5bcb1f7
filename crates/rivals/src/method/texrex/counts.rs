//! The counts of texrex in a block's text (groups 2, 4 and 5): kinds of characters, sentences, and
//! strings that look like addresses. The patterns follow the program's; each is a scanner that
//! reads the text once.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Counts of one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub chars: usize,
    /// Number of characters that are white space.
    pub spaces: usize,
    /// Punctuation characters (category P).
    pub punctuation: usize,
    /// Letters (category L), of scripts with and without case.
    pub letters: usize,
    pub upper: usize,
    pub lower: usize,
    pub numeric: usize,
    /// True if the text has a copyright character.
    pub has_copyright: bool,
    /// Sentence ends: `.`, `?` or `!` before white space or the end; the full-width ones of Chinese
    /// and Japanese anywhere, because no space follows them (ours).
    pub sentences: usize,
    /// True if the last character is a punctuation character.
    pub ends_in_punctuation: bool,
    pub emails: usize,
    /// Literal URLs: `scheme://...` and `www....`.
    pub urls: usize,
    /// Hashtags: `#` and letters or digits, a letter among them.
    pub hashtags: usize,
    /// Literal tags, such as a visible `<b>`: wrong markup.
    pub tags: usize,
    /// Years 2000 to 2029 (the program: to 2019), as isolated groups of four digits.
    pub years: usize,
}

impl Counts {
    /// Counts in a text without white space at its ends.
    pub(crate) fn new(text: &str) -> Self {
        let mut counts = Self {
            emails: emails(text),
            urls: urls(text),
            hashtags: hashtags(text),
            tags: tags(text),
            years: years(text),
            ..Self::default()
        };
        let mut may_end = false;
        for c in text.chars() {
            counts.chars += 1;
            counts.sentences += usize::from(may_end && c.is_whitespace());
            may_end = matches!(c, '.' | '?' | '!');
            counts.ends_in_punctuation = false;
            if c.is_whitespace() {
                counts.spaces += 1;
                continue;
            }
            match c.general_category() {
                GeneralCategory::UppercaseLetter => counts.upper += 1,
                GeneralCategory::LowercaseLetter => counts.lower += 1,
                _ => {}
            }
            match c.general_category_group() {
                GeneralCategoryGroup::Letter => counts.letters += 1,
                GeneralCategoryGroup::Number => counts.numeric += 1,
                GeneralCategoryGroup::Punctuation => {
                    counts.punctuation += 1;
                    counts.ends_in_punctuation = true;
                    counts.sentences += usize::from(matches!(c, '。' | '！' | '？'));
                }
                _ => counts.has_copyright |= c == '©',
            }
        }
        counts.sentences += usize::from(may_end);
        counts
    }
}

fn is_address_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// `name@host.top`, the last part of 2 to 8 letters.
fn emails(text: &str) -> usize {
    let is_email = |(at, _): &(usize, &str)| {
        let has_name = text[..*at].chars().next_back().is_some_and(is_address_char);
        let rest = &text[at + 1..];
        let host = &rest[..rest
            .find(|c: char| !is_address_char(c))
            .unwrap_or(rest.len())];
        let has_top = |(dot, _): (usize, &str)| {
            let top = &host[dot + 1..];
            dot > 0
                && top
                    .chars()
                    .take_while(|c| c.is_alphabetic())
                    .take(2)
                    .count()
                    == 2
        };
        has_name && host.match_indices('.').any(has_top)
    };
    text.match_indices('@').filter(is_email).count()
}

fn is_url_char(c: char) -> bool {
    c.is_alphanumeric() || "_/%$&,=?~#.+:;-".contains(c)
}

fn urls(text: &str) -> usize {
    let (mut count, mut from) = (0, 0);
    // The next `://` and `www.`; each is searched again only after it was passed, so that the cost
    // stays linear.
    let next = |what: &str, from: usize| text[from..].find(what).map_or(usize::MAX, |at| at + from);
    let (mut scheme, mut host) = (next("://", 0), next("www.", 0));
    while scheme.min(host) != usize::MAX {
        let is_host = host < scheme;
        let (at, behind) = if is_host {
            (host, host + 4)
        } else {
            (scheme, scheme + 3)
        };
        let before = text[from..at].chars().next_back();
        let begins = if is_host {
            !before.is_some_and(is_url_char)
        } else {
            before.is_some_and(char::is_alphabetic)
        };
        let rest = &text[behind..];
        from = behind;
        if begins && rest.chars().next().is_some_and(is_url_char) {
            count += 1;
            from += rest.find(|c: char| !is_url_char(c)).unwrap_or(rest.len());
        }
        if scheme < from {
            scheme = next("://", from);
        }
        if host < from {
            host = next("www.", from);
        }
    }
    count
}

fn hashtags(text: &str) -> usize {
    let is_tag = |(at, _): &(usize, &str)| {
        let before = text[..*at].chars().next_back();
        let mut word = text[at + 1..].chars().take_while(|c| c.is_alphanumeric());
        !before.is_some_and(is_url_char) && word.any(char::is_alphabetic)
    };
    text.match_indices('#').filter(is_tag).count()
}

fn tags(text: &str) -> usize {
    let (mut count, mut rest) = (0, text);
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '!' | '?' | '/')) {
            let Some(end) = rest.find('>') else { break };
            count += 1;
            rest = &rest[end + 1..];
        }
    }
    count
}

fn years(text: &str) -> usize {
    let digits = text.split(|c: char| !c.is_ascii_digit());
    digits
        .filter(|run| run.len() == 4 && run.starts_with("20") && run.as_bytes()[2] <= b'2')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn kinds_of_characters_are_counted() {
        let counts = Counts::new("Ab c, Äß 12 © 中.");
        let expected = Counts {
            chars: 16,
            spaces: 5,
            punctuation: 2,
            letters: 6,
            upper: 2,
            lower: 3,
            numeric: 2,
            has_copyright: true,
            sentences: 1,
            ends_in_punctuation: true,
            ..Counts::default()
        };
        assert_eq!(counts, expected);
        assert_eq!(Counts::new(""), Counts::default());
    }

    #[test]
    fn sentences_end_before_space() {
        assert_eq!(Counts::new("At 3.5 km? Yes! It is v1.2.").sentences, 3);
        assert_eq!(Counts::new("一个警告。我们来看看！").sentences, 2);
        assert_eq!(Counts::new("No end").sentences, 0);
        assert!(
            !Counts::new("He said: yes").ends_in_punctuation
                && Counts::new("(so)").ends_in_punctuation
        );
    }

    #[test]
    fn strings_that_look_like_addresses_are_counted() {
        let counts = |text| {
            let counts = Counts::new(text);
            [
                counts.emails,
                counts.urls,
                counts.hashtags,
                counts.tags,
                counts.years,
            ]
        };
        assert_eq!(
            counts("Mail a.b@c.example.org or x@y, @z, q@r.s"),
            [1, 0, 0, 0, 0]
        );
        assert_eq!(
            counts("http://www.x.org/a#b?c, www.y.org and ://z www."),
            [0, 2, 0, 0, 0]
        );
        assert_eq!(
            counts("#Gulls and #2b, not #1, C# or a#b ##"),
            [0, 0, 2, 0, 0]
        );
        assert_eq!(counts("a <b>c</b> < d <3 <!-- e --> <br"), [0, 0, 0, 3, 0]);
        assert_eq!(counts("2026-01-02, 1999, 20261, ©2007"), [0, 0, 0, 0, 2]);
    }

    proptest! {
        #[test]
        fn counts_hold_for_any_text(text in "[a-z@.#:/w<>0-9 é。]{0,80}") {
            let counts = Counts::new(&text);
            let parts = counts.spaces + counts.punctuation + counts.letters + counts.numeric;
            prop_assert!(parts <= counts.chars && counts.upper + counts.lower <= counts.letters);
            let things = counts.emails + counts.urls + counts.tags + counts.sentences;
            prop_assert!(things <= 2 * counts.chars);
        }
    }
}
