//! Where an element stands, in words: the tags of the elements around it.

use super::{Dom, NodeId};

impl Dom {
    /// Tags from the root to `id`, such as `html/body/div`. Hostile pages nest very deep, so of a longer path only the
    /// innermost `most` tags are given, after `ellipsis`.
    pub(crate) fn path(&self, id: NodeId, most: usize, ellipsis: &str) -> String {
        let mut tags: Vec<&str> = Vec::with_capacity(self.depth(id).min(most) + 1);
        let all = std::iter::once(id).chain(self.ancestors(id)).map(|id| self.tag(id));
        tags.extend(all.filter(|tag| !tag.is_empty()).take(most + 1));
        if tags.len() > most {
            tags[most] = ellipsis;
        }
        tags.reverse();
        tags.join("/")
    }
}

/// The paths of nodes that are asked for in document order: the start that two of them share is written once.
#[derive(Debug)]
pub(crate) struct Paths<'a> {
    dom: &'a Dom,
    most: usize,
    ellipsis: &'a str,
    /// The path of the innermost of `open`.
    path: String,
    /// The node of the last path and those around it, outermost first, each with the length of its path.
    open: Vec<(NodeId, usize)>,
}

impl<'a> Paths<'a> {
    /// Paths of at most `most` tags, as those of [`Dom::path`].
    pub(crate) fn new(dom: &'a Dom, most: usize, ellipsis: &'a str) -> Self {
        Self { dom, most, ellipsis, path: String::new(), open: Vec::new() }
    }

    /// The path of a node.
    pub(crate) fn path(&mut self, id: NodeId) -> String {
        let dom = self.dom;
        if dom.depth(id) > self.most {
            return dom.path(id, self.most, self.ellipsis);
        }
        while self.open.pop_if(|(last, _)| !dom.contains(*last, id)).is_some() {}
        let shared = self.open.last().copied();
        self.path.truncate(shared.map_or(0, |(_, length)| length));
        let around = std::iter::once(id).chain(dom.ancestors(id));
        let missing: Vec<NodeId> = around.take_while(|&up| shared.is_none_or(|(last, _)| up != last)).collect();
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
    use crate::capture::DomBuilder;

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
