//! Lays out one page with its frames on a worker thread with a large stack, draws it and reads its
//! boxes. Threads are reused; one that exceeds the time limit of its page is abandoned.
//!
//! A new thread per page would be simpler, but each new thread uses another arena of the allocator,
//! and the fragmented memory of a page is not returned. 300 pages six times over left 509 MB with
//! new threads, and 373 MB with reused ones.
//!
//! The documents of frames come from the folder next to the page, from its archive or file, or from
//! the `srcdoc` attribute, never from the network. A frame is loaded only if it is laid out with a
//! visible size, so the page is laid out without its frames first; then again with them, until no
//! frame of the next depth is found.

use super::resources::{ResourceLocation, Resources, document_base, frame_address};
use super::style_sheets::without_scripts;
use super::tree::{BuiltPage, Origins};
use super::{boxes, fonts, hidden_text, layout_fixes, paint, tree, unfold};
use crate::net::without_refresh;
use crate::rendered::Timings;
use blitz_dom::BaseDocument;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};
use std::{panic, thread};
use style::computed_values::visibility::T as Visibility;
use url::Url;
use vclean_core::capture::{
    Dom, DomBuilder, Layout, NodeId, NodeKind, Picture, Pictures, TreeCopy,
};
use vclean_core::error::{RenderError, WarningKind, Warnings};
use vclean_core::hash::Fnv;
use vclean_core::html::parse_html;
use vclean_core::text::excerpt;

/// The input of a worker thread for one page.
pub(super) struct LayoutJob {
    pub(super) dom: Dom,
    pub(super) base: Url,
    pub(super) location: ResourceLocation,
    pub(super) viewport_px: [u32; 2],
    pub(super) max_height_px: u32,
    pub(super) is_painted: bool,
}

/// The output of a worker thread for one page.
pub(super) struct LayoutResult {
    pub(super) dom: Dom,
    pub(super) layout: Layout,
    pub(super) pictures: Pictures,
    pub(super) warnings: Warnings,
    pub(super) timings: Timings,
}

/// Computes styles and layout of a page and its frames; returns warnings.
fn resolve(dom: &Dom, built: &mut BuiltPage) -> Warnings {
    let document = &mut built.document;
    // Changes that depend only on styles precede the first layout, which takes most of the time.
    document.resolve_stylist(0.0);
    let warnings = layout_fixes::show_roots(document);
    unfold::unfold(document, dom, &built.origins);
    layout_fixes::mend_tables(document, &mut built.origins);
    document.resolve(0.0);
    // Only now are the sizes of frames known, and the styles of the documents in them.
    if layout_fixes::mend_frames(document, &mut built.origins) > 0 {
        document.resolve(0.0);
    }
    if layout_fixes::grow_frames(document) {
        document.resolve(0.0);
    }
    warnings
}

/// Lays out a page, and repeats this with the documents of its visible frames until no more are
/// found. `lap` measures the time of a step.
fn lay_out_with_frames(
    mut dom: Dom,
    base: &Url,
    context: &tree::BuildContext<'_>,
    timings: &mut Timings,
    lap: &mut impl FnMut() -> f64,
) -> Result<(Dom, BuiltPage, Warnings), RenderError> {
    let mut budget = FrameBudget::new(MAX_NODES.saturating_sub(dom.len()));
    let mut depth = 0;
    loop {
        let mut built = tree::build(&dom, base, context);
        if built.document.try_root_element().is_none() {
            return Err(RenderError::Load(
                "the page has no element to lay out".to_owned(),
            ));
        }
        timings.navigate_ms += lap();
        let warnings = resolve(&dom, &mut built);
        timings.snapshot_ms += lap();
        let mut with_frames = None;
        while with_frames.is_none() && depth < MAX_LOADED_DEPTH {
            let visible = visible_frames(&built.document, &built.origins);
            with_frames = load_frames(&dom, base, context.resources, &visible, depth, &mut budget);
            depth += 1;
        }
        let Some(with_frames) = with_frames else {
            return Ok((dom, built, warnings));
        };
        dom = with_frames;
        context.resources.reset();
    }
}

pub(super) fn lay_out(job: LayoutJob) -> Result<LayoutResult, RenderError> {
    let LayoutJob {
        dom,
        base,
        location,
        viewport_px,
        max_height_px,
        is_painted,
    } = job;
    let mut timings = Timings::default();
    let mut step = Instant::now();
    let mut lap = || {
        let ms = step.elapsed().as_secs_f64() * 1000.0;
        step = Instant::now();
        ms
    };
    let resources = Arc::new(Resources::new(location, is_painted));
    let fonts = fonts::context(&dom);
    let context = tree::BuildContext {
        resources: &resources,
        fonts: &fonts,
        viewport_px,
    };
    let (dom, mut built, mut warnings) =
        lay_out_with_frames(dom, &base, &context, &mut timings, &mut lap)?;
    let boxes = boxes::read(&dom, &built, viewport_px);
    warnings.extend(resources.warnings());
    if boxes.missing_letters > 0 {
        let missing = match boxes.missing_letters {
            1 => "1 letter is in no installed font; its width is an estimate".to_owned(),
            count => {
                format!("{count} letters are in no installed font; their widths are estimates")
            }
        };
        let text = format!("{missing}, install fonts for the page's script");
        warnings.add(WarningKind::MissingFont, text);
    }
    let (mut layout, sketch, size) = boxes.layout(&dom, viewport_px, max_height_px);
    if layout.page_height_px.ceil() > size[1] as f32 {
        let text = format!(
            "the page is {:.0} px tall; the pictures end at {} px",
            layout.page_height_px, size[1]
        );
        warnings.add(WarningKind::TooTall, text);
    }
    timings.convert_ms = lap();
    let (image, mask) = sketch.draw(size);
    timings.screenshot_ms = lap();
    let found = hidden_text::decide(
        &dom,
        &layout,
        &sketch,
        &mask,
        resources.missing(),
        &mut built,
    );
    layout.set_visibility(found);
    timings.hidden_ms = lap();
    let painted = is_painted.then(|| Picture::from_rgb(paint::paint(&mut built.document, size)));
    timings.paint_ms = lap();
    drop(built);
    let pictures = Pictures {
        painted,
        ..Pictures::new(Picture::from_gray(image), Picture::from_mask(mask))
    };
    Ok(LayoutResult {
        dom,
        layout,
        pictures,
        warnings,
        timings,
    })
}

/// Maximum number of nodes of a page; the engine takes some 3 kB for each.
pub(super) const MAX_NODES: usize = 200_000;
/// Maximum amount of text of a page, in bytes; the engine takes some 120 bytes for each.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// Rejects a page that is too large for the engine.
pub(super) fn check_size(dom: &Dom) -> Result<(), RenderError> {
    if dom.len() > MAX_NODES {
        return Err(RenderError::Limit(format!(
            "the page has {} nodes, more than the {MAX_NODES} that the built-in engine takes; use `engine` chromium",
            dom.len()
        )));
    }
    let text_bytes: usize = dom
        .ids()
        .filter_map(|id| shown_text(dom, id))
        .map(str::len)
        .sum();
    if text_bytes > MAX_TEXT_BYTES {
        return Err(RenderError::Limit(format!(
            "the page has {} MB of text, more than the {} that the built-in engine takes; use `engine` chromium",
            text_bytes >> 20,
            MAX_TEXT_BYTES >> 20
        )));
    }
    Ok(())
}

/// Returns the text of a text node, if the engine gets it as text.
fn shown_text(dom: &Dom, id: NodeId) -> Option<&str> {
    let holder = dom.parent(id).map_or("", |parent| dom.tag(parent));
    dom.text(id)
        .filter(|_| !matches!(holder, "script" | "style" | "noscript" | "template"))
}

/// Number of threads running after their time limit from which on new pages are rejected.
const MAX_OVERRUN: usize = 4;

/// The result of a page; a panic is reported by the first line of its message.
type JobResult = Result<Result<LayoutResult, RenderError>, String>;

/// The idle threads; the others are busy with a page.
pub(super) struct Threads {
    stack_bytes: usize,
    idle: Mutex<Vec<Worker>>,
    overrun: Arc<AtomicUsize>,
}

/// A thread that waits for pages.
struct Worker {
    pages: Sender<(LayoutJob, Sender<JobResult>)>,
    is_given_up: Arc<AtomicBool>,
}

impl Threads {
    pub(super) fn new(stack_bytes: usize) -> Self {
        Self {
            stack_bytes,
            idle: Mutex::default(),
            overrun: Arc::default(),
        }
    }

    /// Lays out a page within `limit_ms`.
    pub(super) fn run(&self, job: LayoutJob, limit_ms: u64) -> Result<LayoutResult, RenderError> {
        if self.overrun.load(Ordering::Relaxed) >= MAX_OVERRUN {
            return Err(RenderError::Limit(format!(
                "{MAX_OVERRUN} pages before this one still keep the built-in engine busy; use `engine` chromium for it"
            )));
        }
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let worker = idle.map_or_else(|| self.start(), Ok)?;
        let (send, receive) = mpsc::channel();
        // If the thread has ended, the missing result is noticed below.
        let _ = worker.pages.send((job, send));
        match receive.recv_timeout(Duration::from_millis(limit_ms)) {
            Ok(Ok(result)) => {
                self.idle
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(worker);
                result
            }
            // The engine has thread-local state, so a thread that panicked is not reused.
            Ok(Err(message)) => Err(RenderError::Crash(format!(
                "the built-in engine failed on the page: {message}; use `engine` chromium for it"
            ))),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(RenderError::Crash(
                "the built-in engine's thread ended; use `engine` chromium for the page".into(),
            )),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.overrun.fetch_add(1, Ordering::Relaxed);
                worker.is_given_up.store(true, Ordering::Release);
                Err(RenderError::TimeOut {
                    step: "laying the page out",
                    limit_ms,
                })
            }
        }
    }

    fn start(&self) -> Result<Worker, RenderError> {
        let (pages, waiting) = mpsc::channel();
        let is_given_up = Arc::new(AtomicBool::new(false));
        let (overrun, gone) = (Arc::clone(&self.overrun), Arc::clone(&is_given_up));
        thread::Builder::new()
            .name("vclean-engine".to_owned())
            .stack_size(self.stack_bytes)
            .spawn(move || {
                work(&waiting);
                // The thread finished its last page only now.
                if gone.load(Ordering::Acquire) {
                    overrun.fetch_sub(1, Ordering::Relaxed);
                }
            })
            .map_err(|error| {
                RenderError::Crash(format!("cannot start a thread for the page: {error}"))
            })?;
        Ok(Worker { pages, is_given_up })
    }
}

/// Lays out pages until the sender is dropped.
fn work(waiting: &Receiver<(LayoutJob, Sender<JobResult>)>) {
    while let Ok((job, answer)) = waiting.recv() {
        let result = panic::catch_unwind(AssertUnwindSafe(|| lay_out(job)))
            .map_err(|payload| panic_message(&*payload));
        let has_panicked = result.is_err();
        let _ = answer.send(result);
        if has_panicked {
            break;
        }
    }
}

/// Returns the first line of a panic message.
fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = text
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    excerpt(text.lines().next().unwrap_or("no message"), 200).to_owned()
}

/// Frames nested deeper than this are not loaded.
const MAX_LOADED_DEPTH: usize = 3;
/// Maximum number of frames that are loaded for a page.
const MAX_FRAMES: usize = 20;
/// Maximum size of all loaded documents of a page together, in bytes.
const MAX_BYTES: usize = 4 << 20;
/// Width or height up to which a frame counts as invisible, in CSS px; frames of 1 px count visits.
const MIN_SIDE_PX: f32 = 2.0;

/// Remaining limits for the frames of a page.
struct FrameBudget {
    frames: usize,
    bytes: usize,
    nodes: usize,
}

impl FrameBudget {
    /// Creates the budget of a page that may have `nodes` more nodes.
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            frames: MAX_FRAMES,
            bytes: MAX_BYTES,
            nodes,
        }
    }
}

/// Returns the page with the documents of those frames in `visible` that are `depth` frames deep
/// and can be loaded; `None` if there is none. `base` is the page's own address.
fn load_frames(
    dom: &Dom,
    base: &Url,
    resources: &Resources,
    visible: &BTreeSet<NodeId>,
    depth: usize,
    budget: &mut FrameBudget,
) -> Option<Dom> {
    let mut loaded = BTreeMap::new();
    for &frame in visible {
        let documents: Vec<NodeId> = dom
            .ancestors(frame)
            .filter(|&up| dom.kind(up) == NodeKind::Document)
            .collect();
        if documents.len() != depth + 1 || has_document(dom, frame) || budget.frames == 0 {
            continue;
        }
        let Some(html) = source(
            dom,
            frame,
            &document_base(dom, documents[0], base),
            resources,
        ) else {
            continue;
        };
        if html.len() > budget.bytes {
            continue;
        }
        let document = parse_html(&without_refresh(&without_scripts(&html)));
        let key = document_key(&document, Dom::ROOT);
        // A page that contains itself in a frame would be nested endlessly.
        if document.len() > budget.nodes
            || documents
                .iter()
                .any(|&around| document_key(dom, around) == key)
        {
            continue;
        }
        budget.frames -= 1;
        budget.bytes -= html.len();
        budget.nodes -= document.len();
        loaded.insert(frame, document);
    }
    (!loaded.is_empty()).then(|| with_documents(dom, loaded))
}

/// Returns the source text of a frame's document.
fn source(dom: &Dom, frame: NodeId, base: &Url, resources: &Resources) -> Option<String> {
    if let Some(text) = dom.attribute(frame, "srcdoc") {
        return Some(text.to_owned());
    }
    let data = || {
        base.join(dom.attribute(frame, "src")?.trim())
            .ok()
            .filter(|url| url.scheme() == "data")
    };
    resources.document(&frame_address(dom, frame, base).or_else(data)?)
}

fn has_document(dom: &Dom, frame: NodeId) -> bool {
    dom.children(frame)
        .any(|child| dom.kind(child) == NodeKind::Document)
}

/// Computes a hash of the tags and texts of a document, without those in its frames.
fn document_key(dom: &Dom, document: NodeId) -> u64 {
    let mut hash = Fnv::new();
    let mut skip_until = 0;
    for id in dom.descendants(document) {
        if id.index() < skip_until {
            continue;
        }
        let part = match dom.kind(id) {
            NodeKind::Document => {
                skip_until = dom.end(id);
                continue;
            }
            // The text of a frame is replaced by its document.
            NodeKind::Text(_)
                if dom
                    .parent(id)
                    .is_some_and(|up| matches!(dom.tag(up), "iframe" | "frame")) =>
            {
                continue;
            }
            NodeKind::Text(text) => text,
            NodeKind::Element { tag, .. } => tag,
        };
        part.bytes().chain([0]).for_each(|byte| hash.add(byte));
    }
    hash.finish()
}

/// Inserts documents below these frames, replacing the text for browsers without frames.
fn with_documents(dom: &Dom, mut loaded: BTreeMap<NodeId, Dom>) -> Dom {
    let mut builder = DomBuilder::new();
    let mut page = TreeCopy::new();
    while let Some(id) = page.step(dom, &mut builder) {
        if let Some(document) = loaded.remove(&id) {
            page.skip_content(dom);
            builder.open_document();
            let mut inner = TreeCopy::new();
            while inner.step(&document, &mut builder).is_some() {}
            builder.close();
        }
    }
    builder.finish()
}

/// Finds the frames of a page that are laid out with a visible size, including nested ones.
fn visible_frames(document: &BaseDocument, all: &[Origins]) -> BTreeSet<NodeId> {
    let mut visible = BTreeSet::new();
    add_visible(document, all, &mut visible);
    visible
}

fn add_visible(document: &BaseDocument, all: &[Origins], visible: &mut BTreeSet<NodeId>) {
    let Some(origins) = all.iter().find(|origins| origins.document == document.id()) else {
        return;
    };
    for (id, node) in document.tree().iter() {
        if node
            .element_data()
            .is_none_or(|element| &*element.name.local != "iframe")
        {
            continue;
        }
        let is_shown = node.primary_styles().is_some_and(|values| {
            !values.clone_display().is_none() && values.clone_visibility() == Visibility::Visible
        });
        let layout = node.final_layout();
        let around = [layout.border, layout.padding];
        let width = layout.size.width
            - around
                .iter()
                .map(|side| side.left + side.right)
                .sum::<f32>();
        let height = layout.size.height
            - around
                .iter()
                .map(|side| side.top + side.bottom)
                .sum::<f32>();
        if !is_shown || width < MIN_SIDE_PX || height < MIN_SIDE_PX {
            continue;
        }
        visible.extend(origins.our_node(id));
        if let Some(inner) = document.subdoc(id) {
            add_visible(&inner.inner(), all, visible);
        }
    }
}
