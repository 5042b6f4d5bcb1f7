//! Parses HTML as browsers do: html5ever builds an arena, which is then flattened to the preorder [`Dom`].
//!
//! Comments, doctypes and processing instructions are dropped, adjacent text is merged, and shadow trees that the
//! markup declares are resolved. The parser is guarded against hostile pages, whose tree would otherwise cost
//! quadratic time: elements above an open depth of [`MAX_OPEN`] are left out (their text stays), and so is all that
//! follows once the tree is larger than any real page's.

use super::flatten::flatten;
use crate::capture::Dom;
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, Tracer, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, Namespace, QualName, TokenizerResult, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// Largest number of elements open at once: the limit of Chromium's parser
/// (`kMaximumHTMLParserDOMTreeDepth` in `html_construction_site.cc`).
pub const MAX_OPEN: usize = 512;

/// Largest number of nodes of a tree; the largest pages of the web have a few hundred thousand.
pub const MAX_NODES: usize = 5_000_000;

/// Elements that the parser may add of its own accord: this many, and eight for each start tag. Misnested formatting
/// elements are repeated in each paragraph that follows, without end on a hostile page.
const SPARE_ELEMENTS: usize = 100_000;

/// Size of the pieces in which the source is fed, in bytes: between two of them the guard looks for endless tags.
const PIECE_BYTES: usize = 4096;

/// Attributes of one start tag after which it is closed, give or take those of a piece; looking for duplicates is
/// quadratic in their number.
const MAX_ATTRIBUTES: usize = 512;

/// End tags after which a full stack is counted again: counting costs as much as the stack is deep.
const STALE_AFTER: usize = 32;

/// Tags read while half of [`MAX_OPEN`] elements are open, after which the page is cut: each may make the tree builder
/// look through all the open ones. Real pages have hardly any.
const MAX_DEEP_TAGS: usize = 200_000;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// What a node of the arena is.
#[derive(Debug)]
pub(super) enum Kind {
    /// The document, and the contents of a template.
    Fragment,
    /// An element.
    Element { name: QualName, attributes: Vec<Attribute>, contents: u32 },
    /// Character data.
    Text(StrTendril),
    /// A comment or processing instruction: kept as a place in the tree only.
    Dropped,
}

/// A node of the arena, linked to its neighbors.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) kind: Kind,
}

/// The tree as the parser builds it; node 0 is the document.
#[derive(Debug, Default)]
pub(super) struct Arena {
    pub(super) nodes: Vec<Node>,
}

impl Arena {
    pub(super) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    fn add(&mut self, kind: Kind) -> u32 {
        let id = u32::try_from(self.nodes.len()).expect("MAX_NODES stops the parser long before 2^32");
        self.nodes.push(Node { parent: NONE, previous: NONE, next: NONE, first: NONE, last: NONE, kind });
        id
    }

    /// Puts `id` below `parent` before `next`, or last where `next` is `NONE`.
    fn link(&mut self, parent: u32, id: u32, next: u32) {
        let previous = if next == NONE { self.node(parent).last } else { self.node(next).previous };
        let node = self.node_mut(id);
        (node.parent, node.previous, node.next) = (parent, previous, next);
        match previous {
            NONE => self.node_mut(parent).first = id,
            _ => self.node_mut(previous).next = id,
        }
        match next {
            NONE => self.node_mut(parent).last = id,
            _ => self.node_mut(next).previous = id,
        }
    }

    fn unlink(&mut self, id: u32) {
        let Node { parent, previous, next, .. } = *self.node(id);
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.node_mut(parent).first = next,
            _ => self.node_mut(previous).next = next,
        }
        match next {
            NONE => self.node_mut(parent).last = previous,
            _ => self.node_mut(next).previous = previous,
        }
        let node = self.node_mut(id);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Inserts a node or text below `parent` before `next`; text joins a text that stands just before.
    fn insert(&mut self, parent: u32, child: NodeOrText<u32>, next: u32) {
        match child {
            NodeOrText::AppendNode(id) => {
                self.unlink(id);
                self.link(parent, id, next);
            }
            NodeOrText::AppendText(text) => {
                let previous = if next == NONE { self.node(parent).last } else { self.node(next).previous };
                if previous != NONE
                    && let Kind::Text(before) = &mut self.node_mut(previous).kind
                {
                    before.push_tendril(&text);
                    return;
                }
                let id = self.add(Kind::Text(text));
                self.link(parent, id, next);
            }
        }
    }
}

/// An element's name, cheap to copy as nearly all names are static atoms.
#[derive(Debug)]
struct Name {
    ns: Namespace,
    local: LocalName,
}

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.local
    }
}

/// Takes the tree builder's orders.
struct ArenaSink {
    arena: RefCell<Arena>,
    elements: Cell<usize>,
}

impl TreeSink for ArenaSink {
    type Handle = u32;
    type Output = Arena;
    type ElemName<'a> = Name;

    fn finish(self) -> Arena {
        self.arena.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Name {
        match &self.arena.borrow().node(*target).kind {
            Kind::Element { name, .. } => Name { ns: name.ns.clone(), local: name.local.clone() },
            _ => Name { ns: ns!(), local: LocalName::default() },
        }
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> u32 {
        self.elements.set(self.elements.get() + 1);
        let mut arena = self.arena.borrow_mut();
        let contents = if flags.template { arena.add(Kind::Fragment) } else { NONE };
        arena.add(Kind::Element { name, attributes, contents })
    }

    fn create_comment(&self, _: StrTendril) -> u32 {
        self.arena.borrow_mut().add(Kind::Dropped)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> u32 {
        self.arena.borrow_mut().add(Kind::Dropped)
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        self.arena.borrow_mut().insert(*parent, child, NONE);
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        if self.arena.borrow().node(*element).parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &u32) -> u32 {
        match self.arena.borrow().node(*target).kind {
            Kind::Element { contents, .. } if contents != NONE => contents,
            _ => *target,
        }
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let mut arena = self.arena.borrow_mut();
        if let NodeOrText::AppendNode(id) = child {
            arena.unlink(id);
        }
        let parent = arena.node(*sibling).parent;
        if parent != NONE {
            arena.insert(parent, child, *sibling);
        }
    }

    fn add_attrs_if_missing(&self, target: &u32, more: Vec<Attribute>) {
        if let Kind::Element { attributes, .. } = &mut self.arena.borrow_mut().node_mut(*target).kind {
            for attribute in more {
                if attributes.len() < MAX_ATTRIBUTES && attributes.iter().all(|own| own.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &u32) {
        self.arena.borrow_mut().unlink(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        let mut arena = self.arena.borrow_mut();
        loop {
            let child = arena.node(*node).first;
            if child == NONE {
                break;
            }
            arena.unlink(child);
            arena.link(*new_parent, child, NONE);
        }
    }

    /// Shadow roots are found when the tree is flattened.
    fn allow_declarative_shadow_roots(&self, _: &u32) -> bool {
        false
    }
}

/// Counts the open elements and the active formatting elements of the tree builder.
struct Count<'a> {
    arena: &'a RefCell<Arena>,
    plain: Cell<usize>,
    formatting: Cell<usize>,
}

impl Tracer for Count<'_> {
    type Handle = u32;

    fn trace_handle(&self, node: &u32) {
        let count = match &self.arena.borrow().node(*node).kind {
            Kind::Element { name, .. } if is_formatting(&name.local) => &self.formatting,
            _ => &self.plain,
        };
        count.set(count.get() + 1);
    }
}

/// Elements that the parser opens again in the next paragraph (HTML 13.2.4.3).
fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b" | "big" | "code" | "em" | "font" | "i" | "nobr" | "s" | "small" | "strike" | "strong" | "tt" | "u"
    )
}

/// Elements that hold no elements: they close at once, and without some of them their text would be taken for markup.
fn is_leaf(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "iframe"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "noembed"
            | "noframes"
            | "noscript"
            | "param"
            | "script"
            | "source"
            | "style"
            | "textarea"
            | "title"
            | "track"
            | "wbr"
            | "xmp"
    )
}

/// Stands between tokenizer and tree builder and leaves out what only a hostile page has.
struct Guard {
    builder: TreeBuilder<u32, ArenaSink>,
    /// Start tags seen.
    seen: Cell<usize>,
    /// Elements created when the open ones were last counted, and that count.
    counted: Cell<(usize, usize, usize)>,
    /// End tags since the open elements were last counted.
    closed: Cell<usize>,
    /// Start tags left out whose end tag is still to come, innermost last.
    left_out: RefCell<Vec<LocalName>>,
    /// Whether the tree is as large as it may be.
    is_cut: Cell<bool>,
    /// Whether a token came since the last piece began.
    is_moving: Cell<bool>,
    /// Whether elements were left out for their depth.
    depth_cut: Cell<bool>,
    /// Tags that came while the stack was half full or more.
    deep_tags: Cell<usize>,
}

impl Guard {
    fn new() -> Self {
        let arena = Arena { nodes: Vec::with_capacity(1024) };
        let sink = ArenaSink { arena: RefCell::new(arena), elements: Cell::new(0) };
        sink.arena.borrow_mut().add(Kind::Fragment);
        Self {
            builder: TreeBuilder::new(sink, TreeBuilderOpts { drop_doctype: true, ..TreeBuilderOpts::default() }),
            seen: Cell::new(0),
            counted: Cell::new((0, 0, 0)),
            closed: Cell::new(0),
            left_out: RefCell::new(Vec::new()),
            is_cut: Cell::new(false),
            is_moving: Cell::new(false),
            depth_cut: Cell::new(false),
            deep_tags: Cell::new(0),
        }
    }

    /// Whether `tag` is to be left out.
    fn leaves_out(&self, tag: &Tag) -> bool {
        match tag.kind {
            TagKind::StartTag => {
                self.seen.set(self.seen.get() + 1);
                if is_leaf(&tag.name) || !self.is_too_deep(is_formatting(&tag.name)) {
                    return false;
                }
                self.depth_cut.set(true);
                let mut left_out = self.left_out.borrow_mut();
                if left_out.len() < MAX_NODES {
                    left_out.push(tag.name.clone());
                }
                true
            }
            TagKind::EndTag => {
                let mut left_out = self.left_out.borrow_mut();
                let near = left_out.len().saturating_sub(16);
                if let Some(index) = left_out[near..].iter().rposition(|name| *name == tag.name) {
                    left_out.truncate(near + index);
                    return true;
                }
                self.closed.set(self.closed.get() + 1);
                false
            }
        }
    }

    /// Whether the stack of open elements is full. The tree builder does not tell of all that it closes, so the stack
    /// is counted when the elements created since might have filled it.
    fn is_too_deep(&self, formatting: bool) -> bool {
        let elements = self.builder.sink.elements.get();
        let (at, plain, bold) = self.counted.get();
        let most_opened = 2 * (elements - at); // open, and active formatting
        let is_recent = self.closed.get() < STALE_AFTER;
        if plain >= MAX_OPEN && is_recent {
            return true;
        }
        if plain + most_opened < MAX_OPEN {
            if bold + most_opened < MAX_OPEN {
                return false;
            }
            if bold >= MAX_OPEN && is_recent && most_opened < STALE_AFTER {
                return formatting;
            }
        }
        let count = Count { arena: &self.builder.sink.arena, plain: Cell::new(0), formatting: Cell::new(0) };
        self.builder.trace_handles(&count);
        let (plain, bold) = (count.plain.get(), count.formatting.get());
        self.counted.set((elements, plain, bold));
        self.closed.set(0);
        plain >= MAX_OPEN || (formatting && bold >= MAX_OPEN)
    }
}

impl TokenSink for Guard {
    type Handle = u32;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<u32> {
        self.is_moving.set(true);
        match &token {
            Token::EOFToken => {}
            _ if self.is_cut.get() => return TokenSinkResult::Continue,
            Token::TagToken(tag) if self.leaves_out(tag) => return TokenSinkResult::Continue,
            Token::CommentToken(_) | Token::ParseError(_) => return TokenSinkResult::Continue,
            _ => {}
        }
        if matches!(token, Token::TagToken(_)) && self.counted.get().1 >= MAX_OPEN / 2 {
            self.deep_tags.set(self.deep_tags.get() + 1);
        }
        let result = self.builder.process_token(token, line);
        if self.deep_tags.get() > MAX_DEEP_TAGS
            || self.builder.sink.elements.get() > SPARE_ELEMENTS + 8 * self.seen.get()
            || self.builder.sink.arena.borrow().nodes.len() > MAX_NODES
        {
            self.is_cut.set(true);
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts what may be attributes of a tag that does not end.
#[derive(Default)]
struct EndlessTag {
    quote: Option<u8>,
    words: usize,
}

impl EndlessTag {
    /// Whether the tag that is open after `piece` has more attributes than one may have.
    fn reads(&mut self, piece: &str, is_moving: bool) -> bool {
        let mut rest = piece.as_bytes();
        if is_moving {
            *self = Self::default();
            rest = &rest[rest.iter().rposition(|&byte| byte == b'<').unwrap_or(rest.len())..];
        }
        let mut before = b' ';
        for &byte in rest {
            match (self.quote, byte) {
                (Some(open), _) if open == byte => self.quote = None,
                (None, b'"' | b'\'') if before == b'=' => self.quote = Some(byte),
                (None, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/') => self.words += 1,
                _ => {}
            }
            before = byte;
        }
        self.quote.is_none() && self.words > MAX_ATTRIBUTES
    }
}

/// A parsed page.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The tree.
    pub(super) dom: Dom,
    /// What was left out.
    pub(super) warnings: Vec<String>,
}

/// Parses a page; broken markup is repaired as browsers do. Never fails and never recurses.
///
/// `noscript` keeps no content, as in a browser that runs scripts; a `template` keeps none unless it declares a
/// shadow tree.
pub fn parse_html(html: &str) -> Dom {
    parse_with_warnings(html).dom
}

/// [`parse_html`], with what was left out.
pub(super) fn parse_with_warnings(html: &str) -> Parsed {
    let tokenizer = Tokenizer::new(Guard::new(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    let mut endless = EndlessTag::default();
    let mut start = 0;
    while start < html.len() && !tokenizer.sink.is_cut.get() {
        let mut end = (start + PIECE_BYTES).min(html.len());
        while !html.is_char_boundary(end) {
            end += 1;
        }
        let piece = &html[start..end];
        queue.push_back(StrTendril::from_slice(piece));
        tokenizer.sink.is_moving.set(false);
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
        if endless.reads(piece, tokenizer.sink.is_moving.get()) {
            queue.push_back(StrTendril::from_slice(">"));
            while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
            endless = EndlessTag::default();
        }
        start = end;
    }
    tokenizer.end();
    let guard = tokenizer.sink;
    let mut warnings = Vec::new();
    if guard.depth_cut.get() {
        warnings.push(format!("elements nested deeper than {MAX_OPEN} are left out; their text is kept"));
    }
    if guard.is_cut.get() {
        warnings.push(format!(
            "the page has more nodes than {MAX_NODES}, or is deep and repeats itself without end; the rest is left out"
        ));
    }
    Parsed { dom: flatten(guard.builder.sink.finish()), warnings }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::format_collect, clippy::format_push_string)]
mod tests {
    use super::*;
    use crate::capture::NodeKind;
    use proptest::prelude::*;

    /// The tree in a bracket notation, text in quotes.
    fn outline(dom: &Dom) -> String {
        let mut out = String::new();
        let mut open = Vec::new();
        for id in dom.ids() {
            while open.last().is_some_and(|&end| end <= id.index()) {
                out.push(')');
                open.pop();
            }
            match dom.kind(id) {
                NodeKind::Document => {}
                NodeKind::Element { tag, .. } => {
                    out.push('(');
                    out.push_str(tag);
                    open.push(dom.end(id));
                }
                NodeKind::Text(text) => {
                    out.push_str(&format!("{text:?}"));
                }
            }
        }
        out.push_str(&")".repeat(open.len()));
        out
    }

    /// What the body holds.
    fn body(html: &str) -> String {
        let whole = outline(&parse_html(&format!("<body>{html}")));
        whole.strip_prefix("(html(head)(body").and_then(|rest| rest.strip_suffix("))")).unwrap().to_owned()
    }

    #[test]
    fn broken_markup_is_repaired_as_browsers_do() {
        assert_eq!(body("<p>one<p>two <b>bold<i>both</b>it</i>"), r#"(p"one")(p"two "(b"bold"(i"both"))(i"it"))"#);
        assert_eq!(body("<table>lost<tr><td>cell</table>"), r#""lost"(table(tbody(tr(td"cell"))))"#);
        assert_eq!(body("a<!-- comment -->b"), r#""ab""#);
    }

    #[test]
    fn attributes_and_foreign_names_are_lower_case() {
        let dom = parse_html("<svg viewBox='0 0 1 1'><foreignObject><p CLASS=A>x</p></foreignObject></svg>");
        let tags: Vec<_> = dom.ids().map(|id| dom.tag(id).to_owned()).collect();
        assert!(tags.contains(&"foreignobject".to_owned()));
        let svg = dom.ids().find(|&id| dom.tag(id) == "svg").unwrap();
        assert_eq!(dom.attribute(svg, "viewbox"), Some("0 0 1 1"));
        let p = dom.ids().find(|&id| dom.tag(id) == "p").unwrap();
        assert_eq!(dom.attribute(p, "class"), Some("A"));
    }

    #[test]
    fn noscript_and_templates_keep_no_content() {
        assert_eq!(body("<noscript>no</noscript><template><p>t</p></template>x"), r#"(noscript)(template)"x""#);
    }

    #[test]
    fn a_hundred_thousand_levels_are_parsed_and_the_text_stays() {
        let html = format!("{}deep{}<p>after", "<div>".repeat(100_000), "</div>".repeat(100_000));
        let parsed = parse_with_warnings(&html);
        assert!(parsed.dom.is_consistent());
        assert!(parsed.dom.ids().any(|id| parsed.dom.text(id) == Some("deep")));
        let after = parsed.dom.ids().find(|&id| parsed.dom.text(id) == Some("after")).unwrap();
        assert_eq!(parsed.dom.depth(after), 4);
        assert!(parsed.dom.ids().all(|id| parsed.dom.depth(id) <= MAX_OPEN + 2));
        assert_eq!(parsed.warnings.len(), 1);
    }

    #[test]
    fn endless_formatting_and_endless_tags_come_to_an_end() {
        let html: String = (0..20_000).map(|n| format!("<p><font size={n}>x")).collect();
        assert!(parse_html(&html).is_consistent());
        let html = format!("<p {}>end", (0..200_000).map(|n| format!("a{n} ")).collect::<String>());
        assert!(parse_html(&html).is_consistent());
        let long = format!("<p title='{}'>end", "word ".repeat(20_000));
        let dom = parse_html(&long);
        let p = dom.ids().find(|&id| dom.tag(id) == "p").unwrap();
        assert_eq!(dom.attribute(p, "title").map(str::len), Some(100_000));
    }

    proptest! {
        #[test]
        fn any_text_becomes_a_tree(html in "(<(/?(p|b|a|div|table|tr|td|template shadowrootmode=open|slot|svg|select|option|li|ul|form|script|frameset)( x=1)?)>|[a-z<&;! \n]{0,4}|<!--|-->){0,60}") {
            prop_assert!(parse_html(&html).is_consistent());
        }

        #[test]
        fn any_bytes_become_a_tree(html in "\\PC{0,200}") {
            prop_assert!(parse_html(&html).is_consistent());
        }
    }
}
