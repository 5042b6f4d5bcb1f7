//! A capture: its record, the tree, the layout and the pictures.

use super::dom::Dom;
use super::layout::Layout;
use super::picture::Picture;
use crate::error::Warnings;
use serde::{Deserialize, Serialize};
use url::Url;

/// The program that made a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// The HTML parser: only the tree.
    Parser,
    /// The engine inside the program: tree, layout and pictures; it runs no scripts.
    Builtin,
    /// Headless Chromium: tree, layout and pictures.
    Chromium,
}

impl Engine {
    /// Name of the engine, as on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parser => "parser",
            Self::Builtin => "builtin",
            Self::Chromium => "chromium",
        }
    }

    /// The page as the engine shows it, in a sentence for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Parser => "the HTML alone",
            Self::Builtin => "the page as the built-in engine renders it",
            Self::Chromium => "the page as Chromium renders it",
        }
    }
}

/// The record of a capture: where the page came from and how it was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The input as the user named it: a URL, a path, or `-`.
    pub input: String,
    /// Address of the page, where it is known.
    pub url: Option<String>,
    /// Address after redirects, where it differs.
    pub final_url: Option<String>,
    /// Time of the capture, in seconds since 1970 UTC; absent for bare HTML.
    pub captured_at_s: Option<u64>,
    /// Decides which parts the capture has.
    pub engine: Engine,
    /// Product and version of the browser, such as `HeadlessChrome/140.0.0.0`.
    pub browser: Option<String>,
    /// Viewport in CSS px, width and height; absent for bare HTML.
    pub viewport_px: Option<[u32; 2]>,
    /// Font families the browser had, in brief.
    pub fonts: Vec<String>,
    /// Problems that did not stop the capture.
    pub warnings: Warnings,
}

impl Record {
    /// The record of bare HTML.
    pub fn parsed(input: &str, url: Option<String>) -> Self {
        Self {
            input: input.to_owned(),
            url,
            final_url: None,
            captured_at_s: None,
            engine: Engine::Parser,
            browser: None,
            viewport_px: None,
            fonts: Vec::new(),
            warnings: Warnings::new(),
        }
    }
}

/// The pictures of a rendered page, all of the same size; one image pixel per CSS pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pictures {
    /// The page image that features are measured on: the page as readers see it, or a simplified
    /// drawing by the built-in engine.
    pub screenshot: Picture,
    /// Picture of the `NodeMask`: the text node that owns each pixel.
    pub mask: Picture,
    /// The page as readers see it; kept on request where the screenshot is a simplified drawing.
    pub painted: Option<Picture>,
}

impl Pictures {
    /// Pictures of a page whose screenshot is also the one for people.
    pub fn new(screenshot: Picture, mask: Picture) -> Self {
        Self {
            screenshot,
            mask,
            painted: None,
        }
    }

    /// The picture to show to people.
    pub fn to_look_at(&self) -> &Picture {
        self.painted.as_ref().unwrap_or(&self.screenshot)
    }
}

/// A page as the renderer or the parser recorded it.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    /// Origin of the page, engine and warnings.
    pub record: Record,
    /// Document tree; shadow trees and frames are resolved.
    pub dom: Dom,
    /// Boxes and styles; absent for bare HTML.
    pub layout: Option<Layout>,
    /// Screenshot and mask; absent for bare HTML.
    pub pictures: Option<Pictures>,
}

impl Capture {
    /// A capture of bare HTML.
    pub fn parsed(dom: Dom, record: Record) -> Self {
        Self {
            record,
            dom,
            layout: None,
            pictures: None,
        }
    }

    /// Address of the page after redirects, where one is known.
    pub fn address(&self) -> Option<&str> {
        self.record
            .final_url
            .as_deref()
            .or(self.record.url.as_deref())
    }
}

/// Host of an address without `www.`, used as the name of its site; `None` if it has no host.
pub fn site_host(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let host = url.host_str()?;
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_site_has_no_www() {
        for address in [
            "https://www.A.example/x",
            "http://a.example:80",
            "ftp://a.example",
        ] {
            assert_eq!(
                site_host(address).as_deref(),
                Some("a.example"),
                "{address}"
            );
        }
        assert_eq!(
            [site_host("a.example"), site_host("data:text/html,x")],
            [None, None]
        );
        assert_eq!(
            site_host("https://wwww.example").as_deref(),
            Some("wwww.example")
        );
    }
}
