//! The options of a single page, besides those of its renderer.

use super::engine::EngineChoice;
use super::options::RenderOptions;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to end the rendering of a page early. Clones are the same request.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends the rendering soon: in Chromium the tab is closed and its place is free. The built-in engine finishes a page
    /// that it has begun, which takes it a fraction of a second.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the rendering is to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// How one page is rendered, where it differs from the options of the renderer.
#[derive(Debug, Clone, Default)]
pub struct PageOptions {
    /// Which engine renders it; `None` means the choice of the renderer.
    pub engine: Option<EngineChoice>,
    /// Time limit of the page, in ms; a longer one than that of the renderer has no effect.
    pub timeout_ms: Option<u64>,
    /// Whether the built-in engine paints it for people to look at, also if the renderer does not.
    pub paint: bool,
    /// Ends its rendering early.
    pub cancel: Cancel,
}

impl PageOptions {
    /// The options of the renderer with those of the page.
    pub(super) fn applied_to(&self, options: &RenderOptions) -> RenderOptions {
        let limit = options.page_timeout_ms;
        RenderOptions {
            engine: self.engine.unwrap_or(options.engine),
            page_timeout_ms: self.timeout_ms.map_or(limit, |timeout_ms| timeout_ms.min(limit)),
            paint: self.paint || options.paint,
            ..options.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_have_more_time_than_its_renderer() {
        let options = RenderOptions { page_timeout_ms: 1000, ..RenderOptions::default() };
        let applied = |timeout_ms| PageOptions { timeout_ms, ..PageOptions::default() }.applied_to(&options);
        assert_eq!(applied(None), options);
        assert_eq!(applied(Some(10)).page_timeout_ms, 10);
        assert_eq!(applied(Some(5000)).page_timeout_ms, 1000);
        let page = PageOptions { engine: Some(EngineChoice::Builtin), paint: true, ..PageOptions::default() };
        assert_eq!((page.applied_to(&options).engine, page.applied_to(&options).paint), (EngineChoice::Builtin, true));
    }

    #[test]
    fn clones_are_the_same_request() {
        let cancel = Cancel::default();
        let other = cancel.clone();
        other.set();
        assert!(cancel.is_set());
    }
}
