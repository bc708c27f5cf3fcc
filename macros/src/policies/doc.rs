//! The sentence that a policy's documentation ends with.

use std::time::Duration;

use super::model::Policy;
use crate::duration::display;

/// "Waits 50 ms doubling to 200 ms, full jitter, 3 retries (4 attempts); the longest total wait is 350 ms. Retries …"
pub(crate) fn sentence(policy: &Policy) -> String {
    let Policy { base, cap, retries, jitter: (jitter, _), on, gate, .. } = policy;
    let growth = if *jitter == "decorrelated" { "growing" } else { "doubling" };
    let waits = if base == cap {
        format!("Waits up to {}", display(*base))
    } else {
        format!("Waits {} {growth} to {}", display(*base), display(*cap))
    };
    let plural = if *retries == 1 { "retry" } else { "retries" };
    let kinds = on.iter().map(|kind| format!("`{}`", kind.word)).collect::<Vec<_>>().join(", ");
    let gate = if *gate {
        " A replay waits for its turn in a queue of this process, and so does whoever comes while it is in use."
    } else {
        ""
    };
    format!(
        "{waits}, {jitter} jitter, {retries} {plural} ({} attempts); the longest total wait is {}. Retries {kinds}.{gate}",
        retries + 1,
        display(longest_total(policy)),
    )
}

/// The sum of the gaps before jitter, each as long as it may become.
pub(crate) fn longest_total(policy: &Policy) -> Duration {
    let (factor, ahead): (u32, u32) = if policy.jitter.0 == "decorrelated" { (3, 1) } else { (2, 0) };
    (0..policy.retries)
        .map(|n| {
            let growth = factor.saturating_pow(n + ahead);
            policy.base.checked_mul(growth).unwrap_or(policy.cap).min(policy.cap)
        })
        .sum()
}
