//! One page, and the location of its content.

use crate::error::{Warning, Warnings};
use serde_json::Value;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// Largest page that is opened or fetched, in bytes.
pub const MAX_PAGE_BYTES: u64 = 64 << 20;

/// One page to be rendered or parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The input as the user named it, for messages and output names.
    pub input: String,
    /// Address of the page, if it is known.
    pub url: Option<String>,
    /// The location of its content.
    pub body: Body,
    /// What joins it to its place in the input.
    pub origin: Origin,
}

/// What joins a page to its place in an input of many pages, and what was noticed there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The sender's name for it: the member `id` of a line of JSON.
    pub id: Option<Value>,
    /// Number of its record in a web archive, from 1.
    pub record: Option<u64>,
    /// Identifier of that record, such as `urn:uuid:...`, if it has one.
    pub record_id: Option<String>,
    /// When that record was made, as in RFC 3339, if it says so.
    pub record_date: Option<String>,
    /// What is wrong with its content without preventing its use.
    pub warnings: Warnings,
}

impl Page {
    /// A copy without content: its names and where it came from.
    #[must_use]
    pub fn without_body(&self) -> Self {
        let Self {
            input, url, origin, ..
        } = self;
        Self {
            input: input.clone(),
            url: url.clone(),
            body: Body::html(""),
            origin: origin.clone(),
        }
    }

    /// A page without an address; `input` is its name in messages.
    pub fn new(input: impl Into<String>, body: Body) -> Self {
        Self {
            input: input.into(),
            url: None,
            body,
            origin: Origin::default(),
        }
    }

    /// Its name in messages: the input, and its record if the input is a web archive.
    pub fn name(&self) -> String {
        let url = self
            .url
            .as_deref()
            .map_or_else(String::new, |url| format!(": {url}"));
        match self.origin.record {
            Some(number) => format!("{}: record {number}{url}", self.input),
            None => self.input.clone(),
        }
    }

    /// A page given as decoded HTML, without other files; `name` is its name in messages.
    pub fn from_html(name: impl Into<String>, html: impl Into<String>) -> Self {
        Self::new(name, Body::html(html))
    }

    /// A page on the web, to be rendered.
    pub fn from_url(address: impl Into<String>) -> Self {
        let address = address.into();
        Self::new(address.clone(), Body::Address(address.clone())).with_url(address)
    }

    /// Sets its address, which is the base of its links.
    #[must_use]
    pub fn with_url(mut self, address: impl Into<String>) -> Self {
        self.url = Some(address.into());
        self
    }
}

/// The location of a page's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// At an http or https address, to be fetched by the browser.
    Address(String),
    /// Bare HTML, decoded.
    Html {
        /// The source text.
        html: String,
        /// The files that the page may load.
        files: PageFiles,
    },
    /// An MHTML file: a saved page with all its resources.
    Mhtml(Vec<u8>),
    /// A capture folder.
    Capture(PathBuf),
}

impl Body {
    /// Bare HTML without other files.
    pub fn html(html: impl Into<String>) -> Self {
        Self::Html {
            html: html.into(),
            files: PageFiles::Nothing,
        }
    }
}

/// What a saved page may load when it is rendered.
#[derive(Debug, Clone, Default)]
pub enum PageFiles {
    /// No local files.
    #[default]
    Nothing,
    /// The files of this folder and its subfolders.
    Folder(PathBuf),
    /// The content of the web archive that contains the page; nothing is fetched from elsewhere.
    Archive(Arc<dyn Resources>),
}

impl PageFiles {
    /// The folder, if it is one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Nothing | Self::Archive(_) => None,
        }
    }
}

/// Two archives are equal if they are one in memory.
impl PartialEq for PageFiles {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => true,
            (Self::Folder(folder), Self::Folder(other)) => folder == other,
            (Self::Archive(archive), Self::Archive(other)) => Arc::ptr_eq(archive, other),
            _ => false,
        }
    }
}

impl Eq for PageFiles {}

/// What the pages of a web archive load, by address.
pub trait Resources: Debug + Send + Sync {
    /// Prepares the first look-up, which may take one pass over the archive. A problem of the
    /// archive as a whole is returned by the first call only.
    fn prepare(&self) -> Option<Warning>;

    /// The resource for an address: content is preferred to a redirect, the requested scheme (http
    /// or https) to the other one, and the earliest record if there are several.
    fn find(&self, address: &Url) -> Option<Resource>;
}

/// What an archive holds for an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// HTTP status.
    pub status: u16,
    /// Media type with its parameters, in lower case; empty if unknown.
    pub content_type: String,
    /// Target of a redirect, as the server wrote it.
    pub location: Option<String>,
    /// The decompressed content; empty for a redirect.
    pub body: Vec<u8>,
}
