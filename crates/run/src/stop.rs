//! The flag that ends a batch early: set by the caller, by Ctrl-C or by a request to terminate.

use tokio::runtime::Runtime;
use tokio::sync::watch;

/// A request to end the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// The request to terminate, as services get it.
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

/// A flag that any thread may set and a batch waits for. Clones are the same flag.
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
    /// A flag that is not set, and that signals do not touch.
    pub fn new() -> Self {
        Self {
            flag: watch::Sender::new(false),
            on_interrupt: None,
        }
    }

    /// A flag that Ctrl-C sets, and the request to terminate. `notify` is called at the first of
    /// them; a second one leaves the program at once with its exit code.
    pub fn on_interrupt(notify: fn(Signal)) -> Self {
        Self {
            on_interrupt: Some(notify),
            ..Self::new()
        }
    }

    /// Sets the flag.
    pub fn set(&self) {
        self.flag.send_replace(true);
    }

    /// Whether the flag is set.
    pub fn is_set(&self) -> bool {
        *self.flag.borrow()
    }

    /// Waits until the flag is set.
    pub async fn wait(&self) {
        let mut receiver = self.flag.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = receiver.wait_for(|&is_set| is_set).await;
    }

    /// Watches for signals while `runtime` lives.
    pub fn listen(&self, runtime: &Runtime) {
        let Some(notify) = self.on_interrupt else {
            return;
        };
        let stop = self.clone();
        runtime.spawn(async move {
            loop {
                let signal = interrupted().await;
                if stop.is_set() {
                    std::process::exit(signal.exit_code().into());
                }
                notify(signal);
                stop.set();
            }
        });
    }
}

/// Waits for Ctrl-C or the request to terminate.
#[cfg(unix)]
async fn interrupted() -> Signal {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => Signal::Interrupt,
                _ = terminate.recv() => Signal::Terminate,
            }
        }
        // Without a handler the system's own behavior is left as it is.
        Err(_) => std::future::pending().await,
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn interrupted() -> Signal {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
    Signal::Interrupt
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
