//! JSON lines: one object per page.

use super::appending::Appending;
use super::appending::is_packed;
use super::container::{Container, ContainerOptions};
use super::record::Record;
use crate::journal::Checkpoint;
use std::io;
use std::path::Path;

struct Lines(Appending);

pub(super) fn open(
    path: &Path,
    _: &ContainerOptions,
    checkpoint: Option<Checkpoint>,
) -> io::Result<Box<dyn Container>> {
    Ok(Box::new(Lines(Appending::open(path, checkpoint, is_packed(path))?)))
}

/// The line of a record, with its line break.
pub(super) fn line(record: &Record) -> Vec<u8> {
    let mut line = serde_json::to_vec(record).expect("a record has string keys only");
    line.push(b'\n');
    line
}

impl Container for Lines {
    fn append(&mut self, record: Record) -> io::Result<()> {
        self.0.append(&line(&record))
    }

    fn sync(&mut self) -> io::Result<Checkpoint> {
        Ok(Checkpoint { part: 0, bytes: self.0.sync()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        for number in 0..8 {
            let record = Record::sample(number);
            let line = line(&record);
            assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
            assert_eq!(serde_json::from_slice::<Record>(&line).unwrap(), record);
        }
    }
}
