//! The program: everything it does is in the library's `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    vclean::cli::main(std::env::args_os())
}
