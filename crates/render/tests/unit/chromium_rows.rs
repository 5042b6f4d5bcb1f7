//! Tests of lists that show only the rows near the viewport, in the real browser. Each page is a
//! list of 40 entries as the usual libraries build it.

use super::tests::options;
use crate::{PageOptions, RenderOptions, Renderer, Scripts};
use std::sync::OnceLock;
use vclean_core::capture::{Capture, NodeId, Visibility};
use vclean_core::page::{Body, Page};

/// Draws what is in view. `box` scrolls, `list` holds the rows, each `ROW` px high.
const DRAW: &str = "
    const ROW = 150, COUNT = 40;
    const text = (number) => 'entry ' + number + '.';
    const range = () => {
        const top = box === window ? scrollY - list.parentElement.offsetTop : box.scrollTop;
        const height = box === window ? innerHeight : box.clientHeight;
        return [Math.max(0, Math.floor(top / ROW) - 1), Math.min(COUNT, Math.ceil((top + height) / ROW) + 1)];
    };
    const numbers = () => { const [from, to] = range(); return [...Array(Math.max(0, to - from)).keys()].map((i) => i + from); };
    draw(); box.addEventListener('scroll', draw);";

/// Rows with a place of their own, which are removed and added.
const PLACED: &str = "const draw = () => {
    const wanted = numbers();
    for (const row of [...list.children]) if (!wanted.includes(+row.dataset.key)) row.remove();
    for (const number of wanted) if (![...list.children].some((row) => +row.dataset.key === number)) {
        const row = document.createElement('div');
        row.dataset.key = number; row.textContent = text(number);
        row.style.cssText = `position:absolute;height:${ROW}px;transform:translateY(${number * ROW}px)`;
        list.append(row);
    } };";

/// The same rows for all entries, which are moved and filled anew.
const RECYCLED: &str = "const draw = () => { const wanted = numbers(); for (let i = 0; i < 12; i++) {
    const number = wanted.find((one) => one % 12 === i);
    const row = list.children[i] || list.appendChild(document.createElement('div'));
    row.hidden = number === undefined; if (row.hidden) continue;
    row.textContent = text(number); row.style.cssText = `position:absolute;top:${number * ROW}px`; } };";

/// Rows one after the other, with padding in place of the others.
const PADDED: &str = "const draw = () => { const [from, to] = range();
    list.style.paddingTop = from * ROW + 'px'; list.style.paddingBottom = (COUNT - to) * ROW + 'px';
    list.innerHTML = numbers().map((number) => `<li style='height:${ROW}px'>${text(number)}</li>`).join(''); };";

/// Rows of a table with empty rows in place of the others.
const TABLE: &str = "const draw = () => { const [from, to] = range();
    const space = (rows) => `<tr style='height:${rows * ROW}px'><td></td></tr>`;
    list.innerHTML = space(from) + numbers().map((number) =>
        `<tr aria-rowindex=${number + 1} style='height:${ROW}px'><td>${text(number)}</td></tr>`).join('') + space(COUNT - to); };";

fn render(html: &str) -> Capture {
    static RENDERER: OnceLock<Renderer> = OnceLock::new();
    let renderer = RENDERER.get_or_init(|| {
        let scripts = Scripts::On;
        Renderer::launch(RenderOptions {
            scripts,
            ..options()
        })
        .unwrap()
    });
    let page = Page::new("page.html", Body::html(html));
    let rendered = renderer.render(&page, &PageOptions::default());
    rendered.unwrap().capture
}

/// A page with a list, whose function `draw` is given.
fn list(draw: &str, box_: &str, html: &str) -> Capture {
    render(&format!(
        "<!doctype html><style>body, table, ul {{ margin: 0; border-spacing: 0 }} td {{ padding: 0 }}</style>{html}\
         <script>const list = document.getElementById('list'), box = {box_};{draw}{DRAW}</script>"
    ))
}

/// The texts of the body outside of scripts, in order, apart from those that are hidden.
fn texts(capture: &Capture) -> String {
    let (dom, layout) = (&capture.dom, capture.layout.as_ref().unwrap());
    let is_text = |id: &NodeId| {
        dom.text(*id).is_some_and(|data| !data.trim().is_empty())
            && !dom
                .ancestors(*id)
                .any(|up| matches!(dom.tag(up), "script" | "style"))
            && !layout.lines(*id).is_empty()
            && !matches!(layout.visibility(*id), Visibility::Hidden(_))
    };
    let texts: Vec<&str> = dom
        .ids()
        .filter(is_text)
        .filter_map(|id| dom.text(id))
        .collect();
    texts.join(" ")
}

fn entries() -> String {
    let entries: Vec<String> = (0..40).map(|number| format!("entry {number}.")).collect();
    entries.join(" ")
}

#[test]
fn all_rows_of_a_list_that_shows_some_are_kept_in_order() {
    let high = "<h1>List</h1><div style='position:relative;height:6000px'><div id=list></div></div><p>end</p>";
    let window = [
        ("placed", PLACED, high),
        ("recycled", RECYCLED, high),
        (
            "padded",
            PADDED,
            "<h1>List</h1><div><ul id=list></ul></div><p>end</p>",
        ),
        (
            "table",
            TABLE,
            "<h1>List</h1><table><tbody id=list></tbody></table><p>end</p>",
        ),
    ];
    for (name, draw, html) in window {
        let capture = list(draw, "window", html);
        assert_eq!(texts(&capture), format!("List {} end", entries()), "{name}");
        // The page does not grow: 40 rows, headline and end.
        let height = capture
            .pictures
            .as_ref()
            .unwrap()
            .screenshot
            .decode_rgb()
            .unwrap()
            .height();
        assert!((6000..6300).contains(&height), "{name}: {height}");
    }
    let inner = "<div style='height:100vh;overflow:auto' id=box><div style='position:relative;height:6000px'><div id=list></div></div></div>";
    let capture = list(PLACED, "document.getElementById('box')", inner);
    assert_eq!(texts(&capture), entries());
}

#[test]
fn contents_that_change_at_one_place_are_not_multiplied() {
    let tall = "<div style='height:4000px'><p>text</p></div>";
    for (name, html, count) in [
        (
            "carousel",
            "<div id=a></div><script>let n = 0; const show = () => { n++; a.innerHTML = [1, 2, 3, 4].map((i) => `<p>slide ${n * 4 + i}</p>`).join('') };\
             show(); setInterval(show, 40)</script>",
            4,
        ),
        (
            "ticker",
            "<div style='height:100px;overflow:hidden'><div id=a><p>slide 1</p><p>slide 2</p><p>slide 3</p><p>slide 4</p></div></div><script>let n = 4;\
             setInterval(() => { a.firstElementChild.remove(); a.insertAdjacentHTML('beforeend', `<p>slide ${++n}</p>`) }, 40)</script>",
            4,
        ),
        (
            "section names in a header",
            "<div style='position:fixed;top:0' id=a></div><script>const show = () => { a.innerHTML = [1, 2, 3].map((i) => `<p>slide ${scrollY + i}</p>`).join('') };\
             show(); addEventListener('scroll', show)</script>",
            3,
        ),
        (
            "endless",
            "<div id=a><p>slide 1</p></div><script>let n = 1; addEventListener('scroll', () => { if (n < 30) a.insertAdjacentHTML('beforeend', `<p>slide ${++n}</p>`) })</script>",
            0,
        ),
        (
            "notices that go away",
            "<div id=a><p>slide 1</p><p>slide 2</p><p>slide 3</p><p>slide 4</p><p>slide 5</p></div>\
             <script>addEventListener('scroll', () => { if (a.children.length > 2) a.lastElementChild.remove() })</script>",
            2,
        ),
    ] {
        let found = texts(&render(&format!("<!doctype html>{html}{tall}")));
        let slides: Vec<&str> = found.split("slide ").skip(1).collect();
        let unique: std::collections::BTreeSet<&&str> = slides.iter().collect();
        assert_eq!(unique.len(), slides.len(), "{name}: {found}");
        assert!(count == 0 || slides.len() == count, "{name}: {found}");
    }
}
