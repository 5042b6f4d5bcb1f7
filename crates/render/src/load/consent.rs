//! The answer to the consent dialogs of pages.

use vclean_core::by_name;

/// The answer to a consent dialog of a well-known platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Consent {
    /// The button that accepts everything is clicked.
    Accept,
    /// The button that rejects everything is clicked, in the dialog or in its settings.
    Reject,
    /// No button is clicked, and the dialog stays.
    #[default]
    Ignore,
}

impl Consent {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[
        ("accept", Self::Accept),
        ("reject", Self::Reject),
        ("ignore", Self::Ignore),
    ];
}

by_name!(Consent, "consent");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_names() {
        for (name, consent) in Consent::ALL {
            assert_eq!(consent.name(), *name);
            let json = format!("\"{name}\"");
            assert_eq!(serde_json::from_str::<Consent>(&json).unwrap(), *consent);
        }
        assert!(serde_json::from_str::<Consent>("\"perhaps\"").is_err());
    }
}
