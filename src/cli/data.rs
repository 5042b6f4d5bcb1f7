//! What `train` and `evaluate` share: data folders, and the captures of their pages.

#[cfg(feature = "rendering")]
use super::rendering::BrowserArguments;
use crate::gold::{Capturing, DataError, DataSet};
use crate::language::language_tag;
use clap::Args;
use std::path::PathBuf;

/// Data folders and how their pages are captured.
#[derive(Debug, Clone, Args)]
pub(super) struct DataArguments {
    /// Data folders: manifest.jsonl, pages/, gold/
    #[arg(value_name = "DATA", required = true)]
    pub(super) data: Vec<PathBuf>,

    /// Parse the pages without rendering them
    #[arg(long = "static")]
    pub(super) is_static: bool,

    /// Folder of rendered captures, a folder in it for each data set; what is missing is rendered and kept there. All of a
    /// set are of one engine
    #[arg(long, value_name = "DIR", conflicts_with = "is_static")]
    pub(super) captures: Option<PathBuf>,

    /// Let pages load from the network while they are rendered; by default they have what they hold
    #[arg(long)]
    pub(super) online: bool,

    /// Use the pages in these languages only, such as en or en,de, as the manifests name them
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = language)]
    pub(super) lang: Vec<String>,

    /// What renders
    #[cfg(feature = "rendering")]
    #[command(flatten)]
    pub(super) browser: BrowserArguments,
}

impl DataArguments {
    /// Reads the manifests; pages in other languages than `--lang` are left out.
    ///
    /// # Errors
    /// If a folder is no data set, or no page is in the languages asked for.
    pub(super) fn open(&self) -> Result<Vec<DataSet>, DataError> {
        DataSet::open_all(&self.data, &self.lang)
    }

    /// How the pages of `sets` are captured, `tabs` at once.
    ///
    /// # Errors
    /// If options do not go together, or what is kept was rendered by another engine.
    #[cfg(feature = "rendering")]
    pub(super) fn capturing(&self, sets: &[DataSet], tabs: usize) -> anyhow::Result<Capturing> {
        if self.is_static {
            return Ok(Capturing::Static);
        }
        let mut options = super::rendering::options_of_sets(&self.browser, tabs)?;
        options.offline |= !self.online;
        let capturing = Capturing::rendered(options, self.captures.clone());
        capturing.check(sets)?;
        Ok(capturing)
    }

    /// How the pages are captured: parsed, since this build renders nothing.
    #[cfg(not(feature = "rendering"))]
    pub(super) fn capturing(&self, sets: &[DataSet], _tabs: usize) -> anyhow::Result<Capturing> {
        Capturing::Static.check(sets)?;
        Ok(Capturing::Static)
    }
}

/// Reads a share of the pages: above 0, at most 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("a share above 0 and up to 1 is needed, such as 0.74".to_owned()),
    }
}

/// Reads a language's code.
pub(super) fn language(text: &str) -> Result<String, String> {
    match language_tag(text) {
        Some(tag) if tag == text && !tag.contains('-') => Ok(tag),
        _ => Err("a language code of two or three small letters is needed, such as en".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_out_of_range_are_refused() {
        assert_eq!(share("0.74"), Ok(0.74));
        for wrong in ["0", "-1", "1.01", "NaN", "74 %"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_language_is_a_code() {
        assert_eq!(language("en").as_deref(), Ok("en"));
        assert!(["EN", "english", "en-GB", "", "e"].iter().all(|wrong| language(wrong).is_err()));
    }
}
