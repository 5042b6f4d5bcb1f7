//! The header of a TEI document: what the text is, who made the page and the text, and where it comes from.

use super::xml_inline::uri;
use super::xml_writer::XmlWriter;
use crate::clean::{CleanDocument, Metadata};

/// Writes the `teiHeader` of a document.
pub(super) fn write_header(xml: &mut XmlWriter, document: &CleanDocument) {
    xml.open("teiHeader", &[]);
    xml.end_line();
    write_file_description(xml, document);
    xml.open("encodingDesc", &[]);
    xml.open("appInfo", &[]);
    xml.open("application", &[("version", Some(env!("CARGO_PKG_VERSION"))), ("ident", Some("vclean"))]);
    xml.element("label", &[], "vclean");
    xml.close("application");
    xml.close("appInfo");
    xml.close("encodingDesc");
    xml.end_line();
    let Metadata { language, description, tags, .. } = &document.metadata;
    if language.is_some() || description.is_some() || !tags.is_empty() {
        xml.open("profileDesc", &[]);
        if let Some(description) = description {
            xml.open("abstract", &[]);
            xml.element("p", &[], description);
            xml.close("abstract");
        }
        if let Some(language) = language {
            xml.open("langUsage", &[]);
            xml.element("language", &[("ident", Some(language))], language);
            xml.close("langUsage");
        }
        if !tags.is_empty() {
            xml.open("textClass", &[]);
            xml.open("keywords", &[]);
            for tag in tags {
                xml.element("term", &[], tag);
            }
            xml.close("keywords");
            xml.close("textClass");
        }
        xml.close("profileDesc");
        xml.end_line();
    }
    xml.close("teiHeader");
    xml.end_line();
}

fn write_file_description(xml: &mut XmlWriter, document: &CleanDocument) {
    let Metadata { title, author, site, .. } = &document.metadata;
    xml.open("fileDesc", &[]);
    xml.end_line();
    xml.open("titleStmt", &[]);
    xml.element("title", &[("type", Some("main"))], title.as_deref().unwrap_or(""));
    if let Some(author) = author {
        xml.element("author", &[], author);
    }
    xml.open("respStmt", &[]);
    xml.element("resp", &[], "main text of a web page selected by");
    xml.element("name", &[("type", Some("software"))], concat!("vclean ", env!("CARGO_PKG_VERSION")));
    xml.close("respStmt");
    xml.close("titleStmt");
    xml.end_line();
    xml.open("publicationStmt", &[]);
    match site {
        Some(site) => {
            xml.element("publisher", &[], site);
            if let Some(id) = &document.id {
                xml.element("idno", &[("type", Some("file"))], id);
            }
            write_licence(xml, document.metadata.license.as_deref());
            write_date(xml, document);
        }
        None => xml.element("p", &[], "The publisher is not known."),
    }
    xml.close("publicationStmt");
    xml.end_line();
    write_source(xml, document);
    xml.close("fileDesc");
    xml.end_line();
}

fn write_licence(xml: &mut XmlWriter, license: Option<&str>) {
    let status = if license.is_some() { None } else { Some("unknown") };
    xml.open("availability", &[("status", status)]);
    match license {
        Some(license) => xml.element("licence", &[("target", Some(&uri(license)))], license),
        None => xml.element("p", &[], "The page names no licence."),
    }
    xml.close("availability");
}

/// The page as the source of the text.
fn write_source(xml: &mut XmlWriter, document: &CleanDocument) {
    let Metadata { title, author, site, url, .. } = &document.metadata;
    xml.open("sourceDesc", &[]);
    xml.open("bibl", &[("type", Some("web"))]);
    for (tag, text) in [("title", title), ("author", author), ("publisher", site)] {
        if let Some(text) = text {
            xml.element(tag, &[], text);
        }
    }
    write_date(xml, document);
    match url {
        Some(url) => xml.element("ref", &[("target", Some(&uri(url)))], url),
        None => xml.element("note", &[], "The address of the page is not known."),
    }
    xml.close("bibl");
    xml.close("sourceDesc");
    xml.end_line();
}

fn write_date(xml: &mut XmlWriter, document: &CleanDocument) {
    if let Some(date) = &document.metadata.date {
        xml.element("date", &[("when", is_iso(date).then_some(date))], date);
    }
}

/// Whether a date is written as `YYYY-MM-DD`; others are no values of the attribute.
fn is_iso(date: &str) -> bool {
    date.len() == 10
        && date
            .bytes()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use super::is_iso;

    #[test]
    fn only_complete_dates_are_values() {
        assert!(is_iso("2026-03-01"));
        for other in ["2026", "1 March 2026", "2026-03-1", "2026/03/01"] {
            assert!(!is_iso(other), "{other}");
        }
    }
}
