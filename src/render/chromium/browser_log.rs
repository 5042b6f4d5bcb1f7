//! What a browser prints, for the message that it does not start.

use crate::text::excerpt;
use std::collections::VecDeque;
use std::fmt::Write;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// Number of lines that are kept.
const LINES: usize = 12;
/// Longest line that is read, in bytes; the rest of a longer one counts as another line.
const LINE_BYTES: u64 = 4096;
/// Longest line in a message, in characters.
const LINE_CHARACTERS: usize = 300;
/// Longest line in a message that is no text, in characters.
const JUNK_CHARACTERS: usize = 40;

/// The last lines that a browser printed.
pub(super) struct BrowserLog {
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl BrowserLog {
    /// Reads a stream to its end, on a thread, so that the browser never blocks on a full pipe.
    pub(super) fn follow(stream: Option<impl Read + Send + 'static>) -> Self {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(stream) = stream {
            let kept = Arc::clone(&lines);
            let read = move || {
                let mut reader = BufReader::new(stream);
                let mut line = Vec::new();
                while reader.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    if kept.len() == LINES {
                        kept.pop_front();
                    }
                    kept.push_back(printable(&line));
                    line.clear();
                }
            };
            let _ = std::thread::Builder::new().name("vclean-browser-log".into()).spawn(read);
        }
        Self { lines }
    }

    /// The lines in one.
    pub(super) fn text(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" | ")
    }
}

/// A line for a message: cut, and if it is no text, with its bytes escaped.
pub(in crate::render) fn printable(line: &[u8]) -> String {
    let is_text = |text: &str| text.chars().all(|c| !c.is_control() || c == '\t');
    match std::str::from_utf8(line.trim_ascii()) {
        Ok(text) if is_text(text) => excerpt(text, LINE_CHARACTERS).to_owned(),
        _ => {
            let mut escaped = String::new();
            for part in line.trim_ascii().utf8_chunks() {
                for c in part.valid().chars() {
                    if c.is_ascii() && !c.is_control() { escaped.push(c) } else { escaped.extend(c.escape_default()) }
                }
                for byte in part.invalid() {
                    let _ = write!(escaped, "\\x{byte:02x}");
                }
            }
            let cut = excerpt(&escaped, JUNK_CHARACTERS);
            if cut.len() < escaped.len() { format!("{cut}...") } else { escaped }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_escaped_and_cut() {
        assert_eq!(printable(b"  a plain l\xc3\xadne\n"), "a plain l\u{ed}ne");
        assert_eq!(printable(b"\x1b[31mred\xff"), "\\u{1b}[31mred\\xff");
        let junk = printable(&[0x80; 3000]);
        assert_eq!(junk.chars().count(), JUNK_CHARACTERS + 3, "{junk}");
    }

    #[test]
    fn a_line_without_end_is_read_in_parts() {
        let log = BrowserLog::follow(Some(std::io::repeat(b'x').take(1 << 20)));
        let is_done = |log: &BrowserLog| Arc::strong_count(&log.lines) == 1;
        while !is_done(&log) {
            std::thread::yield_now();
        }
        assert!(log.text().len() <= LINES * (LINE_CHARACTERS + 3), "{}", log.text().len());
    }
}
