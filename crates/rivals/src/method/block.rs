//! Splits a page into text blocks, for all methods that work on the tree.
//!
//! Takes the tree and the rules of a method (elements whose borders separate blocks, ignored
//! elements) and returns [`TextBlock`]s in document order, each with the counts of the published
//! systems: text, linked text, tags, and empty blocks before it.

use std::ops::Range;
use vclean_core::capture::{Dom, NodeId};
use vclean_core::target::Target;
use vclean_core::text::Collapse;

/// Rules for splitting a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockRules {
    /// Returns true if the borders of an element separate blocks.
    pub parts: fn(&str) -> bool,
    /// Returns true if an element is ignored with its content; it separates blocks if it also
    /// `parts`.
    pub ignores: fn(&str) -> bool,
    /// Set if two or more successive line breaks separate blocks, as in ICE and jusText.
    pub double_break_parts: bool,
}

/// A text block with its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextBlock {
    /// The innermost open element whose borders separate blocks, at the block's first text; the
    /// root if there is none.
    pub container: NodeId,
    /// Its text nodes that hold more than white space, in document order.
    pub texts: Vec<NodeId>,
    /// Its text on one line, white space collapsed.
    pub text: String,
    /// Number of characters of `text` that are in links, including white space.
    pub linked_chars: usize,
    /// The text in links, with a space between two text nodes.
    pub linked_text: String,
    /// The byte ranges of links in `text`, in order; adjacent ones are joined.
    pub linked: Vec<Range<usize>>,
    /// Tags of the elements that begin in it, in order, without those that separate blocks.
    pub tags: Vec<NodeId>,
    /// Number of empty blocks since the block before, or since the start of the page.
    pub empty_before: usize,
    pub markup: Markup,
}

/// The markup of a block, as in the tree written as HTML: from after the border before it up to and
/// including the border that ends it, with ignored elements. End tags of inline elements count
/// where the element begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Markup {
    /// Bytes, including the text.
    pub bytes: usize,
    /// Start tags, including those since the block before.
    pub start_tags: usize,
    /// End tags, including those since the block before.
    pub end_tags: usize,
    /// True if the border before it is an end tag.
    pub is_after_end: bool,
}

impl TextBlock {
    /// Share of characters in links, 0 to 1 (Kohlschütter 2010, 3; the same in jusText); 0 without
    /// text.
    pub(crate) fn link_density(&self) -> f64 {
        let chars = self.text.chars().count();
        if chars == 0 {
            0.0
        } else {
            self.linked_chars as f64 / chars as f64
        }
    }

    /// Words of the text, separated by white space.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_whitespace()
    }

    /// The target with its texts, for drawing and pruning.
    pub(crate) fn target(&self) -> Target {
        Target {
            container: self.container,
            texts: self.texts.clone(),
            visibility: vclean_core::capture::Visibility::Shown,
        }
    }
}

/// Splits a page; blocks without text are counted and left out.
pub(crate) fn split(dom: &Dom, rules: &BlockRules) -> Vec<TextBlock> {
    split_spaced(dom, rules, |_| false)
}

/// [`split`], with white space at both borders of the inline elements for which `spaces` is true,
/// as Boilerpipe does for links.
pub(crate) fn split_spaced(
    dom: &Dom,
    rules: &BlockRules,
    spaces: fn(&str) -> bool,
) -> Vec<TextBlock> {
    let mut walk = Walk {
        dom,
        rules,
        splitter: Splitter {
            blocks: Vec::new(),
            now: Building::default(),
            empty: 0,
        },
        open: Vec::new(),
        containers: vec![Dom::ROOT],
        links: 0,
        breaks: 0,
    };
    let mut skip_until = 0;
    for id in dom.ids() {
        walk.close_before(id);
        let (start_bytes, end_bytes) = dom.tag_bytes(id);
        if id.index() < skip_until {
            walk.splitter.now.markup.add(start_bytes, end_bytes);
            walk.splitter.now.markup.bytes += dom.text(id).map_or(0, str::len);
            continue;
        }
        if let Some(text) = dom.text(id) {
            walk.text(id, text);
            continue;
        }
        let tag = dom.tag(id);
        if tag.is_empty() {
            continue;
        }
        if (rules.ignores)(tag) {
            walk.splitter.now.markup.add(start_bytes, end_bytes);
            skip_until = dom.end(id);
            if (rules.parts)(tag) {
                walk.border(true);
            }
        } else if (rules.parts)(tag) {
            walk.splitter.now.markup.add(start_bytes, 0);
            walk.border(false);
            walk.containers.push(id);
            walk.open.push((dom.end(id), Open::Container));
        } else {
            walk.splitter.now.markup.add(start_bytes, end_bytes);
            walk.inline(id, tag, spaces(tag));
        }
    }
    walk.splitter.border(true);
    walk.splitter.blocks
}

/// The state of the walk over a page, in document order.
struct Walk<'a> {
    dom: &'a Dom,
    rules: &'a BlockRules,
    splitter: Splitter,
    /// Ends and kinds of the relevant open elements, innermost last.
    open: Vec<(usize, Open)>,
    /// The open elements that separate blocks, innermost last.
    containers: Vec<NodeId>,
    /// Number of open links.
    links: usize,
    /// Line breaks since the last text or border.
    breaks: usize,
}

impl Walk<'_> {
    /// Closes the elements that end before `id`.
    fn close_before(&mut self, id: NodeId) {
        while let Some((_, what)) = self.open.pop_if(|(end, _)| *end <= id.index()) {
            match what {
                Open::Link => self.links -= 1,
                Open::Spaced => self.splitter.now.collapse.space(),
                Open::Container => {
                    let container = self.containers.pop().unwrap_or(Dom::ROOT);
                    self.splitter
                        .now
                        .markup
                        .add(0, self.dom.tag_bytes(container).1);
                    self.border(true);
                }
            }
        }
    }

    fn border(&mut self, is_end: bool) {
        self.splitter.border(is_end);
        self.breaks = 0;
    }

    fn text(&mut self, id: NodeId, text: &str) {
        self.splitter.now.markup.bytes += text.len();
        if !text.trim().is_empty() {
            self.breaks = 0;
        }
        self.splitter.text(
            id,
            text,
            self.links > 0,
            self.containers[self.containers.len() - 1],
        );
    }

    /// Handles an element that does not separate blocks.
    fn inline(&mut self, id: NodeId, tag: &str, is_spaced: bool) {
        self.splitter.now.tags.push(id);
        if is_spaced {
            self.splitter.now.collapse.space();
            self.open.push((self.dom.end(id), Open::Spaced));
        }
        match tag {
            "a" => {
                self.links += 1;
                self.open.push((self.dom.end(id), Open::Link));
            }
            "br" => {
                self.breaks += 1;
                if self.breaks >= 2 && self.rules.double_break_parts {
                    self.splitter.border(false);
                }
                self.splitter.now.collapse.space();
            }
            _ => {}
        }
    }
}

impl Markup {
    /// Adds tags by their bytes; 0 bytes means no tag.
    fn add(&mut self, start_bytes: usize, end_bytes: usize) {
        self.bytes += start_bytes + end_bytes;
        self.start_tags += usize::from(start_bytes > 0);
        self.end_tags += usize::from(end_bytes > 0);
    }
}

enum Open {
    Link,
    Spaced,
    Container,
}

#[derive(Default)]
struct Building {
    container: Option<NodeId>,
    texts: Vec<NodeId>,
    text: String,
    linked_text: String,
    linked: Vec<Range<usize>>,
    linked_chars: usize,
    /// True if the next white space, if any, is in a link.
    is_space_linked: bool,
    collapse: Collapse,
    tags: Vec<NodeId>,
    markup: Markup,
}

struct Splitter {
    blocks: Vec<TextBlock>,
    now: Building,
    empty: usize,
}

impl Splitter {
    fn text(&mut self, id: NodeId, text: &str, is_linked: bool, container: NodeId) {
        let now = &mut self.now;
        let before = now.text.len();
        now.collapse.append(text, &mut now.text);
        let is_space_linked = std::mem::replace(&mut now.is_space_linked, is_linked);
        let added = &now.text[before..];
        if added.is_empty() {
            return;
        }
        if is_linked {
            // The space before a link does not belong to its text.
            let has_own_space = is_space_linked || text.starts_with(char::is_whitespace);
            let start = if has_own_space {
                before
            } else {
                now.text.len() - added.trim_start().len()
            };
            let linked = &now.text[start..];
            now.linked_chars += linked.chars().count();
            if !now.linked_text.is_empty() {
                now.linked_text.push(' ');
            }
            now.linked_text.push_str(linked.trim_start());
            match now.linked.last_mut() {
                Some(last) if last.end == start => last.end = now.text.len(),
                _ => now.linked.push(start..now.text.len()),
            }
        }
        now.container.get_or_insert(container);
        now.texts.push(id);
    }

    fn border(&mut self, is_end: bool) {
        let now = std::mem::take(&mut self.now);
        self.now.markup.is_after_end = is_end;
        let Some(container) = now.container else {
            self.empty += 1;
            // Tags of an empty block are added to the next block.
            self.now.tags = now.tags;
            self.now.markup.start_tags = now.markup.start_tags;
            self.now.markup.end_tags = now.markup.end_tags;
            return;
        };
        self.blocks.push(TextBlock {
            container,
            texts: now.texts,
            text: now.text,
            linked_chars: now.linked_chars,
            linked_text: now.linked_text,
            linked: now.linked,
            tags: now.tags,
            empty_before: std::mem::take(&mut self.empty),
            markup: now.markup,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use vclean_core::elements::{is_ignored, separates_text_blocks};
    use vclean_core::html::parse_html;

    const RULES: BlockRules = BlockRules {
        parts: separates_text_blocks,
        ignores: is_ignored,
        double_break_parts: true,
    };

    fn texts(html: &str) -> Vec<String> {
        split(&parse_html(html), &RULES)
            .into_iter()
            .map(|block| block.text)
            .collect()
    }

    #[test]
    fn borders_and_double_breaks_separate_blocks() {
        let html = "<body>One <b>t</b>wo<p>three<div>four<br>five<br> <br>six</div>seven<script>x</script>";
        assert_eq!(
            texts(html),
            ["One two", "three", "four five", "six", "seven"]
        );
        let dom = parse_html("<p>a<br><br>b");
        let whole = split(
            &dom,
            &BlockRules {
                double_break_parts: false,
                ..RULES
            },
        );
        assert_eq!(whole.len(), 1);
        assert_eq!(whole[0].tags.len(), 2);
    }

    #[test]
    fn links_and_containers_are_known() {
        let dom = parse_html("<ul><li>See <a href=x>the<b> sea</b></a>!<li></li><li>b</ul>");
        let blocks = split(&dom, &RULES);
        assert_eq!(blocks[0].text, "See the sea!");
        assert_eq!(blocks[0].linked_chars, 7);
        assert_eq!(dom.tag(blocks[0].container), "li");
        let linked: Vec<&str> = blocks[0]
            .linked
            .iter()
            .map(|range| &blocks[0].text[range.clone()])
            .collect();
        assert_eq!(linked, ["the sea"]);
        assert!((blocks[0].link_density() - 7.0 / 12.0).abs() < 1e-12);
        assert!(blocks[1].empty_before >= 1);
    }

    #[test]
    fn inline_elements_may_add_spaces_and_ignored_ones_may_separate_blocks() {
        let dom = parse_html("<p>See<a href=x>the<b>re</b></a>, <i>b</i>oth<script>x</script>here");
        let is_border = |tag: &str| separates_text_blocks(tag) || tag == "script";
        let blocks = split_spaced(
            &dom,
            &BlockRules {
                parts: is_border,
                ..RULES
            },
            |tag| tag == "a",
        );
        let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["See there , both", "here"]);
        assert!(
            blocks[0].linked.iter().eq([&(4..9)]),
            "{:?}",
            blocks[0].linked
        );
    }

    #[test]
    fn markup_is_counted_from_border_to_border() {
        let html =
            "<body><div id=x>One <a href=y>two</a></div><p></p>three<script>four()</script><ul>";
        let blocks = split(&parse_html(html), &RULES);
        let markup = |bytes, start_tags, end_tags, is_after_end| Markup {
            bytes,
            start_tags,
            end_tags,
            is_after_end,
        };
        // One <a href="y">two</a></div>; before it the start tags of html, body and div and the
        // head.
        assert_eq!(blocks[0].markup, markup(4 + 12 + 3 + 4 + 6, 5, 3, false));
        // three<script>four()</script><ul>; before it <p></p>.
        assert_eq!(blocks[1].markup, markup(5 + 8 + 6 + 9 + 4, 3, 2, true));
    }

    proptest! {
        #[test]
        fn every_text_is_in_one_block(words in proptest::collection::vec("[a-z ]{0,6}|<(p|div|b|a|br|/p|/div|/a|li)>", 0..60)) {
            let dom = parse_html(&words.concat());
            let blocks = split(&dom, &RULES);
            let texts: Vec<NodeId> = blocks.iter().flat_map(|block| block.texts.clone()).collect();
            let all: Vec<NodeId> =
                dom.ids().filter(|id| dom.text(*id).is_some_and(|text| !text.trim().is_empty())).collect();
            prop_assert_eq!(texts, all);
            prop_assert!(blocks.iter().all(|block| (0.0..=1.0).contains(&block.link_density())));
        }
    }
}
