//! The pages that a person named, as they are offered for labelling.

use super::folder::GoldFolder;
use super::kept::id_of;
use super::offered::OfferedPage;
use crate::run::Inputs;
use rustc_hash::FxHashSet;

/// Opens the inputs, in order. A page that cannot be opened is offered with its error.
pub fn pages(gold: &GoldFolder, inputs: Inputs) -> Vec<OfferedPage> {
    let mut offered: Vec<OfferedPage> = Vec::new();
    let mut taken = FxHashSet::default();
    for item in inputs.into_items() {
        let named = item.content;
        let mut id = match &named.page {
            Ok(page) => id_of(gold, &named.stem, page),
            Err(_) => super::folder::safe_id(&named.stem),
        };
        // Names that differ only in characters that no file name has become the same.
        while !taken.insert(id.clone()) {
            id.insert_str(0, "2-");
        }
        offered.push(OfferedPage::new(id, named.page));
    }
    offered
}
