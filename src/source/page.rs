//! One page, and where its content is.

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
    /// Address of the page, where it is known.
    pub url: Option<String>,
    /// Where its content is.
    pub body: Body,
}

impl Page {
    /// A page given as HTML, decoded, with nothing beside it; `name` is what messages call it.
    pub fn from_html(name: impl Into<String>, html: impl Into<String>) -> Self {
        Self { input: name.into(), url: None, body: Body::html(html) }
    }

    /// A page on the web, to be rendered.
    pub fn from_url(address: impl Into<String>) -> Self {
        let address = address.into();
        Self { input: address.clone(), url: Some(address.clone()), body: Body::Address(address) }
    }

    /// The same page with its address, which links are resolved against.
    #[must_use]
    pub fn with_url(mut self, address: impl Into<String>) -> Self {
        self.url = Some(address.into());
        self
    }
}

/// Where a page's content is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// At an http or https address, for the browser to fetch.
    Address(String),
    /// Bare HTML, decoded.
    Html {
        /// The source text.
        html: String,
        /// What lies beside it, for the page to load.
        beside: Beside,
    },
    /// An MHTML archive: the page frozen with all it needs.
    Mhtml(Vec<u8>),
    /// A capture folder.
    Capture(PathBuf),
}

impl Body {
    /// Bare HTML with nothing beside it.
    pub fn html(html: impl Into<String>) -> Self {
        Self::Html { html: html.into(), beside: Beside::Nothing }
    }
}

/// What a saved page may load when it is rendered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Beside {
    /// Nothing of ours.
    #[default]
    Nothing,
    /// The files of this folder and those below.
    Folder(PathBuf),
    #[cfg(feature = "archives")]
    /// What the web archive holds that the page comes from; nothing is fetched from elsewhere then.
    Archive(Arc<Archive>),
}

impl Beside {
    /// The folder, where it is one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Nothing => None,
            #[cfg(feature = "archives")]
            Self::Archive(_) => None,
        }
    }
}
