//! The options for cleaning a page and writing its text.
//!
//! Each option is declared here once, with its help text, default and range. The command line
//! (`clap`), the JSON of the service, the tools for language models and `openapi.json` (`serde`,
//! `schemars`), Python's keyword arguments and the arguments that must be repeated when a run is
//! resumed are all derived from these structs. To add an option, add a field here and read it where
//! it takes effect.

use crate::document::ReaderComments;
use crate::emit::{ChunkOptions, EmitOptions, FORMATS, Format, find};
use crate::error::ModelError;
use crate::target::TargetRule;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// All options for cleaning and writing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Cleaning method: vclean, or a published system such as justext [default: vclean]
    #[cfg_attr(
        feature = "clap",
        arg(help_heading = "Method", long, value_name = "NAME")
    )]
    pub method: Option<String>,

    /// Set a parameter of the method, as NAME=VALUE; may be repeated
    #[cfg_attr(
        feature = "clap",
        arg(help_heading = "Method", long, value_name = "NAME=VALUE")
    )]
    pub parameter: Vec<String>,

    /// Model that classifies the blocks: rendered, rendered-builtin, static, fast, or a file
    ///
    /// [default: `rendered` for pages from Chromium, `rendered-builtin` for those of the built-in
    /// engine, `static` for HTML that was not rendered]. `fast` is for HTML too: it takes about two
    /// thirds of the time of `static` and is a little less exact. Requests to a service cannot name
    /// files
    #[cfg_attr(
        feature = "clap",
        arg(help_heading = "Model", long, value_name = "NAME|FILE")
    )]
    pub model: Option<String>,

    /// How text blocks are selected: blocks or fiasco [default: as the model was trained]
    #[cfg_attr(
        feature = "clap",
        arg(help_heading = "Model", long, value_name = "RULE", value_parser = choice::<TargetRule>(), hide_possible_values = true)
    )]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "targets_schema"))]
    pub targets: Option<TargetRule>,

    /// Keep fewer blocks, so that at least this share of them is content, above 0, up to 1
    ///
    /// The share is measured out-of-fold on other sites: with 0.95, one kept block in twenty is not
    /// content. One threshold then holds for all pages, where otherwise each page has its own
    #[cfg_attr(feature = "clap", arg(help_heading = "Model", long, value_name = "SHARE", value_parser = share_of_one))]
    #[cfg_attr(feature = "schemars", schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0)))]
    pub min_precision: Option<f32>,

    /// Allow a model trained for one engine to classify pages rendered by the other; refused by
    /// default, because the two lay out pages differently
    #[cfg_attr(feature = "clap", arg(help_heading = "Model", long))]
    pub any_engine: bool,

    /// File written by `vclean site-memory`: other pages of a page's site then help to tell
    /// template from text
    #[cfg_attr(
        feature = "clap",
        arg(
            help_heading = "Model",
            long,
            value_name = "FILE",
            conflicts_with = "min_precision"
        )
    )]
    pub site_memory: Option<String>,

    /// Text that readers do not see: auto, report, drop or keep
    ///
    /// Such text is not displayed or, on a rendered page, in the color of its background, covered,
    /// clipped, transparent or too small. auto drops it, unless hardly any text of the page would
    /// be left: then the page is broken, and its text is kept with a warning. report does the same
    /// and lists it in the warnings and in JSON under `hidden`; drop drops it always
    #[cfg_attr(
        feature = "clap",
        arg(
            help_heading = "Text",
            long, value_name = "WHAT", default_value = "auto", value_parser = choice::<HiddenText>(),
            hide_possible_values = true
        )
    )]
    pub hidden: HiddenText,

    /// Readers' comments: drop, keep, separate or only
    ///
    /// keep leaves them in the text; separate writes them after the text under a heading, and in
    /// JSON, JSON lines and Parquet under `comments`; only writes the comments without the text. In
    /// JSON, each has its author and date where the page shows them. Posts of a forum thread are
    /// not comments
    #[cfg_attr(
        feature = "clap",
        arg(
            help_heading = "Text",
            long, value_name = "WHAT", default_value = "drop", value_parser = choice::<ReaderComments>(),
            hide_possible_values = true
        )
    )]
    pub comments: ReaderComments,

    /// Leave the headline out
    ///
    /// Otherwise the text begins with it, in every format, where the page shows one
    #[cfg_attr(feature = "clap", arg(help_heading = "Text", long))]
    pub no_title: bool,

    /// Leave data tables out of the text
    #[cfg_attr(feature = "clap", arg(help_heading = "Text", long))]
    pub no_tables: bool,

    /// Keep the parts of the page that a CSS selector names, whole, and nothing else; may be
    /// repeated
    ///
    /// Where no part of a page matches, there is a warning, and the page is cleaned without it
    #[cfg_attr(
        feature = "clap",
        arg(help_heading = "Text", long, value_name = "SELECTOR")
    )]
    pub keep: Vec<String>,

    /// Leave out the parts of the page that a CSS selector names, such as '.share, nav'; may be
    /// repeated
    #[cfg_attr(
        feature = "clap",
        arg(help_heading = "Text", long, value_name = "SELECTOR")
    )]
    pub drop: Vec<String>,

    /// Write where the text comes from: for each piece the XPath of its text node, the range of its
    /// characters there, and its box (format json, outputs FILE.jsonl and DIR.parquet)
    #[cfg_attr(feature = "clap", arg(help_heading = "Text", long))]
    pub positions: bool,

    /// Name for each block the features with the largest influence; costs about as much as the
    /// decision. The program does so wherever its output shows them
    #[cfg_attr(feature = "clap", arg(skip))]
    pub explain: bool,

    /// Find the text alone, without metadata, posts of threads and the tree for html. Takes about a
    /// tenth less time. For callers in Rust; the program does so wherever it writes nothing else
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub text_only: bool,

    /// Format of the text [default: text, or the format whose ending the output file has]
    #[cfg_attr(feature = "clap", arg(help_heading = "Output", long, short, value_name = "FORMAT", value_parser = formats()))]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "format_schema"))]
    pub format: Option<String>,

    /// Keep links (formats markdown, html, xml and tei; json always has them)
    #[cfg_attr(feature = "clap", arg(help_heading = "Output", long))]
    pub links: bool,

    /// Show the pictures between the texts, with their alternative text (markdown, html, json, xml
    /// and tei)
    #[cfg_attr(feature = "clap", arg(help_heading = "Output", long))]
    pub images: bool,

    /// Write title, author, date and more before markdown, as YAML, and in the head of html
    ///
    /// The formats json, xml and tei hold them anyway
    #[cfg_attr(feature = "clap", arg(help_heading = "Output", long))]
    pub with_metadata: bool,

    /// Largest number of words in a chunk, for the format chunks [default: 300]
    ///
    /// A sentence, a table row or a block of code that is longer is a chunk by itself
    #[cfg_attr(feature = "clap", arg(help_heading = "Output", long, value_name = "WORDS", value_parser = clap::value_parser!(u32).range(1..)))]
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub chunk_size: Option<u32>,

    /// Repeat in each chunk the last sentences of the one before it in the same section, up to this
    /// number of words; at most half of the size [default: 0]
    #[cfg_attr(
        feature = "clap",
        arg(help_heading = "Output", long, value_name = "WORDS")
    )]
    pub chunk_overlap: Option<u32>,
}

/// The options for writing, named as in JSON; all others are for cleaning.
pub const WRITING: [&str; 6] = [
    "chunk_overlap",
    "chunk_size",
    "format",
    "images",
    "links",
    "with_metadata",
];

impl Options {
    /// The default options with this model, which is a built-in name or a file.
    pub fn with_model(model: impl Into<String>) -> Self {
        Self {
            model: Some(model.into()),
            ..Self::default()
        }
    }

    /// The default options with this method.
    pub fn with_method(method: impl Into<String>) -> Self {
        Self {
            method: Some(method.into()),
            ..Self::default()
        }
    }

    /// The names of all options as in JSON.
    pub fn names() -> Vec<String> {
        members(&Self::default())
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    }

    /// The options that differ from the defaults, by name. The values are written as in JSON, but
    /// words without quotation marks.
    pub fn chosen(&self) -> BTreeMap<String, String> {
        let defaults: BTreeMap<_, _> = members(&Self::default()).into_iter().collect();
        let shown = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let chosen = members(self)
            .into_iter()
            .filter(|(name, value)| defaults.get(name) != Some(value));
        chosen.map(|(name, value)| (name, shown(value))).collect()
    }

    /// The requested format; `None` for the default.
    ///
    /// # Errors
    /// If there is no such format.
    pub fn format(&self) -> Result<Option<&'static Format>, ModelError> {
        self.format.as_deref().map(format_named).transpose()
    }

    /// The options for the writers of the formats.
    pub fn emit(&self) -> EmitOptions {
        EmitOptions {
            links: self.links,
            hidden: self.hidden == HiddenText::Report,
            images: self.images,
            metadata: self.with_metadata,
            positions: self.positions,
            chunks: self.chunks(),
        }
    }

    /// The sizes of chunks.
    fn chunks(&self) -> ChunkOptions {
        let usual = ChunkOptions::default();
        let words = |value: Option<u32>, usual| value.map_or(usual, |value| value as usize);
        ChunkOptions {
            size: words(self.chunk_size, usual.size),
            overlap: words(self.chunk_overlap, usual.overlap),
        }
    }

    /// Refuses sizes of chunks that contradict each other.
    fn check_chunks(&self) -> Result<(), ModelError> {
        let ChunkOptions { size, overlap } = self.chunks();
        if size == 0 {
            return Err(ModelError::Setting("`chunk_size` is at least 1".to_owned()));
        }
        if overlap > size / 2 {
            return Err(ModelError::Setting(format!(
                "`chunk_overlap` is {overlap}, and at most half of `chunk_size`, which is {size}"
            )));
        }
        Ok(())
    }

    /// Refuses options that none of the formats can honor.
    ///
    /// # Errors
    /// If there is such an option.
    pub fn check_formats(&self, formats: &[&Format]) -> Result<(), ModelError> {
        let check = |option: &str, is_given: bool, takes: fn(&Format) -> bool| {
            if !is_given || formats.iter().any(|format| takes(format)) {
                return Ok(());
            }
            let able: Vec<&str> = FORMATS
                .iter()
                .filter(|format| takes(format))
                .map(|format| format.name)
                .collect();
            let named: Vec<&str> = formats.iter().map(|format| format.name).collect();
            let (able, named) = (able.join(", "), named.join(", "));
            let cause = format!(
                "`{option}` is for `format` {able}, and the format is {named}; leave one of the two out"
            );
            Err(ModelError::Setting(cause))
        };
        check("links", self.links, |format| format.has_links)?;
        check("with_metadata", self.with_metadata, |format| {
            format.takes_metadata
        })?;
        let is_chunks = |format: &Format| format.name == "chunks";
        check("chunk_size", self.chunk_size.is_some(), is_chunks)?;
        check("chunk_overlap", self.chunk_overlap.is_some(), is_chunks)?;
        self.check_chunks()
    }
}

/// The options as members of a JSON object.
fn members(options: &impl Serialize) -> Vec<(String, Value)> {
    match serde_json::to_value(options) {
        Ok(Value::Object(members)) => members.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The format with this name.
///
/// # Errors
/// If there is no such format.
pub fn format_named(name: &str) -> Result<&'static Format, ModelError> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        ModelError::Setting(format!(
            "there is no format {name}; choose one of {}",
            names.join(", ")
        ))
    })
}

/// A choice among named values.
pub trait Choice: Copy + 'static {
    /// The name of the option, for messages.
    const OPTION: &'static str;
    /// All values with their names.
    const VALUES: &'static [(&'static str, Self)];
}

/// The value with this name.
///
/// # Errors
/// If no value has this name.
pub fn choose<T: Choice>(name: &str) -> Result<T, String> {
    T::VALUES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, value)| value)
        .ok_or_else(|| {
            let names: Vec<&str> = T::VALUES.iter().map(|(name, _)| *name).collect();
            format!(
                "invalid value {name} for `{}`; choose one of {}",
                T::OPTION,
                names.join(", ")
            )
        })
}

/// The parser of an argument that is a choice. It reports a wrong value as clap's own error, which
/// lists the names.
#[cfg(feature = "clap")]
pub fn choice<T: Choice + Send + Sync>() -> impl clap::builder::TypedValueParser<Value = T> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(T::VALUES.iter().map(|(name, _)| *name))
        .try_map(|name| choose::<T>(&name))
}

impl Choice for TargetRule {
    const OPTION: &'static str = "targets";
    const VALUES: &'static [(&'static str, Self)] = Self::ALL;
}

/// Treatment of text that a reader does not see. On a rendered page this is text in the color of
/// its background, transparent, covered, clipped, too small or outside the page. It is also text
/// that is not displayed at all (`display: none`, `visibility: hidden`, the attribute `hidden`),
/// which counts as text of the page only if hardly any other text would be left, and never with
/// `Drop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HiddenText {
    /// It is left out, unless hardly any text would be left: then the rules are wrong about the
    /// page, and a warning says that its text was kept.
    #[default]
    Auto,
    /// Works like `Auto`; the output also lists the text, with the cause.
    Report,
    /// It is left out, even if no text is left.
    Drop,
    /// It is treated like all other text.
    Keep,
}

impl HiddenText {
    /// All values with their names.
    pub const ALL: &[(&str, Self)] = &[
        ("auto", Self::Auto),
        ("report", Self::Report),
        ("drop", Self::Drop),
        ("keep", Self::Keep),
    ];
}

/// Reads and writes a choice by its name: the type has its values in `ALL`.
#[macro_export]
macro_rules! by_name {
    ($choice:ty, $option:literal) => {
        impl $crate::pipeline::Choice for $choice {
            const OPTION: &'static str = $option;
            const VALUES: &'static [(&'static str, Self)] = Self::ALL;
        }

        impl $choice {
            /// Its name in options and outputs.
            pub fn name(self) -> &'static str {
                let name = Self::ALL.iter().find(|(_, value)| *value == self);
                name.expect("every value has a name").0
            }
        }

        impl serde::Serialize for $choice {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $choice {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::pipeline::choose(&<String as serde::Deserialize>::deserialize(
                    deserializer,
                )?)
                .map_err(serde::de::Error::custom)
            }
        }
        $crate::schema_by_name!($choice);
    };
}

/// The JSON schema of a choice, where there are schemas.
#[cfg(feature = "schemars")]
#[doc(hidden)]
#[macro_export]
macro_rules! schema_by_name {
    ($choice:ty) => {
        impl $crate::schemars::JsonSchema for $choice {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($choice).into()
            }

            fn json_schema(
                _: &mut $crate::schemars::SchemaGenerator,
            ) -> $crate::schemars::Schema {
                let names: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
                $crate::schemars::json_schema!({ "type": "string", "enum": names })
            }
        }
    };
}

/// Nothing, where there are no schemas.
#[cfg(not(feature = "schemars"))]
#[doc(hidden)]
#[macro_export]
macro_rules! schema_by_name {
    ($choice:ty) => {};
}

by_name!(HiddenText, "hidden");
by_name!(ReaderComments, "comments");

/// Parses a share from 0 to 1, both included.
///
/// # Errors
/// If the text is not such a number.
pub fn share_of_one(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!(
            "{text} is not a share; give a number from 0 to 1, such as 0.85"
        )),
    }
}

/// The names of all formats as values of an option of the command line.
#[cfg(feature = "clap")]
pub fn formats() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(
        FORMATS
            .iter()
            .map(|format| clap::builder::PossibleValue::new(format.name).help(format.doc)),
    )
}

#[cfg(feature = "schemars")]
fn format_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    choice_schema(FORMATS.iter().map(|format| format.name))
}

#[cfg(feature = "schemars")]
fn targets_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    choice_schema(TargetRule::ALL.iter().map(|(name, _)| *name))
}

/// A schema for one of these names or null.
#[cfg(feature = "schemars")]
fn choice_schema<'a>(names: impl Iterator<Item = &'a str>) -> schemars::Schema {
    let names: Vec<Option<&str>> = names.map(Some).chain([None]).collect();
    schemars::json_schema!({ "type": ["string", "null"], "enum": names })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn json_names_every_option_once_and_refuses_unknown_values() {
        let json = r#"{"method": "justext", "hidden": "report", "comments": "keep", "links": true, "min_precision": 0.5}"#;
        let options: Options = serde_json::from_str(json).unwrap();
        assert_eq!((options.hidden, options.links), (HiddenText::Report, true));
        assert_eq!(options.min_precision, Some(0.5));
        let chosen = options.chosen();
        assert_eq!(
            chosen.keys().collect::<Vec<_>>(),
            ["comments", "hidden", "links", "method", "min_precision"]
        );
        assert_eq!(
            (chosen["hidden"].as_str(), chosen["min_precision"].as_str()),
            ("report", "0.5")
        );
        assert!(Options::default().chosen().is_empty());
        let unknown = serde_json::from_str::<Options>(r#"{"colour": 1}"#)
            .unwrap_err()
            .to_string();
        assert!(unknown.contains("unknown field `colour`"), "{unknown}");
        let error = serde_json::from_str::<Options>(r#"{"hidden": "x"}"#)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("invalid value x for `hidden`; choose one of auto, report, drop, keep"),
            "{error}"
        );
        let names = Options::names();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }

    #[cfg(feature = "clap")]
    #[test]
    fn the_command_line_has_the_same_options_as_json() {
        use clap::Args;
        let command = Options::augment_args(clap::Command::new("test"));
        let on_command_line: BTreeSet<String> = command
            .get_arguments()
            .map(|argument| argument.get_long().unwrap().replace('-', "_"))
            .collect();
        // The program sets `explain` wherever its output shows the reasons.
        let in_json: BTreeSet<String> = Options::names()
            .into_iter()
            .filter(|name| name != "explain")
            .collect();
        assert_eq!(on_command_line, in_json);
        assert!(
            command
                .get_arguments()
                .all(|argument| argument.get_help().is_some())
        );
    }

    #[cfg(feature = "schemars")]
    #[test]
    fn the_schema_has_the_same_options_as_json() {
        let schema = schemars::schema_for!(Options);
        let properties = schema.as_value()["properties"].as_object().unwrap().clone();
        assert_eq!(
            properties.keys().cloned().collect::<BTreeSet<_>>(),
            Options::names().into_iter().collect()
        );
        for (name, property) in &properties {
            assert!(property["description"].is_string(), "{name}");
        }
        assert_eq!(
            properties["format"]["enum"].as_array().unwrap().len(),
            FORMATS.len() + 1
        );
    }

    #[test]
    fn an_option_that_no_format_honors_is_refused() {
        let (text, markdown) = (&FORMATS[0], find("markdown").unwrap());
        let options = Options {
            links: true,
            ..Options::default()
        };
        let error = options.check_formats(&[text]).unwrap_err().to_string();
        assert!(
            error.contains("`links` is for `format` markdown"),
            "{error}"
        );
        assert!(options.check_formats(&[text, markdown]).is_ok());
    }
}
