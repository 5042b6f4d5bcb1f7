//! The models that are compiled in, and the one that fits a capture.

use crate::capture::Engine;
use crate::classify::Model;
use crate::error::ModelError;
use std::path::Path;
use std::sync::OnceLock;
use vclean_models::TAGGERS;

/// Models that are compiled in, by name: `static`, and those of the engines that are compiled in.
pub use vclean_models::MODELS as BUILT_IN;

/// The built-in models by the kind of capture.
#[derive(Debug, Default)]
pub(super) struct Fitting {
    pub(super) chromium: OnceLock<Model>,
    builtin: OnceLock<Model>,
    bare: OnceLock<Model>,
}

/// Name of the model for captures made by Chromium.
pub(super) const FOR_CHROMIUM: &str = "rendered";
/// Name of the model for captures made by the built-in engine.
const FOR_BUILT_IN_ENGINE: &str = "rendered-builtin";
/// Name of the model for bare HTML.
const FOR_BARE: &str = "static";
/// The engines, each of which has a model unless one is named; bare HTML has been parsed.
pub(super) const ENGINES: [Engine; 3] = [Engine::Chromium, Engine::Builtin, Engine::Parser];

impl Fitting {
    /// Takes the model for captures of an engine from the caller, unless it has one.
    pub(super) fn provide(&self, engine: Engine, model: Model) {
        let cell = match engine {
            Engine::Chromium => &self.chromium,
            Engine::Builtin => &self.builtin,
            Engine::Parser => &self.bare,
        };
        let _ = cell.set(model);
    }

    /// The built-in model for captures of an engine, read if no page needed it before.
    pub(super) fn model(&self, engine: Engine) -> Result<&Model, ModelError> {
        let (cell, name) = match engine {
            Engine::Chromium => (&self.chromium, FOR_CHROMIUM),
            Engine::Builtin => (&self.builtin, FOR_BUILT_IN_ENGINE),
            Engine::Parser => (&self.bare, FOR_BARE),
        };
        if cell.get().is_none() {
            let (_, bytes) = BUILT_IN
                .iter()
                .find(|(known, _)| *known == name)
                .ok_or_else(|| missing(engine, name))?;
            let model = Model::from_bytes(bytes)?;
            // Another thread may have loaded the same model in the meantime.
            let _ = cell.set(model);
        }
        Ok(cell
            .get()
            .expect("the model was set above or by another thread"))
    }
}

/// Whether the model for captures of an engine is compiled in.
pub(super) fn is_built_in(engine: Engine) -> bool {
    let name = match engine {
        Engine::Chromium => FOR_CHROMIUM,
        Engine::Builtin => FOR_BUILT_IN_ENGINE,
        Engine::Parser => FOR_BARE,
    };
    BUILT_IN.iter().any(|(known, _)| *known == name)
}

fn missing(engine: Engine, name: &str) -> ModelError {
    let engine = engine.name();
    ModelError::Setting(format!(
        "this build has no model for captures of {engine}; build it with the engine {engine}, which brings {name}, or name a \
         `model`"
    ))
}

/// A model by its built-in name, else from a file.
///
/// # Errors
/// If there is neither, or the file holds no model.
pub fn load(model: &str) -> Result<Model, ModelError> {
    if let Some((_, bytes)) = BUILT_IN.iter().find(|(name, _)| *name == model) {
        return Model::from_bytes(bytes);
    }
    let found = Model::load(Path::new(model))?;
    if found.measuring().language_bound && TAGGERS.is_empty() {
        return Err(ModelError::Setting(format!(
            "model {model} reads parts of speech, and this build has no taggers; build it with the feature `lab`"
        )));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_model_loads() {
        for (name, _) in BUILT_IN {
            assert_eq!(load(name).unwrap().name, *name);
        }
    }
}
