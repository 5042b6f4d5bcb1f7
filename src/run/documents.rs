//! Cleans JSON documents one by one: a line in, a line out. The work of `vclean worker`, and of services.

use super::cleaning::hidden_lines;
use super::product::{one_line_json, take_comments};
use crate::capture::Capture;
use crate::clean::Metadata;
use crate::cleaner::{HiddenText, pipeline};
use crate::emit::{EmitOptions, Format};
use crate::error::{Error, Warnings};
use crate::method::CleanPage;
#[cfg(feature = "rendering")]
use crate::render::{PageOptions, Renderer};
use crate::source::{Document, Page, parse};
use serde::Serialize;
use serde_json::Value;

/// Cleans documents; threads may share it.
pub struct DocumentCleaner {
    method: Box<dyn CleanPage>,
    format: &'static Format,
    emit: EmitOptions,
    hidden: HiddenText,
    #[cfg(feature = "rendering")]
    renderer: Option<Renderer>,
}

/// A cleaned document.
struct Cleaned {
    text: String,
    /// The comments, if they are separated and the text is not JSON, which holds them.
    comments: Option<String>,
    metadata: Metadata,
    warnings: Warnings,
}

impl DocumentCleaner {
    /// Cleans with `method` and writes in `format`; documents are parsed, not rendered.
    pub fn new(method: Box<dyn CleanPage>, format: &'static Format, emit: EmitOptions) -> Self {
        Self {
            method,
            format,
            emit,
            hidden: HiddenText::default(),
            #[cfg(feature = "rendering")]
            renderer: None,
        }
    }

    /// Treats text that readers of a rendered document do not see in another way than dropping it.
    #[must_use]
    pub fn hidden(self, hidden: HiddenText) -> Self {
        let emit = EmitOptions { hidden: hidden == HiddenText::Report, ..self.emit };
        Self { emit, hidden, ..self }
    }

    /// Renders each document before it is cleaned.
    #[cfg(feature = "rendering")]
    #[must_use]
    pub fn rendering(self, renderer: Renderer) -> Self {
        Self { renderer: Some(renderer), ..self }
    }

    /// The response to a line, or to an error in reading it; ends with a line break. A document that cannot be cleaned
    /// gives a response with its error.
    pub fn answer(&self, line: Result<Vec<u8>, String>) -> String {
        let document = line.and_then(|line| Document::from_line(&line).map_err(|error| error.to_string()));
        match document {
            Err(error) => failure(&error),
            Ok(mut document) => {
                let id = document.id.take();
                match self.clean(document) {
                    Ok(cleaned) => self.success(&id, &cleaned),
                    Err(error) => failure_of(&id, &error.to_string()),
                }
            }
        }
    }

    /// Written member by member: parsing a JSON document to put it into the response would lose the order of its keys.
    fn success(&self, id: &Value, Cleaned { text, comments, metadata, warnings }: &Cleaned) -> String {
        let output = if self.format.is_json {
            format!("\"document\":{}", one_line_json(text))
        } else {
            format!("\"text\":{}", json(text))
        };
        let comments =
            comments.as_ref().map_or_else(String::new, |comments| format!(",\"comments\":{}", json(comments)));
        format!(
            "{{\"id\":{id},{output}{comments},\"metadata\":{},\"warnings\":{}}}\n",
            json(metadata),
            json(&warnings.texts())
        )
    }

    fn clean(&self, document: Document) -> Result<Cleaned, Error> {
        let page = document.into_page("document")?;
        let mut capture = self.capture(&page)?;
        self.hidden.apply(&mut capture);
        let mut cleaned = pipeline::clean(&page, &capture, &*self.method)?;
        if self.emit.positions && self.format.is_json {
            cleaned.document.locate(&capture, &cleaned.targets);
        }
        let comments =
            if self.format.is_json { None } else { take_comments(&mut cleaned.document, self.format, self.emit) };
        let text = (self.format.write)(&cleaned.document, &self.emit);
        let mut warnings = capture.record.warnings;
        warnings.extend(hidden_lines(self.hidden, &cleaned));
        Ok(Cleaned { text, comments, metadata: cleaned.document.metadata, warnings })
    }

    #[cfg(feature = "rendering")]
    fn capture(&self, page: &Page) -> Result<Capture, Error> {
        match &self.renderer {
            Some(renderer) => Ok(renderer.render(page, &PageOptions::default())?.capture),
            None => Ok(parse(page)?),
        }
    }

    #[cfg(not(feature = "rendering"))]
    #[allow(clippy::unused_self)]
    fn capture(&self, page: &Page) -> Result<Capture, Error> {
        Ok(parse(page)?)
    }
}

/// The response to a line of which not even the id is known.
pub fn failure(error: &str) -> String {
    failure_of(&Value::Null, error)
}

fn failure_of(id: &Value, error: &str) -> String {
    format!("{{\"id\":{id},\"error\":{}}}\n", json(error))
}

fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("a response has string keys only")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleaner::find_method;
    use crate::method::MethodSettings;

    fn answer_in(format: &str, line: &str) -> Value {
        let method = find_method("dump").unwrap().ready(&MethodSettings::default()).unwrap();
        let format = crate::emit::find(format).unwrap();
        let answer = DocumentCleaner::new(method, format, EmitOptions::default()).answer(Ok(line.as_bytes().to_vec()));
        assert_eq!(answer.matches('\n').count(), 1, "{answer}");
        serde_json::from_str(&answer).unwrap()
    }

    fn answer(line: &str) -> Value {
        answer_in("text", line)
    }

    #[test]
    fn responses_have_the_id_of_their_document() {
        let found =
            answer(r#"{"id": {"a": [1]}, "html": "<title>T</title><p>one\ntwo</p>", "url": "https://a.example/"}"#);
        assert_eq!((&found["id"]["a"][0], &found["text"]), (&1.into(), &"one two\n".into()));
        assert_eq!(found["metadata"]["title"], "T");
        let found = answer(r#"{"base64": "PHA+dGV4dA=="}"#);
        assert_eq!((&found["text"], &found["id"]), (&"text\n".into(), &Value::Null));
    }

    #[test]
    fn a_json_document_is_an_object_of_the_response() {
        let found = answer_in("json", r#"{"id": 1, "html": "<p>one &quot;two&quot; \\ three</p>"}"#);
        assert!(found["document"].is_object() && found.get("text").is_none(), "{found}");
        assert_eq!(found["document"]["segments"][0]["text"], "one \"two\" \\ three");
        assert!(answer_in("json", r#"{"html": ""}"#)["document"].is_object());
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
            assert!(found["error"].as_str().unwrap().contains(cause), "{line}: {found}");
        }
        assert_eq!(answer("{\"id\": 4}")["id"], 4);
    }
}
