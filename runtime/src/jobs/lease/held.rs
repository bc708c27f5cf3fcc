//! What an exclusive run holds.

use std::sync::Arc;

use super::{run_id::RunId, store::LeaseStore};

/// The lease of a run, wherever its table is.
// Without a database no job takes its lease.
#[cfg_attr(not(feature = "_database"), allow(dead_code))]
pub(crate) struct Held {
    pub(crate) job: &'static str,
    /// The fencing token of the claim that won.
    pub(crate) token: i64,
    pub(crate) run: RunId,
    pub(crate) store: Arc<dyn LeaseStore>,
}
