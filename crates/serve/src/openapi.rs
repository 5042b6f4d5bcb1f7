//! The description of the interface, in OpenAPI 3.1, made from the table of endpoints.

use super::endpoint::Endpoint;
use super::problem::{ProblemAnswer, STATUSES};
use axum::Json;
use axum::extract::Extension;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The description, made once.
#[derive(Clone)]
pub(super) struct Description(Arc<Value>);

/// Answers with the description.
pub(super) async fn serve(Extension(Description(description)): Extension<Description>) -> Json<Value> {
    Json(Value::clone(&description))
}

impl Description {
    /// The description of these endpoints.
    pub(super) fn new(endpoints: &[Endpoint]) -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        let mut generator = SchemaGenerator::new(settings);
        let problem = generator.subschema_for::<ProblemAnswer>();
        let mut paths: Map<String, Value> = Map::new();
        for endpoint in endpoints {
            let operation = operation(endpoint, &mut generator, problem.as_value());
            let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
            path[endpoint.method.as_str().to_ascii_lowercase()] = operation;
        }
        Self(Arc::new(json!({
            "openapi": "3.1.0",
            "info": {
                "title": "vclean", "version": env!("CARGO_PKG_VERSION"),
                "description": "Cleans web pages by looking at them: renders, measures and classifies every text block, and writes the text \
                                without the boilerplate.",
                "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            },
            "servers": [{ "url": "/" }],
            "paths": paths,
            "components": {
                "schemas": generator.take_definitions(true),
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            },
        })))
    }
}

/// An endpoint as OpenAPI describes it.
fn operation(endpoint: &Endpoint, generator: &mut SchemaGenerator, problem: &Value) -> Value {
    let (media_type, schema) = endpoint.answer;
    let media_type = media_type.split(';').next().unwrap_or_default();
    let failed = |text: &str| json!({ "description": text, "content": { "application/json": { "schema": problem } } });
    let mut operation = json!({
        "summary": endpoint.doc,
        "operationId": name(endpoint),
        "responses": {
            "200": { "description": "the answer", "content": { media_type: { "schema": schema(generator) } } },
            "default": failed("why there is no answer"),
        },
    });
    if !endpoint.is_open {
        // A service on the loopback interface needs no token.
        operation["security"] = json!([{ "token": [] }, {}]);
    }
    let takes_pages = endpoint.query.is_some() || endpoint.body.is_some();
    for (status, text) in STATUSES.iter().filter(|_| takes_pages) {
        operation["responses"][status.to_string()] = failed(text);
    }
    if let Some(query) = endpoint.query {
        operation["parameters"] = parameters(query(generator).as_value());
    }
    if let Some((media_types, schema)) = endpoint.body {
        let whole = schema(generator);
        let content = media_types.iter().enumerate().map(|(position, media_type)| {
            let schema = if position == 0 { whole.as_value().clone() } else { json!({ "type": "string" }) };
            ((*media_type).to_owned(), json!({ "schema": schema }))
        });
        operation["requestBody"] = json!({ "required": true, "content": content.collect::<Map<_, _>>() });
    }
    operation
}

/// A name such as `post_v1_clean`.
fn name(endpoint: &Endpoint) -> String {
    let words = endpoint.path.split(['/', '.']).filter(|word| !word.is_empty());
    std::iter::once(endpoint.method.as_str().to_ascii_lowercase())
        .chain(words.map(str::to_owned))
        .collect::<Vec<_>>()
        .join("_")
}

/// The members of an object as parameters of the query.
fn parameters(object: &Value) -> Value {
    let members = object["properties"].as_object().cloned().unwrap_or_default();
    let parameter = |(name, mut schema): (String, Value)| {
        let text = schema.as_object_mut().and_then(|schema| schema.remove("description")).unwrap_or_default();
        json!({ "name": name, "in": "query", "required": false, "description": text, "schema": schema })
    };
    members.into_iter().map(parameter).collect()
}

#[cfg(test)]
mod tests {
    use super::super::endpoints::ENDPOINTS;
    use super::*;
    use std::collections::BTreeSet;

    /// All values of `$ref` in a document.
    fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|value| references(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_endpoint_is_described_and_every_reference_leads_somewhere() {
        let Description(document) = Description::new(ENDPOINTS);
        let mut names = BTreeSet::new();
        for endpoint in ENDPOINTS {
            let operation = &document["paths"][endpoint.path][endpoint.method.as_str().to_ascii_lowercase()];
            assert_eq!(operation["summary"], endpoint.doc);
            assert!(names.insert(operation["operationId"].as_str()), "{}", endpoint.path);
            let takes_pages = endpoint.body.is_some() || endpoint.query.is_some();
            assert_eq!(operation["responses"]["403"].is_object(), takes_pages, "{}", endpoint.path);
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(!parameter["description"].as_str().unwrap_or_default().is_empty(), "{parameter}");
            }
        }
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(found.len() > 3, "{found:?}");
        for reference in found {
            assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference} is nowhere");
        }
    }
}
