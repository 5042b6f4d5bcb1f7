//! Puts the documents of an MHTML file's frames into the tree of its page.
//!
//! Chromium names a frame's part by `Content-ID` and refers to it as `cid:`; other programs name it by its address
//! (`Content-Location`), to which the frame refers as on the web, relative to the document that it is in.

use crate::capture::{Dom, DomBuilder, NodeId, NodeKind};
use std::collections::{BTreeMap, BTreeSet};
use url::{Position, Url};

/// Largest number of frames whose documents are inserted into the tree.
const MAX_FRAMES: usize = 200;

/// The documents that frames may show, by their names.
#[derive(Debug, Default)]
pub(super) struct Frames {
    by_name: BTreeMap<String, usize>,
    /// The address of each document.
    addresses: Vec<Option<Url>>,
    /// The documents that were used.
    used: BTreeSet<usize>,
}

impl Frames {
    /// Adds a document, which has a `Content-ID` or an address; if a name is repeated, the first document is used.
    pub(super) fn add(&mut self, id: Option<&str>, location: Option<Url>) {
        let names = [id.map(content_name), location.as_ref().map(location_name)];
        let place = self.addresses.len();
        for name in names.into_iter().flatten() {
            self.by_name.entry(name).or_insert(place);
        }
        self.addresses.push(location);
    }

    /// The number of the document that a frame shows, in the order of [`Self::add`], and the address of the document;
    /// each once.
    fn take(&mut self, source: &str, base: Option<&Url>) -> Option<(usize, Option<Url>)> {
        let name = if source.starts_with("cid:") {
            source.to_owned()
        } else {
            location_name(&Url::options().base_url(base).parse(source).ok()?)
        };
        let place = *self.by_name.get(&name)?;
        self.used.insert(place).then(|| (place, self.addresses[place].clone()))
    }
}

/// The name by which a frame refers to a part with this `Content-ID`.
pub(super) fn content_name(id: &str) -> String {
    format!("cid:{}", id.trim_matches(['<', '>']))
}

/// The name of a part with this address, which is without a fragment.
pub(super) fn location_name(location: &Url) -> String {
    location[..Position::AfterQuery].to_owned()
}

/// What a frame shows.
fn frame_source(dom: &Dom, id: NodeId) -> Option<&str> {
    let name = match dom.tag(id) {
        "iframe" | "frame" => "src",
        "object" => "data",
        _ => return None,
    };
    dom.attribute(id, name).or_else(|| dom.attribute(id, "src")).map(str::trim)
}

/// Whether a document has frames.
pub(super) fn has_frames(dom: &Dom) -> bool {
    dom.ids().any(|id| frame_source(dom, id).is_some())
}

/// The address that a document's references are relative to.
fn base_of(dom: &Dom, address: Option<Url>) -> Option<Url> {
    let stated = dom.ids().find(|id| dom.tag(*id) == "base").and_then(|id| dom.attribute(id, "href"));
    stated.and_then(|stated| Url::options().base_url(address.as_ref()).parse(stated).ok()).or(address)
}

/// A tree that is being copied.
struct Copy {
    dom: Dom,
    /// The next node.
    next: usize,
    /// The ends of its open elements, innermost last.
    open: Vec<usize>,
    base: Option<Url>,
}

impl Copy {
    fn new(dom: Dom, address: Option<Url>) -> Self {
        let base = base_of(&dom, address);
        Self { dom, next: 1, open: Vec::new(), base }
    }
}

/// Inserts each frame's document below its element, once; also for nested frames. `parse` gives the document with a
/// number.
pub(super) fn insert_frames(
    root: Dom,
    address: Option<Url>,
    mut frames: Frames,
    mut parse: impl FnMut(usize) -> Dom,
) -> Dom {
    let mut builder = DomBuilder::new();
    let mut copies = vec![Copy::new(root, address)];
    let mut inserted = 0;
    while let Some(Copy { dom, next, open, base }) = copies.last_mut() {
        while open.last().is_some_and(|&end| end <= *next) {
            builder.close();
            open.pop();
        }
        if *next >= dom.len() {
            copies.pop();
            if !copies.is_empty() {
                builder.close(); // the frame's document
            }
            continue;
        }
        let id = NodeId::new(*next);
        *next += 1;
        match dom.kind(id) {
            NodeKind::Text(text) => {
                builder.text(text);
            }
            NodeKind::Document => {
                builder.open_document();
                open.push(dom.end(id));
            }
            NodeKind::Element { tag, attributes } => {
                builder.open_named(tag.clone(), attributes.clone());
                open.push(dom.end(id));
                let source = frame_source(dom, id).filter(|_| inserted < MAX_FRAMES);
                if let Some((number, address)) = source.and_then(|source| frames.take(source, base.as_ref())) {
                    inserted += 1;
                    *next = dom.end(id); // the element's content is for browsers without frames
                    builder.open_document();
                    let address = address.or_else(|| base.clone());
                    copies.push(Copy::new(parse(number), address));
                }
            }
        }
    }
    builder.finish()
}
