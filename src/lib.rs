//! vclean cleans web pages by looking at them. It renders a page, measures every text block (position, style, tree,
//! text), decides for each block whether it belongs to the page's text, and writes that text without navigation,
//! advertisements, footers and cookie banners. It descends from FIASCO (Bauer et al. 2007, "FIASCO: Filtering the
//! Internet by Automatic Subtree Classification, Osnabrück").
//!
//! # How to use it
//!
//! Clean a string:
//!
//! ```
//! let html = "<body><nav><a href='/'>Home</a> <a href='/about'>About</a></nav>
//!     <article><h1>Herring gulls</h1><p>Herring gulls drop mussels on rocks, from a height that
//!     depends on how hard the shell is, and they seldom have to try more than twice.</p></article>";
//! let text = vclean::clean_html(html)?.text();
//! assert!(text.contains("drop mussels"));
//! # Ok::<(), vclean::Error>(())
//! ```
//!
//! Build a cleaner once, use it for any number of pages from any number of threads, and look at every block:
//!
//! ```
//! use vclean::{Cleaner, Page};
//!
//! let cleaner = Cleaner::builder().explain(true).build()?;
//! let html = "<body><nav><a href='/'>Home</a></nav><p>Herring gulls drop mussels on rocks.</p></body>";
//! let cleaned = cleaner.clean_page(&Page::from_html("gulls", html).with_url("https://example.org/gulls"))?;
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
//! This is the face of the library, and it is stable: [`clean_html`], [`Cleaner`] with its [`CleanerBuilder`],
//! [`Cleaned`] with its [`Block`]s, [`Page`], [`Capture`], [`Metadata`], [`FORMATS`] and [`Error`]. All other modules
//! are public for researchers who use single stages, train models or repeat experiments; they are less stable.
//!
//! The Python package, in `python/`, is a crate of its own: a thin layer on this face.
//!
//! # Cargo features
//!
//! | feature | adds |
//! |---|---|
//! | `files` | captures, models and pages from files; implied by all others |
//! | `cli` | the program `vclean`; implies `run` |
//! | `run` | many pages: inputs such as WARC, WACZ and JSON lines, the journal, outputs, rate limits |
//! | `builtin` | the built-in rendering engine, which needs no browser and runs no scripts |
//! | `chromium` | rendering in Chromium |
//! | `experiments` | the laboratory: gold text, evaluation, training, experiments, the labelling page; implies `run` |
//! | `parquet` | Parquet as input and output |
//! | `annotate` | the same as `experiments` |
//! | `serve` | the HTTP service, and tools for language models |
//!
//! The default is all of these. With `default-features = false` the library cleans HTML and MHTML that it is given in
//! memory, by its own models; with `files` it reads pages, captures and models from files too. It renders nothing then.
//!
//! # One page, start to end
//!
//! ```text
//! Page -> Capture -> targets -> FeatureTable -> decisions -> CleanDocument
//!     -> text | cleaneval | markdown | html | json | xml | tei | vertical | conllu | csv
//! ```
//!
//! | stage | module | question it answers |
//! |---|---|---|
//! | open | `source` | what did the user name, and which pages are in it? |
//! | hold | [`page`] | what is one page, and where is its content? |
//! | parse | [`html`] | what is the tree of bare HTML? |
//! | render | `render` | what does a reader see: tree, boxes, styles, page image, node mask? |
//! | keep | [`capture`] | how is that held in memory? |
//! | select | [`target`] | which subtrees are text blocks? |
//! | measure | [`features`] | what can be measured of each? |
//! | decide | [`classify`] | is it content, with what probability, and why? |
//! | prune | [`clean`] | what are the kept blocks: paragraphs, headings, lists, tables, code, quotes? |
//! | write | [`emit`] | how is that written? |
//!
//! A page that is only parsed has the tree alone; its layout, its pictures and the columns that need them are absent, not
//! zero.
//!
//! # The rooms
//!
//! A room is a folder or file of `src/`. Besides the stages there are:
//!
//! | room | holds |
//! |---|---|
//! | [`error`], [`elements`], [`text`], `hash`, `limits`, `web_guard` | the ground, open to every room: errors, the table of HTML elements, white space and excerpts, a stable hash, shared limits, what servers do against pages of the web |
//! | [`language`] | what is bound to single languages: which one a page is in, its words, parts of speech, keywords |
//! | `files` | what the others read and write as files: captures, models, pages, files written whole |
//! | `archive` | web archives: their records, and what rendered pages load from them |
//! | `net` | the only way to the network: which addresses may be reached, the proxy, the fetcher |
//! | [`method`] | the published systems that vclean is measured against |
//! | [`cleaner`] | the product: a page through all the stages, by our own method or a published one |
//! | [`explain`] | why each block of a page was kept or dropped: in words, as pictures, as an HTML page |
//! | `run` | many pages: inputs, worker pools, rate limits, journal, outputs, figures |
//! | `gold` | the gold text of data folders, and how it is aligned with the blocks of a page |
//! | `evaluate` | scores against gold text, tables, regression thresholds |
//! | `train` | learning |
//! | `fitting` | the machines of [`classify`] fitted to rows and pages, and those that papers compared them with |
//! | `experiments` | what researchers repeat: tuning, subsets of features, methods side by side, cross-validation |
//! | `annotate` | the labelling page: people decide about blocks in the browser, and their labels become gold |
//! | `report` | pictures and HTML pages that show what an evaluation found |
//! | `serve` | the HTTP service, and the tools for language models over the Model Context Protocol |
//! | `cli` | the program: one file per verb, which parses, calls the library once and prints |
//!
//! A room may import those to its right, and what they may import. Rooms in one pair of braces do not import one
//! another. `tests/layering` has the whole table with its reasons, and refuses files that import each other in a circle.
//!
//! ```text
//! cli -> {annotate, serve, run, experiments, report};  annotate -> {run, experiments, report};  serve -> {run, report}
//! experiments -> train -> {evaluate, fitting};  evaluate -> gold -> cleaner;  fitting -> method;  report -> evaluate;  run -> gold
//! cleaner -> {render, method, emit};  {method, emit} -> clean -> classify -> features -> {language, target} -> capture
//! run -> source -> archive;  render -> archive -> {files, net};  files -> {page, classify};  page -> html -> capture
//! every room -> error, elements, text, hash, limits, web_guard
//! ```
//!
//! # How a block is decided
//!
//! Two machines look at each block's features: a support vector machine with a Gaussian kernel, as FIASCO had it, and
//! boosted trees, which carry over better to sites unlike those of the training sets. A logistic regression reads the
//! margins of both, of the block and of those around it. A last stage may read all blocks of the page in order with a
//! small network, and decide on them together (see [`classify::sequence`]). Each stage learns from out-of-fold margins, given by machines
//! that did not learn from the page's site, so it does not trust margins that are too good. See [`classify::model`].
//!
//! # What holds
//!
//! - [`capture`], [`html`], [`page`], [`language`], [`target`], [`features`], [`classify`], [`clean`], [`method`] and
//!   [`emit`] touch no network, no clock and no file; `files` does it for them. [`emit`] never sees pixels, [`features`]
//!   never sees gold text, `render` never judges content.
//! - The same capture and the same model give the same bytes, whatever the number of threads.
//! - A page is hostile input. Nothing it holds makes us panic, hang, read a local file or reach a private address.

pub use crate::face::{Cleaner, CleanerBuilder};
pub use vclean_core::capture::Capture;
pub use vclean_core::clean::{Metadata, ReaderComments};
pub use vclean_core::cleaner::{Block, Cleaned, HiddenText, Options, PageCleaner, clean_html};
pub use vclean_core::emit::{EmitOptions, FORMATS, Format};
pub use vclean_core::error::Error;
pub use vclean_core::page::Page;

pub use vclean_core::{
    capture, classify, clean, cleaner, elements, emit, error, explain, features, files, html, language, page, target,
    text,
};
#[cfg(feature = "experiments")]
pub use vclean_lab::{annotate, evaluate, experiments, fitting, gold, method, report, train};
#[cfg(feature = "rendering")]
pub use vclean_render::{self as render, archive, net};
#[cfg(feature = "run")]
pub use vclean_run::{self as run, source};
#[cfg(feature = "serve")]
pub use vclean_serve as serve;

#[cfg(feature = "cli")]
pub mod cli;
mod face;
