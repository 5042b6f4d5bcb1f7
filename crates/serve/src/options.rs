//! The options of the service.

use super::request::Engine;
use super::token::Token;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use vclean_core::cleaner::Method;

/// The options of the service.
#[derive(Debug, Clone)]
pub struct ServiceOptions {
    /// Address and port to listen on; port 0 means any free one.
    pub bind: SocketAddr,
    /// The tokens, one of which every request must have; empty if none is needed.
    pub tokens: Vec<Token>,
    /// How pages are rendered if a request does not say it; `None` means that addresses are rendered and content is not.
    pub engine: Option<Engine>,
    /// Number of pages in work at the same time, at least 1.
    pub jobs: usize,
    /// Number of pages that may wait.
    pub queue: usize,
    /// Time limit for one page, from its request to its answer.
    pub timeout: Duration,
    /// Largest request in bytes, after decompression; of a batch, its longest line.
    pub max_body_bytes: usize,
    /// The published methods that requests may name beside our own.
    pub published: &'static [Method],
    /// How long pages in work may go on after the service was told to stop.
    pub grace: Duration,
}

/// Why the service does not start, or ends.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address may be reached by others, and there is no token.
    #[error(
        "{0} can be reached by other machines, and there is no token; name a file with one as `token_file`, put one into VCLEAN_TOKEN, or bind to 127.0.0.1"
    )]
    NoToken(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {cause}; choose another address with `bind`")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error message.
        cause: io::Error,
    },
    /// The threads cannot be started.
    #[error(transparent)]
    Run(#[from] vclean_run::RunError),
    /// A service does not answer as one that runs.
    #[error("the service at {address} does not run: {cause}")]
    Unhealthy {
        /// Its address.
        address: SocketAddr,
        /// What happened instead.
        cause: String,
    },
    /// Standard input or output is broken.
    #[error("the connection of standard input and output cannot be used: {0}")]
    Standard(String),
}

impl ServiceOptions {
    /// Checks that nobody but this machine reaches the service without a token.
    ///
    /// # Errors
    /// [`ServeError::NoToken`].
    pub fn check(&self) -> Result<(), ServeError> {
        if self.tokens.is_empty() && !self.bind.ip().is_loopback() {
            return Err(ServeError::NoToken(self.bind));
        }
        Ok(())
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
            engine: None,
            jobs: 1,
            queue: 1,
            timeout: Duration::from_secs(20),
            max_body_bytes: 1 << 20,
            published: &[],
            grace: Duration::from_secs(2),
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
            let mut options = ServiceOptions { bind: address.parse().unwrap(), ..options() };
            assert_eq!(options.check().is_ok(), is_open, "{address}");
            options.tokens = vec![Token::new("0123456789abcdef").unwrap()];
            assert!(options.check().is_ok());
        }
    }
}
