//! JSON: everything about a page, for programs. The order of the keys is fixed; the version changes
//! when a key changes.

use super::format::{EmitOptions, content};
use super::place::Place;
use super::text;
use crate::classify::{LikelyKind, LikelyState};
use crate::document::{
    Callout, Document, HiddenPassage, Metadata, Post, PostRole, Segment, SegmentKind, Span,
    TargetReport, TextPosition, TextPositions, Within,
};
use serde::Serialize;

/// Version of the JSON format.
const VERSION: u32 = 2;

#[derive(Serialize)]
struct JsonDocument<'a> {
    version: u32,
    metadata: &'a Metadata,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_kind: Option<LikelyKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_state: Option<&'a LikelyState>,
    expected_f: f32,
    text: String,
    segments: Vec<SegmentOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    posts: Option<Vec<PostOut<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comments: Option<Vec<PostOut<'a>>>,
    targets: &'a [TargetReport],
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<&'a [HiddenPassage]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubted_blocks: Option<usize>,
}

#[derive(Serialize)]
struct SegmentOut<'a> {
    #[serde(flatten)]
    kind: &'a SegmentKind,
    #[serde(flatten)]
    within: Within,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callout: Option<Callout>,
    text: String,
    spans: SpansOut<'a>,
    target: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Place<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum SpansOut<'a> {
    Alone(&'a [Span]),
    Located(Vec<SpanOut<'a>>),
}

/// A span with its positions on the page.
#[derive(Serialize)]
struct SpanOut<'a> {
    #[serde(flatten)]
    span: &'a Span,
    positions: Vec<&'a TextPosition>,
}

/// A post of a thread, or a reader's comment.
#[derive(Serialize)]
struct PostOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<PostRole>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<bool>,
    author: Option<&'a str>,
    date: Option<&'a str>,
    url: Option<&'a str>,
    parent: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    votes: Option<i64>,
    text: String,
    segments: Vec<SegmentOut<'a>>,
}

/// Prepares posts for output. Their texts are in `all`; comments have no roles.
fn posts_out<'a>(
    posts: &'a [Post],
    all: &'a [Segment],
    has_roles: bool,
    positions: Option<&'a TextPositions>,
) -> Vec<PostOut<'a>> {
    let one = |post: &'a Post| {
        let segments = all.get(post.segments.clone()).unwrap_or_default();
        PostOut {
            role: has_roles.then_some(post.role),
            accepted: post.is_accepted.then_some(true),
            author: post.author.as_deref(),
            date: post.date.as_deref(),
            url: post.url.as_deref(),
            parent: post.parent,
            votes: post.votes,
            text: segments
                .iter()
                .map(Segment::text)
                .collect::<Vec<_>>()
                .join("\n"),
            segments: segments_out(segments, positions),
        }
    };
    posts.iter().map(one).collect()
}

/// Writes everything except the pruned tree. Infinite numbers and NaN become `null`.
pub(super) fn write(document: &Document, options: &EmitOptions) -> String {
    let segments = content(document, options);
    let positions = document.positions.as_ref().filter(|_| options.positions);
    let whole = JsonDocument {
        version: VERSION,
        metadata: &document.metadata,
        page_kind: document.kind,
        page_state: document.state.as_ref(),
        expected_f: document.expected_f(),
        text: text::write(document, options),
        segments: segments_out(&segments, positions),
        posts: (!document.posts.is_empty())
            .then(|| posts_out(&document.posts, &document.segments, true, positions)),
        comments: document
            .comments
            .as_ref()
            .map(|part| posts_out(&part.records, &part.segments, false, positions)),
        targets: &document.targets,
        hidden: options.hidden.then_some(&document.hidden),
        doubted_blocks: Some(document.doubted_blocks).filter(|&blocks| blocks > 0),
    };
    let mut out = serde_json::to_string_pretty(&whole)
        .expect("all keys are strings and nothing fails to serialize");
    out.push('\n');
    out
}

fn segments_out<'a>(
    segments: &'a [Segment],
    positions: Option<&'a TextPositions>,
) -> Vec<SegmentOut<'a>> {
    let out = |segment: &'a Segment| SegmentOut {
        kind: &segment.kind,
        within: segment.within,
        note: segment.note,
        callout: segment.callout,
        text: segment.text(),
        spans: match positions {
            None => SpansOut::Alone(&segment.spans),
            Some(positions) => {
                let located = |span: &'a Span| SpanOut {
                    span,
                    positions: positions.all(&span.nodes).collect(),
                };
                SpansOut::Located(segment.spans.iter().map(located).collect())
            }
        },
        target: segment.target,
        position: positions.and_then(|positions| segment_place(segment, positions)),
    };
    segments.iter().map(out).collect()
}

/// The place of a segment; `None` if none of its nodes has a known position.
fn segment_place<'a>(segment: &Segment, positions: &'a TextPositions) -> Option<Place<'a>> {
    let nodes = segment.spans.iter().flat_map(|span| &span.nodes);
    Place::find(nodes.copied(), positions)
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;
    use crate::classify::{Decision, Label};
    use serde_json::Value;

    #[test]
    fn everything_is_written_in_order() {
        let mut document = sample();
        document.segments.truncate(1);
        insta::assert_snapshot!(write(&document, &EmitOptions::default()), @r###"
{
  "version": 2,
  "metadata": {
    "title": "Tea & <coffee>",
    "author": null,
    "date": null,
    "language": "en",
    "site": null,
    "url": null,
    "description": null,
    "modified": null,
    "image": null,
    "license": null,
    "next": null,
    "tags": [],
    "categories": [],
    "sources": {}
  },
  "expected_f": 0.93333334,
  "text": "Tea & <coffee>\n",
  "segments": [
    {
      "kind": "heading",
      "level": 1,
      "text": "Tea & <coffee>",
      "spans": [
        {
          "text": "Tea & <coffee>",
          "link": null,
          "is_code": false,
          "is_strong": false,
          "is_emphasis": false
        }
      ],
      "target": 0
    }
  ],
  "targets": [
    {
      "margin": 1.5,
      "probability": 0.875,
      "label": "content",
      "rect": {
        "x": 1.0,
        "y": 2.0,
        "width": 3.0,
        "height": 4.5
      },
      "path": "html/body/h1",
      "text": "Tea & <coffee>",
      "reasons": [
        {
          "feature": "structural.depth",
          "value": 3.0,
          "weight": 0.25
        }
      ]
    }
  ]
}
"###);
    }

    /// A document that keeps all text of a page, with the positions of the text.
    fn located(html: &str) -> Document {
        let capture = crate::capture::Capture::parsed(
            crate::html::parse_html(html),
            crate::capture::Record::parsed("x", None),
        );
        let targets = crate::target::select(&capture, crate::target::TargetRule::Blocks);
        let kept = Decision {
            margin: 1.0,
            probability: 1.0,
            label: Label::Content,
            comments: None,
        };
        let mut document =
            crate::document::prune(&capture, &targets, &vec![kept; targets.len()], Vec::new());
        document.locate(&capture, &targets);
        document
    }

    /// Asserts that `schema` describes every key of `value`; `root` holds the definitions it refers
    /// to.
    fn assert_described(value: &Value, schema: &Value, root: &Value) {
        let reference = schema["$ref"]
            .as_str()
            .or(schema["anyOf"][0]["$ref"].as_str());
        let schema = match reference.and_then(|reference| reference.strip_prefix('#')) {
            Some(pointer) => root.pointer(pointer).unwrap(),
            None => schema,
        };
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    let own = schema["properties"]
                        .get(key)
                        .or(schema.get("additionalProperties"));
                    let own = own
                        .filter(|own| own.is_object())
                        .unwrap_or_else(|| panic!("the schema does not describe {key}"));
                    assert_described(member, own, root);
                }
                for required in schema["required"].as_array().into_iter().flatten() {
                    assert!(
                        members.contains_key(required.as_str().unwrap()),
                        "{required} is missing in {members:?}"
                    );
                }
            }
            Value::Array(items) => items
                .iter()
                .for_each(|item| assert_described(item, &schema["items"], root)),
            _ => {}
        }
    }

    /// The script scripts/test-formats also checks the values.
    #[test]
    fn the_published_schema_describes_every_key() {
        let schema: Value = serde_json::from_str(include_str!(
            "../../../../docs/reference/document.schema.json"
        ))
        .unwrap();
        let mut document = sample();
        document.segments[1].spans[0].formula = Some(crate::document::FormulaStyle::Inline);
        document.segments[1].spans[0].script = Some(crate::document::Script::Sub);
        document.segments[1].spans[0].is_deleted = true;
        document.comments = crate::emit::tests::with_comments().comments;
        for document in [
            document,
            crate::emit::tests::thread(),
            located("<p>one <b>two</b></p>"),
            crate::emit::tests::empty(),
        ] {
            let options = EmitOptions {
                hidden: true,
                positions: true,
                ..EmitOptions::default()
            };
            let written = write(&document, &options);
            assert_described(&serde_json::from_str(&written).unwrap(), &schema, &schema);
        }
        assert_eq!(schema["properties"]["version"]["const"], VERSION);
    }

    #[test]
    fn segments_and_spans_say_where_they_come_from_on_request() {
        let html = "<body><ul><li>one <b>two</b></ul><p>three</p>";
        let mut document = located(html);
        let options = EmitOptions {
            positions: true,
            ..EmitOptions::default()
        };
        let read: Value = serde_json::from_str(&write(&document, &options)).unwrap();
        let first = &read["segments"][0];
        assert_eq!(
            first["position"],
            serde_json::json!({"xpath": "/html[1]/body[1]/ul[1]/li[1]", "rect": null})
        );
        let bold = serde_json::json!([
            {"xpath": "/html[1]/body[1]/ul[1]/li[1]/b[1]/text()[1]", "start": 0, "end": 3, "rect": null}
        ]);
        assert_eq!(
            (&first["spans"][1]["text"], &first["spans"][1]["positions"]),
            (&" two".into(), &bold)
        );
        let without = write(&document, &EmitOptions::default());
        assert!(!without.contains("position"));
        document.positions = None;
        assert_eq!(
            (
                write(&document, &options),
                write(&document, &EmitOptions::default())
            ),
            (without.clone(), without)
        );
    }

    #[test]
    fn hidden_text_is_listed_on_request() {
        let document = sample();
        let on = EmitOptions {
            hidden: true,
            ..EmitOptions::default()
        };
        assert!(!write(&document, &EmitOptions::default()).contains("\"hidden\""));
        assert!(write(&document, &on).contains("\"hidden\": []"));
    }
}
