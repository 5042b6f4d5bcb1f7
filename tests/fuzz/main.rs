//! Feeds arbitrary and damaged inputs to every reader, cleans the resulting pages with every
//! method, parsed and rendered by the built-in engine, and writes every format. No input may cause
//! a panic, take too long or too much memory, or give a different result the second time.
//!
//! Inputs are made from the fixtures and numbered; seed and number reproduce an input exactly.
//! Worker processes check them (`worker`), so that an input that kills its process is detected too
//! (`watch`). A failing input is cut (`cut`) and stored with its fault. The files of `fixtures/bad`
//! come first, unchanged.
//!
//! Without arguments this is a short test; `scripts/fuzz` runs it longer.
#![allow(missing_docs, unreachable_pub, clippy::print_stdout)]
#![cfg_attr(not(target_os = "linux"), allow(dead_code))]

mod archives;
mod bytes;
mod check;
mod corpus;
mod cut;
mod input;
mod markup;
mod options;
mod readers;
mod run;
mod watch;
mod worker;

use options::{Mode, Options};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("fuzz: {message}");
            return ExitCode::FAILURE;
        }
    };
    if options.mode == Mode::Worker {
        worker::run(options.seed);
        return ExitCode::SUCCESS;
    }
    // Time and memory of the workers are read from `/proc`, which only Linux has.
    if options.mode == Mode::Nothing || !cfg!(target_os = "linux") {
        return ExitCode::SUCCESS;
    }
    if run::run(&options) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
