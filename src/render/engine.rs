//! The engines that pages are rendered by, and what becomes of a page that the built-in one fails on.

/// The command that installs a browser, for messages.
pub(super) const INSTALL: &str = "apt-get install chromium-headless-shell (Debian) or chromium";

/// Which engine renders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// Chromium, for all pages.
    Chromium,
    /// The engine inside the program, for all pages; scripts never run.
    Builtin,
    /// By page: Chromium for addresses and where scripts are asked for, the built-in engine for saved pages and archives.
    #[default]
    Auto,
}

impl EngineChoice {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[("chromium", Self::Chromium), ("builtin", Self::Builtin), ("auto", Self::Auto)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, choice)| *choice == self).map_or("", |(name, _)| name)
    }
}

/// What becomes of a page that the built-in engine fails on: over a limit of it, or more than it can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// Chromium renders it; where that cannot be, it is parsed.
    Chromium,
    /// It is parsed: a capture without layout, and a warning in its record.
    Static,
    /// Nothing: the page fails.
    None,
}

impl Fallback {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[("chromium", Self::Chromium), ("static", Self::Static), ("none", Self::None)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, fallback)| *fallback == self).map_or("", |(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for (name, choice) in EngineChoice::ALL {
            assert_eq!(choice.name(), *name);
        }
        for (name, fallback) in Fallback::ALL {
            assert_eq!(fallback.name(), *name);
        }
    }
}
