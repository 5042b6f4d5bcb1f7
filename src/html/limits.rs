//! Limits of a parsed page that only hostile pages reach.

/// Largest number of elements open at once: the limit of Chromium's parser
/// (`kMaximumHTMLParserDOMTreeDepth` in `html_construction_site.cc`).
pub const MAX_OPEN: usize = 512;

/// Largest number of nodes of a tree; the largest real pages have a few hundred thousand.
pub const MAX_NODES: usize = 5_000_000;

/// Largest number of attributes of an element. A start tag with more is closed (the exact number depends on the pieces
/// of the input), and an existing element gets no more. The search for duplicates takes quadratic time.
pub(super) const MAX_ATTRIBUTES: usize = 512;

/// Largest number of attributes of a start tag that our own reader reads. A tag with more is read by html5ever's
/// tokenizer, up to [`MAX_ATTRIBUTES`]. So this does not limit the page: both readers give the same tree. It is lower
/// because the work of our reader is lost for such a tag, and real pages hardly have any.
pub(super) const MAX_ATTRIBUTES_OF_FAST_READER: usize = 64;
