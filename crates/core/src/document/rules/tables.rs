//! Data tables: kept whole where much of them is kept and dropped where little is, and left out for
//! users who want running text alone.
//!
//! Models decide on each cell alone, and a short one does not look like text at all. A reader wants
//! all cells of a table or none.

use crate::capture::NodeId;
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::document::table::{Tables, table_tag};
use crate::elements::Element;
use crate::error::CaptureError;
use crate::text::count_letters;
use std::collections::BTreeMap;

const TABLE: Element = Element::known("table");

/// Share of a table's letters that must be content for the rest to be; with less, none is. On ten
/// sets, .3 and .5 change the F score of words by less than .001.
const MIN_SHARE: f32 = 0.3;

/// Sets the decisions on the targets of each data table to content where enough of its letters are
/// content already, and to boilerplate where fewer are. Comments, margins and probabilities stay.
pub(super) fn keep_tables_whole(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let mut tables = Tables::default();
    let mut members: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate().take(decisions.len()) {
        let mut around = std::iter::once(target.container).chain(dom.ancestors(target.container));
        let table = around.find(|&up| table_tag(dom, up) == "table");
        if let Some(table) = table.filter(|&table| tables.is_data(dom, table)) {
            members.entry(table).or_default().push(index);
        }
    }
    for (table, members) in members {
        let (mut all, mut kept) = (0.0, 0.0);
        for &index in &members {
            let texts = targets[index].texts.iter().filter_map(|&id| dom.text(id));
            let letters = texts.map(count_letters).sum::<usize>() as f32;
            all += letters;
            kept += if decisions[index].label == Label::Content {
                letters
            } else {
                0.0
            };
        }
        let label = if kept > 0.0 && kept >= MIN_SHARE * all {
            Label::Content
        } else {
            Label::Boilerplate
        };
        // Elements that only a role makes a table are often the layout of an application.
        if label == Label::Boilerplate && dom.element(table) != TABLE {
            continue;
        }
        for index in members {
            if decisions[index].label != Label::Comments {
                decisions[index].label = label;
            }
        }
    }
    Ok(())
}

/// Sets the decisions on everything in the cells of data tables to boilerplate; layout tables are
/// not affected.
pub(super) fn drop_tables(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let mut tables = Tables::default();
    for (target, decision) in targets.iter().zip(decisions) {
        let mut above = std::iter::once(target.container).chain(dom.ancestors(target.container));
        if decision.label != Label::Boilerplate
            && above
                .any(|id| matches!(dom.tag(id), "td" | "th") && tables.position(dom, id).is_some())
        {
            decision.label = Label::Boilerplate;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::emit::FORMATS;
    use crate::html::parse_html;
    use crate::pipeline::{Options, PageCleaner};
    use crate::target::{TargetRule, select};

    const PARAGRAPH: &str = "Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is, and \
        they seldom have to try more than twice before they can eat what is inside.";

    /// The kept texts of a page whose short blocks are dropped by the model.
    fn kept(html: &str) -> Vec<String> {
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let texts: Vec<String> = targets
            .iter()
            .map(|target| target.text(&capture.dom))
            .collect();
        let decide = |text: &String| {
            let label = match text.len() {
                0..4 => Label::Boilerplate,
                4..6 => Label::Comments,
                _ => Label::Content,
            };
            Decision {
                margin: 0.0,
                probability: 0.5,
                label,
                comments: None,
            }
        };
        let mut decisions: Vec<Decision> = texts.iter().map(decide).collect();
        keep_tables_whole(&PageParts::new(&capture, &targets), &mut decisions).unwrap();
        texts
            .into_iter()
            .zip(decisions)
            .filter(|(_, made)| made.label == Label::Content)
            .map(|(text, _)| text)
            .collect()
    }

    #[test]
    fn a_table_is_whole_or_not_there() {
        let table = "<table><tr><th>length<th>5 m<tr><td>breadth<td>3 m</table>";
        assert_eq!(
            kept(&format!("<p>no</p>{table}")),
            ["length", "5 m", "breadth", "3 m"]
        );
        let mostly_dropped = "<table><tr><th>length<th>a b<th>c d<th>e f<tr><td>g h<td>i j<td>k l<td>m n<tr><td>o p<td>q r<td>s t<td>u v</table>";
        assert_eq!(kept(mostly_dropped), [""; 0]);
        let by_role = "<div role=table><div role=row><b role=cell>length</b><b role=cell>5 m</b></div>\
                       <div role=row><b role=cell>breadth</b><b role=cell>3 m</b></div></div>";
        assert_eq!(kept(by_role), ["length", "5 m", "breadth", "3 m"]);
        let layout = "<table role=none><tr><td>a long text<td>b</table>";
        assert_eq!(kept(layout), ["a long text"]);
        let comments = "<table><tr><th>length<th>again<tr><td>breadth<td>3 m</table>";
        assert_eq!(kept(comments), ["length", "breadth", "3 m"]);
    }

    #[test]
    fn cells_of_data_tables_are_left_out_in_every_format_and_layout_tables_stay() {
        let table = "<table><tr><th>Height of the drop<th>Number of tries</tr><tr><td>Three meters<td>Two tries</tr></table>";
        let html = format!(
            "<body><article><h1>Herring gulls</h1><p>{PARAGRAPH}</p>{table}<p>{PARAGRAPH}</p></article>
             <table><tr><td><p>{PARAGRAPH} Layout.</p></td></tr></table></body>"
        );
        let with = |keep: bool| {
            let cleaner = PageCleaner::new(&Options {
                no_tables: !keep,
                ..Options::default()
            })
            .unwrap();
            cleaner
                .clean(&crate::page::Page::from_html("x", html.as_str()))
                .unwrap()
        };
        assert!(
            with(true).text().contains("Three meters"),
            "{}",
            with(true).text()
        );
        let without = with(false);
        assert!(
            without.text().contains("drop mussels") && without.text().contains("Layout."),
            "{}",
            without.text()
        );
        for format in FORMATS.iter().filter(|format| !format.is_json) {
            assert!(
                !without
                    .write(format, &crate::emit::EmitOptions::default())
                    .contains("Three meters"),
                "{}",
                format.name
            );
        }
    }
}
