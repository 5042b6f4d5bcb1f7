//! Writes one column with its definition and repetition levels (Melnik et al. 2010, Dremel, section 4).

use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::Result;
use ::parquet::file::writer::SerializedRowGroupWriter;
use std::io::Write;

/// A text as a value.
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
    let mut writer = group.next_column()?.expect("the columns are written in the order of the schema");
    writer.typed::<T>().write_batch(values, definition, repetition)?;
    writer.close()
}

/// Levels of a column of required elements in a required list; a page without elements has an empty list.
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
        Self { definition, repetition }
    }
}
