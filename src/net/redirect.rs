//! Redirects: which responses are redirects, their target, and how many are followed.

use url::Url;

/// Whether a response with this HTTP status redirects the client to another address (RFC 9110, 15.4).
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// The address that a `Location` header names, in a response from `from`.
pub(crate) fn target(from: &Url, location: &str) -> Option<Url> {
    from.join(location).ok()
}

/// The current address while redirects are followed, up to a limit.
#[derive(Debug)]
pub(crate) struct Redirects {
    url: Url,
    left: usize,
}

impl Redirects {
    /// Starts at `url`; at most `limit` redirects are followed.
    pub(crate) fn new(url: Url, limit: usize) -> Self {
        Self { url, left: limit }
    }

    /// The address to request now.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Moves to the next address if the response is a redirect that can be followed. Returns `false` if the response is
    /// the last one: it is no redirect, its `Location` is missing or invalid, or the limit is reached.
    pub(crate) fn follow(&mut self, status: u16, location: Option<&str>) -> bool {
        let next = location.filter(|_| is_redirect(status) && self.left > 0).and_then(|to| target(&self.url, to));
        let Some(next) = next else { return false };
        self.url = next;
        self.left -= 1;
        true
    }

    /// The address that was requested last.
    pub(crate) fn into_url(self) -> Url {
        self.url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_followed_up_to_the_limit() {
        let mut redirects = Redirects::new(Url::parse("http://a.example/b/c").unwrap(), 2);
        assert!(
            !redirects.follow(200, Some("/x")) && !redirects.follow(304, Some("/x")) && !redirects.follow(301, None)
        );
        assert!(!redirects.follow(301, Some("http://[")));
        assert!(redirects.follow(301, Some("d?e")));
        assert_eq!(redirects.url().as_str(), "http://a.example/b/d?e");
        assert!(redirects.follow(308, Some("//b.example")));
        assert!(!redirects.follow(302, Some("/more")));
        assert_eq!(redirects.into_url().as_str(), "http://b.example/");
    }
}
