//! Who holds a lease.

use std::fmt;

use rand::RngExt as _;

/// The identity of one run: 128 random bits, written as 32 hexadecimal digits.
///
/// The holder of a lease is a run, not a host: a process that was paused and superseded is no longer the holder, even
/// where the same host has claimed again.
///
/// ```
/// use steadfast::jobs::RunId;
///
/// assert_eq!(RunId::random().as_str().len(), 32);
/// assert_ne!(RunId::random(), RunId::random());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RunId(String);

impl RunId {
    /// A new identity.
    #[must_use]
    pub fn random() -> Self {
        Self(format!("{:032x}", rand::rng().random::<u128>()))
    }

    /// The 32 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunId({})", self.0)
    }
}
