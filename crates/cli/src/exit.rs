//! The exit codes of the program.

use std::sync::atomic::{AtomicU8, Ordering};
use vclean_run::Signal;

/// The arguments are wrong, or the verb ended with an error.
pub(super) const WRONG_USAGE: u8 = 1;
/// Some pages failed, or a figure is below its threshold.
pub(super) const SOME_FAILED: u8 = 2;

/// Exit code of the signal that stopped the program, or 0.
static STOPPED_BY: AtomicU8 = AtomicU8::new(0);

/// Stores which signal stopped the program.
pub(super) fn set_stopped_by(signal: Signal) {
    STOPPED_BY.store(signal.exit_code(), Ordering::SeqCst);
}

/// The exit code of a program that was stopped: that of the signal, or of Ctrl-C if something else
/// stopped it.
pub(super) fn stopped() -> u8 {
    match STOPPED_BY.load(Ordering::SeqCst) {
        0 => Signal::Interrupt.exit_code(),
        code => code,
    }
}
