//! Finds the installed fonts, and maps the family names used by pages to them.
//!
//! Fontconfig lists the fonts and chooses the fallback family of a script. It is opened at run time
//! (feature `fontconfig-dlopen`). If it is missing or lists no font, the usual folders are read
//! instead.

use blitz_dom::BULLET_FONT;
use fontique::{
    Blob, Charmap, Collection, CollectionOptions, FamilyId, FontInfoOverride, GenericFamily,
    Script, ScriptExt, SourceCache,
};
use icu_properties::props::Script as IcuScript;
use icu_properties::{CodePointMapData, PropertyNamesShort};
use parley::FontContext;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{env, iter};
use vclean_core::capture::Dom;

/// Family names used by pages, and free fonts with the same widths that replace them (the pairs of
/// fontconfig's `30-metric-aliases.conf`).
const METRIC_ALIASES: &[(&[&str], &[&str])] = &[
    (
        &["Arial", "Helvetica", "Helvetica Neue", "Albany"],
        &["Liberation Sans", "Arimo"],
    ),
    (
        &["Times New Roman", "Times", "Thorndale"],
        &["Liberation Serif", "Tinos"],
    ),
    (
        &["Courier New", "Courier", "Cumberland"],
        &["Liberation Mono", "Cousine"],
    ),
    (&["Calibri"], &["Carlito"]),
    (&["Cambria"], &["Caladea"]),
    (&["Georgia"], &["Gelasio"]),
];

/// Fonts that browsers use for the generic families; the first installed one is used.
const GENERIC: &[(GenericFamily, &[&str])] = &[
    (
        GenericFamily::SansSerif,
        &["Liberation Sans", "Arimo", "DejaVu Sans", "Noto Sans"],
    ),
    (
        GenericFamily::Serif,
        &["Liberation Serif", "Tinos", "DejaVu Serif", "Noto Serif"],
    ),
    (
        GenericFamily::Monospace,
        &[
            "Liberation Mono",
            "Cousine",
            "DejaVu Sans Mono",
            "Noto Sans Mono",
        ],
    ),
];

/// Folders of fonts: those of the system, and those below the user's home (the defaults of
/// fontconfig's `fonts.conf`).
const SYSTEM_FOLDERS: &[&str] = &["/usr/share/fonts", "/usr/local/share/fonts"];
const HOME_FOLDERS: &[&str] = &[".local/share/fonts", ".fonts"];

/// Without fontconfig: a generic family, and a word that the names of suitable families contain.
const GENERIC_WORDS: &[(GenericFamily, &str)] = &[
    (GenericFamily::SansSerif, "Sans"),
    (GenericFamily::Serif, "Serif"),
    (GenericFamily::Monospace, "Mono"),
    (GenericFamily::SystemUi, "Sans"),
    (GenericFamily::Cursive, "Sans"),
    (GenericFamily::Fantasy, "Sans"),
    (GenericFamily::Emoji, "Emoji"),
    (GenericFamily::Math, "Math"),
];

/// Without fontconfig: languages for which fontique looks up a separate font. They get the font of
/// their script.
const LANGUAGES: &[&str] = &[
    "fa", "ks", "ps-AF", "ps-PK", "sd", "ug", "ur", "as", "mr", "sa", "am", "yi", "dz", "ja", "ko",
    "zh-HK", "zh-MO", "zh-SG", "zh-TW",
];

/// Creates the font collection of the page `dom`. Fonts that the page adds stay in it.
pub(super) fn context(dom: &Dom) -> FontContext {
    let mut shared = shared();
    let FontContext {
        collection,
        source_cache,
    } = &mut *shared;
    for script in scripts(dom) {
        find_fallback(collection, source_cache, script);
    }
    shared.clone()
}

/// Returns the installed fonts; the collection of each page starts as a copy.
fn shared() -> MutexGuard<'static, FontContext> {
    static SHARED: LazyLock<Mutex<FontContext>> = LazyLock::new(|| Mutex::new(find()));
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Finds the fallback of a script, unless it is known, and opens its fonts.
///
/// Otherwise the collection of a page would search again for every text in a language without its
/// own fallback, such as English: it looks such a fallback up under the script alone, but never
/// stores it there. This took a third of the time of a page.
fn find_fallback(collection: &mut Collection, source_cache: &mut SourceCache, script: Script) {
    let families: Vec<FamilyId> = collection.fallback_families(script).collect();
    for family in families.into_iter().filter_map(|id| collection.family(id)) {
        for font in family.fonts() {
            // Keeps the font open in the shared cache; otherwise each page would open it again.
            font.load(Some(source_cache));
        }
    }
}

/// Collects the scripts of a page's letters. The engine asks for Chinese on every page.
fn scripts(dom: &Dom) -> BTreeSet<Script> {
    let mut found: BTreeSet<Script> = [*b"Latn", *b"Zyyy", *b"Hani"]
        .map(Script::from_bytes)
        .into();
    let (map, names) = (
        CodePointMapData::<IcuScript>::new(),
        PropertyNamesShort::<IcuScript>::new(),
    );
    let mut last = IcuScript::Latin;
    for letter in dom
        .ids()
        .filter_map(|id| dom.text(id))
        .filter(|text| !text.is_ascii())
        .flat_map(str::chars)
    {
        let script = if letter.is_ascii() {
            last
        } else {
            map.get(letter)
        };
        if script != last {
            last = script;
            found.extend(
                names
                    .get(script)
                    .and_then(|name| name.parse::<Script>().ok()),
            );
        }
    }
    found
}

/// Lists the installed families among those used for layout.
pub(super) fn families() -> Vec<String> {
    static FAMILIES: OnceLock<Vec<String>> = OnceLock::new();
    FAMILIES
        .get_or_init(|| {
            let mut names: Vec<String> = shared()
                .collection
                .family_names()
                .map(str::to_owned)
                .collect();
            names.sort();
            names.dedup();
            names.truncate(60);
            names
        })
        .clone()
}

/// Returns true if no font is installed: the only family is then the bullet font that is part of
/// the engine.
pub(super) fn are_missing() -> bool {
    families().len() <= 1
}

fn find() -> FontContext {
    let mut collection = Collection::new(CollectionOptions {
        shared: false,
        system_fonts: true,
    });
    let mut source_cache = SourceCache::new_shared();
    let is_listed = collection.family_ids().next().is_some();
    if !is_listed {
        read_folders(&mut collection, &mut source_cache);
    }
    collection.register_fonts(Blob::new(Arc::new(BULLET_FONT) as _), None);
    for (names, aliases) in METRIC_ALIASES {
        for name in *names {
            if collection.family_by_name(name).is_some() {
                continue;
            }
            let Some(family) = aliases
                .iter()
                .find_map(|name| collection.family_by_name(name))
            else {
                continue;
            };
            for font in family.fonts() {
                if let Some(blob) = font.load(Some(&mut source_cache)) {
                    let named = FontInfoOverride {
                        family_name: Some(name),
                        ..FontInfoOverride::default()
                    };
                    collection.register_fonts(blob, Some(named));
                }
            }
        }
    }
    for (generic, names) in GENERIC {
        if let Some(id) = names.iter().find_map(|name| collection.family_id(name)) {
            // The families of fontconfig come after the preferred one.
            let mut families = vec![id];
            if !is_listed {
                families.extend(
                    collection
                        .generic_families(*generic)
                        .filter(|other| *other != id),
                );
            }
            collection.set_generic_families(*generic, families.into_iter());
        }
    }
    FontContext {
        collection,
        source_cache,
    }
}

/// Fills an empty collection with the fonts of the usual folders. Then replaces fontconfig: orders
/// the families of each generic family, and chooses a family for each script.
fn read_folders(collection: &mut Collection, source_cache: &mut SourceCache) {
    let home = env::var_os("HOME").map(PathBuf::from);
    let below_home = home
        .iter()
        .flat_map(|home| HOME_FOLDERS.iter().map(|folder| home.join(folder)));
    collection.load_fonts_from_paths(SYSTEM_FOLDERS.iter().map(PathBuf::from).chain(below_home));
    let mut names: Vec<String> = collection.family_names().map(str::to_owned).collect();
    names.sort();
    for (generic, word) in GENERIC_WORDS {
        let families = ordered(collection, &names, word);
        collection.set_generic_families(*generic, families.into_iter());
    }
    let families = ordered(collection, &names, "Sans");
    set_fallbacks(collection, source_cache, &families);
}

/// Sorts all families: first those with `word` in their names. Within both groups, the families of
/// `GENERIC` come first, then the others by name.
fn ordered(collection: &mut Collection, names: &[String], word: &str) -> Vec<FamilyId> {
    let rank = |name: &str| {
        GENERIC
            .iter()
            .flat_map(|(_, names)| *names)
            .position(|other| *other == name)
    };
    let mut names: Vec<&String> = names.iter().collect();
    names.sort_by_key(|name| (!name.contains(word), rank(name).unwrap_or(usize::MAX)));
    names
        .into_iter()
        .filter_map(|name| collection.family_id(name))
        .collect()
}

/// Sets the fallback of each script: the first of `families` that has the most letters of
/// fontique's sample of the script.
fn set_fallbacks(
    collection: &mut Collection,
    source_cache: &mut SourceCache,
    families: &[FamilyId],
) {
    let load = |id: &FamilyId| {
        let family = collection.family(*id)?;
        let font = family.default_font()?;
        Some((
            *id,
            font.charmap_index(),
            font.load(Some(&mut *source_cache))?,
        ))
    };
    let fonts: Vec<_> = families.iter().filter_map(load).collect();
    let charmaps: Vec<(FamilyId, Charmap<'_>)> = fonts
        .iter()
        .filter_map(|(id, index, data)| Some((*id, index.charmap(data.as_ref())?)))
        .collect();
    let has =
        |charmap: &Charmap<'_>, letter: char| charmap.map(letter).is_some_and(|glyph| glyph != 0);
    for (script, sample) in Script::all_samples() {
        let covered = |charmap: &Charmap<'_>| {
            sample
                .chars()
                .filter(|letter| has(charmap, *letter))
                .count()
        };
        // `max_by_key` returns the last of several maxima, so the order is reversed.
        let counts = charmaps
            .iter()
            .map(|(id, charmap)| (covered(charmap), *id))
            .rev();
        let Some((_, id)) = counts
            .filter(|(count, _)| *count > 0)
            .max_by_key(|(count, _)| *count)
        else {
            continue;
        };
        collection.set_fallbacks(*script, iter::once(id));
        for language in LANGUAGES {
            collection.set_fallbacks((*script, *language), iter::once(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_found_without_fontconfig() {
        let mut collection = Collection::new(CollectionOptions {
            shared: false,
            system_fonts: false,
        });
        let mut source_cache = SourceCache::new_shared();
        read_folders(&mut collection, &mut source_cache);
        let names: Vec<String> = collection.family_names().map(str::to_owned).collect();
        assert!(
            names.iter().any(|name| name == "Liberation Sans"),
            "{names:?}"
        );
        for (generic, name) in [
            (GenericFamily::SansSerif, "Liberation Sans"),
            (GenericFamily::Serif, "Liberation Serif"),
        ] {
            let id = collection.generic_families(generic).next().unwrap();
            assert_eq!(collection.family_name(id), Some(name));
        }
        let keys = [
            (b"Latn", "en", 'a'),
            (b"Arab", "ar", '\u{628}'),
            (b"Arab", "fa", '\u{628}'),
            (b"Hani", "ja", '\u{4eca}'),
        ];
        for (script, language, letter) in keys {
            let id = collection
                .fallback_families((Script::from_bytes(*script), language))
                .next()
                .unwrap();
            let font = collection
                .family(id)
                .unwrap()
                .default_font()
                .unwrap()
                .clone();
            let data = font.load(Some(&mut source_cache)).unwrap();
            let glyph = font
                .charmap_index()
                .charmap(data.as_ref())
                .unwrap()
                .map(letter);
            assert!(
                glyph.is_some_and(|glyph| glyph != 0),
                "{letter} in {:?}",
                collection.family_name(id)
            );
        }
    }
}
