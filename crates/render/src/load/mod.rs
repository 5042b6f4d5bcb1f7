//! Options for loading the page at an address: headers and cookies for its requests, the size of
//! the window, actions in the page, and conditions to wait for before the page is captured.
//!
//! Each choice is declared here once, with its help text, default and range. The command line
//! (`clap`), the JSON of the service and the tools for language models (`serde`, `schemars`), and
//! Python's keyword arguments are derived from it.

mod action;
mod consent;
mod headers;
mod own_host;
mod secret;
mod storage_state;
mod text;
mod viewport;
mod wait_for;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use vclean_core::error::RenderError;
#[cfg(feature = "clap")]
use vclean_core::pipeline::choice;

pub(crate) use action::Key;
pub use action::{Action, Actions, Direction};
pub use consent::Consent;
pub use headers::{Cookie, Header};
pub(crate) use own_host::OwnHost;
pub use own_host::is_same_server;
pub use secret::Secret;
pub use storage_state::{SameSite, StorageState, StoredCookie, StoredEntry, StoredOrigin};
pub use text::HeaderText;
pub use viewport::Viewport;
pub use wait_for::WaitFor;

/// The user agent of crawls, and of all requests without a browser. Its `vclean` is the name by
/// which `robots.txt` may address this program.
pub const ROBOT_USER_AGENT: &str = concat!(
    "Mozilla/5.0 (compatible; vclean/",
    env!("CARGO_PKG_VERSION"),
    ")"
);

/// How pages are loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "Loading")
)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LoadOptions {
    /// Take the page only once this is there: selector:CSS (an element that matches), text:WORDS
    /// (words that the page shows), time:2s or time:500ms (the time since loading), idle (the
    /// network has been silent for half a second); may be repeated. A condition that is not met
    /// within the page's time limit causes a warning. In Chromium only
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT"))]
    #[serde(deserialize_with = "wait_for::one_or_many")]
    pub wait_for: Vec<WaitFor>,

    /// Headers for the host of the page, with the requests of the page itself; no other host gets
    /// them, also not after a redirect. On the command line one at a time, as NAME: VALUE; other
    /// users of the machine can read command lines
    #[cfg_attr(feature = "clap", arg(long = "header", value_name = "NAME: VALUE"))]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "headers::map_schema"))]
    #[serde(deserialize_with = "headers::from_map")]
    pub headers: Vec<Header>,

    /// Cookies for the host of the page and no other. On the command line one at a time, as
    /// NAME=VALUE; other users of the machine can read command lines
    #[cfg_attr(feature = "clap", arg(long = "cookie", value_name = "NAME=VALUE"))]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "headers::map_schema"))]
    #[serde(deserialize_with = "headers::from_map")]
    pub cookies: Vec<Cookie>,

    /// Cookies and local storage as Playwright writes them (context.storageState), in a file on the
    /// command line; the host of the page gets its own part of them, and no other host gets any.
    /// Local storage in Chromium only
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_parser = storage_state::from_file))]
    #[cfg_attr(feature = "schemars", schemars(with = "Option<StorageState>"))]
    #[serde(deserialize_with = "storage_state::shared")]
    pub storage_state: Option<Arc<StorageState>>,

    /// User agent that all servers and the scripts of pages see
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub user_agent: Option<HeaderText>,

    /// Preferred languages, sent as Accept-Language, such as de-AT,de;q=0.8
    #[cfg_attr(feature = "clap", arg(long, value_name = "LANGUAGES"))]
    pub accept_language: Option<HeaderText>,

    /// Size of the window in CSS px, such as 390x844 [default: 1280x1024, which the models are
    /// trained with, and with `mobile` 412x915]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WIDTHxHEIGHT"))]
    pub viewport: Option<Viewport>,

    /// Load the page as on a phone: in a narrow window, with the name of a phone's browser, touch
    /// in place of a mouse. In Chromium only
    #[cfg_attr(feature = "clap", arg(long))]
    pub mobile: bool,

    /// Answer to consent dialogs: accept, reject or ignore
    ///
    /// accept and reject click the buttons of twenty well-known platforms, before `actions`; reject
    /// opens the settings where the dialog has no such button. Both wait up to three seconds for
    /// the dialog; a page without one stays the same. ignore clicks nothing. In Chromium only
    #[cfg_attr(feature = "clap", arg(long, value_name = "ANSWER", value_parser = choice::<Consent>(), default_value = "ignore", hide_possible_values = true))]
    pub consent: Consent,

    /// Actions in the page before it is taken, a list in JSON or, on the command line, the name of
    /// a file with one: {"type": "click", "selector": CSS, "all": false}, {"type": "write", "text":
    /// TEXT, "selector": CSS}, {"type": "press", "key": KEY}, {"type": "scroll", "direction":
    /// "down" or "up", "selector": CSS}, {"type": "wait", "milliseconds": N} or with "selector".
    /// `wait_for` comes after them. In Chromium only
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "FILE|JSON",
            default_value = "[]",
            hide_default_value = true
        )
    )]
    pub actions: Actions,
}

impl LoadOptions {
    /// The names of the options, as in JSON.
    pub const NAMES: &[&str] = &[
        "wait_for",
        "headers",
        "cookies",
        "storage_state",
        "user_agent",
        "accept_language",
        "viewport",
        "mobile",
        "consent",
        "actions",
    ];

    /// The option that only Chromium can honor, if one is set.
    pub fn needs_chromium(&self) -> Option<&'static str> {
        let options = [
            ("wait_for", !self.wait_for.is_empty()),
            ("mobile", self.mobile),
            ("consent", self.consent != Consent::Ignore),
            ("actions", !self.actions.list().is_empty()),
            (
                "storage_state",
                self.storage_state
                    .as_ref()
                    .is_some_and(|state| state.has_local_storage()),
            ),
        ];
        options
            .into_iter()
            .find(|(_, is_set)| *is_set)
            .map(|(name, _)| name)
    }

    /// The option that only pages with an address can use, if one is set: other pages have no host.
    pub fn needs_address(&self) -> Option<&'static str> {
        let options = [
            ("headers", !self.headers.is_empty()),
            ("cookies", !self.cookies.is_empty()),
            ("storage_state", self.storage_state.is_some()),
            ("user_agent", self.user_agent.is_some()),
            ("accept_language", self.accept_language.is_some()),
        ];
        options
            .into_iter()
            .find(|(_, is_set)| *is_set)
            .map(|(name, _)| name)
    }

    /// Checks that an engine without a browser (builtin or none) honors all options; `engine` is
    /// its name.
    ///
    /// # Errors
    /// [`RenderError::Engine`] with the name of the option.
    pub fn check_without_browser(&self, engine: &str) -> Result<(), RenderError> {
        self.needs_chromium().map_or(Ok(()), |option| {
            Err(RenderError::Engine(format!(
                "`{option}` is for Chromium, and `engine` is {engine}; use `engine` chromium, or leave `{option}` out"
            )))
        })
    }

    /// Checks the options for a page that has no address.
    ///
    /// # Errors
    /// [`RenderError::Engine`] with the name of an option that needs one.
    pub fn check_without_address(&self) -> Result<(), RenderError> {
        self.needs_address().map_or(Ok(()), |option| {
            Err(RenderError::Engine(format!(
                "`{option}` is for pages that are loaded from their address; leave it out, or name the address"
            )))
        })
    }

    /// Returns true if a page is loaded for one user alone: its tab is then not used for other
    /// pages, and nobody else may get its answer.
    pub fn is_personal(&self) -> bool {
        let is_changed = self.mobile
            || self.viewport.is_some()
            || self.consent != Consent::Ignore
            || !self.actions.list().is_empty();
        is_changed || self.needs_address().is_some()
    }

    /// Returns these options without headers and cookies.
    pub(crate) fn without_secrets(&self) -> Self {
        Self {
            headers: Vec::new(),
            cookies: Vec::new(),
            ..self.clone()
        }
    }

    /// Size of the window in CSS px, if it is not the usual one.
    pub(crate) fn viewport_px(&self) -> Option<[u32; 2]> {
        self.viewport
            .or_else(|| self.mobile.then_some(Viewport::PHONE))
            .map(Viewport::size_px)
    }

    /// The headers for the host of the page, without cookies.
    pub(crate) fn sent_headers(&self) -> impl Iterator<Item = (String, String)> {
        let headers = self.headers.iter().filter(|header| !header.holds_cookies());
        headers.map(|header| (header.name.clone(), header.value.reveal().to_owned()))
    }

    /// The cookies for the host of the page, including those in headers.
    ///
    /// # Errors
    /// [`RenderError::Load`] if a cookie in a header is invalid.
    pub(crate) fn sent_cookies(&self) -> Result<Vec<Cookie>, RenderError> {
        let mut cookies = self.cookies.clone();
        for header in self.headers.iter().filter(|header| header.holds_cookies()) {
            cookies.extend(header.cookies().map_err(RenderError::Load)?);
        }
        Ok(cookies)
    }

    /// The options that are set, by name; they must be repeated when a run is resumed. Secrets are
    /// represented by their names.
    pub fn chosen(&self) -> BTreeMap<String, String> {
        let mut chosen = BTreeMap::new();
        let mut add = |name: &str, value: String| {
            if !value.is_empty() {
                chosen.insert(name.to_owned(), value);
            }
        };
        let joined = |names: Vec<String>| names.join(" and ");
        add(
            "wait_for",
            joined(self.wait_for.iter().map(ToString::to_string).collect()),
        );
        add(
            "headers",
            joined(
                self.headers
                    .iter()
                    .map(|header| header.name.clone())
                    .collect(),
            ),
        );
        add(
            "cookies",
            joined(
                self.cookies
                    .iter()
                    .map(|cookie| cookie.name.clone())
                    .collect(),
            ),
        );
        add(
            "storage_state",
            self.storage_state
                .as_ref()
                .map_or_else(String::new, |_| "given".to_owned()),
        );
        add(
            "user_agent",
            self.user_agent
                .as_ref()
                .map_or_else(String::new, ToString::to_string),
        );
        add(
            "accept_language",
            self.accept_language
                .as_ref()
                .map_or_else(String::new, ToString::to_string),
        );
        add(
            "viewport",
            self.viewport
                .map_or_else(String::new, |viewport| viewport.to_string()),
        );
        if self.consent != Consent::Ignore {
            add("consent", self.consent.name().to_owned());
        }
        let names: Vec<&str> = self.actions.list().iter().map(Action::name).collect();
        add("actions", names.join(" and "));
        add(
            "mobile",
            if self.mobile {
                "true".to_owned()
            } else {
                String::new()
            },
        );
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<LoadOptions, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn conditions_are_a_list_or_one() {
        assert_eq!(read("{}").unwrap(), LoadOptions::default());
        let one = read(r#"{"wait_for": "idle"}"#).unwrap();
        assert_eq!(one, read(r#"{"wait_for": ["idle"]}"#).unwrap());
        assert_eq!(one.chosen()["wait_for"], "idle");
        assert!(
            read(r#"{"wait_for": ["idle", "soon"]}"#)
                .unwrap_err()
                .contains("invalid value soon")
        );
        let many = format!(r#"{{"wait_for": [{}"idle"]}}"#, r#""idle","#.repeat(16));
        assert!(read(&many).unwrap_err().contains("at most 16"));
    }

    #[test]
    fn engines_that_cannot_honor_an_option_refuse_it_by_name() {
        let waiting = read(r#"{"wait_for": "idle"}"#).unwrap();
        for engine in ["builtin", "none"] {
            let error = waiting
                .check_without_browser(engine)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("`wait_for`") && error.contains(engine),
                "{error}"
            );
            assert!(LoadOptions::default().check_without_browser(engine).is_ok());
        }
    }

    #[test]
    fn secrets_are_named_and_not_shown() {
        let options = r#"{"headers": {"Authorization": "hunter2"}, "cookies": {"sid": "hunter3"}, "user_agent": "x/1",
            "accept_language": "de", "viewport": "390x844", "mobile": true, "consent": "reject", "storage_state": {"cookies":
            [{"name": "a", "value": "hunter4", "domain": "a.example"}]}, "actions": [{"type": "write", "text": "hunter5"}]}"#;
        let load = read(options).unwrap();
        let shown = format!("{load:?} {:?}", load.chosen());
        assert!(
            !shown.contains("hunter") && shown.contains("Authorization"),
            "{shown}"
        );
        assert_eq!(load.chosen().len(), LoadOptions::NAMES.len() - 1);
        assert_eq!(
            (load.needs_chromium(), load.needs_address()),
            (Some("mobile"), Some("headers"))
        );
        assert!(
            load.check_without_address()
                .unwrap_err()
                .to_string()
                .contains("`headers`")
        );
        let wrong = read(r#"{"headers": {"X": ["hunter2"]}}"#).unwrap_err();
        assert!(
            wrong.contains("X of `headers` is no text") && !wrong.contains("hunter2"),
            "{wrong}"
        );
        assert!(
            read(r#"{"user_agent": "a\nb"}"#)
                .unwrap_err()
                .contains("cannot be sent")
        );
    }

    #[test]
    fn local_storage_needs_a_browser_and_cookies_do_not() {
        let needs_chromium = |state: &str| {
            read(&format!("{{\"storage_state\": {state}}}"))
                .unwrap()
                .needs_chromium()
        };
        assert_eq!(
            needs_chromium(
                r#"{"cookies": [{"name": "a", "value": "b", "domain": "c"}], "origins": []}"#
            ),
            None
        );
        let stored = r#"{"origins": [{"origin": "https://a.example", "localStorage": [{"name": "a", "value": "b"}]}]}"#;
        assert_eq!(needs_chromium(stored), Some("storage_state"));
    }

    #[cfg(feature = "schemars")]
    #[test]
    fn all_options_have_their_names() {
        let schema = schemars::schema_for!(LoadOptions);
        let declared = schema.as_value()["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str);
        let mut names = LoadOptions::NAMES.to_vec();
        names.sort_unstable();
        assert_eq!(
            declared
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect::<Vec<_>>(),
            names
        );
    }
}
