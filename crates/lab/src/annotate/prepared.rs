//! A page that is ready to be labelled: its capture, its blocks and the model's verdicts.

use super::block::{AnnotatedBlock, blocks, least_certain_first};
use super::error::AnnotateError;
use super::folder::GoldFolder;
use image::RgbImage;
use std::path::Path;
use std::sync::OnceLock;
use vclean_core::capture::{Capture, Engine, Positions};
use vclean_core::classify::LikelyKind;
use vclean_core::error::Error;
use vclean_core::files::{
    is_capture, load_capture, load_record, make_folder, save_capture, write_whole,
};
use vclean_core::hash::Fnv;
use vclean_core::page::{Body, Page, parse};
use vclean_core::pipeline::PageCleaner;

/// A page with its blocks. It does not change while it is labelled.
#[derive(Debug)]
pub struct PreparedPage {
    /// Title of the page; `None` if it has none.
    pub title: Option<String>,
    /// Its address, as it states it itself or else where it was loaded from; `None` if neither is
    /// known.
    pub url: Option<String>,
    /// Language of its text as a BCP 47 tag; empty if it is unknown.
    pub language: String,
    /// Kind of page, if the model tells.
    pub kind: Option<LikelyKind>,
    /// Expected F of the text that the model keeps, 0 to 1.
    pub expected_f: f32,
    /// Its blocks, in document order.
    pub blocks: Vec<AnnotatedBlock>,
    /// Numbers of the blocks, least certain first.
    pub order: Vec<usize>,
    /// Positions of its nodes, for XPaths.
    pub positions: Positions,
    /// Capture that the blocks refer to.
    pub capture: Capture,
    picture: OnceLock<Option<RgbImage>>,
}

impl PreparedPage {
    /// Cleans a capture and measures what the labelling page shows.
    ///
    /// # Errors
    /// If the page cannot be cleaned.
    pub fn new(capture: Capture, cleaner: &PageCleaner) -> Result<Self, AnnotateError> {
        let cleaned = cleaner.clean_capture(&capture)?;
        let positions = Positions::new(&capture.dom);
        let blocks = blocks(&capture, &cleaned, &positions);
        let expected_f = cleaned.expected_f();
        let document = cleaned.document;
        Ok(Self {
            title: document.metadata.title,
            url: document.metadata.url,
            language: document.metadata.language.unwrap_or_default(),
            kind: document.kind,
            expected_f,
            order: least_certain_first(&blocks),
            blocks,
            positions,
            capture,
            picture: OnceLock::new(),
        })
    }

    /// The page image in color, decoded once; `None` for a page without a picture, or with a
    /// damaged one.
    pub fn picture(&self) -> Option<&RgbImage> {
        let decode = || {
            self.capture
                .pictures
                .as_ref()
                .and_then(|pictures| pictures.to_look_at().decode_rgb().ok())
        };
        self.picture.get_or_init(decode).as_ref()
    }

    /// True if the picture is a drawing for measuring, in which letters are unreadable strokes.
    pub(crate) fn is_sketch(&self) -> bool {
        let is_drawn = self.capture.record.engine == Engine::Builtin;
        is_drawn
            && self
                .capture
                .pictures
                .as_ref()
                .is_some_and(|pictures| pictures.painted.is_none())
    }

    /// A hash of the texts and paths of the blocks, to detect that a page has changed.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hash = Fnv::new();
        for block in &self.blocks {
            for byte in block
                .xpath
                .bytes()
                .chain([0])
                .chain(block.text.bytes())
                .chain([0])
            {
                hash.add(byte);
            }
        }
        format!("{:016x}", hash.finish())
    }
}

// Opens pages for labelling: from the kept capture, rendered, or parsed; cleaned by the model.

/// Renders a page that is not a capture.
pub type RenderPage = Box<dyn Fn(&Page) -> Result<Capture, Error> + Send + Sync>;

/// Opens pages. Used from many threads.
pub struct Preparing {
    cleaner: PageCleaner,
    render: Option<RenderPage>,
}

impl Preparing {
    /// Pages are cleaned with `cleaner`; those that are not captures are rendered with `render`, or
    /// parsed if it is `None`.
    pub fn new(cleaner: PageCleaner, render: Option<RenderPage>) -> Self {
        Self { cleaner, render }
    }

    /// The page with its blocks. A rendered page is kept at once, because rendering is slow and may
    /// differ next time.
    ///
    /// # Errors
    /// If the page cannot be read, rendered or cleaned.
    pub fn prepare(
        &self,
        gold: &GoldFolder,
        id: &str,
        page: &Page,
    ) -> Result<PreparedPage, AnnotateError> {
        if let Some(kept) = kept_capture(gold, id)? {
            return PreparedPage::new(kept, &self.cleaner);
        }
        let capture = match (&page.body, &self.render) {
            (Body::Address(_), _) => {
                let cause = "it is on the web; save a capture of it with vclean render, and label the capture";
                return Err(AnnotateError::Input(cause.to_owned()));
            }
            (Body::Html { .. } | Body::Mhtml(_), Some(render)) => {
                let capture = render(page)?;
                keep_page(gold, id, page, &capture)?;
                capture
            }
            _ => parse(page)?,
        };
        PreparedPage::new(capture, &self.cleaner)
    }
}

// The page itself, stored with its labels: its bytes, and the capture that was labelled.

/// The byte order mark, which declares a text to be UTF-8; it overrides the page's own declaration.
const UTF8_MARK: &str = "\u{feff}";

/// The bytes of a page and the ending of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PageFile {
    ending: &'static str,
    bytes: Vec<u8>,
}

/// The name under which a page is kept: `stem`, or a longer name if another page is kept under that
/// one.
pub(super) fn id_of(gold: &GoldFolder, stem: &str, page: &Page) -> String {
    let id = super::folder::safe_id(stem);
    if is_free(gold, &id) || is_kept(gold, &id, page) {
        return id;
    }
    let mut hash = Fnv::new();
    let content =
        file_of_source(page).map_or_else(|| page.input.clone().into_bytes(), |file| file.bytes);
    for byte in content {
        hash.add(byte);
    }
    super::folder::safe_id(&format!("{:08x}-{id}", hash.finish() & 0xffff_ffff))
}

fn is_free(gold: &GoldFolder, id: &str) -> bool {
    !is_capture(&gold.capture(id))
        && ["html", "mhtml"]
            .iter()
            .all(|ending| !gold.page(id, ending).exists())
}

/// True if this very page is kept under this name.
fn is_kept(gold: &GoldFolder, id: &str, page: &Page) -> bool {
    match &page.body {
        Body::Capture(folder) => {
            let kept = gold.capture(id);
            is_same_place(folder, &kept) || load_record(folder).ok() == load_record(&kept).ok()
        }
        _ => file_of_source(page).is_some_and(|file| {
            std::fs::read(gold.page(id, file.ending)).is_ok_and(|kept| kept == file.bytes)
        }),
    }
}

fn is_same_place(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The bytes of a page that is not a capture: those of its file if it is one, else its text as
/// UTF-8.
fn file_of_source(page: &Page) -> Option<PageFile> {
    match &page.body {
        Body::Address(_) | Body::Capture(_) => None,
        Body::Mhtml(bytes) => Some(PageFile {
            ending: "mhtml",
            bytes: bytes.clone(),
        }),
        Body::Html { html, .. } => {
            let bytes = std::fs::read(&page.input).ok().filter(|bytes| {
                let read = Page::from_bytes(&page.input, bytes.clone());
                read.is_ok_and(
                    |read| matches!(&read.body, Body::Html { html: other, .. } if other == html),
                )
            });
            let bytes = bytes.unwrap_or_else(|| format!("{UTF8_MARK}{html}").into_bytes());
            Some(PageFile {
                ending: "html",
                bytes,
            })
        }
    }
}

/// Keeps a page and its capture, unless they are kept already. Of a page that was given as a
/// capture, the source is written from its tree.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn keep_page(
    gold: &GoldFolder,
    id: &str,
    page: &Page,
    capture: &Capture,
) -> Result<(), AnnotateError> {
    if is_free(gold, id) || !is_capture(&gold.capture(id)) {
        let file = file_of_source(page).unwrap_or_else(|| PageFile {
            ending: "html",
            bytes: format!("{UTF8_MARK}{}", capture.dom.to_html()).into_bytes(),
        });
        let path = gold.page(id, file.ending);
        make_folder(vclean_core::files::folder_of(&path))?;
        write_whole(&path, &file.bytes)?;
        save_capture(capture, &gold.capture(id))?;
    }
    Ok(())
}

/// The kept capture of a page; `None` if none is kept.
///
/// # Errors
/// If it is damaged.
pub(super) fn kept_capture(gold: &GoldFolder, id: &str) -> Result<Option<Capture>, AnnotateError> {
    let folder = gold.capture(id);
    Ok(if is_capture(&folder) {
        Some(load_capture(&folder)?)
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use vclean_core::page::parse;

    #[test]
    fn a_page_is_kept_byte_for_byte_and_recognized() {
        let folder = tempfile::tempdir().unwrap();
        let gold = GoldFolder::make(&folder.path().join("gold")).unwrap();
        let input = folder.path().join("a.html");
        // Windows-1252: not the same bytes once it is decoded.
        fs::write(&input, b"<meta charset=windows-1252><p>caf\xe9").unwrap();
        let page = Page::from_file(&input).unwrap();
        assert_eq!(id_of(&gold, "a", &page), "a");
        keep_page(&gold, "a", &page, &parse(&page).unwrap()).unwrap();
        assert_eq!(
            fs::read(gold.page("a", "html")).unwrap(),
            fs::read(&input).unwrap()
        );
        assert_eq!(id_of(&gold, "a", &page), "a");
        assert_eq!(
            kept_capture(&gold, "a").unwrap().unwrap(),
            parse(&page).unwrap()
        );

        let other = Page::from_html("-", "<p>another page");
        let id = id_of(&gold, "a", &other);
        assert!(id.len() == 10 && id.ends_with("-a"), "{id}");
        keep_page(&gold, &id, &other, &parse(&other).unwrap()).unwrap();
        let text = Page::from_file(gold.page(&id, "html")).unwrap();
        assert!(
            matches!(text.body, Body::Html { html, .. } if html.trim_start_matches(UTF8_MARK) == "<p>another page")
        );
    }

    #[test]
    fn the_source_of_a_capture_is_written_from_its_tree() {
        let folder = tempfile::tempdir().unwrap();
        let gold = GoldFolder::make(&folder.path().join("gold")).unwrap();
        let parsed = parse(&Page::from_html("x", "<p title='&quot;'>a &amp; b")).unwrap();
        let place = folder.path().join("captures/x");
        save_capture(&parsed, &place).unwrap();
        let page = Page::from_file(&place).unwrap();
        keep_page(&gold, "x", &page, &parsed).unwrap();
        assert_eq!(id_of(&gold, "x", &page), "x");
        let kept = Page::from_file(gold.page("x", "html")).unwrap();
        assert_eq!(parse(&kept).unwrap().dom, parsed.dom);
    }
}
