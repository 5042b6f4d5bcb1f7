//! Measures of a whole page and of what was kept of it, one row of numbers a page.

use super::signatures::{self, Signature};
use super::{address, phrases};
use crate::capture::{Capture, Dom, NodeId};
use crate::classify::{Label, PageKind, PageState};
use crate::document::Document;
use crate::elements::{is_heading, is_uncounted};
use crate::page::is_unfilled;
use crate::target::Target;
use crate::text::{count_letters, excerpt, shorten};
use ndarray::Array2;

/// Where evidence stands: the title, a heading, a short block, the source, or the address.
const PLACES: [&str; 5] = ["title", "heading", "block", "signature", "address"];
const TITLE: usize = 0;
const HEADING: usize = 1;
const BLOCK: usize = 2;
const SIGNATURE: usize = 3;
const ADDRESS: usize = 4;
/// How much evidence in each place counts for the name of a state. Chosen on `nopage` (train).
const WEIGHTS: [f32; 5] = [3.0, 2.5, 1.0, 0.7, 1.5];
/// Letters of a block that is searched for phrases. Heuristic: an explanation is a sentence or two.
const SHORT_LETTERS: usize = 300;
/// Letters of all blocks that are searched, to bound the work.
const SEARCHED_LETTERS: usize = 6_000;
/// Letters from which a block counts as long.
const LONG_LETTERS: f32 = 80.0;

/// Sums over the blocks of a page, or over some of them; letters are characters without white
/// space.
#[derive(Debug, Default)]
struct Sums {
    letters: f32,
    blocks: f32,
    long_letters: f32,
    long_blocks: f32,
    longest: f32,
    link_letters: f32,
    form_letters: f32,
    frame_letters: f32,
    /// Letters outside of links, forms and frames.
    own_letters: f32,
    /// Letters of long blocks among them.
    own_long_letters: f32,
    heading_letters: f32,
    sentences: f32,
    /// Letters times probability of content.
    expected: f32,
}

/// Counts of elements of the page and of what its head declares.
#[derive(Debug, Default)]
struct Elements {
    all: f32,
    links: f32,
    images: f32,
    scripts: f32,
    script_bytes: f32,
    sheets: f32,
    frames: f32,
    forms: f32,
    fields: f32,
    passwords: f32,
    emails: f32,
    boxes: f32,
    choices: f32,
    text_areas: f32,
    buttons: f32,
    labels: f32,
    articles: f32,
    paragraphs: f32,
    list_items: f32,
    tables: f32,
    mains: f32,
    noscript_letters: f32,
    refresh: f32,
    noindex: f32,
    canonical: f32,
    description: f32,
    og_article: f32,
    json_article: f32,
    not_free: f32,
}

/// The measures of a page, and the evidence for each state.
#[derive(Debug)]
pub struct StateMeasures {
    all: Sums,
    kept: Sums,
    elements: Elements,
    /// Strength of evidence by state and place, 0 or more.
    evidence: [[f32; PLACES.len()]; PageState::ALL.len()],
    /// The first text or system that speaks for each state.
    reasons: [Option<String>; PageState::ALL.len()],
    title_code: f32,
    title_letters: f32,
    expected_f: f32,
    unfilled: f32,
    /// The state that a decisive signature names.
    decided: Option<PageState>,
    kinds: [f32; PageKind::ALL.len()],
}

/// In what kinds of elements a text node is.
#[derive(Debug, Clone, Copy, Default)]
struct Surroundings {
    link: bool,
    form: bool,
    /// In a header, footer, navigation or aside.
    frame: bool,
}

impl StateMeasures {
    /// Measures a page. `document` is what was made of its `targets`.
    pub fn new(capture: &Capture, targets: &[Target], document: &Document) -> Self {
        let dom = &capture.dom;
        let (elements, surroundings, title) = walk(dom);
        let mut measures = Self {
            all: Sums::default(),
            kept: Sums::default(),
            elements,
            evidence: Default::default(),
            reasons: Default::default(),
            title_code: f32::from(u8::from(has_code(&title))),
            title_letters: count_letters(&title) as f32,
            expected_f: document.expected_f_of_blocks(),
            unfilled: f32::from(u8::from(is_unfilled(dom))),
            decided: None,
            kinds: Default::default(),
        };
        if let Some(likely) = document.kind {
            measures.kinds[likely.kind.index()] = likely.probability;
        }
        measures.note_phrases(TITLE, excerpt(&title, SHORT_LETTERS));
        measures.add_blocks(dom, targets, document, &surroundings);
        for signature in signatures::find(dom) {
            measures.note_signature(signature);
        }
        if let Some(address) = capture.address() {
            measures.note_address(address);
        }
        measures
    }

    fn add_blocks(
        &mut self,
        dom: &Dom,
        targets: &[Target],
        document: &Document,
        surroundings: &[Surroundings],
    ) {
        let mut searched = 0;
        for (target, report) in targets.iter().zip(&document.targets) {
            let block = Block::new(dom, target, &report.text, surroundings);
            self.all.add(&block, report.decision.probability);
            if report.decision.label == Label::Content {
                self.kept.add(&block, report.decision.probability);
            }
            let is_short = block.letters <= SHORT_LETTERS as f32;
            let is_link = block.link_letters > 0.5 * block.letters;
            if is_short && searched < SEARCHED_LETTERS && (block.is_heading || !is_link) {
                searched += report.text.len();
                let place = if block.is_heading { HEADING } else { BLOCK };
                self.note_phrases(place, &report.text);
            }
        }
    }

    /// Adds texts as if the page had them, like an article about such pages: the first as its title
    /// and a heading, the others as short blocks.
    pub fn mention(&mut self, texts: &[String]) {
        for (index, text) in texts.iter().enumerate() {
            if index == 0 {
                self.note_phrases(TITLE, text);
                self.note_phrases(HEADING, text);
            } else {
                self.note_phrases(BLOCK, text);
            }
        }
    }

    /// Letters of kept blocks that are long, outside of links, forms and frames.
    pub fn kept_long_letters(&self) -> f32 {
        self.kept.own_long_letters
    }

    fn note_phrases(&mut self, place: usize, text: &str) {
        let letters = count_letters(text).max(1) as f32;
        for (index, found) in phrases::letters(text).into_iter().enumerate() {
            if found > 0 {
                // The share tells a notice from a sentence that mentions it.
                let share = (found as f32 / letters).min(1.0);
                let strength = 0.5 + share;
                self.evidence[index][place] += strength;
                self.reasons[index].get_or_insert_with(|| {
                    let text = shorten(text.trim(), 80, 77, "...");
                    format!("{} \"{text}\"", PLACES[place])
                });
            }
        }
    }

    fn note_address(&mut self, address: &str) {
        for (index, found) in address::words(address).into_iter().enumerate() {
            if found > 0 {
                self.evidence[index][ADDRESS] += found as f32;
                self.reasons[index].get_or_insert_with(|| "the words of its address".to_owned());
            }
        }
    }

    fn note_signature(&mut self, signature: Signature) {
        let index = signature.state.index();
        self.evidence[index][SIGNATURE] += 1.0;
        if signature.is_decisive {
            self.decided.get_or_insert(signature.state);
        }
        self.reasons[index].get_or_insert_with(|| format!("signature of {}", signature.system));
    }

    /// The measures as a table of one row, with the [`columns`].
    pub fn row(&self) -> Array2<f32> {
        let plain = MEASURES.iter().map(|(_, formula)| formula(self));
        let kinds = self.kinds.iter().copied();
        let evidence = self.evidence.iter().skip(1).flatten().copied();
        let values: Vec<f32> = plain.chain(kinds).chain(evidence).collect();
        Array2::from_shape_fn((1, values.len()), |(_, column)| values[column])
    }

    /// The strength of the evidence for each state but `text`.
    fn strengths(&self) -> impl Iterator<Item = (PageState, f32)> + '_ {
        PageState::ALL.into_iter().skip(1).map(|state| {
            let evidence = &self.evidence[state.index()];
            let found: f32 = evidence
                .iter()
                .zip(WEIGHTS)
                .map(|(e, w)| e.min(2.0) * w)
                .sum();
            let strength = match state {
                PageState::Login => found + 5.0 * self.elements.passwords.min(1.0),
                PageState::Error => found + 3.0 * self.title_code,
                PageState::Shell => found + 4.0 * self.unfilled,
                _ => found,
            };
            (state, strength)
        })
    }

    /// True if a signature decides that the page has no text, whatever else it has.
    pub fn is_decided(&self) -> bool {
        self.decided.is_some()
    }

    /// True if the page looks like an application that its scripts have not filled.
    pub(super) fn is_unfilled(&self) -> bool {
        self.unfilled > 0.0
    }

    /// The expected F by the blocks alone, 0 to 1.
    pub fn expected_f(&self) -> f32 {
        self.expected_f
    }

    /// The state with the strongest evidence, and that evidence; `empty` without any.
    pub fn reason(&self) -> (PageState, String) {
        let none = (PageState::Empty, 0.0);
        let (strongest, _) =
            self.strengths().fold(
                none,
                |best, other| {
                    if other.1 > best.1 { other } else { best }
                },
            );
        let state = self.decided.unwrap_or(strongest);
        let reason = self.reasons[state.index()].clone();
        let usual = || match state {
            PageState::Login => "a form with a password",
            PageState::Error => "an error code in the title",
            PageState::Shell => "scripts have not filled it",
            _ => "hardly any text outside of links and forms",
        };
        (state, reason.unwrap_or_else(|| usual().to_owned()))
    }
}

/// Names of the columns, in the order of [`StateMeasures::row`].
pub fn columns() -> Vec<String> {
    let plain = MEASURES.iter().map(|(name, _)| format!("state.{name}"));
    let kinds = PageKind::ALL.map(|kind| format!("state.kind.{}", kind.name()));
    let evidence = PageState::ALL
        .into_iter()
        .skip(1)
        .flat_map(|state| PLACES.map(|place| format!("state.{}.{place}", state.name())));
    plain.chain(kinds).chain(evidence).collect()
}

/// A formula of a column.
type Formula = fn(&StateMeasures) -> f32;

fn log(value: f32) -> f32 {
    (1.0 + value.max(0.0)).ln()
}

fn share(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The columns beside kinds and evidence. Letters and counts are natural logarithms of one more.
const MEASURES: &[(&str, Formula)] = &[
    ("letters", |m| log(m.all.letters)),
    ("blocks", |m| log(m.all.blocks)),
    ("long_letters", |m| log(m.all.long_letters)),
    ("long_blocks", |m| log(m.all.long_blocks)),
    ("longest", |m| log(m.all.longest)),
    ("link_share", |m| share(m.all.link_letters, m.all.letters)),
    ("form_share", |m| share(m.all.form_letters, m.all.letters)),
    ("frame_share", |m| share(m.all.frame_letters, m.all.letters)),
    ("own_letters", |m| log(m.all.own_letters)),
    ("own_long_letters", |m| log(m.all.own_long_letters)),
    ("sentences", |m| log(m.all.sentences)),
    ("kept_letters", |m| log(m.kept.letters)),
    ("kept_share", |m| share(m.kept.letters, m.all.letters)),
    ("kept_blocks", |m| log(m.kept.blocks)),
    ("kept_long_letters", |m| log(m.kept.long_letters)),
    ("kept_long_blocks", |m| log(m.kept.long_blocks)),
    ("kept_longest", |m| log(m.kept.longest)),
    ("kept_link_share", |m| {
        share(m.kept.link_letters, m.kept.letters)
    }),
    ("kept_form_share", |m| {
        share(m.kept.form_letters, m.kept.letters)
    }),
    ("kept_frame_share", |m| {
        share(m.kept.frame_letters, m.kept.letters)
    }),
    ("kept_heading_share", |m| {
        share(m.kept.heading_letters, m.kept.letters)
    }),
    ("kept_own_letters", |m| log(m.kept.own_letters)),
    ("kept_own_long_letters", |m| log(m.kept.own_long_letters)),
    ("kept_sentences", |m| log(m.kept.sentences)),
    ("kept_sentence_share", |m| {
        share(m.kept.sentences, m.kept.blocks)
    }),
    ("kept_block_letters", |m| {
        log(share(m.kept.letters, m.kept.blocks))
    }),
    ("kept_probability", |m| {
        share(m.kept.expected, m.kept.letters)
    }),
    ("expected_letters", |m| log(m.all.expected)),
    ("expected_f", |m| m.expected_f),
    ("elements", |m| log(m.elements.all)),
    ("links", |m| log(m.elements.links)),
    ("images", |m| log(m.elements.images)),
    ("scripts", |m| log(m.elements.scripts)),
    ("script_bytes", |m| log(m.elements.script_bytes)),
    ("sheets", |m| log(m.elements.sheets)),
    ("frames", |m| log(m.elements.frames)),
    ("forms", |m| log(m.elements.forms)),
    ("fields", |m| log(m.elements.fields)),
    ("passwords", |m| log(m.elements.passwords)),
    ("emails", |m| log(m.elements.emails)),
    ("boxes", |m| log(m.elements.boxes)),
    ("choices", |m| log(m.elements.choices)),
    ("text_areas", |m| log(m.elements.text_areas)),
    ("buttons", |m| log(m.elements.buttons)),
    ("labels", |m| log(m.elements.labels)),
    ("fields_by_kept_letters", |m| {
        log(m.elements.fields) - log(m.kept.letters)
    }),
    ("articles", |m| log(m.elements.articles)),
    ("paragraphs", |m| log(m.elements.paragraphs)),
    ("list_items", |m| log(m.elements.list_items)),
    ("tables", |m| log(m.elements.tables)),
    ("mains", |m| log(m.elements.mains)),
    ("noscript_letters", |m| log(m.elements.noscript_letters)),
    ("refresh", |m| m.elements.refresh),
    ("noindex", |m| m.elements.noindex),
    ("canonical", |m| m.elements.canonical),
    ("description", |m| log(m.elements.description)),
    ("og_article", |m| m.elements.og_article),
    ("json_article", |m| m.elements.json_article),
    ("not_free", |m| m.elements.not_free),
    ("title_code", |m| m.title_code),
    ("title_letters", |m| log(m.title_letters)),
    ("unfilled", |m| m.unfilled),
];

/// A block with its letters by surroundings.
struct Block {
    letters: f32,
    link_letters: f32,
    form_letters: f32,
    frame_letters: f32,
    own_letters: f32,
    sentences: f32,
    is_heading: bool,
}

impl Block {
    fn new(dom: &Dom, target: &Target, text: &str, surroundings: &[Surroundings]) -> Self {
        let mut block = Self {
            letters: 0.0,
            link_letters: 0.0,
            form_letters: 0.0,
            frame_letters: 0.0,
            own_letters: 0.0,
            sentences: text.chars().filter(|&c| ends_sentence(c)).count() as f32,
            is_heading: is_heading(dom.tag(target.container))
                || dom
                    .ancestors(target.container)
                    .take(2)
                    .any(|up| is_heading(dom.tag(up))),
        };
        for &id in &target.texts {
            let letters = dom.text(id).map_or(0, count_letters) as f32;
            let around = surroundings[id.index()];
            block.letters += letters;
            block.link_letters += if around.link { letters } else { 0.0 };
            block.form_letters += if around.form { letters } else { 0.0 };
            block.frame_letters += if around.frame { letters } else { 0.0 };
            if !(around.link || around.form || around.frame) {
                block.own_letters += letters;
            }
        }
        block
    }
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '।' | '؟' | '։')
}

impl Sums {
    fn add(&mut self, block: &Block, probability: f32) {
        self.letters += block.letters;
        self.blocks += 1.0;
        if block.letters >= LONG_LETTERS && block.link_letters < 0.3 * block.letters {
            self.long_letters += block.letters;
            self.long_blocks += 1.0;
        }
        self.longest = self.longest.max(block.letters - block.link_letters);
        self.link_letters += block.link_letters;
        self.form_letters += block.form_letters;
        self.frame_letters += block.frame_letters;
        self.own_letters += block.own_letters;
        if block.own_letters >= LONG_LETTERS {
            self.own_long_letters += block.own_letters;
        }
        if block.is_heading {
            self.heading_letters += block.letters;
        }
        self.sentences += block.sentences;
        self.expected += block.letters * probability;
    }
}

/// Counts the elements of a page, finds the surroundings of its text nodes, and its title.
fn walk(dom: &Dom) -> (Elements, Vec<Surroundings>, String) {
    let mut elements = Elements::default();
    let mut surroundings = vec![Surroundings::default(); dom.len()];
    let mut title = String::new();
    // Ends of the outermost open link, form, frame, and element without visible text.
    let (mut link, mut form, mut frame, mut uncounted) = (0, 0, 0, 0);
    for id in dom.ids() {
        let at = id.index();
        if let Some(text) = dom.text(id) {
            surroundings[at] = Surroundings {
                link: at < link,
                form: at < form,
                frame: at < frame,
            };
            let parent = dom.parent(id).map_or("", |up| dom.tag(up));
            match parent {
                "script" => elements.script_bytes += text.len() as f32,
                "title" if title.is_empty() => text.clone_into(&mut title),
                _ if at < uncounted && is_in(dom, id, "noscript") => {
                    elements.noscript_letters += count_letters(text) as f32;
                }
                _ => {}
            }
            continue;
        }
        let end = dom.end(id);
        let tag = dom.tag(id);
        match tag {
            "a" => link = link.max(end),
            "form" => form = form.max(end),
            "nav" | "header" | "footer" | "aside" => frame = frame.max(end),
            _ if is_uncounted(tag) => uncounted = uncounted.max(end),
            _ => {}
        }
        elements.count(dom, id, tag);
    }
    (elements, surroundings, title)
}

fn is_in(dom: &Dom, id: NodeId, tag: &str) -> bool {
    dom.ancestors(id).take(3).any(|up| dom.tag(up) == tag)
}

impl Elements {
    fn count(&mut self, dom: &Dom, id: NodeId, tag: &str) {
        self.all += 1.0;
        match tag {
            "a" => self.links += 1.0,
            "img" | "picture" | "svg" => self.images += 1.0,
            "script" => {
                self.scripts += 1.0;
                self.read_json(dom, id);
            }
            "iframe" | "frame" => self.frames += 1.0,
            "form" => self.forms += 1.0,
            "input" => self.count_input(dom, id),
            "select" => self.choices += 1.0,
            "textarea" => self.text_areas += 1.0,
            "button" => self.buttons += 1.0,
            "label" => self.labels += 1.0,
            "article" => self.articles += 1.0,
            "p" => self.paragraphs += 1.0,
            "li" => self.list_items += 1.0,
            "table" => self.tables += 1.0,
            "main" => self.mains += 1.0,
            "meta" => self.read_meta(dom, id),
            "link" => self.read_link(dom, id),
            _ => {}
        }
    }

    fn count_input(&mut self, dom: &Dom, id: NodeId) {
        let kind = dom.attribute(id, "type").unwrap_or("text");
        match kind.trim().to_ascii_lowercase().as_str() {
            "hidden" => {}
            "password" => self.passwords += 1.0,
            "checkbox" | "radio" => self.boxes += 1.0,
            "submit" | "button" | "image" | "reset" => self.buttons += 1.0,
            "email" | "tel" => {
                self.emails += 1.0;
                self.fields += 1.0;
            }
            _ => self.fields += 1.0,
        }
    }

    fn read_meta(&mut self, dom: &Dom, id: NodeId) {
        let value = |name| dom.attribute(id, name).unwrap_or_default();
        let content = value("content");
        if value("http-equiv").eq_ignore_ascii_case("refresh") {
            self.refresh = 1.0;
        }
        match value("name").to_ascii_lowercase().as_str() {
            "robots" if content.to_ascii_lowercase().contains("noindex") => self.noindex = 1.0,
            "description" => self.description = self.description.max(count_letters(content) as f32),
            _ => {}
        }
        if value("property") == "og:type" && content.eq_ignore_ascii_case("article") {
            self.og_article = 1.0;
        }
    }

    fn read_link(&mut self, dom: &Dom, id: NodeId) {
        match dom.attribute(id, "rel").unwrap_or_default() {
            "canonical" => self.canonical = 1.0,
            "stylesheet" => self.sheets += 1.0,
            _ => {}
        }
    }

    /// Reads from JSON-LD whether the page is an article, and whether it is free.
    fn read_json(&mut self, dom: &Dom, id: NodeId) {
        if dom.attribute(id, "type") != Some("application/ld+json") {
            return;
        }
        for text in dom.children(id).filter_map(|child| dom.text(child)) {
            if text.contains("Article\"") || text.contains("BlogPosting\"") {
                self.json_article = 1.0;
            }
            let mut after = text.split("\"isAccessibleForFree\"").skip(1);
            if after.any(|rest| excerpt(rest, 12).to_ascii_lowercase().contains("false")) {
                self.not_free = 1.0;
            }
        }
    }
}

/// Returns true if a title has a number of HTTP's errors, 400 to 599, as a word.
fn has_code(title: &str) -> bool {
    title
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| word.len() == 3 && matches!(word.parse(), Ok(400..=599)))
}
