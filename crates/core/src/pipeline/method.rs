//! The interface of a cleaning method: its input, settings and result. Our own method and the
//! published ones implement it.

use super::cleaned_page::CleanedPage;
use crate::capture::Capture;
use crate::classify::Model;
use crate::error::{Error, ModelError};
use std::borrow::Cow;
use std::cell::OnceCell;

/// The kind of input that a method uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// The source or the tree of the page.
    Source,
    /// The rendered page, if it was rendered.
    Rendering,
}

/// A method for cleaning pages.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// The name of the method on the command line.
    pub name: &'static str,
    /// A description of the method, in one sentence.
    pub about: &'static str,
    /// Author, year and section of the publication.
    pub source: &'static str,
    /// Year in which the method was published.
    pub year: u16,
    /// The kind of input that the method uses.
    pub sees: Sees,
    /// The parameters that users can set.
    pub parameters: &'static [Parameter],
    /// True if the method learns from gold text: `train` can make a model for it, and one is built
    /// in.
    pub learns: bool,
    /// Prepares the method for pages; `settings` have been checked by [`Method::ready`].
    pub make: fn(&MethodSettings) -> Result<Box<dyn CleanPage>, ModelError>,
}

/// A method that is ready for pages. It is created once and used by many threads.
pub trait CleanPage: Send + Sync {
    /// Cleans one page. The same page gives the same result.
    ///
    /// # Errors
    /// If the page exceeds a limit, or the method cannot use it.
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error>;

    /// The model that decides on a capture; `None` for a method without one.
    ///
    /// # Errors
    /// If the model was trained on captures of another engine.
    fn model(&self, _capture: &Capture) -> Result<Option<&Model>, Error> {
        Ok(None)
    }
}

impl Method {
    /// Prepares the method for pages.
    ///
    /// # Errors
    /// If a parameter is unknown or out of range, or the method cannot use the given model.
    pub fn ready(&self, settings: &MethodSettings) -> Result<Box<dyn CleanPage>, ModelError> {
        settings.check(self.name, self.parameters)?;
        if settings.model.is_some() && !self.learns {
            return Err(ModelError::Setting(format!(
                "method {} learns nothing and takes no model",
                self.name
            )));
        }
        (self.make)(settings)
    }
}

/// A page to be cleaned.
#[derive(Debug)]
pub struct Input<'a> {
    /// The tree of the page, with boxes and pictures if it was rendered.
    pub capture: &'a Capture,
    source: OnceCell<Cow<'a, str>>,
}

impl<'a> Input<'a> {
    /// Combines a capture with its decoded source text, if there is one.
    pub fn new(capture: &'a Capture, source: Option<&'a str>) -> Self {
        Self {
            capture,
            source: source
                .map(|source| OnceCell::from(Cow::Borrowed(source)))
                .unwrap_or_default(),
        }
    }

    /// The source text as published. If only the tree is known (rendered pages and archives), it is
    /// the tree written as HTML; its line breaks are then those of the text nodes.
    pub fn source(&self) -> &str {
        self.source
            .get_or_init(|| Cow::Owned(self.capture.dom.to_html()))
    }
}

/// A parameter of a method.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The name of the parameter, as in `name=value`.
    pub name: &'static str,
    /// The default, written like a value that the user sets.
    pub default: &'static str,
    /// The values that a user may set.
    pub allowed: Allowed,
    /// A description of the parameter, and the source of the default value.
    pub about: &'static str,
}

/// The allowed values of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Allowed {
    /// A number in this range, both ends included.
    Number(f64, f64),
    /// A whole number in this range, both ends included.
    Whole(u32, u32),
    /// A word that the test accepts, and a description of such words.
    Word(fn(&str) -> bool, &'static str),
}

impl Allowed {
    fn accepts(self, value: &str) -> bool {
        match self {
            Self::Number(low, high) => value
                .parse::<f64>()
                .is_ok_and(|number| (low..=high).contains(&number)),
            Self::Whole(low, high) => value
                .parse::<u32>()
                .is_ok_and(|number| (low..=high).contains(&number)),
            Self::Word(accepts, _) => accepts(value),
        }
    }

    /// A description of the values in words.
    pub fn describe(self) -> String {
        match self {
            Self::Number(low, high) => format!("a number from {low} to {high}"),
            Self::Whole(low, high) => format!("a whole number from {low} to {high}"),
            Self::Word(_, description) => description.to_owned(),
        }
    }
}

/// The settings of a method as given by the user.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MethodSettings {
    /// A built-in name or a file; `None` for the method's own model.
    pub model: Option<String>,
    /// Names and values of parameters; the last value of a name counts.
    pub values: Vec<(String, String)>,
    /// True if a model may decide on captures of other engines than those it was trained on.
    pub any_engine: bool,
}

impl MethodSettings {
    /// Reads parameters such as `threshold=0.5`.
    ///
    /// # Errors
    /// If a parameter has no `=`.
    pub fn parse<S: AsRef<str>>(
        model: Option<String>,
        parameters: &[S],
    ) -> Result<Self, ModelError> {
        let pair = |text: &S| {
            text.as_ref()
                .split_once('=')
                .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
                .ok_or_else(|| {
                    ModelError::Setting(format!(
                        "{} is no parameter; write NAME=VALUE",
                        text.as_ref()
                    ))
                })
        };
        Ok(Self {
            model,
            values: parameters.iter().map(pair).collect::<Result<_, _>>()?,
            any_engine: false,
        })
    }

    /// Checks that all settings are among the `parameters` of `method`, and in range.
    ///
    /// # Errors
    /// If a setting is unknown or out of range.
    fn check(&self, method: &str, parameters: &[Parameter]) -> Result<(), ModelError> {
        for (name, value) in &self.values {
            let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else {
                let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
                let known = if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                };
                return Err(ModelError::Setting(format!(
                    "method {method} has no parameter {name}; it has {known}"
                )));
            };
            if !parameter.allowed.accepts(value) {
                return Err(ModelError::Setting(format!(
                    "{name} is {value}, allowed is {}",
                    parameter.allowed.describe()
                )));
            }
        }
        Ok(())
    }

    /// The value of a parameter: the last one that was set, or the default.
    pub fn word<'a>(&'a self, parameter: &'a Parameter) -> &'a str {
        let set = self
            .values
            .iter()
            .rev()
            .find(|(name, _)| name == parameter.name);
        set.map_or(parameter.default, |(_, value)| value)
    }

    /// The value of a numeric parameter.
    pub fn number(&self, parameter: &Parameter) -> f64 {
        self.word(parameter)
            .parse()
            .expect("settings are checked before a method is made")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Body, Page, parse};

    #[test]
    fn the_source_is_given_or_written_from_the_tree() {
        let html = "<p class=x>a\nb<br>c &amp; d</p><!-- gone -->";
        let body = Body::html(html);
        let capture = parse(&Page::new("x", body)).unwrap();
        assert_eq!(Input::new(&capture, Some(html)).source(), html);
        let written = "<html><head></head><body><p class=\"x\">a\nb<br>c &amp; d</p></body></html>";
        assert_eq!(Input::new(&capture, None).source(), written);
    }

    #[test]
    fn parameters_are_read_and_the_last_value_is_used() {
        let depth = Parameter {
            name: "depth",
            default: "2",
            allowed: Allowed::Whole(1, 5),
            about: "levels",
        };
        assert_eq!(MethodSettings::default().number(&depth), 2.0);
        let settings = MethodSettings::parse(None, &["depth=3", " depth = 4 "]).unwrap();
        assert_eq!((settings.number(&depth), settings.word(&depth)), (4.0, "4"));
        assert!(
            MethodSettings::parse(None, &["depth"])
                .unwrap_err()
                .to_string()
                .contains("NAME=VALUE")
        );
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let word = Allowed::Word(|word| word == "en", "a language");
        for (allowed, value, is_in) in [
            (Allowed::Whole(1, 5), "5", true),
            (Allowed::Whole(1, 5), "6", false),
            (Allowed::Whole(1, 5), "2.5", false),
            (Allowed::Number(0.0, 1.0), "0.25", true),
            (Allowed::Number(0.0, 1.0), "nan", false),
            (word, "en", true),
            (word, "xx", false),
        ] {
            assert_eq!(allowed.accepts(value), is_in, "{value}");
        }
    }
}
