//! Makes pages without text from pages with text: what was kept of a page is replaced by a message
//! such as "page not found", a login or a request for consent, in the page's language.
//!
//! Real pages of these states are few, and each has the frame of one site. The messages are in
//! `states.txt`. Pages that keep their text and get a form or a banner beside it are made too, so
//! that forms and phrases alone do not decide.

use rustc_hash::FxHashSet;
use vclean_core::capture::{Dom, DomBuilder, NodeId};
use vclean_core::classify::PageState;

/// The table of messages: state, language, heading, text, labels.
const TABLE: &str = include_str!("states.txt");
/// Share of made pages that consist of the message alone, without the frame of the page.
const ALONE: f32 = 0.25;
/// Share of made pages whose title is that of the message.
const TITLED: f32 = 0.7;
/// Share of pages with text that get the message's heading into their title.
const TITLED_WITH_TEXT: f32 = 0.2;
/// Parts of labels of password fields.
const PASSWORDS: [&str; 16] = [
    "pass",
    "contraseña",
    "senha",
    "wachtwoord",
    "пароль",
    "hasło",
    "κωδικός",
    "密码",
    "パスワード",
    "비밀번호",
    "şifre",
    "كلمة المرور",
    "lösenord",
    "jelszó",
    "mot de",
    "kennwort",
];

/// A message that takes the place of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    pub(super) state: PageState,
    language: &'static str,
    heading: &'static str,
    text: &'static str,
    labels: &'static str,
}

/// All messages of the table.
pub(super) fn messages() -> Vec<Message> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let message = |line: &'static str| {
        let parts: Vec<&str> = line.split('|').collect();
        let &[state, language, heading, text, labels] = parts.as_slice() else {
            return None;
        };
        Some(Message {
            state: PageState::from_name(state)?,
            language,
            heading,
            text,
            labels,
        })
    };
    lines.filter_map(message).collect()
}

/// Draws a message, in the language of the page where there is one.
pub(super) fn draw(messages: &[Message], language: &str, random: &mut fastrand::Rng) -> Message {
    let states = &PageState::ALL[1..PageState::ALL.len() - 1];
    let state = states[random.usize(..states.len())];
    let of_state = || {
        messages
            .iter()
            .filter(move |message| message.state == state)
    };
    let own: Vec<&Message> = of_state()
        .filter(|message| language == message.language)
        .collect();
    let chosen = if own.is_empty() {
        of_state().collect()
    } else {
        own
    };
    *chosen[random.usize(..chosen.len())]
}

/// How a page is changed.
pub(super) struct Change<'a> {
    pub(super) message: Message,
    /// Text nodes of the page's text.
    pub(super) kept: &'a FxHashSet<NodeId>,
    /// True if the text stays.
    pub(super) with_text: bool,
}

/// Changes a page; the same seed gives the same page.
pub(super) fn made(dom: &Dom, change: &Change<'_>, random: &mut fastrand::Rng) -> Dom {
    let share = if change.with_text {
        TITLED_WITH_TEXT
    } else {
        TITLED
    };
    let mut writer = Writer {
        dom,
        change,
        builder: DomBuilder::new(),
        is_written: false,
        is_titled: random.f32() < share,
        is_alone: !change.with_text && random.f32() < ALONE,
        leading: 0,
        counts: count(dom, change.kept),
        random,
    };
    writer.copy();
    writer.builder.finish()
}

/// For each node the number of kept and of other text nodes before it.
fn count(dom: &Dom, kept: &FxHashSet<NodeId>) -> Vec<(usize, usize)> {
    let mut counts = Vec::with_capacity(dom.len() + 1);
    let (mut of_text, mut others) = (0, 0);
    for id in dom.ids() {
        counts.push((of_text, others));
        if kept.contains(&id) {
            of_text += 1;
        } else if dom.text(id).is_some_and(|text| !text.trim().is_empty()) {
            others += 1;
        }
    }
    counts.push((of_text, others));
    counts
}

struct Writer<'a> {
    dom: &'a Dom,
    change: &'a Change<'a>,
    builder: DomBuilder,
    /// True once the message is written.
    is_written: bool,
    is_titled: bool,
    is_alone: bool,
    /// Letters of the text that a paywall has left.
    leading: usize,
    counts: Vec<(usize, usize)>,
    random: &'a mut fastrand::Rng,
}

impl Writer<'_> {
    fn copy(&mut self) {
        let dom = self.dom;
        let mut ends: Vec<usize> = Vec::new();
        let mut at = 1;
        while at < dom.len() {
            let id = NodeId::new(at);
            while ends.last().is_some_and(|&end| end <= at) {
                ends.pop();
                self.builder.close();
            }
            if self.leaves_out(id) {
                at = dom.end(id);
                continue;
            }
            at += 1;
            if let Some(text) = dom.text(id) {
                self.write_text(id, text);
            } else if dom.is_element(id) {
                self.builder
                    .open_with(dom.tag(id), dom.attributes(id).iter());
                ends.push(dom.end(id));
                if dom.tag(id) == "body" && (self.is_alone || self.change.with_text) {
                    self.write_message();
                }
            } else {
                // The document of a frame is left out.
                at = dom.end(id);
            }
        }
        if !self.is_written {
            self.write_message();
        }
    }

    /// True for parts of the text, which are replaced, and for what only the page with text says of
    /// itself.
    fn leaves_out(&mut self, id: NodeId) -> bool {
        if self.change.with_text {
            return false;
        }
        let dom = self.dom;
        let end = dom.end(id);
        let (before, after) = (self.counts[id.index()], self.counts[end]);
        let (kept, others) = (after.0 - before.0, after.1 - before.1);
        if kept > 0 && others == 0 {
            if self.change.message.state == PageState::Paywall && self.leading < 200 {
                let letters: usize = dom
                    .descendants(id)
                    .filter_map(|below| dom.text(below))
                    .map(str::len)
                    .sum();
                if letters < 600 {
                    self.leading += letters;
                    return false;
                }
            }
            if !self.is_written {
                self.write_message();
            }
            return true;
        }
        let tag = dom.tag(id);
        let is_below_body = dom
            .ancestors(id)
            .next()
            .is_some_and(|up| dom.tag(up) == "body");
        if self.is_alone && is_below_body && tag != "script" {
            return true;
        }
        let is_article = dom
            .attribute(id, "property")
            .is_some_and(|name| name.starts_with("og:"))
            || dom.attribute(id, "name") == Some("description")
            || dom.attribute(id, "type") == Some("application/ld+json");
        is_article && self.change.message.state != PageState::Paywall
    }

    fn write_text(&mut self, id: NodeId, text: &str) {
        let is_title = self
            .dom
            .parent(id)
            .is_some_and(|up| self.dom.tag(up) == "title");
        if is_title && self.is_titled {
            let site = text
                .rsplit(['|', '-', '–'])
                .next()
                .unwrap_or_default()
                .trim();
            let heading = self.change.message.heading;
            let rest = if self.change.with_text { text } else { site };
            self.builder.text(&format!("{heading} - {rest}"));
        } else {
            self.builder.text(text);
        }
    }

    fn element(&mut self, tag: &str, text: &str) {
        self.builder.open_with(tag, []);
        self.builder.text(text);
        self.builder.close();
    }

    fn write_message(&mut self) {
        self.is_written = true;
        let Message {
            state,
            heading,
            text,
            labels,
            ..
        } = self.change.message;
        let class = ["content", "main-content", "container", "page", "box"][self.random.usize(..5)];
        self.builder.open_with("div", [("class", class)]);
        if !self.change.with_text || self.random.bool() {
            let tag = ["h1", "h1", "h2", "p"][self.random.usize(..4)];
            self.element(tag, heading);
        }
        if self.random.f32() < 0.8 {
            self.element("p", text);
        }
        let labels: Vec<&str> = labels
            .split(';')
            .filter(|label| !label.is_empty())
            .collect();
        match state {
            PageState::Login | PageState::Empty if !labels.is_empty() => self.write_form(&labels),
            _ => {
                for label in labels {
                    let tag = ["a", "button"][self.random.usize(..2)];
                    self.element(tag, label);
                }
            }
        }
        self.builder.close();
    }

    fn write_form(&mut self, labels: &[&str]) {
        let is_password = |label: &&str| {
            let lower = label.to_lowercase();
            PASSWORDS.iter().any(|part| lower.contains(part)) && !lower.contains(['?', '？', '؟'])
        };
        let last_password = labels.iter().rposition(|label| is_password(&label));
        let fields = last_password.map_or(labels.len() - 1, |last| last + 1);
        self.builder
            .open_with("form", [("action", "/go"), ("method", "post")]);
        if fields == 0 {
            self.field("search", "q");
        }
        for label in &labels[..fields] {
            self.element("label", label);
            let kind = if is_password(&label) {
                "password"
            } else {
                "text"
            };
            self.field(kind, "field");
        }
        for (index, label) in labels[fields..].iter().enumerate() {
            self.element(if index == 0 { "button" } else { "a" }, label);
        }
        self.builder.close();
    }

    fn field(&mut self, kind: &str, name: &str) {
        self.builder
            .open_with("input", [("type", kind), ("name", name)]);
        self.builder.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::html::parse_html;

    const PAGE: &str = "<title>Gulls | Shore</title><nav><a href=/>Home</a></nav><article><h2>Gulls</h2>\
                        <p>Herring gulls drop mussels.</p></article><footer>Imprint</footer>";

    fn texts(with_text: bool, seed: u64) -> (PageState, Vec<String>) {
        let dom = parse_html(PAGE);
        let is_kept = |&id: &NodeId| {
            dom.text(id).is_some() && dom.ancestors(id).any(|up| dom.tag(up) == "article")
        };
        let kept: FxHashSet<NodeId> = dom.ids().filter(is_kept).collect();
        let mut random = fastrand::Rng::with_seed(seed);
        let message = draw(&messages(), "de", &mut random);
        assert!(message.language == "de" || message.state == PageState::Paywall);
        let change = Change {
            message,
            kept: &kept,
            with_text,
        };
        let page = made(&dom, &change, &mut random);
        assert!(page.is_consistent());
        let texts = page.ids().filter_map(|id| page.text(id).map(str::to_owned));
        (message.state, texts.collect())
    }

    #[test]
    fn the_text_of_a_page_is_replaced_by_a_message() {
        for seed in 0..40 {
            let (state, texts) = texts(false, seed);
            let all = texts.join("\n");
            assert!(texts.len() > 1, "{state}");
            assert_eq!(
                all.contains("Herring"),
                state == PageState::Paywall,
                "{all}"
            );
        }
    }

    #[test]
    fn a_page_that_keeps_its_text_gets_the_message_beside_it() {
        for seed in 0..20 {
            let all = texts(true, seed).1.join("\n");
            assert!(all.contains("Herring") && all.contains("Imprint"), "{all}");
        }
    }

    #[test]
    fn the_table_has_messages_of_every_state_that_is_made() {
        let messages = messages();
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(messages.len(), lines.count());
        for state in &PageState::ALL[1..PageState::ALL.len() - 1] {
            assert!(
                messages.iter().any(|message| message.state == *state),
                "{state}"
            );
        }
    }
}
