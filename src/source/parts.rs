//! The resources of an MHTML file (style sheets, pictures, fonts, documents of frames), by the names that the page uses for them.

use super::mhtml_frames::{content_name, location_name};
use mail_parser::{MessagePart, MimeHeaders, PartType};
use std::collections::BTreeMap;
use url::Url;

/// Resources of one MHTML file.
#[derive(Debug, Default)]
pub struct Parts {
    by_name: BTreeMap<String, usize>,
    parts: Vec<Part>,
}

/// One resource.
#[derive(Debug)]
pub struct Part {
    /// Media type in lower case, without parameters; empty if none is given. Text is UTF-8, in any encoding of the
    /// file.
    pub content_type: String,
    /// The content.
    pub body: Vec<u8>,
}

impl Parts {
    /// The resource with an address, which may have a fragment, or with a `cid:` name.
    pub fn get(&self, name: &str) -> Option<&Part> {
        let without_fragment = name.split('#').next().unwrap_or_default();
        self.by_name.get(without_fragment).map(|&place| &self.parts[place])
    }

    /// Adds a part under both of its names; if a name is repeated, the first part is used. Its address may be relative
    /// to that of the page.
    pub(super) fn add(&mut self, part: MessagePart<'_>, base: Option<&Url>) {
        let kind = part.content_type();
        let content_type = kind.map_or_else(String::new, |kind| {
            format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or("")).to_ascii_lowercase()
        });
        let names = [
            part.content_location().map(|address| match Url::options().base_url(base).parse(address) {
                Ok(url) => location_name(&url),
                Err(_) => address.to_owned(),
            }),
            part.content_id().map(content_name),
        ];
        let body = match part.body {
            PartType::Text(text) | PartType::Html(text) => text.into_owned().into_bytes(),
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => bytes.into_owned(),
            _ => return,
        };
        let place = self.parts.len();
        self.parts.push(Part { content_type, body });
        for name in names.into_iter().flatten() {
            self.by_name.entry(name).or_insert(place);
        }
    }
}
