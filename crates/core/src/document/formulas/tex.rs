//! Finds TeX that a page writes into its text, for MathJax or KaTeX to set: `$x$`, `$$x$$`,
//! `\(x\)`, `\[x\]`, environments such as `align`, and the tags of forums such as `[tex]x[/tex]`.
//!
//! A dollar sign may also be money or a variable of a shell. So TeX between single dollars must be
//! adjacent to both, and must look like a formula; on a page that sets TeX, less evidence is
//! enough.

use crate::capture::{Dom, NodeId};
use crate::document::content::Span;
use crate::document::formulas::asciimath;
use crate::document::formulas::formula::{one_line, tex_span};
use crate::elements::Element;
use std::ops::Range;

/// Longest formula between single dollars, in bytes. Heuristic.
const MAX_INLINE_BYTES: usize = 1000;
/// Longest formula between other delimiters, in bytes.
const MAX_BYTES: usize = 20_000;
/// Most words outside commands that a formula may have. Heuristic.
const MAX_WORDS: usize = 6;
/// Longest name of a variable that has more than one letter, such as `pH`. Heuristic.
const MAX_NAME_CHARS: usize = 3;

/// TeX within a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::document) struct Tex {
    /// Its bytes in the text, with the delimiters.
    pub(in crate::document) range: Range<usize>,
    /// The TeX on one line, without delimiters; never empty.
    pub(in crate::document) source: String,
    pub(in crate::document) is_display: bool,
}

/// How a formula between two delimiters is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Inline,
    Display,
    /// On a line of its own if it is a whole line of the text.
    ByPlace,
}

/// Delimiters of TeX: start, end, style. A delimiter that is the start of another one comes after
/// it.
const DELIMITERS: &[(&str, &str, Style)] = &[
    ("$$", "$$", Style::Display),
    ("$", "$", Style::Inline),
    ("\\[", "\\]", Style::Display),
    ("\\(", "\\)", Style::Inline),
    ("[tex]", "[/tex]", Style::ByPlace),
    ("[latex]", "[/latex]", Style::ByPlace),
    ("[math]", "[/math]", Style::ByPlace),
    ("[itex]", "[/itex]", Style::Inline),
    ("[imath]", "[/imath]", Style::Inline),
    ("[dmath]", "[/dmath]", Style::Display),
];
const DOLLAR: usize = 1;
const FIRST_TAG: usize = 4;

/// Environments that are used without delimiters (amsmath); each also with a star.
const ENVIRONMENTS: &[&str] = &[
    "align",
    "alignat",
    "aligned",
    "array",
    "cases",
    "displaymath",
    "eqnarray",
    "equation",
    "flalign",
    "gather",
    "gathered",
    "math",
    "matrix",
    "bmatrix",
    "pmatrix",
    "vmatrix",
    "multline",
    "split",
    "subequations",
];

/// Markup that a page is known to set in its texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::document) struct Typesetting {
    pub(in crate::document) tex: bool,
    pub(in crate::document) asciimath: bool,
}

/// The TeX in a text, in order and disjoint; AsciiMath is converted where the page sets it.
pub(in crate::document) fn find(text: &str, sets: Typesetting) -> Vec<Tex> {
    let mut found: Vec<Tex> = Vec::new();
    scan(text, |candidate| {
        let is_tex = match candidate.verdict() {
            Verdict::Sure => true,
            Verdict::Maybe => sets.tex || candidate.delimiter.is_none_or(|at| at > DOLLAR),
            Verdict::Hardly => sets.tex,
            Verdict::No => false,
        };
        let tex = candidate.tex().filter(|_| is_tex);
        let is_taken = tex.is_some();
        found.extend(tex.map(|source| Tex {
            range: candidate.range.clone(),
            source,
            is_display: candidate.is_display(),
        }));
        is_taken
    });
    if sets.asciimath {
        for (range, source) in asciimath::find(text) {
            let at = found.partition_point(|tex| tex.range.end <= range.start);
            if found.get(at).is_none_or(|tex| range.end <= tex.range.start) {
                let is_display = is_line(text, &range);
                found.insert(
                    at,
                    Tex {
                        range,
                        source,
                        is_display,
                    },
                );
            }
        }
    }
    found
}

/// Returns true if a part of a text is a whole line.
fn is_line(text: &str, part: &Range<usize>) -> bool {
    let before = text[..part.start].rsplit('\n').next().unwrap_or("");
    let after = text[part.end..].split('\n').next().unwrap_or("");
    before.trim().is_empty() && after.trim().is_empty()
}

/// Returns true if a text consists of formulas and punctuation only.
pub(in crate::document) fn is_all(text: &str, sets: Typesetting) -> bool {
    let found = find(text, sets);
    let mut start = 0;
    let is_apart = found.iter().all(|tex| {
        let before = &text[start..tex.range.start];
        start = tex.range.end;
        !before.contains(char::is_alphanumeric)
    });
    is_apart && !found.is_empty() && !text[start..].contains(char::is_alphabetic)
}

/// The markup that a page sets: TeX if a script or style sheet of MathJax or KaTeX indicates it, or
/// a text that is certainly TeX; AsciiMath if a script does.
pub(in crate::document) fn set_by(dom: &Dom) -> Typesetting {
    let (mut may_have, mut has_backtick) = (false, false);
    let mut is_tex = false;
    for id in dom.ids() {
        let Some(text) = dom.text(id) else { continue };
        has_backtick |= memchr::memchr(b'`', text.as_bytes()).is_some()
            && !dom.parent(id).is_some_and(|up| is_literal(dom, up));
        if is_tex || !has_mark(text) {
            continue;
        }
        if dom.parent(id).is_some_and(|up| is_literal(dom, up)) {
            continue;
        }
        let mut is_sure = false;
        scan(text, |candidate| {
            let verdict = candidate.verdict();
            may_have |= verdict != Verdict::No;
            is_sure |= verdict == Verdict::Sure;
            verdict == Verdict::Sure
        });
        is_tex = is_sure && !is_in_literal(dom, id);
    }
    let scripts = |matches: fn(&str) -> bool| dom.ids().any(|id| is_script_of(dom, id, matches));
    Typesetting {
        tex: is_tex || may_have && scripts(names_renderer),
        asciimath: (may_have || is_tex || has_backtick) && scripts(names_asciimath),
    }
}

const SCRIPT: Element = Element::known("script");
const LINK: Element = Element::known("link");

fn names_renderer(text: &str) -> bool {
    ["mathjax", "MathJax", "katex", "KaTeX"]
        .iter()
        .any(|name| text.contains(name))
}

/// Returns true if a script loads or configures AsciiMath: in MathJax, by a combined configuration
/// of MathJax 2 (`..-AM_CHTML`) or ASCIIMathML.
fn names_asciimath(text: &str) -> bool {
    let is_mathjax =
        || text.contains("asciimath") || text.contains("AM_CHTML") || text.contains("AM_HTMLorMML");
    text.contains("ASCIIMathML.js")
        || text.contains("asciimath2jax")
        || names_renderer(text) && is_mathjax()
}

/// True if an element is a script, or loads a script or a style sheet, for which `names` is true.
fn is_script_of(dom: &Dom, id: NodeId, names: fn(&str) -> bool) -> bool {
    match dom.element(id) {
        SCRIPT => {
            dom.attribute(id, "src").is_some_and(names)
                || dom
                    .children(id)
                    .any(|child| dom.text(child).is_some_and(names))
        }
        LINK => dom.attribute(id, "href").is_some_and(names),
        _ => false,
    }
}

/// Returns true if the text of an element is taken literally, so that no TeX in it is set.
fn is_literal(dom: &Dom, id: NodeId) -> bool {
    matches!(
        dom.tag(id),
        "code"
            | "kbd"
            | "listing"
            | "pre"
            | "samp"
            | "script"
            | "style"
            | "textarea"
            | "tt"
            | "xmp"
    )
}

pub(in crate::document) fn is_in_literal(dom: &Dom, text: NodeId) -> bool {
    dom.ancestors(text).any(|up| is_literal(dom, up))
}

fn has_mark(text: &str) -> bool {
    memchr::memchr3(b'$', b'\\', b'[', text.as_bytes()).is_some()
}

fn has_mark_of(text: &str, sets: Typesetting) -> bool {
    has_mark(text) || sets.asciimath && text.contains('`')
}

/// A text between two delimiters that may be TeX.
struct Candidate<'t> {
    text: &'t str,
    range: Range<usize>,
    /// The text between the delimiters; for an environment, all of it.
    inner: &'t str,
    /// Index in [`DELIMITERS`]; `None` for an environment.
    delimiter: Option<usize>,
}

/// Confidence that a text is TeX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    No,
    /// Only a page that sets TeX makes it a formula.
    Hardly,
    /// It may be a formula, or something else that is as short.
    Maybe,
    Sure,
}

impl Candidate<'_> {
    fn tex(&self) -> Option<String> {
        let inner = self
            .inner
            .strip_prefix("latex ")
            .filter(|_| self.delimiter == Some(DOLLAR));
        one_line(inner.unwrap_or(self.inner))
    }

    fn is_display(&self) -> bool {
        let style = self
            .delimiter
            .and_then(|at| DELIMITERS.get(at))
            .map_or(Style::Display, |delimiter| delimiter.2);
        style == Style::Display || style == Style::ByPlace && is_line(self.text, &self.range)
    }

    fn verdict(&self) -> Verdict {
        let Some(delimiter) = self.delimiter else {
            return Verdict::Sure;
        };
        let is_dollar = delimiter == DOLLAR;
        let limit = if is_dollar {
            MAX_INLINE_BYTES
        } else {
            MAX_BYTES
        };
        if self.inner.len() > limit
            || self.inner.trim().is_empty()
            || is_dollar && !self.stands_close()
        {
            return Verdict::No;
        }
        if is_dollar && self.inner.starts_with("latex ") || delimiter >= FIRST_TAG {
            return Verdict::Sure;
        }
        let traits = Traits::measure(self.inner);
        let is_one_word = !self.inner.contains(char::is_whitespace);
        match () {
            () if !traits.is_balanced || traits.words > MAX_WORDS || !traits.has_sign => {
                Verdict::No
            }
            () if traits.has_command || traits.has_script && traits.words <= 1 => Verdict::Sure,
            () if traits.words == 0 && !(is_dollar && traits.is_price) => Verdict::Maybe,
            () if is_one_word || !is_dollar && traits.has_operator => Verdict::Hardly,
            () => Verdict::No,
        }
    }

    /// True if single dollars satisfy Pandoc's rules: adjacent to the enclosed text, and not within
    /// words. So `$5 and $10` and `$HOME/$USER` are not formulas.
    fn stands_close(&self) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '$' || c == '_' || c == '\\';
        let before = self.text[..self.range.start].chars().next_back();
        let after = &self.text[self.range.end..];
        let ends_word = after.chars().next().is_none_or(|c| !is_word(c)) || is_suffix(after);
        before.is_none_or(|c| !is_word(c))
            && ends_word
            && !self.inner.starts_with(char::is_whitespace)
            && !self.inner.ends_with(char::is_whitespace)
    }
}

/// Returns true if a text begins with the end of a word that is written directly after a formula,
/// as in `$n$th`.
fn is_suffix(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    matches!(
        &text[..letters],
        "th" | "st" | "nd" | "rd" | "s" | "D" | "d"
    )
}

/// Features that tell TeX from other text.
#[derive(Debug, Default)]
struct Traits {
    /// True if the braces are balanced.
    is_balanced: bool,
    /// True if there is a letter, a digit or an operator.
    has_sign: bool,
    has_operator: bool,
    has_command: bool,
    /// True if a variable has an index or exponent.
    has_script: bool,
    /// Number of words outside commands, without names of functions.
    words: usize,
    /// True if it begins with a number and has a word, such as a price.
    is_price: bool,
}

impl Traits {
    fn measure(tex: &str) -> Self {
        let mut traits = Self {
            is_balanced: true,
            ..Self::default()
        };
        let (mut rest, mut depth) = (tex, 0usize);
        // Depth of the outermost group that is text.
        let mut in_text: Option<usize> = None;
        let mut is_text_command = false;
        while let Some(c) = rest.chars().next() {
            let run = rest.len() - rest.trim_start_matches(char::is_alphabetic).len();
            let step = match c {
                '\\' => {
                    let name = &rest[1..];
                    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
                    traits.has_command |= letters > 0;
                    traits.has_sign |= letters > 0;
                    is_text_command = is_text(&name[..letters]);
                    1 + if letters > 0 {
                        letters
                    } else {
                        name.chars().next().map_or(0, char::len_utf8)
                    }
                }
                '{' => {
                    depth += 1;
                    if is_text_command && in_text.is_none() {
                        in_text = Some(depth);
                    }
                    is_text_command = false;
                    1
                }
                '}' => {
                    traits.is_balanced &= depth > 0;
                    if in_text == Some(depth) {
                        in_text = None;
                    }
                    depth = depth.saturating_sub(1);
                    1
                }
                _ if run > 0 => {
                    let word = &rest[..run];
                    traits.has_sign = true;
                    if in_text.is_none() && is_word(word) {
                        traits.words += 1;
                        traits.is_price |= tex.starts_with(|c: char| c.is_ascii_digit());
                    }
                    run
                }
                _ => {
                    let next = rest[c.len_utf8()..].chars().next().unwrap_or(' ');
                    traits.has_operator |=
                        "+=<>^_|/*".contains(c) || ('\u{2190}'..'\u{2300}').contains(&c);
                    traits.has_sign |= c.is_ascii_digit() || traits.has_operator;
                    let follows = next == '{'
                        || next == '\\'
                        || next.is_alphanumeric()
                        || "*+-(".contains(next);
                    traits.has_script |= matches!(c, '^' | '_')
                        && follows
                        && is_base(&tex[..tex.len() - rest.len()], c);
                    c.len_utf8()
                }
            };
            rest = &rest[step..];
        }
        traits.is_balanced &= depth == 0;
        traits
    }
}

/// Returns true if the text before an index or exponent ends in a group, in a single letter, or,
/// before an exponent, in a digit.
fn is_base(before: &str, mark: char) -> bool {
    let mut back = before.chars().rev();
    match back.next() {
        Some(')' | '}' | ']' | '|' | '\'') => true,
        Some(c) if c.is_ascii_digit() && mark == '^' => true,
        Some(c) => {
            c.is_alphanumeric() && back.next().is_none_or(|c| !c.is_alphanumeric() && c != '_')
        }
        None => false,
    }
}

/// Commands whose groups hold text or names.
fn is_text(command: &str) -> bool {
    command.starts_with("text")
        || matches!(
            command,
            "mbox"
                | "hbox"
                | "mathrm"
                | "operatorname"
                | "begin"
                | "end"
                | "label"
                | "ref"
                | "eqref"
                | "tag"
                | "mathit"
                | "mathsf"
                | "mathbf"
                | "mathtt"
                | "color"
        )
}

/// Returns true if letters are a word and not a product of variables or a function.
fn is_word(letters: &str) -> bool {
    const SHORT: &[&str] = &[
        "to", "and", "or", "the", "for", "per", "in", "at", "of", "is", "it", "on", "by", "und",
        "y", "et",
    ];
    const FUNCTIONS: &[&str] = &[
        "sqrt", "argmax", "argmin", "softmax", "sinh", "cosh", "tanh", "rank", "span", "prob",
    ];
    let is_greek = |c: char| ('\u{370}'..'\u{400}').contains(&c);
    let is_latin = letters.chars().all(|c| c.is_ascii() || is_greek(c));
    let is_long = letters.chars().count() > MAX_NAME_CHARS && !FUNCTIONS.contains(&letters);
    !is_latin || is_long || letters.len() > 1 && SHORT.contains(&letters)
}

/// Reads all candidates of a text, and continues after those for which `take` is true.
fn scan(text: &str, mut take: impl FnMut(&Candidate<'_>) -> bool) {
    let bytes = text.as_bytes();
    // For each delimiter and environment, the position of its next end; it is only searched again
    // once it has been passed.
    let mut ends = vec![0usize; DELIMITERS.len() + 2 * ENVIRONMENTS.len()];
    let mut at = 0;
    while let Some(offset) = memchr::memchr3(b'$', b'\\', b'[', &bytes[at..]) {
        at += offset;
        let candidate = candidate(text, at, &mut ends);
        at = match candidate {
            Some(candidate) if take(&candidate) => candidate.range.end,
            _ => at + skip(&bytes[at..]),
        };
    }
}

/// Bytes that no formula begins in: an escaped character, and a run of dollars.
fn skip(rest: &[u8]) -> usize {
    match rest {
        [b'\\', b'\\' | b'$', ..] => 2,
        [b'$', ..] => rest.iter().take_while(|&&byte| byte == b'$').count(),
        _ => 1,
    }
}

fn candidate<'t>(text: &'t str, at: usize, ends: &mut [usize]) -> Option<Candidate<'t>> {
    let rest = &text[at..];
    if rest.starts_with("\\begin{") {
        return environment(text, at, ends);
    }
    if rest.starts_with("$$$") {
        return None;
    }
    let delimiter = DELIMITERS
        .iter()
        .position(|(open, ..)| rest.starts_with(open))?;
    let (open, close, _) = DELIMITERS[delimiter];
    let start = at + open.len();
    let mut end = next_end(text, start, close, &mut ends[delimiter])?;
    if delimiter == DOLLAR {
        end = end_of_groups(text, start, end)?;
    }
    let inner = &text[start..end];
    let after = end + close.len();
    let is_run = delimiter <= DOLLAR && text[after..].starts_with('$');
    // Each text is read once for each delimiter, since the last start before an end counts.
    let is_last = delimiter <= DOLLAR || !inner.contains(open);
    (!is_run && is_last).then_some(Candidate {
        text,
        range: at..after,
        inner,
        delimiter: Some(delimiter),
    })
}

/// An environment that begins at a byte of a text.
fn environment<'t>(text: &'t str, at: usize, ends: &mut [usize]) -> Option<Candidate<'t>> {
    let begin = &text[at..=at + text[at..].find('}')?];
    let name = begin.strip_prefix("\\begin{")?.strip_suffix('}')?;
    let plain = name.strip_suffix('*').unwrap_or(name);
    let known = ENVIRONMENTS.iter().position(|known| *known == plain)?;
    let memory = DELIMITERS.len() + 2 * known + usize::from(plain.len() < name.len());
    let close = format!("\\end{{{name}}}");
    let end = next_end(text, at + begin.len(), &close, &mut ends[memory])?;
    let is_last = !text[at + begin.len()..end].contains(begin);
    let range = at..end + close.len();
    let inner = &text[range.clone()];
    is_last.then_some(Candidate {
        text,
        range,
        inner,
        delimiter: None,
    })
}

/// Position of the next end of a delimiter, at or after a byte; `known` is the last result.
fn next_end(text: &str, from: usize, close: &str, known: &mut usize) -> Option<usize> {
    if *known < from {
        *known = text[from..]
            .find(close)
            .map_or(usize::MAX, |found| from + found);
    }
    (*known < text.len()).then_some(*known)
}

/// The end of a formula between dollars: a dollar in a group belongs to text within the formula,
/// and an escaped one is a sign in it.
fn end_of_groups(text: &str, start: usize, mut end: usize) -> Option<usize> {
    const MAX_INNER_DOLLARS: usize = 4;
    for _ in 0..MAX_INNER_DOLLARS {
        let inner = &text[start..end];
        let opened = inner.bytes().filter(|&byte| byte == b'{').count();
        let closed = inner.bytes().filter(|&byte| byte == b'}').count();
        if opened <= closed && !inner.ends_with('\\') || inner.len() > MAX_INLINE_BYTES {
            break;
        }
        end = end + 1 + text[end + 1..].find('$')?;
    }
    Some(end)
}

/// Turns the TeX in the text of a block into spans, also where links and emphasis have split it. A
/// formula has a link or emphasis only if it is entirely inside.
pub(in crate::document) fn mark(spans: &mut Vec<Span>, sets: Typesetting) {
    let may_hold = |span: &Span| {
        span.formula.is_none() && !span.is_code && span.note.is_none() && span.reading.is_none()
    };
    if !spans
        .iter()
        .any(|span| may_hold(span) && has_mark_of(&span.text, sets))
    {
        return;
    }
    let mut marked = Vec::with_capacity(spans.len());
    for run in spans.chunk_by(|one, other| may_hold(one) && may_hold(other)) {
        let text: String = run.iter().map(|span| span.text.as_str()).collect();
        let found = if run.iter().all(may_hold) {
            find(&text, sets)
        } else {
            Vec::new()
        };
        cut(run, found, &mut marked);
    }
    *spans = marked;
}

/// Writes spans with the formulas that were found in their joined text.
fn cut(spans: &[Span], found: Vec<Tex>, out: &mut Vec<Span>) {
    let mut found = found.into_iter().peekable();
    let mut start = 0;
    // The formula that began in the previous span.
    let mut open: Option<(Span, usize)> = None;
    for span in spans {
        let end = start + span.text.len();
        let mut at = start;
        while at < end {
            if let Some((formula, formula_end)) = &mut open {
                formula.link = formula
                    .link
                    .take()
                    .filter(|link| span.link.as_ref() == Some(link));
                formula.is_strong &= span.is_strong;
                formula.is_emphasis &= span.is_emphasis;
                formula.nodes.extend(&span.nodes);
                at = end.min(*formula_end);
                if *formula_end <= end {
                    out.extend(open.take().map(|(formula, _)| formula));
                }
                continue;
            }
            let next = found.peek().map_or(end, |tex| tex.range.start.min(end));
            if at < next {
                out.push(Span {
                    text: span.text[at - start..next - start].to_owned(),
                    ..span.clone()
                });
                at = next;
            } else if let Some(tex) = found.next() {
                let formula = tex_span(&tex.source, tex.is_display);
                let Span {
                    is_strong,
                    is_emphasis,
                    ..
                } = *span;
                open = Some((
                    Span {
                        link: span.link.clone(),
                        is_strong,
                        is_emphasis,
                        ..formula
                    },
                    tex.range.end,
                ));
            }
        }
        start = end;
    }
    out.extend(open.map(|(formula, _)| formula));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::segments::segment::tests::all_kept;
    use crate::html::parse_html;
    use proptest::prelude::*;

    /// The formulas of a text, display ones with two dollars.
    fn formulas(text: &str, tex: bool) -> Vec<String> {
        find(
            text,
            Typesetting {
                tex,
                asciimath: false,
            },
        )
        .iter()
        .map(|tex| tex_span(&tex.source, tex.is_display).text)
        .collect()
    }

    #[test]
    fn every_delimiter_is_known() {
        for (text, expected) in [
            ("let $x_1$ be", "$x_1$"),
            ("so $$a = b$$ holds", "$$a = b$$"),
            ("so \\(a\\) holds", "$a$"),
            ("so \\[ a = b \\] holds", "$$a = b$$"),
            (
                "x \\begin{align*} a &= b \\\\ c &= d \\end{align*}",
                "$$\\begin{align*} a &= b \\\\ c &= d \\end{align*}$$",
            ),
            ("the field [tex]E[/tex] is", "$E$"),
            (" [tex]E = mc^2[/tex]", "$$E = mc^2$$"),
            ("the field [itex]E[/itex] is", "$E$"),
            ("$latex E=m$ on WordPress", "$E=m$"),
            (
                "$$\\begin{aligned}a\\end{aligned}$$",
                "$$\\begin{aligned}a\\end{aligned}$$",
            ),
            ("the $n$th, 设$x$为", "$n$"),
            (
                "a set $\\{x : \\text{$x$ is even}\\}$ of",
                "$\\{x : \\text{$x$ is even}\\}$",
            ),
            ("it costs $\\$5$", "$\\$5$"),
        ] {
            assert_eq!(formulas(text, true)[0], expected, "{text}");
        }
        assert_eq!(formulas("$a$, $b$-th and non-$c$; ($d$)", true).len(), 4);
        assert_eq!(
            formulas("$H$ and $x = 1$ and $f(x)$", true),
            ["$H$", "$x = 1$", "$f(x)$"]
        );
    }

    #[test]
    fn prices_and_variables_of_shells_are_no_formulas() {
        for text in [
            "$5 and $10",
            "$5-$10",
            "from $5 to $10, or $1,000/$2,000",
            "US$5/A$7",
            "$5 und 7$",
            "A$AP and Ke$ha",
            "echo $HOME/$USER",
            "$PATH:$HOME",
            "${name} and $name",
            "Set $HOME, then $PATH.",
            "$$ - $$$",
            "$$$",
            "$$ \u{2022} Thai \u{2022} $$",
            "$AAPL and $TSLA",
            "\\$x_1\\$",
            "(\\(not closed",
            "a \\begin{itemize} x \\end{itemize}",
            "[math] and [physics]",
        ] {
            assert_eq!(formulas(text, true), [""; 0], "{text}");
        }
        // An ambiguous text is a formula only where the page sets TeX.
        for text in [
            "$x$",
            "$name$",
            "$10$",
            "[see] \\[citation needed\\]",
            "$$profit = loss$$",
        ] {
            assert_eq!(formulas(text, false), [""; 0], "{text}");
        }
        assert_eq!(formulas("$x_1$, $\\alpha$ and \\(n\\)", false).len(), 3);
    }

    #[test]
    fn a_page_sets_tex_if_it_loads_a_renderer_or_holds_what_is_nothing_else() {
        let is_set = |html: &str| set_by(&parse_html(html)).tex;
        assert!(
            is_set("<p>let $\\alpha$ be") && is_set("<p>$x$ <script src=/MathJax.js></script>")
        );
        assert!(is_set("<link href=katex.min.css rel=stylesheet><p>$x$"));
        assert!(!is_set("<p>$x$") && !is_set("<script src=/MathJax.js></script><p>$5"));
        assert!(!is_set(
            "<pre>let $\\alpha$ be</pre><script>$('\\\\[a\\\\]')</script>"
        ));
    }

    fn texts(html: &str) -> Vec<(String, bool, Option<String>)> {
        let segments = all_kept(html);
        let spans = segments.iter().flat_map(|segment| segment.spans.clone());
        spans
            .map(|span| (span.text, span.formula.is_some(), span.link))
            .collect()
    }

    #[test]
    fn neither_emphasis_nor_links_nor_line_breaks_cut_a_formula() {
        let found = texts(
            "<p>Let <b>$\\alpha_<i>1</i> +\n b<br>c$</b> be <a href=z>$x^2$ or</a> it, not <code>$y_1$</code>.</p>",
        );
        let formulas: Vec<&str> = found
            .iter()
            .filter(|(_, is_formula, _)| *is_formula)
            .map(|found| found.0.as_str())
            .collect();
        assert_eq!(formulas, ["$\\alpha_1 + b c$", "$x^2$"]);
        assert!(
            found
                .iter()
                .any(|(text, _, link)| text == "$x^2$" && link.is_some())
        );
        let whole: String = found.iter().map(|found| found.0.as_str()).collect();
        assert_eq!(whole, "Let $\\alpha_1 + b c$ be $x^2$ or it, not $y_1$.");
    }

    proptest! {
        #[test]
        fn all_other_text_stays(text in "(\\$|\\$\\$|\\\\[()\\[\\]]|\\\\begin\\{align\\}|\\\\end\\{align\\}|\\[/?tex\\]|[a-e1 `{}\\\\^_\u{e9}]{1,3}){0,30}", tex: bool, asciimath: bool) {
            let sets = Typesetting { tex, asciimath };
            let found = find(&text, sets);
            prop_assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
            let spans: Vec<Span> = text.split_inclusive('a').map(|part| Span { text: part.to_owned(), ..Span::default() }).collect();
            let mut marked = Vec::new();
            cut(&spans, found.clone(), &mut marked);
            let mut expected = text.clone();
            for tex in found.iter().rev() {
                expected.replace_range(tex.range.clone(), &tex_span(&tex.source, tex.is_display).text);
            }
            prop_assert_eq!(marked.iter().map(|span| span.text.as_str()).collect::<String>(), expected);
        }
    }
}
