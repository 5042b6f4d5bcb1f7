//! Tests the positions of the text: a browser finds each piece where the output says.

use crate::labelling_window::browser;
use crate::program::{one_browser, vclean};
use crate::support::fixtures;
use serde_json::{Value, json};

/// A page with comments between texts, elements outside of HTML, line breaks and code.
const PAGE: &str = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Herring gulls and mussels</title><body>
<nav><a href=/>Home</a> <a href=/about>About</a></nav><article><h1>Herring gulls and mussels</h1>
<p>Herring gulls <b>drop <i>mussels</i></b> on rocks<!-- a comment --> from a height that depends on how hard the shell \
is,<br>and they seldom have to try more than twice before they can eat what is in it: \u{1f41a} shells are \u{fc}ber all.</p>
<p>A drop from <o:height>ten meters</o:height> takes <math><msqrt><mfrac><mn>2</mn><mi>g</mi></mfrac></msqrt></math> seconds \
and more, as the keepers of the island have measured with a clock that was made for the purpose.</p>
<ul><li>The first drop opens half of the shells, and the second most of the others.<li>Young birds try it over sand, \
where nothing happens for a long time.</ul>
<pre><code>for shell in shells:
    <b>drop</b>(shell)
    if is_open(shell):
        eat(shell)</code></pre>
<p>In winter, when the sea is rough, the birds leave the coast and look for food on the fields behind the dunes.</p>
</article><footer>Imprint</footer></body></html>";

/// Returns the texts that a browser finds at these positions. Each path must lead to exactly one
/// node; a formula is found by the name of its element.
fn found(address: &str, positions: &Value) -> Value {
    let browser = browser();
    let tab = browser.new_tab().unwrap();
    tab.navigate_to(address)
        .unwrap()
        .wait_until_navigated()
        .unwrap();
    let script = format!(
        "JSON.stringify({positions}.map(({{xpath, start, end}}) => {{
            const nodes = document.evaluate(xpath, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
            if (nodes.snapshotLength !== 1) return `${{nodes.snapshotLength}} nodes at ${{xpath}}`;
            const node = nodes.snapshotItem(0);
            return start === null ? node.localName : Array.from(node.data).slice(start, end).join('');
        }}))"
    );
    let result = tab.evaluate(&script, false).unwrap();
    serde_json::from_str(result.value.unwrap().as_str().unwrap()).unwrap()
}

#[test]
fn a_browser_finds_each_piece_of_the_text_where_its_position_says() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("gulls.html");
    std::fs::write(&own, PAGE).unwrap();
    let _alone = one_browser();
    for page in [own, fixtures().join("site/article/index.html")] {
        let page = page.display().to_string();
        let outcome = vclean([
            "render-and-clean",
            &page,
            "--engine",
            "chromium",
            "--format",
            "json",
            "--positions",
            "--no-sandbox",
        ]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let document: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let items = |value: &Value| value.as_array().unwrap().clone();
        let spans: Vec<Value> = items(&document["segments"])
            .iter()
            .flat_map(|segment| items(&segment["spans"]))
            .collect();
        let positions: Vec<Value> = spans
            .iter()
            .flat_map(|span| items(&span["positions"]))
            .collect();
        assert!(positions.len() > 5, "{document}");
        assert!(
            positions
                .iter()
                .all(|position| position["rect"]["width"].as_f64() > Some(0.0)),
            "{positions:?}"
        );
        let found = found(&format!("file://{page}"), &json!(positions));
        let mut found = found
            .as_array()
            .unwrap()
            .iter()
            .map(|text| text.as_str().unwrap());
        for span in &spans {
            let count = items(&span["positions"]).len();
            let texts: String = found.by_ref().take(count).collect();
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            let wanted = if span.get("formula").is_some() {
                "math"
            } else {
                span["text"].as_str().unwrap()
            };
            assert_eq!(letters(&texts), letters(wanted), "{span}");
        }
        if page.ends_with("gulls.html") {
            let text = document.to_string();
            assert!(
                text.contains("local-name()='math'") && text.contains("local-name()='o:height'"),
                "{text}"
            );
            assert!(
                text.contains("/p[1]/text()[3]"),
                "a comment separates two text nodes: {text}"
            );
        }
    }
}
