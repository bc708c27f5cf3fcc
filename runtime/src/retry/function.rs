//! What the function under an attribute has to be for its body to run more than once.

/// The return type of a unit or call, taken apart.
#[diagnostic::on_unimplemented(
    message = "a unit, a provider call or a job returns a `Result`, not `{Self}`",
    label = "`Ok` ends it, `Err` is what decides what follows",
    note = "write for example `-> Result<(), BillingError>`"
)]
pub trait IsResult: Sized {
    /// What it returns when it succeeded.
    type Ok;
    /// What it returns when it failed.
    type Err;

    /// The result as one.
    ///
    /// # Errors
    /// The function's own.
    fn into_result(self) -> Result<Self::Ok, Self::Err>;

    /// The result as the function returns it. With both ways in the trait, a type that is none is one mistake in one place.
    #[must_use]
    fn from_result(result: Result<Self::Ok, Self::Err>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T, E> IsResult for Result<T, E> {
    type Ok = T;
    type Err = E;

    fn into_result(self) -> Self {
        self
    }

    fn from_result(result: Self) -> Self {
        result
    }
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
