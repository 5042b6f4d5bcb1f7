//! Actions performed in a page before it is captured: a list in JSON, in Firecrawl's format.

use super::secret::Secret;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::path::Path;
use std::str::FromStr;
use vclean_core::files::open_regular;

/// Maximum number of actions for a page.
const MAX_ACTIONS: usize = 50;
/// Longest selector or text, in bytes.
const MAX_BYTES: usize = 10_000;
/// Longest time that an action waits, in ms. The page's time limit may end it earlier.
const MAX_WAIT_MS: u64 = 600_000;
/// Largest file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// One step in a page, such as a click; `type` names it in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Action {
    /// Clicks the first element that matches a CSS selector, as soon as there is one.
    Click {
        /// CSS selector, of 1 to 10,000 bytes.
        selector: String,
        /// True to click all matching elements one after the other, up to 100.
        #[serde(default, deserialize_with = "or_default")]
        all: bool,
    },
    /// Types a text into an element, or into the one that has the focus.
    Write {
        /// Text of 1 to 10,000 bytes, possibly a password; it is never logged.
        text: Secret,
        /// The selector of the element.
        #[serde(default)]
        selector: Option<String>,
    },
    /// Presses and releases a key.
    Press {
        /// Name of the key in any case, such as Enter, Tab, Escape, ArrowDown or a.
        key: String,
    },
    /// Scrolls the page, or an element, by most of its visible height.
    Scroll {
        /// Direction of the scrolling, down by default.
        #[serde(default, deserialize_with = "or_default")]
        direction: Direction,
        /// The selector of the element.
        #[serde(default)]
        selector: Option<String>,
    },
    /// Waits for some time, or for an element.
    Wait {
        /// The time in ms, at most 600,000.
        #[serde(default)]
        milliseconds: Option<u64>,
        /// The selector of the element.
        #[serde(default)]
        selector: Option<String>,
    },
}

/// Reads a value, or null for the default.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Direction in which an action scrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Toward the end of the page or element.
    #[default]
    Down,
    /// Toward the beginning of the page or element.
    Up,
}

/// A key of the keyboard, as Chromium's `Input.dispatchKeyEvent` describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// Value of `KeyboardEvent.key` in scripts.
    pub(crate) name: String,
    /// Physical key, `KeyboardEvent.code` in scripts.
    pub(crate) code: String,
    /// Windows virtual key code, 0 if unknown.
    pub(crate) number: u32,
    /// Text that the key types, if any.
    pub(crate) text: Option<String>,
}

/// Keys with names: name and number as in the UI Events standard, and the text that they type.
const KEYS: &[(&str, u32, Option<&str>)] = &[
    ("Enter", 13, Some("\r")),
    ("Tab", 9, None),
    ("Escape", 27, None),
    ("Backspace", 8, None),
    ("Delete", 46, None),
    ("ArrowUp", 38, None),
    ("ArrowDown", 40, None),
    ("ArrowLeft", 37, None),
    ("ArrowRight", 39, None),
    ("Home", 36, None),
    ("End", 35, None),
    ("PageUp", 33, None),
    ("PageDown", 34, None),
];

impl Key {
    /// Returns the key with this name, in any case, or the key for a single character.
    pub(crate) fn named(name: &str) -> Option<Self> {
        if let Some(&(key, number, text)) = KEYS
            .iter()
            .find(|(known, ..)| known.eq_ignore_ascii_case(name))
        {
            return Some(Self {
                name: key.into(),
                code: key.into(),
                number,
                text: text.map(str::to_owned),
            });
        }
        let is_space = name.eq_ignore_ascii_case("space");
        let character = if is_space {
            Some(' ')
        } else {
            name.chars().next().filter(|_| name.chars().count() == 1)
        }?;
        let upper = character.to_ascii_uppercase();
        let code = match upper {
            ' ' => "Space".to_owned(),
            'A'..='Z' => format!("Key{upper}"),
            '0'..='9' => format!("Digit{upper}"),
            _ => String::new(),
        };
        let number = if upper.is_ascii_alphanumeric() || upper == ' ' {
            u32::from(upper)
        } else {
            0
        };
        let is_written = !character.is_control();
        is_written.then(|| Self {
            name: character.to_string(),
            code,
            number,
            text: Some(character.to_string()),
        })
    }
}

impl Action {
    /// Name of the action in messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Click { .. } => "click",
            Self::Write { .. } => "write",
            Self::Press { .. } => "press",
            Self::Scroll { .. } => "scroll",
            Self::Wait { .. } => "wait",
        }
    }

    fn check(&self) -> Result<(), String> {
        let selector = match self {
            Self::Click { selector, .. } => Some(selector),
            Self::Write { selector, .. }
            | Self::Scroll { selector, .. }
            | Self::Wait { selector, .. } => selector.as_ref(),
            Self::Press { .. } => None,
        };
        if selector.is_some_and(|selector| selector.trim().is_empty() || selector.len() > MAX_BYTES)
        {
            return Err(format!("`selector` has 1 to {MAX_BYTES} bytes"));
        }
        match self {
            Self::Write { text, .. }
                if text.reveal().is_empty() || text.reveal().len() > MAX_BYTES =>
            {
                Err(format!("`text` has 1 to {MAX_BYTES} bytes"))
            }
            Self::Press { key } if Key::named(key).is_none() => {
                let names: Vec<&str> = KEYS.iter().map(|(name, ..)| *name).collect();
                Err(format!(
                    "there is no `key` of this name; name Space, a character, {}",
                    names.join(", ")
                ))
            }
            Self::Wait {
                milliseconds,
                selector,
            } if milliseconds.is_some() == selector.is_some() => {
                Err("one of `milliseconds` and `selector` is needed".to_owned())
            }
            Self::Wait {
                milliseconds: Some(ms),
                ..
            } if *ms > MAX_WAIT_MS => Err(format!("`milliseconds` is at most {MAX_WAIT_MS}")),
            _ => Ok(()),
        }
    }
}

/// At most 50 actions, performed in this order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Actions(Vec<Action>);

impl Actions {
    /// Returns the actions in order.
    pub fn list(&self) -> &[Action] {
        &self.0
    }

    fn from_json(values: Vec<Value>) -> Result<Self, String> {
        if values.len() > MAX_ACTIONS {
            return Err(format!(
                "`actions` has more than {MAX_ACTIONS} of them; leave some out"
            ));
        }
        let read = |(index, value): (usize, Value)| {
            let action = serde_json::from_value::<Action>(value).map_err(|error| error.to_string());
            let checked = action.and_then(|action| action.check().map(|()| action));
            checked.map_err(|cause| format!("number {} of `actions` is wrong: {cause}", index + 1))
        };
        values
            .into_iter()
            .enumerate()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl<'de> Deserialize<'de> for Actions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Option::<Vec<Value>>::deserialize(deserializer)?.unwrap_or_default();
        Self::from_json(values).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Actions {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Actions".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let action = generator.subschema_for::<Action>();
        schemars::json_schema!({ "type": "array", "items": action, "maxItems": MAX_ACTIONS })
    }
}

/// Parses an argument of the command line: a list in JSON, or the name of a file with one.
impl FromStr for Actions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim_start().starts_with('[') {
            let values = serde_json::from_str(text)
                .map_err(|error| format!("`actions` are no JSON: {error}"))?;
            return Self::from_json(values);
        }
        let unread = |cause: String| format!("cannot read `actions` in {text}: {cause}");
        let file = open_regular(Path::new(text)).map_err(|error| unread(error.to_string()))?;
        let json = std::io::read_to_string(std::io::Read::take(file, MAX_FILE_BYTES));
        let json = json.map_err(|error| unread(error.to_string()))?;
        let values = serde_json::from_str(&json)
            .map_err(|error| unread(format!("it is no list in JSON: {error}")))?;
        Self::from_json(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_read_from_json_and_from_files() {
        let json = r##"[
            {"type": "click", "selector": "#more"}, {"type": "write", "text": "hunter2", "selector": "input"},
            {"type": "press", "key": "ENTER"}, {"type": "scroll", "direction": "up"}, {"type": "scroll"},
            {"type": "wait", "milliseconds": 500, "selector": null}, {"type": "wait", "selector": "#done"},
            {"type": "click", "selector": "a", "all": null}, {"type": "scroll", "direction": null}
        ]"##;
        let actions: Actions = json.parse().unwrap();
        let names: Vec<&str> = actions.list().iter().map(Action::name).collect();
        assert_eq!(
            names,
            [
                "click", "write", "press", "scroll", "scroll", "wait", "wait", "click", "scroll"
            ]
        );
        assert!(
            !format!("{actions:?}").contains("hunter2"),
            "what is typed may be a password"
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("actions.json");
        std::fs::write(&file, json).unwrap();
        assert_eq!(file.to_str().unwrap().parse(), Ok(actions));
        assert!(
            "nowhere.json"
                .parse::<Actions>()
                .unwrap_err()
                .contains("nowhere.json")
        );
        assert_eq!(
            serde_json::from_str::<Actions>("null").unwrap(),
            Actions::default()
        );
    }

    #[test]
    fn what_is_not_done_is_refused_by_name() {
        for (action, cause) in [
            (r#"{"type": "screenshot"}"#, "screenshot"),
            (
                r#"{"type": "executeJavascript", "script": "x"}"#,
                "executeJavascript",
            ),
            (r#"{"type": "scroll", "amount": 500}"#, "amount"),
            (r#"{"type": "click"}"#, "selector"),
            (
                r#"{"type": "click", "selector": " "}"#,
                "`selector` has 1 to",
            ),
            (r#"{"type": "write", "text": ""}"#, "`text` has 1 to"),
            (r#"{"type": "press", "key": "Hyper"}"#, "there is no `key`"),
            (
                r#"{"type": "wait"}"#,
                "one of `milliseconds` and `selector`",
            ),
            (
                r#"{"type": "wait", "milliseconds": 1, "selector": "p"}"#,
                "one of `milliseconds` and `selector`",
            ),
            (
                r#"{"type": "wait", "milliseconds": 700000}"#,
                "at most 600000",
            ),
        ] {
            let error = format!(r#"[{{"type": "scroll"}}, {action}]"#)
                .parse::<Actions>()
                .unwrap_err();
            assert!(
                error.contains("number 2 of `actions`") && error.contains(cause),
                "{error}"
            );
        }
        let many = format!("[{}]", vec![r#"{"type": "scroll"}"#; 51].join(","));
        assert!(
            many.parse::<Actions>()
                .unwrap_err()
                .contains("more than 50")
        );
    }

    #[test]
    fn keys_have_names_in_any_case_or_are_characters() {
        let named = |name: &str| Key::named(name).map(|key| (key.name, key.code, key.number));
        assert_eq!(named("ENTER"), Some(("Enter".into(), "Enter".into(), 13)));
        assert_eq!(
            named("arrowdown"),
            Some(("ArrowDown".into(), "ArrowDown".into(), 40))
        );
        assert_eq!(named("a"), Some(("a".into(), "KeyA".into(), 65)));
        assert_eq!(named("Space"), Some((" ".into(), "Space".into(), 32)));
        assert_eq!((named(""), named("ab"), named("\n")), (None, None, None));
    }
}
