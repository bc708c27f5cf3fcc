//! The errors of one invocation: collected, then reported all at once beside the user's item.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Collects what is wrong with one invocation, so that a user mends everything in one round.
#[derive(Default)]
pub(crate) struct Errors {
    all: Option<syn::Error>,
}

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.all {
            Some(all) => all.combine(error),
            None => self.all = Some(error),
        }
    }

    /// Takes over what was collected apart.
    pub(crate) fn append(&mut self, other: Self) {
        if let Some(all) = other.all {
            self.push(all);
        }
    }

    /// The value, or `None` with the error kept.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_none()
    }

    /// The item first and then the errors: it stays in the crate, so that the editor keeps working and no
    /// second error says that its name is unknown.
    pub(crate) fn beside(self, mut item: TokenStream) -> TokenStream {
        item.extend(self.all.map(syn::Error::into_compile_error));
        item
    }
}

/// Where an error points: at tokens (all of them are underlined) or at a span.
pub(crate) trait Place {
    fn error(self, message: String) -> syn::Error;
}

impl Place for Span {
    fn error(self, message: String) -> syn::Error {
        syn::Error::new(self, message)
    }
}

impl<T: ToTokens> Place for &T {
    fn error(self, message: String) -> syn::Error {
        syn::Error::new_spanned(self, message)
    }
}

/// An error at a place: `err!(&token, "problem; fix, for example `…`")`.
macro_rules! err {
    ($place:expr, $($message:tt)+) => { $crate::error::Place::error($place, ::std::format!($($message)+)) };
}

/// Leaves the function with an error at a place.
macro_rules! bail {
    ($place:expr, $($message:tt)+) => { return ::core::result::Result::Err($crate::error::err!($place, $($message)+)) };
}

pub(crate) use {bail, err};
