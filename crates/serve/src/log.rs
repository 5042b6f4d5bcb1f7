//! The log: one JSON object per line on standard error, or elsewhere in tests. It never holds content or addresses of pages,
//! nor tokens.

use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

tokio::task_local! {
    /// The id of the request that the current task works on.
    pub(super) static REQUEST_ID: String;
}

/// The id of a request, for tasks that others start for it.
#[derive(Debug, Clone)]
pub(super) struct RequestId(pub(super) String);

/// Where the log is written.
pub(super) struct Log(Mutex<Box<dyn Write + Send>>);

/// What is written about a request.
pub(super) struct Served<'a> {
    pub(super) id: &'a str,
    pub(super) method: &'a str,
    /// The path of the endpoint, without the query.
    pub(super) path: &'a str,
    pub(super) status: u16,
    pub(super) duration_ms: u64,
    pub(super) client: String,
}

impl Log {
    /// A log on standard error.
    pub(super) fn standard_error() -> Self {
        Self(Mutex::new(Box::new(std::io::stderr())))
    }

    fn write(&self, mut entry: Value) {
        let time = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        entry["time"] = time.into();
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // An error of the log itself cannot be reported anywhere.
        let _ = writeln!(out, "{entry}").and_then(|()| out.flush());
    }

    /// What the operator should know about the service.
    pub(super) fn note(&self, text: &str) {
        self.write(json!({ "level": "info", "message": text }));
    }

    /// A request that was answered.
    pub(super) fn served(&self, served: &Served<'_>) {
        let Served { id, method, path, status, duration_ms, client } = served;
        self.write(json!({
            "level": if *status >= 500 { "warn" } else { "info" }, "message": "request", "id": id, "method": method,
            "path": path, "status": status, "duration_ms": duration_ms, "client": client,
        }));
    }

    /// A fault of the program, with the id of the request that it belongs to.
    pub(super) fn fault(&self, cause: &str) {
        let id = REQUEST_ID.try_with(Clone::clone).unwrap_or_default();
        self.write(json!({ "level": "error", "message": "fault", "id": id, "cause": cause }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn entries_are_lines_of_json_with_the_id_of_the_request() {
        let buffer = Buffer::default();
        let log = Log(Mutex::new(Box::new(buffer.clone())));
        REQUEST_ID.sync_scope("a1".to_owned(), || log.fault("line one\nline two"));
        log.note("started");
        let text = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.len(), &lines[0]["id"], &lines[1]["message"]), (2, &"a1".into(), &"started".into()));
        assert!(lines[0]["time"].as_str().unwrap().ends_with('Z'));
    }
}
