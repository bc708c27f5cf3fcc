//! A job's default name, made at compile time from its module path: `shop.billing.close-expired-trials`.
//!
//! The name is the key of the lease row, so the crate is part of it: two slice crates may each have a `nightly`.
//!
//! What refuses a name is `track_caller`: a message of the compiler then shows the user's token and none of our lines.

/// Longest name of a job, in bytes. It is a key in a table, a label of metrics and part of log lines.
pub(crate) const MAX_NAME: usize = 64;

/// How many bytes the default name of `function` in `path` has.
///
/// # Panics
/// At compile time, when the name is longer than 64 bytes or holds anything but `a`–`z`, `0`–`9`, `-` and `.`.
#[must_use]
#[track_caller]
pub const fn name_len(path: &str, function: &str) -> usize {
    let mut bytes = [0; MAX_NAME];
    let len = write(path, function, &mut bytes);
    if len <= MAX_NAME {
        assert_bytes(bytes.split_at(len).0);
    } else {
        refuse(
            "the name made from this job's path is longer than 64 bytes: `",
            str_of(&bytes),
            "..`; say a shorter one",
        );
    }
    len
}

/// The bytes of the default name; `N` is [`name_len`] of the same arguments.
#[must_use]
pub const fn name_bytes<const N: usize>(path: &str, function: &str) -> [u8; N] {
    let mut bytes = [0; N];
    write(path, function, &mut bytes);
    bytes
}

/// Bytes that are known to be text.
///
/// # Panics
/// When they are not UTF-8.
#[must_use]
#[track_caller]
pub const fn str_of(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => {
            panic!("the name of a job is plain ASCII; say one, for example `name = \"billing.close-expired-trials\"`")
        }
    }
}

/// Refuses what cannot be a job's name.
///
/// # Panics
/// At compile time, with a text that says what is wrong and a name that would do.
#[track_caller]
pub(crate) const fn assert_name(name: &str) {
    assert_bytes(name.as_bytes());
}

/// Of bytes, since only a refusal needs their text: rustc evaluates each step of the proof that they are one, for every job.
#[track_caller]
const fn assert_bytes(bytes: &[u8]) {
    if bytes.is_empty() || bytes.len() > MAX_NAME {
        refuse("a job's name has 1 to 64 bytes, not this many: `", str_of(bytes), "`; say another one");
    }
    let mut i = 0;
    while i < bytes.len() {
        if !matches!(bytes[i], b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_') {
            refuse("a job's name holds only a-z, 0-9, `.`, `-` and `_`, unlike `", str_of(bytes), "`; say another one");
        }
        i += 1;
    }
}

/// Refuses a job that has the name of one before it.
///
/// # Panics
/// At compile time, naming the name.
#[track_caller]
pub(super) const fn assert_another(name: &str, before: &str) {
    if equal(name.as_bytes(), before.as_bytes()) {
        refuse(
            "two jobs of this registry are named `",
            name,
            "`, which is the key of the lease; give one another name",
        );
    }
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    // From the end: names of one crate begin alike, and rustc evaluates each step.
    let mut i = a.len();
    while i > 0 {
        i -= 1;
        if a[i] != b[i] {
            return false;
        }
    }
    true
}

/// `panic!` in a constant takes one text, so the three parts are laid side by side first.
#[track_caller]
const fn refuse(before: &str, name: &str, after: &str) -> ! {
    let mut bytes = [0; 4 * SHOWN];
    let len = append(before, &mut bytes, 0);
    let len = append(name, &mut bytes, len);
    let len = append(after, &mut bytes, len);
    let len = append(", for example `name = \"billing.close-expired-trials\"`", &mut bytes, len);
    match std::str::from_utf8(bytes.split_at(len).0) {
        Ok(text) => panic!("{}", text),
        Err(_) => {
            panic!("this name of a job is not valid; say one, for example `name = \"billing.close-expired-trials\"`")
        }
    }
}

/// How much of a part a message shows.
const SHOWN: usize = 100;

const fn append(text: &str, bytes: &mut [u8], mut len: usize) -> usize {
    let text = text.as_bytes();
    let mut i = 0;
    while i < text.len() && i < SHOWN && len < bytes.len() {
        bytes[len] = text[i];
        (i, len) = (i + 1, len + 1);
    }
    len
}

/// Writes as much of the name as `out` takes; returns the whole length. `::` becomes `.`, `_` becomes `-`, and the
/// `r#` of a raw identifier is no part of the name.
const fn write(path: &str, function: &str, out: &mut [u8]) -> usize {
    let len = write_part(path, out, 0);
    put(out, len, b'.');
    write_part(function, out, len + 1)
}

const fn write_part(part: &str, out: &mut [u8], mut len: usize) -> usize {
    let bytes = part.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'r' && i + 1 < bytes.len() && bytes[i + 1] == b'#' && (i == 0 || bytes[i - 1] == b':') {
            i += 2;
        } else if bytes[i] == b':' {
            put(out, len, b'.');
            (i, len) = (i + 2, len + 1);
        } else {
            // In place: rustc evaluates a call for every byte of every name.
            if len < out.len() {
                out[len] = if bytes[i] == b'_' { b'-' } else { bytes[i] };
            }
            i += 1;
            len += 1;
        }
    }
    len
}

const fn put(out: &mut [u8], at: usize, byte: u8) {
    if at < out.len() {
        out[at] = byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! name {
        ($path:expr, $function:expr) => {{
            const LEN: usize = name_len($path, $function);
            const BYTES: [u8; LEN] = name_bytes($path, $function);
            str_of(&BYTES)
        }};
    }

    #[test]
    fn names_are_dotted_and_kebab_cased() {
        assert_eq!(name!("shop::billing", "close_expired_trials"), "shop.billing.close-expired-trials");
        assert_eq!(name!("my_shop", "nightly"), "my-shop.nightly");
        assert_eq!(name!("shop::r#async::r#loop", "r#match"), "shop.async.loop.match");
        assert_eq!(name!("shop::for_r", "r"), "shop.for-r.r");
        assert_eq!(name!(module_path!(), "own"), "steadfast.jobs.name.tests.own");
    }

    fn message(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
        let payload = std::panic::catch_unwind(f).expect_err("refused");
        payload
            .downcast_ref::<String>()
            .cloned()
            .or(payload.downcast_ref::<&str>().map(ToString::to_string))
            .expect("text")
    }

    #[test]
    fn what_cannot_be_a_name_is_refused_by_name() {
        let long = "a::".repeat(40);
        assert!(
            message(move || assert!(name_len(&long, "b") > 0))
                .starts_with("the name made from this job's path is longer")
        );
        let said = message(|| assert!(name_len("shop", "Nightly") > 0));
        assert!(said.contains("`shop.Nightly`") && said.contains("for example"), "{said}");
        assert!(message(|| assert_name("")).contains("1 to 64 bytes"));
        assert!(message(|| assert_name(&"x".repeat(65))).contains("1 to 64 bytes"));
        assert!(message(|| assert_name(&"é".repeat(300))).contains("for example"));
        assert!(message(|| assert_name(&("a".to_owned() + &"é".repeat(300)))).contains("not valid"));
        assert_name(&"x".repeat(64));
        for before in ["b", "ab", ""] {
            assert_another("a", before);
        }
        assert!(message(|| assert_another("x.y", "x.y")).starts_with("two jobs of this registry are named `x.y`"));
    }
}
