//! Pages of which almost nothing would be left: their text waits for a script that shows it.

use crate::capture::{Dom, HiddenCause, NodeId, Visibility};
use crate::text::count_letters;

/// Share of a page's text above which transparent text is the content itself, which a script would fade in. Heuristic.
const MAX_TRANSPARENT_SHARE: f64 = 0.5;
/// Number of letters below which a page counts as empty. Heuristic: a splash screen or a notice has fewer.
const SCANT_LETTERS: usize = 200;

/// Leaves texts undecided that a script would show: transparent text, if it is most of the page, and all that styles
/// hide, if hardly anything else is left.
pub(in crate::render) fn undecided_where_much_is_hidden(dom: &Dom, found: &mut [(NodeId, Visibility)]) {
    let letters = |is_wanted: &dyn Fn(Visibility) -> bool| -> usize {
        let wanted = found.iter().filter(|(_, showing)| is_wanted(*showing));
        wanted.map(|&(id, _)| dom.text(id).map_or(0, count_letters)).sum()
    };
    let is_transparent = |showing| showing == Visibility::Hidden(HiddenCause::Transparent);
    let is_styled = |showing| {
        matches!(showing, Visibility::Hidden(HiddenCause::Transparent | HiddenCause::Covered | HiddenCause::NotPainted))
    };
    let all = letters(&|_| true);
    let kept = letters(&|showing| !matches!(showing, Visibility::Hidden(_)));
    let transparent = letters(&is_transparent);
    let fades_in = transparent >= SCANT_LETTERS && transparent as f64 > MAX_TRANSPARENT_SHARE * all as f64;
    let is_empty = kept < SCANT_LETTERS && letters(&is_styled) >= SCANT_LETTERS;
    for (_, showing) in found.iter_mut() {
        if (fades_in && is_transparent(*showing)) || (is_empty && is_styled(*showing)) {
            *showing = Visibility::Unknown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::DomBuilder;

    fn left(texts: &[(usize, Visibility)]) -> Vec<Visibility> {
        let mut builder = DomBuilder::new();
        let mut found: Vec<_> =
            texts.iter().map(|&(letters, showing)| (builder.text(&"x".repeat(letters)), showing)).collect();
        undecided_where_much_is_hidden(&builder.finish(), &mut found);
        found.into_iter().map(|(_, showing)| showing).collect()
    }

    #[test]
    fn a_page_that_a_script_shows_is_kept() {
        let (shown, unknown) = (Visibility::Shown, Visibility::Unknown);
        let [clear, covered, off] =
            [HiddenCause::Transparent, HiddenCause::Covered, HiddenCause::OffPage].map(Visibility::Hidden);
        assert_eq!(left(&[(300, clear), (400, shown)]), [clear, shown]);
        assert_eq!(left(&[(500, clear), (400, shown)]), [unknown, shown]);
        assert_eq!(left(&[(150, clear), (100, shown)]), [clear, shown]);
        assert_eq!(left(&[(900, covered), (100, shown)]), [unknown, shown]);
        assert_eq!(left(&[(900, covered), (300, shown)]), [covered, shown]);
        assert_eq!(left(&[(900, off), (100, shown)]), [off, shown]);
    }
}
