//! Leaves data tables out of the text, for users who want running text alone.

use super::table::Tables;
use crate::capture::Dom;
use crate::classify::{Decision, Label};
use crate::target::Target;

/// The decisions with everything in the cells of data tables as boilerplate; layout tables are no tables.
pub fn drop_tables(dom: &Dom, targets: &[Target], mut decisions: Vec<Decision>) -> Vec<Decision> {
    let mut tables = Tables::default();
    for (target, decision) in targets.iter().zip(&mut decisions) {
        let mut above = std::iter::once(target.container).chain(dom.ancestors(target.container));
        if decision.label != Label::Boilerplate
            && above.any(|id| matches!(dom.tag(id), "td" | "th") && tables.position(dom, id).is_some())
        {
            decision.label = Label::Boilerplate;
        }
    }
    decisions
}

#[cfg(test)]
mod tests {
    use crate::{Cleaner, FORMATS};

    const PARAGRAPH: &str = "Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is, and \
        they seldom have to try more than twice before they can eat what is inside.";

    #[test]
    fn cells_of_data_tables_are_left_out_in_every_format_and_layout_tables_stay() {
        let table =
            "<table><tr><th>Height of the drop<th>Number of tries</tr><tr><td>Three meters<td>Two tries</tr></table>";
        let html = format!(
            "<body><article><h1>Herring gulls</h1><p>{PARAGRAPH}</p>{table}<p>{PARAGRAPH}</p></article>
             <table><tr><td><p>{PARAGRAPH} Layout.</p></td></tr></table></body>"
        );
        let with = |tables| Cleaner::builder().tables(tables).build().unwrap().clean_html(&html).unwrap();
        assert!(with(true).text().contains("Three meters"), "{}", with(true).text());
        let without = with(false);
        assert!(without.text().contains("drop mussels") && without.text().contains("Layout."), "{}", without.text());
        for format in FORMATS.iter().filter(|format| !format.is_json) {
            assert!(!without.write(format, &crate::EmitOptions::default()).contains("Three meters"), "{}", format.name);
        }
    }
}
