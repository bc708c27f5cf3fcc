//! `Classify` for errors whose type is erased: the chain of sources is searched for one that says what it is.

use std::error::Error;

use super::{Classify, Failure, UnitFailure};

/// The failure of the first error in the chain that is one of ours or of a database. None: a domain error.
///
/// A type of the application that is in the chain is not asked: it is erased. What it stands for, a `source()` below it says.
pub(crate) fn failure_of(error: &(dyn Error + 'static)) -> Option<Failure> {
    let mut next = Some(error);
    while let Some(error) = next {
        let failure = classified(error);
        if failure.is_some() {
            return failure;
        }
        next = error.source();
    }
    None
}

fn classified(error: &(dyn Error + 'static)) -> Option<Failure> {
    if let Some(failure) = error.downcast_ref::<UnitFailure>() {
        return failure.failure();
    }
    #[cfg(feature = "_database")]
    if let Some(error) = error.downcast_ref::<sqlx::Error>() {
        return error.failure();
    }
    #[cfg(feature = "sea-orm")]
    if let Some(error) = crate::unit::beneath(error) {
        return error.failure();
    }
    None
}

/// Found by downcast along the chain of sources.
///
/// ```
/// use std::error::Error;
/// use steadfast::{Classify, Kind};
///
/// # #[cfg(feature = "sqlite")] {
/// let error: Box<dyn Error + Send + Sync> = sqlx::Error::WorkerCrashed.into();
/// assert_eq!(error.failure().map(|failure| failure.kind), Some(Kind::ConnectionLost));
/// # }
/// let domain: Box<dyn Error + Send + Sync> = "the cart is empty".into();
/// assert_eq!(domain.failure(), None);
/// ```
impl Classify for dyn Error + Send + Sync + 'static {
    fn failure(&self) -> Option<Failure> {
        failure_of(self)
    }
}

/// Found by downcast along the chain of sources.
impl Classify for dyn Error + Send + 'static {
    fn failure(&self) -> Option<Failure> {
        failure_of(self)
    }
}

/// Found by downcast along the chain of sources.
impl Classify for dyn Error + 'static {
    fn failure(&self) -> Option<Failure> {
        failure_of(self)
    }
}

/// Found by downcast along the chain, contexts included.
#[cfg(feature = "anyhow")]
impl Classify for anyhow::Error {
    fn failure(&self) -> Option<Failure> {
        // A context is not in the chain as the type that it is; the error below it is.
        self.chain().find_map(classified)
    }
}
