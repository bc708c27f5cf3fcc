//! `steadfast::testing`, as users' tests call it.

mod faults;
mod names;
mod replicas;
mod store;
