//! Where loops stand among tokens.

use proc_macro2::TokenTree;

use crate::around::{is_brace, is_punct, is_word};

/// The keyword and the body of a loop, by their places among the tokens.
#[derive(Clone, Copy)]
pub(crate) struct Loop {
    pub(crate) start: usize,
    pub(crate) body: usize,
    /// `loop`, `while`, and `for _ in 0..3`: each round tries the same again. `for item in items` takes the next one.
    pub(crate) repeats: bool,
}

/// The loop that begins at this keyword.
pub(crate) fn loop_at(tokens: &[TokenTree], start: usize) -> Option<Loop> {
    let keyword = tokens.get(start);
    if !is_word(keyword, &["loop", "while", "for"]) {
        return None;
    }
    // `while let Row { id } = …` and `for Row { id } in …`
    let is_pattern = |at: usize| is_punct(tokens.get(at + 1), '=') || is_word(tokens.get(at + 1), &["in"]);
    // `while async { … }.await { … }`, `while match … { … } { … }`: the braces of an expression go on behind it.
    let goes_on = |at: usize| {
        let next = tokens.get(at + 1);
        !is_word(keyword, &["loop"]) && (is_punct(next, '.') || is_punct(next, '?') || is_brace(next))
    };
    let mut rest = start + 1..tokens.len();
    let body = rest.find(|at| is_brace(tokens.get(*at)) && !is_pattern(*at) && !goes_on(*at))?;
    if !is_word(keyword, &["for"]) {
        return Some(Loop { start, body, repeats: true });
    }
    // `impl Trait for Type { … }` and `for<'a>` are no loops.
    let source = (start..body).find(|at| is_word(tokens.get(*at), &["in"]))?;
    let is_range = (source..body).any(|at| is_punct(tokens.get(at), '.') && is_punct(tokens.get(at + 1), '.'));
    Some(Loop { start, body, repeats: is_range })
}
