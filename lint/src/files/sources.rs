//! The source files below a folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::error::Error;

/// The `.rs` files below this folder, in the order of their names; what cannot be read becomes an error.
///
/// A link to a folder is followed, each folder once: links may lead in a circle.
pub(crate) fn below(root: &Path, folder: &Path, errors: &mut Vec<Error>) -> Vec<PathBuf> {
    let mut files = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        if let Err(source) = list(&folder, &mut seen, &mut files, &mut waiting) {
            errors.push(Error::Read { path: shown(root, &folder), source });
        }
    }
    files.into_iter().collect()
}

fn list(
    folder: &Path,
    seen: &mut BTreeSet<PathBuf>,
    files: &mut BTreeSet<PathBuf>,
    waiting: &mut Vec<PathBuf>,
) -> io::Result<()> {
    if !seen.insert(fs::canonicalize(folder)?) {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // An editor's own: `.#lib.rs` is a link to nowhere while a file is being edited.
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
            continue;
        }
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if path.is_dir() {
            waiting.push(path);
        } else if is_source {
            files.insert(path);
        }
    }
    Ok(())
}

/// The path from the package on, with `/` between its parts on every system.
pub(crate) fn shown(root: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(root).unwrap_or(path).components();
    let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
    let text = parts.join("/");
    // The root of the file system is a part of its own.
    text.strip_prefix("//").map_or(text.clone(), |text| format!("/{text}"))
}
