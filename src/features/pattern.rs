//! Patterns in a block's text that `profile` records: how it ends, addresses, dates, times, prices, phone numbers.

use super::text_profile::TextProfile;
use crate::language::character::{ends_sentence, is_closing};

pub(super) fn find_end(text: &str, profile: &mut TextProfile) {
    let end = text.trim_end_matches(|c: char| c.is_whitespace() || is_closing(c));
    let last = end.chars().next_back();
    profile.ends_sentence = last.is_some_and(ends_sentence) && profile.tokens > 0;
    profile.ends_colon = matches!(last, Some(':' | '：' | '︰'));
    profile.ends_ellipsis =
        matches!(last, Some('…')) || end.ends_with("...") || end.ends_with("....") || end.ends_with("[…");
}

/// Finds addresses of the web and of mail.
pub(super) fn find_addresses(text: &str, profile: &mut TextProfile) {
    let has = |needle: &str| text.contains(needle);
    profile.has_url = has("://") || has("www.");
    profile.has_email = text.match_indices('@').any(|(at, _)| {
        text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
            && text[at + 1..].chars().next().is_some_and(char::is_alphanumeric)
            && text[at + 1..].split_whitespace().next().is_some_and(|domain| domain.contains('.'))
    });
}

/// Finds dates, times and telephone numbers; there is none where the profile counts fewer than three digits.
pub(super) fn find_numbers(text: &str, profile: &mut TextProfile) {
    if profile.digits < 3 {
        return;
    }
    // Groups of ASCII digits with the marks between them: a group and the byte after it.
    let bytes = text.as_bytes();
    let mut groups: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_digit() {
            let start = at;
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                at += 1;
            }
            groups.push((start, at));
        } else {
            at += 1;
        }
    }
    let mut chained = 0;
    for (index, &(start, end)) in groups.iter().enumerate() {
        let width = end - start;
        if width == 4 && (bytes[start..].starts_with(b"19") || bytes[start..].starts_with(b"20")) {
            profile.has_date = true;
        }
        let Some(&(next_start, next_end)) = groups.get(index + 1) else { break };
        let between = &bytes[end..next_start];
        if between == b":" && width <= 2 && next_end - next_start == 2 {
            profile.has_time = true;
        }
        if let Some(&(third_start, third_end)) = groups.get(index + 2)
            && matches!(between, b"." | b"/" | b"-" | b". ")
            && matches!(&bytes[next_end..third_start], b"." | b"/" | b"-" | b". ")
            && (width == 4 || third_end - third_start == 4 || third_end - third_start == 2)
            && width + (next_end - next_start) + (third_end - third_start) <= 8
        {
            profile.has_date = true;
        }
        let parts_number = between.len() <= 3 && between.iter().all(|byte| b" -.()/".contains(byte));
        chained = if parts_number { chained + width } else { 0 };
        if parts_number && chained + next_end - next_start >= 7 && !profile.has_date {
            profile.has_phone = true;
        }
    }
}
