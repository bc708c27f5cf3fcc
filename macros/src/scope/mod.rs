//! What `#[atomic_unit]` and `#[provider_call]` share: both replay a body, so both name a policy, say what a replay
//! may do, hand each attempt its own arguments, and run inside the runtime's retry scope.

mod arguments;
mod body;
mod expand;
mod idempotent;
mod retry;
mod shape;

pub(crate) use arguments::Arguments;
pub(crate) use body::check_body;
pub(crate) use expand::{Marker, annotated_body, given, local_at, refuse_nested, start, take, taken};
pub(crate) use idempotent::{Answer, Idempotent};
pub(crate) use retry::{Retry, missing_retry};
pub(crate) use shape::{check_shape, result_type};

/// The words of one of the two attributes for its messages.
pub(crate) struct Words {
    /// `an atomic unit`
    pub(crate) a_scope: &'static str,
    /// `a unit`
    pub(crate) a_short: &'static str,
    /// What the runtime does with the `Result`.
    pub(crate) result: &'static str,
    /// What to add about `&mut`, where a transaction is the exception.
    pub(crate) mutable: &'static str,
}

pub(crate) const UNIT: Words = Words {
    a_scope: "an atomic unit",
    a_short: "a unit",
    result: "it commits on `Ok` and rolls back on `Err`",
    mutable: "; only the transaction is `&mut`, written `tx: &mut Tx<'_>`",
};

pub(crate) const CALL: Words = Words {
    a_scope: "a provider call",
    a_short: "a provider call",
    result: "`Err` says whether it may be tried again",
    mutable: "",
};
