//! docs/rules.md#every-policy-ends: numbers that make no policy.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub policy at_once = capped(base = "0ms", cap = "200ms", retries = 3).on(contention);
        pub policy upside_down = capped(base = "2s", cap = "200ms", retries = 3).on(contention);
        pub policy not_at_all = capped(base = "50ms", cap = "200ms", retries = 0).on(contention);
        pub policy without_end = capped(base = "50ms", cap = "200ms", retries = 11).on(contention);
        pub policy no_unit = capped(base = "50", cap = "1.5s", retries = 3).on(contention);
        pub policy long_words = capped(base = "50 millis", cap = "2 minutes", retries = 3).on(contention);
        pub policy days = capped(base = "1s", cap = "3d", retries = 3).on(contention);
        pub policy spaces = capped(base = "1 s", cap = "99999999h", retries = 3).on(contention);
    }
}

fn main() {}
