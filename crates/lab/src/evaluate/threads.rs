//! Compares the posts that were found on threads with those that a person read: authors, dates,
//! order and texts.
//!
//! [`ThreadPages`] finds the pages with gold ([`gold::threads`](crate::gold::threads)), and
//! [`ThreadReport`] has the means. A post that was found belongs to that of the gold with which it
//! shares most words, and each to one. A score is the share of what is right in the gold and in
//! what was found (2 right / (gold + found), the F measure): of names, of days, of posts in the
//! longest run in the right order, and of texts, where a post counts as much as the F measure of
//! its bag of words.
//!
//! The texts of other sets are compared as a whole, by bags of words: all posts of a forum page
//! with its gold, and the readers' comments of a page with theirs.

use super::table::Table;
use crate::gold::bound::{OfSets, of_sets};
use crate::gold::threads::{GoldPost, GoldThread, read_threads, texts};
use crate::gold::words::alignment_words;
use crate::gold::{Capturing, Gold, Progress, each_page, in_common, read_gold, tells_comments};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use vclean_core::cleaner::PageCleaner;
use vclean_core::emit::{self, EmitOptions, PostText};
use vclean_core::error::{DataError, Error};
use vclean_run::source::{DataSet, Row, Split};

/// What is scored.
pub const FACETS: [&str; 4] = ["authors", "dates", "order", "bodies"];
/// Least F measure of the words of two texts for them to be of one post. Heuristic: below it they
/// share common words only.
const MIN_SHARED: f64 = 0.3;

/// The scores of a page, 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThreadScores {
    /// Name of the set.
    pub set: String,
    /// Name of the page within the set.
    pub id: String,
    /// The software of the site.
    pub software: String,
    /// Number of posts that a person read.
    pub gold: usize,
    /// Number of posts that were found.
    pub found: usize,
    /// The score of each of [`FACETS`]; `None` if neither gold nor page has any.
    pub scores: [Option<f64>; 4],
    /// What is wrong, a line each.
    pub faults: Vec<String>,
    /// Why nothing was found, if the page could not be cleaned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// The texts of a page, compared as a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextScore {
    /// Name of the set.
    pub set: String,
    /// Name of the page within the set.
    pub id: String,
    /// `posts` or `comments`.
    pub of: &'static str,
    /// F measure of the bag of words.
    pub f1: f64,
    /// Share of the posts or comments that have an author.
    pub signed: f64,
    /// Share of them that have a date.
    pub dated: f64,
}

/// The pages of data sets with gold of threads, and the forum pages and comments of these sets.
pub struct ThreadPages<'a> {
    sets: OfSets<'a, GoldThread>,
    split: Split,
}

impl<'a> ThreadPages<'a> {
    /// Reads the gold in `file` and finds its pages in `sets`. Gold of other sets is left out.
    ///
    /// # Errors
    /// If the file cannot be read, a page is not in its set, or no page is left.
    pub fn open(file: &Path, sets: &'a [DataSet], split: Split) -> Result<Self, DataError> {
        let pages = Self {
            sets: of_sets(read_threads(file)?, sets)?,
            split,
        };
        let has_none = |(set, threads)| {
            pages.rows(set, threads).is_empty() && pages.rows_with_texts(set).is_empty()
        };
        if pages
            .sets
            .iter()
            .map(|(set, threads)| (*set, threads))
            .all(has_none)
        {
            let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
            return Err(DataError::NoPages {
                of: "threads",
                sets: names.join(", "),
                split: split.name(),
                path: file.to_path_buf(),
            });
        }
        Ok(pages)
    }

    fn rows(&self, set: &'a DataSet, threads: &BTreeMap<&str, GoldThread>) -> Vec<&'a Row> {
        let rows = set.split(self.split).into_iter();
        rows.filter(|row| threads.contains_key(row.id.as_str()))
            .collect()
    }

    /// The pages whose posts or comments may have gold in the set itself.
    fn rows_with_texts(&self, set: &'a DataSet) -> Vec<&'a Row> {
        set.split(self.split)
            .into_iter()
            .filter(|row| is_forum(row) || tells_comments(set, row))
            .collect()
    }

    /// Measures all pages with gold of their posts, in the order of the sets and of the ids within
    /// them.
    ///
    /// # Errors
    /// If a page is not the one that its gold was made for.
    pub fn measure(
        &self,
        cleaner: &PageCleaner,
        capturing: &Capturing,
        progress: &dyn Progress,
    ) -> Result<Vec<ThreadScores>, Error> {
        let mut pages = Vec::new();
        for (set, threads) in &self.sets {
            let rows = self.rows(set, threads);
            let measured: Vec<ThreadScores> =
                each_page::<_, Result<_, Error>>(set, &rows, progress, |row| {
                    let thread = &threads[row.id.as_str()];
                    let gold = texts(thread, row)?;
                    let (found, failure) = match posts(set, row, cleaner, capturing) {
                        Ok((found, _)) => (found, None),
                        Err(error) => (Vec::new(), Some(error.to_string())),
                    };
                    Ok(score(thread, &gold, &found, failure))
                })?;
            for page in &measured {
                if let Some(cause) = &page.failure {
                    progress.page_failed(&page.set, &page.id, cause);
                }
            }
            pages.extend(measured);
        }
        Ok(pages)
    }

    /// Compares the texts of forum pages and of readers' comments with their gold. The cleaner must
    /// separate comments.
    ///
    /// # Errors
    /// If gold cannot be read.
    pub fn measure_texts(
        &self,
        cleaner: &PageCleaner,
        capturing: &Capturing,
        progress: &dyn Progress,
    ) -> Result<Vec<TextScore>, Error> {
        let mut pages = Vec::new();
        for (set, _) in &self.sets {
            let rows = self.rows_with_texts(set);
            let measured: Vec<Vec<TextScore>> =
                each_page::<_, Result<_, Error>>(set, &rows, progress, |row| {
                    let gold = read_gold(set, row)?;
                    let wanted = if is_forum(row) {
                        gold.text.is_some()
                    } else {
                        has_comments(&gold)
                    };
                    if !wanted {
                        return Ok(Vec::new());
                    }
                    let (posts, comments) =
                        posts(set, row, cleaner, capturing).unwrap_or_else(|error| {
                            progress.page_failed(&set.name, &row.id, &error.to_string());
                            Default::default()
                        });
                    let one = |of: &'static str, gold: Option<&str>, found: &[PostText]| {
                        let gold = gold.filter(|gold| !gold.trim().is_empty())?;
                        Some(text_score(set, row, of, gold, found))
                    };
                    let forum = one(
                        "posts",
                        gold.text
                            .as_deref()
                            .filter(|_| is_forum(row) && !posts.is_empty()),
                        &posts,
                    );
                    Ok(forum
                        .into_iter()
                        .chain(one("comments", gold.comments.as_deref(), &comments))
                        .collect())
                })?;
            pages.extend(measured.into_iter().flatten());
        }
        Ok(pages)
    }
}

fn is_forum(row: &Row) -> bool {
    row.page_type.as_deref() == Some("forum")
}

fn has_comments(gold: &Gold) -> bool {
    gold.comments
        .as_deref()
        .is_some_and(|comments| !comments.trim().is_empty())
}

/// The posts and the separated comments of a page.
fn posts(
    set: &DataSet,
    row: &Row,
    cleaner: &PageCleaner,
    capturing: &Capturing,
) -> Result<(Vec<PostText>, Vec<PostText>), Error> {
    let cleaned = cleaner.clean_captured(&capturing.capture(set, row)?)?;
    let format = emit::find("text").expect("the format is in the table");
    let options = EmitOptions::default();
    let comments = cleaned.document.comments_alone().map(|mut alone| {
        alone.posts = cleaned
            .document
            .comments
            .as_ref()
            .map_or_else(Vec::new, |part| part.records.clone());
        PostText::of(&alone, format, &options)
    });
    Ok((
        PostText::of(&cleaned.document, format, &options),
        comments.unwrap_or_default(),
    ))
}

fn text_score(
    set: &DataSet,
    row: &Row,
    of: &'static str,
    gold: &str,
    found: &[PostText],
) -> TextScore {
    let all: Vec<&str> = found.iter().map(|post| post.text.as_str()).collect();
    let share = |has: fn(&PostText) -> bool| {
        found.iter().filter(|post| has(post)).count() as f64 / found.len().max(1) as f64
    };
    TextScore {
        set: set.name.clone(),
        id: row.id.clone(),
        of,
        f1: shared(&alignment_words(gold), &alignment_words(&all.join("\n"))),
        signed: share(|post| post.author.is_some()),
        dated: share(|post| post.date.is_some()),
    }
}

/// F measure of two bags of words.
fn shared(one: &[String], other: &[String]) -> f64 {
    let all = one.len() + other.len();
    if all == 0 {
        1.0
    } else {
        2.0 * in_common(one.to_vec(), other.to_vec()) as f64 / all as f64
    }
}

fn score(
    thread: &GoldThread,
    gold: &[Vec<String>],
    found: &[PostText],
    failure: Option<String>,
) -> ThreadScores {
    let texts: Vec<Vec<String>> = found
        .iter()
        .map(|post| alignment_words(&post.text))
        .collect();
    let pairs = matched(gold, &texts);
    let mut faults = Vec::new();
    let mut fact = |name: &str,
                    of_gold: fn(&GoldPost) -> Option<&str>,
                    of_found: fn(&PostText) -> Option<&str>,
                    is_same: fn(&str, &str) -> bool| {
        let stated = thread
            .posts
            .iter()
            .filter(|post| of_gold(post).is_some())
            .count()
            + found.iter().filter(|post| of_found(post).is_some()).count();
        let mut right = 0;
        for &(gold, of, _) in &pairs {
            let (wanted, given) = (of_gold(&thread.posts[gold]), of_found(&found[of]));
            match (wanted, given) {
                (Some(wanted), Some(given)) if is_same(wanted, given) => right += 1,
                (None, None) => {}
                _ => faults.push(format!(
                    "{name} of post {}: {given:?} for {wanted:?}",
                    gold + 1
                )),
            }
        }
        (stated > 0).then(|| 2.0 * f64::from(right) / stated as f64)
    };
    let authors = fact(
        "author",
        |post| post.author.as_deref(),
        |post| post.author.as_deref(),
        is_same_name,
    );
    let dates = fact(
        "date",
        |post| post.date.as_deref(),
        |post| post.date.as_deref(),
        is_same_day,
    );
    for index in 0..thread.posts.len() {
        match pairs.iter().find(|(gold, ..)| *gold == index) {
            None => faults.push(format!("post {} is missing", index + 1)),
            Some((.., f1)) if *f1 < 0.9 => {
                faults.push(format!("text of post {}: {f1:.2}", index + 1));
            }
            Some(_) => {}
        }
    }
    let surplus = (0..found.len()).filter(|index| pairs.iter().all(|(_, of, _)| of != index));
    faults.extend(surplus.map(|index| format!("post {} of those found is none", index + 1)));
    let all = (gold.len() + found.len()) as f64;
    let of_posts = |right: f64| (all > 0.0).then(|| 2.0 * right / all);
    let order: Vec<usize> = pairs.iter().map(|(_, of, _)| *of).collect();
    let bodies = pairs.iter().map(|(.., f1)| f1).sum();
    ThreadScores {
        set: thread.set.clone(),
        id: thread.id.clone(),
        software: thread.software.clone(),
        gold: gold.len(),
        found: found.len(),
        scores: [
            authors,
            dates,
            of_posts(longest_ascending(&order) as f64),
            of_posts(bodies),
        ],
        faults,
        failure,
    }
}

/// Pairs of posts of the gold and found ones with the F measure of their words, by the number of
/// the former.
fn matched(gold: &[Vec<String>], found: &[Vec<String>]) -> Vec<(usize, usize, f64)> {
    let all = gold.iter().enumerate().flat_map(|(one, words)| {
        found
            .iter()
            .enumerate()
            .map(move |(other, found)| (one, other, shared(words, found)))
    });
    let mut all: Vec<_> = all.filter(|(.., f1)| *f1 >= MIN_SHARED).collect();
    all.sort_by(|one, other| {
        other
            .2
            .total_cmp(&one.2)
            .then((one.0, one.1).cmp(&(other.0, other.1)))
    });
    let (mut of_gold, mut of_found) = (vec![false; gold.len()], vec![false; found.len()]);
    all.retain(|&(one, other, _)| {
        let is_free = !of_gold[one] && !of_found[other];
        if is_free {
            (of_gold[one], of_found[other]) = (true, true);
        }
        is_free
    });
    all.sort_by_key(|(one, ..)| *one);
    all
}

/// Length of the longest ascending part of a sequence.
fn longest_ascending(values: &[usize]) -> usize {
    let mut ends: Vec<usize> = Vec::new();
    for &value in values {
        match ends.partition_point(|&end| end < value) {
            at if at == ends.len() => ends.push(value),
            at => ends[at] = value,
        }
    }
    ends.len()
}

fn is_same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| alignment_words(name.trim_start_matches('@'));
    plain(one) == plain(other)
}

/// Whether two dates are the same day; what a page says in place of a day is the beginning of what
/// was found.
fn is_same_day(wanted: &str, given: &str) -> bool {
    let wanted = wanted.to_lowercase();
    given.to_lowercase().starts_with(&wanted)
}

/// All figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThreadReport {
    /// The mean over the pages of each of [`FACETS`], where a page has any.
    pub means: [Option<f64>; 4],
    /// The pages with gold of their posts.
    pub pages: Vec<ThreadScores>,
    /// The forum pages and comments that have gold text.
    pub texts: Vec<TextScore>,
}

impl ThreadReport {
    /// Sums up the pages.
    pub fn new(pages: Vec<ThreadScores>, texts: Vec<TextScore>) -> Self {
        let mean = |facet: usize| {
            let scores: Vec<f64> = pages.iter().filter_map(|page| page.scores[facet]).collect();
            (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
        };
        Self {
            means: [0, 1, 2, 3].map(mean),
            pages,
            texts,
        }
    }

    /// Number of pages that could not be cleaned.
    pub fn failed(&self) -> usize {
        self.pages
            .iter()
            .filter(|page| page.failure.is_some())
            .count()
    }

    /// The tables: means and pages, the faults of the `worst` pages, and the texts by set.
    pub fn to_text(&self, worst: usize) -> String {
        let cell =
            |score: &Option<f64>| score.map_or_else(String::new, |score| format!("{score:.3}"));
        let mut table = Table::new(&[&["page", "software", "gold", "found"][..], &FACETS].concat());
        for page in &self.pages {
            let id: String = page.id.chars().take(16).collect();
            let names = [
                format!("{}/{id}", page.set),
                page.software.clone(),
                page.gold.to_string(),
                page.found.to_string(),
            ];
            table.push(
                names
                    .into_iter()
                    .chain(page.scores.iter().map(cell))
                    .collect(),
            );
        }
        let sum = |count: fn(&ThreadScores) -> usize| {
            self.pages.iter().map(count).sum::<usize>().to_string()
        };
        let names = [
            "mean".to_owned(),
            String::new(),
            sum(|page| page.gold),
            sum(|page| page.found),
        ];
        table.push(
            names
                .into_iter()
                .chain(self.means.iter().map(cell))
                .collect(),
        );
        let mut out = format!(
            "threads: {} pages, {} failed\n{}",
            self.pages.len(),
            self.failed(),
            table.to_text()
        );
        let mut pages: Vec<&ThreadScores> = self
            .pages
            .iter()
            .filter(|page| !page.faults.is_empty())
            .collect();
        pages.sort_by(|one, other| one.total().total_cmp(&other.total()));
        for page in pages.into_iter().take(worst) {
            let _ = writeln!(out, "\n{}/{}", page.set, page.id);
            for fault in &page.faults {
                let _ = writeln!(out, "  {fault}");
            }
        }
        if self.texts.is_empty() {
            out
        } else {
            out + "\n" + &self.texts_table().to_text()
        }
    }

    fn texts_table(&self) -> Table {
        let mut table = Table::new(&[
            "texts",
            "pages",
            "bag of words, F",
            "with author",
            "with date",
        ]);
        let mut groups: BTreeMap<(&str, &str), Vec<&TextScore>> = BTreeMap::new();
        for text in &self.texts {
            groups.entry((text.of, &text.set)).or_default().push(text);
        }
        for ((of, set), texts) in groups {
            let mean = |value: fn(&TextScore) -> f64| {
                format!(
                    "{:.3}",
                    texts.iter().map(|text| value(text)).sum::<f64>() / texts.len() as f64
                )
            };
            let means = [
                mean(|text| text.f1),
                mean(|text| text.signed),
                mean(|text| text.dated),
            ];
            table.push(
                [format!("{of} of {set}"), texts.len().to_string()]
                    .into_iter()
                    .chain(means)
                    .collect(),
            );
        }
        table
    }
}

impl ThreadScores {
    fn total(&self) -> f64 {
        self.scores.iter().flatten().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(facts: &[(&str, &str)]) -> GoldThread {
        let post = |&(author, date): &(&str, &str)| GoldPost {
            author: Some(author.into()),
            date: Some(date.into()),
            starts: "x".into(),
            ends: "x".into(),
            words: 1,
        };
        let posts = facts.iter().map(post).collect();
        GoldThread {
            set: "s".into(),
            id: "a".into(),
            page: String::new(),
            software: "x".into(),
            posts,
        }
    }

    fn post(author: &str, date: &str, text: &str) -> PostText {
        let json = serde_json::json!({"role": "post", "author": author, "date": date, "url": null, "parent": null, "text": text});
        serde_json::from_value(json).unwrap()
    }

    fn gold(texts: &[&str]) -> Vec<Vec<String>> {
        texts.iter().map(|text| alignment_words(text)).collect()
    }

    #[test]
    fn a_thread_that_was_found_whole_has_full_scores() {
        let thread = thread(&[("Ann", "2020-01-02"), ("Bo", "yesterday")]);
        let found = [
            post("@Ann", "2020-01-02T10:00", "Gulls eat."),
            post("bo", "Yesterday, 10:00", "Who knows?"),
        ];
        let page = score(&thread, &gold(&["gulls eat", "who knows"]), &found, None);
        assert_eq!((page.scores, page.faults), ([Some(1.0); 4], Vec::new()));
    }

    #[test]
    fn faults_are_counted_in_what_was_found_and_in_the_gold() {
        let thread = thread(&[
            ("Ann", "2020-01-02"),
            ("Bo", "2020-01-03"),
            ("Cy", "2020-01-04"),
        ]);
        let found = [
            post("Bo", "2020-01-03", "b b"),
            post("Member", "2020-01-03", "a a"),
            post("Di", "2020-01-09", "menu"),
        ];
        let page = score(&thread, &gold(&["a a", "b b", "c c"]), &found, None);
        let third = Some(2.0 / 6.0);
        assert_eq!(page.scores, [third, third, third, Some(4.0 / 6.0)]);
        let faults = page.faults.join("\n");
        for fault in [
            "author of post 1: Some(\"Member\")",
            "date of post 1",
            "post 3 is missing",
            "post 3 of those found is none",
        ] {
            assert!(faults.contains(fault), "{faults}");
        }
        let report = ThreadReport::new(vec![page], Vec::new());
        let text = report.to_text(1);
        assert!(
            text.contains("post 3 is missing") && text.contains("0.333"),
            "{text}"
        );
    }

    #[test]
    fn nothing_found_is_zero() {
        let page = score(&thread(&[("Ann", "2020-01-02")]), &gold(&["a"]), &[], None);
        assert_eq!(page.scores, [Some(0.0); 4]);
        assert_eq!(longest_ascending(&[3, 1, 2, 5, 4]), 3);
    }
}
