//! The `page` group: measures of the whole page that indicate its kind (article, forum, listing,
//! product). All targets of a page have equal values.

use super::block::BlockSums;
use super::column::{Column, FLAG, Feature, LOG, OURS, SHARE, ValueRange, columns_of, flag, log};
use super::page::PageView;
use super::table::{FeatureGroup, GroupRows};
use super::tags;
use super::tree::{Count, share as ratio};
use crate::capture::NodeId;

/// Measurements that the features are computed from.
struct PageCounts {
    sums: BlockSums,
    elements: f32,
    links: f32,
    images: f32,
    controls: f32,
    items: f32,
    code_letters: f32,
    table_letters: f32,
    list_letters: f32,
    article_letters: f32,
    articles: f32,
    has_main: bool,
    largest_repetition: f32,
    repeated_letters: f32,
    best_share: f32,
    core_share: f32,
}

type Formula = fn(&PageCounts) -> f32;

const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "page",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let page = PageCounts::new(view);
    let values: Vec<f32> = FEATURES
        .iter()
        .map(|feature| (feature.formula)(&page))
        .collect();
    for row in rows.iter_mut() {
        row.copy_from_slice(&values);
    }
}

impl PageCounts {
    fn new(view: &PageView<'_>) -> Self {
        let dom = &view.capture.dom;
        let all = 0..dom.len();
        let tree = &view.tree;
        let count = |count| tree.count_in(count, &all);
        let letters_below = |kind: u64| -> f32 {
            let inside = view.targets.iter().zip(&view.blocks);
            inside
                .filter(|(target, _)| tree.facts(target.container).above & kind != 0)
                .map(|(_, block)| block.length)
                .sum()
        };
        let mut largest_repetition = 0;
        let mut articles = 0.0;
        let mut has_main = false;
        for id in dom.ids() {
            let own = tree.facts(id).own;
            articles += flag(own & tags::ARTICLE != 0);
            has_main |= own & tags::MAIN != 0;
            // `top` is the outermost node that contains just the same targets; the others would
            // only repeat it.
            if tree.facts(id).top as usize == id.index() {
                largest_repetition = largest_repetition.max(tree.cards(dom, id));
            }
        }
        let repeated = view
            .blocks
            .iter()
            .filter(|block| is_repeated(view, block.branch));
        let repeated_letters = repeated.map(|block| block.length).sum();
        let letters_in = |id: NodeId| tree.letters_in(&view.subtree(id));
        Self {
            sums: view.sum(&(0..view.blocks.len())),
            elements: count(Count::Elements),
            links: count(Count::Links),
            images: count(Count::Images),
            controls: count(Count::Controls),
            items: count(Count::Items),
            code_letters: letters_below(tags::PREFORMATTED | tags::CODE),
            table_letters: letters_below(tags::CELL),
            list_letters: letters_below(tags::ITEM),
            article_letters: letters_below(tags::ARTICLE | tags::MAIN),
            articles,
            has_main,
            largest_repetition: largest_repetition as f32,
            repeated_letters,
            best_share: letters_in(view.scores.best),
            core_share: letters_in(view.scores.core),
        }
    }

    fn per_target(&self, sum: f64) -> f32 {
        ratio(sum as f32, self.sums.targets as f32)
    }

    fn share_of_letters(&self, letters: f32) -> f32 {
        ratio(letters, self.sums.letters as f32)
    }
}

/// True if an element is one of three or more similar siblings that hold several texts each.
fn is_repeated(view: &PageView<'_>, branch: NodeId) -> bool {
    let dom = &view.capture.dom;
    // The card is the branch itself or its parent.
    [Some(branch), dom.parent(branch)]
        .into_iter()
        .flatten()
        .any(|id| view.tree.cards(dom, id) >= 3)
}

const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "page.targets_log",
        LOG,
        "number of blocks on the page",
        OURS,
        |p| log(p.sums.targets as f32),
    ),
    Feature::new(
        "page.characters_log",
        LOG,
        "letters in all blocks",
        OURS,
        |p| log(p.sums.letters as f32),
    ),
    Feature::new(
        "page.letters_per_target_log",
        LOG,
        "mean letters a block",
        OURS,
        |p| log(p.per_target(p.sums.letters)),
    ),
    Feature::new(
        "page.link_density",
        SHARE,
        "letters in links by letters",
        OURS,
        |p| p.share_of_letters(p.sums.link_letters as f32),
    ),
    Feature::new(
        "page.long_share",
        SHARE,
        "letters in long texts (80 letters or more, few links) by letters",
        OURS,
        |p| p.share_of_letters(p.sums.long_letters as f32),
    ),
    Feature::new("page.long_log", LOG, "number of long texts", OURS, |p| {
        log(p.sums.long as f32)
    }),
    Feature::new(
        "page.short_share",
        SHARE,
        "blocks under 25 letters by blocks",
        OURS,
        |p| p.per_target(p.sums.short),
    ),
    Feature::new(
        "page.heading_share",
        SHARE,
        "headings by blocks",
        OURS,
        |p| p.per_target(p.sums.headings),
    ),
    Feature::new(
        "page.date_share",
        SHARE,
        "blocks with a date by blocks: forums and archives have many",
        OURS,
        |p| p.per_target(p.sums.dates),
    ),
    Feature::new(
        "page.price_share",
        SHARE,
        "blocks with a price by blocks: shops have many",
        OURS,
        |p| p.per_target(p.sums.prices),
    ),
    Feature::new(
        "page.links_log",
        LOG,
        "number of links on the page",
        OURS,
        |p| log(p.links),
    ),
    Feature::new(
        "page.images_log",
        LOG,
        "number of images on the page",
        OURS,
        |p| log(p.images),
    ),
    Feature::new(
        "page.controls_log",
        LOG,
        "number of form controls on the page",
        OURS,
        |p| log(p.controls),
    ),
    Feature::new(
        "page.item_share",
        SHARE,
        "list items by elements",
        OURS,
        |p| ratio(p.items, p.elements),
    ),
    Feature::new(
        "page.list_share",
        SHARE,
        "letters in list items by letters",
        OURS,
        |p| p.share_of_letters(p.list_letters),
    ),
    Feature::new(
        "page.table_share",
        SHARE,
        "letters in table cells by letters",
        OURS,
        |p| p.share_of_letters(p.table_letters),
    ),
    Feature::new(
        "page.code_share",
        SHARE,
        "letters in preformatted text and code by letters",
        OURS,
        |p| p.share_of_letters(p.code_letters),
    ),
    Feature::new(
        "page.articles_log",
        LOG,
        "number of article elements: one is an article, many are a list",
        OURS,
        |p| log(p.articles),
    ),
    Feature::new(
        "page.has_main",
        FLAG,
        "there is a main element or role",
        OURS,
        |p| flag(p.has_main),
    ),
    Feature::new(
        "page.article_share",
        SHARE,
        "letters in article and main elements by letters",
        OURS,
        |p| p.share_of_letters(p.article_letters),
    ),
    Feature::new(
        "page.repetition_log",
        LOG,
        "largest number of siblings of one tag and class that hold two blocks each",
        OURS,
        |p| log(p.largest_repetition),
    ),
    Feature::new(
        "page.repeated_share",
        SHARE,
        "letters in elements that stand in such a row of three or more",
        OURS,
        |p| p.share_of_letters(p.repeated_letters),
    ),
    Feature::new(
        "page.best_share",
        SHARE,
        "letters in the best-scored element by letters; 1 without one",
        "ours, after Readability",
        |p| p.share_of_letters(p.best_share),
    ),
    Feature::new(
        "page.core_share",
        SHARE,
        "letters in the smallest element with half of the long text by letters; 1 without one",
        OURS,
        |p| p.share_of_letters(p.core_share),
    ),
    Feature::new(
        "page.east_asian_share",
        SHARE,
        "Han, Kana and Hangul by characters",
        OURS,
        |p| ratio(p.sums.east_asian as f32, p.sums.characters as f32),
    ),
    Feature::new(
        "page.token_length",
        ValueRange::new("letters", 0.0, 20.0),
        "mean letters a token, spaces included",
        OURS,
        |p| ratio(p.sums.letters as f32, p.sums.tokens as f32),
    ),
];

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::measure;
    use crate::target::{TargetRule, select};

    fn value(html: &str, name: &str) -> f32 {
        let capture = page(html);
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let column = table.column(name).unwrap();
        assert!(column.iter().all(|value| *value == column[0]));
        column[0]
    }

    #[test]
    fn a_shop_repeats_itself_and_an_article_does_not() {
        let shop = "<div class=card><p>Shoe<p>$ 20</div>".repeat(5);
        let article = "<article><h1>Title</h1><p>A text with words, one after the other, that goes on for more than a line of the page, slowly.</article>";
        assert_eq!(value(&shop, "page.repetition_log"), 6f32.ln());
        assert_eq!(value(&shop, "page.repeated_share"), 1.0);
        assert_eq!(value(&shop, "page.price_share"), 0.5);
        assert_eq!(value(article, "page.repeated_share"), 0.0);
        assert_eq!(value(article, "page.article_share"), 1.0);
        assert!(value(article, "page.long_share") > 0.9);
    }
}
