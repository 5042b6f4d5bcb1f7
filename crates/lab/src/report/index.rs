//! The first page of an evaluation report: tables of each data set, then all its pages, worst
//! first, with their scores.

use super::evaluation_page::{begin, end, write_table};
use crate::evaluate::reliability::ReliabilityBin;
use crate::evaluate::report::macro_table;
use crate::evaluate::sets::blocks_table;
use crate::evaluate::summary::{MacroScore, SCORES};
use crate::evaluate::{BlockScore, PageScore, Report, Table};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use vclean_core::explain::Escaped;

/// One data set of a report.
pub struct Section<'a> {
    /// Scores of the system.
    pub report: &'a Report,
    /// Scores of keeping everything.
    pub everything: &'a Report,
    /// Numbers of blocks classified correctly and wrongly.
    pub blocks: BlockScore,
    /// Expected calibration error of their probabilities.
    pub calibration_error: f64,
    /// Probabilities in bins, with the share of content in each.
    pub bins: &'a [ReliabilityBin],
    /// Addresses of the pages that are shown in detail, relative to this page, by name.
    pub links: BTreeMap<&'a str, String>,
}

/// The page as HTML; `means` are the means over the sets, empty for one set.
pub fn index(sections: &[Section<'_>], means: &[MacroScore]) -> String {
    let mut page = String::new();
    write_index(&mut page, sections, means).expect("writing to a string cannot fail");
    page
}

fn write_index(page: &mut String, sections: &[Section<'_>], means: &[MacroScore]) -> fmt::Result {
    begin(page, "vclean lab evaluate")?;
    page.push_str("<h1>vclean lab evaluate</h1>\n");
    write_table(page, &macro_table(means))?;
    for section in sections {
        let Section {
            report, everything, ..
        } = section;
        let all = report.all();
        writeln!(
            page,
            "<h2>{}: {}</h2>",
            Escaped(&report.set),
            Escaped(&report.system)
        )?;
        write!(
            page,
            "<p>{} pages, {} without output",
            all.count, all.failed
        )?;
        if let Some(complexity) = all.complexity {
            write!(page, ", mean complexity {complexity:.3}")?;
        }
        page.push_str("</p>\n");
        write_table(page, &report.scores_table())?;
        page.push_str("<h3>By kind of page</h3>\n");
        write_table(page, &report.groups_table())?;
        if let Some(words) = report.words_table() {
            page.push_str("<h3>Words, and pages that went wrong</h3>\n");
            write_table(page, &words)?;
        }
        page.push_str("<h3>Keeping everything</h3>\n");
        write_table(page, &everything.groups_table())?;
        page.push_str("<h3>Blocks</h3>\n");
        write_table(
            page,
            &blocks_table(section.blocks, section.calibration_error),
        )?;
        page.push_str("<h3>Calibration of the probabilities</h3>\n");
        write_table(page, &bins_table(section.bins))?;
        page.push_str("<h3>Pages, worst first</h3>\n");
        write_pages(page, section)?;
    }
    page.push_str("<h2>What the scores count</h2>\n<ul>\n");
    for score in SCORES {
        writeln!(
            page,
            "<li>{}: {}</li>",
            Escaped(score.name),
            Escaped(score.about)
        )?;
    }
    page.push_str("</ul>\n");
    end(page);
    Ok(())
}

fn bins_table(bins: &[ReliabilityBin]) -> Table {
    let mut table = Table::new(&[
        "probability",
        "blocks",
        "mean probability",
        "share of content",
    ]);
    for bin in bins {
        let range = format!("{:.1}-{:.1}", bin.from, bin.from + 0.1);
        table.push(vec![
            range,
            bin.blocks.to_string(),
            format!("{:.3}", bin.predicted),
            format!("{:.3}", bin.observed),
        ]);
    }
    table
}

fn write_pages(page: &mut String, section: &Section<'_>) -> fmt::Result {
    let pages = &section.report.pages;
    let scores: Vec<_> = SCORES
        .iter()
        .filter(|score| {
            score.is_listed() && pages.iter().any(|page| (score.measure)(page).is_some())
        })
        .collect();
    page.push_str(
        "<div class=\"wide\">\n<table>\n<thead><tr><th scope=\"col\">page</th><th scope=\"col\">language</th>",
    );
    for score in &scores {
        write!(
            page,
            "<th scope=\"col\">{}</th>",
            Escaped(score.column.unwrap_or(score.name))
        )?;
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for scored in PageScore::worst_first(pages) {
        let name = Escaped(&scored.id);
        match section.links.get(scored.id.as_str()) {
            Some(link) => write!(
                page,
                "<tr><td><a href=\"{}\">{name}</a></td>",
                Escaped(link)
            )?,
            None => write!(page, "<tr><td>{name}</td>")?,
        }
        write!(page, "<td>{}</td>", Escaped(&scored.lang))?;
        for score in &scores {
            let cell = (score.measure)(scored)
                .map(|figure| format!("{:.3}", figure.value))
                .unwrap_or_default();
            write!(page, "<td class=\"number\">{cell}</td>")?;
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::reliability::reliability;
    use crate::evaluate::summary::macro_scores;
    use crate::evaluate::{Output, score_page};
    use crate::gold::Gold;
    use vclean_run::source::{GoldKind, Row};

    fn report(names: &[&str]) -> Report {
        let pages = names.iter().enumerate().map(|(index, name)| {
            let row = Row {
                id: (*name).to_owned(),
                url: None,
                host: "h".into(),
                lang: "<b>".into(),
                split: "dev".into(),
                gold_kind: GoldKind::Full,
                renders_layout: false,
                page_type: Some("<i>".into()),
                state: None,
                page: "x".into(),
            };
            let gold = Gold {
                text: Some("a b".into()),
                ..Gold::default()
            };
            let text = if index == 0 { "a b" } else { "a" };
            score_page(
                &row,
                Some(Output {
                    text,
                    ..Output::default()
                }),
                &gold,
            )
        });
        Report::new("<set>", "<model>", pages.collect(), 1)
    }

    #[test]
    fn pages_are_listed_worst_first_and_linked_and_escaped() {
        let report = report(&["good", "<bad>"]);
        let bins = reliability(&[0.9], &[true]);
        let section = || Section {
            report: &report,
            everything: &report,
            blocks: BlockScore::default(),
            calibration_error: 0.1,
            bins: &bins,
            links: BTreeMap::from([("<bad>", "pages/0001.html".to_owned())]),
        };
        let page = index(
            &[section(), section()],
            &macro_scores(&[report.all(), report.all()]),
        );
        let bad = page
            .find("<a href=\"pages/0001.html\">&lt;bad&gt;</a>")
            .unwrap();
        assert!(bad < page.find("<td>good</td>").unwrap());
        assert!(page.contains("&lt;set&gt;: &lt;model&gt;") && page.contains("mean of data sets"));
        for raw in [
            "<set>", "<model>", "<bad>", "<b>", "<i>", "<script", "http:", "https:",
        ] {
            assert!(!page.contains(raw), "{raw}");
        }
        assert!(
            page.contains("<td>0.9-1.0</td><td class=\"number\">1</td>"),
            "{page}"
        );
    }
}
