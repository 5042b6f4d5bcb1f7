//! Tells threads of Drupal's forum from its articles: both mark comments alike.
//!
//! Drupal names the type of a page in classes of its body or of the text above the comments, and
//! leads readers back to the forum above the text.

use crate::capture::{Dom, NodeId};

/// Classes of Drupal 6 to 10, and of its module Advanced Forum, that pages of a forum have.
const FORUM_CLASSES: [&str; 8] = [
    "node-forum",
    "node-type-forum",
    "node--type-forum",
    "page-node-type-forum",
    "path-forum",
    "forum-topic",
    "forum-post",
    "forum-comment",
];
/// The last parts of addresses of forums.
const FORUM_PATHS: [&str; 4] = ["forum", "forums", "foro", "foros"];
/// Elements of a breadcrumb that are examined.
const MAX_IN_BREADCRUMB: usize = 60;

/// Returns true if a page is of a forum of Drupal, and not an article with comments.
pub(super) fn is_forum(dom: &Dom) -> bool {
    dom.ids().any(|id| {
        let attributes = dom.attributes(id);
        let class = attributes.get("class").unwrap_or_default();
        let mut classes = class.split_ascii_whitespace();
        let is_breadcrumb = |name: &str| {
            name.get(..10)
                .is_some_and(|start| start.eq_ignore_ascii_case("breadcrumb"))
        };
        classes.clone().any(|name| FORUM_CLASSES.contains(&name))
            || (classes.any(is_breadcrumb) || attributes.get("id").is_some_and(is_breadcrumb))
                && leads_to_forum(dom, id)
    })
}

fn leads_to_forum(dom: &Dom, breadcrumb: NodeId) -> bool {
    let inside = dom.descendants(breadcrumb).take(MAX_IN_BREADCRUMB);
    inside
        .filter_map(|id| dom.attribute(id, "href"))
        .any(|address| {
            let path = address.split(['?', '#']).next().unwrap_or_default();
            let is_forum = |part: &str| {
                let name = part.split('.').next().unwrap_or_default();
                FORUM_PATHS
                    .iter()
                    .any(|forum| name.eq_ignore_ascii_case(forum))
            };
            path.split('/').any(is_forum)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn threads_are_told_from_articles_with_comments() {
        let comments = "<div class=comment><div class=content>Yes.</div></div>";
        for (html, expected) in [
            ("<body class='page-node node-type-forum'>", true),
            ("<article class='node node--type-forum'>", true),
            (
                "<div class=breadcrumb><a href=/>Home</a> <a href=/forum/12>Gulls</a></div>",
                true,
            ),
            (
                "<nav class=breadcrumb><ol><li><a href='../forum.html'>Forums</a></ol></nav>",
                true,
            ),
            (
                "<div class=breadcrumb><a href=/>Home</a> <a href=/blog>Blog</a></div>",
                false,
            ),
            (
                "<nav><a href=/forum>Forum</a></nav><div class='node node-story'>",
                false,
            ),
        ] {
            assert_eq!(
                is_forum(&parse_html(&format!("{html}{comments}"))),
                expected,
                "{html}"
            );
        }
    }
}
