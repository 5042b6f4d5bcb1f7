//! Launches Chromium when the first page needs it; no browser process exists before.

#[cfg(feature = "chromium")]
pub(super) use super::chromium::Chromium;
use super::options::RenderOptions;
#[cfg(not(feature = "chromium"))]
pub(super) use super::stubs::Chromium;
use crate::error::RenderError;
use crate::net::{Policy, Proxy};
use std::sync::{Arc, OnceLock};

/// A browser that is launched on first use. Threads share it; while it starts, they wait.
pub(super) struct IdleBrowser {
    options: RenderOptions,
    proxy: Arc<Proxy>,
    /// The result of the launch. The error is kept, so that a browser that does not work is not launched again for
    /// every page.
    launched: OnceLock<Result<Chromium, String>>,
}

impl IdleBrowser {
    pub(super) fn new(options: RenderOptions, proxy: Arc<Proxy>) -> Self {
        Self { options, proxy, launched: OnceLock::new() }
    }

    /// The browser, launched if necessary.
    ///
    /// # Errors
    /// [`RenderError::Browser`] if it cannot be launched, the same error each time.
    pub(super) fn get(&self) -> Result<&Chromium, RenderError> {
        let launched = self.launched.get_or_init(|| self.launch().map_err(|error| error.to_string()));
        launched.as_ref().map_err(|cause| RenderError::Browser(cause.clone()))
    }

    /// The browser, if it was launched.
    pub(super) fn launched(&self) -> Option<&Chromium> {
        self.launched.get()?.as_ref().ok()
    }

    /// Why there is no browser, if one was needed and could not be launched.
    pub(super) fn fault(&self) -> Option<&str> {
        self.launched.get()?.as_ref().err().map(String::as_str)
    }

    fn launch(&self) -> Result<Chromium, RenderError> {
        // Pages of archives must not use the network, whatever the policy for other pages.
        let blocking_proxy = Proxy::start(Policy { allow_private: false, offline: true })
            .map_err(|error| RenderError::Browser(format!("cannot listen on the loopback interface: {error}")))?;
        Chromium::launch(self.options.clone(), Arc::clone(&self.proxy), blocking_proxy)
    }
}
