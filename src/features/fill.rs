//! Computes the values of a row by the formulas of one or several lists of features.

/// Fills the values of a row by constant lists of features, one list after the other; `$facts` is what the formulas read.
///
/// The formulas are called by constant indices and not in a loop, so that the compiler knows each of them and inlines it:
/// most formulas take less time than the call of a function.
macro_rules! fill_row {
    ($row:expr, $facts:expr, $($features:expr),+) => {{
        let (row, facts): (&mut [f32], _) = ($row, $facts);
        $(
            let (own, row) = row.split_at_mut($features.len());
            fill_row!(
                @each own, facts, $features;
                0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
                16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
                32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
                48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
            );
        )+
        debug_assert!(row.is_empty(), "a row is longer than its features");
    }};
    (@each $own:ident, $facts:ident, $features:expr; $($index:literal)+) => {{
        const { assert!($features.len() <= 64, "a longer list needs more indices above") };
        $(
            if let Some(feature) = $features.get($index) {
                $own[$index] = (feature.formula)($facts);
            }
        )+
    }};
}
pub(super) use fill_row;
