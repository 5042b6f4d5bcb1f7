//! Decodes bytes to text. The encoding is taken from the byte order mark, the header, `<meta>` or
//! the XML declaration; otherwise it is detected from the bytes.
//!
//! Declarations may be wrong. A page that is declared as UTF-8 but uses a legacy encoding, or is
//! declared as a legacy encoding but is multi-byte UTF-8, is decoded with its actual encoding; the
//! algorithm of the HTML standard (13.2.3) would give mojibake. The majority of the page decides: a
//! page that is UTF-8 except for some bytes is read as UTF-8 (`stray`).

use super::stray::{self, Mixture};
use crate::error::{Warning, WarningKind};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Number of bytes that are searched for the declaration (the 1024 of the standard are too few for
/// some real pages).
const PRESCAN_BYTES: usize = 4096;

/// Largest number of bytes for the detector; its result hardly changes after some thousand.
const DETECT_BYTES: usize = 1 << 20;

/// Number of parts in which encodings are detected where the page as a whole tells none.
const DETECT_PARTS: usize = 16;

/// Largest share of undecodable sequences among the non-ASCII bytes at which the declaration of a
/// legacy encoding is accepted: one or two invalid bytes from a pasted quotation do not change the
/// encoding of a page.
const TOLERATED_ERRORS: f64 = 0.02;

/// A page declared as UTF-8 with at most this many invalid sequences stays UTF-8: they are too few
/// to indicate another encoding.
const FEW_ERRORS: usize = 3;

/// The text of a page and its encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The decoded text; undecodable sequences become U+FFFD.
    pub text: String,
    /// Name of the encoding in the Encoding standard.
    pub encoding: &'static str,
    /// Number of bytes in a UTF-8 page that are not UTF-8 and were read as windows-1252.
    pub stray: usize,
}

/// Decodes a page. `header_charset` is the charset of the Content-Type header, if there is one.
pub fn decode(bytes: &[u8], header_charset: Option<&str>) -> Decoded {
    let (mark, bytes) = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => (Some(encoding), &bytes[length..]),
        None => (None, bytes),
    };
    if let Some(encoding) = mark
        .filter(|&mark| mark != UTF_8)
        .or_else(|| utf_16_without_mark(bytes))
    {
        return finish(encoding, bytes);
    }
    let header = header_charset.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let markup = declared_in_markup(&bytes[..bytes.len().min(PRESCAN_BYTES)]);
    // Bytes that contain ASCII markup are not UTF-16, whatever the declaration says.
    let mut declarations = [mark, header, markup]
        .into_iter()
        .flatten()
        .map(|encoding| match encoding.name() {
            "UTF-16LE" | "UTF-16BE" => UTF_8,
            "x-user-defined" | "replacement" => WINDOWS_1252,
            _ => encoding,
        });
    let declared = declarations.next();
    let valid = Encoding::utf8_valid_up_to(bytes);
    if valid == bytes.len() {
        return finish(
            declared
                .filter(|declared| !is_surely_utf_8(bytes, declared))
                .unwrap_or(UTF_8),
            bytes,
        );
    }
    let mixture = Mixture::count(&bytes[..bytes.len().min(DETECT_BYTES)]);
    if is_mostly_utf_8(mixture, declared) {
        return finish_mixture(bytes, false);
    }
    let Some(encoding) = declared
        .into_iter()
        .chain(declarations)
        .find(|&declared| declared != UTF_8)
    else {
        let detected = detect(bytes);
        let is_western = detected == WINDOWS_1252 && mixture.valid > 0;
        return if is_western {
            finish_mixture(bytes, true)
        } else {
            finish(detected, bytes)
        };
    };
    let declared_errors = error_share(encoding, bytes);
    if declared_errors > TOLERATED_ERRORS {
        let detected = detect(bytes);
        if detected != encoding && error_share(detected, bytes) < declared_errors / 2.0 {
            return finish(detected, bytes);
        }
    }
    finish(encoding, bytes)
}

/// Returns true if a page that is not valid UTF-8 is UTF-8 with stray bytes. Text in a single-byte
/// encoding hardly ever has valid sequences by chance; a multi-byte encoding has about one for
/// every six invalid ones.
fn is_mostly_utf_8(
    Mixture { valid, invalid }: Mixture,
    declared: Option<&'static Encoding>,
) -> bool {
    match declared {
        Some(declared) if declared == UTF_8 => valid >= invalid || invalid <= FEW_ERRORS,
        Some(declared) if !declared.is_single_byte() => valid > invalid && valid >= 8,
        Some(_) => valid > invalid,
        None => valid >= invalid,
    }
}

/// Decodes a page that is partly UTF-8.
fn finish_mixture(bytes: &[u8], is_western: bool) -> Decoded {
    let (text, stray) = stray::decode(bytes, is_western);
    Decoded {
        text,
        encoding: UTF_8.name(),
        stray,
    }
}

fn finish(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    Decoded {
        text: text.into_owned(),
        encoding: encoding.name(),
        stray: 0,
    }
}

/// Returns true unless valid UTF-8 may be a legacy encoding that is valid by chance. Against a
/// single-byte encoding one sequence is enough; in a multi-byte encoding two bytes often make one
/// letter, so a few sequences are required.
fn is_surely_utf_8(bytes: &[u8], declared: &'static Encoding) -> bool {
    if declared.name() == "ISO-2022-JP" {
        return bytes.iter().any(|&byte| byte >= 0x80);
    }
    let leads = bytes.iter().filter(|&&byte| byte >= 0xc2).take(8).count();
    leads >= if declared.is_single_byte() { 1 } else { 8 }
}

/// The number of undecodable sequences divided by the number of non-ASCII bytes, in the first
/// megabyte.
fn error_share(encoding: &'static Encoding, bytes: &[u8]) -> f64 {
    let head = &bytes[..bytes.len().min(DETECT_BYTES)];
    let high = head.iter().filter(|&&byte| byte >= 0x80).count().max(1);
    let (text, had_errors) = encoding.decode_without_bom_handling(head);
    if !had_errors {
        return 0.0;
    }
    // One error is ignored, because the part may end within a sequence.
    let errors = text.matches('\u{fffd}').count();
    errors.saturating_sub(usize::from(head.len() < bytes.len())) as f64 / high as f64
}

fn detect(bytes: &[u8]) -> &'static Encoding {
    // Typographic marks alone are too little for detection; they have the same codes in several
    // encodings.
    let is_mark = |byte: u8| {
        matches!(
            byte,
            0x85 | 0x91..=0x97 | 0x99 | 0xa0 | 0xa9 | 0xab | 0xae | 0xb0 | 0xb7 | 0xbb
        )
    };
    if bytes
        .iter()
        .all(|&byte| byte != 0x1b && (byte < 0x80 || is_mark(byte)))
    {
        return WINDOWS_1252;
    }
    // Markup before the first non-ASCII letter is skipped.
    let first = bytes
        .iter()
        .position(|&byte| byte >= 0x80 || byte == 0x1b)
        .unwrap_or(0);
    let rest = &bytes[first..];
    let head = &rest[..rest.len().min(DETECT_BYTES)];
    let whole = guess(head, rest.len() <= DETECT_BYTES);
    if whole.is_single_byte() {
        detect_by_parts(head).unwrap_or(whole)
    } else {
        whole
    }
}

fn guess(bytes: &[u8], is_all: bool) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, is_all);
    detector.guess(None, Utf8Detection::Allow)
}

/// The multi-byte encoding that most parts of a page have, if nearly all of the page can be decoded
/// by it: the detector rules an encoding out for a single damaged character.
fn detect_by_parts(bytes: &[u8]) -> Option<&'static Encoding> {
    let size = bytes.len().div_ceil(DETECT_PARTS);
    let mut votes: Vec<(&'static Encoding, usize)> = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        // A tag begins with an ASCII character, so that no character is cut in two.
        let from = size.min(rest.len());
        let next = rest[from..].iter().position(|&byte| byte == b'<');
        let (part, after) = rest.split_at(next.map_or(rest.len(), |at| from + at));
        let high = part.iter().filter(|&&byte| byte >= 0x80).count();
        let encoding = guess(part, true);
        match votes.iter_mut().find(|(known, _)| *known == encoding) {
            Some((_, sum)) => *sum += high,
            None => votes.push((encoding, high)),
        }
        rest = after;
    }
    let all: usize = votes.iter().map(|(_, sum)| sum).sum();
    let (encoding, sum) = votes.into_iter().max_by_key(|(_, sum)| *sum)?;
    let is_agreed = !encoding.is_single_byte() && 2 * sum > all;
    (is_agreed && error_share(encoding, bytes) <= TOLERATED_ERRORS).then_some(encoding)
}

/// Detects UTF-16 by its zeros: in markup, every second byte is zero.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(512) & !1];
    if head.len() < 8 {
        return None;
    }
    let zeros = |offset: usize| {
        head.iter()
            .skip(offset)
            .step_by(2)
            .filter(|&&byte| byte == 0)
            .count()
    };
    let (even, odd, half) = (zeros(0), zeros(1), head.len() / 2);
    match () {
        () if odd * 10 > half * 7 && even * 10 < half => Some(UTF_16LE),
        () if even * 10 > half * 7 && odd * 10 < half => Some(UTF_16BE),
        () => None,
    }
}

/// The encoding that a `<meta>` tag or an XML declaration names, found as in the standard's
/// prescan.
fn declared_in_markup(head: &[u8]) -> Option<&'static Encoding> {
    let mut rest = head;
    while let Some(at) = rest.iter().position(|&byte| byte == b'<') {
        rest = &rest[at..];
        if rest.starts_with(b"<!--") {
            let end = find(&rest[2..], b"-->")?;
            rest = &rest[2 + end..];
        } else if starts_with_tag(rest, b"<meta") {
            let end = tag_end(rest);
            if let Some(encoding) = declared_in_meta(&rest[..end]) {
                return Some(encoding);
            }
            rest = &rest[end..];
        } else if rest.starts_with(b"<?xml") {
            let end = tag_end(rest);
            if let Some(encoding) =
                label_after(&rest[..end], b"encoding").and_then(Encoding::for_label)
            {
                // In the standard a `<meta>` tag takes precedence, but pages that have both agree.
                return Some(encoding);
            }
            rest = &rest[end..];
        } else {
            rest = &rest[1..];
        }
    }
    None
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn find_ignoring_case(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes
        .windows(what.len())
        .position(|window| window.eq_ignore_ascii_case(what))
}

fn starts_with_tag(bytes: &[u8], tag: &[u8]) -> bool {
    bytes
        .get(..tag.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(tag))
        && bytes
            .get(tag.len())
            .is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/')
}

/// The end of the tag at the start: after its first `>` outside quotes.
fn tag_end(bytes: &[u8]) -> usize {
    let mut quote = None;
    for (index, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return index + 1,
            _ => {}
        }
    }
    bytes.len()
}

/// The `charset=...` of a meta tag, or of its `content` (both look the same here).
fn declared_in_meta(tag: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label_after(tag, b"charset")?)
}

/// The first encoding label that follows `key` and `=`.
fn label_after<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let mut rest = text;
    loop {
        rest = &rest[find_ignoring_case(rest, key)? + key.len()..];
        let value = rest.trim_ascii_start();
        let Some(value) = value.strip_prefix(b"=") else {
            continue;
        };
        let value = value.trim_ascii_start();
        let value = value
            .strip_prefix(b"\"")
            .or_else(|| value.strip_prefix(b"'"))
            .unwrap_or(value)
            .trim_ascii_start();
        let end = value
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || b"\"';>,/?".contains(byte))
            .unwrap_or(value.len());
        if Encoding::for_label(&value[..end]).is_some() {
            return Some(&value[..end]);
        }
    }
}

/// The charset that a Content-Type header names, if that encoding exists.
pub fn charset(content_type: &str) -> Option<&str> {
    std::str::from_utf8(label_after(content_type.as_bytes(), b"charset")?).ok()
}

/// Returns true if a page that was decoded as `encoding` may have another encoding or stray bytes,
/// so that it is worth calling [`decode`] on its bytes. `letters` are the non-ASCII letters of its
/// text, runs of them separated by ASCII. UTF-8 that was decoded as a legacy encoding gives letter
/// sequences that real text has only by chance.
pub fn may_be_misread(letters: &str, encoding: &str) -> bool {
    let Some(encoding) = Encoding::for_label(encoding.trim().as_bytes()) else {
        return false;
    };
    if encoding.output_encoding() == UTF_8 {
        return letters.contains('\u{fffd}');
    }
    // Characters that the encoding lacks, such as text added by scripts, become ASCII.
    let (bytes, _, _) = encoding.encode(letters);
    let (mut sequences, mut others) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        sequences += chunk
            .valid()
            .chars()
            .filter(|letter| !letter.is_ascii())
            .count();
        others += usize::from(chunk.invalid().iter().any(|&byte| byte >= 0xc0));
    }
    // Most of the others may have been written as references; but in a multi-byte encoding one
    // letter in seven is a sequence by chance.
    let allowed = if encoding.is_single_byte() { 20 } else { 1 };
    sequences * allowed > others
}

impl Decoded {
    /// The warning about stray bytes; `None` if there are none.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let text = format!(
            "{} bytes that are not UTF-8 were read as windows-1252",
            self.stray
        );
        (self.stray > 0).then(|| Warning::new(WarningKind::Undecodable, text))
    }
}

/// The warning about undecodable characters; `None` if there are none.
pub(crate) fn undecodable(text: &str) -> Option<Warning> {
    let lost = memchr::memmem::find_iter(text.as_bytes(), "\u{fffd}").count();
    let text =
        format!("{lost} characters could not be decoded; the page may name the wrong encoding");
    (lost > 0).then(|| Warning::new(WarningKind::Undecodable, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, EUC_KR, GBK, SHIFT_JIS, WINDOWS_1251};
    use proptest::prelude::*;

    const GERMAN: &str =
        "<p>Über die Größe der Häuser läßt sich streiten, sagt Jörg Müller aus Köln.</p>";

    fn encoding(bytes: &[u8]) -> &'static str {
        decode(bytes, None).encoding
    }

    fn legacy(encoding: &'static Encoding, text: &str) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    #[test]
    fn content_types_name_charsets() {
        for (content_type, name) in [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;Charset=\"KOI8-R\"; x=y", Some("KOI8-R")),
            ("text/html; charset=utf-8, text/html", Some("utf-8")),
            ("text/html; charset=none", None),
            ("text/html; x=charset", None),
            ("text/html", None),
        ] {
            assert_eq!(charset(content_type), name, "{content_type}");
        }
    }

    #[test]
    fn a_damaged_character_does_not_change_the_encoding_of_a_page_that_declares_none() {
        for (known, text) in [
            (
                GBK,
                "太行山上主要讲述八路军总司令朱德率领部队东渡黄河，挺进抗日前线。",
            ),
            (BIG5, "臺灣的天氣很好，今天我們去看電影，然後回家吃飯。"),
            (
                SHIFT_JIS,
                "今日は天気がいいので、友達と一緒に公園へ行きました。",
            ),
            (EUC_KR, "오늘은 날씨가 좋아서 친구와 함께 공원에 갔습니다."),
        ] {
            let lines = format!("<p>{text}</p>").repeat(40);
            let mut bytes = legacy(known, &lines);
            let at = bytes.len() / 2;
            let damaged = at
                + bytes[at..]
                    .iter()
                    .position(|&byte| byte == b'>')
                    .unwrap_or(0)
                + 1;
            bytes.splice(damaged..damaged, [0xff, 0xff]);
            let Decoded {
                text: read,
                encoding,
                ..
            } = decode(&bytes, None);
            assert_eq!(encoding, known.name());
            assert!(read.contains(text) && read.matches('\u{fffd}').count() <= 2);
        }
    }

    #[test]
    fn a_misread_page_is_noticed() {
        let seen = |bytes: &[u8], encoding: &'static Encoding| {
            let text = encoding.decode_without_bom_handling(bytes).0;
            let letters: String = text
                .chars()
                .map(|letter| if letter.is_ascii() { ' ' } else { letter })
                .collect();
            may_be_misread(&letters, encoding.name())
        };
        for text in [GERMAN, "Жалоба на чаек", "中文网页的正文", "It’s one"] {
            assert!(seen(text.as_bytes(), WINDOWS_1252), "{text}");
            assert!(seen(text.as_bytes(), WINDOWS_1251), "{text}");
            assert!(!seen(text.as_bytes(), UTF_8), "{text}");
        }
        assert!(seen(&legacy(WINDOWS_1251, "Жалоба на чаек"), UTF_8));
        assert!(!seen(&legacy(WINDOWS_1252, GERMAN), WINDOWS_1252));
        assert!(!seen(&legacy(WINDOWS_1251, "Жалоба на чаек"), WINDOWS_1251));
        assert!(!seen(&legacy(GBK, "中文网页的正文"), GBK));
        assert!(!seen(b"only ASCII", WINDOWS_1252));
        // Text added by scripts does not count, nor do spaces that were written as references.
        assert!(
            !may_be_misread("é ü łż", "windows-1252")
                && may_be_misread("Ã© \u{a0}\u{a0} é é ł", "windows-1252")
        );
        // One sequence among many letters may be chance.
        let german = format!("{}großer Spaß” ", "Möwen, Bären, ".repeat(20));
        assert!(!seen(&legacy(WINDOWS_1252, &german), WINDOWS_1252));
    }

    #[test]
    fn byte_order_marks_headers_and_declarations_are_used_in_order() {
        assert_eq!(
            decode(b"\xef\xbb\xbfx", Some("latin1")),
            Decoded {
                text: "x".into(),
                encoding: "UTF-8",
                stray: 0
            }
        );
        assert_eq!(decode(b"\xff\xfea\0", None).text, "a");
        let russian = legacy(WINDOWS_1251, "<meta charset=koi8-r><p>Привет, мир");
        assert!(
            decode(&russian, Some("windows-1251"))
                .text
                .ends_with("Привет, мир")
        );
        let http_equiv = legacy(
            WINDOWS_1251,
            "<!-- <meta charset=utf-8> --><META http-equiv=Content-Type content='text/html; charset=windows-1251'><p>Привет",
        );
        assert!(decode(&http_equiv, None).text.ends_with("Привет"));
        let xml = legacy(BIG5, "<?xml version=\"1.0\" encoding=\"big5\"?><p>中文網頁");
        assert!(decode(&xml, None).text.ends_with("中文網頁"));
    }

    #[test]
    fn undeclared_encodings_are_detected() {
        assert_eq!(encoding(GERMAN.as_bytes()), "UTF-8");
        assert_eq!(decode(&legacy(WINDOWS_1252, GERMAN), None).text, GERMAN);
        let japanese = "<p>これは日本語の文章です。文字コードを当てることができますか。</p>";
        assert_eq!(decode(&legacy(SHIFT_JIS, japanese), None).text, japanese);
        let wide: Vec<u8> = "<p>wide</p>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(decode(&wide, None).text, "<p>wide</p>");
    }

    #[test]
    fn wrong_declarations_are_overruled() {
        let mut page = b"<meta charset=utf-8>".to_vec();
        page.extend(legacy(WINDOWS_1252, GERMAN));
        let decoded = decode(&page, None);
        assert!(decoded.text.ends_with(GERMAN), "{decoded:?}");
        let page = format!("<meta charset=iso-8859-1>{GERMAN}");
        assert_eq!(encoding(page.as_bytes()), "UTF-8");
        let page = format!(
            "<meta charset=gb2312><p>{}",
            "这是一个网页的正文内容。".repeat(3)
        );
        assert_eq!(encoding(page.as_bytes()), "UTF-8");
        assert_eq!(encoding(b"<meta charset=utf-16>plain"), "UTF-8");
    }

    #[test]
    fn a_page_is_what_most_of_it_is() {
        // One byte in an English page is a third of its non-ASCII bytes.
        let text = "<p>The caf\u{e9} is run by Jos\u{e9}; it costs €4 – “cheap”.";
        for declared in ["utf-8", "windows-1252", "iso-8859-2", "none"] {
            let mut page = format!("<meta charset={declared}>{text}<p>").into_bytes();
            page.extend(legacy(WINDOWS_1252, "Zo\u{eb}"));
            let decoded = decode(&page, None);
            assert_eq!(
                (decoded.encoding, decoded.stray),
                ("UTF-8", 1),
                "{declared}"
            );
            assert!(
                decoded.text.ends_with(&format!("{text}<p>Zo\u{eb}")),
                "{decoded:?}"
            );
        }
        // The windows-1252 part is a third of the page, then most of it.
        for (utf_8, western) in [(20, 10), (1, 30)] {
            let mut page = format!("<meta charset=utf-8>{}", GERMAN.repeat(utf_8)).into_bytes();
            page.extend(legacy(WINDOWS_1252, &GERMAN.repeat(western)));
            assert!(
                decode(&page, Some("utf-8"))
                    .text
                    .ends_with(&GERMAN.repeat(utf_8 + western))
            );
        }
        let mut page = legacy(GBK, &format!("<meta charset=gbk>{}", "中文网页".repeat(50)));
        page.push(0xff);
        assert_eq!(encoding(&page), "GBK");
        let mut page = format!("<meta charset=gbk>{}", "中文网页".repeat(50)).into_bytes();
        page.push(0xff);
        assert_eq!(encoding(&page), "UTF-8");
    }

    #[test]
    fn legacy_pages_that_are_declared_as_utf_8_are_detected() {
        let russian =
            "<p>Чайки вернулись в гавань, и никто не знает, надолго ли они здесь останутся.";
        let chinese = "<p>这是一个网页的正文内容，关于港口和海鸥的报道。".repeat(4);
        let thai = "<p>สวัสดีครับ วันนี้อากาศดีมาก เราไปเที่ยวทะเลกันเถอะ และกลับบ้านตอนเย็น";
        for (encoding, text) in [
            (WINDOWS_1251, russian),
            (encoding_rs::KOI8_R, russian),
            (GBK, &chinese),
            (encoding_rs::WINDOWS_874, thai),
        ] {
            let mut page = b"<meta charset=utf-8>".to_vec();
            page.extend(legacy(encoding, text));
            assert!(
                decode(&page, Some("utf-8")).text.ends_with(text),
                "{}",
                encoding.name()
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(&bytes, Some("gb18030"));
            let _ = decode(&bytes, None);
        }

        #[test]
        fn declared_utf_8_is_decoded_unchanged(text in "\\PC{0,100}") {
            let page = format!("<meta charset=\"utf-8\">{text}");
            prop_assert_eq!(decode(page.as_bytes(), None).text, page);
        }
    }
}
