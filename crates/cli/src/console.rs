//! Output of a running batch: results on standard output, one line per problem and a progress bar
//! on standard error.

use super::exit;
use super::options::BatchArguments;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use vclean_core::error::Warning;
use vclean_core::text::one_line;
use vclean_run::Ending;
use vclean_run::pages::Ended;
use vclean_run::{Figures, Inputs, Observer, Stop, WarningCounts};

/// Names of all options of all verbs, with `_` as the library writes them: made when the first
/// message asks for them, since that takes longer than the start of the program may.
static OPTIONS: OnceLock<LazyLock<BTreeSet<String>, NamesOf>> = OnceLock::new();

/// Makes the names of the options of a command line.
type NamesOf = Box<dyn FnOnce() -> BTreeSet<String> + Send>;

/// The verbs of a command line, and after `lab` those below it.
pub(super) fn verbs(program: &clap::Command) -> Vec<&clap::Command> {
    let with_own = |verb| [vec![verb], verbs(verb)].concat();
    program.get_subcommands().flat_map(with_own).collect()
}

/// Takes what makes the command line, so that options in messages of the library can be printed as
/// flags. Called once, when the program starts.
pub(super) fn set_options(command: fn() -> clap::Command) {
    let names = move || {
        let command = command();
        let arguments = verbs(&command)
            .into_iter()
            .flat_map(clap::Command::get_arguments);
        arguments
            .filter_map(clap::Arg::get_long)
            .map(|name| name.replace('-', "_"))
            .collect()
    };
    // A second call would take the same.
    let _ = OPTIONS.set(LazyLock::new(Box::new(names)));
}

/// The message with the options that it names, such as `` `any_engine` ``, written as flags:
/// `--any-engine`.
pub(super) fn with_flags(message: &str) -> String {
    let Some(options) = OPTIONS.get() else {
        return message.to_owned();
    };
    let mut parts = message.split('`');
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut is_quoted = true;
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if is_quoted && parts.peek().is_some() && options.contains(part) {
            text.push_str("--");
            text.push_str(&part.replace('_', "-"));
            text.push_str(parts.next().unwrap_or_default());
        } else {
            text.push('`');
            text.push_str(part);
            is_quoted = !is_quoted;
        }
    }
    text
}

/// A line about the only page of a run, written when it is cleaned.
pub(super) type Summary = Arc<Mutex<Option<String>>>;

/// Standard output and standard error of one batch.
pub(super) struct Console {
    bar: ProgressBar,
    /// True if the bar shows the total number of pages.
    shows_total: bool,
    is_quiet: bool,
    has_several_pages: bool,
    warnings: WarningCounts,
    summary: Option<Summary>,
    has_printed: bool,
    is_declined: bool,
    has_lost_output: bool,
}

/// The progress of a run whose number of pages is known.
const WITH_TOTAL: &str =
    "{bar:30} {human_pos}/{human_len} pages, {per_sec}, {elapsed} elapsed, {eta} left {wide_msg}";
/// The progress of a run over an archive, whose number of pages is unknown before its end.
const WITHOUT_TOTAL: &str = "{spinner} {human_pos} pages, {per_sec}, {elapsed} elapsed {wide_msg}";

impl Console {
    /// A console for a run over `inputs`. The progress of several pages is shown on a terminal.
    pub(super) fn for_run(inputs: &Inputs, batch: &BatchArguments) -> Self {
        let has_several_pages = inputs.len() > 1 || !inputs.is_one_page();
        let is_watched = !batch.quiet && !has_several_pages && io::stderr().is_terminal();
        let has_bar = !batch.quiet && has_several_pages && io::stderr().is_terminal();
        let target = if has_bar {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target).with_style(bar_style(WITHOUT_TOTAL));
        // The bar starts a thread, and panics if the system refuses it.
        if has_bar && std::thread::Builder::new().spawn(|| ()).is_ok() {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        Self {
            bar,
            shows_total: false,
            is_quiet: batch.quiet,
            has_several_pages,
            warnings: WarningCounts::new(batch.verbose),
            summary: is_watched.then(Summary::default),
            has_printed: false,
            is_declined: false,
            has_lost_output: false,
        }
    }
}

impl Console {
    /// The place for a line about the page, if it is alone and stands on a terminal.
    pub(super) fn summary(&self) -> Option<Summary> {
        self.summary.clone()
    }
}

fn bar_style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Console {
    /// Prints texts. Breaks if the reader has closed the pipe, or the output cannot be written.
    fn print_parts(&mut self, parts: &[&str]) -> ControlFlow<()> {
        match self.bar.suspend(|| print(parts)) {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => {
                self.is_declined = true;
                ControlFlow::Break(())
            }
            Err(()) => {
                self.has_lost_output = true;
                ControlFlow::Break(())
            }
        }
    }
}

impl Observer for Console {
    fn page_done(&mut self, figures: &Figures) {
        let total = figures.to_process();
        if self.shows_total != total.is_some() {
            self.shows_total = total.is_some();
            self.bar.set_style(bar_style(if self.shows_total {
                WITH_TOTAL
            } else {
                WITHOUT_TOTAL
            }));
        }
        if let Some(total) = total {
            self.bar.set_length(total);
        }
        self.bar.set_position(figures.processed());
        let remark = figures.remark();
        if !remark.is_empty() {
            self.bar.set_message(remark);
        }
    }

    fn page_failed(&mut self, page: &str, cause: &str) {
        self.bar.suspend(|| complain(&format!("{page}: {cause}")));
    }

    fn page_warning(&mut self, page: &str, warning: &Warning) {
        if self.warnings.add(page, warning) && !self.is_quiet {
            self.bar
                .suspend(|| complain(&format!("{page}: warning: {warning}")));
        }
    }

    fn run_warning(&mut self, text: &str) {
        self.warnings.add_of_run();
        if !self.is_quiet {
            self.bar.suspend(|| complain(&format!("warning: {text}")));
        }
    }

    fn run_note(&mut self, text: &str) {
        if !self.is_quiet {
            self.bar.suspend(|| complain(text));
        }
    }

    fn run_error(&mut self, text: &str) {
        self.bar.suspend(|| complain(text));
    }

    /// Prints the text of a page, with a line break at its end if there is none. Breaks if the
    /// reader has closed the pipe, or the output cannot be written.
    fn text(&mut self, text: &str, head: &str, separator: &str) -> ControlFlow<()> {
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        let separator = if self.has_printed { separator } else { head };
        self.has_printed = true;
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.print_parts(&[separator, text, end])
    }

    fn texts_done(&mut self, foot: &str) {
        if self.has_printed && !foot.is_empty() {
            // Nothing follows that could be left out.
            let _ = self.print_parts(&[foot]);
        }
    }

    fn has_lost_output(&self) -> bool {
        self.has_lost_output
    }

    /// Prints what was only counted, and what the run did. A reader that has closed the pipe wants
    /// nothing more.
    fn run_done(&mut self, figures: &Figures) {
        self.bar.finish_and_clear();
        if self.is_quiet || self.is_declined {
            return;
        }
        for line in self.warnings.closing_lines() {
            complain(&format!("warning: {line}"));
        }
        let summary = self.summary.as_ref().and_then(|summary| {
            let mut summary = summary.lock().unwrap_or_else(PoisonError::into_inner);
            summary.take()
        });
        if let Some(summary) = summary {
            complain(&summary);
        }
        if self.has_several_pages {
            complain(&closing_line(figures, self.warnings.total()));
        }
    }
}

/// Prints to standard output; false if the reader has closed the pipe, an error (already reported)
/// if writing fails.
pub(super) fn print(parts: &[&str]) -> Result<bool, ()> {
    let mut out = io::stdout().lock();
    match parts
        .iter()
        .try_for_each(|part| out.write_all(part.as_bytes()))
        .and_then(|()| out.flush())
    {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => {
            complain(&format!("cannot write to standard output: {error}"));
            Err(())
        }
    }
}

/// A flag that Ctrl-C sets; prints a message then.
pub(super) fn stop_on_interrupt() -> Stop {
    Stop::on_interrupt(|signal| {
        exit::set_stopped_by(signal);
        complain("stopping; pages that are not done within a second are given up");
    })
}

/// Prints one line on standard error, after the program's name.
pub(super) fn complain(message: &str) {
    // An error of standard error itself cannot be reported anywhere.
    let _ = writeln!(
        io::stderr().lock(),
        "vclean: {}",
        one_line(&with_flags(message))
    );
}

/// Summary of a run, such as `1,189 done, 0 failed, 12 warnings in 3 min 20 s`.
fn closing_line(figures: &Figures, warnings: u64) -> String {
    let count = |number: u64| HumanCount(number).to_string();
    let mut parts = vec![format!("{} done", count(figures.done))];
    if figures.skipped > 0 {
        parts.push(format!("{} done before", count(figures.skipped)));
    }
    if figures.dropped > 0 {
        parts.push(format!("{} dropped", count(figures.dropped)));
    }
    parts.push(format!("{} failed", count(figures.failed)));
    parts.push(format!(
        "{} warning{}",
        count(warnings),
        if warnings == 1 { "" } else { "s" }
    ));
    format!("{} in {}", parts.join(", "), human_time(figures.elapsed))
}

/// A time with two units at most: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. Own code: crates that
/// format times write one unit only, or all of them.
fn human_time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// The exit code; for an interrupted run, also prints how to resume it.
pub(super) fn exit_code(ended: Ended, how_to_resume: &str) -> ExitCode {
    if ended.ending == Ending::Stopped {
        complain(&format!("stopped before the end; {how_to_resume}"));
        exit::stopped().into()
    } else if ended.failed > 0 || ended.has_lost_output {
        exit::SOME_FAILED.into()
    } else {
        ExitCode::SUCCESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_named_as_flags() {
        set_options(|| {
            clap::Command::new("x")
                .subcommand(clap::Command::new("y").arg(clap::Arg::new("z").long("any-engine")))
        });
        assert_eq!(
            with_flags("a `b`; say `any_engine` to `go` on, `any_engine"),
            "a `b`; say --any-engine to `go` on, `any_engine"
        );
        assert_eq!(
            with_flags("`any_engine``any_engine`"),
            "--any-engine--any-engine"
        );
    }

    #[test]
    fn a_run_ends_with_its_figures() {
        let figures = Figures {
            done: 1189,
            elapsed: Duration::from_secs(200),
            ..Figures::default()
        };
        assert_eq!(
            closing_line(&figures, 12),
            "1,189 done, 0 failed, 12 warnings in 3 min 20 s"
        );
        let figures = Figures {
            done: 2,
            failed: 1,
            skipped: 7,
            ..figures
        };
        assert_eq!(
            closing_line(&figures, 1),
            "2 done, 7 done before, 1 failed, 1 warning in 3 min 20 s"
        );
    }

    #[test]
    fn times_have_two_units_at_most() {
        let time = |seconds: f64| human_time(Duration::from_secs_f64(seconds));
        assert_eq!(
            [time(0.44), time(59.9), time(60.0), time(7_500.0)],
            ["0.4 s", "59 s", "1 min 0 s", "2 h 5 min"]
        );
    }

    #[test]
    fn the_exit_code_depends_on_the_ending() {
        let ended = |ending, failed| Ended {
            ending,
            failed,
            has_lost_output: false,
        };
        let code = |ended: Ended| format!("{:?}", exit_code(ended, "x"));
        let is = |code: u8| format!("{:?}", ExitCode::from(code));
        assert_eq!(code(ended(Ending::Complete, 0)), is(0));
        assert_eq!(code(ended(Ending::Complete, 3)), is(2));
        assert_eq!(code(ended(Ending::Stopped, 0)), is(130));
        // The reader closed the pipe, as `| head` does: not a failure.
        assert_eq!(code(ended(Ending::Declined, 0)), is(0));
        assert_eq!(
            code(Ended {
                has_lost_output: true,
                ..ended(Ending::Declined, 0)
            }),
            is(2)
        );
    }
}
