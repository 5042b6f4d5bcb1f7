//! Ways to hide text on a page, each with a look-alike that readers do see. `@` stands for the
//! text.

/// A way to hide text.
pub struct Technique {
    pub name: &'static str,
    /// HTML that hides the text.
    pub hidden: &'static str,
    /// HTML that shows the text by similar means.
    pub shown: &'static str,
    /// True if the built-in engine detects that the text is hidden.
    pub builtin_sees: bool,
}

const fn technique(name: &'static str, hidden: &'static str, shown: &'static str) -> Technique {
    Technique {
        name,
        hidden,
        shown,
        builtin_sees: true,
    }
}

/// A technique that the built-in engine does not detect, so that it keeps the text.
const fn chromium_only(name: &'static str, hidden: &'static str, shown: &'static str) -> Technique {
    Technique {
        name,
        hidden,
        shown,
        builtin_sees: false,
    }
}

/// The techniques that `hidden_text` tests in both engines.
pub const TECHNIQUES: &[Technique] = &[
    technique(
        "same color",
        "<p style='color:#fff'>@",
        "<p style='color:#ddd'>@",
    ),
    technique(
        "nearly the same color",
        "<p style='color:#fcfcfc'>@",
        "<p style='color:#e4e4e4'>@",
    ),
    technique(
        "same dark color",
        "<p style='background:#111;color:#111'>@",
        "<p style='background:#111;color:#444'>@",
    ),
    technique(
        "nearly the same dark color",
        "<p style='background:#101010;color:#121212'>@",
        "<p style='background:#101010;color:#333'>@",
    ),
    technique(
        "transparent color",
        "<p style='color:transparent'>@",
        "<p style='color:rgba(0,0,0,.3)'>@",
    ),
    technique(
        "color of no alpha",
        "<p style='color:rgba(0,0,0,0)'>@",
        "<p style='color:rgb(0 0 0 / 60%)'>@",
    ),
    technique(
        "color of hardly any alpha",
        "<p style='color:#00000004'>@",
        "<p style='color:#00000040'>@",
    ),
    technique(
        "opacity 0",
        "<p style='opacity:0'>@",
        "<p style='opacity:.4'>@",
    ),
    technique(
        "opacity .01",
        "<p style='opacity:.01'>@",
        "<p style='opacity:.3'>@",
    ),
    technique(
        "nested opacity",
        "<div style='opacity:.2'><div style='opacity:.2'><p style='opacity:.2'>@</p></div></div>",
        "<div style='opacity:.8'><div style='opacity:.8'><p style='opacity:.8'>@</p></div></div>",
    ),
    technique(
        "opacity of an inline element",
        "<p>A line <span style='opacity:0'>@</span>",
        "<p>A line <span style='opacity:.5'>@</span>",
    ),
    technique(
        "font size 0",
        "<p style='font-size:0'>@",
        "<div style='font-size:0'><p style='font-size:12px'>@</p></div>",
    ),
    technique(
        "font size 1 px",
        "<p style='font-size:1px'>@",
        "<p style='font-size:9px'>@",
    ),
    technique(
        "one pixel high",
        "<p style='height:1px;overflow:hidden'>@",
        "<p style='height:1px'>@",
    ),
    technique(
        "one pixel wide and high",
        "<div style='position:absolute;width:1px;height:1px;overflow:hidden;white-space:nowrap'>@</div>",
        "<div style='position:absolute;width:1px;height:1px;white-space:nowrap'>@</div>",
    ),
    technique(
        "a closed panel over the page",
        "<div class=more style='display:none;position:absolute'>@</div>",
        "<div class=more style='display:none'>@</div>",
    ),
    technique(
        "a panel in a closed part",
        "<div style='display:none'><div role=tabpanel><p>@</p></div></div>",
        "<div role=tabpanel style='display:none'><div><p>@</p></div></div>",
    ),
    technique(
        "a panel in a hidden part",
        "<div style='visibility:hidden'><div role=tabpanel><p>@</p></div></div>",
        "<div role=tabpanel style='visibility:hidden'><div><p>@</p></div></div>",
    ),
    technique(
        "no height",
        "<div style='height:0;overflow:hidden'><p>@</p></div>",
        "<div style='height:0;margin-bottom:40px'><p>@</p></div>",
    ),
    technique(
        "no greatest height",
        "<div style='max-height:0;overflow:hidden'><p>@</p></div>",
        "<div style='max-height:60px;overflow:hidden'><p>@</p></div>",
    ),
    technique(
        "no width",
        "<div style='width:0;overflow:hidden;white-space:nowrap'>@</div>",
        "<div style='width:0;white-space:nowrap'>@</div>",
    ),
    technique(
        "no line height",
        "<div style='line-height:0;overflow:hidden'>@</div>",
        "<div style='line-height:0;padding:10px 0'>@</div>",
    ),
    technique(
        "clip",
        "<div style='position:absolute;clip:rect(0,0,0,0)'>@</div>",
        "<div style='position:absolute;clip:rect(0,900px,90px,0)'>@</div>",
    ),
    technique(
        "clipping path: inset",
        "<p style='clip-path:inset(100%)'>@",
        "<p style='clip-path:inset(0)'>@",
    ),
    technique(
        "clipping path: half inset",
        "<p style='clip-path:inset(50%)'>@",
        "<p style='clip-path:inset(1px round 4px)'>@",
    ),
    technique(
        "clipping path: circle",
        "<p style='clip-path:circle(0)'>@",
        "<p style='clip-path:circle(100%)'>@",
    ),
    technique(
        "clipping path: polygon",
        "<p style='clip-path:polygon(0 0,0 0,0 0)'>@",
        "<p style='clip-path:polygon(0 0,100% 0,100% 100%,0 100%)'>@",
    ),
    technique(
        "mask",
        "<p style='-webkit-mask-image:linear-gradient(transparent,transparent);mask-image:linear-gradient(transparent,transparent)'>@",
        "<p style='-webkit-mask-image:linear-gradient(#000,#000);mask-image:linear-gradient(#000,#000)'>@",
    ),
    technique(
        "filter: opacity",
        "<p style='filter:opacity(0)'>@",
        "<p style='filter:opacity(.5)'>@",
    ),
    technique(
        "filter: brightness",
        "<div style='filter:brightness(0)'><p style='background:#000;color:#fff'>@</p></div>",
        "<div style='filter:brightness(.7)'><p style='background:#000;color:#fff'>@</p></div>",
    ),
    technique(
        "filter: contrast",
        "<div style='filter:contrast(0)'><p style='background:#222;color:#eee'>@</p></div>",
        "<div style='filter:contrast(.6)'><p style='background:#222;color:#eee'>@</p></div>",
    ),
    technique(
        "filter: blur",
        "<p style='filter:blur(80px);margin:0'>@",
        "<p style='filter:blur(.4px)'>@",
    ),
    technique(
        "scaled to nothing",
        "<p style='transform:scale(0)'>@",
        "<p style='transform:scale(.9)'>@",
    ),
    technique(
        "scaled to no width",
        "<p style='transform:scaleX(.001)'>@",
        "<p style='transform:scaleX(.8)'>@",
    ),
    technique(
        "scaled by its own property",
        "<p style='scale:0'>@",
        "<p style='scale:.9'>@",
    ),
    technique(
        "turned about y",
        "<p style='transform:rotateY(90deg)'>@",
        "<p style='transform:rotateY(20deg)'>@",
    ),
    technique(
        "turned about x",
        "<p style='transform:rotateX(90deg)'>@",
        "<p style='transform:rotateX(20deg)'>@",
    ),
    technique(
        "turned away",
        "<p style='backface-visibility:hidden;transform:rotateY(180deg)'>@",
        "<p style='backface-visibility:hidden;transform:rotateY(10deg)'>@",
    ),
    technique(
        "behind the viewer",
        "<div style='perspective:100px'><p style='transform:translateZ(200px)'>@</p></div>",
        "<div style='perspective:1000px'><p style='transform:translateZ(20px)'>@</p></div>",
    ),
    technique(
        "moved left by the indent",
        "<p style='text-indent:-9999px'>@",
        "<p style='text-indent:20px'>@",
    ),
    technique(
        "indent in a clipping box",
        "<p style='text-indent:-9999px;overflow:hidden;height:30px'>@",
        "<p style='text-indent:2em;overflow:hidden;height:30px'>@",
    ),
    technique(
        "left of the page",
        "<div style='position:absolute;left:-9999px'>@</div>",
        "<div style='position:absolute;left:20px'>@</div>",
    ),
    technique(
        "above the page",
        "<div style='position:absolute;top:-9999px'>@</div>",
        "<div style='position:relative;top:4px'>@</div>",
    ),
    technique(
        "moved left by a transform",
        "<p style='transform:translate(-200vw)'>@",
        "<p style='transform:translate(20px)'>@",
    ),
    technique(
        "moved left by a margin",
        "<p style='margin-left:-9999px;width:500px'>@",
        "<p style='margin-left:-4px'>@",
    ),
    technique(
        "behind its background",
        "<div style='position:relative;z-index:0'><div style='background:#eee'><p style='position:relative;z-index:-1'>@</p></div></div>",
        "<div style='position:relative;z-index:0;background:#eee'><p style='position:relative;z-index:-1'>@</p></div>",
    ),
    technique(
        "covered by a later box",
        "<div style='position:relative'><p>@</p><div style='position:absolute;inset:0;background:#fff'></div></div>",
        "<div style='position:relative'><div style='position:absolute;inset:0;background:#eee'></div><p style='position:relative'>@</p></div>",
    ),
    technique(
        "covered by a later box with text",
        "<div style='position:relative'><p>@</p><div style='position:absolute;inset:0;background:#fff'><p>Over it</p></div></div>",
        "<div style='position:relative'><p>@</p><div style='position:absolute;inset:0;background:transparent'>&nbsp;</div></div>",
    ),
    technique(
        "covered by a generated box",
        "<p class='cover'>@",
        "<p class='mark'>@",
    ),
    technique(
        "behind a picture",
        "<div style='position:relative;width:600px;height:60px'><p>@</p><img src='IMAGE' style='position:absolute;left:0;top:0;width:600px;height:60px'></div>",
        "<div style='position:relative;width:600px;height:60px'><img src='IMAGE' style='position:absolute;left:0;top:0;width:600px;height:60px'><p style='position:relative'>@</p></div>",
    ),
    technique(
        "blended away: multiply",
        "<p style='background:#111;mix-blend-mode:normal'><span style='color:#fff;mix-blend-mode:multiply'>@</span>",
        "<p style='background:#eee'><span style='color:#333;mix-blend-mode:multiply'>@</span>",
    ),
    technique(
        "blended away: lighten",
        "<p style='color:#000;background:#fff'><span style='mix-blend-mode:lighten'>@</span>",
        "<p style='background:#000;color:#ccc'><span style='mix-blend-mode:lighten'>@</span>",
    ),
    technique(
        "blended away: screen",
        "<p style='background:#fff'><span style='color:#333;mix-blend-mode:screen'>@</span>",
        "<p style='background:#222'><span style='color:#ccc;mix-blend-mode:screen'>@</span>",
    ),
    technique(
        "color of a gradient",
        "<p style='background:linear-gradient(#246,#246);color:#246'>@",
        "<p style='background:linear-gradient(90deg,#246,#eef);color:#f80'>@",
    ),
    chromium_only(
        "color of a picture",
        "<p style='background:url(IMAGE);color:#00f'>@",
        "<p style='background:url(IMAGE);color:#fff'>@",
    ),
    technique(
        "no fill color",
        "<p style='-webkit-text-fill-color:transparent'>@",
        "<p style='color:transparent;-webkit-text-fill-color:#c00'>@",
    ),
    technique(
        "transparent color with a gradient behind",
        "<p style='background:linear-gradient(90deg,red,blue);color:transparent'>@",
        "<p style='background:linear-gradient(90deg,red,blue);-webkit-background-clip:text;background-clip:text;color:transparent'>@",
    ),
    technique(
        "shadow of its background",
        "<p style='color:transparent;text-shadow:0 0 1px #fff'>@",
        "<p style='color:transparent;text-shadow:0 0 1px #000'>@",
    ),
    technique(
        "stroke of no width",
        "<p style='color:transparent;-webkit-text-stroke:0 #000'>@",
        "<p style='color:transparent;-webkit-text-stroke:1px #000'>@",
    ),
    technique(
        "system colors",
        "<p style='background:Canvas;color:Canvas'>@",
        "<p style='background:Canvas;color:CanvasText'>@",
    ),
    technique(
        "background of a box around",
        "<div style='background:#345'><div><p style='color:#345'>@</p></div></div>",
        "<div style='background:#345'><div><p style='color:#fff'>@</p></div></div>",
    ),
    chromium_only(
        "background of a row",
        "<table><tr style='background:#345'><td style='color:#345'>@</table>",
        "<table><tr style='background:#345'><td style='color:#fff'>@</table>",
    ),
    technique(
        "font element in the color of the page",
        "<font color=white>@</font><br>",
        "<font color=silver>@</font><br>",
    ),
    technique(
        "cell in its own color",
        "<table><tr><td bgcolor='#223344'><font color='#223344'>@</font></table>",
        "<table><tr><td bgcolor='#223344'><font color='#ffffff'>@</font></table>",
    ),
    technique(
        "content not visible",
        "<div style='content-visibility:hidden'><p>@</p></div>",
        "<div style='content-visibility:auto'><p>@</p></div>",
    ),
    technique(
        "row collapsed",
        "<table><tr style='visibility:collapse'><td>@</table>",
        "<table><tr style='visibility:visible'><td>@</table>",
    ),
    technique(
        "visibility",
        "<p style='visibility:hidden'>@",
        "<div style='visibility:hidden'><p style='visibility:visible'>@</p></div>",
    ),
    technique(
        "no display",
        "<p style='display:none'>@",
        "<p style='display:contents'>@",
    ),
    technique(
        "letters on one another",
        "<p style='font-family:monospace;letter-spacing:-1ch;white-space:nowrap'>@",
        "<p style='letter-spacing:-.02em'>@",
    ),
    technique(
        "drawing without fill",
        "<svg width=600 height=30><text x=5 y=20 fill=none>@</text></svg>",
        "<svg width=600 height=30></svg><p>@",
    ),
    technique(
        "drawing in the color of its ground",
        "<svg width=600 height=30><rect width=600 height=30 fill='#345'/><text x=5 y=20 fill='#345'>@</text></svg>",
        "<svg width=600 height=30><rect width=600 height=30 fill='#345'/></svg><p>@",
    ),
    technique(
        "closed dialog",
        "<dialog><p>@</p></dialog>",
        "<p role=dialog>@",
    ),
    technique("attribute hidden", "<p hidden>@", "<p aria-hidden=true>@"),
    technique(
        "only for screen readers",
        "<span class='sr-only'>@</span>",
        "<span class='sr-only' style='position:static;width:auto;height:auto;clip:auto;clip-path:none'>@</span>",
    ),
    technique(
        "waiting for nothing",
        "<p class='x' style='opacity:0'>@",
        "<p class='x' style='opacity:0;transition:opacity .4s'>@",
    ),
    technique(
        "paler than anybody sees",
        "<p style='color:#f4f4f4'>@",
        "<p style='color:#e4e4e4'>@",
    ),
    technique(
        "letters of four pixels",
        "<p style='font-size:4px'>@",
        "<p style='font-size:7px'>@",
    ),
    technique(
        "letters upon each other",
        "<p style='letter-spacing:-1em'>@",
        "<p style='letter-spacing:-.05em'>@",
    ),
    technique(
        "a white background through transparent letters",
        "<p style='background:#fff;background-clip:text;-webkit-text-fill-color:transparent'>@",
        "<p style='background:#c22;background-clip:text;-webkit-text-fill-color:transparent'>@",
    ),
    technique(
        "a white gradient through transparent letters",
        "<p style='background:linear-gradient(#fff,#fff);background-clip:text;color:transparent'>@",
        "<p style='background:linear-gradient(#c22,#22c);background-clip:text;color:transparent'>@",
    ),
];

/// Names of pages, and text that readers see although it looks hidden.
pub const ALWAYS_SHOWN: &[(&str, &str)] = &[
    (
        "under a cookie banner",
        "<p>@</p><div style='position:fixed;left:0;right:0;top:0;height:2000px;background:#fff;z-index:9'><p>We use cookies</p></div>",
    ),
    (
        "under a translucent backdrop",
        "<p>@</p><div style='position:fixed;inset:0;background:rgba(0,0,0,.9)'></div>",
    ),
    (
        "under a modal dialog",
        "<p>@</p><dialog open style='position:fixed;inset:0;width:100%;height:100%;background:#fff'><p>Subscribe</p></dialog>",
    ),
    (
        "under a sticky header",
        "<div style='position:sticky;top:0;height:200px;margin-bottom:-150px;background:#fff'></div><p>@</p>",
    ),
    (
        "in a gradient",
        "<h2 style='font-size:40px;background:linear-gradient(90deg,#f06,#48f);-webkit-background-clip:text;background-clip:text;-webkit-text-fill-color:transparent'>@</h2>",
    ),
    (
        "on a picture",
        "<div style='background:url(IMAGE);padding:40px'><p style='color:#fff'>@</p></div>",
    ),
    (
        "on a picture beside it",
        "<div style='position:relative'><img src='IMAGE' style='position:absolute;width:100%;height:100px'><p style='position:relative;color:#fff'>@</p></div>",
    ),
    (
        "on a gradient",
        "<div style='background:linear-gradient(#fff,#000);padding:60px'><p style='color:#c30'>@</p></div>",
    ),
    (
        "white on a dark page",
        "<div style='background:#123;color:#fff'><p>@</p></div>",
    ),
    (
        "on a dark row",
        "<table style='width:100%'><thead style='background:#123;color:#fff'><tr><th>@</table>",
    ),
    (
        "on a dark inline box",
        "<p><span style='background:#222'><b style='color:#fff'>@</b></span>",
    ),
    (
        "on a generated ground",
        "<style>.g{position:relative;z-index:0;color:#fff}.g::before{content:'';position:absolute;inset:0;background:#234;z-index:-1}</style><p class=g>@",
    ),
    (
        "on floats that leave their box",
        "<div style='background:#234'><div style='float:left;background:#234;color:#fff'>@</div></div><div style='clear:both'></div>",
    ),
    (
        "in a folded section",
        "<details><summary>More</summary><p>@</p></details>",
    ),
    (
        "in the panel of a tab",
        "<div role=tabpanel style='display:none'><p>@</p></div>",
    ),
    (
        "in an answer",
        "<style>.faq-answer{visibility:hidden}</style><h3>Why?</h3><div class=faq-answer><p>@</p></div>",
    ),
    (
        "in an answer without height",
        "<div class=faq-answer style='max-height:0;overflow:hidden'><p>@</p></div>",
    ),
    (
        "in what a heading unfolds",
        "<h4><button aria-expanded=false aria-controls=why>Why?</button></h4><div id=why hidden><p>@</p></div>",
    ),
    (
        "in a panel in a panel",
        "<div class=accordion style='display:none'><ul><li>one</li><li class=more style='display:none'>@</li></ul></div>",
    ),
    (
        "in what a button of another part opens",
        "<style>.shut{display:none}</style><div><h5><button data-target=#opened>Why?</button></h5></div><hr><div id=opened class=shut><p>@</p></div>",
    ),
    (
        "in a list of questions without names",
        "<style>.b{display:none}</style><ul><li><i>Why?</i><div class=b>@</div></li><li><i>Who?</i><div class=b>Those who asked.</div></li></ul>",
    ),
    (
        "behind a button that goes on",
        "<div style='max-height:0;overflow:hidden'><p>@</p></div><button>Continue</button>",
    ),
    (
        "under a cloak",
        "<style>[v-cloak]{display:none}</style><div v-cloak><p>@</p></div>",
    ),
    (
        "in a hole that a script would fill",
        "<style>.in{visibility:hidden}</style><div class=in><p>@, LONG</p><p>This is LONG</p></div>",
    ),
    (
        "in a transparent part that a script would fade in",
        "<style>.in{opacity:0}</style><div class=in><p>@, LONG</p><p>This is LONG</p></div>",
    ),
    (
        "in a box that scrolls",
        "<div style='height:60px;overflow:auto'><p style='height:200px'>first</p><p>@</p></div>",
    ),
    (
        "in a carousel",
        "<div style='overflow:hidden;width:300px'><div style='display:flex;width:900px'><p style='width:300px'>one</p><p style='width:300px'>@</p></div></div>",
    ),
    (
        "fades in by an animation",
        "<style>KEYFRAMES in{from{opacity:0}to{opacity:1}}</style><p style='animation:in 2s both'>@",
    ),
    (
        "fades in after a delay",
        "<style>KEYFRAMES in{from{opacity:0}to{opacity:1}}</style><p style='opacity:0;animation:in 2s 3s forwards'>@",
    ),
    (
        "fades in when a script says so",
        "<p style='opacity:0;transform:translateY(20px);transition:opacity .6s,transform .6s'>@",
    ),
    (
        "fades in from an inline style",
        "<p style='opacity:0;transform:translateY(20%)'>@",
    ),
    ("turned by an angle", "<p style='transform:rotate(-4deg)'>@"),
    (
        "turned upright",
        "<div style='position:absolute;left:600px;writing-mode:vertical-rl'>@</div>",
    ),
    (
        "under a sheet that lets it through",
        "<div style='position:relative'><p>@</p><div style='position:absolute;inset:0;background:rgba(255,255,255,.6)'></div></div>",
    ),
    (
        "outside its clipping box",
        "<div style='overflow:hidden;height:0'><p style='position:absolute'>@</p></div>",
    ),
    (
        "only its shadow",
        "<p style='color:transparent;text-shadow:0 0 2px #333'>@",
    ),
    (
        "only its outline",
        "<p style='font-size:30px;color:transparent;-webkit-text-stroke:1px #333'>@",
    ),
    (
        "a link with a box over it",
        "<div style='position:relative'><a href=x>@</a><a href=y style='position:absolute;inset:0'></a></div>",
    ),
    ("small print", "<p style='font-size:8px;color:#999'>@"),
    ("far below", "<div style='height:9000px'></div><p>@"),
    (
        "far below, and laid out when it comes near",
        "<div style='height:9000px'></div><div style='content-visibility:auto'><p>@</p></div>",
    ),
    (
        "below a picture that loads when it comes near",
        "<div style='position:absolute;top:6000px'><img loading=lazy src=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='300' height='600'/%3E\"><p>@</p></div>",
    ),
    (
        "far right",
        "<p style='margin-left:1800px;white-space:nowrap'>@",
    ),
];
