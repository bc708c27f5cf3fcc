//! docs/rules.md#name-every-policy: kinds of failure that nobody knows, or that are named twice.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub policy typo = capped(base = "50ms", cap = "200ms", retries = 3).on(contenton);
        pub policy all = capped(base = "50ms", cap = "200ms", retries = 3).on(everything);
        pub policy doubled = capped(base = "50ms", cap = "200ms", retries = 3).on(contention, contention);
        pub policy twice = capped(base = "50ms", cap = "200ms", retries = 3).on(deadlock).on(serialization);
        pub policy path = capped(base = "50ms", cap = "200ms", retries = 3).on(retry::contention);
    }
}

fn main() {}
