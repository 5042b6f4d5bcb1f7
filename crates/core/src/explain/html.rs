//! `--report`: one self-contained HTML page with the screenshot, a box for every target with the
//! reasons for its decision, then the text in segments, then a table of all targets.
//!
//! All text of the cleaned page is escaped. A content security policy forbids loading anything and
//! running scripts other than ours. Without scripts, the boxes are links to the table.

#[cfg(feature = "pixels")]
use super::markup::embed;
use super::markup::{Embedded, Escaped, outcome};
use crate::capture::{Capture, CssRect};
use crate::classify::{Label, LikelyKind, LikelyState};
use crate::document::{Document, SegmentKind, TargetReport};
use crate::error::Error;
use crate::features::{GROUPS, ON_REQUEST};
use crate::text::{excerpt, excerpt_end};
use std::cmp::Reverse;
use std::fmt::{self, Write};

/// Largest number of characters of a target's text in its row; the segments have the whole text.
const MAX_TEXT_CHARS: usize = 2_000;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// Makes the report on one page.
///
/// # Errors
/// If the page has pictures that cannot be decoded.
pub fn html(capture: &Capture, document: &Document) -> Result<String, Error> {
    #[cfg(feature = "pixels")]
    let picture = match &capture.pictures {
        Some(pictures) => Some(embed(&pictures.to_look_at().decode_rgb()?)?),
        None => None,
    };
    #[cfg(not(feature = "pixels"))]
    let picture = None;
    let mut page = String::new();
    write_page(&mut page, capture, document, picture.as_ref())
        .expect("writing to a string cannot fail");
    Ok(page)
}

fn write_page(
    page: &mut String,
    capture: &Capture,
    document: &Document,
    picture: Option<&Embedded>,
) -> fmt::Result {
    let title = document
        .metadata
        .title
        .as_deref()
        .unwrap_or(&capture.record.input);
    let kept = document
        .targets
        .iter()
        .filter(|report| report.decision.label == Label::Content)
        .count();
    let dropped = document.targets.len() - kept;
    write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
         style-src 'unsafe-inline'; script-src 'nonce-vclean'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>vclean: {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1 dir=\"auto\">{title}</h1>\n",
        title = Escaped(title),
    )?;
    let address = capture.address().unwrap_or(&capture.record.input);
    if address.starts_with("https://") || address.starts_with("http://") {
        writeln!(
            page,
            "<p><a rel=\"noreferrer\" href=\"{0}\">{0}</a></p>",
            Escaped(address)
        )?;
    } else {
        writeln!(page, "<p dir=\"auto\">{}</p>", Escaped(address))?;
    }
    writeln!(page, "<p>{kept} blocks kept, {dropped} dropped</p>")?;
    writeln!(page, "<p>{}</p>", Escaped(&how(capture, document)))?;
    for warning in &capture.record.warnings {
        writeln!(page, "<p dir=\"auto\">Warning: {}</p>", Escaped(warning))?;
    }
    page.push_str("</header>\n<main>\n");
    if let Some(picture) = picture {
        write_picture(page, document, picture)?;
    }
    write_segments(page, document)?;
    write_targets(page, document)?;
    write_hidden(page, document)?;
    write!(
        page,
        "</main>\n<script nonce=\"vclean\">\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// One sentence about how the page was decided.
fn how(capture: &Capture, document: &Document) -> String {
    let engine = capture.record.engine.describe();
    let trace = document.trace.as_ref();
    let model = trace.map_or_else(String::new, |trace| {
        format!(" by the model {}", trace.model)
    });
    let kind = document.kind.map_or_else(String::new, |likely| {
        let LikelyKind { kind, probability } = likely;
        format!(", kind of page: {} ({probability:.2})", kind.name())
    });
    let state = document.state.as_ref().map_or_else(String::new, |likely| {
        let LikelyState {
            state,
            probability,
            reason,
        } = likely;
        let reason = if reason.is_empty() { "" } else { ": " }.to_owned() + reason;
        format!(", state of page: {state} ({probability:.2}){reason}")
    });
    let expected_f = document.expected_f();
    format!("Decided on {engine}{model}, expected F {expected_f:.2}{kind}{state}")
}

fn write_picture(page: &mut String, document: &Document, picture: &Embedded) -> fmt::Result {
    writeln!(
        page,
        "<div class=\"view\">\n<div class=\"page\" style=\"max-width:{}px\">",
        picture.width_px
    )?;
    writeln!(
        page,
        "<img alt=\"The page as it was rendered\" src=\"{}\">",
        picture.address
    )?;
    // Small boxes are above large ones, so that both can be clicked; the tab order follows the
    // document.
    let mut by_area: Vec<usize> = (0..document.targets.len()).collect();
    let area = |index: usize| document.targets[index].rect.map_or(0.0, CssRect::area);
    by_area.sort_by(|&left, &right| area(right).total_cmp(&area(left)).then(left.cmp(&right)));
    let mut layer = vec![0; by_area.len()];
    for (position, &index) in by_area.iter().enumerate() {
        layer[index] = position + 1;
    }
    for (index, report) in document.targets.iter().enumerate() {
        // Targets outside the picture have no box.
        let shown = CssRect {
            x: 0.0,
            y: 0.0,
            width: picture.width_px,
            height: picture.height_px,
        };
        let Some(rect) = report
            .rect
            .map(|rect| rect.intersection(shown))
            .filter(|rect| !rect.is_empty())
        else {
            continue;
        };
        let percent = |length: f32, whole: f32| {
            let share = 100.0 * length / whole;
            if share.is_finite() {
                share.clamp(0.0, 100.0)
            } else {
                0.0
            }
        };
        let left = percent(rect.x, picture.width_px);
        let top = percent(rect.y, picture.height_px);
        writeln!(
            page,
            "<a class=\"box {class}\" href=\"#t{index}\" data-target=\"{index}\" style=\"left:{left:.3}%;top:{top:.3}%;\
             width:{width:.3}%;height:{height:.3}%;z-index:{layer}\" aria-label=\"{label}: {text}\"></a>",
            class = class(report),
            width = percent(rect.width, picture.width_px).min(100.0 - left),
            height = percent(rect.height, picture.height_px).min(100.0 - top),
            layer = layer[index],
            label = verdict(report),
            text = Escaped(excerpt(&report.text, 80)),
        )?;
    }
    page.push_str(
        "</div>\n<aside class=\"panel\" aria-live=\"polite\">\n\
         <p><label><input type=\"checkbox\" checked data-hides=\"hide-kept\"> kept</label>\
         <label><input type=\"checkbox\" checked data-hides=\"hide-dropped\"> dropped</label></p>\n\
         <div id=\"details\"><p>Point at a box, or move through them with the tab key, to see why it was kept or dropped. \
         Solid green boxes were kept, dashed red ones dropped.</p></div>\n</aside>\n</div>\n",
    );
    Ok(())
}

fn write_segments(page: &mut String, document: &Document) -> fmt::Result {
    page.push_str("<section>\n<h2>Text</h2>\n");
    if document.segments.is_empty() {
        page.push_str("<p>No text was kept.</p>\n");
    }
    page.push_str("<ol class=\"segments\">\n");
    for segment in &document.segments {
        writeln!(
            page,
            "<li><a class=\"kind\" href=\"#t{}\">{}</a> <div class=\"text\" dir=\"auto\">{}</div></li>",
            segment.target,
            kind(&segment.kind),
            Escaped(&segment.text()),
        )?;
    }
    page.push_str("</ol>\n</section>\n");
    Ok(())
}

fn write_targets(page: &mut String, document: &Document) -> fmt::Result {
    page.push_str(
        "<section>\n<h2>All blocks</h2>\n<div class=\"wide\">\n<table>\n<thead><tr><th>Block</th><th>Decision</th>\
         <th>Text</th><th>What weighed most</th></tr></thead>\n<tbody>\n",
    );
    for (index, report) in document.targets.iter().enumerate() {
        write!(
            page,
            "<tr id=\"t{index}\" class=\"{}\"><td class=\"number\">{index}</td><td class=\"detail\">\
             <div class=\"verdict\">{}</div><div>probability {:.3}</div><div>margin {:+.3}</div></td>\
             <td class=\"detail\"><div class=\"text\" dir=\"auto\">{}</div><div class=\"path\">{}</div></td>\
             <td class=\"detail\">",
            class(report),
            verdict(report),
            report.decision.probability,
            report.decision.margin,
            Escaped(excerpt(&report.text, MAX_TEXT_CHARS)),
            Escaped(excerpt_end(&report.path, 400)),
        )?;
        write_reasons(page, report)?;
        page.push_str("</td></tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n</section>\n");
    Ok(())
}

/// Writes the text that readers do not see and that does not belong to a block.
fn write_hidden(page: &mut String, document: &Document) -> fmt::Result {
    if document.hidden.is_empty() {
        return Ok(());
    }
    page.push_str(
        "<section>\n<h2>Hidden text</h2>\n<p>Laid out on the page, but not seen by a reader.</p>\n<div class=\"wide\">\n\
         <table>\n<thead><tr><th>Cause</th><th>Text</th></tr></thead>\n<tbody>\n",
    );
    for passage in &document.hidden {
        writeln!(
            page,
            "<tr><td class=\"detail\">{}</td><td class=\"detail\"><div class=\"text\" dir=\"auto\">{}</div>\
             <div class=\"path\">{}</div></td></tr>",
            passage.cause.describe(),
            Escaped(excerpt(&passage.text, MAX_TEXT_CHARS)),
            Escaped(excerpt_end(&passage.path, 400)),
        )?;
    }
    page.push_str("</tbody>\n</table>\n</div>\n</section>\n");
    Ok(())
}

fn write_reasons(page: &mut String, report: &TargetReport) -> fmt::Result {
    if report.reasons.is_empty() {
        return Ok(());
    }
    page.push_str(
        "<table class=\"reasons\"><tr><th>feature</th><th>value</th><th>weight</th></tr>",
    );
    let mut reasons: Vec<_> = report.reasons.iter().collect();
    reasons.sort_by_key(|reason| Reverse(ordered(reason.weight.abs())));
    for reason in reasons {
        let meaning = GROUPS
            .iter()
            .chain(ON_REQUEST)
            .flat_map(|group| group.columns)
            .find(|column| column.name == reason.feature.as_str());
        write!(
            page,
            "<tr><td>{}<div class=\"meaning\">{}</div></td><td class=\"number\">{:.3}</td><td class=\"number\">{:+.3}</td></tr>",
            Escaped(&reason.feature),
            Escaped(meaning.map_or("", |column| column.meaning)),
            reason.value,
            reason.weight,
        )?;
    }
    page.push_str("</table>");
    Ok(())
}

/// An integer with the same order as the float, for floats that are not negative.
fn ordered(value: f32) -> u32 {
    value.to_bits()
}

fn class(report: &TargetReport) -> &'static str {
    outcome(report.decision.label)
}

fn verdict(report: &TargetReport) -> String {
    let label = report.decision.label;
    format!("{}: {}", outcome(label), label.name())
}

fn kind(kind: &SegmentKind) -> &'static str {
    match kind {
        SegmentKind::Paragraph => "paragraph",
        SegmentKind::Heading { .. } => "heading",
        SegmentKind::ListItem { .. } => "list item",
        SegmentKind::Term => "term",
        SegmentKind::Definition { .. } => "definition",
        SegmentKind::Caption { .. } => "caption",
        SegmentKind::Image { .. } => "picture",
        SegmentKind::Code { .. } => "code",
        SegmentKind::Quote => "quote",
        SegmentKind::TableCell { .. } => "table cell",
    }
}

#[cfg(test)]
#[cfg(feature = "pixels")]
mod tests {
    use super::*;
    use crate::capture::{HiddenCause, Visibility};
    use crate::document::prune;
    use crate::explain::samples;

    #[test]
    fn a_rendered_page_has_a_picture_and_a_box_for_each_target() {
        let (capture, _, document) = samples::page("Menu");
        let page = html(&capture, &document).unwrap();
        assert!(page.contains("src=\"data:image/jpeg;base64,"));
        assert_eq!(page.matches("class=\"box kept\"").count(), 2);
        assert_eq!(page.matches("class=\"box dropped\"").count(), 1);
        assert!(page.contains("2 blocks kept, 1 dropped"));
        let how = "Decided on the HTML alone, expected F 0.";
        assert!(page.contains(how), "{page}");
        assert!(
            page.contains("left:3.333%;top:5.000%;width:33.333%;height:15.000%"),
            "{page}"
        );
        assert!(page.contains("structural.link_density"));
        assert!(!page.contains("src=\"http"));
    }

    #[test]
    fn a_page_without_rendering_has_only_the_table() {
        let (mut capture, _, document) = samples::page("Menu");
        capture.pictures = None;
        let page = html(&capture, &document).unwrap();
        assert!(!page.contains("<img") && page.contains("id=\"t2\""));
    }

    #[test]
    fn text_of_a_page_never_becomes_markup() {
        let attack = "\"><script>alert(1)</script><img src=x onerror='alert(2)'></style>\0<!--";
        let (mut capture, _, mut document) = samples::page(attack);
        capture.record.input = attack.to_owned();
        capture.record.url = Some(format!("https://example.org/{attack}"));
        capture.record.warnings.push(attack.to_owned());
        document.metadata.title = Some(attack.to_owned());
        document.segments[0].spans[0].text = attack.to_owned();
        document.targets[0].path = attack.to_owned();
        document.targets[0].reasons[0].feature = attack.to_owned();
        let page = html(&capture, &document).unwrap();
        assert_eq!(page.matches("<script").count(), 1, "our own script only");
        assert!(!page.contains("<img src=x") && !page.contains('\0') && !page.contains("<!--"));
        assert_eq!(page.matches("</style>").count(), 1);
        let no_link = "javascript:alert(1)";
        capture.record.url = Some(no_link.to_owned());
        assert!(
            !html(&capture, &document)
                .unwrap()
                .contains("href=\"javascript")
        );
    }

    #[test]
    fn texts_are_blocks_in_their_own_direction_and_words_of_the_table_are_not_broken() {
        let (capture, _, document) = samples::page("قائمة");
        let page = html(&capture, &document).unwrap();
        let texts = page.matches("class=\"text\"").count();
        assert_eq!(texts, document.segments.len() + document.targets.len());
        assert_eq!(
            page.matches("<div class=\"text\" dir=\"auto\">").count(),
            texts
        );
        let rule = |selector: &str| {
            let rest = STYLE.split_once(selector).map_or("", |(_, rest)| rest);
            rest.split('}').next().unwrap_or_default()
        };
        assert!(rule(".text {").contains("text-align: start"));
        assert!(
            rule(".reasons td {").contains("nowrap") && !rule(".reasons td {").contains("anywhere")
        );
    }

    #[test]
    fn invalid_rectangles_are_clipped_to_the_picture() {
        let (capture, _, mut document) = samples::page("Menu");
        let rect = document.targets[0].rect.as_mut().unwrap();
        (rect.x, rect.y, rect.width, rect.height) = (f32::NAN, 1e30, f32::INFINITY, 10.0);
        let page = html(&capture, &document).unwrap();
        assert!(
            !page.contains("data-target=\"0\""),
            "a target outside the picture has no box: {page}"
        );
        let (width, height) = samples::SIZE;
        let rect = document.targets[0].rect.as_mut().unwrap();
        (rect.x, rect.y, rect.width, rect.height) = (
            -9.0,
            f32::NEG_INFINITY,
            9.0 + width as f32 / 2.0,
            f32::INFINITY,
        );
        let page = html(&capture, &document).unwrap();
        assert!(!page.contains("NaN") && !page.contains("inf%"), "{page}");
        let rect = document.targets[0].rect.as_mut().unwrap();
        (rect.y, rect.height) = (height as f32 / 4.0, 1e30);
        let page = html(&capture, &document).unwrap();
        assert!(
            page.contains("left:0.000%;top:25.000%;width:50.000%;height:75.000%"),
            "{page}"
        );
    }

    #[test]
    fn hidden_text_is_listed_with_its_cause() {
        let (mut capture, targets, _) = samples::page("Menu");
        let text = targets[0].texts[0];
        let layout = capture.layout.as_mut().unwrap();
        layout.set_visibility([(text, Visibility::Hidden(HiddenCause::Covered))]);
        let document = prune(&capture, &[], &[], Vec::new());
        assert_eq!(document.hidden.len(), 1);
        let page = html(&capture, &document).unwrap();
        assert!(
            page.contains("<h2>Hidden text</h2>")
                && page.contains("covered")
                && page.contains(&document.hidden[0].text)
        );
    }
}
