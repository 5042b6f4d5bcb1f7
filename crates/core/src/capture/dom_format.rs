//! The tree as stored in a capture: a list of nodes, each with its parent, end, depth and kind.
//!
//! The format does not depend on how a [`Dom`] is kept in memory.

use super::dom::Dom;
use super::dom_builder::DomBuilder;
use super::node::NodeKind;
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A node in a file.
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredNode<'a> {
    parent: u32,
    end: u32,
    depth: u32,
    #[serde(borrow)]
    kind: StoredKind<'a>,
}

/// A text, borrowed from the file where it has no escapes.
type Text<'a> = Cow<'a, str>;

#[derive(serde::Serialize, serde::Deserialize)]
enum StoredKind<'a> {
    Document,
    Element {
        #[serde(borrow)]
        tag: Text<'a>,
        #[serde(borrow)]
        attributes: Vec<(Text<'a>, Text<'a>)>,
    },
    #[serde(borrow)]
    Text(Text<'a>),
}

impl<'a> From<NodeKind<'a>> for StoredKind<'a> {
    fn from(kind: NodeKind<'a>) -> Self {
        match kind {
            NodeKind::Document => Self::Document,
            NodeKind::Element { tag, attributes } => Self::Element {
                tag: tag.into(),
                attributes: attributes
                    .iter()
                    .map(|(name, value)| (name.into(), value.into()))
                    .collect(),
            },
            NodeKind::Text(text) => Self::Text(text.into()),
        }
    }
}

impl Serialize for Dom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Dom", 1)?;
        out.serialize_field("nodes", &NodesOut(self))?;
        out.end()
    }
}

struct NodesOut<'a>(&'a Dom);

impl Serialize for NodesOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dom = self.0;
        serializer.collect_seq(dom.ids().map(|id| StoredNode {
            parent: dom.parent(id).map_or(0, |up| up.index() as u32),
            end: dom.end(id) as u32,
            depth: dom.depth(id) as u32,
            kind: dom.kind(id).into(),
        }))
    }
}

impl<'de> Deserialize<'de> for Dom {
    /// The tree of a damaged file may not be [consistent](Dom::is_consistent).
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "Dom")]
        struct Stored {
            nodes: NodesIn,
        }
        Stored::deserialize(deserializer).map(|stored| stored.nodes.0)
    }
}

struct NodesIn(Dom);

impl<'de> Deserialize<'de> for NodesIn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Nodes;

        impl<'de> Visitor<'de> for Nodes {
            type Value = NodesIn;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a list of nodes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut nodes: A) -> Result<NodesIn, A::Error> {
                let mut builder = DomBuilder::without_root();
                while let Some(StoredNode {
                    parent,
                    end,
                    depth,
                    kind,
                }) = nodes.next_element()?
                {
                    let links = [parent, end, depth];
                    match &kind {
                        StoredKind::Document => builder.add_document(links),
                        StoredKind::Text(text) => builder.add_text(links, text),
                        StoredKind::Element { tag, attributes } => {
                            builder.add_element(
                                links,
                                tag,
                                attributes.iter().map(|(name, value)| (&**name, &**value)),
                            );
                        }
                    }
                }
                Ok(NodesIn(builder.finish()))
            }
        }

        deserializer.deserialize_seq(Nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree in the format that all versions have written.
    const STORED: &str = concat!(
        r#"{"nodes":[{"parent":0,"end":4,"depth":0,"kind":"Document"},"#,
        r#"{"parent":0,"end":3,"depth":1,"kind":{"Element":{"tag":"p","attributes":[["id","a\"b"],["x","é"]]}}},"#,
        r#"{"parent":1,"end":3,"depth":2,"kind":{"Text":"one\ntwo"}},"#,
        r#"{"parent":0,"end":4,"depth":1,"kind":{"Element":{"tag":"x-y","attributes":[]}}}]}"#
    );

    #[test]
    fn the_stored_form_is_that_of_earlier_versions() {
        let mut builder = DomBuilder::new();
        builder.open(
            "p",
            vec![("id".into(), "a\"b".into()), ("x".into(), "é".into())],
        );
        builder.text("one\ntwo");
        builder.close();
        builder.open("x-y", vec![]);
        let dom = builder.finish();
        assert_eq!(serde_json::to_string(&dom).unwrap(), STORED);
        assert_eq!(serde_json::from_str::<Dom>(STORED).unwrap(), dom);
        assert_eq!(
            serde_json::from_reader::<_, Dom>(STORED.as_bytes()).unwrap(),
            dom
        );
    }

    #[test]
    fn damage_is_an_error_or_noticed_later() {
        assert!(serde_json::from_str::<Dom>(&STORED.replace("Document", "Other")).is_err());
        assert!(serde_json::from_str::<Dom>(r#"{"nodes":7}"#).is_err());
        assert!(
            !serde_json::from_str::<Dom>(r#"{"nodes":[]}"#)
                .unwrap()
                .is_consistent()
        );
        let damaged: Dom = serde_json::from_str(&STORED.replace("\"end\":4", "\"end\":9")).unwrap();
        assert!(!damaged.is_consistent());
    }
}
