//! Why a transaction cannot be committed although its body says so, or was found to have ended.

use std::{error::Error, fmt};

use crate::retry::Kind;

/// The failure of the statement that ended the unit. Its text is left out: it may hold the values of a row.
#[derive(Clone, Debug)]
pub(super) struct RefusedStatement {
    pub(super) kind: Kind,
    pub(super) code: Option<Box<str>>,
}

/// The body returned `Ok` although a statement had failed.
#[derive(Debug)]
pub(super) struct Swallowed(pub(super) RefusedStatement);

impl fmt::Display for Swallowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a statement failed and the body returned `Ok`")?;
        if let Some(code) = &self.0.code {
            write!(f, " (code {code})")?;
        }
        f.write_str("; return its error, for example with `?`, or put the statement into a savepoint")
    }
}

impl Error for Swallowed {}

/// The body returned `Ok` although it had dropped a statement before its answer.
#[derive(Debug)]
pub(super) struct Unanswered;

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a statement was dropped before its answer and the body returned `Ok`; await it, or return an error",
        )
    }
}

impl Error for Unanswered {}

/// Rolling back found no transaction although nothing had failed in it.
#[derive(Debug)]
pub(super) struct EndedUnderneath;

impl fmt::Display for EndedUnderneath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the transaction had ended before the body returned; leave BEGIN and COMMIT to the runtime")
    }
}

impl Error for EndedUnderneath {}
