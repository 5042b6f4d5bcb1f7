//! The frontier of a crawl: the known addresses in the order in which they were found, and which of
//! them are waiting.
//!
//! Addresses are admitted breadth first: the links of a page come after those of all pages before
//! it, whichever page is loaded first. So the first `max_pages` addresses of a site are the same in
//! every run, and later ones need not be stored. Each address is written to a file in the folder of
//! the run when it is admitted, before the page that links to it counts as done. The next run thus
//! knows the addresses that an interrupted run had found, and the journal says which are done.

use super::options::CrawlOptions;
use super::scope::{OutOfScope, Scope};
use crate::corpus::{normalized_url, text_hash};
use crate::names::Namer;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use url::Url;
use vclean_core::page::Page;

/// Name of the file of addresses in the folder of a run.
const FILE: &str = "frontier.jsonl";
/// Number of pages by which a crawl may be ahead of the first page that is not loaded. Heuristic:
/// it keeps the links of pages that wait for a slow host from filling the memory.
const WINDOW: u64 = 1024;
/// Largest number of excluded addresses that are remembered so that each counts once.
const MAX_LEFT_OUT: usize = 200_000;

/// An address that is to be loaded now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// Its number, from 0, in the order in which addresses were found.
    pub number: u64,
    /// Where to load it from; redirects have not been followed yet.
    pub url: Url,
    /// Name of its page in outputs.
    pub stem: String,
}

/// Where a page was found when it was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// At an address of the crawl.
    New,
    /// At the address of another page of the crawl, to which it redirects.
    Duplicate,
    /// At an address that does not belong to the crawl.
    Outside,
}

/// Why the addresses of an earlier run cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontierError {
    /// There are fewer addresses than pages in the journal.
    #[error("{} has {found} addresses and the journal beside it {pages} pages; begin anew with `overwrite`", path.display())]
    Damaged {
        /// The file of addresses in the folder of the run.
        path: PathBuf,
        /// Number of addresses that could be read from it.
        found: u64,
        /// Number of pages in the journal.
        pages: u64,
    },
    /// The file cannot be read or written.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file of addresses in the folder of the run.
        path: PathBuf,
        /// The system's error message.
        cause: io::Error,
    },
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Line {
    /// An address that was admitted.
    Page { url: String, depth: u32 },
    /// An address that a page of the crawl redirects to.
    Target { url: String },
}

/// The frontier of a crawl. Threads share it.
#[derive(Debug)]
pub struct Frontier {
    options: CrawlOptions,
    scope: Scope,
    /// Number of addresses that were admitted.
    admitted: Arc<AtomicU64>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    is_ended: bool,
    per_host: usize,
    namer: Namer,
    /// Hashes of the known addresses, and of addresses that pages redirect to.
    seen: FxHashSet<u64>,
    /// Number of addresses with the same path, by the hash of the path.
    queries: FxHashMap<u64, u32>,
    left_out: FxHashMap<u64, OutOfScope>,
    waiting: BTreeMap<u64, (Visit, u32)>,
    hosts: BTreeMap<String, Host>,
    /// Pages that are being loaded, by name.
    running: FxHashMap<String, (Visit, u32)>,
    /// Links of loaded pages that wait until those of an earlier page are known.
    found: BTreeMap<u64, Vec<(Url, u32)>>,
    /// Number of the first page whose links are not known yet.
    expected: u64,
    /// Further notes for the end of the crawl.
    notes: Vec<String>,
    file: Option<File>,
    /// Why the file could not be written.
    fault: Option<io::Error>,
}

#[derive(Debug, Default)]
struct Host {
    running: usize,
    waiting: VecDeque<u64>,
}

impl Frontier {
    /// Creates a frontier with the first address only and nothing on disk. `per_host` pages of each
    /// host are loaded at the same time.
    pub fn new(options: CrawlOptions, per_host: usize) -> Self {
        let state = State {
            is_ended: false,
            per_host: per_host.max(1),
            namer: Namer::default(),
            seen: FxHashSet::default(),
            queries: FxHashMap::default(),
            left_out: FxHashMap::default(),
            waiting: BTreeMap::new(),
            hosts: BTreeMap::new(),
            running: FxHashMap::default(),
            found: BTreeMap::new(),
            expected: 0,
            notes: Vec::new(),
            file: None,
            fault: None,
        };
        let (scope, start) = (Scope::new(&options), options.start.clone());
        let this = Self {
            options,
            scope,
            admitted: Arc::default(),
            state: Mutex::new(state),
            changed: Condvar::new(),
        };
        this.admit(&mut this.lock(), start, 0);
        this
    }

    /// Stores the addresses in the folder of a run. With `resumes`, those of an earlier run, whose
    /// journal has `pages` pages, are read first.
    ///
    /// # Errors
    /// If they cannot be read or written, or do not belong to the journal.
    pub fn keep(&self, folder: &Path, resumes: bool, pages: u64) -> Result<(), FrontierError> {
        let path = folder.join(FILE);
        let failed = |cause| FrontierError::Io {
            path: path.clone(),
            cause,
        };
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(!resumes)
            .open(&path)
            .map_err(failed)?;
        let mut state = self.lock();
        let end = if resumes {
            self.restore(&mut state, &file).map_err(failed)?
        } else {
            0
        };
        let found = self.admitted.load(Ordering::Relaxed);
        if resumes && pages > 0 && (end == 0 || found < pages) {
            return Err(FrontierError::Damaged { path, found, pages });
        }
        // Anything after `end` was being written when the run was killed; no finished page needs
        // it.
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::Start(end)))
            .map_err(failed)?;
        state.file = Some(file);
        if end == 0 {
            state.write(&Line::Page {
                url: self.options.start.to_string(),
                depth: 0,
            });
        }
        state
            .fault
            .take()
            .map_or(Ok(()), |cause| Err(failed(cause)))
    }

    /// Admits the addresses of a file; returns the end of its valid part.
    fn restore(&self, state: &mut State, file: &File) -> io::Result<u64> {
        let (mut reader, mut line, mut end) = (BufReader::new(file), Vec::new(), 0);
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)?;
            let parsed = line
                .strip_suffix(b"\n")
                .and_then(|line| serde_json::from_slice(line).ok());
            match parsed {
                Some(Line::Page { url, depth }) => {
                    let Ok(url) = Url::parse(&url) else { break };
                    // The first address is known already and is ignored.
                    self.admit(state, url, depth);
                }
                Some(Line::Target { url }) => drop(key(&url).map(|key| state.seen.insert(key))),
                None => break,
            }
            end += length as u64;
        }
        Ok(end)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The options with which the frontier was created.
    pub fn options(&self) -> &CrawlOptions {
        &self.options
    }

    /// The rules that decide which addresses belong to the crawl.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The number of admitted addresses, which grows during the crawl.
    pub fn admitted(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.admitted)
    }

    /// Loads this many pages of each host at the same time.
    pub fn set_per_host(&self, per_host: usize) {
        self.lock().per_host = per_host.max(1);
    }

    /// Waits for the next address; `None` if the crawl has no more.
    pub fn next(&self) -> Option<Visit> {
        let mut state = self.lock();
        loop {
            match state.take() {
                Ok(visit) => return Some(visit),
                Err(true) => return None,
                Err(false) => {
                    state = self
                        .changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// The next address, without waiting.
    ///
    /// # Errors
    /// If no address may be loaded now: `true` if the crawl has no more, `false` if one may follow.
    pub fn try_next(&self) -> Result<Visit, bool> {
        self.lock().take()
    }

    /// Returns true if an address is on the site, whatever its path.
    pub fn is_of_site(&self, url: &Url) -> bool {
        self.scope.is_of_site(url)
    }

    /// Returns true if an address belongs to the crawl and is not known yet.
    pub fn is_wanted(&self, url: &Url) -> bool {
        let scope = self.scope.check(url);
        let mut state = self.lock();
        match scope {
            Ok(()) => key(url.as_str()).is_some_and(|key| !state.seen.contains(&key)),
            Err(reason) => {
                state.leave_out(url, reason);
                false
            }
        }
    }

    /// Counts an address that is not loaded.
    pub fn leave_out(&self, url: &Url, reason: OutOfScope) {
        self.lock().leave_out(url, reason);
    }

    /// Records that the page of the address `visit` was loaded from `address`.
    pub fn arrived(&self, visit: &Url, address: &Url) -> Target {
        let (Some(own), Some(there)) = (key(visit.as_str()), key(address.as_str())) else {
            return Target::New;
        };
        if own == there {
            return Target::New;
        }
        let mut state = self.lock();
        match self.scope.check(address) {
            Err(OutOfScope::Site) => {
                state.leave_out(visit, OutOfScope::Elsewhere);
                return Target::Outside;
            }
            // The first page belongs to the crawl in any case.
            Err(_) if *visit != self.options.start => return Target::Outside,
            _ => {}
        }
        if !state.seen.insert(there) {
            state.leave_out(visit, OutOfScope::Duplicate);
            return Target::Duplicate;
        }
        state.write(&Line::Target {
            url: address.to_string(),
        });
        Target::New
    }

    /// Ends the work on a page. `links` are those of the page; `announced` are the addresses that
    /// the site announces, if this is the first page.
    pub fn finished(&self, stem: &str, announced: Vec<Url>, links: Vec<Url>) {
        let mut state = self.lock();
        let Some((visit, depth)) = state.running.remove(stem) else {
            return;
        };
        if let Some(host) = state.hosts.get_mut(host_of(&visit.url)) {
            host.running -= 1;
        }
        let links = links.into_iter().map(|url| (url, depth + 1));
        let found = announced
            .into_iter()
            .map(|url| (url, 0))
            .chain(links)
            .collect();
        state.found.insert(visit.number, found);
        let mut next = state.expected;
        while let Some(found) = state.found.remove(&next) {
            for (url, depth) in found {
                self.admit(&mut state, url, depth);
            }
            next += 1;
            state.expected = next;
        }
        drop(state);
        self.changed.notify_all();
    }

    fn admit(&self, state: &mut State, url: Url, depth: u32) {
        let number = self.admitted.load(Ordering::Relaxed);
        let Some(key) = key(url.as_str()).filter(|key| !state.seen.contains(key)) else {
            return;
        };
        if self.options.max_depth.is_some_and(|most| depth > most) {
            return state.leave_out(&url, OutOfScope::Depth);
        }
        if number >= self.options.max_pages.max(1) as u64 {
            return state.leave_out(&url, OutOfScope::Full);
        }
        let path = text_hash(&url[..url::Position::AfterPath]);
        let queries = state.queries.entry(path).or_default();
        if *queries >= self.options.max_queries.max(1) {
            return state.leave_out(&url, OutOfScope::Queries);
        }
        *queries += 1;
        state.seen.insert(key);
        state.write(&Line::Page {
            url: url.to_string(),
            depth,
        });
        let stem = state.namer.name(&Page::from_url(url.as_str()), None);
        state
            .hosts
            .entry(host_of(&url).to_owned())
            .or_default()
            .waiting
            .push_back(number);
        state
            .waiting
            .insert(number, (Visit { number, url, stem }, depth));
        self.admitted.store(number + 1, Ordering::Relaxed);
    }

    /// Ends the crawl: threads that wait for an address get `None`.
    pub fn end(&self) {
        self.lock().is_ended = true;
        self.changed.notify_all();
    }

    /// Returns true after [`Self::end`] was called.
    pub fn is_ended(&self) -> bool {
        self.lock().is_ended
    }

    /// Makes sure that all addresses are on disk.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let mut state = self.lock();
        if let Some(fault) = state.fault.take() {
            return Err(fault);
        }
        state.file.as_ref().map_or(Ok(()), File::sync_data)
    }

    /// Adds a note for the end of the crawl.
    pub fn note(&self, text: String) {
        self.lock().notes.push(text);
    }

    /// The notes of the crawl, and how many addresses were left out for each reason that the user
    /// did not ask for.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.lock().notes.clone();
        notes.extend(self.summary());
        notes
    }

    fn summary(&self) -> Option<String> {
        let state = self.lock();
        let mut counts: BTreeMap<OutOfScope, u64> = BTreeMap::new();
        let mut reasons: Vec<OutOfScope> = state.left_out.values().copied().collect();
        reasons.sort_unstable();
        for reason in reasons {
            *counts.entry(reason).or_default() += 1;
        }
        let at_least = if state.left_out.len() >= MAX_LEFT_OUT {
            "at least "
        } else {
            ""
        };
        let told = counts
            .iter()
            .filter_map(|(reason, count)| Some(format!("{count} {}", reason.note()?)));
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| format!("addresses left out: {at_least}{}", told.join(", ")))
    }
}

impl State {
    /// The first address whose host is free; see [`Frontier::try_next`].
    fn take(&mut self) -> Result<Visit, bool> {
        if self.is_ended {
            return Err(true);
        }
        let (per_host, last) = (self.per_host, self.expected + WINDOW);
        let free = self
            .hosts
            .iter_mut()
            .filter(|(_, host)| host.running < per_host);
        let first = free
            .filter_map(|(_, host)| Some((*host.waiting.front()?, host)))
            .min_by_key(|(number, _)| *number);
        let Some((number, host)) = first.filter(|(number, _)| *number < last) else {
            return Err(self.waiting.is_empty() && self.running.is_empty());
        };
        host.waiting.pop_front();
        host.running += 1;
        let taken = self
            .waiting
            .remove(&number)
            .expect("each number of a host belongs to a waiting address");
        self.running.insert(taken.0.stem.clone(), taken.clone());
        Ok(taken.0)
    }

    fn leave_out(&mut self, url: &Url, reason: OutOfScope) {
        if reason.note().is_some()
            && self.left_out.len() < MAX_LEFT_OUT
            && let Some(key) = key(url.as_str())
        {
            self.left_out.entry(key).or_insert(reason);
        }
    }

    fn write(&mut self, line: &Line) {
        let Some(file) = &mut self.file else { return };
        let mut text = serde_json::to_vec(line).expect("a line has string keys");
        text.push(b'\n');
        if let Err(error) = file.write_all(&text) {
            self.fault.get_or_insert(error);
        }
    }
}

fn host_of(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

/// Hash that identifies the page of an address: of its normalized form without the scheme and
/// `www.`.
fn key(address: &str) -> Option<u64> {
    let address = normalized_url(address)?;
    let rest = address
        .split_once("://")
        .map_or(address.as_str(), |(_, rest)| rest);
    Some(text_hash(rest.strip_prefix("www.").unwrap_or(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(path: &str) -> Url {
        Url::parse("https://a.example/")
            .unwrap()
            .join(path)
            .unwrap()
    }

    fn frontier(change: impl FnOnce(&mut CrawlOptions)) -> Frontier {
        let mut options = CrawlOptions::new("https://a.example/").unwrap();
        change(&mut options);
        Frontier::new(options, 1)
    }

    /// The links of a page of a made-up site, in which each page leads to three others and to
    /// itself.
    fn links_of(url: &Url) -> Vec<Url> {
        let number: u64 = url.path()[1..].parse().unwrap_or(0);
        let paths = (1..=3)
            .map(|step| format!("/{}#top", number * 3 + step))
            .chain([url.path().to_owned()]);
        paths
            .map(|path| self::url(&path))
            .filter(|url| url.path().len() < 4)
            .collect()
    }

    /// Crawls until the end, or until `stop` pages were loaded, and returns the paths in the order
    /// in which the frontier returned them.
    fn crawl(frontier: &Frontier, stop: usize, done: &mut FxHashSet<String>) -> Vec<String> {
        let mut paths = Vec::new();
        while let Some(visit) = frontier.next() {
            if paths.len() == stop {
                break;
            }
            if done.insert(visit.stem.clone()) {
                paths.push(visit.url.path().to_owned());
                let links = links_of(&visit.url)
                    .into_iter()
                    .filter(|url| frontier.is_wanted(url))
                    .collect();
                frontier.finished(&visit.stem, Vec::new(), links);
            } else {
                frontier.finished(&visit.stem, Vec::new(), Vec::new());
            }
        }
        paths
    }

    #[test]
    fn addresses_are_assigned_once_and_breadth_first() {
        let frontier = frontier(|options| options.max_pages = 9);
        let paths = crawl(&frontier, usize::MAX, &mut FxHashSet::default());
        assert_eq!(paths, ["/", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"]);
        assert_eq!(frontier.admitted().load(Ordering::Relaxed), 9);
        assert!(frontier.summary().unwrap().contains("beyond `max_pages`"));
    }

    #[test]
    fn the_order_does_not_depend_on_which_page_is_loaded_first() {
        let frontier = frontier(|options| options.max_pages = 12);
        frontier.set_per_host(4);
        let first = frontier.next().unwrap();
        frontier.finished(&first.stem, vec![url("/9")], links_of(&first.url));
        let round: Vec<Visit> = (0..4).map(|_| frontier.next().unwrap()).collect();
        assert_eq!(
            round
                .iter()
                .map(|visit| visit.url.path())
                .collect::<Vec<_>>(),
            ["/9", "/1", "/2", "/3"]
        );
        for visit in round[1..].iter().rev() {
            frontier.finished(&visit.stem, Vec::new(), links_of(&visit.url));
        }
        assert_eq!(
            frontier.try_next(),
            Err(false),
            "the links of the earlier page come first"
        );
        frontier.finished(&round[0].stem, Vec::new(), links_of(&round[0].url));
        let next: Vec<String> = (0..4)
            .map(|_| frontier.next().unwrap().url.path().to_owned())
            .collect();
        assert_eq!(next, ["/28", "/29", "/30", "/4"]);
    }

    #[test]
    fn depth_queries_and_redirects_are_bounded() {
        let frontier = frontier(|options| {
            options.max_depth = Some(1);
            options.max_queries = 2;
        });
        let first = frontier.next().unwrap();
        let links = [
            "/a?1",
            "/a?2",
            "/a?3",
            "/b",
            "http://www.a.example/b?utm_source=x",
            "/a?1#f",
        ];
        frontier.finished(
            &first.stem,
            vec![url("/map")],
            links.iter().map(|path| url(path)).collect(),
        );
        let mut paths = Vec::new();
        while let Some(visit) = frontier.next() {
            paths.push(visit.url[url::Position::BeforePath..].to_owned());
            frontier.finished(&visit.stem, Vec::new(), vec![url("/deep")]);
        }
        // A page that a sitemap names has depth 0.
        assert_eq!(paths, ["/map", "/a?1", "/a?2", "/b", "/deep"]);
        let summary = frontier.summary().unwrap();
        assert!(
            summary.contains("1 of paths with more queries"),
            "{summary}"
        );
        assert_eq!(frontier.arrived(&url("/a?1"), &url("/a?1")), Target::New);
        assert_eq!(
            frontier.arrived(&url("/a?1"), &url("/b")),
            Target::Duplicate
        );
        assert_eq!(frontier.arrived(&url("/a?1"), &url("/new")), Target::New);
        assert_eq!(
            frontier.arrived(&url("/a?2"), &url("/new")),
            Target::Duplicate
        );
        for outside in ["http://10.0.0.1/", "https://a.example/x.pdf"] {
            assert_eq!(
                frontier.arrived(&url("/b"), &Url::parse(outside).unwrap()),
                Target::Outside,
                "{outside}"
            );
        }
    }

    #[test]
    fn one_that_ends_wakes_those_who_wait() {
        let frontier = Arc::new(frontier(|_| ()));
        let _running = frontier.next().unwrap();
        let waiting = std::thread::spawn({
            let frontier = Arc::clone(&frontier);
            move || frontier.next()
        });
        frontier.end();
        assert_eq!(waiting.join().unwrap(), None);
    }

    #[test]
    fn a_list_that_is_not_that_of_the_journal_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = frontier(|_| ())
            .keep(folder.path(), true, 3)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("frontier.jsonl") && error.contains("`overwrite`"),
            "{error}"
        );
    }

    proptest! {
        #[test]
        fn an_interrupted_crawl_has_the_pages_of_an_uninterrupted_one(
            stops in prop::collection::vec(1usize..20, 1..6), torn in 0u64..200
        ) {
            let sixty = || frontier(|options| options.max_pages = 60);
            let whole = crawl(&sixty(), usize::MAX, &mut FxHashSet::default());
            let folder = tempfile::tempdir().unwrap();
            let length = || folder.path().join(FILE).metadata().unwrap().len();
            let (mut done, mut paths) = (FxHashSet::default(), Vec::new());
            for (run, stop) in stops.iter().enumerate() {
                let frontier = sixty();
                frontier.keep(folder.path(), run > 0, done.len() as u64).unwrap();
                paths.extend(crawl(&frontier, *stop, &mut done));
                // The run is killed after the current page was loaded and before it is done, and
                // the line with its links is incomplete.
                let before = length();
                let running = frontier.lock().running.values().next().map(|(visit, _)| visit.clone());
                if let Some(visit) = running {
                    frontier.finished(&visit.stem, Vec::new(), links_of(&visit.url));
                }
                let file = OpenOptions::new().write(true).open(folder.path().join(FILE)).unwrap();
                file.set_len(length().min(before + torn)).unwrap();
            }
            let frontier = sixty();
            frontier.keep(folder.path(), true, done.len() as u64).unwrap();
            paths.extend(crawl(&frontier, usize::MAX, &mut done));
            prop_assert_eq!(paths, whole);
        }
    }
}
