//! Makes a failing input smaller by cutting out parts while the fault stays the same.

use crate::input::Input;
use crate::watch::{Limits, Worker};
use std::path::Path;
use std::time::{Duration, Instant};

/// Limits on the work for one input.
const MAX_TRIES: usize = 400;
const MAX_TIME: Duration = Duration::from_mins(2);

/// Returns the part of a fault's message that identifies it: without numbers that depend on the
/// input, but with the location in the source.
pub fn signature(fault: &str) -> String {
    // Paths differ in each run.
    let mark = if fault.starts_with("panic at ") {
        ": "
    } else {
        " /"
    };
    let end = fault.find(mark).unwrap_or(fault.len());
    fault.get(..end).unwrap_or(fault).to_owned()
}

/// Cuts parts out of the files of `input`; `folder` holds the input of each try.
pub fn cut(input: &mut Input, fault: &str, seed: u64, limits: Limits, folder: &Path) {
    let started = Instant::now();
    let path = folder.join(format!("try.{}", input.reader.name));
    let mut worker = Worker::start(seed);
    let mut tries = 0;
    let mut fails = |input: &Input| {
        tries += 1;
        if tries > MAX_TRIES || started.elapsed() > MAX_TIME {
            return None;
        }
        input.write(&path);
        if worker.has_ended() {
            worker = Worker::start(seed);
        }
        let found = worker.ask(&format!("stored {}", path.display()), limits);
        Some(found.is_err_and(|found| signature(&found) == signature(fault)))
    };
    let names: Vec<String> = input.files.keys().cloned().collect();
    'files: for name in names {
        // The whole file may be unnecessary.
        if name != input.main && !input.main.is_empty() {
            let Some(bytes) = input.files.remove(&name) else {
                continue;
            };
            match fails(input) {
                Some(true) => continue,
                Some(false) => drop(input.files.insert(name.clone(), bytes)),
                None => {
                    input.files.insert(name.clone(), bytes);
                    break;
                }
            }
        }
        let mut step = input.files[&name].len().div_ceil(2);
        while step > 0 {
            let mut start = 0;
            while start < input.files[&name].len() {
                let whole = input.files[&name].clone();
                let mut less = whole.clone();
                less.drain(start..whole.len().min(start + step));
                input.files.insert(name.clone(), less);
                match fails(input) {
                    Some(true) => {}
                    found => {
                        input.files.insert(name.clone(), whole);
                        start += step;
                        if found.is_none() {
                            break 'files;
                        }
                    }
                }
            }
            step /= 2;
        }
    }
    let _ = std::fs::remove_dir_all(&path);
}
