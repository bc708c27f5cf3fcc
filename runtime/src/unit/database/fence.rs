//! `fence = lease`: the unit commits only while the run that calls it holds its lease.
//!
//! The check is a statement of the unit's own transaction, under a lock of the row, so that nobody can take the lease between it and
//! COMMIT: who claims waits for the unit. Holder and slot are both asked: a run that was superseded has lost the one, and one that
//! was handed back the other (`docs/rules.md#a-fenced-unit-commits-for-its-holder`).

use std::{error::Error, fmt, marker::PhantomData, ops::ControlFlow};

use sqlx::{Database, Encode, Executor, IntoArguments, SqlStr, Type};

use super::{Engine, Open, Unit, checkout::Broken, receipt::taken};
use crate::retry::{Kind, Outcome};

/// Whose write may commit: the run that holds the lease of a job, for one slot.
pub struct Fence<DB> {
    pub(crate) job: &'static str,
    pub(crate) holder: String,
    /// The row's last slot since the claim, in milliseconds since the epoch.
    pub(crate) token: i64,
    /// Asks the row, under a lock of it where the engine has one.
    pub(crate) statement: SqlStr,
    pub(crate) database: PhantomData<fn() -> DB>,
}

/// What `fence = …` may name.
#[diagnostic::on_unimplemented(
    message = "`fence` names the lease of the job that calls the unit, and `{Self}` is no lease in this unit's database",
    label = "this unit's transaction cannot check it",
    note = "take the job's own, for example `lease: &Lease` with `use steadfast::sqlite::Lease;`"
)]
pub trait Fences<DB> {
    /// What is to be checked.
    fn fence(&self) -> &Fence<DB>;
}

/// The fence of a lease.
#[must_use]
pub fn fence<DB, L: Fences<DB>>(lease: &L) -> &Fence<DB> {
    lease.fence()
}

impl<E> Unit<E> {
    /// Checks the fence. `Break`: the attempt ends with this, a body does not run.
    pub async fn fenced<DB: Engine, T>(
        &mut self,
        open: &mut Open<'_, DB>,
        fence: &Fence<DB>,
    ) -> ControlFlow<Option<Result<T, E>>> {
        let held = self.timer.bound(DB::holds(&mut open.transaction, fence)).await;
        match taken(open, held) {
            Some(true) => return ControlFlow::Continue(()),
            Some(false) => {
                let error = Box::new(LeaseLost(fence.job));
                open.broken = Some(Broken { kind: Kind::LeaseLost, outcome: Outcome::NotApplied, error });
            }
            None => {}
        }
        ControlFlow::Break(None)
    }
}

/// Runs the statement, which returns a row for the holder.
pub(super) async fn holds<DB: Engine>(connection: &mut DB::Connection, fence: &Fence<DB>) -> Result<bool, sqlx::Error>
where
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    <DB as Database>::Arguments: IntoArguments<DB>,
    for<'v> i64: Type<DB> + Encode<'v, DB>,
    for<'v> String: Type<DB> + Encode<'v, DB>,
{
    let row = sqlx::query::<DB>(fence.statement.clone());
    let row = row.bind(fence.job.to_owned()).bind(fence.holder.clone()).bind(fence.token);
    Ok(row.fetch_optional(connection).await?.is_some())
}

impl<DB> fmt::Debug for Fence<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fence").field("job", &self.job).finish_non_exhaustive()
    }
}

/// The cause of a fenced unit that was not applied.
#[derive(Debug)]
struct LeaseLost(&'static str);

impl fmt::Display for LeaseLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the run of `{}` does not hold its lease any more, another one may be at work; return, and leave it to that one",
            self.0
        )
    }
}

impl Error for LeaseLost {}
