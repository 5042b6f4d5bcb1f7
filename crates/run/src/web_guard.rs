//! Protection of both servers of the program, the labeling page and the service, against pages of
//! the web and against guessing of secrets.

use http::{HeaderName, HeaderValue, header};
use subtle::ConstantTimeEq;

/// The headers of every answer, with a policy for what the page itself may load. They keep browsers
/// from interpreting the answer as another type, from storing it, and from giving it to pages of
/// other origins.
pub fn headers(content_security_policy: &'static str) -> [(HeaderName, HeaderValue); 6] {
    [
        (header::CONTENT_SECURITY_POLICY, content_security_policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ]
    .map(|(name, value)| (name, HeaderValue::from_static(value)))
}

/// Returns true if `given` is the secret. The time does not depend on where they differ.
pub fn is_same_secret(secret: &str, given: &str) -> bool {
    secret.as_bytes().ct_eq(given.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_the_same_as_a_whole() {
        assert!(is_same_secret("abc", "abc") && is_same_secret("", ""));
        assert!(
            !is_same_secret("abc", "abd")
                && !is_same_secret("abc", "ab")
                && !is_same_secret("abc", "abcd")
        );
    }
}
