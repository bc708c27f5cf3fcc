//! The entry of a scheduled event.

use std::{
    fmt::{self, Write as _},
    time::{Duration, SystemTime},
};

use worker::{
    js_sys::{self, Promise},
    wasm_bindgen::JsValue,
    worker_sys::ScheduledEvent,
};

use super::panics;

use crate::{
    Jobs, RunOutcome,
    jobs::ReadyToRun,
    platform::{MaybeSend, MaybeSync},
    redact::RedactedText,
};

/// Exports the entry that Cloudflare calls for a cron trigger. Once in a Worker.
///
/// It takes the path of an async function from the environment to the jobs: `async fn(worker::Env) -> Result<Jobs<_, _>, E>`, with any `E`
/// that can be displayed. An event whose jobs failed ends as an exception, so that Cloudflare lists it as failed; so does one whose cron line
/// no job has, and one in which something panicked. The event of workers-rs, `#[event(scheduled)]`, throws that away, and hangs at a panic.
///
/// A panic hook of yours belongs into that function, set once: one that is set later takes the place of what ends the event.
///
/// ```no_run
/// # use steadfast::{Jobs, Slot, jobs::NoLeases, job, registry};
/// # struct App;
/// # #[job(cron = "0 3 * * *", timeout = "1m")]
/// # async fn nightly(_: Slot) -> Result<(), std::convert::Infallible> { Ok(()) }
/// # registry! { static JOBS for App = [nightly]; }
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
        #[$crate::worker::__private::export(wasm_bindgen = $crate::worker::__private::wasm_bindgen)]
        pub fn scheduled(
            event: $crate::worker::__private::ScheduledEvent,
            env: $crate::worker::__private::Env,
            _: $crate::worker::__private::ScheduleContext,
        ) -> $crate::worker::__private::Promise {
            $crate::worker::run(event, $jobs(env))
        }
    };
}

/// The event: which jobs, and how they ended.
#[doc(hidden)]
pub fn run<A, L, E>(event: ScheduledEvent, jobs: impl Future<Output = Result<Jobs<A, L>, E>> + 'static) -> Promise
where
    A: MaybeSend + MaybeSync + 'static,
    L: ReadyToRun + 'static,
    E: fmt::Display + 'static,
{
    panics::ended_by_a_panic(fired(event, jobs))
}

async fn fired<A, L, E>(
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
    panics::listen();
    let Some(time) = from_millis(time) else {
        return Err(refused(&cron, "the scheduled time is no number of milliseconds"));
    };
    let fired = jobs.fire_cron(&cron, time).await.map_err(|unknown| refused(&cron, &unknown.to_string()))?;
    let mut text = String::new();
    for (job, outcome) in fired.failed() {
        let separator = if text.is_empty() { "" } else { "; " };
        let _written = write!(text, "{separator}`{}` {}", job.name, told(outcome));
    }
    if text.is_empty() { Ok(JsValue::UNDEFINED) } else { Err(failed(&text)) }
}

/// A failure's own text is in the line that its run logged.
fn told(outcome: &RunOutcome) -> String {
    match outcome {
        RunOutcome::Failed(_) => "failed".to_owned(),
        outcome => outcome.to_string(),
    }
}

/// No job ran, so none has logged a line.
fn refused(cron: &str, text: &str) -> JsValue {
    tracing::error!(cron, error = %RedactedText(text), "a scheduled event ran no job");
    failed(text)
}

pub(super) fn failed(text: &str) -> JsValue {
    js_sys::Error::new(&RedactedText(text).to_string()).into()
}

/// Milliseconds as Cloudflare gives them; `None` for what is no time.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "within the range of slots"
)]
fn from_millis(millis: f64) -> Option<SystemTime> {
    let slots = 0.0..=crate::Slot::MAX.unix_millis() as f64;
    slots.contains(&millis).then(|| SystemTime::UNIX_EPOCH + Duration::from_millis(millis as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduled_time_is_a_number_of_milliseconds() {
        // The example of Cloudflare's own documentation: 49 seconds after the minute.
        let example = SystemTime::UNIX_EPOCH + Duration::from_secs(1_618_909_249);
        assert_eq!(from_millis(1_618_909_249_000.0), Some(example));
        for wrong in [f64::NAN, -1.0, f64::NEG_INFINITY, f64::INFINITY, 1e18] {
            assert_eq!(from_millis(wrong), None, "{wrong}");
        }
    }
}
