//! A page that is offered for labelling: where it comes from, what is known of it, and its labels.

use super::journal::Sides;
use super::page_state::PageState;
use crate::capture::Engine;
use crate::page::Page;
use serde::Serialize;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is known of a page.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PageFacts {
    /// Its title; the name of the page if it has none.
    pub title: String,
    /// Its address.
    pub url: Option<String>,
    /// Expected F of the text that the model keeps, 0 to 1; `None` until the page is prepared.
    pub expected_f: Option<f32>,
    /// What rendered it; `None` until the page is prepared.
    pub engine: Option<Engine>,
    /// Number of its blocks; 0 until the page is prepared.
    pub blocks: usize,
    /// Why it cannot be labelled.
    pub error: Option<String>,
}

/// A page that is offered.
#[derive(Debug)]
pub struct OfferedPage {
    /// Its name in the folder of gold.
    pub id: String,
    /// The page; `None` if it could not be opened.
    pub page: Option<Page>,
    /// The labels of two annotators that are to be merged.
    pub sides: Option<Sides>,
    facts: Mutex<PageFacts>,
    state: Mutex<Option<PageState>>,
}

impl OfferedPage {
    /// A page, or why it cannot be opened.
    pub fn new(id: String, page: Result<Page, String>) -> Self {
        let (page, error) = match page {
            Ok(page) => (Some(page), None),
            Err(error) => (None, Some(error)),
        };
        let url = page.as_ref().and_then(|page| page.url.clone());
        let facts = PageFacts { title: id.clone(), url, error, ..PageFacts::default() };
        Self { id, page, sides: None, facts: Mutex::new(facts), state: Mutex::new(None) }
    }

    /// What is known of it now.
    pub fn facts(&self) -> PageFacts {
        self.facts_to_change().clone()
    }

    /// What is known of it, to be completed.
    pub fn facts_to_change(&self) -> MutexGuard<'_, PageFacts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its labels; `None` until somebody opened or labelled it.
    pub fn state(&self) -> MutexGuard<'_, Option<PageState>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
