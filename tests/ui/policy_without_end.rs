//! docs/rules.md#every-policy-ends: no base, no cap, no retries, nothing that it retries.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub policy no_base = capped(cap = "200ms", retries = 3).on(contention);
        pub policy no_cap = capped(base = "50ms", retries = 3).on(contention);
        pub policy no_retries = capped(base = "50ms", cap = "200ms").on(contention);
        pub policy no_kinds = capped(base = "50ms", cap = "200ms", retries = 3);
    }
}

fn main() {}
