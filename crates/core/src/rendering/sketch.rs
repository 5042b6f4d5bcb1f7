//! Draws an approximate page image and the node mask without a rasterizer: backgrounds are exact,
//! glyphs are vertical strokes, pictures are stripes.
//!
//! The visual features use the page image to measure the position of the ink, its density, and its
//! contrast: the horizontal gradient of the gray image in cells of text. Strokes at the positions
//! of the letters give the same results in a twentieth of the time of a rasterizer (both are
//! measured in FIDELITY.md). The mask needs no second picture, because the layout contains the text
//! node of each line fragment. The built-in engine and the pages of a reader's own browser use
//! this.

use crate::capture::{CssRect, MaskRun, NodeId, NodeMask, Style};
use image::{GrayImage, Luma};
use std::ops::Range;
use std::sync::Arc;

/// Gray levels of the two kinds of stripes that replace a picture. Their difference counts as ink
/// in every measure.
const STRIPES: [u8; 2] = [80, 176];
/// Width of a stripe in px. With two, both neighbors of every pixel differ.
const STRIPE_PX: u32 = 2;
/// Pictures with a side smaller than this, in px, are spacers and are not drawn.
const SPACER_PX: f32 = 3.0;

/// A background, or a pattern that replaces a picture.
pub struct Fill {
    /// The visible part, in page px.
    pub rect: CssRect,
    /// Red, green, blue and alpha; the alpha is ignored.
    pub color: [u8; 4],
    /// Opacity, from 0 to 1.
    pub alpha: f32,
    /// True if the fill hides the text below it.
    pub covers: bool,
    /// True if the fill replaces a picture.
    pub is_picture: bool,
}

impl Fill {
    /// Returns true if the fill is drawn as a picture.
    fn shows_picture(&self) -> bool {
        self.is_picture && self.rect.width > SPACER_PX && self.rect.height > SPACER_PX
    }

    /// Returns true if all pixels of the fill get the same color.
    fn is_even(&self) -> bool {
        self.alpha >= 0.99 && !self.shows_picture()
    }
}

/// A letter in a line, with its position.
pub struct Letter {
    /// Left edge in page px.
    pub x: f32,
    /// Width of the letter in page px.
    pub advance: f32,
    /// The character that is drawn.
    pub sign: char,
}

/// The part of a text node in one line.
pub struct LineFragment {
    /// The text node; `None` for text that is not in the tree.
    pub owner: Option<NodeId>,
    /// Style of the letters: color and weight.
    pub style: Arc<Style>,
    /// Baseline of the line, in page px.
    pub baseline: f32,
    /// Font size in px.
    pub font_px: f32,
    /// The letters, in the order of the text.
    pub letters: Vec<Letter>,
    /// The box, in page px.
    pub rect: CssRect,
    /// Clipping rectangle, in page px.
    pub clip: CssRect,
}

impl LineFragment {
    /// Creates a fragment without letters or box.
    pub fn new(owner: Option<NodeId>, style: Arc<Style>, baseline: f32, font_px: f32) -> Self {
        let rect = CssRect::default();
        Self {
            owner,
            style,
            baseline,
            font_px,
            letters: Vec::new(),
            rect,
            clip: rect,
        }
    }
}

/// A background or cover of text, as far as it is known. It is not drawn, but used to decide
/// whether text is visible.
pub struct Background {
    /// The visible part, in page px.
    pub rect: CssRect,
    /// The colors, as far as they are known.
    pub paint: Paint,
    /// Opacity, from 0 to 1.
    pub alpha: f32,
}

/// The colors of a background.
#[derive(Debug, Clone, Copy)]
pub enum Paint {
    /// A single color: red, green, blue, alpha.
    Color([u8; 4]),
    /// A picture that is certain to be painted.
    Picture,
    /// A picture that may be missing or transparent, or a gradient.
    Unknown,
}

enum DrawCommand {
    Fill(Fill),
    Background(Background),
    Text(LineFragment),
}

/// All drawing commands, in painting order.
#[derive(Default)]
pub struct Sketch {
    commands: Vec<DrawCommand>,
}

impl Sketch {
    /// Adds a background or a picture.
    pub fn fill(&mut self, fill: Fill) {
        self.commands.push(DrawCommand::Fill(fill));
    }

    /// Adds a background that is only used to decide whether text is visible.
    pub fn background(&mut self, ground: Background) {
        self.commands.push(DrawCommand::Background(ground));
    }

    /// The backgrounds, with their positions in the painting order.
    pub fn backgrounds(&self) -> impl Iterator<Item = (usize, &Background)> {
        self.commands
            .iter()
            .enumerate()
            .filter_map(|(at, command)| match command {
                DrawCommand::Background(ground) => Some((at, ground)),
                DrawCommand::Fill(_) | DrawCommand::Text(_) => None,
            })
    }

    /// The line fragments, with their positions in the painting order.
    pub fn fragments(&self) -> impl Iterator<Item = (usize, &LineFragment)> {
        self.commands
            .iter()
            .enumerate()
            .filter_map(|(at, command)| match command {
                DrawCommand::Text(fragment) => Some((at, fragment)),
                DrawCommand::Fill(_) | DrawCommand::Background(_) => None,
            })
    }

    /// Adds a fragment of a line.
    pub fn write(&mut self, fragment: LineFragment) {
        self.commands.push(DrawCommand::Text(fragment));
    }

    /// Draws the page image and the node mask.
    pub fn draw(&self, [width, height]: [u32; 2]) -> (GrayImage, NodeMask) {
        // Everything below the last even fill of the whole page is invisible.
        let is_ground = |command: &DrawCommand| match command {
            DrawCommand::Fill(fill) if fill.is_even() => {
                pixels(fill.rect, width, height) == (0..width, 0..height)
            }
            _ => false,
        };
        let ground = self.commands.iter().rposition(is_ground);
        let level = match ground.map(|at| &self.commands[at]) {
            Some(DrawCommand::Fill(fill)) => gray(fill.color),
            _ => 255,
        };
        let mut image = GrayImage::from_pixel(width, height, Luma([level]));
        let mut mask = MaskRows {
            rows: vec![Vec::new(); height as usize],
        };
        for (at, command) in self.commands.iter().enumerate() {
            let is_drawn = ground.is_none_or(|ground| at > ground);
            match command {
                DrawCommand::Fill(fill) => {
                    if is_drawn {
                        paint(&mut image, fill);
                    }
                    if fill.covers {
                        let (columns, rows) = pixels(fill.rect, width, height);
                        mask.clear(columns, rows);
                    }
                }
                DrawCommand::Background(_) => {}
                DrawCommand::Text(fragment) => {
                    if is_drawn {
                        write(&mut image, fragment);
                    }
                    if let Some(owner) = fragment.owner {
                        let (columns, rows) =
                            pixels(fragment.rect.intersection(fragment.clip), width, height);
                        mask.assign(columns, rows, owner);
                    }
                }
            }
        }
        (
            image,
            NodeMask::from_rows(width, mask.rows.iter().map(Vec::as_slice)),
        )
    }
}

/// The pixels of a rectangle, as columns and rows.
fn pixels(rect: CssRect, width: u32, height: u32) -> (Range<u32>, Range<u32>) {
    if rect.is_empty() {
        return (0..0, 0..0);
    }
    let near = |value: f32, limit: u32| value.round().clamp(0.0, limit as f32) as u32;
    let columns = near(rect.x, width)..near(rect.right(), width);
    (columns, near(rect.y, height)..near(rect.bottom(), height))
}

/// The given columns of a pixel row.
fn row<'a>(image: &'a mut GrayImage, y: u32, columns: &Range<u32>) -> &'a mut [u8] {
    let start = y as usize * image.width() as usize;
    let pixels: &mut [u8] = &mut *image;
    &mut pixels[start + columns.start as usize..start + columns.end as usize]
}

/// Luminance of a color, computed as in `image` (ITU-R BT.709).
fn gray(color: [u8; 4]) -> u8 {
    let [red, green, blue, _] = color.map(f32::from);
    (0.2126 * red + 0.7152 * green + 0.0722 * blue).round() as u8
}

fn paint(image: &mut GrayImage, fill: &Fill) {
    let width = image.width();
    let (columns, rows) = pixels(fill.rect, width, image.height());
    if columns.is_empty() {
        return;
    }
    let level = gray(fill.color);
    let is_picture = fill.shows_picture();
    // The resulting level for each level below a translucent color.
    let mixed = (fill.alpha < 0.99 && !is_picture).then(|| {
        let (own, other) = (f32::from(level) * fill.alpha, 1.0 - fill.alpha);
        std::array::from_fn::<u8, 256, _>(|below| (below as f32).mul_add(other, own) as u8)
    });
    for y in rows {
        let row = row(image, y, &columns);
        if is_picture {
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = STRIPES[(x as u32 / STRIPE_PX % 2) as usize];
            }
        } else if let Some(mixed) = &mixed {
            for pixel in row {
                *pixel = mixed[usize::from(*pixel)];
            }
        } else {
            row.fill(level);
        }
    }
}

/// Approximate glyph shape: height above and depth below the baseline in em, and the number of
/// stems.
fn shape(letter: char, advance_em: f32) -> (f32, f32, u32) {
    let (above, below) = match letter {
        'b' | 'd' | 'f' | 'h' | 'k' | 'l' | 't' | 'i' => (0.72, 0.0),
        'g' | 'p' | 'q' | 'y' => (0.52, 0.2),
        'j' => (0.72, 0.2),
        '.' => (0.1, 0.0),
        ',' | ';' => (0.12, 0.12),
        ':' => (0.5, 0.0),
        '-' | '\u{2010}'..='\u{2015}' | '~' | '=' | '+' | '·' | '•' => (0.34, -0.2),
        '\'' | '"' | '\u{2018}'..='\u{201f}' | '*' | '^' | '`' => (0.72, -0.48),
        '_' => (-0.02, 0.1),
        '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' | '\\' => (0.74, 0.16),
        _ if letter.is_lowercase() && letter.is_ascii() => (0.52, 0.0),
        _ if advance_em >= 0.85 => (0.82, 0.06),
        _ if letter.is_lowercase() => (0.6, 0.05),
        _ => (0.71, 0.0),
    };
    let stems = if advance_em < 0.36 {
        1
    } else if advance_em < 0.75 {
        2
    } else {
        3 + u32::from(advance_em >= 0.95)
    };
    (above, below, stems)
}

/// Draws the letters of a line fragment as stems.
fn write(image: &mut GrayImage, fragment: &LineFragment) {
    let (width, height) = image.dimensions();
    let font = fragment.font_px;
    if !(1.0..=1000.0).contains(&font) || fragment.style.color[3] < 16 {
        return;
    }
    let level = gray(fragment.style.color);
    let bold = f32::from(fragment.style.font_weight) >= 600.0;
    // Usual stem width of text fonts in em, regular and bold.
    let stem_px = (font * if bold { 0.15 } else { 0.09 }).round().max(1.0);
    for Letter { x, advance, sign } in &fragment.letters {
        let (above, below, stems) = shape(*sign, advance / font);
        let (top, bottom) = (
            fragment.baseline - above * font,
            fragment.baseline + below * font,
        );
        let step = advance / stems as f32;
        for stem in 0..stems {
            let center = x + (stem as f32 + 0.5) * step;
            let rect = CssRect {
                x: center - stem_px / 2.0,
                y: top,
                width: stem_px,
                height: (bottom - top).max(1.0),
            };
            let (columns, rows) = pixels(rect.intersection(fragment.clip), width, height);
            for y in rows {
                row(image, y, &columns).fill(level);
            }
        }
    }
}

/// A mask that is being drawn: the runs of each row from left to right.
struct MaskRows {
    rows: Vec<Vec<MaskRun>>,
}

impl MaskRows {
    /// Clears the owners of these pixels.
    fn clear(&mut self, columns: Range<u32>, rows: Range<u32>) {
        for row in &mut self.rows[rows.start as usize..rows.end as usize] {
            cut(row, &columns);
        }
    }

    /// Sets the owner of these pixels and clears earlier owners.
    fn assign(&mut self, columns: Range<u32>, rows: Range<u32>, owner: NodeId) {
        if columns.is_empty() {
            return;
        }
        let run = MaskRun {
            start: columns.start,
            end: columns.end,
            owner: owner.index() as u32,
        };
        for row in &mut self.rows[rows.start as usize..rows.end as usize] {
            cut(row, &columns);
            let place = row.partition_point(|other| other.start < run.start);
            match place.checked_sub(1).map(|before| &mut row[before]) {
                Some(before) if before.owner == run.owner && before.end == run.start => {
                    before.end = run.end;
                }
                _ => row.insert(place, run),
            }
        }
    }
}

/// Removes columns from the runs of a row.
fn cut(row: &mut Vec<MaskRun>, columns: &Range<u32>) {
    let first = row.partition_point(|run| run.end <= columns.start);
    let past = first + row[first..].partition_point(|run| run.start < columns.end);
    if first == past {
        return;
    }
    let (left, right) = (row[first], row[past - 1]);
    let remainders = [
        MaskRun {
            end: columns.start,
            ..left
        },
        MaskRun {
            start: columns.end,
            ..right
        },
    ];
    row.splice(
        first..past,
        remainders.into_iter().filter(|run| run.start < run.end),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: u32, end: u32, owner: u32) -> MaskRun {
        MaskRun { start, end, owner }
    }

    #[test]
    fn covered_pixels_have_no_owner() {
        let mut row = vec![run(2, 6, 1), run(8, 9, 2), run(10, 14, 3)];
        cut(&mut row, &(4..12));
        assert_eq!(row, [run(2, 4, 1), run(12, 14, 3)]);
        let mut row = vec![run(0, 10, 1)];
        cut(&mut row, &(4..6));
        assert_eq!(row, [run(0, 4, 1), run(6, 10, 1)]);
        cut(&mut row, &(20..30));
        assert_eq!(row.len(), 2);
    }

    #[test]
    fn text_owns_its_pixels_and_clears_earlier_owners() {
        let mut mask = MaskRows {
            rows: vec![Vec::new(); 3],
        };
        mask.assign(0..5, 0..3, NodeId::new(7));
        mask.assign(5..8, 0..3, NodeId::new(7));
        mask.assign(2..3, 1..2, NodeId::new(9));
        mask.clear(0..1, 2..3);
        let mask = NodeMask::from_rows(10, mask.rows.iter().map(Vec::as_slice));
        assert_eq!(mask.row(0), [run(0, 8, 7)]);
        assert_eq!(mask.row(1), [run(0, 2, 7), run(2, 3, 9), run(3, 8, 7)]);
        assert_eq!(mask.row(2), [run(1, 8, 7)]);
    }

    #[test]
    fn letters_are_drawn_as_strokes_and_pictures_as_stripes() {
        let rect = |x: f32, y: f32, width: f32, height: f32| CssRect {
            x,
            y,
            width,
            height,
        };
        let mut sketch = Sketch::default();
        let fill = |rect, color, is_picture| Fill {
            rect,
            color,
            alpha: 1.0,
            covers: true,
            is_picture,
        };
        sketch.fill(fill(rect(0.0, 0.0, 40.0, 20.0), [0, 0, 0, 255], false));
        sketch.fill(fill(rect(20.0, 0.0, 20.0, 20.0), [0; 4], true));
        let white = Style {
            color: [255; 4],
            ..Style::default()
        };
        let mut fragment = LineFragment::new(Some(NodeId::new(3)), Arc::new(white), 16.0, 16.0);
        fragment.letters.push(Letter {
            x: 2.0,
            advance: 8.0,
            sign: 'h',
        });
        fragment.rect = rect(2.0, 2.0, 8.0, 18.0);
        fragment.clip = rect(0.0, 0.0, 40.0, 20.0);
        sketch.write(fragment);
        let (image, mask) = sketch.draw([40, 20]);
        let inked = (0..12)
            .filter(|&x| image.get_pixel(x, 10).0 == [255])
            .count();
        assert_eq!(inked, 2, "one stem on either side");
        assert_eq!([20, 22].map(|x| image.get_pixel(x, 10).0[0]), STRIPES);
        assert_eq!(mask.owner(5, 10), Some(NodeId::new(3)));
        assert_eq!(mask.owner(12, 10), None);
    }
}
