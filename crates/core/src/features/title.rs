//! The `title` group: the position of a target relative to the page's title, in the text and in the
//! tree.
//!
//! The page's own content begins at its title, and text about other pages is seldom in the elements
//! around it. The title is the block whose words are most similar to those of the document's title;
//! headings are preferred, while links and navigation are penalized.

use super::block::BlockFacts;
use super::column::{Column, FLAG, Feature, LOG, OURS, SHARE, ValueRange, columns_of, flag, log};
use super::page::PageView;
use super::profile::{Profiler, words_in_both};
use super::table::{FeatureGroup, GroupRows, fill_row};
use super::tags;
use super::tree::{share, shared_depths};
use crate::capture::Dom;

/// Maximum number of titles in a page's head: `<title>`, `og:title`, `twitter:title`.
const MAX_TITLES: usize = 4;
/// Minimum similarity of a title block, unless it is a first-level heading. Heuristic.
const LEAST_LIKENESS: f32 = 0.3;
/// Bonus in the score of a title block, by heading level (0 for blocks that are not headings).
/// Heuristic.
const BY_LEVEL: [f32; 7] = [0.0, 0.5, 0.3, 0.2, 0.1, 0.1, 0.1];
/// Penalties in the score of a title block: in a navigation, and for a link. Heuristic.
const IN_NAVIGATION: f32 = 0.3;
const AS_LINK: f32 = 0.2;

/// Measurements of a target that its features are computed from.
struct Facts<'p> {
    /// Similarity of the block to the page's title.
    likeness: f32,
    /// The title block, if there is one.
    title: Option<&'p Title>,
    index: usize,
    depth: f32,
    /// Depth of the deepest element that holds both the container and the title.
    shared_depth: f32,
    /// Share of the page's letters before the block.
    before: f32,
    /// Number of blocks on the page.
    blocks: f32,
}

/// The block that shows the page's title.
struct Title {
    index: usize,
    /// Depth of its container.
    depth: f32,
    /// Share of the page's letters before it.
    before: f32,
}

/// Computes a column's value from the measurements of a target and the title.
type Formula = fn(&Facts<'_>) -> f32;

impl Facts<'_> {
    /// A value that needs the title; 0 if there is none.
    fn by_title(&self, value: impl Fn(&Title) -> f32) -> f32 {
        self.title.map_or(0.0, value)
    }

    /// Number of blocks from the title to this one; negative before the title.
    fn distance(&self, title: &Title) -> f32 {
        self.index as f32 - title.index as f32
    }
}

/// Range of a share that is negative before the title.
const SIGNED: ValueRange = ValueRange::new("share", -1.0, 1.0);

const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "title.likeness",
        SHARE,
        "words that block and title have in common, twice, by all words of both; the best of the titles that the page names",
        OURS,
        |facts| facts.likeness,
    ),
    Feature::new(
        "title.is_found",
        FLAG,
        "some block of the page is its title; without, all below are 0",
        OURS,
        |facts| flag(facts.title.is_some()),
    ),
    Feature::new(
        "title.is_after",
        FLAG,
        "stands after the title",
        OURS,
        |facts| facts.by_title(|title| flag(facts.index > title.index)),
    ),
    Feature::new(
        "title.distance",
        SIGNED,
        "blocks from the title to this one by blocks, negative before it",
        OURS,
        |facts| facts.by_title(|title| facts.distance(title) / facts.blocks),
    ),
    Feature::new(
        "title.distance_log",
        ValueRange::new("ln(1 + x)", -12.0, 12.0),
        "blocks from the title to this one, negative before it",
        OURS,
        |facts| {
            facts.by_title(|title| log(facts.distance(title).abs()).copysign(facts.distance(title)))
        },
    ),
    Feature::new(
        "title.letters_between",
        SIGNED,
        "letters from the title to this block by letters of the page, negative before it",
        OURS,
        |facts| facts.by_title(|title| facts.before - title.before),
    ),
    Feature::new(
        "title.shared_depth",
        SHARE,
        "depth of the deepest element that holds both the container and the title, by the depth of the latter",
        OURS,
        |facts| facts.by_title(|title| share(facts.shared_depth, title.depth)),
    ),
    Feature::new(
        "title.levels_up_log",
        LOG,
        "levels from the title up to that element",
        OURS,
        |facts| facts.by_title(|title| log(title.depth - facts.shared_depth)),
    ),
    Feature::new(
        "title.levels_down_log",
        LOG,
        "levels from that element down to the container",
        OURS,
        |facts| facts.by_title(|_| log(facts.depth - facts.shared_depth)),
    ),
];

const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "title",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let dom = &view.capture.dom;
    let titles = titles(dom);
    let likeness = |block: &BlockFacts| {
        titles
            .iter()
            .map(|title| likeness(title, &block.profile.types))
            .fold(0.0, f32::max)
    };
    let likeness: Vec<f32> = view.blocks.iter().map(likeness).collect();
    let before = |index| share(view.sum(&(0..index)).letters as f32, view.letters);
    let title = find(view, &likeness).map(|index| {
        let depth = dom.depth(view.targets[index].container) as f32;
        Title {
            index,
            depth,
            before: before(index),
        }
    });
    let shared = title
        .as_ref()
        .map(|title| shared_depths(dom, view.targets[title.index].container));
    for (index, row) in rows.iter_mut().enumerate() {
        let container = view.targets[index].container;
        let facts = Facts {
            likeness: likeness[index],
            title: title.as_ref(),
            index,
            depth: dom.depth(container) as f32,
            shared_depth: shared
                .as_ref()
                .map_or(0.0, |shared| shared[container.index()] as f32),
            before: before(index),
            blocks: view.blocks.len() as f32,
        };
        fill_row!(row, &facts, FEATURES);
    }
}

/// The words of each title in the page's head, hashed and sorted.
fn titles(dom: &Dom) -> Vec<Vec<u64>> {
    let profiler = Profiler::new();
    let mut titles = Vec::new();
    for id in dom.ids() {
        let title = match dom.tag(id) {
            "title" => dom.descendants(id).find_map(|text| dom.text(text)),
            "meta" => {
                let name = dom
                    .attribute(id, "property")
                    .or_else(|| dom.attribute(id, "name"));
                name.filter(|name| matches!(*name, "og:title" | "twitter:title"))
                    .and_then(|_| dom.attribute(id, "content"))
            }
            "body" => break,
            _ => None,
        };
        // Most pages have the same title twice.
        let words = title.map(|title| profiler.profile(title).types);
        if let Some(words) = words.filter(|words| !titles.contains(words)) {
            titles.push(words);
        }
        if titles.len() == MAX_TITLES {
            break;
        }
    }
    titles
}

/// Dice coefficient of two sorted lists of words.
fn likeness(one: &[u64], other: &[u64]) -> f32 {
    share(
        2.0 * words_in_both(one, other) as f32,
        (one.len() + other.len()) as f32,
    )
}

/// Finds the title block.
fn find(view: &PageView<'_>, likeness: &[f32]) -> Option<usize> {
    let mut best: Option<(f32, usize)> = None;
    for (index, block) in view.blocks.iter().enumerate() {
        if likeness[index] < LEAST_LIKENESS && block.heading_level != 1 {
            continue;
        }
        let mut score = likeness[index] + BY_LEVEL[usize::from(block.heading_level)];
        if view.tree.facts(view.targets[index].container).above & tags::NAVIGATION != 0 {
            score -= IN_NAVIGATION;
        }
        if block.link_density() > 0.8 {
            score -= AS_LINK;
        }
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, index));
        }
    }
    best.map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::measure;
    use crate::capture::{Capture, DomBuilder, Record};
    use crate::target::{TargetRule, select};

    #[test]
    fn where_a_block_stands_from_the_title_is_measured() {
        let html = "<nav><p>Whales</p></nav><main><div><h1>Blue whales sing</h1></div><p>They do.</p></main>\
                    <footer><p>Imprint</p></footer>";
        let capture = page(html);
        let targets = select(&capture, TargetRule::Blocks);
        let table = measure(&capture, &targets).unwrap();
        let column = |name: &str| table.column(name).unwrap().to_vec();
        assert_eq!(column("title.is_found"), [1.0; 4]);
        assert_eq!(column("title.is_after"), [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(column("title.distance"), [-0.25, 0.0, 0.25, 0.5]);
        let shared = column("title.shared_depth");
        assert!(
            shared[2] > shared[3] && shared[1] == 1.0,
            "the text stands beside the title, the footer does not"
        );
    }

    #[test]
    fn the_block_with_the_words_of_the_document_is_the_title() {
        let mut builder = DomBuilder::new();
        builder.open("head", vec![]);
        builder.open("title", vec![]);
        builder.text("Blue whales sing - The Sea");
        builder.close();
        builder.close();
        builder.open("body", vec![]);
        for (tag, text) in [
            ("p", "The Sea"),
            ("h2", "Blue whales sing"),
            ("p", "They do."),
            ("h2", "Imprint"),
        ] {
            builder.open(tag, vec![]);
            builder.text(text);
            builder.close();
        }
        let capture = Capture::parsed(builder.finish(), Record::parsed("test", None));
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        assert_eq!(
            table.column("title.distance").unwrap().to_vec(),
            [-0.25, 0.0, 0.25, 0.5]
        );
        assert_eq!(
            table.column("title.likeness").unwrap().to_vec(),
            [4.0 / 7.0, 6.0 / 8.0, 0.0, 0.0]
        );
    }

    #[test]
    fn a_page_without_a_title_has_zeros() {
        let capture = page("<p>one</p><h2>two</h2>");
        let targets = select(&capture, TargetRule::Blocks);
        let table = measure(&capture, &targets).unwrap();
        let own = table
            .columns
            .iter()
            .filter(|name| name.starts_with("title."));
        assert!(
            own.map(|name| table.column(name).unwrap().sum())
                .all(|sum| sum == 0.0)
        );
    }
}
