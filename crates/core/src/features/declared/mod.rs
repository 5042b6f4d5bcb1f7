//! The `declared` group: declarations of a page for programs: the kind of thing it is about, its
//! address, and its text in structured data (schema.org in JSON-LD).
//!
//! Declarations are not trusted by themselves: sites declare related goods, reviews and their own
//! company in the same way as the text of the page. They are therefore features that a model
//! weighs.

mod kind;
mod texts;

use super::block::write_text;
use super::column::{Column, FLAG, Feature, LOG, OURS, SHARE, columns_of, log};
use super::page::PageView;
use super::table::{FeatureGroup, GroupRows, fill_row};
use kind::Declared;
use texts::{DeclaredTexts, Shares};

/// Measurements of a target that its features are computed from.
struct Facts<'p> {
    page: &'p Declared,
    texts: &'p DeclaredTexts,
    /// Shares of the target's own text.
    shares: Shares,
}

type Formula = fn(&Facts<'_>) -> f32;

macro_rules! says {
    ($name:literal, $meaning:literal, $kind:ident) => {
        Feature::new(concat!("declared.", $name), FLAG, $meaning, OURS, |facts| {
            facts.page.says(kind::$kind)
        })
    };
}

const FEATURES: &[Feature<Formula>] = &[
    says!(
        "is_article",
        "the page says that it is an article, a report or a post of a blog",
        ARTICLE
    ),
    says!(
        "is_product",
        "the page says that it is about a product",
        PRODUCT
    ),
    says!("is_recipe", "the page says that it is a recipe", RECIPE),
    says!(
        "is_thread",
        "the page says that it is a thread of a forum, or a question with answers",
        THREAD
    ),
    says!(
        "is_listing",
        "the page says that it is a list, an archive or a collection of others",
        LISTING
    ),
    says!(
        "is_website",
        "the page says that it is a site, and not that it is one thing of it (`og:type`)",
        WEBSITE
    ),
    says!(
        "is_home",
        "the address that the page gives as its own is that of its site, or the class of its body says so",
        HOME
    ),
    says!(
        "of_shop",
        "the page was made by a program for shops (`generator`, or a class of its body)",
        OF_SHOP
    ),
    says!(
        "of_forum",
        "the page was made by a program for forums (`generator`)",
        OF_FORUM
    ),
    says!(
        "of_documents",
        "the page was made by a program for wikis or documentation (`generator`)",
        OF_DOCUMENTS
    ),
    says!(
        "has_address",
        "the page gives its own address (`canonical`, `og:url`)",
        ADDRESS
    ),
    says!(
        "has_slug",
        "the address that the page gives as its own ends with a title in words, or a long number",
        SLUG
    ),
    Feature::new(
        "declared.depth_log",
        LOG,
        "parts of the path of the address that the page gives as its own",
        OURS,
        |facts| log(facts.page.depth),
    ),
    Feature::new(
        "declared.words_log",
        LOG,
        "words of the texts that structured data give of the page",
        OURS,
        |facts| log(facts.texts.words),
    ),
    Feature::new(
        "declared.in_text",
        SHARE,
        "triples of the block's words that are in a text which structured data give of the page, by all of them; 0 without such texts",
        OURS,
        |facts| facts.shares.text,
    ),
    Feature::new(
        "declared.in_review",
        SHARE,
        "the same for the texts of reviews and comments in structured data",
        OURS,
        |facts| facts.shares.review,
    ),
    Feature::new(
        "declared.in_other",
        SHARE,
        "the same for what structured data say of persons, organizations and the site",
        OURS,
        |facts| facts.shares.other,
    ),
    Feature::new(
        "declared.in_description",
        SHARE,
        "the same for the page's description of itself in `<meta>`",
        OURS,
        |facts| facts.shares.description,
    ),
];

const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "declared",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let dom = &view.capture.dom;
    let mut page = Declared::default();
    let mut texts = DeclaredTexts::default();
    page.read(dom, &view.tree, &mut texts);
    let mut text = String::new();
    for (target, row) in view.targets.iter().zip(rows.iter_mut()) {
        let mut shares = Shares::default();
        if !texts.is_empty() {
            text.clear();
            write_text(dom, &target.texts, &view.tree, &mut text);
            shares = texts.shares(&text);
        }
        fill_row!(
            row,
            &Facts {
                page: &page,
                texts: &texts,
                shares
            },
            FEATURES
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::measure;
    use crate::capture::{Capture, DomBuilder, Record};
    use crate::target::{TargetRule, select};

    /// A page with the structured data `json` in its head and one paragraph for each text.
    fn described(json: &str, texts: &[&str]) -> Capture {
        let mut builder = DomBuilder::new();
        builder.open("html", vec![]);
        builder.open("head", vec![]);
        for (name, value) in [
            ("og:type", "product.item"),
            ("og:url", "https://example.org/en/"),
        ] {
            builder.open(
                "meta",
                vec![
                    ("property".into(), name.into()),
                    ("content".into(), value.into()),
                ],
            );
            builder.close();
        }
        builder.open(
            "script",
            vec![("type".into(), "application/ld+json".into())],
        );
        builder.text(json);
        builder.close();
        builder.close();
        builder.open("body", vec![("class".into(), "archive woocommerce".into())]);
        for text in texts {
            builder.open("p", vec![]);
            builder.text(text);
            builder.close();
        }
        Capture::parsed(builder.finish(), Record::parsed("test", None))
    }

    #[test]
    fn what_a_page_says_of_itself_is_measured() {
        let json = r#"{"@graph": [
            {"@type": "Product", "description": "<p>A hat of blue wool.</p> It is warm.",
             "review": [{"@type": "Review", "reviewBody": "I wear it every day of the year."}]},
            {"@type": "Organization", "description": "We make hats since 1900."}]}"#;
        let texts = [
            "A hat of blue wool.",
            "I wear it every day",
            "We make hats",
            "Something else is here",
            "warm",
        ];
        let capture = described(json, &texts);
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let column = |name: &str| table.column(name).unwrap().to_vec();
        assert_eq!(column("declared.in_text"), [1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(column("declared.in_review"), [0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(column("declared.in_other"), [0.0, 0.0, 1.0, 0.0, 0.0]);
        for name in [
            "is_product",
            "is_home",
            "is_listing",
            "of_shop",
            "has_address",
        ] {
            assert_eq!(column(&format!("declared.{name}")), [1.0; 5], "{name}");
        }
        for name in [
            "is_article",
            "is_recipe",
            "is_thread",
            "is_website",
            "of_forum",
            "has_slug",
        ] {
            assert_eq!(column(&format!("declared.{name}")), [0.0; 5], "{name}");
        }
    }

    #[test]
    fn a_page_that_says_nothing_has_zeros() {
        let capture = page("<p>one two three four</p>");
        let targets = select(&capture, TargetRule::Blocks);
        let table = measure(&capture, &targets).unwrap();
        let own = table
            .columns
            .iter()
            .filter(|name| name.starts_with("declared."));
        assert!(
            own.map(|name| table.column(name).unwrap().sum())
                .all(|sum| sum == 0.0)
        );
    }

    #[test]
    fn damaged_and_deep_structured_data_are_passed_over() {
        let deep = "[".repeat(100_000);
        for json in [
            r#"{"@type": "Product", "description": "#,
            deep.as_str(),
            "null",
            "",
        ] {
            let capture = described(json, &["one two three"]);
            let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
            assert_eq!(table.column("declared.in_text").unwrap().to_vec(), [0.0]);
        }
    }

    #[test]
    fn text_without_spaces_is_found_too() {
        let json = r#"{"@type": "Article", "articleBody": "今日は良い天気です。"}"#;
        let capture = described(json, &["良い天気", "悪い天気です"]);
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let found = table.column("declared.in_text").unwrap().to_vec();
        assert!(found[0] == 1.0 && found[1] < 1.0, "{found:?}");
    }
}
