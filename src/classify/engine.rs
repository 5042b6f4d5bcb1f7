//! Which captures a model may judge: those of the engine it learned from, and bare pages.
//!
//! Two engines lay the same page out differently, by a font, a margin, a script that did not run. A model that learned from
//! one reads the other's pages with an error that nobody sees in the text.

use super::model::Model;
use crate::capture::Engine;
use crate::error::ModelError;

impl Model {
    /// Checks that a page that `rendered` made is for this model. What a parser made, or learned from, has no layout to be
    /// wrong about: such pages are told by the columns that are missing.
    ///
    /// # Errors
    /// [`ModelError::Engine`] where two different engines meet.
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
                "render with --engine {learned}, take a model that learned from {rendered}, or let it decide all the same with --any-engine"
            ),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classify::model::tests::sample;

    #[test]
    fn a_model_judges_its_own_engine_and_bare_pages() {
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
        for word in ["captures of builtin", "rendered by chromium", "--engine builtin", "--any-engine"] {
            assert!(told.contains(word), "{word} in {told}");
        }
    }
}
