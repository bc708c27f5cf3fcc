//! The fuzz target `macro_input` without a nightly compiler: the same examples, changed in the same ways.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use proc_macro2::TokenStream;

use super::{
    in_process::runs,
    macro_input::{Random, examples, expand, mutate::mutated_text, mutated},
};

/// `STEADFAST_FUZZ_RUNS` says how often.
#[test]
fn no_change_of_an_example_panics() {
    let all: Vec<TokenStream> = examples().iter().map(|example| super::tokens(&example.to_string())).collect();
    assert!(all.len() > 200, "{} examples", all.len());
    let random = &mut Random::from(0);
    let mut changed = TokenStream::new();
    let (mut expanded, mut deeper) = (0, 0);
    for _ in 0..runs(20_000) {
        // From the start now and then, so that one does not drift into noise.
        if changed.is_empty() || random.below(4) == 0 {
            changed = random.of(&all).clone();
        }
        let next = if random.below(8) == 0 {
            mutated_text(&changed.to_string(), random).parse().ok()
        } else {
            Some(mutated(changed.clone(), &all, random))
        };
        // A text that is not made of tokens never reaches a macro.
        let Some(next) = next else { continue };
        let other = random.below(9);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| expand(&next, |at| at == other))) {
            eprintln!("panicked on: {next}");
            resume_unwind(panic);
        }
        expanded += 1;
        deeper += u64::from(next.to_string().len() > 40);
        changed = next;
    }
    println!("{expanded} streams");
    assert!(expanded * 10 > runs(20_000) * 9 && deeper * 2 > expanded, "{expanded} expanded, {deeper} of some length");
}
