//! COMMIT and ROLLBACK: what the body returned, and what the transaction saw, become how the attempt ended.
//!
//! What is awaited on a server knows nothing of the unit's types and says that it is `Send`: rustc then looks no further where it proves
//! that of a unit's future, and compiles it once for a crate.
#![allow(clippy::manual_async_fn, reason = "an `async fn` does not say that it is `Send`")]

use std::{convert::Infallible, future::Future};

use super::{
    Engine,
    attempt::Ends,
    causes::{EndedUnderneath, Swallowed, Unanswered},
    checkout::{Broken, Open, State},
    classify::code,
    ended::{Committed, Ended, Failed, TransactionId},
    engine::Verdict,
    timer::{AttemptTimedOut, Timer},
    tx::Seen,
};
use crate::retry::{Answer, Declaration, Failure, Kind, Outcome, Phase};

impl<DB: Engine> Ends for Open<'_, DB> {
    async fn end<T, E>(
        mut self,
        declaration: &'static Declaration,
        timer: &mut Timer,
        result: Option<Result<T, E>>,
        classify: fn(&E) -> Option<Failure>,
    ) -> Ended<T, E> {
        if let Some(cause) = self.broken.take() {
            return broken(timer, self, cause).await;
        }
        let Some(result) = result else { return abandon(self) };
        let mut open = self;
        let refused = open.seen.refused.take();
        let unanswered = open.seen.unanswered;
        match (result, refused) {
            (Ok(_), None) if unanswered => {
                roll_back(open, timer, true).await;
                Ended::Failed(Failed::not_applied(Kind::Other, Phase::Body, Unanswered))
            }
            (Ok(value), None) => commit(declaration, timer, open).await.with(value),
            (Ok(_), Some(refused)) => {
                roll_back(open, timer, true).await;
                let code = refused.code.clone();
                Ended::Failed(Failed::not_applied(refused.kind, Phase::Body, Swallowed(refused)).with_code(code))
            }
            (Err(error), refused) => {
                let any_refused = refused.is_some() || unanswered;
                // What the transaction saw decides, whatever the body made of it.
                let (failure, code) = match refused {
                    Some(refused) => (Some(Failure::of(refused.kind)), refused.code),
                    None => (classify(&error), None),
                };
                if roll_back(open, timer, any_refused).await {
                    return Ended::Failed(Failed {
                        outcome: Outcome::InDoubt,
                        ..Failed::not_applied(Kind::Other, Phase::Body, EndedUnderneath)
                    });
                }
                Ended::by_body(error, failure, code)
            }
        }
    }
}

/// The runtime ends the attempt by itself.
async fn broken<DB: Engine, T, E>(timer: &mut Timer, open: Open<'_, DB>, broken: Broken) -> Ended<T, E> {
    let Broken { kind, outcome, error } = broken;
    if kind == Kind::AttemptTimeout {
        return abandon(open);
    }
    let code = error.downcast_ref().and_then(code).map(Into::into);
    roll_back(open, timer, true).await;
    Ended::Failed(Failed { outcome, ..Failed::not_applied(kind, Phase::Body, error).with_code(code) })
}

/// The body did not return in time: what it was doing may still be under way on the connection.
fn abandon<DB: Engine, T, E>(open: Open<'_, DB>) -> Ended<T, E> {
    let Open { state, .. } = open;
    *state = State::Abandoned;
    Ended::Failed(Failed::not_applied(Kind::AttemptTimeout, Phase::Body, AttemptTimedOut))
}

fn commit<DB: Engine>(
    declaration: &'static Declaration,
    timer: &mut Timer,
    open: Open<'_, DB>,
) -> impl Future<Output = Ended<(), Infallible>> + Send {
    async move {
        // A COMMIT that nobody has the time to wait for would be in doubt for nothing.
        if timer.has_ended() {
            return abandon(open);
        }
        let Open { mut transaction, state, seen: Seen { evict, hooks, .. }, .. } = open;
        let written = if declaration.settings.answer == Answer::Resolve {
            match timer.bound(DB::transaction_id(&mut transaction)).await {
                Some(Ok(Some(id))) => Written::As(id),
                Some(Ok(None)) => Written::Nothing,
                Some(Err(error)) => {
                    *state = State::Abandoned;
                    let code = code(&error).map(Into::into);
                    let kind = DB::verdict(&error).kind;
                    return Ended::Failed(Failed::not_applied(kind, Phase::Body, error).with_code(code));
                }
                None => {
                    *state = State::Abandoned;
                    return Ended::Failed(Failed::not_applied(Kind::AttemptTimeout, Phase::Body, AttemptTimedOut));
                }
            }
        } else {
            Written::Unasked
        };
        *state = State::Committing(declaration);
        let failed = match timer.bound(transaction.commit()).await {
            Some(Ok(())) => {
                *state = if evict { State::Broken } else { State::Clean };
                return Ended::Committed(Committed { value: (), hooks });
            }
            Some(Err(error)) => {
                let Verdict { kind, evict } = DB::verdict(&error);
                *state = if evict { State::Broken } else { State::Begun };
                let outcome = if DB::refuses_commit(&error) { Outcome::NotApplied } else { Outcome::InDoubt };
                let code = code(&error).map(Into::into);
                Failed { outcome, ..Failed::not_applied(kind, Phase::Commit, error).with_code(code) }
            }
            None => {
                *state = State::Abandoned;
                let failed = Failed::not_applied(Kind::AttemptTimeout, Phase::Commit, AttemptTimedOut);
                Failed { outcome: Outcome::InDoubt, ..failed }
            }
        };
        match (failed.outcome, written) {
            (Outcome::InDoubt, Written::As(id)) => Ended::Lost(Committed { value: (), hooks }, id, failed),
            (Outcome::InDoubt, Written::Nothing) => Ended::Failed(Failed { outcome: Outcome::NotApplied, ..failed }),
            _ => Ended::Failed(failed),
        }
    }
}

/// What is known, before COMMIT, of what the transaction has written.
enum Written {
    /// Nobody will ask.
    Unasked,
    /// Nothing, so nothing can be applied.
    Nothing,
    As(TransactionId),
}

/// Rolls back, or leaves that to the end of the connection; it is clean only when a rollback was acknowledged. `true` when a
/// transaction in which no statement failed had ended before: something inside committed it.
fn roll_back<DB: Engine>(open: Open<'_, DB>, timer: &mut Timer, refused: bool) -> impl Future<Output = bool> + Send {
    async move {
        let Open { transaction, state, seen, .. } = open;
        if seen.unanswered && !DB::RESUMES {
            *state = State::Abandoned;
            return false;
        }
        let rolled_back = timer.bound(transaction.rollback()).await;
        match rolled_back {
            Some(Ok(())) => {
                *state = if seen.evict { State::Broken } else { State::Clean };
                false
            }
            Some(Err(error)) => {
                *state = if seen.evict { State::Broken } else { State::Begun };
                !refused && DB::had_ended(&error)
            }
            None => {
                *state = State::Abandoned;
                false
            }
        }
    }
}
