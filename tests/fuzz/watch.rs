//! Watches a worker process: its answers, its time and its memory.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Interval at which time and memory are measured.
const INTERVAL: Duration = Duration::from_millis(50);
/// Clock ticks per second in `/proc`, on all common kernels.
const TICKS_PER_S: u64 = 100;

/// The limits of one input.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Limit of CPU time, in s.
    pub cpu_s: u64,
    /// Limit of resident memory of the process, in MB.
    pub memory_mb: u64,
}

/// A worker process, with the pipes that connect to it.
pub struct Worker {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<String>,
    /// Largest resident memory so far, in MB.
    pub peak_mb: u64,
}

impl Worker {
    /// Starts a worker for the inputs of a seed.
    pub fn start(seed: u64) -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        let mut child = Command::new(program)
            .args(["--worker", "--seed", &seed.to_string()])
            // One thread at a time, so that the CPU time of an input does not depend on the
            // machine.
            .env("RAYON_NUM_THREADS", "1")
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started again");
        let stdin = child.stdin.take().expect("it was asked for");
        let stdout = child.stdout.take().expect("it was asked for");
        let (send, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            stdin,
            answers,
            peak_mb: 0,
        }
    }

    /// Sends a command and waits for its result. After an error the worker may have ended; see
    /// [`Self::has_ended`].
    pub fn ask(&mut self, command: &str, limits: Limits) -> Result<(), String> {
        if writeln!(self.stdin, "{command}").is_err() {
            return Err(self.ended());
        }
        let mut started = None;
        loop {
            match self.answers.recv_timeout(INTERVAL) {
                Ok(line) if line == "start" => started = Some((Instant::now(), self.cpu_s())),
                Ok(line) => {
                    self.look_at_memory(limits)?;
                    return line
                        .strip_prefix("fault ")
                        .map_or(Ok(()), |fault| Err(fault.to_owned()));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) => {
                    self.look_at_memory(limits)?;
                    let Some((start, cpu_s)) = started else {
                        continue;
                    };
                    // If much more real time has passed, the worker waits for something, or the
                    // machine is very busy.
                    if self.cpu_s() - cpu_s > limits.cpu_s
                        || start.elapsed().as_secs() > 30 * limits.cpu_s
                    {
                        self.kill();
                        return Err(format!("more than {} s", limits.cpu_s));
                    }
                }
            }
        }
    }

    /// True if the process has ended.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills the process and waits for its end.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn ended(&mut self) -> String {
        let status = self
            .child
            .wait()
            .map_or_else(|error| error.to_string(), |status| status.to_string());
        format!("process ended: {status}")
    }

    fn look_at_memory(&mut self, limits: Limits) -> Result<(), String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .unwrap_or_default();
        let peak_kb = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
        self.peak_mb = peak_kb.unwrap_or(0) / 1024;
        if self.peak_mb > limits.memory_mb {
            self.kill();
            return Err(format!("more than {} MB", limits.memory_mb));
        }
        Ok(())
    }

    fn cpu_s(&self) -> u64 {
        cpu_ticks(&self.child.id().to_string(), 11) / TICKS_PER_S
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Total CPU time of the workers that have ended, in s.
pub fn cpu_s_of_ended() -> u64 {
    cpu_ticks("self", 13) / TICKS_PER_S
}

/// Sum of two neighboring fields of `/proc/PROCESS/stat`, counted from 0 after the name.
fn cpu_ticks(process: &str, first: usize) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat
        .rsplit_once(')')
        .map_or("", |(_, fields)| fields)
        .split_whitespace();
    fields
        .skip(first)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum()
}
