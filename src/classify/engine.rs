//! Which captures a model accepts: those of the engine it learned from, and pages without layout.
//!
//! Two engines lay the same page out differently: fonts, margins, scripts that did not run. A model that learned from one
//! decides worse on the other's pages, and the text does not show it.

use super::model::Model;
use crate::capture::Engine;
use crate::error::ModelError;

impl Model {
    /// Checks that the model accepts a page rendered by `rendered`. The parser gives no layout, so it is accepted on both
    /// sides; a model that needs layout then fails by the missing columns.
    ///
    /// # Errors
    /// [`ModelError::Engine`] where the engines differ.
    pub fn check_engine(&self, rendered: Engine) -> Result<(), ModelError> {
        if self.engine == rendered || self.engine == Engine::Parser || rendered == Engine::Parser {
            return Ok(());
        }
        let (learned, rendered) = (self.engine.name(), rendered.name());
        Err(ModelError::Engine {
            model: self.name.clone(),
            learned,
            rendered,
            remedy: format!(
                "render with `engine` {learned}, use a model that learned from {rendered}, or let it decide all the same with `any_engine`"
            ),
        })
    }
}

#[cfg(test)]
#[cfg(feature = "experiments")]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classify::model::tests::sample;

    #[test]
    fn a_model_accepts_its_own_engine_and_pages_without_layout() {
        let (mut model, _, _) = sample();
        let mut is_refused = |learned, rendered| {
            model.engine = learned;
            model.check_engine(rendered).is_err()
        };
        let all = [Engine::Parser, Engine::Builtin, Engine::Chromium];
        for engine in all {
            assert!(!is_refused(engine, engine) && !is_refused(engine, Engine::Parser));
            assert!(!is_refused(Engine::Parser, engine));
        }
        assert!(is_refused(Engine::Chromium, Engine::Builtin) && is_refused(Engine::Builtin, Engine::Chromium));
        let told = model.check_engine(Engine::Chromium).unwrap_err().to_string();
        for word in ["captures of builtin", "rendered by chromium", "render with `engine` builtin", "`any_engine`"] {
            assert!(told.contains(word), "{word} in {told}");
        }
    }
}
