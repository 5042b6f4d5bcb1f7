//! What depends on single languages: which one a text is in, its words and their parts of speech,
//! and keywords of content and of boilerplate.
//!
//! Only the language-bound groups of `features` measure with this; `clean` takes from it the
//! language that it writes into the metadata. [`detect`] detects the language, [`words`] cuts text
//! as the treebanks do, [`tagger`](mod@tagger) tags it ([`TAGGERS`] are compiled in), and
//! [`keywords`] holds the keywords that `train` learned. Touches no file, no network and no clock.

pub mod character;
pub(crate) mod dates;
pub mod detect;
pub mod keywords;
pub mod tagger;
pub mod tagger_file;
pub mod words;

pub(crate) use dates::{Ago, read_ago};
pub(crate) use detect::guess_language;
pub use detect::{language_tag, page_language, primary};
pub use keywords::Keywords;
pub use tagger::{Tag, TagClass, Tagger};
pub use tagger_file::tagger;
pub use words::{Cutter, Word};
