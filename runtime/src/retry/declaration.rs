//! What an attribute declares of its function, and the bounds that refuse a policy there.
//!
//! Traits, because only they show the policy, the function and the reason in one message, and see through renamed imports.

use std::{marker::PhantomData, time::Duration};

use metrics::Label;

use super::{Extras, Kind, NamedPolicy, No, Policy, Yes};

/// The answer to "what if the first attempt was applied and nobody said so?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// None was given: such a failure is not retried.
    None,
    /// `idempotent = read`: there is nothing to apply.
    Read,
    /// `idempotent = set_state` or `client_id(…)`: applying it again changes nothing.
    Idempotent,
    /// `in_doubt = fail`: what was lost before COMMIT is replayed, what was lost in COMMIT is reported.
    FailInDoubt,
    /// `in_doubt = resolve`: what was lost before COMMIT is replayed, of what was lost in COMMIT the server is asked.
    Resolve,
}

impl Answer {
    #[cfg(feature = "_unit")]
    /// Whether even an attempt that may have been applied may be tried again.
    pub(crate) const fn is_idempotent(self) -> bool {
        matches!(self, Self::Read | Self::Idempotent)
    }
}

/// How a unit is begun and bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Without a database there are provider calls alone.
#[cfg_attr(not(feature = "_unit"), allow(dead_code))]
pub struct Settings {
    /// What a lost acknowledgement means.
    pub answer: Answer,
    /// `isolation = …`
    pub isolation: Option<Isolation>,
    /// `read_only`
    pub read_only: bool,
    /// `begin = …`
    pub begin: Option<BeginMode>,
    /// `attempt_timeout = "…"`
    pub attempt_timeout: Option<Duration>,
}

impl Settings {
    /// What holds where the attribute says nothing.
    pub const NONE: Self =
        Self { answer: Answer::None, isolation: None, read_only: false, begin: None, attempt_timeout: None };

    /// Whether the database is to refuse writes.
    #[cfg(feature = "_database")]
    pub(crate) const fn reads_only(&self) -> bool {
        self.read_only || matches!(self.answer, Answer::Read)
    }
}

/// The isolation level of a unit; left out, it is the connection's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// One snapshot for the whole unit.
    RepeatableRead,
    /// As if units ran one after the other.
    Serializable,
}

/// SQLite's ways to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginMode {
    /// No lock before the first statement.
    Deferred,
    /// The write lock at once.
    Immediate,
    /// No readers either, without a write-ahead log.
    Exclusive,
}

/// What the attribute knows of the function it stands on.
pub trait Declared {
    /// All of it: a constant is a body that rustc types, checks and evaluates, for every unit of a crate.
    const KNOWN: Known;
}

/// A function under an attribute.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The path of the function.
    pub name: &'static str,
    /// What it says of itself.
    pub settings: Settings,
}

/// A function that gave an answer.
pub trait Answered: Declared {}

/// An atomic unit that a policy may replay, be it one that retries what can mean "applied" (`Yes`) or not (`No`).
#[diagnostic::on_unimplemented(
    message = "atomic unit `{Self}` is not idempotent, so it must not be replayed after a lost connection",
    label = "this policy retries failures after which the work may have been done",
    note = "a lost acknowledgement can mean \"already applied\": the replay would apply the unit twice",
    note = "use a policy `.on(contention)`, or say why the replay is safe: `idempotent = read | set_state | client_id(param) | receipt(param)`, \
            or what happens then: `in_doubt = fail | resolve`, for example `#[atomic_unit(retry = .., idempotent = set_state)]`"
)]
pub trait SafeToReplay<Ambiguous> {}
#[diagnostic::do_not_recommend]
impl<U: Declared> SafeToReplay<No> for U {}
#[diagnostic::do_not_recommend]
impl<U: Answered> SafeToReplay<Yes> for U {}

/// A provider call that a policy may repeat, be it one that retries what can mean "done" (`Yes`) or not (`No`).
#[diagnostic::on_unimplemented(
    message = "provider call `{Self}` is not idempotent, so it must not be repeated after a failure that can mean \"done\"",
    label = "this policy repeats after a lost connection or an answer such as 502",
    note = "the provider may have done what was asked: the repeat would do it twice",
    note = "use a policy `.on(rate_limited)`, or say why a repeat is harmless, for example `#[provider_call(retry = .., idempotent = client_id(key))]`"
)]
pub trait SafeToRepeat<Ambiguous> {}
#[diagnostic::do_not_recommend]
impl<U: Declared> SafeToRepeat<No> for U {}
#[diagnostic::do_not_recommend]
impl<U: Answered> SafeToRepeat<Yes> for U {}

/// A policy that a provider's answers can honour.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not fit a provider: it retries contention, which only a database reports and rolls back, or retries nothing",
    label = "a provider call is no transaction",
    note = "name a policy for providers, for example `pub policy provider = capped(base = \"200ms\", cap = \"2s\", retries = 5).on(rate_limited, unavailable);`"
)]
pub trait ProviderPolicy: NamedPolicy {}
#[diagnostic::do_not_recommend]
impl<P: NamedPolicy<Contention = No>> ProviderPolicy for P {}

/// A declaration with its policy, as the runtime reads it. Labels are constants, so that counting allocates nothing.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub struct Declaration {
    pub(crate) name: &'static str,
    pub(crate) policy: Policy,
    pub(crate) extras: Extras,
    pub(crate) settings: Settings,
    pub(crate) labels: Labels,
}

/// The labels of what is counted. The keys are made where they are counted: as constants rustc would hash two of them for every unit,
/// which took it a tenth of a `cargo check`, and hashing them at COMMIT takes tens of nanoseconds.
///
/// By value: a constant of each would be one more to evaluate for every unit.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
// Without a database there are provider calls alone, which count no success.
#[cfg_attr(not(feature = "_unit"), allow(dead_code))]
pub(crate) struct Labels {
    /// A unit that committed.
    pub(crate) run_committed: [Label; 3],
    /// Its last attempt.
    pub(crate) attempt_committed: [Label; 3],
    /// A failed attempt of a provider call, by [`Kind::index`]; none for units, which rustc would compute for each of them.
    pub(crate) call_failed: &'static [[Label; 3]],
    /// A gap.
    pub(crate) waiting: [Label; 1],
}

struct Pair<P, U>(PhantomData<(P, U)>);

impl<P: NamedPolicy, U: Declared> Pair<P, U> {
    const CALL_FAILED: &'static [[Label; 3]] = &{
        // `Label` cannot be copied, so every place of the array is made anew.
        let mut labels = [const { Self::attempt("", "") }; Kind::COUNT];
        let mut index = 0;
        while index < Kind::COUNT {
            std::mem::forget(std::mem::replace(&mut labels[index], Self::attempt(Kind::ALL[index].as_str(), "call")));
            index += 1;
        }
        labels
    };

    const fn attempt(kind: &'static str, phase: &'static str) -> [Label; 3] {
        [label("unit", U::KNOWN.name), label("kind", kind), label("phase", phase)]
    }

    const UNIT: &'static Declaration = &Self::declaration(&[]);
    const CALL: &'static Declaration = &Self::declaration(Self::CALL_FAILED);

    const fn declaration(call_failed: &'static [[Label; 3]]) -> Declaration {
        let Known { name, settings } = U::KNOWN;
        let policy = P::POLICY;
        let of_policy = policy.name();
        Declaration {
            name,
            policy,
            extras: P::EXTRAS,
            settings,
            labels: Labels {
                run_committed: [label("unit", name), label("policy", of_policy), label("outcome", "committed")],
                attempt_committed: Self::attempt("none", "commit"),
                call_failed,
                waiting: [label("policy", of_policy)],
            },
        }
    }
}

const fn label(key: &'static str, value: &'static str) -> Label {
    Label::from_static_parts(key, value)
}

impl Declaration {
    /// A call is made: it earns what its policy's budget lets it.
    #[inline]
    pub(crate) fn earn(&self) {
        if let Some(budget) = self.extras.budget {
            budget().earn();
        }
    }
}

/// The declaration of an atomic unit, if policy `P` may be named there.
#[must_use]
pub const fn unit_declaration<P: NamedPolicy, U: Declared + SafeToReplay<P::Ambiguous>>() -> &'static Declaration {
    Pair::<P, U>::UNIT
}

/// The declaration of a call of the runtime's own, which is safe to repeat.
#[cfg(feature = "reqwest")]
pub(crate) const fn answered_declaration<P: ProviderPolicy, U: Answered>() -> &'static Declaration {
    Pair::<P, U>::CALL
}

/// The declaration of a provider call, if policy `P` may be named there.
#[must_use]
pub const fn call_declaration<P: ProviderPolicy, U: Declared + SafeToRepeat<P::Ambiguous>>() -> &'static Declaration {
    Pair::<P, U>::CALL
}
