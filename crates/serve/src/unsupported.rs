//! Members of Firecrawl's interface that are not supported. They are refused by name, unless their
//! value asks for nothing or for what is done anyway.

use super::problem::Problem;
use serde_json::{Map, Value};

/// A member of a request that is not supported, unless its value is harmless.
pub(super) struct UnsupportedField {
    pub(super) name: &'static str,
    /// Accepts values that ask for nothing, or for what is done anyway.
    pub(super) is_harmless: fn(&Value) -> bool,
    /// The remedy, in the error message about any other value.
    pub(super) advice: &'static str,
}

/// Unsupported members of Firecrawl's interface.
pub(super) const UNSUPPORTED: &[UnsupportedField] = &[
    UnsupportedField {
        name: "location",
        is_harmless: is_nothing,
        advice: "pages are loaded from where the service runs; leave it out",
    },
    UnsupportedField {
        name: "proxy",
        is_harmless: |value| is_nothing(value) || value == "auto" || value == "basic",
        advice: "pages are loaded directly; use auto or basic",
    },
    UnsupportedField {
        name: "skipTlsVerification",
        is_harmless: is_nothing,
        advice: "certificates are always checked; leave it out",
    },
    UnsupportedField {
        name: "parsers",
        is_harmless: is_nothing,
        advice: "only HTML is read; leave it out",
    },
    UnsupportedField {
        name: "removeBase64Images",
        is_harmless: |value| value.is_null() || value == true,
        advice: "Markdown has no pictures; leave it out",
    },
    UnsupportedField {
        name: "minAge",
        is_harmless: is_nothing,
        advice: "pages are not kept; leave it out",
    },
    UnsupportedField {
        name: "lockdown",
        is_harmless: is_nothing,
        advice: "pages are not kept; leave it out",
    },
    UnsupportedField {
        name: "fastMode",
        is_harmless: is_nothing,
        advice: "pages are always loaded in full; leave it out",
    },
    UnsupportedField {
        name: "useMock",
        is_harmless: is_nothing,
        advice: "pages are always loaded; leave it out",
    },
    // See `is_stored`; the text of advertisements is dropped anyway.
    UnsupportedField {
        name: "storeInCache",
        is_harmless: is_anything,
        advice: "",
    },
    UnsupportedField {
        name: "zeroDataRetention",
        is_harmless: is_anything,
        advice: "",
    },
    UnsupportedField {
        name: "blockAds",
        is_harmless: is_anything,
        advice: "",
    },
    // These members name the client.
    UnsupportedField {
        name: "integration",
        is_harmless: is_anything,
        advice: "",
    },
    UnsupportedField {
        name: "origin",
        is_harmless: is_anything,
        advice: "",
    },
];

pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.values().all(is_nothing),
        Value::Bool(true) => false,
    }
}

pub(super) fn is_anything(_: &Value) -> bool {
    true
}

/// Refuses members that ask for what is not done, and members that are not known. `owner` says
/// whose members they are.
pub(super) fn check_members(
    members: &Map<String, Value>,
    known: &[UnsupportedField],
    owner: &str,
) -> Result<(), Problem> {
    for (name, value) in members {
        match known.iter().find(|known| known.name == name) {
            Some(known) if (known.is_harmless)(value) => {}
            Some(UnsupportedField { advice, .. }) => {
                return Err(Problem::request(format!(
                    "`{name}`{owner} is not supported with this value: {advice}"
                )));
            }
            None if value.is_null() => {}
            None => {
                return Err(Problem::request(format!(
                    "`{name}`{owner} is not supported; leave it out"
                )));
            }
        }
    }
    Ok(())
}
