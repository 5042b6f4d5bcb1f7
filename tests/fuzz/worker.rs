//! The process that checks inputs. It reads commands from standard input (`made NUMBER` or
//! `stored PATH`) and writes `start` and then `passed` or `fault KIND: MESSAGE` for each. An input
//! may kill it; the watching process starts another one.

use crate::check::Tools;
use crate::input::{Input, Inputs, open};
use std::io::{BufRead, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The first panic since the last input, even if the program caught it.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// One in this many inputs is checked twice, and the results are compared.
const CHECKED_TWICE: u64 = 8;

/// Checks the inputs that standard input asks for.
pub fn run(seed: u64) {
    panic::set_hook(Box::new(|report| {
        let place = report
            .location()
            .map(|place| format!("{}:{}", place.file(), place.line()))
            .unwrap_or_default();
        let message = report
            .payload_as_str()
            .unwrap_or_default()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned();
        PANIC
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(format!("panic at {place}: {message}"));
    }));
    let folder = tempfile::tempdir().expect("a folder for inputs can be made");
    let tools = Tools::new(folder.path().to_owned());
    let inputs = Inputs::new(seed);
    let place = folder.path().join("input");
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let (input, is_twice) = match line.split_once(' ') {
            Some(("made", number)) => {
                let number: u64 = number.parse().expect("commands have a number");
                (inputs.get(number), number.is_multiple_of(CHECKED_TWICE))
            }
            Some(("stored", path)) => (open(Path::new(path)), true),
            _ => break,
        };
        input.write(&place);
        answer("start");
        match check(&tools, &input, &place, is_twice) {
            Ok(()) => answer("passed"),
            Err(fault) => answer(&format!("fault {}", fault.replace('\n', " "))),
        }
    }
}

fn answer(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

fn check(tools: &Tools, input: &Input, folder: &Path, is_twice: bool) -> Result<(), String> {
    let path = if input.main.is_empty() {
        folder.to_owned()
    } else {
        folder.join(&input.main)
    };
    let run = || {
        // A thread with the default stack size, as in a program that uses the library.
        let checked = std::thread::scope(|scope| {
            let work =
                || panic::catch_unwind(AssertUnwindSafe(|| (input.reader.check)(tools, &path)));
            scope.spawn(work).join().unwrap_or_else(Err)
        });
        match PANIC.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(message) => Err(message),
            None => checked.unwrap_or_else(|_| Err("panic without a message".to_owned())),
        }
    };
    let first = run()?;
    if is_twice {
        let second = run()?;
        if let Some((line, _)) = first
            .lines()
            .zip(second.lines())
            .find(|(first, second)| first != second)
        {
            return Err(format!(
                "results differ from one time to the next: {}",
                line.rsplit_once(':').map_or(line, |(step, _)| step)
            ));
        }
        if first.len() != second.len() {
            return Err("results differ from one time to the next: number of results".to_owned());
        }
    }
    Ok(())
}
