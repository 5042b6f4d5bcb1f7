//! One page, and the location of its content.

use crate::error::{Warning, Warnings};
use serde_json::Value;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// Largest size of a page that is opened or fetched, in bytes.
pub const MAX_PAGE_BYTES: u64 = 64 << 20;

/// A page to be rendered or parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The input as the user named it, for messages and output names.
    pub input: String,
    /// Address of the page, if it is known.
    pub url: Option<String>,
    /// The content, or where to find it.
    pub body: Body,
    /// The place of the page in the input.
    pub origin: Origin,
}

/// The place of a page in an input of many pages, with warnings from there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The `id` that the sender gave it in a line of JSON.
    pub id: Option<Value>,
    /// Number of the page's record in a web archive, from 1.
    pub record: Option<u64>,
    /// Identifier of that record, such as `urn:uuid:...`, if it has one.
    pub record_id: Option<String>,
    /// Date of that record, as in RFC 3339, if it has one.
    pub record_date: Option<String>,
    /// When the page was saved, as in RFC 3339, if the program that saved it wrote that into it.
    pub captured: Option<String>,
    /// Problems of the content that do not prevent its use.
    pub warnings: Warnings,
}

impl Page {
    /// A copy without the content, but with names and origin.
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

    /// Creates a page without an address; `input` is its name in messages.
    pub fn new(input: impl Into<String>, body: Body) -> Self {
        Self {
            input: input.into(),
            url: None,
            body,
            origin: Origin::default(),
        }
    }

    /// The name of the page in messages: the input, and the record if the input is a web archive.
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

    /// Creates a page from decoded HTML, without other files; `name` is its name in messages.
    pub fn from_html(name: impl Into<String>, html: impl Into<String>) -> Self {
        Self::new(name, Body::html(html))
    }

    /// Creates a page on the web, to be rendered.
    pub fn from_url(address: impl Into<String>) -> Self {
        let address = address.into();
        Self::new(address.clone(), Body::Address(address.clone())).with_url(address)
    }

    /// Sets the address of the page, against which its links are resolved.
    #[must_use]
    pub fn with_url(mut self, address: impl Into<String>) -> Self {
        self.url = Some(address.into());
        self
    }
}

/// The content of a page, or its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// At an http or https address, to be fetched by the browser.
    Address(String),
    /// HTML that has been decoded to text.
    Html {
        /// The source text of the page.
        html: String,
        /// The files that the page may load.
        files: PageFiles,
    },
    /// An MHTML file: a saved page with all its resources.
    Mhtml(Vec<u8>),
    /// A folder with a stored capture.
    Capture(PathBuf),
}

impl Body {
    /// Creates bare HTML without other files.
    pub fn html(html: impl Into<String>) -> Self {
        Self::Html {
            html: html.into(),
            files: PageFiles::Nothing,
        }
    }
}

/// The files that a saved page may load when it is rendered.
#[derive(Debug, Clone, Default)]
pub enum PageFiles {
    /// The page may load no local files.
    #[default]
    Nothing,
    /// The files of this folder and its subfolders; the page is directly in it.
    Folder(PathBuf),
    /// The files of a folder that the user named, such as the mirror of a site, and its subfolders.
    Mirror {
        /// The folder that the user named.
        folder: PathBuf,
        /// Path of the page's file in it.
        page: PathBuf,
    },
    /// The content of the web archive that contains the page; nothing is fetched from elsewhere.
    Archive(Arc<dyn Resources>),
}

impl PageFiles {
    /// The folder, if the files are in one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) | Self::Mirror { folder, .. } => Some(folder),
            Self::Nothing | Self::Archive(_) => None,
        }
    }

    /// Sets the path of an address to that of the page in its folder, so that relative links lead
    /// to the files beside it and above it; `/` where the folder is the page's own.
    pub fn place(&self, url: &mut Url) {
        url.set_path("/");
        if let (Self::Mirror { page, .. }, Ok(mut segments)) = (self, url.path_segments_mut()) {
            segments.clear();
            segments.extend(page.iter().map(|segment| segment.to_string_lossy()));
        }
    }
}

/// Two archives are equal if they are the same object in memory.
impl PartialEq for PageFiles {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => true,
            (Self::Folder(folder), Self::Folder(other)) => folder == other,
            (
                Self::Mirror { folder, page },
                Self::Mirror {
                    folder: other_folder,
                    page: other_page,
                },
            ) => folder == other_folder && page == other_page,
            (Self::Archive(archive), Self::Archive(other)) => Arc::ptr_eq(archive, other),
            _ => false,
        }
    }
}

impl Eq for PageFiles {}

/// The resources that the pages of a web archive load, by address.
pub trait Resources: Debug + Send + Sync {
    /// Prepares the first lookup, which may take one pass over the archive. A problem of the
    /// archive as a whole is returned by the first call only.
    fn prepare(&self) -> Option<Warning>;

    /// The resource for an address. Content is preferred to a redirect, the requested scheme (http
    /// or https) to the other one, and the earliest record if there are several.
    fn find(&self, address: &Url) -> Option<Resource>;
}

/// The response that an archive holds for an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// HTTP status code of the response.
    pub status: u16,
    /// Media type with its parameters, in lower case; empty if unknown.
    pub content_type: String,
    /// Target of a redirect, as the server wrote it.
    pub location: Option<String>,
    /// The decompressed content; empty for a redirect.
    pub body: Vec<u8>,
}
