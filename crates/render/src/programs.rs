//! Reads the output of other programs: the installed fonts as listed by `fc-list`, and lines for
//! messages.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use vclean_core::text::excerpt;

/// Maximum number of families in a capture's record.
const MAX_FAMILIES: usize = 40;

/// Returns the families of the installed fonts, shortened to the first two words of each name,
/// sorted. The list is read once per process.
pub(super) fn font_families() -> Vec<String> {
    static FAMILIES: OnceLock<Vec<String>> = OnceLock::new();
    let ask = || {
        let text = output(Command::new("fc-list").args([":", "family"])).unwrap_or_default();
        let families: BTreeSet<String> = text.lines().filter_map(family).collect();
        families.into_iter().take(MAX_FAMILIES).collect()
    };
    FAMILIES.get_or_init(ask).clone()
}

/// Returns the shortened family of a line of `fc-list`.
pub(super) fn family(line: &str) -> Option<String> {
    let first = line.split(',').next()?.trim();
    let words: Vec<&str> = first.split_whitespace().take(2).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Returns the output of a program; `None` if it is missing or fails.
pub(super) fn output(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Longest line in a message, in characters.
pub(super) const LINE_CHARACTERS: usize = 300;
/// Longest line in a message that is not text, in characters.
const JUNK_CHARACTERS: usize = 40;

/// Prepares a line for a message: cut to the maximum length, with its bytes escaped if it is not
/// text.
pub(super) fn printable(line: &[u8]) -> String {
    let is_text = |text: &str| text.chars().all(|c| !c.is_control() || c == '\t');
    match std::str::from_utf8(line.trim_ascii()) {
        Ok(text) if is_text(text) => excerpt(text, LINE_CHARACTERS).to_owned(),
        _ => {
            let mut escaped = String::new();
            for part in line.trim_ascii().utf8_chunks() {
                for c in part.valid().chars() {
                    if c.is_ascii() && !c.is_control() {
                        escaped.push(c);
                    } else {
                        escaped.extend(c.escape_default());
                    }
                }
                for byte in part.invalid() {
                    let _ = write!(escaped, "\\x{byte:02x}");
                }
            }
            let cut = excerpt(&escaped, JUNK_CHARACTERS);
            if cut.len() < escaped.len() {
                format!("{cut}...")
            } else {
                escaped
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_shortened() {
        assert_eq!(
            family("Noto Sans Arabic UI,Noto Sans Arabic UI SmBd").as_deref(),
            Some("Noto Sans")
        );
        assert_eq!(family(""), None);
    }

    #[test]
    fn bytes_that_are_no_text_are_escaped_and_cut() {
        assert_eq!(printable(b"  a plain l\xc3\xadne\n"), "a plain l\u{ed}ne");
        assert_eq!(printable(b"\x1b[31mred\xff"), "\\u{1b}[31mred\\xff");
        let junk = printable(&[0x80; 3000]);
        assert_eq!(junk.chars().count(), JUNK_CHARACTERS + 3, "{junk}");
    }
}
