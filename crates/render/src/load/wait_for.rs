//! Conditions to wait for before a page is captured, as text: `selector:CSS`, `text:WORDS`,
//! `time:2s`, `idle`.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Longest selector or text, in bytes.
const MAX_BYTES: usize = 2_000;
/// Longest time to wait for. The page's time limit may end it earlier.
const MAX_TIME: Duration = Duration::from_mins(10);
/// Maximum number of conditions for a page.
const MAX_CONDITIONS: usize = 16;

/// A condition to wait for before a page is captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitFor {
    /// An element that matches this CSS selector.
    Selector(String),
    /// These words in the text that the page shows; white space counts as one space.
    Text(String),
    /// This much time after loading.
    Time(Duration),
    /// A network that has been silent for half a second.
    Idle,
}

impl fmt::Display for WaitFor {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selector(selector) => write!(to, "selector:{selector}"),
            Self::Text(text) => write!(to, "text:{text}"),
            Self::Time(time) => write!(to, "time:{}ms", time.as_millis()),
            Self::Idle => to.write_str("idle"),
        }
    }
}

impl FromStr for WaitFor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let text: String = text.chars().take(100).collect();
            format!(
                "invalid value {text} for `wait_for`; name selector:CSS, text:WORDS, time:2s, time:500ms or idle"
            )
        };
        if text.trim() == "idle" {
            return Ok(Self::Idle);
        }
        let (kind, value) = text.split_once(':').ok_or_else(wrong)?;
        let value = value.trim();
        if value.is_empty() || value.len() > MAX_BYTES {
            return Err(wrong());
        }
        match kind.trim() {
            "selector" => Ok(Self::Selector(value.to_owned())),
            "text" => Ok(Self::Text(value.to_owned())),
            "time" => time(value).map(Self::Time).ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }
}

/// Parses a time in seconds or milliseconds, above 0 and at most [`MAX_TIME`].
fn time(text: &str) -> Option<Duration> {
    let (number, unit_s) = match text.strip_suffix("ms") {
        Some(number) => (number, 0.001),
        None => (text.strip_suffix('s')?, 1.0),
    };
    let time = Duration::try_from_secs_f64(number.trim().parse::<f64>().ok()? * unit_s).ok()?;
    (!time.is_zero() && time <= MAX_TIME).then_some(time)
}

impl<'de> Deserialize<'de> for WaitFor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

/// Reads a list of conditions, or a single one.
///
/// # Errors
/// If one is invalid, or there are more than [`MAX_CONDITIONS`].
pub(super) fn one_or_many<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<WaitFor>, D::Error> {
    struct Conditions;

    impl<'de> Visitor<'de> for Conditions {
        type Value = Vec<WaitFor>;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(
                to,
                "at most {MAX_CONDITIONS} conditions for `wait_for`, such as selector:CSS or idle"
            )
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok(vec![text.parse().map_err(E::custom)?])
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut conditions = Vec::new();
            while let Some(condition) = list.next_element()? {
                conditions.push(condition);
                if conditions.len() > MAX_CONDITIONS {
                    return Err(A::Error::invalid_length(conditions.len(), &self));
                }
            }
            Ok(conditions)
        }
    }

    deserializer.deserialize_any(Conditions)
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for WaitFor {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WaitFor".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^(selector:.+|text:.+|time:[0-9.]+m?s|idle)$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_written_as_they_are_read() {
        for text in [
            "selector:#list > li:nth-child(2)",
            "text:All: done",
            "time:1500ms",
            "idle",
        ] {
            assert_eq!(text.parse::<WaitFor>().unwrap().to_string(), text);
        }
        assert_eq!("time:2s".parse(), Ok(WaitFor::Time(Duration::from_secs(2))));
        assert_eq!(
            " time : 0.5 s ".parse(),
            Ok(WaitFor::Time(Duration::from_millis(500)))
        );
    }

    #[test]
    fn what_is_no_condition_is_named() {
        let long = format!("text:{}", "x".repeat(3000));
        for text in [
            "",
            "#list",
            "selector:",
            "text: ",
            "time:2",
            "time:-1s",
            "time:0s",
            "time:NaNs",
            "time:1e9s",
            "x:y",
            &long,
        ] {
            let error = text.parse::<WaitFor>().unwrap_err();
            assert!(
                error.contains("`wait_for`") && error.contains("selector:CSS") && error.len() < 300,
                "{error}"
            );
        }
    }
}
