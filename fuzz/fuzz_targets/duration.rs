//! Durations, as somebody may write them in an attribute: `cargo +nightly fuzz run duration -- -runs=10000000`.

#![no_main]
#![allow(dead_code)] // the files are taken whole

#[path = "../../macros/src/duration.rs"]
mod duration;
#[path = "../../macros/src/error.rs"]
mod error;
#[path = "../../macros/src/literal.rs"]
mod literal;

use libfuzzer_sys::fuzz_target;
use proc_macro2::Span;

fuzz_target!(|text: &str| {
    match duration::parse(&syn::LitStr::new(text, Span::call_site())) {
        Ok(duration) => drop(duration::display(duration)),
        Err(error) => assert!(error.to_string().len() < 4096, "a message is one a person can read"),
    }
});
