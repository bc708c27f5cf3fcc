//! HTTP calls that are tried again where that is harmless, by a named policy. Feature `reqwest`.
//!
//! An adapter builds its [`Client`] once, from a [`reqwest::Client`] and a policy. `get`, `head`, `options`, `put` and `delete` mean the
//! same when they are sent twice (RFC 9110, section 9.2.2), so they are retried; `post` and `patch` take an [`IdempotencyKey`], by which
//! the server knows a repeat. There is no other way to send with it: what must not be repeated goes to [`Client::base`].
//!
//! | answer | kind |
//! |---|---|
//! | 429 Too Many Requests | `rate_limited` |
//! | 408, 425, 500, 502, 503, 504 | `unavailable` |
//! | no connection, or one that broke before the answer's head | `connection_lost` |
//! | the client's or the request's timeout, or the caller's deadline | `attempt_timeout`, never retried |
//! | anything else, a 401 or 422 among it | the answer itself, as [`reqwest`] has it: ask `error_for_status()` |
//!
//! Which of the first three are retried is the policy's to say; statuses and broken connections share its one counter, so there are
//! never more than retries + 1 requests (redirects, which the base client follows, do not count: a
//! 307 or 308 sends body and key again). A `Retry-After` is a floor for the gap; one that does not fit fails at once. Under
//! [`within`](crate::within), an attempt ends when nothing is left, beside the timeouts of the client and the request; the body of an
//! answer is under those alone. Inside the body of a unit or call it is sent once, and the
//! failure handed up: one layer retries. A last 503 is an [`Error`], which [`Classify`](crate::Classify) reads and whose response is
//! kept.
//!
//! The application names reqwest as well, for the features that it wants, for example
//! `reqwest = { version = "0.13", features = ["json"] }`: steadfast's own dependency brings none, and so no TLS. JSON goes by way of the
//! builder: `.with(|request| request.json(&mail))`.
//!
//! reqwest itself sends a request again when a server refused it before it did anything (HTTP/2 GOAWAY), which is harmless. Build the
//! base client with `.retry(reqwest::retry::never())` to count those as well.
//!
//! ```no_run
//! mod retry {
//!     steadfast::policies! {
//!         pub policy provider = capped(base = "200ms", cap = "2s", retries = 5)
//!             .on(rate_limited, unavailable, connection_lost)
//!             .budget(ratio = 0.1);
//!     }
//! }
//!
//! use steadfast::{Slot, http::{self, IdempotencyKey}};
//!
//! struct Mailer {
//!     http: http::Client,
//! }
//!
//! impl Mailer {
//!     fn new() -> Self {
//!         Self { http: http::Client::new::<retry::provider>(reqwest::Client::new()) }
//!     }
//!
//!     async fn quota(&self) -> Result<String, http::Error> {
//!         let answer = self.http.get("https://mail.example/quota").send().await?.error_for_status()?;
//!         Ok(answer.text().await?)
//!     }
//!
//!     async fn digest(&self, slot: Slot, text: String) -> Result<(), http::Error> {
//!         // One thing a slot; of many, each has its own purpose, for example `&format!("digest-{customer}")`.
//!         let key = IdempotencyKey::from_slot(slot, "digest");
//!         // A 401 or 422 is an answer, too.
//!         self.http.post("https://mail.example/mails", &key).body(text).send().await?.error_for_status()?;
//!         Ok(())
//!     }
//! }
//! # fn main() {}
//! ```

mod classify;
mod client;
mod error;
mod key;
mod request;

pub use client::Client;
pub use error::Error;
pub use key::{IdempotencyKey, InvalidKey};
pub use request::{Request, Whole};
