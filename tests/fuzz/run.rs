//! Gives numbered inputs to the workers, and stores and counts the faults.

use crate::cut::{cut, signature};
use crate::input::{Input, Inputs, open};
use crate::options::Options;
use crate::watch::{Worker, cpu_s_of_ended};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of stored inputs for faults with the same signature.
const STORED_OF_A_KIND: u64 = 2;
/// Interval between two progress reports.
const REPORT_INTERVAL: Duration = Duration::from_mins(1);

/// The state that the threads of a run share.
struct Run<'a> {
    options: &'a Options,
    inputs: Inputs,
    started: Instant,
    next: AtomicU64,
    done: AtomicU64,
    peak_mb: AtomicU64,
    /// Number of faults by signature.
    faults: Mutex<BTreeMap<String, u64>>,
    reported: Mutex<Instant>,
}

/// Checks inputs until the time or the number of inputs is reached; true if there were no faults.
pub fn run(options: &Options) -> bool {
    let run = Run {
        options,
        inputs: Inputs::new(options.seed),
        started: Instant::now(),
        next: AtomicU64::new(options.first),
        done: AtomicU64::new(0),
        peak_mb: AtomicU64::new(0),
        faults: Mutex::default(),
        reported: Mutex::new(Instant::now()),
    };
    std::thread::scope(|scope| {
        for _ in 0..options.workers {
            scope.spawn(|| run.work());
        }
    });
    let faults = run.faults.lock().unwrap_or_else(PoisonError::into_inner);
    eprintln!(
        "fuzz: {} inputs of seed {} checked in {} s of CPU time, {} MB at most, {} faults of {} kinds",
        run.done.load(Ordering::Relaxed),
        options.seed,
        cpu_s_of_ended(),
        run.peak_mb.load(Ordering::Relaxed),
        faults.values().sum::<u64>(),
        faults.len(),
    );
    for (fault, number) in &*faults {
        eprintln!("fuzz: {number} times: {fault}");
    }
    faults.is_empty()
}

impl Run<'_> {
    fn work(&self) {
        let options = self.options;
        let mut worker = Worker::start(options.seed);
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let stored = usize::try_from(number)
                .ok()
                .and_then(|number| options.stored.get(number));
            let is_over = match options.time {
                _ if !options.stored.is_empty() => stored.is_none(),
                _ if number - options.first >= options.inputs => true,
                time => time.is_some_and(|time| self.started.elapsed() >= time),
            };
            if is_over {
                return;
            }
            let command = match stored {
                Some(path) => format!("stored {}", path.display()),
                None => format!("made {number}"),
            };
            if worker.has_ended() {
                worker = Worker::start(options.seed);
            }
            let found = worker.ask(&command, options.limits);
            self.done.fetch_add(1, Ordering::Relaxed);
            self.peak_mb.fetch_max(worker.peak_mb, Ordering::Relaxed);
            if let Err(fault) = found {
                // A new worker, so that no input is blamed for effects of the previous one.
                worker = Worker::start(options.seed);
                let input = stored.map_or_else(|| self.inputs.get(number), |path| open(path));
                self.record(number, input, &fault);
            }
            self.report();
        }
    }

    /// Counts a fault, and stores the input if it is one of the first of its kind.
    fn record(&self, number: u64, mut input: Input, fault: &str) {
        let seed = self.options.seed;
        let count = {
            let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
            let count = faults.entry(signature(fault)).or_default();
            *count += 1;
            *count
        };
        let name = format!("{seed}-{number}.{}", input.reader.name);
        eprintln!(
            "fuzz: seed {seed}, input {number}, reader {}: {fault}",
            input.reader.name
        );
        if count > STORED_OF_A_KIND || !self.options.stored.is_empty() {
            return;
        }
        let path = self.options.out.join(&name);
        input.write(&path);
        cut(
            &mut input,
            fault,
            seed,
            self.options.limits,
            &self.options.out,
        );
        input.write(&path);
        let text = format!(
            "seed {seed}, input {number}, reader {}: {fault}\n",
            input.reader.name
        );
        let _ = std::fs::write(self.options.out.join(format!("{name}.txt")), text);
        eprintln!(
            "fuzz: stored; to repeat: scripts/fuzz --input {}",
            path.display()
        );
    }

    fn report(&self) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.elapsed() >= REPORT_INTERVAL {
            *reported = Instant::now();
            let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
            let done = self.done.load(Ordering::Relaxed);
            eprintln!(
                "fuzz: {done} inputs in {} min, {} MB at most, {} faults of {} kinds",
                self.started.elapsed().as_secs() / 60,
                self.peak_mb.load(Ordering::Relaxed),
                faults.values().sum::<u64>(),
                faults.len()
            );
        }
    }
}
