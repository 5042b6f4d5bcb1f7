//! The options of rate limits: pauses, pages at the same time, retries.

use std::thread;
use std::time::Duration;

/// Our user agent in `robots.txt` (RFC 9309, 2.2.1).
pub(crate) const AGENT: &str = "vclean";

/// Longest wait for a host with no running request: the page fails if the server demands a longer
/// pause. Heuristic: a waiting worker does nothing else.
pub(super) const MAX_WAIT: Duration = Duration::from_mins(2);

/// Rate limits and robots.txt for pages loaded from servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "Politeness")
)]
pub struct PolitenessOptions {
    /// Load addresses even if robots.txt forbids them to vclean or to all programs; for your own
    /// sites only
    #[cfg_attr(feature = "clap", arg(long))]
    pub ignore_robots: bool,

    /// Pause between two pages of the same host in seconds; a longer Crawl-delay in its robots.txt
    /// (up to 30) takes precedence
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", default_value = "1", value_parser = pause))]
    pub delay: Duration,

    /// How many pages of the same host are loaded at the same time, at least 1
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "N",
            default_value = "1",
            value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=64)
        )
    )]
    pub per_host: usize,

    /// How often an address is retried after a timeout, a failed connection or a busy server; each
    /// pause is longer than the one before, or as long as the server requests
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u32).range(0..=10)))]
    pub retries: u32,
}

/// Parses a pause in seconds.
#[cfg(feature = "clap")]
fn pause(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=120.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!(
            "{text} is not a pause; give seconds from 0 to 120, such as 0.5"
        )),
    }
}

impl Default for PolitenessOptions {
    fn default() -> Self {
        Self {
            ignore_robots: false,
            delay: Duration::from_secs(1),
            per_host: 1,
            retries: 2,
        }
    }
}

// When to retry a temporary failure: after a pause that doubles each time, or after the pause that
// the server requests.
//
// Own code, because the crates for it do the sleeping themselves: our pauses must end when the run
// ends, apply to all pages of a host, and use a server's `Retry-After`.

/// The first pause; each further one is twice as long. Heuristic.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause of our own.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// How often a waiting thread checks whether the run has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// An error, and whether it is temporary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure<E> {
    /// Cause, reported if no retry succeeds.
    pub error: E,
    /// Set if a retry may succeed; `None` if the failure is permanent.
    pub retry: Option<Retry>,
}

/// Pause before an attempt after a temporary failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retry {
    /// Pause that the server requested, if any.
    pub after: Option<Duration>,
}

impl Retry {
    /// Returns the pause before the next attempt: the server's, else 1, 2, 4 s and so on up to 60.
    pub(super) fn wait(self, attempt: u32) -> Duration {
        let usual = FIRST_PAUSE
            .saturating_mul(1 << attempt.min(16))
            .min(LONGEST_PAUSE);
        self.after.unwrap_or(usual)
    }
}

/// Calls `work` until it succeeds, fails permanently, was retried `retries` times, or the run has
/// ended.
pub(super) fn persist<T, E>(
    retries: u32,
    has_ended: &impl Fn() -> bool,
    work: impl Fn() -> Result<T, Failure<E>>,
) -> Result<T, Failure<E>> {
    let mut attempt = 0;
    loop {
        let failure = match work() {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        let pause = failure
            .retry
            .map(|retry| retry.wait(attempt))
            .filter(|&pause| pause <= MAX_WAIT);
        let Some(mut left) = pause.filter(|_| attempt < retries) else {
            return Err(failure);
        };
        attempt += 1;
        while !left.is_zero() {
            if has_ended() {
                return Err(failure);
            }
            let part = left.min(POLL_INTERVAL);
            thread::sleep(part);
            left -= part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit_unless_the_server_says_how_long() {
        let pauses: Vec<u64> = (0..8)
            .map(|attempt| Retry::default().wait(attempt).as_secs())
            .collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(Retry::default().wait(u32::MAX).as_secs(), 60);
        let asked = Retry {
            after: Some(Duration::from_secs(5)),
        };
        assert_eq!((asked.wait(0).as_secs(), asked.wait(9).as_secs()), (5, 5));
    }
}
