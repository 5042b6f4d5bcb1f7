//! Labels in formats that other programs read and write: JSON lines with XPaths and offsets, and the JSON of Label Studio.

mod export;
mod import;
mod json_lines;
mod label_studio;
mod passage;

pub use export::{EXPORTS, ExportFormat, export};
pub use import::{Imported, import, import_file};
pub use passage::{LabelledPage, LabelledPassage, TextPoint};

#[cfg(test)]
mod round_trip;
