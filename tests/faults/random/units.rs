//! The units, and what strikes inside of their bodies.

use std::sync::atomic::{AtomicBool, Ordering};

use steadfast::atomic_unit;
use steadfast_tests::proxy::Fate;

use super::engine::{self, Pool, Tx};
use crate::{
    engines::{Error, Runs, cancelled_after},
    faults::random::PARTS,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    Commit(Fate),
    CancelledInCommit,
    Cancelled,
    Terminated,
    LockTimeout,
    Contended,
    Swallowed,
    Abandoned,
    Domain,
}

/// What happens to a unit, before the statement of that number; the last one is COMMIT.
#[derive(Debug)]
pub(crate) struct Plan {
    fault: Fault,
    at: i64,
    struck: AtomicBool,
    pub(crate) runs: Runs,
}

impl Plan {
    pub(crate) fn new(fault: Fault, at: i64) -> Self {
        Self { fault, at, struck: AtomicBool::new(false), runs: Runs::default() }
    }

    /// Nobody else was there to collide with.
    pub(crate) fn missed(&self) -> bool {
        matches!(self.fault, Fault::LockTimeout | Fault::Contended) && !self.struck.load(Ordering::Relaxed)
    }

    fn strikes<T, E>(&self, answer: Result<T, E>) -> Result<T, E> {
        if answer.is_err() {
            self.struck.store(true, Ordering::Relaxed);
        }
        answer
    }
}

pub(crate) async fn append(tx: &mut Tx<'_>, sql: &'static str, unit: i64, plan: &Plan) -> Result<(), Error> {
    plan.runs.count();
    for part in 0..=PARTS {
        if part == plan.at {
            strike(tx, plan).await?;
        }
        if part < PARTS {
            let answer = sqlx::query(sql).bind(unit).bind(part).execute(&mut *tx).await;
            // Who swallows one error swallows the next.
            if !matches!(plan.fault, Fault::Swallowed | Fault::Abandoned) {
                answer?;
            }
        }
    }
    Ok(())
}

async fn strike(tx: &mut Tx<'_>, plan: &Plan) -> Result<(), Error> {
    const TAKEN: &str = "insert into hot values (1, 0)";
    match plan.fault {
        Fault::None | Fault::Commit(_) | Fault::CancelledInCommit | Fault::Cancelled => {}
        Fault::Terminated if plan.struck.swap(true, Ordering::Relaxed) => {}
        Fault::Terminated => engine::terminate(tx).await?,
        Fault::LockTimeout => plan.strikes(engine::lock(tx).await)?,
        Fault::Contended => plan.strikes(engine::contend(tx).await)?,
        Fault::Swallowed => drop(sqlx::query(TAKEN).execute(&mut *tx).await),
        Fault::Abandoned => {
            let _ = cancelled_after(0, sqlx::query(TAKEN).execute(&mut *tx)).await;
        }
        Fault::Domain => return Err(Error::Domain),
    }
    Ok(())
}

#[atomic_unit(retry = hasty)]
async fn plain(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, engine::PLAIN, unit, plan).await
}

#[atomic_unit(retry = hasty, attempt_timeout = "15ms")]
async fn timed(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, engine::PLAIN, unit, plan).await
}

#[atomic_unit(retry = transient, in_doubt = fail)]
async fn fail(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, engine::PLAIN, unit, plan).await
}

#[atomic_unit(retry = transient, idempotent = client_id(unit))]
async fn keyed(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, engine::KEYED, unit, plan).await
}

#[atomic_unit(retry = transient, idempotent = receipt(unit))]
async fn receipt(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, engine::PLAIN, unit, plan).await
}

pub(crate) async fn run(pool: &Pool, answer: &str, unit: i64, plan: &Plan) -> Result<(), Error> {
    match answer {
        "plain" => plain(pool, unit, plan).await,
        "timed" => timed(pool, unit, plan).await,
        "fail" => fail(pool, unit, plan).await,
        "keyed" => keyed(pool, unit, plan).await,
        "receipt" => receipt(pool, unit, plan).await,
        other => engine::run(pool, other, unit, plan).await,
    }
}
