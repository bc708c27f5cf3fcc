//! The modules that a file declares, and the files that belong to tests: `#[cfg(test)] mod tests;`.

use std::path::{Path, PathBuf};

use proc_macro2::{Ident, TokenStream, TokenTree};

use super::items;
use crate::around::{is_punct, is_word};

#[derive(Default)]
pub(crate) struct Modules {
    /// Their names, wherever in the file they are declared.
    pub(crate) names: Vec<String>,
    /// The files and folders of those that are there for tests only.
    pub(crate) of_tests: Vec<PathBuf>,
}

/// The modules that this file declares.
pub(crate) fn declared(file: &Path, tokens: &TokenStream) -> Modules {
    let parent = file.parent().unwrap_or(Path::new(""));
    let stem = file.file_stem().unwrap_or_default();
    let is_root = ["lib", "main", "mod"].iter().any(|name| stem == *name);
    let folder = if is_root { parent.to_owned() } else { parent.join(stem) };
    let mut modules = Modules::default();
    look(tokens.clone(), parent, &folder, &mut modules);
    modules
}

fn look(stream: TokenStream, parent: &Path, folder: &Path, modules: &mut Modules) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        let of_tests = items::of_tests(&tokens, at);
        if of_tests > 0 {
            modules.of_tests.extend(files(&tokens[at..at + of_tests], parent, folder));
            at += of_tests;
            continue;
        }
        if let (true, Some(TokenTree::Ident(name))) = (is_word(tokens.get(at), &["mod"]), tokens.get(at + 1)) {
            let name = plain(name);
            if let Some(TokenTree::Group(body)) = tokens.get(at + 2) {
                let folder = folder.join(&name);
                look(body.stream(), &folder, &folder, modules);
            }
            modules.names.push(name);
        }
        at += 1;
    }
}

fn plain(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

/// The file or the folder of `#[cfg(test)] #[path = "…"] mod name;`
fn files(item: &[TokenTree], parent: &Path, folder: &Path) -> Vec<PathBuf> {
    let (attributes, start) = items::attributes(item, 0);
    let Some(keyword) = (start..item.len()).find(|at| is_word(item.get(*at), &["mod"])) else { return Vec::new() };
    let (Some(TokenTree::Ident(name)), true) = (item.get(keyword + 1), is_punct(item.get(keyword + 2), ';')) else {
        return Vec::new();
    };
    for attribute in attributes {
        let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
        if let [TokenTree::Ident(key), _, TokenTree::Literal(text)] = &tokens[..]
            && key == "path"
        {
            return vec![parent.join(text.to_string().trim_matches('"'))];
        }
    }
    let name = plain(name);
    vec![folder.join(format!("{name}.rs")), folder.join(name)]
}
