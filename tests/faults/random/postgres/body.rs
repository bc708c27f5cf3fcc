//! The units, and what strikes inside of their bodies.

use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::PgPool;
use steadfast::{atomic_unit, postgres::Tx};
use steadfast_tests::proxy::Fate;

use super::super::PARTS;
use crate::engines::{Error, cancelled_after};

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
}

impl Plan {
    pub(crate) fn new(fault: Fault, at: i64) -> Self {
        Self { fault, at, struck: AtomicBool::new(false) }
    }
}

async fn append(tx: &mut Tx<'_>, sql: &'static str, unit: i64, plan: &Plan) -> Result<(), Error> {
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
        Fault::Terminated => {
            sqlx::query("select pg_terminate_backend(pg_backend_pid())").execute(&mut *tx).await?;
        }
        Fault::LockTimeout => {
            sqlx::query("set local lock_timeout = '2ms'").execute(&mut *tx).await?;
            sqlx::query("select n from hot where id = 2 for update").execute(&mut *tx).await?;
        }
        Fault::Contended => {
            let n: i64 = sqlx::query_scalar("select n from hot where id = 1").fetch_one(&mut *tx).await?;
            sqlx::query("update hot set n = $1 where id = 1").bind(n + 1).execute(&mut *tx).await?;
        }
        Fault::Swallowed => drop(sqlx::query(TAKEN).execute(&mut *tx).await),
        Fault::Abandoned => {
            let _ = cancelled_after(0, sqlx::query(TAKEN).execute(&mut *tx)).await;
        }
        Fault::Domain => return Err(Error::Domain),
    }
    Ok(())
}

pub(crate) const PLAIN: &str = "insert into appended values ($1, $2)";
const KEYED: &str = "insert into keyed values ($1, $2) on conflict do nothing";

#[atomic_unit(retry = hasty)]
async fn plain(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, PLAIN, unit, plan).await
}

#[atomic_unit(retry = hasty, attempt_timeout = "15ms")]
async fn timed(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, PLAIN, unit, plan).await
}

#[atomic_unit(retry = transient, in_doubt = fail)]
async fn fail(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, PLAIN, unit, plan).await
}

#[atomic_unit(retry = transient, in_doubt = resolve)]
async fn resolve(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, PLAIN, unit, plan).await
}

#[atomic_unit(retry = transient, idempotent = client_id(unit))]
async fn keyed(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, KEYED, unit, plan).await
}

#[atomic_unit(retry = transient, idempotent = receipt(unit))]
async fn receipt(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
    append(tx, PLAIN, unit, plan).await
}

pub(crate) async fn run(pool: &PgPool, answer: &str, unit: i64, plan: &Plan) -> Result<(), Error> {
    match answer {
        "plain" => plain(pool, unit, plan).await,
        "timed" => timed(pool, unit, plan).await,
        "fail" => fail(pool, unit, plan).await,
        "resolve" => resolve(pool, unit, plan).await,
        "keyed" => keyed(pool, unit, plan).await,
        "receipt" => receipt(pool, unit, plan).await,
        other => panic!("no unit answers `{other}`"),
    }
}
