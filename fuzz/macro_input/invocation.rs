//! A use of one of the macros, found among tokens as rustc would find it.

use std::fmt;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::{atomic_unit, classify, job, policies, poll, provide, provider_call, registry, repository};

/// How a macro is called.
#[derive(Clone, Copy)]
pub(crate) enum Macro {
    Attribute(fn(TokenStream, TokenStream) -> TokenStream),
    Derive(fn(TokenStream) -> TokenStream),
    Function(fn(TokenStream) -> TokenStream),
}

pub(crate) const MACROS: [(&str, Macro); 9] = [
    ("atomic_unit", Macro::Attribute(atomic_unit::expand)),
    ("provider_call", Macro::Attribute(provider_call::expand)),
    ("job", Macro::Attribute(job::expand)),
    ("poll", Macro::Attribute(poll::expand)),
    ("repository", Macro::Attribute(repository::expand)),
    ("policies", Macro::Function(policies::expand)),
    ("registry", Macro::Function(registry::expand)),
    ("Classify", Macro::Derive(classify::expand)),
    ("Provide", Macro::Derive(provide::expand)),
];

/// The macro with what it is given.
#[derive(Clone)]
pub(crate) struct Invocation {
    pub(crate) name: &'static str,
    called: Macro,
    /// Of an attribute: what stands in its parentheses.
    pub(crate) args: TokenStream,
    pub(crate) item: TokenStream,
}

impl Invocation {
    /// By one of the nine names.
    pub(crate) fn new(name: &str, args: TokenStream, item: TokenStream) -> Self {
        let found = MACROS.into_iter().find(|(known, _)| *known == name);
        let (name, called) = found.unwrap_or_else(|| panic!("`{name}` is no macro of ours"));
        Self { name, called, args, item }
    }

    pub(crate) fn expand(&self) -> TokenStream {
        let (args, item) = self.parts();
        match self.called {
            Macro::Attribute(expand) => expand(args, item),
            Macro::Derive(expand) | Macro::Function(expand) => expand(item),
        }
    }

    pub(crate) fn parts(&self) -> (TokenStream, TokenStream) {
        (self.args.clone(), self.item.clone())
    }

    pub(crate) const fn is_attribute(&self) -> bool {
        matches!(self.called, Macro::Attribute(_))
    }

    pub(crate) const fn is_derive(&self) -> bool {
        matches!(self.called, Macro::Derive(_))
    }
}

/// As a user would write it: it is read back by `invocations`.
impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, called, args, item } = self;
        match called {
            Macro::Attribute(_) => write!(f, "#[{name}({args})] {item}"),
            Macro::Derive(_) => write!(f, "#[derive({name})] {item}"),
            Macro::Function(_) => write!(f, "{name}! {{ {item} }}"),
        }
    }
}

/// All of them, at any depth.
pub(crate) fn invocations(tokens: TokenStream) -> Vec<Invocation> {
    let mut found = Vec::new();
    walk(&tokens.into_iter().collect::<Vec<_>>(), &mut found);
    found
}

fn walk(tokens: &[TokenTree], found: &mut Vec<Invocation>) {
    for (at, token) in tokens.iter().enumerate() {
        match (token, tokens.get(at + 1)) {
            (TokenTree::Punct(hash), Some(TokenTree::Group(attribute))) if hash.as_char() == '#' => {
                let item = || item(&tokens[at + 2..]);
                attributes(attribute, &item, found);
            }
            (TokenTree::Ident(name), Some(TokenTree::Punct(bang))) if bang.as_char() == '!' => {
                let input = match tokens.get(at + 2) {
                    Some(TokenTree::Group(input)) => input.stream(),
                    _ => continue,
                };
                let function =
                    MACROS.iter().find(|(known, called)| name == known && matches!(called, Macro::Function(_)));
                found.extend(function.map(|(name, _)| Invocation::new(name, TokenStream::new(), input)));
            }
            _ => {}
        }
        if let TokenTree::Group(group) = token {
            walk(&group.stream().into_iter().collect::<Vec<_>>(), found);
        }
    }
}

/// Of one `#[…]`: `job(…)`, `steadfast::job(…)`, `derive(…, Classify)`.
fn attributes(attribute: &Group, item: &dyn Fn() -> TokenStream, found: &mut Vec<Invocation>) {
    let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    let (path, args) = match tokens.split_last() {
        Some((TokenTree::Group(args), path)) => (path, args.stream()),
        _ => (&tokens[..], TokenStream::new()),
    };
    let Some(TokenTree::Ident(name)) = path.last() else { return };
    if name == "derive" {
        for word in args {
            let derive =
                MACROS.iter().find(|(known, called)| word.to_string() == *known && matches!(called, Macro::Derive(_)));
            found.extend(derive.map(|(name, _)| Invocation::new(name, TokenStream::new(), item())));
        }
        return;
    }
    let attribute = MACROS.iter().find(|(known, called)| name == known && matches!(called, Macro::Attribute(_)));
    found.extend(attribute.map(|(name, _)| Invocation::new(name, args, item())));
}

/// As far as the item goes: to its braces or its semicolon.
fn item(tokens: &[TokenTree]) -> TokenStream {
    let end = tokens.iter().position(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(sign) => sign.as_char() == ';',
        _ => false,
    });
    tokens[..end.map_or(tokens.len(), |end| end + 1)].iter().cloned().collect()
}
