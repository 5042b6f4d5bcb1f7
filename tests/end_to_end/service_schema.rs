//! Tests that the answers of `vclean serve` conform to `/openapi.json`, and that client generators
//! can read it.

use crate::service_client::Service;
use crate::support::fixtures;
use serde_json::{Value, json};

fn article() -> String {
    std::fs::read_to_string(fixtures().join("site/article/index.html")).unwrap()
}

/// Returns the place where a value violates a schema, if any. It knows the keywords that our
/// description uses.
fn fault(value: &Value, schema: &Value, whole: &Value) -> Option<String> {
    let wrong = |what: &str| Some(format!("{value} is not {what} of {schema}"));
    if let Some(name) = schema["$ref"].as_str() {
        return fault(
            value,
            whole.pointer(name.trim_start_matches('#')).unwrap(),
            whole,
        );
    }
    if let Some(choices) = schema["anyOf"].as_array()
        && choices
            .iter()
            .all(|choice| fault(value, choice, whole).is_some())
    {
        return wrong("any");
    }
    assert!(
        schema["oneOf"].is_null() && schema["const"].is_null(),
        "{schema} is not understood here"
    );
    if !schema["type"].is_null() && !types(&schema["type"]).any(|kind| has_type(value, kind)) {
        return wrong("a type");
    }
    if schema["enum"]
        .as_array()
        .is_some_and(|names| !names.contains(value))
    {
        return wrong("a choice");
    }
    let number = |name: &str| schema[name].as_f64();
    if let Some(value) = value.as_f64()
        && (number("minimum").is_some_and(|least| value < least)
            || number("exclusiveMinimum").is_some_and(|least| value <= least)
            || number("maximum").is_some_and(|most| value > most))
    {
        return wrong("in the range");
    }
    match value {
        Value::Array(values) => values
            .iter()
            .find_map(|value| fault(value, &schema["items"], whole)),
        Value::Object(members) => {
            let required = schema["required"].as_array().into_iter().flatten();
            if let Some(missing) = required
                .filter_map(Value::as_str)
                .find(|name| !members.contains_key(*name))
            {
                return Some(format!("{missing} is missing in {value}"));
            }
            members
                .iter()
                .find_map(|(name, value)| match &schema["properties"][name] {
                    Value::Null if schema["additionalProperties"] == false => {
                        Some(format!("{name} is not declared"))
                    }
                    Value::Null => fault(value, &schema["additionalProperties"], whole),
                    declared => fault(value, declared, whole),
                })
        }
        _ => None,
    }
}

fn types(kinds: &Value) -> impl Iterator<Item = &str> {
    kinds.as_str().into_iter().chain(
        kinds
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str),
    )
}

fn has_type(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("{kind} is no type"),
    }
}

/// Collects the schemas below a value that are `true` or `false` instead of objects.
fn boolean_schemas(value: &Value, path: &str, found: &mut Vec<String>) {
    let members = value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), value));
    let items = value
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(at, value)| (at.to_string(), value));
    for (name, below) in members.chain(items) {
        let holds_schemas = ["properties", "anyOf", "allOf", "oneOf", "schemas"]
            .iter()
            .any(|word| path.ends_with(word));
        if below.is_boolean()
            && (holds_schemas || ["items", "schema", "not"].contains(&name.as_str()))
        {
            found.push(format!("{path}/{name}"));
        }
        boolean_schemas(below, &format!("{path}/{name}"), found);
    }
}

#[test]
fn answers_are_what_the_description_says() {
    let service = Service::start(&[]);
    let whole = service.get("/openapi.json").json();
    let response_schema = |path: &str, status: &str, media_type: &str| {
        let answers = &whole["paths"][path]["post"]["responses"];
        answers[status]["content"][media_type]["schema"].clone()
    };
    let engine = if cfg!(feature = "builtin") {
        "builtin"
    } else {
        "none"
    };
    let formats = json!(["text", "markdown", "json", "html", "tei", "csv"]);
    for (request, status) in [
        (json!({ "html": article() }), 200),
        (
            json!({ "html": article(), "id": { "of": [1] }, "formats": formats, "blocks": true, "explain": true }),
            200,
        ),
        (
            json!({ "html": article(), "engine": engine, "blocks": true, "screenshot": engine == "builtin" }),
            200,
        ),
        (
            json!({ "html": crate::reader_comments::page(), "comments": "separate", "formats": ["text", "markdown"] }),
            200,
        ),
        (json!({ "html": "", "url": "https://a.example/" }), 200),
        (json!({}), 400),
        (json!({ "base64": "JVBERi0xLjQ=" }), 415),
    ] {
        let answer = service.post("/v1/clean", &request);
        assert_eq!(answer.status, status, "{}", answer.text());
        let schema = response_schema("/v1/clean", &status.to_string(), "application/json");
        assert!(
            schema.is_object() && fault(&answer.json(), &schema, &whole).is_none(),
            "{:?}",
            fault(&answer.json(), &schema, &whole)
        );
    }
    let lines = [
        json!({ "html": article(), "id": 1 }),
        json!({ "id": [2], "colour": 1 }),
        json!("no object"),
    ];
    let lines = lines.map(|line| line.to_string()).join("\n");
    let answer = service.request(
        "POST",
        "/v1/batch",
        &[("Content-Type", "application/x-ndjson")],
        lines.as_bytes(),
    );
    let schema = response_schema("/v1/batch", "200", "application/x-ndjson");
    let lines: Vec<Value> = answer
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(schema.is_object() && lines.len() == 3, "{}", answer.text());
    for line in &lines {
        assert_eq!(fault(line, &schema, &whole), None);
    }
    let answer = service.post("/v2/scrape", &json!({ "url": "http://10.0.0.1/" }));
    assert_eq!(
        fault(
            &answer.json(),
            &response_schema("/v2/scrape", "403", "application/json"),
            &whole
        ),
        None
    );
    // Values that violate the schema are detected.
    let schema = response_schema("/v1/clean", "200", "application/json");
    assert!(fault(&json!({ "engine": "gecko" }), &schema, &whole).is_some());
}

#[test]
fn the_description_says_what_requests_may_hold() {
    let service = Service::start(&[]);
    let whole = service.get("/openapi.json").json();
    let mut found = Vec::new();
    boolean_schemas(&whole, "", &mut found);
    assert!(found.is_empty(), "{found:?}");
    let clean = &whole["paths"]["/v1/clean"];
    assert!(
        clean["post"]["parameters"].is_null(),
        "a request in JSON has no query"
    );
    let schema = &clean["post"]["requestBody"]["content"]["application/json"]["schema"];
    for (member, value, is_right) in [
        ("timeout_ms", json!(1), true),
        ("timeout_ms", json!(0), false),
        ("min_precision", json!(0.5), true),
        ("min_precision", json!(0), false),
        ("min_precision", json!(1.5), false),
        ("hidden", json!("drop"), true),
        ("hidden", json!("gone"), false),
        ("comments", json!("only"), true),
        ("comments", json!("gone"), false),
        ("targets", json!("fiasco"), true),
        ("targets", json!("gone"), false),
        ("format", json!("markdown"), true),
        ("format", json!("pdf"), false),
        ("formats", json!(["markdown", "text"]), true),
        ("formats", json!(["pdf"]), false),
        ("engine", json!("none"), true),
        ("engine", json!("gecko"), false),
    ] {
        let request = json!({ "html": article(), member: value });
        let told = fault(&request, schema, &whole);
        assert_eq!(told.is_none(), is_right, "{member} {value}: {told:?}");
        let answer = service.post("/v1/clean", &request);
        // With so little time the page fails, but the request is valid.
        assert_eq!(
            answer.status != 400,
            is_right,
            "{member} {value}: {}",
            answer.text()
        );
    }
    let parameters = clean["get"]["parameters"].as_array().unwrap();
    let formats = parameters
        .iter()
        .find(|parameter| parameter["name"] == "formats")
        .unwrap();
    assert_eq!(
        (&formats["schema"]["type"], &formats["explode"]),
        (&json!("array"), &json!(false))
    );
}
