//! Captures of a data set's pages: parsed, or rendered once and kept.
//!
//! Training and evaluation ask for the same pages over and over; rendering costs a hundred times as much as all that
//! follows, so rendered captures are kept in `FOLDER/SET/ID` and used again.

use super::dataset::{DataSet, Row};
use crate::capture::Capture;
use crate::error::Error;
use crate::source;

#[cfg(feature = "chromium")]
use crate::capture;
#[cfg(feature = "chromium")]
use crate::render::{RenderOptions, Renderer};
#[cfg(feature = "chromium")]
use std::path::PathBuf;
#[cfg(feature = "chromium")]
use std::sync::Mutex;

/// Where the captures of a data set come from.
pub enum Capturing {
    /// The parser: bare HTML.
    Static,
    /// The browser, with scripts off and no network: the pages are saved ones.
    #[cfg(feature = "chromium")]
    Rendered(Rendering),
}

/// A browser that is started when the first page needs it, and the captures it made.
#[cfg(feature = "chromium")]
pub struct Rendering {
    keep: Option<PathBuf>,
    options: RenderOptions,
    renderer: Mutex<Option<std::sync::Arc<Renderer>>>,
}

impl Capturing {
    /// Rendering with `options`, keeping captures in `keep` if it is given. The browser starts with the first page
    /// that has no capture yet.
    #[cfg(feature = "chromium")]
    pub fn rendered(options: RenderOptions, keep: Option<PathBuf>) -> Self {
        Self::Rendered(Rendering { keep, options, renderer: Mutex::new(None) })
    }

    /// The capture of a page; `row` is one of `set`'s.
    ///
    /// # Errors
    /// If the page cannot be read or rendered, or its kept capture is damaged.
    pub fn capture(&self, set: &DataSet, row: &Row) -> Result<Capture, Error> {
        match self {
            Self::Static => {
                let _ = set;
                Ok(source::parse(&row.open()?)?)
            }
            #[cfg(feature = "chromium")]
            Self::Rendered(rendering) => rendering.capture(set, row),
        }
    }
}

#[cfg(feature = "chromium")]
impl Rendering {
    fn capture(&self, set: &DataSet, row: &Row) -> Result<Capture, Error> {
        let folder = self.keep.as_ref().map(|keep| keep.join(&set.name).join(&row.id));
        if let Some(folder) = folder.as_deref().filter(|folder| capture::is_capture(folder)) {
            return Ok(capture::load(folder)?);
        }
        let mut capture = self.renderer()?.render(&row.open()?)?;
        if capture.record.url.is_none() {
            capture.record.url.clone_from(&row.url);
        }
        if let Some(folder) = folder {
            capture::save(&capture, &folder)?;
        }
        Ok(capture)
    }

    fn renderer(&self) -> Result<std::sync::Arc<Renderer>, Error> {
        let mut renderer = self.renderer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(renderer) = &*renderer {
            return Ok(renderer.clone());
        }
        let started = std::sync::Arc::new(Renderer::launch(self.options.clone())?);
        *renderer = Some(started.clone());
        Ok(started)
    }
}
