//! Status, results and canceling of jobs: `/v2/crawl/{id}` and `/v2/batch/scrape/{id}` in
//! Firecrawl's format.

use super::job_folder::{Kind, Status};
use super::jobs::{Job, Report};
use super::places::Caller;
use super::problem::Problem;
use super::scrape::{ScrapeProblem, Scraped};
use super::service::Service;
use axum::Json;
use axum::extract::{Extension, Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::SystemTime;

/// The answer to a request that starts a job.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct JobStarted {
    success: bool,
    /// Id of the job, with which its status is requested.
    id: String,
    /// Address of the job's status.
    url: String,
    /// Invalid addresses of a list that were left out, if the request allowed it.
    #[serde(rename = "invalidURLs", skip_serializing_if = "Option::is_none")]
    invalid_urls: Option<Vec<String>>,
}

/// The status of a job, and results of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct JobAnswer {
    success: bool,
    #[schemars(schema_with = "status_schema")]
    status: &'static str,
    /// Number of pages that are known so far.
    total: u64,
    /// Number of pages with a result.
    completed: usize,
    /// Always the same as `completed`; nothing is charged.
    credits_used: usize,
    /// When the results expire.
    expires_at: String,
    /// Address of further results, if there are some now.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// Reason why the job failed, or notes on pages that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    #[schemars(with = "Vec<Scraped>")]
    data: Vec<Box<RawValue>>,
}

fn status_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Status::ALL.map(Status::name) })
}

/// The answer to a request that cancels a job.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Cancelled {
    success: bool,
    #[schemars(schema_with = "status_schema")]
    status: &'static str,
}

/// The pages of a job that have no result.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct JobErrors {
    success: bool,
    errors: Vec<JobError>,
    /// Addresses that robots.txt forbids.
    robots_blocked: Vec<String>,
}

/// A page that has no result.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct JobError {
    id: String,
    timestamp: String,
    url: String,
    /// Cause and remedy, in one line.
    error: String,
}

/// Selects the results of a job.
#[derive(Debug, Default, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct JobQuery {
    /// Number of results to skip.
    skip: usize,
    /// Largest number of results; there are fewer if they are large.
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

impl Kind {
    fn path(self) -> &'static str {
        match self {
            Self::Crawl => "/v2/crawl",
            Self::Batch => "/v2/batch/scrape",
        }
    }
}

/// The address of a job, with the host by which the client reached the service.
fn address(headers: &HeaderMap, job: &Job) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let scheme = if text("x-forwarded-proto") == Some("https") {
        "https"
    } else {
        "http"
    };
    format!(
        "{scheme}://{}{}/{}",
        text(header::HOST.as_str()).unwrap_or_default(),
        job.kind.path(),
        job.id
    )
}

/// The answer to a request that started a job.
pub(super) fn started(
    headers: &HeaderMap,
    job: &Job,
    invalid_urls: Option<Vec<String>>,
) -> JobStarted {
    JobStarted {
        success: true,
        id: job.id.clone(),
        url: address(headers, job),
        invalid_urls,
    }
}

fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

/// The crawls that run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ActiveCrawls {
    success: bool,
    crawls: Vec<ActiveCrawl>,
}

/// A crawl that runs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ActiveCrawl {
    id: String,
    /// Empty: a caller sees the crawls of its own token only.
    team_id: String,
    /// The address that the crawl started from.
    url: String,
}

/// The caller's crawls that run.
pub(super) async fn crawls_active(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Json<ActiveCrawls> {
    let mut crawls = service.jobs.of_caller(caller);
    crawls.retain(|job| job.kind == Kind::Crawl && job.is_running());
    let active = |job: &Arc<Job>| ActiveCrawl {
        id: job.id.clone(),
        team_id: String::new(),
        url: job.start.clone(),
    };
    Json(ActiveCrawls {
        success: true,
        crawls: crawls.iter().map(active).collect(),
    })
}

/// The jobs of a caller, the last one first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct JobList {
    jobs: Vec<JobSummary>,
    /// Number of pages that are in work now, of all callers.
    running: usize,
}

/// A job and how far it is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct JobSummary {
    id: String,
    /// Path of the job's status; with DELETE it is cancelled.
    path: String,
    /// The address that a crawl started from; empty for a list.
    url: String,
    #[schemars(schema_with = "status_schema")]
    status: &'static str,
    /// Number of pages that are known so far.
    total: u64,
    /// Number of pages with a result.
    completed: usize,
    /// Number of pages that failed.
    failed: usize,
    started_at: String,
    expires_at: String,
    warning: Option<String>,
}

/// Lists the jobs of a caller.
pub(super) async fn list(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Json<JobList> {
    let summary = |job: &Arc<Job>| {
        let report = job.report(usize::MAX, None);
        JobSummary {
            id: job.id.clone(),
            path: format!("{}/{}", job.kind.path(), job.id),
            url: job.start.clone(),
            status: report.status.name(),
            total: report.total,
            completed: report.completed,
            failed: report.failed,
            started_at: time(job.begun),
            expires_at: time(report.expires),
            warning: report.warning,
        }
    };
    Json(JobList {
        jobs: service.jobs.of_caller(caller).iter().map(summary).collect(),
        running: service.places.running(),
    })
}

/// The status of a crawl, and results of it.
pub(super) async fn crawl_status(
    service: State<Arc<Service>>,
    caller: Extension<Caller>,
    id: Path<String>,
    query: RawQuery,
    headers: HeaderMap,
) -> Result<Json<JobAnswer>, ScrapeProblem> {
    status(Kind::Crawl, &service, *caller, &id, query, &headers)
}

/// The status of the work on a list of addresses, and results of it.
pub(super) async fn batch_status(
    service: State<Arc<Service>>,
    caller: Extension<Caller>,
    id: Path<String>,
    query: RawQuery,
    headers: HeaderMap,
) -> Result<Json<JobAnswer>, ScrapeProblem> {
    status(Kind::Batch, &service, *caller, &id, query, &headers)
}

fn status(
    kind: Kind,
    service: &Service,
    caller: Caller,
    id: &str,
    RawQuery(query): RawQuery,
    headers: &HeaderMap,
) -> Result<Json<JobAnswer>, ScrapeProblem> {
    let job = service.jobs.find(id, kind, caller)?;
    let JobQuery { skip, limit } = job_query(&query.unwrap_or_default())?;
    let Report {
        status,
        total,
        completed,
        expires,
        warning,
        results,
        next,
        ..
    } = job.report(skip, limit);
    let limit = limit
        .map(|limit| format!("&limit={limit}"))
        .unwrap_or_default();
    Ok(Json(JobAnswer {
        success: true,
        status: status.name(),
        total,
        completed,
        credits_used: completed,
        expires_at: time(expires),
        next: next.map(|next| format!("{}?skip={next}{limit}", address(headers, &job))),
        warning,
        data: results.iter().map(|result| (**result).to_owned()).collect(),
    }))
}

fn job_query(query: &str) -> Result<JobQuery, Problem> {
    let mut found = JobQuery::default();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let number = value
            .parse()
            .map_err(|_| Problem::request(format!("`{name}` is {value}; give a number")));
        match &*name {
            "skip" => found.skip = number?,
            "limit" => found.limit = Some(number?).filter(|limit| *limit > 0),
            _ => {
                return Err(Problem::request(format!(
                    "`{name}` is not supported; use skip and limit"
                )));
            }
        }
    }
    Ok(found)
}

/// Cancels a crawl, if it is running.
pub(super) async fn crawl_cancel(
    service: State<Arc<Service>>,
    caller: Extension<Caller>,
    id: Path<String>,
) -> Result<Json<Cancelled>, ScrapeProblem> {
    cancel(Kind::Crawl, &service, *caller, &id)
}

/// Cancels the work on a list of addresses.
pub(super) async fn batch_cancel(
    service: State<Arc<Service>>,
    caller: Extension<Caller>,
    id: Path<String>,
) -> Result<Json<Cancelled>, ScrapeProblem> {
    cancel(Kind::Batch, &service, *caller, &id)
}

fn cancel(
    kind: Kind,
    service: &Service,
    caller: Caller,
    id: &str,
) -> Result<Json<Cancelled>, ScrapeProblem> {
    let job = service.jobs.find(id, kind, caller)?;
    if !service.jobs.cancel(&job) {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            "the job has ended already; nothing is to be cancelled",
        )
        .into());
    }
    Ok(Json(Cancelled {
        success: true,
        status: Status::Cancelled.name(),
    }))
}

/// The pages of a crawl that have no result.
pub(super) async fn crawl_errors(
    service: State<Arc<Service>>,
    caller: Extension<Caller>,
    id: Path<String>,
) -> Result<Json<JobErrors>, ScrapeProblem> {
    errors(Kind::Crawl, &service, *caller, &id)
}

/// The addresses of a list that have no result.
pub(super) async fn batch_errors(
    service: State<Arc<Service>>,
    caller: Extension<Caller>,
    id: Path<String>,
) -> Result<Json<JobErrors>, ScrapeProblem> {
    errors(Kind::Batch, &service, *caller, &id)
}

fn errors(
    kind: Kind,
    service: &Service,
    caller: Caller,
    id: &str,
) -> Result<Json<JobErrors>, ScrapeProblem> {
    let errors = service.jobs.find(id, kind, caller)?.errors();
    let (blocked, failed): (Vec<_>, Vec<_>) = errors.into_iter().partition(|error| error.is_robots);
    let shown = (1_usize..).zip(failed).map(|(number, error)| JobError {
        id: number.to_string(),
        timestamp: time(error.time),
        url: error.url,
        error: error.cause,
    });
    Ok(Json(JobErrors {
        success: true,
        errors: shown.collect(),
        robots_blocked: blocked.into_iter().map(|error| error.url).collect(),
    }))
}
