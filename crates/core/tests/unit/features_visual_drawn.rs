//! Pages drawn in code, for tests and for `examples/figure2.rs`.

use image::{GrayImage, Luma};

/// Line height of the drawn running text in px.
const LINE_PX: u32 = 20;

/// A page image with its mask, drawn line by line.
pub(crate) struct Drawing {
    /// The page image: black letters on white.
    pub(crate) gray: GrayImage,
    /// The number of the text node that owns each pixel; `0xff_ffff` for none.
    pub(crate) owners: Vec<u32>,
    seed: u32,
}

impl Drawing {
    pub(crate) fn new(width: u32, height: u32) -> Self {
        let gray = GrayImage::from_pixel(width, height, Luma([255]));
        Self {
            gray,
            owners: vec![0xff_ffff; (width * height) as usize],
            seed: 1,
        }
    }

    fn random(&mut self, below: u32) -> u32 {
        self.seed = self
            .seed
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        (self.seed >> 16) % below
    }

    fn stroke(&mut self, x: u32, top: u32, bottom: u32, width: u32) {
        for y in top..bottom {
            for x in x..x + width {
                if x < self.gray.width() && y < self.gray.height() {
                    self.gray.put_pixel(x, y, Luma([20]));
                }
            }
        }
    }

    /// Draws a line of words made of strokes like letters of `font` px, owned by `owner`, from
    /// `left` over `width` px.
    pub(crate) fn line(&mut self, owner: u32, left: u32, top: u32, width: u32, font: u32) {
        for y in top..(top + font * 23 / 20).min(self.gray.height()) {
            for x in left..(left + width).min(self.gray.width()) {
                self.owners[(y * self.gray.width() + x) as usize] = owner;
            }
        }
        let baseline = top + font * 9 / 10;
        let pen = (font / 8).max(1);
        let mut x = left;
        let mut letters = 4 + self.random(6);
        while x + font / 4 < left + width {
            if letters == 0 {
                letters = 2 + self.random(9);
                x += font / 4;
                continue;
            }
            letters -= 1;
            let (high, low) = match self.random(8) {
                0 | 1 => (font * 7 / 10, 0),
                2 => (font / 2, font / 5),
                _ => (font / 2, 0),
            };
            self.stroke(x, baseline - high, baseline + low, pen);
            self.stroke(x + font / 4, baseline - font / 2, baseline, pen);
            x += font / 2;
        }
    }

    /// Draws lines of 16 px text, [`LINE_PX`] apart, each with its given owner and width. Returns
    /// the bottom.
    pub(crate) fn lines(&mut self, left: u32, top: u32, lines: &[(u32, u32)]) -> u32 {
        for (index, &(owner, width)) in (0..).zip(lines) {
            self.line(owner, left, top + index * LINE_PX, width, 16);
        }
        top + lines.len() as u32 * LINE_PX
    }
}

/// The page of FIASCO's Figure 2: a ragged list (I), a list (II), running text under a headline
/// (III) and running text (IV). Each list item is a separate text node, and so is the headline.
/// Returns one owner in each region.
pub(crate) fn figure_2() -> (Drawing, [u32; 4]) {
    let mut page = Drawing::new(760, 1000);
    let ragged = [338, 150, 290, 338, 180, 320, 130, 300, 210, 335, 240, 160];
    let list = [
        300, 384, 340, 250, 380, 300, 384, 330, 260, 370, 290, 380, 384, 320,
    ];
    let items = |first: u32, widths: &[u32]| -> Vec<(u32, u32)> {
        (first..).zip(widths.iter().copied()).collect()
    };
    let bottom = page.lines(40, 40, &items(1, &ragged));
    let bottom = page.lines(40, bottom + 40, &items(101, &list));
    page.line(201, 40, bottom + 40, 632, 24);
    let text: Vec<(u32, u32)> = [640, 628, 636, 624, 640, 632, 540]
        .into_iter()
        .map(|width| (202, width))
        .collect();
    let bottom = page.lines(40, bottom + 66, &text);
    let text: Vec<(u32, u32)> = [634, 640, 626, 636, 629, 639, 590]
        .into_iter()
        .map(|width| (301, width))
        .collect();
    page.lines(40, bottom + 40, &text);
    (page, [1, 101, 202, 301])
}
