//! Our own method: select, measure, decide, prune, with a model that `vclean lab train` wrote.
//!
//! Uses no file except the model's, no network and no clock: the same capture and the same model
//! give the same result.

use super::built_in::{ENGINES, Fitting, is_built_in, load};
use super::doubt;
use super::method::{CleanPage, CleanedPage, Input, Method, MethodSettings, Sees};
use super::options::{ModelOptions, Options, TextOptions};
use crate::capture::{Capture, Engine};
use crate::classify::{
    Decision, Label, LikelyKind, Model, PageDecision, PageShape, SiteMemory, SlotsOfPage,
};
use crate::clean::{
    self, CleanDocument, Deciding, DecisionTrace, PageParts, PruneOptions, ReaderComments, Rule,
    RuleOptions, RulePhase,
};
use crate::error::{Error, ModelError};
use crate::features::{self, FeatureTable, Measuring};
use crate::target::{self, Target, TargetRule};
use std::path::Path;
use std::sync::Arc;

/// Our own method.
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
    let model = ModelOptions {
        any_engine: settings.any_engine,
        ..ModelOptions::default()
    };
    let options = Options {
        model,
        ..Options::default()
    };
    Ok(Box::new(
        ModelCleaner::new(settings.model.as_deref())?.with_options(&options)?,
    ))
}

impl CleanPage for ModelCleaner {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        Self::clean(self, input.capture)
    }

    fn model(&self, capture: &Capture) -> Result<Option<&Model>, Error> {
        Self::model(self, capture).map(Some)
    }
}

/// Share of a page's text that must have a style for its layout to count. Measured on pages that
/// lost style sheets: with less, the model for bare HTML is better (`daniel`, train: .933 against
/// .924); of `styled`, all pages have more.
const STYLED: f32 = 0.99;

/// Number of features that are named for each target when decisions are explained. Heuristic: they
/// fit into a tooltip.
const REASONS: usize = 6;

/// Cleans captures; created once, used from many threads. Clones share the models.
#[derive(Debug, Clone)]
pub(super) struct ModelCleaner {
    options: Options,
    models: Arc<Models>,
    /// What is known of sites, if the options name a file.
    sites: Option<Arc<SiteMemory>>,
}

/// The models to choose from.
#[derive(Debug)]
enum Models {
    /// The model the user named.
    Named(Box<Model>),
    /// The matching built-in model for each capture; each is read when the first page needs it.
    Fitting(Box<Fitting>),
}

impl ModelCleaner {
    /// Reads the named model: a built-in name or a file. `None` means `rendered` for pages rendered
    /// by Chromium, `rendered-builtin` for those of the built-in engine, each together with
    /// `static`, and `static` for bare HTML.
    ///
    /// # Errors
    /// If the model cannot be read.
    pub(super) fn new(model: Option<&str>) -> Result<Self, ModelError> {
        let models = match model {
            Some(model) => Models::Named(Box::new(load(model)?)),
            None => Models::Fitting(Box::default()),
        };
        Ok(Self {
            options: Options::default(),
            models: Arc::new(models),
            sites: None,
        })
    }

    /// A cleaner with these models and other options, whose `model` is ignored.
    ///
    /// # Errors
    /// If the models cannot guarantee the requested precision, or do not tell comments that are to
    /// be kept.
    pub(super) fn with_options(&self, options: &Options) -> Result<Self, ModelError> {
        let (precision, comments) = (options.model.min_precision, options.text.comments);
        // Reported before the first page instead of once per page.
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
        match &*self.models {
            _ if precision.is_none() && comments == ReaderComments::Drop => {}
            Models::Named(model) => check(model)?,
            Models::Fitting(models) => {
                let mut built_in = ENGINES.into_iter().filter(|engine| is_built_in(*engine));
                built_in.try_for_each(|engine| check(models.model(engine)?))?;
            }
        }
        let sites = options
            .model
            .site_memory
            .as_ref()
            .map(|file| SiteMemory::load(Path::new(file)))
            .transpose()?;
        if sites.is_some() && precision.is_some() {
            let cause = "`site_memory` changes decisions after the model, so that `min_precision` would not hold; leave one out";
            return Err(ModelError::Setting(cause.to_owned()));
        }
        Ok(Self {
            options: options.clone(),
            models: Arc::clone(&self.models),
            sites: sites.map(Arc::new),
        })
    }

    /// Takes the model for captures of an engine from the caller. A cleaner with a named model
    /// ignores it.
    pub(super) fn provide(&self, engine: Engine, model: Model) {
        if let Models::Fitting(models) = &*self.models {
            models.provide(engine, model);
        }
    }

    /// Cleans with a model in memory, with the rule it was trained with.
    pub(super) fn with_model(model: Model) -> Self {
        Self {
            options: Options::default(),
            models: Arc::new(Models::Named(Box::new(model))),
            sites: None,
        }
    }

    /// The model for `capture`.
    ///
    /// # Errors
    /// If the built-in model cannot be read, or the named one was trained on captures of another
    /// engine.
    pub(super) fn model(&self, capture: &Capture) -> Result<&Model, Error> {
        let engine = capture.record.engine;
        match &*self.models {
            Models::Named(model) => {
                if !self.options.model.any_engine {
                    model.check_engine(engine)?;
                }
                Ok(model)
            }
            Models::Fitting(models) if capture.layout.is_none() => {
                Ok(models.model(Engine::Parser)?)
            }
            Models::Fitting(models) if engine == Engine::Builtin => {
                Ok(models.model(Engine::Builtin)?)
            }
            Models::Fitting(models) => Ok(models.model(Engine::Chromium)?),
        }
    }

    /// What is measured of a capture that `model` decides on.
    fn measuring<'m>(&self, model: &'m Model, capture: &Capture) -> Measuring<'m> {
        match &*self.models {
            // The model for bare HTML reads columns too.
            Models::Fitting(_) if capture.layout.is_some() => Measuring {
                columns: None,
                ..model.measuring()
            },
            _ => model.measuring(),
        }
    }

    /// Cleans one page.
    ///
    /// Unless a model is named or a precision requested, the model for bare HTML has a part in
    /// rendered pages: see [`Deciding`].
    ///
    /// # Errors
    /// If the pictures are damaged or the model needs features that this page does not have.
    pub(super) fn clean(&self, capture: &Capture) -> Result<CleanedPage, Error> {
        let model = self.model(capture)?;
        let targets = target::select(
            capture,
            self.options.model.targets.unwrap_or(model.target_rule),
        );
        let shape = PageShape::measure(&capture.dom, &targets);
        let table = features::measure_with(capture, &targets, &self.measuring(model, capture))?;
        let site = self
            .sites
            .as_ref()
            .and_then(|sites| Some((&**sites, SlotsOfPage::of(capture, &targets)?)));
        let parts = PageParts::new(capture, &targets);
        let page = Measured {
            parts: &parts,
            shape: &shape,
            table: &table,
            site,
        };
        let decided = match &*self.models {
            Models::Fitting(models)
                if capture.layout.is_some() && self.options.model.min_precision.is_none() =>
            {
                let bare = models.model(Engine::Parser)?;
                page.decide_with(
                    model,
                    (bare, &bare.table_of(&table, &capture.dom, &targets)),
                )?
            }
            _ => {
                let precision = self
                    .options
                    .model
                    .min_precision
                    .map(|share| model.threshold_for(share))
                    .transpose()?;
                page.finish(
                    model,
                    model.decide_page(&table, &shape, precision)?,
                    precision.is_some(),
                )?
            }
        };
        let Decided {
            model,
            mut decisions,
            kind,
            mut trace,
        } = decided;
        let rules = RuleOptions {
            is_precise: self.options.model.min_precision.is_some(),
            without_tables: self.options.text.no_tables,
            without_headline: self.options.text.no_title,
        };
        clean::apply_rules(RulePhase::Final, &parts, rules, &mut decisions, &mut trace)?;
        let reasons = if self.options.text.explain {
            model.reasons(
                &model.table_of(&table, &capture.dom, &targets),
                &(0..targets.len()).collect::<Vec<_>>(),
                REASONS,
            )?
        } else {
            vec![Vec::new(); targets.len()]
        };
        let TextOptions {
            comments,
            text_only,
            ..
        } = self.options.text;
        let options = PruneOptions {
            comments,
            kind,
            text_only,
        };
        let document = clean::prune_with(&parts, &decisions, reasons, options);
        let document = CleanDocument {
            trace: Some(trace),
            ..document
        };
        Ok(CleanedPage {
            targets,
            table,
            decisions,
            document,
        })
    }
}

/// A page with what the models read of it.
struct Measured<'p> {
    parts: &'p PageParts<'p>,
    shape: &'p PageShape,
    table: &'p FeatureTable,
    /// What is known of sites, and the page's slots.
    site: Option<(&'p SiteMemory, SlotsOfPage)>,
}

impl Measured<'_> {
    /// Decides with the model for rendered pages and that for bare HTML.
    fn decide_with<'m>(
        &self,
        rendered: &'m Model,
        (bare, of_bare): (&'m Model, &FeatureTable),
    ) -> Result<Decided<'m>, Error> {
        let by_bare = || self.finish(bare, bare.decide_page(of_bare, self.shape, None)?, false);
        if features::styled_share(self.table).is_some_and(|share| share < STYLED) {
            return Ok(by_bare()?.because(Deciding::Unstyled));
        }
        let together = self.finish(
            rendered,
            rendered.decide_page_with((bare, of_bare), self.table, self.shape)?,
            false,
        )?;
        if doubt::is_doubtful(self.shape, &together.decisions) {
            let other = by_bare()?;
            if doubt::is_much_more(self.shape, &other.decisions, &together.decisions) {
                return Ok(other.because(Deciding::Doubted));
            }
        }
        Ok(together.because(Deciding::Together))
    }

    /// Applies the rules that follow a model's decision.
    fn finish<'m>(
        &self,
        model: &'m Model,
        decision: PageDecision,
        is_precise: bool,
    ) -> Result<Decided<'m>, Error> {
        let PageDecision {
            targets: mut decisions,
            kind,
            threshold,
        } = decision;
        let mut trace = DecisionTrace::new(&model.name, threshold, &decisions);
        let of_site = self
            .site
            .as_ref()
            .and_then(|(sites, slots)| sites.log_odds(slots, &decisions));
        for (decision, log_odds) in decisions.iter_mut().zip(of_site.into_iter().flatten()) {
            decide_with_site(model, decision, log_odds, threshold);
        }
        trace.note(&OTHER_PAGES, &decisions);
        let options = RuleOptions {
            is_precise,
            ..RuleOptions::default()
        };
        clean::apply_rules(
            RulePhase::EachModel,
            self.parts,
            options,
            &mut decisions,
            &mut trace,
        )?;
        Ok(Decided {
            model,
            decisions,
            kind,
            trace,
        })
    }
}

/// Named where other pages of the site have changed a label.
static OTHER_PAGES: Rule = Rule {
    name: "other-pages",
    about: "other pages of its site say otherwise of this place or text",
};

/// Moves the log odds of a decision by those of other pages of the site. Comments stay comments.
fn decide_with_site(model: &Model, decision: &mut Decision, log_odds: f64, threshold: f32) {
    let before = decision.probability >= threshold;
    decision.margin = model.platt.moved(decision.margin, log_odds);
    decision.probability = model.platt.probability(decision.margin);
    let after = decision.probability >= threshold;
    if before != after && decision.label != Label::Comments {
        decision.label = if after {
            Label::Content
        } else {
            Label::Boilerplate
        };
        decision.comments = None;
    }
}

/// What the models say of a page.
struct Decided<'m> {
    model: &'m Model,
    decisions: Vec<Decision>,
    kind: Option<LikelyKind>,
    trace: DecisionTrace,
}

impl Decided<'_> {
    fn because(mut self, deciding: Deciding) -> Self {
        self.trace.deciding = deciding;
        self
    }
}

/// Refuses a model that does not tell comments from other boilerplate, where they are to be kept or
/// separated.
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

/// The targets of a page and their features: the stages before the model.
///
/// # Errors
/// If the pictures are damaged.
pub fn measure(capture: &Capture, rule: TargetRule) -> Result<(Vec<Target>, FeatureTable), Error> {
    measure_with(capture, rule, &Measuring::default())
}

/// The targets of a page and their features, with those that `measuring` requests.
///
/// # Errors
/// If the pictures are damaged.
pub fn measure_with(
    capture: &Capture,
    rule: TargetRule,
    measuring: &Measuring<'_>,
) -> Result<(Vec<Target>, FeatureTable), Error> {
    let targets = target::select(capture, rule);
    let table = features::measure_with(capture, &targets, measuring)?;
    Ok((targets, table))
}

#[cfg(test)]
mod tests {
    use super::super::built_in::FOR_CHROMIUM;
    use super::*;
    use crate::capture::Record;
    use crate::classify::{CommentStage, Label, Platt};

    fn made(
        model: Option<&str>,
        min_precision: Option<f32>,
        comments: ReaderComments,
    ) -> Result<ModelCleaner, ModelError> {
        let model_options = ModelOptions {
            min_precision,
            ..ModelOptions::default()
        };
        let text = TextOptions {
            comments,
            ..TextOptions::default()
        };
        ModelCleaner::new(model)?.with_options(&Options {
            model: model_options,
            text,
            ..Options::default()
        })
    }

    #[test]
    fn a_rendered_page_that_would_lose_its_text_is_decided_as_bare_html_without_hidden_text() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures/captures/hidden-text");
        let capture = crate::files::load_capture(&folder).unwrap();
        let mut blind = load(FOR_CHROMIUM).unwrap();
        // Every probability is 0.
        blind.platt.offset = 1000.0;
        assert!(
            ModelCleaner::with_model(blind.clone())
                .clean(&capture)
                .unwrap()
                .document
                .segments
                .is_empty()
        );
        let fitting = Fitting::default();
        assert!(fitting.chromium.set(blind).is_ok());
        let models = Arc::new(Models::Fitting(Box::new(fitting)));
        let cleaned = ModelCleaner {
            options: Options::default(),
            models,
            sites: None,
        }
        .clean(&capture)
        .unwrap();
        let kept = cleaned
            .targets
            .iter()
            .zip(&cleaned.decisions)
            .filter(|(_, one)| one.label == Label::Content);
        let kept: Vec<String> = kept.map(|(target, _)| target.text(&capture.dom)).collect();
        assert_eq!(
            kept.join("\n"),
            std::fs::read_to_string(folder.join("expected.txt"))
                .unwrap()
                .trim()
        );
    }

    #[test]
    fn the_model_for_bare_html_reads_the_same_of_a_rendered_page_and_decides_it_with_the_other() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures/captures/hidden-text");
        let capture = crate::files::load_capture(&folder).unwrap();
        let (bare, rendered) = (load("static").unwrap(), load(FOR_CHROMIUM).unwrap());
        let all = Measuring {
            columns: None,
            ..rendered.measuring()
        };
        let (targets, table) = measure_with(&capture, TargetRule::Blocks, &all).unwrap();
        let shape = PageShape::measure(&capture.dom, &targets);
        let parsed = Capture::parsed(capture.dom.clone(), capture.record.clone());
        let of_parsed = features::measure_with(&parsed, &targets, &bare.measuring()).unwrap();
        let of_rendered = bare.table_of(&table, &capture.dom, &targets);
        assert_eq!(
            bare.margins(&of_rendered, &shape).unwrap(),
            bare.margins(&of_parsed, &shape).unwrap()
        );
        for (styled, expected) in [(0.5, Deciding::Unstyled), (1.0, Deciding::Together)] {
            let mut table = table.clone();
            let column = table.column_index("visual.layout.styled_share").unwrap();
            table.rows.column_mut(column).fill(styled);
            let parts = PageParts::new(&capture, &targets);
            let page = Measured {
                parts: &parts,
                shape: &shape,
                table: &table,
                site: None,
            };
            let decided = page
                .decide_with(
                    &rendered,
                    (&bare, &bare.table_of(&table, &capture.dom, &targets)),
                )
                .unwrap();
            assert_eq!(decided.trace.deciding, expected);
            assert_eq!(
                decided.model.name,
                if styled < 1.0 { "static" } else { "rendered" }
            );
        }
    }

    #[test]
    fn only_what_a_named_model_reads_is_measured() {
        let html = "<nav><a href=/>Home</a></nav><h1>Gulls</h1><p>Herring gulls drop mussels on rocks, from a height that \
                    depends on how hard the shell is.</p><footer><a href=/x>Imprint</a></footer>";
        let capture = Capture::parsed(crate::html::parse_html(html), Record::parsed("x", None));
        let clean = |model: &str| {
            ModelCleaner::new(Some(model))
                .unwrap()
                .clean(&capture)
                .unwrap()
        };
        let (fast, usual) = (clean("fast"), clean("static"));
        let has = |cleaned: &CleanedPage, group: &str| {
            cleaned
                .table
                .columns
                .iter()
                .any(|column| features::is_in_group(column, group))
        };
        assert!(has(&fast, "context") && !has(&fast, "record") && !has(&fast, "page"));
        assert!(has(&usual, "context") && has(&usual, "record") && has(&usual, "page"));
        let text = |cleaned: &CleanedPage| {
            cleaned
                .document
                .segments
                .iter()
                .map(crate::clean::Segment::text)
                .collect::<Vec<_>>()
        };
        assert!(text(&fast).concat().contains("drop mussels"));
        assert_eq!(text(&fast), text(&usual));
    }

    #[test]
    fn a_missing_model_is_named() {
        let error = ModelCleaner::new(Some("nowhere")).unwrap_err().to_string();
        assert!(
            error.contains("nowhere") && error.contains("built-in"),
            "{error}"
        );
    }

    #[test]
    fn a_precision_no_model_has_is_refused_before_the_first_page() {
        for model in [None, Some("static")] {
            let error = made(model, Some(2.0), ReaderComments::Drop)
                .unwrap_err()
                .to_string();
            assert_eq!(error, "min precision is 2, allowed is above 0, up to 1");
        }
    }

    #[test]
    fn a_named_model_is_refused_for_another_engine_unless_allowed() {
        let mut capture = Capture::parsed(
            crate::capture::DomBuilder::new().finish(),
            Record::parsed("x", None),
        );
        capture.record.engine = Engine::Builtin;
        let named = |any_engine| {
            let model = ModelOptions {
                any_engine,
                ..ModelOptions::default()
            };
            let options = Options {
                model,
                ..Options::default()
            };
            ModelCleaner::new(Some("rendered"))
                .unwrap()
                .with_options(&options)
                .unwrap()
        };
        let told = named(false).model(&capture).unwrap_err().to_string();
        assert!(
            told.contains("captures of chromium") && told.contains("rendered by builtin"),
            "{told}"
        );
        assert_eq!(named(true).model(&capture).unwrap().name, "rendered");
        capture.record.engine = Engine::Chromium;
        assert_eq!(named(false).model(&capture).unwrap().name, "rendered");
        assert_eq!(
            ModelCleaner::new(None)
                .unwrap()
                .model(&capture)
                .unwrap()
                .name,
            "static"
        );
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
        let with = |comments| made(Some(&file.to_string_lossy()), None, comments);
        assert!(with(ReaderComments::Drop).is_ok());
        assert_eq!(with(ReaderComments::Keep).unwrap_err().to_string(), error);
    }

    #[test]
    fn a_caption_in_the_text_is_kept_unless_a_precision_is_asked_for() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures/site/article/index.html");
        let dom = crate::html::parse_html(&std::fs::read_to_string(page).unwrap());
        let capture = Capture::parsed(dom, Record::parsed("x", None));
        let caption = |min_precision| {
            let cleaned = made(None, min_precision, ReaderComments::Drop)
                .unwrap()
                .clean(&capture)
                .unwrap();
            let mut reports = cleaned.document.targets.into_iter();
            reports
                .find(|report| report.text.starts_with("The Marigold at her berth"))
                .unwrap()
                .decision
        };
        assert_eq!(caption(None).label, Label::Content);
        let strict = caption(Some(0.95));
        assert!(
            strict.probability < 0.5 && strict.label == Label::Boilerplate,
            "{strict:?}"
        );
    }

    #[test]
    fn the_models_that_are_used_unless_one_is_named_tell_comments() {
        for comments in [ReaderComments::Keep, ReaderComments::Separate] {
            assert!(made(None, None, comments).is_ok());
        }
    }
}
