//! What the function under an attribute has to be for its body to run more than once.

/// The return type of a unit or call, taken apart.
#[diagnostic::on_unimplemented(
    message = "a unit or call returns a `Result`, not `{Self}`",
    label = "`Ok` ends it and `Err` is what a policy looks at"
)]
pub trait IsResult {
    /// What it returns when it succeeded.
    type Ok;
    /// What it returns when it failed.
    type Err;
}

#[diagnostic::do_not_recommend]
impl<T, E> IsResult for Result<T, E> {
    type Ok = T;
    type Err = E;
}

/// An argument taken by value: each attempt gets its own copy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cloned, so a unit cannot be replayed with it",
    label = "each attempt gets its own copy of an argument taken by value",
    note = "take it by reference: `&{Self}`"
)]
pub trait Replay: Sized {
    /// The copy.
    #[must_use]
    fn replay(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> Replay for T {
    fn replay(&self) -> T {
        self.clone()
    }
}

/// The copy of an argument for one attempt.
#[must_use]
pub fn replay<T: Replay>(argument: &T) -> T {
    argument.replay()
}
