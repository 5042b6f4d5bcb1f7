//! Kinds of elements by their tags, for cutting a page into text blocks where a method names none of its own.

/// Elements that HTML lays out as blocks (HTML 4 `%block;` and what HTML 5 added).
pub fn is_block_element(tag: &str) -> bool {
    matches!(
        tag,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "frameset"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "optgroup"
            | "option"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}

/// Elements whose text is no text of the page: programs, styles, and what a reader does not see.
pub fn is_ignored_element(tag: &str) -> bool {
    matches!(
        tag,
        "script"
            | "style"
            | "head"
            | "title"
            | "noscript"
            | "template"
            | "option"
            | "select"
            | "textarea"
            | "object"
            | "embed"
            | "applet"
            | "svg"
            | "canvas"
            | "audio"
            | "video"
            | "iframe"
            | "noframes"
            | "noembed"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_apart() {
        assert!(is_block_element("td") && is_block_element("h6") && !is_block_element("span"));
        assert!(is_ignored_element("script") && is_ignored_element("head") && !is_ignored_element("body"));
    }
}
