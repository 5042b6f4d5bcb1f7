//! Trains a part-of-speech tagger on treebanks, and measures its accuracy on others.
//!
//! An averaged perceptron (Collins 2002): words are tagged from left to right with the weights so
//! far; where the tag is wrong, the weights of the word's features go up by one for the right tag
//! and down by one for the wrong one; the tagger keeps the mean of the weights over all steps,
//! rounded to bytes.

use crate::evaluate::Table;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};
use vclean_core::error::ModelError;
use vclean_core::language::tagger::{
    FEATURE_COUNT, Form, LexiconWord, TAG_COUNT, Tag, Tagger, Weights, best, features,
};
use vclean_core::language::tagger_file::MAX_FORM_BYTES;
use vclean_core::language::words::{Kind, Word, kind_of, normal_form};

/// The words of a sentence and their tags.
pub type Sentence = Vec<(String, Tag)>;

/// How a tagger is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaggerOptions {
    /// Number of passes over the treebanks, at least 1.
    pub rounds: usize,
    /// Number of rows of weights as a power of 2, 8 to 16.
    pub bits: u32,
    /// Seed of the order of sentences.
    pub seed: u64,
}

impl Default for TaggerOptions {
    /// Heuristic. Tried on English: 14 or 16 bits, and 5 or 12 rounds, change the share of correct
    /// tags of PUD by .002.
    fn default() -> Self {
        Self {
            rounds: 8,
            bits: 15,
            seed: 1,
        }
    }
}

/// A word always gets its usual tag if it occurs this often and this share of its occurrences have
/// that tag (Honnibal 2013 has 20 and .97, on twenty times the text).
const CERTAIN_COUNT: u32 = 10;
const CERTAIN_SHARE: f64 = 0.99;

/// Accuracy of a tagger, as counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TaggingScore {
    /// Number of words, numbers and punctuation marks.
    pub words: usize,
    /// Number of those with the right tag, of 17.
    pub right: usize,
    /// Number of those with a tag of the right class: closed, open, other.
    pub right_class: usize,
    /// Number of words that are not in the lexicon, without numbers and punctuation marks.
    pub unknown: usize,
    /// Number of those with the right tag.
    pub unknown_right: usize,
}

/// Reads a treebank's words: form, tab, tag; an empty line ends a sentence.
///
/// # Errors
/// If a line is neither; names its number.
pub(crate) fn read_treebank(text: &str) -> Result<Vec<Sentence>, ModelError> {
    let mut sentences = vec![Sentence::new()];
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            if sentences
                .last()
                .is_some_and(|sentence| !sentence.is_empty())
            {
                sentences.push(Sentence::new());
            }
            continue;
        }
        let fail = |cause: &str| ModelError::Training(format!("line {}: {cause}", number + 1));
        let (form, name) = line
            .split_once('\t')
            .ok_or_else(|| fail("a line must be a word, a tab and its tag"))?;
        let tag = Tag::ALL
            .iter()
            .find(|(known, _)| *known == name.trim())
            .map(|&(_, tag)| tag);
        let tag = tag.ok_or_else(|| {
            fail(&format!(
                "{:?} is not a universal part-of-speech tag such as NOUN",
                name.trim()
            ))
        })?;
        if form.trim().is_empty() {
            return Err(fail("the word before the tab is missing"));
        }
        if let Some(sentence) = sentences.last_mut() {
            sentence.push((form.trim().to_owned(), tag));
        }
    }
    sentences.retain(|sentence| !sentence.is_empty());
    Ok(sentences)
}

/// Trains a tagger of `language` on sentences of `treebanks`. The same sentences and options give
/// the same bytes.
///
/// # Errors
/// If there are no sentences, or an option is out of its range.
pub fn train_tagger(
    language: &str,
    treebanks: &[String],
    sentences: &[Sentence],
    options: &TaggerOptions,
    progress: &dyn Fn(&str),
) -> Result<Tagger, ModelError> {
    if sentences.is_empty() {
        return Err(ModelError::Training(
            "the treebanks contain no sentence".to_owned(),
        ));
    }
    let ranges = [
        ("rounds", options.rounds, 1..=1000, "1 to 1000"),
        ("bits", options.bits as usize, 8..=16, "8 to 16"),
    ];
    for (parameter, value, range, words) in ranges {
        if !range.contains(&value) {
            return Err(ModelError::Parameter {
                parameter,
                value: value as f64,
                range: words,
            });
        }
    }
    let tokens = sentences.iter().map(Vec::len).sum::<usize>() as u64;
    let rows = 1usize << options.bits;
    let empty = Tagger::new(
        language.to_owned(),
        treebanks.to_vec(),
        tokens,
        lexicon(sentences),
        vec![[0; TAG_COUNT]; rows],
    );
    let mut scratch = Vec::new();
    let forms: Vec<Vec<Form>> = sentences
        .iter()
        .map(|sentence| {
            sentence
                .iter()
                .map(|(word, _)| empty.form(word, kind_of(word), &mut scratch))
                .collect()
        })
        .collect();
    let mut perceptron = Perceptron {
        weights: vec![[0; TAG_COUNT]; rows],
        moved: vec![[0; TAG_COUNT]; rows],
        step: 1,
    };
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    let mut random = fastrand::Rng::with_seed(options.seed);
    for round in 0..options.rounds {
        random.shuffle(&mut order);
        let mut wrong = 0;
        for &number in &order {
            wrong += perceptron.learn(&forms[number], &sentences[number]);
        }
        progress(&format!(
            "round {} of {}: {wrong} of {tokens} words wrong",
            round + 1,
            options.rounds
        ));
    }
    Ok(Tagger::new(
        language.to_owned(),
        treebanks.to_vec(),
        tokens,
        empty.lexicon().to_vec(),
        perceptron.mean(),
    ))
}

/// The words of the treebanks, without numbers, with their usual tags.
fn lexicon(sentences: &[Sentence]) -> Vec<LexiconWord> {
    let mut counts: BTreeMap<String, [u32; TAG_COUNT]> = BTreeMap::new();
    for (word, tag) in sentences.iter().flatten() {
        if matches!(kind_of(word), Kind::Word | Kind::Mark) {
            counts.entry(normal_form(word)).or_default()[*tag as usize] += 1;
        }
    }
    let fits = counts
        .into_iter()
        .filter(|(form, _)| (1..=MAX_FORM_BYTES).contains(&form.len()));
    fits.map(|(form, of_tags)| {
        let (count, tag) = (of_tags.iter().sum(), best(&of_tags));
        let share = f64::from(of_tags[tag as usize]) / f64::from(count);
        LexiconWord {
            form,
            count,
            tag,
            is_certain: count >= CERTAIN_COUNT && share >= CERTAIN_SHARE,
        }
    })
    .collect()
}

struct Perceptron {
    weights: Vec<[i32; TAG_COUNT]>,
    /// Sum of the changes, each multiplied by the step at which it was made.
    moved: Vec<[i64; TAG_COUNT]>,
    step: i64,
}

impl Perceptron {
    /// Tags a sentence, updates the weights after each error, and returns the number of errors.
    fn learn(&mut self, forms: &[Form], sentence: &Sentence) -> usize {
        let mut before = [TAG_COUNT as u64; 2];
        let mut wrong = 0;
        for (at, (form, (_, truth))) in forms.iter().zip(sentence).enumerate() {
            let tag = form.certain().unwrap_or_else(|| {
                let rows = features(forms, at, before, self.weights.len());
                let guess = self.guess(&rows);
                if guess != *truth {
                    wrong += 1;
                    for row in rows {
                        for (tag, change) in [(*truth, 1), (guess, -1)] {
                            self.weights[row][tag as usize] += change;
                            self.moved[row][tag as usize] += i64::from(change) * self.step;
                        }
                    }
                }
                self.step += 1;
                guess
            });
            before = [tag as u64, before[0]];
        }
        wrong
    }

    fn guess(&self, rows: &[usize; FEATURE_COUNT]) -> Tag {
        let mut sums = [0i64; TAG_COUNT];
        for &row in rows {
            for (sum, &weight) in sums.iter_mut().zip(&self.weights[row]) {
                *sum += i64::from(weight);
            }
        }
        best(&sums)
    }

    /// The mean weights over all steps, scaled so that the largest is 127 or -127.
    fn mean(&self) -> Vec<Weights> {
        let mean = |row: usize, tag: usize| {
            f64::from(self.weights[row][tag]) - self.moved[row][tag] as f64 / self.step as f64
        };
        let all = (0..self.weights.len()).flat_map(|row| (0..TAG_COUNT).map(move |tag| (row, tag)));
        let largest = all
            .map(|(row, tag)| mean(row, tag).abs())
            .fold(f64::MIN_POSITIVE, f64::max);
        (0..self.weights.len())
            .map(|row| std::array::from_fn(|tag| (127.0 * mean(row, tag) / largest).round() as i8))
            .collect()
    }
}

/// Measures `tagger` on sentences it was not trained on.
pub(crate) fn test_tagger(tagger: &Tagger, sentences: &[Sentence]) -> TaggingScore {
    let mut score = TaggingScore::default();
    for sentence in sentences {
        let words: Vec<Word<'_>> = sentence
            .iter()
            .map(|(word, _)| Word {
                text: word,
                kind: kind_of(word),
            })
            .collect();
        for ((word, tagged), (_, truth)) in words.iter().zip(tagger.tag(&words)).zip(sentence) {
            let is_right = tagged.tag == *truth;
            let is_unknown = word.kind == Kind::Word && !tagged.is_known;
            score.words += 1;
            score.right += usize::from(is_right);
            score.right_class += usize::from(tagged.tag.class() == truth.class());
            score.unknown += usize::from(is_unknown);
            score.unknown_right += usize::from(is_unknown && is_right);
        }
    }
    score
}

// Reads treebank files, and measures a tagger on them.

/// A treebank read from one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Treebank {
    /// The name of its file without the extension.
    pub name: String,
    /// Its words with their tags.
    pub sentences: Vec<Sentence>,
}

/// A treebank cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreebankError {
    /// The file is missing or unreadable.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file that cannot be read.
        path: PathBuf,
        /// The error message of the system.
        cause: io::Error,
    },
    /// A line is neither a word with its tag nor empty.
    #[error("{}: {cause}", path.display())]
    Line {
        /// The file with the line.
        path: PathBuf,
        /// Error with the number of the line.
        cause: ModelError,
    },
}

impl Treebank {
    /// Reads a treebank from a file.
    ///
    /// # Errors
    /// If it cannot be read, or a line is neither a word with its tag nor empty.
    pub fn read(path: &Path) -> Result<Self, TreebankError> {
        let text = fs::read_to_string(path).map_err(|cause| TreebankError::Read {
            path: path.to_path_buf(),
            cause,
        })?;
        let sentences = read_treebank(&text).map_err(|cause| TreebankError::Line {
            path: path.to_path_buf(),
            cause,
        })?;
        let name = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        Ok(Self { name, sentences })
    }
}

/// Accuracy of a tagger: one row per treebank.
pub fn tagging_table(tagger: &Tagger, treebanks: &[Treebank]) -> Table {
    let mut table = Table::new(&[
        "treebank",
        "words",
        "tags",
        "classes",
        "unknown",
        "tags of unknown",
    ]);
    for treebank in treebanks {
        table.push(row(
            &treebank.name,
            test_tagger(tagger, &treebank.sentences),
        ));
    }
    table
}

fn row(name: &str, score: TaggingScore) -> Vec<String> {
    let share = |part: usize, whole: usize| format!("{:.4}", part as f64 / whole.max(1) as f64);
    vec![
        name.to_owned(),
        score.words.to_string(),
        share(score.right, score.words),
        share(score.right_class, score.words),
        share(score.unknown, score.words),
        share(score.unknown_right, score.unknown),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::language::Cutter;

    /// A made-up language: words in -o are nouns and follow `la`, words in -as are verbs, words in
    /// -a are adjectives.
    fn treebank(seed: u64) -> Vec<Sentence> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut stem = || {
            (0..3)
                .map(|_| {
                    random
                        .choice(["ba", "ki", "lum", "ter", "son", "vi"])
                        .unwrap()
                })
                .collect::<String>()
        };
        (0..300)
            .map(|_| {
                let (noun, adjective, verb) = (stem() + "o", stem() + "a", stem() + "as");
                let words = [
                    ("La", Tag::Det),
                    (&adjective, Tag::Adj),
                    (&noun, Tag::Noun),
                    (&verb, Tag::Verb),
                    (".", Tag::Punct),
                ];
                words.map(|(word, tag)| (word.to_owned(), tag)).to_vec()
            })
            .collect()
    }

    fn trained() -> Tagger {
        let options = TaggerOptions {
            rounds: 3,
            bits: 12,
            ..TaggerOptions::default()
        };
        train_tagger("xx", &["made-up".into()], &treebank(1), &options, &|_| {}).unwrap()
    }

    #[test]
    fn unknown_words_are_tagged_by_their_endings() {
        let tagger = trained();
        let score = test_tagger(&tagger, &treebank(2));
        assert_eq!(score.words, 1500);
        assert!(score.unknown > 100, "{score:?}");
        assert!(score.right as f64 > 0.99 * score.words as f64, "{score:?}");
        let found = tagger.tag(&Cutter::new("xx").cut("La kikiluma vibao terterlumas."));
        assert_eq!(
            found.iter().map(|one| one.tag).collect::<Vec<_>>(),
            [Tag::Det, Tag::Adj, Tag::Noun, Tag::Verb, Tag::Punct]
        );
        assert_eq!(
            found.iter().map(|one| one.is_known).collect::<Vec<_>>()[..1],
            [true]
        );
        assert!(
            tagger
                .lexicon()
                .iter()
                .any(|word| word.form == "la" && word.count == 300 && word.is_certain)
        );
    }

    #[test]
    fn the_same_sentences_give_the_same_bytes() {
        assert_eq!(trained().to_bytes(), trained().to_bytes());
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(read_treebank("a\tDET\n\n\nb\tNOUN\r\n").unwrap().len(), 2);
        let error = |text: &str| read_treebank(text).unwrap_err().to_string();
        assert!(error("a\tDET\nword").starts_with("line 2"));
        assert!(error("a\tDT").contains("\"DT\""));
        let none = train_tagger("xx", &[], &[], &TaggerOptions::default(), &|_| {})
            .unwrap_err()
            .to_string();
        assert!(none.contains("no sentence"));
        let options = TaggerOptions {
            bits: 40,
            ..TaggerOptions::default()
        };
        assert!(
            train_tagger("xx", &[], &treebank(1), &options, &|_| {})
                .unwrap_err()
                .to_string()
                .contains("8 to 16")
        );
    }
}
