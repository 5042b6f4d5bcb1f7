//! The exit codes of the program.

/// Wrong usage.
pub(super) const WRONG_USAGE: u8 = 1;
/// Some pages failed, or a figure is below its floor.
pub(super) const SOME_FAILED: u8 = 2;
/// The user interrupted the program.
pub(super) const INTERRUPTED: u8 = 130;
