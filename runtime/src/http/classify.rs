//! What an answer means to a policy. The table stands in the module's documentation.

use std::time::SystemTime;

use reqwest::{Response, StatusCode, header::RETRY_AFTER};

use crate::retry::{Failure, Kind, retry_after};

/// The failure that an answer's status stands for; `None` for an answer.
pub(super) fn response(response: &Response, now: SystemTime) -> Option<Failure> {
    let failure = Failure::of(status(response.status())?);
    let asked = response.headers().get(RETRY_AFTER).and_then(|value| retry_after(value.to_str().ok()?, now));
    Some(asked.map_or(failure, |wait| failure.with_retry_after(wait)))
}

pub(super) fn status(status: StatusCode) -> Option<Kind> {
    match status {
        StatusCode::TOO_MANY_REQUESTS => Some(Kind::RateLimited),
        StatusCode::REQUEST_TIMEOUT
        | StatusCode::TOO_EARLY
        | StatusCode::INTERNAL_SERVER_ERROR
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => Some(Kind::Unavailable),
        _ => None,
    }
}

/// What became of a request that has no answer.
pub(super) fn error(error: &reqwest::Error) -> Failure {
    // First, since a connection that was not made in time (`connect_timeout`) is a timeout as well.
    Failure::of(if error.is_connect() {
        Kind::ConnectionLost
    } else if error.is_timeout() {
        Kind::AttemptTimeout
    } else if error.is_request() && !error.is_builder() && !error.is_redirect() && !error.is_body() {
        Kind::ConnectionLost
    } else {
        Kind::Other
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_documentation_is_whole() {
        let classified = |kind| -> Vec<u16> {
            (100..1000).filter(|code| status(StatusCode::from_u16(*code).unwrap()) == Some(kind)).collect()
        };
        assert_eq!(classified(Kind::RateLimited), [429]);
        assert_eq!(classified(Kind::Unavailable), [408, 425, 500, 502, 503, 504]);
        let others = [Kind::ConnectionLost, Kind::AttemptTimeout, Kind::Other].map(classified);
        assert!(others.iter().all(Vec::is_empty), "{others:?}");
    }
}
