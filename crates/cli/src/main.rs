//! The program; all that it does is in the library of this package, which the Python package calls
//! too.

use std::process::ExitCode;

fn main() -> ExitCode {
    vclean_cli::main(std::env::args_os())
}
