//! The stages as the verbs call them: the one file here that names functions of other rooms.

pub(super) use crate::source::{list, open, parse};

pub(super) use crate::emit::{EmitOptions, FORMATS, Format};

/// The options of every format, from the command line.
pub(super) fn emit_options(links: bool) -> EmitOptions {
    EmitOptions { links }
}

#[cfg(feature = "chromium")]
pub(super) use crate::render::{Check, diagnose};

#[cfg(feature = "chromium")]
use crate::render::{Renderer, find_browser};

/// Starts the browser; `None` after a complaint where it does not start.
///
/// # Errors
/// If `--browser` names no program: that is wrong usage, and no page is to blame.
#[cfg(feature = "chromium")]
pub(super) fn launch(arguments: &super::options::BrowserArguments, tabs: usize) -> anyhow::Result<Option<Renderer>> {
    if arguments.browser.is_some() {
        find_browser(arguments.browser.as_deref())?;
    }
    match Renderer::launch(render_options(arguments, tabs)) {
        Ok(renderer) => Ok(Some(renderer)),
        Err(error) => {
            super::console::complain(&error.to_string());
            Ok(None)
        }
    }
}

/// The renderer's options, from the command line.
#[cfg(feature = "chromium")]
pub(super) fn render_options(
    arguments: &super::options::BrowserArguments,
    tabs: usize,
) -> crate::render::RenderOptions {
    let usual = crate::render::RenderOptions::default();
    crate::render::RenderOptions {
        browser: arguments.browser.clone(),
        no_sandbox: arguments.no_sandbox,
        allow_private: arguments.allow_private,
        offline: arguments.offline,
        scripts: arguments.scripts.choice(),
        page_timeout_ms: arguments.timeout.map_or(usual.page_timeout_ms, |seconds| u64::from(seconds) * 1000),
        tabs,
        ..usual
    }
}
