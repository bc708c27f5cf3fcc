//! What the lint finds in crates that others wrote, and what became of each finding when it was looked at.

use Verdict::{ByHand, Mistaken};
use steadfast_lint::Kind;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// It is what its kind says. In most of these crates that is their purpose, and there it is right.
    ByHand,
    /// It is not, and the tokens cannot tell.
    Mistaken,
}

pub(crate) struct Reviewed {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    pub(crate) lines: &'static [&'static str],
    pub(crate) kind: Kind,
    pub(crate) verdict: Verdict,
    pub(crate) reason: &'static str,
}

pub(crate) const REVIEWED: [Reviewed; 16] = [
    Reviewed {
        name: "backon",
        file: "src/blocking_retry.rs",
        lines: &["self.sleep_fn.sleep(dur);"],
        kind: Kind::SleepingLoop,
        verdict: ByHand,
        reason: "the retry loop itself, which is what this crate is",
    },
    Reviewed {
        name: "backon",
        file: "src/blocking_retry_with_context.rs",
        lines: &["self.sleep_fn.sleep(dur);"],
        kind: Kind::SleepingLoop,
        verdict: ByHand,
        reason: "the retry loop itself, which is what this crate is",
    },
    Reviewed {
        name: "backon",
        file: "src/retry.rs",
        lines: &["this.state = State::Sleeping(this.sleep_fn.sleep(dur));"],
        kind: Kind::SleepingLoop,
        verdict: ByHand,
        reason: "the retry loop itself, as a future that is polled",
    },
    Reviewed {
        name: "backon",
        file: "src/retry_with_context.rs",
        lines: &["State::Sleeping((Some(ctx), this.sleep_fn.sleep(dur)));"],
        kind: Kind::SleepingLoop,
        verdict: ByHand,
        reason: "the retry loop itself, as a future that is polled",
    },
    Reviewed {
        name: "chrono",
        file: "src/offset/local/unix.rs",
        lines: &["self.last_checked = now;"],
        kind: Kind::LastRun,
        verdict: Mistaken,
        reason: "the age of a cached time zone, from the wall clock: nothing is selected by it, which no token says",
    },
    Reviewed {
        name: "flume",
        file: "src/lib.rs",
        lines: &["thread::sleep(Duration::from_nanos(1 << i.min(20)));"],
        kind: Kind::SleepingLoop,
        verdict: ByHand,
        reason: "a spin lock that backs off, on targets without a better one: a retry by hand that is right in a channel",
    },
    Reviewed {
        name: "reqwest",
        file: "src/async_impl/client.rs",
        lines: &[
            "let svc = tower::retry::Retry::new(retry_policy.clone(), hyper_service);",
            "let svc = tower::retry::Retry::new(retry_policy, h3_service);",
            "MaybeCookieService<tower::retry::Retry<crate::retry::Policy, T>>,",
        ],
        kind: Kind::Retry,
        verdict: ByHand,
        reason: "the client retries inside of itself; a second layer around it is what steadfast's own client avoids",
    },
    Reviewed {
        name: "reqwest",
        file: "src/blocking/client.rs",
        lines: &["self.with_inner(move |inner| inner.retry(policy))"],
        kind: Kind::Retry,
        verdict: ByHand,
        reason: "the builder takes a retry policy: in a user's crate that is a retry without a name",
    },
    Reviewed {
        name: "reqwest",
        file: "src/retry.rs",
        lines: &[
            "use tower::retry::budget::{Budget as _, TpsBudget as Budget};",
            "impl<B> tower::retry::Policy<Req, http::Response<B>, crate::Error> for Policy {",
        ],
        kind: Kind::Retry,
        verdict: ByHand,
        reason: "the retry policies of the client, which are its own matter",
    },
    Reviewed {
        name: "sqlx-core",
        file: "src/pool/inner.rs",
        lines: &["crate::rt::sleep(backoff).await;"],
        kind: Kind::SleepingLoop,
        verdict: ByHand,
        reason: "connecting is tried again until the acquire timeout: a retry by hand in a pool, which has no caller to leave it to",
    },
    Reviewed {
        name: "sqlx-core",
        file: "src/pool/inner.rs",
        lines: &["crate::rt::sleep(duration).await;"],
        kind: Kind::SleepingLoop,
        verdict: ByHand,
        reason: "the upkeep of idle connections: a schedule by hand, of one process and of no database row",
    },
    Reviewed {
        name: "tokio-cron-scheduler",
        file: "src/scheduler.rs",
        lines: &[
            "tokio::time::sleep(Duration::from_millis(100)).await;",
            "tokio::time::sleep(Duration::from_millis(500)).await;",
        ],
        kind: Kind::SleepingLoop,
        verdict: ByHand,
        reason: "the loop of a scheduler, which is what this crate is",
    },
    Reviewed {
        name: "tokio-retry2",
        file: "src/future.rs",
        lines: &["retry_if: RetryIf::spawn("],
        kind: Kind::Retry,
        verdict: ByHand,
        reason: "the crate calls its own retry, which is what it is",
    },
    Reviewed {
        name: "tokio-retry2",
        file: "src/future.rs",
        lines: &["match self.retry(err, cx) {"],
        kind: Kind::Retry,
        verdict: ByHand,
        reason: "the step of its own loop that goes back to sleep",
    },
    Reviewed {
        name: "tokio-stream",
        file: "src/stream_ext/chunks_timeout.rs",
        lines: &["me.deadline.set(Some(sleep(*me.duration)));"],
        kind: Kind::SleepingLoop,
        verdict: Mistaken,
        reason: "a deadline that is made in the loop of a `poll` and awaited outside of it: what becomes of a value is not in the tokens",
    },
    Reviewed {
        name: "tower",
        file: "src/retry/future.rs",
        lines: &["match this.retry.policy.retry(req, &mut result) {"],
        kind: Kind::Retry,
        verdict: Mistaken,
        reason: "the policy is asked whether to retry: a method of that name that only answers",
    },
];
