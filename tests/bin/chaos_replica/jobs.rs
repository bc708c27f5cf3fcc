//! The jobs, in three releases of the application. All of them are one set of jobs to the leases: their names are the same.

use steadfast::{JobClock, Slot, job, postgres::Lease, registry};

use crate::work::{Error, Work};

#[derive(steadfast::Provide)]
pub(crate) struct App {
    pub(crate) work: Work,
}

/// A release is its timeouts.
macro_rules! release {
    ($release:ident: $short:tt for the short ones, $handed:tt for the one that is handed back) => {
        pub(crate) mod $release {
            use super::{App, Error, JobClock, Lease, Slot, Work, job, registry};

            #[job(name = "chaos.plain", cron = "* * * * *", exclusive, timeout = $short, overlap = skip)]
            async fn plain(_: Slot, work: &Work, lease: &Lease, clock: &JobClock) -> Result<(), Error> {
                work.plain(lease, clock).await
            }

            #[job(name = "chaos.fenced", cron = "* * * * *", exclusive, timeout = $short, overlap = skip)]
            async fn fenced(_: Slot, work: &Work, lease: &Lease, clock: &JobClock) -> Result<(), Error> {
                work.write("chaos.fenced", lease, clock, work.settings.fenced).await
            }

            #[job(name = "chaos.handed", cron = "*/5 * * * *", exclusive, timeout = $handed, overlap = skip,
                                                                        on_shutdown = hand_back, catch_up = "5m")]
            async fn handed(_: Slot, work: &Work, lease: &Lease, clock: &JobClock) -> Result<(), Error> {
                work.write("chaos.handed", lease, clock, work.settings.handed).await
            }

            #[job(name = "chaos.heartbeat", cron = "* * * * *", exclusive, timeout = "10m", overlap = skip, heartbeat)]
            async fn heartbeat(_: Slot, work: &Work, lease: &Lease, clock: &JobClock) -> Result<(), Error> {
                work.for_long(lease, clock).await
            }

            registry! { pub(crate) static JOBS for App = [plain, fenced, handed, heartbeat]; }
        }
    };
}

release!(long: "3m" for the short ones, "4m" for the one that is handed back);
release!(short: "1m" for the short ones, "3m" for the one that is handed back);
release!(patient: "14m" for the short ones, "14m" for the one that is handed back);
