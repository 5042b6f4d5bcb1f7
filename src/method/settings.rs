//! The settings of a method: a model file, and parameters by name.

use crate::error::ModelError;

/// A parameter of a method.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name, as in `name=value`.
    pub name: &'static str,
    /// Its default value.
    pub default: &'static str,
    /// The allowed values.
    pub allowed: Allowed,
    /// What it does, and the source of the default value.
    pub about: &'static str,
}

/// The allowed values of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Allowed {
    /// A number from the first to the second.
    Number(f64, f64),
    /// A whole number from the first to the second.
    Whole(u32, u32),
    /// A word that the test accepts, and how such words are described.
    Word(fn(&str) -> bool, &'static str),
}

impl Allowed {
    fn accepts(self, value: &str) -> bool {
        match self {
            Self::Number(low, high) => value.parse::<f64>().is_ok_and(|number| (low..=high).contains(&number)),
            Self::Whole(low, high) => value.parse::<u32>().is_ok_and(|number| (low..=high).contains(&number)),
            Self::Word(accepts, _) => accepts(value),
        }
    }

    /// The values in words.
    pub fn describe(self) -> String {
        match self {
            Self::Number(low, high) => format!("a number from {low} to {high}"),
            Self::Whole(low, high) => format!("a whole number from {low} to {high}"),
            Self::Word(_, description) => description.to_owned(),
        }
    }
}

/// The settings of a method that the user gave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MethodSettings {
    /// A built-in name or a file; `None` takes the method's own.
    pub model: Option<String>,
    /// Names and values.
    pub values: Vec<(String, String)>,
    /// Whether a model may decide on captures of another engine than those it learned from.
    pub any_engine: bool,
}

impl MethodSettings {
    /// Reads parameters such as `threshold=0.5`.
    ///
    /// # Errors
    /// If one has no `=`.
    pub fn parse<S: AsRef<str>>(model: Option<String>, parameters: &[S]) -> Result<Self, ModelError> {
        let pair = |text: &S| {
            text.as_ref()
                .split_once('=')
                .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
                .ok_or_else(|| ModelError::Setting(format!("{} is no parameter; write NAME=VALUE", text.as_ref())))
        };
        Ok(Self { model, values: parameters.iter().map(pair).collect::<Result<_, _>>()?, any_engine: false })
    }

    /// Checks that all settings are among the `parameters` of `method`, and in range.
    ///
    /// # Errors
    /// If one is not.
    pub(super) fn check(&self, method: &str, parameters: &[Parameter]) -> Result<(), ModelError> {
        for (name, value) in &self.values {
            let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else {
                let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(ModelError::Setting(format!("method {method} has no parameter {name}; it has {known}")));
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

    /// The value of a parameter: the last one set, or the default.
    pub(super) fn word<'a>(&'a self, parameter: &'a Parameter) -> &'a str {
        let set = self.values.iter().rev().find(|(name, _)| name == parameter.name);
        set.map_or(parameter.default, |(_, value)| value)
    }

    /// The value of a parameter that is a number.
    pub(super) fn number(&self, parameter: &Parameter) -> f64 {
        self.word(parameter).parse().expect("settings are checked before a method is made")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_and_the_last_value_is_used() {
        let depth = Parameter { name: "depth", default: "2", allowed: Allowed::Whole(1, 5), about: "levels" };
        assert_eq!(MethodSettings::default().number(&depth), 2.0);
        let settings = MethodSettings::parse(None, &["depth=3", " depth = 4 "]).unwrap();
        assert_eq!((settings.number(&depth), settings.word(&depth)), (4.0, "4"));
        assert!(MethodSettings::parse(None, &["depth"]).unwrap_err().to_string().contains("NAME=VALUE"));
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
