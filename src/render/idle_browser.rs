//! Chromium on idle_browser: no process of it before the first page that needs one.

#[cfg(feature = "chromium")]
pub(super) use super::chromium::Chromium;
use super::options::RenderOptions;
#[cfg(not(feature = "chromium"))]
pub(super) use super::stubs::Chromium;
use crate::error::RenderError;
use crate::net::{Policy, Proxy};
use std::sync::{Arc, OnceLock};

/// A browser that is launched when it is first asked for. Threads share it; those that come while it starts wait.
pub(super) struct IdleBrowser {
    options: RenderOptions,
    proxy: Arc<Proxy>,
    /// What the launch came to; the cause is kept, so that a browser that does not work here is not tried page by page.
    launched: OnceLock<Result<Chromium, String>>,
}

impl IdleBrowser {
    pub(super) fn new(options: RenderOptions, proxy: Arc<Proxy>) -> Self {
        Self { options, proxy, launched: OnceLock::new() }
    }

    /// The browser, launched if need be.
    ///
    /// # Errors
    /// [`RenderError::Browser`] where it cannot be launched, the same each time.
    pub(super) fn get(&self) -> Result<&Chromium, RenderError> {
        let launched = self.launched.get_or_init(|| self.launch().map_err(|error| error.to_string()));
        launched.as_ref().map_err(|cause| RenderError::Browser(cause.clone()))
    }

    /// The browser, where one was launched.
    pub(super) fn launched(&self) -> Option<&Chromium> {
        self.launched.get()?.as_ref().ok()
    }

    /// Why there is none, where one was asked for and could not be launched.
    pub(super) fn fault(&self) -> Option<&str> {
        self.launched.get()?.as_ref().err().map(String::as_str)
    }

    fn launch(&self) -> Result<Chromium, RenderError> {
        // Pages of archives get nothing from the network, whatever the others may.
        let wall = Proxy::start(Policy { allow_private: false, offline: true })
            .map_err(|error| RenderError::Browser(format!("cannot listen on the loopback interface: {error}")))?;
        Chromium::launch(self.options.clone(), Arc::clone(&self.proxy), wall)
    }
}
