//! The requested pictures of a page: its report, the overlay on its screenshot, its node mask.

use clap::Args;
use std::path::{Path, PathBuf};
use vclean_core::capture::{Capture, encode_png};
use vclean_core::error::{Error, ErrorKind, PageError, WarningKind, Warnings};
use vclean_core::explain;
use vclean_core::files;
use vclean_core::pipeline::CleanedPage;
use vclean_run::{DrawPage, Inputs, Protected};

/// Which pictures of a page are drawn.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct PictureArguments {
    /// Write an HTML page that shows for each block why it was kept or dropped
    ///
    /// For several inputs, it is a folder of pages
    #[arg(long, value_name = "FILE.html")]
    pub(super) report: Option<PathBuf>,

    /// Write the screenshot with kept blocks in green and dropped blocks in red
    ///
    /// For several pages, it is a folder of pictures
    #[arg(long, value_name = "FILE.png")]
    pub(super) overlay: Option<PathBuf>,

    /// Draw the blobs of --overlay and their hulls too, which the visual features are measured on
    #[arg(long, requires = "overlay")]
    pub(super) overlay_hulls: bool,

    /// Write the node mask (which pixel belongs to which block) with all blocks in purple; for
    /// several pages, a folder
    #[arg(long, value_name = "FILE.png")]
    pub(super) mask: Option<PathBuf>,
}

impl PictureArguments {
    /// True if pictures show the page as a person sees it.
    pub(super) fn need_paint(&self) -> bool {
        self.report.is_some() || self.overlay.is_some()
    }
}

/// Which pictures are drawn of each page, and where they are written.
#[derive(Debug, Clone)]
pub(super) struct Pictures {
    report: Option<PictureOutput>,
    overlay: Option<PictureOutput>,
    has_hulls: bool,
    mask: Option<PictureOutput>,
    protected: Protected,
}

/// Where the picture of a page is written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PictureOutput {
    /// The file of the only page.
    File(PathBuf),
    /// A folder with one file per page.
    Folder(PathBuf),
}

impl PictureOutput {
    /// A path given by the user: a file if there is one page and the path has the `extension`,
    /// otherwise a folder.
    fn new(path: &Path, is_one_page: bool, extension: &str) -> anyhow::Result<Self> {
        let names_file = path
            .extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(extension))
            && !path.is_dir();
        if is_one_page && names_file {
            Ok(Self::File(path.to_path_buf()))
        } else {
            Ok(Self::Folder(files::make_folder(path)?))
        }
    }

    fn path(&self, stem: &str, extension: &str) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Folder(folder) => folder.join(format!("{stem}.{extension}")),
        }
    }
}

impl Pictures {
    /// Makes the folders that are needed.
    ///
    /// # Errors
    /// If a folder cannot be made, or a picture has the name of an input.
    pub(super) fn new(arguments: &PictureArguments, inputs: &Inputs) -> anyhow::Result<Self> {
        let is_one_page = inputs.is_one_page();
        let protected = Protected::inputs(inputs);
        for path in [&arguments.report, &arguments.overlay, &arguments.mask]
            .into_iter()
            .flatten()
        {
            protected.check(path)?;
        }
        let output = |path: &Option<PathBuf>, extension| {
            path.as_deref()
                .map(|path| PictureOutput::new(path, is_one_page, extension))
                .transpose()
        };
        Ok(Self {
            report: output(&arguments.report, "html")?,
            overlay: output(&arguments.overlay, "png")?,
            has_hulls: arguments.overlay_hulls,
            mask: output(&arguments.mask, "png")?,
            protected,
        })
    }

    /// True if the decisions must be explained, for the report.
    pub(super) fn wants_reasons(&self) -> bool {
        self.report.is_some()
    }

    /// The hook that draws, for the library; `None` if nothing is drawn.
    pub(super) fn into_hook(self) -> Option<DrawPage> {
        let is_drawn = self.report.is_some() || self.overlay.is_some() || self.mask.is_some();
        is_drawn.then(|| -> DrawPage {
            Box::new(move |stem, capture, cleaned| self.draw(stem, capture, cleaned))
        })
    }

    /// Draws the pictures of a page and writes them; returns warnings about pictures that cannot be
    /// drawn for this page.
    ///
    /// # Errors
    /// If a file cannot be written or a picture cannot be drawn.
    fn draw(
        &self,
        stem: &str,
        capture: &Capture,
        cleaned: &CleanedPage,
    ) -> Result<Warnings, PageError> {
        let mut warnings = Warnings::new();
        let put = |path: &Path, bytes: &[u8]| {
            self.protected
                .check(path)
                .and_then(|()| files::write_whole(path, bytes))
                .map_err(|error| PageError::new(ErrorKind::Output, error))
        };
        if let Some(output) = &self.report {
            let page = explain::html(capture, &cleaned.document)?;
            put(&output.path(stem, "html"), page.as_bytes())?;
        }
        if capture.pictures.is_some() {
            if let Some(output) = &self.overlay {
                let hulls = if self.has_hulls {
                    explain::hulls(capture, &cleaned.targets)?
                } else {
                    Vec::new()
                };
                let picture =
                    explain::overlay(capture, &cleaned.targets, &cleaned.document.targets, &hulls)?;
                put(
                    &output.path(stem, "png"),
                    &encode_png(&picture)
                        .and_then(|picture| Ok(picture.png()?.into_owned()))
                        .map_err(Error::from)?,
                )?;
            }
            if let Some(output) = &self.mask {
                let picture = explain::mask(capture, &cleaned.targets)?;
                put(
                    &output.path(stem, "png"),
                    &encode_png(&picture)
                        .and_then(|picture| Ok(picture.png()?.into_owned()))
                        .map_err(Error::from)?,
                )?;
            }
        } else if self.overlay.is_some() || self.mask.is_some() {
            let why = "the page was not rendered, so there is no screenshot to draw on; use vclean render-and-clean";
            warnings.add(WarningKind::NoPicture, why);
        }
        let is_drawn = self.report.is_some() || self.overlay.is_some() || self.mask.is_some();
        if is_drawn && cleaned.targets.is_empty() && !cleaned.document.segments.is_empty() {
            let why = "the method classifies lines of the source, not blocks of the page, so there is nothing to draw";
            warnings.add(WarningKind::NoPicture, why);
        }
        Ok(warnings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use vclean_core::explain::samples;
    use vclean_core::features::FeatureTable;

    #[test]
    fn pictures_are_written_to_a_file_for_one_page_or_to_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (mut capture, targets, document) = samples::page("Menu");
        let table = FeatureTable::without_columns(targets.len());
        let cleaned = CleanedPage::new(targets, table, document);
        let pictures = |is_one_page| {
            let output = |name: &str, extension| {
                PictureOutput::new(&folder.path().join(name), is_one_page, extension).unwrap()
            };
            Pictures {
                report: Some(output("reports", "html")),
                overlay: Some(output("overlay.png", "png")),
                has_hulls: false,
                mask: None,
                protected: Protected::default(),
            }
        };
        assert!(
            pictures(true)
                .draw("a", &capture, &cleaned)
                .unwrap()
                .is_empty()
        );
        assert!(
            folder.path().join("overlay.png").is_file()
                && folder.path().join("reports/a.html").is_file()
        );
        fs::remove_file(folder.path().join("overlay.png")).unwrap();
        pictures(false).draw("a", &capture, &cleaned).unwrap();
        assert!(folder.path().join("overlay.png/a.png").is_file());
        capture.pictures = None;
        assert_eq!(
            pictures(false).draw("b", &capture, &cleaned).unwrap().len(),
            1
        );
    }
}
