//! Where an element stands, in words: the tags of the elements around it.

use super::{Dom, NodeId};

impl Dom {
    /// Tags from the root to `id`, such as `html/body/div`. Hostile pages nest very deep, so of a longer path only the
    /// innermost `most` tags are given, after `ellipsis`.
    pub(crate) fn path(&self, id: NodeId, most: usize, ellipsis: &str) -> String {
        let all = std::iter::once(id).chain(self.ancestors(id)).map(|id| self.tag(id));
        let mut tags: Vec<&str> = all.filter(|tag| !tag.is_empty()).take(most + 1).collect();
        if tags.len() > most {
            tags[most] = ellipsis;
        }
        tags.reverse();
        tags.join("/")
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
}
