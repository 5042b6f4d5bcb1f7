//! Recognizes the address or the path of a page that was given in place of the page.

/// Where a page is, given in place of the page itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// An address on the web.
    Address,
    /// The path of a file.
    Path,
}

/// Largest length, in bytes, of a path or an address. Heuristic: `PATH_MAX` of Linux.
const MAX_BYTES: usize = 4096;

/// Beginnings of paths without white space.
const PATH_STARTS: [&str; 4] = ["file://", "/", "./", "../"];

/// Endings of the files that hold pages, in lower case.
const ENDINGS: [&str; 8] = [
    ".html", ".htm", ".xhtml", ".mhtml", ".mht", ".pdf", ".warc", ".gz",
];

impl Place {
    /// The place that a text names; `None` if the text may be a page. A page of one line without a
    /// tag is not mistaken for a place unless it begins or ends as only places do.
    ///
    /// ```
    /// use vclean_core::page::Place;
    ///
    /// assert_eq!(Place::named_by("https://example.org/gulls"), Some(Place::Address));
    /// assert_eq!(Place::named_by("pages/my gulls.html"), Some(Place::Path));
    /// assert_eq!(Place::named_by("Herring gulls drop mussels."), None);
    /// ```
    pub fn named_by(text: &str) -> Option<Self> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let text = text.trim();
        if text.is_empty() || text.contains(['<', '\n', '\r']) {
            return None;
        }
        let starts_with = |start: &str| {
            text.get(..start.len())
                .is_some_and(|own| own.eq_ignore_ascii_case(start))
        };
        let is_word = !text.contains(char::is_whitespace);
        if starts_with("http://") || starts_with("https://") {
            return is_word.then_some(Self::Address);
        }
        let lower = text.to_ascii_lowercase();
        let is_path = is_word && PATH_STARTS.iter().any(|start| starts_with(start))
            || ENDINGS.iter().any(|end| lower.ends_with(end));
        is_path.then_some(Self::Path)
    }

    /// The thing that was given, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Address => "an address",
            Self::Path => "the path of a file",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_pages_are_not_places() {
        for text in [
            "",
            "Gulls",
            "https://example.org is a page about gulls",
            "<a href=https://example.org/x.html>x.html",
            "one\nx.html",
            "x.html and more",
            "/ is the root of all paths",
        ] {
            assert_eq!(Place::named_by(text), None, "{text}");
        }
        for text in ["HTTP://A.EXAMPLE", " https://a.example/x?y=z\n"] {
            assert_eq!(Place::named_by(text), Some(Place::Address), "{text}");
        }
        for text in [
            "a.HTM",
            "C:\\pages\\a b.mhtml",
            "file:///a",
            "/x/y.pdf",
            "./gulls",
            "/srv/page",
        ] {
            assert_eq!(Place::named_by(text), Some(Place::Path), "{text}");
        }
        assert_eq!(Place::named_by(&"x.html".repeat(1000)), None);
    }
}
