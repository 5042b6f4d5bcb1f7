//! Vertical text for Sketch Engine, NoSketch Engine and the Corpus Workbench: one token per line,
//! and lines with the structures `doc`, `p`, `s` and `g`.
//!
//! `<g/>` marks two tokens without white space between them. The `encodevert` of Sketch Engine and
//! NoSketch Engine, and `cwb-encode -xsB`, decode XML entities in tokens and attributes.

use super::format::EmitOptions;
use super::sentences::{Paragraph, ParagraphKind, Sentences, paragraphs};
use super::xml_writer::XmlWriter;
use crate::document::{Document, Metadata, Segment};

/// Writes `document` as vertical text.
pub(super) fn write(document: &Document, _: &EmitOptions) -> String {
    let Metadata {
        title,
        author,
        date,
        language,
        site,
        url,
        ..
    } = &document.metadata;
    let mut lines = XmlWriter::default();
    lines.open(
        "doc",
        &[
            ("id", document.id.as_deref()),
            ("url", url.as_deref()),
            ("title", title.as_deref()),
            ("author", author.as_deref()),
            ("date", date.as_deref()),
            ("date_source", document.metadata.date_source()),
            ("lang", language.as_deref()),
            ("site", site.as_deref()),
            ("captured", document.provenance.captured.as_deref()),
            ("input", document.provenance.input.as_deref()),
        ],
    );
    lines.end_line();
    let sentences = Sentences::for_document(document);
    write_paragraphs(&mut lines, &document.segments, &sentences);
    if let Some(comments) = document
        .comments
        .as_ref()
        .filter(|comments| !comments.segments.is_empty())
    {
        lines.open("comments", &[]);
        lines.end_line();
        write_paragraphs(&mut lines, &comments.segments, &sentences);
        lines.close("comments");
        lines.end_line();
    }
    lines.close("doc");
    lines.end_line();
    lines.finish()
}

fn write_paragraphs(lines: &mut XmlWriter, segments: &[Segment], sentences: &Sentences) {
    for Paragraph { kind, lines: texts } in paragraphs(segments) {
        match kind {
            ParagraphKind::Heading => lines.open("p", &[("heading", Some("yes"))]),
            kind => lines.open("p", &[("type", kind.name())]),
        }
        lines.end_line();
        for text in &texts {
            for (_, tokens) in sentences.cut(text) {
                lines.open("s", &[]);
                lines.end_line();
                for (index, token) in tokens.iter().enumerate() {
                    lines.text(token.text);
                    lines.end_line();
                    if !token.has_space_after && index + 1 < tokens.len() {
                        lines.empty("g", &[]);
                        lines.end_line();
                    }
                }
                lines.close("s");
                lines.end_line();
            }
        }
        lines.close("p");
        lines.end_line();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Provenance;
    use crate::emit::tests::{empty, sample, with_comments};

    #[test]
    fn one_token_is_on_a_line() {
        let mut document = sample();
        document.id = Some("a-1".into());
        document.provenance = Provenance {
            input: Some("a.warc".into()),
            captured: Some("2020-01-02T03:04:05Z".into()),
        };
        document.segments.truncate(2);
        insta::assert_snapshot!(write(&document, &EmitOptions::default()), @r###"
<doc id="a-1" title="Tea &amp; &lt;coffee&gt;" lang="en" captured="2020-01-02T03:04:05Z" input="a.warc">
<p heading="yes">
<s>
Tea
&amp;
&lt;
<g/>
coffee
<g/>
&gt;
</s>
</p>
<p>
<s>
One
link
strong
and
both
<g/>
,
2
<g/>
*
<g/>
3
<g/>
*
<g/>
4
snake_case
[
<g/>
x
<g/>
]
a
<g/>
`
<g/>
b
<g/>
.
</s>
</p>
</doc>
"###);
    }

    #[test]
    fn paragraphs_have_types_and_code_has_its_lines() {
        let mut document = sample();
        document.segments.drain(..8);
        let written = write(&document, &EmitOptions::default());
        let structure: Vec<&str> = written
            .lines()
            .filter(|line| line.starts_with('<') && *line != "<g/>")
            .collect();
        assert_eq!(
            structure[1..7],
            ["<p type=\"row\">", "<s>", "</s>", "<s>", "</s>", "</p>"]
        );
        assert_eq!(written.matches("<p type=\"row\">").count(), 3);
        let code = written
            .split("<p type=\"code\">")
            .nth(1)
            .unwrap_or_default();
        assert_eq!(code.matches("<s>").count(), 3, "{code}");
    }

    #[test]
    fn comments_are_a_structure_and_an_empty_page_is_a_document() {
        assert_eq!(write(&empty(), &EmitOptions::default()), "<doc>\n</doc>\n");
        let written = write(&with_comments(), &EmitOptions::default());
        assert!(
            written.contains("<comments>\n<p>\n<s>\nSo\n&lt;\n<g/>\ntrue\n"),
            "{written}"
        );
    }
}
