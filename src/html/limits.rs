//! Limits of a parsed page: what only a hostile page reaches.

/// Largest number of elements open at once: the limit of Chromium's parser
/// (`kMaximumHTMLParserDOMTreeDepth` in `html_construction_site.cc`).
pub const MAX_OPEN: usize = 512;

/// Largest number of nodes of a tree; the largest pages of the web have a few hundred thousand.
pub const MAX_NODES: usize = 5_000_000;

/// Attributes that an element may have: a start tag with more is closed, give or take those of a piece of the input, and
/// an element that exists gets no more. Looking for duplicates is quadratic in their number.
pub(super) const MAX_ATTRIBUTES: usize = 512;

/// Attributes up to which our own reader of start tags reads one; a tag with more is left to html5ever's tokenizer, which
/// reads up to [`MAX_ATTRIBUTES`]. So this is no limit of what a page may have: the tree is the same whoever reads the
/// tag. It is lower since what is read here in vain is read again, and real pages hardly have such tags.
pub(super) const MAX_ATTRIBUTES_OF_FAST_READER: usize = 64;
