//! The slots of a page's blocks, and the data a page adds to the memory of its site.

use super::super::decision::Decision;
use crate::capture::{Capture, Dom, NodeId, site_host};
use crate::hash::{Fnv, text_key};
use crate::target::Target;
use crate::text::count_letters;
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Log odds are clamped to -`MAX_LOG_ODDS` to `MAX_LOG_ODDS`, to limit the influence of one page
/// with very confident decisions.
const MAX_LOG_ODDS: f64 = 4.0;
/// Log odds are stored as whole thousandths, so that their sum does not depend on the order of the
/// pages.
pub(super) const UNIT: f64 = 1000.0;

/// A block of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    /// Key of its slot.
    pub(super) slot: u64,
    /// Key of its slot and its text; `None` for a block without a letter.
    pub(super) text: Option<u64>,
    letters: usize,
}

/// The slots of a page whose site is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotsOfPage {
    pub(super) site: String,
    /// Key that identifies the page on its site.
    pub(super) page: u64,
    pub(super) blocks: Vec<Block>,
}

/// The data a page adds to the memory of its site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOfSite {
    pub(super) site: String,
    pub(super) page: u64,
    /// Mean log odds of each of its slots, in thousandths.
    pub(super) slots: BTreeMap<u64, i32>,
    /// Keys of the page's texts in their slots.
    pub(super) texts: BTreeSet<u64>,
}

impl SlotsOfPage {
    /// Collects the slots of a page's blocks; `None` if its address is unknown or has no host.
    pub fn collect(capture: &Capture, targets: &[Target]) -> Option<Self> {
        let address = capture
            .record
            .final_url
            .as_ref()
            .or(capture.record.url.as_ref())?;
        let url = Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let site = site_host(address)?;
        let paths = paths(&capture.dom);
        let block = |target: &Target| {
            let (slot, text) = (paths[target.container.index()], target.text(&capture.dom));
            let letters: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
            let text = (!letters.is_empty()).then(|| {
                let mut key = Fnv::new();
                key.add_whole(slot);
                key.add_whole(text_key(&letters));
                key.finish()
            });
            Block {
                slot,
                text,
                letters: count_letters(&letters),
            }
        };
        let blocks: Vec<Block> = targets.iter().map(block).collect();
        Some(Self {
            site,
            page: page_key(&url, &blocks),
            blocks,
        })
    }

    /// Combines the slots with `decisions`, which a model made without the memory, into the data
    /// that the page adds to the memory of its site.
    ///
    /// # Panics
    /// If the number of decisions differs from the number of blocks.
    pub fn with_decisions(self, decisions: &[Decision]) -> PageOfSite {
        let (slots, texts) = (self.mean_log_odds(decisions), self.texts());
        PageOfSite {
            site: self.site,
            page: self.page,
            slots,
            texts,
        }
    }

    /// The keys of the texts in their slots, without duplicates.
    fn texts(&self) -> BTreeSet<u64> {
        self.blocks.iter().filter_map(|block| block.text).collect()
    }

    /// The mean log odds of each slot, weighted by letters.
    pub(super) fn mean_log_odds(&self, decisions: &[Decision]) -> BTreeMap<u64, i32> {
        assert_eq!(self.blocks.len(), decisions.len());
        let mut sums: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
        for (block, decision) in self.blocks.iter().zip(decisions) {
            let weight = block.letters as f64 + 1.0;
            let sum = sums.entry(block.slot).or_default();
            sum.0 += weight * log_odds(decision.probability).clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS);
            sum.1 += weight;
        }
        sums.into_iter()
            .map(|(slot, (sum, weight))| (slot, (UNIT * sum / weight).round() as i32))
            .collect()
    }
}

/// Logarithm of the odds of a probability.
fn log_odds(probability: f32) -> f64 {
    let probability = f64::from(probability).clamp(1e-6, 1.0 - 1e-6);
    (probability / (1.0 - probability)).ln()
}

/// The key that identifies a page: derived from its path and query, or from its texts for a home
/// page, which changes from day to day.
fn page_key(url: &Url, blocks: &[Block]) -> u64 {
    let mut key = Fnv::new();
    if url.path().len() > 1 || url.query().is_some() {
        url.path()
            .bytes()
            .chain([b'?'])
            .chain(url.query().unwrap_or_default().bytes())
            .for_each(|byte| key.add(byte));
    } else {
        blocks
            .iter()
            .filter_map(|block| block.text)
            .for_each(|text| key.add_whole(text));
    }
    key.finish()
}

/// The key of every node's path: tags, classes and ids from the root to the node. Parents come
/// before their children, so one pass suffices, however deep a page nests.
fn paths(dom: &Dom) -> Vec<u64> {
    let mut paths = vec![0u64; dom.len()];
    for node in dom.ids() {
        let above = dom.parent(node).map_or(0, |parent| paths[parent.index()]);
        paths[node.index()] = if dom.is_element(node) {
            step(dom, node, above)
        } else {
            above
        };
    }
    paths
}

/// The key of an element's path. The order of classes does not matter, and digits are left out
/// because they number single pages.
fn step(dom: &Dom, node: NodeId, above: u64) -> u64 {
    let without_digits = |name: &str| {
        let mut key = Fnv::new();
        name.bytes()
            .filter(|byte| !byte.is_ascii_digit())
            .for_each(|byte| key.add(byte));
        key.finish()
    };
    let mut key = Fnv::new();
    key.add_whole(above);
    dom.tag(node).bytes().for_each(|byte| key.add(byte));
    let names = dom.attribute(node, "class").unwrap_or_default();
    let mut classes: Vec<u64> = names.split_ascii_whitespace().map(without_digits).collect();
    classes.sort_unstable();
    classes.dedup();
    for class in classes {
        key.add_whole(class);
    }
    key.add_whole(without_digits(
        dom.attribute(node, "id").unwrap_or_default(),
    ));
    key.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::classify::Label;
    use crate::target::{TargetRule, select};

    fn slots(url: Option<&str>, html: &str) -> Option<SlotsOfPage> {
        let record = Record::parsed("x", url.map(str::to_owned));
        let capture = Capture::parsed(crate::html::parse_html(html), record);
        SlotsOfPage::collect(&capture, &select(&capture, TargetRule::Blocks))
    }

    fn decision(probability: f32) -> Decision {
        Decision {
            margin: 0.0,
            probability,
            label: Label::Boilerplate,
            comments: None,
        }
    }

    #[test]
    fn pages_without_an_address_of_the_web_belong_to_no_site() {
        for url in [
            None,
            Some("file:///x"),
            Some("data:text/html,x"),
            Some("no address"),
            Some("https://"),
        ] {
            assert_eq!(slots(url, "<p>text"), None, "{url:?}");
        }
        for url in ["https://www.Example.org/a?b#c", "http://example.org:8080"] {
            assert_eq!(slots(Some(url), "<p>text").unwrap().site, "example.org");
        }
    }

    #[test]
    fn a_slot_is_told_by_tags_classes_and_ids_without_digits() {
        let slot = |html: &str| slots(Some("https://example.org/"), html).unwrap().blocks[0].slot;
        let usual = slot("<div class='post post-17 wide' id=p17><p>text</p></div>");
        assert_eq!(
            usual,
            slot("<div class='wide post-4 post' id=p4><p>other text</p></div>")
        );
        for other in [
            "<div class='post post-17' id=p17><p>text</p></div>",
            "<div class='post post-17 wide' id=q17><p>text</p></div>",
            "<section class='post post-17 wide' id=p17><p>text</p></section>",
            "<div class='post post-17 wide' id=p17><div><p>text</p></div></div>",
            "<div class='post post-17 wide' id=p17><p class=note>text</p></div>",
        ] {
            assert_ne!(usual, slot(other), "{other}");
        }
    }

    #[test]
    fn a_page_adds_the_mean_of_each_slot_and_each_text_once() {
        let html =
            "<nav><a>Home</a></nav><p>Gulls</p><p>gulls!</p><p>Terns and others</p><p>***</p>";
        let of_page = slots(Some("https://example.org/a#b"), html).unwrap();
        let count = of_page.blocks.len();
        let certain = of_page.clone().with_decisions(&vec![decision(1.0); count]);
        assert!(
            certain.slots.values().all(|&mean| mean == 4000),
            "{certain:?}"
        );
        assert_eq!((certain.slots.len(), certain.texts.len()), (2, 3));
        let even = of_page.with_decisions(&vec![decision(0.5); count]);
        assert!(even.slots.values().all(|&mean| mean == 0));
        assert_eq!(even.page, certain.page);
        let page = |url: &str, html: &str| slots(Some(url), html).unwrap().page;
        assert_eq!(
            page("https://example.org/a", "<p>text"),
            page("http://www.example.org/a#b", "<p>other")
        );
        assert_ne!(
            page("https://example.org/", "<p>text"),
            page("https://example.org/", "<p>other")
        );
        assert_ne!(
            page("https://example.org/a", "<p>text"),
            page("https://example.org/a?b", "<p>text")
        );
    }
}
