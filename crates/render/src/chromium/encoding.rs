//! Detects that the browser has misread a page, so that it must be loaded again. The browser
//! believes the declarations of server and page. Without one, it never assumes UTF-8, and it never
//! reads HTML as XHTML. The bytes of the page tell more ([`decode`](vclean_core::html::decode),
//! [`expand_short_form`](vclean_core::html::expand_short_form), `paused_response`). Pages that look
//! right are loaded once.

use super::tab::Tab;
use super::waiting::CurrentPage;
use serde::Deserialize;
use serde_json::json;
use vclean_core::error::RenderError;
use vclean_core::html::may_be_misread;

const ENCODING: &str = vclean_js::ENCODING;

/// Number of characters of the page that are checked.
const LETTERS: usize = 20_000;
/// Largest document whose bytes are read, in bytes; nearly all are far smaller.
const MAX_BYTES: u64 = 16 << 20;

/// The browser's reading of a page.
#[derive(Debug, Deserialize)]
struct Reading {
    /// Label of the encoding that the browser used.
    encoding: String,
    /// Non-ASCII characters of the page.
    letters: String,
    /// True if a script or the like contains the rest of the page.
    is_swallowed: bool,
}

/// Returns true if the page seems to be misread.
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
