//! The stages as the verbs call them: the one file here that names functions of other rooms.

pub(super) use crate::source::{list, open, parse};

pub(super) use crate::emit::{EmitOptions, FORMATS, Format};

/// The options of every format, from the command line.
pub(super) fn emit_options(links: bool) -> EmitOptions {
    EmitOptions { links }
}

#[cfg(feature = "rendering")]
pub(super) use crate::render::{Check, diagnose};
