//! The macros on the tokens of real code, changed at random. What the fuzz target and the tests of the macros have in common: both
//! take the sources of the macros into their own crate, and this by path.

mod examples;
mod invocation;
pub(crate) mod mutate;

/// Beside this, since the tests have it already.
pub(crate) use super::random::Random;
pub(crate) use examples::examples;
pub(crate) use invocation::{Invocation, invocations};
pub(crate) use mutate::mutated;

use proc_macro2::TokenStream;

/// The macros on this, as a crate that holds it would call them. Tokens without an invocation are handed to each.
///
/// The first invocation is also tried under the names of those that are asked for: what one macro takes for granted, another one's
/// users write.
pub(crate) fn expand(tokens: &TokenStream, also: impl Fn(usize) -> bool) {
    let found = invocations(tokens.clone());
    // A splice can bring in whole files; the first ones are what was changed.
    for invocation in found.iter().take(2) {
        let expansion = invocation.expand();
        assert!(!expansion.is_empty() || invocation.is_derive(), "neither an item nor an error: {invocation}");
    }
    let (args, item) = found.first().map_or_else(|| (tokens.clone(), tokens.clone()), Invocation::parts);
    for (at, (name, _)) in invocation::MACROS.into_iter().enumerate() {
        let asked_for = found.first().is_none_or(|first| first.name != name && also(at));
        if asked_for {
            Invocation::new(name, args.clone(), item.clone()).expand();
        }
    }
}
