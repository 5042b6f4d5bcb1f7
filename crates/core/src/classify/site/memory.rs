//! Memory of what was seen on many sites: learned page by page, stored as lines of JSON, and used
//! to decide on other pages of these sites.

use super::super::decision::Decision;
use super::slots::{PageOfSite, SlotsOfPage, UNIT};
use crate::error::ModelError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of known pages of a site before they affect the decisions on another page.
pub const MIN_PAGES: usize = 2;
/// Weight of the mean log odds of a slot on other pages. Measured together with the next two
/// constants on the `train` pages of `daniel`, which no model was trained on, before repeated texts
/// reduced the weight of a slot: of .5, .7, 1, 1.5 and 2 none is better.
const SLOT_WEIGHT: f64 = 1.0;
/// Number of pages with log odds of 0 that are added to those of a slot, so that one page has less
/// weight than many. Heuristic: of 1 and 3, measured in several variants, neither is always better.
const DOUBTED_PAGES: f64 = 1.0;
/// Amount subtracted from the log odds of a text that all other pages have in the same slot. The
/// evidence of the slot then counts less, because a single text is weak evidence. Measured with the
/// previous model: of 3, 4 and 6 the best, by .002; with the present one, 2 and 3 have .949 on the
/// `train` pages of `daniel`, 0, 4.5, 6 and 9 .948.
const REPEATED_WEIGHT: f64 = 3.0;

/// Maximum number of pages learned per site; later pages would add little.
const MAX_PAGES: usize = 1000;
/// Maximum number of slots, and of texts, per site. When it is reached, those seen on only one page
/// are dropped; if that frees no space, no new ones are added (after Manku and Motwani 2002,
/// "Approximate frequency counts over data streams").
const MAX_KEYS: usize = 50_000;
/// Maximum number of pages, slots and texts of all sites together: some 300 MB, as estimated from
/// their size. When it is exceeded, sites with the fewest pages are dropped.
const MAX_ALL_KEYS: usize = 6_000_000;

/// Slots and texts seen on the pages of many sites. The same pages in the same order give the same
/// memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SiteMemory {
    sites: BTreeMap<String, Site>,
    keys: usize,
}

/// Slots and texts seen on the pages of one site.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Site {
    /// Keys of the learned pages.
    pages: BTreeSet<u64>,
    slots: BTreeMap<u64, Slot>,
    /// Number of pages that have a text in its slot, by key.
    texts: BTreeMap<u64, u32>,
}

/// Statistics of a slot: the sum of the mean log odds of the pages that have it, in thousandths,
/// and the number of these pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Slot(i64, u32);

/// A line of the file: a site, the keys of its pages, its slots (key, sum, pages) and texts (key,
/// pages).
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    site: String,
    pages: Vec<u64>,
    slots: Vec<(u64, i64, u32)>,
    texts: Vec<(u64, u32)>,
}

/// First line of the file.
const HEAD: &str = "{\"vclean\":\"site memory\",\"version\":1}";

impl Site {
    fn keys(&self) -> usize {
        self.pages.len() + self.slots.len() + self.texts.len()
    }

    fn learn(&mut self, page: PageOfSite) {
        if self.pages.len() >= MAX_PAGES || !self.pages.insert(page.page) {
            return;
        }
        let slots = page
            .slots
            .into_iter()
            .map(|(key, mean)| (key, Slot(i64::from(mean), 1)));
        count(
            &mut self.slots,
            slots,
            |slot, new| *slot = Slot(slot.0 + new.0, slot.1 + new.1),
            |slot| slot.1,
        );
        let texts = page.texts.into_iter().map(|key| (key, 1));
        count(
            &mut self.texts,
            texts,
            |known, new| *known += new,
            |known| *known,
        );
    }
}

/// Adds the slots or texts of a page to those already known, within [`MAX_KEYS`].
fn count<T>(
    known: &mut BTreeMap<u64, T>,
    new: impl Iterator<Item = (u64, T)>,
    add: impl Fn(&mut T, T),
    pages: impl Fn(&T) -> u32,
) {
    let mut has_forgotten = false;
    for (key, value) in new {
        if let Some(known) = known.get_mut(&key) {
            add(known, value);
            continue;
        }
        if known.len() >= MAX_KEYS && !has_forgotten {
            known.retain(|_, value| pages(value) > 1);
            has_forgotten = true;
        }
        if known.len() < MAX_KEYS {
            known.insert(key, value);
        }
    }
}

impl SiteMemory {
    /// Adds a page, unless it is already known.
    pub fn learn(&mut self, page: PageOfSite) {
        let site = self.sites.entry(page.site.clone()).or_default();
        let before = site.keys();
        site.learn(page);
        self.keys = self.keys + site.keys() - before;
        let mut fewest = 1;
        while self.keys > MAX_ALL_KEYS && !self.sites.is_empty() {
            self.sites.retain(|_, site| site.pages.len() > fewest);
            self.keys = self.sites.values().map(Site::keys).sum();
            fewest += 1;
        }
    }

    /// Number of sites with at least [`MIN_PAGES`] pages, and the total number of their pages.
    pub fn counts(&self) -> (usize, usize) {
        let pages: Vec<usize> = self
            .sites
            .values()
            .map(|site| site.pages.len())
            .filter(|&n| n >= MIN_PAGES)
            .collect();
        (pages.len(), pages.into_iter().sum())
    }

    /// Evidence from other pages of the site for each block of a page: log odds to be added to
    /// those of `decisions`, which a model made without this memory. `None` if fewer than
    /// [`MIN_PAGES`] other pages are known.
    ///
    /// # Panics
    /// If the number of decisions differs from the number of blocks.
    pub fn log_odds(&self, page: &SlotsOfPage, decisions: &[Decision]) -> Option<Vec<f64>> {
        let site = self.sites.get(&page.site)?;
        let known = u32::from(site.pages.contains(&page.page));
        let others = site.pages.len() - known as usize;
        if others < MIN_PAGES {
            return None;
        }
        let own = page.mean_log_odds(decisions);
        let of_block = |block: &super::slots::Block| {
            let Slot(sum, pages) = site.slots.get(&block.slot).copied().unwrap_or_default();
            let (sum, pages) = match own.get(&block.slot) {
                Some(&mean) if known > 0 && pages > 0 => (sum - i64::from(mean), pages - 1),
                _ => (sum, pages),
            };
            let mean = sum as f64 / UNIT / (f64::from(pages) + DOUBTED_PAGES);
            let repeated = block
                .text
                .and_then(|text| site.texts.get(&text))
                .map_or(0, |n| n.saturating_sub(known));
            let share = f64::from(repeated) / others as f64;
            (1.0 - share) * SLOT_WEIGHT * mean - share * REPEATED_WEIGHT
        };
        Some(page.blocks.iter().map(of_block).collect())
    }

    /// The content of a file: one line of JSON per site with at least [`MIN_PAGES`] pages. Texts
    /// seen on only one page are left out because they are not evidence.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for (name, site) in self
            .sites
            .iter()
            .filter(|(_, site)| site.pages.len() >= MIN_PAGES)
        {
            let line = Line {
                site: name.clone(),
                pages: site.pages.iter().copied().collect(),
                slots: site
                    .slots
                    .iter()
                    .map(|(&key, &Slot(sum, pages))| (key, sum, pages))
                    .collect(),
                texts: site
                    .texts
                    .iter()
                    .filter(|(_, pages)| **pages > 1)
                    .map(|(&key, &pages)| (key, pages))
                    .collect(),
            };
            text.push_str(&serde_json::to_string(&line).unwrap_or_default());
            text.push('\n');
        }
        text
    }

    /// Parses the output of [`to_text`](Self::to_text).
    ///
    /// # Errors
    /// [`ModelError::Format`] if the text has another format.
    pub fn from_text(text: &str) -> Result<Self, ModelError> {
        let refuse = |cause: String| {
            ModelError::Format(format!(
                "no memory of sites: {cause}; make one with vclean site-memory"
            ))
        };
        let mut lines = text.lines();
        if lines.next() != Some(HEAD) {
            return Err(refuse(
                "the first line is not that of such a file".to_owned(),
            ));
        }
        let mut memory = Self::default();
        for (number, line) in lines.enumerate() {
            let read = |error: serde_json::Error| refuse(format!("line {}: {error}", number + 2));
            let Line {
                site,
                pages,
                slots,
                texts,
            } = serde_json::from_str(line).map_err(read)?;
            let slots = slots
                .into_iter()
                .map(|(key, sum, pages)| (key, Slot(sum, pages)))
                .collect();
            let of_site = Site {
                pages: pages.into_iter().collect(),
                slots,
                texts: texts.into_iter().collect(),
            };
            memory.keys += of_site.keys();
            memory.sites.insert(site, of_site);
        }
        Ok(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::classify::Label;
    use crate::target::{TargetRule, select};

    /// The slots of a page of example.org with a menu, a text and a list of links, and its
    /// decisions.
    fn page(name: &str, probabilities: [f32; 3]) -> (SlotsOfPage, Vec<Decision>) {
        let html = format!(
            "<nav>Menu</nav><main><p>The text of {name}</p></main><aside>News of {name}</aside>"
        );
        let record = Record::parsed("x", Some(format!("https://example.org/{name}")));
        let capture = Capture::parsed(crate::html::parse_html(&html), record);
        let slots = SlotsOfPage::collect(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let decide = |probability| Decision {
            margin: 0.0,
            probability,
            label: Label::Boilerplate,
            comments: None,
        };
        (slots, probabilities.map(decide).to_vec())
    }

    fn memory(names: &[&str]) -> SiteMemory {
        let mut memory = SiteMemory::default();
        for name in names {
            let (slots, decisions) = page(name, [0.1, 0.9, 0.2]);
            memory.learn(slots.with_decisions(&decisions));
        }
        memory
    }

    #[test]
    fn other_pages_speak_for_the_text_and_against_what_they_repeat() {
        let (slots, decisions) = page("x", [0.5, 0.5, 0.5]);
        assert_eq!(memory(&["a"]).log_odds(&slots, &decisions), None);
        let change = memory(&["a", "b", "c"])
            .log_odds(&slots, &decisions)
            .unwrap();
        // The mean log odds of three pages plus one with log odds of 0; 3 less for a text that all
        // repeat.
        let expected = [-3.0, 0.75 * 9f64.ln(), -0.75 * 4f64.ln()];
        for (found, expected) in change.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{change:?}");
        }
    }

    #[test]
    fn a_page_does_not_speak_for_itself() {
        let (slots, decisions) = page("a", [0.1, 0.9, 0.2]);
        let with = memory(&["a", "b", "c"]).log_odds(&slots, &decisions);
        assert_eq!(with, memory(&["b", "c"]).log_odds(&slots, &decisions));
        assert!(with.is_some());
        assert_eq!(memory(&["a", "b"]).log_odds(&slots, &decisions), None);
        assert_eq!(memory(&["a", "b", "b", "a"]), memory(&["a", "b"]));
    }

    #[test]
    fn a_file_holds_what_was_learned() {
        let (slots, decisions) = page("x", [0.5, 0.5, 0.5]);
        let mut made = memory(&["a", "b", "c"]);
        let text = made.to_text();
        let read = SiteMemory::from_text(&text).unwrap();
        assert_eq!(read.to_text(), text);
        assert_eq!(
            read.log_odds(&slots, &decisions),
            made.log_odds(&slots, &decisions)
        );
        assert_eq!(
            (read.counts(), memory(&["a"]).to_text().lines().count()),
            ((1, 3), 1)
        );
        // Another site with one known page.
        made.learn(PageOfSite {
            site: "example.net".to_owned(),
            ..slots.with_decisions(&decisions)
        });
        assert_eq!(made.to_text(), text);
    }

    #[test]
    fn what_is_no_memory_is_refused() {
        for text in [
            "",
            "{}",
            "<html>",
            &format!("{HEAD}\n[]"),
            &format!("{HEAD}\n{{\"site\":\"x\"}}"),
        ] {
            assert!(SiteMemory::from_text(text).is_err(), "{text}");
        }
    }

    #[test]
    fn memory_has_a_bound() {
        let of_page = |page: u64, site: &str, keys: std::ops::Range<u64>| PageOfSite {
            site: site.to_owned(),
            page,
            slots: BTreeMap::from([(1, 10)]),
            texts: keys.collect(),
        };
        let mut memory = SiteMemory::default();
        memory.learn(of_page(1, "a", 0..10));
        for page in 2..6 {
            memory.learn(of_page(page, "a", 0..page * 20_000));
        }
        assert!(memory.sites["a"].texts.len() <= MAX_KEYS);
        assert_eq!(
            (memory.sites["a"].texts[&3], memory.sites["a"].slots[&1]),
            (5, Slot(50, 5))
        );
        for page in 0..2 * MAX_PAGES as u64 {
            memory.learn(of_page(page, "b", 0..1));
        }
        assert_eq!(memory.sites["b"].pages.len(), MAX_PAGES);
        let mut most = 0;
        for site in 0..130 {
            memory.learn(of_page(1, &format!("site {site}"), 0..MAX_KEYS as u64));
            most = most.max(memory.keys);
        }
        assert!(
            most <= MAX_ALL_KEYS && memory.sites.contains_key("a"),
            "{most}"
        );
    }
}
