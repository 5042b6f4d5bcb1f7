//! Opens inputs: takes what the user names, gives [`Page`]s one at a time, never all in memory.

use std::path::PathBuf;

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

/// Where a page's content is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// At an http or https address, for the browser to fetch.
    Address(String),
    /// Bare HTML, decoded.
    Html {
        /// The source text.
        html: String,
        /// Folder of the file: what lies in it or below may be loaded by the page.
        folder: Option<PathBuf>,
    },
    /// An MHTML archive: the page frozen with all it needs.
    Mhtml(Vec<u8>),
    /// A capture folder.
    Capture(PathBuf),
}
