//! Lists the processes of this machine from `/proc`.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// A running process, as listed in `/proc`.
pub struct Process {
    /// Id of the parent process.
    pub parent: u32,
    /// Start time, to distinguish it from a later process with the same id.
    pub born: String,
    /// Program and arguments, from `/proc/ID/cmdline`.
    pub command: Vec<String>,
}

/// Lists all processes by id.
pub fn processes() -> BTreeMap<u32, Process> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let (Ok(stat), Ok(command)) = (
            fs::read_to_string(entry.path().join("stat")),
            fs::read(entry.path().join("cmdline")),
        ) else {
            continue;
        };
        // The name in parentheses may contain anything; the fields after it are fixed.
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        if fields.first() == Some(&"Z") {
            continue;
        }
        let parent = fields
            .get(1)
            .and_then(|field| field.parse().ok())
            .unwrap_or(0);
        let born = fields.get(19).copied().unwrap_or_default().to_owned();
        let command = command
            .split(|byte| *byte == 0)
            .map(|part| String::from_utf8_lossy(part).into_owned())
            .collect();
        found.insert(
            id,
            Process {
                parent,
                born,
                command,
            },
        );
    }
    found
}

/// Returns the ids of all descendants of `ancestor`.
pub fn descendants(all: &BTreeMap<u32, Process>, ancestor: u32) -> BTreeSet<u32> {
    let mut below = BTreeSet::from([ancestor]);
    loop {
        let more: Vec<u32> = all
            .iter()
            .filter(|(id, process)| below.contains(&process.parent) && !below.contains(id))
            .map(|(id, _)| *id)
            .collect();
        if more.is_empty() {
            below.remove(&ancestor);
            return below;
        }
        below.extend(more);
    }
}
