//! The lease that a run holds, as its job sees it.

use std::{fmt, marker::PhantomData, sync::Arc};

use super::{
    error::{LeaseError, LeaseErrorKind},
    held::Held,
    store::LeaseStore,
};
use crate::{
    jobs::{Run, Slot},
    unit::{Engine, Fence, Fences},
};

/// The lease of the run that a job is called for; a parameter of exclusive jobs, `lease: &Lease`.
///
/// The slot is a fencing token: later runs have later slots. A unit that says `fence = lease` checks in its own transaction that this
/// run is still the holder of this slot, and fails as [`Kind::LeaseLost`](crate::Kind::LeaseLost) with nothing applied if it is not:
/// a process that was paused past its lease writes nothing any more. Name the lease through the module of your database:
/// `steadfast::sqlite::Lease`, `steadfast::postgres::Lease`, `steadfast::mysql::Lease`; its table has to be in the database that the
/// fenced units write to.
///
#[cfg_attr(feature = "sqlite", doc = "```")]
#[cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
/// # mod retry { pub use steadfast::policy::*; }
/// # async fn mail(_: i64) {}
/// use sqlx::SqlitePool;
/// use steadfast::{Classify, Slot, UnitFailure, atomic_unit, job, jobs::LeaseError, sqlite::{Lease, Tx}};
///
/// #[derive(Debug, thiserror::Error, Classify)]
/// enum InvoiceError {
///     #[error(transparent)] #[classify(transparent)] Db(#[from] sqlx::Error),
///     #[error(transparent)] #[classify(transparent)] Unit(#[from] UnitFailure),
///     #[error(transparent)] #[classify(transparent)] Lease(#[from] LeaseError),
/// }
///
/// #[atomic_unit(retry = contention, fence = lease)]
/// async fn invoice(tx: &mut Tx<'_>, customer: i64, lease: &Lease) -> Result<(), InvoiceError> {
///     sqlx::query("insert into invoices (customer) values ($1)").bind(customer).execute(&mut *tx).await?;
///     Ok(())
/// }
///
/// #[job(name = "billing.invoices", cron = "0 3 1 * *", exclusive, timeout = "15m")]
/// async fn invoices(_slot: Slot, db: &SqlitePool, lease: &Lease) -> Result<(), InvoiceError> {
///     for customer in [1, 2, 3] {
///         invoice(db, customer, lease).await?;
///         lease.check().await?;                          // before what no transaction can take back
///         mail(customer).await;
///     }
///     Ok(())
/// }
/// # fn main() {}
/// ```
pub struct Lease<DB: Engine> {
    fence: Fence<DB>,
    slot: Slot,
    store: Arc<dyn LeaseStore>,
}

impl<DB: Engine> Lease<DB> {
    /// The slot that the run has claimed: a number that only goes up from run to run, and is the same again after a hand-back.
    #[must_use]
    pub const fn slot(&self) -> Slot {
        self.slot
    }

    /// The run that holds the lease.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.fence.holder
    }

    /// Does the run still hold its lease? For work outside of the database, before each step that cannot be taken back.
    ///
    /// The answer is true when it is given, and may not be a moment later: what must not happen twice belongs into a fenced unit.
    ///
    /// # Errors
    /// [`LeaseErrorKind::Lost`] when another run may be at work; the other kinds when the store cannot say.
    pub async fn check(&self) -> Result<(), LeaseError> {
        let holds = self.store.holds(self.fence.job, self.fence.token, &self.fence.holder).await?;
        if holds { Ok(()) } else { Err(LeaseError::new(LeaseErrorKind::Lost)) }
    }
}

/// By hand: a database need not be `Clone`.
impl<DB: Engine> Clone for Lease<DB> {
    fn clone(&self) -> Self {
        let Fence { job, holder, token, statement, .. } = &self.fence;
        let (holder, statement) = (holder.clone(), statement.clone());
        let fence = Fence { job, holder, token: *token, statement, database: PhantomData };
        Self { fence, slot: self.slot, store: Arc::clone(&self.store) }
    }
}

impl<DB: Engine> Fences<DB> for Lease<DB> {
    fn fence(&self) -> &Fence<DB> {
        &self.fence
    }
}

/// By hand: the store may hold a secret.
impl<DB: Engine> fmt::Debug for Lease<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("job", &self.fence.job).field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// The parameter `&Lease` of a job.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a lease of steadfast",
    label = "a job takes its lease as `&Lease`",
    note = "import the one of your database, for example `use steadfast::sqlite::Lease;`",
    note = "a type of yours that is called `Lease` needs another name here, for example `use crate::rent::Lease as RentalLease;`"
)]
pub trait LeaseOfRun: Sized {
    /// The database, as stores call it.
    const DATABASE: &'static str;

    /// The lease of this run.
    ///
    /// # Panics
    /// Never under `#[job]`, which gives it to exclusive jobs alone, and those do not run without a store.
    fn of(run: &Run<'_>) -> Self;
}

impl<DB: Engine> LeaseOfRun for Lease<DB> {
    const DATABASE: &'static str = DB::NAME;

    fn of(run: &Run<'_>) -> Self {
        let Held { job, token, run: holder, store } = run.held().expect("an exclusive run holds a lease");
        let (holder, statement) = (holder.as_str().to_owned(), DB::fence(store.table()));
        let fence = Fence { job, holder, token: *token, statement, database: PhantomData };
        Self { fence, slot: run.slot(), store: Arc::clone(store) }
    }
}
