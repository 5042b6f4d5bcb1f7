//! Functions of the operating system for starting a browser: permissions, owners, process groups.
//!
//! Chromium is supported on Linux only: the watchdog of `launch` needs a shell, `setsid` and `/proc`. On other systems
//! this compiles, and [`check`] returns an error.

use crate::error::RenderError;
use std::io;
use std::path::Path;
use std::process::Command;

/// User and group.
pub(super) type Owner = (u32, u32);

/// Whether browsers can be started on this system at all.
///
/// # Errors
/// [`RenderError::Browser`] if they cannot.
pub(super) fn check() -> Result<(), RenderError> {
    if cfg!(target_os = "linux") {
        return Ok(());
    }
    Err(RenderError::Browser(format!(
        "Chromium is driven on Linux only, and this is {}; render with the built-in engine",
        std::env::consts::OS
    )))
}

/// Creates a folder that only its owner may list; other users may pass through it if `is_passage`.
#[cfg(unix)]
pub(super) fn close_folder(path: &Path, is_passage: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if is_passage { 0o711 } else { 0o700 };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

/// Does nothing: no browser is started on this system.
#[cfg(not(unix))]
pub(super) fn close_folder(_: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

/// Changes the owner of a file or folder.
#[cfg(unix)]
pub(super) fn give(path: &Path, (user, group): Owner) -> io::Result<()> {
    std::os::unix::fs::chown(path, Some(user), Some(group))
}

/// Does nothing: files have no such owners on this system.
#[cfg(not(unix))]
pub(super) fn give(_: &Path, _: Owner) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes the command start in its own process group.
#[cfg(unix)]
pub(super) fn detach(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0)
}

/// Does nothing: there are no process groups on this system.
#[cfg(not(unix))]
pub(super) fn detach(command: &mut Command) -> &mut Command {
    command
}

/// Kills a process; one that has ended already is no error.
#[cfg(unix)]
pub(super) fn kill(process: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process(process, Signal::KILL);
    }
}

/// Kills a whole process group.
#[cfg(unix)]
pub(super) fn kill_group(group: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Group 1 stands for all processes.
    if let Some(group) = i32::try_from(group).ok().filter(|group| *group > 1).and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Does nothing: no browser is started on this system.
#[cfg(not(unix))]
pub(super) fn kill(_: u32) {}

/// Does nothing: no browser is started on this system.
#[cfg(not(unix))]
pub(super) fn kill_group(_: u32) {}

/// Whether we run as root.
#[cfg(unix)]
pub(in crate::render) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|facts| facts.uid() == 0)
}

/// Always false: there is no root user on this system.
#[cfg(not(unix))]
pub(in crate::render) fn is_root() -> bool {
    false
}

/// Whether a path is an executable file.
#[cfg(unix)]
pub(super) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

/// Whether a path is a file; permissions do not show here which files are executable.
#[cfg(not(unix))]
pub(super) fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_can_be_started_on_linux() {
        assert_eq!(check().is_ok(), cfg!(target_os = "linux"));
    }
}
