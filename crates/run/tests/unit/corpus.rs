//! Decisions on whole sequences of documents: each rule, and runs that were interrupted.

use super::decide::{Corpus, Decision};
use super::measure::Measurer;
use super::note::{DropReason, PassageRule};
use super::options::{CorpusOptions, Treatment};
use crate::journal::{Checkpoint, Earlier, EffectiveArguments, Journal};
use proptest::prelude::*;
use std::path::Path;
use vclean_core::document::{Document, SegmentKind, plain_segment};
use vclean_core::explain::samples;
use vclean_core::page::{Body, Page};

fn document(paragraphs: &[String]) -> Document {
    let segment = |text: &String| plain_segment(SegmentKind::Paragraph, text.clone(), 0);
    Document {
        segments: paragraphs.iter().map(segment).collect(),
        ..samples::page("Menu").2
    }
}

/// A paragraph of `words` words that no paragraph with another number has.
fn paragraph(number: usize, words: usize) -> String {
    (0..words)
        .map(|word| format!("w{number}x{word}"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn all(treatment: Treatment) -> CorpusOptions {
    CorpusOptions {
        near_duplicates: Some(treatment),
        duplicate_paragraphs: Some(treatment),
        site_lines: Some(treatment),
        site_line_pages: 2,
        table_mb: 1,
        ..CorpusOptions::default()
    }
}

/// Decides on the pages, each named by its number.
fn decide(options: &CorpusOptions, pages: &[Vec<String>]) -> Vec<Decision> {
    let mut corpus = Corpus::new(options.clone());
    pages
        .iter()
        .enumerate()
        .map(|(number, page)| decide_one(&mut corpus, options, number, page))
        .collect()
}

fn decide_one(
    corpus: &mut Corpus,
    options: &CorpusOptions,
    number: usize,
    page: &[String],
) -> Decision {
    let input = Page::new("a.html", Body::html(""))
        .with_url(format!("https://a.example/{number}?utm_source=x"));
    let measured =
        Measurer::new(options.clone()).measure(&document(page), &input, input.url.as_deref());
    corpus
        .decide(&number.to_string(), "a.html", &measured)
        .unwrap()
}

#[test]
fn the_first_of_near_duplicates_is_kept() {
    let (one, two) = (paragraph(1, 300), paragraph(2, 300));
    let near = format!("{} another end", &one[..one.len() - 20]);
    let pages = [vec![one.clone()], vec![two], vec![near], vec![one]];
    for treatment in [Treatment::Drop, Treatment::Mark] {
        let options = CorpusOptions {
            near_duplicates: Some(treatment),
            ..CorpusOptions::default()
        };
        let found = decide(&options, &pages);
        let originals: Vec<_> = found
            .iter()
            .map(|decision| decision.note.duplicate_of.as_deref())
            .collect();
        assert_eq!(originals, [None, None, Some("0"), Some("0")]);
        assert!(found[2].note.similarity.unwrap() > 0.9 && found[3].note.similarity == Some(1.0));
        let dropped = (treatment == Treatment::Drop).then_some(DropReason::NearDuplicate);
        assert_eq!(
            (found[1].note.dropped, found[3].note.dropped),
            (None, dropped)
        );
    }
}

#[test]
fn a_line_of_many_pages_of_a_host_is_found_on_those_after_the_first() {
    let pages: Vec<_> = (0..4)
        .map(|number| vec![paragraph(number, 30), "Read our notice".to_owned()])
        .collect();
    let options = CorpusOptions {
        site_lines: Some(Treatment::Drop),
        site_line_pages: 2,
        ..all(Treatment::Drop)
    };
    let found = decide(&options, &pages);
    let left_out: Vec<_> = found
        .iter()
        .map(|decision| decision.left_out.clone())
        .collect();
    assert_eq!(left_out, [vec![], vec![], vec![1], vec![1]]);
    assert_eq!(found[3].note.passages[0].rule, PassageRule::SiteLine);
    assert_eq!(found[3].note.passages[0].text, "Read our notice");
}

#[test]
fn repeated_paragraphs_are_left_out_and_empty_documents_dropped() {
    let options = CorpusOptions {
        duplicate_paragraphs: Some(Treatment::Drop),
        table_mb: 1,
        ..CorpusOptions::default()
    };
    let (one, two, three) = (paragraph(1, 40), paragraph(2, 40), paragraph(3, 40));
    let found = decide(
        &options,
        &[
            vec![one.clone()],
            vec![two.clone(), one.clone(), three],
            vec![two, one],
        ],
    );
    assert_eq!(
        (found[0].left_out.len(), &found[1].left_out[..]),
        (0, &[1][..])
    );
    assert_eq!(
        (
            found[1].note.passages[0].share,
            found[1].note.passages[0].dropped
        ),
        (Some(1.0), true)
    );
    assert_eq!(found[2].note.dropped, Some(DropReason::NothingLeft));
    let least = CorpusOptions {
        min_words: Some(50),
        ..options
    };
    let found = decide(
        &least,
        &[
            vec![paragraph(1, 60)],
            vec![paragraph(1, 60), paragraph(4, 40)],
        ],
    );
    assert_eq!(
        (found[1].note.dropped, found[1].note.words),
        (Some(DropReason::MinWords), Some(100))
    );
}

#[test]
fn documents_are_kept_by_language_and_length() {
    let german = "Dies ist ein deutscher Text, in dem es um nichts weiter geht als darum, sicher erkannt zu werden.";
    let english = "This is an English text, and it is about nothing else than being recognized as what it is.";
    let options = CorpusOptions {
        languages: vec!["de".to_owned()],
        min_words: Some(5),
        max_words: Some(20),
        normalize_urls: true,
        ..CorpusOptions::default()
    };
    let pages = [
        german,
        english,
        "Zu kurz.",
        "1 2 3 4 5 6",
        &german.repeat(2),
    ]
    .map(|text| vec![text.to_owned()]);
    let found = decide(&options, &pages);
    let dropped: Vec<_> = found.iter().map(|decision| decision.note.dropped).collect();
    let language = Some(DropReason::Language);
    assert_eq!(
        dropped,
        [
            None,
            language,
            language,
            language,
            Some(DropReason::MaxWords)
        ]
    );
    assert_eq!(
        (found[0].note.language.as_deref(), found[0].note.words),
        (Some("de"), Some(18))
    );
    assert_eq!(
        found[0].note.normalized_url.as_deref(),
        Some("https://a.example/0")
    );
    let length = CorpusOptions {
        languages: vec![],
        ..options
    };
    assert_eq!(
        decide(&length, &pages)[2].note.dropped,
        Some(DropReason::MinWords)
    );
}

/// A run over the pages that ends after each of `ends` and is resumed. The last entries of some of
/// the runs are lost, as after a power cut.
fn in_parts(
    folder: &Path,
    options: &CorpusOptions,
    pages: &[Vec<String>],
    ends: &[usize],
) -> Vec<Decision> {
    let mut found: Vec<Decision> = Vec::new();
    for &end in ends.iter().chain([&pages.len()]) {
        let (mut journal, past) =
            Journal::open(folder, &EffectiveArguments::new(), Earlier::Resume).unwrap();
        let mut corpus = Corpus::new(options.clone());
        corpus.keep(folder, &past, &|_, _| true).unwrap();
        found.truncate(past.counts().0);
        for (number, page) in pages.iter().enumerate().take(end).skip(past.counts().0) {
            let decision = decide_one(&mut corpus, options, number, page);
            journal.done(&number.to_string(), None);
            found.push(decision);
        }
        corpus.commit().unwrap();
        if end % 3 != 1 {
            journal.commit(Checkpoint::default()).unwrap();
        }
    }
    found
}

/// Pages of a few paragraphs, chosen from a dozen, so that all rules find something.
fn pages() -> impl Strategy<Value = Vec<Vec<String>>> {
    let text = (0..12usize).prop_map(|number| paragraph(number, 3 + number * 3));
    prop::collection::vec(prop::collection::vec(text, 0..5), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_run_in_parts_decides_as_one_run(pages in pages(), ends in prop::collection::vec(0usize..12, 0..4), drops in any::<bool>()) {
        let options = all(if drops { Treatment::Drop } else { Treatment::Mark });
        let folder = tempfile::tempdir().unwrap();
        let mut ends: Vec<usize> = ends.into_iter().map(|end| end.min(pages.len())).collect();
        ends.sort_unstable();
        let mut whole = decide(&options, &pages);
        let mut parts = in_parts(folder.path(), &options, &pages, &ends);
        prop_assert_eq!(&parts, &whole);
        // The list beside the journal has the findings.
        whole.retain(|decision| decision.note.is_finding());
        parts.retain(|decision| decision.note.is_finding());
        let listed = std::fs::read_to_string(folder.path().join("corpus.jsonl")).unwrap();
        prop_assert_eq!(listed.lines().count(), whole.len());
    }

    #[test]
    fn marking_finds_what_dropping_leaves_out(pages in pages()) {
        let options = |treatment| CorpusOptions { near_duplicates: None, site_lines: None, ..all(treatment) };
        for (marked, dropped) in decide(&options(Treatment::Mark), &pages).iter().zip(decide(&options(Treatment::Drop), &pages)) {
            prop_assert!(marked.left_out.is_empty() && marked.note.dropped.is_none());
            if dropped.note.dropped.is_none() {
                let segments: Vec<usize> = marked.note.passages.iter().map(|passage| passage.segment).collect();
                prop_assert_eq!(segments, dropped.left_out);
            }
        }
    }
}

#[test]
fn a_run_whose_files_were_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = all(Treatment::Drop);
    in_parts(
        folder.path(),
        &options,
        &[vec![paragraph(1, 30)], vec![paragraph(2, 30)], vec![]],
        &[],
    );
    let open = |is_there: bool| {
        let (_journal, past) =
            Journal::open(folder.path(), &EffectiveArguments::new(), Earlier::Resume).unwrap();
        Corpus::new(options.clone())
            .keep(folder.path(), &past, &|_, _| is_there)
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(open(true), None);
    let error = open(false).unwrap();
    assert!(
        error.contains("the output of 0 is gone") && error.contains("`overwrite`"),
        "{error}"
    );
    let path = folder.path().join("corpus.state");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let error = open(true).unwrap();
    assert!(
        error.contains("holds 2 documents") && error.contains("has 3"),
        "{error}"
    );
}
