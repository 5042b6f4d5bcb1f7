//! The posts of a thread: the text of each is kept, and the text beside it is dropped.
//!
//! Models decide on each block alone. A short answer looks like a button, and the line with an
//! author's name and rank like text; if a forum's software marks the text of its posts, both cases
//! are certain.

use crate::classify::{Decision, Label};
use crate::document::content::PostRole;
use crate::document::page::PageParts;
use crate::document::posts::{Thread, find_known, is_in_quotation};
use crate::error::CaptureError;
use crate::target::Target;
use crate::text::count_letters;

/// Fewest letters of a block that is kept in a post with other text; about half of the shorter ones
/// are buttons such as "Click to expand". A post with a short text has only that.
const MIN_LETTERS: usize = 20;

/// Gives the blocks of posts the label that their place in the post has. Margins and probabilities
/// stay, and so do blocks that are certainly not content, such as hidden blocks, quotations in a
/// post, and comments on questions and answers.
pub(super) fn keep_posts(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let Some(thread) = find_known(dom).filter(Thread::is_of_software) else {
        return Ok(());
    };
    let owners = thread.owners(targets.iter().map(Target::first));
    let mut has_text = vec![false; thread.records.len()];
    for ((target, decision), owner) in targets.iter().zip(&mut *decisions).zip(&owners) {
        let Some(owner) = *owner else { continue };
        let record = &thread.records[owner];
        let Some(body) = record.body.filter(|_| record.role != PostRole::Comment) else {
            continue;
        };
        let is_text = dom.contains(body, target.first());
        if decision.label == Label::Content && !is_text {
            decision.label = Label::Boilerplate;
        }
        has_text[owner] |= decision.label == Label::Content;
    }
    for ((target, decision), owner) in targets.iter().zip(decisions).zip(owners) {
        let Some(owner) =
            owner.filter(|_| decision.label != Label::Content && decision.probability > 0.0)
        else {
            continue;
        };
        let record = &thread.records[owner];
        let Some(body) = record.body.filter(|_| record.role != PostRole::Comment) else {
            continue;
        };
        let letters: usize = target
            .texts
            .iter()
            .filter_map(|&id| dom.text(id))
            .map(count_letters)
            .sum();
        if dom.contains(body, target.first())
            && (letters >= MIN_LETTERS || !has_text[owner])
            && !is_in_quotation(dom, target.container, body)
        {
            decision.label = Label::Content;
            decision.comments = None;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_if;
    use super::*;

    /// The kept texts of a page whose blocks the model keeps if they begin with `text`.
    fn kept(html: &str) -> Vec<String> {
        kept_if(keep_posts, html, |text| match text {
            "hidden" => 0.0,
            text if text.starts_with("text") => 0.9,
            _ => 0.3,
        })
    }

    #[test]
    fn the_text_of_each_post_is_kept_and_nothing_beside_it() {
        let post = |body: &str| {
            format!(
                "<div class=post id=p1><p class=author>text by Ann</p><div class=content>{body}</div></div>"
            )
        };
        let long = "What is not short is text of a post.";
        let first = format!(
            "text one<p>hidden</p><p>Read more</p><blockquote>{long}</blockquote><p>{long}</p>"
        );
        let html = format!(
            "<p>text before</p>{}{}<p>menu</p>",
            post(&first),
            post("Yes.")
        );
        assert_eq!(kept(&html), ["text before", "text one", long, "Yes."]);
        let comment =
            "<li class=comment><p>text by Ann</p><div class=comment-content>Yes.</div></li>";
        assert_eq!(kept(comment), ["text by Ann"]);
    }
}
