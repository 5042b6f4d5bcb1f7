//! Builds the document: segments, metadata, the pruned tree, and the report on each target.

use super::comments::{ReaderComments, comments_alone, nothing, records, with_comments};
use super::hidden::{MAX_PATH, hidden_passages};
use super::metadata;
use super::page::PageParts;
use super::posts::posts;
use super::pruned_tree::{Anchors, prune_tree};
use super::rules::{find_headline, names_page};
use super::segments::segment;
use crate::capture::{Capture, CssRect, Dom, DomBuilder, Paths};
use crate::classify::{Decision, Label, LikelyKind, Reason};
use crate::document::content::{
    CommentPart, Document, Metadata, Post, Segment, SegmentKind, Span, TargetReport,
};
use crate::document::segments::pictures::pictures;
use crate::document::segments::runs::Runs;
use crate::elements::HEADINGS;
use crate::target::Target;
use std::borrow::Cow;

/// Cleans a page: keeps the targets that the decisions label as content, and drops readers'
/// comments.
///
/// `decisions` and `reasons` have one entry per target, in the targets' order. A target without a
/// decision is dropped; one without reasons has none in its report.
pub fn prune(
    capture: &Capture,
    targets: &[Target],
    decisions: &[Decision],
    reasons: Vec<Vec<Reason>>,
) -> Document {
    prune_with(
        &PageParts::new(capture, targets),
        decisions,
        reasons,
        PruneOptions::default(),
    )
}

/// Turns the headline into a heading where the page shows it otherwise, and removes its link to the
/// page itself.
fn mark_headline(page: &PageParts<'_>, segments: &mut [Segment]) {
    let Some(first) = segments.first() else {
        return;
    };
    let found = find_headline(page, first.target);
    let Some(headline) =
        found.or_else(|| names_page(page.dom, &first.text()).then_some(first.target))
    else {
        return;
    };
    let has_first = segments
        .iter()
        .any(|segment| segment.kind == SegmentKind::Heading { level: 1 });
    let Some(segment) = segments
        .iter_mut()
        .find(|segment| segment.target == headline)
    else {
        return;
    };
    if segment.kind == SegmentKind::Paragraph && !has_first {
        segment.kind = SegmentKind::Heading { level: 1 };
    }
    let mut links = segment
        .spans
        .iter()
        .filter(|span| !span.text.trim().is_empty())
        .map(|span| &span.link);
    let first = links.next().cloned().flatten();
    if matches!(segment.kind, SegmentKind::Heading { .. })
        && first.is_some()
        && links.all(|link| *link == first)
    {
        segment.spans.iter_mut().for_each(|span| span.link = None);
    }
}

/// Options of pruning beside the decisions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PruneOptions {
    /// Treatment of readers' comments.
    pub(crate) comments: ReaderComments,
    /// Kind of the page, if known.
    pub(crate) kind: Option<LikelyKind>,
    /// True if only the text is needed, without metadata, posts, pictures and the pruned tree.
    pub(crate) text_only: bool,
}

/// Cleans a page like [`prune`], but treats readers' comments as the options say.
pub(crate) fn prune_with(
    page: &PageParts<'_>,
    decisions: &[Decision],
    reasons: Vec<Vec<Reason>>,
    PruneOptions {
        comments,
        kind,
        text_only,
    }: PruneOptions,
) -> Document {
    let in_text = match comments {
        ReaderComments::Keep => with_comments(decisions),
        ReaderComments::Only => nothing(decisions),
        ReaderComments::Drop | ReaderComments::Separate => decisions.into(),
    };
    let PageParts {
        capture, targets, ..
    } = *page;
    let runs = Runs::from_page(page, &in_text);
    let mut segments = segment::segments_of_runs(page, &in_text, &runs);
    mark_headline(page, &mut segments);
    let reports = reports(capture, targets, decisions, reasons);
    let document = Document {
        kind,
        comments: comment_part(page, decisions, comments),
        hidden: hidden_passages(capture),
        ..Document::new(
            Metadata::default(),
            segments,
            reports,
            DomBuilder::new().finish(),
        )
    };
    if text_only {
        return document;
    }
    let segments = &document.segments;
    let metadata = match &in_text {
        Cow::Borrowed(_) => metadata::read(page, segments),
        // Readers' comments do not show the page's title and language.
        Cow::Owned(_) => metadata::read(page, &segment::segments(page, decisions)),
    };
    let posts = if segments.is_empty() {
        Vec::new()
    } else {
        posts(page, decisions, segments, kind)
    };
    let metadata = with_first_author(metadata, &posts);
    let (pruned, kept_pictures) = prune_tree(page, &runs, Anchors::Write);
    let pictures = pictures(page, segments, &kept_pictures);
    Document {
        metadata,
        pruned,
        posts,
        pictures,
        ..document
    }
}

/// The metadata of a thread, whose author is that of its first post if the page names nobody.
fn with_first_author(mut metadata: Metadata, posts: &[Post]) -> Metadata {
    if metadata.author.is_none()
        && let Some(author) = posts.first().and_then(|post| post.author.clone())
    {
        metadata.author = Some(author);
        metadata
            .sources
            .insert("author".to_owned(), "post".to_owned());
    }
    metadata
}

/// The readers' comments, if they are separated from the text or replace it.
fn comment_part(
    page: &PageParts<'_>,
    decisions: &[Decision],
    comments: ReaderComments,
) -> Option<CommentPart> {
    let is_alone = comments == ReaderComments::Only;
    (is_alone || comments == ReaderComments::Separate).then(|| {
        let alone = comments_alone(decisions);
        let runs = Runs::from_page(page, &alone);
        let segments = segment::segments_of_runs(page, &alone, &runs);
        let records = records(page, &segments);
        // The names of the text's notes are taken.
        let anchors = if is_alone {
            Anchors::Write
        } else {
            Anchors::LeaveOut
        };
        CommentPart {
            segments,
            records,
            pruned: prune_tree(page, &runs, anchors).0,
            is_alone,
        }
    })
}

/// The reports on targets, in their order. A target without a decision is dropped, one without
/// reasons has none.
pub(super) fn reports(
    capture: &Capture,
    targets: &[Target],
    decisions: &[Decision],
    reasons: Vec<Vec<Reason>>,
) -> Vec<TargetReport> {
    let mut reasons = reasons.into_iter();
    let undecided = Decision {
        margin: 0.0,
        probability: 0.0,
        label: Label::Boilerplate,
        comments: None,
    };
    let mut paths = Paths::new(&capture.dom, MAX_PATH, "…");
    let report = |(index, target): (usize, &Target)| TargetReport {
        decision: decisions.get(index).unwrap_or(&undecided).clone(),
        rect: rect(capture, target),
        path: paths.path(target.container),
        text: target.text(&capture.dom),
        reasons: reasons.next().unwrap_or_default(),
    };
    targets.iter().enumerate().map(report).collect()
}

/// The bounding box of a target's lines.
fn rect(capture: &Capture, target: &Target) -> Option<CssRect> {
    let layout = capture.layout.as_ref()?;
    let lines = target.texts.iter().flat_map(|&id| layout.lines(id));
    let rect = lines.fold(CssRect::default(), |rect, line| rect.union(line.rect));
    if rect.is_empty() {
        layout.rect(target.container)
    } else {
        Some(rect)
    }
}

/// A segment of plain text; `target` is the index of its target.
pub fn plain_segment(kind: SegmentKind, text: String, target: usize) -> Segment {
    Segment::new(
        kind,
        vec![Span {
            text,
            ..Span::default()
        }],
        target,
    )
}

/// A document of segments made from targets, with one decision per target; its tree is the pruned
/// tree of the page.
pub fn document_of(
    capture: &Capture,
    targets: &[Target],
    decisions: &[Decision],
    segments: Vec<Segment>,
) -> Document {
    let page = PageParts::new(capture, targets);
    let runs = Runs::from_page(&page, decisions);
    let metadata = metadata::read(&page, &segments);
    let reports = reports(capture, targets, decisions, Vec::new());
    let document = Document::new(
        metadata,
        segments,
        reports,
        prune_tree(&page, &runs, Anchors::Write).0,
    );
    Document {
        hidden: hidden_passages(capture),
        ..document
    }
}

/// A document of segments without positions in the tree: its tree is built from them.
pub fn document_of_text(capture: &Capture, segments: Vec<Segment>) -> Document {
    let metadata = metadata::read(&PageParts::new(capture, &[]), &segments);
    let tree = tree_of(&segments);
    Document {
        hidden: hidden_passages(capture),
        ..Document::new(metadata, segments, Vec::new(), tree)
    }
}

pub(crate) fn tree_of(segments: &[Segment]) -> Dom {
    let mut tree = DomBuilder::new();
    let mut is_in_list = false;
    for segment in segments {
        let tag = match segment.kind {
            SegmentKind::Heading { level } => HEADINGS[usize::from(level.clamp(1, 6)) - 1],
            SegmentKind::ListItem { .. } => "li",
            _ => "p",
        };
        if is_in_list != (tag == "li") {
            if is_in_list {
                tree.close();
            } else {
                tree.open("ul", Vec::new());
            }
            is_in_list = !is_in_list;
        }
        tree.open(tag, Vec::new());
        tree.text(&segment.text());
        tree.close();
    }
    tree.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{NodeKind, Record};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};
    use proptest::prelude::*;

    #[test]
    fn the_author_of_a_thread_is_that_of_its_first_post() {
        let post = |name: &str| Post {
            author: Some(name.to_owned()),
            ..Post::default()
        };
        let posts = [post("Ann"), post("Bo")];
        let found = with_first_author(Metadata::default(), &posts);
        assert_eq!(found.author.as_deref(), Some("Ann"));
        let named = Metadata {
            author: Some("Cy".to_owned()),
            ..Metadata::default()
        };
        assert_eq!(
            with_first_author(named, &posts).author.as_deref(),
            Some("Cy")
        );
        assert_eq!(with_first_author(Metadata::default(), &[]).author, None);
    }

    /// Keeps the targets whose text does not begin with `no`.
    fn clean(html: &str) -> Document {
        let capture = Capture::parsed(
            parse_html(html),
            Record::parsed("x", Some("https://a.example/d/".into())),
        );
        let targets = select(&capture, TargetRule::Blocks);
        let decisions: Vec<_> = targets
            .iter()
            .map(|target| {
                let keep = !target.text(&capture.dom).starts_with("no");
                let label = if keep {
                    Label::Content
                } else {
                    Label::Boilerplate
                };
                Decision {
                    margin: if keep { 1.0 } else { -1.0 },
                    probability: f32::from(keep),
                    label,
                    comments: None,
                }
            })
            .collect();
        prune(&capture, &targets, &decisions, vec![])
    }

    #[test]
    fn comments_are_kept_dropped_or_separated() {
        let html = "<h1>Post</h1><p>text</p><ul><li>first remark</li><li>second remark</li></ul><p>more text</p><p>no</p>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let decide = |target: &Target| {
            let text = target.text(&capture.dom);
            let label = match () {
                () if text.contains("remark") => Label::Comments,
                () if text == "no" => Label::Boilerplate,
                () => Label::Content,
            };
            Decision {
                margin: 0.0,
                probability: 0.5,
                label,
                comments: Some(0.5),
            }
        };
        let decisions: Vec<Decision> = targets.iter().map(decide).collect();
        let with = |comments| {
            prune_with(
                &PageParts::new(&capture, &targets),
                &decisions,
                vec![],
                PruneOptions {
                    comments,
                    ..PruneOptions::default()
                },
            )
        };
        let texts = |segments: &[Segment]| segments.iter().map(Segment::text).collect::<Vec<_>>();
        let dropped = with(ReaderComments::Drop);
        assert_eq!(texts(&dropped.segments), ["Post", "text", "more text"]);
        assert_eq!(
            (dropped.comments.is_none(), &dropped),
            (true, &prune(&capture, &targets, &decisions, vec![]))
        );
        let kept = with(ReaderComments::Keep);
        assert_eq!(
            texts(&kept.segments),
            ["Post", "text", "first remark", "second remark", "more text"]
        );
        assert_eq!(
            (&kept.metadata, kept.comments.is_none()),
            (&dropped.metadata, true)
        );
        let separated = with(ReaderComments::Separate);
        let alone = separated.comments_alone().unwrap();
        assert_eq!(texts(&alone.segments), ["first remark", "second remark"]);
        assert!(
            outline(&alone.pruned)
                .iter()
                .all(|node| !node.contains("text"))
        );
        assert_eq!(
            Document {
                comments: None,
                ..separated
            },
            dropped
        );
        let only = with(ReaderComments::Only);
        let part = only.comments.unwrap();
        assert_eq!(
            (only.segments.len(), texts(&part.segments)),
            (0, texts(&alone.segments))
        );
        assert!(
            part.is_alone && outline(&only.pruned).is_empty() && only.metadata == dropped.metadata
        );
    }

    fn outline(dom: &Dom) -> Vec<String> {
        dom.ids()
            .skip(1)
            .map(|id| match dom.kind(id) {
                NodeKind::Element { tag, attributes } => {
                    let list: Vec<_> = attributes
                        .iter()
                        .map(|(name, value)| format!(" {name}={value}"))
                        .collect();
                    format!("{tag}{}", list.concat())
                }
                NodeKind::Text(text) => format!("{text:?}"),
                NodeKind::Document => "document".into(),
            })
            .collect()
    }

    #[test]
    fn only_kept_text_and_the_elements_around_it_are_kept() {
        let document = clean(
            "<body onload=x()><nav>no menu</nav><main class=m><p style=color:red onclick=y()>one <a href=z title=t>two</a></p>\
             <script>no</script><img src=i.png alt=A><img src=j.png width=1><p>three<br>four</p></main><img src=k.png>",
        );
        assert_eq!(
            outline(&document.pruned),
            [
                "html",
                "body",
                "main",
                "p",
                "\"one \"",
                "a href=https://a.example/d/z title=t",
                "\"two\"",
                "img src=https://a.example/d/i.png alt=A",
                "p",
                "\"three\"",
                "br",
                "\"four\"",
            ]
        );
        assert!(document.pruned.is_consistent());
    }

    #[test]
    fn formulas_and_code_are_written_without_what_belongs_to_their_display() {
        let math = "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></semantics></math>";
        let document = clean(&format!(
            "<p>Let <span class=katex>{math}</span> be</p><p>{math}</p><p>it</p><p>no {math}</p>"
        ));
        let texts: Vec<&str> = document
            .pruned
            .ids()
            .filter_map(|id| document.pruned.text(id))
            .collect();
        assert_eq!(texts, ["Let ", "\\(x_1\\)", " be", "\\(x_1\\)", "it"]);
        let document = clean("<pre class='lang-c x'><button>Copy</button>int a;</pre>");
        assert_eq!(
            outline(&document.pruned),
            ["html", "body", "pre class=language-c", "\"int a;\""]
        );
    }

    #[test]
    fn callouts_keep_their_kind() {
        let document = clean(
            "<div class='admonition warning x'><p>Hot</p></div><p class=note>one</p><aside class=x>two</aside>",
        );
        let tags = [
            "html",
            "body",
            "div class=callout warning",
            "p",
            "\"Hot\"",
            "p",
            "\"one\"",
            "aside",
            "\"two\"",
        ];
        assert_eq!(outline(&document.pruned), tags);
    }

    #[test]
    fn every_target_is_reported() {
        let document = clean("<div>no way</div><form><p>kept</p></form>");
        assert_eq!(document.targets.len(), 2);
        assert_eq!(document.targets[1].path, "html/body/form/p");
        assert_eq!(document.targets[0].text, "no way");
        assert_eq!(document.segments.len(), 1);
        assert_eq!(document.segments[0].target, 1);
        assert_eq!(outline(&document.pruned), ["html", "body", "p", "\"kept\""]);
    }

    #[test]
    fn a_page_without_content_is_empty() {
        let document = clean("<p>no text</p>");
        assert!(document.segments.is_empty());
        assert_eq!(document.pruned.len(), 1);
    }

    #[test]
    fn a_deep_path_is_short() {
        let document = clean(&format!("{}deep", "<div>".repeat(300)));
        assert_eq!(document.targets[0].path.matches('/').count(), MAX_PATH);
        assert!(document.targets[0].path.starts_with("…/"));
    }

    proptest! {
        // The letters are not names of languages: such a name above a block of code becomes its
        // language.
        #[test]
        fn segments_hold_just_the_kept_text(html in "(<(/?(p|b|a href=x|div|table|tr|td|th|ul|li|ol|pre|code|blockquote|h2|br|img src=x))>|no|[pqsuw ]{1,4}|\n){0,40}") {
            let document = clean(&html);
            prop_assert!(document.pruned.is_consistent());
            let words = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let segments: String = document.segments.iter().map(|segment| words(&segment.text())).collect();
            let kept = document.targets.iter().filter(|target| target.decision.label == Label::Content);
            let targets: String = kept.map(|target| words(&target.text)).collect();
            let mut sorted = (segments.chars().collect::<Vec<_>>(), targets.chars().collect::<Vec<_>>());
            sorted.0.sort_unstable();
            sorted.1.sort_unstable();
            prop_assert_eq!(sorted.0, sorted.1);
            let pruned: String = document.pruned.ids().filter_map(|id| document.pruned.text(id)).map(words).collect();
            prop_assert_eq!(pruned.len(), targets.len());
        }
    }
}
