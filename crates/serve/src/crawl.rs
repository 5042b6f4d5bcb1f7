//! `/v2/crawl`, `/v2/map` and `/v2/batch/scrape`: whole sites and lists of addresses in Firecrawl's
//! format. Unsupported members are refused by name, as in `/v2/scrape`.

use super::job_answers::{JobStarted, started};
use super::job_folder::{DonePage, Kind, Status};
use super::job_work::{Pages, Work, for_clients};
use super::jobs::{Job, Unfinished};
use super::places::{Admitted, Caller};
use super::problem::Problem;
use super::request::CleanRequest;
use super::scrape::{ScrapeProblem, ScrapeRequest, read};
use super::service::Service;
use super::unsupported::{UnsupportedField, check_members, is_anything, is_nothing};
use super::webhook::{Event, Receiver, Webhook};
use super::work;
use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use url::Url;
use vclean_render::address;
use vclean_run::crawl::{CrawlOptions, Frontier, SitemapUse};
use vclean_run::{SiteAddress, map_site};

/// Largest number of pages of a crawl or list, because their results are kept in memory.
const MAX_PAGES: usize = 10_000;
/// Largest number of addresses of a map, and the number if a request does not state it.
const MAX_ADDRESSES: usize = 100_000;
const USUAL_ADDRESSES: usize = 5_000;
/// Longest pause between pages that a request may ask for, in seconds.
const MAX_DELAY_S: f64 = 120.0;

/// Pause before a job of an earlier service asks for a place in the queue again.
const PAUSE: Duration = Duration::from_secs(1);

/// Unsupported members of requests for a crawl.
const UNSUPPORTED_IN_CRAWLS: &[UnsupportedField] = &[
    UnsupportedField {
        name: "prompt",
        is_harmless: is_nothing,
        advice: "options are not derived from a text; name them",
    },
    UnsupportedField {
        name: "allowExternalLinks",
        is_harmless: is_nothing,
        advice: "only the pages of one site are loaded; leave it out",
    },
    UnsupportedField {
        name: "ignoreRobotsTxt",
        is_harmless: is_nothing,
        advice: "whether robots.txt is obeyed is the choice of the service; leave it out",
    },
    UnsupportedField {
        name: "robotsUserAgent",
        is_harmless: is_nothing,
        advice: "robots.txt is asked as vclean; leave it out",
    },
    UnsupportedField {
        name: "deduplicateSimilarURLs",
        is_harmless: |value| value.is_null() || value == true,
        advice: "each page is loaded once; leave it out",
    },
    UnsupportedField {
        name: "zeroDataRetention",
        is_harmless: is_nothing,
        advice: "results are kept until they expire; leave it out",
    },
    UnsupportedField {
        name: "integration",
        is_harmless: is_anything,
        advice: "",
    },
    UnsupportedField {
        name: "origin",
        is_harmless: is_anything,
        advice: "",
    },
];

/// Unsupported members of requests for a list.
const UNSUPPORTED_IN_LISTS: &[UnsupportedField] = &[
    UnsupportedField {
        name: "appendToId",
        is_harmless: is_nothing,
        advice: "a list is complete when it is sent; start another",
    },
    UnsupportedField {
        name: "zeroDataRetention",
        is_harmless: is_nothing,
        advice: "results are kept until they expire; leave it out",
    },
];

/// Unsupported members of requests for a map.
const UNSUPPORTED_IN_MAPS: &[UnsupportedField] = &[
    UnsupportedField {
        name: "location",
        is_harmless: is_nothing,
        advice: "pages are loaded from where the service runs; leave it out",
    },
    UnsupportedField {
        name: "ignoreCache",
        is_harmless: is_anything,
        advice: "",
    },
    UnsupportedField {
        name: "integration",
        is_harmless: is_anything,
        advice: "",
    },
    UnsupportedField {
        name: "origin",
        is_harmless: is_anything,
        advice: "",
    },
];

fn sitemap_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<Option<&str>> = SitemapUse::ALL
        .iter()
        .map(|(name, _)| Some(*name))
        .chain([None])
        .collect();
    json_schema!({ "type": ["string", "null"], "enum": names })
}

fn sitemap(name: Option<&str>) -> Result<SitemapUse, Problem> {
    let Some(name) = name else {
        return Ok(SitemapUse::default());
    };
    SitemapUse::ALL
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
        .ok_or_else(|| {
            let names: Vec<&str> = SitemapUse::ALL.iter().map(|(name, _)| *name).collect();
            Problem::request(format!(
                "`sitemap` is {name}; choose one of {}",
                names.join(", ")
            ))
        })
}

/// Checks a number of pages; `usual` is the default.
fn limited(limit: Option<u64>, usual: usize, most: usize) -> Result<usize, Problem> {
    match limit {
        None => Ok(usual),
        Some(limit) if (1..=most as u64).contains(&limit) => Ok(limit as usize),
        Some(limit) => Err(Problem::request(format!(
            "`limit` is {limit}; give a number from 1 to {most}"
        ))),
    }
}

#[allow(clippy::needless_pass_by_value)] // Errors are passed by value.
fn refused(error: impl ToString) -> Problem {
    Problem::request(error.to_string())
}

/// A site to be crawled, as Firecrawl's clients describe it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CrawlRequest {
    /// The http or https address to start from.
    url: String,
    /// Largest number of pages; 10000 by default, which is also the maximum.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<u64>,
    /// Largest number of links between the first page, or a page of a sitemap, and a page.
    #[serde(default)]
    max_discovery_depth: Option<u32>,
    /// Only addresses whose path and query match one of these regular expressions.
    #[serde(default)]
    include_paths: Option<Vec<String>>,
    /// No addresses whose path and query match one of these regular expressions.
    #[serde(default)]
    exclude_paths: Option<Vec<String>>,
    /// If true, the regular expressions are matched against the whole address.
    #[serde(default, rename = "regexOnFullURL")]
    regex_on_full_url: Option<bool>,
    /// How the sitemaps of the site are used; include by default.
    #[serde(default)]
    #[schemars(schema_with = "sitemap_schema")]
    sitemap: Option<String>,
    /// If true, only one of the pages whose addresses differ only in their query is loaded.
    #[serde(default)]
    ignore_query_parameters: Option<bool>,
    /// If true, pages whose path does not begin with that of the first page belong to the crawl
    /// too.
    #[serde(default)]
    crawl_entire_domain: Option<bool>,
    /// If true, the subdomains of the first address's host belong to the crawl too.
    #[serde(default)]
    allow_subdomains: Option<bool>,
    /// Seconds between two pages, which are then loaded one after the other.
    #[serde(default)]
    #[schemars(range(min = 0, max = 120))]
    delay: Option<f64>,
    /// Largest number of pages that are loaded at the same time.
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_concurrency: Option<usize>,
    /// An address that is told when the job begins, has a result and ends: by POST, with JSON.
    #[serde(default)]
    webhook: Option<Webhook>,
    /// The members of a request to `/v2/scrape` for each page, without its address.
    #[serde(default)]
    scrape_options: Option<Map<String, Value>>,
    /// Other members of Firecrawl's interface, accepted only if their value has no effect.
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl CrawlRequest {
    fn check(&self) -> Result<CrawlOptions, Problem> {
        check_members(&self.others, UNSUPPORTED_IN_CRAWLS, "")?;
        let usual = CrawlOptions::new(&self.url).map_err(refused)?;
        let patterns = |patterns: &Option<Vec<String>>| {
            CrawlOptions::patterns(patterns.as_deref().unwrap_or_default())
        };
        let is_one = self.ignore_query_parameters == Some(true);
        Ok(CrawlOptions {
            max_pages: limited(self.limit, MAX_PAGES, MAX_PAGES)?,
            max_depth: self.max_discovery_depth,
            include: patterns(&self.include_paths).map_err(refused)?,
            exclude: patterns(&self.exclude_paths).map_err(refused)?,
            patterns_on_address: self.regex_on_full_url == Some(true),
            subdomains: self.allow_subdomains == Some(true),
            below: (self.crawl_entire_domain != Some(true)).then(|| usual.start.path().to_owned()),
            sitemap: sitemap(self.sitemap.as_deref())?,
            max_queries: if is_one {
                1
            } else {
                CrawlOptions::USUAL_MAX_QUERIES
            },
            ..usual
        })
    }

    fn delay(&self) -> Result<Duration, Problem> {
        match self.delay.unwrap_or(0.0) {
            seconds if (0.0..=MAX_DELAY_S).contains(&seconds) => {
                Ok(Duration::from_secs_f64(seconds))
            }
            seconds => Err(Problem::request(format!(
                "`delay` is {seconds}; give seconds from 0 to {MAX_DELAY_S}"
            ))),
        }
    }
}

/// Largest number of pages of a job that are loaded at the same time.
fn at_once(service: &Service, wanted: Option<usize>) -> usize {
    wanted
        .unwrap_or(service.options.jobs)
        .clamp(1, service.options.jobs.max(1))
}

/// Addresses to be loaded, as Firecrawl's clients describe them. The other members are those of a
/// request to `/v2/scrape`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BatchScrapeRequest {
    /// The http or https addresses.
    #[schemars(length(min = 1, max = 10_000))]
    urls: Vec<String>,
    /// If true, invalid addresses are left out and listed in the answer instead of refused.
    #[serde(default, rename = "ignoreInvalidURLs")]
    ignore_invalid_urls: Option<bool>,
    /// Largest number of pages that are loaded at the same time.
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_concurrency: Option<usize>,
    /// An address that is told when the job begins, has a result and ends: by POST, with JSON.
    #[serde(default)]
    webhook: Option<Webhook>,
    /// The options of each page.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// A request that starts a job. The file of a job holds it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Order {
    Crawl(CrawlRequest),
    Batch(BatchScrapeRequest),
}

/// The work that a request asks for.
struct Plan {
    kind: Kind,
    /// The first address of a crawl.
    start: String,
    pages: Pages,
    total: u64,
    options: Map<String, Value>,
    at_once: usize,
    delay: Duration,
    webhook: Option<Receiver>,
    /// Invalid addresses that are left out, if the request wants to know them.
    invalid: Option<Vec<String>>,
}

impl Order {
    fn plan(self, service: &Service) -> Result<Plan, Problem> {
        match self {
            Self::Crawl(request) => request.plan(service),
            Self::Batch(request) => request.plan(service),
        }
    }
}

impl CrawlRequest {
    fn plan(self, service: &Service) -> Result<Plan, Problem> {
        let (options, delay) = (self.check()?, self.delay()?);
        let of_pages = self.scrape_options.unwrap_or_default();
        // Wrong options of pages are reported now and not for each page.
        ScrapeRequest::for_job(options.start.as_str(), &of_pages)?;
        let at_once = if delay.is_zero() {
            at_once(service, self.max_concurrency)
        } else {
            1
        };
        let start = options.start.to_string();
        let frontier = Frontier::new(options, service.renderer.per_host());
        Ok(Plan {
            kind: Kind::Crawl,
            start,
            pages: Pages::Site(Arc::new(frontier)),
            total: 1,
            options: of_pages,
            at_once,
            delay,
            webhook: self.webhook.map(Webhook::check).transpose()?,
            invalid: None,
        })
    }
}

impl BatchScrapeRequest {
    fn plan(self, service: &Service) -> Result<Plan, Problem> {
        let (own, options): (Map<_, _>, Map<_, _>) = self
            .others
            .into_iter()
            .partition(|(name, _)| UNSUPPORTED_IN_LISTS.iter().any(|known| known.name == name));
        check_members(&own, UNSUPPORTED_IN_LISTS, "")?;
        let count = self.urls.len();
        if count == 0 || count > MAX_PAGES {
            let cause = format!("`urls` has {count} addresses; give 1 to {MAX_PAGES}");
            return Err(Problem::request(cause));
        }
        let ignores = self.ignore_invalid_urls == Some(true);
        let (mut valid, mut invalid) = (Vec::new(), Vec::new());
        for url in self.urls {
            match address(&url) {
                Ok(_) => valid.push(url),
                Err(_) if ignores => invalid.push(url),
                Err(error) => return Err(refused(error)),
            }
        }
        if let Some(first) = valid.first() {
            ScrapeRequest::for_job(first, &options)?;
        }
        Ok(Plan {
            kind: Kind::Batch,
            start: String::new(),
            total: valid.len() as u64,
            pages: Pages::List(valid.into_iter().enumerate().rev().collect()),
            options,
            at_once: at_once(service, self.max_concurrency),
            delay: Duration::ZERO,
            webhook: self.webhook.map(Webhook::check).transpose()?,
            invalid: ignores.then_some(invalid),
        })
    }
}

/// Starts a crawl and answers with its id.
pub(super) async fn post(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<JobStarted>, ScrapeProblem> {
    let request = read(&service, caller, &headers, body).await?;
    Ok(start(service, caller, &headers, Order::Crawl(request))?)
}

/// Starts the work on a list and answers with the id of the job.
pub(super) async fn post_batch(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<JobStarted>, ScrapeProblem> {
    let request = read(&service, caller, &headers, body).await?;
    Ok(start(service, caller, &headers, Order::Batch(request))?)
}

fn start(
    service: Arc<Service>,
    caller: Caller,
    headers: &HeaderMap,
    order: Order,
) -> Result<Json<JobStarted>, Problem> {
    let admitted = service.admit(caller, true)?;
    let stored = serde_json::to_value(&order).map_err(|_| Problem::fault())?;
    let mut plan = order.plan(&service)?;
    let jobs = &service.jobs;
    let job = jobs.begin(plan.kind, caller, &plan.start, stored)?;
    let answer = started(headers, &job, plan.invalid.take());
    let work = plan.work(service, job, admitted, Vec::new());
    if let Some(hook) = &work.hook {
        hook.tell(Event::Started);
    }
    work.begin();
    Ok(Json(answer))
}

impl Plan {
    /// The work; `done` are pages that an earlier service has done.
    fn work(
        self,
        service: Arc<Service>,
        job: Arc<Job>,
        admitted: Arc<Admitted>,
        done: Vec<DonePage>,
    ) -> Work {
        job.set_total(self.total);
        let hook = self.webhook.map(|webhook| webhook.listen(&service, &job));
        let mut pages = self.pages;
        if let Pages::List(rest) = &mut pages {
            let keys: HashSet<&str> = done.iter().map(|page| page.key.as_str()).collect();
            rest.retain(|(number, _)| !keys.contains(number.to_string().as_str()));
        }
        let known = done
            .into_iter()
            .filter_map(|page| Some((page.key, page.found?)));
        Work {
            known: known.collect(),
            service,
            job,
            admitted,
            pages,
            options: self.options,
            at_once: self.at_once,
            delay: self.delay,
            hook,
        }
    }
}

/// Continues the jobs that an earlier service has begun.
pub(super) fn resume(service: &Arc<Service>) {
    for unfinished in service.jobs.take_unfinished() {
        let service = Arc::clone(service);
        tokio::spawn(async move {
            let Unfinished { job, order, done } = unfinished;
            let order: Result<Order, _> = serde_json::from_value(order).map_err(refused);
            match order.and_then(|order| order.plan(&service)) {
                Ok(plan) => {
                    let admitted = admitted(&service, job.caller()).await;
                    plan.work(service, job, admitted, done).begin();
                }
                Err(problem) => {
                    service.jobs.end(&job, Status::Failed, Some(problem.cause));
                }
            }
        });
    }
}

/// Waits for a place in the queue.
async fn admitted(service: &Service, caller: Caller) -> Arc<Admitted> {
    loop {
        match service.admit(caller, true) {
            Ok(admitted) => return admitted,
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// A site whose addresses are requested, as Firecrawl's clients describe it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MapRequest {
    /// The http or https address to start from.
    url: String,
    /// Words to search for in addresses, titles and descriptions; addresses with more of them come
    /// first.
    #[serde(default)]
    search: Option<String>,
    /// How the sitemaps of the site are used; include by default.
    #[serde(default)]
    #[schemars(schema_with = "sitemap_schema")]
    sitemap: Option<String>,
    /// If true (the default), the subdomains of the first address's host belong to the site.
    #[serde(default)]
    include_subdomains: Option<bool>,
    /// If true (the default), only one of the addresses that differ only in their query is
    /// returned.
    #[serde(default)]
    ignore_query_parameters: Option<bool>,
    /// Largest number of addresses; 5000 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100_000))]
    limit: Option<u64>,
    /// Time limit in ms.
    #[serde(default)]
    #[schemars(range(min = 1))]
    timeout: Option<u64>,
    /// Other members of Firecrawl's interface, accepted only if their value has no effect.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// The addresses of a site.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MapAnswer {
    success: bool,
    links: Vec<MapLink>,
    /// Reasons why addresses were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// An address of a site.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MapLink {
    url: String,
    /// The title of the first page; for other pages, the best text of the first page's links to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The description that the first page states for itself; absent for other pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl From<SiteAddress> for MapLink {
    fn from(
        SiteAddress {
            url,
            title,
            description,
        }: SiteAddress,
    ) -> Self {
        Self {
            url,
            title,
            description,
        }
    }
}

impl MapRequest {
    fn limit(&self) -> Result<usize, Problem> {
        limited(self.limit, USUAL_ADDRESSES, MAX_ADDRESSES)
    }

    fn search(&self) -> &str {
        self.search.as_deref().unwrap_or_default().trim()
    }

    fn check(&self) -> Result<CrawlOptions, Problem> {
        check_members(&self.others, UNSUPPORTED_IN_MAPS, "")?;
        let is_one = self.ignore_query_parameters != Some(false);
        let limit = self.limit()?;
        Ok(CrawlOptions {
            // The addresses that are searched for may be the last ones.
            max_pages: if self.search().is_empty() {
                limit
            } else {
                MAX_ADDRESSES
            },
            subdomains: self.include_subdomains != Some(false),
            sitemap: sitemap(self.sitemap.as_deref())?,
            max_queries: if is_one { 1 } else { u32::MAX },
            ..CrawlOptions::new(&self.url).map_err(refused)?
        })
    }
}

/// Answers with the addresses of a site: those that its first page links to and those that its
/// sitemaps announce.
pub(super) async fn post_map(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<MapAnswer>, ScrapeProblem> {
    let request: MapRequest = read(&service, caller, &headers, body).await?;
    let admitted = service.admit(caller, false)?;
    let options = request.check()?;
    let start = options.start.to_string();
    let clean = CleanRequest {
        url: Some(start),
        timeout_ms: request.timeout,
        ..CleanRequest::default()
    };
    let job = clean.check(&service.cleaners, service.defaults())?;
    let limit = job.timeout;
    let loaded = work::run(&service, admitted, job, |cleaned, _| Ok(cleaned.capture)).await;
    let frontier = Frontier::new(options, 1);
    let read = {
        let service = Arc::clone(&service);
        move || {
            let (capture, problem) = match loaded {
                Ok(capture) => (Ok(capture), None),
                Err(problem) => (Err(problem.cause.clone()), Some(problem)),
            };
            let found = map_site(&service.renderer, &frontier, capture, || {
                service.stop.is_set()
            });
            Ok((found, for_clients(frontier.notes()), problem))
        }
    };
    let read = tokio::time::timeout(limit, service.workers.run(Some(limit), read)).await;
    let Ok(Ok((found, mut notes, problem))) = read else {
        return Err(Problem::too_slow(limit.as_millis() as u64).into());
    };
    if let Some(problem) = problem.filter(|_| found.addresses.len() <= 1) {
        return Err(problem.into());
    }
    notes.extend(found.fault);
    let links = in_order(found.addresses, request.search());
    let most = request.limit()?;
    let links = links.into_iter().take(most).map(MapLink::from).collect();
    Ok(Json(MapAnswer {
        success: true,
        links,
        warning: Some(notes.join("; ")).filter(|notes| !notes.is_empty()),
    }))
}

/// Sorts addresses by the number of words of `search` in them and in their title and description,
/// most first. Addresses with the same number keep their order.
fn in_order(mut addresses: Vec<SiteAddress>, search: &str) -> Vec<SiteAddress> {
    let words: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
    if !words.is_empty() {
        addresses.sort_by_cached_key(|address| {
            let SiteAddress {
                url,
                title,
                description,
            } = address;
            let readable = Url::parse(url).map_or_else(|_| url.clone(), |url| decoded(&url));
            let known = [Some(&readable), title.as_ref(), description.as_ref()];
            let readable = known
                .into_iter()
                .flatten()
                .map(|text| text.to_lowercase() + " ")
                .collect::<String>();
            words.len()
                - words
                    .iter()
                    .filter(|word| readable.contains(word.as_str()))
                    .count()
        });
    }
    addresses
}

/// An address with its escapes decoded, as far as they are text.
fn decoded(url: &Url) -> String {
    let form = url.as_str().replace('+', "%2B").replace(['&', '='], " ");
    url::form_urlencoded::parse(form.as_bytes())
        .map(|(name, _)| name.into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn crawl(mut request: Value) -> Result<CrawlOptions, Problem> {
        request["url"] = "https://a.example/docs/".into();
        serde_json::from_value::<CrawlRequest>(request)
            .unwrap()
            .check()
    }

    #[test]
    fn what_is_not_done_is_refused_by_name() {
        for (name, value) in [
            ("prompt", json!("only the blog")),
            ("allowExternalLinks", json!(true)),
            ("ignoreRobotsTxt", json!(true)),
            ("deduplicateSimilarURLs", json!(false)),
            ("zeroDataRetention", json!(true)),
            ("neverHeardOf", json!(1)),
            ("limit", json!(0)),
            ("limit", json!(10_001)),
            ("sitemap", json!("maybe")),
        ] {
            let problem = crawl(json!({ name: value })).unwrap_err();
            assert!(
                problem.status == 400 && problem.cause.contains(&format!("`{name}`")),
                "{name}: {problem:?}"
            );
        }
        let pattern = crawl(json!({ "includePaths": ["("] })).unwrap_err();
        assert!(pattern.cause.contains("regular expression"), "{pattern:?}");
        for options in [
            json!({ "waitFor": "x" }),
            json!({ "formats": ["summary"] }),
            json!({ "url": "https://b.example/" }),
        ] {
            assert!(
                ScrapeRequest::for_job("https://a.example/", options.as_object().unwrap()).is_err(),
                "{options}"
            );
        }
    }

    #[test]
    fn what_is_not_said_is_as_with_firecrawl() {
        let usual = crawl(
            json!({ "ignoreRobotsTxt": false, "deduplicateSimilarURLs": true, "limit": null }),
        )
        .unwrap();
        assert_eq!(
            (usual.max_pages, usual.below.as_deref(), usual.subdomains),
            (10_000, Some("/docs/"), false)
        );
        let chosen =
            crawl(json!({ "crawlEntireDomain": true, "ignoreQueryParameters": true, "limit": 3 }))
                .unwrap();
        assert_eq!(
            (chosen.max_pages, chosen.below, chosen.max_queries),
            (3, None, 1)
        );
        let map: MapRequest =
            serde_json::from_value(json!({ "url": "https://a.example" })).unwrap();
        let map = map.check().unwrap();
        assert_eq!(
            (map.max_pages, map.subdomains, map.max_queries),
            (5000, true, 1)
        );
        let search = json!({ "url": "https://a.example", "search": "gulls", "limit": 3 });
        let search: MapRequest = serde_json::from_value(search).unwrap();
        assert_eq!(
            (search.check().unwrap().max_pages, search.limit().unwrap()),
            (MAX_ADDRESSES, 3)
        );
    }

    #[test]
    fn a_search_puts_addresses_with_its_words_first() {
        let address = |url: &str| SiteAddress {
            url: url.to_owned(),
            ..SiteAddress::default()
        };
        let plain = [
            "https://a.example/x",
            "https://a.example/gulls",
            "https://a.example/herring%20Gulls",
        ]
        .map(address);
        let titled = SiteAddress {
            title: Some("Herring Gulls".to_owned()),
            ..address("https://a.example/7")
        };
        let found = in_order(
            [&plain[..], std::slice::from_ref(&titled)].concat(),
            "herring gulls",
        );
        assert_eq!(
            found,
            [plain[2].clone(), titled, plain[1].clone(), plain[0].clone()]
        );
        assert_eq!(in_order(found.clone(), ""), found);
    }
}
