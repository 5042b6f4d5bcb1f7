//! How long the cleaning or measuring of a page may take, for verbs that render nothing.

use clap::Args;
use std::time::Duration;

/// How long the cleaning of one page may take unless an option says otherwise. Heuristic: large pages take a second, and
/// rendering has the same limit.
pub(super) const PAGE_LIMIT: Duration = Duration::from_mins(1);

/// How long a page may take.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Batch")]
pub(super) struct TimeLimitArguments {
    /// Give up on a page after this many seconds [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(super) timeout: Option<u32>,
}
