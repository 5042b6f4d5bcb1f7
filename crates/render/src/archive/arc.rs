//! ARC archives (Burner and Kahle 1996), the predecessors of WARC. A record has only one header
//! line.
//!
//! | version | fields of the line, separated by spaces |
//! |---|---|
//! | 1.0 | address, IP address, date, media type, length |
//! | 1.1 | those of 1.0, with status, checksum, location, offset and file name before the length |
//!
//! The first record describes the archive; its address begins with `filedesc:`. In real archives,
//! addresses and media types may contain spaces, so the fields are recognized by their form: the IP
//! address is followed by the date, and the length comes last.

use super::header::Header;
use std::net::IpAddr;

/// Number of digits of a date; some writers left out the seconds, and some added milliseconds.
const DATE_DIGITS: std::ops::RangeInclusive<usize> = 12..=17;

/// Parses a header line, with or without its line break; `None` if it does not begin a record.
pub(super) fn header(line: &[u8]) -> Option<Header> {
    if !begins_with_scheme(line) {
        return None;
    }
    let line = String::from_utf8_lossy(line);
    let line = line.trim_end();
    let (rest, length) = line.rsplit_once(' ')?;
    let length = length.parse().ok()?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let ip = (1..fields.len().saturating_sub(1))
        .rev()
        .find(|&place| is_ip_address(fields[place]) && is_date(fields[place + 1]))?;
    let url = fields[..ip].join(" ");
    let content_type = fields
        .get(ip + 2)
        .map(|kind| kind.to_ascii_lowercase())
        .unwrap_or_default();
    let is_page = url
        .get(..4)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"));
    Some(Header {
        kind: if is_page { "response" } else { "other" }.to_owned(),
        date: date(fields[ip + 1]),
        url: Some(url),
        content_type: if content_type == "no-type" {
            String::new()
        } else {
            content_type
        },
        length,
        is_arc: true,
        ..Header::default()
    })
}

/// Finds the start of the first complete line that begins a record. `bytes` must start with a line.
pub(super) fn find(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        if header(&bytes[start..end]).is_some() {
            return Some(start);
        }
        start = end + 1;
    }
    None
}

/// Returns true if the line starts with a scheme, such as `http:`.
fn begins_with_scheme(line: &[u8]) -> bool {
    let length = line
        .iter()
        .take(20)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    length > 1 && line[0].is_ascii_alphabetic() && line.get(length) == Some(&b':')
}

fn is_ip_address(field: &str) -> bool {
    // Crawlers write unknown addresses in several ways.
    field.parse::<IpAddr>().is_ok() || matches!(field, "-" | "0" | "unknown")
}

fn is_date(field: &str) -> bool {
    DATE_DIGITS.contains(&field.len()) && field.bytes().all(|byte| byte.is_ascii_digit())
}

/// Converts digits such as `20010203040506` to an RFC 3339 date.
fn date(digits: &str) -> Option<String> {
    let part = |start: usize| digits.get(start..start + 2);
    let [month, day, hour, minute] = [part(4)?, part(6)?, part(8)?, part(10)?];
    Some(format!(
        "{}-{month}-{day}T{hour}:{minute}:{}Z",
        digits.get(..4)?,
        part(12).unwrap_or("00")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_of_both_versions_are_read() {
        for line in [
            "http://a.example/ 192.0.2.1 20010203040506 text/html 202\n",
            "http://a.example/ 192.0.2.1 20010203040506 text/html 200 fac069150613fe55599cc7fa88aa089d - 209 IA-000001.arc 202\r\n",
        ] {
            let found = header(line.as_bytes()).unwrap();
            assert_eq!((found.kind.as_str(), found.length), ("response", 202));
            assert_eq!(found.url.as_deref(), Some("http://a.example/"));
            assert_eq!(found.date.as_deref(), Some("2001-02-03T04:05:06Z"));
            assert_eq!(found.content_type, "text/html");
        }
        let first = header(b"filedesc://x.arc 0.0.0.0 19960923142103 text/plain 76").unwrap();
        assert_eq!((first.kind.as_str(), first.length), ("other", 76));
        let spaces = header(
            "http://a.example/two words?q=1 2 ::1 200102030405 text/html; charset=koi8-r 7"
                .as_bytes(),
        );
        let spaces = spaces.unwrap();
        assert_eq!(
            spaces.url.as_deref(),
            Some("http://a.example/two words?q=1 2")
        );
        assert_eq!(
            (spaces.length, spaces.content_type.as_str()),
            (7, "text/html;")
        );
        assert_eq!(
            header(b"http://a.example/ 192.0.2.1 20010203040506 no-type 7")
                .unwrap()
                .content_type,
            ""
        );
    }

    #[test]
    fn other_lines_begin_no_record() {
        for line in [
            "",
            "http://a.example/ is an address with the number 7",
            "http://a.example/ 192.0.2.1 20010203040506 text/html",
            "http://a.example/ 192.0.2.1 2001 text/html 7",
            "<a href=http://a.example/> 192.0.2.1 20010203040506 text/html 7",
            "HTTP/1.1 200 OK",
        ] {
            assert_eq!(header(line.as_bytes()), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "[a-z:/.0-9 é]{0,80}") {
            let _ = header(line.as_bytes());
        }
    }
}
