//! The posts of a thread with their texts, for rows of tables and for programs.

use super::format::{EmitOptions, Format};
use super::{markdown, text};
use crate::document::{Document, Post, PostRole};
use serde::{Deserialize, Serialize};

/// A post of a thread with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostText {
    /// What it is.
    pub role: PostRole,
    /// Whether it is the accepted answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// Who wrote it.
    pub author: Option<String>,
    /// When: in the form of ISO 8601, or as the page says how long ago.
    pub date: Option<String>,
    /// Its own address.
    pub url: Option<String>,
    /// The number of the post that it answers, from 0, where the page says so.
    pub parent: Option<u32>,
    /// Its votes, where the page shows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub votes: Option<i64>,
    /// Its text: Markdown if that is the format of the page's text, else plain text.
    pub text: String,
}

impl PostText {
    /// The posts of a document whose text is written in `format`.
    pub fn from_document(document: &Document, format: &Format, options: &EmitOptions) -> Vec<Self> {
        let write = if format.name == "markdown" {
            markdown::write
        } else {
            text::write
        };
        let options = EmitOptions {
            metadata: false,
            ..*options
        };
        let one = |post: &Post| Self {
            role: post.role,
            accepted: post.is_accepted,
            author: post.author.clone(),
            date: post.date.clone(),
            url: post.url.clone(),
            parent: post.parent.and_then(|parent| u32::try_from(parent).ok()),
            votes: post.votes,
            text: write(&document.post_alone(post), &options),
        };
        document.posts.iter().map(one).collect()
    }

    /// Approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        48 + self.text.len() + length(&self.author) + length(&self.date) + length(&self.url)
    }
}
