//! Converts the parser's arena to the preorder [`Dom`]; declared shadow trees are resolved to the
//! flat tree.
//!
//! A `template` with `shadowrootmode` (or the `shadowmode` of older Chromium archives) replaces its
//! parent's children. Each `slot` in it receives the children that name it, and the unnamed slot
//! the children that name none (DOM standard, section 4.2.2). A slot without assigned children
//! keeps its own content.

use super::arena::{Arena, Kind, NONE};
use crate::capture::{Dom, DomBuilder, Strings};
use crate::elements::Element;
use std::collections::BTreeMap;

/// The children of a host, by the slot to which they are assigned.
#[derive(Default)]
struct Slots {
    by_name: BTreeMap<String, Vec<u32>>,
    /// The shadow tree that contains the host, if any.
    outer: Option<usize>,
}

impl Slots {
    /// Assigns the children of a host to slots.
    fn by_host(arena: &Arena, strings: &Strings, host: u32, outer: Option<usize>) -> Self {
        let mut slots = Self {
            by_name: BTreeMap::new(),
            outer,
        };
        let mut child = arena.node(host).first;
        while child != NONE {
            if let Some(name) = slot_of(arena, strings, child) {
                slots.by_name.entry(name).or_default().push(child);
            }
            child = arena.node(child).next;
        }
        slots
    }
}

enum Step {
    /// Visits a node in the given shadow tree.
    Visit(u32, Option<usize>),
    Close,
}

/// Flattens `arena`, whose node 0 is the document. This is iterative because the tree may be deep.
/// `parse` parses the text of a `noscript`.
pub(super) fn flatten(mut arena: Arena, parse: fn(&str) -> Dom) -> Dom {
    let [slot, template, noscript] = ["slot", "template", "noscript"].map(Element::named);
    let mut builder =
        DomBuilder::with_strings(std::mem::take(&mut arena.strings), arena.nodes.len());
    let mut trees: Vec<Slots> = Vec::new();
    let mut steps = Vec::new();
    push_children(&arena, 0, None, &mut steps);
    while let Some(step) = steps.pop() {
        let Step::Visit(id, tree) = step else {
            builder.close();
            continue;
        };
        let element = match &arena.node(id).kind {
            Kind::Fragment | Kind::Mark(_) | Kind::Dropped => continue,
            Kind::Text(text) => {
                builder.text_stored(*text);
                continue;
            }
            Kind::JoinedText(text) => {
                let text = builder.strings_mut().store(text);
                builder.text_stored(text);
                continue;
            }
            Kind::Element {
                tag, attributes, ..
            } => {
                let element = tag.element();
                let held = if element == noscript {
                    text_of_noscript(&arena, builder.strings(), id)
                } else {
                    None
                };
                match held.map(str::to_owned) {
                    Some(held) => open_with_picture(&mut builder, &parse(&held)),
                    None => builder.open_stored(*tag, *attributes),
                }
                element
            }
        };
        steps.push(Step::Close);
        if element == template || element == noscript {
            continue;
        }
        if element == slot
            && let Some(index) = tree
            && let name = attribute(&arena, builder.strings(), id, "name").unwrap_or("")
            && let Some(filled) = trees[index].by_name.remove(name)
        {
            let outer = trees[index].outer;
            steps.extend(filled.iter().rev().map(|&child| Step::Visit(child, outer)));
            continue;
        }
        match shadow_of(&arena, builder.strings(), id) {
            Some(shadow) => {
                trees.push(Slots::by_host(&arena, builder.strings(), id, tree));
                push_children(&arena, shadow, Some(trees.len() - 1), &mut steps);
            }
            None => push_children(&arena, id, tree, &mut steps),
        }
    }
    builder.finish()
}

fn push_children(arena: &Arena, id: u32, tree: Option<usize>, steps: &mut Vec<Step>) {
    let mut child = arena.node(id).last;
    while child != NONE {
        steps.push(Step::Visit(child, tree));
        child = arena.node(child).previous;
    }
}

/// The text of a `noscript`, if it may hold a picture.
fn text_of_noscript<'s>(arena: &Arena, strings: &'s Strings, noscript: u32) -> Option<&'s str> {
    const MAX_BYTES: usize = 4096;
    let first = arena.node(noscript).first;
    let Kind::Text(text) = (first != NONE).then(|| &arena.node(first).kind)? else {
        return None;
    };
    let text = strings.get(*text);
    (text.len() <= MAX_BYTES && text.contains("<img") && !text.contains("<noscript"))
        .then_some(text)
}

/// Opens a `noscript` with the attributes of the only picture in it, if it contains nothing else.
fn open_with_picture(builder: &mut DomBuilder, held: &Dom) {
    let mut pictures = held.ids().filter(|&id| held.tag(id) == "img");
    let has_text = held.ids().any(|id| {
        held.text(id)
            .is_some_and(|text| !crate::text::is_blank(text))
    });
    let only = pictures
        .next()
        .filter(|_| pictures.next().is_none() && !has_text);
    builder.open_with(
        "noscript",
        only.into_iter()
            .flat_map(|picture| held.attributes(picture).iter()),
    );
}

fn attribute<'a>(arena: &Arena, strings: &'a Strings, id: u32, name: &str) -> Option<&'a str> {
    match arena.node(id).kind {
        Kind::Element { attributes, .. } => strings.attributes(attributes).get(name),
        _ => None,
    }
}

/// The contents of the first child that declares a shadow tree.
fn shadow_of(arena: &Arena, strings: &Strings, id: u32) -> Option<u32> {
    if !arena.has_templates {
        return None;
    }
    let mut child = arena.node(id).first;
    while child != NONE {
        if let Kind::Element { contents, .. } = arena.node(child).kind
            && contents != NONE
        {
            let attribute = |name| attribute(arena, strings, child, name);
            let mode = attribute("shadowrootmode").or_else(|| attribute("shadowmode"));
            if mode.is_some_and(|mode| {
                mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed")
            }) {
                return Some(contents);
            }
        }
        child = arena.node(child).next;
    }
    None
}

/// The slot to which a child of a host is assigned; `None` for templates.
fn slot_of(arena: &Arena, strings: &Strings, child: u32) -> Option<String> {
    match arena.node(child).kind {
        Kind::Element { contents: NONE, .. } => Some(
            attribute(arena, strings, child, "slot")
                .unwrap_or("")
                .to_owned(),
        ),
        Kind::Text(_) | Kind::JoinedText(_) => Some(String::new()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::html::parse_html;

    fn texts(html: &str) -> Vec<String> {
        let dom = parse_html(html);
        assert!(dom.is_consistent());
        dom.ids()
            .filter_map(|id| dom.text(id))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn slots_are_filled_and_unassigned_children_are_removed() {
        let html = "<x-card><template shadowrootmode=open><h2><slot name=title>no title</slot></h2><slot></slot>\
                    <slot name=foot>foot</slot></template><span slot=title>Title</span>text<b slot=lost>lost</b></x-card>";
        assert_eq!(texts(html), ["Title", "text", "foot"]);
    }

    #[test]
    fn the_place_of_a_picture_without_scripts_has_its_attributes() {
        let sources = |html: &str| {
            let dom = parse_html(html);
            let places = dom.ids().filter(|&id| dom.tag(id) == "noscript");
            places
                .map(|id| dom.attribute(id, "src").map(str::to_owned))
                .collect::<Vec<_>>()
        };
        let html = "<body><noscript> <img src=a alt=b> </noscript><noscript><a href=x><picture><source srcset=c><img src=d>\
                    </picture></a></noscript><noscript>text</noscript><noscript><p>x</p></noscript>";
        assert_eq!(
            sources(html),
            [Some("a".to_owned()), Some("d".to_owned()), None, None]
        );
    }

    #[test]
    fn shadow_trees_nest() {
        let html = "<x-a><template shadowrootmode=open><x-b><template shadowmode=closed>[<slot></slot>]</template>\
                    <slot></slot></x-b></template>inner</x-a>";
        assert_eq!(texts(html), ["[", "inner", "]"]);
    }
}
