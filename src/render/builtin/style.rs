//! Converts computed styles of the engine to those of a capture.

use crate::capture::{Display, Position, Style, TextAlign};
use blitz_dom::util::ToColorColor;
use style::color::AbsoluteColor;
use style::computed_values::direction::T as Direction;
use style::computed_values::visibility::T as Visibility;
use style::computed_values::white_space_collapse::T as WhiteSpaceCollapse;
use style::properties::ComputedValues;
use style::properties::generated::longhands::position::computed_value::T as ComputedPosition;
use style::values::computed::font::FontStyle;
use style::values::computed::image::Gradient;
use style::values::computed::{
    Display as ComputedDisplay, Image, Overflow, TextAlign as ComputedAlign, TextDecorationLine,
};
use style::values::generics::image::GradientItem;
use style::values::specified::box_::{DisplayInside, DisplayOutside};

/// The style of an element; the border width comes from the layout, in px.
pub(super) fn style(values: &ComputedValues, border_px: f32) -> Style {
    let color = values.clone_color();
    let background = values.get_background();
    let font = values.get_font();
    let is_right_to_left = values.clone_direction() == Direction::Rtl;
    let clips = |overflow: Overflow| overflow != Overflow::Visible;
    Style {
        display: display(values.clone_display()),
        position: position(values.clone_position()),
        is_float: values.clone_float().is_floating(),
        is_visible: values.clone_visibility() == Visibility::Visible,
        clips: clips(values.clone_overflow_x()) || clips(values.clone_overflow_y()),
        opacity: values.get_effects().opacity.clamp(0.0, 1.0),
        font_size_px: font.font_size.used_size.0.px(),
        font_weight: font.font_weight.value().clamp(1.0, 1000.0) as u16,
        is_italic: font.font_style != FontStyle::NORMAL,
        color: bytes(&color),
        background: bytes(&background.background_color.resolve_to_absolute(&color)),
        has_background_image: background.background_image.0.iter().any(|image| !matches!(image, Image::None)),
        is_underlined: values.get_text().text_decoration_line.contains(TextDecorationLine::UNDERLINE),
        text_align: text_align(values.clone_text_align(), is_right_to_left),
        keeps_line_breaks: values.clone_white_space_collapse() != WhiteSpaceCollapse::Collapse,
        is_right_to_left,
        border_px,
    }
}

/// The color of the backmost image of a background, if all images are gradients from a color to the same.
pub(super) fn plain_image(values: &ComputedValues) -> Option<[u8; 4]> {
    let current = values.clone_color();
    let mut plain = None;
    for image in &values.get_background().background_image.0 {
        let Image::Gradient(gradient) = image else { return None };
        let items: &[_] = match &**gradient {
            Gradient::Linear { items, .. } | Gradient::Radial { items, .. } => items,
            Gradient::Conic { .. } => return None,
        };
        for item in items {
            let color = match item {
                GradientItem::SimpleColorStop(color) | GradientItem::ComplexColorStop { color, .. } => color,
                GradientItem::InterpolationHint(_) => return None,
            };
            let color = bytes(&color.resolve_to_absolute(&current));
            if *plain.get_or_insert(color) != color {
                return None;
            }
        }
    }
    plain
}

pub(super) fn bytes(color: &AbsoluteColor) -> [u8; 4] {
    let rgba = color.as_color_color().to_rgba8();
    [rgba.r, rgba.g, rgba.b, rgba.a]
}

fn display(value: ComputedDisplay) -> Display {
    if value.is_list_item() {
        return Display::ListItem;
    }
    match (value.outside(), value.inside()) {
        (_, DisplayInside::None) => Display::None,
        (_, DisplayInside::Contents) => Display::Contents,
        (DisplayOutside::Inline, DisplayInside::Flow) => Display::Inline,
        (DisplayOutside::Inline, _) => Display::InlineBlock,
        (_, DisplayInside::Flex) => Display::Flex,
        (_, DisplayInside::Grid) => Display::Grid,
        (_, DisplayInside::Table) => Display::Table,
        (
            _,
            DisplayInside::TableRow
            | DisplayInside::TableRowGroup
            | DisplayInside::TableHeaderGroup
            | DisplayInside::TableFooterGroup
            | DisplayInside::TableColumn
            | DisplayInside::TableColumnGroup,
        ) => Display::TableRow,
        (_, DisplayInside::TableCell) | (DisplayOutside::TableCaption, _) => Display::TableCell,
        _ => Display::Block,
    }
}

fn position(value: ComputedPosition) -> Position {
    match value {
        ComputedPosition::Static => Position::Static,
        ComputedPosition::Relative => Position::Relative,
        ComputedPosition::Absolute => Position::Absolute,
        ComputedPosition::Fixed => Position::Fixed,
        ComputedPosition::Sticky => Position::Sticky,
    }
}

fn text_align(value: ComputedAlign, is_right_to_left: bool) -> TextAlign {
    match value {
        ComputedAlign::Center | ComputedAlign::MozCenter => TextAlign::Center,
        ComputedAlign::Justify => TextAlign::Justify,
        ComputedAlign::Right | ComputedAlign::MozRight => TextAlign::Right,
        ComputedAlign::End if !is_right_to_left => TextAlign::Right,
        ComputedAlign::Start if is_right_to_left => TextAlign::Right,
        _ => TextAlign::Left,
    }
}
