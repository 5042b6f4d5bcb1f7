//! The state of a page: it has a text of its own, or a reason why not.

use serde::{Deserialize, Serialize};

/// The state of a page: text, or the reason why the page has none of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageState {
    /// The page has a text.
    Text,
    /// A challenge, a captcha, a rate limit, or a block by region or court.
    Blocked,
    /// A request for consent or age in place of the text.
    Consent,
    /// An offer to subscribe in place of most of the text.
    Paywall,
    /// A form to log in, to register, or to reset a password.
    Login,
    /// A page that is not found, a failure, maintenance, or a parked domain.
    Error,
    /// A search or list without results, a form, or navigation alone.
    Empty,
    /// An application that scripts would fill.
    Shell,
}

impl PageState {
    /// All states; text first.
    pub const ALL: [Self; 8] = [
        Self::Text,
        Self::Blocked,
        Self::Consent,
        Self::Paywall,
        Self::Login,
        Self::Error,
        Self::Empty,
        Self::Shell,
    ];

    /// Name in files and output, such as `login`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Blocked => "blocked",
            Self::Consent => "consent",
            Self::Paywall => "paywall",
            Self::Login => "login",
            Self::Error => "error",
            Self::Empty => "empty",
            Self::Shell => "shell",
        }
    }

    /// The state with a name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Position in [`ALL`](Self::ALL), from 0.
    pub fn index(self) -> usize {
        self as usize
    }
}

impl std::fmt::Display for PageState {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The most probable state of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LikelyState {
    /// The state with the strongest evidence, or `text`.
    pub state: PageState,
    /// Probability, 0 to 1: that the page has text, for the state `text`; that it has none, for the
    /// others.
    pub probability: f32,
    /// The strongest evidence for the state, for people to read; empty for `text`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl LikelyState {
    /// Probability, 0 to 1, that the page has text.
    pub fn text_probability(&self) -> f32 {
        if self.state == PageState::Text {
            self.probability
        } else {
            1.0 - self.probability
        }
    }

    /// A clause for people that says why the page has no text; `None` if it has.
    pub fn describe(&self) -> Option<String> {
        let Self {
            state,
            probability,
            reason,
        } = self;
        (*state != PageState::Text).then(|| {
            format!(
                "the page seems to have no text of its own: {state} ({reason}; probability {probability:.2})"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_a_name_that_leads_back_to_it() {
        for (index, state) in PageState::ALL.into_iter().enumerate() {
            assert_eq!(state.index(), index);
            assert_eq!(PageState::from_name(state.name()), Some(state));
            assert_eq!(serde_json::to_value(state).ok(), Some(state.name().into()));
        }
        assert_eq!(PageState::from_name("page"), None);
    }
}
