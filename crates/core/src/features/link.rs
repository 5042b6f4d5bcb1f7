//! The `link` group: the destinations of a block's links, compared with the other links of the page
//! and the page's own address.
//!
//! Entries of a listing lead to addresses of one form that few other links have; links of menus
//! often occur twice; links to related pages have the form of the page's own address; parts of the
//! page are at addresses below it.

use super::column::{Column, FLAG, LOG, OURS, SHARE, ValueRange, flag, log};
use super::own_address::own_address;
use super::page::PageView;
use super::table::{FeatureGroup, GroupRows};
use crate::capture::{Dom, NodeId};
use crate::hash::Fnv;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Maximum number of links of a group that are measured: more add nothing new.
const MAX_IN_GROUP: usize = 20;

const fn column(name: &'static str, range: ValueRange, meaning: &'static str) -> Column {
    Column {
        name,
        range,
        meaning,
        source: OURS,
    }
}

const COLUMNS: [Column; OF_BLOCK + OF_GROUP] = [
    column(
        "link.copies_log",
        LOG,
        "other links of the page to the same address, mean over the links of the block; 0 without links, as all below",
    ),
    column(
        "link.form_log",
        LOG,
        "addresses that the page's links lead to and that have the same form: parts of the path, the first of them, a title or a number at the end",
    ),
    column(
        "link.form_share",
        SHARE,
        "such addresses by all that the page's links lead to",
    ),
    column(
        "link.is_own_form",
        FLAG,
        "share of the block's links whose address has the form of the page's own, and is another",
    ),
    column(
        "link.is_own",
        FLAG,
        "share of the block's links that lead to the page itself",
    ),
    column(
        "link.is_root",
        FLAG,
        "share of the block's links that lead to the start of a site",
    ),
    column(
        "link.is_below",
        FLAG,
        "share of the block's links whose address begins with the page's own and goes on",
    ),
    column(
        "link.depth_log",
        LOG,
        "parts of the path of the block's links",
    ),
    column(
        "link.has_query",
        FLAG,
        "share of the block's links that have a query",
    ),
    column(
        "link.group_copies_log",
        LOG,
        "`link.copies_log` over the first 20 links in the nearest element that holds another block too",
    ),
    column(
        "link.group_form_log",
        LOG,
        "`link.form_log` over these links",
    ),
    column(
        "link.group_form_share",
        SHARE,
        "`link.form_share` over these links",
    ),
    column(
        "link.group_is_own_form",
        FLAG,
        "`link.is_own_form` over these links",
    ),
    column(
        "link.group_is_below",
        FLAG,
        "`link.is_below` over these links",
    ),
];

/// Number of columns about the links of a block, and number about those of its group.
const OF_BLOCK: usize = 9;
const OF_GROUP: usize = 5;

pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "link",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

struct Link {
    node: NodeId,
    /// Hash of the path and query of the destination.
    address: u64,
    /// Hash of the form of its path.
    form: u64,
    /// Number of parts of the path.
    depth: usize,
    has_query: bool,
    is_root: bool,
    is_own: bool,
    is_own_form: bool,
    is_below: bool,
}

struct Links {
    /// Sorted in document order.
    all: Vec<Link>,
    /// For each node, 1 plus the index of the link around it; 0 if there is none.
    around: Vec<u32>,
    /// Number of links to each address.
    copies: FxHashMap<u64, u32>,
    /// Number of addresses of each form.
    forms: FxHashMap<u64, u32>,
}

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let links = Links::find(&view.capture.dom);
    if links.all.is_empty() {
        return;
    }
    let values: Vec<[f32; OF_BLOCK]> = links.all.iter().map(|link| links.values(link)).collect();
    let mut of_last_group = (None, [0.0; OF_BLOCK]);
    for ((target, block), row) in view.targets.iter().zip(&view.blocks).zip(rows.iter_mut()) {
        let (of_block, of_group) = row.split_at_mut(OF_BLOCK);
        let mut last = 0;
        let mut own = Mean::default();
        for text in &target.texts {
            let around = links.around[text.index()];
            if around != 0 && around != last {
                last = around;
                own.add(&values[around as usize - 1]);
            }
        }
        of_block.copy_from_slice(&own.values());
        // Blocks of the same group are consecutive.
        if of_last_group.0 != Some(block.group) {
            let mut group = Mean::default();
            values[links.within(&view.subtree(block.group))]
                .iter()
                .for_each(|values| group.add(values));
            of_last_group = (Some(block.group), group.values());
        }
        let [copies, form, share, is_own_form, .., is_below, _, _] = of_last_group.1;
        of_group.copy_from_slice(&[copies, form, share, is_own_form, is_below]);
    }
}

/// The mean of the values of several links.
#[derive(Default)]
struct Mean {
    sums: [f32; OF_BLOCK],
    count: f32,
}

impl Mean {
    fn add(&mut self, values: &[f32; OF_BLOCK]) {
        self.sums
            .iter_mut()
            .zip(values)
            .for_each(|(sum, value)| *sum += value);
        self.count += 1.0;
    }

    fn values(&self) -> [f32; OF_BLOCK] {
        self.sums.map(|sum| sum / self.count.max(1.0))
    }
}

impl Links {
    fn find(dom: &Dom) -> Self {
        let own = own_path(dom);
        let own_form = own.map(form_of);
        let mut links = Self {
            all: Vec::new(),
            around: vec![0; dom.len()],
            copies: FxHashMap::default(),
            forms: FxHashMap::default(),
        };
        for node in dom.ids().skip(1) {
            links.around[node.index()] = links.around[dom.parent(node).map_or(0, NodeId::index)];
            if dom.tag(node) != "a" {
                continue;
            }
            let Some(path) = dom.attribute(node, "href").and_then(path_of) else {
                continue;
            };
            let (form, depth) = form_of(path);
            let is_own = own == Some(path);
            let link = Link {
                node,
                address: hash(path),
                form,
                depth,
                has_query: memchr::memchr(b'?', path.as_bytes()).is_some(),
                is_root: path.is_empty(),
                is_own,
                is_own_form: !is_own
                    && own.is_some_and(|own| !own.is_empty())
                    && own_form.is_some_and(|(own, _)| own == form),
                is_below: own.is_some_and(|own| is_below(path, own)),
            };
            let copies = links.copies.entry(link.address).or_default();
            *copies += 1;
            if *copies == 1 {
                *links.forms.entry(form).or_default() += 1;
            }
            links.all.push(link);
            links.around[node.index()] = links.all.len() as u32;
        }
        links
    }

    /// The first links among `nodes`, at most [`MAX_IN_GROUP`].
    fn within(&self, nodes: &Range<usize>) -> Range<usize> {
        let first = self
            .all
            .partition_point(|link| link.node.index() < nodes.start);
        let rest = &self.all[first..];
        let count = rest[..rest.len().min(MAX_IN_GROUP)]
            .partition_point(|link| link.node.index() < nodes.end);
        first..first + count
    }

    /// The columns of a block that has only this link.
    fn values(&self, link: &Link) -> [f32; OF_BLOCK] {
        let form = self.forms[&link.form] as f32;
        [
            log(self.copies[&link.address] as f32 - 1.0),
            log(form),
            form / self.copies.len() as f32,
            flag(link.is_own_form),
            flag(link.is_own),
            flag(link.is_root),
            flag(link.is_below),
            log(link.depth as f32),
            flag(link.has_query),
        ]
    }
}

/// The path of the address that the page declares as its own.
fn own_path(dom: &Dom) -> Option<&str> {
    dom.ids()
        .take_while(|&id| dom.tag(id) != "body")
        .find_map(|id| path_of(own_address(dom, id)?))
}

/// Path and query of a web address, without slashes at the ends; `None` for addresses within the
/// page and other kinds. Addresses are not resolved, since the pages of a site write them in the
/// same way.
fn path_of(address: &str) -> Option<&str> {
    let address = address.trim();
    let plain = &address[..memchr::memchr(b'#', address.as_bytes()).unwrap_or(address.len())];
    if plain.is_empty() {
        return None;
    }
    let starts = |start: &str| {
        plain
            .get(..start.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(start))
    };
    let host = ["https://", "http://", "//"]
        .into_iter()
        .find(|start| starts(start))
        .map(str::len);
    let path = match host {
        Some(host) => plain[host..].split_once('/').map_or("", |(_, path)| path),
        None if plain
            .split('/')
            .next()
            .is_some_and(|start| start.contains(':')) =>
        {
            return None;
        }
        None => plain,
    };
    Some(path.trim_matches('/'))
}

/// Hash of the form of a path, and the number of its parts.
fn form_of(path: &str) -> (u64, usize) {
    let plain = &path[..memchr::memchr(b'?', path.as_bytes()).unwrap_or(path.len())];
    let (mut first, mut last, mut count) = ("", "", 0);
    for part in plain.split('/').filter(|part| !part.is_empty()) {
        if count == 0 {
            first = part;
        }
        last = part;
        count += 1;
    }
    let has = |least: usize, is: fn(&u8) -> bool| last.bytes().filter(is).count() >= least;
    let mut form = Fnv::new();
    if count > 1 {
        first
            .bytes()
            .filter(|byte| !byte.is_ascii_digit())
            .for_each(|byte| form.add(byte));
    }
    let signs = [
        has(2, |byte| matches!(byte, b'-' | b'_')),
        has(4, u8::is_ascii_digit),
        last.contains('.'),
        plain.len() < path.len(),
    ];
    form.add_whole(count as u64);
    for sign in signs {
        form.add(u8::from(sign));
    }
    (form.finish(), count)
}

/// True if `path` continues `own` after a separator.
fn is_below(path: &str, own: &str) -> bool {
    !own.is_empty()
        && path
            .strip_prefix(own)
            .is_some_and(|rest| rest.starts_with(['/', '?', '.', '-']))
}

fn hash(text: &str) -> u64 {
    let mut hash = Fnv::new();
    text.bytes().for_each(|byte| hash.add(byte));
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::measure;
    use super::*;
    use crate::target::{TargetRule, select};

    #[test]
    fn addresses_have_paths_and_forms() {
        assert_eq!(path_of("https://example.org/a/b/?c=1#d"), Some("a/b/?c=1"));
        assert_eq!(path_of("//example.org"), Some(""));
        assert_eq!(path_of("/a"), Some("a"));
        assert_eq!(
            [
                path_of("#top"),
                path_of("mailto:a@b.org"),
                path_of("javascript:void(0)")
            ],
            [None; 3]
        );
        let form = |path| form_of(path).0;
        assert_eq!(form("news/one-of-many"), form("news/two-of-many"));
        assert_ne!(form("news/one-of-many"), form("sport/one-of-many"));
        assert_ne!(form("news/one-of-many"), form("news/one-of-many?page=2"));
        assert!(
            is_below("a/b", "a")
                && !is_below("ab", "a")
                && !is_below("a", "a")
                && !is_below("a", "")
        );
    }

    #[test]
    fn links_of_a_block_and_of_its_group_are_told_apart() {
        let html = "<ul><li><a href=/shop/blue-wool-hat>hat</a></li><li><a href=/shop/red-silk-scarf>scarf</a></li>\
                    <li>none</li></ul><p><a href=/>home</a></p><p><a href=/>start</a></p>";
        let capture = page(html);
        let targets = select(&capture, TargetRule::Blocks);
        let table = measure(&capture, &targets).unwrap();
        let column = |name| table.column(name).unwrap().to_vec();
        assert_eq!(column("link.is_root"), [0.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(
            column("link.copies_log"),
            [0.0, 0.0, 0.0, 2f32.ln(), 2f32.ln()]
        );
        assert_eq!(
            column("link.form_share"),
            [2.0 / 3.0, 2.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]
        );
        assert_eq!(column("link.group_form_share")[2], 2.0 / 3.0);
    }
}
