//! The line that closes a run of several pages.

use crate::run::Figures;
use indicatif::HumanCount;
use std::time::Duration;

/// What a run did, such as `1,189 done, 0 failed, 12 warnings in 3 min 20 s`.
pub(super) fn closing_line(figures: &Figures, warnings: u64) -> String {
    let count = |number: u64| HumanCount(number).to_string();
    let mut parts = vec![format!("{} done", count(figures.done))];
    if figures.skipped > 0 {
        parts.push(format!("{} done before", count(figures.skipped)));
    }
    if figures.dropped > 0 {
        parts.push(format!("{} dropped", count(figures.dropped)));
    }
    parts.push(format!("{} failed", count(figures.failed)));
    parts.push(format!("{} warning{}", count(warnings), if warnings == 1 { "" } else { "s" }));
    format!("{} in {}", parts.join(", "), human_time(figures.elapsed))
}

/// A time with two units at most: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. Own code: crates that format times write one
/// unit only, or all of them.
fn human_time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_with_its_figures() {
        let figures = Figures { done: 1189, elapsed: Duration::from_secs(200), ..Figures::default() };
        assert_eq!(closing_line(&figures, 12), "1,189 done, 0 failed, 12 warnings in 3 min 20 s");
        let figures = Figures { done: 2, failed: 1, skipped: 7, ..figures };
        assert_eq!(closing_line(&figures, 1), "2 done, 7 done before, 1 failed, 1 warning in 3 min 20 s");
    }

    #[test]
    fn times_have_two_units_at_most() {
        let time = |seconds: f64| human_time(Duration::from_secs_f64(seconds));
        assert_eq!([time(0.44), time(59.9), time(60.0), time(7_500.0)], ["0.4 s", "59 s", "1 min 0 s", "2 h 5 min"]);
    }
}
