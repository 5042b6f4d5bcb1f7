//! Labels survive a round trip through each format.

use super::passage::{LabelledPage, covered, passages};
use super::{json_lines, label_studio};
use crate::annotate::history::{Action, Change, History, Labelled, Origin};
use crate::annotate::label::{BlockLabel, Mark};
use crate::annotate::prepared::PreparedPage;
use proptest::prelude::*;
use std::sync::OnceLock;
use vclean_core::page::{Page, parse};
use vclean_core::pipeline::{Options, PageCleaner};

fn cleaner() -> &'static PageCleaner {
    static CLEANER: OnceLock<PageCleaner> = OnceLock::new();
    CLEANER.get_or_init(|| PageCleaner::new(&Options::default()).unwrap())
}

fn labelled(html: &str, labels: &[(BlockLabel, Mark)]) -> (PreparedPage, History) {
    let page =
        PreparedPage::new(parse(&Page::from_html("page", html)).unwrap(), cleaner()).unwrap();
    let start = |_| Labelled {
        label: BlockLabel::Unsure,
        mark: Mark::Paragraph,
        by: Origin::Model,
    };
    let mut history = History::new(page.blocks.iter().map(start).collect());
    let changes = labels.iter().cycle().zip(0..page.blocks.len());
    let changes = changes.map(|(&(label, mark), block)| Change {
        block,
        label: Some(label),
        mark: Some(mark),
    });
    history
        .apply(&Action::Set {
            changes: changes.collect(),
        })
        .unwrap();
    (page, history)
}

/// The labels and marks that blocks get from the passages of a page.
fn read_back(page: &PreparedPage, read: &LabelledPage) -> Vec<Option<(BlockLabel, Option<Mark>)>> {
    let mut labels = vec![None; page.blocks.len()];
    for passage in &read.passages {
        for block in covered(page, passage) {
            labels[block] = Some((passage.label, passage.mark));
        }
    }
    labels
}

fn html() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        "[a-z]{1,8}( [a-z]{1,8}){0,5}",
        Just("<b>bold</b> and 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 🐟".to_owned()),
        Just("same text".to_owned()),
        Just("one<br>two".to_owned()),
        Just("x <!-- no text --> y &amp; &lt;script&gt;".to_owned()),
    ];
    let leaf = (prop_oneof!["p", "h2", "li", "td", "div"], text)
        .prop_map(|(tag, text)| format!("<{tag}>{text}</{tag}>"));
    leaf.prop_recursive(4, 24, 4, |inner| {
        (
            prop_oneof!["div", "section", "ul", "table"],
            proptest::collection::vec(inner, 1..4),
        )
            .prop_map(|(tag, inner)| format!("<{tag}>{}loose</{tag}>", inner.concat()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn both_formats_keep_every_label(
        html in html(),
        labels in proptest::collection::vec((0usize..4, 0usize..3), 1..12),
        marks in any::<bool>(),
    ) {
        let labels: Vec<(BlockLabel, Mark)> =
            labels.into_iter().map(|(label, mark)| (BlockLabel::ALL[label], Mark::ALL[mark])).collect();
        let (page, history) = labelled(&html, &labels);
        let written = LabelledPage {
            id: "a\"b".to_owned(),
            url: Some("https://example.org/?a=1".to_owned()),
            annotator: "Zoë".to_owned(),
            html: None,
            passages: passages(&page, &history, marks),
        };
        let pages = std::slice::from_ref(&written);
        if !written.passages.is_empty() {
            prop_assert_eq!(&json_lines::read(&json_lines::write(pages)).unwrap()[0], &written);
        }
        let studio = label_studio::read(&label_studio::write(pages, |_, point| point.offset)).unwrap();
        prop_assert_eq!(&studio[0], &written);
        let wanted: Vec<_> =
            history.blocks().iter().map(|block| Some((block.label, marks.then_some(block.mark)))).collect();
        prop_assert_eq!(read_back(&page, &studio[0]), wanted);
    }
}

#[test]
fn regions_of_label_studio_cover_all_blocks_between_their_ends() {
    let html =
        "<div><h1>Title</h1><p>One <b>two</b> three</p><p>Four</p></div><footer>End</footer>";
    let (page, _) = labelled(html, &[(BlockLabel::Unsure, Mark::Paragraph)]);
    let region = |start: &str, end: &str, offsets: [usize; 2], text: &str| {
        let value = serde_json::json!({
            "start": start, "end": end, "startOffset": offsets[0], "endOffset": offsets[1], "text": text,
            "hypertextlabels": ["Content"], "globalOffsets": {"start": 1, "end": 2},
        });
        let task = serde_json::json!([{ "id": 7, "data": {"url": "https://example.org"}, "annotations": [
            {"result": [], "was_cancelled": true}, {"completed_by": 1, "result": [{"value": value, "origin": "manual"}]},
        ]}]);
        let pages = label_studio::read(&task.to_string()).unwrap();
        assert_eq!(
            (pages[0].id.as_str(), pages[0].passages.len()),
            ("https://example.org", 1)
        );
        covered(&page, &pages[0].passages[0])
    };
    assert_eq!(
        region(
            "/div[1]/h1[1]/text()[1]",
            "/div[1]/p[1]/text()[2]",
            [0, 6],
            ""
        ),
        [0, 1]
    );
    assert_eq!(
        region(
            "/div[1]/h1[1]/text()[1]",
            "/div[1]/p[2]/text()[1]",
            [5, 4],
            ""
        ),
        [1, 2]
    );
    assert_eq!(
        region(
            "/div[1]/p[1]/text()[2]",
            "/div[1]/p[2]/text()[1]",
            [1, 0],
            ""
        ),
        [1]
    );
    // Places that are not on the page: the text decides.
    assert_eq!(
        region("/div[9]/text()[1]", "/div[9]/text()[1]", [0, 3], "End"),
        [3]
    );
    assert_eq!(
        region("/div[9]/text()[1]", "/div[9]/text()[1]", [0, 3], "Nowhere"),
        Vec::<usize>::new()
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let label = r#"[{"data": {"id": "a"}, "annotations": [{"result": [{"value":
        {"start": "/p[1]", "end": "/p[1]", "startOffset": 0, "endOffset": 0, "labels": ["Heading 1"]}}]}]}]"#;
    let error = label_studio::read(label).unwrap_err();
    assert!(
        error.contains("Heading 1") && error.contains("boilerplate"),
        "{error}"
    );
    assert!(
        label_studio::read(r#"[{"data": {}}]"#)
            .unwrap_err()
            .contains("task 1")
    );
    assert!(json_lines::read("\n{}").unwrap_err().contains("line 2"));
}
