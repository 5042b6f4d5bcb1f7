//! The tokens that requests must have. They come from a file or the environment, never from the command line, where other
//! users of the machine would see them.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use vclean_core::files::open_regular;
use vclean_run::web_guard::is_same_secret;

/// Fewest characters of a token: fewer could be guessed.
const MIN_LENGTH: usize = 16;
/// Largest file of tokens, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// A secret that a request must have. It is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token")
    }
}

/// Why there is no token. The messages do not contain it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file cannot be read.
    #[error("cannot read the tokens in {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error message.
        cause: String,
    },
    /// The file has none.
    #[error("{} has no token; write one per line", .0.display())]
    None(PathBuf),
    /// It cannot be sent in a header, or could be guessed.
    #[error("a token needs at least {MIN_LENGTH} visible ASCII characters; make one with: openssl rand -hex 24")]
    Weak,
}

impl Token {
    /// A token of at least 16 visible ASCII characters.
    ///
    /// # Errors
    /// [`TokenError::Weak`].
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let is_good = text.len() >= MIN_LENGTH && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_good { Ok(Self(text.to_owned())) } else { Err(TokenError::Weak) }
    }

    /// The tokens in a file, one per line; empty lines and lines with `#` at their start are left out.
    ///
    /// # Errors
    /// If it cannot be read, or has none, or has one that could be guessed.
    pub fn from_file(path: &Path) -> Result<Vec<Self>, TokenError> {
        let unread = |cause: std::io::Error| TokenError::Read { path: path.to_path_buf(), cause: cause.to_string() };
        let mut text = String::new();
        open_regular(path).map_err(unread)?.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(unread)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let tokens = lines.map(Self::new).collect::<Result<Vec<_>, _>>()?;
        if tokens.is_empty() { Err(TokenError::None(path.to_path_buf())) } else { Ok(tokens) }
    }

    /// Whether `text` is the token. The time does not depend on where they differ.
    pub(super) fn is(&self, text: &str) -> bool {
        is_same_secret(&self.0, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_from_the_lines_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Token::from_file(&file)
        };
        let tokens = read("# the crawler\n0123456789abcdef\n\n  fedcba9876543210  \n").unwrap();
        assert!(tokens.len() == 2 && tokens[1].is("fedcba9876543210") && !tokens[1].is("fedcba9876543211"));
        assert!(!tokens[0].is("") && !tokens[0].is("0123456789abcde"));
        assert!(matches!(read("# none\n"), Err(TokenError::None(_))));
        let weak = read("short\n").unwrap_err().to_string();
        assert!(weak.contains("at least 16") && !weak.contains("short"), "{weak}");
        assert!(read("0123456789abcdef ü\n").is_err());
        assert!(Token::from_file(&folder.path().join("none")).unwrap_err().to_string().contains("none"));
        assert!(!format!("{:?}", tokens[0]).contains("0123"));
    }
}
