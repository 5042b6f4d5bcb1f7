//! Training of the published methods: from pages with gold text to the model files that `method`
//! reads.
//!
//! To add a method that learns, add a file and a line in [`LEARNERS`]. The model types are in
//! `method`; code that needs gold text is here, so that no method can access it.

mod c45;
mod density_lm;
pub mod fiasco;
mod gold_kinds;
mod gold_page;
pub mod gold_pages;
mod ice_genetic;
mod ice_tree;
pub(crate) mod texrex;
pub(crate) mod texrex_folds;

pub(crate) use gold_page::Learn;
pub use gold_page::{GoldPage, LearnOptions, Learned};

/// The training functions of published methods, by name of the method.
pub const LEARNERS: &[(&str, Learn)] = &[
    ("density-lm", density_lm::learn),
    ("ice-tree", ice_tree::learn),
    ("ice-genetic", ice_genetic::learn),
    ("texrex", texrex::learn),
];

/// Methods with models of vclean's own kind, which `train` trains differently.
pub const OWN: &[&str] = &["vclean", "fiasco"];

#[cfg(test)]
pub(crate) mod samples {
    //! Training pages for tests.

    use super::*;
    use vclean_core::page::{Body, Page, parse};
    use vclean_lab::gold::TokenUnit;

    /// A page of HTML with its gold.
    pub(crate) fn gold_page(site: &str, html: &str, gold: &str) -> GoldPage {
        let body = Body::html(html);
        GoldPage {
            set: "toy".into(),
            id: site.into(),
            site: site.into(),
            lang: "en".into(),
            unit: TokenUnit::from_language("en"),
            capture: parse(&Page::new(site, body)).unwrap(),
            source: Some(html.to_owned()),
            gold: gold.to_owned(),
            marked: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::methods;

    #[test]
    fn every_method_that_learns_can_be_trained() {
        let learning = methods().filter(|method| method.learns && !OWN.contains(&method.name));
        let learning: Vec<&str> = learning.map(|method| method.name).collect();
        let known: Vec<&str> = LEARNERS.iter().map(|(name, _)| *name).collect();
        assert_eq!(learning, known, "in the order of the methods");
    }
}
