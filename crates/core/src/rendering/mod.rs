//! Makes the capture of a page from the description by a browser or an engine: computed styles and
//! lines, the drawn page image with its node mask, the text that a reader sees, and the page in a
//! reader's own browser.
//!
//! Nothing here renders. Engines (in another crate) and the script in a reader's browser report the
//! positions of the boxes.

mod computed_style;
mod hidden_text;
mod live_page;
mod paint_order;
mod sketch;

pub use computed_style::{
    BORDER_LEFT, BORDER_TOP, COMPUTED_STYLES, PADDING_LEFT, PADDING_TOP, computed_style,
    joined_lines, pixels, shortened,
};
pub use hidden_text::{
    Area, Geometry, Missing, Overlays, Verdict, areas, can_tell, differs, doubt_looks,
    doubt_transparent,
};
pub use live_page::{LivePage, PAINT_STYLES};
pub use sketch::{Background, Fill, Letter, LineFragment, Paint, Sketch};
