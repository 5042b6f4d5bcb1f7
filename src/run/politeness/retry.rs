//! When to try again: what failed for the moment, after a pause that doubles, or as long as the server asks.
//!
//! The pauses are a line of arithmetic here, because crates for it sleep by themselves: ours must end with the run, count
//! for all pages of a host, and give way to a server's `Retry-After`.

use super::options::MAX_WAIT;
use std::thread;
use std::time::Duration;

/// The first pause; each further one is twice as long. Taste.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause of our own.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// How often a sleeper looks whether the run has ended.
const LOOK: Duration = Duration::from_millis(100);

/// An error, and whether another try makes sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure<E> {
    /// What went wrong.
    pub error: E,
    /// Whether and when to try again.
    pub again: Option<Again>,
}

/// When another try makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Again {
    /// Pause that the server asked for.
    pub after: Option<Duration>,
}

impl Again {
    /// The pause before the next try: what the server asked for, else 1, 2, 4 s and so on up to 60.
    pub(super) fn wait(self, attempt: u32) -> Duration {
        let usual = FIRST_PAUSE.saturating_mul(1 << attempt.min(16)).min(LONGEST_PAUSE);
        self.after.unwrap_or(usual)
    }
}

/// Does `work` until it succeeds, fails for good, has failed `retries` times more, or the run has ended.
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
        let pause = failure.again.map(|again| again.wait(attempt)).filter(|&pause| pause <= MAX_WAIT);
        let Some(mut left) = pause.filter(|_| attempt < retries) else { return Err(failure) };
        attempt += 1;
        while !left.is_zero() {
            if has_ended() {
                return Err(failure);
            }
            let part = left.min(LOOK);
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
        let pauses: Vec<u64> = (0..8).map(|attempt| Again::default().wait(attempt).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(Again::default().wait(u32::MAX).as_secs(), 60);
        let asked = Again { after: Some(Duration::from_secs(5)) };
        assert_eq!((asked.wait(0).as_secs(), asked.wait(9).as_secs()), (5, 5));
    }
}
