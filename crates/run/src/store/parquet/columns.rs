//! The columns of a Parquet file of records: their schema and their values.
//!
//! The crate's column writer is used directly: its other interface, Arrow, is a crate several times
//! as large.

use crate::corpus::CorpusNote;
use crate::store::{BlockRow, PositionRow, Record};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type,
};
use ::parquet::errors::Result;
use ::parquet::file::writer::SerializedRowGroupWriter;
use ::parquet::schema::parser::parse_message_type;
use ::parquet::schema::types::Type;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use vclean_core::emit::PostText;

/// Reads the value of a text column from a record.
type Text = fn(&Record) -> &str;
type OptionalText = fn(&Record) -> Option<&str>;

type CorpusText = fn(&CorpusNote) -> Option<String>;

/// Text columns that may be null, with the functions that read their values.
const OPTIONAL: &[(&str, OptionalText)] = &[
    ("url", |record| record.url.as_deref()),
    ("title", |record| record.metadata.title.as_deref()),
    ("author", |record| record.metadata.author.as_deref()),
    ("date", |record| record.metadata.date.as_deref()),
    ("language", |record| record.metadata.language.as_deref()),
    ("site", |record| record.metadata.site.as_deref()),
    ("canonical_url", |record| record.metadata.url.as_deref()),
    ("description", |record| {
        record.metadata.description.as_deref()
    }),
    ("modified", |record| record.metadata.modified.as_deref()),
    ("image", |record| record.metadata.image.as_deref()),
    ("license", |record| record.metadata.license.as_deref()),
    ("record_id", |record| record.record_id.as_deref()),
    ("record_date", |record| record.record_date.as_deref()),
    ("captured", |record| record.captured.as_deref()),
    ("comments", |record| record.comments.as_deref()),
    ("page_kind", |record| {
        record.page_kind.map(|likely| likely.kind.name())
    }),
    ("page_state", |record| {
        record.page_state.as_ref().map(|likely| likely.state.name())
    }),
    ("page_state_reason", |record| {
        record
            .page_state
            .as_ref()
            .map(|likely| likely.reason.as_str())
    }),
];

/// Text columns that every page has.
const REQUIRED: &[(&str, Text)] = &[
    ("id", |record| &record.id),
    ("input", |record| &record.input),
    ("marked", |record| &record.marked),
    ("text", |record| &record.text),
];

/// Reads a number of a record that some pages lack.
type Number = fn(&Record) -> Option<f32>;

/// Columns with a probability.
const PROBABILITIES: &[(&str, Number)] = &[
    ("page_kind_probability", |record| {
        record.page_kind.map(|likely| likely.probability)
    }),
    ("page_state_probability", |record| {
        record.page_state.as_ref().map(|likely| likely.probability)
    }),
];

/// Reads the texts of a list column from a record.
type Texts = fn(&Record) -> &[String];

/// Columns with a list of texts.
const LISTS: &[(&str, Texts)] = &[
    ("tags", |record| &record.metadata.tags),
    ("categories", |record| &record.metadata.categories),
    ("warnings", |record| &record.warnings),
];

/// Optional columns of a file.
#[derive(Debug)]
pub(super) struct Tables {
    /// True if it holds the block table.
    pub(super) has_blocks: bool,
    /// Names of the features in the block table.
    pub(super) features: Vec<&'static str>,
    /// True if it holds the positions of the text.
    pub(super) has_positions: bool,
    /// True if it holds the findings of the filters of the run.
    pub(super) has_corpus: bool,
}

/// Text columns for the findings of the filters of a run; `corpus` holds all of them as JSON.
const CORPUS: &[(&str, CorpusText)] = &[
    ("dropped", |note| Some(note.dropped?.name().to_owned())),
    ("duplicate_of", |note| note.duplicate_of.clone()),
    ("corpus", |note| serde_json::to_string(note).ok()),
];

/// Columns for the position and size of a block's box.
const SIDES: [&str; 4] = ["x_px", "y_px", "width_px", "height_px"];

/// The schema of a file with these tables.
pub(super) fn schema(tables: &Tables) -> Result<Type> {
    let mut message = "message page {\n".to_owned();
    for (name, _) in REQUIRED {
        let _ = writeln!(message, "required binary {name} (STRING);");
    }
    for (name, _) in OPTIONAL {
        let _ = writeln!(message, "optional binary {name} (STRING);");
    }
    // The identifiers of JSON lines are values of any type. A string is written as it is, other
    // values as JSON.
    message.push_str("optional binary source_id (STRING);\n");
    for (name, _) in CORPUS.iter().filter(|_| tables.has_corpus) {
        let _ = writeln!(message, "optional binary {name} (STRING);");
    }
    message.push_str("required boolean rendered;\nrequired float expected_f;\n");
    for (name, _) in PROBABILITIES {
        let _ = writeln!(message, "optional float {name};");
    }
    message.push_str("required group sources (MAP) { repeated group key_value { ");
    message.push_str("required binary key (STRING); required binary value (STRING); } }\n");
    for (name, _) in LISTS {
        let _ = writeln!(
            message,
            "required group {name} (LIST) {{ repeated group list {{ required binary element (STRING); }} }}"
        );
    }
    message.push_str(POSTS_SCHEMA);
    if tables.has_blocks {
        message.push_str(
            "required group blocks (LIST) { repeated group list { required group element {\n",
        );
        message.push_str("required binary text (STRING); required binary path (STRING); required boolean content;\n");
        message.push_str("required boolean comment;\n");
        message.push_str("required float probability; required float margin;\n");
        for name in SIDES.iter().chain(&tables.features) {
            let _ = writeln!(message, "optional float {name};");
        }
        message.push_str("} } }\n");
    }
    if tables.has_positions {
        message.push_str(POSITIONS_SCHEMA);
    }
    message.push('}');
    parse_message_type(&message)
}

/// Writes all records as one row group, in the columns of [`schema`].
pub(super) fn write<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    records: &[Record],
    tables: &Tables,
) -> Result<()> {
    for (_, read) in REQUIRED {
        let values: Vec<ByteArray> = records.iter().map(|record| bytes(read(record))).collect();
        column::<ByteArrayType, _>(group, &values, None, None)?;
    }
    for (_, read) in OPTIONAL {
        let values: Vec<ByteArray> = records.iter().filter_map(read).map(bytes).collect();
        let levels: Vec<i16> = records
            .iter()
            .map(|record| i16::from(read(record).is_some()))
            .collect();
        column::<ByteArrayType, _>(group, &values, Some(&levels), None)?;
    }
    optional_texts(
        group,
        records
            .iter()
            .map(|record| record.source_id.as_ref().map(text_of)),
    )?;
    for (_, read) in CORPUS.iter().filter(|_| tables.has_corpus) {
        optional_texts(
            group,
            records
                .iter()
                .map(|record| record.corpus.as_ref().and_then(read)),
        )?;
    }
    let rendered: Vec<bool> = records.iter().map(|record| record.rendered).collect();
    column::<BoolType, _>(group, &rendered, None, None)?;
    let values: Vec<f32> = records.iter().map(|record| record.expected_f).collect();
    column::<FloatType, _>(group, &values, None, None)?;
    for (_, read) in PROBABILITIES {
        let values: Vec<f32> = records.iter().filter_map(read).collect();
        let levels: Vec<i16> = records
            .iter()
            .map(|record| i16::from(read(record).is_some()))
            .collect();
        column::<FloatType, _>(group, &values, Some(&levels), None)?;
    }
    write_lists(group, records)?;
    write_posts(group, records)?;
    if tables.has_blocks {
        write_blocks(group, records, &tables.features)?;
    }
    if tables.has_positions {
        write_positions(group, records)
    } else {
        Ok(())
    }
}

/// Writes the sources of the metadata, and the lists of texts.
fn write_lists<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    records: &[Record],
) -> Result<()> {
    let sources = || records.iter().flat_map(|record| &record.metadata.sources);
    let levels = Levels::from_lengths(records.iter().map(|record| record.metadata.sources.len()));
    let names: Vec<ByteArray> = sources().map(|(name, _)| bytes(name)).collect();
    let values: Vec<ByteArray> = sources().map(|(_, value)| bytes(value)).collect();
    for texts in [names, values] {
        column::<ByteArrayType, _>(
            group,
            &texts,
            Some(&levels.definition),
            Some(&levels.repetition),
        )?;
    }
    for (_, read) in LISTS {
        let texts: Vec<ByteArray> = records
            .iter()
            .flat_map(read)
            .map(|text| bytes(text))
            .collect();
        let levels = Levels::from_lengths(records.iter().map(|record| read(record).len()));
        column::<ByteArrayType, _>(
            group,
            &texts,
            Some(&levels.definition),
            Some(&levels.repetition),
        )?;
    }
    Ok(())
}

fn write_blocks<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    records: &[Record],
    features: &[&str],
) -> Result<()> {
    let blocks = || {
        records
            .iter()
            .flat_map(|record| record.blocks.iter().flatten())
    };
    let Levels {
        definition,
        repetition,
    } = Levels::from_lengths(
        records
            .iter()
            .map(|record| record.blocks.as_ref().map_or(0, Vec::len)),
    );
    let texts: Vec<ByteArray> = blocks().map(|block| bytes(&block.text)).collect();
    column::<ByteArrayType, _>(group, &texts, Some(&definition), Some(&repetition))?;
    let paths: Vec<ByteArray> = blocks().map(|block| bytes(&block.path)).collect();
    column::<ByteArrayType, _>(group, &paths, Some(&definition), Some(&repetition))?;
    for read in [
        |block: &BlockRow| block.content,
        |block: &BlockRow| block.comment,
    ] {
        let values: Vec<bool> = blocks().map(read).collect();
        column::<BoolType, _>(group, &values, Some(&definition), Some(&repetition))?;
    }
    for read in [
        |block: &BlockRow| block.probability,
        |block: &BlockRow| block.margin,
    ] {
        let values: Vec<f32> = blocks().map(read).collect();
        column::<FloatType, _>(group, &values, Some(&definition), Some(&repetition))?;
    }
    // An optional value of a block has one more definition level if it is present.
    let mut optional = |value: &dyn Fn(usize, &BlockRow) -> Option<f32>| {
        let (mut values, mut levels) = (Vec::new(), Vec::with_capacity(definition.len()));
        for (page, record) in records.iter().enumerate() {
            let before = levels.len();
            for block in record.blocks.iter().flatten() {
                let value = value(page, block);
                levels.push(1 + i16::from(value.is_some()));
                values.extend(value);
            }
            if levels.len() == before {
                levels.push(0);
            }
        }
        column::<FloatType, _>(group, &values, Some(&levels), Some(&repetition))
    };
    for side in 0..SIDES.len() {
        optional(&|_, block| block.rect.map(|rect| rect[side]))?;
    }
    // For each page, the index of each feature among those measured on it.
    let places: Vec<BTreeMap<&str, usize>> = records
        .iter()
        .map(|record| {
            record
                .columns
                .iter()
                .enumerate()
                .map(|(index, name)| (name.as_str(), index))
                .collect()
        })
        .collect();
    for name in features {
        optional(&|page, block| block.features.get(*places[page].get(name)?).copied())?;
    }
    Ok(())
}

fn optional_texts<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    texts: impl Iterator<Item = Option<String>>,
) -> Result<()> {
    let texts: Vec<Option<String>> = texts.collect();
    let levels: Vec<i16> = texts.iter().map(|text| i16::from(text.is_some())).collect();
    let values: Vec<ByteArray> = texts.iter().flatten().map(|text| bytes(text)).collect();
    column::<ByteArrayType, _>(group, &values, Some(&levels), None)
}

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

// The column of the posts of a thread: a list of groups, empty for other pages.

/// The texts of a post that may be missing.
const POST_TEXTS: [fn(&PostText) -> Option<&str>; 3] = [
    |row| row.author.as_deref(),
    |row| row.date.as_deref(),
    |row| row.url.as_deref(),
];

/// The column of the posts in the schema of a file.
const POSTS_SCHEMA: &str =
    "required group posts (LIST) { repeated group list { required group element {
required binary role (STRING); required binary text (STRING); required boolean accepted;
optional binary author (STRING); optional binary date (STRING); optional binary url (STRING);
optional int32 parent; optional int64 votes;
} } }
";

fn write_posts<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    records: &[Record],
) -> Result<()> {
    let rows = || records.iter().flat_map(|record| &record.posts);
    let levels = Levels::from_lengths(records.iter().map(|record| record.posts.len()));
    let (definition, repetition) = (Some(&levels.definition[..]), Some(&levels.repetition[..]));
    for read in [
        |row: &PostText| bytes(row.role.name()),
        |row: &PostText| bytes(&row.text),
    ] {
        let values: Vec<ByteArray> = rows().map(read).collect();
        column::<ByteArrayType, _>(group, &values, definition, repetition)?;
    }
    let accepted: Vec<bool> = rows().map(|row| row.accepted).collect();
    column::<BoolType, _>(group, &accepted, definition, repetition)?;
    for read in POST_TEXTS {
        optional::<ByteArrayType, _>(group, rows().map(|row| read(row).map(bytes)), &levels)?;
    }
    optional::<Int32Type, _>(group, rows().map(|row| row.parent.map(integer)), &levels)?;
    optional::<Int64Type, _>(group, rows().map(|row| row.votes), &levels)
}

// The column of the positions of the text: a list of groups.

/// The column in the schema of a file.
const POSITIONS_SCHEMA: &str = "required group positions (LIST) { repeated group list { required group element {
required boolean comment; required int32 segment; required int32 span;
required binary text (STRING); required binary xpath (STRING); optional int32 start; optional int32 end;
optional float x_px; optional float y_px; optional float width_px; optional float height_px;
} } }
";

fn write_positions<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    records: &[Record],
) -> Result<()> {
    let rows = || {
        records
            .iter()
            .flat_map(|record| record.positions.iter().flatten())
    };
    let levels = Levels::from_lengths(
        records
            .iter()
            .map(|record| record.positions.as_ref().map_or(0, Vec::len)),
    );
    let (definition, repetition) = (Some(&levels.definition[..]), Some(&levels.repetition[..]));
    let comments: Vec<bool> = rows().map(|row| row.comment).collect();
    column::<BoolType, _>(group, &comments, definition, repetition)?;
    for read in [
        |row: &PositionRow| row.segment,
        |row: &PositionRow| row.span,
    ] {
        let values: Vec<i32> = rows().map(|row| integer(read(row))).collect();
        column::<Int32Type, _>(group, &values, definition, repetition)?;
    }
    for read in [
        |row: &PositionRow| bytes(&row.text),
        |row: &PositionRow| bytes(&row.xpath),
    ] {
        let values: Vec<ByteArray> = rows().map(read).collect();
        column::<ByteArrayType, _>(group, &values, definition, repetition)?;
    }
    for read in [|row: &PositionRow| row.start, |row: &PositionRow| row.end] {
        optional::<Int32Type, _>(group, rows().map(|row| read(row).map(integer)), &levels)?;
    }
    for side in 0..4 {
        optional::<FloatType, _>(
            group,
            rows().map(|row| row.rect.map(|rect| rect[side])),
            &levels,
        )?;
    }
    Ok(())
}

/// Writes a column whose values may be null: a value that is present has one more definition level.
fn optional<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    mut values: impl Iterator<Item = Option<T::T>>,
    levels: &Levels,
) -> Result<()> {
    let mut present = Vec::new();
    let mut definition = levels.definition.clone();
    for level in definition.iter_mut().filter(|level| **level > 0) {
        if let Some(value) = values.next().flatten() {
            *level += 1;
            present.push(value);
        }
    }
    column::<T, _>(group, &present, Some(&definition), Some(&levels.repetition))
}

/// Converts an index in a text, which is always below the largest `i32`.
fn integer(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

// Writes one column with its definition and repetition levels (Melnik et al. 2010, Dremel, section
// 4).

/// Converts a text to a value of a column.
pub(super) fn bytes(text: &str) -> ByteArray {
    ByteArray::from(text)
}

/// Writes the next column of a row group, with its levels if it has any.
pub(super) fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    definition: Option<&[i16]>,
    repetition: Option<&[i16]>,
) -> Result<()> {
    let mut writer = group
        .next_column()?
        .expect("the columns are written in the order of the schema");
    writer
        .typed::<T>()
        .write_batch(values, definition, repetition)?;
    writer.close()
}

/// Levels of a column of required elements in a required list; a page without elements has an empty
/// list.
pub(super) struct Levels {
    pub(super) definition: Vec<i16>,
    pub(super) repetition: Vec<i16>,
}

impl Levels {
    /// The levels of lists with these lengths.
    pub(super) fn from_lengths(lengths: impl Iterator<Item = usize>) -> Self {
        let (mut definition, mut repetition) = (Vec::new(), Vec::new());
        for length in lengths {
            definition.extend(std::iter::repeat_n(i16::from(length > 0), length.max(1)));
            repetition.push(0);
            repetition.extend(std::iter::repeat_n(1, length.saturating_sub(1)));
        }
        Self {
            definition,
            repetition,
        }
    }
}
