//! Which fonts are installed here, as `fc-list` says.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Families named in a capture's record, at most.
const MAX_FAMILIES: usize = 40;

/// The families of the fonts installed, in brief: the first two words of each name, sorted. Asked once.
pub(super) fn font_families() -> Vec<String> {
    static FAMILIES: OnceLock<Vec<String>> = OnceLock::new();
    let ask = || {
        let text = output(Command::new("fc-list").args([":", "family"])).unwrap_or_default();
        let families: BTreeSet<String> = text.lines().filter_map(family).collect();
        families.into_iter().take(MAX_FAMILIES).collect()
    };
    FAMILIES.get_or_init(ask).clone()
}

/// The family of a line of `fc-list`, in brief.
pub(super) fn family(line: &str) -> Option<String> {
    let first = line.split(',').next()?.trim();
    let words: Vec<&str> = first.split_whitespace().take(2).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// What a program prints; `None` where it is missing or fails.
pub(super) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_brief() {
        assert_eq!(family("Noto Sans Arabic UI,Noto Sans Arabic UI SmBd").as_deref(), Some("Noto Sans"));
        assert_eq!(family(""), None);
    }
}
