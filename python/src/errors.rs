//! Converts the errors of the library to the exceptions of `vclean.errors`.

use pyo3::prelude::*;
use vclean::error::{ErrorKind, ModelError, RenderError};

/// Creates an exception of a class in `vclean.errors`.
pub(crate) fn exception(py: Python<'_>, class: &str, message: &str) -> PyErr {
    let made = py
        .import("vclean.errors")
        .and_then(|errors| errors.getattr(class)?.call1((message,)));
    match made {
        Ok(made) => PyErr::from_value(made),
        Err(error) => error,
    }
}

/// Creates the exception for content that is not a page.
pub(crate) fn input_error(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "InputError", message)
}

/// Creates the exception for an option that does not exist or is invalid.
pub(crate) fn option_error(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "OptionError", message)
}

/// Creates the exception for an error of the library; `page` is the name of the page.
pub(crate) fn page_error(py: Python<'_>, page: &str, error: &vclean::Error) -> PyErr {
    let message = if page.is_empty() {
        error.to_string()
    } else {
        format!("{page}: {error}")
    };
    let class = match error {
        vclean::Error::Source(vclean::error::SourceError::TooLarge { .. })
        | vclean::Error::Limit(_) => "LimitError",
        vclean::Error::Model(
            ModelError::Parameter { .. } | ModelError::Setting(_) | ModelError::Precision(_),
        ) => "OptionError",
        vclean::Error::Model(_) => "ModelError",
        vclean::Error::Render(error) => return render_error(py, &message, error),
        _ => "InputError",
    };
    with_kind(py, exception(py, class, &message), error.kind())
}

/// Sets the attribute `kind`, whose values are the same in all interfaces.
fn with_kind(py: Python<'_>, exception: PyErr, kind: ErrorKind) -> PyErr {
    let _ = exception.value(py).setattr("kind", kind.name());
    exception
}

fn render_error(py: Python<'_>, message: &str, error: &RenderError) -> PyErr {
    let class = match error {
        RenderError::Browser(_) | RenderError::Engine(_) | RenderError::Crash(_) => "BrowserError",
        RenderError::TimeOut { .. } | RenderError::TooSlow { .. } => "RenderTimeoutError",
        RenderError::Limit(_) => "LimitError",
        RenderError::Source(_) => "InputError",
        RenderError::Later { after_s, .. } => {
            let made = exception(py, "TryLaterError", message);
            let _ = made.value(py).setattr("retry_after", *after_s);
            return with_kind(py, made, error.kind());
        }
        _ => "RenderError",
    };
    with_kind(py, exception(py, class, message), error.kind())
}
