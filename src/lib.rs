//! vclean cleans web pages by looking at them: a page is rendered, its text blocks are measured in pixels, boxes, tree and
//! text, a support vector machine decides block by block, and out comes the text without navigation, advertisements,
//! footers and cookie banners. It carries on FIASCO (Bauer et al. 2007, "FIASCO: Filtering the Internet by Automatic
//! Subtree Classification, Osnabrück").
//!
//! # One page, start to end
//!
//! ```text
//! Page -> Capture -> targets -> FeatureTable -> decisions -> CleanDocument -> text | cleaneval | markdown | html | json
//! ```
//!
//! | stage | module | question it answers |
//! |---|---|---|
//! | open | [`source`] | what did the user name, and where is its content? |
//! | render | `render` | what does a reader see? tree, boxes, styles, page image, node mask; in Chromium, or by the engine inside |
//! | keep | [`capture`] | how is that held in memory and on disk? |
//! | select | [`target`] | which subtrees are text blocks? |
//! | measure | [`features`] | what can be measured of each? |
//! | decide | [`classify`] | is it content, how sure are we, and why? |
//! | prune | [`clean`] | what are the kept blocks: paragraphs, headings, lists, tables, code, quotes? |
//! | write | [`emit`] | how is that written? |
//!
//! [`language`] knows what is bound to single languages: which one a page is in, where its words end, their parts of
//! speech, and keywords; [`method`] holds the ways to clean a page, ours and the published ones it is measured against, behind
//! one signature; [`pipeline`] takes a page through all the stages. [`batch`] runs them over many pages and keeps a journal, so
//! that a run goes on however it ended; [`store`] holds the files that take many pages; [`politeness`] is what servers are owed
//! where pages come from the network. [`report`] draws what was decided; [`train`] and [`evaluate`] learn models from pages
//! with gold text and say how good they are; [`cli`] is the program.
//!
//! # How a block is decided
//!
//! Two machines look at each block's features: a support vector machine with a Gaussian kernel, as FIASCO had it, and
//! boosted trees, which carry over better to sites unlike those of the training sets. A logistic regression reads the
//! margins of both, of the block and of those around it. Each learns from margins that machines gave which had not seen the
//! page's site, so none trusts what its own training made look too good. See [`train::learn`] and [`classify::model`].
//!
//! # What holds
//!
//! - [`target`], [`features`], [`classify`], [`clean`], [`method`] and [`emit`] touch no network and no clock, and no file but a
//!   model's. [`emit`] never sees pixels, [`features`] never sees gold, `render` never judges content.
//! - The same capture and the same model give the same bytes, whatever the number of threads.
//! - A page is hostile input. Nothing it holds makes us panic, hang, read a local file or reach a private address.
//!
//! # Example
//!
//! ```
//! use vclean::emit::{EmitOptions, FORMATS};
//! use vclean::method::{Cleaner, CleanerOptions};
//! use vclean::pipeline::clean_bare;
//! use vclean::source::{Body, Page};
//!
//! let html = "<body><nav><a href='/'>Home</a> <a href='/about'>About</a></nav>
//!     <article><h1>Herring gulls</h1><p>Herring gulls drop mussels on rocks, from a height that
//!     depends on how hard the shell is, and they seldom have to try more than twice.</p></article>";
//! let page = Page { input: "gulls".into(), url: None, body: Body::html(html) };
//! let cleaned = clean_bare(&page, &Cleaner::new(CleanerOptions::default())?)?;
//! let text = (FORMATS[0].write)(&cleaned.document, &EmitOptions::default());
//! assert!(text.contains("drop mussels"));
//! # Ok::<(), vclean::error::Error>(())
//! ```

pub mod batch;
pub mod capture;
pub mod classify;
pub mod clean;
pub mod cli;
pub mod emit;
pub mod error;
pub mod evaluate;
pub mod features;
pub mod language;
pub mod method;
pub(crate) mod net;
pub mod pipeline;
pub mod politeness;
#[cfg(feature = "rendering")]
pub mod render;
pub mod report;
pub mod source;
pub mod store;
pub mod target;
pub mod train;
