//! A page that was loaded and cleaned, and the parts of it that requests ask for.

use super::problem::Problem;
use super::request::Job;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use vclean_core::capture::{Capture, CssRect, Engine, Picture, Positions, encode_png};
use vclean_core::classify::{
    Decision, Label, LikelyKind, LikelyState, PageKind, PageState, Reason,
};
use vclean_core::document::Metadata;
use vclean_core::emit::{FORMATS, Format};
use vclean_core::error::{Error, Warning, WarningKind, Warnings};
use vclean_core::explain;
use vclean_core::pipeline::CleanedPage;
use vclean_run::take_comments;

/// A page that was loaded and cleaned.
pub(super) struct Cleaned {
    pub(super) capture: Capture,
    pub(super) page: CleanedPage,
    /// The source of a page that was not rendered.
    pub(super) source: Option<String>,
}

/// The answer to a request for one page.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CleanAnswer {
    /// The `id` of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    /// Address of the page after redirects, if it has one.
    url: Option<String>,
    /// The engine that read the page.
    #[schemars(schema_with = "engine_schema")]
    engine: &'static str,
    /// The text in each of the requested formats, by its name; json is an object.
    #[schemars(schema_with = "output_schema")]
    output: BTreeMap<&'static str, Box<RawValue>>,
    /// Readers' comments in each of the formats, if they are separated.
    #[serde(skip_serializing_if = "Option::is_none")]
    comments: Option<BTreeMap<&'static str, String>>,
    /// Title, author, date, language and more, as far as the page states them.
    #[schemars(schema_with = "metadata_schema")]
    metadata: Metadata,
    /// The most likely kind of page, with its probability.
    #[schemars(schema_with = "kind_schema")]
    kind: Option<LikelyKind>,
    /// Text, or why the page has none of its own, with probability and reason.
    #[schemars(schema_with = "state_schema")]
    state: Option<LikelyState>,
    /// Expected quality of the text, 0 to 1.
    expected_f: f32,
    /// Problems that did not prevent the cleaning.
    warnings: Vec<String>,
    /// The blocks of the page in document order, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Vec<Block>>,
    /// The page, PNG in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot: Option<String>,
    /// The page with the decisions, PNG in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlay: Option<String>,
}

/// A text block of a page, kept or not.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Block {
    /// Its text, with white space collapsed.
    pub(super) text: String,
    /// The decision: whether the block is kept, and as what.
    #[schemars(schema_with = "label_schema")]
    pub(super) label: &'static str,
    /// Calibrated probability of content, 0 to 1.
    pub(super) probability: f32,
    /// Left, top, width and height in CSS px; null for a page that was not rendered.
    #[serde(rename = "box")]
    pub(super) rect: Option<[f32; 4]>,
    /// The element that contains it.
    pub(super) xpath: String,
    /// The features with the largest influence, if they were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "reasons_schema")]
    pub(super) reasons: Vec<Reason>,
}

fn engine_schema(_: &mut SchemaGenerator) -> Schema {
    let engines = [Engine::Parser, Engine::Builtin, Engine::Chromium].map(Engine::name);
    json_schema!({ "type": "string", "enum": engines })
}

fn label_schema(_: &mut SchemaGenerator) -> Schema {
    let labels = [Label::Content, Label::Comments, Label::Boilerplate].map(Label::name);
    json_schema!({ "type": "string", "enum": labels })
}

fn output_schema(_: &mut SchemaGenerator) -> Schema {
    let kind = |format: &Format| match format {
        format if format.is_json => json!({ "type": "object" }),
        format if format.is_lines() => json!({ "type": "array", "items": { "type": "object" } }),
        _ => json!({ "type": "string" }),
    };
    let properties: Map<String, Value> = FORMATS
        .iter()
        .map(|format| (format.name.to_owned(), kind(format)))
        .collect();
    json_schema!({ "type": "object", "properties": properties })
}

/// The schema of the metadata. Its members are texts, lists of texts and texts by name, which their
/// default values show.
fn metadata_schema(_: &mut SchemaGenerator) -> Schema {
    let kind = |value: &Value| match value {
        Value::Array(_) => json!({ "type": "array", "items": { "type": "string" } }),
        Value::Object(_) => {
            json!({ "type": "object", "additionalProperties": { "type": "string" } })
        }
        _ => json!({ "type": ["string", "null"] }),
    };
    let usual = serde_json::to_value(Metadata::default()).unwrap_or_default();
    let members = usual.as_object().into_iter().flatten();
    let properties: Map<String, Value> = members
        .map(|(name, value)| (name.clone(), kind(value)))
        .collect();
    json_schema!({ "type": "object", "properties": properties })
}

fn kind_schema(_: &mut SchemaGenerator) -> Schema {
    let kinds = PageKind::ALL.map(|kind| serde_json::to_value(kind).unwrap_or_default());
    let likely = json!({
        "type": "object", "required": ["kind", "probability"],
        "properties": { "kind": { "type": "string", "enum": kinds }, "probability": { "type": "number" } },
    });
    json_schema!({ "anyOf": [likely, { "type": "null" }] })
}

fn state_schema(_: &mut SchemaGenerator) -> Schema {
    let likely = json!({
        "type": "object", "required": ["state", "probability"],
        "properties": {
            "state": { "type": "string", "enum": PageState::ALL.map(PageState::name) },
            "probability": { "type": "number" }, "reason": { "type": "string" },
        },
    });
    json_schema!({ "anyOf": [likely, { "type": "null" }] })
}

fn reasons_schema(_: &mut SchemaGenerator) -> Schema {
    let reason = json!({
        "type": "object", "required": ["feature", "value", "weight"],
        "properties": { "feature": { "type": "string" }, "value": { "type": "number" }, "weight": { "type": "number" } },
    });
    json_schema!({ "type": "array", "items": reason })
}

impl Cleaned {
    /// The blocks in document order. Methods that work on lines of the source have none.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let positions = Positions::new(&self.capture.dom);
        let reports = self.page.document.targets.iter().zip(&self.page.targets);
        let block = |(report, target): (
            &vclean_core::document::TargetReport,
            &vclean_core::target::Target,
        )| Block {
            text: report.text.clone(),
            label: report.decision.label.name(),
            probability: report.decision.probability,
            rect: report.rect.map(
                |CssRect {
                     x,
                     y,
                     width,
                     height,
                 }| [x, y, width, height],
            ),
            xpath: positions.xpath(&self.capture.dom, target.container),
            reasons: report.reasons.clone(),
        };
        reports.map(block).collect()
    }

    /// The picture of the page.
    ///
    /// # Errors
    /// If the page was not rendered.
    pub(super) fn picture(&self) -> Result<&Picture, Problem> {
        let pictures = self.capture.pictures.as_ref().ok_or_else(no_picture)?;
        Ok(pictures.to_look_at())
    }

    /// The picture of the page, as PNG.
    ///
    /// # Errors
    /// If the page was not rendered.
    pub(super) fn screenshot(&self) -> Result<Vec<u8>, Problem> {
        Ok(self.picture()?.png().map_err(Error::from)?.into_owned())
    }

    /// The picture of the page with the decisions, as PNG.
    ///
    /// # Errors
    /// If the page was not rendered.
    pub(super) fn overlay(&self) -> Result<Vec<u8>, Problem> {
        if self.capture.pictures.is_none() {
            return Err(no_picture());
        }
        let picture = explain::overlay(
            &self.capture,
            &self.page.targets,
            &self.page.document.targets,
            &[],
        )?;
        let encoded = encode_png(&picture).map_err(Error::from)?;
        Ok(encoded.png().map_err(Error::from)?.into_owned())
    }

    /// Replaces the decisions of the method: keeps only the blocks for which `decides` returns
    /// true.
    pub(super) fn relabel(
        &mut self,
        decides: impl Fn(&Capture, &vclean_core::target::Target, Label) -> bool,
    ) {
        let page = &mut self.page;
        let relabel = |(target, decision): (_, &Decision)| Decision {
            label: if decides(&self.capture, target, decision.label) {
                Label::Content
            } else {
                Label::Boilerplate
            },
            ..decision.clone()
        };
        let decided = page.targets.iter().zip(page.decisions());
        let decisions: Vec<Decision> = decided.map(relabel).collect();
        let reasons = page
            .document
            .targets
            .iter()
            .map(|report| report.reasons.clone())
            .collect();
        let document =
            vclean_core::document::prune(&self.capture, &page.targets, &decisions, reasons);
        page.document = vclean_core::document::Document {
            kind: page.document.kind,
            state: page.document.state.take(),
            ..document
        };
    }

    /// The answer that a request asks for.
    ///
    /// # Errors
    /// If a picture is requested and there is none.
    pub(super) fn answer(mut self, job: &mut Job) -> Result<CleanAnswer, Problem> {
        let screenshot = job
            .screenshot
            .then(|| self.screenshot())
            .transpose()?
            .map(|png| STANDARD.encode(png));
        let overlay = job
            .overlay
            .then(|| self.overlay())
            .transpose()?
            .map(|png| STANDARD.encode(png));
        let blocks = job.blocks.then(|| self.blocks());
        let warnings = self.page.take_warnings();
        let expected_f = self.page.expected_f();
        let (mut output, mut comments) = (BTreeMap::new(), BTreeMap::new());
        // JSON contains the comments; the other formats are written without them.
        for format in job.formats.iter().filter(|format| format.is_json) {
            output.insert(
                format.name,
                raw((format.write)(&self.page.document, &job.emit))?,
            );
        }
        for format in job.formats.iter().filter(|format| !format.is_json) {
            let separated = self.page.document.comments.clone();
            if let Some(text) = take_comments(&mut self.page.document, format, job.emit) {
                comments.insert(format.name, text);
            }
            let text = (format.write)(&self.page.document, &job.emit);
            self.page.document.comments = separated;
            let json = if format.is_lines() {
                let lines: Vec<&str> = text.lines().collect();
                format!("[{}]", lines.join(","))
            } else {
                serde_json::to_string(&text).map_err(|_| Problem::fault())?
            };
            output.insert(format.name, raw(json)?);
        }
        Ok(CleanAnswer {
            id: job.id.take(),
            url: self.capture.address().map(str::to_owned),
            engine: self.capture.record.engine.name(),
            output,
            comments: Some(comments).filter(|comments| !comments.is_empty()),
            metadata: self.page.document.metadata,
            kind: self.page.document.kind,
            state: self.page.document.state,
            expected_f,
            warnings: for_clients(&warnings),
            blocks,
            screenshot,
            overlay,
        })
    }
}

/// The texts of warnings. Warnings about forbidden addresses do not name the operator's options.
pub(super) fn for_clients(warnings: &Warnings) -> Vec<String> {
    let text = |warning: &Warning| match warning.kind {
        WarningKind::Forbidden => {
            "not all of the page was loaded: it asks for addresses that this service does not load"
                .to_owned()
        }
        _ => warning.text.clone(),
    };
    warnings.iter().map(text).collect()
}

fn no_picture() -> Problem {
    Problem::new(
        axum::http::StatusCode::UNPROCESSABLE_ENTITY,
        "the page was not rendered, so it has no picture; leave the pictures out, or name another engine",
    )
}

/// Wraps JSON that is written unchanged. Parsing it would lose the order of its keys.
fn raw(json: String) -> Result<Box<RawValue>, Problem> {
    RawValue::from_string(json).map_err(|_| Problem::fault())
}
