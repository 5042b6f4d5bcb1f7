//! The published systems with which vclean is compared, with the same interface as our own method.
//!
//! Each takes an [`Input`](vclean_core::pipeline::Input) (the capture and the page's source) and
//! returns the document that `clean` makes of its decisions. To add a method, add a file and a line
//! in [`METHODS`]; one that learns also needs a line in `train`. Shared by several methods:
//! [`block`] splits a page into text blocks, [`passage`] turns decisions into a document, and
//! [`model_file`] reads and writes models.

pub(crate) mod block;
mod boilerpipe;
pub(crate) mod density_lm;
mod dump;
pub mod fiasco;
pub(crate) mod ice;
mod justext;
pub(crate) mod model_file;
pub(crate) mod passage;
pub(crate) mod smoothing;
pub(crate) mod stop_words;
pub(crate) mod texrex;

use vclean_core::pipeline::{Method, OURS};

/// All published methods, in the order of tables.
pub const METHODS: &[Method] = &[
    dump::METHOD,
    fiasco::METHOD,
    density_lm::METHOD,
    ice::BASELINE,
    ice::HEURISTICS,
    ice::ELABORATE,
    ice::TREE,
    ice::LANGUAGE_MODEL,
    ice::GENETIC,
    texrex::METHOD,
    boilerpipe::ARTICLE,
    boilerpipe::DEFAULT,
    boilerpipe::CANOLA,
    boilerpipe::EVERYTHING,
    boilerpipe::TREE,
    justext::METHOD,
];

/// All methods, ours first.
pub fn methods() -> impl Iterator<Item = &'static Method> + Clone {
    std::iter::once(&OURS).chain(METHODS)
}

/// The method of that name, ours or a published one.
pub fn find(name: &str) -> Option<&'static Method> {
    methods().find(|method| method.name == name)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use vclean_core::emit::{EmitOptions, FORMATS};
    use vclean_core::page::{Body, Page, parse};
    use vclean_core::pipeline::{CleanPage, Input, MethodSettings};

    /// Text that a prepared method gives for a page.
    pub(crate) fn text_of(method: &dyn CleanPage, html: &str) -> String {
        let body = Body::html(html);
        let capture = parse(&Page::new("test", body)).unwrap();
        let cleaned = method.clean(&Input::new(&capture, Some(html))).unwrap();
        assert_eq!(cleaned.targets.len(), cleaned.decisions().len());
        (FORMATS[0].write)(&cleaned.document, &EmitOptions::default())
    }

    /// Text that the method of this name gives, with parameters such as `threshold=0.5`.
    pub(crate) fn clean_with(method: &str, parameters: &[&str], html: &str) -> String {
        let settings = MethodSettings::parse(None, parameters).unwrap();
        text_of(&*find(method).unwrap().ready(&settings).unwrap(), html)
    }

    #[test]
    fn every_method_is_described_and_named_once() {
        for (index, method) in METHODS.iter().enumerate() {
            assert!(
                !method.about.is_empty() && !method.source.is_empty() && method.year > 2000,
                "{}",
                method.name
            );
            assert!(
                METHODS[..index]
                    .iter()
                    .all(|other| other.name != method.name),
                "{}",
                method.name
            );
            for parameter in method.parameters {
                let named = format!("{}={}", parameter.name, parameter.default);
                assert!(
                    method
                        .ready(&MethodSettings::parse(None, &[&named]).unwrap())
                        .is_ok(),
                    "{} {named}",
                    method.name
                );
            }
        }
    }

    #[test]
    fn every_method_is_deterministic_and_never_panics() {
        let deep = format!("{}deep{}", "<div>".repeat(3_000), "</div>".repeat(3_000));
        let pages = [
            "",
            " ",
            "<",
            "\u{0}",
            "<p>a",
            "text <<>> & &amp; <a",
            "<body></body>",
            "<table><tr><td>x",
            &deep,
        ];
        for method in METHODS {
            let ready = method.ready(&MethodSettings::default()).unwrap();
            for page in pages {
                let once = text_of(&*ready, page);
                assert_eq!(once, text_of(&*ready, page), "{} {page:.40}", method.name);
            }
        }
    }

    #[test]
    fn every_method_keeps_the_text_of_an_article() {
        let paragraphs = [
            "The herring gull drops mussels on the rocks, and from what height it does so depends on how hard the shell of \
             the mussel is, as the keepers of the island have often seen with their own eyes. Young birds try it over sand.",
            "In winter, when the sea is rough, the birds leave the coast and look for food on the fields behind the dunes. \
             They follow the plow in long white lines, and the farmers, who know what worms do for the soil, are not amused.",
            "Nobody knows how old a gull can become, but one that was ringed as a chick in the year of the great flood was \
             found again on the same pier thirty-two years later. It had a mate, two eggs, and a very bad temper.",
            "The nests are built of grass and seaweed, a little above the line that the highest tides reach. Both parents \
             sit on the eggs, and both will strike anyone who comes near, keepers and foxes and visitors alike.",
        ];
        let html = format!(
            "<html><head><title>The herring gull</title></head>\n<body>\n<h1>The herring gull</h1>\n{}<p>Imprint</p></body></html>",
            paragraphs.map(|text| format!("<p>{text}</p>\n")).concat()
        );
        for method in METHODS {
            let text = text_of(&*method.ready(&MethodSettings::default()).unwrap(), &html);
            assert!(
                text.contains("drops mussels on the rocks"),
                "{}: {text}",
                method.name
            );
        }
    }

    #[test]
    fn an_unknown_parameter_is_named() {
        let dump = find("dump").unwrap();
        let error = |settings: &MethodSettings| dump.ready(settings).err().unwrap().to_string();
        let unknown = MethodSettings::parse(None, &["depth=3"]).unwrap();
        assert_eq!(
            error(&unknown),
            "method dump has no parameter depth; it has none"
        );
        let model = MethodSettings {
            model: Some("x".into()),
            ..MethodSettings::default()
        };
        assert_eq!(
            error(&model),
            "method dump learns nothing and takes no model"
        );
    }
}
