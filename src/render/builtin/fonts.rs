//! Fonts: those of the system, under the names that pages know them by.

use blitz_dom::BULLET_FONT;
use parley::FontContext;
use parley::fontique::{Blob, Collection, CollectionOptions, FontInfoOverride, GenericFamily, SourceCache};
use std::sync::{Arc, OnceLock};

/// Names that pages ask for, and the free fonts of the same widths that stand in for them (the pairs of fontconfig's
/// `30-metric-aliases.conf`).
const STAND_INS: &[(&[&str], &[&str])] = &[
    (&["Arial", "Helvetica", "Helvetica Neue", "Albany"], &["Liberation Sans", "Arimo"]),
    (&["Times New Roman", "Times", "Thorndale"], &["Liberation Serif", "Tinos"]),
    (&["Courier New", "Courier", "Cumberland"], &["Liberation Mono", "Cousine"]),
    (&["Calibri"], &["Carlito"]),
    (&["Cambria"], &["Caladea"]),
    (&["Georgia"], &["Gelasio"]),
];

/// What browsers take for the generic families, the first that is there.
const GENERIC: &[(GenericFamily, &[&str])] = &[
    (GenericFamily::SansSerif, &["Liberation Sans", "Arimo", "DejaVu Sans", "Noto Sans"]),
    (GenericFamily::Serif, &["Liberation Serif", "Tinos", "DejaVu Serif", "Noto Serif"]),
    (GenericFamily::Monospace, &["Liberation Mono", "Cousine", "DejaVu Sans Mono", "Noto Sans Mono"]),
];

/// A collection for a page: what it adds is its own.
pub(super) fn context() -> FontContext {
    static SHARED: OnceLock<FontContext> = OnceLock::new();
    SHARED.get_or_init(find).clone()
}

/// Families that are there, of those that pages are laid out in.
pub(super) fn families() -> Vec<String> {
    static FAMILIES: OnceLock<Vec<String>> = OnceLock::new();
    FAMILIES
        .get_or_init(|| {
            let mut collection = context().collection;
            let mut names: Vec<String> = collection.family_names().map(str::to_owned).collect();
            names.sort();
            names.dedup();
            names.truncate(60);
            names
        })
        .clone()
}

fn find() -> FontContext {
    let mut collection = Collection::new(CollectionOptions { shared: false, system_fonts: true });
    let mut source_cache = SourceCache::new_shared();
    collection.register_fonts(Blob::new(Arc::new(BULLET_FONT) as _), None);
    for (names, stand_ins) in STAND_INS {
        for name in *names {
            if collection.family_by_name(name).is_some() {
                continue;
            }
            let Some(family) = stand_ins.iter().find_map(|name| collection.family_by_name(name)) else { continue };
            for font in family.fonts() {
                if let Some(blob) = font.load(Some(&mut source_cache)) {
                    let named = FontInfoOverride { family_name: Some(name), ..FontInfoOverride::default() };
                    collection.register_fonts(blob, Some(named));
                }
            }
        }
    }
    for (generic, names) in GENERIC {
        if let Some(id) = names.iter().find_map(|name| collection.family_id(name)) {
            let others: Vec<_> = collection.generic_families(*generic).filter(|other| *other != id).collect();
            collection.set_generic_families(*generic, std::iter::once(id).chain(others));
        }
    }
    FontContext { collection, source_cache }
}
