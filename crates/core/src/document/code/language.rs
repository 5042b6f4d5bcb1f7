//! The programming language of a block of code, from the classes and attributes with which
//! highlighters, blogs and documentation systems name it.

use crate::capture::{Dom, NodeId};

/// Number of levels around a block at which its language may be named. Heuristic: there are a line,
/// a highlighter's element and one of the documentation system.
const MAX_LEVELS: usize = 3;

/// Beginnings of classes that are followed by a language under any name: those of HTML's own
/// recommendation, Prism, GitHub, SyntaxHighlighter, Pandoc, `MediaWiki` and Crayon.
const PREFIXES: &[&str] = &[
    "language-",
    "lang-",
    "lang:",
    "highlight-source-",
    "highlight-text-",
    "mw-highlight-lang-",
    "brush:",
    "sourceCode-",
];

/// Beginnings of classes that are followed by a language or by something else: those of Sphinx, Org
/// mode, `GeSHi`, GitHub and others.
const PREFIXES_OF_KNOWN: &[&str] = &[
    "highlight-",
    "src-",
    "source-",
    "syntax-",
    "code-",
    "type-",
    "brush-",
    "prism-",
    "shj-lang-",
    "language:",
];

/// Classes after which another class is the language: `hljs python`, `brush: java`, `sourceCode
/// haskell`, `highlight go`.
const MARKS: &[&str] = &[
    "hljs",
    "brush:",
    "sourceCode",
    "syntaxhighlighter",
    "prettyprint",
    "highlight",
    "code",
    "src",
    "codehilite",
    "chroma",
];

/// Attributes for the language of code.
const ATTRIBUTES: &[&str] = &[
    "data-lang",
    "data-language",
    "data-enlighter-language",
    "data-code-lang",
    "data-code-language",
    "data-programming-language",
    "data-syntax",
];

/// Attributes that are the language of code, of its text or something else: those of custom
/// elements, and of `pre` on some sites.
const ATTRIBUTES_OF_KNOWN: &[&str] = &["language", "syntax", "lang", "data-lexer"];

/// The programming language named by the `pre`, by the `code` in it or by the nearest elements
/// around it.
pub(in crate::document) fn language(dom: &Dom, pre: NodeId) -> Option<String> {
    let inner = dom
        .children(pre)
        .filter(|&id| dom.tag(id) == "code")
        .take(1);
    let outer = dom
        .ancestors(pre)
        .take(MAX_LEVELS)
        .take_while(|&up| !matches!(dom.tag(up), "html" | "body" | "main" | "article"));
    let named = inner
        .chain(std::iter::once(pre))
        .map(|id| language_of(dom, id).or_else(|| only_class(dom, id)));
    named
        .chain(outer.map(|id| language_of(dom, id)))
        .flatten()
        // Words that highlighters use for code whose language they guess or do not know.
        .find(|name| !matches!(name.as_str(), "auto" | "none" | "undefined" | "unknown"))
}

/// The language that the attributes of an element name.
fn language_of(dom: &Dom, id: NodeId) -> Option<String> {
    let attribute = |name: &&str| dom.attribute(id, name);
    let of_class = || dom.attribute(id, "class").and_then(language_of_classes);
    let of_attribute = || {
        ATTRIBUTES
            .iter()
            .filter_map(attribute)
            .find_map(clean_language)
    };
    let known = || {
        ATTRIBUTES_OF_KNOWN
            .iter()
            .filter_map(attribute)
            .find_map(|name| known_language(&name.trim().to_ascii_lowercase()))
    };
    // Confluence writes the class of SyntaxHighlighter as parameters.
    let of_parameters = || {
        let parameters = dom.attribute(id, "data-syntaxhighlighter-params")?;
        let (_, name) = parameters.split_once("brush:")?;
        clean_language(name.split(';').next()?)
    };
    of_class()
        .or_else(of_attribute)
        .or_else(of_parameters)
        .or_else(known)
}

fn language_of_classes(class: &str) -> Option<String> {
    let names = || class.split_ascii_whitespace();
    let after_mark = || {
        names()
            .skip_while(|name| !MARKS.contains(name))
            .skip(1)
            .take(2)
            .find_map(known_language)
    };
    let after_prefix = |name: &str| {
        PREFIXES_OF_KNOWN
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))
            .and_then(|name| known_language(&name.to_ascii_lowercase()))
    };
    names()
        .find_map(language_of_class)
        .or_else(after_mark)
        .or_else(|| names().find_map(after_prefix))
}

fn language_of_class(class: &str) -> Option<String> {
    PREFIXES
        .iter()
        .find_map(|prefix| class.strip_prefix(prefix))
        .and_then(clean_language)
}

/// The language that is the whole class of a `pre` or `code`, as highlight.js and wp-syntax accept
/// it.
fn only_class(dom: &Dom, id: NodeId) -> Option<String> {
    let class = dom.attribute(id, "class")?.trim();
    known_language(class).filter(|_| matches!(dom.tag(id), "pre" | "code"))
}

/// The names that the documentation of Pygments, highlight.js and SyntaxHighlighter gives to the
/// most common languages; also words of labels above code.
const KNOWN: &[&str] = &[
    "applescript",
    "bash",
    "c",
    "clojure",
    "console",
    "cmake",
    "cpp",
    "csharp",
    "css",
    "dart",
    "diff",
    "dockerfile",
    "elixir",
    "erlang",
    "fortran",
    "fsharp",
    "go",
    "golang",
    "graphql",
    "groovy",
    "haskell",
    "hcl",
    "html",
    "ini",
    "java",
    "javascript",
    "jscript",
    "js",
    "json",
    "jsx",
    "julia",
    "kotlin",
    "latex",
    "lisp",
    "lua",
    "makefile",
    "markdown",
    "matlab",
    "nginx",
    "nix",
    "objectivec",
    "ocaml",
    "perl",
    "php",
    "powershell",
    "python",
    "r",
    "ruby",
    "rust",
    "sass",
    "scala",
    "scheme",
    "scss",
    "shell",
    "solidity",
    "sql",
    "swift",
    "toml",
    "ts",
    "tsx",
    "typescript",
    "vb",
    "xml",
    "yaml",
    "zig",
];

/// More names from the same documentation, which are too short or too common to be labels.
const KNOWN_IN_MARKUP: &[&str] = &[
    "abap",
    "actionscript",
    "ada",
    "apache",
    "apacheconf",
    "arduino",
    "asciidoc",
    "asm",
    "awk",
    "bat",
    "batch",
    "bibtex",
    "c#",
    "c++",
    "clj",
    "cobol",
    "coffeescript",
    "common-lisp",
    "crystal",
    "cs",
    "cuda",
    "cython",
    "d",
    "delphi",
    "elisp",
    "elm",
    "emacs-lisp",
    "f#",
    "glsl",
    "gradle",
    "haml",
    "handlebars",
    "haxe",
    "hs",
    "http",
    "idl",
    "ipython",
    "ipython3",
    "jinja",
    "json5",
    "jsonc",
    "less",
    "mermaid",
    "mysql",
    "nasm",
    "nim",
    "objc",
    "pascal",
    "plsql",
    "pony",
    "postgresql",
    "prolog",
    "properties",
    "protobuf",
    "ps1",
    "psql",
    "puppet",
    "purescript",
    "pwsh",
    "py",
    "py3",
    "pycon",
    "python3",
    "racket",
    "raku",
    "rb",
    "reason",
    "rescript",
    "rs",
    "rst",
    "sas",
    "sh",
    "sh-session",
    "shell-session",
    "smalltalk",
    "sml",
    "sparql",
    "stata",
    "stylus",
    "svelte",
    "systemverilog",
    "tcl",
    "terraform",
    "tex",
    "thrift",
    "tsql",
    "turtle",
    "twig",
    "vala",
    "vbnet",
    "verilog",
    "vhdl",
    "vim",
    "vue",
    "wasm",
    "wast",
    "xquery",
    "xslt",
    "yml",
    "zsh",
];

/// A word of a label if it is the name of a language.
pub(in crate::document) fn language_of_label(name: &str) -> Option<String> {
    KNOWN.contains(&name).then(|| name.to_owned())
}

/// A name in markup if it is that of a language; unknown names may mean anything.
fn known_language(name: &str) -> Option<String> {
    let name = name.trim_end_matches(';');
    (KNOWN.contains(&name) || KNOWN_IN_MARKUP.contains(&name)).then(|| name.to_owned())
}

fn clean_language(name: &str) -> Option<String> {
    let name = name.trim().trim_end_matches(';').to_ascii_lowercase();
    let is_name = !name.is_empty()
        && name.len() <= 24
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+#-_.".contains(&byte));
    (is_name
        && !matches!(
            name.as_str(),
            "none" | "text" | "plain" | "plaintext" | "default" | "nohighlight"
        ))
    .then_some(name)
}

#[cfg(test)]
mod tests {
    use crate::document::SegmentKind;
    use crate::document::segments::segment::tests::kinds;

    fn language(html: &str) -> Option<String> {
        kinds(html)
            .into_iter()
            .find_map(|(_, kind)| match kind {
                SegmentKind::Code { language } => Some(language),
                _ => None,
            })
            .flatten()
    }

    #[test]
    fn languages_are_named_in_many_ways() {
        for (html, expected) in [
            (
                "<div class='mw-highlight mw-highlight-lang-perl'><pre>x</pre></div>",
                "perl",
            ),
            (
                "<div class='highlight-ruby notranslate'><div class=highlight><pre>x</pre></div></div>",
                "ruby",
            ),
            (
                "<div class='highlight-c++'><div class=highlight><pre>x</pre></div></div>",
                "c++",
            ),
            ("<pre data-enlighter-language=swift>x</pre>", "swift"),
            ("<pre lang=haskell><code>x</code></pre>", "haskell"),
            (
                "<figure class='highlight scala'><pre><code>x</code></pre></figure>",
                "scala",
            ),
            ("<div class=tab data-lang=json><pre>x</pre></div>", "json"),
            ("<x-code language=Rust><pre>x</pre></x-code>", "rust"),
            ("<pre class=click syntax=Dart><code>x</code></pre>", "dart"),
            (
                "<div class=org-src-container><pre class='src src-elisp'>x</pre></div>",
                "elisp",
            ),
            ("<div class=wp_syntax><pre class=php>x</pre></div>", "php"),
            ("<pre><code class=bash>x</code></pre>", "bash"),
            ("<pre class='lang:python decode:true'>x</pre>", "python"),
            (
                "<pre class=code data-syntaxhighlighter-params='brush: java; gutter: false'>x</pre>",
                "java",
            ),
            ("<pre class='prettyprint lang-go'>x</pre>", "go"),
        ] {
            assert_eq!(language(html).as_deref(), Some(expected), "{html}");
        }
    }

    #[test]
    fn other_names_are_not_languages() {
        for html in [
            "<pre lang=de>x</pre>",
            "<div class='highlight-box'><pre class=wide>x</pre></div>",
            "<div class='highlight-default notranslate'><div class=highlight><pre>x</pre></div></div>",
            "<div class='code-block'><pre class='source-view'>x</pre></div>",
            "<body data-language=en><pre>x</pre>",
            "<x-code language=english><pre>x</pre></x-code>",
        ] {
            assert_eq!(language(html), None, "{html}");
        }
    }
}
