//! What an endpoint is: its path, how it is documented, and who answers.

use super::service::Service;
use axum::http::Method;
use axum::routing::MethodRouter;
use schemars::{Schema, SchemaGenerator};
use std::sync::Arc;

/// Makes the schema of a body, of its parameters or of its answer.
pub(super) type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

/// An endpoint.
pub(super) struct Endpoint {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// What it does, in one line.
    pub(super) doc: &'static str,
    /// Whether it needs no token.
    pub(super) is_open: bool,
    /// Whether requests are logged; those of monitors would fill the log.
    pub(super) is_logged: bool,
    /// The parameters of its query: the members of an object.
    pub(super) query: Option<MakeSchema>,
    /// The media types of the request, and the schema of the first one.
    pub(super) body: Option<(&'static [&'static str], MakeSchema)>,
    /// The media type of the answer, and its schema.
    pub(super) answer: (&'static str, MakeSchema),
    /// Who answers.
    pub(super) route: fn(&Arc<Service>) -> MethodRouter<Arc<Service>>,
}

/// The schema of plain text.
pub(super) fn text(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<String>()
}

/// The schema of any JSON value.
pub(super) fn any(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<serde_json::Value>()
}
