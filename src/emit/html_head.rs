//! The metadata of a page in the head of an HTML document.

use crate::capture::escape;
use crate::clean::Metadata;

/// Writes an element for each value that the page gives, by the names that are most used on the web: those of HTML and of
/// the Open Graph protocol. Title and language are in the document anyway.
pub(super) fn write_metadata(out: &mut String, metadata: &Metadata) {
    let Metadata { author, date, site, url, description, modified, image, license, tags, categories, .. } = metadata;
    for (name, value) in [("author", author), ("description", description)] {
        write_all(out, ["<meta name=\"", "\" content=\""], name, value.as_slice());
    }
    let property = ["<meta property=\"", "\" content=\""];
    for (name, value) in [
        ("article:published_time", date),
        ("article:modified_time", modified),
        ("og:site_name", site),
        ("og:image", image),
    ] {
        write_all(out, property, name, value.as_slice());
    }
    write_all(out, property, "article:section", categories);
    write_all(out, property, "article:tag", tags);
    for (name, value) in [("canonical", url), ("license", license)] {
        write_all(out, ["<link rel=\"", "\" href=\""], name, value.as_slice());
    }
}

/// Writes an element for each value: its start, the name, what is between the name and the value, the value.
fn write_all(out: &mut String, [start, between]: [&str; 2], name: &str, values: &[String]) {
    for value in values {
        out.extend([start, name, between]);
        escape(out, value, true);
        out.push_str("\">\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::emit::{EmitOptions, find};
    use crate::html::parse_html;

    #[test]
    fn what_is_written_is_read_again() {
        let metadata = Metadata {
            title: Some("Gulls & <mussels>".into()),
            author: Some("Ana \"A\" Ruiz, Rui Sá".into()),
            date: Some("2020-03-12".into()),
            language: Some("en".into()),
            site: Some("Birds & shells".into()),
            url: Some("https://a.example/gulls?a=1&b=\"2\"".into()),
            description: Some("How gulls <open> shells.".into()),
            modified: Some("2021-04-13".into()),
            image: Some("https://a.example/gull.jpg".into()),
            license: Some("https://creativecommons.org/licenses/by/4.0/".into()),
            tags: vec!["gulls".into(), "shells".into()],
            categories: vec!["Nature".into()],
            ..Metadata::default()
        };
        let mut document = crate::emit::tests::empty();
        document.metadata = metadata.clone();
        let write = find("html").unwrap().write;
        let written = write(&document, &EmitOptions { metadata: true, ..EmitOptions::default() });
        let read = |html: &str| {
            let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
            let read = crate::clean::prune(&capture, &[], &[], Vec::new()).metadata;
            Metadata { sources: Metadata::default().sources, ..read }
        };
        let url = Some("https://a.example/gulls?a=1&b=%222%22".to_owned());
        assert_eq!(read(&written), Metadata { url, ..metadata }, "{written}");
        let without = write(&document, &EmitOptions::default());
        assert!(!without.contains("<link") && without.matches("<meta").count() == 1, "{without}");
    }
}
