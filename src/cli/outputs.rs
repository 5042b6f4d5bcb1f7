//! Where the results of a page go: a file named after it or standard output, and its pictures.

use super::options::OutputArguments;
use super::stages::{self, EmitOptions, FORMATS, Format};
use super::write;
use crate::capture::{Capture, encode_png};
use crate::method::Cleaned;
use crate::report;
use std::path::{Path, PathBuf};

/// What to write of each page, and where.
pub(super) struct Outputs {
    format: &'static Format,
    emit: EmitOptions,
    /// Folder of the texts; `None` for standard output.
    out: Option<PathBuf>,
    is_resumed: bool,
    /// Whether a JSON document must stay on its line, because others follow.
    is_one_line: bool,
    report: Option<Place>,
    overlay: Option<Place>,
    mask: Option<Place>,
}

/// Where a page's picture goes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// The one page's file.
    File(PathBuf),
    /// A folder with a file a page.
    Folder(PathBuf),
}

impl Place {
    /// A path named by the user: a file if there is one page and the path has the `extension`, else a folder.
    fn new(path: &Path, is_one_page: bool, extension: &str) -> anyhow::Result<Self> {
        let names_file = path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension)) && !path.is_dir();
        if is_one_page && names_file {
            Ok(Self::File(path.to_path_buf()))
        } else {
            Ok(Self::Folder(write::folder(path)?))
        }
    }

    fn path(&self, stem: &str, extension: &str) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Folder(folder) => folder.join(format!("{stem}.{extension}")),
        }
    }
}

/// What is left of a written page for the caller.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// Text for standard output; empty if it went to a file.
    pub(super) text: String,
    /// What could not be written, and why that is no failure.
    pub(super) warnings: Vec<String>,
}

impl Outputs {
    /// Makes the folders that are needed.
    ///
    /// # Errors
    /// If a folder cannot be made.
    pub(super) fn new(arguments: &OutputArguments, is_one_page: bool) -> anyhow::Result<Self> {
        let place = |path: &Option<PathBuf>, extension| {
            path.as_deref().map(|path| Place::new(path, is_one_page, extension)).transpose()
        };
        Ok(Self {
            format: FORMATS
                .iter()
                .find(|format| format.name == arguments.format)
                .expect("the choices on the command line are those of the table"),
            emit: stages::emit_options(arguments.links),
            out: arguments.out.as_deref().map(write::folder).transpose()?,
            is_resumed: arguments.resume,
            is_one_line: !is_one_page,
            report: place(&arguments.report, "html")?,
            overlay: place(&arguments.overlay, "png")?,
            mask: place(&arguments.mask, "png")?,
        })
    }

    /// Whether an earlier run wrote this page and it need not be done again.
    pub(super) fn is_done(&self, stem: &str) -> bool {
        self.is_resumed && self.text_file(stem).is_some_and(|path| path.exists())
    }

    /// Whether decisions have to be explained.
    pub(super) fn wants_reasons(&self) -> bool {
        self.report.is_some() || self.format.name == "json"
    }

    /// What stands between two pages on standard output.
    pub(super) fn separator(&self) -> &'static str {
        if self.format.name == "json" { "" } else { "\n" }
    }

    fn text_file(&self, stem: &str) -> Option<PathBuf> {
        self.out.as_ref().map(|folder| folder.join(format!("{stem}.{}", self.format.extension)))
    }

    /// Writes the pictures of a page, then its text: a page whose text is there is done.
    ///
    /// # Errors
    /// If a file cannot be written or a picture cannot be drawn.
    pub(super) fn write(&self, stem: &str, capture: &Capture, cleaned: &Cleaned) -> anyhow::Result<Written> {
        let mut written = Written::default();
        if let Some(place) = &self.report {
            let page = report::html(capture, &cleaned.document)?;
            write::whole(&place.path(stem, "html"), page.as_bytes())?;
        }
        if capture.pictures.is_some() {
            if let Some(place) = &self.overlay {
                let hulls = report::hulls(capture, &cleaned.targets)?;
                let picture = report::overlay(capture, &cleaned.targets, &cleaned.document.targets, &hulls)?;
                write::whole(&place.path(stem, "png"), encode_png(&picture)?.png())?;
            }
            if let Some(place) = &self.mask {
                let picture = report::mask(capture, &cleaned.targets)?;
                write::whole(&place.path(stem, "png"), encode_png(&picture)?.png())?;
            }
        } else if self.overlay.is_some() || self.mask.is_some() {
            let why = "the page was not rendered, so there is no picture to draw on; use vclean render-and-clean";
            written.warnings.push(why.to_owned());
        }
        let is_drawn = self.report.is_some() || self.overlay.is_some() || self.mask.is_some();
        let is_empty = cleaned.document.segments.is_empty();
        if is_drawn && cleaned.targets.is_empty() && !is_empty {
            let why = "the method judges lines of the source, not blocks of the page, so there is nothing to draw";
            written.warnings.push(why.to_owned());
        }
        if let Some(path) = self.text_file(stem) {
            // Other programs tell a page without content by its empty file, whatever the format.
            let text = if is_empty { String::new() } else { (self.format.write)(&cleaned.document, &self.emit) };
            write::whole(&path, text.as_bytes())?;
        } else if self.format.name == "json" {
            let text = (self.format.write)(&cleaned.document, &self.emit);
            written.text = if self.is_one_line { one_line_json(&text) } else { text };
        } else if !is_empty {
            written.text = (self.format.write)(&cleaned.document, &self.emit);
        }
        Ok(written)
    }
}

/// The same JSON document without white space between its tokens.
fn one_line_json(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for char in text.chars() {
        if in_string {
            in_string = is_escaped || char != '"';
            is_escaped = !is_escaped && char == '\\';
        } else if char.is_ascii_whitespace() {
            continue;
        } else {
            in_string = char == '"';
        }
        line.push(char);
    }
    line
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::features::FeatureTable;
    use crate::report::samples;
    use std::fs;

    fn arguments(out: Option<&Path>, format: &str) -> OutputArguments {
        OutputArguments {
            format: format.to_owned(),
            out: out.map(Path::to_path_buf),
            resume: out.is_some(),
            links: false,
            report: None,
            overlay: None,
            mask: None,
        }
    }

    fn sample() -> (Capture, Cleaned) {
        let (capture, targets, document) = samples::page("Menu");
        let decisions = document.targets.iter().map(|report| report.decision.clone()).collect();
        let table = FeatureTable { columns: Vec::new(), rows: ndarray::Array2::zeros((3, 0)) };
        (capture, Cleaned { targets, table, decisions, document })
    }

    #[test]
    fn one_file_a_page_empty_where_there_is_no_content() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("made/if/missing");
        let (capture, mut cleaned) = sample();
        let outputs = Outputs::new(&arguments(Some(&out), "markdown"), false).unwrap();
        assert!(!outputs.is_done("a"));
        assert_eq!(outputs.write("a", &capture, &cleaned).unwrap(), Written::default());
        assert!(outputs.is_done("a") && !outputs.is_done("b"));
        assert!(fs::read_to_string(out.join("a.md")).unwrap().contains("Some running text"));
        cleaned.document.segments.clear();
        for format in FORMATS {
            let outputs = Outputs::new(&arguments(Some(&out), format.name), false).unwrap();
            outputs.write("b", &capture, &cleaned).unwrap();
            assert_eq!(fs::read(out.join("b").with_extension(format.extension)).unwrap(), b"", "{}", format.name);
        }
    }

    #[test]
    fn without_a_folder_the_text_is_handed_back() {
        let (capture, cleaned) = sample();
        let outputs = Outputs::new(&arguments(None, "text"), true).unwrap();
        assert!(outputs.write("a", &capture, &cleaned).unwrap().text.contains("Some running text"));
    }

    #[test]
    fn pictures_go_to_the_file_of_one_page_or_to_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (mut capture, cleaned) = sample();
        let mut arguments = arguments(None, "text");
        arguments.overlay = Some(folder.path().join("overlay.png"));
        arguments.report = Some(folder.path().join("reports"));
        Outputs::new(&arguments, true).unwrap().write("a", &capture, &cleaned).unwrap();
        assert!(folder.path().join("overlay.png").is_file() && folder.path().join("reports/a.html").is_file());
        fs::remove_file(folder.path().join("overlay.png")).unwrap();
        Outputs::new(&arguments, false).unwrap().write("a", &capture, &cleaned).unwrap();
        assert!(folder.path().join("overlay.png/a.png").is_file());
        capture.pictures = None;
        let written = Outputs::new(&arguments, false).unwrap().write("b", &capture, &cleaned).unwrap();
        assert_eq!(written.warnings.len(), 1);
        assert!(!written.text.is_empty(), "the text does not depend on pictures");
    }

    #[test]
    fn json_is_put_on_one_line_without_touching_strings() {
        let value = serde_json::json!({"a": [1, 2.5, null], "b c": " x \" \\ \n { } , y\\\\"});
        let line = one_line_json(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(line, serde_json::to_string(&value).unwrap());
    }
}
