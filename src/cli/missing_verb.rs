//! Helps those who name a page where the verb should be: `vclean page.html`.

use super::console;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::path::Path;

/// Prints the command that was probably meant, if the unknown verb of a wrong command line looks like a page.
pub(super) fn suggest(error: &clap::Error) {
    let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(unknown))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    else {
        return;
    };
    if let Some(verb) = verb_for(unknown) {
        console::complain(&format!("to clean a page, name the verb first: vclean {verb} {unknown}"));
    }
}

/// The verb that takes an input; `None` if it does not look like one.
fn verb_for(input: &str) -> Option<&'static str> {
    let is_address = input.contains("://");
    let has_ending = Path::new(input).extension().is_some();
    let is_input = is_address || input == "-" || has_ending || Path::new(input).exists();
    let verb = if cfg!(feature = "rendering") && input != "-" { "render-and-clean" } else { "clean" };
    is_input.then_some(verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_told_from_misspelled_verbs() {
        assert!(
            ["page.html", "https://example.org", "/tmp", "crawl.warc.gz"].iter().all(|input| verb_for(input).is_some())
        );
        assert_eq!((verb_for("-"), verb_for("claen")), (Some("clean"), None));
    }
}
