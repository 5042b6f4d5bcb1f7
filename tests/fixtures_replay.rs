//! Captures of fixture pages, kept in `fixtures/captures`, cleaned again without a browser.
//!
//! Each folder there is a capture as `vclean render` writes it, with `expected.txt` (what a reader keeps) beside its
//! files; floor and unit are those of the case of the same name in `fixtures/site`. Make one anew with
//! `vclean render URL --out fixtures/captures`, where URL is the case's page on `examples/serve`; those here have their
//! pictures packed tighter (the same pixels).
#![allow(clippy::unwrap_used)]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vclean::batch::{self, Item, Stop};
use vclean::capture::{self, Capture};
use vclean::emit::{self, EmitOptions};
use vclean::evaluate::{TokenUnit, metrics};
use vclean::pipeline::{Cleaner, CleanerOptions};

/// A kept capture and what is expected of it.
struct Kept {
    name: String,
    folder: PathBuf,
    expected: String,
    /// Floor, unit and phrases, from the case of the same name.
    case: serde_json::Value,
}

fn kept() -> Vec<Kept> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let found: Vec<Kept> = capture::list_captures(&fixtures.join("captures"))
        .unwrap()
        .into_iter()
        .map(|folder| {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            let case = fs::read(fixtures.join("site").join(&name).join("case.json")).unwrap();
            let expected = fs::read_to_string(folder.join("expected.txt")).unwrap();
            Kept { expected, case: serde_json::from_slice(&case).unwrap(), name, folder }
        })
        .collect();
    assert!(found.len() >= 3, "only {} captures", found.len());
    found
}

fn cleaner() -> Cleaner {
    Cleaner::new(CleanerOptions { explain: true, ..CleanerOptions::default() }).unwrap()
}

fn write(cleaner: &Cleaner, capture: &Capture, format: &str) -> String {
    let document = cleaner.clean(capture).unwrap().document;
    (emit::find(format).unwrap().write)(&document, &EmitOptions::default())
}

fn phrases<'a>(case: &'a serde_json::Value, key: &str) -> impl Iterator<Item = &'a str> {
    case[key].as_array().unwrap().iter().map(|phrase| phrase.as_str().unwrap())
}

#[test]
fn kept_captures_give_the_text_that_a_reader_keeps() {
    let cleaner = cleaner();
    for Kept { name, folder, expected, case } in kept() {
        let capture = capture::load(&folder).unwrap();
        assert!(capture.layout.is_some() && capture.pictures.is_some(), "{name} was rendered");
        let text = write(&cleaner, &capture, "text");
        let unit = if case["unit"] == "characters" { TokenUnit::Characters } else { TokenUnit::Words };
        let score = metrics::difflib(&text, &expected, unit, false).score().f1;
        let floor = case["minimum_f1"].as_f64().unwrap();
        assert!(score >= floor, "{name}: F1 {score:.3} is under {floor}:\n{text}");
        let plain = metrics::collapse(&text);
        for phrase in phrases(&case, "contains") {
            assert!(plain.contains(&metrics::collapse(phrase)), "{name} lost {phrase:?}:\n{text}");
        }
        for phrase in phrases(&case, "lacks") {
            assert!(!plain.contains(&metrics::collapse(phrase)), "{name} kept {phrase:?}:\n{text}");
        }
    }
}

/// The JSON form of every capture, twice over, with `jobs` threads: it holds every box, probability and reason.
fn cleaned_with(jobs: usize) -> Vec<String> {
    let cleaner = Arc::new(cleaner());
    let folders = (0..2).flat_map(|_| kept()).map(|kept| kept.folder);
    let items: Vec<_> = folders.map(|folder| Item { name: folder.display().to_string(), content: folder }).collect();
    let mut texts = Vec::new();
    let work = move |folder: PathBuf| {
        let capture = capture::load(&folder).map_err(|error| error.to_string())?;
        Ok(write(&cleaner, &capture, "json"))
    };
    batch::run(items, jobs, &Stop::new(), work, |outcome| {
        texts.push(outcome.result.unwrap());
        ControlFlow::Continue(())
    })
    .unwrap();
    texts
}

#[test]
fn the_same_capture_gives_the_same_bytes_again_and_on_any_number_of_threads() {
    let alone = cleaned_with(1);
    let count = alone.len() / 2;
    for (index, text) in alone.iter().enumerate() {
        assert!(text.len() > 1000, "{text}");
        assert_eq!(*text, alone[index % count], "the same capture, cleaned again");
    }
    assert_eq!(alone, cleaned_with(2));
}
