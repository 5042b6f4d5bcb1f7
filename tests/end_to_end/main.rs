//! The built program, both engines (a real browser among them) and a server of our own: from addresses and files to text.
//!
//! Pages are worked on in few calls, because a call starts a browser; and calls one at a time.
#![cfg(all(feature = "cli", feature = "chromium", feature = "experiments", feature = "parquet", target_os = "linux"))]
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

mod archives;
mod bad_input;
mod cases;
mod endurance;
#[cfg(feature = "builtin")]
mod engines;
mod evaluate;
mod gold;
mod inputs;
mod journal;
mod linguistic;
mod methods;
mod outputs;
mod policy;
mod politeness;
mod processes;
mod program;
mod site;
mod streams;
#[path = "../support/mod.rs"]
mod support;
mod survivors;
mod usage;
