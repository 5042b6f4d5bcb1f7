//! Names and comments of a source, without what stands in its strings.

use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Python,
    JavaScript,
}

impl Language {
    pub(crate) fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "rs" => Some(Self::Rust),
            "py" | "pyi" => Some(Self::Python),
            "js" | "mjs" | "ts" => Some(Self::JavaScript),
            _ => None,
        }
    }

    /// Signs that begin a comment to the end of the line, longest first.
    pub(crate) fn comment_markers(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["///", "//!", "//"],
            Self::Python => &["#"],
            Self::JavaScript => &["//"],
        }
    }
}

pub(crate) enum Piece {
    Name {
        line: usize,
        name: String,
    },
    /// Lines of one comment without their markers; comments behind code on their line are left out.
    Comment {
        line: usize,
        text: String,
    },
}

/// All names and comments, in order.
pub(crate) fn pieces(code: &str, language: Language) -> Vec<Piece> {
    let mut lexer = Lexer {
        rest: code,
        line: 1,
        is_line_start: true,
        pieces: Vec::new(),
        open: None,
    };
    while let Some(first) = lexer.rest.chars().next() {
        if !lexer.take_comment(language) && !lexer.take_string(first, language) {
            lexer.take_name_or_sign(first);
        }
    }
    lexer.close_comment();
    lexer.pieces
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    is_line_start: bool,
    pieces: Vec<Piece>,
    /// Comment whose next line may follow: first line, last line, marker and text.
    open: Option<(usize, usize, &'static str, String)>,
}

impl Lexer<'_> {
    fn advance(&mut self, bytes: usize) {
        self.line += self.rest[..bytes].matches('\n').count();
        self.rest = &self.rest[bytes..];
    }

    fn close_comment(&mut self) {
        if let Some((line, _, _, text)) = self.open.take() {
            self.pieces.push(Piece::Comment { line, text });
        }
    }

    fn take_comment(&mut self, language: Language) -> bool {
        if let Some(inside) = self
            .rest
            .strip_prefix("/*")
            .filter(|_| language != Language::Python)
        {
            self.close_comment();
            let end = inside.find("*/").unwrap_or(inside.len());
            let text: Vec<&str> = inside[..end]
                .lines()
                .map(|line| line.trim().trim_start_matches('*').trim())
                .collect();
            self.pieces.push(Piece::Comment {
                line: self.line,
                text: text.join("\n"),
            });
            self.advance((end + 4).min(self.rest.len()));
            return true;
        }
        let Some(marker) = language
            .comment_markers()
            .iter()
            .find(|it| self.rest.starts_with(**it))
        else {
            return false;
        };
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let text = self.rest[marker.len()..end].trim();
        if self.is_line_start {
            match &mut self.open {
                Some((_, last, open, lines)) if open == marker && *last + 1 == self.line => {
                    *last = self.line;
                    lines.push('\n');
                    lines.push_str(text);
                }
                _ => {
                    self.close_comment();
                    self.open = Some((self.line, self.line, marker, text.to_owned()));
                }
            }
        }
        self.advance(end);
        true
    }

    /// Strings are skipped; those that stand alone in Python are its documentation.
    fn take_string(&mut self, first: char, language: Language) -> bool {
        let quotes = match language {
            Language::Rust => return self.take_rust_string(first),
            Language::Python => "\"'",
            Language::JavaScript => "\"'`",
        };
        if !quotes.contains(first) {
            return false;
        }
        let triple = [first; 3].iter().collect::<String>();
        if language == Language::Python && self.rest.starts_with(&triple) {
            let end = self.rest[3..]
                .find(&triple)
                .map_or(self.rest.len(), |at| at + 6);
            if self.is_line_start {
                self.close_comment();
                let text = self.rest[3..end - 3].to_owned();
                self.pieces.push(Piece::Comment {
                    line: self.line,
                    text,
                });
            }
            self.advance(end);
        } else {
            let end = quoted_length(self.rest, first);
            self.advance(end);
        }
        self.is_line_start = false;
        true
    }

    fn take_rust_string(&mut self, first: char) -> bool {
        let length = match first {
            '"' => quoted_length(self.rest, '"'),
            'r' => {
                let hashes = self.rest[1..]
                    .chars()
                    .take_while(|sign| *sign == '#')
                    .count();
                if !self.rest[1 + hashes..].starts_with('"') {
                    return false;
                }
                let end = format!("\"{}", "#".repeat(hashes));
                let begin = 2 + hashes;
                self.rest[begin..]
                    .find(&end)
                    .map_or(self.rest.len(), |at| begin + at + end.len())
            }
            '\'' => {
                let mut letters = self.rest[1..].chars();
                let letter = letters.next();
                if letter != Some('\\') && letters.next() != Some('\'') {
                    // A lifetime.
                    return false;
                }
                quoted_length(self.rest, '\'')
            }
            _ => return false,
        };
        self.advance(length);
        self.is_line_start = false;
        true
    }

    fn take_name_or_sign(&mut self, first: char) {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        if is_name(first) {
            self.close_comment();
            let end = self
                .rest
                .find(|letter| !is_name(letter))
                .unwrap_or(self.rest.len());
            self.pieces.push(Piece::Name {
                line: self.line,
                name: self.rest[..end].to_owned(),
            });
            self.advance(end);
            self.is_line_start = false;
        } else {
            if first == '\n' {
                self.is_line_start = true;
            } else if !first.is_whitespace() {
                self.is_line_start = false;
            }
            self.advance(first.len_utf8());
        }
    }
}

/// Bytes of a string with its quotes, where a backslash takes the next letter.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == quote {
            return at + 1;
        }
    }
    text.len()
}
