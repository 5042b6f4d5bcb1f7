//! Turns panics of the work into errors of the item that panicked, without printing them.

use std::cell::{Cell, RefCell};
use std::ffi::OsStr;
use std::panic::{self, AssertUnwindSafe};
use std::thread;
use vclean_core::error::{ErrorKind, PageError};

thread_local! {
    /// Where the last panic of this thread happened, for its message.
    static PANIC_LOCATION: RefCell<Option<String>> = const { RefCell::new(None) };
    /// True while a panic of this thread becomes the error of an item.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Makes panics of worker threads silent and stores where they happened, so that the item's error
/// can name the place in the source. Programs call this once, before any thread starts. The item's
/// error is one line whatever the settings of the user's shell are; only `RUST_BACKTRACE=full`
/// prints the usual report in addition.
pub fn quiet_panics() {
    let usual = panic::take_hook();
    let setting = std::env::var_os("RUST_BACKTRACE");
    panic::set_hook(Box::new(move |report| {
        if is_reported(
            setting.as_deref(),
            thread::current().name(),
            IS_GUARDED.get(),
        ) {
            usual(report);
        }
        let location = report
            .location()
            .map(|place| format!("{}:{}", place.file(), place.line()));
        PANIC_LOCATION.with(|cell| *cell.borrow_mut() = location);
    }));
}

/// Returns true if the usual report of a panic is printed: with the setting `full`, and if no
/// item's error replaces it.
fn is_reported(setting: Option<&OsStr>, thread: Option<&str>, is_guarded: bool) -> bool {
    let is_worker = thread.is_some_and(|name| name.starts_with("vclean-"));
    setting.is_some_and(|value| value == "full") || !(is_worker || is_guarded)
}

/// Runs `work`; a panic becomes an error in one line.
pub fn guarded<R, E: From<PageError>>(work: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
    PANIC_LOCATION.with(|cell| cell.borrow_mut().take());
    let was_guarded = IS_GUARDED.replace(true);
    // The work shares the renderer and the model with other threads; both stay usable after a
    // panic.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(was_guarded);
    result.unwrap_or_else(|payload| {
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        let location = PANIC_LOCATION
            .with(|cell| cell.borrow_mut().take())
            .unwrap_or_else(|| "an unknown place".to_owned());
        let message = message.lines().next().unwrap_or_default();
        let cause =
            format!("a fault in vclean at {location}: {message}; please report it with the page");
        Err(PageError::new(ErrorKind::Fault, cause).into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_an_item_is_reported_only_if_all_details_are_requested() {
        let engine = Some("vclean-engine");
        for (setting, is_expected) in [
            (None, false),
            (Some("0"), false),
            (Some("1"), false),
            (Some("full"), true),
        ] {
            let setting = setting.map(OsStr::new);
            assert_eq!(
                is_reported(setting, engine, false),
                is_expected,
                "{setting:?}"
            );
            assert_eq!(
                is_reported(setting, Some("main"), true),
                is_expected,
                "{setting:?}"
            );
            assert!(is_reported(setting, Some("main"), false), "{setting:?}");
        }
    }

    #[test]
    fn a_panic_becomes_an_error_and_guards_nest() {
        let inner = || guarded::<(), String>(|| Err("inner".to_owned()));
        assert_eq!(guarded(inner), Err("inner".to_owned()));
        assert!(!IS_GUARDED.get());
    }
}
