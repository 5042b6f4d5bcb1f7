//! The cleaning methods of requests, ready to clean. Each model is read once, by the first request that needs it.

use super::problem::Problem;
use crate::clean::ReaderComments;
use crate::cleaner::{BUILT_IN, ModelCleaner, ModelCleanerOptions, OURS, find_method, methods};
use crate::error::ModelError;
use crate::method::{CleanPage, MethodSettings};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Which method a request wants. Models are named, because a request must not name a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Wanted {
    pub(super) method: Option<String>,
    pub(super) model: Option<String>,
    pub(super) min_precision: Option<f32>,
    pub(super) comments: ReaderComments,
    pub(super) explain: bool,
}

/// A method that several requests use.
pub(super) type SharedMethod = Arc<dyn CleanPage>;

/// The methods that were used so far: at most one per entry of the tables of models and of methods.
#[derive(Default)]
pub(super) struct Methods {
    ours: Mutex<BTreeMap<Option<&'static str>, ModelCleaner>>,
    published: Mutex<BTreeMap<&'static str, SharedMethod>>,
}

impl Methods {
    /// The method that a request wants.
    ///
    /// # Errors
    /// If there is no such method or model, or the model cannot do what is wanted.
    pub(super) fn ready(&self, wanted: &Wanted) -> Result<SharedMethod, Problem> {
        let name = wanted.method.as_deref().unwrap_or(OURS.name);
        let method = if name == OURS.name { self.ours(wanted) } else { self.published(name, wanted) };
        method.map_err(|error| Problem::request(error.to_string()))
    }

    fn ours(&self, wanted: &Wanted) -> Result<SharedMethod, ModelError> {
        let known = |name: &str| {
            let model = BUILT_IN.iter().find(|(known, _)| *known == name);
            model.map(|(known, _)| *known).ok_or_else(|| {
                let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
                ModelError::Setting(format!("there is no model {name}; choose one of {}", names.join(", ")))
            })
        };
        let model = wanted.model.as_deref().map(known).transpose()?;
        let mut cleaners = self.ours.lock().unwrap_or_else(PoisonError::into_inner);
        let cleaner = if let Some(cleaner) = cleaners.get(&model) {
            cleaner.clone()
        } else {
            let options = ModelCleanerOptions { model: model.map(str::to_owned), ..ModelCleanerOptions::default() };
            let cleaner = ModelCleaner::new(options)?;
            cleaners.insert(model, cleaner.clone());
            cleaner
        };
        drop(cleaners);
        Ok(Arc::new(cleaner.with_options(ModelCleanerOptions {
            model: None,
            targets: None,
            explain: wanted.explain,
            min_precision: wanted.min_precision,
            any_engine: false,
            comments: wanted.comments,
            without_tables: false,
        })?))
    }

    fn published(&self, name: &str, wanted: &Wanted) -> Result<SharedMethod, ModelError> {
        let Some(method) = find_method(name) else {
            let names: Vec<&str> = methods().map(|method| method.name).collect();
            return Err(ModelError::Setting(format!("there is no method {name}; choose one of {}", names.join(", "))));
        };
        let is_plain =
            wanted.model.is_none() && wanted.min_precision.is_none() && wanted.comments == ReaderComments::Drop;
        if !is_plain {
            return Err(ModelError::Setting(format!(
                "`model`, `min_precision` and `comments` belong to the method {}, not to {name}",
                OURS.name
            )));
        }
        let mut ready = self.published.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = ready.get(method.name) {
            return Ok(Arc::clone(found));
        }
        let made: SharedMethod = Arc::from(method.ready(&MethodSettings::default())?);
        ready.insert(method.name, Arc::clone(&made));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(wanted: &Wanted) -> String {
        Methods::default().ready(wanted).err().map(|problem| problem.cause).unwrap_or_default()
    }

    #[test]
    fn a_model_is_a_name_and_never_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.model");
        crate::cleaner::load("static").unwrap().save(&file).unwrap();
        let model = |model: &str| Wanted { model: Some(model.to_owned()), ..Wanted::default() };
        let refused = cause(&model(&file.to_string_lossy()));
        assert!(refused.contains("there is no model") && refused.contains("static"), "{refused}");
        assert_eq!(cause(&model("static")), "");
    }

    #[test]
    fn methods_and_precisions_are_checked() {
        let method = |method: &str| Wanted { method: Some(method.to_owned()), ..Wanted::default() };
        assert_eq!(cause(&method("justext")), "");
        assert!(cause(&method("magic")).contains("choose one of vclean"));
        assert!(cause(&Wanted { min_precision: Some(0.9), ..method("justext") }).contains("belong to the method"));
        assert!(cause(&Wanted { min_precision: Some(2.0), ..Wanted::default() }).contains("min precision"));
        assert_eq!(cause(&Wanted { min_precision: Some(0.9), explain: true, ..Wanted::default() }), "");
    }
}
