//! The files by which sites announce their pages: sitemaps and their indexes (sitemaps.org), which
//! are XML or text, and feeds (RSS 0.9 to 2.0, Atom, JSON Feed).

use encoding_rs::UTF_8;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use serde_json::Value;

/// Largest number of records in a file: the limit of the sitemaps protocol.
const MAX_RECORDS: usize = 50_000;

/// An address that a file names, as it is written.
pub(super) enum Announcement {
    Page(String),
    Sitemap(String),
}

impl Announcement {
    /// Wraps the address of a record with the element name `kind`.
    fn new(kind: &str, address: &str) -> Self {
        match kind {
            "sitemap" => Self::Sitemap(address.to_owned()),
            _ => Self::Page(address.to_owned()),
        }
    }
}

/// Calls `each` with the addresses in a file, in order, until it returns false.
///
/// # Errors
/// If the file is of another kind or damaged. `each` was called for the addresses before the
/// damage.
pub(super) fn read(bytes: &[u8], mut each: impl FnMut(Announcement) -> bool) -> Result<(), String> {
    let (text, ..) = UTF_8.decode(bytes);
    let text = text.trim_start();
    if text.starts_with('<') {
        read_xml(text, &mut each)
    } else if text.starts_with('{') {
        read_json_feed(text, &mut each)
    } else {
        // Any other text, such as an error message, names no page.
        let lines = text.lines().map(str::trim);
        for line in lines
            .filter(|line| line.starts_with("http"))
            .take(MAX_RECORDS)
        {
            if !each(Announcement::Page(line.to_owned())) {
                break;
            }
        }
        Ok(())
    }
}

fn read_json_feed(text: &str, each: &mut impl FnMut(Announcement) -> bool) -> Result<(), String> {
    let feed: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let is_feed = feed["version"]
        .as_str()
        .is_some_and(|version| version.contains("jsonfeed.org/version/"));
    let items = feed["items"]
        .as_array()
        .filter(|_| is_feed)
        .ok_or("it is JSON, and no JSON Feed")?;
    for address in items.iter().filter_map(|item| item["url"].as_str()) {
        if !each(Announcement::Page(address.to_owned())) {
            break;
        }
    }
    Ok(())
}

/// Reads a sitemap, an index or a feed. The address of a record is in the text of its `loc` or
/// `link`, or in the `href` of a `link` to the page itself.
fn read_xml(text: &str, each: &mut impl FnMut(Announcement) -> bool) -> Result<(), String> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut kind = "";
    let mut depth = 0_usize;
    // Depth of the current record in the tree of elements.
    let mut record: Option<usize> = None;
    let mut address = String::new();
    let mut is_address = false;
    let mut records = 0;
    loop {
        let event = reader.read_event().map_err(|error| error.to_string())?;
        match &event {
            Event::Start(tag) | Event::Empty(tag) => {
                let has_content = matches!(event, Event::Start(_));
                if depth == 0 {
                    kind = kind_of_record(tag)?;
                } else if record.is_none() && has_content && is_named(tag, kind) {
                    record = Some(depth);
                    address.clear();
                } else if record == Some(depth - 1) && address.is_empty() {
                    let is_text = is_named(tag, "loc") || tag.name().as_ref() == "link";
                    is_address = has_content && is_text;
                    if is_named(tag, "link") {
                        address = own_link(tag).unwrap_or_default();
                    }
                }
                depth += usize::from(has_content);
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                is_address = false;
                if record == Some(depth) {
                    record = None;
                    records += 1;
                    // A post may be without a page.
                    let found = address.trim();
                    let goes_on = found.is_empty() || each(Announcement::new(kind, found));
                    if !goes_on || records == MAX_RECORDS {
                        return Ok(());
                    }
                }
            }
            Event::Text(text) if is_address => address.push_str(&text.xml10_content()),
            Event::CData(text) if is_address => address.push_str(&text.xml10_content()),
            Event::GeneralRef(name) if is_address => {
                address.push_str(&unescape(&format!("&{};", &**name)).unwrap_or_default());
            }
            Event::Eof if kind.is_empty() => return Err(UNKNOWN.to_owned()),
            Event::Eof if depth > 0 => return Err("the file ends before its root does".to_owned()),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

const UNKNOWN: &str = "it is neither a sitemap nor a feed";

/// The element name of the records in a file with this root.
fn kind_of_record(root: &BytesStart<'_>) -> Result<&'static str, String> {
    match root.local_name().as_ref() {
        "urlset" => Ok("url"),
        "sitemapindex" => Ok("sitemap"),
        "rss" | "RDF" => Ok("item"),
        "feed" => Ok("entry"),
        _ => Err(UNKNOWN.to_owned()),
    }
}

fn is_named(tag: &BytesStart<'_>, name: &str) -> bool {
    tag.local_name().as_ref() == name
}

/// The address of a `link` element that leads to the page itself. Other ones lead to replies,
/// related pages and media files.
fn own_link(tag: &BytesStart<'_>) -> Option<String> {
    let attribute = |name: &str| {
        let found = tag
            .attributes()
            .flatten()
            .find(|attribute| attribute.key.as_ref() == name)?;
        found
            .normalized_value(XmlVersion::Implicit1_0)
            .ok()
            .map(std::borrow::Cow::into_owned)
    };
    attribute("href").filter(|_| attribute("rel").is_none_or(|rel| rel == "alternate"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (Vec<String>, Option<String>) {
        let mut addresses = Vec::new();
        let damage = read(text.as_bytes(), |found| {
            let (Announcement::Page(address) | Announcement::Sitemap(address)) = found;
            addresses.push(address);
            true
        });
        (addresses, damage.err())
    }

    #[test]
    fn addresses_are_those_of_the_pages() {
        for (text, addresses) in [
            (
                "\u{feff}<s:urlset xmlns:s='x'><s:url><s:loc>/a?b&amp;c&#61;d</s:loc>\
                 <i:image xmlns:i='y'><i:loc>/picture</i:loc></i:image></s:url></s:urlset>",
                &["/a?b&c=d"][..],
            ),
            (
                "<rss><channel><link>/</link><item><a:link href='/feed' rel='self' xmlns:a='z'/>\
                 <link><![CDATA[/one]]></link></item><item/><item><title>a</title></item></channel></rss>",
                &["/one"],
            ),
            (
                "<rdf:RDF xmlns:rdf='r'><item><link>/two</link></item></rdf:RDF>",
                &["/two"],
            ),
            (
                "<feed><entry><link href='/three?a=1&amp;b'/></entry></feed>",
                &["/three?a=1&b"],
            ),
            (
                "https://a.example/4\r\n\n not found\n https://a.example/5 \n",
                &["https://a.example/4", "https://a.example/5"],
            ),
        ] {
            let (found, damage) = found(text);
            assert_eq!(damage, None, "{text}");
            assert_eq!(found, addresses);
        }
    }

    #[test]
    fn other_files_are_told() {
        for text in [
            "<html><body>",
            "<!-- -->",
            "{\"version\": 1}",
            "{",
            "<urlset><url>",
        ] {
            assert!(found(text).1.is_some(), "{text}");
        }
    }
}
