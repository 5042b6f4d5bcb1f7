//! The `record` group: repeated records with a time and a name each, such as comments, posts of a
//! thread and teasers, whatever their class names and their language.
//!
//! [`records`] finds the signs of records and the siblings that have them. Models tell comments
//! from teasers and posts by actions, links, headings, lengths, and the amount of text before the
//! first record.

mod records;

use super::column::{Column, FLAG, Feature, LOG, OURS, SHARE, ValueRange, columns_of, flag, log};
use super::page::PageView;
use super::table::{FeatureGroup, GroupRows, fill_row};
use super::tree::share;
use records::{Kind, Marks, Record, Records, Role, role_of};

/// Range of a depth.
const DEPTH: ValueRange = ValueRange::new("levels", 0.0, 8.0);
/// Range of the ratio of a length to a mean.
const RELATIVE: ValueRange = ValueRange::new("ln(1 + ratio)", 0.0, 5.0);
/// Range of a number of links per record.
const PER_RECORD: ValueRange = ValueRange::new("per record", 0.0, 10.0);
/// Range of a coefficient of variation.
const VARIATION: ValueRange = ValueRange::new("deviation by mean", 0.0, 5.0);

/// Measurements of a target that its features are computed from.
struct Facts<'a> {
    /// The innermost record that contains it, with its kind.
    record: Option<(&'a Record, &'a Kind)>,
    /// The kind with most letters on the page.
    largest: Option<&'a Kind>,
    letters: f32,
    role: Role,
    /// Share of the page's letters that are in records.
    page_share: f32,
    /// Share of the page's prose before the first record of the target's kind, or of the largest
    /// kind.
    before_share: f32,
    /// Number of letters in that prose.
    before_letters: f32,
    /// True if the target comes after the start of the first record of the largest kind.
    is_after_first: bool,
}

impl Facts<'_> {
    fn record_value(&self, value: impl Fn(&Record, &Kind) -> f32) -> f32 {
        self.record
            .map_or(0.0, |(record, kind)| value(record, kind))
    }

    fn kind_share(&self, value: impl Fn(&Kind) -> f32) -> f32 {
        self.record_value(|_, kind| share(value(kind), kind.count))
    }
}

type Formula = for<'a> fn(&Facts<'a>) -> f32;

const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "record",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let records = Records::find(view, &Marks::new(view));
    let largest = records.largest();
    let in_records: f32 = records.all.iter().map(|record| record.own_letters).sum();
    let prose = view.sum(&(0..view.targets.len())).prose_letters;
    for (index, (target, row)) in view.targets.iter().zip(rows.iter_mut()).enumerate() {
        let block = &view.blocks[index];
        let record = records.record_at(target.first());
        let before = record
            .map(|(_, kind)| kind)
            .or(largest)
            .map_or(0.0, |kind| view.sum(&(0..kind.first_target)).prose_letters);
        let facts = Facts {
            record,
            largest,
            letters: block.length,
            role: role_of(block, view.copies(block)),
            page_share: share(in_records, view.letters),
            before_share: share(before as f32, prose as f32),
            before_letters: before as f32,
            is_after_first: largest.is_some_and(|kind| index >= kind.first_target),
        };
        fill_row!(row, &facts, FEATURES);
    }
}

const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "record.is_inside",
        FLAG,
        "the text is in a record: one of two or more siblings alike with a time and a name each",
        OURS,
        |f| flag(f.record.is_some()),
    ),
    Feature::new(
        "record.count_log",
        LOG,
        "number of records of its kind on the page; 0 outside of records",
        OURS,
        |f| f.record_value(|_, kind| log(kind.count)),
    ),
    Feature::new(
        "record.number_log",
        LOG,
        "number of its record among those of its kind, from 1; 0 outside",
        OURS,
        |f| f.record_value(|record, _| log(record.number as f32 + 1.0)),
    ),
    Feature::new(
        "record.place",
        SHARE,
        "number of its record among those of its kind by their number, 0 for the first",
        OURS,
        |f| f.record_value(|record, kind| share(record.number as f32, kind.count)),
    ),
    Feature::new(
        "record.depth",
        DEPTH,
        "records around the text: 2 for a reply inside the comment that it replies to",
        OURS,
        |f| f.record_value(|record, _| record.depth as f32),
    ),
    Feature::new(
        "record.letters_to_mean",
        RELATIVE,
        "letters of the text by the mean letters of the records of its kind; 0 outside",
        OURS,
        |f| f.record_value(|_, kind| log(share(f.letters, kind.mean()))),
    ),
    Feature::new(
        "record.own_share",
        SHARE,
        "letters of the text by those of its record, without records inside it; 0 outside",
        OURS,
        |f| f.record_value(|record, _| share(f.letters, record.own_letters)),
    ),
    Feature::new(
        "record.mean_log",
        LOG,
        "mean letters of the records of its kind; 0 outside",
        OURS,
        |f| f.record_value(|_, kind| log(kind.mean())),
    ),
    Feature::new(
        "record.variation",
        VARIATION,
        "standard deviation of the letters of the records of its kind by their mean",
        OURS,
        |f| f.record_value(|_, kind| kind.variation()),
    ),
    Feature::new(
        "record.action_share",
        SHARE,
        "records of its kind with a short link or button that occurs more than once and leads to no other page, such as one to reply",
        OURS,
        |f| f.kind_share(|kind| kind.with_action),
    ),
    Feature::new(
        "record.part_share",
        SHARE,
        "records of its kind with a link to a part of the page",
        OURS,
        |f| f.kind_share(|kind| kind.with_part),
    ),
    Feature::new(
        "record.heading_share",
        SHARE,
        "records of its kind with a heading: teasers have one, comments seldom",
        OURS,
        |f| f.kind_share(|kind| kind.with_heading),
    ),
    Feature::new(
        "record.picture_share",
        SHARE,
        "records of its kind with a picture",
        OURS,
        |f| f.kind_share(|kind| kind.with_picture),
    ),
    Feature::new(
        "record.slug_links",
        PER_RECORD,
        "links to addresses like those of articles per record of its kind",
        OURS,
        |f| f.kind_share(|kind| kind.slug_links),
    ),
    Feature::new(
        "record.is_time",
        FLAG,
        "the text is a short line with a date or a time of day, in a record or not",
        OURS,
        |f| flag(f.role == Role::Time),
    ),
    Feature::new(
        "record.is_name",
        FLAG,
        "the text is a short line without digits that occurs at most twice, in a record or not",
        OURS,
        |f| flag(f.role == Role::Name),
    ),
    Feature::new(
        "record.before_share",
        SHARE,
        "prose before the first record of its kind (outside of records: of the kind with most letters) by the page's prose; a forum thread has little",
        OURS,
        |f| f.before_share,
    ),
    Feature::new(
        "record.before_log",
        LOG,
        "letters of prose before that record",
        OURS,
        |f| log(f.before_letters),
    ),
    Feature::new(
        "record.is_after_first",
        FLAG,
        "the text comes after the beginning of the first record of the kind with most letters",
        OURS,
        |f| flag(f.is_after_first),
    ),
    Feature::new(
        "record.page_share",
        SHARE,
        "letters in records by the page's letters",
        OURS,
        |f| f.page_share,
    ),
    Feature::new(
        "record.page_count_log",
        LOG,
        "number of records of the kind with most letters on the page",
        OURS,
        |f| f.largest.map_or(0.0, |kind| log(kind.count)),
    ),
    Feature::new(
        "record.page_mean_log",
        LOG,
        "mean letters of the records of the kind with most letters",
        OURS,
        |f| f.largest.map_or(0.0, |kind| log(kind.mean())),
    ),
    Feature::new(
        "record.page_action_share",
        SHARE,
        "records of the kind with most letters that have an action as in record.action_share",
        OURS,
        |f| {
            f.largest
                .map_or(0.0, |kind| share(kind.with_action, kind.count))
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::measure;
    use crate::target::{TargetRule, select};

    /// The texts of a page's targets with their values in a column.
    fn values(html: &str, name: &str) -> Vec<(String, f32)> {
        let capture = page(html);
        let targets = select(&capture, TargetRule::Blocks);
        let table = measure(&capture, &targets).unwrap();
        let texts = targets.iter().map(|target| target.text(&capture.dom));
        texts.zip(table.column(name).unwrap().to_vec()).collect()
    }

    fn value(html: &str, name: &str, text: &str) -> f32 {
        let all = values(html, name);
        all.iter()
            .find(|(known, _)| known.contains(text))
            .unwrap_or_else(|| panic!("{text} in {all:?}"))
            .1
    }

    const STORY: &str = "<p>The harbor was rebuilt after the storm, and the boats came back one by one, slowly.</p>";

    fn comment(name: &str, time: &str, text: &str, inside: &str) -> String {
        format!(
            "<div class='k{}'><div><b>{name}</b></div><div>{time}</div><p>{text}</p><a href='#'>Antworten</a>{inside}</div>",
            name.len()
        )
    }

    fn thread() -> String {
        let reply = comment("Cleo", "12.03.2021 09:15", "So it does.", "");
        [
            comment(
                "Anna",
                "11.03.2021 18:40",
                "I was there when the first boat came in, it rained all day long.",
                &reply,
            ),
            comment("Ben", "2 days ago", "Good.", ""),
        ]
        .concat()
    }

    #[test]
    fn comments_are_records_whatever_they_are_called() {
        let html = format!(
            "{STORY}<div>{}</div><footer><p>About us</p></footer>",
            thread()
        );
        for (text, inside) in [
            ("harbor", 0.0),
            ("Anna", 1.0),
            ("first boat", 1.0),
            ("Good.", 1.0),
            ("About", 0.0),
        ] {
            assert_eq!(value(&html, "record.is_inside", text), inside, "{text}");
        }
        assert_eq!(value(&html, "record.count_log", "Good."), 4f32.ln());
        assert_eq!(
            (
                value(&html, "record.depth", "So it"),
                value(&html, "record.depth", "Good.")
            ),
            (2.0, 1.0)
        );
        assert_eq!(value(&html, "record.action_share", "Good."), 1.0);
        assert_eq!(value(&html, "record.heading_share", "Good."), 0.0);
        assert!(value(&html, "record.before_share", "Good.") > 0.4);
        assert!(
            value(&html, "record.letters_to_mean", "first boat")
                > value(&html, "record.letters_to_mean", "Good.")
        );
        assert_eq!(value(&html, "record.is_after_first", "About"), 1.0);
        assert_eq!(value(&html, "record.is_after_first", "harbor"), 0.0);
    }

    #[test]
    fn a_thread_has_no_text_before_and_an_article_has_no_records() {
        let html = format!("<h1>Title</h1><div>{}</div>", thread());
        assert_eq!(value(&html, "record.before_share", "Good."), 0.0);
        assert!(value(&html, "record.page_share", "Title") > 0.8);
        let article = format!(
            "<h1>Title</h1><p>Anna B., 11 March 2021</p>{}",
            STORY.repeat(4)
        );
        assert!(
            values(&article, "record.page_share")
                .iter()
                .all(|(_, share)| *share == 0.0)
        );
    }

    #[test]
    fn teasers_are_records_with_headings_that_lead_elsewhere() {
        let teaser = |n: u32| {
            format!(
                "<article><h2><a href=/2021/the-harbor-was-rebuilt-{n}>Harbor {n}</a></h2><p>Anna B.</p><time>{n} May</time>{STORY}</article>"
            )
        };
        let html = format!("<main>{}{}</main>", teaser(1), teaser(2));
        assert_eq!(value(&html, "record.heading_share", "boats"), 1.0);
        assert_eq!(value(&html, "record.slug_links", "boats"), 1.0);
        assert_eq!(value(&html, "record.action_share", "boats"), 0.0);
        assert_eq!(value(&html, "record.variation", "boats"), 0.0);
    }
}
