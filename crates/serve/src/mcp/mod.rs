//! Tools for language models, over the Model Context Protocol.
//!
//! `tools` is the table of tools, `arguments` what each takes, and `handler` speaks the protocol.

mod arguments;
mod handler;
mod tools;

use super::options::ServeError;
use super::service::Service;
use handler::Handler;
use rmcp::service::ServiceExt;
use rmcp::transport::io::stdio_pipes;
use std::sync::Arc;

pub(super) use handler::over_http;

/// Serves one client on standard input and output, until it closes its end or the service is told to stop.
///
/// # Errors
/// If the client does not speak the protocol.
pub(super) async fn over_standard_io(service: &Arc<Service>) -> Result<(), ServeError> {
    let broken = |error: &dyn std::fmt::Display| ServeError::Standard(error.to_string());
    let serve = async {
        let running = Handler(Arc::clone(service)).serve(stdio_pipes()).await.map_err(|error| broken(&error))?;
        running.waiting().await.map_err(|error| broken(&error))?;
        Ok(())
    };
    tokio::select! {
        served = serve => served,
        () = service.stop.wait() => Ok(()),
    }
}
