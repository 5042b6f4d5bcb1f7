//! The formats as values of an option, and the options that only some of them take.

use crate::emit::{FORMATS, Format};
use clap::builder::PossibleValuesParser;

/// Refuses `--links` for a format that holds no links.
pub(super) fn check_links(links: bool, format: &Format) -> anyhow::Result<()> {
    check_format("--links", links, format, |format| format.has_links)
}

/// Refuses `--with-metadata` for a format in which it changes nothing.
pub(super) fn check_metadata(metadata: bool, format: &Format) -> anyhow::Result<()> {
    check_format("--with-metadata", metadata, format, |format| format.takes_metadata)
}

/// Refuses an option for a format that does not take it.
fn check_format(option: &str, is_given: bool, format: &Format, takes: fn(&Format) -> bool) -> anyhow::Result<()> {
    let names: Vec<&str> = FORMATS.iter().filter(|format| takes(format)).map(|format| format.name).collect();
    anyhow::ensure!(
        !is_given || takes(format),
        "{option} is for --format {}, and the format is {}; leave one of the two out",
        names.join(", "),
        format.name
    );
    Ok(())
}

/// The names of all formats as values of an option.
pub(super) fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(
        FORMATS.iter().map(|format| clap::builder::PossibleValue::new(format.name).help(format.doc)),
    )
}
