//! The choice of the engine, and of the fallback for pages on which the built-in engine fails.

/// The command that installs a browser, for messages.
pub(super) const INSTALL: &str = "apt-get install chromium-headless-shell (Debian) or chromium";

/// Which engine renders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// Chromium, for all pages.
    Chromium,
    /// The built-in engine, for all pages; scripts never run.
    Builtin,
    /// Per page: Chromium for addresses and if scripts are requested, the built-in engine for saved pages and archives.
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

/// What to do with a page on which the built-in engine fails: the page exceeds a limit, or the engine crashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// Chromium renders it; if that fails too, it is parsed.
    Chromium,
    /// It is parsed: a capture without layout, and a warning in its record.
    Static,
    /// No fallback: the page fails.
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
    fn names_are_parsed_back() {
        for (name, choice) in EngineChoice::ALL {
            assert_eq!(choice.name(), *name);
        }
        for (name, fallback) in Fallback::ALL {
            assert_eq!(fallback.name(), *name);
        }
    }
}
