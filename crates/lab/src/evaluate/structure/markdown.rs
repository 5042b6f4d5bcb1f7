//! Reads Markdown: CommonMark with tables, formulas, footnotes, definition lists and struck text.

use super::model::Structure;
use super::reader::{Base, Reader};
use pulldown_cmark::{Options, Parser};

/// The structure of a Markdown document whose links are relative to `base`.
pub(crate) fn read_markdown(markdown: &str, base: &Base) -> Structure {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM
        | Options::ENABLE_DEFINITION_LIST;
    let mut reader = Reader::new(markdown, base);
    for (event, range) in Parser::new_ext(markdown, options).into_offset_iter() {
        reader.read(event, range);
    }
    reader.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::structure::model::{Heading, ListKind, ListNode};
    use crate::evaluate::structure::tables::TableNode;
    use proptest::prelude::*;

    fn read(markdown: &str) -> Structure {
        read_markdown(markdown, &Base::default())
    }

    #[test]
    fn text_has_neither_code_nor_tables_nor_formulas_nor_pictures() {
        let found = read(
            "# The *herring* gull\n\nIt drops `x` [mussels](/m)\non rocks: $h = 2$ ![a rock](r.png)\n\n```rust\nfn f() {  \n\n    g()\n}\n```\n\n\
             | a | b |\n|---|---|\n| c | $d$ |\n\n> Said the *gull*.\n>\n> - no\n\n$$\n\\frac 1 2\n$$\n\nEnd[^1].\n\n[^1]: A note.\n",
        );
        assert_eq!(
            found.text,
            "The herring gull It drops x mussels on rocks: Said the gull. no End. A note."
        );
        assert_eq!(found.notes, ["A note."]);
        assert_eq!(found.code, ["fn f() {\n\n    g()\n}"]);
        assert_eq!(found.formulas, ["h=2", "\\frac12"]);
        assert_eq!(
            found.headings,
            [Heading {
                level: 1,
                text: "The herring gull".to_owned()
            }]
        );
        assert_eq!(found.links, [("mussels".to_owned(), "/m".to_owned())]);
        assert_eq!(
            found.emphasis,
            [(false, "herring".to_owned()), (false, "gull".to_owned())]
        );
        assert_eq!(found.quotes, ["Said the gull. no"]);
        let cell = |text: &str| {
            (
                2,
                TableNode::Cell {
                    spans: (1, 1),
                    text: text.to_owned(),
                },
            )
        };
        let row = |is_header| (1, TableNode::Row { is_header });
        let expected = [
            (0, TableNode::Table),
            row(true),
            cell("a"),
            cell("b"),
            row(false),
            cell("c"),
            cell("$d$"),
        ];
        assert_eq!(found.tables.len(), 1);
        assert_eq!(found.tables[0].nodes(), expected);
    }

    #[test]
    fn notes_without_marks_do_not_count() {
        let found = read(
            "One[^b] and[^a] and[^b].\n\n[^a]: First.\n\n[^b]: Second.\n\n[^c]: Third.\n\n> [!NOTE]\n> Fourth.\n",
        );
        assert_eq!(found.notes, ["Second.", "First."]);
        assert_eq!(found.callouts, [("Note".to_owned(), "Fourth.".to_owned())]);
    }

    #[test]
    fn lists_are_trees() {
        let found = read(
            "2. one\n\n    more\n    - **two**\n\n      ```\n      code\n      ```\n3. [three](x)\n\nterm\n: definition\n",
        );
        let item = |depth, text: &str| (depth, ListNode::Item(text.to_owned()));
        let expected = [
            (0, ListNode::List(ListKind::Numbers(2))),
            item(1, "one more"),
            (2, ListNode::List(ListKind::Bullets)),
            item(3, "two"),
            item(1, "three"),
            (0, ListNode::List(ListKind::Definitions)),
            (1, ListNode::Term("term".to_owned())),
            (1, ListNode::Definition("definition".to_owned())),
        ];
        assert_eq!(found.lists.nodes(), expected);
        assert_eq!(found.code, ["code"]);
    }

    #[test]
    fn html_in_markdown_is_read() {
        let found = read(
            "Water is H<sub>2</sub>O.\n\n<table><tr><td>a</td></tr>\n\n<tr><td>*b*</td></tr></table><table><tr><td>c</table>\n\n\
             <div>in <b>a</b> box</div>\n\n- <table><tr><td>d</td></tr></table>\n\nEnd\n",
        );
        assert_eq!(found.tables.len(), 3);
        let nodes: Vec<_> = found
            .tables
            .iter()
            .map(|table| table.nodes().len())
            .collect();
        assert_eq!(nodes, [5, 3, 3]);
        assert_eq!(found.text, "Water is H2O. in a box End");
        let unclosed = read("<table><tr><td>a\n\nEnd\n");
        assert_eq!(
            (unclosed.tables.len(), unclosed.text.as_str()),
            (0, "a End")
        );
    }

    #[test]
    fn amounts_of_money_are_no_formulas() {
        let found = read("It costs $5 and ($20/$30), or US$7.\n\n$x$ of $(y)$2\n");
        assert_eq!(
            (found.formulas, found.text.as_str()),
            (
                vec!["x".to_owned()],
                "It costs $5 and ($20/$30), or US$7. of $(y)$2"
            )
        );
    }

    #[test]
    fn an_empty_document_has_nothing() {
        assert_eq!(read(""), Structure::default());
        assert_eq!(
            read("![only a picture](x.png)\n\n[![](y.png)](/z)\n").links,
            []
        );
    }

    proptest! {
        #[test]
        fn anything_is_read(markdown in "([-#>|*_`$~:1.a\\[\\]()! \n]|<table>|</table>|<td>|<tr>|\n\n|ä){0,60}") {
            let found = read(&markdown);
            prop_assert_eq!(&found, &read(&markdown));
        }
    }
}
