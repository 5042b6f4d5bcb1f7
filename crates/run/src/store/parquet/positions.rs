//! The column of the positions of the text: a list of groups.

use super::levels::{Levels, bytes, column};
use crate::store::{PositionRow, Record};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type};
use ::parquet::errors::Result;
use ::parquet::file::writer::SerializedRowGroupWriter;
use std::io::Write;

/// The column in the schema of a file.
pub(super) const SCHEMA: &str = "required group positions (LIST) { repeated group list { required group element {
required boolean comment; required int32 segment; required int32 span;
required binary text (STRING); required binary xpath (STRING); optional int32 start; optional int32 end;
optional float x_px; optional float y_px; optional float width_px; optional float height_px;
} } }
";

/// Writes the column.
pub(super) fn write<W: Write + Send>(group: &mut SerializedRowGroupWriter<'_, W>, records: &[Record]) -> Result<()> {
    let rows = || records.iter().flat_map(|record| record.positions.iter().flatten());
    let levels = Levels::from_lengths(records.iter().map(|record| record.positions.as_ref().map_or(0, Vec::len)));
    let (definition, repetition) = (Some(&levels.definition[..]), Some(&levels.repetition[..]));
    let comments: Vec<bool> = rows().map(|row| row.comment).collect();
    column::<BoolType, _>(group, &comments, definition, repetition)?;
    for of in [|row: &PositionRow| row.segment, |row: &PositionRow| row.span] {
        let values: Vec<i32> = rows().map(|row| integer(of(row))).collect();
        column::<Int32Type, _>(group, &values, definition, repetition)?;
    }
    for of in [|row: &PositionRow| bytes(&row.text), |row: &PositionRow| bytes(&row.xpath)] {
        let values: Vec<ByteArray> = rows().map(of).collect();
        column::<ByteArrayType, _>(group, &values, definition, repetition)?;
    }
    for of in [|row: &PositionRow| row.start, |row: &PositionRow| row.end] {
        optional::<Int32Type, _>(group, rows().map(|row| of(row).map(integer)), &levels)?;
    }
    for side in 0..4 {
        optional::<FloatType, _>(group, rows().map(|row| row.rect.map(|rect| rect[side])), &levels)?;
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

/// Texts have fewer characters than the largest value.
fn integer(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}
