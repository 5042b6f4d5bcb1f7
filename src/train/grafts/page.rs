//! One page with comments: chosen, measured, and written with its gold.

use super::chance::Chance;
use super::insert::insert;
use super::sentences::Sentences;
use super::{place, section};
use crate::classify::Label;
use crate::error::Error;
use crate::gold::{Alignment, label_for_training, read_gold};
use crate::source::{self, Body, DataSet, Page, Row};
use crate::target::{self, TargetRule};
use std::fs;

/// Kinds of pages that are never used: their main text is itself a list, or answers of readers.
const LEFT_OUT: &[&str] = &["listing", "collection", "forum", "home"];
/// Kinds of pages that seldom have comments, and the share of these that is used of the share that would be.
const SELDOM: &[&str] = &["documentation", "service", "product"];
const SELDOM_SHARE: f64 = 0.4;
/// Larger pages are left out: they cost much time, and the few that there are hold data rather than text.
const MOST_BYTES: u64 = 1_500_000;

/// A page with comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GraftedPage {
    /// The page as HTML, which begins with a byte order mark.
    pub(super) html: String,
    /// The readers' comments, a line each.
    pub(super) comments: String,
    /// Texts that were added and are neither content nor comments.
    pub(super) others: Vec<String>,
}

/// Draws whether a page is used; `share` is from 0 to 1.
pub(super) fn is_drawn(row: &Row, share: f64, chance: &mut Chance) -> bool {
    let kind = row.page_type.as_deref().unwrap_or("");
    let is_html = row.page.extension().is_some_and(|extension| extension == "html" || extension == "htm");
    let share = if SELDOM.contains(&kind) { share * SELDOM_SHARE } else { share };
    let is_small = || fs::metadata(&row.page).is_ok_and(|facts| facts.len() <= MOST_BYTES);
    chance.happens(share) && row.split == "train" && is_html && !LEFT_OUT.contains(&kind) && is_small()
}

/// Inserts a comment section into a page; `None` if its gold does not match it, or if there is no place for one.
///
/// # Errors
/// If the page or its gold cannot be read.
pub(super) fn graft(
    set: &DataSet,
    row: &Row,
    sentences: &Sentences,
    chance: &mut Chance,
) -> Result<Option<GraftedPage>, Error> {
    let page = row.open()?;
    let capture = source::parse(&page)?;
    let targets = target::select(&capture, TargetRule::default());
    let texts: Vec<String> = targets.iter().map(|target| target.text(&capture.dom)).collect();
    let labelling = label_for_training(set, row, &capture, &targets, &texts, Alignment::Words)?;
    if labelling.quality.is_bad {
        return Ok(None);
    }
    let own = read_gold(set, row)?.text.unwrap_or_default();
    let Some(place) = place::choose(&capture.dom, &targets, &labelling.labels, chance) else { return Ok(None) };
    let Some(of_page) = sentences.of_page(row, &own) else { return Ok(None) };
    let Some(section) = section::draw(&row.lang, &of_page, chance) else { return Ok(None) };
    // The comments that the page has already count too, or they would be taken for other boilerplate.
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for ((target, text), label) in targets.iter().zip(texts).zip(&labelling.labels) {
        if *label == Some(Label::Comments) {
            let is_before = target.first().index() < place.position;
            if is_before { before.push(text) } else { after.push(text) }
        }
    }
    let comments: Vec<String> = before.into_iter().chain(section.comments).chain(after).collect();
    let dom = insert(&capture.dom, place, &section.elements);
    // The byte order mark overrules what the page says of its earlier encoding.
    let html = format!("\u{feff}{}{}", doctype(&page), dom.to_html());
    Ok(Some(GraftedPage { html, comments: comments.join("\n"), others: section.others }))
}

/// The document type as in the source; empty if there is none. Without it, browsers would lay the page out in another way, and
/// tables could be moved out of paragraphs.
fn doctype(page: &Page) -> &str {
    let Body::Html { html, .. } = &page.body else { return "" };
    let mut rest = html.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
    loop {
        let end = match () {
            () if rest.starts_with("<!--") => "-->",
            () if rest.starts_with("<?") => ">",
            () => break,
        };
        let Some((_, after)) = rest.split_once(end) else { return "" };
        rest = after.trim_start();
    }
    let is_doctype = rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"));
    rest.find('>').filter(|_| is_doctype).map_or("", |end| &rest[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_type_stays() {
        let of = |html: &str| doctype(&Page::from_html("page", html)).to_owned();
        assert_eq!(of("\n<!-- saved --><?xml version='1.0'?> <!DOCTYPE html><p>text"), "<!DOCTYPE html>");
        assert_eq!(of("<!doctype HTML PUBLIC \"x\">\n<html>"), "<!doctype HTML PUBLIC \"x\">");
        assert!(["<html><!DOCTYPE html>", "<!doc", "", "<!-- open", "text"].iter().all(|html| of(html).is_empty()));
    }
}
