//! Everything that is not the application: the replicas, a sped-up clock, what happens to them, and the counting.

mod clock;
mod faults;
mod options;
mod process;
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
