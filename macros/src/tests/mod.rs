//! The macros on token streams, in process. What rustc says about an expansion is tested in `tests/`.

mod cron;
mod derives;
mod duration;
mod editor;
mod every_prefix;
mod fuzzed;
mod half_typed;
#[path = "../../../fuzz/in_process.rs"]
mod in_process;
mod jobs;
mod literals;
#[path = "../../../fuzz/macro_input/mod.rs"]
mod macro_input;
mod policies;
mod polls;
mod registry;
mod repositories;
mod schedules;
mod snapshots;
mod units;

use in_process::random;
use proc_macro2::TokenStream;

/// Tokens from text: a test shows what a user would write.
fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| panic!("`{text}` is not made of tokens: {error}"))
}

/// The texts of the `compile_error!`s in an expansion.
fn messages(expansion: TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(expansion).expect("an expansion is made of items");
    let errors = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Macro(item) if item.mac.path.segments.last()?.ident == "compile_error" => {
            Some(item.mac.parse_body::<syn::LitStr>().expect("a text").value())
        }
        _ => None,
    });
    errors.collect()
}

/// The messages, in house style.
fn checked(expansion: TokenStream) -> Vec<String> {
    let messages = messages(expansion);
    assert_style(&messages);
    messages
}

/// An expansion without errors, in the form that `rustc` would print its tokens.
#[allow(clippy::needless_pass_by_value)] // it is always a fresh expansion
fn expansion(expansion: TokenStream) -> String {
    let text = expansion.to_string();
    assert!(!text.contains("compile_error"), "{text}");
    text
}

/// One of the messages holds all of these.
#[track_caller]
fn assert_says(messages: &[String], parts: &[&str]) {
    let found = messages.iter().any(|message| parts.iter().all(|part| message.contains(part)));
    assert!(found, "no message says {parts:?}, but there is: {messages:#?}");
}

/// House style: lower case or code first, no full stop, a fix or what was expected.
#[track_caller]
fn assert_style(messages: &[String]) {
    for message in messages {
        assert!(!message.ends_with('.'), "ends with a full stop: {message}");
        assert!(!message.starts_with(|c: char| c.is_ascii_uppercase()), "starts in upper case: {message}");
        let helps = ["; ", "expected", "for example", "write"].iter().any(|word| message.contains(word));
        assert!(helps, "does not help: {message}");
    }
}
