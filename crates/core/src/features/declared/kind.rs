//! The kind of page that a page declares itself to be, and its declared address.

use super::super::own_address::own_address;
use super::super::tags::{self, Kinds};
use super::super::tree::{Tree, is_slug};
use super::texts::{DESCRIPTION, DeclaredTexts};
use crate::capture::json_ld::{is_json_ld, parse, type_of};
use crate::capture::{Dom, NodeId};
use serde_json::Value;

/// Declarations of a page, one bit each.
pub(super) type Says = u32;
pub(super) const ARTICLE: Says = 1;
pub(super) const PRODUCT: Says = 1 << 1;
pub(super) const RECIPE: Says = 1 << 2;
pub(super) const THREAD: Says = 1 << 3;
pub(super) const LISTING: Says = 1 << 4;
pub(super) const WEBSITE: Says = 1 << 5;
pub(super) const HOME: Says = 1 << 6;
pub(super) const ADDRESS: Says = 1 << 7;
pub(super) const SLUG: Says = 1 << 8;
pub(super) const OF_SHOP: Says = 1 << 9;
pub(super) const OF_FORUM: Says = 1 << 10;
pub(super) const OF_DOCUMENTS: Says = 1 << 11;

/// Maximum number of scripts that are read.
const MAX_SCRIPTS: usize = 32;

/// Declarations of a page about itself.
#[derive(Debug, Default)]
pub(super) struct Declared {
    says: Says,
    /// Number of parts in the path of its address.
    pub(super) depth: f32,
}

impl Declared {
    pub(super) fn says(&self, what: Says) -> f32 {
        super::super::column::flag(self.says & what != 0)
    }

    /// Reads the declarations of a page, and collects the texts of its structured data.
    pub(super) fn read(&mut self, dom: &Dom, tree: &Tree, texts: &mut DeclaredTexts) {
        let mut scripts = 0;
        let mut skip_until = 0;
        for id in dom.ids() {
            if id.index() < skip_until || !dom.is_element(id) {
                continue;
            }
            if let Some(address) = own_address(dom, id) {
                self.add_address(address.trim());
            }
            match dom.tag(id) {
                "iframe" | "frame" | "svg" | "object" | "template" => skip_until = dom.end(id),
                "html" | "body" => self.add_classes(dom, id),
                "meta" => self.add_meta(dom, id, texts),
                "script" if scripts < MAX_SCRIPTS && is_json_ld(dom, id) => {
                    scripts += 1;
                    let script = dom
                        .children(id)
                        .find_map(|child| dom.text(child))
                        .unwrap_or("");
                    if let Some(value) = parse(script) {
                        self.add_types(&value);
                        texts.add_value(&value, "");
                    }
                }
                _ => self.says |= says_kinds(tree.facts(id).own),
            }
        }
    }

    fn add_meta(&mut self, dom: &Dom, id: NodeId, texts: &mut DeclaredTexts) {
        let name = dom
            .attribute(id, "property")
            .or_else(|| dom.attribute(id, "name"))
            .unwrap_or("");
        let content = || dom.attribute(id, "content").unwrap_or("").trim();
        if name.eq_ignore_ascii_case("og:type") {
            let kind = content().to_ascii_lowercase();
            self.says |= match kind.split('.').next().unwrap_or("") {
                "article" | "blog" => ARTICLE,
                "product" | "og:product" => PRODUCT,
                "website" => WEBSITE,
                "recipe" => RECIPE,
                _ => 0,
            };
        } else if name.eq_ignore_ascii_case("generator") {
            self.says |= says_system(content());
        } else if name.eq_ignore_ascii_case("description")
            || name.eq_ignore_ascii_case("og:description")
        {
            texts.add(content(), DESCRIPTION);
        }
    }

    /// Reads the page's own address: the first absolute one.
    fn add_address(&mut self, address: &str) {
        let Some((_, rest)) = address
            .split_once("//")
            .filter(|_| self.says & ADDRESS == 0)
        else {
            return;
        };
        let path = rest.split_once('/').map_or("", |(_, path)| path);
        let has_query = path.contains('?');
        let path = path.split(['?', '#']).next().unwrap_or("");
        let parts = path.split('/').filter(|part| !part.is_empty()).count();
        self.depth = parts as f32;
        self.says |= ADDRESS;
        if is_slug(address) {
            self.says |= SLUG;
        }
        // `/en/` and `/index.html` are home pages too.
        let is_short =
            parts == 1 && (path.trim_matches('/').len() == 2 || path.starts_with("index."));
        if !has_query && (parts == 0 || is_short) {
            self.says |= HOME;
        }
    }

    /// Reads the classes of the page's body, in which systems such as `WordPress` name the kind of
    /// page.
    fn add_classes(&mut self, dom: &Dom, id: NodeId) {
        for name in ["class", "id"] {
            for class in dom
                .attribute(id, name)
                .unwrap_or("")
                .split_ascii_whitespace()
                .take(100)
            {
                self.says |= match class.to_ascii_lowercase().as_str() {
                    "home" | "front" | "homepage" | "home-page" | "frontpage" | "front-page"
                    | "path-frontpage" | "is-home" => HOME,
                    "archive"
                    | "category"
                    | "search"
                    | "search-results"
                    | "tag"
                    | "author"
                    | "collection"
                    | "template-collection"
                    | "post-type-archive"
                    | "tax-product_cat" => LISTING,
                    "single"
                    | "single-post"
                    | "article"
                    | "item-view"
                    | "node-type-article"
                    | "page-node-type-article"
                    | "post-template" => ARTICLE,
                    "single-product" | "product" | "template-product" | "catalog-product-view" => {
                        PRODUCT
                    }
                    "woocommerce" | "woocommerce-page" => OF_SHOP,
                    "single-topic" | "thread" | "topic" | "forum-topic" => THREAD,
                    _ => 0,
                };
            }
        }
    }

    fn add_types(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.add_types(value)),
            Value::Object(object) => {
                self.says |= type_of(value).map_or(0, |name| says_kinds(tags::item_kinds(name)));
                for name in ["@graph", "mainEntity"] {
                    object
                        .get(name)
                        .into_iter()
                        .for_each(|value| self.add_types(value));
                }
            }
            _ => {}
        }
    }
}

/// Converts the types of an element or of structured data to declarations.
fn says_kinds(kinds: Kinds) -> Says {
    const SAY: [(Kinds, Says); 5] = [
        (tags::ARTICLE_ITEM, ARTICLE),
        (tags::PRODUCT_ITEM, PRODUCT),
        (tags::RECIPE_ITEM, RECIPE),
        (tags::THREAD_ITEM, THREAD),
        (tags::LIST_ITEM, LISTING),
    ];
    SAY.iter()
        .filter(|(kind, _)| kinds & kind != 0)
        .fold(0, |says, (_, one)| says | one)
}

/// Converts the program that made a page, from `<meta name=generator>`, to declarations.
fn says_system(generator: &str) -> Says {
    let name = generator
        .split([' ', '/', ',', '!'])
        .next()
        .unwrap_or("")
        .to_ascii_lowercase();
    match name.as_str() {
        "woocommerce" | "shopify" | "magento" | "prestashop" | "opencart" | "shopware"
        | "bigcommerce" | "shoptet" | "ecwid" | "nopcommerce" | "oscommerce" => OF_SHOP,
        "phpbb" | "vbulletin" | "discourse" | "xenforo" | "discuz" | "smf" | "mybb"
        | "invision" | "vanilla" | "nodebb" | "flarum" | "punbb" | "fluxbb" => OF_FORUM,
        "mediawiki" | "dokuwiki" | "sphinx" | "docusaurus" | "mkdocs" | "gitbook" | "docfx"
        | "mdbook" | "vitepress" => OF_DOCUMENTS,
        _ => 0,
    }
}
