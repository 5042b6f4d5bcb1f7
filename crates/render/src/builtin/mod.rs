//! The built-in engine: lays out saved pages in process, without a browser. The only user of Blitz.
//!
//! `tree` builds the engine's document, `resources` provides the files that the engine requests,
//! `layout_fixes` changes elements that the engine would lay out wrongly, and `boxes` reads boxes,
//! styles and lines from its layout (`lines` finds the text node of each letter, `styles` converts
//! computed styles). The core draws the page image and the node mask. `hidden_text` finds hidden
//! text by the effects of `styles`, by colors, and in doubt by painting. Scripts never run. Each
//! page is laid out on a worker thread (`lay_out`) with a time limit; a panic becomes the error of
//! that page.

mod boxes;
mod fonts;
mod hidden_text;
mod lay_out;
mod layout_fixes;
mod lines;
mod paint;
mod picture_sizes;
mod resources;
mod style_sheets;
mod styles;
#[cfg(test)]
#[path = "../../tests/unit/builtin.rs"]
mod tests;
mod tree;
mod unfold;

use super::options::RenderOptions;
use super::rendered::Rendered;
use crate::net::without_refresh;
use lay_out::{LayoutJob, LayoutResult, Threads, check_size};
use resources::{NOWHERE, ResourceLocation};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use style_sheets::without_scripts;
use url::Url;
use vclean_core::capture::{Capture, Engine, Record};
use vclean_core::error::RenderError;
use vclean_core::html::MAX_OPEN;
use vclean_core::page::{Body, Page, PageFiles, parse_with_parts};

/// Name and version of the engine, as written to captures.
const VERSION: &str = "Blitz/0.3.0-beta.4";
/// Stack size of a worker thread, in bytes: the engine walks the tree recursively and takes some 30
/// kB per level.
const STACK_BYTES: usize = 64 * 1024 * (MAX_OPEN + 64);

/// Renders pages without a browser. Threads share it.
pub(super) struct Builtin {
    threads: Threads,
}

impl Builtin {
    pub(super) fn new() -> Self {
        Self {
            threads: Threads::new(STACK_BYTES),
        }
    }

    /// Renders a saved page with these options.
    ///
    /// # Errors
    /// Errors of `page` for a damaged page; [`RenderError::Limit`] for a page that is too large,
    /// [`RenderError::TimeOut`] for a page that takes too long, [`RenderError::Crash`] if the
    /// engine fails on it, [`RenderError::Engine`] if no font is installed.
    pub(super) fn render(
        &self,
        page: &Page,
        options: &RenderOptions,
    ) -> Result<Rendered, RenderError> {
        let started = Instant::now();
        let (
            Capture {
                mut record, dom, ..
            },
            parts,
        ) = match &page.body {
            Body::Html { html, files } => {
                let html = without_refresh(&without_scripts(html));
                let body = Body::Html {
                    html,
                    files: files.clone(),
                };
                parse_with_parts(&Page {
                    body,
                    ..page.clone()
                })?
            }
            Body::Mhtml(_) => parse_with_parts(page)?,
            Body::Address(_) => {
                return Err(RenderError::Load(
                    "the built-in engine fetches nothing; save the page first, or use `engine` chromium".to_owned(),
                ));
            }
            Body::Capture(_) => {
                return Err(RenderError::Load(
                    "a capture is rendered already; clean it as it is".to_owned(),
                ));
            }
        };
        if fonts::are_missing() {
            return Err(RenderError::Engine(
                "no font is installed, so no text can be laid out; install one, such as the package fonts-liberation"
                    .to_owned(),
            ));
        }
        check_size(&dom)?;
        let nowhere = || Url::parse(NOWHERE).expect("the constant is a valid address");
        let (location, base) = match &page.body {
            Body::Html {
                files: files @ (PageFiles::Folder(folder) | PageFiles::Mirror { folder, .. }),
                ..
            } => {
                let folder = if folder.as_os_str().is_empty() {
                    ".".into()
                } else {
                    folder.clone()
                };
                let mut base = nowhere();
                files.place(&mut base);
                (
                    folder
                        .canonicalize()
                        .map_or(ResourceLocation::Nothing, ResourceLocation::Folder),
                    Some(base.into()),
                )
            }
            Body::Html {
                files: PageFiles::Archive(archive),
                ..
            } => {
                record.warnings.extend(archive.prepare());
                (
                    ResourceLocation::Archive(Arc::clone(archive)),
                    record.url.clone(),
                )
            }
            Body::Mhtml(_) => (ResourceLocation::Parts(parts), record.url.clone()),
            _ => (ResourceLocation::Nothing, record.url.clone()),
        };
        let base = base
            .and_then(|url| Url::parse(&url).ok())
            .filter(|url| !url.cannot_be_a_base())
            .unwrap_or_else(nowhere);
        let &RenderOptions {
            viewport_px,
            max_height_px,
            paint: is_painted,
            ..
        } = options;
        let viewport_px = viewport_px.map(|px| px.clamp(1, 16_384));
        let job = LayoutJob {
            dom,
            base,
            location,
            viewport_px,
            max_height_px,
            is_painted,
        };
        let parsed_ms = started.elapsed().as_secs_f64() * 1000.0;
        let LayoutResult {
            dom,
            layout,
            pictures,
            warnings,
            mut timings,
        } = self.threads.run(job, options.page_timeout_ms())?;
        timings.navigate_ms += parsed_ms;
        timings.total_ms = started.elapsed().as_secs_f64() * 1000.0;
        record.warnings.extend(warnings);
        let record = Record {
            captured_at_s: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .ok()
                .map(|age| age.as_secs()),
            engine: Engine::Builtin,
            browser: Some(VERSION.to_owned()),
            viewport_px: Some(viewport_px),
            fonts: fonts::families(),
            ..record
        };
        Ok(Rendered {
            capture: Capture {
                record,
                dom,
                layout: Some(layout),
                pictures: Some(pictures),
            },
            timings,
        })
    }
}
