//! What an application's tests of its jobs need: a clock to move, leases without a database, one run on demand, several replicas and
//! what goes wrong between them, names that stay what they are, and the rules that a lease store of one's own must keep.

mod clock;
mod faults;
mod faulty;
mod leases;
mod names;
mod process;
mod replica;
mod replicas;
mod run;
mod store;

pub use clock::VirtualClock;
pub use faults::{Fault, FaultyLeases, Question};
pub use leases::MemoryLeases;
pub use names::assert_names;
pub use replica::Replica;
pub use replicas::Replicas;
pub use run::run;
pub use store::assert_lease_store;
