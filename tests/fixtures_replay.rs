//! Cleans the captures of fixture pages in `fixtures/captures`, without a browser.
//!
//! Each folder there is a capture as `vclean render` writes it, plus `expected.txt` (the content of
//! the page); threshold and unit are those of the case of the same name in `fixtures/site`. To make
//! one again, use `vclean render URL --out fixtures/captures`, where URL is the case's page on
//! `examples/serve`; the pictures here are compressed more (the same pixels).
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vclean_core::capture::Capture;
use vclean_core::emit::{self, EmitOptions};
use vclean_core::files::{list_captures, load_capture};
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_core::{page, text};
use vclean_lab::evaluate::RegressionThresholds;
use vclean_lab::evaluate::thresholds::SetThresholds;
use vclean_lab::gold::{TokenUnit, difflib};
use vclean_run::source;
use vclean_run::{Item, Order};
use vclean_run::{Stop, executor};

/// A saved capture and its expected text.
struct SavedCapture {
    name: String,
    folder: PathBuf,
    expected: String,
    /// The content of `case.json` of the case of the same name: threshold, unit and phrases.
    case: serde_json::Value,
}

fn saved_captures() -> Vec<SavedCapture> {
    let fixtures = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures");
    let found: Vec<SavedCapture> = list_captures(&fixtures.join("captures"))
        .unwrap()
        .into_iter()
        .map(|folder| {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            let case = fs::read(fixtures.join("site").join(&name).join("case.json")).unwrap();
            let expected = fs::read_to_string(folder.join("expected.txt")).unwrap();
            SavedCapture {
                expected,
                case: serde_json::from_slice(&case).unwrap(),
                name,
                folder,
            }
        })
        .collect();
    assert!(found.len() >= 3, "only {} captures", found.len());
    found
}

fn cleaner() -> PageCleaner {
    PageCleaner::new(&Options {
        explain: true,
        ..Options::default()
    })
    .unwrap()
}

fn write(cleaner: &PageCleaner, capture: &Capture, format: &str) -> String {
    let document = cleaner.clean_capture(capture).unwrap().document;
    (emit::find(format).unwrap().write)(&document, &EmitOptions::default())
}

fn f1(text: &str, expected: &str, case: &serde_json::Value) -> f64 {
    let unit = if case["unit"] == "characters" {
        TokenUnit::Characters
    } else {
        TokenUnit::Words
    };
    difflib(text, expected, unit, false).score().f1
}

fn phrases<'a>(case: &'a serde_json::Value, key: &str) -> impl Iterator<Item = &'a str> {
    case[key]
        .as_array()
        .unwrap()
        .iter()
        .map(|phrase| phrase.as_str().unwrap())
}

#[test]
fn saved_captures_give_their_expected_text() {
    let cleaner = cleaner();
    for SavedCapture {
        name,
        folder,
        expected,
        case,
    } in saved_captures()
    {
        let capture = load_capture(&folder).unwrap();
        assert!(
            capture.layout.is_some() && capture.pictures.is_some(),
            "{name} was rendered"
        );
        let text = write(&cleaner, &capture, "text");
        let score = f1(&text, &expected, &case);
        let floor = case["minimum_f1"].as_f64().unwrap();
        assert!(
            score >= floor,
            "{name}: F1 {score:.3} is under {floor}:\n{text}"
        );
        let plain = text::collapse(&text);
        for phrase in phrases(&case, "contains") {
            assert!(
                plain.contains(&text::collapse(phrase)),
                "{name} lost {phrase:?}:\n{text}"
            );
        }
        for phrase in phrases(&case, "lacks") {
            assert!(
                !plain.contains(&text::collapse(phrase)),
                "{name} kept {phrase:?}:\n{text}"
            );
        }
    }
}

/// Cleans every capture twice with `jobs` threads; returns the JSON output, which has every box,
/// probability and reason.
fn cleaned_with(jobs: usize) -> Vec<String> {
    let cleaner = Arc::new(cleaner());
    let folders = (0..2)
        .flat_map(|_| saved_captures())
        .map(|saved| saved.folder);
    let items: Vec<_> = folders
        .map(|folder| Item {
            name: folder.display().to_string(),
            content: folder,
        })
        .collect();
    let mut texts = Vec::new();
    let work = move |folder: PathBuf| {
        let capture = load_capture(&folder).map_err(|error| error.to_string())?;
        Ok(write(&cleaner, &capture, "json"))
    };
    executor::run::<_, _, _, String>(
        items,
        jobs,
        None,
        Order::Input,
        &Stop::new(),
        work,
        |outcome| {
            texts.push(outcome.result.unwrap());
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    texts
}

#[test]
fn the_same_capture_gives_the_same_bytes_on_any_number_of_threads() {
    let alone = cleaned_with(1);
    let count = alone.len() / 2;
    for (index, text) in alone.iter().enumerate() {
        assert!(text.len() > 1000, "{text}");
        assert_eq!(
            *text,
            alone[index % count],
            "the same capture, cleaned again"
        );
    }
    assert_eq!(alone, cleaned_with(2));
}

/// Computes the F of each built-in model on each case that it can clean without a browser: `static`
/// on the pages of the site whose text exists without scripts, `rendered` on the saved captures.
fn figures() -> Vec<SetThresholds> {
    let cleaner = cleaner();
    let mut figures = Vec::new();
    let mut push = |name: &str, kind: &str, model: &str, f1: f64| {
        let figure = BTreeMap::from([("words".to_owned(), f1)]);
        figures.push(SetThresholds::new(
            [&format!("fixtures/{name}"), "all", kind, model],
            [name],
            figure,
        ));
    };
    for SavedCapture {
        name,
        folder,
        expected,
        case,
    } in saved_captures()
    {
        let text = write(&cleaner, &load_capture(&folder).unwrap(), "text");
        push(&name, "rendered", "rendered", f1(&text, &expected, &case));
    }
    let site = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/site");
    let mut folders: Vec<PathBuf> = fs::read_dir(site)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.retain(|folder| folder.join("case.json").is_file());
    folders.sort();
    for folder in folders {
        let case: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("case.json")).unwrap()).unwrap();
        if case["needs_scripts"] == true {
            continue;
        }
        let expected = fs::read_to_string(folder.join("expected.txt")).unwrap();
        let page = source::open(folder.join("index.html").to_str().unwrap())
            .next()
            .unwrap()
            .unwrap();
        let text = write(&cleaner, &page::parse(&page).unwrap(), "text");
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        push(&name, "static", "static", f1(&text, &expected, &case));
    }
    figures
}

/// `VCLEAN_REPIN=1` records new thresholds and refuses to lower one; `VCLEAN_REPIN=lower` may lower
/// them. Both make the test fail, so that a run that recorded thresholds is not mistaken for one
/// that passed.
#[test]
fn no_built_in_model_falls_below_its_thresholds() {
    let path =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/thresholds.json");
    let figures = figures();
    assert!(figures.len() >= 20, "only {} figures", figures.len());
    if let Ok(wish) = std::env::var("VCLEAN_REPIN") {
        let mut thresholds = if path.exists() {
            RegressionThresholds::read(&path).unwrap()
        } else {
            RegressionThresholds::default()
        };
        for figure in figures {
            thresholds
                .pin(figure, wish == "lower")
                .unwrap_or_else(|error| panic!("{error} (VCLEAN_REPIN=lower)"));
        }
        fs::write(&path, thresholds.to_json()).unwrap();
        panic!("the thresholds were rewritten; check the change, then run without VCLEAN_REPIN");
    }
    let thresholds = RegressionThresholds::read(&path).unwrap();
    assert_eq!(
        thresholds.thresholds.len(),
        figures.len(),
        "a case came or went: pin with VCLEAN_REPIN=1"
    );
    let mut below = Vec::new();
    for figure in &figures {
        let found = thresholds
            .compare(figure)
            .unwrap_or_else(|error| panic!("{error} (VCLEAN_REPIN=1)"));
        assert!(!found.is_empty(), "{}: nothing is pinned", figure.name());
        below.extend(
            found
                .into_iter()
                .filter(|one| one.is_below)
                .map(|one| format!("{}: {one:?}", figure.name())),
        );
    }
    assert!(
        below.is_empty(),
        "below the thresholds:\n{}",
        below.join("\n")
    );
}
