//! The routes of the server: the function for each request.

use super::error::AnnotateError;
use super::guard::Guard;
use super::history::Action;
use super::journal::Entry;
use super::messages::{
    ChangesAnswer, ChangesRequest, DoneAnswer, DoneRequest, ErrorAnswer, PageAnswer, ProjectAnswer,
    TabAnswer, TabRequest, feedback,
};
use super::page_state::{PageState, Refused};
use super::picture::tile;
use super::prepared::PreparedPage;
use super::project::Project;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use vclean_run::web_guard;

/// Largest body of a request, in bytes: a change of all blocks of the largest page takes about 4
/// MB.
const MAX_BODY_BYTES: usize = 8 << 20;
/// Longest active time between two changes that is believed, in seconds.
const MAX_SECONDS: f64 = 86_400.0;

/// State that all requests share.
pub(super) struct Service {
    pub(super) project: Project,
    pub(super) guard: Guard,
    pub(super) tabs: Tabs,
    /// Called with the address for another window, each time one was opened.
    pub(super) on_new_address: Box<dyn Fn(&str) + Send + Sync>,
}

type Shared = State<Arc<Service>>;
type Answer = Result<Response, Problem>;

pub(super) fn router(service: Arc<Service>) -> Router {
    let mut router = Router::new()
        .route("/api/project", get(project))
        .route("/api/pages/{page}", get(page))
        .route("/api/pages/{page}/tiles/{tile}", get(page_tile))
        .route("/api/pages/{page}/blocks/{block}/text", get(block_text))
        .route("/api/pages/{page}/changes", post(changes))
        .route("/api/pages/{page}/done", post(done))
        .route("/api/pages/{page}/tab", post(tab));
    for asset in assets() {
        router = router.route(
            &asset.path(),
            get(move || async move { content(asset.content_type, asset.content) }),
        );
    }
    let nothing = || async {
        Problem::not_found("there is nothing at this address; the labelling page is at /")
    };
    router
        .fallback(nothing)
        .method_not_allowed_fallback(|| async {
            Problem::Status(
                StatusCode::METHOD_NOT_ALLOWED,
                "this address takes another method".to_owned(),
            )
        })
        .layer(from_fn_with_state(Arc::clone(&service), guarded))
        .with_state(service)
}

/// Lets only requests of opened windows through, and exchanges the token for a cookie.
async fn guarded(State(service): Shared, request: Request, next: Next) -> Response {
    let guard = &service.guard;
    if let Some(objection) = guard.objection(request.method(), request.headers()) {
        return with_headers(refused(objection));
    }
    if request.uri().path() == "/"
        && let Some(token) = request
            .uri()
            .query()
            .and_then(|query| query.strip_prefix("token="))
    {
        return with_headers(open_window(
            &service,
            token,
            guard.has_session(request.headers()),
        ));
    }
    if !guard.has_session(request.headers()) {
        return with_headers(refused(NO_WINDOW));
    }
    with_headers(next.run(request).await)
}

const NO_WINDOW: &str = "this window was not opened with the address that vclean lab annotate printed, or the program was \
                         started again since; open the address that it printed last";

fn refused(cause: &'static str) -> Response {
    (
        StatusCode::FORBIDDEN,
        content("text/plain; charset=utf-8", format!("{cause}\n")),
    )
        .into_response()
}

fn open_window(service: &Service, token: &str, is_open: bool) -> Response {
    let to_page = [(header::LOCATION, "/")];
    match service.guard.open_session(token) {
        Some(session) => {
            (service.on_new_address)(&service.guard.address());
            let name = service.guard.cookie_name();
            let cookie = format!("{name}={session}; HttpOnly; SameSite=Strict; Path=/");
            (
                StatusCode::SEE_OTHER,
                to_page,
                [(header::SET_COOKIE, cookie)],
            )
                .into_response()
        }
        // The address was opened again in the browser that has the cookie.
        None if is_open => (StatusCode::SEE_OTHER, to_page).into_response(),
        None => refused(
            "this address was used already, or is wrong; vclean lab annotate printed a new one when it was used, open that one",
        ),
    }
}

/// Does work that may read or write files, apart from the threads that serve connections.
async fn blocking(
    service: Arc<Service>,
    work: impl FnOnce(&Service) -> Answer + Send + 'static,
) -> Answer {
    match tokio::task::spawn_blocking(move || work(&service)).await {
        Ok(answer) => answer,
        Err(_) => Err(Problem::Status(
            StatusCode::INTERNAL_SERVER_ERROR,
            "this page cannot be handled; label another one, and report the page".to_owned(),
        )),
    }
}

/// Reads a body of JSON.
async fn body<T: DeserializeOwned>(body: Body) -> Result<T, Problem> {
    let bytes = to_bytes(body, MAX_BODY_BYTES).await.map_err(|_| {
        let cause = format!(
            "the request is larger than {MAX_BODY_BYTES} bytes; label fewer blocks at once"
        );
        Problem::Status(StatusCode::PAYLOAD_TOO_LARGE, cause)
    })?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Problem::bad_request(format!("the request cannot be read: {error}")))
}

/// A number in an address.
fn number(text: &str, what: &str, count: usize) -> Result<usize, Problem> {
    let missing = || {
        Problem::not_found(format!(
            "there is no {what} {text}; there are {count}, from 0"
        ))
    };
    text.parse()
        .ok()
        .filter(|number| *number < count)
        .ok_or_else(missing)
}

async fn project(State(service): Shared) -> Answer {
    blocking(service, |service| {
        Ok(json(StatusCode::OK, &ProjectAnswer::new(&service.project)?))
    })
    .await
}

/// Calls `work` with a page that is ready to be labelled.
fn with_page(
    service: &Service,
    page: &str,
    work: impl FnOnce(&Project, usize, &PreparedPage, &mut PageState) -> Answer,
) -> Answer {
    let project = &service.project;
    let number = number(page, "page", project.pages().len())?;
    let prepared = project
        .open(number)
        .map_err(|error| Problem::Status(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
    let mut state = project.pages()[number].state();
    let Some(state) = state.as_mut() else {
        return Err(Problem::not_found("the page has no labels; reload it"));
    };
    work(project, number, &prepared, state)
}

async fn page(State(service): Shared, Path(page): Path<String>) -> Answer {
    blocking(service, move |service| {
        with_page(service, &page, |project, number, prepared, state| {
            let lessons = project.lessons(prepared);
            let answer = PageAnswer::new(
                project,
                number,
                prepared,
                state.history(),
                lessons.as_deref(),
            );
            Ok(json(StatusCode::OK, &answer))
        })
    })
    .await
}

async fn page_tile(State(service): Shared, Path((page, strip)): Path<(String, String)>) -> Answer {
    blocking(service, move |service| {
        let project = &service.project;
        let number = number(&page, "page", project.pages().len())?;
        let prepared = project.open(number)?;
        let missing = || Problem::not_found(format!("the page has no strip {strip}"));
        let png = tile(&prepared, strip.parse().map_err(|_| missing())?).map_err(|error| {
            Problem::Status(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
        })?;
        Ok(content("image/png", png.ok_or_else(missing)?))
    })
    .await
}

async fn block_text(State(service): Shared, Path((page, block)): Path<(String, String)>) -> Answer {
    blocking(service, move |service| {
        let project = &service.project;
        let prepared = project.open(number(&page, "page", project.pages().len())?)?;
        let block = number(&block, "block", prepared.blocks.len())?;
        Ok(content(
            "text/plain; charset=utf-8",
            prepared.blocks[block].text.clone(),
        ))
    })
    .await
}

async fn changes(State(service): Shared, Path(page): Path<String>, sent: Body) -> Answer {
    let request: ChangesRequest = body(sent).await?;
    blocking(service, move |service| {
        with_page(service, &page, |project, number, prepared, state| {
            check_revision(request.revision, state)?;
            if matches!(request.action, Action::Done { .. }) {
                return Err(Problem::bad_request(
                    "a page is finished at the address that ends in /done",
                ));
            }
            let entry = entry(request.action, request.seconds, request.keys);
            let changed = project.act(number, state, &entry)?;
            let told = project
                .lessons(prepared)
                .map(|lessons| match &entry.action {
                    Action::Set { changes } => feedback(&lessons, changes),
                    _ => Vec::new(),
                });
            Ok(json(
                StatusCode::OK,
                &ChangesAnswer::new(project, state.history(), &changed, told),
            ))
        })
    })
    .await
}

async fn done(State(service): Shared, Path(page): Path<String>, sent: Body) -> Answer {
    let request: DoneRequest = body(sent).await?;
    blocking(service, move |service| {
        let mut answer = None;
        let found = with_page(service, &page, |project, number, _, state| {
            check_revision(request.revision, state)?;
            let undecided = state.history().undecided();
            if request.done && undecided > 0 {
                let cause = format!("{undecided} blocks are still in dispute; decide them first");
                return Err(Problem::Status(StatusCode::UNPROCESSABLE_ENTITY, cause));
            }
            let entry = entry(
                Action::Done { done: request.done },
                request.seconds,
                request.keys,
            );
            let written = project.set_done(number, state, &entry)?;
            answer = Some((number, state.history().revision(), written));
            Ok(StatusCode::OK.into_response())
        });
        let Some((number, revision, written)) = answer else {
            return found;
        };
        // Other pages are looked at only after the labels of this one are free again.
        let next = service.project.next_after(number);
        Ok(json(
            StatusCode::OK,
            &DoneAnswer {
                done: request.done,
                revision,
                written,
                next,
            },
        ))
    })
    .await
}

async fn tab(State(service): Shared, Path(page): Path<String>, sent: Body) -> Answer {
    let request: TabRequest = body(sent).await?;
    let number = number(&page, "page", service.project.pages().len())?;
    let others = service.tabs.report(number, &request.tab, Instant::now());
    Ok(json(StatusCode::OK, &TabAnswer { others }))
}

fn check_revision(shown: u64, state: &PageState) -> Result<(), Problem> {
    let current = state.history().revision();
    if shown == current {
        Ok(())
    } else {
        Err(Problem::Outdated(current))
    }
}

fn entry(action: Action, seconds: f64, keys: u64) -> Entry {
    let at_s = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let seconds = if seconds.is_finite() {
        seconds.clamp(0.0, MAX_SECONDS)
    } else {
        0.0
    };
    Entry {
        action,
        seconds,
        keys,
        at_s,
    }
}

// Answers of the server, with the headers that all of them have.

/// Restricts the page to resources of this server, without inline scripts or styles.
pub(super) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Adds the headers of every answer.
pub(super) fn with_headers(mut response: Response) -> Response {
    response
        .headers_mut()
        .extend(web_guard::headers(CONTENT_SECURITY_POLICY));
    response
}

/// An answer with a body of any type.
pub(super) fn content(content_type: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, content_type)], body.into()).into_response()
}

/// An answer in JSON.
pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    let body = serde_json::to_vec(value).expect("answers have string keys and finite numbers");
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Reason why a request was not done.
#[derive(Debug)]
pub(super) enum Problem {
    /// With a status and the cause.
    Status(StatusCode, String),
    /// The window shows another revision than the current one.
    Outdated(u64),
}

impl Problem {
    /// A request that makes no sense.
    pub(super) fn bad_request(cause: impl Into<String>) -> Self {
        Self::Status(StatusCode::BAD_REQUEST, cause.into())
    }

    /// Something that does not exist.
    pub(super) fn not_found(cause: impl Into<String>) -> Self {
        Self::Status(StatusCode::NOT_FOUND, cause.into())
    }
}

impl From<AnnotateError> for Problem {
    fn from(error: AnnotateError) -> Self {
        Self::Status(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Objection(cause) => Self::bad_request(cause),
            Refused::Storing(error) => error.into(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, error, revision) = match self {
            Self::Status(status, error) => (status, error, None),
            Self::Outdated(revision) => {
                let error =
                    "another window changed this page; its labels are loaded again".to_owned();
                (StatusCode::CONFLICT, error, Some(revision))
            }
        };
        json(status, &ErrorAnswer { error, revision })
    }
}

// The files of the labelling page, compiled in.

/// A file that the browser loads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asset {
    /// Its name in `js/annotate/`.
    pub(super) name: &'static str,
    pub(super) content_type: &'static str,
    pub(super) content: &'static str,
}

/// All files, the page itself at `/`.
pub(super) fn assets() -> impl Iterator<Item = Asset> {
    vclean_js::ANNOTATE.iter().map(|&(name, content)| {
        let content_type = match name.rsplit_once('.') {
            Some((_, "html")) => "text/html; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => "text/javascript; charset=utf-8",
        };
        Asset {
            name,
            content_type,
            content,
        }
    })
}

impl Asset {
    /// Its path, with the slash before it.
    pub(super) fn path(&self) -> String {
        if self.name == "index.html" {
            "/".to_owned()
        } else {
            format!("/{}", self.name)
        }
    }
}

// Tracks which windows show which page, so that a person is warned about a second one.

/// A window that has not reported for this long is closed; an open one reports every five seconds.
const GONE_AFTER: Duration = Duration::from_secs(12);
/// Largest number of windows that are remembered.
const MAX_TABS: usize = 1000;
/// Longest name of a window, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// The windows that reported lately.
#[derive(Debug, Default)]
pub(super) struct Tabs {
    seen: Mutex<FxHashMap<(usize, String), Instant>>,
}

impl Tabs {
    /// Notes that `tab` shows a page, and returns how many other windows do.
    pub(super) fn report(&self, page: usize, tab: &str, now: Instant) -> usize {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, at| now.saturating_duration_since(*at) < GONE_AFTER);
        let own = (page, tab.chars().take(MAX_NAME_BYTES).collect::<String>());
        let others = seen
            .keys()
            .filter(|other| other.0 == page && **other != own)
            .count();
        if seen.len() < MAX_TABS {
            seen.insert(own, now);
        }
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_of_the_folder_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../js/annotate");
        let there: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| format!("/{}", entry.unwrap().file_name().to_string_lossy()))
            .map(|path| {
                if path == "/index.html" {
                    "/".to_owned()
                } else {
                    path
                }
            })
            .collect();
        let served: BTreeSet<String> = assets().map(|asset| asset.path()).collect();
        assert_eq!(served, there);
    }

    #[test]
    fn other_windows_on_the_page_are_counted_while_they_report() {
        let tabs = Tabs::default();
        let start = Instant::now();
        assert_eq!(tabs.report(0, "a", start), 0);
        assert_eq!(tabs.report(0, "b", start), 1);
        assert_eq!(tabs.report(1, "c", start), 0);
        assert_eq!(tabs.report(0, "a", start + Duration::from_secs(10)), 1);
        assert_eq!(tabs.report(0, "a", start + Duration::from_secs(13)), 0);
    }
}
