//! The tutorial: eight pages with gold and an explanation for every block.
//!
//! The pages hold their own gold: `data-label` on an element is the label of all blocks in it, and `data-lesson` explains
//! it. The nearest element around a block decides. Neither attribute is seen by a reader or measured by a feature.

use super::label::BlockLabel;
use super::offered::OfferedPage;
use super::prepared::PreparedPage;
use crate::capture::{Dom, NodeId};
use crate::page::Page;

/// What a page of the tutorial says of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    /// The label that it has.
    pub label: BlockLabel,
    /// Why.
    pub text: String,
}

/// The pages: name and source.
const PAGES: [(&str, &str); 8] = [
    ("article", include_str!("lessons/article.html")),
    ("blog", include_str!("lessons/blog.html")),
    ("documentation", include_str!("lessons/documentation.html")),
    ("forum", include_str!("lessons/forum.html")),
    ("listing", include_str!("lessons/listing.html")),
    ("notice", include_str!("lessons/notice.html")),
    ("product", include_str!("lessons/product.html")),
    ("table", include_str!("lessons/table.html")),
];

/// The pages of the tutorial, as they are offered.
pub fn pages() -> Vec<OfferedPage> {
    let offered = |(id, html): &(&str, &str)| OfferedPage::new((*id).to_owned(), Ok(Page::from_html(*id, *html)));
    PAGES.iter().map(offered).collect()
}

/// What the page says of each of its blocks; `None` for a block of which it says nothing.
pub fn lessons(page: &PreparedPage) -> Vec<Option<Lesson>> {
    page.blocks.iter().map(|block| lesson(&page.capture.dom, block.target.first())).collect()
}

fn lesson(dom: &Dom, node: NodeId) -> Option<Lesson> {
    let around = |name: &str| dom.ancestors(node).find_map(|id| dom.attribute(id, name));
    let label = BlockLabel::from_name(around("data-label")?)?;
    Some(Lesson { label, text: around("data-lesson").unwrap_or_default().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleaner::{Options, PageCleaner};
    use crate::page::parse;
    use std::collections::BTreeSet;

    #[test]
    fn every_block_has_a_label_and_an_explanation_of_its_own_element() {
        let cleaner = PageCleaner::new(&Options::default()).unwrap();
        let mut labels = BTreeSet::new();
        for offered in pages() {
            let capture = parse(offered.page.as_ref().unwrap()).unwrap();
            let dom = &capture.dom;
            for id in dom.ids() {
                let has = |name: &str| dom.attribute(id, name).is_some();
                assert_eq!(has("data-label"), has("data-lesson"), "{}: {}", offered.id, dom.tag(id));
            }
            let page = PreparedPage::new(capture, &cleaner).unwrap();
            assert!(page.blocks.len() >= 10, "{}", offered.id);
            for (block, lesson) in page.blocks.iter().zip(lessons(&page)) {
                let lesson = lesson.unwrap_or_else(|| panic!("{}: {}", offered.id, block.text));
                assert!(lesson.text.ends_with('.'), "{}", lesson.text);
                labels.insert(lesson.label);
            }
        }
        assert_eq!(labels.into_iter().collect::<Vec<_>>(), BlockLabel::ALL);
    }
}
