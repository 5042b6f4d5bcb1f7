//! The files of the labelling page, compiled in.

/// A file that the browser loads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asset {
    /// Its path, with the slash before it.
    pub(super) path: &'static str,
    /// Its type.
    pub(super) content_type: &'static str,
    /// Its content.
    pub(super) content: &'static str,
}

/// A file of `js/annotate/` with its type.
macro_rules! asset {
    ($path:literal, $name:literal, $content_type:ident) => {
        Asset { path: $path, content_type: $content_type, content: include_str!(concat!("../../js/annotate/", $name)) }
    };
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// All files.
pub(super) const ASSETS: &[Asset] = &[
    asset!("/", "index.html", HTML),
    asset!("/actions.js", "actions.js", SCRIPT),
    asset!("/activity.js", "activity.js", SCRIPT),
    asset!("/annotate.css", "annotate.css", STYLE),
    asset!("/announce.js", "announce.js", SCRIPT),
    asset!("/api.js", "api.js", SCRIPT),
    asset!("/drag.js", "drag.js", SCRIPT),
    asset!("/element.js", "element.js", SCRIPT),
    asset!("/feedback.js", "feedback.js", SCRIPT),
    asset!("/finished.js", "finished.js", SCRIPT),
    asset!("/frame.js", "frame.js", SCRIPT),
    asset!("/help.js", "help.js", SCRIPT),
    asset!("/icon.svg", "icon.svg", SVG),
    asset!("/keys.js", "keys.js", SCRIPT),
    asset!("/main.js", "main.js", SCRIPT),
    asset!("/messages.js", "messages.js", SCRIPT),
    asset!("/outline.js", "outline.js", SCRIPT),
    asset!("/pages.js", "pages.js", SCRIPT),
    asset!("/panel.js", "panel.js", SCRIPT),
    asset!("/picture.js", "picture.js", SCRIPT),
    asset!("/selection.js", "selection.js", SCRIPT),
    asset!("/state.js", "state.js", SCRIPT),
    asset!("/store.js", "store.js", SCRIPT),
    asset!("/tabs.js", "tabs.js", SCRIPT),
    asset!("/text.js", "text.js", SCRIPT),
    asset!("/theme.js", "theme.js", SCRIPT),
    asset!("/view.js", "view.js", SCRIPT),
    asset!("/work.js", "work.js", SCRIPT),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_of_the_folder_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/js/annotate");
        let there: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| format!("/{}", entry.unwrap().file_name().to_string_lossy()))
            .map(|path| if path == "/index.html" { "/".to_owned() } else { path })
            .collect();
        let served: BTreeSet<String> = ASSETS.iter().map(|asset| asset.path.to_owned()).collect();
        assert_eq!(served, there);
    }
}
