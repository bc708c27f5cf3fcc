//! Token streams, as somebody may be typing them: `cargo +nightly fuzz run macro_input -- -runs=1000000`.
//!
//! Inputs are text that is read as tokens; libFuzzer's own changes of the text are one part of what is tried, changes of the tokens the
//! other. They start from every use of the macros in this repository.

#![no_main]
#![allow(dead_code, unreachable_pub)] // the files are taken whole

#[path = "../../macros/src/atomic_unit/mod.rs"]
mod atomic_unit;
#[path = "../../macros/src/chunks.rs"]
mod chunks;
#[path = "../../macros/src/classify/mod.rs"]
mod classify;
#[path = "../../macros/src/duration.rs"]
mod duration;
#[path = "../../macros/src/editor.rs"]
mod editor;
#[path = "../../macros/src/error.rs"]
mod error;
#[path = "../../macros/src/form.rs"]
mod form;
#[path = "../../macros/src/item_fn.rs"]
mod item_fn;
#[path = "../../macros/src/job/mod.rs"]
mod job;
#[path = "../../macros/src/literal.rs"]
mod literal;
#[path = "../macro_input/mod.rs"]
mod macro_input;
#[path = "../../macros/src/options.rs"]
mod options;
#[path = "../../macros/src/policies/mod.rs"]
mod policies;
#[path = "../../macros/src/poll/mod.rs"]
mod poll;
#[path = "../../macros/src/private.rs"]
mod private;
#[path = "../../macros/src/provide/mod.rs"]
mod provide;
#[path = "../../macros/src/provider_call/mod.rs"]
mod provider_call;
#[path = "../random.rs"]
mod random;
#[path = "../../macros/src/registry/mod.rs"]
mod registry;
#[path = "../../macros/src/repository/mod.rs"]
mod repository;
#[path = "../../macros/src/scope/mod.rs"]
mod scope;
#[path = "../../macros/src/suggest.rs"]
mod suggest;
#[path = "../../macros/src/types.rs"]
mod types;

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use macro_input::{Random, examples, expand, mutated};
use proc_macro2::TokenStream;

/// As text: tokens cannot be shared.
static EXAMPLES: LazyLock<Vec<String>> = LazyLock::new(|| examples().iter().map(ToString::to_string).collect());

thread_local! {
    static TOKENS: Vec<TokenStream> = EXAMPLES.iter().map(|text| text.parse().expect("an example is made of tokens")).collect();
}

fuzz_target!(|text: &str| {
    if let Ok(tokens) = text.parse() {
        expand(&tokens, |_| true);
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let random = &mut Random::from(seed.into());
    let text = std::str::from_utf8(&data[..size]).unwrap_or_default();
    let change = |tokens: TokenStream, random: &mut Random| TOKENS.with(|all| mutated(tokens, all, random));
    let changed = match (random.below(8), text.parse::<TokenStream>()) {
        // From the start now and then, so that one does not drift into noise.
        (0, _) => change(random.of(&EXAMPLES).parse().expect("an example is made of tokens"), random),
        (2.., Ok(tokens)) if !tokens.is_empty() => change(tokens, random),
        _ => return fuzzer_mutate(data, size, max_size),
    };
    let changed = changed.to_string();
    if changed.len() > max_size {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..changed.len()].copy_from_slice(changed.as_bytes());
    changed.len()
});
