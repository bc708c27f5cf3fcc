//! The policies of these tests, and what the retry decision does with them.

mod amplification;
pub(crate) mod deadline;
mod one_layer;

use std::sync::Mutex;

use steadfast::Retrying;

steadfast::policies! {
    // twin of: policies_elsewhere, policies_twice, policy_form, policy_without_end, policy_numbers
    /// The shipped numbers.
    pub(crate) policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
    /// For hot rows that many tasks want at once.
    pub(crate) policy patient = capped(base = "10ms", cap = "200ms", retries = 10).on(contention);
    /// Contention and a lost connection, soon.
    pub(crate) policy transient = capped(base = "5ms", cap = "20ms", retries = 3).on(contention, connection_lost);
    /// Contention, very soon: for units by the thousand.
    pub(crate) policy hasty = capped(base = "1ms", cap = "4ms", retries = 3).on(contention);
    /// As `transient`, with a gap that is never near zero.
    pub(crate) policy unhurried = capped(base = "100ms", cap = "100ms", retries = 3, jitter = equal).on(connection_lost);
    // twin of: policy_gate
    /// A fair queue in front of hot rows.
    pub(crate) policy queued = capped(base = "50ms", cap = "200ms", retries = 3).on(contention).gate();
    /// A queue that nobody must sleep in.
    pub(crate) policy once_an_hour = capped(base = "1h", cap = "2h", retries = 3, jitter = equal).on(contention).gate();
    /// One of the three contention kinds alone.
    pub(crate) policy deadlock_only = capped(base = "1ms", cap = "2ms", retries = 2).on(deadlock);
    /// A provider that can say "later".
    pub(crate) policy limited = capped(base = "1ms", cap = "2ms", retries = 3).on(rate_limited);
    // twin of: policy_jitter
    /// A provider that can also fail to answer.
    pub(crate) policy provider = capped(base = "1ms", cap = "2ms", retries = 3, jitter = equal).on(rate_limited, unavailable);
    // twin of: policy_kind_never_retried, policy_kind_unknown
    /// The least that is a policy.
    pub(crate) policy least = capped(base = "1ms", cap = "1ms", retries = 1, jitter = decorrelated).on(serialization, lock_timeout);
    // twin of: policy_budget
    /// As much as a provider may be asked again, by all callers together.
    pub(crate) policy sparing = capped(base = "200ms", cap = "2s", retries = 3).on(unavailable).budget(ratio = 0.1);
    /// The same without a budget.
    pub(crate) policy lavish = capped(base = "200ms", cap = "2s", retries = 3).on(unavailable);
    /// Two retries in all of this process.
    pub(crate) policy poor = capped(base = "1ms", cap = "1ms", retries = 3).on(unavailable).budget(ratio = 0.000001, min_per_second = 2);
    /// Whatever may happen to a request.
    pub(crate) policy http = capped(base = "1ms", cap = "2ms", retries = 3).on(rate_limited, unavailable, connection_lost);
    /// The same with two retries in all of this process.
    pub(crate) policy poor_http = capped(base = "1ms", cap = "1ms", retries = 3).on(unavailable).budget(ratio = 0.000001, min_per_second = 2);
    // twin of: policy_hook
    /// Tells of its retries.
    pub(crate) policy told = capped(base = "1s", cap = "2s", retries = 2, jitter = equal).on(unavailable).on_retry(self::note);
    /// Long gaps.
    pub(crate) policy slow = capped(base = "10s", cap = "20s", retries = 3, jitter = equal).on(connection_lost, rate_limited, unavailable);
    /// A first gap that is much shorter than the second.
    pub(crate) policy steep = capped(base = "200ms", cap = "2s", retries = 3, jitter = proportional).on(connection_lost);
    /// Absent, with all that it names.
    #[cfg(not(test))]
    pub(crate) policy one_of_two = capped(base = "1h", cap = "2h", retries = 3).on(contention).on_retry(nowhere);
    /// The one that is there.
    #[cfg(test)]
    pub(crate) policy one_of_two = capped(base = "1ms", cap = "2ms", retries = 1).on(contention);
    /// Nobody should name it any more.
    #[deprecated = "name `relay`"]
    pub(crate) policy old_relay = durable(base = "1s", cap = "1h", attempts = 20);
    // twin of: policy_durable
    /// Delays that a row remembers.
    pub(crate) policy relay = durable(base = "1s", cap = "1h", attempts = 20);
    /// The most that a policy may retry.
    pub(crate) policy most = capped(base = "1s", cap = "1m", retries = 10, jitter = proportional).on(contention);

    /// Three more runs.
    pub(crate) schedule thrice = recurs(3);
    /// A poll without an end.
    pub(crate) schedule tick = spaced("1s");
    // twin of: schedule_form
    /// A poll of five more runs.
    pub(crate) schedule ticks = spaced("1s").up_to(5);
    /// A poll of half a minute.
    pub(crate) schedule half_a_minute = spaced("10s").up_to("30s");
    /// Both bounds, of which the time is the nearer.
    pub(crate) schedule bounded_twice = spaced("10s").up_to(1000).up_to("30s");
    /// A cadence.
    pub(crate) schedule cadence = fixed("1s").up_to(4);
    /// A cadence that replicas keep, each a little off.
    pub(crate) schedule loose_cadence = fixed("1s").jittered(full).up_to(200);
    // twin of: schedule_numbers
    /// Delays that double.
    pub(crate) schedule doubling = exponential(base = "100ms", cap = "10s").up_to(9);
    /// Delays that grow more slowly.
    pub(crate) schedule growing = fibonacci(base = "100ms", cap = "1s").up_to(8);
    /// The one that ran wild elsewhere.
    pub(crate) schedule long_lived = exponential(base = "100ms", cap = "10s").jittered();
    /// The three jitters, many draws.
    pub(crate) schedule proportional_draws = spaced("1s").jittered().up_to(2000);
    pub(crate) schedule equal_draws = spaced("1s").jittered(equal).up_to(2000);
    pub(crate) schedule full_draws = spaced("1s").jittered(full).up_to(2000);
    /// A retry: 80 to 100, 160 to 200, 320 to 400 ms.
    pub(crate) schedule backing_off = exponential(base = "100ms", cap = "10s").jittered().up_to(3);
    /// A retry that ends by the clock.
    pub(crate) schedule for_a_minute = spaced("10s").jittered().up_to("1m");
}

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn note(retrying: &Retrying<'_>) {
    TOLD.lock().unwrap().push(format!("{retrying:?}"));
}
