//! Rectangles on the page.

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
}
