//! `#[derive(Classify)]`

use std::{io, time::Duration};

use steadfast::{Classify, Failure, Kind};

// twin of: classify_wraps_silently, classify_words, classify_fields, classify_types
#[derive(Debug, thiserror::Error, Classify)]
enum PaymentError {
    #[error("refused")]
    Refused,
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error("no answer")]
    #[classify(unavailable)]
    Down { source: io::Error },
    #[error("asked to wait")]
    #[classify(rate_limited, retry_after = wait)]
    TooMany { wait: Duration },
    #[error("asked to wait, perhaps")]
    #[classify(unavailable, retry_after = 0)]
    Busy(Option<Duration>),
    #[error(transparent)]
    #[classify(with = of_io)]
    Io(#[from] io::Error),
    #[error("wrapped, and never retried")]
    #[classify(domain)]
    Format(#[source] std::fmt::Error),
}

fn of_io(error: &io::Error) -> Option<Failure> {
    (error.kind() == io::ErrorKind::TimedOut).then_some(Failure::of(Kind::Unavailable))
}

#[test]
fn every_variant_says_what_it_is() {
    let kind = |error: &PaymentError| error.failure().map(|failure| (failure.kind, failure.retry_after));
    let timed_out = || io::Error::from(io::ErrorKind::TimedOut);
    let second = Duration::from_secs(1);
    for (error, expected) in [
        (PaymentError::Refused, None),
        (PaymentError::Db(sqlx::Error::PoolTimedOut), Some((Kind::PoolExhausted, None))),
        (PaymentError::Down { source: timed_out() }, Some((Kind::Unavailable, None))),
        (PaymentError::TooMany { wait: second }, Some((Kind::RateLimited, Some(second)))),
        (PaymentError::Busy(None), Some((Kind::Unavailable, None))),
        (PaymentError::Busy(Some(second)), Some((Kind::Unavailable, Some(second)))),
        (PaymentError::Io(timed_out()), Some((Kind::Unavailable, None))),
        (PaymentError::Io(io::ErrorKind::NotFound.into()), None),
        (PaymentError::Format(std::fmt::Error), None),
    ] {
        assert_eq!(kind(&error), expected, "{error}");
    }
}
