//! TEI P5: a `TEI` document whose text has a `div` for the part under each heading, and one for
//! comments. Several documents form a `teiCorpus`.
//!
//! The elements and their order follow the TEI Guidelines (P5, chapters 2 to 5, 14 and 22);
//! `scripts/test-formats` validates the output.

use super::blocks::{Defined, List, Part, comments, parts};
use super::format::{Corpus, EmitOptions, content};
use super::posts::post_parts;
use super::xml_writer::{
    InlineNames, TableNames, XmlWriter, uri, write_lines, write_spans, write_table,
};
use crate::classify::LikelyState;
use crate::document::{Callout, CommentPart, Document, Metadata, Post, Provenance, Segment};
use std::fmt::Write;

/// The TEI elements for formatted text.
const NAMES: InlineNames = InlineNames {
    strong: ("hi", Some("bold")),
    emphasis: ("hi", Some("italic")),
    code: ("code", None),
    subscript: ("hi", Some("sub")),
    superscript: ("hi", Some("sup")),
    deleted: ("del", None),
    ruby: Some(["ruby", "rb", "rt"]),
    note: Some(("ref", "note")),
};

/// The attributes of table cells.
const TABLES: TableNames = TableNames {
    header: "label",
    data: Some("data"),
    rows: "rows",
    columns: "cols",
};

/// A corpus has its own header; the sources are given by its documents.
pub(super) const CORPUS: Corpus = Corpus::Joined {
    head: concat!(
        "<teiCorpus xmlns=\"http://www.tei-c.org/ns/1.0\">\n<teiHeader>\n<fileDesc>\n",
        "<titleStmt><title type=\"main\">Texts of web pages</title></titleStmt>\n",
        "<publicationStmt><p>Each document names its publisher, if it is known.</p></publicationStmt>\n",
        "<sourceDesc><p>Each document names the page that is its source.</p></sourceDesc>\n</fileDesc>\n",
        "<encodingDesc><appInfo><application version=\"",
        env!("CARGO_PKG_VERSION"),
        "\" ident=\"vclean\"><label>vclean</label></application></appInfo></encodingDesc>\n</teiHeader>\n"
    ),
    foot: "</teiCorpus>\n",
    may_be_empty: false,
};

/// Writes `document` as TEI.
pub(super) fn write(document: &Document, options: &EmitOptions) -> String {
    let language = document.metadata.language.as_deref();
    let mut xml = XmlWriter::default();
    xml.open(
        "TEI",
        &[
            ("xmlns", Some("http://www.tei-c.org/ns/1.0")),
            ("xml:id", document.id.as_deref().map(xml_id).as_deref()),
            ("xml:lang", language),
        ],
    );
    xml.end_line();
    write_header(&mut xml, document);
    xml.open("text", &[]);
    xml.open("body", &[]);
    xml.end_line();
    if document.posts.is_empty() {
        write_division(&mut xml, "text", &content(document, options), options);
    } else {
        write_posts(&mut xml, document, options);
    }
    if let Some(comments) = document
        .comments
        .as_ref()
        .filter(|comments| !comments.segments.is_empty())
    {
        write_comments(&mut xml, comments, options);
    }
    xml.close("body");
    xml.close("text");
    xml.end_line();
    xml.close("TEI");
    xml.end_line();
    xml.finish()
}

/// The identifier of a document as a name of XML. Characters that names cannot have are written as
/// their code between underscores.
fn xml_id(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for (at, c) in id.char_indices() {
        let is_allowed =
            c.is_alphabetic() || c == '_' || at > 0 && (c.is_ascii_digit() || "-.".contains(c));
        if is_allowed {
            name.push(c);
        } else {
            let _ = write!(name, "_{:X}_", u32::from(c));
        }
    }
    name
}

/// Writes a `div` of this type. Each heading begins a `div` inside the one of the heading above it.
/// A `div` without text holds an empty paragraph.
fn write_division(xml: &mut XmlWriter, kind: &str, segments: &[Segment], options: &EmitOptions) {
    xml.open("div", &[("type", Some(kind))]);
    xml.end_line();
    write_content(xml, segments, options);
}

/// Writes a `div` for all comments. If authors or dates are known, it contains one `div` per
/// comment, which begins with the byline.
fn write_comments(xml: &mut XmlWriter, part: &CommentPart, options: &EmitOptions) {
    let all = comments(part);
    if let [(None, segments)] = all[..] {
        return write_division(xml, "comments", segments, options);
    }
    xml.open("div", &[("type", Some("comments"))]);
    xml.end_line();
    for (comment, segments) in all {
        xml.open("div", &[("type", Some("comment"))]);
        xml.end_line();
        if let Some(comment) = comment {
            write_byline(xml, comment);
        }
        write_content(xml, segments, options);
    }
    xml.close("div");
    xml.end_line();
}

/// Writes the text of a thread: a `div` for each post, which has its number and role and begins
/// with its byline.
fn write_posts(xml: &mut XmlWriter, document: &Document, options: &EmitOptions) {
    xml.open("div", &[("type", Some("text"))]);
    xml.end_line();
    for (post, segments) in post_parts(document, options) {
        let Some((number, post)) = post else {
            write_division(xml, "beside", &segments, options);
            continue;
        };
        let role = if post.is_accepted {
            "accepted-answer"
        } else {
            post.role.name()
        };
        xml.open(
            "div",
            &[
                ("type", Some("post")),
                ("subtype", Some(role)),
                ("n", Some(&number.to_string())),
            ],
        );
        xml.end_line();
        write_byline(xml, post);
        write_content(xml, &segments, options);
    }
    xml.close("div");
    xml.end_line();
}

/// Writes the author of a post, its date, address and votes, and the number of the post it answers;
/// nothing if none of these is known.
fn write_byline(xml: &mut XmlWriter, post: &Post) {
    let Post {
        author,
        date,
        url,
        parent,
        votes,
        ..
    } = post;
    if author.is_none() && date.is_none() && url.is_none() && parent.is_none() && votes.is_none() {
        return;
    }
    xml.open("byline", &[]);
    if let Some(author) = author {
        xml.element("name", &[], author);
    }
    if author.is_some() && date.is_some() {
        xml.text(", ");
    }
    if let Some(date) = date {
        // TEI requires seconds in times, so only the day is written.
        let day = date.get(..10).filter(|day| is_iso(day));
        xml.element("date", &[("when", day)], date);
    }
    if let Some(url) = url {
        xml.empty(
            "ref",
            &[("type", Some("address")), ("target", Some(&uri(url)))],
        );
    }
    if let Some(parent) = parent {
        xml.empty(
            "ref",
            &[
                ("type", Some("answers")),
                ("n", Some(&(parent + 1).to_string())),
            ],
        );
    }
    if let Some(votes) = votes {
        xml.empty(
            "measure",
            &[
                ("type", Some("votes")),
                ("quantity", Some(&votes.to_string())),
            ],
        );
    }
    xml.close("byline");
    xml.end_line();
}

/// Writes the content of a `div` and closes it.
fn write_content(xml: &mut XmlWriter, segments: &[Segment], options: &EmitOptions) {
    // The levels of the headings with an open `div`.
    let mut open: Vec<u8> = Vec::new();
    let mut is_empty = true;
    for part in parts(segments) {
        if let Part::Heading(level, segment) = part {
            while open.last().is_some_and(|&above| above >= level) {
                open.pop();
                end_division(xml, is_empty);
                is_empty = false;
            }
            open.push(level);
            xml.open("div", &[]);
            xml.end_line();
            xml.open("head", &[("rend", Some(&format!("h{level}")))]);
            write_spans(xml, &segment.spans, &NAMES, options);
            xml.close("head");
            is_empty = true;
        } else {
            write_part(xml, &part, options);
            is_empty = false;
        }
        xml.end_line();
    }
    for _ in &open {
        end_division(xml, is_empty);
        is_empty = false;
    }
    end_division(xml, is_empty);
}

fn end_division(xml: &mut XmlWriter, is_empty: bool) {
    if is_empty {
        xml.empty("p", &[]);
        xml.end_line();
    }
    xml.close("div");
    xml.end_line();
}

fn write_part(xml: &mut XmlWriter, part: &Part<'_>, options: &EmitOptions) {
    match part {
        Part::Heading(_, segment) | Part::Paragraph(segment) => {
            write_paragraph(xml, segment, options);
        }
        Part::Caption(segment) => {
            xml.open("figure", &[]);
            xml.open("head", &[]);
            write_spans(xml, &segment.spans, &NAMES, options);
            xml.close("head");
            xml.close("figure");
        }
        Part::Note(number, segment) => {
            let label = segment
                .spans
                .iter()
                .take_while(|span| span.note == Some(*number))
                .count();
            xml.open(
                "note",
                &[("place", Some("end")), ("n", Some(&number.to_string()))],
            );
            write_spans(xml, &segment.spans[label..], &NAMES, options);
            xml.close("note");
        }
        Part::Image(source, alternative) => {
            xml.open("figure", &[]);
            xml.empty("graphic", &[("url", Some(&uri(source)))]);
            if !alternative.is_empty() {
                xml.element("figDesc", &[], alternative);
            }
            xml.close("figure");
        }
        Part::Quote(callout, quoted) => {
            let kind = callout.map(|_| "callout");
            xml.open(
                "quote",
                &[("type", kind), ("subtype", callout.map(Callout::name))],
            );
            for part in quoted {
                write_part(xml, part, options);
            }
            xml.close("quote");
        }
        Part::Code(segment, language) => {
            xml.open("ab", &[("type", Some("code"))]);
            xml.element(
                "code",
                &[("lang", *language), ("xml:space", Some("preserve"))],
                &segment.text(),
            );
            xml.close("ab");
        }
        Part::List(list) => write_list(xml, list, options),
        Part::Definitions(all) => write_definitions(xml, all, options),
        Part::Table(table) => write_table(xml, table, &NAMES, &TABLES, options),
    }
}

/// Writes a definition list; TEI requires exactly one item for each label.
fn write_definitions(xml: &mut XmlWriter, all: &[Defined<'_>], options: &EmitOptions) {
    xml.open("list", &[("type", Some("gloss"))]);
    for Defined { terms, definitions } in all {
        xml.open("label", &[]);
        write_lines(xml, terms, &NAMES, options);
        xml.close("label");
        xml.open("item", &[]);
        match &definitions[..] {
            [one] if one.len() == 1 => write_spans(xml, &one[0].spans, &NAMES, options),
            _ => definitions
                .iter()
                .flatten()
                .for_each(|segment| write_paragraph(xml, segment, options)),
        }
        xml.close("item");
    }
    xml.close("list");
}

fn write_paragraph(xml: &mut XmlWriter, segment: &Segment, options: &EmitOptions) {
    xml.open("p", &[]);
    write_spans(xml, &segment.spans, &NAMES, options);
    xml.close("p");
}

fn write_list(xml: &mut XmlWriter, list: &List<'_>, options: &EmitOptions) {
    xml.open(
        "list",
        &[(
            "rend",
            Some(if list.is_ordered {
                "numbered"
            } else {
                "bulleted"
            }),
        )],
    );
    for item in &list.items {
        let rend = item
            .checked
            .map(|checked| if checked { "checked" } else { "unchecked" });
        xml.open(
            "item",
            &[("n", list.number(item).as_deref()), ("rend", rend)],
        );
        match &item.parts[..] {
            [Part::Paragraph(segment)] => write_spans(xml, &segment.spans, &NAMES, options),
            parts => parts.iter().for_each(|part| write_part(xml, part, options)),
        }
        xml.close("item");
    }
    xml.close("list");
}

/// Writes the `teiHeader` of a document.
pub(super) fn write_header(xml: &mut XmlWriter, document: &Document) {
    xml.open("teiHeader", &[]);
    xml.end_line();
    write_file_description(xml, document);
    xml.open("encodingDesc", &[]);
    xml.open("appInfo", &[]);
    xml.open(
        "application",
        &[
            ("version", Some(env!("CARGO_PKG_VERSION"))),
            ("ident", Some("vclean")),
        ],
    );
    xml.element("label", &[], "vclean");
    xml.close("application");
    xml.close("appInfo");
    xml.close("encodingDesc");
    xml.end_line();
    let Metadata {
        language,
        description,
        tags,
        ..
    } = &document.metadata;
    let state = document.state.as_ref();
    if language.is_some() || description.is_some() || !tags.is_empty() || state.is_some() {
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
        write_text_class(xml, tags, state);
        xml.close("profileDesc");
        xml.end_line();
    }
    xml.close("teiHeader");
    xml.end_line();
}

/// Writes the tags of a page, and the state of the page as a code of its own scheme.
fn write_text_class(xml: &mut XmlWriter, tags: &[String], state: Option<&LikelyState>) {
    if tags.is_empty() && state.is_none() {
        return;
    }
    xml.open("textClass", &[]);
    if !tags.is_empty() {
        xml.open("keywords", &[]);
        for tag in tags {
            xml.element("term", &[], tag);
        }
        xml.close("keywords");
    }
    if let Some(likely) = state {
        let scheme = [("scheme", Some("urn:vclean:page-state"))];
        xml.element("classCode", &scheme, likely.state.name());
    }
    xml.close("textClass");
}

fn write_file_description(xml: &mut XmlWriter, document: &Document) {
    let Metadata {
        title,
        author,
        site,
        ..
    } = &document.metadata;
    xml.open("fileDesc", &[]);
    xml.end_line();
    xml.open("titleStmt", &[]);
    xml.element(
        "title",
        &[("type", Some("main"))],
        title.as_deref().unwrap_or(""),
    );
    if let Some(author) = author {
        xml.element("author", &[], author);
    }
    xml.open("respStmt", &[]);
    xml.element("resp", &[], "main text of a web page selected by");
    xml.element(
        "name",
        &[("type", Some("software"))],
        concat!("vclean ", env!("CARGO_PKG_VERSION")),
    );
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
    let status = if license.is_some() {
        None
    } else {
        Some("unknown")
    };
    xml.open("availability", &[("status", status)]);
    match license {
        Some(license) => xml.element("licence", &[("target", Some(&uri(license)))], license),
        None => xml.element("p", &[], "The page names no licence."),
    }
    xml.close("availability");
}

/// Writes the page as the source of the text.
fn write_source(xml: &mut XmlWriter, document: &Document) {
    let Metadata {
        title,
        author,
        site,
        url,
        ..
    } = &document.metadata;
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
    let Provenance { input, captured } = &document.provenance;
    if let Some(captured) = captured {
        xml.element(
            "date",
            &[("type", Some("captured")), ("when", Some(captured))],
            captured,
        );
    }
    if let Some(input) = input {
        xml.element("idno", &[("type", Some("input"))], input);
    }
    xml.close("bibl");
    xml.close("sourceDesc");
    xml.end_line();
}

fn write_date(xml: &mut XmlWriter, document: &Document) {
    if let Some(date) = &document.metadata.date {
        let source = document.metadata.date_source().map(uri);
        xml.element(
            "date",
            &[
                ("when", is_iso(date).then_some(date)),
                ("source", source.as_deref()),
            ],
            date,
        );
    }
}

/// Returns true if a date is written as `YYYY-MM-DD`; the attribute allows no other form.
fn is_iso(date: &str) -> bool {
    date.len() == 10
        && date.bytes().enumerate().all(|(at, byte)| {
            if matches!(at, 4 | 7) {
                byte == b'-'
            } else {
                byte.is_ascii_digit()
            }
        })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{empty, sample, with_comments};
    use super::*;

    #[test]
    fn every_kind_has_its_element() {
        let mut document = sample();
        document.metadata.url = Some("https://a.example/b".into());
        document.metadata.date = Some("2026-03-01".into());
        document
            .metadata
            .sources
            .insert("date".into(), "json-ld".into());
        let options = EmitOptions {
            links: true,
            ..EmitOptions::default()
        };
        insta::assert_snapshot!(write(&document, &options).replace(env!("CARGO_PKG_VERSION"), "VERSION"), @r###"
<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="en">
<teiHeader>
<fileDesc>
<titleStmt><title type="main">Tea &amp; &lt;coffee&gt;</title><respStmt><resp>main text of a web page selected by</resp><name type="software">vclean VERSION</name></respStmt></titleStmt>
<publicationStmt><p>The publisher is not known.</p></publicationStmt>
<sourceDesc><bibl type="web"><title>Tea &amp; &lt;coffee&gt;</title><date when="2026-03-01" source="json-ld">2026-03-01</date><ref target="https://a.example/b">https://a.example/b</ref></bibl></sourceDesc>
</fileDesc>
<encodingDesc><appInfo><application version="VERSION" ident="vclean"><label>vclean</label></application></appInfo></encodingDesc>
<profileDesc><langUsage><language ident="en">en</language></langUsage></profileDesc>
</teiHeader>
<text><body>
<div type="text">
<div>
<head rend="h1">Tea &amp; &lt;coffee&gt;</head>
<p>One <ref target="https://a.example/x%20y">link</ref> <hi rend="bold">strong</hi> <hi rend="bold"><hi rend="italic">and both</hi></hi>, 2*3*4 snake_case [x] <code>a`b</code>.</p>
<p>1. no list # no heading</p>
<list rend="numbered"><item n="3"><p>three</p><list rend="bulleted"><item>inner</item></list></item><item n="4"><p>four</p><p>more of four</p></item></list>
<quote><p>quoted</p></quote>
<table><row><cell role="label">Name</cell><cell role="label">A|B</cell></row><row><cell role="data">Ann<lb/>Lee</cell></row><row><cell/><cell role="data">5</cell></row></table>
<ab type="code"><code lang="rust" xml:space="preserve">fn main() {

    ```
}</code></ab>
</div>
</div>
</body></text>
</TEI>
"###);
    }

    #[test]
    fn a_document_has_an_identifier_and_names_its_source() {
        let mut document = sample();
        document.id = Some("7 b/c".into());
        document.provenance = Provenance {
            input: Some("a.warc".into()),
            captured: Some("2020-01-02T03:04:05Z".into()),
        };
        let written = write(&document, &EmitOptions::default());
        for part in [
            " xml:id=\"_37__20_b_2F_c\" ",
            "<date type=\"captured\" when=\"2020-01-02T03:04:05Z\">2020-01-02T03:04:05Z</date>",
            "<idno type=\"input\">a.warc</idno></bibl>",
        ] {
            assert!(written.contains(part), "{written}");
        }
    }

    #[test]
    fn parts_are_nested_by_their_headings() {
        let heading = |level| Segment {
            kind: crate::document::SegmentKind::Heading { level },
            ..sample().segments[2].clone()
        };
        let mut document = empty();
        document.segments = vec![heading(2), heading(3), heading(2), heading(1)];
        let written = write(&document, &EmitOptions::default());
        let body = written
            .split("<body>")
            .nth(1)
            .unwrap_or_default()
            .replace('\n', "");
        let shape: String = body
            .replace("1. no list # no heading", "")
            .replace("<p/>", "");
        assert!(
            shape.starts_with(
                "<div type=\"text\"><div><head rend=\"h2\"></head><div><head rend=\"h3\"></head></div></div>\
                 <div><head rend=\"h2\"></head></div><div><head rend=\"h1\"></head></div></div>"
            ),
            "{shape}"
        );
    }

    #[test]
    fn definitions_quotations_and_pictures_have_their_elements() {
        use crate::document::{SegmentKind, Within, plain_segment};
        let segment = |kind, text: &str| plain_segment(kind, text.into(), 0);
        let mut document = empty();
        let item = SegmentKind::ListItem {
            depth: 0,
            number: None,
            continues: false,
            checked: Some(true),
        };
        let quoted = Within {
            quotes: 1,
            items: 0,
        };
        document.segments = vec![
            segment(SegmentKind::Term, "a"),
            segment(SegmentKind::Definition { continues: false }, "b"),
            crate::document::Segment {
                within: quoted,
                ..segment(item, "c")
            },
            segment(SegmentKind::Caption { table: None }, "d"),
            segment(SegmentKind::Paragraph, "so"),
            crate::document::Segment {
                note: Some(1),
                ..segment(SegmentKind::Paragraph, "a note")
            },
        ];
        document.segments[4].spans.push(crate::document::Span {
            text: "[1]".into(),
            note: Some(1),
            ..Default::default()
        });
        let image = SegmentKind::Image {
            source: "https://a.example/e f.png".into(),
            alternative: "g".into(),
        };
        document.pictures = vec![(3, segment(image, ""))];
        let written = write(
            &document,
            &EmitOptions {
                images: true,
                ..EmitOptions::default()
            },
        );
        for part in [
            "<list type=\"gloss\"><label>a</label><item>b</item></list>",
            "<quote><list rend=\"bulleted\"><item rend=\"checked\">c</item></list></quote>",
            "<figure><graphic url=\"https://a.example/e%20f.png\"/><figDesc>g</figDesc></figure>",
            "<figure><head>d</head></figure>",
            "<p>so<ref type=\"note\" n=\"1\">[1]</ref></p>",
            "<note place=\"end\" n=\"1\">a note</note>",
        ] {
            assert!(written.contains(part), "{written}");
        }
    }

    #[test]
    fn callouts_are_quotations_with_a_type() {
        let written = write(
            &crate::emit::tests::with_callouts(),
            &EmitOptions::default(),
        );
        let quotes = "<quote type=\"callout\" subtype=\"warning\"><p>Hot</p><p>It burns.</p></quote>\n\
                      <quote type=\"callout\" subtype=\"tip\"><p>Wait.</p></quote>\n<p>So.</p>\n<quote><p>Said.</p></quote>\n";
        assert!(
            written.contains(&format!(
                "<p>Tea</p>\n<list rend=\"bulleted\"><item><p>one</p>{}</item></list>\n{quotes}",
                "<quote type=\"callout\" subtype=\"note\"><p>Of one.</p></quote>"
            )),
            "{written}"
        );
    }

    #[test]
    fn the_header_names_publisher_licence_and_keywords() {
        let mut document = sample();
        document.metadata.site = Some("A & B".into());
        document.metadata.license = Some("https://creativecommons.org/licenses/by/4.0/".into());
        document.metadata.tags = vec!["tea".into()];
        let written = write(&document, &EmitOptions::default());
        for part in [
            "<publisher>A &amp; B</publisher><availability><licence target=\"https://creativecommons.org/licenses/by/4.0/\">",
            "<textClass><keywords><term>tea</term></keywords></textClass>",
        ] {
            assert!(written.contains(part), "{written}");
        }
    }

    #[test]
    fn comments_are_a_division_and_an_empty_page_has_an_empty_one() {
        let written = write(&with_comments(), &EmitOptions::default());
        assert!(written.contains("<div type=\"comments\">\n<div type=\"comment\">\n<byline><name>Ann &amp; Bo</name>, <date when=\"2021-05-03\">2021-05-03</date></byline>\n<p>So &lt;true&gt;.</p>\n</div>\n</div>"), "{written}");
        let written = write(&empty(), &EmitOptions::default());
        assert!(
            written.contains("<body>\n<div type=\"text\">\n<p/>\n</div>\n</body>"),
            "{written}"
        );
    }

    #[test]
    fn posts_are_divisions_with_bylines() {
        let written = write(&crate::emit::tests::thread(), &EmitOptions::default());
        let body = written
            .split_once("<body>\n")
            .unwrap()
            .1
            .split_once("</body>")
            .unwrap()
            .0;
        insta::assert_snapshot!(body, @r###"
<div type="text">
<div type="beside">
<div>
<head rend="h1">How do gulls eat?</head>
<p/>
</div>
</div>
<div type="post" subtype="question" n="1">
<byline><name>Ann &amp; Bo</name>, <date when="2021-05-03">2021-05-03T10:00:00Z</date><ref type="address" target="https://a.example/q?a=1&amp;b=2"/></byline>
<p>They drop shells. Why?</p>
</div>
<div type="post" subtype="accepted-answer" n="2">
<byline><name>Cy_1</name>, <date>2 days ago</date><ref type="answers" n="1"/><measure type="votes" quantity="-3"/></byline>
<quote><p>Why?</p></quote>
<p>To break them.</p>
</div>
</div>
"###);
    }

    #[test]
    fn only_complete_dates_are_values() {
        assert!(is_iso("2026-03-01"));
        for other in ["2026", "1 March 2026", "2026-03-1", "2026/03/01"] {
            assert!(!is_iso(other), "{other}");
        }
    }
}
