//! The pictures of the text: those between its blocks, which are written on request.

use crate::capture::{Capture, CssRect, Dom, NodeId};
use crate::document::addresses::Addresses;
use crate::document::content::{Document, Segment, SegmentKind};
use crate::document::page::PageParts;
use crate::document::segments::kind::{KindFinder, KindSource};
use crate::document::table::Tables;
use crate::elements::Element;
use crate::text::collapse;

const IMG: Element = Element::known("img");

/// Smallest side of a picture that belongs to the text, in CSS px; smaller ones are icons and
/// tracking pixels. Heuristic.
const MIN_PICTURE_PX: f32 = 32.0;

/// Largest height of the box that engines give to a picture that could not be loaded: a line of its
/// alternative text; and smallest width, without which it is a tracking pixel. In CSS px;
/// heuristic.
const MAX_MISSING_PX: f32 = 24.0;
const MIN_MISSING_PX: f32 = 12.0;

/// Elements of AMP that a script replaces by pictures.
const AMP_PICTURES: [&str; 2] = ["amp-img", "amp-anim"];

/// Returns true for elements that show a picture. Once a script has run, one of AMP has an `img` in
/// it.
pub(in crate::document) fn shows_picture(dom: &Dom, id: NodeId) -> bool {
    /// Number of nodes in an element of AMP that are searched.
    const MAX_NODES: usize = 16;
    if dom.element(id) != Element::UNKNOWN {
        return dom.element(id) == IMG;
    }
    AMP_PICTURES.contains(&dom.tag(id))
        && !dom
            .descendants(id)
            .take(MAX_NODES)
            .any(|inner| dom.element(inner) == IMG && !is_in_noscript(dom, inner))
}

fn is_in_noscript(dom: &Dom, id: NodeId) -> bool {
    dom.ancestors(id)
        .take(2)
        .any(|up| dom.element(up) == Element::known("noscript"))
}

/// Returns true if a picture is large enough to belong to the text, as far as its size is known.
pub(in crate::document) fn is_picture(capture: &Capture, id: NodeId) -> bool {
    let dom = &capture.dom;
    // Width and height of these layouts are a ratio.
    let is_ratio = dom
        .attribute(id, "layout")
        .is_some_and(|layout| matches!(layout, "responsive" | "fill" | "intrinsic" | "flex-item"))
        && AMP_PICTURES.contains(&dom.tag(id));
    let sides = ["width", "height"].map(|name| {
        dom.attribute(id, name)
            .and_then(|value| value.trim().trim_end_matches("px").parse::<f32>().ok())
            .filter(|_| !is_ratio)
    });
    let is_large = sides
        .iter()
        .all(|side| side.is_none_or(|side| side >= MIN_PICTURE_PX));
    let Some(rect) = capture.layout.as_ref().and_then(|layout| layout.rect(id)) else {
        return is_large;
    };
    rect.width >= MIN_PICTURE_PX && rect.height >= MIN_PICTURE_PX
        || is_large && is_missing(dom, id, rect, sides)
}

/// Returns true if a box is that of a picture that was not loaded, and the markup shows that it is
/// not an icon: by its size, by the format of photographs, or because it is a figure.
fn is_missing(dom: &Dom, id: NodeId, rect: CssRect, sides: [Option<f32>; 2]) -> bool {
    let is_empty = rect.width < 1.0 || rect.height < 1.0;
    let is_line = rect.height <= MAX_MISSING_PX && rect.width >= MIN_MISSING_PX;
    let is_photograph = || {
        let source = dom.attribute(id, "src").or(dom.attribute(id, "srcset"));
        let source = source.unwrap_or("").to_ascii_lowercase();
        [".jpg", ".jpeg", ".webp", ".avif"]
            .iter()
            .any(|ending| source.contains(ending))
    };
    let is_figure = || {
        dom.ancestors(id)
            .take(3)
            .any(|up| matches!(dom.tag(up), "figure" | "picture"))
    };
    (is_empty || is_line)
        && (sides.iter().all(Option::is_some)
            || AMP_PICTURES.contains(&dom.tag(id))
            || is_photograph()
            || is_figure())
}

impl Document {
    /// Makes the text refer to saved files of its pictures: `place` returns that of an address, or
    /// `None` to keep the address.
    pub fn relocate_pictures(&mut self, mut place: impl FnMut(&str) -> Option<String>) {
        for (_, segment) in &mut self.pictures {
            let SegmentKind::Image { source, .. } = &mut segment.kind else {
                continue;
            };
            if let Some(file) = place(source) {
                let address = std::mem::replace(source, file.clone());
                self.saved_pictures.insert(address, file);
            }
        }
    }
}

/// The attributes of an `img` that name its file where the page loads pictures late: `src` then is
/// a placeholder.
const LATE_SOURCES: &[&str] = &[
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-actualsrc",
    "data-orig-file",
    "data-echo",
];
/// The ends of the names of files that are pictures.
const ENDINGS: &[&str] = &[".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg"];
/// Parts of the names of files that are placeholders.
const PLACEHOLDERS: &[&str] = &[
    "placeholder",
    "blank.",
    "spacer",
    "lazy",
    "loading",
    "loader",
    "transparent",
    "pixel.",
    "1x1",
    "grey.",
    "gray.",
];
/// The attributes that name several files for different widths.
const SOURCE_SETS: &[&str] = &["data-srcset", "data-lazy-srcset", "srcset"];

/// The segments of the kept pictures, each with the index of the segment that follows it. A picture
/// in an item of a list belongs to the item, and one in a table comes after the table.
pub(in crate::document) fn pictures(
    page: &PageParts<'_>,
    segments: &[Segment],
    kept: &[NodeId],
) -> Vec<(usize, Segment)> {
    let PageParts {
        dom,
        targets,
        ref addresses,
        ..
    } = *page;
    let first = |segment: &Segment| {
        targets
            .get(segment.target)
            .and_then(|target| target.texts.first().copied())
    };
    let (mut kinds, mut tables) = (KindFinder::new(dom, page.code()), Tables::default());
    let mut next = 0;
    let mut found: Vec<(usize, Segment)> = Vec::new();
    for &id in kept {
        while segments
            .get(next)
            .is_some_and(|segment| first(segment).is_none_or(|first| first < id))
        {
            next += 1;
        }
        let Some(source) = source(dom, addresses, id) else {
            continue;
        };
        let is_in = |index: usize, up: NodeId| {
            segments
                .get(index)
                .and_then(first)
                .is_some_and(|first| dom.contains(up, first))
        };
        let mut at = next;
        if let Some(table) = dom
            .ancestors(id)
            .find(|&up| dom.tag(up) == "table")
            .filter(|&up| tables.is_data(dom, up))
        {
            while is_in(at, table) {
                at += 1;
            }
        }
        let mut within = kinds.within(KindSource::Nothing, id);
        // A picture between two items belongs to the first.
        let list = dom
            .ancestors(id)
            .find(|&up| matches!(dom.tag(up), "ul" | "ol" | "li"));
        let list = list.filter(|&list| dom.tag(list) != "li");
        if list.is_some_and(|list| {
            at.checked_sub(1).is_some_and(|before| is_in(before, list)) && is_in(at, list)
        }) {
            within.items += 1;
        }
        let item = dom
            .ancestors(id)
            .find(|&up| dom.tag(up) == "li")
            .filter(|_| within.items > 0);
        // An item may have nothing but pictures.
        let is_alone = item.is_some_and(|li| {
            !is_in(at, li) && !at.checked_sub(1).is_some_and(|before| is_in(before, li))
        });
        let begun = item
            .filter(|_| is_alone)
            .and_then(|li| kinds.begun_item(li));
        if item.is_some_and(|li| {
            is_in(at, li) && !at.checked_sub(1).is_some_and(|before| is_in(before, li))
        }) {
            at += 1;
        }
        let alternative = collapse(dom.attribute(id, "alt").unwrap_or(""));
        let target = segments
            .get(at)
            .or(segments.last())
            .map_or(0, |segment| segment.target);
        let kind = SegmentKind::Image {
            source,
            alternative,
        };
        found.push((
            at,
            Segment {
                within,
                item: begun,
                ..Segment::new(kind, Vec::new(), target)
            },
        ));
    }
    found.sort_by_key(|(at, _)| *at);
    found
}

/// The address of the file that a picture shows when it is loaded.
pub(in crate::document) fn source(dom: &Dom, addresses: &Addresses, id: NodeId) -> Option<String> {
    let resolve = |value: &str| addresses.resolve_picture(value);
    // The value of such an attribute may also be `true`.
    let is_file = |value: &&str| value.contains(['/', '.']);
    let late = LATE_SOURCES
        .iter()
        .filter_map(|name| dom.attribute(id, name))
        .filter(is_file)
        .find_map(resolve);
    let shown = dom.attribute(id, "src").and_then(resolve);
    let from_set = |id| {
        let sets = SOURCE_SETS
            .iter()
            .filter_map(move |name| dom.attribute(id, name));
        sets.filter_map(widest).find_map(resolve)
    };
    let in_picture = || {
        let picture = dom.parent(id).filter(|&up| dom.tag(up) == "picture")?;
        dom.children(picture)
            .filter(|&child| dom.tag(child) == "source")
            .find_map(from_set)
    };
    let by_name = || {
        let mut named = dom
            .attributes(id)
            .iter()
            .filter(|(name, value)| name.starts_with("data-") && names_picture(value));
        named.find_map(|(_, value)| resolve(value))
    };
    late.or_else(|| shown.clone().filter(|shown| !is_placeholder(shown)))
        .or_else(|| from_set(id))
        .or_else(in_picture)
        .or_else(by_name)
        .or(shown)
}

/// Returns true if a value is the address of a file whose name is that of a picture.
fn names_picture(value: &str) -> bool {
    let path = value.split(['?', '#']).next().unwrap_or("");
    let is_ending = |ending: &&str| {
        path.len()
            .checked_sub(ending.len())
            .and_then(|at| path.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };
    !path.contains(char::is_whitespace)
        && !path.contains(['{', ',', '"'])
        && ENDINGS.iter().any(is_ending)
}

fn is_placeholder(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or("");
    let file = path.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|part| file.contains(part))
}

/// The file for the greatest width or density in a `srcset`.
fn widest(set: &str) -> Option<&str> {
    let parts = set
        .split(", ")
        .flat_map(|part| part.split(",\n"))
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let size = |part: &&str| {
        let size = part
            .split_ascii_whitespace()
            .nth(1)
            .map_or("1", |size| size.trim_end_matches([',', 'w', 'x', 'h']));
        (size.parse::<f32>().unwrap_or(0.0) * 100.0) as u64
    };
    parts
        .max_by_key(size)?
        .split_ascii_whitespace()
        .next()
        .map(|file| file.trim_end_matches(','))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::classify::{Decision, Label};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    #[test]
    fn pictures_that_could_not_be_loaded_are_pictures() {
        let found = |html: &str, width, height| {
            let mut capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
            let id = capture
                .dom
                .ids()
                .find(|&id| shows_picture(&capture.dom, id))
                .unwrap();
            let mut layout = crate::capture::Layout::new(capture.dom.len(), 1000.0, 1000.0);
            let rect = CssRect {
                x: 0.0,
                y: 0.0,
                width,
                height,
            };
            layout.set(id, rect, &crate::capture::Style::default(), 0, &[]);
            capture.layout = Some(layout);
            is_picture(&capture, id)
        };
        assert!(found("<img src=a.jpg alt='The crane'>", 90.0, 16.0));
        assert!(found(
            "<img src=a.png width=600 height=400 alt=''>",
            0.0,
            0.0
        ));
        assert!(found("<figure><img src=a>", 0.0, 0.0));
        assert!(found(
            "<amp-img layout=responsive src=a width=4 height=3>",
            0.0,
            0.0
        ));
        assert!(!found("<img src=a.png alt='passing'>", 90.0, 20.0));
        assert!(!found("<img src=a.jpg>", 1.0, 1.0));
        assert!(!found(
            "<img src=a.jpg width=16 height=16 alt=on>",
            40.0,
            16.0
        ));
    }

    #[test]
    fn a_picture_of_amp_and_its_copy_for_browsers_without_scripts_are_one() {
        let count = |amp: &str| {
            let html = format!(
                "<main><p>one</p>{amp}<noscript><img src=a.jpg></noscript></amp-img><p>two</p></main>"
            );
            let capture = Capture::parsed(parse_html(&html), Record::parsed("x", None));
            let targets = select(&capture, TargetRule::Blocks);
            let decision = Decision {
                margin: 1.0,
                probability: 1.0,
                label: Label::Content,
                comments: None,
            };
            let decisions = vec![decision; targets.len()];
            let document = crate::document::prune::prune(&capture, &targets, &decisions, vec![]);
            document.pictures.len()
        };
        assert_eq!(count("<amp-img src=a.jpg width=8 height=5>"), 1);
        assert_eq!(count("<amp-img src=a.jpg width=800 height=500>"), 1);
    }

    #[test]
    fn elements_of_amp_are_pictures() {
        let count = |html: &str| {
            let dom = parse_html(html);
            dom.ids().filter(|&id| shows_picture(&dom, id)).count()
        };
        assert_eq!(count("<amp-img src=a.jpg></amp-img><img src=b.jpg>"), 2);
        assert_eq!(count("<amp-img src=a.jpg><img src=a.jpg></amp-img>"), 1);
    }

    #[test]
    fn pictures_stand_before_the_text_that_follows_them() {
        let html = "<main><p>one</p><img src=a.png alt=' A  picture '><p>two</p><p>three <img src=pixel.gif width=1></p>\
                    <img data-src=b.png><p>four</p></main>";
        let capture = Capture::parsed(
            parse_html(html),
            Record::parsed("x", Some("https://a.example/d/".into())),
        );
        let targets = select(&capture, TargetRule::Blocks);
        let decision = Decision {
            margin: 1.0,
            probability: 1.0,
            label: Label::Content,
            comments: None,
        };
        let decisions = vec![decision; targets.len()];
        let document = crate::document::prune::prune(&capture, &targets, &decisions, vec![]);
        let picture = |source: &str, alternative: &str| SegmentKind::Image {
            source: format!("https://a.example/d/{source}"),
            alternative: alternative.to_owned(),
        };
        let found: Vec<_> = document
            .pictures
            .into_iter()
            .map(|(next, segment)| (next, segment.kind))
            .collect();
        assert_eq!(
            found,
            [
                (1, picture("a.png", "A picture")),
                (3, picture("b.png", ""))
            ]
        );
    }

    /// The addresses of the pictures of a page whose text is kept, and the Markdown with them.
    fn with_pictures(html: &str) -> (Vec<String>, String) {
        let capture = Capture::parsed(
            parse_html(html),
            Record::parsed("x", Some("https://a.example/".into())),
        );
        let targets = select(&capture, TargetRule::Blocks);
        let decision = Decision {
            margin: 1.0,
            probability: 1.0,
            label: Label::Content,
            comments: None,
        };
        let document = crate::document::prune::prune(
            &capture,
            &targets,
            &vec![decision; targets.len()],
            vec![],
        );
        let source = |(_, segment): &(usize, Segment)| match &segment.kind {
            SegmentKind::Image { source, .. } => source
                .strip_prefix("https://a.example/")
                .unwrap_or(source)
                .to_owned(),
            _ => unreachable!(),
        };
        let options = crate::emit::EmitOptions {
            images: true,
            ..Default::default()
        };
        let write = crate::emit::find("markdown").unwrap().write;
        (
            document.pictures.iter().map(source).collect(),
            write(&document, &options),
        )
    }

    #[test]
    fn the_file_that_is_loaded_late_is_found() {
        for (picture, expected) in [
            ("<img src=blank.gif data-src=a.jpg>", "a.jpg"),
            (
                "<img src=/img/placeholder.png srcset='a.jpg 1x, b.jpg 2x'>",
                "b.jpg",
            ),
            (
                "<img src='data:image/gif;base64,R0' data-large='/c/a.jpg?w=1'>",
                "c/a.jpg?w=1",
            ),
            ("<img src=a.jpg data-lazy=true data-pin=b.jpg>", "a.jpg"),
            ("<img src=spacer.gif>", "spacer.gif"),
            (
                "<picture><source data-srcset='a.webp 300w, b.webp 900w'><img src='data:,' alt=x></picture>",
                "b.webp",
            ),
            (
                "<span><img src='data:,'><noscript><img src=a.jpg alt=x></noscript></span>",
                "a.jpg",
            ),
            (
                "<div><noscript><picture><source><img src=a.jpg></picture></noscript></div>",
                "a.jpg",
            ),
            (
                "<img src=a.jpg><noscript><img src=a.jpg></noscript>",
                "a.jpg",
            ),
        ] {
            let (found, _) = with_pictures(&format!("<p>one</p>{picture}<p>two</p>"));
            assert_eq!(found, [expected], "{picture}");
        }
        let pixel = "<p>one</p><noscript><img height=1 width=1 src=a.gif></noscript><p>two</p>";
        assert_eq!(with_pictures(pixel).0, [""; 0]);
    }

    #[test]
    fn pictures_part_no_list() {
        let (_, markdown) = with_pictures(
            "<p>start</p><ol><li>one<p><img src=a.png></p></li><img src=b.png><li>two <img src=c.png> more</li><li>three</li></ol><p>end</p>",
        );
        let image = |name: &str| format!("![](https://a.example/{name}.png)");
        let expected = format!(
            "start\n\n1. one\n\n   {}\n\n   {}\n2. two more\n\n   {}\n3. three\n\nend\n",
            image("a"),
            image("b"),
            image("c")
        );
        assert_eq!(markdown, expected);
    }

    #[test]
    fn pictures_stay_in_their_items_and_after_their_tables() {
        let html = "<p>start</p><ol><li><img data-src=a.png src=blank.gif>one<li>two</ol><table><tr><th>x<th><img src=b.png>y<tr><td>1<td>2</table>\
                    <p>so <picture><source srcset='c.png 1x, d.png 2x'><img></picture> it is</p><p>end</p>";
        let capture = Capture::parsed(
            parse_html(html),
            Record::parsed("x", Some("https://a.example/".into())),
        );
        let targets = select(&capture, TargetRule::Blocks);
        let decision = Decision {
            margin: 1.0,
            probability: 1.0,
            label: Label::Content,
            comments: None,
        };
        let document = crate::document::prune::prune(
            &capture,
            &targets,
            &vec![decision; targets.len()],
            vec![],
        );
        let found: Vec<_> = document
            .pictures
            .iter()
            .map(|(next, segment)| match &segment.kind {
                SegmentKind::Image { source, .. } => (
                    *next,
                    segment.within.items,
                    source.rsplit('/').next().unwrap(),
                ),
                _ => unreachable!(),
            })
            .collect();
        assert_eq!(found, [(2, 1, "a.png"), (7, 0, "b.png"), (8, 0, "d.png")]);
    }
}
