//! Warnings about a page: problems that did not stop the work. Each has a kind, so that a run over
//! many pages can count warnings of the same kind.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;

/// The subject of a warning.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WarningKind {
    /// Characters could not be decoded.
    Undecodable,
    /// The page is too deep or too large, and part of it was left out.
    TooLarge,
    /// The file of the page is damaged or truncated.
    Damaged,
    /// The page shows hardly any text without its scripts.
    NeedsScripts,
    /// Loading ended before the page was complete.
    LoadingCutOff,
    /// A condition that the program waited for was not met.
    NotAwaited,
    /// The page opened dialogs, or kept loading other pages.
    Disturbing,
    /// A consent dialog was answered, as requested.
    Consent,
    /// A dialog or another box hid the first screen, and was made invisible.
    Overlay,
    /// No installed font has glyphs for some letters.
    MissingFont,
    /// The page is taller than its pictures.
    TooTall,
    /// The node mask lacks some of the text.
    NotInMask,
    /// Style sheets or other parts of the page are missing.
    MissingParts,
    /// The page requested addresses that the address policy forbids.
    Forbidden,
    /// The page was rendered by another engine than the requested one, or only parsed.
    OtherEngine,
    /// The archive of the page is only partly usable.
    Archive,
    /// A requested picture cannot be drawn.
    NoPicture,
    /// The page has text that readers do not see, and the user asked for a report.
    HiddenText,
    /// Text that seems hidden was kept, because hardly any other text would be left.
    HiddenTextKept,
    /// Much text was left out, because it is hidden or for the sake of a minimum precision.
    MuchLeftOut,
    /// The gold text does not fit the page.
    Gold,
    /// Any other warning, or a kind that a later version has written.
    #[default]
    #[serde(other)]
    Other,
}

impl WarningKind {
    /// Description of the problem in several pages with this warning, in a few words.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Undecodable => "characters that cannot be decoded",
            Self::TooLarge => "too deep or too large, parts are left out",
            Self::Damaged => "damaged or cut off",
            Self::NeedsScripts => "hardly any text without scripts",
            Self::LoadingCutOff => "loading was cut off",
            Self::NotAwaited => "what was waited for did not come",
            Self::Disturbing => "dialogs, or loading without end",
            Self::Consent => "consent dialogs answered",
            Self::Overlay => "overlays left out of the picture",
            Self::MissingFont => "missing glyphs",
            Self::TooTall => "taller than their pictures",
            Self::NotInMask => "text missing from the node mask",
            Self::MissingParts => "parts missing",
            Self::Forbidden => "parts at addresses that are not loaded",
            Self::OtherEngine => "not rendered by the requested engine",
            Self::Archive => "archive not usable in full",
            Self::NoPicture => "no picture",
            Self::HiddenText => "hidden text",
            Self::HiddenTextKept => "text kept that seems hidden",
            Self::MuchLeftOut => "much text left out",
            Self::Gold => "gold text does not fit the page",
            Self::Other => "other warnings",
        }
    }
}

/// A warning about a page; it dereferences to its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The subject, for counting and filtering.
    pub kind: WarningKind,
    /// The message, in lower case and without a period, with values and remedy.
    pub text: String,
}

impl Warning {
    /// Creates a warning of this kind.
    pub fn new(kind: WarningKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }
}

impl Deref for Warning {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.text)
    }
}

impl From<String> for Warning {
    fn from(text: String) -> Self {
        Self::new(WarningKind::Other, text)
    }
}

impl From<&str> for Warning {
    fn from(text: &str) -> Self {
        Self::new(WarningKind::Other, text)
    }
}

impl From<Warning> for String {
    fn from(warning: Warning) -> Self {
        warning.text
    }
}

/// The warnings about a page, in the order of their discovery.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    /// Creates an empty list of warnings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a warning; a plain text gets the kind [`WarningKind::Other`].
    pub fn push(&mut self, warning: impl Into<Warning>) {
        self.0.push(warning.into());
    }

    /// Adds a warning of this kind.
    pub fn add(&mut self, kind: WarningKind, text: impl Into<String>) {
        self.0.push(Warning::new(kind, text));
    }

    /// Removes and returns the last warning.
    pub fn pop(&mut self) -> Option<Warning> {
        self.0.pop()
    }

    /// The texts of all warnings, without their kinds.
    pub fn texts(&self) -> Vec<String> {
        self.0.iter().map(|warning| warning.text.clone()).collect()
    }
}

impl Deref for Warnings {
    type Target = [Warning];

    fn deref(&self) -> &[Warning] {
        &self.0
    }
}

impl<W: Into<Warning>> Extend<W> for Warnings {
    fn extend<I: IntoIterator<Item = W>>(&mut self, warnings: I) {
        self.0.extend(warnings.into_iter().map(Into::into));
    }
}

impl<W: Into<Warning>> FromIterator<W> for Warnings {
    fn from_iter<I: IntoIterator<Item = W>>(warnings: I) -> Self {
        Self(warnings.into_iter().map(Into::into).collect())
    }
}

impl IntoIterator for Warnings {
    type Item = Warning;
    type IntoIter = std::vec::IntoIter<Warning>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Warnings {
    type Item = &'a Warning;
    type IntoIter = std::slice::Iter<'a, Warning>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_keep_their_kinds_on_disk_and_unknown_kinds_are_read() {
        let mut warnings = Warnings::new();
        warnings.add(
            WarningKind::MissingFont,
            "3 letters are in no installed font",
        );
        warnings.push("something else".to_owned());
        let json = serde_json::to_string(&warnings).unwrap();
        assert!(
            json.starts_with(r#"[{"kind":"missing-font","text":"3 letters"#),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<Warnings>(&json).unwrap(), warnings);
        let later: Warnings =
            serde_json::from_str(r#"[{"kind": "of-tomorrow", "text": "new"}]"#).unwrap();
        assert_eq!(
            (later.texts(), later[0].kind),
            (vec!["new".to_owned()], WarningKind::Other)
        );
    }
}
