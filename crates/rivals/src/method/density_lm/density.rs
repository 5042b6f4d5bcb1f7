//! The density filter (Pal 2009): lines of the source, their text and markup, and which are mostly
//! text.

/// Lines with less text than this are dropped, which removes list items and headings (Pal 2009).
pub(crate) const MIN_CHARS: usize = 60;

/// A line of the source that has enough text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Its text without markup.
    pub text: String,
    /// Its density, above 0, up to 1.
    pub density: f64,
    /// True if it is between the markers `<!-- content -->` and `<!-- /content -->` of a template;
    /// `None` if there was no marker in the source up to here.
    pub is_marked: Option<bool>,
}

/// Share of text, with 1 added to both counts so that it is defined for an empty line (Pal 2009):
/// (t + 1) / (t + m + 1) for `t` characters of text and `m` of markup, without angle brackets.
pub(crate) fn density(text_chars: usize, markup_chars: usize) -> f64 {
    (text_chars + 1) as f64 / (text_chars + markup_chars + 1) as f64
}

/// The lines of a source with at least [`MIN_CHARS`] characters of text. Markup begins and ends
/// within a line, as published: markup that continues from the line before counts as text.
pub(crate) fn lines(source: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut is_marked = None;
    for line in source
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        if line.contains("<!-- content -->") {
            is_marked = Some(true);
        } else if line.contains("<!-- /content -->") {
            is_marked = Some(false);
        }
        let (mut text, mut markup_chars, mut in_markup) = (String::new(), 0, false);
        for c in line.chars() {
            match c {
                '<' => in_markup = true,
                '>' => in_markup = false,
                _ if in_markup => markup_chars += 1,
                _ => text.push(c),
            }
        }
        let text_chars = text.trim().chars().count();
        if text_chars >= MIN_CHARS {
            lines.push(Line {
                text,
                density: density(text_chars, markup_chars),
                is_marked,
            });
        }
    }
    // On a page with markers, everything not between them is outside, including the start of the
    // page.
    if is_marked.is_some() {
        for line in &mut lines {
            line.is_marked = Some(line.is_marked == Some(true));
        }
    }
    lines
}

/// The density above which lines are kept: 0.5 less the standard deviation (of a sample: n - 1) of
/// the page's densities.
pub(super) fn threshold(densities: &[f64]) -> f64 {
    if densities.len() < 2 {
        return 0.5;
    }
    let count = densities.len() as f64;
    let mean = densities.iter().sum::<f64>() / count;
    let squares: f64 = densities
        .iter()
        .map(|density| (density - mean).powi(2))
        .sum();
    0.5 - (squares / (count - 1.0)).sqrt()
}

/// The lines above the page's threshold.
pub(crate) fn filter(mut lines: Vec<Line>) -> Vec<Line> {
    let threshold = threshold(&lines.iter().map(|line| line.density).collect::<Vec<_>>());
    lines.retain(|line| line.density > threshold);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_holds_on_an_example_page() {
        let text = "x".repeat(70);
        // p: 1 character of markup and /p: 2; a line of 59 characters is too short; the other tags
        // weigh 81 and 2.
        let heavy = format!("<a href=\"{}\">{text}</a>", "y".repeat(72));
        let source = format!("<p>{text}</p>\n\n  {}\n{heavy}\n", "z".repeat(59));
        let found = lines(&source);
        assert_eq!(found.len(), 2);
        assert!((found[0].density - 71.0 / 74.0).abs() < 1e-12);
        assert!(
            (found[1].density - 71.0 / (71.0 + 83.0)).abs() < 1e-12,
            "{}",
            found[1].density
        );
        let (a, b) = (found[0].density, found[1].density);
        // The sample standard deviation of two values is their difference divided by the square
        // root of 2.
        assert!((threshold(&[a, b]) - (0.5 - (a - b) / 2f64.sqrt())).abs() < 1e-12);
        assert_eq!(filter(found).len(), 2);
    }

    #[test]
    fn lines_with_much_markup_are_removed() {
        let light = format!("<p>{}</p>\n", "word ".repeat(30)).repeat(12);
        let heavy = format!(
            "<div class=\"{}\">{}</div>\n",
            "c".repeat(900),
            "w".repeat(60)
        );
        let kept = filter(lines(&(light + &heavy)));
        assert_eq!(kept.len(), 12);
    }

    #[test]
    fn markers_of_a_template_are_read() {
        let line = format!("<p>{}</p>\n", "w".repeat(60));
        let source = format!("{line}<!-- content -->\n{line}{line}<!-- /content -->\n{line}");
        let marks: Vec<_> = lines(&source)
            .into_iter()
            .map(|line| line.is_marked)
            .collect();
        assert_eq!(marks, [Some(false), Some(true), Some(true), Some(false)]);
        assert_eq!(lines(&line)[0].is_marked, None);
    }

    #[test]
    fn none_and_one_line_have_a_threshold() {
        assert_eq!((threshold(&[]), threshold(&[0.9])), (0.5, 0.5));
    }
}
