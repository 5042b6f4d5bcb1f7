//! The stages as the verbs call them: the one file here that names functions of other rooms.

pub(super) use crate::source::{list, open, parse};

use crate::clean::CleanDocument;

// TO MERGE: `pub(super) use crate::emit::{EmitOptions, FORMATS, Format};`

/// What to write.
pub(super) struct Format {
    /// Name on the command line.
    pub(super) name: &'static str,
    /// Extension of its files, without the dot.
    pub(super) extension: &'static str,
    /// What it is, in a sentence.
    pub(super) doc: &'static str,
    /// Writes a document.
    pub(super) write: fn(&CleanDocument, &EmitOptions) -> String,
}

/// Choices of a format.
#[derive(Debug, Clone, Default)]
pub(super) struct EmitOptions {
    /// Keep links.
    pub(super) links: bool,
}

fn paragraphs(document: &CleanDocument, _: &EmitOptions) -> String {
    document.segments.iter().map(|segment| segment.text() + "\n").collect()
}

/// All formats.
pub(super) const FORMATS: &[Format] = &[
    Format { name: "text", extension: "txt", doc: "Plain text", write: paragraphs },
    Format { name: "cleaneval", extension: "txt", doc: "CLEANEVAL marks", write: paragraphs },
    Format { name: "markdown", extension: "md", doc: "Markdown", write: paragraphs },
    Format { name: "html", extension: "html", doc: "The pruned page", write: paragraphs },
    Format { name: "json", extension: "json", doc: "Segments, metadata and decisions", write: paragraphs },
];

/// The options of every format, from the command line.
pub(super) fn emit_options(links: bool) -> EmitOptions {
    EmitOptions { links }
}

#[cfg(feature = "chromium")]
pub(super) use rendering::*;

#[cfg(feature = "chromium")]
mod rendering {
    // TO MERGE: all of this is `pub(in crate::cli) use crate::render::{Check, RenderOptions, Renderer, diagnose};`; only
    // `render_options` stays.
    use crate::capture::Capture;
    use crate::cli::options::BrowserArguments;
    use crate::error::RenderError;
    use crate::source::Page;
    use std::path::PathBuf;

    #[derive(Debug, Clone, Default)]
    pub(in crate::cli) struct RenderOptions {
        pub(in crate::cli) browser: Option<PathBuf>,
        pub(in crate::cli) no_sandbox: bool,
        pub(in crate::cli) page_timeout_ms: u64,
        pub(in crate::cli) allow_private: bool,
        pub(in crate::cli) offline: bool,
        pub(in crate::cli) scripts: Option<bool>,
        pub(in crate::cli) tabs: usize,
    }
    pub(in crate::cli) struct Renderer;
    impl Renderer {
        pub(in crate::cli) fn launch(_: RenderOptions) -> Result<Self, RenderError> {
            Err(RenderError::Browser("to be merged".into()))
        }
        pub(in crate::cli) fn render(&self, _: &Page) -> Result<Capture, RenderError> {
            Err(RenderError::Browser("to be merged".into()))
        }
    }
    pub(in crate::cli) struct Check {
        pub(in crate::cli) name: String,
        pub(in crate::cli) ok: bool,
        pub(in crate::cli) detail: String,
        pub(in crate::cli) remedy: Option<String>,
    }
    pub(in crate::cli) fn diagnose(_: &RenderOptions) -> Vec<Check> {
        Vec::new()
    }

    /// The renderer's options, from the command line.
    pub(in crate::cli) fn render_options(arguments: &BrowserArguments, tabs: usize) -> RenderOptions {
        let mut options = RenderOptions::default();
        options.browser.clone_from(&arguments.browser);
        options.no_sandbox = arguments.no_sandbox;
        options.allow_private = arguments.allow_private;
        options.offline = arguments.offline;
        options.scripts = arguments.scripts.choice();
        options.tabs = tabs;
        if let Some(seconds) = arguments.timeout {
            options.page_timeout_ms = u64::from(seconds) * 1000;
        }
        options
    }
}
