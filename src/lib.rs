//! vclean cleans web pages by looking at them. It renders a page, measures every text block
//! (position, style, tree, text), decides for each block whether it belongs to the page's text, and
//! writes that text without navigation, advertisements, footers and cookie banners. It descends
//! from FIASCO (Bauer et al. 2007, "FIASCO: Filtering the Internet by Automatic Subtree
//! Classification, Osnabrück").
//!
//! # How to use it
//!
//! Clean a string:
//!
//! ```
//! let html = "<body><nav><a href='/'>Home</a> <a href='/about'>About</a></nav><article>
//!     <h1>Herring gulls</h1><p>Herring gulls drop mussels on rocks, from a height that
//!     depends on how hard the shell is, and they seldom have to try more than
//!     twice.</p></article>";
//! let text = vclean::extract(html, None)?.text();
//! assert!(text.contains("drop mussels"));
//! # Ok::<(), vclean::Error>(())
//! ```
//!
//! Build a cleaner once, use it for any number of pages from any number of threads, and look at
//! every block:
//!
//! ```
//! use vclean::{Cleaner, Options, Page};
//!
//! let cleaner = Cleaner::new().with(&Options { explain: true, ..Options::default() })?;
//! let html = "<body><nav><a href='/'>Home</a></nav>
//!     <p>Herring gulls drop mussels on rocks.</p></body>";
//! let page = Page::from_html("gulls", html).with_url("https://example.org/gulls");
//! let cleaned = cleaner.clean(&page)?;
//! for block in cleaned.blocks() {
//!     let verdict = if block.is_content { "kept" } else { "dropped" };
//!     println!("{verdict} {:.2} {} {}", block.probability, block.path, block.text);
//! }
//! assert_eq!(cleaned.blocks().len(), 2);
//! # Ok::<(), vclean::Error>(())
//! ```
//!
//! With a rendering engine, `Cleaner::clean_url` renders the page at an address and cleans it.
//!
//! The stable API consists of [`extract`], [`Cleaner`] with its [`Options`], [`CleanedPage`] with
//! its [`Segment`]s and [`Block`]s, [`Page`], [`Capture`], [`Metadata`], [`FORMATS`] and [`Error`].
//! All other modules are public for researchers who use single stages, train models or repeat
//! experiments; they are less stable.
//!
//! # The crates
//!
//! This package is the stable API. Everything that can stand alone is a crate below `crates/`, so
//! that the compiler enforces the layers. Each crate may use those to its right:
//!
//! ```text
//! vclean-cli -> {vclean-serve, vclean-rivals -> vclean-lab} -> vclean-run
//!     -> vclean-render -> vclean-core -> vclean-models
//! vclean -> vclean-run
//! vclean-js: used by render, serve and lab
//! the Python package -> {vclean, vclean-cli, vclean-lab, vclean-rivals}
//! ```
//!
//! A crate consists of rooms, its top-level modules. Each room answers a question:
//!
//! | crate, folder | room | question it answers |
//! |---|---|---|
//! | `vclean-core`, `crates/core` | [`page`] | what is one page, and where is its content? |
//! | | [`html`] | what is the tree of bare HTML? |
//! | | [`capture`] | what was seen of a page: tree, boxes, styles, page image, node mask? |
//! | | [`target`] | which subtrees are text blocks? |
//! | | [`language`] | what language is a text in, and what are its words, their parts of speech? |
//! | | [`features`] | what can be measured of each block? |
//! | | [`classify`] | is a block content, and with what probability? |
//! | | [`document`] | which rules act after the model, and how are the kept blocks structured? |
//! | | [`emit`] | how is that written? |
//! | | [`pipeline`] | how does a page go through all of this, and what may a caller choose? |
//! | | [`explain`] | why was each block kept or dropped, in words, as pictures, as HTML? |
//! | | [`files`] | how are captures, models and pages kept in files? |
//! | | [`elements`], [`text`], [`error`], `hash` | what do all other rooms share? |
//! | `vclean-render`, `crates/render` | `render` | what does a reader see of a page? |
//! | | `net` | which addresses may be reached, and how? |
//! | | `archive` | what is in a web archive, and what do rendered pages load from it? |
//! | `vclean-run`, `crates/run` | `source` | which pages are in what the user named? |
//! | | `run` | how are many pages processed: workers, rate limits, journal, outputs, filters? |
//! | `vclean-serve`, `crates/serve` | `serve` | how are HTTP requests and tool calls answered? |
//! | `vclean-npm`, `npm` | | the core as WebAssembly, for Node and browsers |
//! | `vclean-lab`, `crates/lab` | `gold` | what is the true text of a page, and where is it? |
//! | | `evaluate` | how good is a text? |
//! | | `fitting` | how are the classifiers of [`classify`], and their competitors, fitted? |
//! | | `train` | how do pages with gold text become a model? |
//! | | `experiments` | which parameters are best, and how far do the two engines agree? |
//! | | `annotate` | how do people label blocks in the browser? |
//! | | `report` | what did an evaluation find, as pictures and HTML pages? |
//! | `vclean-rivals`, `crates/rivals` | `method` | how do the published systems clean a page? |
//! | | `learning` | how do those that learn become models? |
//! | | `compare` | how good are they side by side? |
//! | | `tables` | what do the tables of their papers look like on our pages? |
//! | `vclean-cli`, `crates/cli` | | what did the user type? One file per verb |
//! | `vclean`, `src` | `face` | what does a program need that cleans pages? |
//! | `vclean-models`, `models` | | the models as bytes, each enabled by a cargo feature |
//! | `vclean-js`, `js` | | the scripts that run inside pages, and the pages of both servers |
//!
//! The modules of this package are those of core, render and run, under the names of the table.
//! `tests/layering` says which room may import which and why, and refuses files that import each
//! other in a circle.
//!
//! # Cargo features
//!
//! | feature | adds |
//! |---|---|
//! | `run` | many pages: inputs such as WARC and JSON lines, journal, outputs, rate limits |
//! | `builtin` | the built-in rendering engine (no browser, no scripts) and its model |
//! | `chromium` | rendering in Chromium, and its model |
//! | `parquet` | Parquet as input and output; implies `run` |
//!
//! None is on by default: the library then renders nothing and has the model for bare HTML, and is
//! little more than `vclean-core`, which without its one default feature, `files`, touches no file.
//! `rendering` (fetching pages, the network policy, web archives) comes with `run` and with each
//! engine, and is of no use alone.
//!
//! # One page, start to end
//!
//! ```text
//! Page -> Capture -> targets -> FeatureTable -> decisions -> rules -> Document
//!     -> text | cleaneval | markdown | html | json | xml | tei | vertical | conllu | csv
//! ```
//!
//! | stage | room | does |
//! |---|---|---|
//! | open | `source` | finds the pages in what the user named, one at a time |
//! | parse, render | [`html`], `render` | makes a [`Capture`]: the tree, or also the rendering |
//! | see | [`pipeline`] | shows the hidden text that is to be kept |
//! | select | [`target`] | finds the blocks, including hidden ones, which are marked |
//! | measure | [`features`] | writes a row for each block |
//! | decide | [`classify`] | gives each row a margin, a probability and a label |
//! | correct | [`document`] | applies the rules after the model, and records each changed label |
//! | prune | [`document`] | makes a document of the kept blocks |
//! | locate | [`document`] | says where each piece of the text comes from, if requested |
//! | write | [`emit`] | makes text of the document, in one of the formats |
//!
//! There is only one path from the capture to the document: `pipeline/way.rs`, behind
//! [`pipeline::PageCleaner`]. Runs, the service, the worker, the labelling page, evaluations and
//! this library all take it. Hidden blocks are measured and classified only if the visible ones
//! leave the page nearly empty. The choices of a caller are declared once, in [`Options`]; the
//! command line, the service, the tools for language models and Python take their names from there.
//!
//! A page that is only parsed has the tree alone; its layout, its pictures and the columns that
//! need them are absent, not zero.
//!
//! # How a block is decided
//!
//! Two classifiers score each block's features: a support vector machine with a Gaussian kernel, as
//! in FIASCO, and boosted trees, which generalize better to sites unlike those of the training
//! sets. A logistic regression reads the margins of both, of the block and of those around it. A
//! last stage may read all blocks of the page in order with a small network, and decide on them
//! together (see [`classify::sequence`]). Each stage learns from out-of-fold margins, given by
//! classifiers that did not learn from the page's site, so it does not trust margins that are too
//! good. See [`classify::model`].
//!
//! # Invariants
//!
//! - The core touches no network, no clock and no other process, and starts no thread; only its
//!   room [`files`] touches files. Its answer for the same page is the same everywhere.
//! - There is no training in the core, and no gold text: [`features`] and [`classify`] cannot see
//!   what a block should have been. There is no published method either: they are in
//!   `vclean-rivals`, behind the interface that our own method has.
//! - `render` never judges content, and [`emit`] never sees pixels. `train` measures only what it
//!   held out.
//! - Only `pipeline` takes a page through the stages. A rule that acts after the model is one
//!   row of the table [`document::RULES`].
//! - Only one room reaches the network (`net`), one uses the browser driver, one the layout engine,
//!   and one the library that fits support vector machines.
//! - The same capture and the same model give the same bytes, whatever the number of threads.
//! - A page is hostile input. Nothing it holds makes us panic, hang, read a local file or reach a
//!   private address.

pub use crate::face::Cleaner;
pub use vclean_core::capture::Capture;
pub use vclean_core::document::{Metadata, ReaderComments, Segment, SegmentKind};
pub use vclean_core::emit::{Chunk, ChunkKind, ChunkOptions, EmitOptions, FORMATS, Format};
pub use vclean_core::error::{Error, ErrorKind};
pub use vclean_core::page::Page;
pub use vclean_core::pipeline::{Block, CleanedPage, HiddenText, Options, extract};

pub use vclean_core::{
    capture, classify, document, elements, emit, error, explain, features, files, html, language,
    page, pipeline, target, text,
};
#[cfg(feature = "rendering")]
pub use vclean_render::{self as render, archive, net};
#[cfg(feature = "run")]
pub use vclean_run::{self as run, source};

mod face;

/// The examples of the documents, which are tests here.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/guide/library.md")]
    mod library {}
}
