//! docs/rules.md#name-every-policy: a second `policies!`.
//!
//! E0428: the first block is where the message says "previous definition"; move the items of the second into it.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
    }

    steadfast::policies! {
        pub policy transient = capped(base = "200ms", cap = "2s", retries = 3).on(contention, connection_lost);
    }
}

fn main() {}
