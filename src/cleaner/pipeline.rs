//! All stages for one page: it is opened, captured and cleaned by a method, ready to be written.

use crate::capture::Capture;
use crate::error::Error;
use crate::method::{CleanPage, CleanedPage, Input};
use crate::page::{Body, Page, parse};

/// Cleans a page that was captured by the renderer or by the parser.
///
/// # Errors
/// If the method cannot clean it.
pub fn clean(page: &Page, capture: &Capture, method: &dyn CleanPage) -> Result<CleanedPage, Error> {
    let source = match &page.body {
        // Scripts may have changed a rendered page, so its source is written from the tree.
        Body::Html { html, .. } if capture.layout.is_none() => Some(html.as_str()),
        _ => None,
    };
    method.clean(&Input::new(capture, source))
}

/// Cleans a page without a browser.
///
/// # Errors
/// If it is still on the web, is damaged, or the method cannot clean it.
pub fn clean_bare(page: &Page, method: &dyn CleanPage) -> Result<CleanedPage, Error> {
    clean(page, &parse(page)?, method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleaner::{find_method, methods};
    use crate::emit::{EmitOptions, FORMATS};
    use crate::method::MethodSettings;

    fn page(body: Body) -> Page {
        Page::new("x", body)
    }

    #[test]
    fn every_method_takes_a_page_from_opening_to_writing() {
        let html = "<body><p>The herring gull drops mussels on rocks.</p></body>";
        let page = page(Body::html(html));
        for method in methods() {
            let ready = method.ready(&MethodSettings::default()).unwrap();
            let cleaned = clean_bare(&page, &*ready).unwrap();
            for format in FORMATS {
                (format.write)(&cleaned.document, &EmitOptions::default());
            }
        }
    }

    #[test]
    fn a_page_on_the_web_needs_the_browser() {
        let dump = find_method("dump").unwrap().ready(&MethodSettings::default()).unwrap();
        let error = clean_bare(&page(Body::Address("https://a.example".into())), &*dump).unwrap_err().to_string();
        assert!(error.contains("render-and-clean"), "{error}");
    }
}
