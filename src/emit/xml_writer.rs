//! Writes XML 1.0: elements, attributes and text, escaped, without the characters that XML cannot hold.
//!
//! Own code: a writer of a crate would still need the filter of characters, which is most of what is here.

/// An XML document that is being written.
#[derive(Debug, Default)]
pub(super) struct XmlWriter {
    out: String,
}

impl XmlWriter {
    /// Opens an element; attributes without a value are left out.
    pub(super) fn open(&mut self, tag: &str, attributes: &[(&str, Option<&str>)]) {
        self.start(tag, attributes);
        self.out.push('>');
    }

    /// Closes an element.
    pub(super) fn close(&mut self, tag: &str) {
        self.out.extend(["</", tag, ">"]);
    }

    /// An element without content.
    pub(super) fn empty(&mut self, tag: &str, attributes: &[(&str, Option<&str>)]) {
        self.start(tag, attributes);
        self.out.push_str("/>");
    }

    /// An element with a text.
    pub(super) fn element(&mut self, tag: &str, attributes: &[(&str, Option<&str>)], text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    /// Text within an element.
    pub(super) fn text(&mut self, text: &str) {
        write_escaped(&mut self.out, text, false);
    }

    /// A line break between two elements, where white space has no meaning.
    pub(super) fn end_line(&mut self) {
        self.out.push('\n');
    }

    /// The document.
    pub(super) fn finish(self) -> String {
        self.out
    }

    fn start(&mut self, tag: &str, attributes: &[(&str, Option<&str>)]) {
        self.out.extend(["<", tag]);
        for (name, value) in attributes {
            if let Some(value) = value {
                write_attribute(&mut self.out, name, value);
            }
        }
    }
}

/// Writes a space, and an attribute with its value, which is on one line.
pub(super) fn write_attribute(out: &mut String, name: &str, value: &str) {
    out.extend([" ", name, "=\""]);
    write_escaped(out, value, true);
    out.push('"');
}

/// Writes text as XML. Each `>` is escaped, so that no text looks like the end of a CDATA section.
fn write_escaped(out: &mut String, text: &str, in_attribute: bool) {
    for c in text.chars().filter(|&c| is_xml(c)) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if in_attribute => out.push_str("&quot;"),
            // A reader of XML turns the first three into spaces in attributes, and `\r` into a line feed in text; some
            // tools take the others for line feeds too.
            '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' if in_attribute => out.push(' '),
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            _ => out.push(c),
        }
    }
}

/// Whether XML 1.0 (section 2.2) can hold a character, and it is no control character of other sets, which is discouraged
/// there.
pub(super) fn is_xml(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        _ => !c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_impossible_characters_are_left_out() {
        let mut xml = XmlWriter::default();
        xml.open("a", &[("b", Some("\"<\n>\"\u{1}")), ("c", None)]);
        xml.text("x ]]> & \u{0}\u{b}\u{fffe}\u{202e}y\r");
        xml.empty("lb", &[]);
        xml.close("a");
        assert_eq!(xml.finish(), "<a b=\"&quot;&lt; &gt;&quot;\">x ]]&gt; &amp; \u{202e}y\n<lb/></a>");
    }
}
