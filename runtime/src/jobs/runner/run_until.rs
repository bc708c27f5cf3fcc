//! What `Jobs::run_until` returns: a plain struct, so that a missing lease store is one compile error and not three.

use std::{fmt, time::Duration};

use super::Runner;
use crate::jobs::{
    application::Jobs,
    lease::LeaseError,
    ready::ReadyToRun,
    registry::{Entry, jobs},
    run::Boundary,
};
use crate::platform::BoxFuture;

/// Jobs that run once this is awaited.
///
/// To stop in order, let the future given to `run_until` end. Dropping this one in the middle interrupts the runs; their
/// leases run out.
#[must_use = "jobs run only once this is awaited"]
pub struct RunUntil<A: 'static, F> {
    entries: &'static [Entry<A>],
    boundary: Boundary<A>,
    grace: Duration,
    end: F,
}

impl<A, F> RunUntil<A, F> {
    pub(crate) fn new(entries: &'static [Entry<A>], boundary: Boundary<A>, grace: Duration, end: F) -> Self {
        Self { entries, boundary, grace, end }
    }
}

impl<A, F> IntoFuture for RunUntil<A, F>
where
    A: Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    type Output = Result<(), StartError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            // Only a store that a job will ask: the others may be down.
            let exclusive = self.entries.iter().any(Entry::is_exclusive);
            if let (true, Some(store)) = (exclusive, &self.boundary.store) {
                for job in jobs(self.entries).map(|entry| &entry.meta) {
                    if let Some(database) = job.lease_in.filter(|database| store.database() != Some(*database)) {
                        let (job, store) = (job.name, store.database().unwrap_or("no database"));
                        return Err(StartError::LeaseElsewhere { job, database, store });
                    }
                }
                store.check().await.map_err(StartError::Leases)?;
            }
            Runner::new(self.entries, self.boundary).run(self.grace, self.end).await;
            Ok(())
        })
    }
}

impl<A, F> fmt::Debug for RunUntil<A, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(Entry::name)).finish()
    }
}

impl<A: Send + Sync, L> Jobs<A, L> {
    /// Runs the jobs until `end` is over, then drains; does nothing until it is awaited.
    ///
    /// It takes a lease store to run a registry with an exclusive job; without [`Jobs::leases`] this does not compile.
    ///
    /// # Errors
    /// Awaiting it gives a [`StartError`](super::StartError) when the lease store is down or its table is missing.
    pub fn run_until<F>(self, end: F) -> RunUntil<A, F>
    where
        L: ReadyToRun,
        F: Future<Output = ()> + Send + 'static,
    {
        RunUntil::new(self.entries, self.boundary(), self.grace, end)
    }
}

/// Why the jobs could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The lease store is down, or its table is missing. Later failures skip a slot and are logged; at the start they
    /// are most likely a mistake of configuration.
    #[error("the jobs cannot start")]
    Leases(#[source] LeaseError),
    /// A job takes its lease for units of another database than the one that the leases are in.
    #[error("`{job}` takes its lease in {database}, and the leases are in {store}; keep them where its units write")]
    LeaseElsewhere {
        /// The job.
        job: &'static str,
        /// Where its units are.
        database: &'static str,
        /// Where the leases are.
        store: &'static str,
    },
}
