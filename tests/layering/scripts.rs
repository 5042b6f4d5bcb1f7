//! Imports among the files of Python and JavaScript.

use super::sources::{circles, workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with files that import one another.
const FOLDERS: &[&str] = &["python/vclean", "npm", "extension", "js"];

/// Reads the files of a folder with the files that each imports; both as paths.
fn imports(folder: &Path) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
    let (mut folders, mut imports) = (vec![folder.to_owned()], BTreeMap::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if let Some(ending @ ("py" | "js")) = ending {
                let code = fs::read_to_string(&path).unwrap();
                let found = if ending == "py" {
                    python(&path, &code)
                } else {
                    javascript(&path, &code)
                };
                imports.insert(path, found);
            }
        }
    }
    imports
}

/// Files that a module imports by `from .name import ...` or `from . import name`.
fn python(path: &Path, code: &str) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for line in code.lines() {
        let Some((module, _)) = line
            .trim_start()
            .strip_prefix("from .")
            .and_then(|rest| rest.split_once(" import"))
        else {
            continue;
        };
        let above = module.chars().take_while(|sign| *sign == '.').count();
        let folder = path.ancestors().nth(1 + above).unwrap();
        let name = &module[above..];
        // Names without a module, and modules that are compiled, are in the package itself.
        let file = if name.is_empty() { "__init__" } else { name };
        found.insert(folder.join(file.replace('.', "/")).with_extension("py"));
    }
    found
}

/// Files that a module imports by `import ... from "./name.js"`.
fn javascript(path: &Path, code: &str) -> BTreeSet<PathBuf> {
    let folder = path.parent().unwrap();
    code.lines()
        .filter(|line| line.starts_with("import ") || line.starts_with("} from "))
        .filter_map(|line| line.split(['"', '\'']).nth(1))
        .filter_map(|name| name.strip_prefix("./"))
        .map(|name| folder.join(name))
        .collect()
}

#[test]
fn no_two_scripts_import_each_other() {
    for folder in FOLDERS {
        let imports = imports(&workspace().join(folder));
        let named: BTreeMap<&str, BTreeSet<&str>> = imports
            .iter()
            .map(|(path, found)| {
                let found = found.iter().filter_map(|path| path.to_str());
                (path.to_str().unwrap(), found.collect())
            })
            .collect();
        assert!(!named.is_empty(), "{folder} has no scripts");
        let circles = circles(&named);
        assert!(
            circles.is_empty(),
            "these files import one another: {circles:?}"
        );
    }
}

#[test]
fn imports_are_read() {
    let path = Path::new("p/a/b.py");
    let read = |code: &str| {
        let found = python(path, code);
        found
            .iter()
            .map(|path| path.display().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(read("import os\nfrom .c import D"), ["p/a/c.py"]);
    assert_eq!(read("    from .. import E"), ["p/__init__.py"]);
    assert_eq!(read("from ..f import g"), ["p/f.py"]);
    let code = "import { a } from './a.js';\nimport {\n  b,\n} from \"./b.js\";\nimport 'fs';";
    let found = javascript(Path::new("p/c.js"), code);
    assert_eq!(
        found,
        [PathBuf::from("p/a.js"), PathBuf::from("p/b.js")].into()
    );
}
