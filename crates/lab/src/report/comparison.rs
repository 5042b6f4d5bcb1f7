//! The report on one evaluated page: scores, words missing in the output and words only in the
//! output, every block with its verdict, and for a rendered page the screenshot with outlined
//! blocks. It has no scripts and loads nothing.

use super::diff::write_diff;
use super::evaluation_page::{Swatch, begin, end, write_table};
use crate::evaluate::summary::SCORES;
use crate::evaluate::{PageScore, Table};
use crate::gold::{Gold, Snippets, TokenUnit};
use std::fmt::{self, Write};
use vclean_core::capture::Capture;
use vclean_core::classify::Label;
use vclean_core::document::TargetReport;
use vclean_core::error::Error;
use vclean_core::explain::{Escaped, Verdict, embed, outlines};
use vclean_core::target::Target;
use vclean_core::text::{collapse, excerpt};

/// Maximum number of characters of a block's text in its row. Heuristic.
const MAX_TEXT_CHARS: usize = 600;

/// A page, its output and its gold.
pub struct Compared<'a> {
    /// Name of its set.
    pub set: &'a str,
    /// Scores of the page, shown in a table.
    pub score: &'a PageScore,
    /// Its address, where known.
    pub url: Option<&'a str>,
    /// Token unit of the word lists.
    pub unit: TokenUnit,
    /// Gold that the output is compared with.
    pub gold: &'a Gold,
    /// The outcome, or why there is none.
    pub outcome: Result<Outcome<'a>, &'a str>,
}

/// The result of cleaning a page.
pub struct Outcome<'a> {
    /// The page as it was cleaned.
    pub capture: &'a Capture,
    /// Blocks of the page, in document order.
    pub targets: &'a [Target],
    /// Texts of the blocks, in the same order.
    pub texts: &'a [String],
    /// One report per block.
    pub reports: &'a [TargetReport],
    /// The gold label of each block; `None` if the gold does not decide.
    pub labels: &'a [Option<Label>],
    /// Text of the output.
    pub text: &'a str,
}

/// The page as HTML.
///
/// # Errors
/// If its picture cannot be decoded or encoded.
pub fn comparison(compared: &Compared<'_>) -> Result<String, Error> {
    let verdicts: Vec<Verdict> = match &compared.outcome {
        Ok(outcome) => outcome
            .reports
            .iter()
            .zip(outcome.labels)
            .map(|(report, gold)| Verdict::compare(report.decision.label, *gold))
            .collect(),
        Err(_) => Vec::new(),
    };
    let picture = match &compared.outcome {
        Ok(outcome) if outcome.capture.pictures.is_some() => {
            Some(embed(&outlines(outcome.capture, outcome.targets, &verdicts)?)?.address)
        }
        _ => None,
    };
    let mut page = String::new();
    write_page(&mut page, compared, &verdicts, picture.as_deref())
        .expect("writing to a string cannot fail");
    Ok(page)
}

fn write_page(
    page: &mut String,
    compared: &Compared<'_>,
    verdicts: &[Verdict],
    picture: Option<&str>,
) -> fmt::Result {
    let title = format!("{}/{}", compared.set, compared.score.id);
    begin(page, &title)?;
    writeln!(
        page,
        "<h1>{}</h1>\n<p><a href=\"../index.html\">All pages</a></p>",
        Escaped(&title)
    )?;
    if let Some(url) = compared.url {
        writeln!(page, "<p class=\"faint\">{}</p>", Escaped(url))?;
    }
    write_table(page, &scores(compared.score))?;
    let outcome = match &compared.outcome {
        Ok(outcome) => outcome,
        Err(cause) => {
            writeln!(
                page,
                "<p><strong>No output:</strong> {}</p>",
                Escaped(cause)
            )?;
            if let Some(gold) = &compared.gold.text {
                page.push_str("<h2>Text</h2>\n");
                write_diff(page, "", gold, compared.unit)?;
            }
            end(page);
            return Ok(());
        }
    };
    page.push_str("<h2>Text</h2>\n");
    if let Some(gold) = &compared.gold.text {
        page.push_str(
            "<p><ins>Missed</ins> words are in the gold only, <del>invented</del> ones in the output only.</p>\n",
        );
        write_diff(page, outcome.text, gold, compared.unit)?;
    } else {
        writeln!(
            page,
            "<div class=\"diff text\" dir=\"auto\">{}</div>",
            Escaped(outcome.text)
        )?;
    }
    if let Some(snippets) = &compared.gold.snippets {
        write_snippets(page, snippets, outcome.text)?;
    }
    if let Some(address) = picture {
        page.push_str("<h2>Page</h2>\n<p>");
        for verdict in Verdict::all() {
            write!(page, "{}{}", Swatch(verdict.color()), verdict.name())?;
        }
        writeln!(
            page,
            "</p>\n<img alt=\"The page, its blocks outlined by verdict\" src=\"{address}\">"
        )?;
    }
    write_blocks(page, outcome, verdicts)?;
    end(page);
    Ok(())
}

/// The scores of a page, one per row.
fn scores(score: &PageScore) -> Table {
    let mut table = Table::new(&["score", "P", "R", "F"]);
    for kind in SCORES.iter().filter(|score| score.is_listed()) {
        if let Some(figure) = (kind.measure)(score) {
            let cell =
                |part: Option<f64>| part.map(|part| format!("{part:.3}")).unwrap_or_default();
            let cells = [
                cell(figure.precision),
                cell(figure.recall),
                cell(Some(figure.value)),
            ];
            table.push(std::iter::once(kind.name.to_owned()).chain(cells).collect());
        }
    }
    if let Some(complexity) = score.complexity {
        table.push(vec![
            "complexity".to_owned(),
            String::new(),
            String::new(),
            format!("{complexity:.3}"),
        ]);
    }
    table
}

fn write_snippets(page: &mut String, snippets: &Snippets, text: &str) -> fmt::Result {
    let text = collapse(text);
    page.push_str("<h2>Snippets</h2>\n<div class=\"wide\">\n<table>\n<tbody>\n");
    for (kind, list) in [("with", &snippets.with), ("without", &snippets.without)] {
        for snippet in list {
            let is_found = text.contains(&collapse(snippet));
            let is_right = is_found == (kind == "with");
            writeln!(
                page,
                "<tr{}><td>{kind}</td><td class=\"verdict\">{}, {}</td><td class=\"text\" dir=\"auto\">{}</td></tr>",
                if is_right { "" } else { " class=\"wrong\"" },
                if is_found { "found" } else { "absent" },
                if is_right { "right" } else { "wrong" },
                Escaped(snippet)
            )?;
        }
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
    Ok(())
}

fn write_blocks(page: &mut String, outcome: &Outcome<'_>, verdicts: &[Verdict]) -> fmt::Result {
    let wrong = verdicts.iter().filter(|verdict| verdict.is_wrong()).count();
    write!(
        page,
        "<h2>Blocks</h2>\n<p>{} blocks, {wrong} wrong.</p>\n<div class=\"wide\">\n<table>\n<thead><tr>\
         <th scope=\"col\">block</th><th scope=\"col\">verdict</th><th scope=\"col\">probability</th>\
         <th scope=\"col\">gold</th><th scope=\"col\">text</th></tr></thead>\n<tbody>\n",
        verdicts.len()
    )?;
    for (index, verdict) in verdicts.iter().enumerate() {
        let gold = outcome.labels[index].map_or("", Label::name);
        writeln!(
            page,
            "<tr{}><td class=\"number\">{index}</td><td class=\"verdict\">{}</td><td class=\"number\">{:.3}</td>\
             <td>{gold}</td><td class=\"text\" dir=\"auto\">{}</td></tr>",
            if verdict.is_wrong() {
                " class=\"wrong\""
            } else {
                ""
            },
            verdict.name(),
            outcome.reports[index].decision.probability,
            Escaped(excerpt(&outcome.texts[index], MAX_TEXT_CHARS)),
        )?;
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Output, score_page};
    use vclean_core::document::Document;
    use vclean_core::explain::samples;
    use vclean_run::source::{GoldKind, Row};

    fn row(name: &str) -> Row {
        Row {
            id: name.to_owned(),
            url: None,
            host: "h".into(),
            lang: "en".into(),
            split: "dev".into(),
            gold_kind: GoldKind::Full,
            renders_layout: true,
            page_type: None,
            state: None,
            page: "x".into(),
        }
    }

    /// The sample page with this text wherever a hostile page can put text.
    fn page_with(text: &str, has_picture: bool) -> String {
        let (mut capture, targets, document): (Capture, _, Document) = samples::page(text);
        if !has_picture {
            capture.pictures = None;
        }
        let snippets = Some(Snippets {
            with: vec![text.to_owned()],
            without: vec!["Head".to_owned()],
        });
        let gold = Gold {
            text: Some(format!("Head missing {text}")),
            snippets,
            marked: None,
            comments: None,
        };
        let score = score_page(
            &row(text),
            Some(Output {
                text: "Head x",
                ..Output::default()
            }),
            &gold,
        );
        let texts: Vec<String> = document
            .targets
            .iter()
            .map(|target| target.text.clone())
            .collect();
        let labels = [Some(Label::Content), None, Some(Label::Content)];
        let outcome = Outcome {
            capture: &capture,
            targets: &targets,
            texts: &texts,
            reports: &document.targets,
            labels: &labels,
            text: "Head x",
        };
        comparison(&Compared {
            set: "set",
            score: &score,
            url: Some(text),
            unit: TokenUnit::Words,
            gold: &gold,
            outcome: Ok(outcome),
        })
        .unwrap()
    }

    #[test]
    fn a_page_shows_scores_words_blocks_and_picture() {
        let page = page_with("Menu", true);
        assert!(
            page.contains("Head <del>x\n</del><ins>missing Menu\n</ins>"),
            "{page}"
        );
        assert!(
            page.contains("<tr class=\"wrong\"><td class=\"number\">2</td><td class=\"verdict\">dropped, wrong</td>")
        );
        assert!(
            page.contains("3 blocks, 1 wrong.") && page.contains("<td class=\"number\">0.900</td>")
        );
        assert!(page.contains("src=\"data:image/jpeg;base64,") && page.contains("rgb(204,51,153)"));
        assert!(page.contains("<td>with</td><td class=\"verdict\">absent, wrong</td>"));
        assert!(page.contains("ROUGE-LSum"));
        assert!(!page_with("Menu", false).contains("<img"));
    }

    #[test]
    fn text_of_a_page_never_becomes_markup() {
        let page = page_with(
            "\"><script>alert(1)</script><img src=x onerror='alert(2)'></style>\0<!--",
            false,
        );
        assert!(
            !page.contains("<script")
                && !page.contains("<img")
                && !page.contains('\0')
                && !page.contains("<!--")
        );
        assert_eq!(
            (
                page.matches("</style>").count(),
                page.matches("href=").count()
            ),
            (1, 1)
        );
        assert!(
            !page.contains("http:") && !page.contains("https:"),
            "nothing is loaded"
        );
    }

    #[test]
    fn a_page_without_output_shows_the_cause() {
        let gold = Gold {
            text: Some("a b".into()),
            ..Gold::default()
        };
        let score = score_page(&row("1"), None, &gold);
        let page = comparison(&Compared {
            set: "set",
            score: &score,
            url: None,
            unit: TokenUnit::Words,
            gold: &gold,
            outcome: Err("the file is <empty>"),
        })
        .unwrap();
        assert!(
            page.contains("No output:</strong> the file is &lt;empty&gt;")
                && page.contains("<ins>a b\n</ins>")
        );
    }
}
