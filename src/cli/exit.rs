//! The exit codes of the program, and which one a run ends with.

use super::console;
use crate::run::Signal;
use crate::run::pages::Ended;
use crate::run::pool::Ending;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};

/// Wrong usage.
pub(super) const WRONG_USAGE: u8 = 1;
/// Some pages failed, or a figure is below its floor.
pub(super) const SOME_FAILED: u8 = 2;

/// Exit code of the signal that stopped the program, or 0.
static STOPPED_BY: AtomicU8 = AtomicU8::new(0);

/// Stores which signal stopped the program.
pub(super) fn set_stopped_by(signal: Signal) {
    STOPPED_BY.store(signal.exit_code(), Ordering::SeqCst);
}

/// The exit code of a program that was stopped: that of the signal, or of Ctrl-C if something else stopped it.
pub(super) fn stopped() -> u8 {
    match STOPPED_BY.load(Ordering::SeqCst) {
        0 => Signal::Interrupt.exit_code(),
        code => code,
    }
}

/// The exit code; for an interrupted run, also prints how to resume it.
pub(super) fn code(ended: Ended, how_to_resume: &str) -> ExitCode {
    if ended.ending == Ending::Stopped {
        console::complain(&format!("stopped before the end; {how_to_resume}"));
        stopped().into()
    } else if ended.failed > 0 || ended.has_lost_output {
        SOME_FAILED.into()
    } else {
        ExitCode::SUCCESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_depends_on_the_ending() {
        let ended = |ending, failed| Ended { ending, failed, has_lost_output: false };
        let code = |ended: Ended| format!("{:?}", code(ended, "x"));
        let is = |code: u8| format!("{:?}", ExitCode::from(code));
        assert_eq!(code(ended(Ending::Complete, 0)), is(0));
        assert_eq!(code(ended(Ending::Complete, 3)), is(2));
        assert_eq!(code(ended(Ending::Stopped, 0)), is(130));
        // The reader closed the pipe, as `| head` does: not a failure.
        assert_eq!(code(ended(Ending::Declined, 0)), is(0));
        assert_eq!(code(Ended { has_lost_output: true, ..ended(Ending::Declined, 0) }), is(2));
    }
}
