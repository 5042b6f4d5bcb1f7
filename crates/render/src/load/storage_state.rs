//! The cookies and the local storage of a browser, in a file as Playwright writes it
//! (`context.storageState`).

use super::own_host::OwnHost;
use super::secret::Secret;
use serde::{Deserialize, Deserializer};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use url::{Host, Url};
use vclean_core::files::open_regular;

/// Largest file, in bytes. Browsers keep at most 10 MB for each origin.
const MAX_BYTES: u64 = 16 << 20;

/// Data that a browser keeps: cookies, and the local storage of pages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StorageState {
    /// Cookies of all hosts in the file.
    pub cookies: Vec<StoredCookie>,
    /// The local storage by origin.
    pub origins: Vec<StoredOrigin>,
}

/// A cookie in a file of Playwright.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoredCookie {
    /// Name of the cookie; cookies of several domains may share it.
    pub name: String,
    /// Value of the cookie, which is never shown.
    pub value: Secret,
    /// The cookie's host, with a leading dot if subdomains get the cookie too.
    pub domain: String,
    /// The prefix of the paths that get the cookie.
    #[serde(default = "root")]
    pub path: String,
    /// Time of expiry in seconds since 1970; -1 means the end of the session.
    #[serde(default = "session", deserialize_with = "seconds")]
    #[cfg_attr(feature = "schemars", schemars(with = "f64"))]
    pub expires: i64,
    /// True if scripts cannot read the cookie.
    #[serde(default)]
    pub http_only: bool,
    /// True if the cookie is sent over HTTPS only.
    #[serde(default)]
    pub secure: bool,
    /// Restriction for requests from other sites; the browser's default if absent.
    #[serde(default)]
    pub same_site: Option<SameSite>,
}

/// The requests from other sites that a cookie is sent with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum SameSite {
    /// No request from another site.
    Strict,
    /// Only requests that open a page.
    Lax,
    /// All requests from other sites.
    None,
}

impl SameSite {
    /// Name of the value in the protocols of browsers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Strict => "Strict",
            Self::Lax => "Lax",
            Self::None => "None",
        }
    }
}

/// The local storage of an origin.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoredOrigin {
    /// The origin, such as `https://example.org`.
    pub origin: String,
    /// Entries of the storage; empty if absent.
    #[serde(default)]
    pub local_storage: Vec<StoredEntry>,
}

/// An entry of the local storage.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct StoredEntry {
    /// Key that scripts look the value up by.
    pub name: String,
    /// Value of the entry, which is never shown.
    pub value: Secret,
}

fn root() -> String {
    "/".to_owned()
}

fn session() -> i64 {
    -1
}

/// Reads seconds, which Playwright writes with fractions.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    f64::deserialize(deserializer).map(|seconds| seconds as i64)
}

impl StorageState {
    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read or has another format; the message does not quote its content.
    pub fn read(path: &Path) -> Result<Self, String> {
        let unread = |cause: String| {
            format!(
                "cannot read the storage state in {}: {cause}",
                path.display()
            )
        };
        let file = open_regular(path).map_err(|error| unread(error.to_string()))?;
        let text = std::io::read_to_string(std::io::Read::take(file, MAX_BYTES + 1));
        let text = text.map_err(|error| unread(error.to_string()))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(unread(format!("it has more than {} MB", MAX_BYTES >> 20)));
        }
        serde_json::from_str(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            unread(format!(
                "it is none as Playwright writes it (line {line}, column {column})"
            ))
        })
    }

    /// Returns the cookies for a page's host that have not expired.
    pub(crate) fn cookies_for(&self, own: &OwnHost, url: &Url) -> Vec<&StoredCookie> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |age| age.as_secs() as i64);
        let is_sent = |cookie: &&StoredCookie| {
            own.is(url)
                && belongs_to(&cookie.domain, url)
                && (!cookie.secure || url.scheme() == "https")
                && (cookie.expires < 0 || cookie.expires > now)
        };
        self.cookies.iter().filter(is_sent).collect()
    }

    /// Returns the local storage of a page's origin.
    pub(crate) fn entries_for(&self, url: &Url) -> Vec<&StoredEntry> {
        let origin = url.origin();
        let is_own = |stored: &&StoredOrigin| {
            Url::parse(&stored.origin).is_ok_and(|other| other.origin() == origin)
        };
        self.origins
            .iter()
            .filter(is_own)
            .flat_map(|stored| &stored.local_storage)
            .collect()
    }

    /// Returns true if any origin has local storage.
    pub(super) fn has_local_storage(&self) -> bool {
        self.origins
            .iter()
            .any(|stored| !stored.local_storage.is_empty())
    }
}

/// Returns true if a cookie of this domain belongs to an address's host (RFC 6265, 5.1.3).
fn belongs_to(domain: &str, url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let domain = domain.to_ascii_lowercase();
    match domain.strip_prefix('.') {
        Some(above) if !above.is_empty() && matches!(url.host(), Some(Host::Domain(_))) => {
            host == above
                || host
                    .strip_suffix(above)
                    .is_some_and(|below| below.ends_with('.'))
        }
        _ => host == domain.trim_start_matches('.'),
    }
}

impl StoredCookie {
    /// Returns true if the cookie belongs to an address's path (RFC 6265, 5.1.4).
    pub(crate) fn is_for_path(&self, url: &Url) -> bool {
        url.path()
            .strip_prefix(self.path.as_str())
            .is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('/') || self.path.ends_with('/')
            })
    }
}

/// Reads the storage state from the file that an argument of the command line names.
impl FromStr for StorageState {
    type Err = String;

    fn from_str(path: &str) -> Result<Self, String> {
        Self::read(Path::new(path))
    }
}

/// Deserializes a state that all pages share.
pub(super) fn shared<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Arc<StorageState>>, D::Error> {
    Ok(Option::<StorageState>::deserialize(deserializer)?.map(Arc::new))
}

/// Reads a state from a file.
///
/// # Errors
/// Those of [`StorageState::read`].
#[cfg(feature = "clap")]
pub(super) fn from_file(path: &str) -> Result<Arc<StorageState>, String> {
    path.parse().map(Arc::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{
        "cookies": [
            { "name": "a", "value": "1", "domain": "www.a.example", "path": "/", "expires": -1, "httpOnly": true,
              "secure": false, "sameSite": "Lax" },
            { "name": "b", "value": "2", "domain": ".a.example", "path": "/account", "expires": 4102444800.5, "secure": true },
            { "name": "c", "value": "3", "domain": "b.example" },
            { "name": "d", "value": "4", "domain": ".a.example", "expires": 1000 }
        ],
        "origins": [
            { "origin": "https://www.a.example", "localStorage": [{ "name": "k", "value": "v" }] },
            { "origin": "https://b.example", "localStorage": [{ "name": "x", "value": "y" }] }
        ]
    }"#;

    #[test]
    fn a_page_gets_what_belongs_to_its_host_and_has_not_ended() {
        let state: StorageState = serde_json::from_str(STATE).unwrap();
        let names = |address: &str| {
            let url = Url::parse(address).unwrap();
            let own = OwnHost::from_url(&url).unwrap();
            state
                .cookies_for(&own, &url)
                .iter()
                .map(|cookie| cookie.name.clone())
                .collect::<String>()
        };
        assert_eq!(names("https://www.a.example/"), "ab");
        assert_eq!(
            names("http://www.a.example/"),
            "a",
            "an encrypted cookie stays encrypted"
        );
        assert_eq!(
            (
                names("https://a.example/"),
                names("https://xa.example/"),
                names("https://b.example/")
            ),
            ("b".into(), String::new(), "c".into())
        );
        let entries = |address: &str| state.entries_for(&Url::parse(address).unwrap()).len();
        assert_eq!(
            (
                entries("https://www.a.example/x"),
                entries("http://www.a.example/")
            ),
            (1, 0)
        );
        let path = |address: &str| state.cookies[1].is_for_path(&Url::parse(address).unwrap());
        assert!(path("https://a.example/account") && path("https://a.example/account/x"));
        assert!(!path("https://a.example/accounts") && !path("https://a.example/"));
        assert!(
            !format!("{state:?}").contains("\"v\""),
            "values are not shown"
        );
    }

    #[test]
    fn what_is_no_state_is_refused_without_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        for text in [
            "3",
            "{\"cookies\": [{\"name\": \"hunter2\"}]}",
            "{\"hunter2\": 1}",
            "hunter2",
        ] {
            std::fs::write(&path, text).unwrap();
            let error = StorageState::read(&path).unwrap_err();
            assert!(
                error.contains("state.json") && !error.contains("hunter2"),
                "{error}"
            );
        }
        std::fs::write(&path, STATE).unwrap();
        assert_eq!(StorageState::read(&path).unwrap().cookies.len(), 4);
        let indexed = r#"{"origins": [{"origin": "https://a.example", "indexedDB": []}]}"#;
        assert!(
            serde_json::from_str::<StorageState>(indexed)
                .unwrap_err()
                .to_string()
                .contains("indexedDB")
        );
    }
}
