//! The description of the tools' arguments, with the keywords of JSON Schema that all clients know.

use super::tools::{MoreOptions, Tool};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The arguments of a tool.
pub(super) fn schema(tool: &Tool) -> Map<String, Value> {
    plain(&(tool.arguments)(&mut generator()))
}

/// The options that tools take in the argument `options`.
pub(super) fn options() -> Map<String, Value> {
    plain(&generator().into_root_schema_for::<MoreOptions>())
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(without_null));
    SchemaGenerator::new(settings)
}

/// A schema without what models do not need.
fn plain(schema: &Schema) -> Map<String, Value> {
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    for name in ["$schema", "title", "description"] {
        schema.remove(name);
    }
    schema
}

/// Removes `null` from the types of arguments, because clients that translate schemas for their
/// model allow only one type per argument. `null` is still accepted, and means that the argument is
/// left out.
fn without_null(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [name] = &types[..] {
            let name = name.clone();
            schema.insert("type".to_owned(), name);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| *choice != json!({"type": "null"}));
        if let [Value::Object(choice)] = &choices[..] {
            let choice = choice.clone();
            schema.remove("anyOf");
            for (name, value) in choice {
                schema.entry(name).or_insert(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tools::TOOLS;
    use super::*;

    /// Returns true if `null` is allowed as a value anywhere in a schema.
    fn names_null(value: &Value) -> bool {
        match value {
            Value::Array(values) => values
                .iter()
                .any(|value| value == "null" || names_null(value)),
            Value::Object(members) => {
                members.get("type").is_some_and(|name| name == "null")
                    || members.values().any(names_null)
            }
            Value::Null => true,
            _ => false,
        }
    }

    #[test]
    fn every_argument_has_one_type() {
        for tool in TOOLS {
            let schema = Value::Object(schema(tool));
            assert!(!names_null(&schema), "{}: {schema:#}", tool.name);
            assert!(
                schema["properties"]
                    .as_object()
                    .is_some_and(|properties| !properties.is_empty()),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn descriptions_of_tools_are_short_and_those_of_options_are_elsewhere() {
        let told: usize = TOOLS
            .iter()
            .map(|tool| tool.doc.len() + Value::Object(schema(tool)).to_string().len())
            .sum();
        assert!(told < 4096, "{told} bytes");
        assert!(options()["properties"]["wait_for"]["description"].is_string());
    }

    #[test]
    fn what_else_a_schema_says_stays() {
        let after = |value: Value| {
            let mut schema = Schema::try_from(value).unwrap();
            without_null(&mut schema);
            schema.to_value()
        };
        for (before, expected) in [
            (
                json!({"type": ["string", "null"], "default": null}),
                json!({"type": "string"}),
            ),
            (
                json!({"type": ["string", "integer"]}),
                json!({"type": ["string", "integer"]}),
            ),
            (json!({"enum": ["a", null]}), json!({"enum": ["a"]})),
            (
                json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "description": "b"}),
                json!({"$ref": "#/$defs/A", "description": "b"}),
            ),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
                json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
            ),
        ] {
            assert_eq!(after(before), expected);
        }
    }
}
