//! A small HTML document from the pruned tree: the page's own elements around the kept text,
//! without scripts.

use super::format::EmitOptions;
use crate::capture::{Attributes, Dom, NodeKind, escape};
use crate::document::{Document, Metadata};
use crate::elements::{ends_line, is_not_copied, is_void_in_output};

/// Writes the pruned tree of `document` as UTF-8 HTML.
pub(super) fn write(document: &Document, options: &EmitOptions) -> String {
    let mut out = String::from("<!DOCTYPE html>\n<html");
    if let Some(language) = &document.metadata.language {
        attribute(&mut out, "lang", language);
    }
    out.push_str(">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    escape(
        &mut out,
        document.metadata.title.as_deref().unwrap_or(""),
        false,
    );
    out.push_str("</title>\n");
    if options.metadata {
        write_metadata(&mut out, &document.metadata);
    }
    out.push_str("</head>\n<body>\n");
    write_tree(&mut out, &document.pruned);
    if let Some(comments) = document
        .comments
        .as_ref()
        .filter(|comments| !comments.segments.is_empty())
    {
        out.push_str("<section class=\"comments\">\n");
        write_tree(&mut out, &comments.pruned);
        out.push_str("</section>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// Writes the elements and texts of a tree. The output ends with a line break unless it is empty.
fn write_tree(out: &mut String, dom: &Dom) {
    // The open elements, innermost last, with their ends and tags; and the number of preformatted
    // ones among them.
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut preformatted = 0usize;
    let close = |out: &mut String, tag: &str, preformatted: &mut usize| {
        out.push_str("</");
        out.push_str(tag);
        out.push('>');
        if is_preformatted(tag) {
            *preformatted -= 1;
        }
        if *preformatted == 0 && ends_line(tag) {
            out.push('\n');
        }
    };
    for id in dom.ids().skip(1) {
        while let Some(&(_, tag)) = open.last().filter(|(end, _)| *end <= id.index()) {
            open.pop();
            close(out, tag, &mut preformatted);
        }
        match dom.kind(id) {
            NodeKind::Document => {}
            NodeKind::Text(text) => escape(out, text, false),
            NodeKind::Element { tag, attributes } => {
                if is_not_copied(tag) {
                    continue;
                }
                open_tag(out, tag, attributes);
                if is_void_in_output(tag) {
                    continue;
                }
                if is_preformatted(tag) {
                    preformatted += 1;
                    // A parser drops the first line break, so one is added.
                    out.push('\n');
                }
                open.push((dom.end(id), tag));
            }
        }
    }
    while let Some((_, tag)) = open.pop() {
        close(out, tag, &mut preformatted);
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

fn is_preformatted(tag: &str) -> bool {
    matches!(tag, "pre" | "listing")
}

fn open_tag(out: &mut String, tag: &str, attributes: Attributes<'_>) {
    out.push('<');
    out.push_str(tag);
    for (name, value) in attributes.iter() {
        attribute(out, name, value);
    }
    out.push('>');
}

fn attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escape(out, value, true);
    out.push('"');
}

/// Writes an element for each value that the page gives, with the names most used on the web: those
/// of HTML and of the Open Graph protocol. Title and language are in the document anyway.
fn write_metadata(out: &mut String, metadata: &Metadata) {
    let Metadata {
        author,
        date,
        site,
        url,
        description,
        modified,
        image,
        license,
        tags,
        categories,
        ..
    } = metadata;
    for (name, value) in [("author", author), ("description", description)] {
        write_all(
            out,
            ["<meta name=\"", "\" content=\""],
            name,
            value.as_slice(),
        );
    }
    if let Some(source) = metadata.date_source() {
        write_all(
            out,
            ["<meta name=\"", "\" content=\""],
            "date_source",
            &[source.to_owned()],
        );
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

/// Writes an element for each value: the start of the element, the name, the text between name and
/// value, and the value.
fn write_all(out: &mut String, [start, between]: [&str; 2], name: &str, values: &[String]) {
    for value in values {
        out.extend([start, name, between]);
        escape(out, value, true);
        out.push_str("\">\n");
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{empty, sample};
    use super::super::{EmitOptions, find};
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::html::parse_html;

    #[test]
    fn the_tree_is_written_and_escaped() {
        insta::assert_snapshot!(write(&sample(), &EmitOptions::default()), @r###"
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Tea &amp; &lt;coffee&gt;</title>
</head>
<body>
<h1>Tea &amp; &lt;coffee&gt;</h1>
<p lang="en">One <a href="https://a.example/?a=1&amp;b=&quot;2&quot;">link</a><br><img src="https://a.example/i.png" alt=""></p>
<pre>


  code</pre>
</body>
</html>
"###);
    }

    #[test]
    fn written_documents_can_be_parsed_again() {
        let written = write(&sample(), &EmitOptions::default());
        let dom = crate::html::parse_html(&written);
        let texts = |dom: &crate::capture::Dom| {
            let texts: Vec<_> = dom
                .ids()
                .filter_map(|id| dom.text(id))
                .filter(|text| !text.trim().is_empty())
                .collect();
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(&dom)[1..], texts(&sample().pruned));
        assert!(write(&empty(), &EmitOptions::default()).contains("<body>\n</body>"));
    }

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
        let written = write(
            &document,
            &EmitOptions {
                metadata: true,
                ..EmitOptions::default()
            },
        );
        let read = |html: &str| {
            let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
            let read = crate::document::prune(&capture, &[], &[], Vec::new()).metadata;
            Metadata {
                sources: Metadata::default().sources,
                ..read
            }
        };
        let url = Some("https://a.example/gulls?a=1&b=%222%22".to_owned());
        assert_eq!(read(&written), Metadata { url, ..metadata }, "{written}");
        let without = write(&document, &EmitOptions::default());
        assert!(
            !without.contains("<link") && without.matches("<meta").count() == 1,
            "{without}"
        );
    }
}
