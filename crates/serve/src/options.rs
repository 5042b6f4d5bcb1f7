//! The options of the service, and the tokens that requests must have. Tokens come from a file or
//! the environment, never from the command line, where other users of the machine would see them.

use super::body::Pace;
use super::cache::CacheOptions;
use super::cache_folder::name_of;
use super::job_folder::JobOptions;
use super::own_folder::FolderError;
use std::fmt;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vclean_core::files::open_regular;
use vclean_core::pipeline::Method;
use vclean_render::EngineChoice;
use vclean_run::web_guard::is_same_secret;

/// Fewest characters of a token: fewer could be guessed.
const MIN_TOKEN_LENGTH: usize = 16;
/// Largest file of tokens, in bytes.
const MAX_TOKEN_FILE_BYTES: u64 = 64 << 10;

/// The options of the service.
#[derive(Debug, Clone)]
pub struct ServiceOptions {
    /// Address and port to listen on; port 0 means any free one.
    pub bind: SocketAddr,
    /// The tokens, one of which every request must have; empty if none is needed.
    pub tokens: Vec<Token>,
    /// Names by which clients reach the service through a proxy that keeps their `Host`, besides
    /// those of this machine.
    pub hosts: Vec<String>,
    /// How pages are rendered if a request does not say it; `None` means that addresses are
    /// rendered and content is not.
    pub engine: Option<EngineChoice>,
    /// Number of pages in work at the same time, at least 1.
    pub jobs: usize,
    /// Number of pages that may wait.
    pub queue: usize,
    /// Time limit for one page, from its request to its answer.
    pub timeout: Duration,
    /// Largest request in bytes, after decompression; of a batch, its longest line.
    pub max_body_bytes: usize,
    /// How answers are kept for requests which accept an earlier one.
    pub cache: CacheOptions,
    /// How long jobs are kept, and where.
    pub kept_jobs: JobOptions,
    /// The key that signs what webhooks are told; without one they are not signed.
    pub webhook_secret: Option<Token>,
    /// The published methods that requests may name besides our own.
    pub published: &'static [Method],
    /// How long pages in work may go on after the service was told to stop.
    pub grace: Duration,
    /// Limits for slow clients.
    pub limits: Limits,
}

/// Limits for slow clients.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most connections at the same time.
    pub(super) connections: usize,
    /// Longest time for the head of a request, and for the next one on an open connection.
    pub(super) head: Duration,
    /// How fast bodies have to arrive.
    pub(super) pace: Pace,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            head: Duration::from_secs(10),
            pace: Pace::default(),
        }
    }
}

/// Reason why the service does not start, or ends.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address may be reached by others, and there is no token.
    #[error(
        "{0} can be reached by other machines, and there is no token; name a file with one as `token_file`, put one into VCLEAN_TOKEN, or bind to 127.0.0.1"
    )]
    NoToken(SocketAddr),
    /// Others reach the service by a name, and there is no token.
    #[error(
        "the service is to be reached as {0}, and there is no token; name a file with one as `token_file`, put one into VCLEAN_TOKEN, or leave `host` out"
    )]
    NoTokenForHost(String),
    /// An allowed host is not a valid host name.
    #[error(
        "`host` {0} is no name of a host; give it without scheme, port and path, such as pages.example.org"
    )]
    Host(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {cause}; choose another address with `bind`")]
    Listen {
        /// The address from the option `bind`.
        address: SocketAddr,
        /// The system's error message.
        cause: io::Error,
    },
    /// A folder for answers or jobs cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The threads cannot be started.
    #[error(transparent)]
    Run(#[from] vclean_run::RunError),
    /// The health check of a service failed.
    #[error("the service at {address} does not run: {cause}")]
    Unhealthy {
        /// Address that was checked for a service.
        address: SocketAddr,
        /// The system's error message, or the unexpected status line.
        cause: String,
    },
    /// Standard input or output is broken.
    #[error("the connection of standard input and output cannot be used: {0}")]
    Standard(String),
}

impl ServiceOptions {
    /// Checks that nobody but this machine reaches the service without a token, and the names of
    /// the service.
    ///
    /// # Errors
    /// [`ServeError::NoToken`], [`ServeError::NoTokenForHost`], [`ServeError::Host`].
    pub fn check(&self) -> Result<(), ServeError> {
        if self.tokens.is_empty() && !self.bind.ip().is_loopback() {
            return Err(ServeError::NoToken(self.bind));
        }
        if let Some(wrong) = self.hosts.iter().find(|name| !is_host_name(name)) {
            return Err(ServeError::Host(wrong.clone()));
        }
        match self.hosts.first() {
            Some(name) if self.tokens.is_empty() => Err(ServeError::NoTokenForHost(name.clone())),
            _ => Ok(()),
        }
    }
}

/// Returns true if a text can be the name or the IPv4 address of a host.
fn is_host_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
}

/// A secret that requests must contain. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token")
    }
}

/// Reason why there is no token. The messages do not contain it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file cannot be read.
    #[error("cannot read the tokens in {}: {cause}", path.display())]
    Read {
        /// The file that the user named.
        path: PathBuf,
        /// The system's error message.
        cause: String,
    },
    /// The file contains no token.
    #[error("{} has no token; write one per line", .0.display())]
    None(PathBuf),
    /// The token cannot be sent in a header, or could be guessed.
    #[error(
        "a token needs at least {MIN_TOKEN_LENGTH} visible ASCII characters; make one with: openssl rand -hex 24"
    )]
    Weak,
}

impl Token {
    /// A token of at least 16 visible ASCII characters.
    ///
    /// # Errors
    /// [`TokenError::Weak`].
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let is_good =
            text.len() >= MIN_TOKEN_LENGTH && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_good {
            Ok(Self(text.to_owned()))
        } else {
            Err(TokenError::Weak)
        }
    }

    /// Reads the tokens in a file, one per line; empty lines and lines that start with `#` are
    /// skipped.
    ///
    /// # Errors
    /// If the file cannot be read, has no token, or has one that could be guessed.
    pub fn from_file(path: &Path) -> Result<Vec<Self>, TokenError> {
        let unread = |cause: io::Error| TokenError::Read {
            path: path.to_path_buf(),
            cause: cause.to_string(),
        };
        let mut text = String::new();
        open_regular(path)
            .map_err(unread)?
            .take(MAX_TOKEN_FILE_BYTES)
            .read_to_string(&mut text)
            .map_err(unread)?;
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let tokens = lines.map(Self::new).collect::<Result<Vec<_>, _>>()?;
        if tokens.is_empty() {
            Err(TokenError::None(path.to_path_buf()))
        } else {
            Ok(tokens)
        }
    }

    /// The hash by which a file names the token.
    pub(super) fn hash(&self) -> String {
        name_of(&self.0)
    }

    /// The secret itself, as a key.
    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Returns true if `text` is the token. The time does not depend on where they differ.
    pub(super) fn is(&self, text: &str) -> bool {
        is_same_secret(&self.0, text)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Options for tests: one job, one page in the queue, no token.
    pub(crate) fn options() -> ServiceOptions {
        ServiceOptions {
            bind: "127.0.0.1:0".parse().unwrap(),
            tokens: Vec::new(),
            hosts: Vec::new(),
            engine: None,
            jobs: 1,
            queue: 1,
            timeout: Duration::from_secs(20),
            max_body_bytes: 1 << 20,
            cache: CacheOptions {
                bytes: 1 << 20,
                ..CacheOptions::default()
            },
            kept_jobs: JobOptions::default(),
            webhook_secret: None,
            published: &[],
            grace: Duration::from_secs(2),
            limits: Limits::default(),
        }
    }

    #[test]
    fn other_machines_need_a_token() {
        for (address, is_open) in [
            ("127.0.0.1:1", true),
            ("127.8.9.1:1", true),
            ("[::1]:1", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("192.168.1.2:1", false),
            ("[::ffff:127.0.0.1]:1", false),
        ] {
            let mut options = ServiceOptions {
                bind: address.parse().unwrap(),
                ..options()
            };
            assert_eq!(options.check().is_ok(), is_open, "{address}");
            options.tokens = vec![Token::new("0123456789abcdef").unwrap()];
            assert!(options.check().is_ok());
        }
    }

    #[test]
    fn names_of_the_service_need_a_token_and_are_names() {
        let check = |name: &str, tokens: &[&str]| {
            let tokens = tokens
                .iter()
                .map(|token| Token::new(token).unwrap())
                .collect();
            ServiceOptions {
                tokens,
                hosts: vec![name.to_owned()],
                ..options()
            }
            .check()
        };
        assert!(check("pages.example.org", &["0123456789abcdef"]).is_ok());
        assert!(matches!(
            check("pages.example.org", &[]),
            Err(ServeError::NoTokenForHost(_))
        ));
        for wrong in [
            "",
            "https://pages.example.org",
            "pages.example.org:443",
            "pages.example.org/x",
            "*",
        ] {
            assert!(
                matches!(
                    check(wrong, &["0123456789abcdef"]),
                    Err(ServeError::Host(_))
                ),
                "{wrong}"
            );
        }
    }

    #[test]
    fn tokens_come_from_the_lines_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Token::from_file(&file)
        };
        let tokens = read("# the crawler\n0123456789abcdef\n\n  fedcba9876543210  \n").unwrap();
        assert!(
            tokens.len() == 2
                && tokens[1].is("fedcba9876543210")
                && !tokens[1].is("fedcba9876543211")
        );
        assert!(!tokens[0].is("") && !tokens[0].is("0123456789abcde"));
        assert!(matches!(read("# none\n"), Err(TokenError::None(_))));
        let weak = read("short\n").unwrap_err().to_string();
        assert!(
            weak.contains("at least 16") && !weak.contains("short"),
            "{weak}"
        );
        assert!(read("0123456789abcdef ü\n").is_err());
        assert!(
            Token::from_file(&folder.path().join("none"))
                .unwrap_err()
                .to_string()
                .contains("none")
        );
        assert!(!format!("{:?}", tokens[0]).contains("0123"));
    }
}
