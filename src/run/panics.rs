//! Turns panics of the work into errors of the item that panicked, without printing them.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::thread;

thread_local! {
    /// Where the last panic of this thread happened, for its message.
    static PANIC_LOCATION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Makes panics silent and stores where they happened, so that the item's error can name the place in the source.
/// Programs call this once, before any thread starts; `RUST_BACKTRACE` keeps the usual report in addition.
pub fn quiet_panics() {
    let usual = panic::take_hook();
    let keeps_report = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    panic::set_hook(Box::new(move |report| {
        let is_worker = thread::current().name().is_some_and(|name| name.starts_with("vclean-"));
        if keeps_report || !is_worker {
            usual(report);
        }
        let location = report.location().map(|place| format!("{}:{}", place.file(), place.line()));
        PANIC_LOCATION.with(|cell| *cell.borrow_mut() = location);
    }));
}

/// Runs `work`; a panic becomes an error in one line.
pub(super) fn guarded<R>(work: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    PANIC_LOCATION.with(|cell| cell.borrow_mut().take());
    // The work shares the renderer and the model with other threads; both stay usable after a panic.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        let location =
            PANIC_LOCATION.with(|cell| cell.borrow_mut().take()).unwrap_or_else(|| "an unknown place".to_owned());
        let message = message.lines().next().unwrap_or_default();
        Err(format!("a fault in vclean at {location}: {message}; please report it with the page"))
    })
}
