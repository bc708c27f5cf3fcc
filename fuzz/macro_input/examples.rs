//! Every use of the macros in this repository: no list to forget one in.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::TokenStream;

use super::{Invocation, invocations};

/// What users read and what the tests compile.
const PLACES: [&str; 8] =
    ["tests/ui", "tests/wall", "tests/units", "tests/faults", "examples", "docs", "README.md", "macros/src/lib.rs"];

/// All of them, each once.
pub(crate) fn examples() -> Vec<Invocation> {
    let mut seen = std::collections::HashSet::new();
    let all = sources().into_iter().flat_map(invocations);
    all.filter(|example| seen.insert(example.to_string())).collect()
}

/// The tokens of the files, and those of the code in their documentation.
fn sources() -> Vec<TokenStream> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for place in PLACES {
        collect(&root.join(place), &mut files);
    }
    let mut sources = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        if file.extension().is_some_and(|extension| extension == "rs") {
            sources.push(text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display())));
        }
        // A block of another language is no Rust; one that happens to be tokens holds no invocation.
        sources.extend(blocks(&text).iter().filter_map(|block| block.parse().ok()));
    }
    sources
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) {
    if !place.is_dir() {
        let is_source = place.extension().is_some_and(|extension| extension == "rs" || extension == "md");
        return files.extend(is_source.then(|| place.to_owned()));
    }
    let entries = fs::read_dir(place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    let mut entries: Vec<_> = entries.map(|entry| entry.expect("an entry of a folder").path()).collect();
    entries.sort();
    for entry in &entries {
        collect(entry, files);
    }
}

/// What stands between fences of Markdown, also in comments of documentation, with the lines that are hidden from readers.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let line = line.trim_start();
        let line = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map_or(line, str::trim_start);
        if line.starts_with("```") {
            match open.take() {
                Some(block) => blocks.push(block),
                None => open = Some(String::new()),
            }
        } else if let Some(block) = &mut open {
            let line = if line == "#" { "" } else { line.strip_prefix("# ").unwrap_or(line) };
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks
}
