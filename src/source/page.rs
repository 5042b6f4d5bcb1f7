//! One page, and the location of its content.

#[cfg(feature = "archives")]
use super::archive::Archive;
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
}

impl Page {
    /// A page given as decoded HTML, without other files; `name` is its name in messages.
    pub fn from_html(name: impl Into<String>, html: impl Into<String>) -> Self {
        Self { input: name.into(), url: None, body: Body::html(html) }
    }

    /// A page on the web, to be rendered.
    pub fn from_url(address: impl Into<String>) -> Self {
        let address = address.into();
        Self { input: address.clone(), url: Some(address.clone()), body: Body::Address(address) }
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
