//! Means of the scores of structure over groups of pages, and their table.

use super::parts::{PARTS, Scores, overall};
use super::sets::PageStructure;
use crate::evaluate::table::Table;
use serde::Serialize;
use vclean_core::text::shorten;

/// Whether a page belongs to a group.
type Holds = fn(&PageStructure) -> bool;

/// The groups of pages.
const GROUPS: [(&str, Holds); 5] = [
    ("all", |_| true),
    ("unseen", |page| page.unseen),
    ("seen", |page| !page.unseen),
    ("train", |page| page.split == "train"),
    ("dev", |page| page.split == "dev"),
];

/// The mean of a part over the pages that have it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PartMean {
    /// Name of the part, or `overall`.
    pub part: &'static str,
    /// Mean score, 0 to 1.
    pub mean: f64,
    /// Number of pages whose output or gold has the part.
    pub pages: usize,
}

/// The means of a group of pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupMeans {
    /// Name of the group.
    pub group: &'static str,
    /// The means of all parts that a page has, and of the overall scores.
    pub parts: Vec<PartMean>,
}

/// The figures of a benchmark of structure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StructureReport {
    /// Name of what is measured.
    pub system: String,
    /// Means of groups of pages.
    pub groups: Vec<GroupMeans>,
    /// All pages.
    pub pages: Vec<PageStructure>,
}

impl StructureReport {
    /// Sums up the pages.
    pub fn new(system: &str, pages: Vec<PageStructure>) -> Self {
        let groups = GROUPS.map(|(group, holds)| GroupMeans {
            group,
            parts: means(pages.iter().filter(|page| holds(page))),
        });
        Self {
            system: system.to_owned(),
            groups: groups.into(),
            pages,
        }
    }

    /// Number of pages without output.
    pub fn failed(&self) -> usize {
        self.pages
            .iter()
            .filter(|page| page.failure.is_some())
            .count()
    }

    /// The table of means, and the `worst` pages with the lowest overall scores.
    pub fn to_text(&self, worst: usize) -> String {
        let head = format!(
            "structure: {}, {} pages, {} without output\n{}",
            self.system,
            self.pages.len(),
            self.failed(),
            self.table().to_text()
        );
        if worst == 0 {
            head
        } else {
            format!("{head}\nworst pages\n{}", self.worst_table(worst).to_text())
        }
    }

    fn table(&self) -> Table {
        let columns = self.groups.iter().flat_map(|group| [group.group, "pages"]);
        let columns: Vec<&str> = std::iter::once("part").chain(columns).collect();
        let mut table = Table::new(&columns);
        for name in PARTS.iter().map(|part| part.name).chain(["overall"]) {
            let mut row = vec![name.to_owned()];
            for group in &self.groups {
                let found = group.parts.iter().find(|part| part.part == name);
                row.push(found.map_or_else(String::new, |part| format!("{:.3}", part.mean)));
                row.push(found.map_or_else(|| "0".to_owned(), |part| part.pages.to_string()));
            }
            table.push(row);
        }
        table
    }

    fn worst_table(&self, worst: usize) -> Table {
        let counted = PARTS
            .iter()
            .filter(|part| part.is_in_overall)
            .map(|part| part.name);
        let columns: Vec<&str> = ["page", "overall"].into_iter().chain(counted).collect();
        let mut table = Table::new(&columns);
        let mut pages: Vec<&PageStructure> = self.pages.iter().collect();
        pages.sort_by(|one, other| {
            one.overall
                .unwrap_or(1.0)
                .total_cmp(&other.overall.unwrap_or(1.0))
        });
        for page in pages.into_iter().take(worst) {
            let cell =
                |score: Option<f64>| score.map_or_else(String::new, |score| format!("{score:.3}"));
            let counted = page
                .scores
                .iter()
                .zip(PARTS)
                .filter(|(_, part)| part.is_in_overall);
            let mut row = vec![
                shorten(&format!("{}/{}", page.set, page.id), 40, 37, "..."),
                cell(page.overall),
            ];
            row.extend(counted.map(|(score, _)| cell(*score)));
            table.push(row);
        }
        table
    }
}

/// The means of each part and of the overall scores, over the pages that have them.
fn means<'a>(pages: impl Iterator<Item = &'a PageStructure>) -> Vec<PartMean> {
    let pages: Vec<&Scores> = pages.map(|page| &page.scores).collect();
    let mean = |part: &'static str, scores: Vec<f64>| {
        let pages = scores.len();
        (pages > 0).then(|| PartMean {
            part,
            mean: scores.iter().sum::<f64>() / pages as f64,
            pages,
        })
    };
    let parts = PARTS.iter().enumerate().filter_map(|(index, part)| {
        mean(
            part.name,
            pages.iter().filter_map(|scores| scores[index]).collect(),
        )
    });
    parts
        .chain(mean(
            "overall",
            pages.iter().filter_map(|scores| overall(scores)).collect(),
        ))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(id: &str, unseen: bool, split: &str, scores: Scores) -> PageStructure {
        PageStructure {
            set: "s".to_owned(),
            id: id.to_owned(),
            split: split.to_owned(),
            unseen,
            overall: overall(&scores),
            scores,
            failure: None,
        }
    }

    #[test]
    fn means_are_over_the_pages_that_have_a_part() {
        let (mut one, mut two) = ([None; PARTS.len()], [None; PARTS.len()]);
        (one[0], two[0], two[1]) = (Some(1.0), Some(0.5), Some(0.0));
        let report = StructureReport::new(
            "x",
            vec![page("a", true, "dev", one), page("b", false, "train", two)],
        );
        let group = |name: &str| {
            &report
                .groups
                .iter()
                .find(|group| group.group == name)
                .unwrap()
                .parts
        };
        let mean = |part, mean, pages| PartMean { part, mean, pages };
        assert_eq!(
            *group("all"),
            [
                mean("text", 0.75, 2),
                mean("code", 0.0, 1),
                mean("overall", 0.625, 2)
            ]
        );
        assert_eq!(
            *group("unseen"),
            [mean("text", 1.0, 1), mean("overall", 1.0, 1)]
        );
        assert_eq!(group("seen"), group("train"));
        let text = report.to_text(1);
        assert!(
            text.starts_with("structure: x, 2 pages, 0 without output\npart "),
            "{text}"
        );
        assert!(
            text.contains("worst pages") && text.lines().last().unwrap().starts_with("s/b "),
            "{text}"
        );
        assert!(
            text.lines().all(|line| line.chars().count() <= 120),
            "{text}"
        );
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["pages"][1]["scores"]["code"], 0.0);
        assert!(json["pages"][0]["scores"].get("code").is_none());
    }
}
