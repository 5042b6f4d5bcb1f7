//! One page, and the location of its content.

#[cfg(feature = "archives")]
use super::archive::Archive;
use crate::error::Warnings;
use serde_json::Value;
use std::path::{Path, PathBuf};
#[cfg(feature = "archives")]
use std::sync::Arc;

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
    /// The same page without its content.
    #[must_use]
    pub fn without_body(&self) -> Self {
        let Self { input, url, origin, .. } = self;
        Self { input: input.clone(), url: url.clone(), body: Body::html(""), origin: origin.clone() }
    }

    /// A page without an address; `input` is its name in messages.
    pub fn new(input: impl Into<String>, body: Body) -> Self {
        Self { input: input.into(), url: None, body, origin: Origin::default() }
    }

    /// Its name in messages: the input, and its record if the input is a web archive.
    pub fn name(&self) -> String {
        let url = self.url.as_deref().map_or_else(String::new, |url| format!(": {url}"));
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

    /// The same page with its address, which is the base of its links.
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
        beside: Beside,
    },
    /// An MHTML file: a saved page with all its resources.
    Mhtml(Vec<u8>),
    /// A capture folder.
    Capture(PathBuf),
}

impl Body {
    /// Bare HTML without other files.
    pub fn html(html: impl Into<String>) -> Self {
        Self::Html { html: html.into(), beside: Beside::Nothing }
    }
}

/// The local files that a saved page may load when it is rendered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Beside {
    /// No local files.
    #[default]
    Nothing,
    /// The files of this folder and its subfolders.
    Folder(PathBuf),
    /// The content of the web archive that contains the page; nothing is fetched from elsewhere.
    #[cfg(feature = "archives")]
    Archive(Arc<Archive>),
}

impl Beside {
    /// The folder, if it is one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Nothing => None,
            #[cfg(feature = "archives")]
            Self::Archive(_) => None,
        }
    }
}
