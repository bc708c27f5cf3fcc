//! The lint on steadfast itself, as a user writes it: what waits by hand here is what others are spared.

use steadfast_lint::{Kind, Lint};

#[test]
fn what_the_runtime_does_by_hand_has_a_reason() {
    let by_hand = |lint: Lint, path, reason| lint.allow_kind(path, Kind::SleepingLoop, reason);
    let lint = Lint::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime"));
    let lint =
        by_hand(lint, "src/http/request.rs", "the deadline of a request in the retry loop, awaited beside its answer");
    let lint = by_hand(
        lint,
        "src/jobs/history/table.rs",
        "replicas that create one table at once, in an await of the caller's",
    );
    let lint =
        by_hand(lint, "src/jobs/lease/attempts.rs", "a claim and a release are asked again under the same run id");
    let lint = by_hand(
        lint,
        "src/jobs/lease/database.rs",
        "replicas that create one table at once, in an await of the caller's",
    );
    let lint = by_hand(lint, "src/jobs/lease/heartbeat.rs", "the heartbeat");
    let lint = by_hand(lint, "src/jobs/runner/polling.rs", "the loop of a poll");
    let lint = by_hand(lint, "src/jobs/runner/mod.rs", "the loop of the jobs");
    let lint =
        by_hand(lint, "src/jobs/runner/standby.rs", "a look at what was handed back, for as long as somebody runs it");
    by_hand(lint, "src/unit/database/resolve.rs", "what became of a COMMIT is asked until the server can say").assert();
}

#[test]
fn the_macros_and_the_lint_do_nothing_by_hand() {
    for package in ["macros", "lint"] {
        Lint::new(format!("{}/../{package}", env!("CARGO_MANIFEST_DIR"))).every_job_listed().assert();
    }
}
