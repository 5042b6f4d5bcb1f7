//! What a run reports while it goes: texts, warnings, errors and progress. The command line prints them; a service or a
//! library user may do something else.

use std::ops::ControlFlow;

/// Receives what happens during a run, in the order in which pages are handed over.
pub trait Observer {
    /// One page more was handled, successfully or not; `remark` belongs beside the progress and may be empty.
    fn page_done(&mut self, remark: &str);
    /// A page could not be handled.
    fn page_failed(&mut self, page: &str, cause: &str);
    /// Something is wrong with a page that was handled all the same.
    fn page_warning(&mut self, page: &str, warning: &str);
    /// Something the user should know of the whole run, which does not stop it.
    fn run_warning(&mut self, text: &str);
    /// Something went wrong with the whole run.
    fn run_error(&mut self, text: &str);
    /// The text of a page, where the run has no other output; `separator` belongs between two texts. Breaks when no more
    /// texts are wanted.
    fn text(&mut self, text: &str, separator: &str) -> ControlFlow<()>;
    /// Whether a text that was taken could not be passed on.
    fn has_lost_output(&self) -> bool {
        false
    }
    /// The run has ended.
    fn run_done(&mut self) {}
}
