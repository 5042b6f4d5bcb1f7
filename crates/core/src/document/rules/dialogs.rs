//! Text of dialogs, which lie over a page or wait to be opened: never part of the page's text.

use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::elements::Element;
use crate::error::CaptureError;

const DIALOG: Element = Element::known("dialog");
/// Values of `role` that make any element a dialog (WAI-ARIA 1.2).
const ROLES: [&str; 2] = ["dialog", "alertdialog"];

/// Sets the decisions on content in dialogs to boilerplate, unless most of the kept text is in
/// dialogs: some pages show everything in one. Margins and probabilities stay.
pub(super) fn drop_dialogs(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let in_dialog: Vec<bool> = targets
        .iter()
        .zip(&*decisions)
        .map(|(target, decision)| {
            decision.label == Label::Content && is_in_dialog(dom, target.container)
        })
        .collect();
    if !in_dialog.contains(&true) {
        return Ok(());
    }
    let (mut inside, mut outside) = (0, 0);
    for ((target, decision), is_inside) in targets.iter().zip(&*decisions).zip(&in_dialog) {
        if decision.label == Label::Content {
            *(if *is_inside {
                &mut inside
            } else {
                &mut outside
            }) += target.text(dom).len();
        }
    }
    if inside < outside {
        for (decision, _) in decisions
            .iter_mut()
            .zip(in_dialog)
            .filter(|(_, is_inside)| *is_inside)
        {
            decision.label = Label::Boilerplate;
        }
    }
    Ok(())
}

fn is_in_dialog(dom: &Dom, container: NodeId) -> bool {
    std::iter::once(container)
        .chain(dom.ancestors(container))
        .any(|id| is_dialog(dom, id))
}

fn is_dialog(dom: &Dom, id: NodeId) -> bool {
    dom.element(id) == DIALOG
        || dom.attribute(id, "role").is_some_and(|role| {
            ROLES
                .iter()
                .any(|known| role.trim().eq_ignore_ascii_case(known))
        })
        || dom
            .attribute(id, "aria-modal")
            .is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_if;
    use super::*;

    /// The texts that are kept if the model keeps all but `menu`.
    fn kept(html: &str) -> Vec<String> {
        kept_if(
            drop_dialogs,
            html,
            |text| if text == "menu" { 0.1 } else { 0.9 },
        )
    }

    #[test]
    fn dialogs_are_dropped_unless_they_hold_most_of_the_text() {
        let dialogs = "<dialog open><p>sign up</dialog><div role=Dialog><p>accept</div>\
                       <div aria-modal=true><div><p>log in</div></div><div role=region><p>kept too</div>";
        assert_eq!(
            kept(&format!(
                "<p>menu<p>a text that is longer than all of them{dialogs}"
            )),
            ["a text that is longer than all of them", "kept too"]
        );
        assert_eq!(
            kept(&format!("<p>menu<p>a text{dialogs}")),
            ["a text", "sign up", "accept", "log in", "kept too"]
        );
    }
}
