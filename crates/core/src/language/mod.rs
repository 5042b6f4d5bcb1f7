//! Language-dependent processing: language detection, words, parts of speech, and keywords of
//! content and boilerplate.
//!
//! Only the language-bound groups of `features` use it, except that `clean` writes the detected
//! language into the metadata. [`detect`] decides on the language, [`words`] splits text like the
//! treebanks do, [`tagger`](mod@tagger) tags it ([`TAGGERS`] are compiled in), and [`keywords`]
//! holds the keywords extracted by `train`. Uses no files, network or clock.

pub mod character;
mod codes;
pub(crate) mod dates;
pub mod detect;
mod guess;
pub mod keywords;
pub mod tagger;
pub mod tagger_file;
pub mod words;

pub(crate) use dates::{Ago, month_of, read_ago};
pub(crate) use detect::guess_language;
pub use detect::{language_tag, page_language, primary};
pub use keywords::Keywords;
pub use tagger::{Tag, TagClass, Tagger};
pub use tagger_file::tagger;
pub use words::{Cutter, Word};
