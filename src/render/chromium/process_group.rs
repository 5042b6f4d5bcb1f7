//! The processes of a browser, as the system lists them in `/proc`: their memory and their CPU time.
//!
//! All processes of a browser are in one process group, whichever of them started the others.

use std::collections::BTreeSet;
use std::fs;

/// Size of a page of memory in bytes, in which Linux counts. Correct on x86; where pages are larger, the memory is
/// underestimated and the system's own limits apply first.
const MEMORY_PAGE_BYTES: u64 = 4096;

/// Memory of one process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessMemory {
    /// Its id.
    pub(super) id: u32,
    /// Whether it runs pages.
    pub(super) is_renderer: bool,
    /// Memory of its own.
    pub(super) private: u64,
    /// Memory that other processes may use too: files, and memory shared between processes.
    pub(super) shared: u64,
}

impl ProcessMemory {
    /// All memory that the process uses.
    pub(super) fn resident(self) -> u64 {
        self.private + self.shared
    }
}

/// Memory of a whole browser in bytes: shared memory is counted once. An estimate from below, since two processes may
/// share different memory.
pub(super) fn whole(processes: &[ProcessMemory]) -> u64 {
    let private: u64 = processes.iter().map(|process| process.private).sum();
    private + processes.iter().map(|process| process.shared).max().unwrap_or(0)
}

/// A process group.
#[derive(Debug, Default)]
pub(super) struct ProcessGroup {
    id: u32,
    members: BTreeSet<u32>,
    /// Processes of other groups, so that their group is read once.
    others: BTreeSet<u32>,
}

impl ProcessGroup {
    pub(super) fn new(id: u32) -> Self {
        Self { id, ..Self::default() }
    }

    /// Finds processes that were started since the last call, and forgets those that ended.
    pub(super) fn refresh(&mut self) {
        let running: BTreeSet<u32> = running().collect();
        self.members.retain(|id| running.contains(id));
        self.others.retain(|id| running.contains(id));
        for id in running {
            if !self.members.contains(&id) && !self.others.contains(&id) {
                let is_member = stat(id).is_some_and(|fields| fields.get(2) == Some(&u64::from(self.id)));
                if is_member {
                    self.members.insert(id)
                } else {
                    self.others.insert(id)
                };
            }
        }
    }

    /// Reads the group of every process again: a process may have changed it, or have the id of one that ended.
    pub(super) fn forget(&mut self) {
        self.members.clear();
        self.others.clear();
    }

    /// The memory of each process of the group; call [`Self::refresh`] first.
    pub(super) fn memory(&self) -> Vec<ProcessMemory> {
        self.members.iter().filter_map(|&id| memory(id)).collect()
    }
}

/// CPU time of all processes of a group and of the children they have waited for, in ms; Linux counts 100 ticks per
/// second.
pub(super) fn cpu_ms(group: u32) -> u64 {
    let members = running().filter_map(stat).filter(|fields| fields.get(2) == Some(&u64::from(group)));
    members.map(|fields| fields.iter().skip(11).take(4).sum::<u64>()).sum::<u64>() * 10
}

/// Ids of all processes of the system.
fn running() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The fields of a process after its name: state, parent, group and so on; 0 for those that are no numbers.
fn stat(id: u32) -> Option<Vec<u64>> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name is in brackets and may contain any character; the numbers come after it.
    let (_, rest) = text.rsplit_once(')')?;
    Some(rest.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect())
}

fn memory(id: u32) -> Option<ProcessMemory> {
    let text = fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
    let mut pages = text.split(' ').map(|field| field.parse::<u64>().unwrap_or(0)).skip(1);
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
    fn shared_memory_is_counted_once() {
        let process = |private, shared| ProcessMemory { id: 1, is_renderer: false, private, shared };
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
        let found = group.memory().into_iter().find(|process| process.id == own).unwrap();
        assert!(found.private > 1 << 20 && found.shared > 0 && !found.is_renderer, "{found:?}");
        assert!(!group.others.contains(&own) && !group.others.is_empty());
        group.forget();
        assert!(group.memory().is_empty());
    }
}
