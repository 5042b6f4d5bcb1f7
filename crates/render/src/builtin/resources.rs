//! Provides the style sheets, fonts and pictures of a page: from its archive, from the parts of its
//! file, or from the folder next to it.
//!
//! The engine requests addresses and gets each response at once. For a picture it gets only the
//! size, once for all requests of one address: features do not depend on the content of pictures.
//! Requests beyond the limits get no content.

use super::picture_sizes::picture_size;
use super::style_sheets::{is_foreign, prepared, resolvable};
use crate::net::{MissingSheets, Redirects, file_beside};
use blitz_dom::BaseDocument;
use blitz_dom::net::{Resource, ResourceLoadResponse};
use blitz_dom::util::ImageType;
use blitz_traits::net::{Bytes, NetHandler, NetProvider, Request};
use data_url::DataUrl;
use percent_encoding::percent_decode_str;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use url::{Position, Url};
use vclean_core::capture::{Dom, NodeId, NodeKind};
use vclean_core::error::{Warning, WarningKind, Warnings};
use vclean_core::html::{charset, decode};
use vclean_core::page::{self, Parts};
use vclean_core::rendering::Missing;

/// Prefix of the fragment in the address of a linked style sheet; the sheet's media follow.
pub(super) const SHEET: &str = "vclean-sheet:";
/// Host of a page without an address; a name that never resolves (RFC 2606).
pub(super) const NOWHERE: &str = "http://saved.invalid/";

/// Limit for all style sheets of a page, in bytes.
const MAX_SHEET_BYTES: usize = 4 << 20;
/// Limits for one font and for all fonts of a page, in bytes.
const MAX_FONT_BYTES: usize = 8 << 20;
const MAX_FONTS_BYTES: usize = 32 << 20;
/// Placeholder pixels of a picture with known size and unknown content. A missing picture has no
/// bytes at all.
const SIZE_ONLY: u8 = 1;
/// Limit for the decoded pixels of all pictures of a painted page.
const MAX_PIXELS: u64 = 100_000_000;
/// Limit for the requests of a page.
const MAX_REQUESTS: usize = 5_000;

/// Source of a page's resources.
pub(super) enum ResourceLocation {
    /// The page has no resources but those in `data:` addresses.
    Nothing,
    /// A folder, for addresses on the host of [`NOWHERE`].
    Folder(PathBuf),
    /// The web archive that the page is stored in.
    Archive(Arc<dyn page::Resources>),
    /// The parts of an MHTML file.
    Parts(Parts),
}

/// The resources of a page.
pub(super) struct Resources {
    location: ResourceLocation,
    /// True if the content of pictures is needed and not only their size.
    is_painted: bool,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    requests: usize,
    sheet_bytes: usize,
    font_bytes: usize,
    /// Number of pixels in all decoded pictures.
    pixels: u64,
    /// Base addresses of the documents, by the engine's document numbers.
    bases: BTreeMap<usize, Url>,
    /// Addresses of pictures, with the sizes of those that were found.
    pictures: Vec<(Url, [u32; 2])>,
    missing: Missing,
    missing_sheets: MissingSheets,
    warnings: Warnings,
}

struct FoundResource {
    content_type: String,
    body: Vec<u8>,
}

impl Resources {
    pub(super) fn new(location: ResourceLocation, is_painted: bool) -> Self {
        Self {
            location,
            is_painted,
            used: Mutex::default(),
        }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns problems that did not stop the page, and clears them.
    pub(super) fn warnings(&self) -> Warnings {
        let mut used = self.used();
        let mut warnings = std::mem::take(&mut used.warnings);
        warnings.extend(std::mem::take(&mut used.missing_sheets).warning());
        warnings
    }

    /// Returns flags for the kinds of resources that were requested but not found.
    pub(super) fn missing(&self) -> Missing {
        self.used().missing
    }

    /// Passes the sizes of the requested pictures to the engine.
    pub(super) fn give_sizes(&self, document: &mut BaseDocument) {
        let pictures = std::mem::take(&mut self.used().pictures);
        for (url, [width, height]) in pictures {
            document.load_resource(ResourceLoadResponse {
                request_id: usize::MAX,
                node_id: None,
                resolved_url: Some(url.into()),
                result: Ok(Resource::Image(
                    ImageType::Image,
                    width,
                    height,
                    Arc::new(vec![SIZE_ONLY]),
                )),
            });
        }
    }

    fn find(&self, url: &Url) -> Option<FoundResource> {
        if url.scheme() == "data" {
            return data(url);
        }
        match &self.location {
            ResourceLocation::Nothing => None,
            ResourceLocation::Folder(folder) => {
                let is_here = url.host_str() == Url::parse(NOWHERE).ok()?.host_str();
                let (body, content_type) =
                    is_here.then(|| file_beside(folder, url.path())).flatten()?;
                Some(FoundResource {
                    content_type: content_type.to_owned(),
                    body,
                })
            }
            ResourceLocation::Archive(archive) => {
                const MAX_REDIRECTS: usize = 4;
                let mut redirects = Redirects::new(url.clone(), MAX_REDIRECTS);
                loop {
                    let found = archive.find(&redirects.url)?;
                    if !redirects.follow(found.status, found.location.as_deref()) {
                        let is_success = (200..300).contains(&found.status);
                        return is_success.then_some(FoundResource {
                            content_type: found.content_type,
                            body: found.body,
                        });
                    }
                }
            }
            ResourceLocation::Parts(parts) => {
                let part = parts.get(url.as_str())?;
                Some(FoundResource {
                    content_type: part.content_type.clone(),
                    body: part.body.clone(),
                })
            }
        }
    }

    /// Resets all counts before the page is laid out again.
    pub(super) fn reset(&self) {
        *self.used() = Used::default();
    }

    /// Returns the text of the HTML document at an address.
    pub(super) fn document(&self, url: &Url) -> Option<String> {
        let found = self.find(url)?;
        let kind = found.content_type.split(';').next().unwrap_or_default();
        kind.to_ascii_lowercase()
            .contains("html")
            .then(|| decode(&found.body, charset(&found.content_type)).text)
    }

    /// Stores the base address of a document, by the engine's document number.
    pub(super) fn set_base(&self, document: usize, base: &Url) {
        self.used().bases.insert(document, base.clone());
    }

    /// Prepares a style sheet inside a document for the engine.
    pub(super) fn own_sheet(&self, text: &str, media: &str, base: &Url) -> String {
        if self.has_room(text.len()) {
            prepared(&resolvable(text, base, base), media)
        } else {
            String::new()
        }
    }

    /// Returns the style sheet that a document requested at `url`; empty if it was not found.
    fn sheet(
        &self,
        document: usize,
        url: &Url,
        found: Option<FoundResource>,
        media: &str,
    ) -> String {
        let Some(found) = found else {
            let mut used = self.used();
            used.missing.sheets |= !is_foreign(media);
            let is_of_folder = matches!(self.location, ResourceLocation::Folder(_))
                && Url::parse(NOWHERE).is_ok_and(|nowhere| nowhere.host() == url.host());
            if is_of_folder && !is_foreign(media) {
                used.missing_sheets.add(url);
            }
            return String::new();
        };
        if !self.has_room(found.body.len()) {
            self.used().missing.sheets = true;
            return String::new();
        }
        let base = self.used().bases.get(&document).cloned();
        prepared(
            &resolvable(&sheet_text(&found), url, base.as_ref().unwrap_or(url)),
            media,
        )
    }

    /// Returns true if a style sheet of this many bytes fits in the page's limit.
    fn has_room(&self, bytes: usize) -> bool {
        let mut used = self.used();
        if used.sheet_bytes + bytes <= MAX_SHEET_BYTES {
            used.sheet_bytes += bytes;
            return true;
        }
        let limit = MAX_SHEET_BYTES >> 20;
        let text = format!("the page has more than {limit} MB of style sheets; some are left out");
        let warning = Warning::new(WarningKind::MissingParts, text);
        if !used.warnings.contains(&warning) {
            used.warnings.push(warning);
        }
        false
    }
}

impl NetProvider for Resources {
    fn fetch(&self, document: usize, request: Request, handler: Box<dyn NetHandler>) {
        let mut url = request.url;
        {
            let mut used = self.used();
            used.requests += 1;
            if used.requests > MAX_REQUESTS {
                // The engine waits for style sheets, so each request must get a response.
                drop(used);
                handler.bytes(url.into(), Bytes::new());
                return;
            }
        }
        let media = url
            .fragment()
            .and_then(|fragment| fragment.strip_prefix(SHEET))
            .map(percent_decoded);
        let requested: String = url.clone().into();
        url.set_fragment(None);
        if let Some(media) = media {
            let text = self.sheet(document, &url, self.find(&url), &media);
            handler.bytes(requested, text.into());
            return;
        }
        let Some(found) = self.find(&url) else {
            // A picture, a font, or an imported style sheet.
            self.used().missing.pictures = true;
            return;
        };
        if let Some(size) = picture_size(&found.body) {
            let pixels = u64::from(size[0]) * u64::from(size[1]);
            let mut used = self.used();
            used.pixels += pixels;
            let is_decoded =
                self.is_painted && used.pixels <= MAX_PIXELS && can_decode(&found.body);
            if !is_decoded {
                used.pictures.push((url, size));
                return;
            }
            drop(used);
            handler.bytes(requested, found.body.into());
        } else if is_font(&found.body) {
            let mut used = self.used();
            used.font_bytes += found.body.len();
            if found.body.len() <= MAX_FONT_BYTES && used.font_bytes <= MAX_FONTS_BYTES {
                drop(used);
                handler.bytes(requested, found.body.into());
            }
        } else if found.content_type.is_empty() || found.content_type.contains("css") {
            // A sheet that another style sheet imports.
            let text = self.sheet(document, &url, Some(found), "");
            handler.bytes(requested, text.into());
        }
    }
}

/// Returns true if a picture can be decoded here: PNG or JPEG.
fn can_decode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG") || bytes.starts_with(b"\xff\xd8")
}

fn is_font(bytes: &[u8]) -> bool {
    const STARTS: [&[u8]; 5] = [b"wOFF", b"wOF2", b"OTTO", b"true", &[0, 1, 0, 0]];
    STARTS.iter().any(|start| bytes.starts_with(start))
}

/// Decodes a style sheet: as UTF-8 if it is valid, else in the encoding of its header or its first
/// rule.
fn sheet_text(found: &FoundResource) -> String {
    if let Ok(text) = std::str::from_utf8(&found.body) {
        return text.trim_start_matches('\u{feff}').to_owned();
    }
    let named = charset(&found.content_type);
    let ruled = found.body.strip_prefix(b"@charset \"").and_then(|rest| {
        let end = rest.iter().take(40).position(|&byte| byte == b'"')?;
        std::str::from_utf8(&rest[..end]).ok()
    });
    let encoding = named
        .or(ruled)
        .and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()));
    encoding
        .unwrap_or(encoding_rs::UTF_8)
        .decode(&found.body)
        .0
        .into_owned()
}

/// Returns the content of a `data:` address (RFC 2397), up to the first `?`. Browsers do not stop
/// there. It is cut here so that pictures keep the sizes that they had when the models were
/// trained.
fn data(url: &Url) -> Option<FoundResource> {
    let data = DataUrl::process(&url[..Position::AfterPath]).ok()?;
    let (body, _) = data.decode_to_vec().ok()?;
    Some(FoundResource {
        content_type: data.mime_type().to_string(),
        body,
    })
}

fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Returns the base address of the document at `document`: of the page itself, whose address is
/// `page`, or of a frame.
pub(super) fn document_base(dom: &Dom, document: NodeId, page: &Url) -> Url {
    // The documents around this one, the page itself last.
    let mut frames: Vec<NodeId> = dom
        .ancestors(document)
        .filter(|&up| dom.kind(up) == NodeKind::Document)
        .collect();
    frames.insert(0, document);
    let mut base = page.clone();
    for document in frames.into_iter().rev() {
        if let Some(address) = dom
            .parent(document)
            .and_then(|frame| frame_address(dom, frame, &base))
        {
            base = address;
        }
        base = own_base(dom, document, &base);
    }
    base
}

/// Returns the address of the document in a frame; `None` if the document is in an attribute, or in
/// a part without an address.
pub(super) fn frame_address(dom: &Dom, frame: NodeId, base: &Url) -> Option<Url> {
    if dom.attribute(frame, "srcdoc").is_some() {
        return None;
    }
    let address = base.join(dom.attribute(frame, "src")?.trim()).ok()?;
    (!address.cannot_be_a_base()).then_some(address)
}

/// Returns the base address that a document declares in its first `base` element with an address,
/// or `address`.
fn own_base(dom: &Dom, document: NodeId, address: &Url) -> Url {
    let mut inner = 0;
    dom.descendants(document)
        .filter(|&id| {
            if dom.kind(id) == NodeKind::Document {
                inner = inner.max(dom.end(id));
            }
            id.index() >= inner && dom.tag(id) == "base"
        })
        .find_map(|id| dom.attribute(id, "href"))
        .and_then(|href| address.join(href.trim()).ok())
        .filter(|url| !url.cannot_be_a_base())
        .unwrap_or_else(|| address.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_addresses_hold_their_content() {
        let found = |url: &str| {
            let found = data(&Url::parse(url).unwrap())?;
            Some((found.content_type, String::from_utf8(found.body).unwrap()))
        };
        for (url, content_type, body) in [
            (
                "data:text/css;charset=utf-8,p%20%7B%7D#part",
                "text/css;charset=utf-8",
                "p {}",
            ),
            ("data:IMAGE/x;base64,SGVs%0AbG8%3D", "image/x", "Hello"),
            (
                "data:image/svg+xml,<svg>100%</svg>",
                "image/svg+xml",
                "<svg>100%</svg>",
            ),
            ("data:text/css,a{}?b{}", "text/css", "a{}"),
        ] {
            assert_eq!(
                found(url),
                Some((content_type.to_owned(), body.to_owned())),
                "{url}"
            );
        }
        assert_eq!(
            (found("data:no-comma"), found("data:image/x;base64,!")),
            (None, None)
        );
        assert_eq!(percent_decoded("(width:%2050%)%e4"), "(width: 50%)\u{fffd}");
    }
}
