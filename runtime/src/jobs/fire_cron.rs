//! All jobs of one cron line, for a trigger that knows no more of a job than its line: Cloudflare's.

use std::{fmt, time::SystemTime};

use futures_util::future::join_all;

use super::{
    application::Jobs,
    fire::listed,
    job::Meta,
    lease::LostCause,
    outcome::{NotClaimed, RunOutcome},
    ready::ReadyToRun,
    registry::{Entry, Registry, jobs},
    run::Due,
    slot::Slot,
    trigger::Trigger,
};
use crate::platform::{BoxFuture, MaybeSend, MaybeSync};

/// No job of the registry has this cron line.
#[derive(Debug, thiserror::Error)]
#[error(
    "no job of this registry has the cron line `{}`; name its lines in the triggers, `JOBS.crons()` has them: {known}",
    cron.escape_debug()
)]
pub struct UnknownCron {
    cron: String,
    known: String,
}

/// How the jobs of one cron line ended, in the order of the registry.
///
/// ```
/// # use steadfast::{Registry, jobs::NoLeases};
/// # struct App;
/// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
/// # async fn on_event(cron: &str, time: std::time::SystemTime) -> Result<(), Box<dyn std::error::Error>> {
/// let fired = JOBS.with(App).fire_cron(cron, time).await?;
/// for (job, outcome) in fired.failed() {
///     eprintln!("{}: {outcome:?}", job.name);
/// }
/// # Ok(()) }
/// ```
#[must_use = "jobs that failed are not run again before their next slot"]
pub struct Fired {
    runs: Vec<(&'static Meta, RunOutcome)>,
}

impl Fired {
    /// All of them.
    pub fn runs(&self) -> impl Iterator<Item = (&'static Meta, &RunOutcome)> {
        self.runs.iter().map(|(job, outcome)| (*job, outcome))
    }

    /// Those that did not do their work although it was theirs to do. A slot that another replica has is none of them, nor is a pause.
    pub fn failed(&self) -> impl Iterator<Item = (&'static Meta, &RunOutcome)> {
        self.runs().filter(|(_, outcome)| {
            !matches!(
                outcome,
                RunOutcome::Completed
                    | RunOutcome::NotClaimed(NotClaimed::Lost(LostCause::Slot | LostCause::Held | LostCause::Paused))
            )
        })
    }
}

/// Names and outcomes; never what a database says of a row's values.
impl fmt::Debug for Fired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.runs().map(|(job, outcome)| (job.name, outcome))).finish()
    }
}

impl<A, L> Registry<A, L> {
    /// The cron lines of the jobs, each once, in the order of the list: what the triggers of a platform with one trigger a line must name,
    /// character for character (Cloudflare: `[triggers] crons` of the wrangler file).
    ///
    /// ```
    /// # struct App;
    /// # use steadfast::{Registry, jobs::NoLeases};
    /// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
    /// assert_eq!(JOBS.crons(), [] as [&str; 0]);
    /// ```
    #[must_use]
    pub fn crons(&self) -> Vec<&'static str> {
        crons(self.entries)
    }
}

fn crons<A>(entries: &'static [Entry<A>]) -> Vec<&'static str> {
    let mut lines = Vec::new();
    for job in jobs(entries) {
        if !lines.contains(&job.meta.cron_text) {
            lines.push(job.meta.cron_text);
        }
    }
    lines
}

impl<A: MaybeSend + MaybeSync, L> Jobs<A, L> {
    /// Runs the slot of every job whose cron line is `cron`, side by side, for a trigger that knows the line alone. The slot is the minute of
    /// `time`, the time that was scheduled. Each runs in the boundary that [`fire`](Self::fire) has: a job that fails, panics or loses
    /// its slot stops no other. (Where a panic cannot be caught, on `wasm32-unknown-unknown`, it ends them all.)
    ///
    /// The line is compared as text: it is the canonical one, which [`Registry::crons`] gives out.
    ///
    /// # Errors
    /// [`UnknownCron`], with the lines there are.
    ///
    /// ```
    /// # use steadfast::{Registry, jobs::NoLeases};
    /// # struct App;
    /// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let time = std::time::SystemTime::now();
    /// match JOBS.with(App).fire_cron("0 3 * * *", time).await {
    ///     Ok(fired) => println!("{fired:?}"),
    ///     Err(unknown) => println!("{unknown}"),
    /// }
    /// # });
    /// ```
    #[must_use = "nothing happens until it is awaited"]
    pub fn fire_cron<'a>(&'a self, cron: &'a str, time: SystemTime) -> BoxFuture<'a, Result<Fired, UnknownCron>>
    where
        L: ReadyToRun,
    {
        Box::pin(async move {
            let slot = Slot::floor(time);
            let due: Vec<_> = jobs(self.entries).filter(|entry| entry.meta.cron_text == cron).collect();
            if due.is_empty() {
                let known = listed(crons(self.entries));
                return Err(UnknownCron { cron: cron.to_owned(), known });
            }
            let runs = due.iter().map(|entry| self.run_alone(Due { entry, slot, trigger: Trigger::External }));
            let outcomes = join_all(runs).await;
            Ok(Fired { runs: due.into_iter().map(|entry| &entry.meta).zip(outcomes).collect() })
        })
    }
}
