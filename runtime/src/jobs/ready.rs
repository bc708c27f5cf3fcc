//! Which registries may run as they are, as types: a lease store cannot be forgotten.

use super::registry::Entry;

/// May these jobs run as they are? Not with an exclusive job and no lease store.
#[diagnostic::on_unimplemented(
    message = "this registry has an exclusive job and no lease store",
    label = "call `.leases(..)` before running",
    note = "an exclusive job runs on one replica; the replicas agree through a table, for example `.leases(SqliteLeases::new(&pool))`"
)]
pub trait ReadyToRun {}

/// Is a lease store named?
#[diagnostic::on_unimplemented(
    message = "these jobs have no lease store",
    label = "call `.leases(..)` before",
    note = "a pause is in the row of an exclusive job, for example `JOBS.with(app).leases(SqliteLeases::new(&pool))`"
)]
pub trait HasLeases {}

/// No job of the registry is exclusive.
#[derive(Debug)]
pub struct NoLeases;
/// A job of the registry is exclusive, and no lease store is named yet.
#[derive(Debug)]
pub struct NeedsLeases;
/// A lease store is named.
#[derive(Debug)]
pub struct Leased;

impl ReadyToRun for NoLeases {}
impl ReadyToRun for Leased {}
impl HasLeases for Leased {}

/// Is a job of the registry exclusive? The answer as a type, for `registry!`.
#[derive(Debug)]
pub struct Flag<const EXCLUSIVE: bool>;

/// From the flag to the registry's second parameter.
pub trait LeaseKind {
    /// [`NeedsLeases`] or [`NoLeases`].
    type Kind;
}

impl LeaseKind for Flag<true> {
    type Kind = NeedsLeases;
}

impl LeaseKind for Flag<false> {
    type Kind = NoLeases;
}

/// Is one of them exclusive? In a constant, where iterators do not work.
#[must_use]
pub const fn any_exclusive<A>(entries: &[Entry<A>]) -> bool {
    let mut i = 0;
    while i < entries.len() {
        if entries[i].is_exclusive() {
            return true;
        }
        i += 1;
    }
    false
}
