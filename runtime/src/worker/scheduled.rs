//! The entry of a scheduled event.

use std::{
    fmt::{self, Write as _},
    time::{Duration, SystemTime},
};

use worker::{js_sys, wasm_bindgen::JsValue, worker_sys::ScheduledEvent};

use crate::{
    Jobs, RunOutcome,
    jobs::ReadyToRun,
    platform::{MaybeSend, MaybeSync},
    redact::RedactedText,
};

/// Exports the entry that Cloudflare calls for a cron trigger. Once in a Worker, at the root of its crate.
///
/// It takes the path of an async function from the environment to the jobs: `async fn(worker::Env) -> Result<Jobs<_, _>, E>`, with any `E`
/// that can be displayed. An event whose jobs failed ends as an exception, so that Cloudflare lists it as failed; so does one whose cron line
/// no job has. The event of workers-rs, `#[event(scheduled)]`, throws that away.
///
/// ```no_run
/// # use steadfast::{Jobs, jobs::NoLeases, registry};
/// # struct App;
/// # registry! { static JOBS for App = []; }
/// async fn jobs(_: worker::Env) -> Result<Jobs<App, NoLeases>, worker::Error> {
///     Ok(JOBS.with(App))
/// }
///
/// steadfast::worker::scheduled!(jobs);
/// # fn main() {}
/// ```
///
/// # What it expands to
///
/// A function `scheduled(event, env, context)` under `#[wasm_bindgen]`, whose body calls yours.
#[macro_export]
#[doc(hidden)]
macro_rules! worker_scheduled {
    ($jobs:path) => {
        #[doc(hidden)]
        #[$crate::worker::__private::export(
                                            wasm_bindgen = $crate::worker::__private::wasm_bindgen,
                                            wasm_bindgen_futures = $crate::worker::__private::wasm_bindgen_futures
                                        )]
        pub async fn scheduled(
            event: $crate::worker::__private::ScheduledEvent,
            env: $crate::worker::__private::Env,
            _: $crate::worker::__private::ScheduleContext,
        ) -> ::core::result::Result<$crate::worker::__private::JsValue, $crate::worker::__private::JsValue> {
            $crate::worker::run(event, $jobs(env)).await
        }
    };
}

/// The event: which jobs, and how they ended.
#[doc(hidden)]
#[allow(clippy::missing_errors_doc, reason = "called by an expansion alone")]
pub async fn run<A, L, E>(
    event: ScheduledEvent,
    jobs: impl Future<Output = Result<Jobs<A, L>, E>>,
) -> Result<JsValue, JsValue>
where
    A: MaybeSend + MaybeSync + 'static,
    L: ReadyToRun,
    E: fmt::Display,
{
    let (cron, time) = (event.cron()?, event.scheduled_time()?);
    let jobs = jobs.await.map_err(|error| refused(&cron, &format!("the jobs could not be made: {error}")))?;
    let fired =
        jobs.fire_cron(&cron, from_millis(time)).await.map_err(|unknown| refused(&cron, &unknown.to_string()))?;
    let mut text = String::new();
    for (job, outcome) in fired.failed() {
        let separator = if text.is_empty() { "" } else { "; " };
        let _written = write!(text, "{separator}`{}` {}", job.name, told(outcome));
    }
    if text.is_empty() { Ok(JsValue::UNDEFINED) } else { Err(failed(&text)) }
}

/// In words; a failure's own text is in the line that its run logged.
fn told(outcome: &RunOutcome) -> String {
    match outcome {
        RunOutcome::Failed(_) => "failed".to_owned(),
        RunOutcome::TimedOut => "timed out".to_owned(),
        RunOutcome::LeaseLost => "lost its lease".to_owned(),
        outcome => format!("ended as {outcome:?}"),
    }
}

/// No job ran, so none has logged a line.
fn refused(cron: &str, text: &str) -> JsValue {
    tracing::error!(cron, error = %RedactedText(text), "a scheduled event ran no job");
    failed(text)
}

fn failed(text: &str) -> JsValue {
    js_sys::Error::new(&RedactedText(text).to_string()).into()
}

/// Milliseconds as Cloudflare gives them; what is no number is the epoch.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn from_millis(millis: f64) -> SystemTime {
    SystemTime::UNIX_EPOCH
        + Duration::from_millis((millis.max(0.0) as u64).min(crate::Slot::MAX.unix_millis().unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduled_time_is_a_number_of_milliseconds() {
        let at = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        // The example of Cloudflare's own documentation: 49 seconds after the minute.
        assert_eq!(from_millis(1_618_909_249_000.0), at(1_618_909_249_000));
        for wrong in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            assert_eq!(from_millis(wrong), at(0));
        }
        assert!(from_millis(f64::INFINITY) > at(253_402_300_000_000), "the last minute that a slot can be");
    }
}
