//! docs/rules.md#jitter-under-the-cap: a policy without jitter.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub policy in_step = capped(base = "50ms", cap = "200ms", retries = 3, jitter = none).on(contention);
        pub policy typo = capped(base = "50ms", cap = "200ms", retries = 3, jitter = equl).on(contention);
    }
}

fn main() {}
