//! Progress reports for work on data sets, and the loop over their pages.

use rayon::prelude::*;
use vclean_run::source::{DataSet, Row};

/// Receives progress reports. The methods are called from any thread.
pub trait Progress: Sync {
    /// A piece of work begins; `parts` is the number of its parts, such as the pages of a set.
    fn begin(&self, what: &str, parts: usize);

    /// `parts` more of its parts are done.
    fn advance(&self, parts: usize);

    /// The piece of work is done.
    fn end(&self);

    /// A page could not be used.
    fn page_failed(&self, set: &str, page: &str, cause: &str);

    /// A step of a longer calculation is done.
    fn step(&self, text: &str);
}

/// Calls `work` for each row of `set` in parallel and collects the results, in the order of the
/// rows.
pub fn each_page<T, C>(
    set: &DataSet,
    rows: &[&Row],
    progress: &dyn Progress,
    work: impl Fn(&Row) -> T + Sync,
) -> C
where
    T: Send,
    C: FromParallelIterator<T>,
{
    progress.begin(&set.name, rows.len());
    let one = |row: &&Row| {
        let done = work(row);
        progress.advance(1);
        done
    };
    let all = rows.par_iter().with_max_len(1).map(one).collect();
    progress.end();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoProgress;

    impl Progress for NoProgress {
        fn begin(&self, _: &str, _: usize) {}
        fn advance(&self, _: usize) {}
        fn end(&self) {}
        fn page_failed(&self, _: &str, _: &str, _: &str) {}
        fn step(&self, _: &str) {}
    }

    use std::sync::Mutex;

    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);

    impl Progress for Notes {
        fn begin(&self, what: &str, parts: usize) {
            self.0.lock().unwrap().push(format!("{parts} of {what}"));
        }

        fn advance(&self, parts: usize) {
            self.0.lock().unwrap().push(format!("+{parts}"));
        }

        fn end(&self) {
            self.0.lock().unwrap().push("end".to_owned());
        }

        fn page_failed(&self, _: &str, _: &str, _: &str) {}

        fn step(&self, _: &str) {}
    }

    #[test]
    fn results_are_in_order_and_every_page_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let mut manifest = String::new();
        std::fs::create_dir(folder.path().join("pages")).unwrap();
        for id in ["a", "b", "c"] {
            std::fs::write(folder.path().join(format!("pages/{id}.html")), "<p>text").unwrap();
            manifest.push_str(&["{\"id\": \"", id, "\", \"split\": \"dev\"}\n"].concat());
        }
        std::fs::write(folder.path().join("manifest.jsonl"), manifest).unwrap();
        let set = DataSet::open(folder.path()).unwrap();
        let (rows, notes) = (set.split(vclean_run::source::Split::Dev), Notes::default());
        let ids: Vec<String> = each_page(&set, &rows, &notes, |row| row.id.clone());
        assert_eq!(ids, ["a", "b", "c"]);
        let first: Result<Vec<()>, String> =
            each_page(&set, &rows[1..2], &NoProgress, |row| Err(row.id.clone()));
        assert_eq!(first, Err("b".to_owned()));
        assert_eq!(
            notes.0.into_inner().unwrap().join(" "),
            format!("3 of {} +1 +1 +1 end", set.name)
        );
    }
}
