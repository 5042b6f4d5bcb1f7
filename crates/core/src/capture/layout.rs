//! The position and style of each node on the page: boxes, line boxes, computed styles and
//! visibility.

use super::NodeId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Computed `display`, reduced to what the stages need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Display {
    /// `none`.
    None,
    /// `contents`: no box of its own, only those of the children.
    Contents,
    /// `inline` and values that flow in a line like it (`ruby`).
    #[default]
    Inline,
    /// `inline-block`, `inline-flex`, `inline-grid`, `inline-table`.
    InlineBlock,
    /// `block`, `flow-root`.
    Block,
    /// `list-item`.
    ListItem,
    /// `flex`.
    Flex,
    /// `grid`.
    Grid,
    /// `table`.
    Table,
    /// `table-row`, and row groups.
    TableRow,
    /// `table-cell`, `table-caption`.
    TableCell,
}

impl Display {
    /// Parses the CSS value. Unknown values are blocks.
    pub fn from_css(value: &str) -> Self {
        match value {
            "none" => Self::None,
            "contents" => Self::Contents,
            "inline" | "ruby" | "ruby-base" | "ruby-text" | "inline math" | "math" => Self::Inline,
            "inline-block" | "inline-flex" | "inline-grid" | "inline-table" => Self::InlineBlock,
            "list-item" => Self::ListItem,
            "flex" => Self::Flex,
            "grid" => Self::Grid,
            "table" => Self::Table,
            "table-row" | "table-row-group" | "table-header-group" | "table-footer-group"
            | "table-column" | "table-column-group" => Self::TableRow,
            "table-cell" | "table-caption" => Self::TableCell,
            _ => Self::Block,
        }
    }

    pub(crate) fn is_inline(self) -> bool {
        matches!(self, Self::Inline | Self::InlineBlock | Self::Contents)
    }
}

/// Computed CSS `position` of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// In normal flow, the initial value.
    #[default]
    Static,
    /// In normal flow, but moved by its offsets.
    Relative,
    /// Out of flow, placed in a positioned ancestor.
    Absolute,
    /// Stays with the viewport.
    Fixed,
    /// Stays with the viewport within its container.
    Sticky,
}

impl Position {
    /// Parses the CSS value. Unknown values are static.
    pub fn from_css(value: &str) -> Self {
        match value {
            "relative" => Self::Relative,
            "absolute" => Self::Absolute,
            "fixed" => Self::Fixed,
            "sticky" | "-webkit-sticky" => Self::Sticky,
            _ => Self::Static,
        }
    }
}

/// Computed `text-align`, with `start` and `end` resolved by direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextAlign {
    /// `left`, or `start` in left-to-right text.
    #[default]
    Left,
    /// `right`, or `end` in left-to-right text.
    Right,
    /// Each line is centered in its box.
    Center,
    /// Stretched to both edges of the line.
    Justify,
}

/// Computed style of an element; text nodes have the style of their parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Style {
    /// `display`.
    pub display: Display,
    /// `position`.
    pub position: Position,
    /// True if `float` is not `none`.
    pub is_float: bool,
    /// True if `visibility` is `visible`.
    pub is_visible: bool,
    /// True if `overflow` clips (`hidden`, `clip`, `scroll`, `auto`) on either axis.
    pub clips: bool,
    /// `opacity`, 0 to 1, of this element alone.
    pub opacity: f32,
    /// `font-size` in CSS px.
    pub font_size_px: f32,
    /// `font-weight`, 1 to 1000.
    pub font_weight: u16,
    /// True if `font-style` is italic or oblique.
    pub is_italic: bool,
    /// Text color, red, green, blue, alpha.
    pub color: [u8; 4],
    /// Background color, red, green, blue, alpha.
    pub background: [u8; 4],
    /// True if a `background-image` is set.
    pub has_background_image: bool,
    /// True if `text-decoration-line` contains an underline.
    pub is_underlined: bool,
    /// `text-align`.
    pub text_align: TextAlign,
    /// True if `white-space` keeps line breaks (`pre`, `pre-wrap`, `pre-line`, `break-spaces`).
    pub keeps_line_breaks: bool,
    /// True if `direction` is `rtl`.
    pub is_right_to_left: bool,
    /// Sum of the four border widths in CSS px.
    pub border_px: f32,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            display: Display::Inline,
            position: Position::Static,
            is_float: false,
            is_visible: true,
            clips: false,
            opacity: 1.0,
            font_size_px: 16.0,
            font_weight: 400,
            is_italic: false,
            color: [0, 0, 0, 255],
            background: [0, 0, 0, 0],
            has_background_image: false,
            is_underlined: false,
            text_align: TextAlign::Left,
            keeps_line_breaks: false,
            is_right_to_left: false,
            border_px: 0.0,
        }
    }
}

/// One line box of a text node.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LineBox {
    /// Position and size on the page.
    pub rect: CssRect,
    /// First UTF-16 code unit of the node's rendered text in this line.
    pub start: u32,
    /// Number of UTF-16 code units.
    pub length: u32,
}

/// The box of one node that takes part in layout.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NodeBox {
    /// Bounding rectangle in page coordinates.
    pub rect: CssRect,
    /// Index into the layout's styles.
    pub style: u32,
    /// Painting order: a node with a larger number is painted over one with a smaller number.
    pub paint_order: u32,
    /// First line box, for text nodes.
    pub first_line: u32,
    /// Number of line boxes, 0 for elements.
    pub lines: u32,
}

/// Largest number of px that is stored; no real page comes close to it.
const LARGEST_PX: f32 = 1e30;

/// Boxes and styles of a rendered page. Nodes that are not rendered have none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Layout {
    /// Width of the page in CSS px.
    pub page_width_px: f32,
    /// Height of the page in CSS px.
    pub page_height_px: f32,
    boxes: Vec<Option<NodeBox>>,
    styles: Vec<Style>,
    lines: Vec<LineBox>,
    /// The text nodes that are not shown, by index; absent if the renderer could not determine
    /// them.
    #[serde(rename = "showing", default, skip_serializing_if = "Option::is_none")]
    visibility: Option<BTreeMap<u32, Visibility>>,
}

/// Clamps a number to the stored range, with 0 for NaN: a capture file holds only finite numbers,
/// and a page may ask for larger ones.
fn finite(number: f32) -> f32 {
    if number.is_nan() {
        0.0
    } else {
        number.clamp(-LARGEST_PX, LARGEST_PX)
    }
}

fn finite_rect(rect: CssRect) -> CssRect {
    CssRect {
        x: finite(rect.x),
        y: finite(rect.y),
        width: finite(rect.width),
        height: finite(rect.height),
    }
}

impl Layout {
    /// An empty layout for a tree of `nodes` nodes and a page of the given size in CSS px.
    pub fn new(nodes: usize, page_width_px: f32, page_height_px: f32) -> Self {
        Self {
            page_width_px: finite(page_width_px),
            page_height_px: finite(page_height_px),
            boxes: vec![None; nodes],
            styles: Vec::new(),
            lines: Vec::new(),
            visibility: None,
        }
    }

    /// Stores which text nodes are hidden or undecided; all others that have a line are shown.
    pub fn set_visibility(&mut self, found: impl IntoIterator<Item = (NodeId, Visibility)>) {
        let not_visible = found
            .into_iter()
            .filter(|(_, visibility)| *visibility != Visibility::Shown);
        self.visibility = Some(
            not_visible
                .map(|(id, visibility)| (id.index() as u32, visibility))
                .collect(),
        );
    }

    /// The layout with all rendered text marked as shown.
    pub(crate) fn with_all_shown(&self) -> Self {
        Self {
            visibility: Some(BTreeMap::new()),
            ..self.clone()
        }
    }

    /// True if the renderer determined which text nodes are shown.
    pub(crate) fn knows_visibility(&self) -> bool {
        self.visibility.is_some()
    }

    /// Visibility of the text node `id` to readers; meaningful for text nodes with a line.
    pub fn visibility(&self, id: NodeId) -> Visibility {
        let Some(visibility) = &self.visibility else {
            return Visibility::Unknown;
        };
        visibility
            .get(&(id.index() as u32))
            .copied()
            .unwrap_or(Visibility::Shown)
    }

    pub(crate) fn has_doubted(&self) -> bool {
        self.visibility
            .iter()
            .flatten()
            .any(|(_, visibility)| matches!(visibility, Visibility::Doubted(_)))
    }

    /// The layout with [doubted](Visibility::Doubted) text marked as hidden.
    pub(crate) fn with_doubted_hidden(&self) -> Self {
        let mut changed = self.clone();
        for visibility in changed.visibility.iter_mut().flat_map(BTreeMap::values_mut) {
            if let Visibility::Doubted(cause) = *visibility {
                *visibility = Visibility::Hidden(cause);
            }
        }
        changed
    }

    /// The hidden text nodes in document order, with the cause of each.
    pub(crate) fn hidden_texts(&self) -> impl Iterator<Item = (NodeId, HiddenCause)> + '_ {
        self.visibility
            .iter()
            .flatten()
            .filter_map(|(&index, visibility)| match visibility {
                Visibility::Hidden(cause) => Some((NodeId::new(index as usize), *cause)),
                Visibility::Shown | Visibility::Doubted(_) | Visibility::Unknown => None,
            })
    }

    /// Gives `id` a box. Consecutive equal styles are stored once, and numbers that are not finite
    /// are replaced.
    pub fn set(
        &mut self,
        id: NodeId,
        rect: CssRect,
        style: &Style,
        paint_order: u32,
        lines: &[LineBox],
    ) {
        let style = Style {
            opacity: finite(style.opacity),
            font_size_px: finite(style.font_size_px),
            border_px: finite(style.border_px),
            ..style.clone()
        };
        if self.styles.last() != Some(&style) {
            self.styles.push(style);
        }
        self.boxes[id.index()] = Some(NodeBox {
            rect: finite_rect(rect),
            style: self.styles.len() as u32 - 1,
            paint_order,
            first_line: self.lines.len() as u32,
            lines: lines.len() as u32,
        });
        self.lines.extend(lines.iter().map(|line| LineBox {
            rect: finite_rect(line.rect),
            ..*line
        }));
    }

    /// The box of `id`, if it was rendered.
    pub fn node_box(&self, id: NodeId) -> Option<&NodeBox> {
        self.boxes[id.index()].as_ref()
    }

    /// The rectangle of `id`, if it was rendered.
    pub fn rect(&self, id: NodeId) -> Option<CssRect> {
        self.node_box(id).map(|node| node.rect)
    }

    /// The computed style of `id`, if it was rendered.
    pub fn style(&self, id: NodeId) -> Option<&Style> {
        self.node_box(id)
            .map(|node| &self.styles[node.style as usize])
    }

    /// The line boxes of a text node; empty for other nodes.
    pub fn lines(&self, id: NodeId) -> &[LineBox] {
        self.node_box(id).map_or(&[], |node| {
            let first = node.first_line as usize;
            &self.lines[first..first + node.lines as usize]
        })
    }

    /// The smallest rectangle around the lines of these text nodes; empty if they have no lines.
    pub fn bounding_rect(&self, texts: &[NodeId]) -> CssRect {
        texts
            .iter()
            .flat_map(|&text| self.lines(text))
            .fold(CssRect::default(), |sum, line| sum.union(line.rect))
    }

    /// True if all indices are in range; false only for a layout read from a damaged file.
    pub fn is_consistent(&self, nodes: usize) -> bool {
        self.boxes.len() == nodes
            && self.boxes.iter().flatten().all(|node| {
                (node.style as usize) < self.styles.len()
                    && (node.first_line as usize + node.lines as usize) <= self.lines.len()
            })
            && self
                .visibility
                .iter()
                .flatten()
                .all(|(&index, _)| (index as usize) < nodes)
    }
}

/// A rectangle in CSS px, page coordinates (origin at the top left of the page, y down).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CssRect {
    /// Left edge, from the left of the page.
    pub x: f32,
    /// Top edge, from the top of the page.
    pub y: f32,
    /// Horizontal extent; it is never negative.
    pub width: f32,
    /// Vertical extent; it is never negative.
    pub height: f32,
}

impl CssRect {
    /// Right edge, from the left of the page.
    pub fn right(self) -> f32 {
        self.x + self.width
    }

    /// Bottom edge, from the top of the page.
    pub fn bottom(self) -> f32 {
        self.y + self.height
    }

    /// Area in CSS px squared.
    pub fn area(self) -> f32 {
        self.width * self.height
    }

    /// True if the area is 0.
    pub fn is_empty(self) -> bool {
        self.width <= 0.0 || self.height <= 0.0
    }

    /// The smallest rectangle around both; an empty rectangle is ignored.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let x = self.x.min(other.x);
        let y = self.y.min(other.y);
        Self {
            x,
            y,
            width: self.right().max(other.right()) - x,
            height: self.bottom().max(other.bottom()) - y,
        }
    }

    /// The area covered by both; empty if they do not meet.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        Self {
            x,
            y,
            width: (self.right().min(other.right()) - x).max(0.0),
            height: (self.bottom().min(other.bottom()) - y).max(0.0),
        }
    }
}

/// Visibility of a text node on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// Painted so that a reader sees it.
    Shown,
    /// Laid out, but invisible to readers.
    Hidden(HiddenCause),
    /// It seems hidden, but a missing resource such as a style sheet or a script would probably
    /// show it. Such text counts as shown, unless all text that may be hidden is to be dropped.
    Doubted(HiddenCause),
    /// Undecided, or it may come into view; such text counts as shown.
    Unknown,
}

/// The reason why a reader does not see a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HiddenCause {
    /// It has (nearly) the color of its background.
    SameColor,
    /// Its color or an enclosing element is transparent.
    Transparent,
    /// Something else is painted over it.
    Covered,
    /// A box of at most a pixel or a clipping path cuts it off.
    Clipped,
    /// Its letters are too small or too narrow to read.
    TooSmall,
    /// It is left of or above the page, where nobody can scroll to.
    OffPage,
    /// It leaves no visible pixel; the style that causes this is unknown.
    NotPainted,
    /// It is not laid out at all.
    NotDisplayed,
}

impl HiddenCause {
    /// The cause in a few words, for reports.
    pub fn describe(self) -> &'static str {
        match self {
            Self::SameColor => "same color as its background",
            Self::Transparent => "transparent",
            Self::Covered => "covered",
            Self::Clipped => "clipped",
            Self::TooSmall => "too small",
            Self::OffPage => "outside the page",
            Self::NotPainted => "not painted",
            Self::NotDisplayed => "not displayed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_numbers_are_finite() {
        let mut layout = Layout::new(1, f32::INFINITY, f32::NAN);
        let rect = CssRect {
            x: f32::NEG_INFINITY,
            y: f32::NAN,
            width: f32::INFINITY,
            height: 1.0,
        };
        let style = Style {
            opacity: f32::NAN,
            font_size_px: f32::INFINITY,
            ..Style::default()
        };
        layout.set(
            NodeId::new(0),
            rect,
            &style,
            0,
            &[LineBox {
                rect,
                start: 0,
                length: 1,
            }],
        );
        let json = serde_json::to_string(&layout).unwrap();
        assert_eq!(serde_json::from_str::<Layout>(&json).unwrap(), layout);
    }

    #[test]
    fn equal_styles_are_stored_once() {
        let mut layout = Layout::new(3, 100.0, 100.0);
        let line = LineBox {
            rect: CssRect::default(),
            start: 0,
            length: 3,
        };
        layout.set(
            NodeId::new(1),
            CssRect::default(),
            &Style::default(),
            0,
            &[],
        );
        layout.set(
            NodeId::new(2),
            CssRect::default(),
            &Style::default(),
            1,
            &[line],
        );
        assert_eq!(layout.styles.len(), 1);
        assert_eq!(layout.lines(NodeId::new(2)), [line]);
        assert!(layout.lines(NodeId::new(0)).is_empty());
        assert!(layout.is_consistent(3));
        assert!(!layout.is_consistent(4));
    }

    #[test]
    fn what_is_hidden_survives_the_file_and_is_absent_where_unknown() {
        let mut layout = Layout::new(4, 100.0, 100.0);
        let unknown = serde_json::to_string(&layout).unwrap();
        assert!(!unknown.contains("showing"));
        assert_eq!(layout.visibility(NodeId::new(2)), Visibility::Unknown);
        let hidden = Visibility::Hidden(HiddenCause::SameColor);
        layout.set_visibility([
            (NodeId::new(2), hidden),
            (NodeId::new(1), Visibility::Shown),
            (NodeId::new(3), Visibility::Unknown),
        ]);
        let again: Layout = serde_json::from_str(&serde_json::to_string(&layout).unwrap()).unwrap();
        assert_eq!(again, layout);
        assert_eq!(
            [1, 2, 3].map(|index| again.visibility(NodeId::new(index))),
            [Visibility::Shown, hidden, Visibility::Unknown]
        );
        assert_eq!(
            again.hidden_texts().collect::<Vec<_>>(),
            [(NodeId::new(2), HiddenCause::SameColor)]
        );
        assert!(again.is_consistent(4) && !layout.is_consistent(3));
        let layout = layout.with_all_shown();
        assert!(layout.knows_visibility() && layout.hidden_texts().next().is_none());
        assert!(
            !serde_json::from_str::<Layout>(&unknown)
                .unwrap()
                .knows_visibility()
        );
    }

    #[test]
    fn rectangles_meet_and_join() {
        let left = CssRect {
            x: 0.0,
            y: 0.0,
            width: 10.0,
            height: 10.0,
        };
        let right = CssRect {
            x: 5.0,
            y: 5.0,
            width: 10.0,
            height: 10.0,
        };
        assert_eq!(left.intersection(right).area(), 25.0);
        assert_eq!(left.union(right).area(), 225.0);
        assert_eq!(left.union(CssRect::default()), left);
        let far = CssRect { x: 50.0, ..right };
        assert!(left.intersection(far).is_empty());
    }
}
