//! Measures the features of each target: the feature table.
//!
//! Takes a [`Capture`] and its [`Target`]s and returns a [`FeatureTable`]: one row per target,
//! named columns in groups. A group that needs a rendered page is absent from the table of bare
//! HTML, never zero. Every value is finite and within its column's range.
//!
//! To add a feature, add one entry, its [`Column`] and its formula, to the table of its group; to
//! add a group, add a file and a line in [`GROUPS`], or in [`ON_REQUEST`] if it depends on a
//! language or a model. Groups are measured in the order of [`GROUPS`]; each may read the columns
//! of earlier ones with [`GroupRows::column`].

mod block;
mod column;
mod context;
mod declared;
#[cfg(test)]
#[path = "../../tests/unit/features_fixture.rs"]
mod fixture;
mod hint;
pub mod linguistic;
pub mod markup;
mod measuring;
pub mod names;
mod own_address;
mod page;
mod page_kind;
mod profile;
mod record;
mod repeat;
mod structural;
mod table;
mod tags;
mod text;
mod tree;
pub mod visual;

pub use column::Column;
pub use column::ValueRange;
pub use measuring::Measuring;
pub use page::{MAX_TARGETS, PageView};
pub use table::GroupRows;
pub use table::{FeatureGroup, FeatureTable, is_in_group};

use crate::capture::Capture;
use crate::error::Error;
use crate::target::Target;
use ndarray::Array2;

/// All groups, in the order of their columns in a table. A group that reads columns of other groups
/// comes after them.
pub const GROUPS: &[FeatureGroup] = &[
    #[cfg(feature = "pixels")]
    visual::BLOB,
    visual::LAYOUT,
    text::GROUP,
    linguistic::own::GROUP,
    structural::GROUP,
    hint::GROUP,
    page_kind::GROUP,
    context::GROUP,
    context::LAYOUT_GROUP,
    record::GROUP,
    declared::GROUP,
    repeat::GROUP,
];

/// The groups that depend on a language or on data of a model, in the order of their columns after
/// those of [`GROUPS`]; only [`measure_with`] measures them, on request.
pub const ON_REQUEST: &[FeatureGroup] = &[
    linguistic::pos::GROUP,
    linguistic::keyword::GROUP,
    markup::GROUP,
];

/// Every column of every group in the order of a table, including groups that need a rendered page.
pub fn describe() -> impl Iterator<Item = (&'static FeatureGroup, &'static Column)> {
    GROUPS
        .iter()
        .flat_map(|group| group.columns.iter().map(move |column| (group, column)))
}

/// Every column of the groups of [`ON_REQUEST`].
pub fn describe_on_request() -> impl Iterator<Item = (&'static FeatureGroup, &'static Column)> {
    ON_REQUEST
        .iter()
        .flat_map(|group| group.columns.iter().map(move |column| (group, column)))
}

/// Measures every language-independent feature that the capture allows.
///
/// Returns [`Error::Limit`] if there are more than [`MAX_TARGETS`] targets.
pub fn measure(capture: &Capture, targets: &[Target]) -> Result<FeatureTable, Error> {
    measure_with(capture, targets, &Measuring::default())
}

/// Like [`measure`], followed by the groups of [`ON_REQUEST`] that `measuring` selects.
pub fn measure_with(
    capture: &Capture,
    targets: &[Target],
    measuring: &Measuring<'_>,
) -> Result<FeatureTable, Error> {
    let mut view = PageView::new(capture, targets)?;
    if measuring.language_bound {
        view.bound = Some(linguistic::language_bound(&view, measuring.keywords));
    }
    view.markup = measuring.markup;
    let groups: Vec<&FeatureGroup> = GROUPS
        .iter()
        .filter(|group| !group.needs_layout || capture.layout.is_some())
        .chain(requested(measuring))
        .collect();
    let groups = match measuring.columns {
        Some(columns) => needed(groups, columns),
        None => groups,
    };
    let columns: Vec<&'static Column> = groups.iter().flat_map(|group| group.columns).collect();
    let mut values = vec![0.0; targets.len() * columns.len()];
    let mut first = 0;
    for group in groups {
        let end = first + group.columns.len();
        (group.measure)(
            &view,
            &mut GroupRows::new(&mut values, &columns, first..end),
        );
        first = end;
    }
    table::limit(&mut values, &columns);
    let rows = Array2::from_shape_vec((targets.len(), columns.len()), values)
        .expect("each row has all columns");
    Ok(FeatureTable {
        columns: columns.iter().map(|column| column.name).collect(),
        rows,
    })
}

/// The groups of [`ON_REQUEST`] that `measuring` selects.
pub fn requested(measuring: &Measuring<'_>) -> impl Iterator<Item = &'static FeatureGroup> {
    let (bound, keywords, markup) = (
        measuring.language_bound,
        measuring.keywords.is_some(),
        measuring.markup.is_some(),
    );
    ON_REQUEST.iter().filter(move |group| match group.name {
        name if name == markup::GROUP.name => markup,
        name if name == linguistic::keyword::GROUP.name => bound && keywords,
        _ => bound,
    })
}

/// The groups that contain one of the columns, and the groups that these read; a column `a.b.c`
/// matches both a group `a` and a group `a.b`.
fn needed<'g>(groups: Vec<&'g FeatureGroup>, columns: &[String]) -> Vec<&'g FeatureGroup> {
    let mut needed: Vec<&FeatureGroup> = Vec::new();
    // A group reads only earlier groups.
    for group in groups.into_iter().rev() {
        let is_read = needed.iter().any(|later| later.reads.contains(&group.name));
        if is_read || columns.iter().any(|column| is_in_group(column, group.name)) {
            needed.push(group);
        }
    }
    needed.reverse();
    needed
}

/// Share of a page's text, 0 to 1, that has a style of its own; `None` for tables of bare HTML and
/// of pages without targets.
pub(crate) fn styled_share(table: &FeatureTable) -> Option<f32> {
    table.column(visual::STYLED_SHARE)?.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Dom, DomBuilder, Record};
    use crate::target::{TargetRule, select};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn table(capture: &Capture) -> FeatureTable {
        measure(capture, &select(capture, TargetRule::Blocks)).unwrap()
    }

    fn assert_in_range(table: &FeatureTable) {
        for (_, column) in describe() {
            let Some(values) = table.column(column.name) else {
                continue;
            };
            for &value in values {
                assert!(value.is_finite());
                assert!(column.range.contains(value), "{} is {value}", column.name);
            }
        }
    }

    #[test]
    fn columns_are_named_once_after_their_group_and_documented() {
        let mut seen = BTreeSet::new();
        for (group, column) in describe().chain(describe_on_request()) {
            assert!(
                is_in_group(column.name, group.name),
                "{} is not in {}",
                column.name,
                group.name
            );
            assert!(seen.insert(column.name), "{} is there twice", column.name);
            assert!(column.meaning.len() > 15, "{} says too little", column.name);
            assert!(
                !column.range.unit.is_empty()
                    && column.range.low < column.range.high
                    && !column.source.is_empty(),
                "{}",
                column.name
            );
            assert!(
                column.name.chars().all(|c| c.is_ascii_lowercase()
                    || c.is_ascii_digit()
                    || matches!(c, '.' | '_')),
                "{}",
                column.name
            );
        }
        assert!(seen.len() > 100);
    }

    #[test]
    fn tables_are_cut_by_name_and_group() {
        let table = table(&fixture::page(
            "<p>one two</p><ul><li><a href=x>three</a></ul>",
        ));
        assert_eq!(table.rows.nrows(), 2);
        let picked = table
            .select(&["text.characters_log", "structural.link_density"])
            .unwrap();
        assert_eq!(picked.rows.column(1).to_vec(), [0.0, 1.0]);
        assert_eq!(table.select(&["text.none"]).unwrap_err(), "text.none");
        let of_hint = table
            .columns
            .iter()
            .filter(|column| is_in_group(column, "hint"))
            .count();
        assert_eq!(of_hint, hint::GROUP.columns.len());
        assert!(
            !table
                .columns
                .iter()
                .any(|column| column.starts_with("context.layout.")),
            "there is no layout"
        );
    }

    #[test]
    fn only_groups_that_are_read_are_measured_and_their_values_stay() {
        let capture = fixture::page(
            "<h2>one</h2><p>two three, four</p><ul class=nav><li><a href=x>five</a></ul>",
        );
        let targets = select(&capture, TargetRule::Blocks);
        let columns = [
            "context.page.length_rank".to_owned(),
            "hint.navigation".to_owned(),
        ];
        let some = Measuring {
            columns: Some(&columns),
            ..Measuring::default()
        };
        let some = measure_with(&capture, &targets, &some).unwrap();
        let all = measure(&capture, &targets).unwrap();
        let groups: BTreeSet<&str> = some
            .columns
            .iter()
            .map(|name| name.split_once('.').expect("a group and a name").0)
            .collect();
        assert_eq!(
            groups,
            BTreeSet::from(["context", "hint", "structural", "text"])
        );
        assert_eq!(all.select(&some.columns).unwrap(), some);
    }

    #[test]
    fn too_many_targets_are_refused_with_their_number() {
        let capture = fixture::page("<p>one");
        let targets = vec![select(&capture, TargetRule::Blocks)[0].clone(); MAX_TARGETS + 1];
        assert!(
            measure(&capture, &targets)
                .unwrap_err()
                .to_string()
                .contains("50001")
        );
    }

    #[test]
    fn deep_and_wide_pages_are_measured_in_time() {
        let mut builder = DomBuilder::new();
        for level in 0..100_000 {
            builder.open(["div", "span", "ul", "li", "table"][level % 5], vec![]);
            if level % 4 == 0 {
                builder.text("A deep text, with a comma, and a full stop at its end. It is long enough for two.");
            }
        }
        let deep = Capture::parsed(builder.finish(), Record::parsed("deep", None));
        let started = std::time::Instant::now();
        assert_in_range(&table(&deep));
        let mut builder = DomBuilder::new();
        for _ in 0..MAX_TARGETS {
            builder.open("p", vec![]);
            builder.text("short text");
            builder.close();
        }
        let wide = Capture::parsed(builder.finish(), Record::parsed("wide", None));
        assert_in_range(&table(&wide));
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }

    /// Trees of arbitrary shape, from a list of steps that open, close or write.
    fn any_dom() -> impl Strategy<Value = Dom> {
        let tags = prop::sample::select(vec![
            "p", "div", "a", "li", "ul", "table", "tr", "td", "h1", "nav", "br", "img", "pre",
            "code", "form", "span", "b",
        ]);
        let texts = prop_oneof![
            Just("one, two. ".to_owned()),
            "\\PC{0,40}",
            Just(" ".to_owned())
        ];
        let step = prop_oneof![
            tags.prop_map(|tag| (0, tag.to_owned())),
            texts.prop_map(|text| (1, text)),
            Just((2, String::new()))
        ];
        prop::collection::vec(step, 0..60).prop_map(|steps| {
            let mut builder = DomBuilder::new();
            for (kind, word) in steps {
                match kind {
                    0 => {
                        builder.open(
                            &word,
                            vec![
                                ("href".into(), "/x".into()),
                                ("class".into(), "nav-item".into()),
                            ],
                        );
                    }
                    1 => {
                        builder.text(&word);
                    }
                    _ => builder.close(),
                }
            }
            builder.finish()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn values_are_finite_and_in_range_whatever_the_page(dom in any_dom()) {
            let capture = Capture::parsed(dom, Record::parsed("any", None));
            for rule in [TargetRule::Blocks, TargetRule::Fiasco] {
                let targets = select(&capture, rule);
                let table = measure(&capture, &targets).unwrap();
                prop_assert_eq!(table.rows.nrows(), targets.len());
                assert_in_range(&table);
            }
        }
    }
}
