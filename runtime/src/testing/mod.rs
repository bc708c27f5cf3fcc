//! What an application's tests of its jobs need: a clock to move, leases without a database, one run on demand, several replicas and
//! what goes wrong between them, names that stay what they are, and the rules that a lease store of one's own must keep.
//!
//! On `wasm32-unknown-unknown` the replicas and the names are left out: they need threads and files.

mod clock;
mod faults;
mod faulty;
mod leases;
#[cfg(not(target_family = "wasm"))]
mod names;
#[cfg(not(target_family = "wasm"))]
mod process;
#[cfg(not(target_family = "wasm"))]
mod replica;
#[cfg(not(target_family = "wasm"))]
mod replicas;
mod run;
mod store;

pub use clock::VirtualClock;
pub use faults::{Fault, FaultyLeases, Question};
pub use leases::MemoryLeases;
#[cfg(not(target_family = "wasm"))]
pub use names::assert_names;
#[cfg(not(target_family = "wasm"))]
pub use replica::Replica;
#[cfg(not(target_family = "wasm"))]
pub use replicas::Replicas;
pub use run::run;
pub use store::assert_lease_store;
