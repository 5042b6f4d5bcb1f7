//! Gold of metadata: the title, the authors and the date of publication of a page, from the
//! manifest of its set or from a file of lines. What another program found is read from such a file
//! too.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use vclean_core::error::DataError;
use vclean_run::source::DataSet;

/// Title, authors and date of publication of a page; what is unknown or empty is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StatedMetadata {
    /// The headline.
    #[serde(default, deserialize_with = "filled")]
    pub title: Option<String>,
    /// The names of the authors, in one text.
    #[serde(default, deserialize_with = "filled")]
    pub author: Option<String>,
    /// The day of publication, `YYYY-MM-DD`; what follows it is ignored.
    #[serde(default, deserialize_with = "filled")]
    pub date: Option<String>,
}

impl StatedMetadata {
    /// Whether nothing is stated.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what is not stated yet.
    fn add(&mut self, other: Self) {
        self.title = self.title.take().or(other.title);
        self.author = self.author.take().or(other.author);
        self.date = self.date.take().or(other.date);
    }
}

/// A text, or a list of texts, which are joined; `None` for null and for what is blank.
fn filled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        One(String),
        Several(Vec<String>),
    }
    let text = match Option::<Texts>::deserialize(deserializer)? {
        Some(Texts::One(text)) => text,
        Some(Texts::Several(texts)) => texts.join("; "),
        None => String::new(),
    };
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// The metadata of pages, by the names of the set and of the page.
pub type MetadataOfPages = BTreeMap<(String, String), StatedMetadata>;

#[derive(Deserialize)]
struct Line {
    set: Option<String>,
    id: String,
    #[serde(flatten)]
    stated: StatedMetadata,
}

/// Adds the gold that the manifest of a set states.
///
/// # Errors
/// If the manifest cannot be read.
pub fn add_manifest(pages: &mut MetadataOfPages, set: &DataSet) -> Result<(), DataError> {
    let fail = |line: usize, cause: String| DataError::Manifest {
        set: set.name.clone(),
        line,
        cause,
    };
    add_file(
        pages,
        &set.folder.join("manifest.jsonl"),
        Some(&set.name),
        &fail,
    )
}

/// Adds what a file states: a JSON object per line, with `set`, `id`, and `title`, `author`, `date`
/// or some of them.
///
/// # Errors
/// If the file cannot be read.
pub fn add_lines(pages: &mut MetadataOfPages, path: &Path) -> Result<(), DataError> {
    let fail = |line: usize, cause: String| DataError::Metadata {
        path: path.to_path_buf(),
        cause: format!("line {line}: {cause}"),
    };
    add_file(pages, path, None, &fail)
}

fn add_file(
    pages: &mut MetadataOfPages,
    path: &Path,
    set: Option<&str>,
    fail: &dyn Fn(usize, String) -> DataError,
) -> Result<(), DataError> {
    let content = fs::read(path).map_err(|error| DataError::Metadata {
        path: path.to_path_buf(),
        cause: error.to_string(),
    })?;
    for (index, line) in content.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let line: Line =
            serde_json::from_slice(line).map_err(|error| fail(index + 1, error.to_string()))?;
        let name = match set {
            Some(name) => name.to_owned(),
            None => line
                .set
                .ok_or_else(|| fail(index + 1, "there is no `set`".to_owned()))?,
        };
        if !line.stated.is_empty() {
            pages.entry((name, line.id)).or_default().add(line.stated);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_state_texts_and_lists() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        fs::write(
            &path,
            concat!(
                "{\"set\": \"s\", \"id\": \"a\", \"title\": \"T\", \"author\": [\"Ann\", \"Bo\"], \"date\": null, \"more\": 1}\n\n",
                "{\"set\": \"s\", \"id\": \"b\", \"author\": \" \"}\n{\"set\": \"s\", \"id\": \"a\", \"title\": \"U\", \"date\": \"2020-03-12\"}\n",
            ),
        )
        .unwrap();
        let mut pages = MetadataOfPages::new();
        add_lines(&mut pages, &path).unwrap();
        let text = |text: &str| Some(text.to_owned());
        let expected = StatedMetadata {
            title: text("T"),
            author: text("Ann; Bo"),
            date: text("2020-03-12"),
        };
        assert_eq!(
            pages,
            MetadataOfPages::from([(("s".to_owned(), "a".to_owned()), expected)])
        );
    }

    #[test]
    fn a_bad_file_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        let fails = |words: &[&str]| {
            let error = add_lines(&mut MetadataOfPages::new(), &path)
                .unwrap_err()
                .to_string();
            assert!(
                words.iter().all(|word| error.contains(word)),
                "{words:?} in {error}"
            );
        };
        fails(&["lines.jsonl"]);
        fs::write(&path, "{\"id\": \"a\", \"title\": \"T\"}").unwrap();
        fails(&["lines.jsonl", "line 1", "`set`"]);
        fs::write(&path, "\n{\"set\": \"s\", \"id\": \"a\", \"title\": 3}").unwrap();
        fails(&["line 2"]);
    }
}
