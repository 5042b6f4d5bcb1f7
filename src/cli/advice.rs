//! The options that remove the cause of an error; messages of the library do not name them.

use crate::error::{Error, ModelError};

/// The message of a page's error, with the options that help where there are any.
pub(super) fn with_options(error: &Error) -> String {
    match error {
        Error::Model(ModelError::Engine { learned, .. }) => format!("{error} (--engine {learned}, --any-engine)"),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_of_another_engine_is_reported_with_the_options() {
        let error = ModelError::Engine {
            model: "m".into(),
            learned: "builtin",
            rendered: "chromium",
            remedy: "do something else".into(),
        };
        assert!(with_options(&error.into()).ends_with("; do something else (--engine builtin, --any-engine)"));
    }
}
