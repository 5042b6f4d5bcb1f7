//! Captures of a data set's pages: parsed, or rendered once and stored.
//!
//! Training and evaluation need the same pages repeatedly, and rendering costs a hundred times as
//! much as all later stages, so rendered captures are stored in `FOLDER/SET/ID` and used again.
//! Captures of two engines are never mixed: stored captures must be of the requested engine, and
//! captures of a substitute engine are not stored. A set that keeps the capture of a page that a
//! person labelled (`captures/ID`) has it used, if it is of the requested engine.

use super::read::labelled_capture;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use vclean_core::capture::{Capture, Engine};
use vclean_core::error::CaptureError;
use vclean_core::error::Error;
use vclean_core::files::{is_capture, load_capture, load_record, save_capture};
use vclean_core::page;
use vclean_render::{EngineChoice, PageOptions, RenderOptions, Renderer};
use vclean_run::source::{DataSet, Row};

/// The source of the captures of a data set.
pub enum Capturing {
    /// The HTML parser, without rendering.
    Static,
    /// A rendering engine, with scripts off and without network, because the pages are saved ones.
    Rendered(Box<Rendering>),
}

/// A renderer that is started when the first page needs it, and its stored captures.
pub struct Rendering {
    keep: Option<PathBuf>,
    options: RenderOptions,
    renderer: Mutex<Option<std::sync::Arc<Renderer>>>,
}

impl Capturing {
    /// Rendering with `options`, with captures stored in `keep` if given. The engine starts with
    /// the first page that has no stored capture.
    pub fn rendered(options: RenderOptions, keep: Option<PathBuf>) -> Self {
        Self::Rendered(Box::new(Rendering {
            keep,
            options,
            renderer: Mutex::new(None),
        }))
    }

    /// The engine of the captures. If none was chosen it is the built-in one, which then renders
    /// saved pages.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Static => Engine::Parser,
            Self::Rendered(rendering) => rendering.engine(),
        }
    }

    /// Checks before the work begins whether the stored captures of `sets` are of the requested
    /// engine, by the first capture of each set.
    ///
    /// # Errors
    /// If a capture is of another engine, or damaged.
    pub fn check(&self, sets: &[DataSet]) -> Result<(), Error> {
        match self {
            Self::Static => {
                let _ = sets;
                Ok(())
            }
            Self::Rendered(rendering) => rendering.check(sets),
        }
    }

    /// The capture of a page; `row` is one of `set`'s.
    ///
    /// # Errors
    /// If the page cannot be read or rendered, or its stored capture is damaged.
    pub fn capture(&self, set: &DataSet, row: &Row) -> Result<Capture, Error> {
        match self {
            Self::Static => {
                let _ = set;
                Ok(page::parse(&row.open()?)?)
            }
            Self::Rendered(rendering) => rendering.capture(set, row),
        }
    }
}

impl Rendering {
    fn engine(&self) -> Engine {
        match self.options.engine() {
            EngineChoice::Chromium => Engine::Chromium,
            EngineChoice::Builtin | EngineChoice::Auto | EngineChoice::None => Engine::Builtin,
        }
    }

    fn folder(&self, set: &DataSet, row: &Row) -> Option<PathBuf> {
        self.keep
            .as_ref()
            .map(|keep| keep.join(&set.name).join(&row.id))
    }

    fn check(&self, sets: &[DataSet]) -> Result<(), Error> {
        for set in sets {
            let mut folders = set.rows.iter().filter_map(|row| self.folder(set, row));
            if let Some(first) = folders.find(|folder| is_capture(folder)) {
                self.is_ours(&first, load_record(&first)?.engine)?;
            }
        }
        Ok(())
    }

    fn is_ours(&self, folder: &Path, found: Engine) -> Result<(), CaptureError> {
        if found == self.engine() {
            return Ok(());
        }
        let (found, asked) = (found.name(), self.engine().name());
        Err(CaptureError::Engine {
            path: folder.to_path_buf(),
            found,
            asked,
        })
    }

    fn capture(&self, set: &DataSet, row: &Row) -> Result<Capture, Error> {
        let folder = self.folder(set, row);
        if let Some(folder) = folder.as_deref().filter(|folder| is_capture(folder)) {
            let kept = load_capture(folder)?;
            self.is_ours(folder, kept.record.engine)?;
            return Ok(kept);
        }
        let labelled = labelled_capture(set, row);
        if is_capture(&labelled) && load_record(&labelled)?.engine == self.engine() {
            return Ok(load_capture(&labelled)?);
        }
        let mut capture = self
            .renderer()?
            .render(&row.open()?, &PageOptions::default())?
            .capture;
        if capture.record.url.is_none() {
            capture.record.url.clone_from(&row.url);
        }
        if let Some(folder) = folder.filter(|_| capture.record.engine == self.engine()) {
            save_capture(&capture, &folder)?;
        }
        Ok(capture)
    }

    fn renderer(&self) -> Result<std::sync::Arc<Renderer>, Error> {
        let mut renderer = self
            .renderer
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(renderer) = &*renderer {
            return Ok(renderer.clone());
        }
        let started = std::sync::Arc::new(Renderer::launch(self.options.clone())?);
        *renderer = Some(started.clone());
        Ok(started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::capture::{DomBuilder, Record};

    #[test]
    fn captures_of_another_engine_are_refused_and_both_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let set = folder.path().join("set");
        std::fs::create_dir_all(set.join("pages")).unwrap();
        std::fs::create_dir_all(set.join("gold")).unwrap();
        std::fs::write(set.join("pages/a.html"), "<p>text").unwrap();
        std::fs::write(set.join("gold/a.txt"), "text").unwrap();
        std::fs::write(
            set.join("manifest.jsonl"),
            "{\"id\": \"a\", \"lang\": \"en\", \"split\": \"dev\"}\n",
        )
        .unwrap();
        let set = DataSet::open(&set).unwrap();
        let keep = folder.path().join("captures");
        let mut kept = Capture::parsed(DomBuilder::new().finish(), Record::parsed("a", None));
        kept.record.engine = Engine::Chromium;
        save_capture(&kept, &keep.join("set/a")).unwrap();

        let rendering_with = |engine| {
            Capturing::rendered(
                RenderOptions {
                    engine: Some(engine),
                    ..RenderOptions::default()
                },
                Some(keep.clone()),
            )
        };
        let builtin = rendering_with(EngineChoice::Builtin);
        let message = builtin
            .check(std::slice::from_ref(&set))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("by chromium") && message.contains("captures of builtin"),
            "{message}"
        );
        assert!(message.contains("`engine` chromium"), "{message}");
        assert_eq!(
            builtin.capture(&set, &set.rows[0]).unwrap_err().to_string(),
            message
        );
        // The labelled capture of the set itself is used if its engine is the requested one, and
        // never mixed with others.
        let mut labelled = kept.clone();
        labelled.record.engine = Engine::Builtin;
        save_capture(&labelled, &set.folder.join("captures/a")).unwrap();
        let elsewhere = RenderOptions {
            engine: Some(EngineChoice::Builtin),
            ..RenderOptions::default()
        };
        assert_eq!(
            Capturing::rendered(elsewhere, None)
                .capture(&set, &set.rows[0])
                .unwrap(),
            labelled
        );
        let chromium = rendering_with(EngineChoice::Chromium);
        assert!(chromium.check(std::slice::from_ref(&set)).is_ok());
        assert_eq!(chromium.capture(&set, &set.rows[0]).unwrap(), kept);
    }
}
