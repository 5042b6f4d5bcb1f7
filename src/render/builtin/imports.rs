//! Makes the addresses of `@import` rules absolute where the engine cannot resolve them itself.
//!
//! The engine panics at an imported address that does not resolve against the address of its sheet
//! (`blitz_dom::net`, `request_stylesheet`). Browsers ignore such an import. In an MHTML file each `style` element is a
//! part with a `cid:` address, against which nothing resolves; its relative imports mean the address of the page.

use cssparser::{Parser, Token, serialize_string};
use std::borrow::Cow;
use url::Url;

/// An empty style sheet, in place of an address that cannot be resolved at all.
const EMPTY_SHEET: &str = "data:text/css,";

/// The sheet with imports that the engine can resolve. `own` is the address under which the engine reads the sheet,
/// `base` that of the document.
pub(super) fn resolvable<'a>(css: &'a str, own: &Url, base: &Url) -> Cow<'a, str> {
    if !may_import(css) {
        return Cow::Borrowed(css);
    }
    let mut parser = Parser::new(css);
    let mut changed = String::new();
    let mut copied = 0;
    // Blocks are skipped: each token here is outside of them.
    while let Ok(token) = parser.next() {
        if !matches!(token, Token::AtKeyword(name) if name.eq_ignore_ascii_case("import")) {
            continue;
        }
        parser.skip_whitespace();
        let from = parser.position().byte_index();
        let Ok(address) = parser.try_parse(Parser::expect_url_or_string) else { continue };
        if own.join(&address).is_ok() {
            continue;
        }
        let absolute = base.join(&address).map_or_else(|_| EMPTY_SHEET.to_owned(), String::from);
        changed.push_str(&css[copied..from]);
        serialize_string(&absolute, &mut changed).expect("writing to a string never fails");
        copied = parser.position().byte_index();
    }
    if copied == 0 {
        return Cow::Borrowed(css);
    }
    changed.push_str(&css[copied..]);
    Cow::Owned(changed)
}

/// Whether a sheet may have an import: it has the word, or an escape that may be a letter of it.
fn may_import(css: &str) -> bool {
    const WORD: &[u8] = b"import";
    memchr::memchr_iter(b'@', css.as_bytes()).any(|at| {
        let name = &css.as_bytes()[at + 1..];
        let name = &name[..name.len().min(WORD.len())];
        name.eq_ignore_ascii_case(WORD) || name.contains(&b'\\')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn changed(css: &str, own: &str) -> String {
        let base = Url::parse("https://a.example/dir/page").unwrap();
        resolvable(css, &Url::parse(own).unwrap(), &base).into_owned()
    }

    #[test]
    fn imports_of_a_part_without_an_address_are_those_of_the_page() {
        for (css, expected) in [
            ("@import 'a.css';", "@import \"https://a.example/dir/a.css\";"),
            ("@import url(a.css) print;p {}", "@import \"https://a.example/dir/a.css\" print;p {}"),
            ("/* x */@IMPORT/**/url( \"/a\" );", "/* x */@IMPORT/**/\"https://a.example/a\";"),
            ("@\\69mport \"a\";", "@\\69mport \"https://a.example/dir/a\";"),
            ("b{}@import 'a\\22'", "b{}@import \"https://a.example/dir/a%22\""),
            ("@import 'http://[';@import 'cid:b@x';", "@import \"data:text/css,\";@import 'cid:b@x';"),
            ("@media x { @import 'a'; } p::after { content: '@import \"a\"' }", ""),
            ("@import ;@import x;@import url(a b);@imports 'a';@import", ""),
        ] {
            let expected = if expected.is_empty() { css } else { expected };
            assert_eq!(changed(css, "cid:part@x"), expected, "{css}");
        }
    }

    #[test]
    fn imports_that_the_engine_can_resolve_are_unchanged() {
        let css = "@import 'a.css'; @import url(//b.example/x);";
        assert_eq!(changed(css, "https://a.example/a.css#vclean-sheet:"), css);
        assert_eq!(changed("@import 'http://[';", "https://a.example/"), "@import \"data:text/css,\";");
    }

    proptest! {
        #[test]
        fn every_import_resolves_afterwards(css in "(@import|@im|\\\\|url\\(|[\"'a(){};/* \n]){0,30}") {
            let own = "cid:part@x";
            let once = changed(&css, own);
            prop_assert_eq!(changed(&once, own), once);
        }
    }
}
