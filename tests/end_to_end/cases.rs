//! Reads the cases of `fixtures/site`, which are found by listing the folder, and scores texts.

use crate::support::fixtures;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The content of `case.json`, and the expected text.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// Name of the folder.
    #[serde(skip)]
    pub name: String,
    /// The content of the page, one block per line.
    #[serde(skip)]
    pub expected: String,
    /// Description of the page.
    pub about: String,
    /// Address below the server's root.
    pub path: String,
    /// True if the text exists only after scripts ran.
    pub needs_scripts: bool,
    /// Unit that precision and recall are counted in.
    pub unit: Unit,
    /// Minimum harmonic mean of precision and recall.
    pub minimum_f1: f64,
    /// Phrases that must be kept.
    pub contains: Vec<String>,
    /// Phrases that must be dropped.
    pub lacks: Vec<String>,
    /// Phrases that should be dropped but that the built-in models keep; listed as known errors.
    #[serde(default)]
    pub known_errors: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    Words,
    /// For writing systems without spaces between words.
    Characters,
}

/// All cases, by name.
pub fn all() -> Vec<Case> {
    let mut cases: Vec<Case> = std::fs::read_dir(fixtures().join("site"))
        .expect("the fixture site")
        .map(|entry| entry.unwrap().path())
        .filter(|folder| folder.join("case.json").is_file())
        .map(|folder| {
            let read = |name: &str| {
                std::fs::read_to_string(folder.join(name))
                    .unwrap_or_else(|error| panic!("{} {name}: {error}", folder.display()))
            };
            let mut case: Case = serde_json::from_str(&read("case.json"))
                .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            case.name = folder.file_name().unwrap().to_string_lossy().into_owned();
            case.expected = read("expected.txt");
            case
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(cases.len() > 20, "only {} cases", cases.len());
    cases
}

impl Case {
    /// Returns the score of `text`, and the faults that were found in it.
    pub fn judge(&self, text: &str) -> (f64, Vec<String>) {
        let score = f1(&pieces(text, self.unit), &pieces(&self.expected, self.unit));
        let plain = collapse(text);
        let mut faults = Vec::new();
        if score < self.minimum_f1 {
            faults.push(format!("F1 {score:.3} is under {}", self.minimum_f1));
        }
        faults.extend(
            self.contains
                .iter()
                .filter(|phrase| !plain.contains(&collapse(phrase)))
                .map(|phrase| format!("lost {phrase:?}")),
        );
        faults.extend(
            self.lacks
                .iter()
                .filter(|phrase| plain.contains(&collapse(phrase)))
                .map(|phrase| format!("kept {phrase:?}")),
        );
        (score, faults)
    }
}

fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn pieces(text: &str, unit: Unit) -> BTreeMap<String, usize> {
    let pieces: Vec<String> = match unit {
        Unit::Words => text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect(),
        Unit::Characters => text
            .chars()
            .filter(|c| c.is_alphanumeric())
            .map(String::from)
            .collect(),
    };
    let mut counts = BTreeMap::new();
    for piece in pieces {
        *counts.entry(piece).or_default() += 1;
    }
    counts
}

/// Harmonic mean of precision and recall over two multisets; 1 for two empty ones.
fn f1(found: &BTreeMap<String, usize>, expected: &BTreeMap<String, usize>) -> f64 {
    let size = |counts: &BTreeMap<String, usize>| counts.values().sum::<usize>() as f64;
    let common: usize = found
        .iter()
        .map(|(piece, count)| *count.min(expected.get(piece).unwrap_or(&0)))
        .sum();
    let total = size(found) + size(expected);
    if total == 0.0 {
        1.0
    } else {
        2.0 * common as f64 / total
    }
}

#[test]
fn the_score_counts_words_as_often_as_they_occur() {
    let words = |text| pieces(text, Unit::Words);
    assert_eq!(f1(&words("a b b c"), &words("A, b: b! c")), 1.0);
    assert_eq!(f1(&words("a b"), &words("a a")), 0.5);
    assert_eq!(f1(&words(""), &words("a")), 0.0);
    assert_eq!(
        f1(
            &pieces("港 町", Unit::Characters),
            &pieces("町港。", Unit::Characters)
        ),
        1.0
    );
}

#[test]
fn every_case_is_complete() {
    for case in all() {
        for phrase in &case.known_errors {
            assert!(
                !case.expected.contains(phrase.as_str()),
                "{}: {phrase} is no error, it is expected",
                case.name
            );
            assert!(
                !case.lacks.contains(phrase),
                "{}: {phrase} is no longer a known error",
                case.name
            );
        }
        let (score, faults) = case.judge(&case.expected);
        assert!(
            score == 1.0 && faults.is_empty(),
            "{}: {faults:?}",
            case.name
        );
        assert!(
            !case.about.is_empty() && !case.contains.is_empty() && !case.lacks.is_empty(),
            "{}",
            case.name
        );
        assert!(
            case.expected.lines().all(|line| !line.trim().is_empty()),
            "{}: an empty line",
            case.name
        );
    }
}
