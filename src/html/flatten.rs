//! Converts the parser's arena to the preorder [`Dom`], with declared shadow trees resolved to the flat tree.
//!
//! A `template` with `shadowrootmode` (or the `shadowmode` of older Chromium archives) replaces its parent's children.
//! Each `slot` in it is filled with the children that name it, the unnamed slot with the children that name none (DOM
//! standard, section 4.2.2). A slot without assigned children keeps its own content.

use super::arena::{Arena, Kind, NONE};
use crate::capture::{Dom, DomBuilder, Name};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The children of a host, by the slot to which they are assigned.
#[derive(Default)]
struct Slots {
    by_name: BTreeMap<String, Vec<u32>>,
    /// The shadow tree that contains the host.
    outer: Option<usize>,
}

impl Slots {
    /// Assigns the children of a host to slots.
    fn by_host(arena: &Arena, host: u32, outer: Option<usize>) -> Self {
        let mut slots = Self { by_name: BTreeMap::new(), outer };
        let mut child = arena.node(host).first;
        while child != NONE {
            if let Some(name) = slot_of(arena, child) {
                slots.by_name.entry(name).or_default().push(child);
            }
            child = arena.node(child).next;
        }
        slots
    }
}

enum Step {
    /// Visit a node in the given shadow tree.
    Visit(u32, Option<usize>),
    Close,
}

/// Flattens `arena`, whose node 0 is the document. Iterative: the tree may be deep.
pub(super) fn flatten(mut arena: Arena) -> Dom {
    let mut builder = DomBuilder::new();
    let mut names = Names::default();
    let mut trees: Vec<Slots> = Vec::new();
    let mut steps = Vec::new();
    let mut pending = String::new();
    push_children(&arena, 0, None, &mut steps);
    while let Some(step) = steps.pop() {
        let (id, tree) = match step {
            Step::Close => {
                write_text(&mut builder, &mut pending);
                builder.close();
                continue;
            }
            Step::Visit(id, tree) => (id, tree),
        };
        let slot;
        match &mut arena.nodes[id as usize].kind {
            Kind::Fragment | Kind::Dropped => continue,
            Kind::Text(text) => {
                pending.push_str(text);
                continue;
            }
            Kind::Element { name, attributes, .. } => {
                write_text(&mut builder, &mut pending);
                let attributes = std::mem::take(attributes);
                slot = if &*name.local == "slot" {
                    value(&attributes, "name").unwrap_or("").to_owned()
                } else {
                    String::new()
                };
                names.open(&mut builder, name, attributes);
            }
        }
        steps.push(Step::Close);
        let Kind::Element { name, .. } = &arena.node(id).kind else { continue };
        match &*name.local {
            "template" | "noscript" => continue,
            "slot" => {
                if let Some(index) = tree
                    && let Some(filled) = trees[index].by_name.remove(&slot)
                {
                    let outer = trees[index].outer;
                    steps.extend(filled.iter().rev().map(|&child| Step::Visit(child, outer)));
                    continue;
                }
            }
            _ => {}
        }
        match shadow_of(&arena, id) {
            Some(shadow) => {
                trees.push(Slots::by_host(&arena, id, tree));
                push_children(&arena, shadow, Some(trees.len() - 1), &mut steps);
            }
            None => push_children(&arena, id, tree, &mut steps),
        }
    }
    write_text(&mut builder, &mut pending);
    builder.finish()
}

fn push_children(arena: &Arena, id: u32, tree: Option<usize>, steps: &mut Vec<Step>) {
    let mut child = arena.node(id).last;
    while child != NONE {
        steps.push(Step::Visit(child, tree));
        child = arena.node(child).previous;
    }
}

fn write_text(builder: &mut DomBuilder, pending: &mut String) {
    if !pending.is_empty() {
        builder.text(pending);
        pending.clear();
    }
}

/// Number of names that are cached; a real page has a few hundred.
const MAX_NAMES: usize = 4096;

/// The names of a page, each created once.
#[derive(Default)]
struct Names {
    known: FxHashMap<LocalName, Name>,
}

impl Names {
    fn open(&mut self, builder: &mut DomBuilder, name: &QualName, attributes: Vec<Attribute>) {
        let attributes: Vec<(Name, StrTendril)> = attributes
            .into_iter()
            .map(|attribute| {
                let local = self.lower_case(&attribute.name.local);
                let name = match &attribute.name.prefix {
                    Some(prefix) if !prefix.is_empty() => format!("{}:{}", prefix.to_ascii_lowercase(), &*local).into(),
                    _ => local,
                };
                (name, attribute.value)
            })
            .collect();
        let tag = self.lower_case(&name.local);
        builder.open_with(&tag, attributes.iter().map(|(name, value)| (&**name, &**value)));
    }

    /// The name in lower case.
    fn lower_case(&mut self, written: &LocalName) -> Name {
        if let Some(name) = self.known.get(written) {
            return name.clone();
        }
        let name: Name = if written.bytes().any(|byte| byte.is_ascii_uppercase()) {
            written.to_ascii_lowercase().to_string().into()
        } else {
            (&**written).into()
        };
        if self.known.len() < MAX_NAMES {
            self.known.insert(written.clone(), name.clone());
        }
        name
    }
}

fn value<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    attributes.iter().find(|own| &*own.name.local == name).map(|own| &*own.value)
}

fn attribute<'a>(arena: &'a Arena, id: u32, name: &str) -> Option<&'a str> {
    match &arena.node(id).kind {
        Kind::Element { attributes, .. } => value(attributes, name),
        _ => None,
    }
}

/// The contents of the first child that declares a shadow tree.
fn shadow_of(arena: &Arena, id: u32) -> Option<u32> {
    let mut child = arena.node(id).first;
    while child != NONE {
        if let Kind::Element { contents, .. } = arena.node(child).kind
            && contents != NONE
        {
            let mode = attribute(arena, child, "shadowrootmode").or_else(|| attribute(arena, child, "shadowmode"));
            if mode.is_some_and(|mode| mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed")) {
                return Some(contents);
            }
        }
        child = arena.node(child).next;
    }
    None
}

/// The slot to which a child of a host is assigned; templates are assigned to none.
fn slot_of(arena: &Arena, child: u32) -> Option<String> {
    match &arena.node(child).kind {
        Kind::Element { contents: NONE, .. } => Some(attribute(arena, child, "slot").unwrap_or("").to_owned()),
        Kind::Text(_) => Some(String::new()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::html::parse_html;

    fn texts(html: &str) -> Vec<String> {
        let dom = parse_html(html);
        assert!(dom.is_consistent());
        dom.ids().filter_map(|id| dom.text(id)).map(str::to_owned).collect()
    }

    #[test]
    fn slots_are_filled_and_unassigned_children_are_removed() {
        let html = "<x-card><template shadowrootmode=open><h2><slot name=title>no title</slot></h2><slot></slot>\
                    <slot name=foot>foot</slot></template><span slot=title>Title</span>text<b slot=lost>lost</b></x-card>";
        assert_eq!(texts(html), ["Title", "text", "foot"]);
    }

    #[test]
    fn shadow_trees_nest() {
        let html = "<x-a><template shadowrootmode=open><x-b><template shadowmode=closed>[<slot></slot>]</template>\
                    <slot></slot></x-b></template>inner</x-a>";
        assert_eq!(texts(html), ["[", "inner", "]"]);
    }
}
