//! What an application's tests of its jobs need: a clock to move, leases without a database, one run on demand, and
//! names that stay what they are.

mod clock;
mod leases;
mod names;
mod run;

pub use clock::VirtualClock;
pub use leases::MemoryLeases;
pub use names::assert_names;
pub use run::run;
