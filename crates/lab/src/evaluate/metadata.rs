//! Compares the title, the authors and the date of publication that were found with those of the
//! gold.
//!
//! [`FIELDS`] has what counts as equal. [`MetadataPages`] finds the pages with gold, and
//! [`MetadataReport`] counts, for each field, how often what was found is right, wrong, or missing.
//! A page without gold for a field does not count there.

use super::table::Table;
use crate::gold::metadata::{MetadataOfPages, StatedMetadata, add_lines, add_manifest};
use crate::gold::{Capturing, Progress, each_page};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use vclean_core::cleaner::PageCleaner;
use vclean_core::error::{DataError, Error};
use vclean_run::source::{DataSet, Row, Split};

/// A field that is compared.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    get: fn(&StatedMetadata) -> Option<&str>,
    is_same: fn(&str, &str) -> bool,
}

/// The fields: titles are the same but for white space, case and the form of quotation marks,
/// dashes and ellipses, so one with the name of the site is wrong; authors are the same set of
/// names ([`author_names`]); dates are the same day.
pub const FIELDS: [Field; 3] = [
    Field {
        name: "title",
        get: |of| of.title.as_deref(),
        is_same: |one, other| plain(one) == plain(other),
    },
    Field {
        name: "author",
        get: |of| of.author.as_deref(),
        is_same: |one, other| author_names(one) == author_names(other),
    },
    Field {
        name: "date",
        get: |of| of.date.as_deref(),
        is_same: |one, other| day(one).is_some() && day(one) == day(other),
    },
];

/// A text in lower case with single blanks and plain quotation marks, dashes and ellipses.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            '‘' | '’' | '‚' | '‛' | '′' | '`' | '´' => plain.push('\''),
            '“' | '”' | '„' | '‟' | '«' | '»' | '″' => plain.push('"'),
            '‐' | '‑' | '–' | '—' | '−' => plain.push('-'),
            '…' => plain.push_str("..."),
            '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}' => {}
            c => plain.push(c),
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first ten characters, if they are a day such as `2020-03-12`.
fn day(text: &str) -> Option<&str> {
    let day = text.trim().get(..10)?;
    let is_day = day.char_indices().all(|(at, c)| {
        if matches!(at, 4 | 7) {
            c == '-'
        } else {
            c.is_ascii_digit()
        }
    });
    is_day.then_some(day)
}

/// Words that a role has and a name has not, in lower case. A list of its own: a change of how
/// names are read must not move the measure.
const ROLES: &[&str] = &[
    "reporter",
    "correspondent",
    "editor",
    "writer",
    "journalist",
    "columnist",
    "contributor",
    "producer",
    "photographer",
    "analyst",
    "professor",
    "lecturer",
    "staff",
    "redakteur",
    "redakteurin",
    "korrespondent",
    "korrespondentin",
    "journaliste",
    "correspondant",
    "correspondante",
    "envoyé",
    "periodista",
    "corresponsal",
    "giornalista",
    "inviato",
];
/// What names are preceded by, in lower case.
const BEFORE_NAMES: &[&str] = &["by ", "von ", "par ", "por ", "di ", "作者", "文"];
/// What stands between names, in lower case.
const BETWEEN_NAMES: &[&str] = &[
    " and ", " und ", " et ", " y ", " e ", " og ", " och ", " with ",
];

/// The set of names in a text, in lower case, without `by` and its like, without what is in
/// brackets, and without roles. Accents count.
pub fn author_names(text: &str) -> BTreeSet<String> {
    let mut depth = 0_u32;
    let outside: String = plain(text)
        .chars()
        .filter(|c| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
        .collect();
    let outside = if outside.trim().is_empty() {
        plain(text)
    } else {
        outside
    };
    let mut parts = vec![outside.as_str()];
    for word in BETWEEN_NAMES {
        parts = parts.iter().flat_map(|part| part.split(word)).collect();
    }
    let signs = |c: char| {
        matches!(
            c,
            ',' | ';' | '&' | '|' | '/' | '、' | '，' | '；' | '・' | '／' | '[' | ']'
        )
    };
    let names = parts.iter().flat_map(|part| part.split(signs)).map(|name| {
        let name = name.trim();
        let bare = BEFORE_NAMES
            .iter()
            .find_map(|word| name.strip_prefix(word))
            .unwrap_or(name);
        bare.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | '-' | '.'))
            .to_owned()
    });
    let all: BTreeSet<String> = names.filter(|name| !name.is_empty()).collect();
    let is_role = |name: &str| name.split(' ').any(|word| ROLES.contains(&word));
    let persons: BTreeSet<String> = all.iter().filter(|name| !is_role(name)).cloned().collect();
    if persons.is_empty() { all } else { persons }
}

/// Half of the sites, for sets whose pages are all for reporting: rules are chosen on one half and
/// reported on the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The sites of whose name the SHA-256 begins with an even byte.
    First,
    /// The other sites.
    Second,
}

impl Half {
    /// All halves by their name on the command line.
    pub const ALL: &[(&str, Self)] = &[("first", Self::First), ("second", Self::Second)];

    fn holds(self, host: &str) -> bool {
        let is_even = Sha256::digest(host.as_bytes())
            .first()
            .is_some_and(|byte| byte % 2 == 0);
        is_even == (self == Self::First)
    }
}

/// Where the metadata that is compared comes from.
pub enum FoundBy<'a> {
    /// This cleaner, from captures of the pages.
    Cleaner(&'a PageCleaner, &'a Capturing),
    /// Another program; a page that is not among them has nothing.
    Program(MetadataOfPages),
}

/// What became of a field of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The gold was found.
    Right,
    /// Something else was found.
    Wrong,
    /// Nothing was found.
    Missing,
}

/// A field of a page, compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedField {
    /// Name of the field.
    pub field: &'static str,
    /// The gold.
    pub gold: String,
    /// What was found.
    pub found: Option<String>,
    /// Where on the page it was found, if the program says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether it is right.
    pub outcome: Outcome,
}

/// The fields of a page that have gold, compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedPage {
    /// Name of the set.
    pub set: String,
    /// Name of the page within the set.
    pub id: String,
    /// The fields.
    pub fields: Vec<ComparedField>,
    /// Why nothing was found, if the page could not be cleaned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl ComparedPage {
    fn faults(&self) -> usize {
        self.fields
            .iter()
            .filter(|field| field.outcome != Outcome::Right)
            .count()
    }
}

/// The pages of data sets that have gold of metadata.
pub struct MetadataPages<'a> {
    gold: MetadataOfPages,
    sets: Vec<(&'a DataSet, Vec<&'a Row>)>,
}

impl<'a> MetadataPages<'a> {
    /// Finds the pages of `split` and `half` with gold in the manifests or in `file`.
    ///
    /// # Errors
    /// If gold cannot be read, or no page has any.
    pub fn open(
        sets: &'a [DataSet],
        split: Split,
        half: Option<Half>,
        file: Option<&Path>,
    ) -> Result<Self, DataError> {
        let mut gold = MetadataOfPages::new();
        sets.iter()
            .try_for_each(|set| add_manifest(&mut gold, set))?;
        file.map_or(Ok(()), |file| add_lines(&mut gold, file))?;
        let has_gold =
            |set: &DataSet, row: &Row| gold.contains_key(&(set.name.clone(), row.id.clone()));
        let rows = |set: &'a DataSet| {
            let rows = set
                .split(split)
                .into_iter()
                .filter(|row| half.is_none_or(|half| half.holds(&row.host)));
            rows.filter(|row| has_gold(set, row)).collect::<Vec<_>>()
        };
        let sets_with_rows: Vec<_> = sets
            .iter()
            .map(|set| (set, rows(set)))
            .filter(|(_, rows)| !rows.is_empty())
            .collect();
        if sets_with_rows.is_empty() {
            let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
            return Err(DataError::NoMetadata {
                sets: names.join(", "),
                split: split.name(),
            });
        }
        Ok(Self {
            gold,
            sets: sets_with_rows,
        })
    }

    /// Compares all pages, in the order of the sets and of the ids within them. A page that cannot
    /// be cleaned counts as one on which nothing is found, and is reported to `progress`.
    pub fn compare(&self, by: &FoundBy<'_>, progress: &dyn Progress) -> Vec<ComparedPage> {
        let mut pages = Vec::new();
        for (set, rows) in &self.sets {
            let compared: Vec<ComparedPage> =
                each_page(set, rows, progress, |row| self.compare_page(set, row, by));
            for page in &compared {
                if let Some(cause) = &page.failure {
                    progress.page_failed(&page.set, &page.id, cause);
                }
            }
            pages.extend(compared);
        }
        pages
    }

    fn compare_page(&self, set: &DataSet, row: &Row, by: &FoundBy<'_>) -> ComparedPage {
        let name = (set.name.clone(), row.id.clone());
        let gold = &self.gold[&name];
        let (found, sources, failure) = match by {
            FoundBy::Program(found) => (
                found.get(&name).cloned().unwrap_or_default(),
                BTreeMap::new(),
                None,
            ),
            FoundBy::Cleaner(cleaner, capturing) => match find(set, row, cleaner, capturing) {
                Ok((found, sources)) => (found, sources, None),
                Err(error) => (
                    StatedMetadata::default(),
                    BTreeMap::new(),
                    Some(error.to_string()),
                ),
            },
        };
        let compare = |field: &Field| {
            let (gold, found) = ((field.get)(gold)?, (field.get)(&found));
            let outcome = match found {
                Some(found) if (field.is_same)(found, gold) => Outcome::Right,
                Some(_) => Outcome::Wrong,
                None => Outcome::Missing,
            };
            let source = sources.get(field.name).cloned();
            Some(ComparedField {
                field: field.name,
                gold: gold.to_owned(),
                found: found.map(str::to_owned),
                source,
                outcome,
            })
        };
        ComparedPage {
            set: name.0,
            id: name.1,
            fields: FIELDS.iter().filter_map(compare).collect(),
            failure,
        }
    }
}

/// What the cleaner finds on a page, and where.
fn find(
    set: &DataSet,
    row: &Row,
    cleaner: &PageCleaner,
    capturing: &Capturing,
) -> Result<(StatedMetadata, BTreeMap<String, String>), Error> {
    let capture = capturing.capture(set, row)?;
    let metadata = cleaner.clean_captured(&capture)?.document.metadata;
    let found = StatedMetadata {
        title: metadata.title,
        author: metadata.author,
        date: metadata.date,
    };
    Ok((found, metadata.sources.into_iter().collect()))
}

/// How often a field was right, over some pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct FieldCounts {
    /// Pages with gold.
    pub gold: usize,
    /// Pages on which the gold was found.
    pub right: usize,
    /// Pages on which something else was found.
    pub wrong: usize,
    /// Pages on which nothing was found.
    pub missing: usize,
}

impl FieldCounts {
    fn of<'a>(name: &str, pages: impl Iterator<Item = &'a ComparedPage>) -> Self {
        let mut counts = Self::default();
        for field in pages
            .flat_map(|page| &page.fields)
            .filter(|field| field.field == name)
        {
            counts.gold += 1;
            match field.outcome {
                Outcome::Right => counts.right += 1,
                Outcome::Wrong => counts.wrong += 1,
                Outcome::Missing => counts.missing += 1,
            }
        }
        counts
    }
}

/// The figures of a set, or of all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetadataCounts {
    /// Name of the set, or `all`.
    pub set: String,
    /// The counts by name of the field.
    pub fields: BTreeMap<&'static str, FieldCounts>,
}

/// All figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetadataReport {
    /// Name of what found the metadata.
    pub system: String,
    /// The counts of each set, and of all sets if there are several.
    pub sets: Vec<MetadataCounts>,
    /// All pages.
    pub pages: Vec<ComparedPage>,
}

impl MetadataReport {
    /// Sums up the pages.
    pub fn new(system: &str, pages: Vec<ComparedPage>) -> Self {
        let counts = |set: &str, pages: &[&ComparedPage]| MetadataCounts {
            set: set.to_owned(),
            fields: FIELDS
                .iter()
                .map(|field| {
                    (
                        field.name,
                        FieldCounts::of(field.name, pages.iter().copied()),
                    )
                })
                .collect(),
        };
        let mut names: Vec<&str> = pages.iter().map(|page| page.set.as_str()).collect();
        names.dedup();
        let of_set = |name: &&str| {
            let own: Vec<&ComparedPage> = pages.iter().filter(|page| page.set == **name).collect();
            counts(name, &own)
        };
        let mut sets: Vec<MetadataCounts> = names.iter().map(of_set).collect();
        if names.len() > 1 {
            sets.push(counts("all", &pages.iter().collect::<Vec<_>>()));
        }
        Self {
            system: system.to_owned(),
            sets,
            pages,
        }
    }

    /// Number of pages that could not be cleaned.
    pub fn failed(&self) -> usize {
        self.pages
            .iter()
            .filter(|page| page.failure.is_some())
            .count()
    }

    /// The table of counts, and the faults of the `worst` pages, those with the most faults first.
    pub fn to_text(&self, worst: usize) -> String {
        let (pages, failed) = (self.pages.len(), self.failed());
        let head = format!(
            "metadata: {}, {pages} pages, {failed} not cleaned\n{}",
            self.system,
            self.table().to_text()
        );
        let mut faulty: Vec<&ComparedPage> =
            self.pages.iter().filter(|page| page.faults() > 0).collect();
        faulty.sort_by_key(|page| std::cmp::Reverse(page.faults()));
        let mut faults = String::new();
        for page in faulty.into_iter().take(worst) {
            for field in page
                .fields
                .iter()
                .filter(|field| field.outcome != Outcome::Right)
            {
                let found = field
                    .found
                    .as_ref()
                    .map_or_else(|| "nothing".to_owned(), |found| format!("{found:?}"));
                let source = field
                    .source
                    .as_ref()
                    .map_or_else(String::new, |source| format!(" ({source})"));
                let line = format!(
                    "{}/{} {}: {:?}, found {found}{source}\n",
                    page.set, page.id, field.field, field.gold
                );
                faults.push_str(&line);
            }
        }
        if faults.is_empty() {
            head
        } else {
            format!("{head}\nfaults: the gold, and what was found where\n{faults}")
        }
    }

    fn table(&self) -> Table {
        let columns = FIELDS
            .iter()
            .map(|field| field.name)
            .flat_map(|name| [name, "wrong", "missing"]);
        let columns: Vec<&str> = std::iter::once("set").chain(columns).collect();
        let mut table = Table::new(&columns);
        for set in &self.sets {
            let counts = FIELDS.iter().filter_map(|field| set.fields.get(field.name));
            let cells = counts.flat_map(|counts| {
                let right = format!("{} of {}", counts.right, counts.gold);
                [right, counts.wrong.to_string(), counts.missing.to_string()]
            });
            table.push(std::iter::once(set.set.clone()).chain(cells).collect());
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(field: usize, one: &str, other: &str) -> bool {
        (FIELDS[field].is_same)(one, other)
    }

    #[test]
    fn titles_are_the_same_but_for_form() {
        assert!(is_same(
            0,
            " Gulls  eat ‘Mussels’…",
            "gulls eat 'mussels'..."
        ));
        assert!(!is_same(0, "Gulls | The Site", "Gulls"));
    }

    #[test]
    fn authors_are_the_same_set_of_names() {
        for (one, other) in [
            ("By ANN LEE and Bo Olsen", "Bo Olsen, Ann Lee"),
            ("Ann Lee; Bo Olsen", "Ann Lee & Bo Olsen"),
            ("Ann Lee, senior reporter", "Ann Lee"),
            ("Ann Lee (Gull News)", "Ann Lee"),
            ("Staff Writer", "staff writer"),
            ("[Ann Lee]", "Ann Lee"),
        ] {
            assert!(is_same(1, one, other), "{one} and {other}");
        }
        for (one, other) in [
            ("Ann Lee", "Ann Lée"),
            ("Ann Lee, Bo Olsen", "Ann Lee"),
            ("Ann Lee", "Staff"),
        ] {
            assert!(!is_same(1, one, other), "{one} and {other}");
        }
    }

    #[test]
    fn dates_are_the_same_day() {
        assert!(is_same(2, "2020-03-12T10:00:00Z", "2020-03-12"));
        assert!(!is_same(2, "2020-03", "2020-03"));
        assert!(!is_same(2, "2020-03-12", "2020-03-13"));
    }

    fn page(id: &str, title: Option<&str>) -> ComparedPage {
        let gold = "Gulls".to_owned();
        let outcome = match title {
            Some("Gulls") => Outcome::Right,
            Some(_) => Outcome::Wrong,
            None => Outcome::Missing,
        };
        let found = title.map(str::to_owned);
        let field = ComparedField {
            field: "title",
            gold,
            found,
            source: Some("h1".into()),
            outcome,
        };
        ComparedPage {
            set: "s".into(),
            id: id.into(),
            fields: vec![field],
            failure: None,
        }
    }

    #[test]
    fn fields_without_gold_do_not_count() {
        let report = MetadataReport::new(
            "x",
            vec![
                page("a", Some("Gulls")),
                page("b", Some("Shells")),
                page("c", None),
            ],
        );
        let counts = |name| report.sets[0].fields[name];
        assert_eq!(
            counts("title"),
            FieldCounts {
                gold: 3,
                right: 1,
                wrong: 1,
                missing: 1
            }
        );
        assert_eq!(counts("date"), FieldCounts::default());
        let text = report.to_text(1);
        assert!(
            text.starts_with("metadata: x, 3 pages, 0 not cleaned\nset "),
            "{text}"
        );
        assert!(
            text.contains("1 of 3")
                && text.ends_with("s/b title: \"Gulls\", found \"Shells\" (h1)\n"),
            "{text}"
        );
    }

    #[test]
    fn each_site_is_in_one_half() {
        let hosts: Vec<String> = (0..100).map(|number| format!("{number}.example")).collect();
        let first = hosts.iter().filter(|host| Half::First.holds(host)).count();
        assert!((30..70).contains(&first), "{first}");
        assert!(
            hosts
                .iter()
                .all(|host| Half::First.holds(host) != Half::Second.holds(host))
        );
    }
}
