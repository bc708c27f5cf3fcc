//! The failure of a request.

use std::{error, fmt, time::Duration};

use reqwest::{Method, Response, StatusCode};

use crate::retry::{Classify, Failure, Kind, Stopped};

/// A request that was not answered, or was answered with a status that stands for a failure, after all attempts.
///
/// Its texts hold no URL, since a query may hold a secret. In an adapter's error: `#[classify(transparent)] Http(#[from] http::Error)`.
pub struct Error(Box<Facts>);

pub(super) struct Facts {
    /// `None` where only the answer is at hand.
    pub(super) method: Option<Method>,
    pub(super) failure: Failure,
    pub(super) attempts: u32,
    pub(super) waited: Duration,
    pub(super) stopped: Stopped,
    pub(super) cause: Cause,
}

pub(super) enum Cause {
    /// The status of the last answer stands for a failure.
    Status(Response),
    /// The status of an answer that was not kept while the next one was waited for.
    EarlierStatus(StatusCode),
    /// There was no answer.
    Transport(reqwest::Error),
    /// The caller's time was over before there was one.
    CutOff,
    /// An error of reqwest's that no attempt of ours has met: as a rule, the body of an answer that could not be read.
    Unread(reqwest::Error),
    /// The body can be sent once only.
    Stream,
    /// The request is not of the method that it was made for.
    Method,
    /// The caller had no time left.
    TooLate,
}

impl Cause {
    /// The same without the answer, which would hold its connection.
    pub(super) fn without_answer(self) -> Self {
        match self {
            Self::Status(response) => Self::EarlierStatus(response.status()),
            other => other,
        }
    }
}

impl From<Facts> for Error {
    fn from(facts: Facts) -> Self {
        Self(Box::new(facts))
    }
}

/// An answer that came and could not be read. Nothing is sent again: the request was done.
impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        let failure = Failure::of(if error.is_timeout() { Kind::AttemptTimeout } else { Kind::Other });
        let cause = Cause::Unread(error.without_url());
        Facts { method: None, failure, attempts: 1, waited: Duration::ZERO, stopped: Stopped::NotRetried, cause }.into()
    }
}

impl Error {
    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.failure.kind
    }

    /// The status of the last answer, if there was one.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        match &self.0.cause {
            Cause::Status(response) => Some(response.status()),
            Cause::EarlierStatus(status) => Some(*status),
            Cause::Transport(error) | Cause::Unread(error) => error.status(),
            Cause::CutOff | Cause::Stream | Cause::Method | Cause::TooLate => None,
        }
    }

    /// How long the server asked to wait, if it did.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.failure.retry_after
    }

    /// How many requests were sent.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The time spent between attempts.
    #[must_use]
    pub fn waited(&self) -> Duration {
        self.0.waited
    }

    /// Why there was no further attempt.
    #[must_use]
    pub fn stopped(&self) -> Stopped {
        self.0.stopped
    }

    /// The last answer, for its headers and its body; `None` when there was none, or another attempt followed it.
    #[must_use]
    pub fn into_response(self) -> Option<Response> {
        match self.0.cause {
            Cause::Status(response) => Some(response),
            _ => None,
        }
    }
}

impl Classify for Error {
    fn failure(&self) -> Option<Failure> {
        Some(self.0.failure)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Facts { method, failure, attempts, stopped, cause, .. } = &*self.0;
        let method = method.as_ref().map_or("the request", Method::as_str);
        let plural = if *attempts == 1 { "" } else { "s" };
        match cause {
            Cause::Status(response) => {
                write!(f, "{method} failed after {attempts} attempt{plural}: {}", response.status())?;
            }
            Cause::EarlierStatus(status) => write!(f, "{method} failed after {attempts} attempt{plural}: {status}")?,
            Cause::Transport(_) if *attempts == 0 => return write!(f, "{method} cannot be built; look at the source"),
            Cause::Transport(_) | Cause::CutOff => {
                write!(f, "{method} failed after {attempts} attempt{plural}: {}", failure.kind)?;
            }
            Cause::Unread(error) if error.is_body() || error.is_decode() => {
                return f.write_str("the request was done, and its answer could not be read; look at the source");
            }
            Cause::Unread(error) if error.is_status() => {
                let status = error.status().unwrap_or_default();
                return write!(f, "the request was refused: {status}");
            }
            // Met by the base client: nobody knows what was done.
            Cause::Unread(_) => return f.write_str("the request failed; look at the source"),
            Cause::Stream => {
                return write!(
                    f,
                    "{method} has a stream as its body, which can be sent once only; collect it first, for example into a \
                     `Vec<u8>`, or send it with the base client"
                );
            }
            Cause::Method => {
                return write!(
                    f,
                    "{method} was turned into a request of another method, which may not be repeated; make it with the method of \
                     that name, or send it with the base client"
                );
            }
            Cause::TooLate => {
                return write!(f, "{method} was not sent, its caller's deadline has passed; give `within` more time");
            }
        }
        match stopped {
            Stopped::RetryAfter => f.write_str("; the server asks for a longer wait than there is time for"),
            Stopped::Deadline => f.write_str("; the caller's deadline left no time for another attempt"),
            Stopped::Budget => f.write_str("; the policy's budget of retries is used up"),
            _ => Ok(()),
        }
    }
}

/// By hand: a response prints its URL and headers.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("method", &self.0.method)
            .field("kind", &self.kind())
            .field("status", &self.status())
            .field("attempts", &self.attempts())
            .field("stopped", &self.stopped())
            .finish_non_exhaustive()
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.0.cause {
            Cause::Transport(error) | Cause::Unread(error) => Some(error),
            _ => None,
        }
    }
}
