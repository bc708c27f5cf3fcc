//! What the walk knows of where it is.

use proc_macro2::TokenTree;

use crate::around::Around;
use crate::loops::{Loop, loop_at};

/// What is known of the function that is walked.
#[derive(Default)]
pub(crate) struct Function {
    /// Which findings are a `.tick().await`: none is one where the ticker itself was found.
    pub(crate) ticks: Vec<usize>,
    pub(crate) makes_ticker: bool,
    /// Names that are bound to a read of the clock.
    pub(crate) clocks: Vec<String>,
}

/// What the tokens stand in.
#[derive(Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)] // each of them is one question, and they combine
pub(crate) struct Within {
    pub(crate) depth: usize,
    pub(crate) a_loop: bool,
    /// The arguments of a retry or a ticker that is reported already.
    pub(crate) a_retry: bool,
    pub(crate) a_ticker: bool,
    /// The statement of a cursor, whose clock is reported with it.
    pub(crate) a_cursor: bool,
    /// What was searched for requests already.
    pub(crate) searched: bool,
}

/// What is known of the tokens of one level, by their places.
#[derive(Default)]
pub(crate) struct Level {
    pub(crate) loops: Vec<Loop>,
    /// The next braces are the body of a function.
    pub(crate) function: bool,
    pub(crate) retry_arguments: Option<usize>,
    pub(crate) ticker_arguments: Option<usize>,
    pub(crate) retried: Vec<usize>,
    /// Until there a clock belongs to a cursor that is reported.
    pub(crate) cursor_end: usize,
}

impl Level {
    pub(crate) fn enter(&mut self, tokens: &[TokenTree], at: usize) {
        self.loops.extend(loop_at(tokens, at));
        // `fn(u8) -> u8` is a type.
        let is_function =
            Around { tokens, at }.word(0, &["fn"]) && matches!(tokens.get(at + 1), Some(TokenTree::Ident(_)));
        self.function |= is_function;
    }
}
