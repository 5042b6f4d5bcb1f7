//! Tests the Markdown writer with a CommonMark parser: any text is read back as the same text, in
//! one block.

use super::find;
use super::format::EmitOptions;
use super::markdown::write;
use super::tests::empty;
use crate::document::{FormulaStyle, Segment, SegmentKind, Span};
use crate::pipeline::extract;
use crate::text::collapse;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// The blocks that a CommonMark parser reads, each with its text on one line, without formatting
/// tags.
fn read_back(markdown: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::HardBreak => {
                if let Some((_, block)) = blocks.last_mut() {
                    block.push('\n');
                }
            }
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. }) | Event::End(_) => {}
            Event::Start(tag) => {
                let tag = format!("{tag:?}");
                let name = tag.split([' ', '(', '{']).next().unwrap_or_default();
                blocks.push((name.to_owned(), String::new()));
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, block)) = blocks.last_mut() {
                    block.push_str(&text);
                }
            }
            other => blocks.push((format!("{other:?}"), String::new())),
        }
    }
    for (_, text) in &mut blocks {
        *text = collapse(text);
    }
    blocks
}

fn assert_read_back(spans: &[Span], links: bool) {
    let text = collapse(
        &spans
            .iter()
            .map(|span| span.text.as_str())
            .collect::<String>(),
    );
    if text.is_empty() {
        return;
    }
    let item = SegmentKind::ListItem {
        depth: 0,
        number: None,
        continues: false,
        checked: None,
    };
    let cases: [(SegmentKind, &[&str]); 4] = [
        (SegmentKind::Paragraph, &["Paragraph"]),
        (SegmentKind::Heading { level: 2 }, &["Heading"]),
        (SegmentKind::Quote, &["BlockQuote", "Paragraph"]),
        (item, &["List", "Item"]),
    ];
    for (kind, expected) in cases {
        let mut document = empty();
        document.segments = vec![Segment::new(kind, spans.to_vec(), 0)];
        let markdown = write(
            &document,
            &EmitOptions {
                links,
                ..EmitOptions::default()
            },
        );
        let mut blocks: Vec<(String, String)> = expected
            .iter()
            .map(|&name| (name.to_owned(), String::new()))
            .collect();
        if let Some((_, last)) = blocks.last_mut() {
            last.clone_from(&text);
        }
        assert_eq!(read_back(&markdown), blocks, "{markdown:?}");
    }
}

#[test]
fn text_that_looks_like_markup_is_read_back_as_text() {
    for text in [
        "* x",
        "- x",
        "+ x",
        "*",
        "-",
        "+",
        "1. x",
        "2) x",
        "1.",
        "# x",
        "####### x",
        "#",
        "x #",
        "x \\#",
        "> x",
        ">",
        "=",
        "===",
        "---",
        "- - -",
        "***",
        "* * *",
        "___",
        "_ _ _",
        "```",
        "~~~",
        "~~~ x",
        "`x`",
        "``",
        "[x]: y",
        "[x]: <y> 'z'",
        "[x](y)",
        "![x](y)",
        "[^1]: x",
        "[ ] x",
        "<p>x</p>",
        "<!-- x",
        "<?x?>",
        "<https://a.example>",
        "| a | b |",
        "|---|---|",
        "a | b",
        "&amp;",
        "&#65;",
        "&copy;",
        "\\",
        "\\* x",
        "x\\",
        "*x*",
        "**x**",
        "_x_",
        "__x__",
        "a*b*c",
        "x *",
        "* x *",
        "a_b_c",
        "~x~",
        "~~x~~",
        "    x",
        "\tx",
        "x!",
        "$x$",
        ":::",
        "^x^",
        "x  \ny",
        "http://a.example/_x_",
    ] {
        assert_read_back(
            &[Span {
                text: text.to_owned(),
                ..Span::default()
            }],
            false,
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]
    #[test]
    fn any_formatted_text_is_read_back_with_the_same_text(
        parts in prop::collection::vec(
            ("([-+*_#>=|`~!<&\\[\\](){}.:;$^\\\\ \\t]|[0-9]{1,2}|[a-b]|amp;|\u{e9}|\u{a0}){0,6}", 0u8..16),
            1..5
        ),
        links: bool,
    ) {
        let spans = parts.into_iter().map(|(text, flags)| Span {
            text,
            link: (flags & 8 != 0).then(|| "https://a.example/(x)?a=b\\".to_owned()),
            is_code: flags & 1 != 0,
            is_strong: flags & 2 != 0,
            is_emphasis: flags & 4 != 0,
            ..Span::default()
        });
        assert_read_back(&spans.collect::<Vec<_>>(), links);
    }
}

/// The HTML that Markdown readers would find, except the writer's own; with and without formulas.
fn foreign_html(markdown: &str) -> Vec<String> {
    const NAMES: [&str; 12] = [
        "a", "br", "code", "del", "em", "strong", "sub", "sup", "table", "td", "th", "tr",
    ];
    let own = |tag: &str| {
        let inner = tag.trim_start_matches('/');
        let name_end = inner
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(inner.len());
        let attributes = inner[name_end..].split('"').step_by(2).map(str::trim);
        NAMES.contains(&&inner[..name_end])
            && attributes
                .into_iter()
                .all(|name| matches!(name, "" | "href=" | "colspan=" | "rowspan="))
    };
    let mut found = Vec::new();
    for options in [
        Options::ENABLE_TABLES,
        Options::all() - Options::ENABLE_DEFINITION_LIST,
    ] {
        for event in Parser::new_ext(markdown, options) {
            if let Event::Html(html) | Event::InlineHtml(html) = event {
                let tags = html
                    .split('<')
                    .skip(1)
                    .map(|tag| tag.split('>').next().unwrap_or_default());
                found.extend(tags.filter(|tag| !own(tag)).map(str::to_owned));
            }
        }
    }
    found
}

/// Elements that hold a text of the page, which replaces `{}`.
const HOLDERS: [&str; 26] = [
    "<p>See <math><mi>x</mi><mtext>{}</mtext></math> here.</p>",
    "<p>See <math display=block><mi>{}</mi><mo>{}</mo><ms>{}</ms></math> here.</p>",
    "<p>See <math><semantics><mi>x</mi><annotation encoding='application/x-tex'>{}</annotation></semantics></math>.</p>",
    "<p>See <math class=ltx_Math alttext='{}'><mi>x</mi></math>.</p>",
    "<p>See <script type='math/tex'>{}</script> here.</p>",
    "<p>See <script type='math/tex; mode=display'>\\text{{}}</script> here.</p>",
    "<p>See <script type='math/asciimath'>a \"{}\" b</script> here.</p>",
    "<p>See <d-math>{}</d-math> and <span class=ztext-math data-tex='{}'>x</span>.</p>",
    "<p>See <span class='katex'><span class='katex-html'><span class='mord text'>{}</span></span></span>.</p>",
    "<p>See <mjx-container><mjx-math><mjx-mtext>{}</mjx-mtext></mjx-math></mjx-container>.</p>",
    "<p>See <img class=tex alt='\\frac{a}{b} = {}' src=a.png> and $\\frac{a}{b} {}$ and \\(x^2 {}\\).</p>",
    "<p>A sentence that holds {} and <b>{}</b>, <del>{}</del>, <sup>{}</sup>, <abbr title='{}'>{}</abbr>.</p>",
    "<p>Code: <code>{}</code>, <kbd>{}</kbd>.</p><pre><code class='language-{}'>{}</code></pre>",
    "<h2 id='{}'>{}</h2><p>A paragraph below it that says a few words more.</p>",
    "<ul><li>{}<li><a href='/{}' title='{}'>{}</a></ul><ol start=3><li>{}</ol>",
    "<table><caption>{}</caption><tr><th>a<th>{}<tr><td>{}<td>b</table>",
    "<table><tr><th rowspan=2>{}<th colspan=2><a href='/{}'>{}</a><tr><td>{}<td><math><mtext>{}</mtext></math></table>",
    "<blockquote cite='{}'><p>{}</p></blockquote><dl><dt>{}<dd>{}</dl>",
    "<figure><img src='/{}.png' alt='{}' title='{}' width=400 height=300><figcaption>{}</figcaption></figure>",
    "<p>Text with a note<sup><a href='#n1' id=r1>1</a></sup>.</p><ol><li id=n1>{} <a href='#r1'>back</a></ol>",
    "<details><summary>{}</summary><p>{}</p></details>",
    "<div class='admonition note'><p class=admonition-title>{}</p><p>{}</p></div>",
    "<p><ruby>{}<rt>{}</rt></ruby> and <q cite='{}'>{}</q>, <time datetime='{}'>{}</time>.</p>",
    "<input type=checkbox><label>{}</label><ul><li><input type=checkbox checked>{}</ul>",
    "<div class='code-block' data-lang='{}'><pre class='brush: {}'>{}</pre></div>",
    "<p class=byline>By {}</p><p lang='{}'>{}</p>",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn no_html_of_a_page_reaches_markdown(
        holders in prop::collection::vec(0..HOLDERS.len(), 1..6),
        payload in prop::sample::select(vec![
            "<img src=x onerror=alert(1)>", "<style>", "</code><script>alert(1)</script>", "<!-- x", "<?php x ?>",
            "a$ <svg onload=alert(1)> $b", "``` <img src=x> ```", "\\<img src=x>", "]( <a href=x>", "}$<b>${",
            "| <i> |", "<https://a.example>", "x\\$ <u>", "$$\n\n<img src=x>", "--><p>",
        ]),
        links: bool,
    ) {
        let escaped = html_escape::encode_quoted_attribute(payload).into_owned();
        let in_script = payload.replace("</script", "");
        let body: String = holders.iter().map(|&holder| {
            let text = if HOLDERS[holder].contains("<script") { &in_script } else { &escaped };
            HOLDERS[holder].replace("{}", text)
        }).collect();
        let sentence = "Herring gulls drop mussels on the rocks of the harbor until they break. ".repeat(4);
        let page = format!(
            "<html><title>{escaped}</title><meta name=author content='{escaped}'><meta name=description content='{escaped}'>\
             <body><article><h1>{escaped} gulls</h1><p>{sentence}</p>{body}<p>{sentence}</p></article>"
        );
        let cleaned = extract(&page, None).unwrap();
        let options = EmitOptions { links, images: true, metadata: true, ..EmitOptions::default() };
        let markdown = cleaned.write(find("markdown").unwrap(), &options);
        // The front matter is YAML, so it is not checked here.
        let body = markdown.split_once("\n---\n").map_or(markdown.as_str(), |(_, body)| body);
        prop_assert!(body.contains("Herring gulls"), "{}", markdown);
        prop_assert_eq!(foreign_html(body), Vec::<String>::new(), "{}", body);
    }

    #[test]
    fn no_html_of_a_formula_reaches_markdown(tex in "([<>$\\\\{}`~\\[\\]_^| ]|\\\\text\\{|img src=x|!--|/b|a){1,16}") {
        let tex = collapse(&tex);
        prop_assume!(!tex.is_empty());
        for (mark, style) in [("$", FormulaStyle::Inline), ("$$", FormulaStyle::Display)] {
            let formula = Span { text: format!("{mark}{tex}{mark}"), formula: Some(style), ..Span::default() };
            let around = |text: &str| Span { text: text.to_owned(), ..Span::default() };
            let mut document = empty();
            let spans = vec![around("before "), formula, around(" after <b> it")];
            document.segments = vec![Segment::new(SegmentKind::Paragraph, spans, 0)];
            let markdown = write(&document, &EmitOptions::default());
            prop_assert_eq!(foreign_html(&markdown), Vec::<String>::new(), "{}", markdown);
        }
    }
}
