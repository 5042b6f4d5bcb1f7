//! JSON: everything about a page, for programs. The order of the keys is fixed; the version changes when a key changes.

use super::content::content;
use super::format::EmitOptions;
use crate::classify::LikelyKind;
use crate::clean::{
    CleanDocument, CommentPart, HiddenPassage, Metadata, ReaderComment, Segment, SegmentKind, Span, TargetReport,
    Within,
};
use serde::Serialize;

/// Version of the format.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    metadata: &'a Metadata,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_kind: Option<LikelyKind>,
    segments: Vec<SegmentOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comments: Option<Vec<CommentOut<'a>>>,
    targets: &'a [TargetReport],
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<&'a [HiddenPassage]>,
}

#[derive(Serialize)]
struct SegmentOut<'a> {
    #[serde(flatten)]
    kind: &'a SegmentKind,
    #[serde(flatten)]
    within: Within,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<u32>,
    text: String,
    spans: &'a [Span],
    target: usize,
}

/// A comment of a reader.
#[derive(Serialize)]
struct CommentOut<'a> {
    author: Option<&'a str>,
    date: Option<&'a str>,
    text: String,
    segments: Vec<SegmentOut<'a>>,
}

fn comments_out(part: &CommentPart) -> Vec<CommentOut<'_>> {
    let out = |comment: &'_ ReaderComment| {
        let segments = part.segments.get(comment.segments.clone()).unwrap_or_default();
        (segments.iter().map(Segment::text).collect::<Vec<_>>().join("\n"), segments_out(segments))
    };
    let one = |comment| {
        let (text, segments) = out(comment);
        CommentOut { author: comment.author.as_deref(), date: comment.date.as_deref(), text, segments }
    };
    part.records.iter().map(one).collect()
}

/// Writes everything except the pruned tree. Numbers that are not finite become `null`.
pub(super) fn write(document: &CleanDocument, options: &EmitOptions) -> String {
    let segments = content(document, &EmitOptions { title: false, ..*options });
    let whole = Document {
        version: VERSION,
        metadata: &document.metadata,
        page_kind: document.kind,
        segments: segments_out(&segments),
        comments: document.comments.as_ref().map(comments_out),
        targets: &document.targets,
        hidden: options.hidden.then_some(&document.hidden),
    };
    let mut out = serde_json::to_string_pretty(&whole).expect("all keys are strings and nothing fails to serialize");
    out.push('\n');
    out
}

fn segments_out(segments: &[Segment]) -> Vec<SegmentOut<'_>> {
    fn out(segment: &Segment) -> SegmentOut<'_> {
        let Segment { kind, within, note, spans, target } = segment;
        SegmentOut { kind, within: *within, note: *note, text: segment.text(), spans, target: *target }
    }
    segments.iter().map(out).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::emit::tests::sample;
    use serde_json::Value;

    #[test]
    fn everything_is_written_in_order() {
        let mut document = sample();
        document.segments.truncate(1);
        insta::assert_snapshot!(write(&document, &EmitOptions::default()), @r###"
{
  "version": 1,
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
    "tags": [],
    "categories": [],
    "sources": {}
  },
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

    /// Every key of `value` is described by `schema`; `root` holds what it refers to.
    fn assert_described(value: &Value, schema: &Value, root: &Value) {
        let reference = schema["$ref"].as_str().or(schema["anyOf"][0]["$ref"].as_str());
        let schema = match reference.and_then(|reference| reference.strip_prefix('#')) {
            Some(pointer) => root.pointer(pointer).unwrap(),
            None => schema,
        };
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    let own = schema["properties"].get(key).or(schema.get("additionalProperties"));
                    let own = own
                        .filter(|own| own.is_object())
                        .unwrap_or_else(|| panic!("the schema does not describe {key}"));
                    assert_described(member, own, root);
                }
                for required in schema["required"].as_array().into_iter().flatten() {
                    assert!(members.contains_key(required.as_str().unwrap()), "{required} is missing in {members:?}");
                }
            }
            Value::Array(items) => items.iter().for_each(|item| assert_described(item, &schema["items"], root)),
            _ => {}
        }
    }

    /// scripts/test-formats checks the values too.
    #[test]
    fn the_published_schema_describes_every_key() {
        let schema: Value = serde_json::from_str(include_str!("../../docs/document.schema.json")).unwrap();
        let mut document = sample();
        document.segments[1].spans[0].formula = Some(crate::clean::FormulaStyle::Inline);
        document.segments[1].spans[0].script = Some(crate::clean::Script::Sub);
        document.segments[1].spans[0].is_deleted = true;
        document.comments = crate::emit::tests::with_comments().comments;
        for document in [document, crate::emit::tests::empty()] {
            let written = write(&document, &EmitOptions { hidden: true, ..EmitOptions::default() });
            assert_described(&serde_json::from_str(&written).unwrap(), &schema, &schema);
        }
        assert_eq!(schema["properties"]["version"]["const"], VERSION);
    }

    #[test]
    fn hidden_text_is_listed_on_request() {
        let document = sample();
        let on = EmitOptions { hidden: true, ..EmitOptions::default() };
        assert!(!write(&document, &EmitOptions::default()).contains("\"hidden\""));
        assert!(write(&document, &on).contains("\"hidden\": []"));
    }
}
