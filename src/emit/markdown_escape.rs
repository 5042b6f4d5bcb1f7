//! Escapes text so that CommonMark reads it as text, within a line and at its start.

/// Length of the longest run of backticks.
pub(super) fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Writes a span of code.
pub(super) fn write_code(out: &mut String, text: &str) {
    let fence = "`".repeat(longest_run(text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    for piece in [&fence, blank, text, blank, &fence] {
        out.push_str(piece);
    }
}

/// Escapes characters that would be read as markup within a line; `after` is the character that follows the text.
pub(super) fn escape(out: &mut String, text: &str, after: char) {
    let mut chars = text.chars().peekable();
    let mut before = out.chars().last().unwrap_or(' ');
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(after);
        let is_markup = match c {
            '\\' | '`' | '[' | ']' | '<' => true,
            '*' => before != ' ' || next != ' ',
            // An underscore inside a word is not markup.
            '_' => !(before.is_alphanumeric() && next.is_alphanumeric()) && (before != ' ' || next != ' '),
            '~' => before == '~' || next == '~',
            // Readers of formulas would take it for the end of one; before a digit it is money.
            '$' => before != ' ' && !next.is_ascii_digit() && out.contains('$'),
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

/// Escapes characters that would be read as markup at the start of a line: headings, quotes, items, rules, fences.
pub(super) fn start_of_line(text: String) -> String {
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
