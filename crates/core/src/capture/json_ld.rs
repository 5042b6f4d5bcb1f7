//! Structured data in scripts (JSON-LD of schema.org): finds the scripts and parses them.
//!
//! Imports only the tree: features, metadata and posts all read these scripts.

use super::dom::Dom;
use super::node::NodeId;
use serde_json::Value;

/// Largest size of a script that is read, in bytes.
const MAX_SCRIPT_BYTES: usize = 1 << 20;

/// True if the script's type is `application/ld+json`.
pub(crate) fn is_json_ld(dom: &Dom, script: NodeId) -> bool {
    let kind = dom.attribute(script, "type").unwrap_or("").trim();
    kind.get(.."application/ld+json".len())
        .is_some_and(|start| start.eq_ignore_ascii_case("application/ld+json"))
}

/// Parses a script as JSON. Raw line breaks within strings are accepted although JSON forbids them.
/// `serde_json` limits the nesting.
pub(crate) fn parse(script: &str) -> Option<Value> {
    if script.len() > MAX_SCRIPT_BYTES {
        return None;
    }
    let script = script.trim().trim_end_matches(';');
    let is_broken = || script.bytes().any(|byte| byte.is_ascii_control());
    serde_json::from_str(script).ok().or_else(|| {
        let whole = is_broken().then(|| script.replace(|c: char| c.is_ascii_control(), " "))?;
        serde_json::from_str(&whole).ok()
    })
}

/// The first type of an object of structured data.
pub(crate) fn type_of(value: &Value) -> Option<&str> {
    let kind = value.get("@type")?;
    let kind = kind
        .as_str()
        .or_else(|| kind.as_array()?.first()?.as_str())?;
    kind.rsplit(['/', ':']).next()
}
