//! Gold of threads: who wrote which post of a page, when, and where its text stands on the page.
//!
//! A page belongs to its publisher, so the project does not hold its text. The text of a post is
//! the first and last of its words, at most [`MAX_WORDS`] in all, and how many there are; [`texts`]
//! finds it on the page by them. A page is bound to its gold by its SHA-256, as that of
//! [`structure`](super::structure) is.

use super::bound::{OfPage, check_page};
use super::words::alignment_words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use vclean_core::capture::{Capture, Dom};
use vclean_core::error::DataError;
use vclean_core::page;
use vclean_run::source::Row;

/// Most words of a post that the file may have.
const MAX_WORDS: usize = 10;
/// Elements whose text readers do not see as text.
const NO_TEXT: &[&str] = &[
    "script", "style", "noscript", "template", "head", "iframe", "textarea", "select",
];

/// A post as a person read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldPost {
    /// The name of its author; `None` where the page shows none.
    pub author: Option<String>,
    /// The day on which it was written, as `YYYY-MM-DD`, or what the page says in place of it;
    /// `None` where it says nothing.
    pub date: Option<String>,
    /// Its first words in lower case, without punctuation; Chinese and Japanese characters are
    /// words.
    pub starts: String,
    /// Its last words.
    pub ends: String,
    /// Number of its words.
    pub words: usize,
}

/// The posts of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldThread {
    /// Name of the data set.
    pub set: String,
    /// Name of the page within the set.
    pub id: String,
    /// SHA-256 of the page's file, in hexadecimal digits.
    pub page: String,
    /// The software of the site.
    pub software: String,
    /// The posts in the order of the page.
    pub posts: Vec<GoldPost>,
}

impl OfPage for GoldThread {
    fn page(&self) -> (&str, &str) {
        (&self.set, &self.id)
    }
}

/// Reads a file of threads, one line of JSON a page.
///
/// # Errors
/// If the file cannot be read, a line is no thread, or a page has two.
pub fn read_threads(path: &Path) -> Result<Vec<GoldThread>, DataError> {
    let fail = |cause: String| DataError::Threads {
        path: path.to_path_buf(),
        cause,
    };
    let content = fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    let mut threads: Vec<GoldThread> = Vec::new();
    let mut known = BTreeSet::new();
    for (index, line) in content
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let fail = |cause: String| fail(format!("line {}: {cause}", index + 1));
        let thread: GoldThread =
            serde_json::from_str(line).map_err(|error| fail(error.to_string()))?;
        let own = |post: &GoldPost| {
            alignment_words(&post.starts).len() + alignment_words(&post.ends).len()
        };
        if let Some(post) = thread
            .posts
            .iter()
            .find(|post| own(post) > MAX_WORDS || post.words == 0)
        {
            return Err(fail(format!(
                "the post of {:?} has no words, or more than {MAX_WORDS}",
                post.author
            )));
        }
        if !known.insert((thread.set.clone(), thread.id.clone())) {
            return Err(fail(format!(
                "{}/{} is there already",
                thread.set, thread.id
            )));
        }
        threads.push(thread);
    }
    Ok(threads)
}

/// The words of the posts of a page.
///
/// # Errors
/// If the page is not the one that was read, or the text of a post is not on it.
pub(crate) fn texts(thread: &GoldThread, row: &Row) -> Result<Vec<Vec<String>>, DataError> {
    check_page(thread, row, &thread.page)?;
    let parsed = row
        .open()
        .map_err(|error| error.to_string())
        .and_then(|opened| page::parse(&opened).map_err(|error| error.to_string()));
    let fail = |cause: String| DataError::Thread {
        set: thread.set.clone(),
        id: thread.id.clone(),
        cause,
    };
    find(thread, &parsed.map_err(&fail)?).map_err(fail)
}

fn find(thread: &GoldThread, page: &Capture) -> Result<Vec<Vec<String>>, String> {
    let words = page_words(&page.dom);
    let mut from = 0;
    let mut texts = Vec::new();
    for post in &thread.posts {
        let (starts, ends) = (alignment_words(&post.starts), alignment_words(&post.ends));
        let is_here = |at: &usize| {
            let text = words.get(*at..at + post.words);
            text.is_some_and(|text| text.starts_with(&starts) && text.ends_with(&ends))
        };
        let at = (from..words.len()).find(is_here).ok_or_else(|| {
            format!(
                "there is no text of {} words that begins with {:?} and ends with {:?}",
                post.words, post.starts, post.ends
            )
        })?;
        from = at + post.words;
        texts.push(words[at..from].to_vec());
    }
    Ok(texts)
}

/// The words of a page that its readers may see, in document order.
fn page_words(dom: &Dom) -> Vec<String> {
    let mut end = 0;
    let mut text = String::new();
    for id in dom.ids() {
        if id.index() >= end && NO_TEXT.contains(&dom.tag(id)) {
            end = dom.end(id);
        }
        if id.index() >= end {
            text.push_str(dom.text(id).unwrap_or_default());
            text.push(' ');
        }
    }
    alignment_words(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::page::{Page, parse};

    fn thread(posts: &[(&str, &str, usize)]) -> GoldThread {
        let post = |&(starts, ends, words): &(&str, &str, usize)| GoldPost {
            author: None,
            date: None,
            starts: starts.into(),
            ends: ends.into(),
            words,
        };
        let posts = posts.iter().map(post).collect();
        GoldThread {
            set: "s".into(),
            id: "a".into(),
            page: String::new(),
            software: "x".into(),
            posts,
        }
    }

    #[test]
    fn texts_are_found_in_order_by_their_ends_and_their_length() {
        let html = "<p>Gulls, they eat. Gulls <script>var gulls;</script>eat <b>mus</b>sels</p><p>Yes</p><p>Gulls eat</p>";
        let page = parse(&Page::from_html("x", html)).unwrap();
        let found = find(
            &thread(&[("gulls", "eat", 2), ("yes", "yes", 1), ("gulls", "eat", 2)]),
            &page,
        )
        .unwrap();
        assert_eq!(
            found,
            [vec!["gulls", "eat"], vec!["yes"], vec!["gulls", "eat"]]
        );
        let found = find(&thread(&[("gulls they", "sels", 7)]), &page).unwrap();
        assert_eq!(found[0].last().unwrap(), "sels");
        let error = find(&thread(&[("yes", "yes", 1), ("yes", "yes", 1)]), &page).unwrap_err();
        assert!(
            error.contains("no text of 1 words that begins with \"yes\""),
            "{error}"
        );
    }

    #[test]
    fn a_file_has_no_more_than_ten_words_of_a_post() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("threads.jsonl");
        let line = |threads: &[GoldThread]| {
            threads
                .iter()
                .map(|thread| serde_json::to_string(thread).unwrap() + "\n")
                .collect::<String>()
        };
        let good = thread(&[("a b c d e", "f g h i", 9)]);
        fs::write(&file, line(std::slice::from_ref(&good))).unwrap();
        assert_eq!(read_threads(&file).unwrap(), std::slice::from_ref(&good));
        fs::write(&file, line(&[good.clone(), good.clone()])).unwrap();
        assert!(
            read_threads(&file)
                .unwrap_err()
                .to_string()
                .contains("line 2: s/a is there already")
        );
        fs::write(&file, line(&[thread(&[("a b c d e f", "g h i j k", 20)])])).unwrap();
        assert!(
            read_threads(&file)
                .unwrap_err()
                .to_string()
                .contains("more than 10")
        );
    }
}
