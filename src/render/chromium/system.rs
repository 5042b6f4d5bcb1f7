//! What starting a browser asks of the operating system: permissions, owners, process groups.
//!
//! Chromium is driven on Linux only: the watchdog of `launch` needs a shell, `setsid` and `/proc`. Elsewhere this compiles,
//! and [`check`] refuses to start a browser.

use crate::error::RenderError;
use std::io;
use std::path::Path;
use std::process::Command;

/// User and group.
pub(super) type Owner = (u32, u32);

/// Whether browsers can be started on this system at all.
///
/// # Errors
/// [`RenderError::Browser`] where they cannot.
pub(super) fn check() -> Result<(), RenderError> {
    if cfg!(target_os = "linux") {
        return Ok(());
    }
    Err(RenderError::Browser(format!(
        "Chromium is driven on Linux only, and this is {}; render with the built-in engine",
        std::env::consts::OS
    )))
}

/// Makes a folder that nobody but its owner may list, and that others may pass through where `is_passage`.
#[cfg(unix)]
pub(super) fn close_folder(path: &Path, is_passage: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if is_passage { 0o711 } else { 0o700 };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

/// Nothing to do: no browser is started here.
#[cfg(not(unix))]
pub(super) fn close_folder(_: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

/// Gives a file or folder to another owner.
#[cfg(unix)]
pub(super) fn give(path: &Path, (user, group): Owner) -> io::Result<()> {
    std::os::unix::fs::chown(path, Some(user), Some(group))
}

/// Files have no such owners here.
#[cfg(not(unix))]
pub(super) fn give(_: &Path, _: Owner) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Has the command start in a process group of its own.
#[cfg(unix)]
pub(super) fn detach(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0)
}

/// Leaves the command as it is: there are no process groups here.
#[cfg(not(unix))]
pub(super) fn detach(command: &mut Command) -> &mut Command {
    command
}

/// Whether we run as root.
#[cfg(unix)]
pub(in crate::render) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|facts| facts.uid() == 0)
}

/// There is no root here.
#[cfg(not(unix))]
pub(in crate::render) fn is_root() -> bool {
    false
}

/// Whether a path is that of a file that may be executed.
#[cfg(unix)]
pub(super) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

/// Whether a path is that of a file; permissions do not tell which may be executed.
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
