//! Makes cleaners: chooses a method and its models.

use super::cleaned_page::CleanedPage;
use super::cleaner::PageCleaner;
use super::method::{CleanPage, Input, Method, MethodSettings, Sees};
use super::models::{BUILT_IN, Models};
use super::options::Options;
use crate::capture::Capture;
use crate::classify::Model;
use crate::error::{Error, ModelError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Our own method, which reads the rendered page if there is one.
pub static OURS: Method = Method {
    name: "vclean",
    about: "visual, structural and textual features of every block; a support vector machine, boosted trees and a network that reads the page",
    source: "ours, after Bauer et al. 2007",
    year: 2026,
    sees: Sees::Rendering,
    parameters: &[],
    learns: true,
    make,
};

fn make(settings: &MethodSettings) -> Result<Box<dyn CleanPage>, ModelError> {
    let options = Options {
        model: settings.model.clone(),
        any_engine: settings.any_engine,
        ..Options::default()
    };
    Ok(Box::new(PageCleaner::new(&options)?))
}

impl PageCleaner {
    /// Creates a cleaner with our own method; [`Cleaners`] also knows the published ones.
    ///
    /// # Errors
    /// If there is no such model, or it cannot do what the options request.
    pub fn new(options: &Options) -> Result<Self, ModelError> {
        Cleaners::new(&[]).cleaner(options)
    }
}

impl CleanPage for PageCleaner {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        self.clean_capture(input.capture)
    }

    fn model(&self, capture: &Capture) -> Result<Option<&Model>, Error> {
        self.model(capture)
    }
}

/// Makes cleaners. This is the only place that chooses a method and a model. Each model is read
/// once, by the first cleaner that needs it, so a service may request a cleaner for every page.
pub struct Cleaners {
    published: &'static [Method],
    reads_files: bool,
    models: Mutex<BTreeMap<Option<String>, Arc<Models>>>,
    ready: Mutex<BTreeMap<&'static str, Arc<dyn CleanPage>>>,
}

/// The options that published methods honor, beside those of writing. All others are refused.
const PUBLISHED_TAKE: [&str; 13] = [
    "any_engine",
    "chunk_overlap",
    "chunk_size",
    "explain",
    "format",
    "hidden",
    "images",
    "links",
    "method",
    "model",
    "parameter",
    "positions",
    "with_metadata",
];

impl Cleaners {
    /// Makes cleaners for our own method and the given ones.
    pub fn new(published: &'static [Method]) -> Self {
        Self {
            published,
            reads_files: true,
            models: Mutex::default(),
            ready: Mutex::default(),
        }
    }

    /// Refuses models in files, for callers who must not name files.
    #[must_use]
    pub fn without_files(self) -> Self {
        Self {
            reads_files: false,
            ..self
        }
    }

    /// All methods, beginning with ours.
    pub fn methods(&self) -> impl Iterator<Item = &'static Method> + Clone + use<> {
        std::iter::once(&OURS).chain(self.published)
    }

    /// Creates a cleaner for these options.
    ///
    /// # Errors
    /// If there is no such method, model or parameter, or the method does not support an option.
    pub fn cleaner(&self, options: &Options) -> Result<PageCleaner, ModelError> {
        self.check_model(options.model.as_deref())?;
        if !self.reads_files && options.site_memory.is_some() {
            return Err(ModelError::Setting(
                "`site_memory` names a file, and files are not read here; leave it out".to_owned(),
            ));
        }
        let name = options.method.as_deref().unwrap_or(OURS.name);
        if name == OURS.name && options.parameter.is_empty() {
            let models = self.models(options.model.as_deref())?;
            return PageCleaner::with_models(models, options);
        }
        Ok(PageCleaner::with_method(
            self.other(name, options)?,
            options,
        ))
    }

    /// Refuses a model that is not built in if files must not be read.
    fn check_model(&self, model: Option<&str>) -> Result<(), ModelError> {
        let Some(model) = model.filter(|_| !self.reads_files) else {
            return Ok(());
        };
        let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        if names.contains(&model) {
            return Ok(());
        }
        Err(ModelError::Setting(format!(
            "there is no model {model}; choose one of {}",
            names.join(", ")
        )))
    }

    /// Adds a model for the captures of its engine, for builds without one. It decides on their
    /// pages unless a model is named.
    ///
    /// # Errors
    /// If the bytes are not a model.
    pub fn provide(&self, model: &[u8]) -> Result<(), ModelError> {
        let model = Model::from_bytes(model)?;
        self.models(None)?.provide(model.engine, model);
        Ok(())
    }

    /// The models for this name, read now if no cleaner needed them before.
    fn models(&self, model: Option<&str>) -> Result<Arc<Models>, ModelError> {
        let mut known = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let key = model.map(str::to_owned);
        if let Some(models) = known.get(&key) {
            return Ok(Arc::clone(models));
        }
        let models = Arc::new(Models::new(model)?);
        known.insert(key, Arc::clone(&models));
        Ok(models)
    }

    fn other(&self, name: &str, options: &Options) -> Result<Arc<dyn CleanPage>, ModelError> {
        let Some(method) = self.methods().find(|method| method.name == name) else {
            let names: Vec<&str> = self.methods().map(|method| method.name).collect();
            return Err(ModelError::Setting(format!(
                "there is no method {name}; choose one of {}",
                names.join(", ")
            )));
        };
        let settings = MethodSettings {
            any_engine: options.any_engine,
            ..MethodSettings::parse(options.model.clone(), &options.parameter)?
        };
        let chosen = options.chosen();
        if let Some(option) = chosen
            .keys()
            .find(|it| !PUBLISHED_TAKE.contains(&it.as_str()))
        {
            return Err(ModelError::Setting(format!(
                "`{option}` belongs to the method {}, not to {name}; leave one of the two out",
                OURS.name
            )));
        }
        if settings != MethodSettings::default() {
            return Ok(Arc::from(method.ready(&settings)?));
        }
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = ready.get(method.name) {
            return Ok(Arc::clone(found));
        }
        let made: Arc<dyn CleanPage> = Arc::from(method.ready(&settings)?);
        ready.insert(method.name, Arc::clone(&made));
        Ok(made)
    }
}
