//! Finds what is retried, ticked or scheduled by hand.

mod around;
mod clocks;
#[cfg(feature = "files")]
mod files;
mod found;
mod look;
mod loops;
mod posts;
mod scan;
#[cfg(test)]
mod tests;
mod words;

#[cfg(feature = "files")]
pub use files::{Error, Finding, Kind, Lint, Report, deny_inline_retries};
pub use found::Found;
pub use scan::scan;
