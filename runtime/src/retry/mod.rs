//! Retries: the policies, the decision and the gap. [`policies!`](crate::policies) declares policies, the attributes name
//! them; nothing here is called by hand.

mod around;
mod attempts;
mod budget;
mod call;
mod chain;
mod deadline;
mod declaration;
pub(crate) mod durable;
mod failure;
mod function;
mod gap;
#[cfg(test)]
#[path = "../../../fuzz/in_process.rs"]
mod in_process;
mod policy;
mod poll;
mod retry_after;
mod retrying;
mod scope;
mod stopped;
mod unit_failure;

pub use deadline::{Within, remaining, within};
pub use failure::{Classify, Failure, Kind};
pub use gap::{Jitter, gap};
pub use policy::{NamedPolicy, Policy};
pub use retry_after::retry_after;
pub use retrying::Retrying;
pub use stopped::Stopped;
pub use unit_failure::{Outcome, Phase, UnitFailure};

pub(crate) use around::Around;
pub(crate) use attempts::Attempts;
#[doc(hidden)]
pub use attempts::Wait;
#[doc(hidden)]
pub use budget::Budget;
#[doc(hidden)]
pub use call::{Call, call, error_fns};
pub(crate) use deadline::has_passed;
#[cfg(feature = "reqwest")]
pub(crate) use declaration::answered_declaration;
#[doc(hidden)]
pub use declaration::{
    Answer, Answered, BeginMode, Declaration, Declared, Isolation, Known, ProviderPolicy, SafeToRepeat, SafeToReplay,
    Settings, call_declaration, unit_declaration,
};
#[doc(hidden)]
pub use failure::RetryAfter;
#[doc(hidden)]
pub use function::{IsResult, Replay, replay};
pub(crate) use gap::{exponential, fibonacci, jittered};
#[doc(hidden)]
pub use policy::{Capped, No, On, Yes, assert_retry_home, capped, never};
#[doc(hidden)]
pub use retrying::Extras;
#[cfg(feature = "_unit")]
pub(crate) use scope::polled_inside;
pub(crate) use scope::{Scope, inside, scope};
#[cfg(feature = "_unit")]
pub(crate) use unit_failure::Facts;
#[doc(hidden)]
pub use unit_failure::UnitError;

steadfast_macros::policies! {
    /// The database rolled it back: safe on any atomic unit.
    ///
    /// Anything that takes longer belongs to the next slot of a job (`docs/rules.md#every-policy-ends`).
    pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
    /// Contention, and a lost connection: only where a replay is harmless, which the unit has to say.
    pub policy transient = capped(base = "200ms", cap = "2s", retries = 3).on(contention, connection_lost);
}
