//! Parses the sources: the names that each file defines, and the paths that it uses outside its
//! tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use syn::visit::Visit;
use syn::{Attribute, Item, UseTree};

/// A file of one of the crates.
pub(crate) struct Source {
    /// Folder of its crate below `crates/`, or `vclean` for the package at the root, and its path
    /// below `src/`, with `/`.
    pub(crate) path: String,
    /// Path of its module, such as `["vclean_run", "source", "warc"]`; the crate alone for
    /// `lib.rs`.
    pub(crate) module: Vec<String>,
    /// Paths that it uses, as written, with `super` and `self`, except in inline test modules.
    pub(crate) used: BTreeSet<Vec<String>>,
    /// Names it defines, such as functions and types.
    defined: BTreeSet<String>,
    /// Names it imports, and the path of each; a name may be imported from several places (a type
    /// and a function).
    imported: BTreeMap<String, Vec<Vec<String>>>,
    /// Paths of its glob imports.
    globs: Vec<Vec<String>>,
    /// Test modules that it declares without a `path` attribute.
    pub(crate) test_modules: Vec<String>,
}

impl Source {
    /// Folder of its crate below `crates/`, or `vclean`.
    pub(crate) fn package(&self) -> &str {
        self.path.split('/').next().unwrap()
    }

    /// Name of the folder or file below `src/` that it belongs to; none for `lib.rs`.
    pub(crate) fn top_module(&self) -> Option<&str> {
        self.module.get(1).map(String::as_str)
    }

    /// Returns the first names below `prefix` in all paths: `a` for `std::a::b` below `std`.
    pub(crate) fn names_below(&self, prefix: &str) -> BTreeSet<String> {
        self.used
            .iter()
            .filter(|path| path[0] == prefix)
            .filter_map(|path| path.get(1))
            .cloned()
            .collect()
    }

    /// True if any path has this part.
    pub(crate) fn names(&self, part: &str) -> bool {
        self.used.iter().flatten().any(|name| name == part)
    }

    /// True if the file calls a method of this name or has it in a path. A name such as
    /// `Input::new` must occur completely.
    pub(crate) fn calls(&self, name: &str) -> bool {
        let parts: Vec<&str> = name.split("::").collect();
        self.used.contains(&vec![format!(".{name}")])
            || self
                .used
                .iter()
                .any(|path| path.windows(parts.len()).any(|part| part == parts))
    }
}

/// Returns the folder of the workspace.
pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads all files of the crates that are not tests; they are parsed once for all checks.
pub(crate) fn read() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
        let mut sources = read_package("vclean", &workspace().join("src"));
        for package in fs::read_dir(workspace().join("crates")).unwrap() {
            let package = package.unwrap();
            sources.extend(read_package(
                &package.file_name().to_string_lossy(),
                &package.path().join("src"),
            ));
        }
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        sources
    });
    &SOURCES
}

fn read_package(package: &str, root: &Path) -> Vec<Source> {
    let mut folders = vec![root.to_owned()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let below = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_string_lossy()
                    .replace('\\', "/");
                if below != "main.rs" {
                    sources.push(parse(
                        &format!("{package}/{below}"),
                        &fs::read_to_string(&path).unwrap(),
                    ));
                }
            }
        }
    }
    sources
}

/// Parses one file; `path` begins with its package, as [`Source::path`].
pub(crate) fn parse(path: &str, code: &str) -> Source {
    let (package, below) = path.split_once('/').unwrap();
    let name = if package == "vclean" {
        package.to_owned()
    } else {
        format!("vclean_{package}")
    };
    let parts = below
        .trim_end_matches(".rs")
        .split('/')
        .filter(|part| *part != "mod" && *part != "lib");
    let file = syn::parse_file(code).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut source = Source {
        path: path.to_owned(),
        module: std::iter::once(name)
            .chain(parts.map(str::to_owned))
            .collect(),
        used: BTreeSet::new(),
        defined: BTreeSet::new(),
        imported: BTreeMap::new(),
        globs: Vec::new(),
        test_modules: Vec::new(),
    };
    for item in &file.items {
        source.add(item);
    }
    source
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                let condition = list.tokens.to_string();
                condition == "test"
                    || condition.starts_with("all (test")
                    || condition.starts_with("all(test")
            })
    })
}

impl Source {
    fn add(&mut self, item: &Item) {
        let (attributes, name) = match item {
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Impl(item) => (&item.attrs, None),
            Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            Item::Use(item) => (&item.attrs, None),
            Item::Mod(item) => {
                let has_path = item.attrs.iter().any(|line| line.path().is_ident("path"));
                if is_test(&item.attrs) && item.content.is_none() && !has_path {
                    self.test_modules.push(item.ident.to_string());
                }
                return;
            }
            _ => return,
        };
        if is_test(attributes) {
            return;
        }
        self.defined.extend(name.map(ToString::to_string));
        if let Item::Use(item) = item {
            self.import(&item.tree, &mut Vec::new());
        }
        Paths(&mut self.used).visit_item(item);
    }

    fn import(&mut self, tree: &UseTree, prefix: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(&path.tree, prefix);
                prefix.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, prefix);
                }
            }
            UseTree::Glob(_) => self.globs.push(prefix.clone()),
            UseTree::Name(name) if name.ident == "self" => {
                self.bind(prefix.last().cloned(), prefix.clone());
            }
            UseTree::Name(name) => {
                self.bind(
                    Some(name.ident.to_string()),
                    [prefix.clone(), vec![name.ident.to_string()]].concat(),
                );
            }
            UseTree::Rename(name) => {
                self.bind(
                    Some(name.rename.to_string()),
                    [prefix.clone(), vec![name.ident.to_string()]].concat(),
                );
            }
        }
    }

    fn bind(&mut self, name: Option<String>, path: Vec<String>) {
        self.used.insert(path.clone());
        if let Some(name) = name {
            self.imported.entry(name).or_default().push(path);
        }
    }
}

/// Collects the paths of expressions, types and patterns.
struct Paths<'a>(&'a mut BTreeSet<Vec<String>>);

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.insert(
            path.segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect(),
        );
        syn::visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.0.insert(vec![format!(".{}", call.method)]);
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }
}

/// Returns the files that each file uses; a re-exported name counts for the file that defines it.
pub(crate) fn imports(sources: &[Source]) -> BTreeMap<&str, BTreeSet<&str>> {
    let by_module: BTreeMap<&[String], &Source> = sources
        .iter()
        .map(|source| (source.module.as_slice(), source))
        .collect();
    sources
        .iter()
        .map(|source| {
            let targets = source
                .used
                .iter()
                .flat_map(|path| {
                    let mut found = BTreeSet::new();
                    resolve(&by_module, source, path, 0, &mut found);
                    found
                })
                .filter(|target| *target != source.path)
                .collect();
            (source.path.as_str(), targets)
        })
        .collect()
}

/// Adds the files that define the names of `path` in `source`.
fn resolve<'a>(
    by_module: &BTreeMap<&[String], &'a Source>,
    source: &Source,
    path: &[String],
    depth: usize,
    found: &mut BTreeSet<&'a str>,
) {
    if depth > 12 {
        return;
    }
    let mut module = source.module.clone();
    let mut rest = path;
    match path[0].as_str() {
        "crate" => {
            module.truncate(1);
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|part| part == "super") {
                module.pop();
                rest = &rest[1..];
            }
        }
        first => {
            // A child module, another crate, a name of this file, or a name that it imports.
            let child = [module.as_slice(), &[first.to_owned()]].concat();
            if by_module.contains_key(&path[..1]) {
                module.clear();
            } else if !by_module.contains_key(child.as_slice()) {
                for target in source.imported.get(first).into_iter().flatten() {
                    if target != path {
                        resolve(
                            by_module,
                            source,
                            &[target.as_slice(), &path[1..]].concat(),
                            depth + 1,
                            found,
                        );
                    }
                }
                return;
            }
        }
    }
    while let Some(next) = rest.first() {
        let child = [module.as_slice(), std::slice::from_ref(next)].concat();
        if !by_module.contains_key(child.as_slice()) {
            break;
        }
        module = child;
        rest = &rest[1..];
    }
    let Some(target) = by_module.get(module.as_slice()) else {
        return;
    };
    let Some(name) = rest.first() else { return };
    if target.defined.contains(name) {
        found.insert(&target.path);
        return;
    }
    for import in target.imported.get(name).into_iter().flatten() {
        resolve(
            by_module,
            target,
            &[import.as_slice(), &rest[1..]].concat(),
            depth + 1,
            found,
        );
    }
    for glob in &target.globs {
        resolve(
            by_module,
            target,
            &[glob.as_slice(), std::slice::from_ref(name)].concat(),
            depth + 1,
            found,
        );
    }
}

/// Finds the groups of files that import one another; each group is sorted.
pub(crate) fn circles(imports: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<Vec<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> = imports
        .keys()
        .map(|&from| {
            let mut seen = BTreeSet::new();
            let mut open = vec![from];
            while let Some(file) = open.pop() {
                for &next in imports.get(file).into_iter().flatten() {
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            }
            (from, seen)
        })
        .collect();
    let mut groups = BTreeSet::new();
    for (&file, reached) in &reach {
        if reached.contains(file) {
            let group: Vec<String> = reached
                .iter()
                .filter(|other| reach.get(*other).is_some_and(|back| back.contains(file)))
                .map(ToString::to_string)
                .collect();
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}
