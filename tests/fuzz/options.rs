//! Parses the arguments of the test program.

use crate::watch::Limits;
use std::path::PathBuf;
use std::time::Duration;

/// Number of inputs of the short test, unless its time ends first.
const SHORT_INPUTS: u64 = 120;
/// Time of the short test.
const SHORT_TIME: Duration = Duration::from_secs(30);

/// The task of the process.
#[derive(Debug, PartialEq, Eq)]
pub enum Mode {
    /// Start worker processes and let them check inputs.
    Watch,
    /// Check inputs as a worker process.
    Worker,
    /// Do nothing, because the arguments of `cargo test` select other tests.
    Nothing,
}

/// The options of a run.
#[derive(Debug)]
pub struct Options {
    /// Task of this process.
    pub mode: Mode,
    /// Seed that, with its number, determines each input.
    pub seed: u64,
    /// The run ends after this time, if there is one, and after `inputs`.
    pub time: Option<Duration>,
    /// The run ends after this many inputs.
    pub inputs: u64,
    /// Number of the first input.
    pub first: u64,
    /// Number of worker processes.
    pub workers: usize,
    /// The limits of an input.
    pub limits: Limits,
    /// Folder for failing inputs.
    pub out: PathBuf,
    /// Stored inputs to check instead.
    pub stored: Vec<PathBuf>,
}

impl Options {
    /// Parses the arguments of the command line.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            mode: Mode::Watch,
            seed: 1,
            time: Some(SHORT_TIME),
            inputs: SHORT_INPUTS,
            first: 0,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            // A build without optimization is about ten times slower.
            limits: Limits {
                cpu_s: if cfg!(debug_assertions) { 120 } else { 10 },
                memory_mb: 2048,
            },
            out: PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz"),
            stored: Vec::new(),
        };
        while let Some(argument) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .ok_or_else(|| format!("{argument} has no value"))
            };
            let number = |text: String| {
                text.parse::<u64>()
                    .map_err(|_| format!("{text} is no whole number"))
            };
            match argument.as_str() {
                "--worker" => options.mode = Mode::Worker,
                "--seed" => options.seed = number(value()?)?,
                "--minutes" => {
                    options.time = Some(Duration::from_secs(60 * number(value()?)?));
                    options.inputs = u64::MAX;
                }
                "--inputs" => {
                    options.inputs = number(value()?)?;
                    options.time = None;
                }
                "--first" => options.first = number(value()?)?,
                "--workers" => options.workers = number(value()?)?.clamp(1, 64) as usize,
                "--seconds" => options.limits.cpu_s = number(value()?)?,
                "--megabytes" => options.limits.memory_mb = number(value()?)?,
                "--out" => options.out = value()?.into(),
                "--input" => options.stored.push(value()?.into()),
                // Arguments that Rust's test programs accept.
                "--list" => {
                    println!("fuzz: test");
                    options.mode = Mode::Nothing;
                }
                other if other.starts_with('-') => {}
                filter if "fuzz".contains(filter) => {}
                _ => options.mode = Mode::Nothing,
            }
        }
        Ok(options)
    }
}
