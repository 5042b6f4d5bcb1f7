//! The posts of a thread with their texts, for table rows and for programs.

use super::format::{EmitOptions, Format};
use super::{markdown, text};
use crate::document::{Document, Post, PostRole};
use serde::{Deserialize, Serialize};

/// A post of a thread with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostText {
    /// The role in the thread, such as a question or an answer.
    pub role: PostRole,
    /// True for the accepted answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// Name of the author, if the page gives one.
    pub author: Option<String>,
    /// The date in ISO 8601, or the age of the post as the page states it.
    pub date: Option<String>,
    /// Address that leads to this post, if the page links one.
    pub url: Option<String>,
    /// Index of the answered post, from 0, if the page gives it.
    pub parent: Option<u32>,
    /// Number of votes, if the page shows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub votes: Option<i64>,
    /// The text of the post: Markdown if that is the page's output format, otherwise plain text.
    pub text: String,
}

impl PostText {
    /// The posts of a document; `format` is the output format of its text.
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

    /// Approximate size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        48 + self.text.len() + length(&self.author) + length(&self.date) + length(&self.url)
    }
}
