//! Every use of the macros in this repository, as it is being typed: no panic, the item stays, and silence is no answer.

use std::{collections::BTreeSet, panic::AssertUnwindSafe, thread};

use proc_macro2::{TokenStream, TokenTree};

use super::{
    half_typed::prefixes,
    macro_input::{Invocation, examples, invocations},
};

#[test]
fn no_prefix_of_an_example_panics_or_loses_its_item() {
    // As text: tokens belong to one thread.
    let texts: Vec<String> = examples().iter().map(ToString::to_string).collect();
    assert!(texts.len() > 200, "{} examples", texts.len());
    let threads = thread::available_parallelism().map_or(2, Into::into);
    let count: usize = thread::scope(|scope| {
        let parts = texts.chunks(texts.len().div_ceil(threads));
        let parts: Vec<_> =
            parts.map(|part| scope.spawn(|| part.iter().map(|text| check(text)).sum::<usize>())).collect();
        parts.into_iter().map(|part| part.join().expect("no prefix fails")).sum()
    });
    println!("{count} prefixes of {} examples", texts.len());
    assert!(count > 10_000, "{count} prefixes");
}

fn check(text: &str) -> usize {
    let example = invocations(super::tokens(text)).swap_remove(0);
    let (args, item) = example.parts();
    let of_args = prefixes(args.clone()).into_iter().map(|args| (args, item.clone()));
    let of_item = prefixes(item.clone()).into_iter().map(|item| (args.clone(), item));
    let mut count = 0;
    for (args, item) in of_args.chain(of_item) {
        answers(&Invocation::new(example.name, args, item));
        count += 1;
    }
    count
}

fn answers(typed: &Invocation) {
    let expanded = std::panic::catch_unwind(AssertUnwindSafe(|| typed.expand()));
    let expansion = expanded.unwrap_or_else(|_| panic!("panicked on: {typed}"));
    let text = expansion.to_string();
    // What a derive stands on stays by itself, and `struct App {}` has nothing to provide.
    assert!(!expansion.is_empty() || typed.is_derive(), "neither an item nor an error: {typed}");
    if typed.is_attribute() {
        let lost: Vec<_> = functions(typed.item.clone()).difference(&functions(expansion)).cloned().collect();
        assert!(lost.is_empty(), "lost {lost:?} of: {typed}\n{text}");
    }
}

/// The names behind `fn`, at any depth.
fn functions(tokens: TokenStream) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut after_fn = false;
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if after_fn {
                    names.insert(name.to_string());
                }
                after_fn = name == "fn";
            }
            TokenTree::Group(group) => {
                names.extend(functions(group.stream()));
                after_fn = false;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => after_fn = false,
        }
    }
    names
}
