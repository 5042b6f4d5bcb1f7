//! Cleans JSON documents one by one: one line in, one line out. Used by `vclean worker` and by
//! services.

use super::product::{one_line_json, take_comments};
use crate::source::Document;
use serde::Serialize;
use serde_json::Value;
use vclean_core::capture::Capture;
use vclean_core::document::Metadata;
use vclean_core::emit::{EmitOptions, Format, PostText};
use vclean_core::error::{Error, PageError, Warnings};
use vclean_core::page::{Page, parse};
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_render::{PageOptions, Renderer};

/// Cleans documents; threads may share it.
pub struct DocumentCleaner {
    cleaner: PageCleaner,
    format: &'static Format,
    emit: EmitOptions,
    renderer: Option<Renderer>,
}

struct Cleaned {
    text: String,
    /// The comments, if they are separated. `None` if the text is JSON, which contains them.
    comments: Option<String>,
    /// The posts of a thread. Empty if the text is JSON, which contains them.
    posts: Vec<PostText>,
    metadata: Metadata,
    warnings: Warnings,
}

impl DocumentCleaner {
    /// Cleans with `cleaner`, which was made with `options`, and writes in `format`. Documents are
    /// parsed and not rendered.
    pub fn new(cleaner: PageCleaner, format: &'static Format, options: &Options) -> Self {
        Self {
            cleaner,
            format,
            emit: options.emit(),
            renderer: None,
        }
    }

    /// Renders each document before it is cleaned.
    #[must_use]
    pub fn rendering(self, renderer: Renderer) -> Self {
        Self {
            renderer: Some(renderer),
            ..self
        }
    }

    /// The response to a line, or to an error in reading it. It ends with a line break. The
    /// response to a document that cannot be cleaned holds the error.
    pub fn answer(&self, line: Result<Vec<u8>, PageError>) -> String {
        let document = line.and_then(|line| Ok(Document::from_line(&line)?));
        match document {
            Err(error) => failure(&Value::Null, &error),
            Ok(mut document) => {
                let id = document.id.take();
                match self.clean(document) {
                    Ok(cleaned) => self.success(&id, &cleaned),
                    Err(error) => failure(&id, &error.into()),
                }
            }
        }
    }

    /// Writes a response member by member: parsing a JSON document to put it into the response
    /// would lose the order of its keys.
    fn success(
        &self,
        id: &Value,
        Cleaned {
            text,
            comments,
            posts,
            metadata,
            warnings,
        }: &Cleaned,
    ) -> String {
        let output = if self.format.is_json {
            format!("\"document\":{}", one_line_json(text))
        } else if self.format.is_lines() {
            let lines: Vec<&str> = text.lines().collect();
            format!("\"{}\":[{}]", self.format.name, lines.join(","))
        } else {
            format!("\"text\":{}", json(text))
        };
        let comments = comments.as_ref().map_or_else(String::new, |comments| {
            format!(",\"comments\":{}", json(comments))
        });
        let posts = if posts.is_empty() {
            String::new()
        } else {
            format!(",\"posts\":{}", json(posts))
        };
        format!(
            "{{\"id\":{id},{output}{comments}{posts},\"metadata\":{},\"warnings\":{}}}\n",
            json(metadata),
            json(&warnings.texts())
        )
    }

    fn clean(&self, document: Document) -> Result<Cleaned, Error> {
        let page = document.into_page("document")?;
        let capture = self.capture(&page)?;
        let mut cleaned = self.cleaner.clean_capture_of(&page, &capture)?;
        let comments = if self.format.is_json {
            None
        } else {
            take_comments(&mut cleaned.document, self.format, self.emit)
        };
        let text = (self.format.write)(&cleaned.document, &self.emit);
        let is_json = self.format.is_json || self.format.is_lines();
        let posts = if is_json {
            Vec::new()
        } else {
            PostText::from_document(&cleaned.document, self.format, &self.emit)
        };
        let warnings = cleaned.take_warnings();
        Ok(Cleaned {
            text,
            comments,
            posts,
            metadata: cleaned.document.metadata,
            warnings,
        })
    }

    fn capture(&self, page: &Page) -> Result<Capture, Error> {
        match &self.renderer {
            Some(renderer) => Ok(renderer.render(page, &PageOptions::default())?.capture),
            None => Ok(parse(page)?),
        }
    }
}

/// The response to a document that cannot be cleaned; its id is null if it is not known.
pub fn failure(id: &Value, error: &PageError) -> String {
    let (message, kind) = (json(&error.message), error.kind.name());
    format!("{{\"id\":{id},\"error\":{message},\"kind\":\"{kind}\"}}\n")
}

fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("a response has string keys only")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use vclean_core::classify::{Decision, Label};
    use vclean_core::features::FeatureTable;
    use vclean_core::pipeline::{CleanPage, CleanedPage, Input};
    use vclean_core::target::{TargetRule, select};

    struct WholeText;

    impl CleanPage for WholeText {
        fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
            let targets = select(input.capture, TargetRule::Blocks);
            let kept = Decision {
                margin: 1.0,
                probability: 1.0,
                label: Label::Content,
                comments: None,
            };
            let decisions = vec![kept; targets.len()];
            let document = vclean_core::document::prune(
                input.capture,
                &targets,
                &decisions,
                vec![Vec::new(); targets.len()],
            );
            let table = FeatureTable::without_columns(targets.len());
            Ok(CleanedPage::new(targets, table, document))
        }
    }

    fn answer_in(format: &str, line: &str) -> Value {
        let cleaner = PageCleaner::with_method(Arc::new(WholeText), &Options::default());
        let format = vclean_core::emit::find(format).unwrap();
        let answer = DocumentCleaner::new(cleaner, format, &Options::default())
            .answer(Ok(line.as_bytes().to_vec()));
        assert_eq!(answer.matches('\n').count(), 1, "{answer}");
        serde_json::from_str(&answer).unwrap()
    }

    fn answer(line: &str) -> Value {
        answer_in("text", line)
    }

    #[test]
    fn responses_have_the_id_of_their_document() {
        let found = answer(
            r#"{"id": {"a": [1]}, "html": "<title>T</title><p>one\ntwo</p>", "url": "https://a.example/"}"#,
        );
        assert_eq!(
            (&found["id"]["a"][0], &found["text"]),
            (&1.into(), &"one two\n".into())
        );
        assert_eq!(found["metadata"]["title"], "T");
        let found = answer(r#"{"base64": "PHA+dGV4dA=="}"#);
        assert_eq!(
            (&found["text"], &found["id"]),
            (&"text\n".into(), &Value::Null)
        );
    }

    #[test]
    fn a_json_document_is_an_object_of_the_response() {
        let found = answer_in(
            "json",
            r#"{"id": 1, "html": "<p>one &quot;two&quot; \\ three</p>"}"#,
        );
        assert!(
            found["document"].is_object() && found.get("text").is_none(),
            "{found}"
        );
        assert_eq!(
            found["document"]["segments"][0]["text"],
            "one \"two\" \\ three"
        );
        assert!(answer_in("json", r#"{"html": ""}"#)["document"].is_object());
    }

    #[test]
    fn a_thread_has_its_posts_once() {
        let post = |number: u8, name: &str, text: &str| {
            format!(
                "<div id=post_{number} itemprop=comment itemscope itemtype='http://schema.org/Comment' class='topic-body crawler-post'>\
                 <div class=crawler-post-meta><span class=creator itemprop=author itemscope itemtype='http://schema.org/Person'>\
                 <a itemprop=url href=/u/{name}><span itemprop=name>{name}</span></a></span><span class=crawler-post-infos>\
                 <time itemprop=datePublished datetime='2021-05-0{number}T10:00:00Z' class=post-time>May</time></span></div>\
                 <div class=post itemprop=text><p>{text}</p></div></div>"
            )
        };
        let posts = post(1, "ann", "Why do gulls drop the shells that they find?")
            + &post(
                2,
                "bo",
                "To break them on the rocks, as others do with nuts.",
            )
            + &post(
                3,
                "ann",
                "So that is what I heard on the roof this morning.",
            );
        let html = format!("<title>Gulls</title><h1>Gulls</h1>{posts}");
        let line = serde_json::json!({ "html": html }).to_string();
        let found = answer(&line);
        assert_eq!(found["posts"].as_array().unwrap().len(), 3, "{found}");
        assert_eq!(
            (&found["posts"][1]["author"], &found["posts"][1]["date"]),
            (&"bo".into(), &"2021-05-02T10:00:00Z".into())
        );
        assert!(
            found["posts"][1]["text"]
                .as_str()
                .unwrap()
                .contains("To break them"),
            "{found}"
        );
        let found = answer_in("json", &line);
        assert_eq!(
            (
                found["document"]["posts"].as_array().unwrap().len(),
                found.get("posts")
            ),
            (3, None)
        );
        assert_eq!(answer(r#"{"html": "<p>one"}"#).get("posts"), None);
    }

    #[test]
    fn every_line_gets_a_response() {
        for (line, cause) in [
            ("", "not a document"),
            ("[1, 2]", "not a document"),
            ("{\"id\": 4}", "no content"),
            ("{\"base64\": \"JVBERi0xLjQ=\"}", "PDF"),
        ] {
            let found = answer(line);
            assert!(
                found["error"].as_str().unwrap().contains(cause),
                "{line}: {found}"
            );
        }
        assert_eq!(answer("{\"id\": 4}")["id"], 4);
    }
}
