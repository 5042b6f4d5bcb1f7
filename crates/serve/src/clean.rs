//! `/v1/clean`: one page in, one answer out. `/v1/batch`: JSON lines in, one line of JSON out for
//! each, in the same order, while the request is still being sent. A batch ends when its client
//! hangs up.

use super::body::{self, CLIENT_GONE, Line};
use super::cleaned::{CleanAnswer, Cleaned};
use super::exchange::{End, Exchange, Streamed};
use super::log::REQUEST_ID;
use super::options::Limits;
use super::places::{Admitted, Caller};
use super::problem::Problem;
use super::request::{CleanRequest, Job, from_query};
use super::service::Service;
use super::tag::tagged;
use super::work;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt, stream};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use vclean_core::error::ErrorKind;

/// Media types of JSON lines; none is registered.
pub(super) const LINE_TYPES: [&str; 3] = [
    "application/x-ndjson",
    "application/jsonl",
    "application/x-jsonlines",
];
/// Size of a batch's answers that may wait for a client which sends all lines before it reads the
/// first answer, in kB. If there are more, the batch waits for the client. Heuristic: the text of
/// some ten thousand pages.
const WAITING_KB: usize = 32 << 10;
/// Number of pages of a batch per place that are begun or wait for an earlier one.
const AHEAD: usize = 2;
/// Longest time in which a client may read nothing while [`WAITING_KB`] of answers wait. After it
/// the batch ends.
const READ_LIMIT: Duration = Duration::from_mins(5);

/// Cleans the page at an address.
pub(super) async fn get(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let admitted = service.admit(caller, false)?;
    let answer = answer(&service, admitted, from_query(&query.unwrap_or_default())?).await?;
    let mut response = tagged(&headers, answer.bytes);
    add_age(&mut response, answer.age);
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    Ok(response)
}

/// Cleans the page that the request contains or names.
pub(super) async fn post(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let bytes = service.read(caller, body).await?;
    let admitted = service.admit(caller, false)?;
    let request = body::clean_request(&headers, &query.unwrap_or_default(), &bytes)?;
    drop(bytes);
    let answer = answer(&service, admitted, request).await?;
    let json = HeaderValue::from_static("application/json");
    let mut response = ([(header::CONTENT_TYPE, json)], answer.bytes).into_response();
    add_age(&mut response, answer.age);
    Ok(response)
}

/// An answer, with its age if it comes from the cache.
pub(super) struct Aged {
    pub(super) bytes: Bytes,
    age: Option<Duration>,
}

/// Adds the header with the age of an answer, if it comes from the cache.
fn add_age(response: &mut Response, age: Option<Duration>) {
    if let Some(age) = age {
        response
            .headers_mut()
            .insert(header::AGE, HeaderValue::from(age.as_secs()));
    }
}

async fn answer(
    service: &Arc<Service>,
    admitted: Arc<Admitted>,
    request: CleanRequest,
) -> Result<Aged, Problem> {
    let key = request.key().filter(|_| service.cache.is_on());
    let max_age = Duration::from_secs(request.max_age);
    let job = request.check(&service.cleaners, service.defaults())?;
    if let Some(key) = &key
        && let Some((bytes, age)) = service.kept_answer(key, max_age).await
    {
        return Ok(Aged {
            bytes,
            age: Some(age),
        });
    }
    let bytes = Bytes::from(work::run(service, admitted, job, to_json).await?);
    if let Some(key) = key {
        service.keep_answer(key, bytes.clone()).await;
    }
    Ok(Aged { bytes, age: None })
}

fn to_json(cleaned: Cleaned, mut job: Job) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(&cleaned.answer(&mut job)?).map_err(|_| Problem::fault())
}

/// An answer that waits for the client.
struct Waiting {
    line: Bytes,
    _room: OwnedSemaphorePermit,
}

/// Cleans the pages of a batch.
pub(super) async fn post_batch(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    Extension(exchange): Extension<Exchange>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let media_type = body::media_type(&headers);
    if !LINE_TYPES.contains(&media_type.as_str()) {
        let cause = format!(
            "the content type is none of {}; name one of these",
            LINE_TYPES.join(", ")
        );
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, cause));
    }
    let Limits { pace, .. } = service.options.limits;
    let mut lines = Box::pin(body::lines(body, service.options.max_body_bytes, pace).fuse());
    // The batch is admitted when the first line has arrived, so that slow senders take no places.
    let first = tokio::time::timeout(pace.limit, lines.next())
        .await
        .unwrap_or_else(|_| Some(Err(body::too_slow())));
    if let Some(Err(problem)) = &first
        && problem.status == StatusCode::REQUEST_TIMEOUT
    {
        return Err(problem.clone());
    }
    let lines = stream::iter(first).chain(lines);
    let admitted = service.admit(caller, true)?;
    let (sender, receiver) = mpsc::unbounded_channel();
    let id = REQUEST_ID.try_with(Clone::clone).unwrap_or_default();
    tokio::spawn(REQUEST_ID.scope(id, async move {
        let _running = service.metrics.begin_batch();
        let end = send_answers(&service, admitted, lines, sender).await;
        exchange.end(&service, end);
    }));
    let answers = stream::unfold(
        receiver,
        |mut receiver: mpsc::UnboundedReceiver<Waiting>| async {
            let Waiting { line, .. } = receiver.recv().await?;
            Some((Ok::<_, Infallible>(line), receiver))
        },
    );
    let kind = HeaderValue::from_static(LINE_TYPES[0]);
    Ok((
        [(header::CONTENT_TYPE, kind)],
        Extension(Streamed),
        Body::from_stream(answers),
    )
        .into_response())
}

/// Works on the lines and sends the answers. If the client hangs up, the receiver is gone, and the
/// work in progress is dropped with this future.
async fn send_answers(
    service: &Arc<Service>,
    admitted: Arc<Admitted>,
    lines: impl Stream<Item = Line>,
    sender: mpsc::UnboundedSender<Waiting>,
) -> End {
    let ahead = AHEAD * service.options.jobs;
    let answers = lines.map(|line| answer_line(service, &admitted, line));
    let mut answers = pin!(answers.buffered(ahead));
    let room = Arc::new(Semaphore::new(WAITING_KB));
    let (pages, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = async {
        while let Some(Answered { line, failure }) = answers.next().await {
            service.metrics.count_batch_page();
            pages.fetch_add(1, Ordering::Relaxed);
            failed.fetch_add(usize::from(failure.is_some()), Ordering::Relaxed);
            if failure == Some(CLIENT_GONE) {
                return failure;
            }
            let kb = (line.len() >> 10).clamp(1, WAITING_KB) as u32;
            let waited =
                tokio::time::timeout(READ_LIMIT, Arc::clone(&room).acquire_many_owned(kb)).await;
            let Ok(Ok(room)) = waited else {
                return Some("slow_client");
            };
            if sender
                .send(Waiting {
                    line: line.into(),
                    _room: room,
                })
                .is_err()
            {
                return Some(CLIENT_GONE);
            }
        }
        sender.is_closed().then_some(CLIENT_GONE)
    };
    let reason = tokio::select! {
        reason = work => reason,
        () = sender.closed() => Some(CLIENT_GONE),
    };
    if reason.is_some() {
        service.metrics.count_cancelled();
    }
    let pages = (
        pages.load(Ordering::Relaxed),
        failed.load(Ordering::Relaxed),
    );
    End {
        status: StatusCode::OK.as_u16(),
        reason,
        pages: Some(pages),
    }
}

/// The answer to a line.
struct Answered {
    line: Vec<u8>,
    /// Reason for the log if there is no result.
    failure: Option<&'static str>,
}

/// The `id` of a line, even if the line is not a valid request.
#[derive(Deserialize)]
struct LineId {
    #[serde(default)]
    id: Value,
}

/// The answer to a line of a batch that has no result.
#[derive(Debug, Serialize, JsonSchema)]
struct LineProblem {
    /// The `id` of the line; null if it has none.
    id: Value,
    /// Cause and remedy, in one line.
    error: String,
    /// Kind of error, if the page failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::problem::kind_schema")]
    kind: Option<ErrorKind>,
    /// The status that a request for this page alone would have.
    status: u16,
}

/// The schema of a line of an answer.
pub(super) fn line_schema(generator: &mut SchemaGenerator) -> Schema {
    let lines = [
        generator.subschema_for::<CleanAnswer>(),
        generator.subschema_for::<LineProblem>(),
    ];
    json_schema!({ "anyOf": lines })
}

/// The answer to a line.
async fn answer_line(service: &Arc<Service>, admitted: &Arc<Admitted>, line: Line) -> Answered {
    let mut id = Value::Null;
    let cleaned = async {
        if service.stop.is_set() {
            return Err(Problem::stopping());
        }
        let line = line?;
        id = serde_json::from_slice::<LineId>(&line)
            .map(|LineId { id }| id)
            .unwrap_or_default();
        let request: CleanRequest = body::json(&line)?;
        let job = CleanRequest {
            id: Some(id.clone()),
            ..request
        }
        .check(&service.cleaners, service.defaults())?;
        work::run(service, Arc::clone(admitted), job, to_json).await
    };
    let (mut line, failure) = match cleaned.await {
        Ok(line) => (line, None),
        Err(Problem {
            status,
            cause,
            kind,
            reason,
            ..
        }) => {
            service.metrics.count_failure(reason);
            service.log.failure(status.as_u16(), reason);
            let problem = LineProblem {
                id,
                error: cause,
                kind,
                status: status.as_u16(),
            };
            (
                serde_json::to_vec(&problem).unwrap_or_default(),
                Some(reason),
            )
        }
    };
    line.push(b'\n');
    Answered { line, failure }
}
