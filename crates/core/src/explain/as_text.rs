//! Writes an explanation as text for people.

use super::elsewhere::Elsewhere;
use super::explanation::{ExplainedBlock, ExplainedPage, Explanation, Neighbor};
use super::markup::outcome;
use crate::capture::CssRect;
use crate::classify::Label;
use crate::document::SegmentKind;
use crate::text::excerpt;
use std::fmt::{self, Display, Formatter};

/// Largest number of characters of a block's text that is shown.
const MAX_CHARS: usize = 600;

impl Display for Explanation {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write_page(out, &self.page)?;
        if self.is_over_several {
            writeln!(
                out,
                "the words run over {} blocks",
                self.blocks.len() + self.more
            )?;
        }
        for block in &self.blocks {
            writeln!(out)?;
            write_block(out, block, &self.page)?;
        }
        if self.more > 0 {
            writeln!(
                out,
                "\n{} more blocks have the words; more words tell them apart",
                self.more
            )?;
        }
        if self.blocks.is_empty() {
            writeln!(out, "\nno block has the words")?;
        }
        self.elsewhere
            .iter()
            .try_for_each(|place| write_place(out, place))
    }
}

fn write_page(out: &mut Formatter<'_>, page: &ExplainedPage) -> fmt::Result {
    let ExplainedPage {
        input,
        method,
        model,
        threshold,
        kind,
        blocks,
        kept,
        ..
    } = page;
    writeln!(out, "{input}: {kept} of {blocks} blocks kept")?;
    write!(out, "decided by {method}")?;
    if let Some(model) = model {
        write!(out, ", model {model}")?;
    }
    match page.engine {
        "parser" => writeln!(out, "; the page was not rendered")?,
        engine => writeln!(out, "; the page was rendered by {engine}")?,
    }
    if let Some(why) = page.deciding.describe() {
        writeln!(out, "{why}")?;
    }
    if let Some(threshold) = threshold {
        writeln!(
            out,
            "the model keeps blocks of this page from a probability of {threshold:.2} on"
        )?;
    }
    if let Some(kind) = kind {
        writeln!(
            out,
            "kind of page: {} ({:.2})",
            kind.kind.name(),
            kind.probability
        )?;
    }
    Ok(())
}

fn write_block(
    out: &mut Formatter<'_>,
    block: &ExplainedBlock,
    page: &ExplainedPage,
) -> fmt::Result {
    let ExplainedBlock {
        label,
        probability,
        margin,
        ..
    } = block;
    let shown = excerpt(&block.text, MAX_CHARS);
    let rest = if shown.len() < block.text.len() {
        "..."
    } else {
        ""
    };
    writeln!(
        out,
        "block {}, {}: \"{shown}{rest}\"",
        block.block,
        outcome(*label)
    )?;
    let comment = block
        .comment_probability
        .map_or_else(String::new, |comment| {
            format!("; if it is not content, a reader's comment with probability {comment:.2}")
        });
    let model = if page.model.is_some() {
        ", probability"
    } else {
        ", confidence"
    };
    writeln!(
        out,
        "  label       {}{model} {probability:.2}, margin {margin:+.2}{comment}",
        label.name()
    )?;
    match block.rule {
        Some(rule) => writeln!(out, "  rule        changed after the model: {}", rule.about)?,
        None if page.model.is_some() => {
            writeln!(out, "  rule        none; the model's decision stands")?;
        }
        None => {}
    }
    match (&block.written_as, label) {
        (Some(kind), _) => writeln!(out, "  written as  {}", kind_name(kind))?,
        (None, Label::Content) => {
            writeln!(out, "  written as  nothing: it has no part in the text")?;
        }
        (None, Label::Comments) => {
            writeln!(out, "  written as  nothing: readers' comments are dropped")?;
        }
        (None, Label::Boilerplate) => {}
    }
    writeln!(out, "  path        {}", block.path)?;
    writeln!(out, "  xpath       {}", block.xpath)?;
    write_box(out, block.rect)?;
    for (sign, neighbors) in [('-', &block.before), ('+', &block.after)] {
        for (distance, neighbor) in (1..).zip(neighbors) {
            write_neighbor(out, sign, distance, neighbor)?;
        }
    }
    if !block.reasons.is_empty() {
        writeln!(
            out,
            "  what weighed most (+ speaks for content, - against):"
        )?;
    }
    for reason in &block.reasons {
        writeln!(
            out,
            "    {:+.2}  {} = {:.3}: {}",
            reason.weight, reason.feature, reason.value, reason.meaning
        )?;
    }
    Ok(())
}

fn write_box(out: &mut Formatter<'_>, rect: Option<CssRect>) -> fmt::Result {
    let Some(CssRect {
        x,
        y,
        width,
        height,
    }) = rect
    else {
        return Ok(());
    };
    writeln!(
        out,
        "  box         {width:.0} x {height:.0} px, {x:.0} px from the left and {y:.0} px from the top"
    )
}

fn write_neighbor(
    out: &mut Formatter<'_>,
    sign: char,
    distance: usize,
    neighbor: &Neighbor,
) -> fmt::Result {
    let Neighbor {
        label,
        probability,
        rule,
        text,
        ..
    } = neighbor;
    let changed = if rule.is_some() {
        ", changed by a rule"
    } else {
        ""
    };
    let name = if *label == Label::Comments {
        "a comment"
    } else {
        outcome(*label)
    };
    writeln!(
        out,
        "  neighbor {sign}{distance} {name} ({probability:.2}{changed}): \"{text}\""
    )
}

fn write_place(out: &mut Formatter<'_>, place: &Elsewhere) -> fmt::Result {
    let Elsewhere {
        reason,
        text,
        xpath,
        rect,
    } = place;
    writeln!(
        out,
        "  {reason}\n  text        \"{text}\"\n  xpath       {xpath}"
    )?;
    write_box(out, *rect)
}

/// The name of a kind of segment, as in JSON.
fn kind_name(kind: &SegmentKind) -> String {
    let value = serde_json::to_value(kind).unwrap_or_default();
    value["kind"].as_str().unwrap_or_default().replace('-', " ")
}

#[cfg(test)]
#[cfg(feature = "pixels")]
mod tests {
    use crate::classify::Label;
    use crate::explain::{explain, samples};
    use crate::features::FeatureTable;
    use crate::pipeline::CleanedPage;

    #[test]
    fn everything_is_told_in_lines() {
        let (capture, targets, mut document) = samples::page("Menu");
        document.targets[2].decision.label = Label::Comments;
        document.targets[2].decision.comments = Some(0.75);
        let cleaned = {
            let table = FeatureTable::without_columns(targets.len());
            CleanedPage::new(targets, table, document)
        };
        let text = explain(&capture, &cleaned, "vclean", "running text")
            .unwrap()
            .to_string();
        insta::assert_snapshot!(text, @r#"
        sample.html: 2 of 3 blocks kept
        decided by vclean; the page was not rendered

        block 1, kept: "Some running text"
          label       content, confidence 0.90, margin +1.25
          written as  paragraph
          path        html/body/p
          xpath       /body[1]/p[1]
          box         30 x 11 px, 2 px from the left and 12 px from the top
          neighbor -1 kept (0.90): "Head"
          neighbor +1 a comment (0.20): "Menu"
          what weighed most (+ speaks for content, - against):
            -0.75  structural.link_density = 0.500: letters in links by letters of the block
        "#);
        let comment = explain(&capture, &cleaned, "vclean", "menu")
            .unwrap()
            .to_string();
        assert!(
            comment.contains("a reader's comment with probability 0.75"),
            "{comment}"
        );
        assert!(
            comment.contains("readers' comments are dropped"),
            "{comment}"
        );
    }
}
