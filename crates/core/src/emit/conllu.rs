//! CoNLL-U (Universal Dependencies, format version 2): documents, paragraphs, sentences and tokens.
//! The annotation columns are empty, for a tagger or parser to fill.

use super::format::EmitOptions;
use super::sentences::{Paragraph, Sentences, one_line, paragraphs};
use crate::document::{Document, Segment};
use std::fmt::Write;

/// Writes `document` as CoNLL-U. One without sentences is nothing, because in CoNLL-U all comments
/// belong to a sentence.
pub(super) fn write(document: &Document, _: &EmitOptions) -> String {
    let metadata = &document.metadata;
    let id = document
        .id
        .as_deref()
        .or(metadata.url.as_deref())
        .map(one_line)
        .filter(|id| !id.is_empty());
    let prefix = id
        .as_deref()
        .filter(|_| document.id.is_some())
        .map(id_prefix)
        .unwrap_or_default();
    let mut out = id.map_or_else(
        || "# newdoc\n".to_owned(),
        |id| format!("# newdoc id = {id}\n"),
    );
    let mut head = |name: &str, value: Option<&String>| {
        if let Some(value) = value
            .map(String::as_str)
            .map(one_line)
            .filter(|value| !value.is_empty())
        {
            let _ = writeln!(out, "# {name} = {value}");
        }
    };
    head("title", metadata.title.as_ref());
    head(
        "url",
        metadata.url.as_ref().filter(|_| document.id.is_some()),
    );
    head("language", metadata.language.as_ref());
    head("captured", document.provenance.captured.as_ref());
    head("input", document.provenance.input.as_ref());
    let mut count = Count {
        prefix,
        sentences: 0,
        paragraphs: 0,
    };
    let sentences = Sentences::for_document(document);
    write_paragraphs(&mut out, &document.segments, &sentences, &mut count, None);
    if let Some(comments) = &document.comments {
        write_paragraphs(
            &mut out,
            &comments.segments,
            &sentences,
            &mut count,
            Some("comments"),
        );
    }
    if count.sentences == 0 {
        return String::new();
    }
    out
}

/// The prefix of all identifiers in a document: the document's own identifier, so that they are
/// unique in all documents of a run. White space and slashes, which an identifier cannot contain,
/// are percent-encoded.
fn id_prefix(id: &str) -> String {
    let mut prefix = String::with_capacity(id.len() + 1);
    for char in id.chars() {
        if char.is_whitespace() || matches!(char, '/' | '%') {
            for byte in char.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(prefix, "%{byte:02X}");
            }
        } else {
            prefix.push(char);
        }
    }
    prefix.push('-');
    prefix
}

struct Count {
    /// Text in front of each identifier.
    prefix: String,
    sentences: usize,
    paragraphs: usize,
}

fn write_paragraphs(
    out: &mut String,
    segments: &[Segment],
    sentences: &Sentences,
    count: &mut Count,
    part: Option<&str>,
) {
    for Paragraph { kind, lines } in paragraphs(segments) {
        count.paragraphs += 1;
        let mut is_first = true;
        for (text, tokens) in lines.iter().flat_map(|line| sentences.cut(line)) {
            if std::mem::take(&mut is_first) {
                let _ = writeln!(out, "# newpar id = {}p{}", count.prefix, count.paragraphs);
                for (name, value) in [("part", part), ("type", kind.name())] {
                    if let Some(value) = value {
                        let _ = writeln!(out, "# {name} = {value}");
                    }
                }
            }
            count.sentences += 1;
            let _ = writeln!(
                out,
                "# sent_id = {}s{}\n# text = {text}",
                count.prefix, count.sentences
            );
            for (index, token) in tokens.iter().enumerate() {
                let space = if token.has_space_after {
                    "_"
                } else {
                    "SpaceAfter=No"
                };
                let _ = writeln!(
                    out,
                    "{}\t{}\t_\t_\t_\t_\t_\t_\t_\t{space}",
                    index + 1,
                    token.text
                );
            }
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::{empty, sample, with_comments};

    #[test]
    fn tokens_have_ten_columns() {
        let mut document = sample();
        document.id = Some("a-1".into());
        document.provenance.captured = Some("2020-01-02T03:04:05Z".into());
        document.provenance.input = Some("a.warc".into());
        document.segments.truncate(2);
        insta::assert_snapshot!(write(&document, &EmitOptions::default()), @r###"
# newdoc id = a-1
# title = Tea & <coffee>
# language = en
# captured = 2020-01-02T03:04:05Z
# input = a.warc
# newpar id = a-1-p1
# type = heading
# sent_id = a-1-s1
# text = Tea & <coffee>
1	Tea	_	_	_	_	_	_	_	_
2	&	_	_	_	_	_	_	_	_
3	<	_	_	_	_	_	_	_	SpaceAfter=No
4	coffee	_	_	_	_	_	_	_	SpaceAfter=No
5	>	_	_	_	_	_	_	_	_

# newpar id = a-1-p2
# sent_id = a-1-s2
# text = One link strong and both, 2*3*4 snake_case [x] a`b.
1	One	_	_	_	_	_	_	_	_
2	link	_	_	_	_	_	_	_	_
3	strong	_	_	_	_	_	_	_	_
4	and	_	_	_	_	_	_	_	_
5	both	_	_	_	_	_	_	_	SpaceAfter=No
6	,	_	_	_	_	_	_	_	_
7	2	_	_	_	_	_	_	_	SpaceAfter=No
8	*	_	_	_	_	_	_	_	SpaceAfter=No
9	3	_	_	_	_	_	_	_	SpaceAfter=No
10	*	_	_	_	_	_	_	_	SpaceAfter=No
11	4	_	_	_	_	_	_	_	_
12	snake_case	_	_	_	_	_	_	_	_
13	[	_	_	_	_	_	_	_	SpaceAfter=No
14	x	_	_	_	_	_	_	_	SpaceAfter=No
15	]	_	_	_	_	_	_	_	_
16	a	_	_	_	_	_	_	_	SpaceAfter=No
17	`	_	_	_	_	_	_	_	SpaceAfter=No
18	b	_	_	_	_	_	_	_	SpaceAfter=No
19	.	_	_	_	_	_	_	_	_
"###);
    }

    #[test]
    fn identifiers_are_unique_among_documents_and_have_no_space() {
        assert_eq!(
            id_prefix("a b/50%\u{a0}\u{6d77}"),
            "a%20b%2F50%25%C2%A0\u{6d77}-"
        );
        let ids = |id: &str| {
            let written = write(
                &Document {
                    id: Some(id.into()),
                    ..sample()
                },
                &EmitOptions::default(),
            );
            let ids = written.lines().filter(|line| {
                line.starts_with("# sent_id = ") || line.starts_with("# newpar id = ")
            });
            ids.map(str::to_owned)
                .collect::<std::collections::BTreeSet<_>>()
        };
        let (one, other) = (ids("a b"), ids("a_b"));
        assert!(
            one.len() > 4 && one.len() == other.len() && one.is_disjoint(&other),
            "{one:?}"
        );
    }

    #[test]
    fn comments_are_a_part_and_an_empty_page_is_nothing() {
        assert_eq!(write(&empty(), &EmitOptions::default()), "");
        let written = write(&with_comments(), &EmitOptions::default());
        assert!(written.contains(
            "# newpar id = p2\n# part = comments\n# sent_id = s2\n# text = So <true>.\n1\tSo\t"
        ));
    }
}
