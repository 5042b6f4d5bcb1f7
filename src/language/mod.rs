//! What depends on single languages: which one a text is in, its words and their parts of speech, and keywords of
//! content and of boilerplate.
//!
//! Only the language-bound groups of `features` measure with this; `clean` takes from it the language that it writes into
//! the metadata. [`detect`] detects the language, [`words`] cuts text as the treebanks do, [`tagger`](mod@tagger) tags it
//! ([`TAGGERS`] are compiled in), and [`keywords`] holds the keywords that `train` learned. Touches no file, no
//! network and no clock.

mod built_in;
pub(crate) mod character;
pub(crate) mod character_facts;
pub mod detect;
pub mod keywords;
pub(crate) mod months;
mod relative_dates;
pub mod tag;
pub mod tagger;
pub(crate) mod tagger_file;
pub mod words;

pub use built_in::{TAGGERS, tagger};
pub use detect::{guess_language, language_tag, page_language, primary};
pub use keywords::Keywords;
pub(crate) use relative_dates::{Ago, read_ago};
pub use tag::{Tag, TagClass};
pub use tagger::Tagger;
pub use words::{Cutter, Word};
