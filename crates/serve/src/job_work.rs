//! The work of a job: its pages in order, some at the same time, each loaded and cleaned as in
//! `/v2/scrape`. It ends when there are no more pages, when the job is canceled, when its time is
//! over or when the service stops.

use super::job_folder::{DonePage, Found, PageError, Status};
use super::jobs::{Job, MAX_TIME};
use super::places::Admitted;
use super::problem::Problem;
use super::scrape::{self, ScrapeRequest};
use super::service::Service;
use super::webhook::{Event, Hook};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};
use url::Url;
use vclean_run::crawl::{Frontier, Target, Visit};

/// Longest time for reading the sitemaps of a site. Heuristic: enough for some hundred files.
const SITEMAP_LIMIT: Duration = Duration::from_mins(10);

/// The pages of a job.
pub(super) enum Pages {
    /// The pages of a site, which a crawl finds.
    Site(Arc<Frontier>),
    /// The addresses of a list with their numbers, the last one first.
    List(Vec<(usize, String)>),
}

/// A job that begins.
pub(super) struct Work {
    pub(super) service: Arc<Service>,
    pub(super) job: Arc<Job>,
    /// The place of the job in the queue.
    pub(super) admitted: Arc<Admitted>,
    pub(super) pages: Pages,
    /// The options of each page.
    pub(super) options: Map<String, Value>,
    /// Largest number of pages at the same time.
    pub(super) at_once: usize,
    /// Pause after each page.
    pub(super) delay: Duration,
    /// Pages of a crawl that an earlier service has done, by their address.
    pub(super) known: HashMap<String, Found>,
    /// The webhook that is told of the job.
    pub(super) hook: Option<Hook>,
}

/// Notes of a crawl, with its options as Firecrawl names them.
pub(super) fn for_clients(notes: Vec<String>) -> Vec<String> {
    notes
        .into_iter()
        .map(|note| note.replace("`max_pages`", "`limit`"))
        .collect()
}

/// A page of a job that was worked on.
struct Done {
    /// The number of the page in its list, or its address in a crawl.
    key: String,
    url: String,
    found: Option<Found>,
    /// `Ok(None)` for a page that is left out.
    result: Result<Option<Arc<RawValue>>, Problem>,
}

type Page = Pin<Box<dyn Future<Output = Done> + Send>>;

impl Work {
    /// Begins the work, which continues in the background.
    pub(super) fn begin(self) {
        tokio::spawn(async move {
            let (service, job) = (Arc::clone(&self.service), Arc::clone(&self.job));
            let hook = self.hook.clone();
            let site = match &self.pages {
                Pages::Site(frontier) => Some(Arc::clone(frontier)),
                Pages::List(_) => None,
            };
            let ended = tokio::select! {
                ended = tokio::time::timeout(MAX_TIME, self.run()) => Some(ended.unwrap_or_else(|_| {
                    (Status::Failed, Some("it took too long; crawl less at a time".to_owned()))
                })),
                () = job.stop.wait() => Some((Status::Cancelled, None)),
                // The next service continues the job.
                () = service.stop.wait() => (!service.jobs.has_folder()).then(|| {
                    (Status::Failed, Some("the service is stopping; start it again".to_owned()))
                }),
            };
            if let Some((status, warning)) = ended {
                service.jobs.end(&job, status, warning.clone());
                if let Some(hook) = hook {
                    hook.tell(Event::Ended { status, warning });
                }
            }
            if let Some(frontier) = site {
                // Stop the reading of sitemaps.
                frontier.end();
            }
        });
    }

    /// Works on all pages. Returns the final status and a warning.
    async fn run(mut self) -> (Status, Option<String>) {
        let mut running: FuturesUnordered<Page> = FuturesUnordered::new();
        loop {
            while running.len() < self.at_once
                && let Some(page) = self.next()
            {
                running.push(page);
            }
            let Some(done) = running.next().await else {
                break;
            };
            if let Err(cause) = self.add(done).await {
                return (Status::Failed, Some(cause));
            }
            self.service.metrics.count_batch_page();
            if let Pages::Site(frontier) = &self.pages {
                self.job
                    .set_total(frontier.admitted().load(Ordering::Relaxed));
            }
        }
        let notes = match &self.pages {
            Pages::Site(frontier) => for_clients(frontier.notes()),
            Pages::List(_) => Vec::new(),
        };
        (
            Status::Completed,
            Some(notes.join("; ")).filter(|notes| !notes.is_empty()),
        )
    }

    /// Adds a page that is done to the results.
    ///
    /// # Errors
    /// If the job cannot continue.
    async fn add(&self, done: Done) -> Result<(), String> {
        let Done {
            key,
            url,
            found,
            result,
        } = done;
        if self.service.stop.is_set() {
            // The page may have been ended by the end of the service, which ends this, too.
            std::future::pending::<()>().await;
        }
        let (result, error) = match result {
            Ok(result) => (result, None),
            Err(problem) => {
                let Problem { status, reason, .. } = problem;
                self.service.metrics.count_failure(reason);
                self.service.log.failure(status.as_u16(), reason);
                let error = PageError {
                    url,
                    cause: problem.cause,
                    time: SystemTime::now(),
                    is_robots: reason == "robots",
                };
                (None, Some(error))
            }
        };
        let told = result.clone().map(Event::Page);
        let page = DonePage {
            key,
            found,
            result,
            error,
        };
        let (service, job) = (Arc::clone(&self.service), Arc::clone(&self.job));
        if service.jobs.has_folder() {
            tokio::task::spawn_blocking(move || service.jobs.add(&job, page))
                .await
                .unwrap_or_else(|_| Err(Problem::fault().cause))?;
        } else {
            service.jobs.add(&job, page)?;
        }
        if let (Some(hook), Some(event)) = (&self.hook, told) {
            hook.tell(event);
        }
        Ok(())
    }

    /// The next page, if one may be begun now.
    fn next(&mut self) -> Option<Page> {
        let (service, admitted, delay) = (
            Arc::clone(&self.service),
            Arc::clone(&self.admitted),
            self.delay,
        );
        let page = match &mut self.pages {
            Pages::List(rest) => {
                let (number, url) = rest.pop()?;
                let request = ScrapeRequest::for_job(&url, &self.options);
                list_page(service, admitted, (number, url), request).boxed()
            }
            Pages::Site(frontier) => {
                let visit = next_visit(frontier, &mut self.known)?;
                let request =
                    ScrapeRequest::for_crawl(&frontier.options().start, &visit.url, &self.options);
                site_page(service, admitted, Arc::clone(frontier), visit, request).boxed()
            }
        };
        Some(Box::pin(async move {
            let done = page.await;
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            done
        }))
    }
}

/// The next page of a site that is not done yet. The links of pages that are done are followed.
fn next_visit(frontier: &Frontier, known: &mut HashMap<String, Found>) -> Option<Visit> {
    loop {
        let visit = frontier.try_next().ok()?;
        let Some(found) = known.remove(visit.url.as_str()) else {
            return Some(visit);
        };
        let Found {
            address,
            announced,
            links,
        } = found;
        if let Some(address) = address.and_then(|address| Url::parse(&address).ok()) {
            frontier.arrived(&visit.url, &address);
        }
        let parsed = |texts: Vec<String>| {
            let urls = texts.iter().filter_map(|text| Url::parse(text).ok());
            urls.collect()
        };
        frontier.finished(&visit.stem, parsed(announced), parsed(links));
    }
}

async fn list_page(
    service: Arc<Service>,
    admitted: Arc<Admitted>,
    (number, url): (usize, String),
    request: Result<ScrapeRequest, Problem>,
) -> Done {
    let result = async { scrape::run(&service, admitted, request?, |_| ()).await }.await;
    Done {
        key: number.to_string(),
        url,
        found: None,
        result: result.and_then(|(scraped, ())| to_raw(&scraped).map(Some)),
    }
}

fn to_raw(scraped: &scrape::Scraped) -> Result<Arc<RawValue>, Problem> {
    to_raw_value(scraped)
        .map(Arc::from)
        .map_err(|_| Problem::fault())
}

/// A page of a site that is being loaded. When this is dropped, also because its job is canceled,
/// the page is finished.
struct Loading {
    frontier: Arc<Frontier>,
    stem: String,
    announced: Vec<Url>,
    links: Vec<Url>,
}

impl Drop for Loading {
    fn drop(&mut self) {
        self.frontier.finished(
            &self.stem,
            std::mem::take(&mut self.announced),
            std::mem::take(&mut self.links),
        );
    }
}

async fn site_page(
    service: Arc<Service>,
    admitted: Arc<Admitted>,
    frontier: Arc<Frontier>,
    Visit { url, stem, .. }: Visit,
    request: Result<ScrapeRequest, Problem>,
) -> Done {
    let mut loading = Loading {
        frontier: Arc::clone(&frontier),
        stem,
        announced: Vec::new(),
        links: Vec::new(),
    };
    let is_first = url == frontier.options().start;
    let also = {
        let (service, frontier, url) = (Arc::clone(&service), Arc::clone(&frontier), url.clone());
        move |capture: &vclean_core::capture::Capture| {
            let address = capture
                .address()
                .and_then(|address| Url::parse(address).ok());
            let address = address.unwrap_or_else(|| url.clone());
            let target = frontier.arrived(&url, &address);
            let links = if target == Target::New {
                service.renderer.links(&frontier, capture, is_first)
            } else {
                Vec::new()
            };
            (target, links, address)
        }
    };
    let loaded = async { scrape::run(&service, admitted, request?, also).await }.await;
    if is_first {
        let (renderer, frontier) = (Arc::clone(&service), Arc::clone(&frontier));
        let read = move || {
            Ok(renderer
                .renderer
                .announced(&frontier, || renderer.stop.is_set() || frontier.is_ended()))
        };
        loading.announced = service
            .workers
            .run(Some(SITEMAP_LIMIT), read)
            .await
            .unwrap_or_default();
    }
    let mut address = None;
    let result = loaded.and_then(|(scraped, (target, links, loaded_from))| {
        loading.links = links;
        address = Some(loaded_from.into());
        match target {
            Target::Outside if is_first => {
                let cause = "the address redirects to another site; begin there";
                Err(Problem::new(
                    axum::http::StatusCode::UNPROCESSABLE_ENTITY,
                    cause,
                ))
            }
            Target::Outside | Target::Duplicate => Ok(None),
            Target::New => to_raw(&scraped).map(Some),
        }
    });
    let texts = |urls: &[Url]| urls.iter().map(Url::to_string).collect();
    let found = Found {
        address,
        announced: texts(&loading.announced),
        links: texts(&loading.links),
    };
    Done {
        key: url.to_string(),
        url: url.into(),
        found: Some(found),
        result,
    }
}
