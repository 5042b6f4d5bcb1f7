//! The position and look of each node on the page: boxes, line boxes and computed styles.

use super::NodeId;
use serde::{Deserialize, Serialize};

/// A rectangle in CSS px, page coordinates (origin at the top left of the page, y down).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CssRect {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width, never negative.
    pub width: f32,
    /// Height, never negative.
    pub height: f32,
}

impl CssRect {
    /// Right edge.
    pub fn right(self) -> f32 {
        self.x + self.width
    }

    /// Bottom edge.
    pub fn bottom(self) -> f32 {
        self.y + self.height
    }

    /// Area in CSS px squared.
    pub fn area(self) -> f32 {
        self.width * self.height
    }

    /// Whether it has no area.
    pub fn is_empty(self) -> bool {
        self.width <= 0.0 || self.height <= 0.0
    }

    /// The smallest rectangle around both; an empty one counts for nothing.
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
        Self { x, y, width: self.right().max(other.right()) - x, height: self.bottom().max(other.bottom()) - y }
    }

    /// What both cover; empty where they do not meet.
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

/// Computed `display`, reduced to what the stages need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Display {
    /// `none`.
    None,
    /// `contents`: no box of its own, only those of the children.
    Contents,
    /// `inline` and what flows in a line like it (`ruby`).
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
    /// From the CSS value. Unknown values are blocks.
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
            "table-row" | "table-row-group" | "table-header-group" | "table-footer-group" | "table-column"
            | "table-column-group" => Self::TableRow,
            "table-cell" | "table-caption" => Self::TableCell,
            _ => Self::Block,
        }
    }

    /// Whether the element takes part in its parent's lines.
    pub fn is_inline(self) -> bool {
        matches!(self, Self::Inline | Self::InlineBlock | Self::Contents)
    }
}

/// Computed `position`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// In flow.
    #[default]
    Static,
    /// In flow, moved.
    Relative,
    /// Out of flow.
    Absolute,
    /// Stays with the viewport.
    Fixed,
    /// Stays with the viewport for a while.
    Sticky,
}

impl Position {
    /// From the CSS value. Unknown values are static.
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
    /// Left.
    #[default]
    Left,
    /// Right.
    Right,
    /// Center.
    Center,
    /// Justified.
    Justify,
}

/// Computed style of an element; text nodes have the style of their parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Style {
    /// `display`.
    pub display: Display,
    /// `position`.
    pub position: Position,
    /// Whether `float` is not `none`.
    pub is_float: bool,
    /// Whether `visibility` is `visible`.
    pub is_visible: bool,
    /// Whether `overflow` clips (`hidden`, `clip`, `scroll`, `auto`) on either axis.
    pub clips: bool,
    /// `opacity`, 0 to 1, of this element alone.
    pub opacity: f32,
    /// `font-size` in CSS px.
    pub font_size_px: f32,
    /// `font-weight`, 1 to 1000.
    pub font_weight: u16,
    /// Whether `font-style` is italic or oblique.
    pub is_italic: bool,
    /// Text color, red, green, blue, alpha.
    pub color: [u8; 4],
    /// Background color, red, green, blue, alpha.
    pub background: [u8; 4],
    /// Whether a `background-image` is set.
    pub has_background_image: bool,
    /// Whether `text-decoration-line` holds an underline.
    pub is_underlined: bool,
    /// `text-align`.
    pub text_align: TextAlign,
    /// Whether `white-space` keeps line breaks (`pre`, `pre-wrap`, `pre-line`, `break-spaces`).
    pub keeps_line_breaks: bool,
    /// Whether `direction` is `rtl`.
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
    /// Its position and size.
    pub rect: CssRect,
    /// First UTF-16 code unit of the node's rendered text in this line.
    pub start: u32,
    /// Number of UTF-16 code units.
    pub length: u32,
}

/// The box of one node that takes part in layout.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NodeBox {
    /// Bounding rectangle.
    pub rect: CssRect,
    /// Index into the layout's styles.
    pub style: u32,
    /// Painting order: a node with a larger number is painted over one with a smaller.
    pub paint_order: u32,
    /// First line box, for text nodes.
    pub first_line: u32,
    /// Number of line boxes, 0 for elements.
    pub lines: u32,
}

/// Boxes and styles of a rendered page. A node without a box (not rendered) has none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Layout {
    /// Width of the page in CSS px.
    pub page_width_px: f32,
    /// Height of the page in CSS px.
    pub page_height_px: f32,
    boxes: Vec<Option<NodeBox>>,
    styles: Vec<Style>,
    lines: Vec<LineBox>,
}

impl Layout {
    /// An empty layout for a tree of `nodes` nodes and a page of the given size in CSS px.
    pub fn new(nodes: usize, page_width_px: f32, page_height_px: f32) -> Self {
        Self { page_width_px, page_height_px, boxes: vec![None; nodes], styles: Vec::new(), lines: Vec::new() }
    }

    /// Gives `id` a box; equal styles in succession are stored once.
    pub fn set(&mut self, id: NodeId, rect: CssRect, style: &Style, paint_order: u32, lines: &[LineBox]) {
        if self.styles.last() != Some(style) {
            self.styles.push(style.clone());
        }
        self.boxes[id.index()] = Some(NodeBox {
            rect,
            style: self.styles.len() as u32 - 1,
            paint_order,
            first_line: self.lines.len() as u32,
            lines: lines.len() as u32,
        });
        self.lines.extend_from_slice(lines);
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
        self.node_box(id).map(|node| &self.styles[node.style as usize])
    }

    /// The line boxes of a text node; empty for other nodes.
    pub fn lines(&self, id: NodeId) -> &[LineBox] {
        self.node_box(id).map_or(&[], |node| {
            let first = node.first_line as usize;
            &self.lines[first..first + node.lines as usize]
        })
    }

    /// The smallest rectangle around the lines of these text nodes; empty where none of them has a line.
    pub fn around(&self, texts: &[NodeId]) -> CssRect {
        texts.iter().flat_map(|&text| self.lines(text)).fold(CssRect::default(), |sum, line| sum.union(line.rect))
    }

    /// Whether all indices point somewhere; false only for a layout read from a damaged file.
    pub(crate) fn is_consistent(&self, nodes: usize) -> bool {
        self.boxes.len() == nodes
            && self.boxes.iter().flatten().all(|node| {
                (node.style as usize) < self.styles.len()
                    && (node.first_line as usize + node.lines as usize) <= self.lines.len()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_meet_and_join() {
        let left = CssRect { x: 0.0, y: 0.0, width: 10.0, height: 10.0 };
        let right = CssRect { x: 5.0, y: 5.0, width: 10.0, height: 10.0 };
        assert_eq!(left.intersection(right).area(), 25.0);
        assert_eq!(left.union(right).area(), 225.0);
        assert_eq!(left.union(CssRect::default()), left);
        let far = CssRect { x: 50.0, ..right };
        assert!(left.intersection(far).is_empty());
    }

    #[test]
    fn equal_styles_are_stored_once() {
        let mut layout = Layout::new(3, 100.0, 100.0);
        let line = LineBox { rect: CssRect::default(), start: 0, length: 3 };
        layout.set(NodeId::new(1), CssRect::default(), &Style::default(), 0, &[]);
        layout.set(NodeId::new(2), CssRect::default(), &Style::default(), 1, &[line]);
        assert_eq!(layout.styles.len(), 1);
        assert_eq!(layout.lines(NodeId::new(2)), [line]);
        assert!(layout.lines(NodeId::new(0)).is_empty());
        assert!(layout.is_consistent(3));
        assert!(!layout.is_consistent(4));
    }
}
