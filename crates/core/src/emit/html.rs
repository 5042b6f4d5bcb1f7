//! A small HTML document from the pruned tree: the page's own elements around the kept text,
//! without scripts and without elements that mean nothing.

use super::format::EmitOptions;
use crate::capture::{Attributes, Dom, NodeId, NodeKind, escape};
use crate::document::{Document, Metadata};
use crate::elements::{Kind, ends_line, is_not_copied, is_void_in_output};
use std::collections::BTreeMap;

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
    write_tree(&mut out, &document.pruned, document, options);
    if let Some(comments) = document
        .comments
        .as_ref()
        .filter(|comments| !comments.segments.is_empty())
    {
        out.push_str("<section class=\"comments\">\n");
        write_tree(&mut out, &comments.pruned, document, options);
        out.push_str("</section>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// Writes the elements and texts of a tree. The output ends with a line break unless it is empty.
fn write_tree(out: &mut String, dom: &Dom, document: &Document, options: &EmitOptions) {
    let mut writer = TreeWriter {
        dom,
        saved_pictures: &document.saved_pictures,
        options,
        holdings: Holdings::read(dom),
        out,
        open: Vec::new(),
        preformatted: 0,
        skipped_to: 0,
    };
    for id in dom.ids().skip(1) {
        writer.close_before(id.index());
        if id.index() < writer.skipped_to {
            continue;
        }
        match dom.kind(id) {
            NodeKind::Document => {}
            NodeKind::Text(text) => writer.text(id, text),
            NodeKind::Element { tag, attributes } => writer.element(id, tag, attributes),
        }
    }
    writer.close_before(usize::MAX);
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

struct TreeWriter<'d, 'o> {
    dom: &'d Dom,
    /// Where the files of pictures are, by the addresses in the tree.
    saved_pictures: &'d BTreeMap<String, String>,
    options: &'o EmitOptions,
    holdings: Holdings,
    out: &'o mut String,
    /// The open elements, innermost last, with their ends and tags.
    open: Vec<(usize, &'d str)>,
    /// Number of preformatted ones among them.
    preformatted: usize,
    /// The nodes before this index are left out.
    skipped_to: usize,
}

impl<'d> TreeWriter<'d, '_> {
    /// Closes the elements that end before a node.
    fn close_before(&mut self, index: usize) {
        while let Some((_, tag)) = self.open.pop_if(|(end, _)| *end <= index) {
            self.out.push_str("</");
            self.out.push_str(tag);
            self.out.push('>');
            if is_preformatted(tag) {
                self.preformatted -= 1;
            }
            if self.preformatted == 0 && ends_line(tag) {
                self.out.push('\n');
            }
        }
    }

    fn text(&mut self, id: NodeId, text: &str) {
        let parent = self.dom.parent(id);
        let is_between_blocks = parent.is_some_and(|parent| self.holdings.blocks[parent.index()]);
        if self.preformatted > 0 || !is_blank(text) || !is_between_blocks {
            escape(self.out, text, false);
        }
    }

    fn element(&mut self, id: NodeId, tag: &'d str, attributes: Attributes<'d>) {
        if is_not_copied(tag) {
            return;
        }
        if !self.options.images && self.holdings.is_picture_alone(self.dom, id) {
            self.skipped_to = self.dom.end(id);
            return;
        }
        let is_link = tag == "a";
        let is_written = |name, value| !is_link || self.options.links || is_of_text(name, value);
        let attributes: Vec<_> = attributes
            .iter()
            .filter(|(name, value)| is_written(name, value))
            .map(|(name, value)| match self.saved_pictures.get(value) {
                Some(file) if tag == "img" && name == "src" => (name, file.as_str()),
                _ => (name, value),
            })
            .collect();
        // Without attributes, these mean nothing.
        let is_wrapper = matches!(tag, "span" | "font") || self.holdings.blocks[id.index()];
        if attributes.is_empty() && (is_link || is_wrapper && self.preformatted == 0) {
            return;
        }
        open_tag(self.out, tag, &attributes);
        if is_void_in_output(tag) {
            return;
        }
        if is_preformatted(tag) {
            self.preformatted += 1;
            // A parser drops the first line break, so one is added.
            self.out.push('\n');
        }
        self.open.push((self.dom.end(id), tag));
    }
}

/// The contents of the subtrees of a tree, by the index of their roots.
struct Holdings {
    text: Vec<bool>,
    picture: Vec<bool>,
    /// True for a division that holds only blocks.
    blocks: Vec<bool>,
}

impl Holdings {
    fn read(dom: &Dom) -> Self {
        let mut text = vec![false; dom.len()];
        let mut picture = vec![false; dom.len()];
        let mut blocks = vec![true; dom.len()];
        for id in dom.ids().rev() {
            let at = id.index();
            let is_blank = dom.text(id).map(is_blank);
            text[at] |= is_blank == Some(false);
            picture[at] |= dom.tag(id) == "img";
            blocks[at] &= matches!(dom.tag(id), "div" | "main" | "center");
            if let Some(parent) = dom.parent(id) {
                text[parent.index()] |= text[at];
                picture[parent.index()] |= picture[at];
                blocks[parent.index()] &=
                    is_blank.unwrap_or_else(|| dom.element(id).default_display().is_some());
            }
        }
        Self {
            text,
            picture,
            blocks,
        }
    }

    /// True for a picture, and for an element that holds pictures and no text. A cell of a table
    /// stays, because the ones after it would move.
    fn is_picture_alone(&self, dom: &Dom, id: NodeId) -> bool {
        let is_cell = matches!(dom.element(id).kind(), Kind::Cell | Kind::HeadCell);
        self.picture[id.index()] && !self.text[id.index()] && !is_cell
    }
}

/// True for an attribute that a link keeps where links are left out: notes lead to their marks
/// within the document.
fn is_of_text(name: &str, value: &str) -> bool {
    match name {
        "href" => value.starts_with('#'),
        "title" => false,
        _ => true,
    }
}

fn is_blank(text: &str) -> bool {
    text.trim_ascii().is_empty()
}

fn is_preformatted(tag: &str) -> bool {
    matches!(tag, "pre" | "listing")
}

fn open_tag(out: &mut String, tag: &str, attributes: &[(&str, &str)]) {
    out.push('<');
    out.push_str(tag);
    for (name, value) in attributes {
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
<p lang="en">One link<br></p>
<pre>


  code</pre>
</body>
</html>
"###);
    }

    #[test]
    fn links_and_pictures_are_written_if_asked_for() {
        let line = |links, images| {
            let options = EmitOptions {
                links,
                images,
                ..EmitOptions::default()
            };
            let written = write(&sample(), &options);
            written
                .lines()
                .find(|line| line.starts_with("<p"))
                .unwrap()
                .to_owned()
        };
        let (link, image) = (
            r#"<a href="https://a.example/?a=1&amp;b=&quot;2&quot;">link</a>"#,
            r#"<img src="https://a.example/i.png" alt="">"#,
        );
        let paragraph = |link, image| format!(r#"<p lang="en">One {link}<br>{image}</p>"#);
        assert_eq!(line(true, true), paragraph(link, image));
        assert_eq!(line(true, false), paragraph(link, ""));
        assert_eq!(line(false, true), paragraph("link", image));
    }

    /// The body of a document whose pruned tree is that of `html`.
    fn body(html: &str) -> String {
        let mut document = empty();
        document.pruned = parse_html(html);
        let written = write(&document, &EmitOptions::default());
        let (_, body) = written.split_once("<body>\n").unwrap();
        body.trim_end_matches("</body>\n</html>\n").to_owned()
    }

    #[test]
    fn elements_without_meaning_are_left_out() {
        let nested =
            "<div><div>\n <h2><span>One</span></h2>\n<div lang=de><p>Two</p></div></div></div>";
        assert_eq!(
            body(nested),
            "<h2>One</h2>\n<div lang=\"de\"><p>Two</p>\n</div>\n"
        );
        let with_words = "<div>One <p>Two</p> </div><pre>a <span>b</span></pre>";
        assert_eq!(
            body(with_words),
            "<div>One <p>Two</p>\n </div>\n<pre>\na <span>b</span></pre>\n"
        );
    }

    #[test]
    fn what_holds_only_pictures_is_left_out_with_them() {
        let page = "<figure><a href=/x><img src=a></a></figure><p>One<img src=b></p>\
                    <figure><img src=c><figcaption>Two</figcaption></figure>\
                    <table><tr><td><img src=d></td><td>Three</td></tr></table>";
        assert_eq!(
            body(page),
            "<p>One</p>\n<figure><figcaption>Two</figcaption>\n</figure>\n\
             <table><tbody><tr><td></td>\n<td>Three</td>\n</tr>\n</tbody>\n</table>\n"
        );
    }

    #[test]
    fn links_within_the_document_stay() {
        let page = "<p>One<a href=#n1>1</a> <a href=https://a.example title=x>two</a>";
        assert_eq!(body(page), "<p>One<a href=\"#n1\">1</a> two</p>\n");
    }

    #[test]
    fn written_documents_can_be_parsed_again() {
        let written = write(
            &sample(),
            &EmitOptions {
                links: true,
                ..EmitOptions::default()
            },
        );
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
