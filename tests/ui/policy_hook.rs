//! docs/rules.md#attempts-are-quiet: a hook of another type.
//!
//! E0308: the hook is `fn(&steadfast::Retrying<'_>)`.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub policy provider = capped(base = "50ms", cap = "200ms", retries = 3).on(unavailable).on_retry(told);
    }

    fn told(attempt: u32) {}
}

fn main() {}
