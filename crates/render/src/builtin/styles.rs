//! Reads the engine's computed styles: converts them to those of a capture, and finds their effects
//! on text besides its layout: effects that hide it, and the colors it is painted in.

use super::style_sheets::{CLIP, CONTENT, FILL, STROKE, STROKE_COLOR, STROKE_WIDTH};
use super::tree::{BuiltPage, Origins};
use blitz_dom::BaseDocument;
use blitz_dom::node::{Node, NodeData};
use blitz_dom::util::ToColorColor;
use style::Atom;
use style::color::AbsoluteColor;
use style::computed_values::backface_visibility::T as BackfaceVisibility;
use style::computed_values::direction::T as Direction;
use style::computed_values::mix_blend_mode::T as MixBlendMode;
use style::computed_values::visibility::T as Visibility;
use style::computed_values::white_space_collapse::T as WhiteSpaceCollapse;
use style::properties::ComputedValues;
use style::properties::generated::longhands::position::computed_value::T as ComputedPosition;
use style::values::computed::Display as ComputedDisplay;
use style::values::computed::TextAlign as ComputedAlign;
use style::values::computed::basic_shape::{BasicShape, ClipPath};
use style::values::computed::font::FontStyle;
use style::values::computed::image::Gradient;
use style::values::computed::{Image, Length, LengthOrAuto, Overflow, TextDecorationLine};
use style::values::generics::ClipRectOrAuto;
use style::values::generics::box_::Perspective;
use style::values::generics::effects::Filter;
use style::values::generics::image::GradientItem;
use style::values::generics::transform::{Rotate, Scale};
use style::values::specified::box_::{DisplayInside, DisplayOutside};
use vclean_core::capture::{Display, Dom, HiddenCause, Position, Style, TextAlign};
use vclean_core::rendering::can_tell;

/// Converts the style of an element; the border width comes from the layout, in px.
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
        has_background_image: background
            .background_image
            .0
            .iter()
            .any(|image| !matches!(image, Image::None)),
        is_underlined: values
            .get_text()
            .text_decoration_line
            .contains(TextDecorationLine::UNDERLINE),
        text_align: text_align(values.clone_text_align(), is_right_to_left),
        keeps_line_breaks: values.clone_white_space_collapse() != WhiteSpaceCollapse::Collapse,
        is_right_to_left,
        border_px,
    }
}

/// Returns the color of the backmost image of a background, if all images are gradients between
/// equal colors.
pub(super) fn plain_image(values: &ComputedValues) -> Option<[u8; 4]> {
    let current = values.clone_color();
    let mut plain = None;
    for image in &values.get_background().background_image.0 {
        let Image::Gradient(gradient) = image else {
            return None;
        };
        let items: &[_] = match &**gradient {
            Gradient::Linear { items, .. } | Gradient::Radial { items, .. } => items,
            Gradient::Conic { .. } => return None,
        };
        for item in items {
            let color = match item {
                GradientItem::SimpleColorStop(color)
                | GradientItem::ComplexColorStop { color, .. } => color,
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

/// Scale below which nothing remains of a text.
const MIN_SCALE: f32 = 0.02;
/// Opacity below which a filter hides text; as in `hidden_text`.
const MIN_OPACITY: f32 = 0.1;
/// Brightness or contrast below which everything is black or gray.
const MIN_FACTOR: f32 = 0.02;
/// Side of a clipping rectangle up to which it hides its content, in px.
const MAX_CLIP_PX: f32 = 1.5;

/// Effects of the elements around a text on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effect {
    /// Cause, if one of them certainly hides it.
    pub(super) hidden: Option<HiddenCause>,
    /// True if a filter, a mask or a clipping path applies.
    pub(super) is_filtered: bool,
    /// True if it is transparent and has a transition or an animation, so that a script may show
    /// it.
    pub(super) fades_in: bool,
    /// True if a background is painted through the letters.
    pub(super) shows_background: bool,
    /// The computed value of `color`.
    color: [u8; 4],
    /// Color that fills the letters instead of the text color.
    pub(super) fill: Option<[u8; 4]>,
    /// Color of the text shadow, if any.
    pub(super) shadow: Option<[u8; 4]>,
    /// Color of the letters' outlines, if any.
    pub(super) stroke: Option<[u8; 4]>,
    /// Blending with the layers below it.
    pub(super) blend: MixBlendMode,
}

impl Effect {
    const NONE: Self = Self {
        hidden: None,
        is_filtered: false,
        fades_in: false,
        shows_background: false,
        color: [0, 0, 0, 255],
        fill: None,
        shadow: None,
        stroke: None,
        blend: MixBlendMode::Normal,
    };
}

/// Computes the effects on each node, by index.
pub(super) fn read_effects(dom: &Dom, built: &BuiltPage) -> Vec<Effect> {
    let mut own: Vec<Option<Effect>> = vec![None; dom.len()];
    read_document(&built.document, &built.origins, &mut own);
    let mut effects = vec![Effect::NONE; dom.len()];
    // Parents precede their children.
    for id in dom.ids() {
        let around = dom
            .parent(id)
            .map_or(Effect::NONE, |parent| effects[parent.index()]);
        let legacy = if dom.tag(id) == "font" {
            dom.attribute(id, "color").and_then(parsed_attribute)
        } else {
            None
        };
        effects[id.index()] = match own[id.index()] {
            None => around,
            Some(own) => Effect {
                hidden: around.hidden.or(own.hidden),
                is_filtered: around.is_filtered || own.is_filtered,
                fades_in: around.fades_in
                    || own.fades_in
                    || starts_clear(dom.attribute(id, "style").unwrap_or("")),
                blend: if own.blend == MixBlendMode::Normal {
                    around.blend
                } else {
                    own.blend
                },
                // The engine ignores this attribute; a color from a style sheet has precedence.
                fill: own.fill.or_else(|| {
                    let is_same = own.color == around.color;
                    legacy.or(around.fill).filter(|_| is_same)
                }),
                ..own
            },
        };
    }
    effects
}

/// Returns true for an inline style from which scripts start animations: transparent, and moved or
/// blurred.
fn starts_clear(style: &str) -> bool {
    let declared = |declaration: &str| {
        let (name, value) = declaration.split_once(':')?;
        Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
    };
    let is_clear = style.split(';').filter_map(declared).any(|(name, value)| {
        name == "opacity"
            && value
                .parse::<f32>()
                .is_ok_and(|opacity| opacity < MIN_OPACITY)
    });
    let is_moved = |(name, _): (String, String)| {
        matches!(
            name.as_str(),
            "transform" | "translate" | "filter" | "will-change" | "scale"
        )
    };
    is_clear && style.split(';').filter_map(declared).any(is_moved)
}

fn read_document(document: &BaseDocument, all: &[Origins], own: &mut [Option<Effect>]) {
    let Some(origins) = all.iter().find(|origins| origins.document == document.id()) else {
        return;
    };
    for (id, node) in document.tree().iter() {
        if let (NodeData::Element(element), Some(our)) = (&node.data, origins.our_node(id)) {
            own[our.index()] = effect(document, node);
            if &*element.name.local == "iframe"
                && let Some(inner) = document.subdoc(id)
            {
                read_document(&inner.inner(), all, own);
            }
        }
    }
}

/// Computes the effect of one element, with inherited values.
fn effect(document: &BaseDocument, node: &Node) -> Option<Effect> {
    let values = node.primary_styles()?;
    let effects = values.get_effects();
    let color = values.clone_color();
    let is_masked = values
        .get_svg()
        .mask_image
        .0
        .iter()
        .any(|image| !matches!(image, Image::None));
    let is_clear = effects.opacity < MIN_OPACITY;
    let ui = values.get_ui();
    let custom = |name: &str| custom(&values, name);
    let width = custom(STROKE_WIDTH).or_else(|| custom(STROKE));
    let has_stroke = width.is_some_and(|width| {
        width.split(' ').any(|part| {
            part.trim_end_matches(|letter: char| letter.is_alphabetic())
                .parse::<f32>()
                .is_ok_and(|width| width > 0.0)
        })
    });
    Some(Effect {
        hidden: hidden(document, node, &values),
        is_filtered: is_masked
            || !effects.filter.0.is_empty()
            || !matches!(values.clone_clip_path(), ClipPath::None),
        fades_in: is_clear && (ui.specifies_transitions() || ui.specifies_animations()),
        shows_background: custom(CLIP).is_some() && !fades_into_ground(document, node, &values),
        color: bytes(&color),
        fill: custom(FILL).and_then(|fill| parsed(&fill)),
        shadow: values
            .get_inherited_text()
            .text_shadow
            .0
            .iter()
            .map(|shadow| bytes(&shadow.color.resolve_to_absolute(&color)))
            .find(|shadow| shadow[3] > 15),
        stroke: has_stroke.then(|| {
            let own = custom(STROKE_COLOR)
                .or_else(|| custom(STROKE)?.rsplit(' ').next().map(str::to_owned));
            own.and_then(|own| parsed(&own)).unwrap_or(bytes(&color))
        }),
        blend: effects.mix_blend_mode,
    })
}

/// Returns true if the clipping path of an element is an inset that leaves nothing visible.
fn cuts_off(values: &ComputedValues, node: &Node) -> bool {
    let ClipPath::Shape(shape, _) = values.clone_clip_path() else {
        return false;
    };
    let BasicShape::Rect(inset) = &*shape else {
        return false;
    };
    let size = node.final_layout().size;
    let [top, right, bottom, left] = [
        (&inset.rect.0, size.height),
        (&inset.rect.1, size.width),
        (&inset.rect.2, size.height),
        (&inset.rect.3, size.width),
    ]
    .map(|(inset, whole)| inset.resolve(Length::new(whole)).px());
    (size.height - top - bottom).min(size.width - left - right) <= MAX_CLIP_PX
}

/// Returns true if the background of an element, painted through its letters, has the color of what
/// is below the element.
fn fades_into_ground(document: &BaseDocument, node: &Node, values: &ComputedValues) -> bool {
    let plain = |values: &ComputedValues| {
        let background = values.get_background();
        let mut images = background.background_image.0.iter();
        if images.all(|image| matches!(image, Image::None)) {
            let color = &background.background_color;
            Some(bytes(&color.resolve_to_absolute(&values.clone_color())))
        } else {
            plain_image(values)
        }
    };
    let mut below = [255; 4];
    let mut at = node.parent;
    while let Some(around) = at.and_then(|id| document.get_node(id)) {
        if let Some(values) = around.primary_styles() {
            match plain(&values) {
                None => return false,
                Some(color) if color[3] >= 250 => {
                    below = color;
                    break;
                }
                Some(_) => {}
            }
        }
        at = around.parent;
    }
    let solid = |[red, green, blue, _]: [u8; 4]| [red, green, blue];
    plain(values).is_some_and(|own| own[3] < 16 || !can_tell(solid(own), solid(below)))
}

/// Returns the cause if an element hides all text in it.
fn hidden(document: &BaseDocument, node: &Node, values: &ComputedValues) -> Option<HiddenCause> {
    let effects = values.get_effects();
    if effects
        .filter
        .0
        .iter()
        .any(|filter| matches!(filter, Filter::Opacity(share) if share.0 < MIN_OPACITY))
    {
        return Some(HiddenCause::Transparent);
    }
    if custom(values, CONTENT).is_some_and(|value| value.trim() == "hidden") {
        return Some(HiddenCause::NotPainted);
    }
    let font_px = values.get_font().font_size.used_size.0.px();
    let ends = |filter: &style::values::computed::Filter| match filter {
        Filter::Brightness(factor) | Filter::Contrast(factor) => factor.0 < MIN_FACTOR,
        Filter::Blur(radius) => radius.0.px() > font_px,
        _ => false,
    };
    if effects.filter.0.iter().any(ends) {
        return Some(HiddenCause::NotPainted);
    }
    if cuts_off(values, node) {
        return Some(HiddenCause::Clipped);
    }
    let own = values.get_box();
    if let ClipRectOrAuto::Rect(rect) = &effects.clip
        && matches!(
            own.position,
            ComputedPosition::Absolute | ComputedPosition::Fixed
        )
    {
        let size = node.final_layout().size;
        let side = |edge: &LengthOrAuto, auto: f32| match edge {
            LengthOrAuto::Auto => auto,
            LengthOrAuto::LengthPercentage(length) => length.px(),
        };
        let width = side(&rect.right, size.width) - side(&rect.left, 0.0);
        let height = side(&rect.bottom, size.height) - side(&rect.top, 0.0);
        if width.min(height) <= MAX_CLIP_PX {
            return Some(HiddenCause::Clipped);
        }
    }
    let is_thin = match &own.scale {
        Scale::Scale(x, y, _) => x.abs().min(y.abs()) < MIN_SCALE,
        Scale::None => false,
    } || match &own.rotate {
        Rotate::Rotate3D(x, y, z, angle) => {
            *z == 0.0 && (*x != 0.0 || *y != 0.0) && angle.radians().cos().abs() < MIN_SCALE
        }
        _ => false,
    };
    if is_thin {
        return Some(HiddenCause::TooSmall);
    }
    if own.transform.0.is_empty() {
        return None;
    }
    // Without a box, a translation by a share of its size gives no matrix; such a transform hides
    // nothing here.
    let (matrix, _) = own.transform.to_transform_3d_matrix(None).ok()?;
    let (across, down) = (matrix.m11.hypot(matrix.m12), matrix.m21.hypot(matrix.m22));
    if across.min(down) < MIN_SCALE {
        return Some(HiddenCause::TooSmall);
    }
    if own.backface_visibility == BackfaceVisibility::Hidden && matrix.m33 < 0.0 {
        return Some(HiddenCause::NotPainted);
    }
    let around = node
        .parent
        .and_then(|parent| document.get_node(parent))
        .and_then(Node::primary_styles)?;
    match around.clone_perspective() {
        Perspective::Length(length) if matrix.m43 >= length.0.px().max(1.0) => {
            Some(HiddenCause::NotPainted)
        }
        _ => None,
    }
}

/// Parses a color as in attributes of HTML, with or without `#` before a number.
fn parsed_attribute(value: &str) -> Option<[u8; 4]> {
    let value = value.trim().to_ascii_lowercase();
    parsed(&value).or_else(|| parsed(&format!("#{value}")))
}

/// Returns the computed value of a custom property, if it is set.
fn custom(values: &ComputedValues, name: &str) -> Option<String> {
    let all = &values.custom_properties().inherited;
    all.get(&Atom::from(name))
        .map(|value| value.to_variable_value().css.trim().to_ascii_lowercase())
}

/// Parses a color; `None` for the text color, and for an invalid color.
fn parsed(value: &str) -> Option<[u8; 4]> {
    let rgba = color::parse_color(value)
        .ok()?
        .to_alpha_color::<color::Srgb>()
        .to_rgba8();
    Some([rgba.r, rgba.g, rgba.b, rgba.a])
}
