//! The stages as the verbs call them: the one file here that names functions of other rooms.

pub(super) use crate::source::{list, open, parse};

pub(super) use crate::emit::{EmitOptions, FORMATS, Format};

/// The options of every format, from the command line.
pub(super) fn emit_options(links: bool) -> EmitOptions {
    EmitOptions { links }
}

#[cfg(feature = "chromium")]
pub(super) use crate::render::{Check, Renderer, diagnose};

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
