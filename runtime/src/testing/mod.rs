//! What an application's tests of its jobs need: a clock to move, leases without a database, one run on demand, names that
//! stay what they are, and the rules that a lease store of one's own must keep.

mod clock;
mod leases;
mod names;
mod run;
mod store;

pub use clock::VirtualClock;
pub use leases::MemoryLeases;
pub use names::assert_names;
pub use run::run;
pub use store::assert_lease_store;
