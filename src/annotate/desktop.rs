//! Starts the desktop's browser. Written here, because the crates for it bring more than these three commands.

use std::io;
use std::process::{Command, Stdio};

/// The command that opens an address, and its first arguments.
const OPENER: (&str, &[&str]) = if cfg!(target_os = "macos") {
    ("open", &[])
} else if cfg!(windows) {
    ("rundll32", &["url.dll,FileProtocolHandler"])
} else {
    ("xdg-open", &[])
};

/// Opens an address in the desktop's browser. The address works once, so that other users of the machine who see the
/// command cannot use it afterwards.
///
/// # Errors
/// If the command cannot be started.
pub fn open(address: &str) -> io::Result<()> {
    let (program, arguments) = OPENER;
    let mut command = Command::new(program);
    command.args(arguments).arg(address);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // Some systems start the browser in this very process, which then ends with the browser.
    std::thread::spawn(move || child.wait());
    Ok(())
}
