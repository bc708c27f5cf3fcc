//! What expansions call. Not public API: it changes with the macros, in the same release.

#[cfg(feature = "_database")]
pub use crate::jobs::LeaseOfRun;
pub use crate::retry::{
    Answer, Answered, BeginMode, Budget, Call, Capped, Classify, Declaration, Declared, Extras, Failure, IsResult,
    Isolation, Kind, Known, NamedPolicy, No, On, Replay, RetryAfter, Retrying, Settings, Wait, Yes, assert_retry_home,
    call, call_declaration, capped, durable::delay, error_fns, never, replay, unit_declaration,
};
/// Named here so that messages show the short names of these bounds.
pub use crate::retry::{ProviderPolicy, SafeToRepeat, SafeToReplay};
#[cfg(feature = "_database")]
pub use crate::unit::{Checkout, Fence, fence};
#[cfg(feature = "_unit")]
pub use crate::unit::{
    Receipt, Transactional, Unit, begins_by_mode, isolates, receipt, record, recorded, resolves, unit,
};

pub use crate::jobs::private::*;
pub use crate::schedule::{NamedSchedule, Schedule, Shape};

pub mod keys;
