//! The same detection on the source files of a crate, in a build script or a test.

mod allow;
mod error;
mod file;
mod finding;
mod items;
mod jobs;
mod kind;
mod lint;
mod modules;
mod report;
mod sources;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use finding::Finding;
pub use kind::Kind;
pub use lint::{Lint, deny_inline_retries};
pub use report::Report;
