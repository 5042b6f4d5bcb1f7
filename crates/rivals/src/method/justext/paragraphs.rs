//! The paragraphs of jusText and their features (Pomikálek 2011, the algorithm jusText).

use crate::method::block::{BlockRules, TextBlock, split};
use crate::method::stop_words::StopWords;
use vclean_core::capture::Dom;
use vclean_core::elements::is_heading;
use vclean_core::language::character::{measure_half_letters, needs_dictionary};

/// Elements whose borders separate paragraphs (the list of the package, without `form`, which it
/// removes from the tree before).
fn is_paragraph(tag: &str) -> bool {
    matches!(
        tag,
        "body"
            | "blockquote"
            | "caption"
            | "center"
            | "col"
            | "colgroup"
            | "dd"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "legend"
            | "optgroup"
            | "option"
            | "p"
            | "pre"
            | "table"
            | "td"
            | "textarea"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
            | "li"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
    )
}

/// Elements that the package removes from the tree with their content, and frames, whose text
/// belongs to another page.
fn is_ignored(tag: &str) -> bool {
    matches!(
        tag,
        "head"
            | "script"
            | "style"
            | "applet"
            | "button"
            | "input"
            | "select"
            | "textarea"
            | "iframe"
            | "noframes"
            | "noembed"
            | "template"
    )
}

/// Splits a page; two successive line breaks separate paragraphs as well.
pub(super) fn cut(dom: &Dom) -> Vec<TextBlock> {
    let parts = |tag: &str| is_paragraph(tag) && !is_ignored(tag);
    split(
        dom,
        &BlockRules {
            parts,
            ignores: is_ignored,
            double_break_parts: true,
        },
    )
}

/// Number of characters from which the language is detected. Heuristic: more change nothing, and a
/// page may be very long.
const SAMPLE_CHARS: usize = 10_000;

/// The start of the page's text outside links, from which its language is detected; menus are often
/// in another language.
pub(super) fn sample(blocks: &[TextBlock]) -> String {
    let mut sample = String::new();
    for block in blocks
        .iter()
        .filter(|block| block.linked_chars == 0 && block.text.len() > 40)
    {
        sample.extend(block.text.chars().take(SAMPLE_CHARS));
        sample.push(' ');
        if sample.len() > SAMPLE_CHARS {
            break;
        }
    }
    sample
}

/// The features of a paragraph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Paragraph {
    /// Length in letters, including spaces: a Chinese or Japanese character counts as two and a
    /// half, a Korean one as two, so that the limits stand for the same amount of text (ours; the
    /// package counts characters).
    pub(super) letters: f64,
    /// Share of characters in links, 0 to 1.
    pub(super) link_density: f64,
    /// Share of stop words among words, 0 to 1; 1 if they are not counted: without a list, or if
    /// most letters are of a script without spaces between words.
    pub(super) stop_word_density: f64,
    /// True if it is inside an element `h1` to `h6`.
    pub(super) is_heading: bool,
    /// True if it contains the copyright sign.
    pub(super) has_copyright: bool,
}

/// Measures paragraphs; `words` are the stop words of the language, in lower case.
///
/// Words are separated by white space and keep their punctuation, as in the package: `the,` is not
/// a stop word.
pub(super) fn measure(
    dom: &Dom,
    blocks: &[TextBlock],
    words: Option<&StopWords>,
) -> Vec<Paragraph> {
    let headings = in_headings(dom, blocks);
    let measured = blocks
        .iter()
        .zip(headings)
        .map(|(block, is_heading)| Paragraph {
            letters: f64::from(measure_half_letters(&block.text)) / 2.0,
            link_density: block.link_density(),
            stop_word_density: words.map_or(1.0, |words| stop_word_density(block, words)),
            is_heading,
            // The second is a copyright sign that was escaped twice.
            has_copyright: block.text.contains('©') || block.text.contains("&copy"),
        });
    measured.collect()
}

fn stop_word_density(block: &TextBlock, words: &StopWords) -> f64 {
    let letters = block.text.chars().filter(|c| c.is_alphabetic());
    let (mut parted, mut unparted) = (0_usize, 0_usize);
    letters.for_each(|c| {
        *if needs_dictionary(c) {
            &mut unparted
        } else {
            &mut parted
        } += 1;
    });
    if unparted > parted {
        return 1.0;
    }
    let (mut all, mut stop) = (0_usize, 0_usize);
    let mut lower = String::new();
    for word in block.words() {
        all += 1;
        // Most words are already in lower case.
        let is_stop_word = if word.chars().any(char::is_uppercase) {
            lower.clear();
            lower.extend(word.chars().flat_map(char::to_lowercase));
            words.contains(&lower)
        } else {
            words.contains(word)
        };
        stop += usize::from(is_stop_word);
    }
    if all == 0 {
        0.0
    } else {
        stop as f64 / all as f64
    }
}

/// For each block, true if its container is a heading or inside one; one walk over the page,
/// however deep.
fn in_headings(dom: &Dom, blocks: &[TextBlock]) -> Vec<bool> {
    let mut headings = dom.ids().filter(|&id| is_heading(dom.tag(id))).peekable();
    let mut end = 0;
    let mut blocks_in = Vec::with_capacity(blocks.len());
    for block in blocks {
        // Containers of later blocks may begin earlier, but the first text of a block does not.
        let first = block.texts.first().copied().unwrap_or(block.container);
        while let Some(heading) = headings.next_if(|heading| *heading < first) {
            end = end.max(dom.end(heading));
        }
        blocks_in.push(first.index() < end);
    }
    blocks_in
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::stop_words::stop_words;
    use vclean_core::html::parse_html;

    fn measured(html: &str) -> Vec<(String, Paragraph)> {
        let dom = parse_html(html);
        let blocks = cut(&dom);
        let measured = measure(&dom, &blocks, stop_words("en"));
        blocks
            .into_iter()
            .map(|block| block.text)
            .zip(measured)
            .collect()
    }

    #[test]
    fn forms_and_sections_are_no_borders_and_fields_are_removed() {
        let found = measured(
            "a<form>b <button>x</button><select><option>y</select></form><section>c</section><p>d",
        );
        let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["ab c", "d"]);
    }

    #[test]
    fn densities_are_of_characters_and_of_words() {
        let (_, paragraph) = &measured("<p>The sea, <a href=x>the</a> gull; of THE")[0];
        // the, the, of, the; "sea," and "gull;" keep their punctuation.
        assert!(
            (paragraph.stop_word_density - 4.0 / 6.0).abs() < 1e-12,
            "{paragraph:?}"
        );
        assert!(
            (paragraph.link_density - 3.0 / 25.0).abs() < 1e-12,
            "{paragraph:?}"
        );
        assert_eq!(paragraph.letters, 25.0);
        let (_, chinese) = &measured("<p>海鸥 gul")[0];
        assert_eq!((chinese.letters, chinese.stop_word_density), (9.0, 0.0));
        assert_eq!(measured("<p>海鸥 g")[0].1.stop_word_density, 1.0);
    }

    #[test]
    fn blocks_inside_headings_are_headings() {
        let found = measured("<p>a<h2>b<div>c</div></h2>d<div><h3>e</h3>f © 2011</div>");
        let headings: Vec<bool> = found
            .iter()
            .map(|(_, paragraph)| paragraph.is_heading)
            .collect();
        assert_eq!(headings, [false, true, true, false, true, false]);
        assert!(found[5].1.has_copyright && !found[4].1.has_copyright);
    }
}
