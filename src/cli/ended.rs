//! Converts the end of a run to the exit code of the program.

use super::{SOME_FAILED, console, exit};
use crate::run::pages::Ended;
use crate::run::pool::Ending;
use std::process::ExitCode;

/// The exit code; for an interrupted run, also prints how to resume it.
pub(super) fn code(ended: Ended, how_to_resume: &str) -> ExitCode {
    if ended.ending == Ending::Stopped {
        console::complain(&format!("stopped before the end; {how_to_resume}"));
        exit::stopped().into()
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
