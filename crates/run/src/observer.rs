//! What a run reports while it is running: texts, warnings, errors and progress. The command line prints them; a service
//! or a library user may handle them in another way.

use super::figures::Figures;
use std::ops::ControlFlow;
use vclean_core::error::Warning;

/// Receives the reports of a run, in the order in which pages are handed over.
pub trait Observer {
    /// One more page was processed, successfully or not.
    fn page_done(&mut self, figures: &Figures);
    /// A page could not be processed.
    fn page_failed(&mut self, page: &str, cause: &str);
    /// Something is wrong with a page that was processed nevertheless.
    fn page_warning(&mut self, page: &str, warning: &Warning);
    /// Something the user should know about the whole run, which does not stop it.
    fn run_warning(&mut self, text: &str);
    /// A fact about the run that is told at its end, such as what was left out of a folder.
    fn run_note(&mut self, _text: &str) {}
    /// Something went wrong with the whole run.
    fn run_error(&mut self, text: &str);
    /// The text of a page, if the run has no other output; `head` is to be written before the first text, and `separator`
    /// between two. Breaks when no more texts are wanted.
    fn text(&mut self, text: &str, head: &str, separator: &str) -> ControlFlow<()>;
    /// Whether a text that was accepted could not be written.
    fn has_lost_output(&self) -> bool {
        false
    }
    /// The run has ended, complete or not.
    fn run_done(&mut self, figures: &Figures) {
        let _ = figures;
    }
}
