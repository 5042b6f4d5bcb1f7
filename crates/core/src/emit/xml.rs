//! Simple XML with the elements and attributes that trafilatura writes: `doc` with the metadata as
//! attributes, `main` with the text, and `comments`.

use super::blocks::{Defined, List, Part, comments, parts};
use super::format::{Corpus, EmitOptions, content};
use super::xml_writer::{
    InlineNames, TableNames, XmlWriter, write_lines, write_spans, write_table,
};
use crate::capture::site_host;
use crate::document::{CommentPart, Document, Metadata, Segment, Span};

/// The XML elements for formatted text.
const NAMES: InlineNames = InlineNames {
    strong: ("hi", Some("#b")),
    emphasis: ("hi", Some("#i")),
    code: ("hi", Some("#t")),
    subscript: ("hi", Some("#sub")),
    superscript: ("hi", Some("#sup")),
    deleted: ("del", None),
    ruby: None,
    note: None,
};

/// The attributes of table cells.
const TABLES: TableNames = TableNames {
    header: "head",
    data: None,
    rows: "rowspan",
    columns: "colspan",
};

/// Several documents need an element around them; trafilatura defines none.
pub(super) const CORPUS: Corpus = Corpus::Joined {
    head: "<corpus>\n",
    foot: "</corpus>\n",
    may_be_empty: true,
};

/// Writes `document` as XML.
pub(super) fn write(document: &Document, options: &EmitOptions) -> String {
    let Metadata {
        title,
        author,
        date,
        language,
        site,
        url,
        description,
        license,
        tags,
        categories,
        ..
    } = &document.metadata;
    let joined = |names: &[String]| (!names.is_empty()).then(|| names.join(";"));
    let host = url.as_deref().and_then(site_host);
    let mut xml = XmlWriter::default();
    xml.open(
        "doc",
        &[
            ("sitename", site.as_deref()),
            ("title", title.as_deref()),
            ("author", author.as_deref()),
            ("date", date.as_deref()),
            ("date_source", document.metadata.date_source()),
            ("url", url.as_deref()),
            ("hostname", host.as_deref()),
            ("description", description.as_deref()),
            ("categories", joined(categories).as_deref()),
            ("tags", joined(tags).as_deref()),
            ("license", license.as_deref()),
            ("language", language.as_deref()),
            ("id", document.id.as_deref()),
            ("captured", document.provenance.captured.as_deref()),
            ("input", document.provenance.input.as_deref()),
        ],
    );
    xml.end_line();
    // The headline is an attribute of the document, as in trafilatura's XML.
    let with_pictures = content(document, options);
    write_section(&mut xml, "main", &with_pictures, options);
    write_comments(&mut xml, document.comments.as_ref(), options);
    xml.close("doc");
    xml.end_line();
    xml.finish()
}

/// Writes the comments; each has its own element if authors or dates are known.
fn write_comments(xml: &mut XmlWriter, part: Option<&CommentPart>, options: &EmitOptions) {
    match part.map(comments).unwrap_or_default()[..] {
        [] => write_section(xml, "comments", &[], options),
        [(None, segments)] => write_section(xml, "comments", segments, options),
        ref all => {
            xml.open("comments", &[]);
            xml.end_line();
            for (comment, segments) in all {
                let author = comment.and_then(|comment| comment.author.as_deref());
                let date = comment.and_then(|comment| comment.date.as_deref());
                xml.open("comment", &[("author", author), ("date", date)]);
                xml.end_line();
                for part in parts(segments) {
                    write_part(xml, &part, options);
                    xml.end_line();
                }
                xml.close("comment");
                xml.end_line();
            }
            xml.close("comments");
            xml.end_line();
        }
    }
}

fn write_section(xml: &mut XmlWriter, tag: &str, segments: &[Segment], options: &EmitOptions) {
    if segments.is_empty() {
        xml.empty(tag, &[]);
    } else {
        xml.open(tag, &[]);
        xml.end_line();
        for part in parts(segments) {
            write_part(xml, &part, options);
            xml.end_line();
        }
        xml.close(tag);
    }
    xml.end_line();
}

fn write_part(xml: &mut XmlWriter, part: &Part<'_>, options: &EmitOptions) {
    match part {
        Part::Heading(level, segment) => {
            write_text(
                xml,
                "head",
                &[("rend", Some(&format!("h{level}")))],
                &segment.spans,
                options,
            );
        }
        Part::Paragraph(segment) | Part::Caption(segment) | Part::Note(_, segment) => {
            write_text(xml, "p", &[], &segment.spans, options);
        }
        Part::Image(source, alternative) => {
            let alternative = (!alternative.is_empty()).then_some(*alternative);
            xml.empty("graphic", &[("src", Some(source)), ("alt", alternative)]);
        }
        Part::Quote(callout, quoted) => {
            let kind = callout.map(|callout| format!("callout {}", callout.name()));
            xml.open("quote", &[("rend", kind.as_deref())]);
            for part in quoted {
                write_part(xml, part, options);
            }
            xml.close("quote");
        }
        Part::Code(segment, language) => {
            xml.element("code", &[("lang", *language)], &segment.text());
        }
        Part::List(list) => write_list(xml, list, options),
        Part::Definitions(all) => write_definitions(xml, all, options),
        Part::Table(table) => write_table(xml, table, &NAMES, &TABLES, options),
    }
}

fn write_list(xml: &mut XmlWriter, list: &List<'_>, options: &EmitOptions) {
    xml.open(
        "list",
        &[("rend", Some(if list.is_ordered { "ol" } else { "ul" }))],
    );
    for item in &list.items {
        let checked = item
            .checked
            .map(|checked| if checked { "true" } else { "false" });
        xml.open(
            "item",
            &[("n", list.number(item).as_deref()), ("checked", checked)],
        );
        for (index, part) in item.parts.iter().enumerate() {
            match part {
                Part::Paragraph(segment) => {
                    if index > 0 {
                        xml.empty("lb", &[]);
                    }
                    write_spans(xml, &segment.spans, &NAMES, options);
                }
                part => write_part(xml, part, options),
            }
        }
        xml.close("item");
    }
    xml.close("list");
}

/// Writes a definition list: trafilatura marks terms and definitions by `rend`, with the number of
/// the pair.
fn write_definitions(xml: &mut XmlWriter, all: &[Defined<'_>], options: &EmitOptions) {
    xml.open("list", &[("rend", Some("dl"))]);
    for (index, Defined { terms, definitions }) in all.iter().enumerate() {
        for term in terms {
            write_text(
                xml,
                "item",
                &[("rend", Some(&format!("dt-{}", index + 1)))],
                &term.spans,
                options,
            );
        }
        for definition in definitions {
            xml.open("item", &[("rend", Some(&format!("dd-{}", index + 1)))]);
            write_lines(xml, definition, &NAMES, options);
            xml.close("item");
        }
    }
    xml.close("list");
}

fn write_text(
    xml: &mut XmlWriter,
    tag: &str,
    attributes: &[(&str, Option<&str>)],
    spans: &[Span],
    options: &EmitOptions,
) {
    xml.open(tag, attributes);
    write_spans(xml, spans, &NAMES, options);
    xml.close(tag);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::{empty, sample, with_comments};

    #[test]
    fn every_kind_has_its_element() {
        let mut document = sample();
        document.metadata.url = Some("https://www.a.example/b?c=1&d".into());
        document.id = Some("a-1".into());
        let options = EmitOptions {
            links: true,
            ..EmitOptions::default()
        };
        insta::assert_snapshot!(write(&document, &options), @r###"
<doc title="Tea &amp; &lt;coffee&gt;" url="https://www.a.example/b?c=1&amp;d" hostname="a.example" language="en" id="a-1">
<main>
<head rend="h1">Tea &amp; &lt;coffee&gt;</head>
<p>One <ref target="https://a.example/x%20y">link</ref> <hi rend="#b">strong</hi> <hi rend="#b"><hi rend="#i">and both</hi></hi>, 2*3*4 snake_case [x] <hi rend="#t">a`b</hi>.</p>
<p>1. no list # no heading</p>
<list rend="ol"><item n="3">three<list rend="ul"><item>inner</item></list></item><item n="4">four<lb/>more of four</item></list>
<quote><p>quoted</p></quote>
<table><row><cell role="head">Name</cell><cell role="head">A|B</cell></row><row><cell>Ann<lb/>Lee</cell></row><row><cell/><cell>5</cell></row></table>
<code lang="rust">fn main() {

    ```
}</code>
</main>
<comments/>
</doc>
"###);
    }

    #[test]
    fn callouts_are_quotations_with_their_kind() {
        let written = write(
            &crate::emit::tests::with_callouts(),
            &EmitOptions::default(),
        );
        let quotes = "<quote rend=\"callout warning\"><p>Hot</p><p>It burns.</p></quote>\n\
                      <quote rend=\"callout tip\"><p>Wait.</p></quote>\n<p>So.</p>\n<quote><p>Said.</p></quote>\n";
        assert!(written.contains(quotes), "{written}");
    }

    #[test]
    fn comments_have_an_element_of_their_own_which_is_always_there() {
        assert_eq!(
            write(&empty(), &EmitOptions::default()),
            "<doc>\n<main/>\n<comments/>\n</doc>\n"
        );
        let written = write(&with_comments(), &EmitOptions::default());
        assert!(written.contains("</main>\n<comments>\n<comment author=\"Ann &amp; Bo\" date=\"2021-05-03\">\n<p>So &lt;true&gt;.</p>\n</comment>\n</comments>\n</doc>"), "{written}");
    }
}
