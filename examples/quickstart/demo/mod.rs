//! Everything that is not the application: two replicas, a sped-up clock, a kill, and the counting.

mod clock;
mod options;
mod replica;
mod report;
mod setup;
mod supervisor;

use options::Options;

pub(crate) async fn main() -> anyhow::Result<()> {
    match Options::from_arguments()? {
        Options::Supervise(supervise) => supervisor::run(&supervise).await,
        Options::Replica(replica) => replica::run(replica).await,
    }
}
