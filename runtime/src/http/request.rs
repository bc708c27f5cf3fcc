//! One request, and its attempts.

use std::{fmt, pin::pin, time::Duration};

use futures_util::future::{Either, select};

use reqwest::{
    Body, IntoUrl, Method, RequestBuilder, Response,
    header::{HeaderName, HeaderValue},
};

use super::{
    Error, IdempotencyKey, classify,
    error::{Cause, Facts},
};
use crate::{
    clock::{Clock, SystemClock},
    retry::{Attempts, Declaration, Failure, Kind, Stopped, has_passed, inside, remaining},
    telemetry,
};

/// A body that is there as a whole, so that every attempt can send it: a `String`, a `&str`, a `Vec<u8>` or a `&[u8]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent a second time",
    label = "a retried request needs its body as a whole",
    note = "a `&String` is given as `text.as_str()`; a stream is collected first, for example into a `Vec<u8>`, or sent with the base client: `client.base().put(url).body(stream)`",
    note = "JSON and forms go by way of the builder: `.with(|request| request.json(&mail))`"
)]
pub trait Whole {
    /// The bytes.
    fn into_bytes(self) -> Vec<u8>;
}

#[diagnostic::do_not_recommend]
impl<T: Into<Vec<u8>>> Whole for T {
    fn into_bytes(self) -> Vec<u8> {
        self.into()
    }
}

/// A request that is not sent yet. Made by a [`Client`](super::Client).
///
/// ```no_run
/// # async fn rename(http: &steadfast::http::Client, name: String) -> Result<(), steadfast::http::Error> {
/// let request = http.put("https://shop.example/trials/7").with(|request| request.bearer_auth("token")).body(name);
/// let answer = request.send().await?.error_for_status()?;
/// println!("{}", answer.status());
/// # Ok(())
/// # }
/// ```
#[must_use = "a request does nothing until it is sent"]
pub struct Request {
    client: reqwest::Client,
    declaration: &'static Declaration,
    method: Method,
    builder: RequestBuilder,
    key: Option<(HeaderName, HeaderValue)>,
}

impl Request {
    pub(super) fn new(
        client: reqwest::Client,
        declaration: &'static Declaration,
        method: Method,
        url: impl IntoUrl,
    ) -> Self {
        let builder = client.request(method.clone(), url);
        Self { client, declaration, method, builder, key: None }
    }

    pub(super) fn under(self, name: &HeaderName, key: &IdempotencyKey) -> Self {
        Self { key: Some((name.clone(), key.to_header())), ..self }
    }

    /// Adds a header.
    pub fn header(self, name: HeaderName, value: HeaderValue) -> Self {
        self.with(|builder| builder.header(name, value))
    }

    /// Sets the body: a text or bytes. A stream can be sent once only, and does not fit here.
    pub fn body(self, body: impl Whole) -> Self {
        self.with(|builder| builder.body(Body::from(body.into_bytes())))
    }

    /// Sets the time that one attempt may take. Under [`within`](crate::within) an attempt also ends when nothing is left there.
    pub fn timeout(self, limit: Duration) -> Self {
        self.with(|builder| builder.timeout(limit))
    }

    /// Does whatever else [`RequestBuilder`] can, for example `.with(|request| request.bearer_auth(token).json(&mail))`.
    ///
    /// A stream as the body, and a request of another method, are refused before anything is sent.
    pub fn with(self, build: impl FnOnce(RequestBuilder) -> RequestBuilder) -> Self {
        Self { builder: build(self.builder), ..self }
    }

    /// Sends it, and again as the policy says. A 401 or 422 is an answer: `error_for_status()` makes an error of it.
    ///
    /// # Errors
    /// When the last attempt was not answered, or with a status that stands for a failure ([table](crate::http)). Any other status is an
    /// answer. A request that cannot be built is an error before anything is sent.
    pub async fn send(self) -> Result<Response, Error> {
        let Self { client, declaration, method, builder, key } = self;
        let mut attempts = Attempts::new();
        let error = |sent, attempts: &Attempts, failure, stopped, cause| {
            Error::from(Facts {
                method: Some(method.clone()),
                failure,
                attempts: sent,
                waited: attempts.waited(),
                stopped,
                cause,
            })
        };
        let unsent = |kind, stopped, cause| error(0, &Attempts::new(), Failure::of(kind), stopped, cause);
        let mut request = match builder.build() {
            Ok(request) => request,
            Err(broken) => {
                return Err(unsent(Kind::Other, Stopped::NotRetried, Cause::Transport(broken.without_url())));
            }
        };
        if *request.method() != method {
            // What makes a repeat harmless was said of that one.
            return Err(unsent(Kind::Other, Stopped::NotRetried, Cause::Method));
        }
        if let Some((name, value)) = key {
            request.headers_mut().insert(name, value);
        }
        if has_passed() {
            telemetry::attempts::call_failed(declaration, Kind::AttemptTimeout, 0, Duration::ZERO, Stopped::Deadline);
            return Err(unsent(Kind::AttemptTimeout, Stopped::Deadline, Cause::TooLate));
        }
        let (is_inner, mut before) = (inside(), None);
        if !is_inner {
            declaration.earn();
        }
        loop {
            let Some(mut attempt) = request.try_clone() else {
                return Err(unsent(Kind::Other, Stopped::NotRetried, Cause::Stream));
            };
            let left = remaining();
            if let Some(own) = attempt.timeout_mut() {
                *own = left.map_or(*own, |left| left.min(*own));
            }
            // A request's own timeout would lift that of the client, so the deadline has a timer of its own.
            let answered = match left {
                Some(left) => match select(pin!(client.execute(attempt)), SystemClock.sleep(left)).await {
                    Either::Left((answered, _)) => Some(answered),
                    Either::Right(_) => None,
                },
                None => Some(client.execute(attempt).await),
            };
            let (failure, cause) = match answered {
                Some(Ok(response)) => match classify::response(&response, SystemClock.now()) {
                    Some(failure) => (failure, Cause::Status(response)),
                    None => return Ok(response),
                },
                Some(Err(broken)) => (classify::error(&broken), Cause::Transport(broken.without_url())),
                None => (Failure::of(Kind::AttemptTimeout), Cause::CutOff),
            };
            telemetry::attempts::call_attempt_failed(declaration, failure.kind);
            if is_inner {
                // Sent once, and the failure handed up: one layer retries it, and reports it.
                return Err(error(1, &attempts, failure, Stopped::NotRetried, cause));
            }
            if let Err(stopped) = attempts.again(declaration, failure) {
                // Its own timeout is the request's to mend, this one the caller's.
                let is_cut_off = failure.kind == Kind::AttemptTimeout && has_passed();
                let stopped = if is_cut_off { Stopped::Deadline } else { stopped };
                let (sent, waited) = (attempts.count(), attempts.waited());
                // That the time was over hides why there was a second attempt.
                let (failure, cause) = before.take().filter(|_| is_cut_off).unwrap_or((failure, cause));
                telemetry::attempts::call_failed(declaration, failure.kind, sent, waited, stopped);
                return Err(error(sent, &attempts, failure, stopped, cause));
            }
            // Nothing is held while it waits: neither the answer nor its connection.
            before = Some((failure, cause.without_answer()));
            attempts.wait().await;
        }
    }
}

/// By hand: reqwest's own prints the URL with its query, the headers of the request and the default ones.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("policy", &self.declaration.policy.name())
            .finish_non_exhaustive()
    }
}
