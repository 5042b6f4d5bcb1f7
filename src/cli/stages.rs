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
