//! The formatted text of a segment as Markdown, on one line or on several.

use super::format::EmitOptions;
use crate::document::{Script, Span};
use crate::text::collapse;
use std::borrow::Cow;
use std::fmt::Write;

/// The formatted text of a paragraph with its line breaks.
pub(super) fn paragraph(spans: &[Span], options: &EmitOptions) -> String {
    let lines = lines(spans)
        .into_iter()
        .map(|line| inline(&line, options, true))
        .filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.map(start_of_line).collect();
    lines.join("\\\n")
}

/// The spans of each line of a text that is not a code block.
pub(super) fn lines(spans: &[Span]) -> Vec<Cow<'_, [Span]>> {
    if spans.iter().all(|span| !span.text.contains('\n')) {
        return vec![Cow::Borrowed(spans)];
    }
    let mut lines = vec![Vec::new()];
    for span in spans {
        for (index, text) in span.text.split('\n').enumerate() {
            if index > 0 {
                lines.push(Vec::new());
            }
            let line = lines.last_mut().expect("there is a first line");
            line.push(Span {
                text: text.to_owned(),
                ..span.clone()
            });
        }
    }
    lines.into_iter().map(Cow::Owned).collect()
}

/// The formatted text on one line; headings are written without emphasis.
pub(super) fn inline(spans: &[Span], options: &EmitOptions, has_emphasis: bool) -> String {
    let mut out = String::new();
    let mut link: Option<&str> = None;
    let end_link = |out: &mut String, link: &mut Option<&str>| {
        if let Some(target) = link.take() {
            out.extend(["](", &address(target), ")"]);
        }
    };
    // The emphasis that is open over several spans, and the last of these spans.
    let mut open: Option<(&str, usize)> = None;
    for (index, span) in spans.iter().enumerate() {
        let wanted = wanted_link(span, options);
        let text = collapse(&span.text);
        if wanted != link {
            end_link(&mut out, &mut link);
        }
        let starts_with_space = span.text.starts_with(char::is_whitespace);
        if starts_with_space && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        if text.is_empty() {
            continue;
        }
        if wanted != link {
            // Without the backslash, "![" would begin a picture.
            if out.ends_with('!') {
                out.insert(out.len() - 1, '\\');
            }
            out.push('[');
            link = wanted;
        }
        if open.is_none() && has_emphasis {
            open = emphasis_of_several(&out, spans, index, options);
            out.push_str(open.map_or("", |(marker, _)| marker));
        }
        let closing = open
            .filter(|&(_, last)| last == index)
            .and_then(|(marker, _)| marker.chars().next());
        let next = closing.unwrap_or_else(|| following(&span.text, &spans[index + 1..]));
        write_span(&mut out, span, &text, next, has_emphasis && open.is_none());
        if let Some((marker, _)) = open.filter(|&(_, last)| last == index) {
            out.push_str(marker);
            open = None;
        }
        if span.text.ends_with(char::is_whitespace) {
            out.push(' ');
        }
    }
    end_link(&mut out, &mut link);
    out.trim().to_owned()
}

/// The link to be written around a span.
fn wanted_link<'s>(span: &'s Span, options: &EmitOptions) -> Option<&'s str> {
    span.link
        .as_deref()
        .filter(|_| options.links && span.note.is_none())
}

/// An emphasis that begins with a span and continues over code, formulas or other spans: its
/// marker, and the index of its last span. `None` for a single span, and where the markers would
/// not be read as emphasis.
fn emphasis_of_several(
    out: &str,
    spans: &[Span],
    first: usize,
    options: &EmitOptions,
) -> Option<(&'static str, usize)> {
    let begin = &spans[first];
    let marker = marker(begin);
    if marker.is_empty() {
        return None;
    }
    let is_shown = |span: &Span| !span.text.trim().is_empty();
    let is_part = |span: &Span| {
        let is_same = (span.is_strong, span.is_emphasis) == (begin.is_strong, begin.is_emphasis);
        wanted_link(span, options) == wanted_link(begin, options)
            && (is_same && span.note.is_none() || !is_shown(span))
    };
    let parts = spans[first..].iter().take_while(|span| is_part(span));
    let shown: Vec<usize> = parts
        .enumerate()
        .filter(|(_, span)| is_shown(span))
        .map(|(index, _)| first + index)
        .collect();
    let last = *shown.last()?;
    let is_text = |&index: &usize| !spans[index].is_code && spans[index].formula.is_none();
    if shown.len() < 2 || !shown.iter().any(is_text) {
        return None;
    }
    let is_plain = |span: &Span| !span.is_code && elements(span).is_empty();
    let starts_word = is_plain(begin) && begin.text.trim().starts_with(char::is_alphanumeric);
    let ends_word =
        is_plain(&spans[last]) && spans[last].text.trim().ends_with(char::is_alphanumeric);
    let can_begin = if starts_word {
        !out.ends_with(|c: char| c.is_alphanumeric() || "*_".contains(c))
    } else {
        out.is_empty() || out.ends_with([' ', '['])
    };
    let can_end = ends_word || following(&spans[last].text, &spans[last + 1..]) == ' ';
    (can_begin && can_end).then_some((marker, last))
}

/// The marker of a span's emphasis; empty if there is none.
fn marker(span: &Span) -> &'static str {
    match (span.is_strong, span.is_emphasis) {
        (true, true) => "***",
        (true, false) => "**",
        (false, true) => "*",
        (false, false) => "",
    }
}

/// Escapes an address as the target of a link or a picture.
pub(super) fn address(address: &str) -> String {
    let escaped = address
        .replace('<', "%3C")
        .replace('>', "%3E")
        .replace('\\', "%5C")
        .replace(['\n', '\r'], "");
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '(' | ')');
    if escaped.is_empty() || !escaped.chars().all(is_plain) {
        format!("<{escaped}>")
    } else {
        escaped
    }
}

/// Writes the text of a span with its formatting; `next` is the character that follows.
fn write_span(out: &mut String, span: &Span, text: &str, next: char, has_emphasis: bool) {
    if let Some(note) = span.note {
        let _ = write!(out, "[^{note}]");
        return;
    }
    if span.formula.is_some() {
        out.push_str(&formula(text));
        return;
    }
    // From the start of a line, `[` up to the first `]:` would be read as a link definition, also
    // inside code.
    let is_definition =
        out.starts_with('[') && text.contains("]:") && !out.replace("\\]", "").contains(']');
    if span.is_code && !out.ends_with('`') && !is_definition {
        write_code(out, text);
        return;
    }
    let marker = if has_emphasis { marker(span) } else { "" };
    let around = elements(span);
    // Emphasis markers work only at the start and end of words, and next to punctuation only if
    // there is white space on the other side; elsewhere they would be shown as text.
    let is_after_space = around.is_empty() && (out.is_empty() || out.ends_with(' '));
    let can_begin = if text.starts_with(char::is_alphanumeric) {
        !out.ends_with(|c: char| c.is_alphanumeric() || "*_".contains(c))
    } else {
        is_after_space
    };
    let can_end = text.ends_with(char::is_alphanumeric) || (around.is_empty() && next == ' ');
    let marker = if can_begin && can_end { marker } else { "" };
    out.extend(around.iter().flat_map(|tag| ["<", tag, ">"]));
    out.push_str(marker);
    let after = if around.is_empty() { next } else { ' ' };
    escape(out, text, marker.chars().next().unwrap_or(after));
    out.push_str(marker);
    out.extend(around.iter().rev().flat_map(|tag| ["</", tag, ">"]));
}

/// A formula, whose backslashes and underscores formula readers take literally. Plain Markdown
/// readers would take `<` for HTML, and a dollar sign inside for the end: both are written as
/// commands.
fn formula(text: &str) -> Cow<'_, str> {
    let mark = if text.starts_with("$$") { "$$" } else { "$" };
    let inner = text
        .strip_prefix(mark)
        .and_then(|text| text.strip_suffix(mark))
        .unwrap_or(text);
    if !inner.contains(['<', '$']) && !inner.ends_with('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = mark.to_owned();
    // Two flags for each open group: it is text, and it contains mathematics between dollar signs.
    let mut groups: Vec<(bool, bool)> = Vec::new();
    let mut command = "";
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        let (is_text, is_nested) = groups.last().copied().unwrap_or_default();
        let last_command = std::mem::take(&mut command);
        match c {
            '\\' => {
                let name = rest[1..]
                    .bytes()
                    .take_while(u8::is_ascii_alphabetic)
                    .count();
                let sign = rest[1..].chars().next().map_or(0, char::len_utf8);
                length = 1 + if name > 0 { name } else { sign };
                command = &rest[1..=name];
                // No reader knows a command `\\<`.
                let is_plain = rest[1..].starts_with('<');
                length = if is_plain { 1 } else { length };
                out.push_str(if is_plain { "" } else { &rest[..length] });
            }
            '{' => {
                let begins_text = last_command.starts_with("text")
                    || matches!(last_command, "mbox" | "hbox" | "fbox");
                groups.push((begins_text || is_text && !is_nested, false));
                out.push(c);
            }
            '}' => {
                groups.pop();
                out.push(c);
            }
            '<' => {
                out.push_str(if is_text && !is_nested {
                    "\\textless"
                } else {
                    "\\lt"
                });
                if rest[1..].starts_with(|next: char| next.is_alphanumeric()) {
                    out.push(' ');
                }
            }
            '$' => {
                let has_partner = is_nested
                    || rest[1..]
                        .split('}')
                        .next()
                        .is_some_and(|group| group.contains('$'));
                match groups.last_mut().filter(|_| is_text && has_partner) {
                    Some(group) => {
                        group.1 = !is_nested;
                        out.push_str(if is_nested { "\\)" } else { "\\(" });
                    }
                    None => out.push_str("\\$"),
                }
            }
            _ => out.push(c),
        }
        rest = &rest[length..];
    }
    // A backslash at the end would escape the closing dollar sign.
    if out.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1 {
        out.push(' ');
    }
    Cow::Owned(out + mark)
}

/// The HTML elements for formatting that CommonMark has no marks for.
fn elements(span: &Span) -> Vec<&'static str> {
    let script = span.script.map(|script| match script {
        Script::Sub => "sub",
        Script::Sup => "sup",
    });
    span.is_deleted
        .then_some("del")
        .into_iter()
        .chain(script)
        .collect()
}

/// The character that follows the text of a span; a space at the end of a word or line.
fn following(text: &str, rest: &[Span]) -> char {
    if text.ends_with(char::is_whitespace) {
        return ' ';
    }
    let next = rest.iter().find_map(|span| span.text.chars().next());
    next.filter(|next| !next.is_whitespace()).unwrap_or(' ')
}

/// Length of the longest run of backticks.
pub(super) fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Writes a span of code between backticks.
fn write_code(out: &mut String, text: &str) {
    let fence = "`".repeat(longest_run(text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    for piece in [&fence, blank, text, blank, &fence] {
        out.push_str(piece);
    }
}

/// Escapes characters that would be read as markup inside a line; `after` is the character that
/// follows the text.
pub(super) fn escape(out: &mut String, text: &str, after: char) {
    let mut chars = text.chars().peekable();
    let mut before = out.chars().last().unwrap_or(' ');
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(after);
        let is_markup = match c {
            '\\' | '`' | '[' | ']' | '<' => true,
            '*' => before != ' ' || next != ' ',
            // An underscore in the middle of a word is not markup.
            '_' => {
                !(before.is_alphanumeric() && next.is_alphanumeric())
                    && (before != ' ' || next != ' ')
            }
            '~' => before == '~' || next == '~',
            // It would be read as the end of a formula; before a digit it is a currency sign.
            '$' => before != ' ' && !next.is_ascii_digit() && out.contains('$'),
            // After a footnote mark, a colon would begin the note itself.
            ':' => out.starts_with("[^") && out.ends_with(']') && !out.ends_with("\\]"),
            '&' => next == '#' || next.is_ascii_alphabetic(),
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
}

/// Escapes characters that would be read as markup at the start of a line: headings, quotes, list
/// items, rules, fences.
fn start_of_line(text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    let ends_word = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    if (1..=9).contains(&digits) && rest.starts_with(['.', ')']) && ends_word(&rest[1..]) {
        return format!("{}\\{rest}", &text[..digits]);
    }
    let is_markup = match text.as_bytes().first() {
        Some(b'#') => ends_word(text.trim_start_matches('#')),
        Some(b'>' | b'|') => true,
        Some(first @ (b'-' | b'+' | b'=' | b'*' | b'_')) => {
            let mark = char::from(*first);
            ends_word(&text[1..]) || text.chars().all(|c| c == mark || c == ' ')
        }
        Some(b'~') => text.starts_with("~~~"),
        _ => false,
    };
    if is_markup { format!("\\{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emphasis_goes_on_over_code_and_formulas() {
        let span = |text: &str| Span {
            text: text.into(),
            is_strong: true,
            ..Span::default()
        };
        let code = |text: &str| Span {
            is_code: true,
            ..span(text)
        };
        let formula = Span {
            formula: Some(crate::document::FormulaStyle::Inline),
            ..span(" $x$")
        };
        let plain = |text: &str| Span {
            text: text.into(),
            ..Span::default()
        };
        for (spans, expected) in [
            (
                vec![span("Use"), code(" run()"), span(" now"), plain(", or")],
                "**Use `run()` now**, or",
            ),
            (
                vec![span("Let"), formula.clone(), plain(" be")],
                "**Let $x$** be",
            ),
            (vec![code("a"), plain(" is")], "`a` is"),
            (
                vec![plain("x"), code("a"), span("b"), plain("c")],
                "x`a`**b**c",
            ),
        ] {
            assert_eq!(inline(&spans, &EmitOptions::default(), true), expected);
        }
    }

    #[test]
    fn formulas_have_no_html_and_no_dollars_in_them() {
        for (text, expected) in [
            ("$a_1 < b$", "$a_1 \\lt b$"),
            ("$a<b$", "$a\\lt b$"),
            ("$\\text{<img src=x>}$", "$\\text{\\textless img src=x>}$"),
            (
                "$$\\{x : \\text{$x<y$ is even, US\\$ 5}\\}$$",
                "$$\\{x : \\text{\\(x\\lt y\\) is even, US\\$ 5}\\}$$",
            ),
            ("$a $ <b>$", "$a \\$ \\lt b>$"),
            ("$\\text{5 $}$", "$\\text{5 \\$}$"),
            ("$a\\$", "$a\\ $"),
            ("$a \\<b>$", "$a \\lt b>$"),
        ] {
            assert_eq!(formula(text), expected);
        }
    }

    #[test]
    fn the_start_of_a_line_is_no_definition_of_a_link_or_note() {
        let options = EmitOptions {
            links: true,
            ..EmitOptions::default()
        };
        let code = Span {
            text: "]:".into(),
            is_code: true,
            link: Some("https://a.example/".into()),
            ..Span::default()
        };
        assert_eq!(
            inline(&[code], &options, true),
            "[\\]:](https://a.example/)"
        );
        let link = Span {
            text: "a".into(),
            link: Some("https://a.example/".into()),
            ..Span::default()
        };
        let later = Span {
            text: " b]: c".into(),
            is_code: true,
            ..Span::default()
        };
        assert_eq!(
            inline(&[link, later], &options, true),
            "[a](https://a.example/) `b]: c`"
        );
        let mark = Span {
            text: "1".into(),
            note: Some(1),
            ..Span::default()
        };
        let after = Span {
            text: ": x".into(),
            ..Span::default()
        };
        assert_eq!(inline(&[mark, after], &options, true), "[^1]\\: x");
    }

    #[test]
    fn markup_characters_are_escaped_at_the_start_of_a_line() {
        for (text, expected) in [
            ("# x", "\\# x"),
            ("#tag", "#tag"),
            ("- x", "\\- x"),
            ("-x", "-x"),
            ("---", "\\---"),
            ("12. x", "12\\. x"),
            ("12.5 x", "12.5 x"),
            ("> x", "\\> x"),
            ("2026", "2026"),
            ("===", "\\==="),
            ("* x", "\\* x"),
            ("* * *", "\\* * *"),
            ("_ _ _", "\\_ _ _"),
            ("**x** y", "**x** y"),
            ("+", "\\+"),
        ] {
            assert_eq!(start_of_line(text.into()), expected);
        }
    }
}
