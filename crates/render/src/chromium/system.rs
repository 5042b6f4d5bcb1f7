//! Functions of the operating system for browsers: permissions, owners, process groups, and the
//! memory and CPU time of processes.
//!
//! Chromium is supported on Linux only: the watchdog of `launch` needs a shell, `setsid` and
//! `/proc`. On other systems this compiles, and [`check`] returns an error. All processes of a
//! browser are in one process group, whichever of them started the others.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{fs, io};
use vclean_core::error::RenderError;

/// Numeric ids of a user and a group.
pub(super) type Owner = (u32, u32);

/// Checks that browsers can be started on this system at all.
///
/// # Errors
/// [`RenderError::Browser`] if not.
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

/// Kills a process; no error if it has already ended.
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
    // Group 1 means all processes.
    if let Some(group) = i32::try_from(group)
        .ok()
        .filter(|group| *group > 1)
        .and_then(Pid::from_raw)
    {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Does nothing: no browser is started on this system.
#[cfg(not(unix))]
pub(super) fn kill(_: u32) {}

/// Does nothing: no browser is started on this system.
#[cfg(not(unix))]
pub(super) fn kill_group(_: u32) {}

/// Returns true if we run as root.
#[cfg(unix)]
pub(crate) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|facts| facts.uid() == 0)
}

/// Always false: there is no root user on this system.
#[cfg(not(unix))]
pub(crate) fn is_root() -> bool {
    false
}

/// Returns true if a path is an executable file.
#[cfg(unix)]
pub(super) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

/// Returns true if a path is a file; on this system, permissions do not show which files are
/// executable.
#[cfg(not(unix))]
pub(super) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.is_file()
}

/// Size of a memory page in bytes, the unit in which Linux counts. Correct on x86; where pages are
/// larger, the memory is underestimated and the system's own limits apply first.
const MEMORY_PAGE_BYTES: u64 = 4096;

/// Memory of one process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessMemory {
    /// Process id (PID), for killing it.
    pub(super) id: u32,
    /// True for a renderer process, which runs pages.
    pub(super) is_renderer: bool,
    /// Memory that only this process uses.
    pub(super) private: u64,
    /// Memory that other processes may use too: files and memory shared between processes.
    pub(super) shared: u64,
}

impl ProcessMemory {
    /// Returns all memory that the process uses.
    pub(super) fn resident(self) -> u64 {
        self.private + self.shared
    }
}

/// Estimates the memory of a whole browser in bytes, counting shared memory once. The estimate is a
/// lower bound, since two processes may share different memory.
pub(super) fn whole(processes: &[ProcessMemory]) -> u64 {
    let private: u64 = processes.iter().map(|process| process.private).sum();
    private
        + processes
            .iter()
            .map(|process| process.shared)
            .max()
            .unwrap_or(0)
}

/// The processes of one process group.
#[derive(Debug, Default)]
pub(super) struct ProcessGroup {
    id: u32,
    members: BTreeSet<u32>,
    /// Processes of other groups, remembered so that their group is read only once.
    others: BTreeSet<u32>,
}

impl ProcessGroup {
    pub(super) fn new(id: u32) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }

    /// Finds processes that started since the last call, and forgets those that ended.
    pub(super) fn refresh(&mut self) {
        let running: BTreeSet<u32> = running().collect();
        self.members.retain(|id| running.contains(id));
        self.others.retain(|id| running.contains(id));
        for id in running {
            if !self.members.contains(&id) && !self.others.contains(&id) {
                let is_member =
                    stat(id).is_some_and(|fields| fields.get(2) == Some(&u64::from(self.id)));
                if is_member {
                    self.members.insert(id)
                } else {
                    self.others.insert(id)
                };
            }
        }
    }

    /// Forgets the groups of all processes: a process may have changed its group, or have the id of
    /// one that ended.
    pub(super) fn forget(&mut self) {
        self.members.clear();
        self.others.clear();
    }

    /// Returns the memory of each process of the group; call [`Self::refresh`] first.
    pub(super) fn memory(&self) -> Vec<ProcessMemory> {
        self.members.iter().filter_map(|&id| memory(id)).collect()
    }
}

/// Returns the CPU time of all processes of a group and of the children they have waited for, in
/// ms. Linux counts 100 ticks per second.
pub(super) fn cpu_ms(group: u32) -> u64 {
    let members = running()
        .filter_map(stat)
        .filter(|fields| fields.get(2) == Some(&u64::from(group)));
    members
        .map(|fields| fields.iter().skip(11).take(4).sum::<u64>())
        .sum::<u64>()
        * 10
}

/// Lists the ids of all processes of the system.
fn running() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Reads the fields of a process after its name: state, parent, group and so on; 0 for fields that
/// are not numbers.
fn stat(id: u32) -> Option<Vec<u64>> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name is in brackets and may contain any character; the numbers follow it.
    let (_, rest) = text.rsplit_once(')')?;
    Some(
        rest.split_whitespace()
            .map(|field| field.parse().unwrap_or(0))
            .collect(),
    )
}

fn memory(id: u32) -> Option<ProcessMemory> {
    let text = fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
    let mut pages = text
        .split(' ')
        .map(|field| field.parse::<u64>().unwrap_or(0))
        .skip(1);
    let (resident, shared) = (pages.next()?, pages.next()?);
    let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    Some(ProcessMemory {
        id,
        is_renderer: memchr::memmem::find(&command, b"--type=renderer").is_some(),
        private: resident.saturating_sub(shared) * MEMORY_PAGE_BYTES,
        shared: shared * MEMORY_PAGE_BYTES,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_can_be_started_on_linux() {
        assert_eq!(check().is_ok(), cfg!(target_os = "linux"));
    }

    #[test]
    fn shared_memory_is_counted_once() {
        let process = |private, shared| ProcessMemory {
            id: 1,
            is_renderer: false,
            private,
            shared,
        };
        assert_eq!(whole(&[process(10, 5), process(1, 7), process(0, 0)]), 18);
        assert_eq!(whole(&[]), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn our_own_group_has_our_own_process() {
        let own = std::process::id();
        let id = stat(own).unwrap()[2] as u32;
        let mut group = ProcessGroup::new(id);
        group.refresh();
        group.refresh();
        let found = group
            .memory()
            .into_iter()
            .find(|process| process.id == own)
            .unwrap();
        assert!(
            found.private > 1 << 20 && found.shared > 0 && !found.is_renderer,
            "{found:?}"
        );
        assert!(!group.others.contains(&own) && !group.others.is_empty());
        group.forget();
        assert!(group.memory().is_empty());
    }
}
