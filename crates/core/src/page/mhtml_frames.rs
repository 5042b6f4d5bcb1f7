//! Puts the documents of an MHTML file's frames into the tree of its page.
//!
//! Chromium names a frame's part by `Content-ID` and refers to it as `cid:`. Other programs name it
//! by its address (`Content-Location`); the frame refers to that as on the web, relative to its
//! document.

use crate::capture::{Dom, DomBuilder, NodeId, TreeCopy};
use std::collections::{BTreeMap, BTreeSet};
use url::{Position, Url};

/// Largest number of frames whose documents are inserted into the tree.
const MAX_FRAMES: usize = 200;

/// The documents that frames may show, with their names.
#[derive(Debug, Default)]
pub(super) struct Frames {
    by_name: BTreeMap<String, usize>,
    /// The address of each document, if it has one.
    addresses: Vec<Option<Url>>,
    /// Indices of the documents that were inserted.
    used: BTreeSet<usize>,
}

impl Frames {
    /// Adds a document that has a `Content-ID` or an address. If a name is repeated, the first
    /// document is used.
    pub(super) fn add(&mut self, id: Option<&str>, location: Option<Url>) {
        let names = [id.map(content_name), location.as_ref().map(location_name)];
        let place = self.addresses.len();
        for name in names.into_iter().flatten() {
            self.by_name.entry(name).or_insert(place);
        }
        self.addresses.push(location);
    }

    /// The number of the document that a frame shows, in the order of [`Self::add`], and the
    /// address of the document. Each document is returned once.
    fn take(&mut self, source: &str, base: Option<&Url>) -> Option<(usize, Option<Url>)> {
        let name = if source.starts_with("cid:") {
            source.to_owned()
        } else {
            location_name(&Url::options().base_url(base).parse(source).ok()?)
        };
        let place = *self.by_name.get(&name)?;
        self.used
            .insert(place)
            .then(|| (place, self.addresses[place].clone()))
    }
}

/// The name by which a frame refers to a part with this `Content-ID`.
pub(super) fn content_name(id: &str) -> String {
    format!("cid:{}", id.trim_matches(['<', '>']))
}

/// The name of a part with this address; fragments are ignored.
pub(super) fn location_name(location: &Url) -> String {
    location[..Position::AfterQuery].to_owned()
}

/// The address of the document that a frame shows.
fn frame_source(dom: &Dom, id: NodeId) -> Option<&str> {
    let name = match dom.tag(id) {
        "iframe" | "frame" => "src",
        "object" => "data",
        _ => return None,
    };
    dom.attribute(id, name)
        .or_else(|| dom.attribute(id, "src"))
        .map(str::trim)
}

/// Returns true if a document has frames.
pub(super) fn has_frames(dom: &Dom) -> bool {
    dom.ids().any(|id| frame_source(dom, id).is_some())
}

/// The address to which a document's references are relative.
fn base_of(dom: &Dom, address: Option<Url>) -> Option<Url> {
    let stated = dom
        .ids()
        .find(|id| dom.tag(*id) == "base")
        .and_then(|id| dom.attribute(id, "href"));
    stated
        .and_then(|stated| Url::options().base_url(address.as_ref()).parse(stated).ok())
        .or(address)
}

/// A document that is being copied.
struct Document {
    dom: Dom,
    copy: TreeCopy,
    base: Option<Url>,
}

impl Document {
    fn new(dom: Dom, address: Option<Url>) -> Self {
        let base = base_of(&dom, address);
        Self {
            dom,
            copy: TreeCopy::new(),
            base,
        }
    }
}

/// Inserts the document of each frame below the frame's element, including nested frames; each
/// document is inserted once. `parse` returns the document with a number.
pub(super) fn insert_frames(
    root: Dom,
    address: Option<Url>,
    mut frames: Frames,
    mut parse: impl FnMut(usize) -> Dom,
) -> Dom {
    let mut builder = DomBuilder::new();
    // The page and the documents of the open frames, innermost last.
    let mut documents = vec![Document::new(root, address)];
    let mut inserted = 0;
    while let Some(Document { dom, copy, base }) = documents.last_mut() {
        let Some(id) = copy.step(dom, &mut builder) else {
            documents.pop();
            if !documents.is_empty() {
                builder.close(); // the frame's document
            }
            continue;
        };
        let source = frame_source(dom, id).filter(|_| inserted < MAX_FRAMES);
        if let Some((number, address)) =
            source.and_then(|source| frames.take(source, base.as_ref()))
        {
            inserted += 1;
            copy.skip_content(dom); // it is for browsers without frames
            builder.open_document();
            let address = address.or_else(|| base.clone());
            documents.push(Document::new(parse(number), address));
        }
    }
    builder.finish()
}
