//! The one place that computes the wait between two attempts.

use std::time::Duration;

use super::Policy;

/// How a wait is drawn from the un-jittered delay `d(n) = min(cap, base · 2ⁿ)`.
///
/// Every jitter goes downward, so the cap holds after it (`docs/rules.md#jitter-under-the-cap`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jitter {
    /// Uniform in `0..=d`; the last gap in `d/2..=d`, which buys success back at little latency.
    #[default]
    Full,
    /// Uniform in `d/2..=d`.
    Equal,
    /// Uniform in `base..=min(cap, 3 · previous gap)`: trades latency for success under heavy contention.
    Decorrelated,
    /// Uniform in `0.8 d..=d`.
    Proportional,
}

/// The wait after failed attempt number `n` (the first is 0), given the gap before it and a uniformly drawn number.
///
/// A pure function: total for every policy, count and draw, and never above the policy's cap.
///
/// ```
/// use std::time::Duration;
/// use steadfast::{policy, retry::{gap, NamedPolicy}};
///
/// let contention = policy::contention::POLICY;
/// assert_eq!(gap(&contention, 1, Duration::ZERO, 0), Duration::ZERO);
/// assert_eq!(gap(&contention, 1, Duration::ZERO, u32::MAX), Duration::from_millis(100));
/// assert!(gap(&contention, u32::MAX, Duration::MAX, u32::MAX) <= contention.cap());
/// ```
#[must_use]
pub const fn gap(policy: &Policy, n: u32, previous: Duration, draw: u32) -> Duration {
    if matches!(policy.jitter, Jitter::Decorrelated) {
        let cap = policy.cap.as_nanos();
        let base = min(policy.base.as_nanos(), cap);
        let widest = min(previous.as_nanos().saturating_mul(3), cap);
        // The gap before the first one is the base itself.
        return drawn(base, if n == 0 { min(base.saturating_mul(3), cap) } else { max(widest, base) }, draw);
    }
    jittered(exponential(policy.base, policy.cap, n), policy.jitter, n.saturating_add(1) >= policy.retries, draw)
}

/// The wait drawn from a delay, and never above it.
pub(crate) const fn jittered(delay: Duration, jitter: Jitter, is_last: bool, draw: u32) -> Duration {
    let delay = delay.as_nanos();
    let low = match jitter {
        Jitter::Full if !is_last => 0,
        // `Decorrelated` grows from the gap before and not from a delay, so `gap` alone draws it.
        Jitter::Full | Jitter::Equal | Jitter::Decorrelated => delay / 2,
        Jitter::Proportional => delay / 5 * 4,
    };
    drawn(low, delay, draw)
}

/// Delay number `n` (the first is 0) of those that double from the base to the cap.
pub(crate) const fn exponential(base: Duration, cap: Duration, n: u32) -> Duration {
    duration(min(doubled(base.as_nanos(), n), cap.as_nanos()))
}

/// Delay number `n` (the first is 0) of those that are each the sum of the two before, from the base to the cap.
pub(crate) const fn fibonacci(base: Duration, cap: Duration, n: u32) -> Duration {
    let (mut delay, mut next) = (base.as_nanos(), base.as_nanos());
    let mut steps = 0;
    // Fewer than two hundred steps lead from a nanosecond to the longest duration.
    while steps < n && 0 < delay && delay < cap.as_nanos() {
        (delay, next) = (next, delay.saturating_add(next));
        steps += 1;
    }
    duration(min(delay, cap.as_nanos()))
}

/// The longest that all gaps of the policy can take together.
pub(crate) const fn longest_wait(policy: &Policy) -> Duration {
    let (mut total, mut n, mut previous) = (0_u128, 0, Duration::ZERO);
    while n < policy.retries {
        previous = gap(policy, n, previous, u32::MAX);
        total += previous.as_nanos();
        n += 1;
    }
    duration(total)
}

const fn drawn(low: u128, high: u128, draw: u32) -> Duration {
    // A duration has at most 94 bits of nanoseconds: times a draw of 32 bits it fits.
    duration(low + (high - low) * draw as u128 / u32::MAX as u128)
}

const fn doubled(base: u128, n: u32) -> u128 {
    if n < base.leading_zeros() { base << n } else { u128::MAX }
}

const fn duration(nanos: u128) -> Duration {
    const NANOS: u128 = 1_000_000_000;
    let seconds = nanos / NANOS;
    if seconds > u64::MAX as u128 {
        return Duration::MAX;
    }
    // Both casts lose nothing: the line above, and a remainder below 10⁹.
    #[allow(clippy::cast_possible_truncation)]
    Duration::new(seconds as u64, (nanos % NANOS) as u32)
}

const fn min(a: u128, b: u128) -> u128 {
    if a < b { a } else { b }
}

const fn max(a: u128, b: u128) -> u128 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retry::{Capped, On, capped};

    fn policy(jitter: Jitter) -> Policy {
        capped(Capped { name: "test", base_ms: 50, cap_ms: 200, retries: 3, jitter, on: On::NONE })
    }

    #[test]
    fn each_jitter_spans_its_own_range() {
        let ms = Duration::from_millis;
        for (jitter, n, previous, low, high) in [
            (Jitter::Full, 0, 0, 0, 50),
            (Jitter::Full, 1, 0, 0, 100),
            (Jitter::Full, 2, 0, 100, 200),
            (Jitter::Equal, 0, 0, 25, 50),
            (Jitter::Equal, 2, 0, 100, 200),
            (Jitter::Decorrelated, 0, 0, 50, 150),
            (Jitter::Decorrelated, 1, 60, 50, 180),
            (Jitter::Decorrelated, 2, 180, 50, 200),
            (Jitter::Proportional, 1, 0, 80, 100),
        ] {
            let policy = policy(jitter);
            assert_eq!(gap(&policy, n, ms(previous), 0), ms(low), "{jitter:?} {n}");
            assert_eq!(gap(&policy, n, ms(previous), u32::MAX), ms(high), "{jitter:?} {n}");
        }
    }

    #[test]
    fn delays_grow_to_the_cap_and_stay_there() {
        let (base, cap) = (Duration::from_millis(100), Duration::from_secs(2));
        let grown = |delay: fn(Duration, Duration, u32) -> Duration| {
            (0..9).map(|n| delay(base, cap, n).as_millis()).collect::<Vec<_>>()
        };
        assert_eq!(grown(exponential), [100, 200, 400, 800, 1600, 2000, 2000, 2000, 2000]);
        assert_eq!(grown(fibonacci), [100, 100, 200, 300, 500, 800, 1300, 2000, 2000]);
        for n in [31, 32, 63, 64, 127, 128, 1024, 1025, 100_000, u32::MAX] {
            assert_eq!([exponential(base, cap, n), fibonacci(base, cap, n)], [cap; 2], "{n}");
            let longest = Duration::MAX;
            assert_eq!([exponential(base, longest, n), fibonacci(base, longest, n)].map(|d| d > cap), [true; 2]);
            assert_eq!(fibonacci(Duration::ZERO, cap, n), Duration::ZERO, "and it ends");
        }
    }

    #[test]
    fn the_longest_wait_is_the_sum_of_the_longest_gaps() {
        for (jitter, longest) in
            [(Jitter::Full, 350), (Jitter::Equal, 350), (Jitter::Proportional, 350), (Jitter::Decorrelated, 550)]
        {
            assert_eq!(longest_wait(&policy(jitter)), Duration::from_millis(longest), "{jitter:?}");
        }
    }

    #[test]
    fn a_gap_is_known_at_compile_time() {
        const POLICY: Policy = capped(Capped {
            name: "c",
            base_ms: 1,
            cap_ms: u64::MAX,
            retries: 10,
            jitter: Jitter::Equal,
            on: On::NONE,
        });
        const GAP: Duration = gap(&POLICY, u32::MAX, Duration::MAX, u32::MAX);
        assert_eq!(GAP, POLICY.cap());
    }
}
