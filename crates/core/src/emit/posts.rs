//! The posts of a document for formats that name the author of each text: the segments of each
//! post, and its role.

use super::format::EmitOptions;
use crate::document::{Document, Post, PostRole, Segment};

/// Consecutive segments and the post they belong to, with its number from 1.
pub(super) type PostPart<'a> = (Option<(usize, &'a Post)>, Vec<Segment>);

/// Groups the segments of a thread by post, with pictures if the options ask for them.
pub(super) fn post_parts<'a>(document: &'a Document, options: &EmitOptions) -> Vec<PostPart<'a>> {
    let mut pictures = document
        .pictures
        .iter()
        .filter(|_| options.images)
        .peekable();
    let mut order: Vec<usize> = (0..document.posts.len()).collect();
    order.retain(|&post| !document.posts[post].segments.is_empty());
    order.sort_by_key(|&post| document.posts[post].segments.start);
    let mut next = order.into_iter().peekable();
    let mut parts: Vec<PostPart<'a>> = Vec::new();
    let mut end = None;
    for (index, segment) in document.segments.iter().enumerate() {
        if end == Some(index) {
            parts.push((None, Vec::new()));
            end = None;
        }
        if let Some(post) = next.next_if(|&post| document.posts[post].segments.start <= index) {
            parts.push((Some((post + 1, &document.posts[post])), Vec::new()));
            end = Some(document.posts[post].segments.end);
        }
        if parts.is_empty() {
            parts.push((None, Vec::new()));
        }
        let Some((_, part)) = parts.last_mut() else {
            continue;
        };
        while let Some((_, picture)) = pictures.next_if(|(next, _)| *next <= index) {
            part.push(picture.clone());
        }
        part.push(segment.clone());
    }
    if let Some((_, part)) = parts.last_mut() {
        part.extend(pictures.map(|(_, picture)| picture.clone()));
    }
    parts.retain(|(post, segments)| post.is_some() || !segments.is_empty());
    parts
}

/// The role of a post in words, such as `accepted answer`; `None` for an ordinary post.
pub(super) fn describe(post: &Post) -> Option<String> {
    let accepted = if post.is_accepted { "accepted " } else { "" };
    (post.is_accepted || post.role != PostRole::Post)
        .then(|| format!("{accepted}{}", post.role.name()))
}
