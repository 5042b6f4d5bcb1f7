//! The headline of an article: the block whose text is the page's title or the longest part of it.

use super::blocks::BlockGroup;
use vclean_core::capture::Dom;
use vclean_core::text::Collapse;

/// Separators at which the title is split, one set after another.
const SEPARATORS: &[&[char]] = &[
    &['|', ':'],
    &['|', ':', '(', ')'],
    &['|', ':', '(', ')', '-'],
    &['|', ',', ':', '(', ')', '-'],
];

/// The page's title: the last one in its head that is not empty.
pub(super) fn page_title(dom: &Dom) -> String {
    let Some(head) = dom.ids().find(|id| dom.tag(*id) == "head") else {
        return String::new();
    };
    let titles = dom
        .descendants(head)
        .rev()
        .filter(|id| dom.tag(*id) == "title");
    let text = |title| {
        let (mut text, mut collapse) = (String::new(), Collapse::default());
        for part in dom.children(title).filter_map(|id| dom.text(id)) {
            collapse.append(part, &mut text);
        }
        text
    };
    titles
        .map(text)
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

/// Marks the blocks that are the title or the longest part of it, ignoring case (the library's
/// `DocumentTitleMatchClassifier`).
pub(super) fn find(blocks: &mut [BlockGroup], title: &str) {
    let headlines = headlines(title);
    for block in blocks.iter_mut() {
        block.is_title |= headlines.contains(&block.text);
    }
}

/// The possible texts of a headline, in lower case.
fn headlines(title: &str) -> Vec<String> {
    if title.is_empty() {
        return Vec::new();
    }
    let parts = SEPARATORS
        .iter()
        .filter_map(|separators| longest_part(title, separators));
    std::iter::once(title)
        .chain(parts)
        .map(str::to_lowercase)
        .collect()
}

/// The part with the most words or characters: a later part replaces an earlier one if it has more
/// of either; names of sites are ignored. `None` if there is only one part.
fn longest_part<'t>(title: &'t str, separators: &[char]) -> Option<&'t str> {
    if !title.contains(separators) {
        return None;
    }
    let (mut longest, mut most_words, mut most_chars) = ("", 0, 0);
    // The library splits at the separators including the spaces around them.
    for part in title
        .split(separators)
        .map(|part| part.trim_matches(' '))
        .filter(|part| !part.contains(".com"))
    {
        let words = part
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .count();
        let chars = part.chars().count();
        if words > most_words || chars > most_chars {
            (longest, most_words, most_chars) = (part, words, chars);
        }
    }
    Some(longest.trim()).filter(|part| !part.is_empty())
}

/// Makes the blocks between the headline and the first content part of the content (the library's
/// `ExpandTitleToContentFilter`).
pub(super) fn expand(blocks: &mut [BlockGroup], _: &str) {
    let Some(first) = blocks.iter().position(|block| block.is_content) else {
        return;
    };
    // Nothing to do if the headline is the first content.
    let Some(headline) = blocks[..first].iter().rposition(|block| block.is_title) else {
        return;
    };
    if blocks[first].is_title {
        return;
    }
    for block in &mut blocks[headline..first] {
        block.is_content |= block.may_be_content;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::html::parse_html;

    #[test]
    fn the_title_is_that_of_the_head() {
        let dom = parse_html(
            "<head><title> Gulls\n return</title><title></title></head><svg><title>x</title></svg>",
        );
        assert_eq!(page_title(&dom), "Gulls return");
        assert_eq!(page_title(&parse_html("<p>a")), "");
    }

    #[test]
    fn headlines_are_the_longest_parts() {
        assert_eq!(
            headlines("Gulls return, at last - post.com | The Post"),
            [
                "gulls return, at last - post.com | the post",
                "the post",
                "the post",
                "gulls return, at last",
                "gulls return",
            ]
        );
        assert_eq!(headlines("Gulls return"), ["gulls return"]);
        assert_eq!(headlines("||"), ["||"]);
        assert!(headlines("").is_empty());
    }

    #[test]
    fn blocks_after_the_headline_become_content() {
        let title = "Gulls - Post";
        let mut blocks: Vec<BlockGroup> = ["gulls", "by a reader", "text"]
            .map(|text| BlockGroup {
                text: text.into(),
                may_be_content: text != "text",
                ..BlockGroup::default()
            })
            .to_vec();
        blocks[2].is_content = true;
        find(&mut blocks, title);
        expand(&mut blocks, title);
        assert!(blocks.iter().all(|block| block.is_content));
    }
}
