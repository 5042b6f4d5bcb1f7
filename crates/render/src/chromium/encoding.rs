//! Whether the browser has misread a page, so that it is loaded again. The browser believes what
//! server and page declare, and never takes a page that declares nothing for UTF-8, nor one that is
//! sent as HTML for XHTML; the bytes of the page tell more ([`decode`](vclean_core::html::decode),
//! [`expand_short_form`](vclean_core::html::expand_short_form), `paused_response`). Pages that look
//! right are loaded once.

use super::tab::Tab;
use super::waiting::CurrentPage;
use serde::Deserialize;
use serde_json::json;
use vclean_core::error::RenderError;
use vclean_core::html::may_be_misread;

const ENCODING: &str = vclean_js::ENCODING;

/// Number of letters of the page that are looked at.
const LETTERS: usize = 20_000;
/// Largest document whose bytes are read, in bytes; nearly all are far smaller.
const MAX_BYTES: u64 = 16 << 20;

/// How the browser has read a page.
#[derive(Debug, Deserialize)]
struct Reading {
    /// Label of the encoding.
    encoding: String,
    /// Letters that are not ASCII.
    letters: String,
    /// Whether a script or the like contains the rest of the page.
    is_swallowed: bool,
}

/// Whether the page that is shown seems to be misread.
pub(super) fn seems_wrong(tab: &mut Tab) -> Result<bool, RenderError> {
    if tab.events.main.bytes > MAX_BYTES {
        return Ok(false);
    }
    let found = CurrentPage::default().function::<Reading>(
        tab,
        ENCODING,
        &[json!({ "value": LETTERS })],
    )?;
    Ok(found.is_some_and(|reading| {
        reading.is_swallowed || may_be_misread(&reading.letters, &reading.encoding)
    }))
}
