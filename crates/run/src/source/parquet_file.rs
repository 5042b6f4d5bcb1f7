//! Parquet files with a column of pages: one row in memory at a time, for files of any size.
//!
//! Columns are found by name: `html` is required, as text or as the bytes of an HTML or MHTML file
//! (the encoding is detected); `url` is used if it exists. No other column is read.

use super::pages::Pages;
use parquet::basic::{ConvertedType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use vclean_core::error::SourceError;
use vclean_core::files::open_regular;
use vclean_core::page::{Body, MAX_PAGE_BYTES, Page, open_bytes};

/// Largest data page of the format (which contains many rows) in bytes, both stored and
/// decompressed. Writers aim at 1 MB and exceed it by a batch of rows, usually 1,024 of them.
const MAX_STORED_BYTES: u64 = 512 << 20;
/// Number of columns that a message lists.
const MAX_NAMED_COLUMNS: usize = 30;

/// Returns true if the name of an input is that of a Parquet file.
pub(super) fn is_parquet(input: &str) -> bool {
    input.to_ascii_lowercase().ends_with(".parquet")
}

/// The pages of a file, each named by the file's name and the number of its row, from 1, such as
/// `pages.parquet:12`.
pub(super) fn open_parquet(input: &str) -> Pages {
    match guarded(|| Rows::open(input)) {
        Ok(rows) => Box::new(rows),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// Runs `read`. If it panics, the file counts as damaged: the Parquet reader is a large program,
/// and its input may be hostile.
fn guarded<T>(read: impl FnOnce() -> Result<T, SourceError>) -> Result<T, SourceError> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(damaged("its content makes no sense")))
}

fn damaged(cause: &str) -> SourceError {
    SourceError::Unusable(format!(
        "the Parquet file is damaged: {cause}; make or fetch it again"
    ))
}

/// The file, read in parts on demand.
struct Stored {
    path: PathBuf,
    length: u64,
}

impl Stored {
    fn at(&self, start: u64) -> std::io::Result<File> {
        let mut file = open_regular(&self.path)?;
        file.seek(SeekFrom::Start(start))?;
        Ok(file)
    }
}

impl Length for Stored {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Stored {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let mut reader = BufReader::new(self.at(start)?);
        match unpacked_bytes(reader.fill_buf()?) {
            Some(bytes) if bytes > MAX_STORED_BYTES => Err(too_large(bytes)),
            _ => Ok(reader),
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<bytes::Bytes> {
        if length as u64 > MAX_STORED_BYTES {
            return Err(too_large(length as u64));
        }
        let mut bytes = Vec::with_capacity(length.min(self.length.saturating_sub(start) as usize));
        self.at(start)?
            .take(length as u64)
            .read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF("it is cut off".to_owned()));
        }
        Ok(bytes.into())
    }
}

fn too_large(bytes: u64) -> ParquetError {
    let limit = MAX_STORED_BYTES >> 20;
    ParquetError::General(format!(
        "{bytes} bytes of rows are stored in one piece, and {limit} MB are the most"
    ))
}

/// The size in the header of a data page; `None` if there is no such header. The first field is the
/// kind of page and the second its size, both numbers in the compact Thrift encoding.
fn unpacked_bytes(header: &[u8]) -> Option<u64> {
    const NEXT_FIELD_IS_NUMBER: u8 = 0x15;
    let (&[NEXT_FIELD_IS_NUMBER, _kind, NEXT_FIELD_IS_NUMBER], size) =
        header.split_first_chunk::<3>()?
    else {
        return None;
    };
    let mut value = 0;
    for (place, byte) in size.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            // The sign is in the lowest bit.
            return Some(value >> 1);
        }
    }
    None
}

/// A column of the current row group.
type Texts = ColumnReaderImpl<ByteArrayType>;

/// The number of a row, and its page or its error.
type Row = (u64, Result<Page, SourceError>);

struct Rows {
    input: String,
    file: SerializedFileReader<Stored>,
    html: usize,
    is_text: bool,
    url: Option<usize>,
    /// Number of row groups that have been opened.
    groups: usize,
    now: Option<(Texts, Option<Texts>)>,
    /// Number of rows of the group that have not been read.
    left: u64,
    row: u64,
    is_at_end: bool,
}

impl Rows {
    fn open(input: &str) -> Result<Self, SourceError> {
        let path = Path::new(input);
        let read = |error: std::io::Error| SourceError::Read {
            path: path.into(),
            cause: error.to_string(),
        };
        let length = open_regular(path)
            .and_then(|file| file.metadata())
            .map_err(read)?
            .len();
        let file = SerializedFileReader::new(Stored {
            path: path.into(),
            length,
        })
        .map_err(|error| damaged(&error.to_string()))?;
        let schema = file.metadata().file_metadata().schema_descr();
        let html = column(schema, "html")?.ok_or_else(|| {
            let names: Vec<&str> = schema
                .root_schema()
                .get_fields()
                .iter()
                .map(|field| field.name())
                .collect();
            let more = if names.len() > MAX_NAMED_COLUMNS {
                ", and more"
            } else {
                ""
            };
            let names = names[..names.len().min(MAX_NAMED_COLUMNS)].join(", ");
            SourceError::Unusable(format!(
                "the file has no column html, only {names}{more}; rename the one with the pages"
            ))
        })?;
        let is_text = schema.column(html).converted_type() == ConvertedType::UTF8;
        let url = column(schema, "url")?;
        let input = input.to_owned();
        Ok(Self {
            input,
            html,
            is_text,
            url,
            file,
            groups: 0,
            now: None,
            left: 0,
            row: 0,
            is_at_end: false,
        })
    }

    /// The next row; an error is a problem of the file.
    fn row(&mut self) -> Result<Option<Row>, SourceError> {
        while self.left == 0 {
            let metadata = self.file.metadata();
            if self.groups == metadata.num_row_groups() {
                return Ok(None);
            }
            let rows = metadata.row_group(self.groups).num_rows();
            self.left = u64::try_from(rows).map_err(|_| damaged("a number of rows is negative"))?;
            let group = self
                .file
                .get_row_group(self.groups)
                .map_err(|error| damaged(&error.to_string()))?;
            let texts = |column| match group.get_column_reader(column) {
                Ok(ColumnReader::ByteArrayColumnReader(texts)) => Ok(texts),
                Ok(_) => Err(damaged("a column changes its type")),
                Err(error) => Err(damaged(&error.to_string())),
            };
            self.now = Some((texts(self.html)?, self.url.map(texts).transpose()?));
            self.groups += 1;
        }
        let Some((html, url)) = &mut self.now else {
            return Ok(None);
        };
        self.left -= 1;
        self.row += 1;
        let html = next(html)?;
        let url = url.as_mut().map(next).transpose()?.flatten();
        let url = url
            .map(|url| String::from_utf8_lossy(url.data()).trim().to_owned())
            .filter(|url| !url.is_empty());
        let place = format!("{}:{}", self.input, self.row);
        let page = match html {
            None => Err(SourceError::Unusable("html is null".to_owned())),
            Some(html) if html.len() as u64 > MAX_PAGE_BYTES => Err(SourceError::TooLarge {
                bytes: html.len() as u64,
                limit: MAX_PAGE_BYTES,
            }),
            Some(html) if self.is_text => {
                let html = String::from_utf8_lossy(html.data());
                Ok(Page::new(place, Body::html(html)))
            }
            Some(html) => open_bytes(&place, html.data().to_vec(), None),
        };
        Ok(Some((
            self.row,
            page.map(|page| Page {
                url: url.or(page.url),
                ..page
            }),
        )))
    }
}

/// The index of a column of text or bytes with this name, outside all groups and lists.
fn column(schema: &SchemaDescriptor, name: &str) -> Result<Option<usize>, SourceError> {
    let found = schema
        .columns()
        .iter()
        .position(|column| column.path().parts() == [name]);
    let Some(number) = found else { return Ok(None) };
    let column = schema.column(number);
    if column.physical_type() != Type::BYTE_ARRAY || column.max_rep_level() > 0 {
        let kind = column.physical_type();
        return Err(SourceError::Unusable(format!(
            "column {name} holds {kind}, not text; write it as text or bytes"
        )));
    }
    Ok(Some(number))
}

/// The next value of a column; `None` if it is null.
fn next(texts: &mut Texts) -> Result<Option<ByteArray>, SourceError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let read = texts.read_records(1, Some(&mut levels), None, &mut values);
    match read {
        Ok((1, ..)) => Ok(values.pop()),
        Ok(_) => Err(damaged("it has fewer rows than its header states")),
        Err(error) => Err(damaged(&error.to_string())),
    }
}

impl Iterator for Rows {
    type Item = Result<Page, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_at_end {
            return None;
        }
        match guarded(|| self.row()) {
            Ok(Some((number, page))) => {
                Some(page.map_err(|error| SourceError::Unusable(format!("row {number}: {error}"))))
            }
            Ok(None) => {
                self.is_at_end = true;
                None
            }
            Err(error) => {
                self.is_at_end = true;
                let row = self.row;
                Some(Err(SourceError::Unusable(format!(
                    "the file ends early, after row {}: {error}",
                    row.max(1) - 1
                ))))
            }
        }
    }

    /// The upper bound is the number of rows in the header; a damaged file may have fewer.
    fn size_hint(&self) -> (usize, Option<usize>) {
        // A group with an invalid number of rows gives one error.
        let rows = |group: &RowGroupMetaData| usize::try_from(group.num_rows()).unwrap_or(1);
        let groups = self
            .file
            .metadata()
            .row_groups()
            .get(self.groups..)
            .unwrap_or_default();
        let left = groups
            .iter()
            .map(rows)
            .fold(self.left as usize, usize::saturating_add);
        (0, Some(if self.is_at_end { 0 } else { left }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::basic::{Compression, GzipLevel, ZstdLevel};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    /// A file with groups of rows; each row is a page and an address.
    fn file(
        html_type: &str,
        groups: &[&[(Option<&str>, &str)]],
        compression: Compression,
    ) -> Vec<u8> {
        let schema = format!(
            "message pages {{ REQUIRED INT64 id; OPTIONAL BYTE_ARRAY html {html_type}; REQUIRED BYTE_ARRAY url (UTF8); }}"
        );
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .build();
        let schema = Arc::new(parse_message_type(&schema).unwrap());
        let mut writer =
            SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
        for rows in groups {
            let mut group = writer.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            let ids: Vec<i64> = (0..rows.len() as i64).collect();
            column
                .typed::<parquet::data_type::Int64Type>()
                .write_batch(&ids, None, None)
                .unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            let values: Vec<ByteArray> = rows
                .iter()
                .filter_map(|(html, _)| html.map(ByteArray::from))
                .collect();
            let levels: Vec<i16> = rows
                .iter()
                .map(|(html, _)| i16::from(html.is_some()))
                .collect();
            column
                .typed::<ByteArrayType>()
                .write_batch(&values, Some(&levels), None)
                .unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            let values: Vec<ByteArray> =
                rows.iter().map(|(_, url)| ByteArray::from(*url)).collect();
            column
                .typed::<ByteArrayType>()
                .write_batch(&values, None, None)
                .unwrap();
            column.close().unwrap();
            group.close().unwrap();
        }
        writer.into_inner().unwrap()
    }

    fn pages(bytes: &[u8]) -> Vec<Result<Page, SourceError>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.parquet");
        std::fs::write(&path, bytes).unwrap();
        super::super::open(&path.to_string_lossy()).collect()
    }

    const GROUPS: &[&[(Option<&str>, &str)]] = &[
        &[
            (Some("<p>one"), "https://a.example/1"),
            (None, "https://a.example/2"),
        ],
        &[(Some("<p>three"), "")],
    ];

    #[test]
    fn rows_are_pages_with_every_compression() {
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::ZSTD(ZstdLevel::default()),
            Compression::GZIP(GzipLevel::default()),
        ] {
            for html_type in ["", "(UTF8)"] {
                let found = pages(&file(html_type, GROUPS, compression));
                assert_eq!(found.len(), 3);
                let one = found[0].as_ref().unwrap();
                assert!(one.input.ends_with("pages.parquet:1") && one.body == Body::html("<p>one"));
                assert_eq!(one.url.as_deref(), Some("https://a.example/1"));
                assert_eq!(
                    found[1].as_ref().unwrap_err().to_string(),
                    "row 2: html is null"
                );
                let three = found[2].as_ref().unwrap();
                assert!(
                    three.input.ends_with(":3")
                        && three.url.is_none()
                        && three.body == Body::html("<p>three")
                );
            }
        }
    }

    #[test]
    fn the_number_of_rows_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.parquet");
        std::fs::write(&path, file("", GROUPS, Compression::UNCOMPRESSED)).unwrap();
        let mut rows = super::super::open(&path.to_string_lossy());
        assert_eq!(rows.size_hint().1, Some(3));
        rows.next();
        assert_eq!(rows.size_hint().1, Some(2));
        assert_eq!((rows.by_ref().count(), rows.size_hint().1), (2, Some(0)));
    }

    #[test]
    fn a_missing_or_wrong_column_gives_an_error() {
        let rewrite = |from: &str, to: &str| {
            let mut bytes = file("", GROUPS, Compression::UNCOMPRESSED);
            let places: Vec<usize> = (0..bytes.len() - from.len())
                .filter(|at| bytes[*at..].starts_with(from.as_bytes()))
                .collect();
            for at in places {
                bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
            }
            pages(&bytes)[0].as_ref().unwrap_err().to_string()
        };
        assert!(rewrite("html", "text").contains("no column html, only id, text, url; rename"));
        let schema =
            Arc::new(parse_message_type("message pages { REQUIRED INT64 html; }").unwrap());
        let writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
        let error = pages(&writer.into_inner().unwrap())[0]
            .as_ref()
            .unwrap_err()
            .to_string();
        assert!(error.contains("column html holds INT64"), "{error}");
    }

    #[test]
    fn cut_or_damaged_files_give_an_error() {
        let whole = file("(UTF8)", GROUPS, Compression::SNAPPY);
        for end in (0..whole.len()).step_by(23) {
            let found = pages(&whole[..end]);
            assert!(found.len() == 1 && found[0].is_err(), "{end}");
        }
        for at in 0..whole.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] ^= change;
                let _ = pages(&damaged).len();
            }
        }
    }

    #[test]
    fn sizes_are_read_from_the_header_of_a_data_page() {
        assert_eq!(unpacked_bytes(&[0x15, 0, 0x15, 0x80, 0x01, 0x15]), Some(64));
        assert_eq!(
            unpacked_bytes(&[0x15, 0, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f]),
            Some((1 << 31) - 1)
        );
        assert_eq!(unpacked_bytes(b"PAR1"), None);
    }
}
