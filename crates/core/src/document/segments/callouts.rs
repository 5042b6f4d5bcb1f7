//! Callouts: parts of a text that are set apart, with the name of their kind, as many programs
//! publish them.

use crate::capture::{Dom, NodeId};
use crate::document::content::{Callout, Segment};

/// Classes that a callout's name follows: GitHub, Docusaurus, Starlight, Confluence, Chirpy.
const PREFIXES: &[&str] = &[
    "markdown-alert-",
    "theme-admonition-",
    "starlight-aside--",
    "confluence-information-macro-",
    "prompt-",
];
/// Classes of callouts whose name is another class: MkDocs and Sphinx, Asciidoctor, VitePress,
/// Obsidian, GitHub.
const FRAMES: &[&str] = &[
    "admonition",
    "admonitionblock",
    "custom-block",
    "callout",
    "markdown-alert",
];
/// The signs that authors using Ghost choose for a card.
const SIGNS: &[(char, Callout)] = &[
    ('\u{26a0}', Callout::Warning),
    ('\u{1f6a8}', Callout::Caution),
    ('\u{26d4}', Callout::Caution),
    ('\u{2757}', Callout::Important),
    ('\u{1f4a1}', Callout::Tip),
];
/// Names of kinds in other languages, as the translations of Sphinx, Docusaurus, VitePress and
/// Asciidoctor have them.
const NAMES: &[&str] = &[
    "achtung",
    "advertencia",
    "anmerkung",
    "astuce",
    "atención",
    "attenzione",
    "atenção",
    "avertissement",
    "aviso",
    "avvertimento",
    "belangrijk",
    "conseil",
    "consejo",
    "cuidado",
    "dica",
    "gefahr",
    "gevaar",
    "hinweis",
    "importante",
    "info",
    "niebezpieczeństwo",
    "nota",
    "notiz",
    "opmerking",
    "ostrzeżenie",
    "peligro",
    "pericolo",
    "perigo",
    "precaución",
    "prudence",
    "remarque",
    "suggerimento",
    "tipp",
    "truco",
    "uwaga",
    "voorzichtig",
    "vorsicht",
    "waarschuwing",
    "warnung",
    "ważne",
    "wichtig",
    "wskazówka",
    "важно",
    "внимание",
    "опасность",
    "осторожно",
    "подсказка",
    "предупреждение",
    "примечание",
    "совет",
    "危险",
    "备注",
    "小心",
    "小技巧",
    "提示",
    "注",
    "注意",
    "注解",
    "警告",
    "重要",
    "ちなみに",
    "ヒント",
    "危険",
    "注釈",
    "補足",
    "경고",
    "노트",
    "위험",
    "주의",
    "중요",
    "참고",
    "팁",
];
/// Ends of the classes of callouts' titles; Docusaurus has a beginning, `admonitionHeading`.
const TITLES: &[&str] = &[
    "admonition-title",
    "callout-title",
    "custom-block-title",
    "alert-title",
    "title",
];

/// The kind of a callout, if an element is one of GitHub, Docusaurus, Obsidian, MkDocs and Sphinx,
/// VitePress, Starlight, Confluence, Ghost, Chirpy or Microsoft Learn.
pub(in crate::document) fn callout(dom: &Dom, id: NodeId) -> Option<Callout> {
    let tag = dom.tag(id);
    if !matches!(tag, "div" | "aside" | "section" | "details" | "blockquote") {
        return None;
    }
    if tag == "blockquote"
        && let Some(kind) = written_callout(dom, id)
    {
        return Some(kind);
    }
    let classes = dom.attribute(id, "class")?;
    let names = classes.split_ascii_whitespace();
    let prefixed = PREFIXES.iter().find_map(|prefix| {
        names
            .clone()
            .find_map(|name| Callout::from_name(name.strip_prefix(prefix)?))
    });
    let named = || {
        let stated = dom
            .attribute(id, "data-callout")
            .and_then(Callout::from_name);
        stated.or_else(|| names.clone().find_map(Callout::from_name))
    };
    let is_framed = || tag == "details" || names.clone().any(|name| FRAMES.contains(&name));
    // Microsoft Learn writes the name alone, in capitals.
    let is_shouted = || {
        matches!(
            classes,
            "NOTE" | "TIP" | "IMPORTANT" | "CAUTION" | "WARNING"
        )
    };
    let card = || {
        names
            .clone()
            .any(|name| name == "kg-callout-card")
            .then(|| find_card_kind(dom, id))
    };
    prefixed
        .or_else(|| is_framed().then(named).flatten())
        .or_else(|| {
            is_shouted()
                .then(|| Callout::from_name(&classes.to_ascii_lowercase()))
                .flatten()
        })
        .or_else(card)
}

/// The kind of a card of Ghost: that of the sign before its text.
fn find_card_kind(dom: &Dom, card: NodeId) -> Callout {
    let first = dom
        .descendants(card)
        .filter_map(|id| dom.text(id))
        .find_map(|text| text.trim().chars().next());
    SIGNS
        .iter()
        .find(|(sign, _)| Some(*sign) == first)
        .map_or(Callout::Note, |(_, kind)| *kind)
}

/// The callout whose mark is written as text in a quotation, such as `[!NOTE]`: its author wrote
/// Markdown for another program.
fn written_callout(dom: &Dom, id: NodeId) -> Option<Callout> {
    const MAX_NODES: usize = 6;
    let mut texts = dom
        .descendants(id)
        .take(MAX_NODES)
        .filter_map(|below| dom.text(below));
    callout_mark(texts.find(|text| !text.trim().is_empty())?).map(|(kind, _)| kind)
}

/// The kind in the mark of a callout that a text begins with, and the length of the text up to what
/// follows it.
fn callout_mark(text: &str) -> Option<(Callout, usize)> {
    let (name, rest) = text.trim_start().strip_prefix("[!")?.split_once(']')?;
    let kind = Callout::from_name(&name.to_ascii_lowercase())?;
    // Obsidian marks foldable callouts with a sign.
    let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    Some((kind, text.len() - rest.trim_start().len()))
}

/// Edits the first block of a callout: removes a mark written as text, and makes a title strong.
/// False for a sign without words, which is not a part of the text.
pub(in crate::document) fn begin_callout(
    dom: &Dom,
    container: NodeId,
    segment: &mut Segment,
) -> bool {
    let spans = &mut segment.spans;
    if let Some(first) = spans.first_mut()
        && let Some((_, end)) = callout_mark(&first.text)
    {
        first.text.drain(..end);
        if first.text.is_empty() && spans.len() > 1 {
            spans.remove(0);
        }
        return true;
    }
    if is_title(dom, container) {
        for span in spans.iter_mut() {
            span.is_strong |= span.formula.is_none();
        }
    }
    // A formula has letters too; a picture has no text at all.
    let mut letters = spans
        .iter()
        .flat_map(|span| span.text.chars())
        .filter(|c| !c.is_whitespace())
        .peekable();
    letters.peek().is_none() || letters.any(char::is_alphanumeric)
}

/// Returns true if a block is the title of the callout around it.
fn is_title(dom: &Dom, container: NodeId) -> bool {
    let is_titled = |id: NodeId| {
        let mut classes = dom
            .attribute(id, "class")
            .unwrap_or_default()
            .split_ascii_whitespace();
        dom.tag(id) == "summary"
            || classes.any(|class| {
                class.starts_with("admonitionHeading")
                    || TITLES.iter().any(|title| class.ends_with(title))
            })
    };
    std::iter::once(container)
        .chain(dom.ancestors(container))
        .take_while(|&id| callout(dom, id).is_none())
        .any(is_titled)
}

/// True if the title of a callout is only the name of its kind, in English or another language.
pub(crate) fn is_name_of_kind(title: &str, kind: Callout) -> bool {
    let title = title
        .trim()
        .trim_end_matches([':', '：', '!'])
        .to_lowercase();
    Callout::from_name(&title) == Some(kind) || NAMES.contains(&title.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::segments::segment::tests::all_kept;

    #[test]
    fn callouts_of_every_program() {
        let text = "<p>Shells may fall on you.</p><p>Stand aside.</p>";
        for begin in [
            "<div class='markdown-alert markdown-alert-warning'><p class=markdown-alert-title>Warning</p>",
            "<div class='theme-admonition theme-admonition-warning admonition_x alert'><div class=h>warning</div>",
            "<div class=callout data-callout=warning><div class=callout-title><div>Warning</div></div>",
            "<div class='admonition warning'><p class=admonition-title>Warning</p>",
            "<details class='warning custom-block'><summary>WARNING</summary>",
            "<blockquote class='callout warning'><p>Warning</p>",
            "<aside class='starlight-aside starlight-aside--warning'><p>Warning</p>",
            "<div class='confluence-information-macro confluence-information-macro-warning'><p class=title>Warning</p>",
            "<blockquote class=prompt-warning><p>Warning</p>",
            "<details class=warning><summary>Warning</summary>",
            "<div class=WARNING><p>Warning</p>",
            "<div class='kg-card kg-callout-card'><div class=kg-callout-emoji>\u{26a0}\u{fe0f}</div><p>Warning</p>",
        ] {
            let end = begin[1..].split(' ').next().unwrap();
            let segments = all_kept(&format!("{begin}{text}</{end}><p>So."));
            let found: Vec<_> = segments
                .iter()
                .map(|segment| (segment.callout, segment.within.quotes))
                .collect();
            assert_eq!(
                found,
                [(Some(Callout::Warning), 1), (None, 1), (None, 1), (None, 0)],
                "{begin}"
            );
        }
        let written = all_kept(
            "<blockquote><p>[!WARNING]<br>Shells may <b>fall</b>.</p></blockquote><blockquote><p>[!x] no",
        );
        let found: Vec<_> = written
            .iter()
            .map(|segment| (segment.callout, segment.text()))
            .collect();
        let expected = [
            (Some(Callout::Warning), "Shells may fall."),
            (None, "[!x] no"),
        ];
        assert_eq!(
            found,
            expected.map(|(callout, text)| (callout, text.to_owned()))
        );
        // A callout in a cell of a data table is a part of the cell, and other elements are not
        // callouts.
        let cell = "<table><tr><th>a<th>b<tr><td>c<td><div class='admonition tip'><p>d</p></div></table><p class='callout tip'>e";
        assert!(
            all_kept(cell)
                .iter()
                .all(|segment| segment.callout.is_none() && segment.within.quotes == 0)
        );
    }

    #[test]
    fn titles_are_strong_and_signs_are_none() {
        let first = |html: &str| {
            let segment = &all_kept(html)[0];
            (
                segment.callout,
                segment.text(),
                segment.spans.iter().all(|span| span.is_strong),
            )
        };
        let titled = "<div class='admonition tip'><p class=admonition-title>Of shells</p><p>They break.</p></div>";
        assert_eq!(
            first(titled),
            (Some(Callout::Tip), "Of shells".to_owned(), true)
        );
        let plain = "<div class='admonition tip'><p>They break.</p></div>";
        assert_eq!(
            first(plain),
            (Some(Callout::Tip), "They break.".to_owned(), false)
        );
        let sign = "<div class='kg-card kg-callout-card'><div class=kg-callout-emoji>\u{1f4a1}</div><div>They break.</div></div>";
        assert_eq!(
            first(sign),
            (Some(Callout::Tip), "They break.".to_owned(), false)
        );
    }

    #[test]
    fn a_sign_is_that_of_the_code_after_it_and_of_nothing_later() {
        let html = "<div class='kg-card kg-callout-card'><div class=kg-callout-emoji>\u{1f4a1}</div><pre>a = 1;\nb = 2;</pre></div>\
                    <p>Terns.</p><blockquote><p>Later.</p></blockquote>";
        let found: Vec<_> = all_kept(html)
            .iter()
            .map(|segment| (segment.text(), segment.callout))
            .collect();
        let expected = [
            ("a = 1;\nb = 2;", Some(Callout::Tip)),
            ("Terns.", None),
            ("Later.", None),
        ];
        assert_eq!(
            found,
            expected.map(|(text, callout)| (text.to_owned(), callout))
        );
    }

    #[test]
    fn a_title_that_names_the_kind_is_known_in_other_languages() {
        for (title, kind) in [
            ("Note", Callout::Note),
            ("AVISO:", Callout::Warning),
            ("提示", Callout::Tip),
            ("Danger!", Callout::Caution),
        ] {
            assert!(is_name_of_kind(title, kind), "{title}");
        }
        for title in ["Tip of the day", "Of shells", ""] {
            assert!(!is_name_of_kind(title, Callout::Tip), "{title}");
        }
    }
}
