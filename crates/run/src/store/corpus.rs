//! A corpus: the texts of all pages in one file of their format, such as one `teiCorpus`.
//!
//! Until the last page, the file is in the folder of the run, because it is not valid before its
//! end is written. So a file with the name of the output is always complete.

use super::container::{Container, ContainerOptions};
use super::lines::{Appending, Packing};
use super::record::Record;
use crate::journal::Checkpoint;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use vclean_core::emit::Corpus;

/// Name of the unfinished file in the folder of the run.
const UNFINISHED: &str = "unfinished";

struct CorpusFile {
    path: PathBuf,
    unfinished: PathBuf,
    corpus: Corpus,
    packing: Packing,
    content: Content,
}

enum Content {
    /// The file is being written.
    Open(Appending),
    /// An earlier run has written the whole file. Holds its length without the end.
    Whole(Checkpoint),
}

pub(super) fn open(
    path: &Path,
    options: &ContainerOptions,
    checkpoint: Option<Checkpoint>,
) -> io::Result<Box<dyn Container>> {
    let unfinished = options.state.join(UNFINISHED);
    let packing = Packing::from_path(path);
    let content = match checkpoint {
        Some(checkpoint)
            if !unfinished.exists()
                && path.exists()
                && path.metadata()?.len() >= checkpoint.bytes =>
        {
            Content::Whole(checkpoint)
        }
        _ => {
            if checkpoint.is_none() {
                remove(path)?;
            }
            Content::Open(Appending::open(&unfinished, checkpoint, packing)?)
        }
    };
    let (path, corpus) = (path.to_path_buf(), options.corpus);
    Ok(Box::new(CorpusFile {
        path,
        unfinished,
        corpus,
        packing,
        content,
    }))
}

/// Removes a file, if there is one.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl CorpusFile {
    /// The file to which pages are added. A complete file is opened again, without its end.
    fn opened(&mut self) -> io::Result<&mut Appending> {
        if let Content::Whole(checkpoint) = self.content {
            fs::rename(&self.path, &self.unfinished)?;
            self.content = Content::Open(Appending::open(
                &self.unfinished,
                Some(checkpoint),
                self.packing,
            )?);
        }
        match &mut self.content {
            Content::Open(to) => Ok(to),
            Content::Whole(_) => Err(io::Error::other("the file is not open")),
        }
    }
}

impl Container for CorpusFile {
    fn append(&mut self, record: Record) -> io::Result<()> {
        if record.text.is_empty() {
            return Ok(());
        }
        let corpus = self.corpus;
        let to = self.opened()?;
        let before = if to.is_empty() {
            corpus.head()
        } else {
            corpus.separator()
        };
        to.append([before, &record.text].concat().as_bytes())
    }

    fn sync(&mut self) -> io::Result<Checkpoint> {
        match &mut self.content {
            Content::Open(to) => Ok(Checkpoint {
                part: 0,
                bytes: to.sync()?,
            }),
            Content::Whole(checkpoint) => Ok(*checkpoint),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        let corpus = self.corpus;
        let Content::Open(to) = &mut self.content else {
            return Ok(());
        };
        if to.is_empty() && !corpus.may_be_empty() {
            let why = format!(
                "there is no text for {}, and a corpus of this format holds one at least",
                self.path.display()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let head = if to.is_empty() { corpus.head() } else { "" };
        let end = [head, corpus.foot()].concat();
        if !end.is_empty() {
            to.append(end.as_bytes())?;
        }
        to.sync()?;
        fs::rename(&self.unfinished, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Blocks;
    use super::*;
    use std::io::Read;

    const FORM: Corpus = Corpus::Joined {
        head: "<all>\n",
        foot: "</all>\n",
        may_be_empty: false,
    };

    struct Run {
        folder: tempfile::TempDir,
        name: &'static str,
        corpus: Corpus,
    }

    impl Run {
        fn path(&self) -> PathBuf {
            self.folder.path().join(self.name)
        }

        fn open(&self, checkpoint: Option<Checkpoint>) -> Box<dyn Container> {
            let options = ContainerOptions {
                state: self.folder.path().to_path_buf(),
                media_type: "text/plain",
                corpus: self.corpus,
                began_s: 0,
                blocks: Blocks::None,
                has_corpus: false,
                positions: false,
            };
            open(&self.path(), &options, checkpoint).unwrap()
        }

        fn text(&self) -> String {
            fs::read_to_string(self.path()).unwrap()
        }
    }

    fn run(name: &'static str, corpus: Corpus) -> Run {
        Run {
            folder: tempfile::tempdir().unwrap(),
            name,
            corpus,
        }
    }

    fn record(text: &str) -> Record {
        Record {
            text: text.to_owned(),
            ..Record::sample(0)
        }
    }

    #[test]
    fn the_file_is_there_when_it_is_whole_and_can_be_continued() {
        let run = run("all.xml", FORM);
        fs::write(run.path(), "of an earlier run").unwrap();
        let mut container = run.open(None);
        container.append(record("<a/>\n")).unwrap();
        let checkpoint = container.sync().unwrap();
        assert!(!run.path().exists());
        container.append(record("<lost/>\n")).unwrap();
        drop(container);
        let mut container = run.open(Some(checkpoint));
        container.append(record("")).unwrap();
        container.append(record("<b/>\n")).unwrap();
        let checkpoint = container.sync().unwrap();
        container.finish().unwrap();
        assert_eq!(run.text(), "<all>\n<a/>\n<b/>\n</all>\n");

        // There is nothing to add, so the file stays as it is.
        let mut container = run.open(Some(checkpoint));
        assert_eq!(container.sync().unwrap(), checkpoint);
        container.finish().unwrap();
        assert_eq!(run.text(), "<all>\n<a/>\n<b/>\n</all>\n");
        // Add a page that failed before.
        let mut container = run.open(Some(checkpoint));
        container.append(record("<c/>\n")).unwrap();
        assert!(!run.path().exists());
        container.sync().unwrap();
        container.finish().unwrap();
        assert_eq!(run.text(), "<all>\n<a/>\n<b/>\n<c/>\n</all>\n");
    }

    #[test]
    fn a_file_without_any_text_is_valid_or_not_written() {
        let empty = run(
            "all.csv",
            Corpus::Joined {
                head: "a,b\n",
                foot: "",
                may_be_empty: true,
            },
        );
        empty.open(None).finish().unwrap();
        assert_eq!(empty.text(), "a,b\n");
        let none = run("all.xml", FORM);
        fs::write(none.path(), "of an earlier run").unwrap();
        let error = none.open(None).finish().unwrap_err().to_string();
        assert!(
            error.contains("all.xml") && !none.path().exists(),
            "{error}"
        );
    }

    #[test]
    fn headed_texts_have_a_line_between_them_and_files_may_be_compressed() {
        for name in ["all.txt.gz", "all.txt.zst"] {
            let run = run(name, Corpus::Headed);
            let mut container = run.open(None);
            container.append(record("one\n")).unwrap();
            container.append(record("two\n")).unwrap();
            container.finish().unwrap();
            let file = fs::File::open(run.path()).unwrap();
            let mut text = String::new();
            match name {
                "all.txt.gz" => flate2::read::MultiGzDecoder::new(file)
                    .read_to_string(&mut text)
                    .unwrap(),
                _ => zstd::Decoder::new(file)
                    .unwrap()
                    .read_to_string(&mut text)
                    .unwrap(),
            };
            assert_eq!(text, "one\n\ntwo\n", "{name}");
        }
    }
}
