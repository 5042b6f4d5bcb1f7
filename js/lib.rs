//! The scripts that run inside pages, and the files of the labelling page and of the service's
//! page, as text.

/// Clicks, focuses and scrolls for a caller.
pub const ACT: &str = include_str!("act.js");
/// Checks for an element or words that a caller waits for.
pub const AWAITED: &str = include_str!("awaited.js");
/// Collects the elements and text nodes of a page for [`COLOR`].
pub const COLLECT: &str = include_str!("collect.js");
/// Colors the text nodes for the node mask.
pub const COLOR: &str = include_str!("color.js");
/// Answers the consent dialogs of well-known platforms.
pub const CONSENT: &str = include_str!("consent.js");
/// Lets the browser end a script that opens dialogs in a loop.
pub const DIALOGS: &str = include_str!("dialogs.js");
/// Detects the encoding in which the browser has read a page.
pub const ENCODING: &str = include_str!("encoding.js");
/// Makes text transparent, so that pictures with and without it can be compared.
pub const FADE: &str = include_str!("fade.js");
/// Records and restores everything that the other scripts change.
pub const KEEP: &str = include_str!("keep.js");
/// Describes the page that a reader's browser has open; a module of JavaScript, which the npm
/// package and the extension load.
pub const LIVE: &str = include_str!("live.js");
/// Shows a page that waits for a script of its own.
pub const REVEAL: &str = include_str!("reveal.js");
/// Keeps the rows of lists that show only those near the viewport.
pub const ROWS: &str = include_str!("rows.js");
/// Stores entries in the local storage of a page's origin.
pub const STORE: &str = include_str!("store.js");
/// Waits until a page is stable.
pub const SETTLE: &str = include_str!("settle.js");
/// Makes overlays over the first screen invisible.
pub const UNCOVER: &str = include_str!("uncover.js");
/// Unfolds the panels that readers open with a click.
pub const UNFOLD: &str = include_str!("unfold.js");

/// The files of the labelling page, by name.
pub const ANNOTATE: &[(&str, &str)] = &[
    ("actions.js", include_str!("annotate/actions.js")),
    ("activity.js", include_str!("annotate/activity.js")),
    ("annotate.css", include_str!("annotate/annotate.css")),
    ("announce.js", include_str!("annotate/announce.js")),
    ("api.js", include_str!("annotate/api.js")),
    ("drag.js", include_str!("annotate/drag.js")),
    ("element.js", include_str!("annotate/element.js")),
    ("feedback.js", include_str!("annotate/feedback.js")),
    ("finished.js", include_str!("annotate/finished.js")),
    ("frame.js", include_str!("annotate/frame.js")),
    ("help.js", include_str!("annotate/help.js")),
    ("icon.svg", include_str!("annotate/icon.svg")),
    ("index.html", include_str!("annotate/index.html")),
    ("keys.js", include_str!("annotate/keys.js")),
    ("main.js", include_str!("annotate/main.js")),
    ("messages.js", include_str!("annotate/messages.js")),
    ("outline.js", include_str!("annotate/outline.js")),
    ("pages.js", include_str!("annotate/pages.js")),
    ("panel.js", include_str!("annotate/panel.js")),
    ("picture.js", include_str!("annotate/picture.js")),
    ("selection.js", include_str!("annotate/selection.js")),
    ("state.js", include_str!("annotate/state.js")),
    ("store.js", include_str!("annotate/store.js")),
    ("tabs.js", include_str!("annotate/tabs.js")),
    ("text.js", include_str!("annotate/text.js")),
    ("theme.js", include_str!("annotate/theme.js")),
    ("view.js", include_str!("annotate/view.js")),
    ("work.js", include_str!("annotate/work.js")),
];

/// The files of the page for trying the service, by name; it creates elements like the labelling
/// page.
pub const SERVE: &[(&str, &str)] = &[
    ("code.js", include_str!("serve/code.js")),
    ("element.js", include_str!("annotate/element.js")),
    ("example.js", include_str!("serve/example.js")),
    ("index.html", include_str!("serve/index.html")),
    ("jobs.html", include_str!("serve/jobs.html")),
    ("jobs.js", include_str!("serve/jobs.js")),
    ("options.js", include_str!("serve/options.js")),
    ("picture.js", include_str!("serve/picture.js")),
    ("result.js", include_str!("serve/result.js")),
    ("serve.css", include_str!("serve/serve.css")),
    ("serve.js", include_str!("serve/serve.js")),
    ("verdict.js", include_str!("serve/verdict.js")),
    ("work.js", include_str!("serve/work.js")),
];
