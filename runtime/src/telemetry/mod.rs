//! What is counted and logged. Names and labels stand in `docs/telemetry.md`; no value of a row, no URL and no error text of a
//! driver is among them.

pub(crate) mod attempts;
#[cfg(feature = "_unit")]
pub(crate) mod units;
