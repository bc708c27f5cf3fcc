//! Jobs and polls that are declared, and those that a registry lists.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};

use super::items;
use crate::around::{is_punct, is_word};
use crate::scan::DEEPEST;

#[derive(Default)]
pub(crate) struct Jobs {
    /// The `pub` ones, each with its file: the others are told by the lint `dead_code`.
    pub(crate) declared: Vec<(String, Ident)>,
    /// Last segments of paths: where a job is imported from is not known here.
    pub(crate) listed: BTreeSet<String>,
}

impl Jobs {
    pub(crate) fn look(&mut self, file: &str, stream: TokenStream) {
        self.look_below(file, stream, 0);
    }

    fn look_below(&mut self, file: &str, stream: TokenStream, depth: usize) {
        // The walk over the bodies has told that something is too deep.
        if depth > DEEPEST {
            return;
        }
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            let of_tests = items::of_tests(&tokens, at);
            if of_tests > 0 {
                at += of_tests;
                continue;
            }
            let (attributes, item) = items::attributes(&tokens, at);
            if attributes.iter().any(|attribute| items::judges(&attribute.stream(), &["job", "poll"])) {
                self.declared.extend(public_function(&tokens[item..]).map(|name| (file.to_owned(), name)));
            }
            at = item;
            match tokens.get(at) {
                Some(TokenTree::Group(group)) if is_punct(before(&tokens, at, 1), '!') => {
                    if is_word(before(&tokens, at, 2), &["registry"]) {
                        self.list(group.stream());
                    }
                    self.look_below(file, group.stream(), depth + 1);
                }
                Some(TokenTree::Group(group)) => self.look_below(file, group.stream(), depth + 1),
                _ => {}
            }
            at += 1;
        }
    }

    fn list(&mut self, registry: TokenStream) {
        let Some(list) = items::last_brackets(registry) else { return };
        for path in items::split(list.stream()) {
            let segments = path.into_iter().filter_map(|token| match token {
                TokenTree::Ident(segment) => Some(segment.to_string()),
                _ => None,
            });
            self.listed.extend(segments.last());
        }
    }

    /// The `pub` ones that no registry lists.
    pub(crate) fn unlisted(self) -> impl Iterator<Item = (String, Ident)> {
        let Self { declared, listed } = self;
        declared.into_iter().filter(move |(_, name)| !listed.contains(&name.to_string()))
    }
}

fn before(tokens: &[TokenTree], at: usize, back: usize) -> Option<&TokenTree> {
    at.checked_sub(back).and_then(|at| tokens.get(at))
}

/// The name of `pub async fn name`; `pub(crate)` is not public.
fn public_function(item: &[TokenTree]) -> Option<Ident> {
    if !is_word(item.first(), &["pub"]) || matches!(item.get(1), Some(TokenTree::Group(_))) {
        return None;
    }
    let keyword = item.iter().position(|token| is_word(Some(token), &["fn"]))?;
    match item.get(keyword + 1) {
        Some(TokenTree::Ident(name)) => Some(name.clone()),
        _ => None,
    }
}
