//! The connection of one attempt, and the guard that it never goes back to the pool inside a transaction.

use std::time::Duration;

use sqlx::{Error, Pool, Transaction, pool::PoolConnection};

use super::{
    Engine, Tx,
    attempt::{Begins, Refused, Transactional},
    classify::code,
    ended::BoxError,
    timer::{AttemptTimedOut, Timer},
    tx::Seen,
};
use crate::{
    retry::{Declaration, Failure, Kind, Outcome, Phase, Settings},
    telemetry,
};

/// How long a unit waits for a connection, unless its pool says less.
///
/// sqlx's own default of 30 s would make any retry budget meaningless.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

impl<DB: Engine> Transactional for Tx<'_, DB> {
    type Engine = DB;
    type Pool = Pool<DB>;
    type Checkout = Checkout<DB>;

    fn checkout() -> Checkout<DB> {
        Checkout { connection: None, reads_only: false, state: State::Clean }
    }
}

/// The connection of one attempt.
pub struct Checkout<DB: Engine> {
    connection: Option<PoolConnection<DB>>,
    reads_only: bool,
    state: State,
}

/// Whether the connection may go back to the pool.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// Outside of a transaction, as far as the server has acknowledged it.
    Clean,
    /// From the first byte of BEGIN on.
    Begun,
    /// From the first byte of COMMIT on.
    Committing(&'static Declaration),
    /// Something may still be under way on it, which nobody waits for.
    Abandoned,
    /// Not to be used again, whatever its transaction did.
    Broken,
}

/// A transaction that has begun.
pub struct Open<'c, DB: Engine> {
    pub(super) transaction: Transaction<'c, DB>,
    pub(super) state: &'c mut State,
    pub(super) seen: Seen,
    /// A statement of the runtime's own that ends the attempt.
    pub(super) broken: Option<Broken>,
}

/// Why the runtime ends an attempt by itself.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) kind: Kind,
    pub(super) outcome: Outcome,
    pub(super) error: BoxError,
}

impl<DB: Engine> Open<'_, DB> {
    /// What the body works with.
    pub fn tx(&mut self) -> Tx<'_, DB> {
        Tx { connection: &mut self.transaction, seen: &mut self.seen }
    }
}

impl<DB: Engine> std::fmt::Debug for Open<'_, DB> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open").field("state", &self.state).field("seen", &self.seen).finish_non_exhaustive()
    }
}

impl<DB: Engine> Begins for Checkout<DB> {
    type Pool = Pool<DB>;
    type Open<'c> = Open<'c, DB>;

    async fn begin<'c>(
        &'c mut self,
        pool: &Pool<DB>,
        settings: &Settings,
        timer: &mut Timer,
    ) -> Result<Open<'c, DB>, Refused> {
        let connection = match timer.bound(acquire(pool)).await {
            Some(Ok(connection)) => self.connection.insert(connection),
            Some(Err(error)) => {
                let kind = match error {
                    Error::PoolTimedOut if !is_exhausted(pool) => Kind::ConnectionLost,
                    _ => DB::verdict(&error).kind,
                };
                let code = code(&error).map(Into::into);
                return Err(Refused::new(Phase::Acquire, kind, code, error));
            }
            None => return Err(Refused::new(Phase::Acquire, Kind::AttemptTimeout, None, AttemptTimedOut)),
        };
        self.reads_only = settings.reads_only();
        self.state = State::Begun;
        match timer.bound(Transaction::begin(&mut **connection, Some(DB::begin(settings)))).await {
            Some(Ok(transaction)) => {
                Ok(Open { transaction, state: &mut self.state, seen: Seen::default(), broken: None })
            }
            Some(Err(error)) => {
                let verdict = DB::verdict(&error);
                if verdict.evict {
                    self.state = State::Broken;
                }
                let code = code(&error).map(Into::into);
                Err(Refused::new(Phase::Begin, verdict.kind, code, error))
            }
            None => {
                self.state = State::Abandoned;
                Err(Refused::new(Phase::Begin, Kind::AttemptTimeout, None, AttemptTimedOut))
            }
        }
    }

    /// Outside of a transaction, or closed.
    async fn release(mut self) {
        let Some(connection) = &mut self.connection else { return };
        let settled = match self.state {
            State::Clean if self.reads_only => {
                self.state = State::Begun;
                DB::restore(connection).await.is_ok()
            }
            State::Clean | State::Abandoned | State::Broken => return,
            State::Begun | State::Committing(_) => DB::settle(connection).await.is_ok(),
        };
        self.state = if settled { State::Clean } else { State::Broken };
    }
}

impl Refused {
    fn new(phase: Phase, kind: Kind, code: Option<Box<str>>, error: impl Into<BoxError>) -> Self {
        Self { phase, failure: Failure::of(kind), code, error: error.into() }
    }
}

async fn acquire<DB: Engine>(pool: &Pool<DB>) -> Result<PoolConnection<DB>, Error> {
    if pool.options().get_acquire_timeout() <= ACQUIRE_TIMEOUT {
        return DB::acquire(pool).await;
    }
    tokio::time::timeout(ACQUIRE_TIMEOUT, DB::acquire(pool)).await.unwrap_or(Err(Error::PoolTimedOut))
}

/// Whether the pool timed out because everybody holds a connection; else no connection could be made.
fn is_exhausted<DB: Engine>(pool: &Pool<DB>) -> bool {
    pool.size() >= pool.options().get_max_connections()
}

impl<DB: Engine> Drop for Checkout<DB> {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        match self.state {
            State::Clean => {}
            State::Begun | State::Abandoned => DB::discard(connection),
            State::Committing(unit) => {
                telemetry::units::cancelled_in_commit(unit);
                DB::discard(connection);
            }
            State::Broken => connection.close_on_drop(),
        }
    }
}

impl<DB: Engine> std::fmt::Debug for Checkout<DB> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checkout").field("state", &self.state).finish_non_exhaustive()
    }
}
