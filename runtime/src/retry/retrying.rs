//! What `.on_retry(…)` and `.budget(…)` add to a policy.

use std::time::Duration;

use super::{Budget, Failure};

/// A retry that is about to be waited for: what a function named by `.on_retry(…)` sees.
///
/// ```
/// mod retry {
///     use steadfast::Retrying;
///
///     steadfast::policies! {
///         pub policy provider = capped(base = "200ms", cap = "2s", retries = 5).on(rate_limited).on_retry(self::told);
///     }
///
///     fn told(retrying: &Retrying<'_>) {
///         let Retrying { name, failure, attempt, delay, .. } = retrying;
///         println!("{name}: attempt {attempt} failed ({}), the next one in {delay:?}", failure.kind);
///     }
/// }
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Retrying<'a> {
    /// The path of the unit or call, for example `shop::billing::charge`.
    pub name: &'a str,
    /// The name of the policy.
    pub policy: &'a str,
    /// What went wrong.
    pub failure: Failure,
    /// The number of the attempt that failed; the first is 1.
    pub attempt: u32,
    /// The wait that follows.
    pub delay: Duration,
}

/// What a policy has besides its numbers.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Extras {
    /// A function, because a constant cannot hold a reference to what changes.
    pub budget: Option<fn() -> &'static Budget>,
    pub on_retry: Option<fn(&Retrying<'_>)>,
}

impl Extras {
    pub const NONE: Self = Self { budget: None, on_retry: None };
}
