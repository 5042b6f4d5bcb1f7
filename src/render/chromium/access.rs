//! What the pages in a tab may load.

/// What a tab may load. It is fixed when the tab is opened, because it depends on the tab's browser context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// What the policy of the network allows, and saved pages with the files beside them.
    Network,
    /// Saved pages with the files beside them, and nothing from the network.
    Files,
    /// The archive of its page; see `sealed`.
    Archive,
}
