//! A retry policy, and the bounds that say where one may be named.

use std::time::Duration;

use super::{Extras, Jitter, Kind, gap};

/// The numbers of a policy. Made by [`policies!`](crate::policies) alone, so a policy always has a name and a home.
///
/// ```
/// use std::time::Duration;
/// use steadfast::{Kind, policy, retry::NamedPolicy};
///
/// let contention = policy::contention::POLICY;
/// assert_eq!(contention.attempts(), 4);
/// assert_eq!(contention.longest_wait(), Duration::from_millis(350));
/// assert!(contention.retries_on(Kind::Deadlock) && !contention.retries_on(Kind::ConnectionLost));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub(super) name: &'static str,
    pub(super) base: Duration,
    pub(super) cap: Duration,
    pub(super) retries: u32,
    pub(super) jitter: Jitter,
    pub(super) on: On,
    pub(super) gate: bool,
}

impl Policy {
    /// The policy's name, as logs and metrics show it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The un-jittered delay after the first failed attempt.
    #[must_use]
    pub const fn base(&self) -> Duration {
        self.base
    }

    /// The longest single gap, jitter included.
    #[must_use]
    pub const fn cap(&self) -> Duration {
        self.cap
    }

    /// How often the work is tried again after the first attempt.
    #[must_use]
    pub const fn retries(&self) -> u32 {
        self.retries
    }

    /// How often the work is tried in all: retries + 1.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.retries + 1
    }

    /// How gaps are drawn.
    #[must_use]
    pub const fn jitter(&self) -> Jitter {
        self.jitter
    }

    /// Whether a unit waits for its turn in a fair queue of this process: after a contention failure, and before its first attempt
    /// while others are in the queue. No wait for a turn is longer than [`longest_wait`](Self::longest_wait).
    #[must_use]
    pub const fn is_gated(&self) -> bool {
        self.gate
    }

    /// `.gate()`.
    #[doc(hidden)]
    #[must_use]
    pub const fn gated(self) -> Self {
        Self { gate: true, ..self }
    }

    /// Whether the policy names this kind of failure. Whether a replay is safe is the unit's question.
    #[must_use]
    pub const fn retries_on(&self, kind: Kind) -> bool {
        self.on.contains(kind)
    }

    /// The longest that all gaps together can take.
    #[must_use]
    pub const fn longest_wait(&self) -> Duration {
        gap::longest_wait(self)
    }
}

/// The kinds of failure that a policy retries.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct On(u16);

impl On {
    pub const NONE: Self = Self(0);

    #[must_use]
    pub const fn with(self, kind: Kind) -> Self {
        Self(self.0 | 1 << kind as u16)
    }

    const fn contains(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }
}

/// What `policies!` writes down for `capped(…)`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Capped {
    pub name: &'static str,
    pub base_ms: u64,
    pub cap_ms: u64,
    pub retries: u32,
    pub jitter: Jitter,
    pub on: On,
}

#[doc(hidden)]
#[must_use]
pub const fn capped(p: Capped) -> Policy {
    let Capped { name, base_ms, cap_ms, retries, jitter, on } = p;
    let (base, cap) = (Duration::from_millis(base_ms), Duration::from_millis(cap_ms));
    Policy { name, base, cap, retries, jitter, on, gate: false }
}

/// A policy that has a name: what `retry = …` takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a retry policy",
    label = "expected the name of a policy of `crate::retry`",
    note = "policies are declared by `steadfast::policies!` in `src/retry.rs`, or taken over there, for example `pub use steadfast::policy::*;`",
    note = "a schedule of `policies!` paces a `repeat`, and a `durable(…)` policy computes the time in a row: neither retries a call"
)]
pub trait NamedPolicy {
    /// Whether it retries one of the contention kinds.
    #[doc(hidden)]
    type Contention;
    /// Whether it retries a failure after which the first attempt may have been applied.
    #[doc(hidden)]
    type Ambiguous;
    /// The policy's numbers.
    const POLICY: Policy;
    /// What it has besides.
    #[doc(hidden)]
    const EXTRAS: Extras = Extras::NONE;
}

/// The type-level answers that a policy gives.
#[doc(hidden)]
#[derive(Debug)]
pub enum Yes {}
#[doc(hidden)]
#[derive(Debug)]
pub enum No {}

/// `retry = never`.
#[doc(hidden)]
#[allow(non_camel_case_types)] // a word of the attributes, spelled as the policies are
#[derive(Debug)]
pub enum never {}

impl NamedPolicy for never {
    type Contention = No;
    type Ambiguous = No;
    const POLICY: Policy =
        capped(Capped { name: "never", base_ms: 0, cap_ms: 0, retries: 0, jitter: Jitter::Full, on: On::NONE });
}

/// Policies live in exactly `crate::retry`: a bare name in an attribute means that module, so one elsewhere has no name.
///
/// `track_caller`: the message shows the user's token and none of our lines.
#[doc(hidden)]
#[track_caller]
pub const fn assert_retry_home(module_path: &str) {
    let path = module_path.as_bytes();
    let (mut at, mut separators) = (0, 0);
    while at + 1 < path.len() {
        if path[at] == b':' && path[at + 1] == b':' {
            separators += 1;
            at += 1;
        }
        at += 1;
    }
    let ends = match path.last_chunk::<7>() {
        Some(end) => matches!(end, b"::retry"),
        None => false,
    };
    assert!(
        ends && separators == 1,
        "policies live in `src/retry.rs`, the module `crate::retry`, and nowhere else; move this `policies!` there"
    );
}
