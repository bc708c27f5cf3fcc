//! A unit on D1: its statements are collected and sent as one batch, which D1 applies as a whole or not at all.
//!
//! There is nothing to begin and nothing to roll back, so an attempt that fails before its batch has applied nothing. What the batch
//! reports has no class: it may be a refusal, or an answer that was lost. It is in doubt, and is never replayed.

use std::{
    convert::Infallible,
    fmt::{self, Display},
};

use worker::{
    D1Database, D1PreparedStatement,
    send::{SendFuture, SendWrapper},
    wasm_bindgen::JsValue,
};

use super::{
    attempt::{Begins, Ends, Refused, Remembers, Transactional},
    ended::{Committed, Ended, Failed, TransactionId},
    hooks::Hooks,
    timer::{AttemptTimedOut, Timer},
};
use crate::{
    d1::{D1, Error},
    platform::MaybeSend,
    retry::{Declaration, Failure, Kind, Outcome, Phase, Settings},
    telemetry,
};

/// The batch of an atomic unit on D1: what its body, and the repository functions below it, add statements to. Name it
/// `steadfast::d1::Tx`.
///
/// The statements run when the body has returned `Ok`, in their order, in one transaction of D1's: all of them, or none. If the body
/// returns an error, nothing is sent. D1 has no transaction that a body could read in, so there is no way to: read before the unit, and let
/// each statement say what it decides by, `where closed = 0`.
///
/// What D1 reports of the batch has no class ([`d1::Error`](crate::d1::Error)), so it is [`InDoubt`](crate::Outcome::InDoubt) and never
/// replayed, whatever the policy names. The options `begin`, `isolation`, `read_only`, `idempotent = read`, `idempotent = receipt(…)`,
/// `in_doubt = resolve` and `fence` do not compile here.
///
/// ```no_run
/// # mod retry { pub use steadfast::policy::*; }
/// use steadfast::{Classify, UnitFailure, atomic_unit, d1::{self, Tx}};
///
/// #[derive(Debug, thiserror::Error, Classify)]
/// enum TrialError {
///     #[error(transparent)]
///     #[classify(transparent)]
///     D1(#[from] d1::Error),
///     #[error(transparent)]
///     #[classify(transparent)]
///     Unit(#[from] UnitFailure),
/// }
///
/// #[atomic_unit(retry = never)]
/// async fn close(tx: &mut Tx<'_>, trial: i32) -> Result<(), TrialError> {
///     tx.execute("update trials set closed = 1 where id = ?1 and closed = 0", &[trial.into()])?;
///     tx.execute("insert into outbox (trial) select id from trials where id = ?1 and closed = 1", &[trial.into()])?;
///     Ok(())
/// }
///
/// # async fn run(env: worker::Env) -> Result<(), Box<dyn std::error::Error>> {
/// close(&env.d1("DB")?, 7).await?;
/// # Ok(()) }
/// ```
pub struct D1Tx<'t> {
    database: &'t D1Database,
    batch: &'t mut Batch,
}

#[derive(Default)]
struct Batch {
    // One thread: `Send` on a server is for checks and tests.
    statements: SendWrapper<Vec<D1PreparedStatement>>,
    /// Why a statement could not be added, whatever the body made of it.
    refused: Option<Error>,
    hooks: Hooks,
}

impl D1Tx<'_> {
    /// Adds a statement. `?1` stands for the first value; D1 takes numbers as `f64`, and no `BigInt`: an `i64` is bound as
    /// `(value as f64).into()`.
    ///
    /// # Errors
    /// A value that D1 does not take. It ends the unit, also if the body ignores it: nothing is sent. The statement itself is looked at when
    /// the batch runs.
    pub fn execute(&mut self, statement: &str, values: &[JsValue]) -> Result<(), Error> {
        match self.database.prepare(statement).bind(values) {
            Ok(statement) => {
                self.add(statement);
                Ok(())
            }
            Err(error) => {
                let error = Error::from(error);
                self.batch.refused.get_or_insert_with(|| error.clone());
                Err(error)
            }
        }
    }

    /// Adds a statement that is prepared and bound already, of the same database.
    pub fn add(&mut self, statement: D1PreparedStatement) {
        self.batch.statements.0.push(statement);
    }

    /// How many statements there are so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batch.statements.0.len()
    }

    /// Whether there is none: such a unit sends nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs `hook` once, after the batch was acknowledged and before the unit returns. It does not run when the batch failed. Its error is
    /// logged and counted; the unit stays applied. What must happen even if the Worker ends here belongs into the batch, as a row of an
    /// outbox.
    pub fn after_commit<F, E>(&mut self, hook: F)
    where
        F: Future<Output = Result<(), E>> + MaybeSend + 'static,
        E: Display + 'static,
    {
        self.batch.hooks.add(hook);
    }
}

impl fmt::Debug for D1Tx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tx").field("statements", &self.len()).finish_non_exhaustive()
    }
}

impl Transactional for D1Tx<'_> {
    type Engine = D1;
    type Pool = D1Database;
    type Checkout = Checkout;

    fn checkout() -> Checkout {
        Checkout { committing: None }
    }
}

/// What one attempt holds: nothing of D1's, and whether its batch is on its way.
#[derive(Debug)]
pub struct Checkout {
    committing: Option<&'static Declaration>,
}

impl Drop for Checkout {
    fn drop(&mut self) {
        if let Some(unit) = self.committing {
            telemetry::units::cancelled_in_commit(unit);
        }
    }
}

/// A batch that is being made.
pub struct OpenBatch<'c> {
    checkout: &'c mut Checkout,
    database: D1Database,
    batch: Batch,
}

impl OpenBatch<'_> {
    /// What the body works with.
    pub fn tx(&mut self) -> D1Tx<'_> {
        D1Tx { database: &self.database, batch: &mut self.batch }
    }
}

impl fmt::Debug for OpenBatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenBatch").finish_non_exhaustive()
    }
}

impl Begins for Checkout {
    type Pool = D1Database;
    type Open<'c> = OpenBatch<'c>;

    async fn begin<'c>(
        &'c mut self,
        database: &D1Database,
        _: &Settings,
        _: &mut Timer,
    ) -> Result<OpenBatch<'c>, Refused> {
        Ok(OpenBatch { checkout: self, database: crate::d1::shared(database), batch: Batch::default() })
    }

    async fn release(self) {}
}

impl Ends for OpenBatch<'_> {
    async fn end<T, E>(
        mut self,
        declaration: &'static Declaration,
        timer: &mut Timer,
        result: Option<Result<T, E>>,
        classify: fn(&E) -> Option<Failure>,
    ) -> Ended<T, E> {
        match result {
            Some(Ok(value)) => match self.batch.refused.take() {
                None => commit(declaration, timer, self).await.with(value),
                Some(refused) => Ended::Failed(Failed::not_applied(Kind::Other, Phase::Body, refused)),
            },
            Some(Err(error)) => {
                let failure = classify(&error);
                Ended::by_body(error, failure, None)
            }
            None => Ended::Failed(Failed::not_applied(Kind::AttemptTimeout, Phase::Body, AttemptTimedOut)),
        }
    }
}

async fn commit(
    declaration: &'static Declaration,
    timer: &mut Timer,
    OpenBatch { checkout, database, batch: Batch { statements, hooks, .. } }: OpenBatch<'_>,
) -> Ended<(), Infallible> {
    // A batch that nobody has the time to wait for would be in doubt for nothing.
    if timer.has_ended() {
        return Ended::Failed(Failed::not_applied(Kind::AttemptTimeout, Phase::Body, AttemptTimedOut));
    }
    if statements.0.is_empty() {
        return Ended::Committed(Committed { value: (), hooks });
    }
    checkout.committing = Some(declaration);
    let answer = timer.bound(SendFuture::new(send(&database, statements))).await;
    checkout.committing = None;
    let failed = match answer {
        Some(Ok(())) => return Ended::Committed(Committed { value: (), hooks }),
        Some(Err(error)) => Failed::not_applied(Kind::Other, Phase::Commit, error),
        None => Failed::not_applied(Kind::AttemptTimeout, Phase::Commit, AttemptTimedOut),
    };
    Ended::Failed(Failed { outcome: Outcome::InDoubt, ..failed })
}

async fn send(database: &D1Database, statements: SendWrapper<Vec<D1PreparedStatement>>) -> Result<(), Error> {
    let results = database.batch(statements.0).await?;
    match results.iter().find_map(worker::D1Result::error) {
        None => Ok(()),
        Some(error) => Err(Error::new(error)),
    }
}

impl Remembers for D1Database {
    async fn committed(&self, _: &TransactionId) -> Option<bool> {
        None
    }
}
