//! The available models: those that are compiled in, and one that the user named.

use super::options::Options;
use crate::capture::{Capture, Engine};
use crate::classify::Model;
use crate::document::ReaderComments;
use crate::error::{Error, ModelError};
use std::path::Path;
use std::sync::OnceLock;
use vclean_models::TAGGERS;

/// The compiled-in models by name: `static`, and those of the engines that are compiled in.
pub use vclean_models::MODELS as BUILT_IN;

/// The models that may decide on pages.
#[derive(Debug)]
pub(super) enum Models {
    /// A single model that the user named.
    Named(Box<Model>),
    /// The built-in model that matches each capture; each is read when the first page needs it.
    Fitting(Box<Fitting>),
}

impl Models {
    /// Reads the named model, which is a built-in name or a file. `None` stands for `rendered` on
    /// pages rendered by Chromium and `rendered-builtin` on those of the built-in engine, and for
    /// `static` on bare HTML and on rendered pages that have lost their styles.
    ///
    /// # Errors
    /// If the model cannot be read.
    pub(super) fn new(model: Option<&str>) -> Result<Self, ModelError> {
        Ok(match model {
            Some(model) => Self::Named(Box::new(load(model)?)),
            None => Self::Fitting(Box::default()),
        })
    }

    /// Refuses options that the models cannot honor, before the first page: a precision that they
    /// do not reach, or comments that they do not distinguish.
    pub(super) fn check(&self, options: &Options) -> Result<(), ModelError> {
        let (precision, comments) = (options.min_precision, options.comments);
        if precision.is_none() && comments == ReaderComments::Drop {
            return Ok(());
        }
        let check = |model: &Model| {
            if let Some(precision) = precision {
                model.threshold_for(precision)?;
            }
            if comments == ReaderComments::Drop {
                Ok(())
            } else {
                check_comments(model)
            }
        };
        match self {
            Self::Named(model) => check(model),
            Self::Fitting(models) => {
                let mut built_in = ENGINES.into_iter().filter(|engine| is_built_in(*engine));
                built_in.try_for_each(|engine| check(models.model(engine)?))
            }
        }
    }

    /// Adds a model for the captures of an engine; a named model takes precedence.
    pub(super) fn provide(&self, engine: Engine, model: Model) {
        if let Self::Fitting(models) = self {
            models.provide(engine, model);
        }
    }

    /// The model that fits a capture.
    ///
    /// # Errors
    /// If the built-in model cannot be read, or the named one was trained on captures of another
    /// engine.
    pub(super) fn model(&self, capture: &Capture, options: &Options) -> Result<&Model, Error> {
        let engine = capture.record.engine;
        match self {
            Self::Named(model) => {
                if !options.any_engine {
                    model.check_engine(engine)?;
                }
                Ok(model)
            }
            Self::Fitting(models) if capture.layout.is_none() => Ok(models.model(Engine::Parser)?),
            Self::Fitting(models) if engine == Engine::Builtin => {
                Ok(models.model(Engine::Builtin)?)
            }
            Self::Fitting(models) => Ok(models.model(Engine::Chromium)?),
        }
    }

    /// The model for bare HTML, if it takes part in deciding on a rendered page.
    ///
    /// # Errors
    /// If the model cannot be read.
    pub(super) fn for_bare_html(&self, capture: &Capture) -> Result<Option<&Model>, ModelError> {
        match self {
            Self::Fitting(models) if capture.layout.is_some() => {
                models.model(Engine::Parser).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// Refuses a model that does not distinguish comments from other boilerplate, if they are to be
/// kept or separated.
fn check_comments(model: &Model) -> Result<(), ModelError> {
    if model.comments.is_some() {
        return Ok(());
    }
    Err(ModelError::Setting(format!(
        "model {} does not tell comments from other boilerplate, so `comments` can only be drop; use a model that was \
         trained on pages whose comments are known",
        model.name
    )))
}

/// The built-in models by kind of capture.
#[derive(Debug, Default)]
pub(super) struct Fitting {
    chromium: OnceLock<Model>,
    builtin: OnceLock<Model>,
    bare: OnceLock<Model>,
}

/// Name of the model for captures made by Chromium.
const FOR_CHROMIUM: &str = "rendered";
/// Name of the model for captures made by the built-in engine.
const FOR_BUILT_IN_ENGINE: &str = "rendered-builtin";
/// Name of the model for bare HTML.
const FOR_BARE: &str = "static";
/// The engines, each of which has its own built-in model; bare HTML belongs to the parser.
const ENGINES: [Engine; 3] = [Engine::Chromium, Engine::Builtin, Engine::Parser];

impl Fitting {
    /// Adds a model for the captures of an engine, unless there is one already.
    fn provide(&self, engine: Engine, model: Model) {
        let cell = match engine {
            Engine::Chromium => &self.chromium,
            Engine::Builtin => &self.builtin,
            Engine::Parser => &self.bare,
        };
        let _ = cell.set(model);
    }

    /// The built-in model for the captures of an engine, read now if no page needed it before.
    fn model(&self, engine: Engine) -> Result<&Model, ModelError> {
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
            // Another thread may have loaded the same model already.
            let _ = cell.set(model);
        }
        Ok(cell
            .get()
            .expect("the model was set above or by another thread"))
    }
}

/// Returns true if the model for captures of an engine is compiled in.
fn is_built_in(engine: Engine) -> bool {
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

/// Loads a model by its built-in name, or else from a file.
///
/// # Errors
/// If there is neither, or the file does not hold a model.
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
    use crate::capture::{DomBuilder, Record};
    use crate::classify::{CommentStage, Platt};

    /// Reads a model and checks it against these options.
    fn checked(
        model: Option<&str>,
        min_precision: Option<f32>,
        comments: ReaderComments,
    ) -> Result<(), ModelError> {
        Models::new(model)?.check(&Options {
            min_precision,
            comments,
            ..Options::default()
        })
    }

    #[test]
    fn a_missing_model_is_named() {
        let error = Models::new(Some("nowhere")).unwrap_err().to_string();
        assert!(
            error.contains("nowhere") && error.contains("built-in"),
            "{error}"
        );
    }

    #[test]
    fn a_precision_no_model_has_is_refused_before_the_first_page() {
        for model in [None, Some("static")] {
            let error = checked(model, Some(2.0), ReaderComments::Drop)
                .unwrap_err()
                .to_string();
            assert_eq!(error, "min precision is 2, allowed is above 0, up to 1");
        }
    }

    #[test]
    fn a_named_model_is_refused_for_another_engine_unless_allowed() {
        let mut capture = Capture::parsed(DomBuilder::new().finish(), Record::parsed("x", None));
        capture.record.engine = Engine::Builtin;
        let (rendered, fitting) = (
            Models::new(Some("rendered")).unwrap(),
            Models::new(None).unwrap(),
        );
        let with = |any_engine| Options {
            any_engine,
            ..Options::default()
        };
        let told = rendered.model(&capture, &with(false)).unwrap_err();
        let told = told.to_string();
        assert!(
            told.contains("captures of chromium") && told.contains("rendered by builtin"),
            "{told}"
        );
        let name = |models: &Models, capture: &Capture, any_engine| {
            let model = models.model(capture, &with(any_engine)).unwrap();
            model.name.clone()
        };
        assert_eq!(name(&rendered, &capture, true), "rendered");
        capture.record.engine = Engine::Chromium;
        assert_eq!(name(&rendered, &capture, false), "rendered");
        assert_eq!(name(&fitting, &capture, false), "static");
    }

    #[test]
    fn a_model_that_tells_no_comments_is_refused_where_they_are_wanted() {
        let mut model = load("static").unwrap();
        let stage = model.stages[0].clone();
        model.comments = Some(CommentStage {
            stage,
            platt: Platt::default(),
        });
        assert!(check_comments(&model).is_ok());
        model.comments = None;
        let error = check_comments(&model).unwrap_err().to_string();
        assert!(
            error.contains("model static does not tell comments") && error.contains("`comments`"),
            "{error}"
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("without.model");
        model.save(&file).unwrap();
        let with = |comments| checked(Some(&file.to_string_lossy()), None, comments);
        assert!(with(ReaderComments::Drop).is_ok());
        assert_eq!(with(ReaderComments::Keep).unwrap_err().to_string(), error);
    }

    #[test]
    fn the_models_that_are_used_unless_one_is_named_tell_comments() {
        for comments in [ReaderComments::Keep, ReaderComments::Separate] {
            assert!(checked(None, None, comments).is_ok());
        }
    }

    #[test]
    fn every_built_in_model_loads() {
        for (name, _) in BUILT_IN {
            assert_eq!(load(name).unwrap().name, *name);
        }
    }
}
