//! Markup as well-known comment systems write it. Only the structure matters: tags, and the names by which sites know them.

use super::chance::Chance;
use super::markup::{Markup, Part, draw};

/// Share of sections in the markup of a well-known system.
const KNOWN: f64 = 0.4;

/// The parts of a system, in the order of the fields of [`Markup`].
type Parts = [(&'static str, &'static str); 11];

const SYSTEMS: &[Parts] = &[
    // WordPress, themes since 2013.
    [
        ("div", "comments-area"),
        ("ol", "comment-list"),
        ("li", "comment"),
        ("footer", "comment-meta"),
        ("b", "fn"),
        ("time", ""),
        ("div", "comment-content"),
        ("p", ""),
        ("div", "reply"),
        ("a", "comment-reply-link"),
        ("ol", "children"),
    ],
    // WordPress, older themes.
    [
        ("div", "#comments"),
        ("ol", "commentlist"),
        ("li", "alt"),
        ("div", "comment-author vcard"),
        ("cite", "fn"),
        ("a", ""),
        ("", ""),
        ("p", ""),
        ("div", "reply"),
        ("a", "comment-reply-link"),
        ("ul", "children"),
    ],
    // Disqus, as archived pages hold it.
    [
        ("div", "#disqus_thread"),
        ("ul", "post-list"),
        ("li", "post"),
        ("header", "comment__header"),
        ("span", "post-byline"),
        ("a", "time-ago"),
        ("div", "post-message"),
        ("p", ""),
        ("footer", "comment__footer"),
        ("a", ""),
        ("ul", "children"),
    ],
    // Blogger, definition lists.
    [
        ("div", "comments"),
        ("dl", "#comments-block"),
        ("dd", "comment-body"),
        ("", ""),
        ("a", ""),
        ("none", ""),
        ("", ""),
        ("p", ""),
        ("div", "comment-footer"),
        ("a", "comment-timestamp"),
        ("div", ""),
    ],
    // Blogger, threaded.
    [
        ("div", "comment-thread"),
        ("ol", ""),
        ("li", "comment"),
        ("div", "comment-header"),
        ("cite", "user"),
        ("span", "datetime"),
        ("", ""),
        ("p", "comment-content"),
        ("span", "comment-actions"),
        ("a", "comment-reply"),
        ("ol", ""),
    ],
    // phpBB: a row with the author beside the text.
    [
        ("div", "forumbg"),
        ("table", "tablebg"),
        ("tr", "row1"),
        ("div", "postprofile"),
        ("b", "postauthor"),
        ("span", "postdetails"),
        ("div", "postbody"),
        ("div", ""),
        ("div", "gensmall"),
        ("a", ""),
        ("div", ""),
    ],
    // vBulletin: a table for each post.
    [
        ("div", "#posts"),
        ("div", "page"),
        ("table", "tborder"),
        ("div", "thead"),
        ("a", "bigusername"),
        ("", ""),
        ("div", ""),
        ("div", ""),
        ("div", "smallfont"),
        ("a", ""),
        ("div", ""),
    ],
    // Drupal.
    [
        ("section", "comment-wrapper"),
        ("div", ""),
        ("article", "comment"),
        ("p", "submitted"),
        ("span", "username"),
        ("span", ""),
        ("div", "field-item"),
        ("p", ""),
        ("ul", "links inline"),
        ("a", ""),
        ("div", "indented"),
    ],
    // Movable Type.
    [
        ("div", "comments-open"),
        ("div", "comments-content"),
        ("div", "comment"),
        ("div", "comment-header"),
        ("a", "vcard author"),
        ("a", "published"),
        ("div", "comment-content"),
        ("p", ""),
        ("div", "comment-footer"),
        ("a", ""),
        ("div", ""),
    ],
    // Newspapers of the 2010s.
    [
        ("section", "reader-comments"),
        ("div", "stream"),
        ("div", "item"),
        ("h4", "item-head"),
        ("span", "nick"),
        ("span", "when"),
        ("", ""),
        ("p", "item-text"),
        ("div", "item-tools"),
        ("a", "tool"),
        ("div", "answers"),
    ],
    // Plain lists of the early years: no name at all.
    [
        ("div", ""),
        ("ul", ""),
        ("li", ""),
        ("", ""),
        ("b", ""),
        ("", ""),
        ("", ""),
        ("div", ""),
        ("div", ""),
        ("a", ""),
        ("ul", ""),
    ],
    // Tables about 2005: no name at all.
    [
        ("div", ""),
        ("table", ""),
        ("tr", ""),
        ("", ""),
        ("b", ""),
        ("small", ""),
        ("", ""),
        ("div", ""),
        ("p", ""),
        ("a", ""),
        ("div", ""),
    ],
    // Programs that shorten names.
    [
        ("div", "css-1x4k"),
        ("div", "css-9ab0"),
        ("div", "css-77qf"),
        ("div", "css-2k1m"),
        ("a", "css-a01z"),
        ("span", "css-0pl3"),
        ("div", "css-p3v"),
        ("span", "css-k8"),
        ("div", "css-lm4"),
        ("a", "css-b"),
        ("div", "css-9ab0"),
    ],
];

/// Draws the markup of a section: that of a well-known system, or parts put together at random.
pub(super) fn draw_markup(chance: &mut Chance) -> Markup {
    if !chance.happens(KNOWN) {
        return draw(chance);
    }
    let parts = chance.pick(SYSTEMS).map(|(tag, name)| Part::new(tag, name));
    let [top, list, item, head, author, date, wrap, body, foot, link, nested] = parts;
    Markup { top, list, item, head, author, date, wrap, body, foot, link, nested }
}
