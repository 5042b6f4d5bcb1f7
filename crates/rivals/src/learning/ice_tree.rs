//! Trains the decision tree of ICE (Hofmann and Weerkamp 2007, 3.3): C4.5 on blocks with their
//! cues, labelled by the gold. Its error is measured by ten-fold cross-validation with folds by
//! site.

use super::c45::Sample;
use super::gold_kinds::{GoldKind, gold_kinds, sets_with_kinds};
use super::gold_page::{GoldPage, LearnOptions, Learned};
use crate::method::ice::cues::measure;
use crate::method::ice::tree::{ATTRIBUTES, Attribute, CLASSES, NAME, PARENT_TAG, Rules, row};
use crate::method::{ice, model_file};
use fastrand::Rng;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use vclean_core::error::ModelError;

/// "We first evaluate our approach using ten-fold cross-validation".
const FOLDS: usize = 10;

struct Instance {
    site: usize,
    row: Vec<f64>,
    class: usize,
}

pub(super) fn learn(
    pages: &[GoldPage],
    options: &LearnOptions,
    say: &(dyn Fn(&str) + Sync),
) -> Result<Learned, ModelError> {
    say(&format!("labelling the blocks of {} pages", pages.len()));
    let (tags, instances) = instances(pages);
    if instances.is_empty() {
        return Err(ModelError::Training(
            "no page could be aligned with its gold; name other sets".to_owned(),
        ));
    }
    let all: Vec<&Instance> = instances.iter().collect();
    say(&format!("growing trees of {} blocks", instances.len()));
    let rules = sample(&tags, &all).learn();
    let (wrong, left_out) = crossvalidate(&tags, &instances, options.seed);
    let report = describe(&rules, &instances, wrong, left_out);
    Ok(Learned {
        bytes: model_file::to_bytes(NAME, &options.provenance, &rules),
        report,
    })
}

/// The blocks of all pages, and the tags around them.
fn instances(pages: &[GoldPage]) -> (Vec<String>, Vec<Instance>) {
    let with_kinds = sets_with_kinds(pages);
    let sites: BTreeMap<&str, usize> = {
        let names: BTreeSet<&str> = pages.iter().map(|page| page.site.as_str()).collect();
        names
            .into_iter()
            .enumerate()
            .map(|(number, name)| (name, number))
            .collect()
    };
    let of_page = |page: &GoldPage| {
        let dom = &page.capture.dom;
        let blocks = ice::blocks(dom);
        let kinds = gold_kinds(page, &blocks, with_kinds.contains(page.set.as_str()))?;
        let cues = measure(dom, &blocks);
        let tags: BTreeSet<String> = cues.iter().map(|cues| cues.parent_tag.to_owned()).collect();
        let own: Vec<String> = tags.iter().cloned().collect();
        let site = sites[page.site.as_str()];
        let instance = |(cues, kind): (&_, GoldKind)| Instance {
            site,
            row: row(cues, &own).to_vec(),
            class: class(kind),
        };
        Some((
            own.clone(),
            cues.iter().zip(kinds).map(instance).collect::<Vec<_>>(),
        ))
    };
    let found: Vec<Option<(Vec<String>, Vec<Instance>)>> = pages.par_iter().map(of_page).collect();
    let found: Vec<(Vec<String>, Vec<Instance>)> = found.into_iter().flatten().collect();
    let tags: BTreeSet<&String> = found.iter().flat_map(|(tags, _)| tags).collect();
    let tags: Vec<String> = tags.into_iter().cloned().collect();
    let mut instances = Vec::new();
    for (own, of_page) in found {
        // Tags were numbered separately for each page.
        let places: Vec<usize> = own
            .iter()
            .map(|tag| tags.binary_search(tag).unwrap_or(0))
            .collect();
        instances.extend(of_page.into_iter().map(|mut instance| {
            instance.row[PARENT_TAG] = places[instance.row[PARENT_TAG] as usize] as f64;
            instance
        }));
    }
    (tags, instances)
}

fn class(kind: GoldKind) -> usize {
    let name = match kind {
        GoldKind::Heading => "h",
        GoldKind::ListItem => "l",
        GoldKind::Paragraph => "p",
        GoldKind::None => "n",
    };
    CLASSES
        .iter()
        .position(|class| *class == name)
        .expect("every kind is a class")
}

fn sample(tags: &[String], instances: &[&Instance]) -> Sample {
    let attribute = |(place, name): (usize, &&str)| {
        let values = if place == PARENT_TAG {
            tags.to_vec()
        } else {
            Vec::new()
        };
        Attribute {
            name: (*name).to_owned(),
            values,
        }
    };
    Sample {
        attributes: ATTRIBUTES.iter().enumerate().map(attribute).collect(),
        classes: CLASSES.map(str::to_owned).to_vec(),
        rows: instances
            .iter()
            .map(|instance| instance.row.clone())
            .collect(),
        labels: instances.iter().map(|instance| instance.class).collect(),
    }
}

/// Number of instances whose class a tree of other sites predicts wrongly, and of all instances.
fn crossvalidate(tags: &[String], instances: &[Instance], seed: u64) -> (usize, usize) {
    let mut sites: Vec<usize> = instances
        .iter()
        .map(|instance| instance.site)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    Rng::with_seed(seed).shuffle(&mut sites);
    let fold_of: BTreeMap<usize, usize> = sites
        .iter()
        .enumerate()
        .map(|(place, site)| (*site, place % FOLDS))
        .collect();
    let of_fold = |fold: usize| {
        let (tested, learned): (Vec<&Instance>, Vec<&Instance>) = instances
            .iter()
            .partition(|instance| fold_of[&instance.site] == fold);
        if learned.is_empty() {
            return (0, 0);
        }
        let rules = sample(tags, &learned).learn();
        (
            tested
                .iter()
                .filter(|instance| rules.classify(&instance.row).0 != instance.class)
                .count(),
            tested.len(),
        )
    };
    let folds: Vec<(usize, usize)> = (0..FOLDS).into_par_iter().map(of_fold).collect();
    folds
        .into_iter()
        .fold((0, 0), |sum, fold| (sum.0 + fold.0, sum.1 + fold.1))
}

fn describe(rules: &Rules, instances: &[Instance], wrong: usize, left_out: usize) -> String {
    let counts = CLASSES.iter().enumerate().map(|(class, name)| {
        format!(
            "{name} {}",
            instances
                .iter()
                .filter(|instance| instance.class == class)
                .count()
        )
    });
    let counts: Vec<String> = counts.collect();
    let mut report = format!("{} blocks: {}\n", instances.len(), counts.join(", "));
    let rate = if left_out == 0 {
        0.0
    } else {
        100.0 * wrong as f64 / left_out as f64
    };
    let _ = writeln!(
        report,
        "error by ten folds of sites: {rate:.2} % (Hofmann and Weerkamp 2007: 22.57 %)"
    );
    let _ = writeln!(report, "{} leaves:\n\n{rules}", rules.leaves());
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::capture::{Capture, Record};
    use vclean_core::html::parse_html;
    use vclean_lab::gold::TokenUnit;

    fn page(number: usize) -> GoldPage {
        let sentence = "the gulls of the sea drop mussels on rocks, and from a height that depends on the shell. ";
        let text = format!("Page {number}: {}", sentence.repeat(2 + number % 3));
        let html = format!(
            "<h1>Gulls {number}</h1><div>Imprint</div><p>{text}</p><div>Jobs</div><li>gull {number}</li>"
        );
        GoldPage {
            set: "drawn".to_owned(),
            id: number.to_string(),
            site: format!("site{number}"),
            lang: "en".to_owned(),
            unit: TokenUnit::Words,
            capture: Capture::parsed(parse_html(&html), Record::parsed("x", None)),
            source: Some(html),
            gold: format!("Gulls {number}\n{text}\ngull {number}"),
            marked: Some(format!("<h>Gulls {number}\n<p>{text}\n<l>gull {number}")),
        }
    }

    #[test]
    fn a_tree_is_learned_and_described() {
        let pages: Vec<GoldPage> = (0..20).map(page).collect();
        let options = LearnOptions {
            seed: 1,
            provenance: "drawn".to_owned(),
        };
        let learned = learn(&pages, &options, &|_| {}).unwrap();
        assert!(
            learned.report.starts_with(
                "100 blocks: h 20, l 20, p 20, n 40\nerror by ten folds of sites: 0.00 %"
            ),
            "{}",
            learned.report
        );
        let (rules, provenance): (Rules, String) =
            model_file::from_bytes(NAME, &learned.bytes).unwrap();
        rules.check(ATTRIBUTES, CLASSES).unwrap();
        assert_eq!((rules.leaves(), provenance.as_str()), (4, "drawn"));
        assert!(learn(&[], &options, &|_| {}).is_err());
    }
}
