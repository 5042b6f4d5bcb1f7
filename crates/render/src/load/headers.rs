//! Headers and cookies for a page's host: a mapping in JSON, or `NAME: VALUE` and `NAME=VALUE` as
//! text.

use super::secret::Secret;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// Maximum number of headers, and of cookies.
const MAX_NUMBER: usize = 64;
/// Longest name and value together, in bytes; servers refuse longer ones.
const MAX_BYTES: usize = 8 << 10;

/// Headers that belong to a connection and not to its user (RFC 9110, 7.6.1), or that state the
/// message's length.
const REFUSED: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// A header that is sent to the host of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Name as the caller writes it; letter case does not matter.
    pub name: String,
    /// Value without surrounding white space, in ASCII.
    pub value: Secret,
}

/// A cookie that is sent to the host of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cookie {
    /// Name of the cookie, in which letter case matters.
    pub name: String,
    /// Value in ASCII without semicolons.
    pub value: Secret,
}

/// A header or cookie: a name and a secret value. Error messages never contain the value.
pub(super) trait Named: Sized {
    /// Name of the option in JSON: `headers` or `cookies`.
    const OPTION: &'static str;

    fn named(name: &str, value: &str) -> Result<Self, String>;
}

/// Returns true if a text is a token (RFC 9110, 5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn check(option: &str, name: &str, value: &str, is_allowed: fn(u8) -> bool) -> Result<(), String> {
    let shown: String = name.chars().take(40).collect();
    if !is_token(name) {
        return Err(format!(
            "{shown} is no name for one of `{option}`; use letters, digits and hyphens"
        ));
    }
    if name.len() + value.len() > MAX_BYTES {
        return Err(format!(
            "{shown} of `{option}` has more than {MAX_BYTES} bytes; shorten it"
        ));
    }
    if !value.bytes().all(is_allowed) {
        return Err(format!(
            "the value of {shown} of `{option}` has characters that cannot be sent; encode them"
        ));
    }
    Ok(())
}

impl Named for Header {
    const OPTION: &'static str = "headers";

    fn named(name: &str, value: &str) -> Result<Self, String> {
        let (name, value) = (name.trim(), value.trim());
        check(Self::OPTION, name, value, |byte| {
            matches!(byte, b' '..=b'~' | b'\t')
        })?;
        let lower = name.to_ascii_lowercase();
        if REFUSED.contains(&lower.as_str()) || lower.starts_with("proxy-") {
            return Err(format!(
                "{name} of `headers` belongs to the connection and is not sent for others; leave it out"
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            value: Secret::new(value),
        })
    }
}

impl Named for Cookie {
    const OPTION: &'static str = "cookies";

    fn named(name: &str, value: &str) -> Result<Self, String> {
        let (name, value) = (name.trim(), value.trim());
        check(
            Self::OPTION,
            name,
            value,
            |byte| matches!(byte, b' '..=b':' | b'<'..=b'~'),
        )?;
        Ok(Self {
            name: name.to_owned(),
            value: Secret::new(value),
        })
    }
}

impl FromStr for Header {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text
            .split_once(':')
            .ok_or("a header is written as NAME: VALUE")?;
        Self::named(name, value)
    }
}

impl FromStr for Cookie {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text
            .split_once('=')
            .ok_or("a cookie is written as NAME=VALUE")?;
        Self::named(name, value)
    }
}

impl Header {
    /// Returns true if the header's value is a list of cookies.
    pub(super) fn holds_cookies(&self) -> bool {
        self.name.eq_ignore_ascii_case("cookie")
    }

    /// Parses the cookies in the header's value.
    ///
    /// # Errors
    /// If one is invalid.
    pub(super) fn cookies(&self) -> Result<Vec<Cookie>, String> {
        self.value
            .reveal()
            .split(';')
            .filter(|part| !part.trim().is_empty())
            .map(str::parse)
            .collect()
    }
}

/// Reads a mapping from names to values.
///
/// # Errors
/// If one is invalid, or there are more than [`MAX_NUMBER`].
pub(super) fn from_map<'de, D: Deserializer<'de>, T: Named>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Pairs<T>(PhantomData<T>);

    impl<'de, T: Named> Visitor<'de> for Pairs<T> {
        type Value = Vec<T>;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(
                to,
                "at most {MAX_NUMBER} of `{}`, an object of names and texts",
                T::OPTION
            )
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Self::Value, A::Error> {
            let mut named = Vec::new();
            while let Some(name) = pairs.next_key::<String>()? {
                // An error about the value's type would show the value.
                let value = pairs.next_value::<Text>()?.0;
                let value = value.ok_or_else(|| {
                    A::Error::custom(format!("{name} of `{}` is no text", T::OPTION))
                })?;
                named.push(T::named(&name, &value).map_err(A::Error::custom)?);
                if named.len() > MAX_NUMBER {
                    return Err(A::Error::invalid_length(named.len(), &self));
                }
            }
            Ok(named)
        }
    }

    deserializer.deserialize_any(Pairs(PhantomData))
}

/// A text, or `None` for any other value.
struct Text(Option<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Some(text),
            _ => None,
        }))
    }
}

/// The schema of a mapping from names to texts.
#[cfg(feature = "schemars")]
pub(super) fn map_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": "object", "additionalProperties": { "type": "string" }, "maxProperties": MAX_NUMBER,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_cookies_are_read_from_text() {
        let header: Header = "X-Token:  a:b c ".parse().unwrap();
        assert_eq!(
            (header.name.as_str(), header.value.reveal()),
            ("X-Token", "a:b c")
        );
        let cookie: Cookie = "sid=a=b".parse().unwrap();
        assert_eq!(
            (cookie.name.as_str(), cookie.value.reveal()),
            ("sid", "a=b")
        );
        let several: Header = "Cookie: a=1; b=2;".parse().unwrap();
        assert!(several.holds_cookies());
        assert_eq!(
            several.cookies().unwrap(),
            ["a=1", "b=2"].map(|text| text.parse().unwrap())
        );
        assert!(
            !format!("{header:?} {cookie:?}").contains("a:b"),
            "values are not shown"
        );
    }

    #[test]
    fn what_cannot_be_sent_is_refused_without_its_value() {
        for text in [
            "no colon",
            ": x",
            "a b: x",
            "X: hunter2\r\nHost: y",
            "X: hunter2\u{e9}",
            "Host: hunter2",
            "proxy-authorization: hunter2",
            "Transfer-Encoding: chunked",
            "X\u{e9}: x",
        ] {
            let error = text.parse::<Header>().unwrap_err();
            assert!(!error.contains("hunter2"), "{error}");
        }
        assert!(
            format!("X: {}", "y".repeat(9000))
                .parse::<Header>()
                .unwrap_err()
                .contains("more than 8192 bytes")
        );
        for text in ["sid", "=x", "s d=x", "sid=hunter2;x", "sid=hunter2\n"] {
            // The line end is white space at the end.
            let parsed = text.parse::<Cookie>();
            assert!(
                text.ends_with('\n') || parsed.is_err_and(|error| !error.contains("hunter2")),
                "{text}"
            );
        }
    }
}
