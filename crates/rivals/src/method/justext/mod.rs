//! jusText: a paragraph is good if it is long and has many stop words and few links; the class of
//! short and uncertain ones depends on their neighbors (Pomikálek 2011, the algorithm jusText; the
//! maintained package jusText 3 for details that the thesis does not give).
//!
//! [`paragraphs`] splits and measures, [`revise`] gives each paragraph its class: first by its own
//! features (context-free), then by its neighbors (context-sensitive).
//!
//! Stop words are looked up in the list of the page's language. If there is no list that is long
//! enough, the density of stop words is not used: the package's language-independent mode. It is
//! not used for paragraphs in scripts without spaces between words (Chinese, Japanese, Thai)
//! either, whatever the page's language: the package would find one word there and drop them all.

mod paragraphs;
mod revise;

use self::revise::{Class, Limits};
use super::passage::{self, Passage, kind_of};
use super::stop_words::stop_words;
use vclean_core::error::{Error, ModelError};
use vclean_core::language::detect::stated_language;
use vclean_core::language::page_language;
use vclean_core::pipeline::{
    Allowed, CleanPage, CleanedPage, Input, Method, MethodSettings, Parameter, Sees,
};

const MAX_LINK_DENSITY: Parameter = Parameter {
    name: "max_link_density",
    default: "0.2",
    allowed: Allowed::Number(0.0, 1.0),
    about: "characters in links by characters above which a paragraph is bad (the package's value)",
};

const LENGTH_LOW: Parameter = Parameter {
    name: "length_low",
    default: "70",
    allowed: Allowed::Whole(0, 1_000_000),
    about: "letters below which a paragraph is short (the package's value)",
};

const LENGTH_HIGH: Parameter = Parameter {
    name: "length_high",
    default: "200",
    allowed: Allowed::Whole(0, 1_000_000),
    about: "letters above which a paragraph with enough stop words is good (the package's value)",
};

const STOPWORDS_LOW: Parameter = Parameter {
    name: "stopwords_low",
    default: "0.30",
    allowed: Allowed::Number(0.0, 1.0),
    about: "stop words by words from which a paragraph is nearly good (the package's value)",
};

const STOPWORDS_HIGH: Parameter = Parameter {
    name: "stopwords_high",
    default: "0.32",
    allowed: Allowed::Number(0.0, 1.0),
    about: "stop words by words from which a long paragraph is good (the package's value)",
};

const NO_HEADINGS: Parameter = Parameter {
    name: "no_headings",
    default: "0",
    allowed: Allowed::Whole(0, 1),
    about: "1 to give headings no special treatment (the package's value is 0)",
};

const MAX_HEADING_DISTANCE: Parameter = Parameter {
    name: "max_heading_distance",
    default: "200",
    allowed: Allowed::Whole(0, 1_000_000),
    about: "letters between a heading and the next good paragraph up to which it is kept (the package's value)",
};

const LANGUAGE: Parameter = Parameter {
    name: "language",
    default: "auto",
    allowed: Allowed::Word(
        |word| matches!(word, "auto" | "none") || stop_words(word).is_some(),
        "auto (told from the text), the ISO 639-1 code of a language with a stop list, or none",
    ),
    about: "whose stop words are counted; none asks for no stop words",
};

/// Languages whose lists are long enough for the limits. Other languages are detected, but their
/// stop words are not counted unless the user names the language.
///
/// Chosen on train: these lists find a density of 0.32 in 1.00 (de, pt), 0.95 (en), 0.93 (it), 0.92
/// (es) and 0.79 (fr, some of it in other languages) of the gold paragraphs of more than 200
/// characters (styled, wcxb and scrapinghub; daniel for Polish and Russian). They find it in 0.50
/// (pl), 0.41 (ru), 0.09 (tr), 0.08 (ar) and 0.00 (ko), so running text would be lost. The
/// package's own lists are longer for inflected languages (Russian 4,754 words, here 559) and find
/// it in 0.70 to 0.97 of these paragraphs.
const FULL_LISTS: &[&str] = &["de", "en", "es", "fr", "it", "pt"];

pub(super) const METHOD: Method = Method {
    name: "justext",
    about: "length, links and stop words of paragraphs; short ones go with their neighbors",
    source: "Pomikálek 2011; the package jusText 3",
    year: 2011,
    sees: Sees::Source,
    parameters: &[
        MAX_LINK_DENSITY,
        LENGTH_LOW,
        LENGTH_HIGH,
        STOPWORDS_LOW,
        STOPWORDS_HIGH,
        NO_HEADINGS,
        MAX_HEADING_DISTANCE,
        LANGUAGE,
    ],
    learns: false,
    make: |settings| -> Result<Box<dyn CleanPage>, ModelError> {
        Ok(Box::new(JusText::new(settings)))
    },
};

struct JusText {
    limits: Limits,
    language: String,
    has_headings: bool,
}

impl JusText {
    fn new(settings: &MethodSettings) -> Self {
        let limits = Limits {
            max_link_density: settings.number(&MAX_LINK_DENSITY),
            length_low: settings.number(&LENGTH_LOW),
            length_high: settings.number(&LENGTH_HIGH),
            stopwords_low: settings.number(&STOPWORDS_LOW),
            stopwords_high: settings.number(&STOPWORDS_HIGH),
            max_heading_distance: settings.number(&MAX_HEADING_DISTANCE),
        };
        let language = settings.word(&LANGUAGE).to_owned();
        Self {
            limits,
            language,
            has_headings: settings.number(&NO_HEADINGS) == 0.0,
        }
    }
}

impl CleanPage for JusText {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let dom = &input.capture.dom;
        let blocks = paragraphs::cut(dom);
        let words = match &*self.language {
            "auto" => page_language(stated_language(dom), &paragraphs::sample(&blocks))
                .filter(|language| FULL_LISTS.contains(&&**language))
                .and_then(|language| stop_words(&language)),
            language => stop_words(language),
        };
        let limits = match words {
            Some(_) => self.limits,
            None => Limits {
                stopwords_low: 0.0,
                stopwords_high: 0.0,
                ..self.limits
            },
        };
        let mut measured = paragraphs::measure(dom, &blocks, words);
        if !self.has_headings {
            for paragraph in &mut measured {
                paragraph.is_heading = false;
            }
        }
        let classes = revise::classify(&measured, &limits);
        let passage = |(block, class): (super::block::TextBlock, Class)| Passage {
            kind: kind_of(dom, block.container),
            place: Some(block.target()),
            text: block.text,
            is_content: class == Class::Good,
            margin: 0.0,
        };
        Ok(passage::document(
            input.capture,
            blocks.into_iter().zip(classes).map(passage).collect(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::clean_with;

    const LONG: &str = "The gulls of the island come back in the spring, and they are to be seen at all of the harbors until \
                        the end of the year, when most of them leave for the south with what they have, and then the \
                        harbors are as still as they were before.";

    #[test]
    fn good_text_is_kept_and_lists_of_links_are_not() {
        let html = format!(
            "<ul><li><a href=/>Home</a><li><a href=/b>Books on gulls and other birds of the northern sea</a></ul>\
             <h1>Gulls</h1><p>{LONG}</p><p>Short.</p><p>{LONG}</p><p>© 2011 of this and of that: {LONG}</p>"
        );
        let text = clean_with("justext", &[], &html);
        assert_eq!(text, format!("Gulls\n{LONG}\nShort.\n{LONG}\n"));
        assert_eq!(
            clean_with("justext", &["no_headings=1"], &html),
            format!("{LONG}\nShort.\n{LONG}\n")
        );
        assert_eq!(
            clean_with("justext", &["length_high=1000"], &html),
            "",
            "nothing is better than nearly good"
        );
        assert_eq!(
            clean_with("justext", &["stopwords_high=1", "stopwords_low=1"], &html),
            ""
        );
    }

    #[test]
    fn a_language_without_a_list_needs_no_stop_words() {
        let long = "gull mussel ".repeat(20);
        let html = format!("<html lang=tlh><p>{long}</p>");
        for (language, is_kept) in [("auto", true), ("none", true), ("en", false)] {
            let text = clean_with("justext", &[&format!("language={language}")], &html);
            assert_eq!(!text.is_empty(), is_kept, "{language}: {text}");
        }
        let chinese = format!(
            "<p>{}</p>",
            "海鸥把贻贝从高处扔到岩石上，看壳有多硬，再决定飞多高。".repeat(4)
        );
        for language in ["language=auto", "language=zh", "language=en"] {
            assert!(
                !clean_with("justext", &[language], &chinese).is_empty(),
                "{language}"
            );
        }
    }

    #[test]
    fn a_short_list_is_used_if_the_language_is_named() {
        // Two of the twenty words are in the list.
        let russian = "Серебристая чайка бросает мидии на камни, и высота броска зависит от твёрдости раковины мидии, \
                       которую она держит, говорят смотрители маяка северного острова, давно наблюдающие птиц, \
                       прилетающих весной кормить птенцов.";
        let html = format!("<p>{russian}</p>");
        assert_eq!(clean_with("justext", &[], &html), format!("{russian}\n"));
        assert_eq!(clean_with("justext", &["language=ru"], &html), "");
    }
}
