//! Tests the built program with both engines (including a real browser) and a local server, from
//! addresses and files to text.
//!
//! Each call processes many pages, because it starts a browser.
#![cfg(all(
    feature = "chromium",
    feature = "lab",
    feature = "parquet",
    target_os = "linux"
))]
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

mod annotate;
mod annotate_client;
mod annotate_pages;
mod answers;
mod archives;
mod attacks;
mod bad_input;
mod cases;
mod corpus;
mod corpus_files;
mod crawl;
#[cfg(feature = "serve")]
mod crawl_attacks;
mod endurance;
#[cfg(feature = "builtin")]
mod engines;
mod evaluate;
mod explain;
#[cfg(feature = "builtin")]
mod fidelity;
mod folders;
mod gold;
mod hidden_techniques;
mod hidden_text;
mod inputs;
mod jobs_page;
mod journal;
mod kept_jobs;
mod labelling_guidance;
mod labelling_page;
mod labelling_states;
mod labelling_window;
mod learning;
mod limits;
mod linguistic;
#[cfg(feature = "serve")]
mod loading;
mod measure_metadata;
mod measure_structure;
mod methods;
mod outputs;
mod overwriting;
mod own_gold;
mod page_states;
mod pages_with_scripts;
mod policy;
mod politeness;
mod positions;
mod processes;
mod program;
mod reader_comments;
mod reports;
mod retrain;
#[cfg(feature = "serve")]
mod service;
#[cfg(feature = "serve")]
mod service_client;
#[cfg(feature = "serve")]
mod service_jobs;
#[cfg(feature = "serve")]
mod service_load;
#[cfg(feature = "serve")]
mod service_page;
#[cfg(feature = "serve")]
mod service_refusals;
#[cfg(feature = "serve")]
mod service_schema;
#[cfg(feature = "serve")]
mod service_shapes;
mod shells;
mod site;
mod site_memory;
mod streams;
#[path = "../support/mod.rs"]
mod support;
mod survivors;
mod synthetic_comments;
mod system_limits;
#[cfg(feature = "serve")]
mod two_networks;
mod usage;
