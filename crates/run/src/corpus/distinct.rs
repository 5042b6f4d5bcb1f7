//! Leaves out inputs whose normalized address an earlier input has. Memory: some 20 bytes per address.

use super::hashes::text_hash;
use super::normalize_url::normalized_url;
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vclean_core::page::{Body, Page};

/// The number of inputs that were left out; shared with whoever reports it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeftOut(Arc<AtomicU64>);

impl LeftOut {
    /// The number so far.
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The addresses of the inputs so far.
#[derive(Debug)]
pub(crate) struct DistinctAddresses {
    /// Hashes of the addresses. With ten million, the probability that two share one is 1 in 370,000.
    seen: FxHashSet<u64>,
    left_out: LeftOut,
    list: Option<BufWriter<File>>,
}

/// A line of the list of inputs that were left out.
#[derive(Serialize)]
struct Line<'a> {
    page: &'a str,
    input: &'a str,
    url: &'a str,
    normalized_url: &'a str,
}

/// The address by which a page is known before it is loaded.
pub(crate) fn address(page: &Page) -> Option<&str> {
    match &page.body {
        Body::Address(address) => Some(address),
        _ => page.url.as_deref(),
    }
}

impl DistinctAddresses {
    /// No addresses yet; those left out are listed in `duplicate-inputs.jsonl` in the folder of the run, if it has one.
    /// Without a list that can be written, they are only counted.
    pub(crate) fn new(folder: Option<&Path>, left_out: LeftOut) -> Self {
        let list = folder.and_then(|folder| File::create(folder.join("duplicate-inputs.jsonl")).ok());
        Self { seen: FxHashSet::default(), left_out, list: list.map(BufWriter::new) }
    }

    /// Whether no earlier page has the address of this one; pages without an address are all distinct.
    pub(crate) fn is_new(&mut self, stem: &str, page: &Page) -> bool {
        let address = address(page);
        let Some((address, normalized)) = address.and_then(|address| Some((address, normalized_url(address)?))) else {
            return true;
        };
        if self.seen.insert(text_hash(&normalized)) {
            return true;
        }
        self.left_out.0.fetch_add(1, Ordering::Relaxed);
        if let Some(list) = &mut self.list {
            let line = Line { page: stem, input: &page.input, url: address, normalized_url: &normalized };
            // A list that can no longer be written ends; the run goes on.
            let written = serde_json::to_writer(&mut *list, &line).map_err(io::Error::from);
            if written.and_then(|()| list.write_all(b"\n")).is_err() {
                self.list = None;
            }
        }
        false
    }
}
