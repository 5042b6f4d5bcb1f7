//! The report on two engines: all figures, and the pages on which they disagree most, each as
//! rendered by both. It has no scripts and loads nothing.

use super::evaluation_page::{Swatch, begin, end, write_table};
use crate::evaluate::Table;
use crate::evaluate::fidelity::Paired;
use std::fmt::{self, Write};
use vclean_core::capture::{Capture, CssRect};
use vclean_core::error::Error;
use vclean_core::explain::{Escaped, Verdict, embed, outlines};

/// A page that is shown.
pub struct Shown<'a> {
    /// Paired blocks of both captures.
    pub paired: &'a Paired,
    /// The captures of both engines; their names are in the title of the report.
    pub captures: [&'a Capture; 2],
    /// Its figures, one per cell, with their names.
    pub figures: Table,
}

/// The report as HTML; tables come with their headings.
///
/// # Errors
/// If the pictures of a page cannot be decoded or encoded.
pub fn fidelity(
    title: &str,
    tables: &[(&str, Table)],
    pages: &[Shown<'_>],
) -> Result<String, Error> {
    let mut pictures = Vec::new();
    for shown in pages {
        let sides = [0, 1].map(|side| picture(shown, side));
        let [one, other] = sides;
        pictures.push([one?, other?]);
    }
    let mut page = String::new();
    write_page(&mut page, title, tables, pages, &pictures)
        .expect("writing to a string cannot fail");
    Ok(page)
}

/// The page as rendered by one engine, as a `data:` address: blocks in the same place in both are
/// green, other blocks in both orange, blocks that the other engine does not show violet.
fn picture(shown: &Shown<'_>, side: usize) -> Result<String, Error> {
    let Paired {
        fidelity, targets, ..
    } = shown.paired;
    let mut verdicts = vec![Verdict::DroppedWrong; targets[side].len()];
    for &(a, b) in &fidelity.pairs {
        let around = |side: usize, target: usize| {
            let layout = shown.captures[side].layout.as_ref();
            layout.map_or_else(CssRect::default, |layout| {
                layout.bounding_rect(&targets[side][target].texts)
            })
        };
        let boxes = [around(0, a), around(1, b)];
        let overlap = crate::evaluate::fidelity::overlap(boxes);
        let is_same = overlap > crate::evaluate::fidelity::SAME_BOX;
        verdicts[[a, b][side]] = if is_same {
            Verdict::KeptRight
        } else {
            Verdict::KeptWrong
        };
    }
    Ok(embed(&outlines(shown.captures[side], &targets[side], &verdicts)?)?.address)
}

fn write_page(
    page: &mut String,
    title: &str,
    tables: &[(&str, Table)],
    pages: &[Shown<'_>],
    pictures: &[[String; 2]],
) -> fmt::Result {
    begin(page, title)?;
    writeln!(page, "<h1>{}</h1>", Escaped(title))?;
    for (heading, table) in tables {
        writeln!(page, "<h2>{}</h2>", Escaped(heading))?;
        write_table(page, table)?;
    }
    if !pages.is_empty() {
        page.push_str("<h2>The pages they disagree on most</h2>\n<p>");
        let legend = [
            (Verdict::KeptRight, "in the same place"),
            (Verdict::KeptWrong, "elsewhere, or of another size"),
            (Verdict::DroppedWrong, "not shown by the other"),
        ];
        for (verdict, name) in legend {
            write!(page, "{}{name} ", Swatch(verdict.color()))?;
        }
        page.push_str("</p>\n");
    }
    for (shown, [one, other]) in pages.iter().zip(pictures) {
        let id = Escaped(&shown.paired.fidelity.id);
        writeln!(page, "<h3>{id}</h3>")?;
        write_table(page, &shown.figures)?;
        for address in [one, other] {
            write!(
                page,
                "<img alt=\"{id}\" style=\"width:49%;vertical-align:top\" src=\"{address}\"> "
            )?;
        }
        page.push('\n');
    }
    end(page);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::fidelity::compare;
    use vclean_core::explain::samples;
    use vclean_core::target::TargetRule;

    #[test]
    fn the_pictures_of_both_engines_are_shown() {
        let (one, ..) = samples::page("Menu");
        let (other, ..) = samples::page("Another <menu>");
        let paired = compare("a<b", [&one, &other], TargetRule::default()).unwrap();
        let mut figures = Table::new(&["height ratio"]);
        figures.push(vec!["1.000".into()]);
        let shown = Shown {
            paired: &paired,
            captures: [&one, &other],
            figures,
        };
        let html = fidelity(
            "one & other",
            &[("All pages", Table::new(&["x"]))],
            &[shown],
        )
        .unwrap();
        assert_eq!(html.matches("<img ").count(), 2);
        assert!(
            html.contains("a&lt;b") && html.contains("one &amp; other") && html.contains("1.000")
        );
        assert!(!html.contains("<script"));
    }
}
