//! What an application's tests of its jobs need: a clock to move, leases without a database, and one run on demand.

mod clock;
mod leases;
mod run;

pub use clock::VirtualClock;
pub use leases::MemoryLeases;
pub use run::run;
