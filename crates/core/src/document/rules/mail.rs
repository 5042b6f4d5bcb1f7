//! The links of an archive of a mailing list around each message: to the messages beside it, and to
//! its lists of messages.
//!
//! Pipermail, Hypermail and MHonArc write pages without classes, on which such links look like the
//! only list of the text.

use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::elements::Element;
use crate::error::CaptureError;
use crate::target::Target;

const A: Element = Element::known("a");
const PRE: Element = Element::known("pre");
/// The pages on which these programs list messages by date, thread, subject and author.
const LISTS: [&str; 8] = [
    "date.html",
    "thread.html",
    "subject.html",
    "author.html",
    "threads.html",
    "maillist.html",
    "index.html",
    "attachment.html",
];
/// Fewest of these pages to which a message leads; a manual may have one of these names.
const MIN_LISTS: usize = 2;

/// Sets the decisions on blocks outside the text of a message that have links to other messages and
/// to lists of messages alone to boilerplate. Margins and probabilities stay.
pub(super) fn drop_links_of_archive(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let is_in_pre = |target: &Target| {
        std::iter::once(target.container)
            .chain(dom.ancestors(target.container))
            .any(|id| dom.element(id) == PRE)
    };
    if !targets
        .iter()
        .any(|target| dom.element(target.container) == PRE)
        || !is_archive(dom)
    {
        return Ok(());
    }
    for (target, decision) in targets.iter().zip(decisions) {
        if decision.label == Label::Content
            && leads_through_archive(dom, target)
            && !is_in_pre(target)
        {
            decision.label = Label::Boilerplate;
        }
    }
    Ok(())
}

/// Returns true if a page leads to several lists of messages beside it.
fn is_archive(dom: &Dom) -> bool {
    let mut found = [false; LISTS.len()];
    for id in dom.ids().filter(|&id| dom.element(id) == A) {
        let page = dom.attribute(id, "href").and_then(page_beside);
        let list = page.and_then(|page| LISTS.iter().position(|list| *list == page));
        if let Some(list) = list {
            found[list] = true;
        }
    }
    found.iter().filter(|found| **found).count() >= MIN_LISTS
}

/// Returns true if a block has links, and all of them lead to messages and lists of messages.
fn leads_through_archive(dom: &Dom, target: &Target) -> bool {
    let mut before: Option<NodeId> = None;
    let mut any = false;
    for &text in &target.texts {
        let link = dom
            .ancestors(text)
            .take_while(|&up| up > target.container)
            .find(|&up| dom.element(up) == A);
        if link.is_some() && link != before {
            let page = link.and_then(|id| page_beside(dom.attribute(id, "href")?));
            if !page.is_some_and(|page| LISTS.contains(&page) || is_message(page)) {
                return false;
            }
            any = true;
            before = link;
        }
    }
    any
}

/// The page in the same folder, or one folder up, to which an address leads.
fn page_beside(address: &str) -> Option<&str> {
    let page = address.split(['#', '?']).next()?;
    let page = page
        .strip_prefix("./")
        .or(page.strip_prefix("../"))
        .unwrap_or(page);
    (!page.contains('/')).then_some(page)
}

/// Returns true for the page of a message, such as `002341.html` and `msg00012.html`.
fn is_message(page: &str) -> bool {
    let name = page.strip_suffix(".html").unwrap_or_default();
    let number = name.strip_prefix("msg").unwrap_or(name);
    number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_by;
    use super::*;

    #[test]
    fn links_to_other_messages_are_no_text() {
        let message = "<pre>See <a href=001.html>that message</a> on the gulls. 90</pre>";
        let pipermail = format!(
            "<h1>Gulls 90</h1><ul><li>Previous message: <a href=001.html>Terns 90</a></li><li><b>Sorted by:</b> \
             <a href=date.html>date</a> <a href=thread.html>thread 90</a></li></ul>{message}"
        );
        assert_eq!(
            kept_by(drop_links_of_archive, &pipermail),
            ["Gulls 90", "See that message on the gulls. 90"]
        );
        let mhonarc = format!(
            "<p>[<a href=msg00001.html>Prev</a>][<a href=threads.html#2>Thread</a>][<a href=maillist.html>Index 90</a>]</p>\
             <p><a href=https://coast.example/>The Coast 90</a></p>{message}"
        );
        assert_eq!(
            kept_by(drop_links_of_archive, &mhonarc),
            ["The Coast 90", "See that message on the gulls. 90"]
        );
        let manual = format!("<p>The <a href=date.html>calendar 90</a></p>{message}");
        assert_eq!(kept_by(drop_links_of_archive, &manual).len(), 2);
    }
}
