//! A token with its neighbours.

use proc_macro2::{Delimiter, TokenTree};

#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) tokens: &'a [TokenTree],
    pub(crate) at: usize,
}

impl<'a> Around<'a> {
    pub(crate) fn token(&self, ahead: usize) -> Option<&'a TokenTree> {
        self.tokens.get(self.at + ahead)
    }

    pub(crate) fn punct(&self, ahead: usize, sign: char) -> bool {
        is_punct(self.token(ahead), sign)
    }

    pub(crate) fn word(&self, ahead: usize, words: &[&str]) -> bool {
        is_word(self.token(ahead), words)
    }

    pub(crate) fn before(&self, back: usize) -> Option<&'a TokenTree> {
        self.at.checked_sub(back).and_then(|at| self.tokens.get(at))
    }

    pub(crate) fn punct_before(&self, back: usize, sign: char) -> bool {
        is_punct(self.before(back), sign)
    }

    pub(crate) fn word_before(&self, back: usize, words: &[&str]) -> bool {
        is_word(self.before(back), words)
    }

    /// `word::…`
    pub(crate) fn is_path_start(&self) -> bool {
        self.punct(1, ':') && self.punct(2, ':')
    }

    /// `::word`, also at the start of a path.
    pub(crate) fn is_path_end(&self) -> bool {
        self.punct_before(1, ':') && self.punct_before(2, ':')
    }

    /// `module::word`: then `word` is a module of the user's own, not a crate.
    pub(crate) fn is_within_path(&self) -> bool {
        self.is_path_end() && matches!(self.before(3), Some(TokenTree::Ident(_)))
    }

    /// `word::one`, with one of these.
    pub(crate) fn is_followed_by(&self, words: &[&str]) -> bool {
        self.is_path_start() && self.word(3, words)
    }

    /// `word(…)` or `word::<…>(…)`
    pub(crate) fn is_call(&self) -> bool {
        self.arguments().is_some() || (self.is_path_start() && self.punct(3, '<'))
    }

    pub(crate) fn is_method_call(&self) -> bool {
        self.punct_before(1, '.') && self.is_call()
    }

    /// `.word()`
    pub(crate) fn is_bare_call(&self) -> bool {
        self.punct_before(1, '.') && self.arguments().is_some_and(|arguments| arguments.stream().is_empty())
    }

    /// The parentheses right behind the word.
    pub(crate) fn arguments(&self) -> Option<&'a proc_macro2::Group> {
        match self.token(1) {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => Some(group),
            _ => None,
        }
    }

    /// `Retry::word`
    pub(crate) fn follows(&self, words: &[&str]) -> bool {
        self.is_path_end() && self.word_before(3, words)
    }

    /// `fn word(…)`
    pub(crate) fn is_definition(&self) -> bool {
        self.word_before(1, &["fn"])
    }
}

pub(crate) fn is_punct(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

pub(crate) fn is_word(token: Option<&TokenTree>, words: &[&str]) -> bool {
    matches!(token, Some(TokenTree::Ident(word)) if words.iter().any(|name| word == name))
}

pub(crate) fn is_brace(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
}
