//! Makes an input of a run from the seed and its number, and stores it as a folder of files.

use crate::bytes::any;
use crate::corpus::{Corpus, entries, files, fixtures};
use crate::readers::{READERS, Reader};
use fastrand::Rng;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// An input and the reader it is for.
pub struct Input {
    /// The reader that opens the input.
    pub reader: &'static Reader,
    /// The name of the file that is opened; empty for the folder itself.
    pub main: String,
    /// All files by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// A generator of inputs: the files they are made from, and the regression files, which come first.
pub struct Inputs {
    corpus: Corpus,
    known: Vec<std::path::PathBuf>,
    seed: u64,
}

impl Inputs {
    /// Creates the generator for a run with this seed.
    pub fn new(seed: u64) -> Self {
        Self {
            corpus: Corpus::read(),
            known: entries(&fixtures().join("bad")),
            seed,
        }
    }

    /// Returns an input by its number: first the unchanged regression files, then generated inputs.
    pub fn get(&self, number: u64) -> Input {
        if let Some(path) = usize::try_from(number)
            .ok()
            .and_then(|number| self.known.get(number))
        {
            return open(path);
        }
        let mut hasher = DefaultHasher::new();
        (self.seed, number).hash(&mut hasher);
        let mut rng = Rng::with_seed(hasher.finish());
        let weights: u32 = READERS.iter().map(|reader| reader.weight).sum();
        let mut place = rng.u32(..weights);
        let is_chosen = |reader: &&Reader| {
            let is_here = place < reader.weight;
            place = place.saturating_sub(reader.weight);
            is_here
        };
        let reader = READERS
            .iter()
            .find(is_chosen)
            .expect("the place is below the sum of the weights");
        let files = (reader.make)(&mut rng, &self.corpus);
        let mut input = Input {
            reader,
            main: reader.main.to_owned(),
            files,
        };
        // Sometimes the name belongs to another format.
        if reader.is_opened_by_name && rng.u32(..24) == 0 {
            let other = any(&mut rng, READERS);
            if other.is_opened_by_name
                && let Some(bytes) = input.files.remove(&input.main)
            {
                other.main.clone_into(&mut input.main);
                input.files.insert(input.main.clone(), bytes);
            }
        }
        input
    }
}

/// Reads a stored input: a folder with the reader's name after the last `.`, or one file whose name
/// tells the reader.
pub fn open(path: &Path) -> Input {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    if !path.is_dir() {
        let reader = READERS
            .iter()
            .find(|reader| reader.accepts(&name))
            .unwrap_or(&READERS[0]);
        let bytes = crate::corpus::read(path);
        return Input {
            reader,
            main: name.clone(),
            files: BTreeMap::from([(name, bytes)]),
        };
    }
    let wanted = name.rsplit('.').next().unwrap_or_default();
    let reader = READERS
        .iter()
        .find(|reader| reader.name == wanted)
        .unwrap_or(&READERS[0]);
    let files = files(path);
    let main = if files.contains_key(reader.main) || reader.main.is_empty() {
        reader.main.to_owned()
    } else {
        files
            .keys()
            .find(|name| name.starts_with("input."))
            .cloned()
            .unwrap_or_default()
    };
    Input {
        reader,
        main,
        files,
    }
}

impl Input {
    /// Writes the files into `folder`, which is emptied first.
    pub fn write(&self, folder: &Path) {
        let _ = std::fs::remove_dir_all(folder);
        std::fs::create_dir_all(folder).expect("the folder for inputs can be made");
        for (name, bytes) in &self.files {
            std::fs::write(folder.join(name), bytes).expect("the folder for inputs can be written");
        }
    }
}
