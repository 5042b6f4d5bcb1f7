//! Labels in formats that other programs read and write: JSON lines with XPaths and offsets, and
//! the JSON of Label Studio.

mod files;
mod json_lines;
mod label_studio;
mod passage;
#[cfg(test)]
#[path = "../../../tests/unit/annotate_exchange_round_trip.rs"]
mod round_trip;

pub use files::{EXPORTS, ExportFormat, Imported, export, import, import_file};
