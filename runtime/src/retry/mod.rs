//! Retries: the policies, the decision and the gap. [`policies!`](crate::policies) declares policies, the attributes name
//! them; nothing here is called by hand.

mod attempts;
mod call;
mod declaration;
mod failure;
mod function;
mod gap;
mod policy;
mod scope;
mod unit_failure;

pub use failure::{Classify, Failure, Kind};
pub use gap::{Jitter, gap};
pub use policy::{NamedPolicy, Policy};
pub use unit_failure::{Outcome, Phase, UnitFailure};

pub(crate) use attempts::Attempts;
#[doc(hidden)]
pub use call::{Call, Wait, call};
#[doc(hidden)]
pub use declaration::{Answer, Answered, Declaration, Declared, call_declaration, unit_declaration};
#[doc(hidden)]
pub use function::{IsResult, Replay, replay};
#[doc(hidden)]
pub use policy::{Capped, No, On, Yes, assert_retry_home, capped, never};
pub(crate) use scope::{Scope, inside, scope};
#[doc(hidden)]
pub use unit_failure::UnitError;

/// temporary
#[allow(non_camel_case_types)]
pub enum contention {}
impl NamedPolicy for contention {
    type Contention = Yes;
    type Ambiguous = No;
    const POLICY: Policy = capped(Capped {
        name: "contention",
        base_ms: 50,
        cap_ms: 200,
        retries: 3,
        jitter: Jitter::Full,
        on: On::NONE.with(Kind::Deadlock).with(Kind::Serialization).with(Kind::LockTimeout),
    });
}
/// temporary
#[allow(non_camel_case_types)]
pub enum transient {}
impl NamedPolicy for transient {
    type Contention = Yes;
    type Ambiguous = Yes;
    const POLICY: Policy = capped(Capped {
        name: "transient",
        base_ms: 200,
        cap_ms: 2000,
        retries: 3,
        jitter: Jitter::Full,
        on: On::NONE.with(Kind::Deadlock).with(Kind::Serialization).with(Kind::LockTimeout).with(Kind::ConnectionLost),
    });
}
