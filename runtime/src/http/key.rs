//! The key by which a server knows a repeat.

use std::{error::Error, fmt, fmt::Write as _};

use reqwest::header::HeaderValue;

use crate::{jobs::Slot, retry::durable::fnv};

/// The longest key that is accepted: Stripe's limit, the shortest of the well-known ones.
const MAX: usize = 255;

/// The longest purpose that is kept as it is: the slot behind it takes 21.
const LONGEST_PURPOSE: usize = 200;

/// The key of a request that a server must not do twice, sent as `Idempotency-Key`.
///
/// It exists before the first attempt, and every attempt sends the same one. Make it from what is to be done (an order, a slot), or
/// keep it in a row: a key that is made at random where it is sent is a new one after a crash.
///
/// ```
/// use steadfast::{Slot, http::IdempotencyKey};
///
/// let key = IdempotencyKey::new(format!("charge-{}", 17))?;
/// assert_eq!(key.as_str(), "charge-17");
///
/// let slot = Slot::utc(2026, 1, 2, 3, 0).unwrap();
/// assert_eq!(IdempotencyKey::from_slot(slot, "digest").as_str(), "digest@2026-01-02T03:00:00Z");
/// # Ok::<(), steadfast::http::InvalidKey>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// A key of 1 to 255 visible ASCII characters.
    ///
    /// # Errors
    /// When it is empty, longer, or has other characters: servers disagree on what those mean.
    pub fn new(key: impl Into<String>) -> Result<Self, InvalidKey> {
        let key = key.into();
        let is_valid = (1..=MAX).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        if is_valid { Ok(Self(key)) } else { Err(InvalidKey { length: key.len() }) }
    }

    /// The key of a job's slot: the same for every attempt, on every replica. Of two things that are done in one slot, each has a
    /// purpose of its own.
    ///
    /// What is not visible ASCII in `purpose` is percent-encoded; of what is longer than 200 characters after that, a hash stands for
    /// the end.
    #[must_use]
    pub fn from_slot(slot: Slot, purpose: &str) -> Self {
        let mut key = String::new();
        for byte in purpose.bytes() {
            if byte.is_ascii_graphic() && byte != b'%' {
                key.push(byte.into());
            } else {
                let _ = write!(key, "%{byte:02X}");
            }
        }
        if key.len() > LONGEST_PURPOSE {
            // Cut, two long purposes could be one key, and the server would drop the second.
            let hash = fnv(&key);
            key.truncate(LONGEST_PURPOSE - 17);
            let _ = write!(key, "~{hash:016x}");
        }
        let _ = write!(key, "@{slot}");
        Self(key)
    }

    /// The key as it is sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn to_header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).expect("visible ASCII is a header's value")
    }
}

/// What cannot be an [`IdempotencyKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidKey {
    length: usize,
}

impl fmt::Display for InvalidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { length } = self;
        match length {
            0 => write!(f, "an idempotency key is empty")?,
            1..=MAX => write!(f, "an idempotency key has a character that is not visible ASCII")?,
            _ => write!(f, "an idempotency key has {length} characters, more than {MAX}")?,
        }
        write!(f, "; use an identifier of what is to be done, for example `order-17`")
    }
}

impl Error for InvalidKey {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_ascii_of_at_most_255() {
        for key in ["a", "order-17", "~!\"#", &"k".repeat(255)] {
            assert_eq!(IdempotencyKey::new(key).unwrap().to_header(), key);
        }
        for (key, says) in [
            ("", "is empty"),
            ("a b", "not visible"),
            ("a\r\nx: y", "not visible"),
            ("ä", "not visible"),
            (&"k".repeat(256), "256"),
        ] {
            let error = IdempotencyKey::new(key).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains("for example"), "{key:?}: {error}");
        }
    }

    #[test]
    fn any_purpose_of_a_slot_makes_a_key() {
        let slot = Slot::utc(2026, 1, 2, 3, 0).unwrap();
        for (purpose, key) in [("Grüße\r\n", "Gr%C3%BC%C3%9Fe%0D%0A"), ("50%", "50%25"), ("", "")] {
            let made = IdempotencyKey::from_slot(slot, purpose);
            assert_eq!(made.as_str(), format!("{key}@2026-01-02T03:00:00Z"));
            assert_eq!(IdempotencyKey::new(made.as_str()), Ok(made));
        }
        let keys = ["a", "b"].map(|end| IdempotencyKey::from_slot(slot, &("x".repeat(1000) + end)));
        assert_ne!(keys[0], keys[1]);
        let long = IdempotencyKey::from_slot(slot, &"ü".repeat(1000));
        assert_eq!(IdempotencyKey::new(long.as_str()), Ok(long));
    }
}
