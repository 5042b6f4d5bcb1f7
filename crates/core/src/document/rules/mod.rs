//! The rules that change decisions after the model. A rule is one function and one row of
//! [`RULES`]: its name, when it applies, and what it does.

// Every rule has the signature of the table, even if it cannot fail.
#![allow(clippy::unnecessary_wraps)]

mod alike;
mod appended;
mod captions;
mod code;
mod copies;
mod details;
mod dialogs;
mod embeds;
mod entries;
mod formulas;
mod headings;
mod headline;
mod hidden;
mod mail;
mod notes;
mod posts;
mod tables;
mod threshold;
#[cfg(test)]
#[path = "../../../tests/unit/document_rule_trial.rs"]
mod trial;

pub use headline::find_headline;
pub(crate) use headline::names_page;

use super::page::PageParts;
use super::trace::{DecisionTrace, Rule};
use crate::classify::Decision;
use crate::error::CaptureError;

/// Options on which the rules depend besides the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RuleOptions {
    /// True if a precision was requested, which only the model can guarantee.
    pub is_precise: bool,
    /// True if data tables are left out.
    pub no_tables: bool,
    /// True if the headline is left out.
    pub no_title: bool,
}

/// A rule with its condition and its function.
pub struct RuleRow {
    /// Name of the rule, and its description for users.
    pub rule: Rule,
    /// Returns true if the rule acts with these options.
    applies: fn(&RuleOptions) -> bool,
    /// Changes the decisions, one for each target; fails if a picture of the capture is damaged.
    apply: fn(&PageParts<'_>, &mut [Decision]) -> Result<(), CaptureError>,
}

/// All rules, in the order in which they act.
pub static RULES: &[RuleRow] = &[
    RuleRow {
        rule: Rule {
            name: "whole-code",
            about: "the lines of a block of code are kept or dropped together, and kept between kept texts",
        },
        applies: |_| true,
        apply: code::keep_code_whole,
    },
    RuleRow {
        rule: Rule {
            name: "whole-table",
            about: "a data table is kept whole or not at all",
        },
        applies: |_| true,
        apply: tables::keep_tables_whole,
    },
    RuleRow {
        rule: Rule {
            name: "entries",
            about: "what stands in the same place of each item of a list or row of a table is kept or dropped together",
        },
        applies: |options| !options.is_precise,
        apply: entries::keep_entries_together,
    },
    RuleRow {
        rule: Rule {
            name: "alike",
            about: "a block among neighbors of the same kind is kept with them",
        },
        applies: |options| !options.is_precise,
        apply: alike::keep_alike,
    },
    RuleRow {
        rule: Rule {
            name: "embed",
            about: "the text of an embedded post of a social network is kept between kept texts",
        },
        applies: |options| !options.is_precise,
        apply: embeds::keep_embedded_posts,
    },
    RuleRow {
        rule: Rule {
            name: "mail-links",
            about: "the links of a mailing list's archive around a message are no text",
        },
        applies: |_| true,
        apply: mail::drop_links_of_archive,
    },
    RuleRow {
        rule: Rule {
            name: "term",
            about: "a term is kept with its description",
        },
        applies: |options| !options.is_precise,
        apply: headings::keep_terms,
    },
    RuleRow {
        rule: Rule {
            name: "heading",
            about: "a heading is kept with the text below it",
        },
        applies: |options| !options.is_precise,
        apply: headings::keep_headings,
    },
    RuleRow {
        rule: Rule {
            name: "dialog",
            about: "a dialog is no part of the page's text",
        },
        applies: |_| true,
        apply: dialogs::drop_dialogs,
    },
    RuleRow {
        rule: Rule {
            name: "caption",
            about: "a caption between kept texts is kept",
        },
        applies: |options| !options.is_precise,
        apply: captions::keep_captions,
    },
    RuleRow {
        rule: Rule {
            name: "details",
            about: "what a summary unfolds is kept or dropped with it",
        },
        applies: |options| !options.is_precise,
        apply: details::keep_details,
    },
    RuleRow {
        rule: Rule {
            name: "formula",
            about: "a formula on a line of its own between kept texts is kept",
        },
        applies: |options| !options.is_precise,
        apply: formulas::keep_formulas,
    },
    RuleRow {
        rule: Rule {
            name: "note",
            about: "a footnote is kept with its mark",
        },
        applies: |options| !options.is_precise,
        apply: notes::keep_notes,
    },
    RuleRow {
        rule: Rule {
            name: "post",
            about: "the text of a post of a forum is kept, and what stands beside it in the post is not",
        },
        applies: |options| !options.is_precise,
        apply: posts::keep_posts,
    },
    RuleRow {
        rule: Rule {
            name: "hidden",
            about: "text that a reader does not see is dropped",
        },
        applies: |_| true,
        apply: hidden::drop_hidden,
    },
    RuleRow {
        rule: Rule {
            name: "copy",
            about: "of a text that is there twice for two widths of the screen, one is kept",
        },
        applies: |_| true,
        apply: copies::drop_copies,
    },
    RuleRow {
        rule: Rule {
            name: "appended",
            about: "an article that scrolling appends below the page's own is not its text",
        },
        applies: |_| true,
        apply: appended::drop_appended,
    },
    RuleRow {
        rule: Rule {
            name: "site-name",
            about: "the name of the site above the page's own heading is no text",
        },
        applies: |_| true,
        apply: headline::drop_site_name,
    },
    RuleRow {
        rule: Rule {
            name: "headline",
            about: "the page's headline is kept with its text",
        },
        applies: |options| !options.is_precise && !options.no_title,
        apply: headline::keep_headline,
    },
    RuleRow {
        rule: Rule {
            name: "no-title",
            about: "the headline is left out on request",
        },
        applies: |options| options.no_title,
        apply: headline::drop_headline,
    },
    RuleRow {
        rule: Rule {
            name: "no-tables",
            about: "data tables are left out on request",
        },
        applies: |options| options.no_tables,
        apply: tables::drop_tables,
    },
];

/// Applies the rules in their order, and notes in the trace whose labels each has
/// changed.
///
/// # Errors
/// If the node mask is damaged. It is read only where a rule needs it.
pub fn apply_rules(
    page: &PageParts<'_>,
    options: RuleOptions,
    decisions: &mut [Decision],
    trace: &mut DecisionTrace,
) -> Result<(), CaptureError> {
    for row in RULES.iter().filter(|row| (row.applies)(&options)) {
        (row.apply)(page, decisions)?;
        trace.note(&row.rule, decisions);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rules_are_permanent() {
        let names: Vec<&str> = RULES.iter().map(|row| row.rule.name).collect();
        assert_eq!(
            names,
            [
                "whole-code",
                "whole-table",
                "entries",
                "alike",
                "embed",
                "mail-links",
                "term",
                "heading",
                "dialog",
                "caption",
                "details",
                "formula",
                "note",
                "post",
                "hidden",
                "copy",
                "appended",
                "site-name",
                "headline",
                "no-title",
                "no-tables",
            ]
        );
    }
}
