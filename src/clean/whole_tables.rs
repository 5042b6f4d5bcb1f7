//! Data tables of which most is kept are kept whole.
//!
//! Models decide on each cell alone, and a short one looks like no text at all. A reader wants all cells of a table.

use super::table::Tables;
use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::elements::Element;
use crate::target::Target;
use crate::text::count_letters;
use std::collections::BTreeMap;

const TABLE: Element = Element::known("table");

/// Share of a table's letters that must be content for the rest to be. On ten sets, .3 and .5 leave the F of words as it is
/// within .001; the same for lists cost up to .001.
const MIN_SHARE: f32 = 0.5;

/// Sets the decisions on the targets of each data table to content where most of its letters are content already. Comments,
/// margins and probabilities stay.
pub fn keep_tables_whole(dom: &Dom, targets: &[Target], decisions: &mut [Decision]) {
    let mut tables = Tables::default();
    let mut members: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate().take(decisions.len()) {
        let mut around = std::iter::once(target.container).chain(dom.ancestors(target.container));
        let table = around.find(|&up| dom.element(up) == TABLE);
        if let Some(table) = table.filter(|&table| tables.is_data(dom, table)) {
            members.entry(table).or_default().push(index);
        }
    }
    for members in members.into_values() {
        let (mut all, mut kept) = (0.0, 0.0);
        for &index in &members {
            let texts = targets[index].texts.iter().filter_map(|&id| dom.text(id));
            let letters = texts.map(count_letters).sum::<usize>() as f32;
            all += letters;
            kept += if decisions[index].label == Label::Content { letters } else { 0.0 };
        }
        if kept < MIN_SHARE * all {
            continue;
        }
        for index in members {
            if decisions[index].label == Label::Boilerplate {
                decisions[index].label = Label::Content;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    /// The kept texts of a page whose short blocks are dropped by the model.
    fn kept(html: &str) -> Vec<String> {
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let texts: Vec<String> = targets.iter().map(|target| target.text(&capture.dom)).collect();
        let decide = |text: &String| {
            let label = match text.len() {
                0..4 => Label::Boilerplate,
                4..6 => Label::Comments,
                _ => Label::Content,
            };
            Decision { margin: 0.0, probability: 0.5, label, comments: None }
        };
        let mut decisions: Vec<Decision> = texts.iter().map(decide).collect();
        keep_tables_whole(&capture.dom, &targets, &mut decisions);
        texts
            .into_iter()
            .zip(decisions)
            .filter(|(_, made)| made.label == Label::Content)
            .map(|(text, _)| text)
            .collect()
    }

    #[test]
    fn a_table_is_whole_where_most_of_it_is_kept() {
        let table = "<table><tr><th>length<th>5 m<tr><td>breadth<td>3 m</table>";
        assert_eq!(kept(&format!("<p>no</p>{table}")), ["length", "5 m", "breadth", "3 m"]);
        let mostly_dropped = "<table><tr><th>length<th>a b<th>c d<th>e f<tr><td>g h<td>i j<td>k l<td>m n</table>";
        assert_eq!(kept(mostly_dropped), ["length"]);
        let layout = "<table role=none><tr><td>a long text<td>b</table>";
        assert_eq!(kept(layout), ["a long text"]);
        let comments = "<table><tr><th>length<th>again<tr><td>breadth<td>3 m</table>";
        assert_eq!(kept(comments), ["length", "breadth", "3 m"]);
    }
}
