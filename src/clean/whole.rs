//! Data tables and lists of which most is kept are kept whole.
//!
//! Models decide on each cell and item alone, and short ones look like no text at all. A reader wants all rows of a table
//! and all items of a list.

use super::around::Surroundings;
use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::target::Target;
use crate::text::count_letters;
use std::collections::BTreeMap;

/// Sets the decisions on the targets of a data table or a list to content where at least this share of its letters is
/// content already. Margins and probabilities stay.
pub fn keep_whole(dom: &Dom, targets: &[Target], decisions: &mut [Decision]) {
    let env = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<f32>().ok()).unwrap_or(9.0);
    let (share_t, share_l) = (env("VC_T"), env("VC_L"));
    let mut surroundings = Surroundings::new(dom);
    let mut groups: BTreeMap<(bool, NodeId), Vec<usize>> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate().take(decisions.len()) {
        if let Some(group) = surroundings.group(target.container) {
            groups.entry(group).or_default().push(index);
        }
    }
    for ((is_table, _), members) in groups {
        let is_content = |&index: &usize| decisions[index].label == Label::Content;
        if members.iter().all(is_content) || !members.iter().any(is_content) {
            continue;
        }
        let letters = |index: usize| {
            targets[index].texts.iter().filter_map(|&id| dom.text(id)).map(count_letters).sum::<usize>() as f32
        };
        let all: f32 = members.iter().map(|&index| letters(index)).sum();
        let kept: f32 = members.iter().copied().filter(|index| is_content(index)).map(letters).sum();
        if kept >= if is_table { share_t } else { share_l } * all {
            for index in members {
                if decisions[index].label == Label::Boilerplate {
                    decisions[index].label = Label::Content;
                }
            }
        }
    }
}
