//! The HTML version that a page declares (feature 6a), from the doctype at the start of its source.

/// The declared version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doctype {
    /// XHTML 1.0 or 1.1.
    Xhtml,
    /// HTML 4.
    Html4,
    /// HTML 5.
    Html5,
    /// None, or an older one.
    Undeclared,
}

/// Number of bytes at the start of the source in which the doctype is searched; little can precede it.
const HEAD_BYTES: usize = 4096;

impl Doctype {
    /// Reads the start of a page's source. A tree written as HTML has no doctype and is undeclared.
    pub(crate) fn detect(source: &str) -> Self {
        let end = (0..=HEAD_BYTES.min(source.len())).rev().find(|&at| source.is_char_boundary(at)).unwrap_or(0);
        let head = source[..end].to_ascii_lowercase();
        let Some((_, declared)) = head.split_once("<!doctype") else { return Self::Undeclared };
        let declared = declared.split_once('>').map_or(declared, |(declared, _)| declared);
        if declared.contains("xhtml 1") {
            Self::Xhtml
        } else if declared.contains("html 4") {
            Self::Html4
        } else if matches!(declared.trim(), "html") || declared.contains("about:legacy-compat") {
            Self::Html5
        } else {
            Self::Undeclared
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declared_versions_are_recognized() {
        for (source, kind) in [
            ("<!DOCTYPE html>\n<html>", Doctype::Html5),
            ("<!doctype html SYSTEM 'about:legacy-compat'>", Doctype::Html5),
            ("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", Doctype::Html4),
            ("<?xml version='1.0'?><!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\">", Doctype::Xhtml),
            ("<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 3.2//EN\">", Doctype::Undeclared),
            ("<html><p>xhtml 1", Doctype::Undeclared),
            ("<!doctype", Doctype::Undeclared),
            ("", Doctype::Undeclared),
        ] {
            assert_eq!(Doctype::detect(source), kind, "{source}");
        }
        assert_eq!(Doctype::detect(&format!("{}<!doctype html>", "é".repeat(4_000))), Doctype::Undeclared);
    }
}
