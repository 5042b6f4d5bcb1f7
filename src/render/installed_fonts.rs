//! The installed fonts, as listed by `fc-list`.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Largest number of families in a capture's record.
const MAX_FAMILIES: usize = 40;

/// The families of the installed fonts, shortened: the first two words of each name, sorted. Read once per process.
pub(super) fn font_families() -> Vec<String> {
    static FAMILIES: OnceLock<Vec<String>> = OnceLock::new();
    let ask = || {
        let text = output(Command::new("fc-list").args([":", "family"])).unwrap_or_default();
        let families: BTreeSet<String> = text.lines().filter_map(family).collect();
        families.into_iter().take(MAX_FAMILIES).collect()
    };
    FAMILIES.get_or_init(ask).clone()
}

/// The shortened family of a line of `fc-list`.
pub(super) fn family(line: &str) -> Option<String> {
    let first = line.split(',').next()?.trim();
    let words: Vec<&str> = first.split_whitespace().take(2).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The output of a program; `None` if it is missing or fails.
pub(super) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_shortened() {
        assert_eq!(family("Noto Sans Arabic UI,Noto Sans Arabic UI SmBd").as_deref(), Some("Noto Sans"));
        assert_eq!(family(""), None);
    }
}
