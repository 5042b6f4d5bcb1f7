//! The location of an element in its tree: as an XPath, `/html[1]/body[1]/div[2]`, or as the tags
//! of its ancestors.

use super::{Dom, NodeId};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Maximum number of steps in a path; hostile pages nest very deep, and every block stores a path.
const MAX_STEPS: usize = 256;

/// The positions of all nodes of a tree among their siblings of the same kind.
#[derive(Debug)]
pub struct Positions {
    /// Counted from 1 among elements of the same tag, or among text nodes. 0 for documents.
    position: Vec<u32>,
    /// True if a sibling has the same tag.
    has_twin: Vec<bool>,
}

impl Positions {
    /// Counts the siblings of every node.
    pub fn new(dom: &Dom) -> Self {
        let mut seen: FxHashMap<(usize, &str), (u32, NodeId)> = FxHashMap::default();
        let mut position = vec![0; dom.len()];
        let mut has_twin = vec![false; dom.len()];
        for id in dom.ids() {
            let name = dom.tag(id);
            if name.is_empty() && dom.text(id).is_none() {
                continue;
            }
            let parent = dom.parent(id).map_or(0, NodeId::index);
            let (count, first) = seen.entry((parent, name)).or_insert((0, id));
            *count += 1;
            position[id.index()] = *count;
            if *count > 1 {
                has_twin[id.index()] = true;
                has_twin[first.index()] = true;
            }
        }
        Self { position, has_twin }
    }

    /// The full path of a node, each step with its position: `/html[1]/body[1]/p[2]/text()[1]`.
    /// Empty for a node that is more than 256 levels deep.
    pub fn xpath(&self, dom: &Dom, id: NodeId) -> String {
        let step = |id: NodeId| {
            let name = if dom.text(id).is_some() {
                "text()"
            } else {
                dom.tag(id)
            };
            format!("/{name}[{}]", self.position[id.index()])
        };
        self.steps(dom, id, MAX_STEPS)
            .map_or_else(String::new, |steps| steps.into_iter().map(step).collect())
    }

    /// The path of an element for a browser's `document.evaluate`, where a plain name means an HTML
    /// element. Elements of SVG and MathML, and those whose names are not valid in XML, become
    /// steps such as `*[local-name()='math'][1]`. Frames and shadow trees are steps of the path
    /// here, while in a browser they are separate documents.
    pub(crate) fn xpath_for_browsers(&self, dom: &Dom, id: NodeId) -> String {
        let Some(steps) = self.steps(dom, id, MAX_STEPS) else {
            return String::new();
        };
        let (mut path, mut is_foreign) = (String::new(), false);
        for id in steps {
            let tag = dom.tag(id);
            is_foreign |= matches!(tag, "svg" | "math");
            let name = match tag {
                "" => "text()".to_owned(),
                _ if !is_foreign && is_plain_name(tag) => tag.to_owned(),
                // The tree has lower-case tags, but some SVG names have capitals.
                "foreignobject" => "*[local-name()='foreignObject']".to_owned(),
                "textpath" => "*[local-name()='textPath']".to_owned(),
                // An XPath cannot contain a text with both kinds of quotes.
                _ if tag.contains('\'') && tag.contains('"') => return String::new(),
                _ if tag.contains('\'') => format!("*[local-name()=\"{tag}\"]"),
                _ => format!("*[local-name()='{tag}']"),
            };
            let _ = write!(path, "/{name}[{}]", self.position[id.index()]);
        }
        path
    }

    /// The node at a full path in the format of [`xpath`](Self::xpath); a step without a position
    /// means the first such node. `None` if the node does not exist.
    pub fn find(&self, dom: &Dom, xpath: &str) -> Option<NodeId> {
        let mut node = Dom::ROOT;
        for step in xpath.strip_prefix('/')?.split('/') {
            let (name, position) = match step
                .strip_suffix(']')
                .and_then(|step| step.rsplit_once('['))
            {
                Some((name, position)) => (name, position.parse().ok()?),
                None => (step, 1),
            };
            let name = name.to_ascii_lowercase();
            let is_meant = |id: &NodeId| {
                let is_named = if name == "text()" {
                    dom.text(*id).is_some()
                } else {
                    dom.tag(*id) == name
                };
                is_named && self.position[id.index()] == position
            };
            let documents = dom
                .children(node)
                .filter(|&id| dom.tag(id).is_empty() && dom.text(id).is_none());
            let mut below = documents.flat_map(|document| dom.children(document));
            node = dom
                .children(node)
                .find(is_meant)
                .or_else(|| below.find(is_meant))?;
        }
        Some(node)
    }

    /// A path for people: positions only where a sibling has the same tag, such as
    /// `html/body/div[2]/p`. A long path is shortened to `...` and its innermost `most` steps.
    pub fn short(&self, dom: &Dom, id: NodeId, most: usize) -> String {
        let all = std::iter::once(id)
            .chain(dom.ancestors(id))
            .filter(|&id| !dom.tag(id).is_empty());
        let mut steps: Vec<String> = all
            .take(most + 1)
            .map(|id| {
                let (tag, position) = (dom.tag(id), self.position[id.index()]);
                if self.has_twin[id.index()] {
                    format!("{tag}[{position}]")
                } else {
                    tag.to_owned()
                }
            })
            .collect();
        if steps.len() > most {
            "...".clone_into(&mut steps[most]);
        }
        steps.reverse();
        steps.join("/")
    }

    /// The nodes on the path to `id`, outermost first; `None` if there are more than `most`.
    fn steps(&self, dom: &Dom, id: NodeId, most: usize) -> Option<Vec<NodeId>> {
        let on_path = |id: &NodeId| self.position[id.index()] > 0;
        let mut steps: Vec<NodeId> = std::iter::once(id)
            .chain(dom.ancestors(id))
            .filter(on_path)
            .take(most + 1)
            .collect();
        steps.reverse();
        (steps.len() <= most).then_some(steps)
    }
}

/// True if a tag can be written in an XPath unchanged.
fn is_plain_name(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_ascii_lowercase())
        && tag.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
        })
}

impl Dom {
    /// Tags from the root to `id`, such as `html/body/div`. A longer path, as on hostile pages, is
    /// shortened to `ellipsis` and its innermost `most` tags.
    pub fn path(&self, id: NodeId, most: usize, ellipsis: &str) -> String {
        let mut tags: Vec<&str> = Vec::with_capacity(self.depth(id).min(most) + 1);
        let all = std::iter::once(id)
            .chain(self.ancestors(id))
            .map(|id| self.tag(id));
        tags.extend(all.filter(|tag| !tag.is_empty()).take(most + 1));
        if tags.len() > most {
            tags[most] = ellipsis;
        }
        tags.reverse();
        tags.join("/")
    }
}

/// Paths of nodes that are requested in document order; the start that a path shares with the
/// previous one is not built again.
#[derive(Debug)]
pub(crate) struct Paths<'a> {
    dom: &'a Dom,
    most: usize,
    ellipsis: &'a str,
    /// Path of the innermost node in `open`.
    path: String,
    /// The last node requested and its ancestors, outermost first, each with the length of its
    /// path.
    open: Vec<(NodeId, usize)>,
}

impl<'a> Paths<'a> {
    /// Paths of at most `most` tags, in the format of [`Dom::path`].
    pub(crate) fn new(dom: &'a Dom, most: usize, ellipsis: &'a str) -> Self {
        Self {
            dom,
            most,
            ellipsis,
            path: String::new(),
            open: Vec::new(),
        }
    }

    pub(crate) fn path(&mut self, id: NodeId) -> String {
        let dom = self.dom;
        if dom.depth(id) > self.most {
            return dom.path(id, self.most, self.ellipsis);
        }
        while self
            .open
            .pop_if(|(last, _)| !dom.contains(*last, id))
            .is_some()
        {}
        let shared = self.open.last().copied();
        self.path.truncate(shared.map_or(0, |(_, length)| length));
        let around = std::iter::once(id).chain(dom.ancestors(id));
        let missing: Vec<NodeId> = around
            .take_while(|&up| shared.is_none_or(|(last, _)| up != last))
            .collect();
        for up in missing.into_iter().rev() {
            if !self.path.is_empty() && !dom.tag(up).is_empty() {
                self.path.push('/');
            }
            self.path.push_str(dom.tag(up));
            self.open.push((up, self.path.len()));
        }
        self.path.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::DomBuilder;
    use super::*;
    use crate::html;

    #[test]
    fn steps_are_counted_among_siblings_of_the_same_tag() {
        let dom = html::parse_html("<div>a</div><p>b</p><div><p>c<b>d</b>e</p></div>");
        let positions = Positions::new(&dom);
        let text = |wanted: &str| {
            dom.ids()
                .find(|&id| dom.text(id) == Some(wanted))
                .unwrap_or(Dom::ROOT)
        };
        assert_eq!(
            positions.xpath(&dom, text("e")),
            "/html[1]/body[1]/div[2]/p[1]/text()[2]"
        );
        let paragraph = dom.parent(text("c")).unwrap_or(Dom::ROOT);
        assert_eq!(positions.short(&dom, paragraph, 9), "html/body/div[2]/p");
        assert_eq!(positions.short(&dom, paragraph, 2), ".../div[2]/p");
        assert_eq!(positions.xpath(&dom, Dom::ROOT), "");
        for id in dom.ids().skip(1) {
            assert_eq!(positions.find(&dom, &positions.xpath(&dom, id)), Some(id));
        }
        assert_eq!(positions.find(&dom, "/HTML/body/div[2]/p"), Some(paragraph));
        for wrong in [
            "",
            "p[1]",
            "/html[1]/body[1]/p[2]",
            "/html[x]",
            "//",
            "/html[1]/text()[1]",
        ] {
            assert_eq!(positions.find(&dom, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_browser_is_told_of_elements_that_are_no_html() {
        let dom = html::parse_html(
            "<p><svg><text>a</text><foreignObject><p>b</p></foreignObject></svg><o:p>c</o:p><x'y>d</x'y><math><mi>e</mi></math>",
        );
        let positions = Positions::new(&dom);
        let paths: Vec<String> = dom
            .ids()
            .filter(|&id| dom.text(id).is_some())
            .map(|id| {
                positions
                    .xpath_for_browsers(&dom, id)
                    .replacen("/html[1]/body[1]/p[1]", "", 1)
            })
            .collect();
        assert_eq!(
            paths,
            [
                "/*[local-name()='svg'][1]/*[local-name()='text'][1]/text()[1]",
                "/*[local-name()='svg'][1]/*[local-name()='foreignObject'][1]/*[local-name()='p'][1]/text()[1]",
                "/*[local-name()='o:p'][1]/text()[1]",
                "/*[local-name()=\"x'y\"][1]/text()[1]",
                "/*[local-name()='math'][1]/*[local-name()='mi'][1]/text()[1]",
            ]
        );
    }

    #[test]
    fn very_deep_nodes_have_no_path() {
        let dom = html::parse_html(&format!("{}text", "<div>".repeat(MAX_STEPS + 1)));
        let text = dom
            .ids()
            .find(|&id| dom.text(id) == Some("text"))
            .unwrap_or(Dom::ROOT);
        assert_eq!(Positions::new(&dom).xpath(&dom, text), "");
    }

    #[test]
    fn long_paths_lose_their_outermost_tags() {
        let mut builder = DomBuilder::new();
        for tag in ["html", "body", "div"] {
            builder.open(tag, vec![]);
        }
        let text = builder.text("a");
        let dom = builder.finish();
        assert_eq!(dom.path(text, 3, "…"), "html/body/div");
        assert_eq!(dom.path(text, 2, "..."), ".../body/div");
        assert_eq!(dom.path(crate::capture::Dom::ROOT, 2, "…"), "");
    }

    #[test]
    fn paths_in_document_order_are_those_of_each_node() {
        let html = "<div><p>a<b>b</b></p><ul><li>c<li><x-y>d</x-y></ul></div><iframe></iframe><p>e";
        let dom = crate::html::parse_html(html);
        for most in [2, 4, 9] {
            let mut paths = super::Paths::new(&dom, most, "…");
            for id in dom.ids().chain(dom.ids().rev()) {
                assert_eq!(paths.path(id), dom.path(id, most, "…"), "{id:?}");
            }
        }
    }
}
