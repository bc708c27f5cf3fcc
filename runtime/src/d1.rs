//! D1, Cloudflare's SQLite: what it says when something fails, and the values that it takes.
//!
//! An error of D1's is a text, which changes from release to release. There is no code and no class in it, so nothing here reads the
//! text, and no policy retries what D1 reports (`docs/rules.md#d1-classifies-nothing`).

use std::{error::Error as StdError, fmt};

use worker::{
    D1Database, js_sys,
    wasm_bindgen::{JsCast as _, JsValue},
};

use crate::retry::{Classify, Failure, Kind};

#[doc(inline)]
pub use crate::jobs::D1Leases;

/// The batch of an atomic unit on D1. See [`unit::D1Tx`](crate::unit::D1Tx).
pub type Tx<'t> = crate::unit::D1Tx<'t>;

/// D1 as the type of a database, which messages of the compiler name.
#[derive(Debug)]
#[non_exhaustive]
pub enum D1 {}

/// What D1, or the way to it, reported. `Send`, unlike [`worker::Error`], so that a job and a unit can return it; its text is safe to show,
/// unlike that of [`worker::d1::D1Error`], whose `Display` traps.
///
/// It is never retried: [`Classify`] calls it [`Kind::Other`], which no policy can name.
///
/// ```
/// use steadfast::{Classify as _, d1};
///
/// async fn closed(db: &worker::D1Database) -> Result<Option<f64>, d1::Error> {
///     Ok(db.prepare("select count(*) as n from trials where closed = 1").first(Some("n")).await?)
/// }
/// # let error = d1::Error::from(worker::Error::RustError("no answer".into()));
/// # assert!(!error.failure().unwrap().is_retryable());
/// ```
#[derive(Clone, Debug)]
pub struct Error(String);

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl From<worker::Error> for Error {
    fn from(error: worker::Error) -> Self {
        Self(match error {
            worker::Error::D1(error) => AsRef::<js_sys::Error>::as_ref(&error).message().into(),
            worker::Error::UnknownJsError { message, .. } => message,
            error => error.to_string(),
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Error {}

impl Classify for Error {
    fn failure(&self) -> Option<Failure> {
        Some(Failure::of(Kind::Other))
    }
}

/// The binding once more: a handle, as that of a pool.
pub(crate) fn shared(database: &D1Database) -> D1Database {
    AsRef::<JsValue>::as_ref(database).clone().unchecked_into()
}

/// A number as D1 takes it: all of JavaScript's are `f64`, and a `BigInt` is refused. Exact up to 2⁵³, in milliseconds the year 287,396.
#[allow(clippy::cast_precision_loss, reason = "what is bound are milliseconds of the years 0 to 9999")]
pub(crate) fn number(value: i64) -> JsValue {
    JsValue::from_f64(value as f64)
}
