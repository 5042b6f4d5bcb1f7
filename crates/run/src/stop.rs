//! The flag that ends a batch early. The caller, Ctrl-C or a request to terminate sets it.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// Interval at which a service checks for signals.
const TICK: Duration = Duration::from_millis(100);

/// A request to end the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT, which Ctrl-C sends.
    Interrupt,
    /// SIGTERM, which is sent to end a service.
    Terminate,
}

impl Signal {
    /// The exit code of a program that this signal ended: 128 and the number of the signal.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

/// The signals that have arrived. The handlers are registered at the first use. The second signal
/// of a kind ends the program at once.
static ARRIVED: LazyLock<[(Signal, Arc<AtomicBool>); 2]> = LazyLock::new(|| {
    let signals = [(Signal::Interrupt, SIGINT), (Signal::Terminate, SIGTERM)];
    signals.map(|(signal, number)| {
        let arrived = Arc::new(AtomicBool::new(false));
        // If registering fails, the system's own behavior stays.
        let code = i32::from(signal.exit_code());
        if flag::register_conditional_shutdown(number, code, Arc::clone(&arrived)).is_ok() {
            let _ = flag::register(number, Arc::clone(&arrived));
        }
        (signal, arrived)
    })
});

/// A flag that any thread may set to end a batch. Clones share it.
#[derive(Debug, Clone)]
pub struct Stop {
    flag: watch::Sender<bool>,
    on_interrupt: Option<fn(Signal)>,
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}

impl Stop {
    /// Creates a flag that is not set and that signals do not set.
    pub fn new() -> Self {
        Self {
            flag: watch::Sender::new(false),
            on_interrupt: None,
        }
    }

    /// Creates a flag that Ctrl-C or a request to terminate sets after [`Self::listen`] was called.
    /// `notify` is called at the first signal; a second one ends the program at once with its exit
    /// code.
    pub fn on_interrupt(notify: fn(Signal)) -> Self {
        Self {
            on_interrupt: Some(notify),
            ..Self::new()
        }
    }

    /// Sets the flag, which ends the batches that use it or a clone of it.
    pub fn set(&self) {
        self.flag.send_replace(true);
    }

    /// Returns true if the flag is set.
    pub fn is_set(&self) -> bool {
        *self.flag.borrow()
    }

    /// Waits until the flag is set.
    pub async fn wait(&self) {
        let mut receiver = self.flag.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = receiver.wait_for(|&is_set| is_set).await;
    }

    /// Sets the flag if a signal has arrived, unless signals do not set this flag. After the first
    /// call, signals no longer end the program by themselves.
    pub fn listen(&self) {
        let Some(notify) = self.on_interrupt else {
            return;
        };
        let arrived = ARRIVED.iter().find(|(_, arrived)| arrived.load(Relaxed));
        if let Some((signal, _)) = arrived
            && !self.flag.send_replace(true)
        {
            notify(*signal);
        }
    }

    /// Calls [`Self::listen`] at intervals while `runtime` lives.
    pub fn listen_on(&self, runtime: &Runtime) {
        let stop = self.clone();
        runtime.spawn(async move {
            loop {
                stop.listen();
                tokio::time::sleep(TICK).await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_the_same_flag() {
        let stop = Stop::new();
        let other = stop.clone();
        assert!(!other.is_set());
        stop.set();
        assert!(other.is_set());
    }
}
