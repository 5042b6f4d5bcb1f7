//! Pages with each kind of structure, and the Markdown that a person wrote for them.

use super::{Options, PageCleaner};
use crate::page::Page;

const FIRST: &str = "Herring gulls drop mussels on the rocks from a height that depends on how hard the shell is, and they \
    seldom have to try more than twice before it breaks into pieces that they can eat.";
const LAST: &str = "Young birds learn this by watching the old ones for two or three winters, and until then they steal what \
    others have opened, or eat what the tide leaves on the beach below the cliffs.";

/// The Markdown of the part between two paragraphs of an article.
fn between(body: &str) -> String {
    let html = format!(
        "<html lang=en><head><title>How gulls eat - The Coast</title></head><body><header><nav><a href=/>Home</a> \
         <a href=/birds>Birds</a> <a href=/contact>Contact</a></nav></header><main><article><h1>How gulls eat</h1>\
         <p>{FIRST}</p>{body}<p>{LAST}</p><p>{FIRST}</p></article></main><footer><a href=/legal>Legal notice</a></footer>"
    );
    let cleaner = PageCleaner::new(&Options::default()).unwrap();
    let markdown = cleaner
        .clean(&Page::from_html("x", html))
        .unwrap()
        .markdown();
    let start = format!("# How gulls eat\n\n{FIRST}\n\n");
    let end = format!("\n\n{LAST}\n\n{FIRST}\n");
    let inner = markdown
        .strip_prefix(&start)
        .and_then(|rest| rest.strip_suffix(&end));
    inner.unwrap_or_else(|| panic!("{markdown}")).to_owned()
}

#[test]
fn formulas() {
    let page = "<script src='https://cdn.example/mathjax/tex-mml-chtml.js'></script>\
        <p>Let $h$ be the height and $v = \\sqrt{2gh}$ the speed, so that $5 and $10 are prices. The energy is</p>\
        <p>$$E = mgh \\tag{1}$$</p><p>and with \\(a_1 * b_1 * c\\) we have</p>\
        <div>\\[ \\begin{aligned} a &amp;= b \\\\ c &amp;= d \\end{aligned} \\]</div>\
        <p>where <em>$x_1$ is small</em>, and the $n$th shell costs $3 or $4. See <a href=/x>the $k$-means</a>.</p>\
        <p>The speed <img src='https://latex.codecogs.com/gif.latex?v=\\sqrt{2gh}' alt=x> is \
        <img src='https://s0.wp.com/latex.php?latex=a%5E2&amp;bg=fff' alt='a^2' class=latex> here, in \
        <math><mo>(</mo><mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></math> ways.</p>";
    let gold = "Let $h$ be the height and $v = \\sqrt{2gh}$ the speed, so that $5 and $10 are prices. The energy is\n\n\
        $$E = mgh \\tag{1}$$\n\nand with $a_1 * b_1 * c$ we have\n\n\
        $$\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}$$\n\n\
        where *$x_1$ is small*, and the $n$th shell costs $3 or $4. See the $k$-means.\n\n\
        The speed $v=\\sqrt{2gh}$ is $a^2$ here, in $\\binom{n}{k}$ ways.";
    assert_eq!(between(page), gold);
}

#[test]
fn formulas_that_are_only_drawn() {
    let katex = "<span class=katex><span class=katex-html aria-hidden=true><span class=base><span class=strut></span><span class=mord>\
        <span class='mord mathnormal'>v</span><span class=msupsub><span class=vlist-t><span class=vlist-r><span class=vlist><span>\
        <span class=pstrut></span><span class='sizing mtight'><span class='mord mtight'>2</span></span></span></span></span></span></span></span>\
        <span class=mrel>=</span></span><span class=base><span class=mord>2</span><span class='mord mathnormal'>g</span></span></span></span>";
    let mathjax = "<mjx-math><mjx-msup><mjx-mi><mjx-c class='mjx-c1D463 TEX-I'></mjx-c></mjx-mi><mjx-script><mjx-mn>\
        <mjx-c class=mjx-c32></mjx-c></mjx-mn></mjx-script></mjx-msup><mjx-mo><mjx-c class=mjx-c3D></mjx-c></mjx-mo><mjx-mn>\
        <mjx-c class=mjx-c32></mjx-c></mjx-mn><mjx-mi><mjx-c class=mjx-c1D454></mjx-c></mjx-mi></mjx-math>";
    let page = |inline: &str, display: &str| {
        format!(
            "<p>The speed {inline} is small, as everybody who has watched a gull for an hour knows.</p><p>{display}</p>"
        )
    };
    let gold = "The speed $v^{2}=2g$ is small, as everybody who has watched a gull for an hour knows.\n\n$$v^{2}=2g$$";
    assert_eq!(
        between(&page(
            katex,
            &format!("<span class=katex-display>{katex}</span>")
        )),
        gold
    );
    let [inline, display] =
        ["", " display=true"].map(|how| format!("<mjx-container{how}>{mathjax}</mjx-container>"));
    assert_eq!(between(&page(&inline, &display)), gold);
}

#[test]
fn formulas_in_asciimath() {
    let page = "<script src='https://cdn.example/MathJax.js?config=TeX-MML-AM_CHTML'></script>\
        <p>The speed `v=sqrt(2gh)` of a shell is known as soon as its height is, which costs $5.</p><p>`E=mv^2/2`</p>";
    let gold = "The speed $v=\\sqrt{2gh}$ of a shell is known as soon as its height is, which costs $5.\n\n$$E=m\\frac{v^{2}}{2}$$";
    assert_eq!(between(page), gold);
}

#[test]
fn footnotes() {
    let gold = "They drop shells[^1] and also eggs[^2], as everybody knows.\n\n[^1]: Measured by hand.\n\n[^2]: Seen once.";
    let text = |one: &str, two: &str| {
        format!("<p>They drop shells{one} and also eggs{two}, as everybody knows.</p>")
    };
    let pandoc = text(
        "<a href=#fn1 id=r1 class=footnote-ref role=doc-noteref><sup>1</sup></a>",
        "<a href=#fn2 id=r2 class=footnote-ref role=doc-noteref><sup>2</sup></a>",
    ) + "<section class=footnotes role=doc-endnotes><hr><ol><li id=fn1><p>Measured by hand.<a href=#r1 class=footnote-back>\u{21a9}</a></p></li>\
           <li id=fn2><p>Seen once.<a href=#r2 class=footnote-back>\u{21a9}</a></p></li></ol></section>";
    let wikipedia = text(
        "<sup id=cite_ref-1 class=reference><a href=#cite_note-1>[1]</a></sup>",
        "<sup id=cite_ref-2 class=reference><a href=#cite_note-2>[2]</a></sup>",
    ) + "<ol class=references><li id=cite_note-1><span class=mw-cite-backlink><b><a href=#cite_ref-1>^</a></b></span> <span>Measured by hand.</span></li>\
           <li id=cite_note-2><span class=mw-cite-backlink><b><a href=#cite_ref-2>^</a></b></span> <span>Seen once.</span></li></ol>";
    let word = text(
        "<a href=#_ftn1 name=_ftnref1>[1]</a>",
        "<a href=#_ftn2 name=_ftnref2>[2]</a>",
    ) + "<p><a href=#_ftnref1 name=_ftn1>[1]</a> Measured by hand.<br><a href=#_ftnref2 name=_ftn2>[2]</a> Seen once.</p>";
    let unlinked = text("<sup>1</sup>", "<sup>2</sup>")
        + "<p><sup>1</sup> Measured by hand.</p><p><sup>2</sup> Seen once.</p>";
    let beside = text(
        "<label for=s1></label><span class=sidenote>Measured by hand.</span>",
        "<label for=s2></label><span class=sidenote>Seen once.</span>",
    );
    for page in [pandoc, wikipedia, word, unlinked, beside] {
        assert_eq!(between(&page), gold, "{page}");
    }
}

#[test]
fn code() {
    let page = "<p>Run these:</p><p><code>cd gulls</code></p><p><code>make drop</code></p><p>Then this:</p>\
        <p><code>for s in shells:<br>&nbsp;&nbsp;&nbsp;&nbsp;drop(s)<br>end</code></p>\
        <div class=highlight><div><span>bash</span><button>Copy</button></div><pre><code>make all\n  ls\n</code></pre></div>\
        <div class=block><div class=line><code>a = 1</code></div><div class=line><code>  b = 2</code></div></div>\
        <div style='white-space:pre;font-family:monospace'>x\n  y</div>";
    let gold = "Run these:\n\n```\ncd gulls\nmake drop\n```\n\nThen this:\n\n```\nfor s in shells:\n    drop(s)\nend\n```\n\n\
        ```bash\nmake all\n  ls\n```\n\n```\na = 1\n  b = 2\n```\n\n```\nx\n  y\n```";
    assert_eq!(between(page), gold);
}

#[test]
fn tables() {
    let page = format!(
        "<table><tr><th>Rank<th>Bird<th>Score<tr><td>1<td>Gull<td>9.5<tr><td>2<td>Crow<td>8</table>\
         <table><tr><td><p>{LAST}</p></td><td><p>{FIRST}</p></td></tr></table>"
    );
    let gold = format!(
        "| Rank | Bird | Score |\n| --- | --- | --- |\n| 1 | Gull | 9.5 |\n| 2 | Crow | 8 |\n\n{LAST}\n\n{FIRST}"
    );
    assert_eq!(between(&page), gold);
}

#[test]
fn emphasis_callouts_and_what_unfolds() {
    let page = "<h2>Shells <a class=headerlink href=#shells>#</a></h2><p><strong>Use <code>drop()</code> now</strong>, or wait.</p>\
        <div class='markdown-alert markdown-alert-note'><p class=markdown-alert-title>Note</p><p>Shells are hard, and need time.</p></div>\
        <details><summary>How often do they try?</summary><p>Twice, as a rule.</p></details>\
        <h2>Verse</h2><p style='white-space:pre-line'>Roses are red,\nviolets blue.</p><p><b>Bold line</b></p>";
    let gold = "## Shells\n\n**Use `drop()` now**, or wait.\n\n> [!NOTE]\n>\n> Shells are hard, and need time.\n\n\
        How often do they try?\n\nTwice, as a rule.\n\n## Verse\n\nRoses are red,\\\nviolets blue.\n\n**Bold line**";
    assert_eq!(between(page), gold);
}

#[test]
fn notes_in_tables_and_quotations_in_a_line() {
    let page = "<p>They <q>drop</q> shells<a href=#id2 id=id1 class=footnote-reference>[1]</a> and also eggs, as everybody knows.</p>\
        <table class='docutils footnote' id=id2><tr><td class=label><a class=fn-backref href=#id1>[1]</a></td>\
        <td>Measured by hand, on a beach in the north.</td></tr></table>";
    let gold = "They \u{201c}drop\u{201d} shells[^1] and also eggs, as everybody knows.\n\n\
        [^1]: Measured by hand, on a beach in the north.";
    assert_eq!(between(page), gold);
}

#[test]
fn lines_that_look_like_headings() {
    let text = "Gulls learn to open mussels when they are two years old, and not before that.";
    let page = format!(
        "<p><b>How they learn</b></p><p>{text}</p><p><b>Note:</b></p><p>{text}</p><p><b>Tools</b></p><ul><li>Rocks<li>Roads</ul>\
         <p><b>They never give up!</b></p>"
    );
    let gold = format!(
        "### How they learn\n\n{text}\n\n**Note:**\n\n{text}\n\n### Tools\n\n- Rocks\n- Roads\n\n**They never give up!**"
    );
    assert_eq!(between(&page), gold);
}
